//! Consumers of a queue that pushes. The numbers of incidents are those of the collection.

use queue_playground::engine::event::{CloseReason, RequeueReason};
use queue_playground::engine::rules::{HandOver, Rule};
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

use super::runs::*;

fn pushing(sends: u32, consumers: Vec<ConsumerSetup>) -> Setup {
    let mut setup = setup(QueueKind::Standard, sends, consumers);
    setup.queues[0].rules.hand_over = HandOver::Push;
    setup.queues[0].stale_ack = StaleAck::ClosesChannel;
    setup
}

fn consumer(name: &str, prefetch: u32, seconds: f64) -> ConsumerSetup {
    ConsumerSetup {
        prefetch,
        ..worker(name, seconds)
    }
}

fn effects_end(ran: &Ran) -> f64 {
    let times = ran.times(|it| matches!(it, EventKind::Effect { .. }));
    times.last().copied().unwrap_or(0.0)
}

fn delivered_to(ran: &Ran, wanted: u16) -> usize {
    ran.count(|it| matches!(it, EventKind::Delivered { consumer, .. } if consumer.0 == wanted))
}

#[test]
fn prefetch_one_latency_bound() {
    let late = |prefetch: u32| {
        let mut setup = pushing(0, vec![consumer("c", prefetch, 0.01)]);
        setup.network.ack_delay = secs(0.05);
        setup.network.delivery_delay = secs(0.05);
        // The subscription is at the broker when the messages are.
        let sends = (0..100).map(|_| PlannedSend::at(secs(0.05)));
        setup.producers[0].pattern = Pattern::List(sends.collect());
        let ran = run(&setup, 20.0);
        ((effects_end(&ran) - 0.05) * 1e6).round() / 1e6
    };
    assert_eq!((late(1), late(20)), (10.95, 1.05));
}

#[test]
fn prefetch_hog() {
    let ends = |prefetch: u32| {
        let consumers = vec![consumer("d", prefetch, 2.0), consumer("e", prefetch, 2.0)];
        let mut setup = pushing(3, consumers);
        if let Pattern::List(sends) = &mut setup.producers[0].pattern {
            sends[0].processing = Some(Processing::Constant(secs(60.0)));
        }
        run(&setup, 100.0).times(|it| matches!(it, EventKind::Finished { .. }))
    };
    assert_eq!(ends(2), [2.0, 60.0, 62.0]);
    assert_eq!(ends(1), [2.0, 4.0, 60.0]);
}

#[test]
fn crash_with_large_prefetch() {
    let second = ConsumerSetup {
        start: secs(0.05),
        ..consumer("c2", 250, 0.1)
    };
    let mut setup = pushing(250, vec![consumer("c1", 250, 0.1), second]);
    command(&mut setup, 10.55, Command::Crash(ConsumerId(0)));
    let ran = run(&setup, 60.0);
    let crashed = |it: &EventKind| {
        matches!(
            it,
            EventKind::Requeued {
                reason: RequeueReason::Crashed,
                ..
            }
        )
    };
    assert_eq!(ran.times(crashed), [10.55; 145]);
    let totals = ran.simulation.totals();
    assert_eq!((totals.duplicate_effects, totals.lost), (0, 0));
    assert_eq!(totals.duplicate_deliveries, 145);
    assert_eq!(effects_end(&ran), 25.05);

    let fair = pushing(250, vec![consumer("c1", 10, 0.1), consumer("c2", 10, 0.1)]);
    assert_eq!(effects_end(&run(&fair, 60.0)), 12.5);
}

#[test]
fn auto_ack_loss() {
    let first = ConsumerSetup {
        ack: AckMoment::Automatic,
        restart_after: Some(secs(4.5)),
        ..consumer("c1", 1, 1.0)
    };
    let second = ConsumerSetup {
        ack: AckMoment::Automatic,
        start: secs(1.0),
        ..consumer("c2", 1, 1.0)
    };
    let mut setup = pushing(100, vec![first.clone(), second]);
    command(&mut setup, 10.5, Command::Crash(ConsumerId(0)));
    let ran = run(&setup, 200.0);
    let totals = ran.simulation.totals();
    assert_eq!((totals.executions, totals.lost), (10, 90));
    assert_eq!((totals.acked, delivered_to(&ran, 1)), (100, 0));

    let manual = ConsumerSetup {
        ack: AckMoment::AfterWork,
        ..first
    };
    let mut setup = pushing(100, vec![manual]);
    command(&mut setup, 10.5, Command::Crash(ConsumerId(0)));
    let ran = run(&setup, 200.0);
    let totals = ran.simulation.totals();
    assert_eq!((totals.executions, totals.lost), (100, 0));
    assert_eq!(totals.duplicate_deliveries, 1);
    assert_eq!(effects_end(&ran), 105.0);
}

#[test]
fn consumer_priority_starves_others() {
    let shares = |ack: AckMoment| {
        let high = ConsumerSetup {
            priority: 10,
            ack,
            ..consumer("hi", 4, 0.1)
        };
        let low = ConsumerSetup {
            priority: 1,
            ..consumer("lo", 4, 0.1)
        };
        let ran = run(&pushing(30, vec![high, low]), 10.0);
        (
            delivered_to(&ran, 0),
            delivered_to(&ran, 1),
            effects_end(&ran),
        )
    };
    assert_eq!(shares(AckMoment::OnReceive), (30, 0, 3.0));
    assert_eq!(shares(AckMoment::AfterWork), (15, 15, 1.5));
}

#[test]
fn ack_timeout_closes_channel() {
    let first = ConsumerSetup {
        skip_expired: true,
        ..consumer("c1", 250, 11.0)
    };
    let second = ConsumerSetup {
        start: secs(1.0),
        ..consumer("c2", 250, 11.0)
    };
    let mut setup = pushing(250, vec![first, second]);
    setup.queues[0].rules.consumer_timeout = Some(secs(1800.0));
    let ran = run(&setup, 3000.0);
    let closed = |it: &EventKind| {
        matches!(
            it,
            EventKind::ChannelClosed {
                reason: CloseReason::Timeout,
                ..
            }
        )
    };
    assert_eq!(ran.times(closed), [1800.0]);
    let opened = |it: &EventKind| matches!(it, EventKind::ChannelOpened { .. });
    assert_eq!(ran.times(opened), [1801.0]);
    assert_eq!(ran.count(|it| matches!(it, EventKind::Requeued { .. })), 87);
    let stale = |it: &EventKind| matches!(it, EventKind::AckStale { .. });
    assert_eq!(ran.times(stale), [1804.0]);
    let totals = ran.simulation.totals();
    assert_eq!((totals.executions, totals.duplicate_effects), (251, 1));
    assert_eq!(totals.acked, 250);
    assert_eq!(effects_end(&ran), 2757.0);
}

#[test]
fn a_partition_returns_what_is_held_only_when_it_ends_and_the_consumer_subscribes_anew() {
    let mut setup = pushing(10, vec![consumer("c", 2, 1.0)]);
    command(&mut setup, 1.5, Command::Partition(ConsumerId(0)));
    command(&mut setup, 20.0, Command::Heal(ConsumerId(0)));
    let ran = run(&setup, 60.0);
    let back = ran.times(|it| matches!(it, EventKind::Requeued { .. }));
    assert_eq!(back, [20.0; 2]);
    let opened = |it: &EventKind| matches!(it, EventKind::ChannelOpened { .. });
    assert_eq!(ran.times(opened), [20.0]);
    let totals = ran.simulation.totals();
    assert_eq!((totals.acked, totals.duplicate_effects), (10, 2));
}

#[test]
fn a_change_of_hand_over_makes_consumers_receive_or_subscribe_and_loses_nothing() {
    let mut setup = pushing(40, vec![consumer("a", 4, 1.0), consumer("b", 4, 1.0)]);
    for (at, hand_over) in [(3.5, HandOver::Lease), (8.5, HandOver::Push)] {
        let change = QueueChange::Rule(Rule::HandOver(hand_over));
        command(&mut setup, at, Command::SetQueue(QUEUE, change));
    }
    let ran = run(&setup, 60.0);
    let totals = ran.simulation.totals();
    assert_eq!((totals.acked, totals.duplicate_deliveries), (40, 0));
    assert_eq!(effects_end(&ran), 20.0);
}

#[test]
fn a_changed_prefetch_acts_on_later_deliveries() {
    let mut setup = pushing(40, vec![consumer("a", 10, 1.0)]);
    let change = ConsumerChange::Prefetch(2);
    command(
        &mut setup,
        0.5,
        Command::SetConsumer(Some(ConsumerId(0)), change),
    );
    let unacked = |until: f64| {
        let snapshot = run(&setup, until).simulation.snapshot();
        snapshot.consumers[0].channel.unwrap().unacked
    };
    assert_eq!(
        [unacked(0.7), unacked(5.5), unacked(9.5), unacked(20.5)],
        [10, 5, 2, 2]
    );
}

#[test]
fn a_channel_closed_by_command_returns_what_was_held_and_its_late_ack_is_stale() {
    let mut setup = pushing(6, vec![consumer("a", 4, 1.0), consumer("b", 1, 1.0)]);
    command(&mut setup, 0.5, Command::CloseChannel(ConsumerId(0)));
    command(&mut setup, 0.7, Command::CloseChannel(ConsumerId(0)));
    let ran = run(&setup, 30.0);
    let back = ran.times(|it| matches!(it, EventKind::Requeued { .. }));
    assert_eq!(back, [0.5; 4]);
    let stale = ran.times(|it| matches!(it, EventKind::AckStale { .. }));
    assert_eq!(stale.first(), Some(&1.0));
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::ChannelOpened { .. })),
        [1.5]
    );
    let void = |it: &EventKind| matches!(it, EventKind::CommandIgnored { .. });
    assert_eq!(ran.times(void), [0.7]);
    assert_eq!(ran.simulation.totals().acked, 6);
}
