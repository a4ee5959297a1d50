//! Profiles as facts: the vendors' figures, and files that read back as written.

use proptest::prelude::*;
use queue_playground::engine::Micros;
use queue_playground::scenario::{
    BoundedRun, Consumer, May, Name, Producer, Profile, Queue, Role, Scenario, concepts,
};
use serde_json::{Value, json};

use super::files_of::EVERY_FIELD;

/// What is the application's or the playground's with every broker, and has no row in the table of names: rules that
/// are behaviour and no setting, and what only a simulation has.
const OUR_OWN: &[&str] = &[
    "queue.stale_ack",
    "queue.hand_over",
    "queue.at_consumer_timeout",
    "queue.group_rule",
    "queue.returns_to",
    "queue.count",
    "queue.counted_returns",
    "queue.budget",
    "queue.exhausted",
    "queue.dead_letter_clock",
    "queue.cuts_cycles",
    "queue.expiry_noticed",
    "queue.capacity_counts",
    "queue.overshoot",
    "queue.at_in_flight_limit",
    "queue.redeliveries_exempt",
    "queue.deduplication_from",
    "queue.deduplication_kept",
    "consumer.from",
    "consumer.count",
    "consumer.stream",
    "consumer.workers",
    "consumer.refill",
    "consumer.processing",
    "consumer.ack",
    "consumer.settle_time",
    "consumer.failures",
    "consumer.on_failure",
    "consumer.idempotence",
    "consumer.skip_expired",
    "consumer.batch_work",
    "consumer.breaker",
    "consumer.downstream",
    "consumer.by_hand",
    "consumer.crash_above",
    "consumer.restart_after",
    "consumer.start",
    "producer.name",
    "producer.to",
    "producer.sends",
    "producer.every",
    "producer.poisson",
    "producer.burst",
    "producer.start",
    "producer.limit",
    "producer.poison_every",
    "producer.poison_share",
    "producer.processing",
    "producer.amount",
    "producer.max_resends",
];

#[test]
fn every_setting_has_a_name_or_no_counterpart_with_every_broker_or_is_our_own() {
    let fields = [
        ("queue.", Queue::FIELDS),
        ("consumer.", Consumer::FIELDS),
        ("producer.", Producer::FIELDS),
    ];
    let all: Vec<String> = fields
        .iter()
        .flat_map(|(prefix, fields)| fields.iter().map(move |field| format!("{prefix}{field}")))
        .collect();
    for concept in &all {
        let named = concepts().any(|known| known == concept);
        let ours = OUR_OWN.contains(&concept.as_str());
        assert!(
            named != ours,
            "{concept}: give it a row in names.rs, or list it here"
        );
    }
    for ours in OUR_OWN {
        assert!(
            all.iter().any(|concept| concept == ours),
            "{ours} is no field"
        );
    }
}

#[test]
fn what_a_rule_is_with_a_broker_is_fixed_with_a_reason_or_chosen() {
    // A rule that no table holds would be open by accident.
    let rules = OUR_OWN
        .iter()
        .filter_map(|concept| concept.strip_prefix("queue."));
    for field in rules {
        for profile in Profile::ALL.into_iter().filter(|it| *it != Profile::Free) {
            let hold = profile.hold(Role::Queue, field);
            let lacking = profile.belongs_to_lacking(Role::Queue, field);
            assert!(lacking || !hold.why.is_empty(), "{profile:?}: {field}");
        }
    }
}

/// A field, what it is unless set, and what may be chosen.
type Figure = (Profile, Role, &'static str, Value, May);

/// The vendors' figures, written down a second time, from the rules S4, S20, S21, F5, F11, R1, R5, R12, R18, N1, N9, P1, P3,
/// P4, P7, K6, B1, B2 and B5.
fn figures() -> Vec<Figure> {
    use Profile as P;
    let queue = |profile, field, value, may| (profile, Role::Queue, field, value, may);
    let consumer = |profile, field, value, may| (profile, Role::Consumer, field, value, may);
    vec![
        queue(
            P::SqsStandard,
            "visibility_timeout",
            json!("30s"),
            May::Seconds(0, 43_200),
        ),
        queue(P::SqsFifo, "delay", json!("0s"), May::Seconds(0, 900)),
        queue(
            P::SqsStandard,
            "retention",
            json!("4d"),
            May::Seconds(60, 1_209_600),
        ),
        queue(
            P::SqsStandard,
            "max_deliveries",
            json!("none"),
            May::Numbers(1, 1_000),
        ),
        queue(
            P::SqsStandard,
            "in_flight_limit",
            json!(120_000),
            May::Numbers(1, 120_000),
        ),
        queue(
            P::SqsFifo,
            "in_flight_limit",
            json!(120_000),
            May::Numbers(1, 120_000),
        ),
        queue(P::SqsStandard, "purge_interval", json!("60s"), May::Fixed),
        queue(
            P::SqsFifo,
            "deduplication_window",
            json!("5min"),
            May::Fixed,
        ),
        consumer(P::SqsStandard, "batch", json!(1), May::Numbers(1, 10)),
        // The guide's advice; the default of a queue is 0.
        consumer(P::SqsFifo, "wait", json!("20s"), May::Seconds(0, 20)),
        queue(
            P::RabbitClassic,
            "consumer_timeout",
            json!("30min"),
            May::Open,
        ),
        queue(
            P::RabbitClassic,
            "max_deliveries",
            json!("none"),
            May::Lacks,
        ),
        queue(P::RabbitQuorum3, "max_deliveries", json!("none"), May::Open),
        queue(P::RabbitQuorum40, "max_deliveries", json!(20), May::Open),
        queue(P::RabbitQuorum43, "max_deliveries", json!(20), May::Open),
        consumer(
            P::RabbitQuorum43,
            "prefetch",
            json!(2_000),
            May::Numbers(1, 2_000),
        ),
        queue(P::JetStream, "visibility_timeout", json!("30s"), May::Open),
        queue(P::JetStream, "max_deliveries", json!("none"), May::Open),
        queue(P::JetStream, "in_flight_limit", json!(1_000), May::Open),
        queue(
            P::JetStream,
            "deduplication_window",
            json!("2min"),
            May::Open,
        ),
        queue(
            P::PubSub,
            "visibility_timeout",
            json!("10s"),
            May::Seconds(10, 600),
        ),
        queue(
            P::PubSub,
            "max_deliveries",
            json!("none"),
            May::Numbers(5, 100),
        ),
        queue(
            P::PubSub,
            "retention",
            json!("7d"),
            May::Seconds(600, 2_678_400),
        ),
        queue(
            P::ServiceBus,
            "visibility_timeout",
            json!("60s"),
            May::Seconds(1, 300),
        ),
        queue(
            P::ServiceBus,
            "max_deliveries",
            json!(10),
            May::Numbers(1, 2_000),
        ),
        queue(
            P::ServiceBus,
            "deduplication_window",
            json!("10min"),
            May::Seconds(20, 604_800),
        ),
        queue(
            P::KafkaShare,
            "visibility_timeout",
            json!("30s"),
            May::Seconds(15, 60),
        ),
        queue(
            P::KafkaShare,
            "max_deliveries",
            json!(5),
            May::Numbers(2, 10),
        ),
        queue(P::KafkaShare, "in_flight_limit", json!(2000), May::Open),
    ]
}

#[test]
fn defaults_and_limits_are_the_vendors_figures() {
    for (profile, role, field, value, may) in figures() {
        assert_eq!(
            profile.unless_set(role, field),
            Some(value),
            "{profile:?} {field}"
        );
        assert_eq!(profile.hold(role, field).may, may, "{profile:?} {field}");
    }
}

#[test]
fn dead_letters_of_a_quorum_queue_go_to_a_classic_queue_that_counts_nothing() {
    let setup = |profile: &str| {
        let file = json!({ "version": 1, "behaves_like": profile,
            "queues": [{ "name": "q", "dead_letter_queue": "d" }, { "name": "d" }] });
        let scenario = Scenario::from_json(&file.to_string()).unwrap();
        scenario.lower().unwrap()
    };
    let quorum = setup("rabbitmq_quorum_4_0");
    assert_eq!(quorum.queues[0].max_deliveries, Some(20));
    assert_eq!(quorum.queues[1].max_deliveries, None);
    let classic = setup("rabbitmq_classic");
    assert_eq!(quorum.queues[1].rules, classic.queues[1].rules);
    assert_ne!(quorum.queues[0].rules, classic.queues[0].rules);
    assert_eq!(setup("azure_service_bus").queues[1].max_deliveries, None);
}

/// Every field of every item of the file that has them all.
fn settings() -> Vec<(&'static str, String, Value)> {
    let file: Value = serde_json::from_str(EVERY_FIELD).unwrap();
    let mut settings = Vec::new();
    for (list, skipped) in [
        ("queues", ["name", "dead_letter_queue", ""]),
        ("producers", ["name", "to", "sends"]),
        ("consumers", ["name", "from", "downstream"]),
    ] {
        for item in file[list].as_array().into_iter().flatten() {
            let fields = item.as_object().into_iter().flatten();
            for (field, value) in fields.filter(|(field, _)| !skipped.contains(&field.as_str())) {
                settings.push((list, field.clone(), value.clone()));
            }
        }
    }
    // Our own defaults, which are not the brokers'.
    for (list, field, value) in [
        ("queues", "visibility_timeout", json!("30s")),
        ("queues", "retention", json!("4d")),
        ("queues", "max_deliveries", json!("none")),
        ("queues", "in_flight_limit", json!("none")),
        ("queues", "quota", json!("none")),
        ("queues", "returns_to", json!("place")),
        ("queues", "priority", json!("off")),
        ("queues", "consumer_timeout", json!("none")),
        ("queues", "priority", json!({ "strict": { "max": 9 } })),
        (
            "queues",
            "retry_delay",
            json!({ "min": "10s", "max": "1min" }),
        ),
        ("consumers", "wait", json!("20s")),
        ("consumers", "batch", json!("none")),
        ("consumers", "on_failure", json!("nack")),
        ("consumers", "on_failure", json!({ "nack": "5s" })),
    ] {
        settings.push((list, field.to_owned(), value));
    }
    settings
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_that_behaves_like_a_broker_reads_back_as_written_or_says_what_is_wrong(
        profile in prop::sample::select(Profile::ALL.to_vec()),
        chosen in prop::collection::vec((prop::sample::select(settings()), any::<bool>()), 0..6),
        then in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let mut file = json!({
            "version": 1, "behaves_like": profile.word(), "duration": "1min",
            "queues": [{ "name": "q", "dead_letter_queue": "d" }, { "name": "d" }],
            "producers": [{ "name": "p", "to": "q", "every": "1s" }],
            "consumers": [{ "name": "c", "from": "q" }, { "name": "e", "from": "d" }],
        });
        if profile.hold(Role::Queue, "dead_letter_queue").may == May::Lacks {
            file["queues"][0].as_object_mut().unwrap().remove("dead_letter_queue");
        }
        for ((list, field, value), second) in chosen {
            let alternatives = ["every", "poisson", "burst"];
            let second = usize::from(second && list != "producers");
            let item = file[list][second].as_object_mut().unwrap();
            if alternatives.contains(&field.as_str()) {
                item.retain(|name, _| !alternatives.contains(&name.as_str()));
            }
            item.insert(field, value);
        }
        match Scenario::from_json(&file.to_string()) {
            Err(problems) => prop_assert!(!problems.is_empty()),
            Ok(scenario) => {
                let text = scenario.to_json();
                let again = Scenario::from_json(&text).unwrap();
                prop_assert_eq!(again.lower(), scenario.lower());
                prop_assert_eq!(&again.to_json(), &text);
                // What equals the broker's default is left out, and nothing else is.
                let written: Value = serde_json::from_str(&text).unwrap();
                for (list, role) in [("consumers", Role::Consumer), ("producers", Role::Producer)] {
                    for item in written[list].as_array().unwrap() {
                        for (field, value) in item.as_object().unwrap() {
                            let required = ["name", "to", "from"].contains(&field.as_str());
                            let standing = profile.unless_set(role, field);
                            prop_assert!(required || standing.as_ref() != Some(value), "{} {}", list, field);
                        }
                    }
                }
                let applied = then.apply(&scenario);
                prop_assert!(applied.is_ok(), "{:?} to {:?}: {:#?}", profile, then, applied.err());
                let applied = applied.unwrap().scenario;
                prop_assert_eq!(applied.behaves_like, then);
                prop_assert!(applied.validate().is_ok());
                let mut run = BoundedRun::new(applied.lower().unwrap(), 2_000);
                run.advance(Micros::from_secs(60), |_| true);
                if then != Profile::Free {
                    let exported = applied.export().unwrap();
                    prop_assert!(serde_json::from_str::<Value>(&exported).is_ok());
                }
            }
        }
    }

    #[test]
    fn renaming_takes_any_text(text in "[a-zA-ZäX' .,-]{0,30}(consumer|an ack|Queue|in flight|acks)?[ a-z'é]{0,9}") {
        for profile in Profile::ALL {
            let told = queue_playground::present::terms::renamed(&text, profile, &());
            prop_assert!(told.len() < 4 * text.len() + 100);
            if profile == Profile::Free {
                prop_assert_eq!(told, text.as_str());
            }
        }
    }
}

#[test]
fn what_a_broker_has_no_counterpart_of_is_locked_and_what_it_names_is_said() {
    for profile in Profile::ALL.into_iter().filter(|it| *it != Profile::Free) {
        for field in Queue::FIELDS {
            let hold = profile.hold(Role::Queue, field);
            if let Name::NoCounterpart(_) = profile.name(&format!("queue.{field}")) {
                let other = matches!(*field, "kind" | "consumer_timeout");
                assert!(hold.is_locked() || other, "{profile:?} {field}");
            }
        }
    }
}
