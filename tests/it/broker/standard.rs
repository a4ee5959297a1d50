//! Amazon SQS, standard queues and what both kinds share. Rule numbers are those of the conformance collection.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::id::ConsumerId;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn short() -> QueueSetup {
    QueueSetup {
        visibility_timeout: secs(1),
        ..standard()
    }
}

#[test]
fn every_receive_raises_the_count_and_yields_a_new_receipt() {
    let mut desk = Desk::new(standard());
    desk.send("a");
    let first = desk.receive_from(Q, 1, 1, Some(Micros::ZERO));
    desk.at(Micros::ZERO);
    let second = desk.receive(2);
    assert_eq!(
        (first.messages.as_str(), second.messages.as_str()),
        ("a", "a")
    );
    assert_eq!((first.deliveries, second.deliveries), (vec![1], vec![2]));
    assert_ne!(first.receipts, second.receipts);
}

#[test]
fn the_receives_own_timeout_wins_over_the_queues() {
    let mut desk = Desk::new(standard());
    desk.send("a");
    desk.receive_from(Q, 1, 1, Some(secs(2)));
    assert_eq!(desk.at(ms(1999)).receive(2).messages, "");
    assert_eq!(desk.at(secs(2)).receive(2).messages, "a");
}

#[test]
fn a_changed_visibility_timeout_does_not_touch_messages_in_flight() {
    let mut desk = Desk::new(short());
    desk.send("a");
    desk.receive(1);
    desk.at(ms(100))
        .change(QueueChange::VisibilityTimeout(secs(30)));
    assert_eq!(desk.at(ms(1600)).receive(2).messages, "a");
    assert_eq!(
        desk.at(ms(3000)).receive(2).messages,
        "",
        "the later receive has the new timeout"
    );
}

#[test]
fn a_change_of_visibility_counts_from_the_call_and_is_not_remembered() {
    let mut desk = Desk::new(QueueSetup {
        visibility_timeout: secs(3),
        ..standard()
    });
    desk.send("a");
    let first = desk.receive(1);
    desk.at(secs(2)).extend(first.receipts[0], secs(3));
    assert_eq!(desk.at(secs(4)).receive(2).messages, "");
    assert_eq!(desk.at(ms(5200)).receive(2).messages, "a");
    assert_eq!(desk.at(ms(7200)).receive(3).messages, "");
    assert_eq!(desk.at(ms(8600)).receive(3).messages, "a");
}

#[test]
fn a_return_without_delay_is_visible_at_once_and_at_its_original_place() {
    let mut desk = Desk::new(standard());
    desk.send("abc");
    let first = desk.receive(1);
    assert_eq!(
        desk.nack(first.receipts[0], Micros::ZERO),
        ChangeOutcome::HiddenUntil(Micros::ZERO)
    );
    assert_eq!(desk.receive_up_to(2, 3).messages, "abc");
}

#[test]
fn a_return_with_a_delay_stays_in_flight_until_the_delay_is_over() {
    let mut desk = Desk::new(standard());
    desk.send("a");
    let first = desk.receive(1);
    desk.at(secs(1)).nack(first.receipts[0], secs(5));
    assert_eq!(desk.depth(Q), [0, 0, 1]);
    assert!(!desk.broker.holds_lease(first.receipts[0]));
    desk.at(secs(10));
    let returned = desk.when(|kind| *kind == HappeningKind::Returned);
    assert_eq!(returned, [(secs(6), Some('a'))]);
    assert_eq!(desk.depth(Q), [1, 0, 0]);
}

#[test]
fn an_extension_beyond_twelve_hours_from_the_receive_is_refused_and_changes_nothing() {
    let mut desk = Desk::new(standard());
    desk.send("a");
    let receipt = desk.receive(1).receipts[0];
    let hours = |hours: u64| secs(hours * 3600);
    let rest = hours(12) - secs(2);
    assert_eq!(
        desk.at(secs(2)).extend(receipt, rest + Micros(1)),
        ChangeOutcome::Refused
    );
    assert_eq!(desk.broker.hidden_until(receipt), Some(secs(30)));
    assert_eq!(
        desk.extend(receipt, rest),
        ChangeOutcome::HiddenUntil(hours(12))
    );
    assert_eq!(
        desk.at(hours(11)).extend(receipt, hours(2)),
        ChangeOutcome::Refused
    );
    assert_eq!(desk.at(hours(12)).receive(2).messages, "a");
}

#[test]
fn an_extension_after_the_timeout_is_answered_as_a_success_and_changes_nothing() {
    let mut desk = Desk::new(short());
    desk.send("a");
    let receipt = desk.receive(1).receipts[0];
    assert_eq!(
        desk.at(secs(2)).extend(receipt, secs(9)),
        ChangeOutcome::Ignored
    );
    assert_eq!(desk.depth(Q), [1, 0, 0]);
    desk.ack(receipt);
    assert_eq!(
        desk.extend(receipt, secs(9)),
        ChangeOutcome::Stale,
        "the message is gone"
    );
}

#[test]
fn an_expired_receipt_deletes_unless_the_message_was_received_again() {
    let mut desk = Desk::new(short());
    desk.send("a");
    let receipt = desk.receive(1).receipts[0];
    assert_eq!(desk.at(secs(2)).ack(receipt), AckOutcome::Removed);
    assert_eq!(desk.receive(2).messages, "");
    assert_eq!(
        desk.ack(receipt),
        AckOutcome::Ignored,
        "deleting twice is fine"
    );
}

#[test]
fn an_older_receipt_succeeds_and_deletes_or_not_by_the_setting() {
    for (stale_ack, outcome, later) in [
        (StaleAck::Ignored, AckOutcome::Ignored, "a"),
        (StaleAck::Deletes, AckOutcome::Removed, ""),
    ] {
        let mut desk = Desk::new(QueueSetup {
            stale_ack,
            ..short()
        });
        desk.send("a");
        let older = desk.receive(1).receipts[0];
        desk.at(secs(2)).receive(2);
        assert_eq!(desk.at(ms(2500)).ack(older), outcome);
        assert_eq!(desk.at(secs(4)).receive(3).messages, later);
    }
}

#[test]
fn a_message_moves_to_the_dlq_on_the_receive_that_would_exceed_its_budget() {
    let mut desk = Desk::with_dlq(short(), 1);
    desk.send("pn");
    desk.receive(1);
    desk.at(secs(2));
    assert_eq!(desk.depth(D), [0, 0, 0], "a timeout moves nothing");
    assert_eq!(
        desk.receive(1).messages,
        "n",
        "the receive skips to the next message"
    );
    assert_eq!(desk.depth(D), [1, 0, 0]);
}

#[test]
fn the_delivery_count_carries_on_in_the_dlq() {
    let mut desk = Desk::with_dlq(short(), 1);
    desk.send("p");
    desk.receive(1);
    desk.at(secs(2)).receive(1);
    let dead = desk.receive_from(D, 1, 1, None);
    assert_eq!((dead.messages.as_str(), dead.deliveries), ("p", vec![2]));
}

#[test]
fn without_a_dlq_an_exhausted_message_is_dropped_and_says_so() {
    let mut desk = Desk::new(QueueSetup {
        max_deliveries: Some(1),
        ..short()
    });
    desk.send("p");
    desk.receive(1);
    assert_eq!(desk.at(secs(2)).receive(1).messages, "");
    let dropped = desk.when(|kind| matches!(kind, HappeningKind::Dropped { deliveries: 1, .. }));
    assert_eq!(dropped, [(secs(2), Some('p'))]);
    assert_eq!(desk.broker.counts(Q).dropped, 1);
}

#[test]
fn retention_runs_from_the_send_through_the_time_in_flight() {
    let mut desk = Desk::new(QueueSetup {
        retention: Some(secs(60)),
        visibility_timeout: secs(50),
        ..standard()
    });
    desk.send("a");
    let receipt = desk.at(secs(15)).receive(1).receipts[0];
    desk.at(secs(67));
    assert_eq!(
        desk.when(|kind| *kind == HappeningKind::Expired),
        [(secs(60), Some('a'))]
    );
    assert_eq!(desk.receive(2).messages, "");
    assert_eq!(desk.ack(receipt), AckOutcome::Ignored);
}

#[test]
fn a_lowered_retention_applies_to_messages_already_there() {
    let mut desk = Desk::new(standard());
    desk.send("ab");
    desk.send_delayed('c', secs(100));
    desk.receive(1);
    desk.at(secs(5))
        .change(QueueChange::Retention(Some(secs(10))));
    desk.at(secs(20));
    let expired = desk.when(|kind| *kind == HappeningKind::Expired);
    let expected = ['a', 'b', 'c'].map(|letter| (secs(10), Some(letter)));
    assert_eq!(expired, expected);
}

#[test]
fn a_standard_dlq_keeps_the_age_of_a_message_and_a_fifo_dlq_starts_it_again() {
    for (setup, expires) in [(short(), secs(100)), (fifo(), secs(190))] {
        let setup = QueueSetup {
            retention: Some(secs(100)),
            visibility_timeout: secs(1),
            ..setup
        };
        let mut desk = Desk::with_dlq(setup, 1);
        desk.send("p");
        desk.at(secs(80)).receive(1);
        desk.at(secs(90)).receive(1);
        desk.at(secs(300));
        let expired = desk.when(|kind| *kind == HappeningKind::Expired);
        assert_eq!(expired, [(expires, Some('p'))]);
    }
}

#[test]
fn a_messages_own_delay_wins_over_the_queues_with_zero_too() {
    let mut desk = Desk::new(QueueSetup {
        delay: secs(5),
        ..standard()
    });
    desk.send_delayed('z', Micros::ZERO);
    desk.send("y");
    assert_eq!(desk.depth(Q), [1, 1, 0]);
    assert_eq!(desk.receive_up_to(1, 10).messages, "z");
    assert_eq!(desk.at(ms(5100)).receive_up_to(1, 10).messages, "y");
}

#[test]
fn a_delayed_message_becomes_visible_at_its_original_place() {
    let mut desk = Desk::new(standard());
    desk.send_delayed('a', secs(1));
    desk.send("b");
    assert_eq!(desk.at(secs(1)).receive_up_to(1, 10).messages, "ab");
}

#[test]
fn a_changed_queue_delay_leaves_standard_messages_alone() {
    let mut desk = Desk::new(QueueSetup {
        delay: secs(5),
        ..standard()
    });
    desk.send("a");
    desk.change(QueueChange::Delay(Micros::ZERO));
    assert_eq!(desk.at(secs(4)).receive(1).messages, "");
    assert_eq!(desk.at(secs(5)).receive(1).messages, "a");
}

#[test]
fn a_short_poll_may_be_falsely_empty_and_a_long_poll_is_not() {
    let mut desk = Desk::new(QueueSetup {
        shards: 4,
        shards_sampled: 2,
        ..standard()
    });
    desk.send("abcdefghijklmnop");
    let partial = desk.receive_up_to(1, 16).messages.len();
    assert!(
        (1..16).contains(&partial),
        "{partial} of 16 are on the servers asked"
    );
    let before = desk.log.len();
    desk.wait(2, 16, secs(1));
    assert_eq!(desk.received_since(before, 2).messages.len(), 16 - partial);
}

#[test]
fn short_polls_ask_exactly_as_many_servers_as_the_setting_says() {
    let desk = |sampled| {
        Desk::new(QueueSetup {
            shards: 8,
            shards_sampled: sampled,
            ..standard()
        })
    };
    let found = |sampled| {
        let mut desk = desk(sampled);
        desk.send("a");
        (0..400)
            .filter(|_| {
                let received = desk.receive_from(Q, 1, 1, Some(Micros::ZERO));
                let now = desk.now;
                desk.at(now);
                !received.messages.is_empty()
            })
            .count()
    };
    assert_eq!(found(8), 400);
    assert!((150..250).contains(&found(4)), "{}", found(4));
    assert!((20..90).contains(&found(1)), "{}", found(1));
}

#[test]
fn a_long_poll_returns_with_the_first_message_and_does_not_fill_its_batch() {
    let mut desk = Desk::new(standard());
    desk.wait(1, 10, secs(10));
    desk.at(secs(1)).send("a");
    desk.at(secs(1));
    desk.at(secs(2)).send("b");
    desk.at(secs(3));
    assert_eq!(desk.received_since(0, 1).messages, "a");
    assert_eq!(desk.depth(Q), [1, 0, 1]);
}

#[test]
fn a_delayed_message_that_becomes_due_ends_the_wait() {
    let mut desk = Desk::new(standard());
    desk.send_delayed('w', secs(2));
    desk.wait(1, 1, secs(5));
    assert_eq!(desk.depth(Q), [0, 1, 0]);
    desk.at(secs(9));
    let delivered = desk.when(|kind| matches!(kind, HappeningKind::Delivered { .. }));
    assert_eq!(delivered, [(secs(2), Some('w'))]);
}

#[test]
fn a_long_poll_is_empty_only_after_the_full_wait() {
    let mut desk = Desk::new(standard());
    desk.wait(1, 1, secs(2));
    desk.at(secs(9));
    let empty = desk.when(|kind| matches!(kind, HappeningKind::EmptyReceive { .. }));
    assert_eq!(empty, [(secs(2), None)]);
    assert!(!desk.broker.withdraw(Q, ConsumerId(1)));
}

#[test]
fn a_message_of_the_instant_at_which_a_wait_ends_still_reaches_it() {
    let mut desk = Desk::new(standard());
    desk.send_delayed('w', secs(2));
    desk.wait(1, 1, secs(2));
    desk.at(secs(2));
    assert_eq!(desk.received_since(0, 1).messages, "w");
}

#[test]
fn a_withdrawn_receive_gets_nothing() {
    let mut desk = Desk::new(standard());
    desk.wait(1, 1, secs(5));
    assert!(desk.broker.withdraw(Q, ConsumerId(1)));
    desk.at(secs(1)).send("a");
    desk.at(secs(9));
    assert_eq!(desk.received_since(0, 1).messages, "");
    assert_eq!(desk.broker.next_timer(Q), None);
}

#[test]
fn redrive_sends_each_message_back_to_its_source_as_a_new_one() {
    let mut desk = Desk::with_dlq(short(), 1);
    desk.send("pr");
    desk.receive_up_to(1, 2);
    desk.at(secs(2)).receive(1);
    assert_eq!(desk.depth(D), [2, 0, 0]);
    assert_eq!(desk.at(secs(3)).redrive(Some(1), None), 1);
    assert_eq!((desk.depth(Q), desk.depth(D)), ([1, 0, 0], [1, 0, 0]));
    desk.send("n");
    assert_eq!(desk.at(secs(4)).redrive(None, None), 1);
    let again = desk.receive_up_to(1, 10);
    assert_eq!(
        again.messages, "pnr",
        "oldest first, each in its turn among fresh sends"
    );
    assert_eq!(again.deliveries, [1, 1, 1]);
}

#[test]
fn what_was_sent_to_a_dlq_directly_is_redriven_to_the_default_or_stays() {
    let mut desk = Desk::with_dlq(standard(), 1);
    let now = desk.now;
    let incoming = Incoming {
        message: MessageKey(9),
        number: queue_playground::engine::id::MessageNumber(9),
        group: None,
        deduplication_id: None,
        content: DeduplicationKey(9),
        delay: None,
        priority: None,
        ttl: None,
        persistent: true,
    };
    desk.broker.send(now, D, incoming, &mut Vec::new());
    assert_eq!(desk.redrive(None, None), 0);
    assert_eq!(desk.redrive(None, Some(Q)), 1);
    assert_eq!(desk.depth(Q), [1, 0, 0]);
}

#[test]
fn a_purge_removes_visible_delayed_and_in_flight_messages() {
    let mut desk = Desk::new(short());
    desk.send("abcd");
    desk.send_delayed('e', secs(1));
    let receipts = desk.receive_up_to(1, 2).receipts;
    desk.purge();
    assert_eq!(desk.broker.counts(Q).purged, 5);
    assert_eq!(desk.at(secs(2)).receive_up_to(1, 10).messages, "");
    assert_eq!(desk.ack(receipts[0]), AckOutcome::Ignored);
}

#[test]
fn a_copy_may_survive_its_ack_and_come_again() {
    let mut desk = Desk::new(QueueSetup {
        surplus_duplicates: Chance(1_000_000),
        ..standard()
    });
    desk.send("a");
    let first = desk.receive(1);
    assert_eq!(desk.ack(first.receipts[0]), AckOutcome::Survived);
    assert_eq!(desk.receive(2).deliveries, [2]);
    let mut desk = Desk::new(QueueSetup {
        surplus_duplicates: Chance(500_000),
        ..standard()
    });
    desk.send("abcdefghijklmnopqrstuvwxyz");
    let receipts = desk.receive_up_to(1, 26).receipts;
    let survived = receipts
        .iter()
        .filter(|&&receipt| desk.ack(receipt) == AckOutcome::Survived);
    assert!((6..20).contains(&survived.count()));
}

#[test]
fn a_rejected_message_goes_straight_to_the_dlq() {
    let mut desk = Desk::with_dlq(standard(), 9);
    desk.send("p");
    let receipt = desk.receive(1).receipts[0];
    assert_eq!(desk.reject(receipt), AckOutcome::Removed);
    assert_eq!((desk.depth(Q), desk.depth(D)), ([0, 0, 0], [1, 0, 0]));
    assert_eq!(desk.reject(receipt), AckOutcome::Ignored);
}

#[test]
fn leases_of_one_instant_end_in_send_order() {
    let mut desk = Desk::new(short());
    desk.send("abc");
    for consumer in 1..=3 {
        desk.receive(consumer);
    }
    desk.at(secs(1));
    let ended = desk.when(|kind| matches!(kind, HappeningKind::TimeoutEnded { .. }));
    assert_eq!(ended, ['a', 'b', 'c'].map(|letter| (secs(1), Some(letter))));
}

#[test]
fn a_dlq_that_is_the_queue_itself_counts_as_none() {
    let mut desk = Desk::new(QueueSetup {
        dead_letter_queue: Some(Q),
        max_deliveries: Some(0),
        ..standard()
    });
    desk.send("ab");
    assert_eq!(desk.receive_up_to(1, 2).messages, "");
    assert_eq!(desk.broker.counts(Q).dropped, 2);
}

#[test]
fn a_message_taken_out_of_the_middle_of_a_queue_is_not_handed_out() {
    use queue_playground::engine::command::DiscardReason;
    let mut desk = Desk::new(standard());
    desk.send("abc");
    let mut out = Vec::new();
    let (message, reason) = (MessageKey('b' as u32), DiscardReason::Obsolete);
    desk.broker.discard(desk.now, Q, message, reason, &mut out);
    desk.send("d");
    assert_eq!(desk.receive_up_to(1, 9).messages, "acd");
}
