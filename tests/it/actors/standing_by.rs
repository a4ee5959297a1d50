//! Consumers of a queue that pushes which get nothing, and why.

use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::{BreakerState, IdleReason};
use queue_playground::engine::*;

use super::runs::*;

fn pushing(sends: u32, consumers: Vec<ConsumerSetup>) -> Setup {
    let mut setup = setup(QueueKind::Standard, sends, consumers);
    setup.queues[0].rules.hand_over = HandOver::Push;
    setup
}

fn idle(ran: &Ran, consumer: usize) -> Option<IdleReason> {
    let snapshot = ran.simulation.snapshot();
    snapshot.consumers[consumer].idle.map(|(_, reason)| reason)
}

fn voids(ran: &Ran) -> Vec<Void> {
    let voids = ran.trace.iter().filter_map(|event| match event.kind {
        EventKind::CommandIgnored { void, .. } => Some(void),
        _ => None,
    });
    voids.collect()
}

#[test]
fn no_timeout_ends_of_what_was_pushed_or_is_pending() {
    for hand_over in [HandOver::Push, HandOver::Pending] {
        let mut setup = pushing(1, vec![worker("c", 5.0)]);
        setup.queues[0].rules.hand_over = hand_over;
        command(&mut setup, 1.0, Command::ExpireNow(MessageNumber(1)));
        let ran = run(&setup, 4.0);
        assert_eq!(voids(&ran), [Void::NoTimeout]);
        assert_eq!(ran.simulation.snapshot().queues[0].counts.in_flight, 1);
    }
}

#[test]
fn a_consumer_beside_the_single_active_one_stands_by() {
    let mut setup = pushing(2, vec![worker("a", 5.0), worker("b", 5.0)]);
    setup.queues[0].rules.single_active_consumer = true;
    let ran = run(&setup, 1.0);
    assert_eq!(idle(&ran, 1), Some(IdleReason::Standby));
}

#[test]
fn a_consumer_whose_channel_was_closed_says_so_until_it_subscribes_anew() {
    let mut setup = pushing(0, vec![worker("a", 5.0)]);
    command(&mut setup, 1.0, Command::CloseChannel(ConsumerId(0)));
    assert_eq!(idle(&run(&setup, 1.5), 0), Some(IdleReason::ChannelClosed));
    assert_eq!(idle(&run(&setup, 2.5), 0), Some(IdleReason::QueueEmpty));
}

#[test]
fn a_consumer_that_keeps_what_failed_has_its_prefetch_full_of_it() {
    let keeps = ConsumerSetup {
        prefetch: 2,
        on_failure: OnFailure::LetTimeoutEnd,
        ..worker("a", 1.0)
    };
    let mut setup = pushing(4, vec![keeps]);
    poison(&mut setup, &[1, 2]);
    let ran = run(&setup, 10.0);
    assert_eq!(idle(&ran, 0), Some(IdleReason::PrefetchFull));
    assert_eq!(ran.simulation.snapshot().queues[0].counts.ready, 2);
}

#[test]
fn a_queue_that_is_gone_after_a_restart_is_declared_and_consumed_from_again() {
    let mut setup = pushing(3, vec![worker("a", 5.0)]);
    setup.queues[0].rules.durability = Durability::Volatile;
    command(&mut setup, 1.0, Command::RestartBroker);
    let send = HandSend {
        count: 1,
        ..HandSend::to(QUEUE)
    };
    command(&mut setup, 3.0, Command::Send(send));
    let ran = run(&setup, 20.0);
    let counts = ran.simulation.snapshot().queues[0].counts;
    assert_eq!((counts.lost, counts.acked), (3, 1));
}

#[test]
fn a_half_open_breaker_is_pushed_one_message_at_a_time() {
    let tries = ConsumerSetup {
        prefetch: 5,
        workers: 1,
        breaker: Some(Breaker {
            failures: 2,
            open_for: secs(3.0),
        }),
        downstream: Some(0),
        on_failure: OnFailure::Reject,
        ..worker("a", 1.0)
    };
    let mut setup = pushing(20, vec![tries]);
    setup.downstreams = vec![DownstreamSetup {
        name: "database".into(),
        at_once: None,
        when_full: WhenFull::Waits,
        per_second: None,
        down: vec![(Micros::ZERO, secs(20.0))],
    }];
    let mut simulation = Simulation::new(std::sync::Arc::new(setup));
    let mut trace = Vec::new();
    let mut trials = 0;
    while simulation.next_at().is_some_and(|at| at <= secs(60.0)) {
        trace.clear();
        simulation.step(&mut trace);
        let snapshot = simulation.snapshot();
        let pushed = trace
            .iter()
            .any(|it| matches!(it.kind, EventKind::Delivered { .. }));
        if pushed && snapshot.consumers[0].breaker == BreakerState::HalfOpen {
            trials += 1;
            assert_eq!(snapshot.queues[0].counts.in_flight, 1);
        }
    }
    assert!(trials > 0);
    assert_eq!(simulation.snapshot().queues[0].counts.ready, 0);
}

#[test]
fn a_person_gets_one_message_after_another_from_a_queue_that_pushes_whatever_the_prefetch() {
    let hand = ConsumerSetup {
        by_hand: true,
        prefetch: 1,
        ..worker("hand", 1.0)
    };
    let mut setup = pushing(3, vec![hand]);
    let get = Command::Receive {
        consumer: ConsumerId(0),
        max: 2,
        wait: secs(5.0),
    };
    command(&mut setup, 1.0, get);
    let ran = run(&setup, 2.0);
    let counts = ran.simulation.snapshot().queues[0].counts;
    assert_eq!((counts.ready, counts.in_flight), (1, 2));
    assert_eq!(idle(&ran, 0), Some(IdleReason::ByHand));
}

#[test]
fn a_paused_consumer_stays_subscribed_and_fills_its_buffer() {
    let mut setup = pushing(
        0,
        vec![ConsumerSetup {
            prefetch: 2,
            ..worker("a", 1.0)
        }],
    );
    command(&mut setup, 1.0, Command::Pause(ConsumerId(0)));
    let send = HandSend {
        count: 3,
        ..HandSend::to(QUEUE)
    };
    command(&mut setup, 2.0, Command::Send(send));
    command(&mut setup, 5.0, Command::Resume(ConsumerId(0)));
    let paused = run(&setup, 4.0).simulation.snapshot();
    assert_eq!(paused.consumers[0].buffered.len(), 2);
    assert_eq!(paused.queues[0].counts.ready, 1);
    let resumed = run(&setup, 10.0).simulation.snapshot();
    assert_eq!(resumed.queues[0].counts.acked, 3);
}
