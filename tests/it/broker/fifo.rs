//! Amazon SQS FIFO queues.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn short() -> QueueSetup {
    QueueSetup {
        visibility_timeout: secs(1),
        ..fifo()
    }
}

#[test]
fn a_group_is_locked_while_its_head_is_in_flight_and_other_groups_flow() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("a", 1);
    desk.send_to_group("x", 2);
    desk.send_to_group("b", 1);
    let first = desk.receive(1);
    assert_eq!(first.messages, "a");
    assert_eq!(desk.receive(2).messages, "x");
    assert_eq!(desk.receive(3).messages, "");
    assert_eq!(
        desk.depth(Q),
        [1, 0, 2],
        "the locked rest counts as visible"
    );
    desk.at(secs(1)).ack(first.receipts[0]);
    assert_eq!(desk.receive(3).messages, "b");
}

#[test]
fn a_new_send_does_not_unlock_its_group() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("a", 1);
    let first = desk.receive(1);
    desk.at(secs(1)).send_to_group("b", 1);
    assert_eq!(desk.receive(2).messages, "");
    desk.at(secs(4)).ack(first.receipts[0]);
    assert_eq!(desk.receive(2).messages, "b");
}

#[test]
fn deleting_one_of_several_in_flight_does_not_unlock_the_group() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("abc", 1);
    let first = desk.receive_up_to(1, 2);
    desk.at(secs(1)).ack(first.receipts[0]);
    assert_eq!(desk.receive_up_to(2, 3).messages, "");
}

#[test]
fn a_receive_takes_all_of_one_group_before_it_fills_up_from_others() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("a", 1);
    desk.send_to_group("x", 2);
    desk.send_to_group("bc", 1);
    assert_eq!(desk.receive_up_to(1, 10).messages, "abcx");
}

#[test]
fn a_receive_without_timeout_takes_each_message_once() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("a", 1);
    desk.send_to_group("xy", 2);
    desk.send_to_group("b", 1);
    let zero = Some(Micros::ZERO);
    assert_eq!(desk.receive_from(Q, 1, 3, zero).messages, "abx");
    desk.at(Micros::ZERO);
    assert_eq!(desk.receive_from(Q, 1, 10, zero).messages, "abxy");
}

#[test]
fn the_walk_stops_at_the_first_message_that_is_not_visible() {
    for (extended, later) in [(0, ""), (1, "a"), (2, "ab")] {
        let mut desk = Desk::new(short());
        desk.send_to_group("abc", 1);
        let first = desk.receive_up_to(1, 5);
        desk.extend(first.receipts[extended], secs(4));
        assert_eq!(desk.at(ms(2500)).receive_up_to(2, 5).messages, later);
    }
}

#[test]
fn a_returned_head_is_received_again_while_its_successor_is_in_flight() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("abc", 1);
    let first = desk.receive_up_to(1, 2);
    desk.at(secs(1)).nack(first.receipts[0], Micros::ZERO);
    assert_eq!(desk.receive_up_to(2, 5).messages, "a");
}

#[test]
fn a_returned_successor_waits_for_its_head() {
    let mut desk = Desk::new(fifo());
    desk.send_to_group("abc", 1);
    let first = desk.receive_up_to(1, 2);
    desk.at(secs(1)).nack(first.receipts[1], Micros::ZERO);
    assert_eq!(desk.receive_up_to(2, 3).messages, "");
    desk.ack(first.receipts[0]);
    assert_eq!(desk.receive_up_to(2, 3).messages, "bc");
}

#[test]
fn an_ack_after_the_timeout_is_refused_and_the_message_comes_again() {
    let mut desk = Desk::new(short());
    desk.send_to_group("a", 1);
    let receipt = desk.receive(1).receipts[0];
    assert_eq!(desk.at(ms(1500)).ack(receipt), AckOutcome::Refused);
    assert_eq!(desk.receive(2).messages, "a");
    assert_eq!(desk.ack(receipt), AckOutcome::Refused);
}

#[test]
fn an_extended_receipt_is_good_for_an_ack() {
    let mut desk = Desk::new(short());
    desk.send_to_group("a", 1);
    let receipt = desk.receive(1).receipts[0];
    desk.at(ms(500)).extend(receipt, secs(5));
    assert_eq!(desk.at(secs(2)).ack(receipt), AckOutcome::Removed);
}

fn deduplicating(deduplication: Deduplication) -> Desk {
    Desk::new(QueueSetup {
        deduplication,
        ..fifo()
    })
}

fn is_suppressed(outcome: SendOutcome) -> bool {
    matches!(outcome, SendOutcome::Suppressed { .. })
}

#[test]
fn a_repeated_id_is_suppressed_after_receive_and_delete_too() {
    let mut desk = deduplicating(Deduplication::ById);
    desk.send_as('a', Some(1), Some(5), None);
    let first = desk.receive(1);
    desk.at(secs(1)).ack(first.receipts[0]);
    let repeated = desk.at(secs(2)).send_as('b', Some(1), Some(5), None);
    let first = queue_playground::engine::id::MessageNumber('a' as u32);
    assert_eq!(repeated, SendOutcome::Suppressed { first });
    assert_eq!(desk.receive(1).messages, "");
    assert_eq!(desk.broker.counts(Q).stored, 1);
}

#[test]
fn the_window_runs_from_the_first_send_and_a_suppressed_one_does_not_renew_it() {
    let mut desk = deduplicating(Deduplication::ById);
    desk.send_as('a', Some(1), Some(5), None);
    assert!(is_suppressed(desk.at(secs(299)).send_as(
        'b',
        Some(1),
        Some(5),
        None
    )));
    assert!(!is_suppressed(desk.at(secs(300)).send_as(
        'c',
        Some(1),
        Some(5),
        None
    )));
    assert!(is_suppressed(desk.at(secs(599)).send_as(
        'd',
        Some(1),
        Some(5),
        None
    )));
}

#[test]
fn content_deduplicates_unless_an_id_is_given() {
    let mut desk = deduplicating(Deduplication::ByContent);
    assert!(!is_suppressed(desk.send_as('a', Some(1), None, None)));
    assert!(is_suppressed(desk.send_as('a', Some(1), None, None)));
    assert!(!is_suppressed(desk.send_as('a', Some(1), Some(1), None)));
    assert!(!is_suppressed(desk.send_as('a', Some(1), Some(2), None)));
}

#[test]
fn by_id_a_send_without_one_is_never_suppressed() {
    let mut desk = deduplicating(Deduplication::ById);
    assert!(!is_suppressed(desk.send_as('a', Some(1), None, None)));
    assert!(!is_suppressed(desk.send_as('a', Some(1), None, None)));
}

#[test]
fn ids_reach_across_groups_unless_the_scope_is_the_group() {
    let mut desk = deduplicating(Deduplication::ById);
    desk.send_as('a', Some(1), Some(5), None);
    assert!(is_suppressed(desk.send_as('b', Some(2), Some(5), None)));
    desk.change(QueueChange::DeduplicationScope(DeduplicationScope::Group));
    assert!(!is_suppressed(desk.send_as('c', Some(3), Some(6), None)));
    assert!(!is_suppressed(desk.send_as('d', Some(4), Some(6), None)));
    assert!(is_suppressed(desk.send_as('e', Some(4), Some(6), None)));
}

#[test]
fn a_purge_forgets_deduplication_ids() {
    let mut desk = deduplicating(Deduplication::ById);
    desk.send_as('a', Some(1), Some(5), None);
    desk.purge();
    assert!(!is_suppressed(desk.send_as('b', Some(1), Some(5), None)));
}

#[test]
fn a_poison_head_that_leaves_releases_its_successors_in_the_same_receive() {
    let mut desk = Desk::with_dlq(short(), 1);
    desk.send_to_group("pn", 1);
    assert_eq!(desk.receive(1).messages, "p");
    assert_eq!(desk.at(secs(2)).receive(1).messages, "n");
    assert_eq!(desk.receive_from(D, 1, 1, None).messages, "p");
}

#[test]
fn messages_with_one_deduplication_id_both_fit_in_the_dlq() {
    let setup = QueueSetup {
        deduplication: Deduplication::ById,
        deduplication_window: secs(5),
        ..short()
    };
    let mut desk = Desk::with_dlq(setup, 1);
    for at in [0, 10] {
        desk.at(secs(at)).send_as('p', Some(1), Some(5), None);
        desk.receive(1);
        desk.at(secs(at + 2)).receive(1);
    }
    assert_eq!(desk.depth(D), [2, 0, 0]);
}

#[test]
fn the_queues_delay_applies_whatever_the_message_asks_for() {
    let mut desk = Desk::new(QueueSetup {
        delay: secs(2),
        ..fifo()
    });
    desk.send_delayed('y', Micros::ZERO);
    assert_eq!(desk.at(ms(500)).receive(1).messages, "");
    assert_eq!(desk.at(secs(3)).receive(1).messages, "y");
}

#[test]
fn a_changed_queue_delay_applies_to_messages_already_there() {
    let mut desk = Desk::new(QueueSetup {
        delay: secs(10),
        ..fifo()
    });
    desk.send_to_group("a", 1);
    desk.at(secs(3)).change(QueueChange::Delay(secs(2)));
    assert_eq!(desk.at(secs(3)).receive(1).messages, "a");
    desk.send_to_group("b", 2);
    desk.at(secs(6)).change(QueueChange::Delay(secs(20)));
    assert_eq!(desk.depth(Q), [0, 1, 1], "b hides again, a is in flight");
    assert_eq!(desk.at(secs(23)).receive(1).messages, "b");
}

#[test]
fn a_delayed_message_locks_nothing() {
    let mut desk = Desk::new(QueueSetup {
        delay: secs(10),
        ..fifo()
    });
    let mut delivered = Vec::new();
    for n in 0..8 {
        desk.at(secs(8 * n)).send_to_group("m", 1);
    }
    for at in 0..60 {
        let received = desk.at(secs(at.max(56))).receive(1);
        if let Some(&receipt) = received.receipts.first() {
            desk.ack(receipt);
            delivered.push(at);
        }
    }
    assert_eq!(delivered.len(), 7, "the eighth is visible at 66 s");
}

#[test]
fn messages_without_a_group_form_one_group() {
    let mut desk = Desk::new(fifo());
    desk.send("ab");
    assert_eq!(desk.receive(1).messages, "a");
    assert_eq!(desk.receive(2).messages, "");
}

#[test]
fn a_dead_consumer_blocks_its_group_until_its_leases_end() {
    let mut desk = Desk::new(QueueSetup {
        visibility_timeout: secs(300),
        ..fifo()
    });
    desk.send_to_group("ab", 1);
    desk.receive_up_to(1, 10);
    desk.at(secs(10)).send_to_group("c", 1);
    desk.wait(2, 10, secs(1000));
    desk.at(secs(400));
    let delivered = desk.when(|kind| matches!(kind, HappeningKind::Delivered { .. }));
    let again = ['a', 'b', 'c'].map(|letter| (secs(300), Some(letter)));
    assert_eq!(delivered[2..], again);
}
