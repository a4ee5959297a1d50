//! Capacity, and what a full queue does.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::event::{DeadLetterReason, RefusalReason};
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn full_at(capacity: u32, overflow: Overflow) -> QueueSetup {
    let mut setup = standard();
    setup.rules.capacity = Some(capacity);
    setup.rules.overflow = overflow;
    setup
}

fn outcomes(desk: &mut Desk, letters: &str) -> Vec<SendOutcome> {
    let send = |letter| desk.send_with(letter, |_| {});
    letters.chars().map(send).collect()
}

fn dropped(desk: &Desk) -> String {
    let by_overflow = |kind: &HappeningKind| {
        matches!(
            kind,
            HappeningKind::Dropped {
                reason: DeadLetterReason::Overflow,
                ..
            } | HappeningKind::DeadLettered {
                reason: DeadLetterReason::Overflow,
                ..
            }
        )
    };
    let when = desk.when(by_overflow);
    when.into_iter().filter_map(|(_, letter)| letter).collect()
}

const FULL: SendOutcome = SendOutcome::Refused(RefusalReason::Full);

#[test]
fn a_full_queue_drops_from_its_head_and_tells_no_producer() {
    // Incident maxlen-drop-head-vs-reject.
    let mut desk = Desk::new(full_at(5, Overflow::DropHead));
    let outcomes = outcomes(&mut desk, "abcdefghijkl");
    assert_eq!(outcomes, [SendOutcome::Accepted; 12]);
    assert_eq!(dropped(&desk), "abcdefg");
    assert_eq!(desk.receive_up_to(1, 12).messages, "hijkl");
}

#[test]
fn or_refuses_the_newest_and_tells_their_producers() {
    let mut desk = Desk::new(full_at(5, Overflow::Refuse));
    let outcomes = outcomes(&mut desk, "abcdefghijkl");
    assert_eq!(outcomes[..5], [SendOutcome::Accepted; 5]);
    assert_eq!(outcomes[5..], [FULL; 7]);
    assert_eq!(desk.receive_up_to(1, 12).messages, "abcde");
}

#[test]
fn what_is_dropped_from_the_head_goes_to_the_dead_letter_queue() {
    // RMQ-C17
    let mut desk = Desk::with_dlq(full_at(2, Overflow::DropHead), 100);
    desk.send("123");
    assert_eq!(desk.receive_from(D, 1, 9, None).messages, "1");
    assert_eq!(desk.receive_up_to(1, 9).messages, "23");
    let deaths = desk.broker.deaths(D, MessageKey('1' as u32));
    assert_eq!(deaths.first, Some((Q, DeadLetterReason::Overflow)));
}

#[test]
fn a_refused_send_is_dead_lettered_where_the_queue_says_so() {
    // RMQ-C35, RMQ-C36
    for (overflow, dead) in [(Overflow::Refuse, 0), (Overflow::RefuseAndDeadLetter, 1)] {
        let mut desk = Desk::with_dlq(full_at(1, overflow), 100);
        assert_eq!(outcomes(&mut desk, "12"), [SendOutcome::Accepted, FULL]);
        assert_eq!((desk.depth(Q)[0], desk.depth(D)[0]), (1, dead));
        let counts = desk.broker.counts(Q);
        assert_eq!(counts.stored, counts.ready + counts.moved_out);
    }
}

#[test]
fn a_quorum_queue_lets_one_more_in_before_it_refuses() {
    // RMQ-C37
    let mut setup = full_at(1, Overflow::Refuse);
    setup.rules.overshoot = 1;
    let mut desk = Desk::new(setup);
    let accepted = SendOutcome::Accepted;
    assert_eq!(
        outcomes(&mut desk, "0123"),
        [accepted, accepted, FULL, FULL]
    );
}

#[test]
fn messages_in_flight_do_not_fill_a_queue_and_are_the_first_to_go_when_they_return() {
    // Incident maxlen-counts-ready-only.
    let mut desk = Desk::new(full_at(3, Overflow::DropHead));
    desk.send("123");
    let held = desk.receive_up_to(1, 3);
    desk.at(secs(1));
    desk.send("456");
    assert_eq!(desk.depth(Q), [3, 0, 3]);
    desk.at(secs(2));
    for receipt in held.receipts {
        desk.nack(receipt, Micros::ZERO);
    }
    assert_eq!(dropped(&desk), "123");
    assert_eq!(desk.receive_up_to(1, 9).messages, "456");
}

#[test]
fn where_messages_in_flight_count_the_oldest_goes_in_whichever_state() {
    let mut setup = full_at(2, Overflow::DropHead);
    setup.rules.capacity_counts = CapacityCounts::All;
    let mut desk = Desk::new(setup);
    desk.send("12");
    let held = desk.receive(1);
    desk.send("3");
    assert_eq!(dropped(&desk), "1");
    assert_eq!(desk.ack(held.receipts[0]), AckOutcome::Ignored);
    assert_eq!(desk.receive_up_to(1, 9).messages, "23");
}

#[test]
fn a_receive_that_waits_takes_what_arrives_before_the_queue_is_full() {
    let mut desk = Desk::new(full_at(1, Overflow::DropHead));
    desk.wait(1, 3, secs(20));
    let before = desk.log.len();
    desk.send("1234");
    desk.at(Micros::ZERO);
    assert_eq!(dropped(&desk), "");
    assert_eq!(desk.received_since(before, 1).messages, "123");
    assert_eq!(desk.depth(Q), [1, 0, 3]);
}

#[test]
fn subscribers_take_what_their_prefetch_allows_before_the_queue_is_full() {
    let mut setup = full_at(1, Overflow::DropHead);
    setup.rules.hand_over = HandOver::Push;
    let mut desk = Desk::new(setup);
    desk.subscribe(Subscription {
        consumer: queue_playground::engine::ConsumerId(1),
        prefetch: 2,
        priority: 0,
        channel: None,
        channel_prefetch: 0,
        automatic: false,
    });
    desk.send("1234");
    desk.at(Micros::ZERO);
    assert_eq!(desk.depth(Q), [1, 0, 2]);
    assert_eq!(dropped(&desk), "3");
    assert_eq!(desk.receive(2).messages, "4");
}

#[test]
fn on_a_priority_queue_the_highest_is_dropped_first() {
    let mut setup = full_at(2, Overflow::DropHead);
    setup.rules.priority = Priority::Strict {
        max: 9,
        default: 0,
        lost_on_return: false,
    };
    let mut desk = Desk::new(setup);
    desk.send_with_priority("h", 9);
    desk.send_with_priority("lm", 1);
    assert_eq!(dropped(&desk), "h");
}

#[test]
fn a_refused_send_is_not_remembered() {
    let mut setup = full_at(1, Overflow::Refuse);
    setup.deduplication = Deduplication::ById;
    let mut desk = Desk::new(setup);
    let id = |incoming: &mut Incoming| incoming.deduplication_id = Some(DeduplicationKey(7));
    desk.send("a");
    assert_eq!(desk.send_with('b', id), FULL);
    let receipt = desk.receive(1).receipts[0];
    desk.ack(receipt);
    assert_eq!(desk.send_with('b', id), SendOutcome::Accepted);
}

#[test]
fn a_lowered_capacity_drops_at_once_what_is_too_much() {
    let mut desk = Desk::new(standard());
    desk.send("12345");
    desk.change(QueueChange::Rule(Rule::Capacity(Some(2))));
    assert_eq!(dropped(&desk), "123");
    desk.change(QueueChange::Rule(Rule::Capacity(None)));
    desk.send("678");
    assert_eq!(desk.depth(Q), [5, 0, 0]);
}

#[test]
fn full_queues_that_dead_letter_into_each_other_come_to_an_end() {
    let cycle = |to| QueueSetup {
        dead_letter_queue: Some(to),
        ..full_at(1, Overflow::DropHead)
    };
    let mut desk = Desk::with(&[cycle(D), cycle(Q)]);
    desk.send("123456");
    assert_eq!((desk.depth(Q)[0], desk.depth(D)[0]), (1, 1));
    for queue in [Q, D] {
        let counts = desk.broker.counts(queue);
        let gone = counts.moved_out + counts.dropped;
        assert_eq!(counts.stored + counts.moved_in, counts.ready + gone);
    }
}

/// A full queue of ordering keys, of which two messages are out.
fn full_of_keys(counts: CapacityCounts) -> (Desk, Vec<Receipt>) {
    let mut setup = fifo();
    setup.rules.group_rule = GroupRule::Key;
    setup.rules.capacity = Some(2);
    setup.rules.capacity_counts = counts;
    let mut desk = Desk::new(setup);
    desk.send_to_group("ab", 1);
    let receipts = desk.receive_up_to(1, 2).receipts;
    (desk, receipts)
}

#[test]
fn a_full_queue_of_keys_drops_what_waits_and_nothing_that_is_out() {
    let (mut desk, receipts) = full_of_keys(CapacityCounts::Ready);
    desk.send_to_group("cde", 1);
    assert_eq!(dropped(&desk), "c");
    assert_eq!(desk.depth(Q), [2, 0, 2]);
    // What was sent later and is out comes back too: there is no room for both.
    desk.nack(receipts[0], Micros::ZERO);
    assert_eq!(dropped(&desk), "cba");
    assert_eq!(desk.receive_up_to(1, 9).messages, "de");
}

#[test]
fn a_message_may_be_dropped_while_those_sent_after_it_come_back() {
    let (mut desk, receipts) = full_of_keys(CapacityCounts::All);
    // A receive waits: the queue makes room only when it is answered.
    desk.wait(2, 1, Micros::from_secs(20));
    desk.send_to_group("c", 1);
    desk.nack(receipts[0], Micros::ZERO);
    assert_eq!(dropped(&desk), "a");
    let counts = desk.broker.counts(Q);
    assert_eq!((counts.ready, counts.in_flight), (2, 0));
    assert_eq!(desk.receive_up_to(1, 9).messages, "bc");
}

#[test]
fn what_is_over_its_time_at_the_head_of_a_full_priority_queue_expires_and_does_not_overflow() {
    let mut setup = full_at(2, Overflow::DropHead);
    setup.rules.expiry_noticed = ExpiryNoticed::AtHead;
    setup.rules.priority = Priority::Strict {
        max: 9,
        default: 0,
        lost_on_return: false,
    };
    let mut desk = Desk::new(setup);
    desk.send_with('h', |incoming| {
        incoming.priority = Some(9);
        incoming.ttl = Some(Micros::from_secs(1));
    });
    desk.send_with('l', |incoming| incoming.ttl = Some(Micros::from_secs(1)));
    desk.at(Micros::from_secs(2));
    desk.send_with_priority("mn", 5);
    assert_eq!(dropped(&desk), "");
    assert_eq!(desk.broker.counts(Q).expired, 2);
    desk.send_with_priority("o", 1);
    assert_eq!(dropped(&desk), "m");
    assert_eq!(desk.receive_up_to(1, 9).messages, "no");
}
