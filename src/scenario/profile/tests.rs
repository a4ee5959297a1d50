use serde_json::{Value, json};

use super::*;
use crate::engine::setup::Setup;
use crate::scenario::{Consumer, Problem, Producer, Queue};

fn read(file: &Value) -> Result<Scenario, Vec<String>> {
    Scenario::from_json(&file.to_string())
        .map_err(|problems| problems.iter().map(Problem::to_string).collect())
}

/// The least that runs: a queue with a dead-letter queue, a producer, a consumer.
fn minimal(profile: Profile) -> Value {
    let mut queue = json!({ "name": "q" });
    if profile.hold(Role::Queue, "dead_letter_queue").may != May::Lacks {
        queue["dead_letter_queue"] = "dead".into();
    }
    json!({
        "version": 1, "behaves_like": profile.word(), "duration": "10s",
        "queues": [queue, { "name": "dead" }],
        "producers": [{ "name": "p", "to": "q", "every": "1s" }],
        "consumers": [{ "name": "c", "from": "q" }],
    })
}

fn lowered(profile: Profile) -> Setup {
    let scenario = read(&minimal(profile)).unwrap_or_else(|it| panic!("{profile:?}: {it:#?}"));
    scenario
        .lower()
        .unwrap_or_else(|it| panic!("{profile:?}: {it:#?}"))
}

#[test]
fn every_profile_lowers_a_scenario_that_leaves_everything_out() {
    for profile in Profile::ALL {
        lowered(profile);
    }
}

#[test]
fn a_file_that_leaves_everything_out_is_written_as_it_was() {
    for profile in Profile::ALL {
        let mut file = minimal(profile);
        if profile == Profile::Free {
            file.as_object_mut().map(|it| it.remove("behaves_like"));
        }
        assert_eq!(read(&file).map(|it| it.write()), Ok(file), "{profile:?}");
    }
}

#[test]
fn every_row_names_a_field_that_there_is() {
    let fields = |prefix: &str| match prefix {
        "queue" | "dead" => Queue::FIELDS,
        "consumer" => Consumer::FIELDS,
        _ => Producer::FIELDS,
    };
    let exists = |path: &str| {
        let mut parts = path.trim_end_matches('!').split('.');
        let prefix = parts.next().unwrap_or_default();
        let field = parts.next().unwrap_or_default().trim_end_matches("?none");
        fields(prefix).contains(&field)
    };
    for profile in Profile::ALL {
        for fact in profile.layers().iter().copied().flatten() {
            assert!(exists(fact.0), "{}", fact.0);
            assert!(!fact.3.is_empty(), "{} says no why", fact.0);
        }
    }
    for concept in concepts() {
        let is_setting = ["queue.", "consumer.", "producer."]
            .iter()
            .any(|it| concept.starts_with(it));
        assert!(!is_setting || exists(concept), "{concept}");
    }
}
