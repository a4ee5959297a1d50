//! What a restart of the broker leaves, and ids that outlive their messages.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::event::{RefusalReason, RequeueReason};
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn kept(durability: Durability) -> QueueSetup {
    let mut setup = standard();
    setup.rules.durability = durability;
    setup
}

fn send(desk: &mut Desk, letters: &str, persistent: bool) -> Vec<SendOutcome> {
    let send = |letter| desk.send_with(letter, |incoming| incoming.persistent = persistent);
    letters.chars().map(send).collect()
}

fn lost(desk: &Desk) -> String {
    let lost = desk.when(|kind| *kind == HappeningKind::LostInRestart);
    lost.into_iter().filter_map(|(_, letter)| letter).collect()
}

#[test]
fn a_durable_queue_keeps_its_persistent_messages_only() {
    // Incident nondurable-restart: 6 transient, 4 persistent, then 3 persistent.
    let mut desk = Desk::new(kept(Durability::Persistent));
    send(&mut desk, "abcdef", false);
    send(&mut desk, "ghij", true);
    desk.at(secs(5));
    desk.restart();
    assert_eq!(lost(&desk), "abcdef");
    assert_eq!(desk.depth(Q), [4, 0, 0]);
    desk.at(secs(8));
    send(&mut desk, "klm", true);
    assert_eq!(desk.depth(Q), [7, 0, 0]);
    assert_eq!(desk.broker.counts(Q).lost, 6);
}

#[test]
fn a_volatile_queue_is_gone_and_refuses_what_comes() {
    let mut desk = Desk::new(kept(Durability::Volatile));
    send(&mut desk, "abcdef", false);
    send(&mut desk, "ghij", true);
    let held = desk.receive(1);
    desk.restart();
    assert_eq!(lost(&desk), "abcdefghij");
    assert!(!desk.broker.queue_exists(Q));
    let refused = SendOutcome::Refused(RefusalReason::NoQueue);
    assert_eq!(send(&mut desk, "klm", true), [refused; 3]);
    assert_eq!(desk.ack(held.receipts[0]), AckOutcome::Ignored);
    let now = desk.now;
    desk.broker.declare(now, Q);
    assert_eq!(send(&mut desk, "n", true), [SendOutcome::Accepted]);
    assert_eq!(desk.receive_up_to(1, 9).messages, "n");
}

#[test]
fn a_queue_that_keeps_everything_loses_nothing() {
    let mut desk = Desk::new(kept(Durability::Durable));
    send(&mut desk, "pn", false);
    desk.restart();
    assert_eq!(desk.receive_up_to(1, 9).messages, "pn");
}

#[test]
fn a_lease_outlives_the_restart_with_its_message() {
    let mut desk = Desk::new(kept(Durability::Durable));
    desk.send("a");
    let receipt = desk.receive(1).receipts[0];
    desk.at(secs(1));
    desk.restart();
    assert_eq!(desk.receive(2).messages, "");
    assert_eq!(desk.ack(receipt), AckOutcome::Removed);
}

#[test]
fn what_was_pushed_comes_back_because_its_channel_is_gone() {
    let mut setup = kept(Durability::Persistent);
    setup.rules.hand_over = HandOver::Push;
    let mut desk = Desk::new(setup);
    send(&mut desk, "a", true);
    send(&mut desk, "b", false);
    assert_eq!(desk.receive_up_to(1, 2).messages, "ab");
    desk.restart();
    assert_eq!(lost(&desk), "b");
    assert_eq!(desk.depth(Q), [1, 0, 0]);
    let back = desk.when(|kind| {
        let reason = RequeueReason::BrokerRestarted;
        matches!(kind, HappeningKind::Requeued { reason: it, .. } if *it == reason)
    });
    assert_eq!(back, [(Micros::ZERO, Some('a'))]);
}

#[test]
fn an_id_is_remembered_while_its_message_is_there_and_for_the_window_after() {
    // Incident jobid-dedup-until-record-evicted: the record goes between 209 and 300.
    for (window, runs) in [(secs(200), vec![0, 300]), (Micros::ZERO, vec![0, 100, 300])] {
        let mut setup = standard();
        setup.deduplication = Deduplication::ById;
        setup.deduplication_window = window;
        setup.rules.deduplication_from = DeduplicationFrom::Removal;
        let mut desk = Desk::new(setup);
        let mut started = Vec::new();
        for (second, letter) in [(0, 'a'), (100, 'b'), (300, 'c')] {
            desk.at(secs(second));
            desk.send_as(letter, None, Some(7), None);
            if let Some(&receipt) = desk.receive(1).receipts.first() {
                started.push(second);
                desk.at(secs(second) + ms(500));
                desk.ack(receipt);
            }
        }
        assert_eq!(started, runs);
    }
}

#[test]
fn an_id_is_forgotten_when_so_many_others_were_removed_after_it() {
    // Incident jobid-dedup-until-record-evicted: the ten newest completed jobs are kept.
    let mut setup = standard();
    setup.deduplication = Deduplication::ById;
    setup.deduplication_window = secs(3_600);
    setup.rules.deduplication_from = DeduplicationFrom::Removal;
    setup.rules.deduplication_kept = Some(10);
    let mut desk = Desk::new(setup);
    let mut accepted = |id: u64| {
        let outcome = desk.send_as('a', None, Some(id), None);
        let received = desk.receive(1);
        received.receipts.first().map(|&receipt| desk.ack(receipt));
        outcome == SendOutcome::Accepted
    };
    assert!(accepted(7));
    assert!(!accepted(7));
    assert!((20..29).all(&mut accepted));
    assert!(!accepted(7));
    assert!(accepted(29));
    assert!(accepted(7));
}

#[test]
fn while_its_message_is_there_an_id_is_remembered_longer_than_the_window() {
    let mut setup = standard();
    setup.deduplication = Deduplication::ById;
    setup.deduplication_window = secs(1);
    setup.rules.deduplication_from = DeduplicationFrom::Removal;
    let mut desk = Desk::new(setup);
    desk.send_as('a', None, Some(7), None);
    desk.at(secs(100));
    let outcome = desk.send_as('b', None, Some(7), None);
    assert!(matches!(outcome, SendOutcome::Suppressed { .. }));
}

#[test]
fn the_window_runs_from_the_first_send_and_does_not_slide() {
    // Incident dedup-window-not-sliding, NAT-C13, ASB-C03.
    let mut setup = standard();
    setup.deduplication = Deduplication::ById;
    setup.deduplication_window = secs(120);
    let mut desk = Desk::new(setup);
    let mut stored = Vec::new();
    for nth in 0..13 {
        desk.at(secs(50 * nth));
        if desk.send_as('a', None, Some(7), None) == SendOutcome::Accepted {
            stored.push(50 * nth);
        }
    }
    assert_eq!(stored, [0, 150, 300, 450, 600]);
}
