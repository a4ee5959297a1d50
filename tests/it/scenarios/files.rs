use queue_playground::scenario::catalogue::CATALOGUE;
use queue_playground::scenario::{Scenario, schema};

const BUDGET: u64 = 10_000_000;

#[test]
fn every_claim_of_every_shipped_scenario_and_variant_holds() {
    let mut failed = Vec::new();
    for shipped in CATALOGUE {
        let scenario = Scenario::from_json(shipped.json).unwrap();
        let verdicts = scenario.check(BUDGET).unwrap();
        let wrong = verdicts.iter().filter(|verdict| !verdict.held);
        failed.extend(wrong.map(|verdict| format!("{} {verdict}", shipped.slug)));
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn every_shipped_file_is_in_the_catalogue() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/static/scenarios");
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let slug = name.strip_suffix(".json").unwrap();
        assert!(
            CATALOGUE.iter().any(|shipped| shipped.slug == slug),
            "{slug}"
        );
    }
}

#[test]
fn every_shipped_scenario_states_what_happens() {
    for shipped in CATALOGUE {
        let scenario = Scenario::from_json(shipped.json).unwrap();
        assert!(!scenario.expect.is_empty(), "{}", shipped.slug);
    }
}

#[test]
fn every_shipped_scenario_shows_its_point_within_15_seconds_of_real_time() {
    for shipped in CATALOGUE {
        let view = Scenario::from_json(shipped.json).unwrap().view;
        let last = view.captions.last().map(|caption| caption.at);
        let shown = last.unwrap_or_default() - view.from;
        let real = shown.as_secs_f64() / view.speed;
        assert!(real <= 15.0, "{}: {real} s", shipped.slug);
    }
}

#[test]
fn captions_are_in_order_and_not_after_the_stop() {
    for shipped in CATALOGUE {
        let scenario = Scenario::from_json(shipped.json).unwrap();
        let times: Vec<_> = scenario.view.captions.iter().map(|it| it.at).collect();
        assert!(times.is_sorted(), "{}", shipped.slug);
        if let (Some(stop), Some(last)) = (scenario.view.stop_at, times.last()) {
            assert!(*last <= stop, "{}", shipped.slug);
        }
    }
}

#[test]
fn every_shipped_invitation_has_a_stop_at_which_it_is_made() {
    for shipped in CATALOGUE {
        let view = Scenario::from_json(shipped.json).unwrap().view;
        let is_made = view.invitation.is_none() || view.stop_at.is_some();
        assert!(is_made, "{}", shipped.slug);
    }
}

#[test]
fn the_published_schema_is_the_one_of_the_types() {
    let published = include_str!("../../../static/scenario.schema.json");
    assert!(
        published == schema(),
        "write it anew: queue-sim schema > static/scenario.schema.json"
    );
}
