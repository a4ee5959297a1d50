//! Consumers that claim what others hold, in a run.

use queue_playground::engine::rules::{HandOver, Rules};
use queue_playground::engine::setup::*;
use queue_playground::engine::*;
use std::sync::Arc;

fn setup(network: NetworkSetup) -> Setup {
    let queue = QueueSetup {
        retention: None,
        stale_ack: StaleAck::Deletes,
        rules: Rules {
            hand_over: HandOver::Pending,
            ..Rules::default()
        },
        ..QueueSetup::new("q", QueueKind::Standard)
    };
    let sends = [0, 0, 0].map(|at| PlannedSend::at(Micros::from_secs(at)));
    let work = Processing::Constant(Micros::from_secs(2));
    let consumer = |name: &str, start| ConsumerSetup {
        prefetch: 1,
        wait: Micros::from_secs(20),
        start: Micros::from_secs(start),
        claim: Some(Claiming {
            min_idle: Micros::from_secs(5),
            every: Micros::from_secs(1),
            max: 10,
        }),
        ..ConsumerSetup::new(name, QueueId(0), work)
    };
    Setup {
        queues: vec![queue],
        producers: vec![ProducerSetup::new(
            "p",
            QueueId(0),
            Pattern::List(sends.into()),
        )],
        consumers: vec![consumer("a", 0), consumer("b", 0)],
        commands: vec![TimedCommand {
            at: Micros::from_secs(1),
            command: Command::Crash(ConsumerId(0)),
        }],
        network,
        ..Setup::empty()
    }
}

fn trace(setup: Setup) -> (Simulation, Vec<Event>) {
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    let end = Micros::from_secs(60);
    let progress = simulation.run_until(end, u64::MAX, &mut trace);
    assert_eq!(progress, Progress::Reached);
    (simulation, trace)
}

#[test]
fn what_a_crashed_consumer_holds_stays_pending_until_another_claims_it() {
    let (simulation, trace) = trace(setup(NetworkSetup::default()));
    let claimed: Vec<(Micros, EventKind)> = trace
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Claimed { .. }))
        .map(|event| (event.at, event.kind))
        .collect();
    let expected = EventKind::Claimed {
        message: MessageNumber(1),
        queue: QueueId(0),
        consumer: ConsumerId(1),
        from: ConsumerId(0),
    };
    assert_eq!(claimed, [(Micros::from_secs(5), expected)]);
    let counts = simulation.snapshot().queues[0].counts;
    assert_eq!((counts.acked, counts.in_flight), (3, 0));
}

#[test]
fn a_claim_takes_its_time_on_the_network_and_names_a_cause_that_was_before_it() {
    let delay = Micros::from_millis(100);
    let (simulation, trace) = trace(setup(NetworkSetup {
        ack_delay: delay,
        delivery_delay: delay,
        ..NetworkSetup::default()
    }));
    assert_eq!(simulation.snapshot().queues[0].counts.acked, 3);
    let claimed = trace
        .iter()
        .find(|event| matches!(event.kind, EventKind::Claimed { .. }));
    assert_eq!(claimed.map(|event| event.at.0 % 1_000_000), Some(delay.0));
    for event in &trace {
        assert!(event.cause.is_none_or(|cause| cause < event.ordinal));
    }
}
