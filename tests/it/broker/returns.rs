//! Where returned messages go, when they are visible again, and what a stale receipt does, broker by broker. Numbers are
//! those of the conformance collection.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

/// A queue with a timeout of a second, with other rules.
fn with(rules: Rules) -> QueueSetup {
    QueueSetup {
        visibility_timeout: secs(1),
        rules,
        ..standard()
    }
}

fn returns_to(returns_to: ReturnPlace) -> QueueSetup {
    with(Rules {
        returns_to,
        ..Rules::default()
    })
}

/// Five messages, of which `3` and then `1` are returned while `2` stays in flight.
fn after_returning_three_and_one(place: ReturnPlace) -> Desk {
    let mut desk = Desk::new(QueueSetup {
        visibility_timeout: secs(60),
        ..returns_to(place)
    });
    desk.send("12345");
    let held = desk.receive_up_to(1, 3);
    desk.at(secs(1)).nack(held.receipts[2], Micros::ZERO);
    desk.nack(held.receipts[0], Micros::ZERO);
    desk
}

#[test]
fn a_classic_queue_puts_returned_messages_back_where_they_were() {
    let mut desk = after_returning_three_and_one(ReturnPlace::Place);
    assert_eq!(desk.receive_up_to(2, 9).messages, "1345", "RMQ-C05");
}

#[test]
fn a_quorum_queue_serves_returns_first_in_the_order_of_return() {
    let mut desk = after_returning_three_and_one(ReturnPlace::ReturnsQueue);
    assert_eq!(desk.receive_up_to(2, 9).messages, "3145", "RMQ-C06");
}

#[test]
fn a_quorum_queue_without_a_limit_puts_returned_messages_at_its_tail() {
    let mut desk = after_returning_three_and_one(ReturnPlace::Tail);
    desk.send("6");
    assert_eq!(desk.receive_up_to(2, 9).messages, "45316");
}

#[test]
fn what_returns_to_the_head_comes_before_all_and_the_last_return_first() {
    let mut desk = after_returning_three_and_one(ReturnPlace::Head);
    assert_eq!(
        desk.receive_up_to(2, 9).messages,
        "1345",
        "of one instant in order of sending"
    );
    let mut desk = Desk::new(returns_to(ReturnPlace::Head));
    desk.send("1234");
    let held = desk.receive_from(Q, 1, 2, Some(secs(60)));
    desk.nack(held.receipts[0], Micros::ZERO);
    desk.at(ms(1)).nack(held.receipts[1], Micros::ZERO);
    assert_eq!(desk.receive_up_to(2, 9).messages, "2134");
}

#[test]
fn expired_waits_of_one_instant_are_served_first_and_in_stream_order() {
    let mut desk = Desk::new(returns_to(ReturnPlace::ReturnsQueue));
    desk.send("0123");
    desk.receive_up_to(1, 3);
    let again = desk.at(ms(1300)).receive_up_to(2, 9);
    assert_eq!(again.messages, "0123", "NAT-C01");
    assert_eq!(again.deliveries, [2, 2, 2, 1]);
}

#[test]
fn naks_are_served_in_the_order_in_which_they_were_made() {
    let mut desk = Desk::new(returns_to(ReturnPlace::ReturnsQueue));
    desk.send("012");
    let held = desk.receive_from(Q, 1, 2, Some(secs(30)));
    desk.at(secs(1)).nack(held.receipts[1], Micros::ZERO);
    desk.at(ms(1100)).nack(held.receipts[0], Micros::ZERO);
    assert_eq!(
        desk.at(ms(1200)).receive_up_to(1, 3).messages,
        "102",
        "NAT-C02"
    );
}

#[test]
fn a_nak_with_a_delay_hides_its_message_while_others_flow() {
    let mut desk = Desk::new(QueueSetup {
        visibility_timeout: secs(30),
        ..returns_to(ReturnPlace::ReturnsQueue)
    });
    desk.send("01");
    let held = desk.receive(1);
    desk.nack(held.receipts[0], secs(1));
    assert_eq!(desk.depth(Q), [1, 1, 0], "it holds no place in flight");
    assert_eq!(desk.at(ms(100)).receive(1).messages, "1");
    assert_eq!(desk.at(ms(500)).receive(1).messages, "");
    assert_eq!(desk.at(ms(1100)).receive(1).messages, "0", "NAT-C03");
    let returned = desk.when(|kind| matches!(kind, HappeningKind::Returned));
    assert_eq!(returned, [(secs(1), Some('0'))]);
}

#[test]
fn a_return_with_a_delay_stays_in_flight_where_it_is_a_change_of_visibility() {
    let mut desk = Desk::new(standard());
    desk.send("0");
    let held = desk.receive(1);
    desk.nack(held.receipts[0], secs(1));
    assert_eq!(desk.depth(Q), [0, 0, 1]);
}

#[test]
fn retention_removes_the_message_sent_first_wherever_it_returned_to() {
    for place in [
        ReturnPlace::Place,
        ReturnPlace::Head,
        ReturnPlace::Tail,
        ReturnPlace::ReturnsQueue,
    ] {
        let mut desk = Desk::new(QueueSetup {
            retention: Some(secs(10)),
            ..returns_to(place)
        });
        desk.send("1");
        desk.at(secs(1)).send("2");
        let held = desk.receive_from(Q, 1, 2, Some(secs(5)));
        desk.nack(held.receipts[1], Micros::ZERO);
        desk.nack(held.receipts[0], Micros::ZERO);
        desk.at(secs(20));
        let expired = desk.when(|kind| matches!(kind, HappeningKind::Expired));
        assert_eq!(
            expired,
            [(secs(10), Some('1')), (secs(11), Some('2'))],
            "{place:?}"
        );
    }
}

#[test]
fn a_changed_place_of_return_moves_what_waits_there() {
    let mut desk = after_returning_three_and_one(ReturnPlace::Place);
    desk.change(QueueChange::Rule(Rule::ReturnsTo(ReturnPlace::Tail)));
    assert_eq!(desk.receive_up_to(2, 9).messages, "4513");
}

fn retry(growth: Growth, after: Causes) -> Rules {
    Rules {
        count: CountRule::OnReturn,
        retry_delay: Some(RetryDelay {
            min: secs(1),
            max: ms(2500),
            growth,
            after,
        }),
        ..Rules::default()
    }
}

/// When a message is there that is returned as failed at once, asked every tenth of a second.
fn deliveries_of_a_failing_message(setup: QueueSetup, until: Micros) -> Vec<u64> {
    let mut desk = Desk::new(setup);
    desk.send("m");
    let mut at = Vec::new();
    while desk.now < until {
        let held = desk.receive(1);
        if let Some(&receipt) = held.receipts.first() {
            at.push(desk.now.0 / 1000);
            desk.return_failed(receipt);
        }
        let next = desk.now + ms(100);
        desk.at(next);
    }
    at
}

#[test]
fn a_linear_pause_grows_by_its_least_value_up_to_its_greatest() {
    let setup = with(retry(Growth::Linear, Causes::ALL));
    assert_eq!(
        deliveries_of_a_failing_message(setup, secs(8)),
        [0, 1000, 3000, 5500],
        "RMQ-C14"
    );
}

#[test]
fn an_exponential_pause_doubles() {
    let mut rules = retry(Growth::Exponential, Causes::ALL);
    if let Some(delay) = &mut rules.retry_delay {
        delay.max = secs(5);
    }
    assert_eq!(
        deliveries_of_a_failing_message(with(rules), secs(13)),
        [0, 1000, 3000, 7000, 12_000]
    );
}

#[test]
fn a_pause_follows_only_the_returns_it_names() {
    let after = Causes {
        nack: true,
        ..Causes::default()
    };
    let mut desk = Desk::new(with(retry(Growth::Linear, after)));
    desk.send("m");
    let held = desk.receive(1);
    desk.return_failed(held.receipts[0]);
    let held = desk.receive(1);
    assert_eq!(held.messages, "m");
    desk.nack(held.receipts[0], Micros::ZERO);
    assert_eq!(desk.depth(Q), [0, 1, 0]);
}

#[test]
fn a_pause_after_an_ended_timeout_begins_when_it_ended() {
    let mut desk = Desk::new(with(retry(Growth::Linear, Causes::ALL)));
    desk.send("m");
    desk.receive(1);
    assert_eq!(desk.at(ms(1999)).receive(1).messages, "");
    assert_eq!(desk.at(secs(2)).receive(1).messages, "m");
}

#[test]
fn a_fifo_group_waits_for_its_message_that_is_tried_again_later() {
    let mut desk = Desk::new(QueueSetup {
        rules: retry(Growth::Linear, Causes::ALL),
        ..fifo()
    });
    desk.send_to_group("ab", 0);
    desk.send_to_group("x", 1);
    let held = desk.receive(1);
    desk.nack(held.receipts[0], Micros::ZERO);
    assert_eq!(desk.depth(Q), [2, 1, 0]);
    assert_eq!(desk.receive_up_to(2, 9).messages, "x");
    assert_eq!(desk.at(secs(1)).receive_up_to(2, 9).messages, "ab");
}

#[test]
fn a_lease_step_replaces_the_timeout_by_delivery_and_the_last_repeats() {
    let mut desk = Desk::new(with(Rules {
        lease_steps: vec![ms(500), ms(1500)],
        ..Rules::default()
    }));
    desk.send("0");
    let mut at = Vec::new();
    while desk.now <= secs(4) {
        if !desk.receive(1).messages.is_empty() {
            at.push(desk.now.0 / 1000);
        }
        let next = desk.now + ms(100);
        desk.at(next);
    }
    assert_eq!(at, [0, 500, 2000, 3500], "NAT-C11");
}

#[test]
fn a_lease_step_does_not_delay_a_nak() {
    let mut desk = Desk::new(with(Rules {
        lease_steps: vec![secs(2), secs(3)],
        ..Rules::default()
    }));
    desk.send("0");
    let held = desk.receive(1);
    desk.nack(held.receipts[0], Micros::ZERO);
    assert_eq!(desk.at(ms(100)).receive(1).messages, "0", "NAT-C12");
}

#[test]
fn a_lost_client_releases_nothing_before_its_timeout() {
    let mut desk = Desk::new(QueueSetup {
        visibility_timeout: secs(30),
        ..returns_to(ReturnPlace::ReturnsQueue)
    });
    desk.send("012");
    desk.receive_up_to(2, 2);
    desk.broker
        .withdraw(Q, queue_playground::engine::id::ConsumerId(2));
    assert_eq!(
        desk.at(secs(2)).receive_up_to(1, 3).messages,
        "2",
        "NAT-C14"
    );
}

fn stale(stale_ack: StaleAck) -> QueueSetup {
    QueueSetup {
        visibility_timeout: secs(10),
        stale_ack,
        ..standard()
    }
}

#[test]
fn a_late_ack_settles_a_message_that_was_delivered_again() {
    let mut desk = Desk::new(stale(StaleAck::Deletes));
    desk.send("p");
    let first = desk.receive(1).receipts[0];
    let second = desk.at(secs(11)).receive(2).receipts[0];
    assert_eq!(desk.ack(first), AckOutcome::Removed, "NAT-C10");
    assert_eq!(desk.ack(second), AckOutcome::Ignored);
}

#[test]
fn exactly_once_delivery_refuses_every_ack_but_that_of_the_running_lease() {
    let mut desk = Desk::new(stale(StaleAck::Refused));
    desk.send("pq");
    let first = desk.receive(1).receipts[0];
    let expired = desk.receive(1).receipts[0];
    let second = desk.at(secs(11)).receive(2).receipts[0];
    assert_eq!(desk.at(secs(12)).ack(first), AckOutcome::Refused, "PUB-C04");
    assert_eq!(desk.ack(expired), AckOutcome::Refused, "not received again");
    assert_eq!(desk.reject(first), AckOutcome::Refused);
    assert_eq!(desk.nack(first, Micros::ZERO), ChangeOutcome::Stale);
    assert_eq!(desk.extend(first, secs(5)), ChangeOutcome::Stale);
    assert_eq!(desk.ack(second), AckOutcome::Removed);
    assert_eq!(desk.ack(second), AckOutcome::Refused);
}

#[test]
fn a_reject_is_good_when_an_ack_would_be() {
    for (rule, outcome) in [
        (StaleAck::Ignored, AckOutcome::Ignored),
        (StaleAck::Deletes, AckOutcome::Removed),
        (StaleAck::Refused, AckOutcome::Refused),
    ] {
        let mut desk = Desk::new(stale(rule));
        desk.send("p");
        let first = desk.receive(1).receipts[0];
        desk.at(secs(11)).receive(2);
        assert_eq!(desk.reject(first), outcome);
    }
}

/// Google Pub/Sub with ordering keys.
fn ordered(rules: Rules) -> QueueSetup {
    QueueSetup {
        visibility_timeout: secs(10),
        stale_ack: StaleAck::Ignored,
        rules: Rules {
            group_rule: GroupRule::Key,
            ..rules
        },
        ..fifo()
    }
}

fn replays(desk: &Desk) -> Vec<(Micros, Option<char>)> {
    use queue_playground::engine::event::RequeueReason::KeyReplayed;
    desk.when(
        |kind| matches!(kind, HappeningKind::Requeued { reason, .. } if *reason == KeyReplayed),
    )
}

#[test]
fn a_returned_message_brings_back_all_later_ones_of_its_key() {
    let mut desk = Desk::new(ordered(Rules::default()));
    desk.send_to_group("123", 0);
    desk.send_to_group("x", 1);
    let held = desk.receive_up_to(1, 4);
    assert_eq!(held.messages, "123x");
    desk.at(secs(1)).nack(held.receipts[0], Micros::ZERO);
    assert_eq!(replays(&desk), [(secs(1), Some('2')), (secs(1), Some('3'))]);
    assert_eq!(
        desk.at(secs(2)).receive_up_to(2, 4).messages,
        "123",
        "PUB-C03"
    );
}

#[test]
fn several_messages_of_a_key_may_be_out_with_several_consumers() {
    let mut desk = Desk::new(ordered(Rules::default()));
    desk.send_to_group("1234", 0);
    let first = desk.receive(1);
    let second = desk.receive(2);
    let third = desk.receive(3);
    assert_eq!(
        [&first.messages, &second.messages, &third.messages],
        ["1", "2", "3"]
    );
    desk.ack(first.receipts[0]);
    desk.nack(second.receipts[0], Micros::ZERO);
    assert_eq!(
        desk.receive_up_to(1, 9).messages,
        "234",
        "what is acknowledged stays so"
    );
    assert!(!desk.broker.holds_lease(third.receipts[0]));
}

#[test]
fn an_ended_deadline_replays_a_key_once() {
    let mut desk = Desk::new(ordered(Rules::default()));
    desk.send_to_group("123", 0);
    let held = desk.receive_up_to(1, 3);
    desk.extend(held.receipts[1], secs(30));
    desk.extend(held.receipts[2], secs(30));
    desk.at(secs(10));
    assert_eq!(
        replays(&desk),
        [(secs(10), Some('2')), (secs(10), Some('3'))]
    );
    assert_eq!(desk.depth(Q), [3, 0, 0]);
}

#[test]
fn a_key_waits_for_its_message_that_is_tried_again_later() {
    let mut desk = Desk::new(ordered(retry(Growth::Exponential, Causes::ALL)));
    desk.send_to_group("12", 0);
    let held = desk.receive(1);
    assert_eq!(held.messages, "1");
    desk.nack(held.receipts[0], Micros::ZERO);
    assert_eq!(desk.receive_up_to(2, 9).messages, "");
    assert_eq!(
        desk.broker.lanes(Q, 9, 9).0[0].locked_by,
        Some(MessageKey('1' as u32))
    );
    assert_eq!(desk.at(secs(1)).receive_up_to(2, 9).messages, "12");
}

#[test]
fn a_replay_neither_counts_nor_uses_up_a_budget() {
    let rules = Rules {
        count: CountRule::OnReturn,
        budget: BudgetRule::OnEnd,
        ..Rules::default()
    };
    let mut desk = Desk::new(QueueSetup {
        max_deliveries: Some(2),
        ..ordered(rules)
    });
    desk.send_to_group("12", 0);
    let held = desk.receive_up_to(1, 2);
    desk.nack(held.receipts[0], Micros::ZERO);
    let again = desk.receive_up_to(1, 2);
    assert_eq!(
        (again.messages.as_str(), again.deliveries),
        ("12", vec![2, 1])
    );
    desk.nack(again.receipts[0], Micros::ZERO);
    assert_eq!(desk.broker.counts(Q).dropped, 1);
    assert!(
        desk.broker.holds_lease(again.receipts[1]),
        "nothing came back"
    );
}
