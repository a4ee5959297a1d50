//! FIFO to standard and back while messages wait and are in flight.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::setup::*;

const TO_FIFO: QueueChange = QueueChange::Kind(QueueKind::Fifo);
const TO_STANDARD: QueueChange = QueueChange::Kind(QueueKind::Standard);

#[test]
fn to_standard_the_locks_vanish() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("abc", 1);
    desk.receive(1);
    assert_eq!(desk.receive_up_to(2, 10).messages, "");
    desk.change(TO_STANDARD);
    assert_eq!(desk.receive_up_to(2, 10).messages, "bc");
}

#[test]
fn to_fifo_groups_come_from_the_sends_and_open_by_the_walk() {
    let mut desk = Desk::new(standard());
    desk.send_to_group("ab", 1);
    desk.send_to_group("x", 2);
    let first = desk.receive(1);
    desk.change(TO_FIFO);
    assert_eq!(desk.receive_up_to(2, 10).messages, "x");
    desk.ack(first.receipts[0]);
    assert_eq!(desk.receive_up_to(2, 10).messages, "b");
}

#[test]
fn leases_counts_and_send_order_are_kept_both_ways() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("ab", 1);
    desk.send_to_group("x", 2);
    let held = desk.receive(1).receipts[0];
    let counts = desk.broker.counts(Q);
    for change in [TO_STANDARD, TO_FIFO, TO_STANDARD] {
        desk.change(change);
        assert_eq!(desk.broker.counts(Q), counts);
        assert_eq!(desk.broker.hidden_until(held), Some(secs(30)));
    }
    let again = desk.at(secs(30)).receive_up_to(2, 10);
    assert_eq!(again.messages, "abx");
    assert_eq!(again.deliveries, [2, 1, 1]);
}

#[test]
fn the_dlq_follows() {
    let mut desk = Desk::with_dlq(standard(), 1);
    desk.change(TO_FIFO);
    assert_eq!(desk.broker.queue(D).kind, QueueKind::Fifo);
}

#[test]
fn a_delayed_message_comes_to_its_place_in_its_group_after_a_change() {
    let mut desk = Desk::new(standard());
    desk.send_as('a', Some(1), None, Some(secs(5)));
    desk.send_to_group("bc", 1);
    desk.change(TO_FIFO);
    let first = desk.receive(1);
    assert_eq!(first.messages, "b", "what is delayed locks nothing");
    desk.at(secs(5));
    assert_eq!(desk.receive_up_to(2, 10).messages, "a");
    desk.ack(first.receipts[0]);
    assert_eq!(
        desk.receive_up_to(3, 10).messages,
        "",
        "a is in flight at the head"
    );
}

#[test]
fn an_expired_receipt_is_judged_by_the_kind_at_the_ack() {
    let expired = QueueSetup {
        visibility_timeout: secs(1),
        ..standard()
    };
    let mut desk = Desk::new(expired);
    desk.send("a");
    let receipt = desk.receive(1).receipts[0];
    desk.at(secs(2)).change(TO_FIFO);
    assert_eq!(desk.ack(receipt), AckOutcome::Refused);
    desk.change(TO_STANDARD);
    assert_eq!(desk.ack(receipt), AckOutcome::Removed);
}
