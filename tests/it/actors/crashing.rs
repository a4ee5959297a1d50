//! Consumers that crash by themselves and start again.

use queue_playground::engine::setup::*;
use queue_playground::engine::*;

use super::runs::*;

fn crashed(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Crashed { .. })
}

#[test]
fn a_message_that_crashes_the_process_takes_all_it_holds_with_it() {
    let consumer = ConsumerSetup {
        workers: 2,
        prefetch: 3,
        on_failure: OnFailure::Crash,
        restart_after: Some(secs(11.0)),
        ..worker("worker", 2.0)
    };
    let mut setup = setup(QueueKind::Standard, 3, vec![consumer]);
    poison(&mut setup, &[1]);
    setup.queues[0].max_deliveries = Some(2);
    let ran = run(&setup, 100.0);
    // At 30 s all three are back; the poison message is the first again.
    assert_eq!(ran.times(crashed), [2.0, 32.0]);
    let started = ran.times(|it| matches!(it, EventKind::ConsumerStarted { .. }));
    assert_eq!(started, [0.0, 13.0, 43.0]);
    let totals = ran.simulation.totals();
    assert_eq!((totals.failed, totals.dead_lettered), (2, 3));
    assert_eq!(ran.simulation.snapshot().consumers[0].crashes, 2);
}

#[test]
fn a_consumer_that_holds_more_than_its_memory_crashes_at_once_and_again_after_every_start() {
    let consumer = ConsumerSetup {
        batch: Some(100),
        prefetch: 100,
        crash_above: Some(50),
        restart_after: Some(secs(5.0)),
        ..worker("worker", 0.1)
    };
    let mut setup = setup(QueueKind::Standard, 1_000, vec![consumer]);
    setup.queues[0].visibility_timeout = secs(1.0);
    let ran = run(&setup, 20.0);
    assert_eq!(ran.times(crashed), [0.0, 5.0, 10.0, 15.0, 20.0]);
    assert_eq!(ran.simulation.totals().executions, 0);
    setup.consumers[0].batch = Some(50);
    setup.consumers[0].prefetch = 50;
    let ran = run(&setup, 20.0);
    assert_eq!(ran.count(crashed), 0);
}

#[test]
fn a_consumer_that_somebody_starts_before_its_time_does_not_start_twice() {
    let consumer = ConsumerSetup {
        restart_after: Some(secs(10.0)),
        ..worker("worker", 1.0)
    };
    let mut setup = setup(QueueKind::Standard, 0, vec![consumer]);
    command(&mut setup, 1.0, Command::Crash(ConsumerId(0)));
    command(&mut setup, 4.0, Command::Restart(ConsumerId(0)));
    command(&mut setup, 5.0, Command::Crash(ConsumerId(0)));
    let ran = run(&setup, 30.0);
    let started = ran.times(|it| matches!(it, EventKind::ConsumerStarted { .. }));
    assert_eq!(started, [0.0, 4.0, 15.0]);
}

// Incident "unbounded-prefetch-oom".
#[test]
fn a_push_queue_fills_a_consumer_without_a_prefetch_until_it_crashes_again_and_again() {
    let consumer = ConsumerSetup {
        prefetch: 0,
        crash_above: Some(500),
        restart_after: Some(secs(5.0)),
        ..worker("worker", 0.1)
    };
    let mut setup = setup(QueueKind::Standard, 10_000, vec![consumer]);
    setup.queues[0].rules.hand_over = rules::HandOver::Push;
    let ran = run(&setup, 60.0);
    let every_five: Vec<f64> = (0..=12).map(|nth| f64::from(nth) * 5.0).collect();
    assert_eq!(ran.times(crashed), every_five);
    assert_eq!(ran.simulation.totals().executions, 0);
    assert_eq!(ran.simulation.snapshot().queues[0].counts.acked, 0);
    setup.consumers[0].prefetch = 50;
    let ran = run(&setup, 60.0);
    assert_eq!(
        (ran.count(crashed), ran.simulation.totals().executions),
        (0, 600)
    );
}

// Incident "poison-crash-kills-consumers".
#[test]
fn a_poison_message_that_comes_back_to_its_place_crashes_one_consumer_after_the_other() {
    let consumers = ["one", "two", "three"].map(|name| ConsumerSetup {
        on_failure: OnFailure::Crash,
        restart_after: Some(secs(11.0)),
        ..worker(name, 5.0)
    });
    let mut setup = setup(QueueKind::Standard, 7, consumers.to_vec());
    poison(&mut setup, &[1]);
    if let Pattern::List(sends) = &mut setup.producers[0].pattern {
        sends[0].processing = Some(Processing::Constant(secs(2.0)));
    }
    setup.queues[0].rules.hand_over = rules::HandOver::Push;
    let ran = run(&setup, 60.0);
    let expected = [
        2.0, 7.0, 12.0, 15.0, 20.0, 25.0, 28.0, 33.0, 38.0, 41.0, 46.0, 51.0, 54.0, 59.0,
    ];
    assert_eq!(ran.times(crashed), expected);
    let finished = ran.times(|it| matches!(it, EventKind::Finished { .. }));
    assert_eq!(finished, [5.0, 5.0, 10.0]);
}
