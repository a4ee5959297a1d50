//! What counts as a delivery, when a retry budget is used up, and what becomes of the message then. Numbers are those
//! of the conformance collection.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::event::ExhaustedReason;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn with(max_deliveries: u32, rules: Rules) -> QueueSetup {
    QueueSetup {
        visibility_timeout: secs(1),
        max_deliveries: Some(max_deliveries),
        rules,
        ..standard()
    }
}

/// RabbitMQ quorum queues.
fn quorum() -> Rules {
    Rules {
        returns_to: ReturnPlace::ReturnsQueue,
        count: CountRule::OnReturn,
        budget: BudgetRule::OnReturn,
        ..Rules::default()
    }
}

fn on_end(exhausted: Exhausted) -> Rules {
    Rules {
        budget: BudgetRule::OnEnd,
        exhausted,
        ..Rules::default()
    }
}

/// Receives and returns at once until nothing comes any more; the numbers of the deliveries.
fn deliveries_until_gone(desk: &mut Desk) -> Vec<u32> {
    let mut numbers = Vec::new();
    while numbers.len() < 40 {
        let held = desk.receive(1);
        let Some(&receipt) = held.receipts.first() else {
            break;
        };
        numbers.extend(held.deliveries);
        desk.nack(receipt, Micros::ZERO);
    }
    numbers
}

#[test]
fn a_delivery_limit_is_exceeded_by_a_return_after_one_delivery_more() {
    let mut desk = Desk::with_dlq(with(2, quorum()), 2);
    desk.send("p");
    assert_eq!(deliveries_until_gone(&mut desk), [1, 2, 3], "RMQ-C10");
    assert_eq!(
        desk.depth(D),
        [1, 0, 0],
        "the return moved it, not a receive"
    );
}

#[test]
fn the_default_limit_of_twenty_gives_twenty_one_deliveries() {
    let mut desk = Desk::new(with(20, quorum()));
    desk.send("p");
    assert_eq!(deliveries_until_gone(&mut desk).len(), 21, "RMQ-C11");
    assert_eq!(desk.broker.counts(Q).dropped, 1);
}

#[test]
fn a_nack_neither_counts_nor_uses_up_the_budget_where_only_failures_count() {
    let failures = Causes {
        nack: false,
        timeout: false,
        ..Causes::ALL
    };
    let mut desk = Desk::new(with(
        1,
        Rules {
            counted_returns: failures,
            ..quorum()
        },
    ));
    desk.send("p");
    for _ in 0..5 {
        let held = desk.receive(1);
        assert_eq!(held.deliveries, [1]);
        desk.nack(held.receipts[0], Micros::ZERO);
    }
    let mut numbers = Vec::new();
    while let Some(&receipt) = desk.receive(1).receipts.first() {
        numbers.push(desk.return_failed(receipt));
    }
    assert_eq!(numbers.len(), 2);
}

#[test]
fn a_queue_that_counts_nothing_tells_only_that_a_message_was_delivered_before() {
    let mut desk = Desk::new(with(
        2,
        Rules {
            count: CountRule::Never,
            ..quorum()
        },
    ));
    desk.send("1");
    let mut told = deliveries_until_gone(&mut desk);
    assert_eq!(
        (told.len(), told.remove(0)),
        (40, 1),
        "RMQ-C08: no limit either"
    );
    assert!(told.iter().all(|&number| number == 2));
}

#[test]
fn leases_differ_where_the_count_does_not_grow() {
    let mut desk = Desk::new(with(
        2,
        Rules {
            count: CountRule::Never,
            ..quorum()
        },
    ));
    desk.send("1");
    let first = desk.receive(1).receipts[0];
    desk.nack(first, Micros::ZERO);
    let second = desk.receive(1).receipts[0];
    assert!(!desk.broker.holds_lease(first) && desk.broker.holds_lease(second));
    assert_eq!(desk.ack(first), AckOutcome::Ignored);
    assert_eq!(desk.ack(second), AckOutcome::Removed);
}

#[test]
fn a_share_group_archives_a_record_when_the_attempt_at_the_limit_ends() {
    let mut desk = Desk::new(with(5, on_end(Exhausted::Archive)));
    desk.send("p");
    assert_eq!(deliveries_until_gone(&mut desk), [1, 2, 3, 4, 5], "KFK-C01");
    let counts = desk.broker.counts(Q);
    assert_eq!((counts.archived, counts.ready), (1, 0));
    let told = desk.when(|kind| matches!(kind, HappeningKind::Exhausted { archived: true, .. }));
    assert_eq!(told, [(Micros::ZERO, Some('p'))]);
}

#[test]
fn a_record_lock_of_thirty_seconds_gives_a_second_acquisition_after_it() {
    let mut desk = Desk::new(QueueSetup {
        visibility_timeout: secs(30),
        ..with(5, on_end(Exhausted::Archive))
    });
    desk.send("p");
    desk.receive(1);
    assert_eq!(desk.at(secs(29)).receive(2).messages, "");
    assert_eq!(desk.at(secs(31)).receive(2).deliveries, [2], "KFK-C02");
}

#[test]
fn a_message_at_its_limit_stays_in_the_stream_and_an_advisory_tells_when_the_last_wait_ends() {
    let mut desk = Desk::new(with(2, on_end(Exhausted::Stays)));
    desk.send("0");
    desk.receive(1);
    assert_eq!(desk.at(ms(1500)).receive(1).deliveries, [2]);
    assert_eq!(desk.at(secs(3)).receive(1).messages, "", "NAT-C04");
    assert_eq!(desk.broker.counts(Q).undeliverable, 1);
    let told = desk.when(|kind| {
        matches!(
            kind,
            HappeningKind::Exhausted {
                deliveries: 2,
                archived: false,
                reason: ExhaustedReason::BudgetUsedUp,
            }
        )
    });
    assert_eq!(told, [(ms(2500), Some('0'))]);
    assert_eq!(
        desk.broker.undeliverable(Q, 9),
        [(MessageKey('0' as u32), 2)]
    );
}

#[test]
fn a_receive_that_would_exceed_the_budget_may_leave_the_message_undeliverable() {
    for kind in [QueueKind::Standard, QueueKind::Fifo] {
        let mut desk = Desk::new(QueueSetup {
            kind,
            ..with(
                1,
                Rules {
                    exhausted: Exhausted::Stays,
                    ..Rules::default()
                },
            )
        });
        desk.send("ab");
        desk.receive(1);
        desk.at(secs(1));
        assert_eq!(desk.depth(Q), [2, 0, 0]);
        assert_eq!(desk.receive_up_to(1, 9).messages, "b", "it locks no group");
        assert_eq!(desk.broker.counts(Q).undeliverable, 1);
    }
}

#[test]
fn an_undeliverable_message_still_expires_and_can_be_acknowledged_purged_and_discarded() {
    use queue_playground::engine::command::DiscardReason;
    let stuck = |retention| {
        let mut desk = Desk::new(QueueSetup {
            retention,
            ..with(1, on_end(Exhausted::Stays))
        });
        desk.send("a");
        let held = desk.receive(1);
        desk.at(secs(1));
        assert_eq!(desk.broker.counts(Q).undeliverable, 1);
        (desk, held.receipts[0])
    };
    let (mut desk, _) = stuck(Some(secs(10)));
    desk.at(secs(60));
    let expired = desk.when(|kind| matches!(kind, HappeningKind::Expired));
    assert_eq!(expired, [(secs(10), Some('a'))]);
    let (mut desk, receipt) = stuck(None);
    assert_eq!(desk.ack(receipt), AckOutcome::Removed);
    let (mut purged, _) = stuck(None);
    purged.purge();
    let (mut discarded, _) = stuck(None);
    let mut out = Vec::new();
    let (message, reason) = (MessageKey('a' as u32), DiscardReason::Obsolete);
    discarded
        .broker
        .discard(discarded.now, Q, message, reason, &mut out);
    for desk in [desk, purged, discarded] {
        assert_eq!(desk.broker.counts(Q).undeliverable, 0);
        assert!(desk.broker.undeliverable(Q, 9).is_empty());
    }
}

#[test]
fn dead_lettering_after_five_attempts_takes_nacks_and_ended_deadlines_alike() {
    let rules = Rules {
        count: CountRule::OnReturn,
        ..on_end(Exhausted::DeadLetter)
    };
    let mut desk = Desk::with_dlq(with(5, rules), 5);
    desk.send("p");
    let mut attempts = Vec::new();
    loop {
        let held = desk.receive(1);
        let Some(&receipt) = held.receipts.first() else {
            break;
        };
        attempts.extend(held.deliveries);
        if attempts.len() % 2 == 0 {
            desk.nack(receipt, Micros::ZERO);
        } else {
            let next = desk.now + secs(1);
            desk.at(next);
        }
    }
    assert_eq!(attempts, [1, 2, 3, 4, 5], "PUB-C01");
    assert_eq!(desk.depth(D), [1, 0, 0]);
}

#[test]
fn a_lock_that_runs_out_three_times_dead_letters_without_another_receive() {
    let rules = Rules {
        count: CountRule::OnReturn,
        ..on_end(Exhausted::DeadLetter)
    };
    let mut desk = Desk::with_dlq(
        QueueSetup {
            visibility_timeout: secs(30),
            ..with(3, rules)
        },
        3,
    );
    desk.send("p");
    for at in [0, 31, 62] {
        assert_eq!(desk.at(secs(at)).receive(1).messages, "p");
    }
    assert_eq!(desk.at(secs(93)).receive(1).messages, "", "ASB-C01");
    assert_eq!(desk.depth(D), [1, 0, 0]);
}

#[test]
fn a_message_may_simply_be_dropped_in_spite_of_a_dead_letter_queue() {
    let mut desk = Desk::with_dlq(with(1, on_end(Exhausted::Drop)), 1);
    desk.send("p");
    desk.receive(1);
    desk.at(secs(1));
    assert_eq!(desk.broker.counts(Q).dropped, 1);
    assert_eq!(desk.depth(D), [0, 0, 0]);
}

#[test]
fn a_change_of_what_counts_takes_over_what_has_been_counted() {
    let mut desk = Desk::new(with(9, quorum()));
    desk.send("p");
    for _ in 0..3 {
        let held = desk.receive(1);
        desk.nack(held.receipts[0], Micros::ZERO);
    }
    desk.change(QueueChange::Rule(Rule::Count(CountRule::OnReceive)));
    let held = desk.receive(1);
    assert_eq!(held.deliveries, [4]);
    desk.change(QueueChange::Rule(Rule::Count(CountRule::OnReturn)));
    desk.nack(held.receipts[0], Micros::ZERO);
    assert_eq!(desk.receive(1).deliveries, [5]);
}
