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

#[test]
fn every_shipped_scenario_is_one_with_every_broker() {
    for profile in Profile::ALL {
        for shipped in crate::scenario::catalogue::CATALOGUE {
            let scenario = Scenario::from_json(shipped.json).unwrap();
            let applied = profile.apply(&scenario);
            let applied =
                applied.unwrap_or_else(|it| panic!("{profile:?} {}: {it:#?}", shipped.slug));
            let again = Scenario::from_json(&applied.scenario.to_json());
            assert_eq!(again.map(|it| it.behaves_like), Ok(profile));
        }
    }
}

fn problems(profile: Profile, change: impl Fn(&mut Value)) -> Vec<String> {
    let mut file = minimal(profile);
    change(&mut file);
    read(&file).err().unwrap_or_default()
}

#[test]
fn what_a_broker_fixes_bounds_or_lacks_is_refused_all_at_once_with_its_reason() {
    let found = problems(Profile::PubSub, |file| {
        file["queues"][0]["returns_to"] = "head".into();
        file["queues"][0]["visibility_timeout"] = "5s".into();
        file["queues"][0]["delay"] = "5s".into();
        file["queues"][0]["retry_delay"] =
            json!({ "min": "20min", "max": "5min", "growth": "linear" });
        file["consumers"][0]["on_failure"] = "reject".into();
        file["producers"][0]["ttl"] = "5s".into();
    });
    assert_eq!(
        found,
        [
            "queues[0].delay: Google Pub/Sub has no delay; leave it out",
            "queues[0].returns_to: Google Pub/Sub fixes returns to; leave it out: No place is promised; a returned message is as old as it was (guide, subscribers)",
            "queues[0].visibility_timeout: \"5s\" is not allowed with Google Pub/Sub; use 10s to 10min (ackDeadlineSeconds (pubsub_v1, Subscription))",
            "queues[0].retry_delay.min: \"20min\" is not allowed with Google Pub/Sub; use 0s to 10min (minimumBackoff (pubsub_v1, RetryPolicy))",
            "queues[0].retry_delay.growth: Google Pub/Sub fixes retry delay: growth; use \"exponential\": Exponential (pubsub_v1, RetryPolicy)",
            "queues[0].retry_delay.min: 20min is more than \"max\"; use 5min or less",
            "producers[0].ttl: Google Pub/Sub has no ttl; leave it out",
            "consumers[0].on_failure: \"reject\" is not allowed with Google Pub/Sub; use \"nack\" or \"let_timeout_end\" or \"crash\": There is modifyAckDeadline and nothing else (pubsub_v1, Subscriber)",
        ]
    );
}

#[test]
fn sets_variants_and_sends_are_held_to_the_broker_too() {
    let found = problems(Profile::SqsFifo, |file| {
        file["producers"][0] =
            json!({ "name": "p", "to": "q", "sends": [{ "at": "1s", "delay": "2s" }] });
    });
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("producers[0].sends[0].delay: Amazon SQS has no delay"));
    let found = problems(Profile::SqsStandard, |file| {
        file["commands"] = json!([{ "at": "1s", "set": { "queue": "q", "retention": "5s" } }]);
    });
    assert!(
        found[0].starts_with("commands[0].set.retention: \"5s\" is not allowed"),
        "{found:?}"
    );
    let found = problems(Profile::SqsStandard, |file| {
        file["variants"] =
            json!([{ "name": "v", "change": { "queues": { "q": { "returns_to": "tail" } } } }]);
    });
    assert!(
        found[0].contains("Amazon SQS fixes returns to"),
        "{found:?}"
    );
}

#[test]
fn null_in_a_set_restores_what_the_broker_has_by_default() {
    let mut file = minimal(Profile::PubSub);
    file["queues"][0]["visibility_timeout"] = "20s".into();
    file["commands"] = json!([{ "at": "1s", "set": { "queue": "q", "visibility_timeout": null } }]);
    let setup = read(&file).unwrap().lower().unwrap();
    let ten = crate::engine::Micros::from_secs(10);
    let change = crate::engine::command::QueueChange::VisibilityTimeout(ten);
    let command = crate::engine::Command::SetQueue(crate::engine::QueueId(0), change);
    assert_eq!(setup.commands[0].command, command);
}

#[test]
fn a_vocabulary_refuses_what_its_broker_lacks_and_leaves_rules_open() {
    let mut file = minimal(Profile::Free);
    file["view"] = json!({ "vocabulary": "rabbitmq_classic" });
    file["queues"][0]["returns_to"] = "head".into();
    assert_eq!(
        read(&file).map(|it| it.vocabulary()),
        Ok(Profile::RabbitClassic)
    );
    file["queues"][0]["delay"] = "5s".into();
    file["consumers"][0]["claim"] = json!({ "min_idle": "5s" });
    let found = read(&file).unwrap_err();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("queues[0].delay: RabbitMQ has no delay; nearest is"));
    assert!(found[1].starts_with("consumers[0].claim: RabbitMQ has no claim"));
}

#[test]
fn what_both_have_is_kept_and_what_is_out_of_bounds_is_brought_within() {
    let mut file = minimal(Profile::SqsStandard);
    file["queues"][0]["visibility_timeout"] = "45s".into();
    file["queues"][0]["max_deliveries"] = 50.into();
    file["consumers"][0]["processing"] = "2s".into();
    file["consumers"][0]["visibility_timeout"] = "7s".into();
    file["commands"] =
        json!([{ "at": "1s", "set": { "queue": "q", "visibility_timeout": "90s" } }]);
    let Applied { scenario, notes } = Profile::KafkaShare.apply(&read(&file).unwrap()).unwrap();
    let setup = scenario.lower().unwrap();
    assert_eq!(setup.queues[0].visibility_timeout.0, 45_000_000);
    assert_eq!(setup.queues[0].max_deliveries, Some(10));
    assert_eq!(setup.consumers[0].visibility_timeout, None);
    assert_eq!(
        setup.queues[0].rules.exhausted,
        crate::engine::rules::Exhausted::Archive
    );
    let told: Vec<&str> = notes.iter().map(|note| note.path.as_str()).collect();
    let expected = [
        "q.dead_letter_queue",
        "q.max_deliveries",
        "c.visibility_timeout",
        "commands.visibility_timeout",
    ];
    assert_eq!(told, expected, "{notes:?}");
}

#[test]
fn settings_are_exported_in_the_names_units_and_nesting_of_each_broker() {
    let exported = |profile: Profile, change: &dyn Fn(&mut Value)| -> Value {
        let mut file = minimal(profile);
        change(&mut file);
        let text = read(&file).unwrap().export().unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let sqs = exported(Profile::SqsFifo, &|file| {
        file["queues"][0]["max_deliveries"] = 3.into();
        file["queues"][0]["visibility_timeout"] = "5min".into();
    });
    assert_eq!(
        sqs["queues"][0],
        json!({ "QueueName": "q", "FifoQueue": true, "VisibilityTimeout": 300, "DelaySeconds": 0,
            "MessageRetentionPeriod": 345_600, "ContentBasedDeduplication": false,
            "DeduplicationScope": "queue",
            "RedrivePolicy": { "maxReceiveCount": 3, "deadLetterTargetArn": "dead" } })
    );
    assert_eq!(
        sqs["consumers"][0],
        json!({ "MaxNumberOfMessages": 1, "WaitTimeSeconds": 20 })
    );
    let rabbit = exported(Profile::RabbitClassic, &|file| {
        file["queues"][0]["ttl"] = "1500ms".into();
        file["queues"][0]["capacity"] = 100.into();
        file["queues"][0]["overflow"] = "refuse".into();
        file["queues"][0]["priority"] = json!({ "strict": { "max": 5 } });
    });
    assert_eq!(
        rabbit["queues"][0],
        json!({ "queue": "q", "durable": true, "arguments": {
            "x-queue-type": "classic", "x-dead-letter-exchange": "dead", "x-consumer-timeout": 1_800_000,
            "x-message-ttl": 1_500, "x-max-length": 100, "x-overflow": "reject-publish",
            "x-max-priority": 5, "x-single-active-consumer": false } })
    );
    assert_eq!(rabbit["consumers"][0]["prefetch_count"], 0);
    let nats = exported(Profile::JetStream, &|file| {
        file["queues"][0]["lease_steps"] = json!(["1s", "5s"]);
    });
    assert_eq!(nats["queues"][0]["ack_wait"], 30_000_000_000_u64);
    assert_eq!(nats["queues"][0]["max_deliver"], -1);
    assert_eq!(
        nats["queues"][0]["backoff"],
        json!([1_000_000_000, 5_000_000_000_u64])
    );
    let pubsub = exported(Profile::PubSubOrdered, &|file| {
        file["queues"][0]["retry_delay"] = json!({ "min": "10s", "max": "10min" });
    });
    assert_eq!(pubsub["queues"][0]["ackDeadlineSeconds"], 10);
    assert_eq!(pubsub["queues"][0]["messageRetentionDuration"], "604800s");
    assert_eq!(
        pubsub["queues"][0]["retryPolicy"],
        json!({ "minimumBackoff": "10s", "maximumBackoff": "600s" })
    );
    let bus = exported(Profile::ServiceBus, &|_| {});
    assert_eq!(bus["queues"][0]["lockDuration"], "PT1M");
    assert_eq!(bus["queues"][0]["maxDeliveryCount"], 10);
    let kafka = exported(Profile::KafkaShare, &|_| {});
    assert_eq!(
        kafka["queues"][0]["group.share.record.lock.duration.ms"],
        30_000
    );
    assert_eq!(kafka["consumers"][0]["max.poll.records"], 500);
}

#[test]
fn no_row_leaves_open_a_value_that_a_later_row_would_fill_in() {
    for profile in Profile::ALL {
        for role in [
            Role::Queue,
            Role::DeadLetterQueue,
            Role::Consumer,
            Role::Producer,
        ] {
            let facts: Vec<_> = profile.facts(role).collect();
            for (index, (field, fact)) in facts.iter().enumerate() {
                let mut before = facts[..index]
                    .iter()
                    .filter(|(earlier, _)| earlier == field);
                let empty = before.any(|(_, earlier)| earlier.1.is_empty());
                assert!(!empty || fact.1.is_empty(), "{profile:?} {role:?} {field}");
            }
        }
    }
}

#[test]
fn a_prefetch_without_limit_is_for_brokers_that_push() {
    let mut file = minimal(Profile::RabbitQuorum3);
    file["behaves_like"] = "rabbitmq_classic".into();
    assert_eq!(
        read(&file).unwrap().lower().unwrap().consumers[0].prefetch,
        0
    );
    let mut file = minimal(Profile::Free);
    file["queues"][0]["hand_over"] = "push".into();
    file["consumers"][0]["prefetch"] = 0.into();
    let scenario = read(&file).unwrap();
    let applied = Profile::SqsStandard.apply(&scenario).unwrap();
    assert_eq!(applied.scenario.lower().unwrap().consumers[0].prefetch, 1);
    assert!(applied.notes.iter().any(|note| note.path == "c.prefetch"));
    file["queues"][0]["hand_over"] = "lease".into();
    assert_eq!(
        read(&file).unwrap_err(),
        ["consumers[0].prefetch: 0 is not allowed; use 1 or more"]
    );
}
