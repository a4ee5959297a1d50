//! Works the broker through the cases of `tests/conformance`, by hand.

mod book;
mod calls;
mod judge;
mod setups;
mod table;
mod work;

use book::{Case, FILES, cases};
use judge::{judge, wrong_ways};
use queue_playground::engine::rules::Rules;
use work::{run, run_with};

/// What is wrong with a case: what could not be done, and what came out otherwise.
fn problems_of(case: &Case) -> Vec<String> {
    let mut problems = Vec::new();
    let mut runs = Vec::new();
    for seed in 1..=case.seeds() {
        match run(case, seed) {
            Ok(outcomes) => runs.push(outcomes),
            Err(problem) => problems.push(problem),
        }
    }
    problems.extend(judge(&case.steps(), &runs));
    problems
}

/// Every case holds. One that waits for a rule of the engine says for which, and is listed.
fn hold(file: &str) {
    let mut problems = Vec::new();
    for case in cases(file).iter().filter(|case| case.is_run()) {
        let found = problems_of(case);
        match case.text("waits_for") {
            Some(rule) if found.is_empty() => {
                println!("{} holds: waits for {rule} no more", case.id())
            }
            Some(rule) => println!("{} waits for {rule}: {}", case.id(), found[0]),
            None => problems.extend(found.into_iter().map(|it| format!("{}: {it}", case.id()))),
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_broker_behaves_as_amazon_sqs() {
    hold("sqs");
}

#[test]
fn the_broker_behaves_as_rabbitmq() {
    hold("rabbitmq");
}

#[test]
fn the_broker_behaves_as_nats_jetstream() {
    hold("nats");
}

#[test]
fn the_broker_behaves_as_a_redis_streams_group() {
    hold("redis");
}

#[test]
fn the_broker_behaves_as_google_pubsub() {
    hold("pubsub");
}

#[test]
fn the_broker_behaves_as_azure_service_bus() {
    hold("service_bus");
}

#[test]
fn the_broker_behaves_as_a_kafka_share_group() {
    hold("kafka");
}

/// A case that also held with another outcome would say nothing.
#[test]
fn no_case_holds_with_another_outcome() {
    let mut tried = 0;
    for case in FILES
        .iter()
        .flat_map(|file| cases(file))
        .filter(Case::is_run)
    {
        let runs: Vec<_> = (1..=case.seeds())
            .map_while(|seed| run(&case, seed).ok())
            .collect();
        let steps = case.steps();
        if runs.is_empty() || !judge(&steps, &runs).is_empty() {
            assert!(
                case.text("waits_for").is_some(),
                "{} does not hold",
                case.id()
            );
            continue;
        }
        let before = tried;
        for (at, step) in steps.iter().enumerate() {
            for (what, wrong) in wrong_ways(step) {
                let mut steps = steps.clone();
                steps[at][what] = wrong;
                let found = judge(&steps, &runs);
                assert!(!found.is_empty(), "{} holds with {}", case.id(), steps[at]);
                tried += 1;
            }
        }
        assert!(tried > before, "{} expects nothing", case.id());
    }
    assert!(tried > 400, "{tried}");
}

/// Rules of profiles that agree with the neutral ones in all that can be seen.
const ALIKE: [(&str, &str); 8] = [
    // Every return counts, so that returns and deliveries agree.
    ("azure_service_bus", "count"),
    ("rabbitmq_quorum_3", "count"),
    ("rabbitmq_quorum_4_0", "count"),
    // There is no limit of deliveries.
    ("rabbitmq_classic", "budget"),
    // Nothing expires in a dead-letter queue.
    ("azure_service_bus", "dead_letter_clock"),
    ("azure_service_bus_sessions", "dead_letter_clock"),
    // The clock of a FIFO queue starts again in any case.
    ("google_pubsub_ordered", "dead_letter_clock"),
    // A session is in order of sending, whatever comes back.
    ("azure_service_bus_sessions", "returns_to"),
];

/// What a profile says otherwise than the engine's neutral queue, some case must notice when it is left out.
#[test]
fn no_rule_of_a_profile_can_be_left_out_unnoticed() {
    let all: Vec<Case> = FILES.iter().flat_map(|file| cases(file)).collect();
    let all: Vec<Case> = all.into_iter().filter(Case::is_run).collect();
    let mut profiles: Vec<&str> = all
        .iter()
        .filter_map(|case| case.text("behaves_like"))
        .collect();
    profiles.sort_unstable();
    profiles.dedup();
    let (mut unnoticed, mut tried) = (Vec::new(), 0);
    for profile in profiles.into_iter().filter(|profile| *profile != "free") {
        let rules = setups::rules_of(profile);
        for name in Rules::NAMES {
            let neutral = Rules::default().get(name);
            let Some(neutral) = neutral.filter(|it| rules.get(name).as_ref() != Some(it)) else {
                continue;
            };
            tried += 1;
            let own = |case: &&Case| case.text("behaves_like") == Some(profile);
            let notices = |case: &Case| {
                let runs = (1..=case.seeds()).map(|seed| run_with(case, seed, Some(&neutral)));
                match runs.collect::<Result<Vec<_>, _>>() {
                    Ok(runs) => !judge(&case.steps(), &runs).is_empty(),
                    Err(_) => true,
                }
            };
            let holding = all
                .iter()
                .filter(own)
                .filter(|case| case.text("waits_for").is_none());
            let is_alike = ALIKE.contains(&(profile, name));
            let mut waiting = all
                .iter()
                .filter(own)
                .filter(|case| case.text("waits_for").is_some());
            match holding.into_iter().find(|case| notices(case)) {
                Some(case) if is_alike => panic!("{} notices {profile} {name}", case.id()),
                None if !is_alike && waiting.next().is_none() => {
                    unnoticed.push(format!("{profile} {name}"));
                }
                _ => {}
            }
        }
    }
    println!("{tried} rules of profiles tried");
    assert_eq!(unnoticed, Vec::<String>::new());
}

/// The cases that were handed over: all of them are there, in the order of their numbers.
#[test]
fn every_case_is_run_or_says_why_it_is_not() {
    let shared: Vec<Case> = FILES
        .iter()
        .flat_map(|file| cases(file))
        .filter(|case| !case.id().starts_with("X-"))
        .filter(|case| case.text("second_half_of").is_none())
        .collect();
    assert_eq!(shared.len(), 114);
    let reasons: Vec<&Case> = shared.iter().filter(|case| !case.is_run()).collect();
    for case in &reasons {
        println!(
            "{} is not run: {}",
            case.id(),
            case.text("out_of_scope").unwrap_or_default()
        );
    }
    let ids: Vec<&str> = reasons.iter().map(|case| case.id()).collect();
    assert_eq!(ids, ["FIFO-C22", "KFK-C03"]);
    let mut all: Vec<String> = FILES
        .iter()
        .flat_map(|file| cases(file))
        .map(|case| case.id().to_owned())
        .collect();
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count, "two cases have one id");
}

#[test]
fn every_rule_is_held_by_cases_or_says_why_not() {
    let (text, problems) = table::print(|case| problems_of(case).is_empty());
    println!("{text}");
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// A step without a call, or with a field that its call does not know, would be passed over without a word.
#[test]
fn every_field_of_a_step_is_one_that_its_call_reads() {
    for case in FILES
        .iter()
        .flat_map(|file| cases(file))
        .filter(Case::is_run)
    {
        for step in case.steps() {
            let known = calls::fields_of(step["call"].as_str().unwrap_or_default());
            let fields = step.as_object().into_iter().flat_map(|step| step.keys());
            for field in fields.filter(|field| !matches!(field.as_str(), "at" | "call")) {
                assert!(
                    known.contains(&field.as_str()),
                    "{}: {field} in {step}",
                    case.id()
                );
            }
            assert!(step["at"].is_number(), "{}: {step}", case.id());
        }
    }
}
