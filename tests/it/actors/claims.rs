//! What can be claimed of a run beside deliveries and effects.

use queue_playground::engine::claim::MessageRef;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;
use queue_playground::scenario::Scenario;

use super::runs::*;

const ALL: Subject = Subject {
    message: None,
    queue: None,
    consumer: None,
    group: None,
    percentile: None,
    nth: None,
};

fn of_consumer(index: u16) -> Subject {
    Subject {
        consumer: Some(ConsumerId(index)),
        ..ALL
    }
}

fn of_message(number: u32) -> Subject {
    Subject {
        message: Some(MessageRef::Number(MessageNumber(number))),
        ..ALL
    }
}

fn number(value: f64) -> Value {
    Value::Number(value)
}

/// Six messages of a second, the second poison, for a worker that nacks and one that crashes at 2.5 s.
fn mixed() -> Setup {
    let nacks = ConsumerSetup {
        on_failure: OnFailure::Nack(Backoff {
            base: secs(20.0),
            ..Backoff::NONE
        }),
        ..worker("nacks", 1.0)
    };
    let crashes = ConsumerSetup {
        prefetch: 3,
        ..worker("crashes", 1.0)
    };
    let mut setup = setup(QueueKind::Standard, 6, vec![crashes, nacks]);
    setup.queues[0].max_deliveries = Some(2);
    setup.queues[0].dead_letter_queue = None;
    poison(&mut setup, &[4]);
    command(&mut setup, 1.5, Command::Crash(ConsumerId(0)));
    setup
}

#[test]
fn crashes_returns_drops_and_acks_are_counted_and_timed_by_consumer_and_message() {
    let ran = run(&mixed(), 100.0);
    assert_eq!(ran.measure(Metric::Crashes, ALL), number(1.0));
    assert_eq!(ran.measure(Metric::Crashes, of_consumer(1)), number(0.0));
    assert_eq!(
        ran.measure(Metric::CrashTimes, of_consumer(0)),
        Value::List(vec![1.5])
    );
    assert_eq!(ran.measure(Metric::Acked, of_consumer(0)), number(1.0));
    assert_eq!(ran.measure(Metric::Acked, of_consumer(1)), number(4.0));
    assert_eq!(
        ran.measure(Metric::NackTimes, of_message(4)),
        Value::List(vec![1.0, 22.0])
    );
    assert_eq!(ran.measure(Metric::Nacked, of_message(5)), number(0.0));
    assert_eq!(
        ran.measure(Metric::FailureTimes, ALL),
        Value::List(vec![1.0, 22.0])
    );
    assert_eq!(ran.measure(Metric::Dropped, of_message(4)), number(1.0));
    assert_eq!(ran.measure(Metric::Dropped, of_message(5)), number(0.0));
    assert_eq!(ran.measure(Metric::MostDeliveries, ALL), number(2.0));
}

#[test]
fn what_a_consumer_holds_its_idle_time_and_the_oldest_wait_are_those_of_the_moment() {
    let ran = run(&mixed(), 0.5);
    assert_eq!(ran.measure(Metric::Held, of_consumer(0)), number(3.0));
    assert_eq!(ran.measure(Metric::Held, ALL), number(4.0));
    let queue = Subject {
        queue: Some(QUEUE),
        ..ALL
    };
    assert_eq!(ran.measure(Metric::OldestWait, queue), number(0.5));
    assert_eq!(ran.measure(Metric::MaxBacklog, ALL), number(2.0));
    let ran = run(&mixed(), 29.0);
    assert_eq!(ran.measure(Metric::Held, of_consumer(0)), number(0.0));
    assert_eq!(ran.measure(Metric::OldestWait, queue), Value::None);
}

#[test]
fn one_entry_of_a_list_is_named_from_either_end_and_a_shorter_list_has_none() {
    let ran = run(&mixed(), 100.0);
    let nth = |nth| Subject {
        nth: Some(nth),
        ..of_message(4)
    };
    let at = |it| ran.measure(Metric::DeliveryTimes, nth(it));
    assert_eq!(
        (at(1), at(2), at(3)),
        (number(0.0), number(21.0), Value::None)
    );
    assert_eq!(
        (at(-1), at(-2), at(-3)),
        (number(21.0), number(0.0), Value::None)
    );
}

#[test]
fn files_claim_the_nth_time_and_refuse_a_zeroth() {
    let text = r#"{
        "version": 1, "duration": "10s",
        "queues": [{ "name": "q" }],
        "producers": [{ "name": "p", "to": "q", "sends": [{ "at": "0s" }, { "at": "5s" }] }],
        "consumers": [{ "name": "c", "from": "q", "processing": "1s" }],
        "expect": [
            { "metric": "finish_times", "nth": -1, "is": 6 },
            { "metric": "start_times", "nth": 1, "at_most": 0 },
            { "metric": "crashes", "is": 0 }
        ]
    }"#;
    let scenario = Scenario::from_json(text).unwrap();
    assert!(
        scenario.to_json().contains(r#""nth": -1"#) || scenario.to_json().contains(r#""nth":-1"#)
    );
    let zeroth = text.replace(r#""nth": 1"#, r#""nth": 0"#);
    let problems = Scenario::from_json(&zeroth).unwrap_err();
    assert!(
        problems[0].to_string().contains("expect[1].nth"),
        "{}",
        problems[0]
    );
}
