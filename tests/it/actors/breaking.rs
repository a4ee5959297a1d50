//! Circuit breakers.

use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::{BreakerState, IdleReason};
use queue_playground::engine::*;

use super::runs::*;

/// Twenty messages and a dependency that is down for a minute.
fn outage(open_for: f64) -> Setup {
    let consumer = ConsumerSetup {
        breaker: Some(Breaker {
            failures: 3,
            open_for: secs(open_for),
        }),
        downstream: Some(0),
        ..worker("worker", 1.0)
    };
    let mut setup = setup(QueueKind::Standard, 20, vec![consumer]);
    setup.downstreams = vec![DownstreamSetup {
        name: "database".into(),
        at_once: None,
        when_full: WhenFull::Waits,
        per_second: None,
        down: vec![(Micros::ZERO, secs(60.0))],
    }];
    setup
}

fn opened(kind: &EventKind) -> bool {
    matches!(kind, EventKind::BreakerOpened { .. })
}

#[test]
fn failures_in_a_row_open_a_breaker_and_a_trial_that_succeeds_closes_it() {
    let ran = run(&outage(20.0), 120.0);
    // Three failures, then a trial after every 20 s: at 3, 24, 45 and 66 s.
    assert_eq!(ran.times(opened), [3.0, 24.0, 45.0]);
    let closed = ran.times(|it| matches!(it, EventKind::BreakerClosed { .. }));
    assert_eq!(closed, [66.0]);
    let totals = ran.simulation.totals();
    assert_eq!((totals.failed, totals.acked), (5, 20));
    let received = ran.times(|it| matches!(it, EventKind::Delivered { .. }));
    assert_eq!(received[..6], [0.0, 1.0, 2.0, 23.0, 44.0, 65.0]);
}

#[test]
fn without_a_breaker_every_second_of_the_outage_is_a_failure() {
    let mut setup = outage(20.0);
    setup.consumers[0].breaker = None;
    let totals = run(&setup, 120.0).simulation.totals();
    assert_eq!(totals.failed, 59);
}

#[test]
fn an_open_breaker_is_why_a_consumer_is_idle_and_half_open_it_takes_one_message() {
    let mut setup = outage(20.0);
    setup.consumers[0].workers = 3;
    setup.consumers[0].prefetch = 5;
    let at = |time| run(&setup, time).simulation.snapshot().consumers[0].clone();
    let open = at(10.0);
    let BreakerState::Open(until) = open.breaker else {
        panic!("{:?}", open.breaker);
    };
    assert_eq!(open.idle.unwrap().1, IdleReason::BreakerOpen);
    let trial = at(until.as_secs_f64() + 0.5);
    assert_eq!(trial.breaker, BreakerState::HalfOpen);
    assert_eq!(
        trial.workers.iter().flatten().count() + trial.buffered.len(),
        1
    );
}

#[test]
fn a_crash_forgets_the_failures_and_a_changed_rule_closes_the_breaker() {
    let mut setup = outage(50.0);
    command(&mut setup, 10.0, Command::Crash(ConsumerId(0)));
    command(&mut setup, 11.0, Command::Restart(ConsumerId(0)));
    assert_eq!(run(&setup, 30.0).times(opened), [3.0, 14.0]);
    let mut setup = outage(50.0);
    let none = Command::SetConsumer(None, ConsumerChange::Breaker(None));
    command(&mut setup, 10.0, none);
    let ran = run(&setup, 15.0);
    let closed = ran.times(|it| matches!(it, EventKind::BreakerClosed { .. }));
    assert_eq!(closed, [10.0]);
    assert_eq!(ran.simulation.totals().failed, 8);
}
