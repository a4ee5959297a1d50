//! Time to live.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::event::DeadLetterReason;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn with_rules(change: impl FnOnce(&mut Rules)) -> QueueSetup {
    let mut setup = standard();
    change(&mut setup.rules);
    setup
}

/// A RabbitMQ queue whose expired messages go to D.
fn rabbit(ttl: Option<Micros>) -> Desk {
    let setup = with_rules(|rules| {
        rules.ttl = ttl;
        rules.expiry_noticed = ExpiryNoticed::AtHead;
        rules.expired_to = ExpiredTo::DeadLetter;
        rules.dead_letter_clock = DeadLetterClock::Restarted;
    });
    let mut dead = queue("d", QueueKind::Standard);
    dead.rules.dead_letter_clock = DeadLetterClock::Restarted;
    let setup = QueueSetup {
        dead_letter_queue: Some(D),
        ..setup
    };
    Desk::with(&[setup, dead])
}

fn send(desk: &mut Desk, letter: char, ttl: Micros) {
    desk.send_with(letter, |incoming| incoming.ttl = Some(ttl));
}

fn expired(desk: &Desk) -> Vec<(Micros, Option<char>)> {
    desk.when(|kind| {
        matches!(
            kind,
            HappeningKind::Expired
                | HappeningKind::DeadLettered {
                    reason: DeadLetterReason::Expired,
                    ..
                }
        )
    })
}

#[test]
fn the_lower_of_the_queues_and_the_messages_time_to_live_counts() {
    let mut desk = Desk::new(with_rules(|rules| rules.ttl = Some(secs(10))));
    send(&mut desk, 'a', secs(60));
    send(&mut desk, 'b', secs(3));
    desk.at(secs(20));
    assert_eq!(
        expired(&desk),
        [(secs(3), Some('b')), (secs(10), Some('a'))]
    );
    assert_eq!(desk.broker.counts(Q).expired, 2);
}

#[test]
fn at_the_head_only_an_expired_message_behind_a_live_one_stays_and_counts() {
    // RMQ-C21
    let mut desk = rabbit(None);
    desk.send("l");
    send(&mut desk, 's', ms(200));
    desk.at(secs(1));
    assert_eq!((desk.depth(Q), desk.depth(D)), ([2, 0, 0], [0, 0, 0]));
    assert_eq!(desk.receive(1).messages, "l");
    assert_eq!((desk.depth(Q), desk.depth(D)), ([0, 0, 1], [1, 0, 0]));
}

#[test]
fn a_delay_queue_by_own_times_to_live_is_held_up_by_its_longest_delay() {
    // Incident ttl-head-blocking.
    let mut desk = rabbit(None);
    send(&mut desk, '1', secs(180));
    send(&mut desk, '2', secs(3_600));
    send(&mut desk, '3', secs(1_800));
    desk.at(secs(2_000));
    assert_eq!(desk.depth(Q), [2, 0, 0]);
    desk.at(secs(4_000));
    let late = [(secs(180), Some('1')), (secs(3_600), Some('2'))];
    assert_eq!(expired(&desk)[..2], late);
    assert_eq!(expired(&desk)[2], (secs(3_600), Some('3')));
}

#[test]
fn noticed_anywhere_each_message_leaves_at_its_own_time() {
    let mut desk = Desk::new(standard());
    send(&mut desk, '1', secs(180));
    send(&mut desk, '2', secs(3_600));
    send(&mut desk, '3', secs(1_800));
    desk.at(secs(4_000));
    let order: Vec<_> = expired(&desk).into_iter().map(|(at, _)| at).collect();
    assert_eq!(order, [secs(180), secs(1_800), secs(3_600)]);
}

#[test]
fn a_message_in_flight_does_not_expire_and_returns_under_its_original_deadline() {
    // Incident requeue-keeps-original-expiry: nack at 35 after a time to live of 30.
    for (nack_at, second) in [(secs(35), ""), (secs(28), "m")] {
        let mut desk = rabbit(Some(secs(30)));
        desk.send("m");
        desk.at(secs(25));
        let receipt = desk.receive_from(Q, 1, 1, Some(secs(1_000))).receipts[0];
        desk.at(nack_at);
        assert_eq!(desk.depth(D), [0; 3]);
        desk.nack(receipt, Micros::ZERO);
        assert_eq!(desk.receive(1).messages, second);
        let gone = if second.is_empty() { 1 } else { 0 };
        assert_eq!(desk.depth(D), [gone, 0, 0]);
    }
}

#[test]
fn an_abandoned_message_over_its_time_is_dead_lettered_at_once() {
    // ASB-C02
    let mut desk = rabbit(Some(secs(10)));
    desk.send("x");
    desk.at(secs(5));
    let receipt = desk.receive(1).receipts[0];
    desk.at(secs(12));
    assert_eq!(desk.depth(D), [0; 3]);
    desk.at(secs(13));
    desk.nack(receipt, Micros::ZERO);
    assert_eq!(expired(&desk), [(secs(13), Some('x'))]);
    assert_eq!(desk.depth(D), [1, 0, 0]);
}

#[test]
fn a_lease_that_ends_after_the_deadline_gives_back_nothing() {
    let mut desk = Desk::new(with_rules(|rules| rules.ttl = Some(secs(10))));
    desk.send("x");
    desk.receive(1);
    desk.at(secs(60));
    assert_eq!(expired(&desk), [(secs(30), Some('x'))]);
    assert_eq!(desk.depth(Q), [0; 3]);
}

#[test]
fn with_a_time_to_live_of_zero_a_message_is_delivered_now_or_expires() {
    // RMQ-C23
    let mut desk = rabbit(Some(Micros::ZERO));
    desk.send("x");
    assert_eq!(desk.receive(1).messages, "x");
    desk.send("y");
    desk.at(ms(500));
    assert_eq!((desk.depth(Q)[0], desk.depth(D)[0]), (0, 1));
}

#[test]
fn a_dead_letter_brings_no_time_to_live_along() {
    // RMQ-C16: the expiration is removed.
    let mut desk = rabbit(None);
    send(&mut desk, 'e', ms(200));
    desk.at(secs(3_600));
    assert_eq!(desk.depth(D), [1, 0, 0]);
}

#[test]
fn expired_messages_are_never_handed_out_from_groups_either() {
    let mut setup = fifo();
    setup.rules.expiry_noticed = ExpiryNoticed::AtHead;
    let mut desk = Desk::new(setup);
    desk.send_to_group("a", 1);
    desk.send_with('b', |incoming| {
        incoming.group = Some(queue_playground::engine::GroupId(2));
        incoming.ttl = Some(secs(1));
    });
    desk.send_to_group("c", 2);
    desk.at(secs(2));
    assert_eq!(desk.receive_up_to(1, 10).messages, "ac");
    assert_eq!(desk.broker.counts(Q).expired, 1);
}

#[test]
fn retention_runs_in_flight_too_and_keeps_its_own_clock() {
    // SQS-C18
    let mut desk = Desk::new(QueueSetup {
        retention: Some(secs(60)),
        visibility_timeout: secs(50),
        ..standard()
    });
    desk.send("o");
    desk.at(secs(15));
    assert_eq!(desk.receive(1).messages, "o");
    desk.at(secs(67));
    assert_eq!(desk.receive(2).messages, "");
    assert_eq!(expired(&desk), [(secs(60), Some('o'))]);
}

#[test]
fn a_changed_time_to_live_acts_on_what_waits() {
    let mut desk = Desk::new(standard());
    desk.send("ab");
    desk.at(secs(5));
    let held = desk.receive(1);
    desk.change(QueueChange::Rule(Rule::Ttl(Some(secs(5)))));
    desk.at(secs(5));
    assert_eq!(expired(&desk), [(secs(5), Some('b'))]);
    desk.nack(held.receipts[0], Micros::ZERO);
    assert_eq!(desk.depth(Q), [0; 3]);
    desk.send("c");
    desk.change(QueueChange::Rule(Rule::Ttl(None)));
    desk.at(secs(100));
    assert_eq!(desk.depth(Q), [1, 0, 0]);
}

#[test]
fn a_queue_that_nobody_uses_is_deleted_without_dead_letters() {
    // RMQ-C20
    let setup = with_rules(|rules| rules.unused_for = Some(ms(300)));
    let mut desk = Desk::with_dlq(setup, 3);
    desk.send("x");
    desk.at(ms(200));
    assert_eq!(desk.receive(1).messages, "x");
    desk.at(ms(499));
    assert!(desk.broker.queue_exists(Q));
    desk.at(secs(2));
    assert!(!desk.broker.queue_exists(Q));
    let gone = desk.when(|kind| *kind == HappeningKind::QueueDeleted);
    assert_eq!(gone, [(ms(500), None)]);
    assert_eq!((desk.depth(Q), desk.depth(D)), ([0; 3], [0; 3]));
    assert_eq!(desk.broker.counts(Q).purged, 1);
}

#[test]
fn a_receive_that_waits_keeps_a_queue_in_use() {
    let setup = with_rules(|rules| rules.unused_for = Some(ms(300)));
    let mut desk = Desk::new(setup);
    desk.wait(1, 1, secs(20));
    desk.at(secs(20));
    assert!(desk.broker.queue_exists(Q));
    desk.at(ms(20_301));
    assert!(!desk.broker.queue_exists(Q));
}
