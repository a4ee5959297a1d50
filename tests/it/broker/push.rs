//! RabbitMQ: prefetch, dispatch, channels, acknowledgements. Numbers are those of the conformance collection.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::event::{CloseReason, RequeueReason};
use queue_playground::engine::id::ConsumerId;
use queue_playground::engine::rules::{AtConsumerTimeout, HandOver, Rule, Rules};
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn classic() -> QueueSetup {
    with_rules(|_| {})
}

fn with_rules(change: impl FnOnce(&mut Rules)) -> QueueSetup {
    let mut setup = QueueSetup {
        stale_ack: StaleAck::ClosesChannel,
        ..standard()
    };
    setup.rules.hand_over = HandOver::Push;
    change(&mut setup.rules);
    setup
}

const A: u16 = 1;
const B: u16 = 2;
const C: u16 = 3;

fn subscription(consumer: u16, prefetch: u32) -> Subscription {
    Subscription {
        consumer: ConsumerId(consumer),
        prefetch,
        priority: 0,
        channel: None,
        channel_prefetch: 0,
        automatic: false,
    }
}

/// Which messages each delivery brought, with its consumer: `1a 2b`.
fn deliveries(desk: &Desk) -> String {
    let log = desk.log.iter().filter_map(|(_, it)| match it.kind {
        HappeningKind::Delivered { consumer, .. } => {
            let letter = it.message.and_then(|key| char::from_u32(key.0));
            Some(format!("{}{}", consumer.0, letter.unwrap_or('?')))
        }
        _ => None,
    });
    log.collect::<Vec<String>>().join(" ")
}

fn unacked(desk: &Desk, consumer: u16) -> u32 {
    desk.broker.channel(Q, ConsumerId(consumer)).0
}

#[test]
fn c01_each_consumer_holds_no_more_than_its_prefetch_and_an_ack_makes_room_for_one() {
    let mut desk = Desk::new(classic());
    desk.send("0123456789");
    desk.subscribe(subscription(A, 2));
    desk.subscribe(subscription(B, 2));
    desk.at(secs(1));
    assert_eq!((unacked(&desk, A), unacked(&desk, B)), (2, 2));
    let first = desk.received_since(0, A).receipts[0];
    desk.at(secs(2)).ack(first);
    desk.at(secs(3));
    assert_eq!(deliveries(&desk), "10 21 12 23 14");
}

#[test]
fn c02_a_channels_prefetch_is_shared_by_its_consumers() {
    let mut desk = Desk::new(classic());
    desk.send("0123456789");
    for consumer in [A, B] {
        desk.subscribe(Subscription {
            channel: Some(1),
            channel_prefetch: 3,
            ..subscription(consumer, 0)
        });
    }
    desk.at(secs(1));
    assert_eq!(deliveries(&desk), "10 21 12");
    let of_b = desk.received_since(0, B).receipts[0];
    desk.ack(of_b);
    desk.at(secs(2));
    assert_eq!(unacked(&desk, A) + unacked(&desk, B), 3);
}

#[test]
fn c03_a_prefetch_of_zero_has_no_limit() {
    let mut desk = Desk::new(classic());
    desk.send(&"x".repeat(300));
    desk.subscribe(subscription(A, 0));
    desk.at(secs(1));
    assert_eq!(unacked(&desk, A), 300);
}

#[test]
fn c04_consumers_are_served_in_turn_over_time() {
    let mut desk = Desk::new(classic());
    for consumer in [A, B, C] {
        desk.subscribe(subscription(consumer, 0));
    }
    for (second, letter) in (1..).zip("012345678".chars()) {
        desk.at(secs(second)).send(&letter.to_string());
    }
    desk.at(secs(20));
    assert_eq!(deliveries(&desk), "10 21 32 13 24 35 16 27 38");
}

#[test]
fn c09_what_a_channel_held_is_back_at_its_place_when_it_closes() {
    let mut desk = Desk::new(classic());
    desk.send("123");
    let got = desk.receive_up_to(A, 2);
    desk.at(secs(1)).close(A, CloseReason::Command);
    assert_eq!(desk.at(secs(2)).receive_up_to(B, 9).messages, "123");
    assert_eq!(got.messages, "12");
    let requeued = |kind: &HappeningKind| {
        matches!(
            kind,
            HappeningKind::Requeued {
                reason: RequeueReason::ChannelClosed,
                ..
            }
        )
    };
    assert_eq!(
        desk.when(requeued),
        [(secs(1), Some('1')), (secs(1), Some('2'))]
    );
}

#[test]
fn c39_an_ack_of_several_covers_all_up_to_it_on_its_channel() {
    let mut desk = Desk::new(classic());
    desk.send("123");
    let got = desk.receive_up_to(A, 3);
    desk.at(secs(1)).ack_up_to(got.receipts[1]);
    assert_eq!(desk.broker.counts(Q).acked, 2);
    desk.at(secs(2)).close(A, CloseReason::Command);
    assert_eq!(desk.at(secs(3)).receive_up_to(B, 9).messages, "3");
}

#[test]
fn a_nack_of_several_returns_all_up_to_it_and_leaves_other_channels_alone() {
    let mut desk = Desk::new(classic());
    desk.send("1234");
    let other = desk.receive(B);
    let got = desk.receive_up_to(A, 3);
    desk.nack_up_to(got.receipts[1]);
    assert_eq!((other.messages.as_str(), unacked(&desk, B)), ("1", 1));
    assert_eq!(unacked(&desk, A), 1);
    assert_eq!(desk.receive_up_to(C, 9).messages, "23");
}

#[test]
fn c40_a_second_ack_closes_the_channel_and_all_it_holds_is_back() {
    let mut desk = Desk::new(classic());
    desk.send("12");
    let got = desk.receive_up_to(A, 2);
    assert_eq!(desk.at(secs(1)).ack(got.receipts[0]), AckOutcome::Removed);
    assert_eq!(
        desk.at(secs(2)).ack(got.receipts[0]),
        AckOutcome::ChannelClosed
    );
    assert_eq!(desk.depth(Q), [1, 0, 0]);
    let closed = |kind: &HappeningKind| {
        matches!(
            kind,
            HappeningKind::ChannelClosed {
                reason: CloseReason::UnknownDelivery,
                ..
            }
        )
    };
    assert_eq!(desk.when(closed), [(secs(2), None)]);
}

#[test]
fn a_nack_or_a_reject_of_an_unknown_delivery_closes_the_channel_too() {
    for call in 0..2 {
        let mut desk = Desk::new(classic());
        desk.send("12");
        let got = desk.receive_up_to(A, 2);
        desk.ack(got.receipts[0]);
        match call {
            0 => drop(desk.nack(got.receipts[0], Micros::ZERO)),
            _ => drop(desk.reject(got.receipts[0])),
        }
        assert_eq!(desk.depth(Q), [1, 0, 0]);
    }
}

#[test]
fn c41_what_is_acknowledged_automatically_is_gone_with_its_delivery() {
    let mut desk = Desk::new(classic());
    desk.send("12345");
    desk.subscribe(Subscription {
        automatic: true,
        ..subscription(A, 1)
    });
    desk.at(secs(1)).close(A, CloseReason::Command);
    desk.at(secs(2));
    assert_eq!(deliveries(&desk), "11 12 13 14 15");
    assert_eq!(desk.depth(Q), [0, 0, 0]);
    assert_eq!(desk.broker.counts(Q).acked, 5);
}

#[test]
fn a_receive_can_be_acknowledged_automatically_on_queues_that_lease() {
    for setup in [standard(), fifo()] {
        let mut desk = Desk::new(setup);
        desk.send("12");
        assert_eq!(desk.receive_automatically(A, 2), "12");
        assert_eq!(desk.depth(Q), [0, 0, 0]);
        assert_eq!(desk.broker.counts(Q).acked, 2);
        assert_eq!(desk.broker.next_timer(Q), None);
    }
}

#[test]
fn c42_a_cancel_returns_nothing_and_what_is_held_can_still_be_settled() {
    let mut desk = Desk::new(classic());
    desk.send("12");
    desk.subscribe(subscription(A, 1));
    desk.at(secs(1)).cancel(A);
    desk.at(secs(2));
    assert_eq!(desk.depth(Q), [1, 0, 1]);
    let first = desk.received_since(0, A).receipts[0];
    assert_eq!(desk.ack(first), AckOutcome::Removed);
    desk.at(secs(3));
    assert_eq!(desk.depth(Q), [1, 0, 0]);
}

#[test]
fn c43_the_next_consumer_takes_over_when_the_single_active_one_is_gone() {
    let mut desk = Desk::new(with_rules(|rules| rules.single_active_consumer = true));
    desk.subscribe(subscription(A, 1));
    desk.subscribe(subscription(B, 0));
    desk.at(secs(1)).send("123");
    desk.at(secs(2));
    assert_eq!(deliveries(&desk), "11");
    desk.disconnect(A);
    desk.at(secs(4));
    assert_eq!(deliveries(&desk), "11 21 22 23");
}

#[test]
fn after_a_close_that_was_asked_for_the_next_single_active_consumer_takes_what_waits_first() {
    let mut desk = Desk::new(with_rules(|rules| rules.single_active_consumer = true));
    desk.subscribe(subscription(A, 1));
    desk.subscribe(subscription(B, 0));
    desk.at(secs(1)).send("123");
    desk.at(secs(2)).close(A, CloseReason::Command);
    desk.at(secs(4));
    assert_eq!(deliveries(&desk), "11 22 23 21");
}

#[test]
fn c45_a_lower_priority_is_served_only_while_the_higher_one_has_no_room() {
    let mut desk = Desk::new(classic());
    desk.subscribe(subscription(A, 2));
    desk.subscribe(Subscription {
        priority: 10,
        ..subscription(B, 2)
    });
    desk.at(secs(1)).send("12345");
    desk.at(secs(2));
    assert_eq!(deliveries(&desk), "21 22 13 14");
    let of_b = desk.received_since(0, B).receipts[0];
    desk.ack(of_b);
    desk.at(secs(3));
    assert_eq!(deliveries(&desk), "21 22 13 14 25");
}

#[test]
fn c46_a_delivery_not_acknowledged_in_time_closes_its_channel() {
    let mut desk = Desk::new(with_rules(|rules| rules.consumer_timeout = Some(secs(8))));
    desk.send("1");
    desk.subscribe(subscription(A, 0));
    desk.at(Micros::ZERO).at(secs(4)).send("2");
    desk.at(secs(4));
    desk.at(ms(9500));
    let closed = |kind: &HappeningKind| {
        matches!(
            kind,
            HappeningKind::ChannelClosed {
                reason: CloseReason::Timeout,
                ..
            }
        )
    };
    assert_eq!(desk.when(closed), [(secs(8), None)]);
    assert_eq!(desk.at(secs(10)).receive_up_to(B, 9).messages, "12");
}

#[test]
fn a_consumer_that_is_cancelled_for_its_delay_loses_what_it_held_and_others_of_its_channel_do_not()
{
    let mut desk = Desk::new(with_rules(|rules| {
        rules.consumer_timeout = Some(secs(8));
        rules.at_consumer_timeout = AtConsumerTimeout::CancelsConsumer;
    }));
    for consumer in [A, B] {
        desk.subscribe(Subscription {
            channel: Some(7),
            ..subscription(consumer, 1)
        });
    }
    desk.send("1");
    desk.at(Micros::ZERO).at(secs(4)).send("2");
    desk.at(secs(4));
    desk.at(ms(8500));
    assert_eq!(deliveries(&desk), "11 22");
    assert_eq!((unacked(&desk, A), unacked(&desk, B)), (0, 1));
    assert_eq!(desk.depth(Q), [1, 0, 1]);
}

#[test]
fn a_channel_closes_for_all_that_share_it() {
    let mut desk = Desk::new(classic());
    for consumer in [A, B] {
        desk.subscribe(Subscription {
            channel: Some(7),
            ..subscription(consumer, 1)
        });
    }
    desk.subscribe(subscription(C, 1));
    desk.send("1234");
    desk.at(secs(1)).disconnect(A);
    assert_eq!(desk.depth(Q), [3, 0, 1]);
    let closed = |kind: &HappeningKind| {
        matches!(
            kind,
            HappeningKind::ChannelClosed {
                consumer: ConsumerId(B),
                reason: CloseReason::Shared,
            }
        )
    };
    assert_eq!(desk.when(closed).len(), 1);
    assert_eq!(desk.broker.subscribers(Q).len(), 1);
}

#[test]
fn a_receive_from_a_queue_that_pushes_takes_no_place_of_a_prefetch() {
    let mut desk = Desk::new(classic());
    desk.send("123");
    desk.subscribe(subscription(A, 1));
    desk.at(secs(1));
    assert_eq!(desk.receive(A).messages, "2");
    let first = desk.received_since(0, A).receipts[0];
    desk.ack(first);
    desk.at(secs(2));
    assert_eq!(deliveries(&desk), "11 12 13");
    assert_eq!(unacked(&desk, A), 2);
}

#[test]
fn a_changed_subscription_keeps_what_is_held_and_acts_on_later_deliveries() {
    let mut desk = Desk::new(classic());
    desk.send("12345678");
    desk.subscribe(subscription(A, 4));
    desk.at(secs(1)).subscribe(subscription(A, 2));
    desk.at(secs(2));
    assert_eq!(unacked(&desk, A), 4);
    let receipts = desk.received_since(0, A).receipts;
    for receipt in &receipts[..2] {
        desk.ack(*receipt);
    }
    desk.at(secs(3));
    assert_eq!(unacked(&desk, A), 2);
    desk.ack(receipts[2]);
    desk.at(secs(4));
    assert_eq!(unacked(&desk, A), 2);
    assert_eq!(deliveries(&desk), "11 12 13 14 15");
}

#[test]
fn a_purge_leaves_what_is_handed_out() {
    let mut desk = Desk::new(classic());
    desk.send("123");
    let got = desk.receive(A);
    desk.purge();
    assert_eq!(desk.depth(Q), [0, 0, 1]);
    assert_eq!(desk.ack(got.receipts[0]), AckOutcome::Removed);
}

#[test]
fn a_change_of_hand_over_leaves_what_is_out_as_it_was_handed_out() {
    let mut desk = Desk::new(QueueSetup {
        visibility_timeout: secs(5),
        ..classic()
    });
    desk.send("12");
    desk.subscribe(subscription(A, 1));
    desk.at(secs(1));
    desk.change(QueueChange::Rule(Rule::HandOver(HandOver::Lease)));
    assert_eq!(desk.receive(B).messages, "2");
    desk.change(QueueChange::Rule(Rule::HandOver(HandOver::Push)));
    desk.at(secs(60));
    assert_eq!(
        desk.depth(Q),
        [1, 0, 1],
        "the lease ended, the push did not"
    );
    desk.disconnect(A);
    assert_eq!(desk.depth(Q), [2, 0, 0]);
    desk.at(secs(61));
    assert_eq!(desk.depth(Q), [2, 0, 0], "nobody is subscribed any more");
}
