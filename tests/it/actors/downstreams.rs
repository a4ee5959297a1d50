//! What handlers call.

use queue_playground::engine::event::FailureReason;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

use super::runs::*;

fn downstream() -> DownstreamSetup {
    DownstreamSetup {
        name: "database".into(),
        at_once: None,
        when_full: WhenFull::Waits,
        per_second: None,
        down: Vec::new(),
    }
}

fn refused(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Failed {
            reason: FailureReason::Downstream,
            ..
        }
    )
}

fn finished(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Finished { .. })
}

// Incident "retry-herd-no-jitter".
#[test]
fn retries_without_jitter_come_in_waves_that_a_rate_limit_refuses_again_and_again() {
    let workers = (1..=100).map(|nth| ConsumerSetup {
        downstream: Some(0),
        on_failure: OnFailure::Nack(Backoff {
            base: secs(30.0),
            ..Backoff::NONE
        }),
        ..worker(&format!("worker-{nth}"), 0.0)
    });
    let mut setup = setup(QueueKind::Standard, 100, workers.collect());
    setup.queues[0].visibility_timeout = secs(300.0);
    setup.downstreams = vec![DownstreamSetup {
        per_second: Some(20),
        down: vec![(Micros::ZERO, secs(59.0))],
        ..downstream()
    }];
    let ran = run(&setup, 300.0);
    assert_eq!(ran.simulation.totals().deliveries, 500);
    let mut waves = ran.times(|it| matches!(it, EventKind::Delivered { .. }));
    waves.dedup();
    assert_eq!(waves, [0.0, 30.0, 60.0, 90.0, 120.0, 150.0, 180.0]);
    assert_eq!(ran.times(finished).last(), Some(&180.0));
    assert_eq!(ran.simulation.totals().acked, 100);
}

// Incident "throttle-burns-receive-count".
fn throttled(max_deliveries: u32) -> Setup {
    let poller = ConsumerSetup {
        workers: 31,
        batch: Some(31),
        prefetch: 31,
        wait: Micros::ZERO,
        poll_interval: secs(1.0),
        downstream: Some(0),
        on_failure: OnFailure::LetTimeoutEnd,
        ..worker("poller", 20.0)
    };
    let mut setup = setup(QueueKind::Standard, 31, vec![poller]);
    setup.queues[0].max_deliveries = Some(max_deliveries);
    setup.downstreams = vec![DownstreamSetup {
        at_once: Some(10),
        when_full: WhenFull::Fails,
        ..downstream()
    }];
    setup
}

#[test]
fn invocations_that_find_no_slot_use_up_the_receive_count_without_running() {
    let ran = run(&throttled(1), 120.0);
    let totals = ran.simulation.totals();
    assert_eq!((totals.executions, totals.dead_lettered), (10, 21));
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::DeadLettered { .. })),
        [30.0; 21]
    );
    assert_eq!(ran.times(finished).last(), Some(&20.0));
    let ran = run(&throttled(3), 120.0);
    assert_eq!(ran.simulation.totals().executions, 30);
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::DeadLettered { .. })),
        [90.0]
    );
    assert_eq!(ran.times(finished).last(), Some(&80.0));
    let ran = run(&throttled(4), 120.0);
    assert_eq!(
        (
            ran.simulation.totals().executions,
            ran.times(finished).last()
        ),
        (31, Some(&110.0))
    );
    let mut when_free = throttled(1);
    when_free.consumers[0].workers = 10;
    when_free.consumers[0].prefetch = 10;
    when_free.consumers[0].wait = secs(20.0);
    let ran = run(&when_free, 120.0);
    assert_eq!(
        (
            ran.simulation.totals().executions,
            ran.times(finished).last()
        ),
        (31, Some(&80.0))
    );
    assert_eq!(ran.simulation.totals().deliveries, 31);
}

#[test]
fn handlers_wait_for_a_place_in_order_of_coming_with_their_worker_busy_and_their_lease_running() {
    let consumers = ["one", "two", "three"].map(|name| ConsumerSetup {
        downstream: Some(0),
        ..worker(name, 4.0)
    });
    let mut setup = setup(QueueKind::Standard, 3, consumers.to_vec());
    setup.queues[0].visibility_timeout = secs(10.0);
    setup.downstreams = vec![DownstreamSetup {
        at_once: Some(1),
        ..downstream()
    }];
    let ran = run(&setup, 5.0);
    let snapshot = ran.simulation.snapshot();
    assert_eq!(
        (
            snapshot.downstreams[0].busy,
            snapshot.downstreams[0].waiting
        ),
        (1, 1)
    );
    assert!(snapshot.consumers[2].workers[0].unwrap().waits);
    assert_eq!(snapshot.consumers[2].busy, secs(5.0));
    assert_eq!(snapshot.consumers[2].idle, None);
    let waits = |it: &EventKind| matches!(it, EventKind::WaitsForPlace { .. });
    assert_eq!(ran.times(waits), [0.0, 0.0]);
    // The third begins at 8 s, its timeout ends at 10 s, and the first takes the message and waits for a place.
    let ran = run(&setup, 40.0);
    assert_eq!(ran.times(finished), [4.0, 8.0, 12.0, 16.0]);
    assert_eq!(ran.simulation.totals().duplicate_effects, 1);
}

#[test]
fn a_crash_gives_its_places_up_and_takes_its_waiting_handlers_out_of_the_line() {
    let consumers = ["one", "two", "three"].map(|name| ConsumerSetup {
        downstream: Some(0),
        ..worker(name, 4.0)
    });
    let mut setup = setup(QueueKind::Standard, 3, consumers.to_vec());
    setup.downstreams = vec![DownstreamSetup {
        at_once: Some(1),
        ..downstream()
    }];
    command(&mut setup, 1.0, Command::Crash(ConsumerId(1)));
    command(&mut setup, 2.0, Command::Crash(ConsumerId(0)));
    let ran = run(&setup, 25.0);
    assert_eq!(ran.times(finished), [6.0], "the third begins at 2 s");
    assert_eq!(ran.simulation.snapshot().downstreams[0].busy, 0);
}

#[test]
fn a_handler_fails_when_its_work_ends_in_an_outage_and_only_accepted_calls_are_counted() {
    let consumer = ConsumerSetup {
        downstream: Some(0),
        on_failure: OnFailure::LetTimeoutEnd,
        ..worker("worker", 1.0)
    };
    let mut setup = setup(QueueKind::Standard, 4, vec![consumer]);
    setup.downstreams = vec![DownstreamSetup {
        per_second: Some(1),
        down: vec![(secs(2.0), secs(4.0))],
        ..downstream()
    }];
    let ran = run(&setup, 20.0);
    assert_eq!(ran.times(refused), [2.0, 3.0]);
    assert_eq!(ran.times(finished), [1.0, 4.0]);
}
