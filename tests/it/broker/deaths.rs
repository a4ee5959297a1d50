//! Dead letters: reasons, clocks, cycles and retries.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::event::DeadLetterReason::{self, *};
use queue_playground::engine::id::QueueId;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

/// A RabbitMQ queue: dead letters are published anew, and cycles are cut.
fn rabbit(name: &str, ttl: Option<Micros>, dead: Option<QueueId>) -> QueueSetup {
    let mut setup = queue(name, QueueKind::Standard);
    setup.dead_letter_queue = dead;
    setup.rules.ttl = ttl;
    setup.rules.expiry_noticed = ExpiryNoticed::AtHead;
    setup.rules.expired_to = ExpiredTo::DeadLetter;
    setup.rules.dead_letter_clock = DeadLetterClock::Restarted;
    setup.rules.cuts_cycles = true;
    setup
}

fn deaths(desk: &Desk, queue: QueueId, letter: char) -> Vec<(QueueId, DeadLetterReason, u32)> {
    let deaths = desk.broker.deaths(queue, MessageKey(letter as u32));
    let entries = deaths.entries.iter();
    entries.map(|it| (it.queue, it.reason, it.count)).collect()
}

fn dropped(desk: &Desk, why: DeadLetterReason) -> Vec<(Micros, Option<char>)> {
    desk.when(|kind| matches!(kind, HappeningKind::Dropped { reason, .. } if *reason == why))
}

#[test]
fn a_queue_that_dead_letters_what_expires_into_itself_drops_it() {
    // RMQ-C18
    let mut desk = Desk::new(rabbit("q", Some(ms(100)), Some(Q)));
    desk.send("x");
    desk.at(secs(1));
    assert_eq!(dropped(&desk, Cycle), [(ms(100), Some('x'))]);
    assert_eq!(desk.depth(Q), [0; 3]);
}

#[test]
fn a_rejection_lets_a_message_go_round() {
    // RMQ-C19
    let mut desk = Desk::new(rabbit("q", None, Some(Q)));
    desk.send("x");
    for _ in 0..3 {
        let receipt = desk.receive(1).receipts[0];
        assert_eq!(desk.reject(receipt), AckOutcome::Removed);
    }
    assert_eq!(deaths(&desk, Q, 'x'), [(Q, Rejected, 3)]);
    assert_eq!(desk.receive(1).messages, "x");
}

#[test]
fn a_ring_of_two_queues_that_expire_drops_a_message_after_one_round() {
    // Incident dlx-ttl-cycle-drop.
    let ring = [
        rabbit("q", Some(secs(10)), Some(D)),
        rabbit("d", Some(secs(10)), Some(Q)),
    ];
    let mut desk = Desk::with(&ring);
    desk.send("m");
    desk.at(secs(15));
    assert_eq!(desk.depth(D), [1, 0, 0]);
    desk.at(secs(65));
    assert_eq!(dropped(&desk, Cycle), [(secs(20), Some('m'))]);
}

#[test]
fn a_ring_with_a_consumer_that_rejects_goes_on() {
    let ring = [
        rabbit("q", None, Some(D)),
        rabbit("d", Some(secs(10)), Some(Q)),
    ];
    let mut desk = Desk::with(&ring);
    desk.send("m");
    let mut times = Vec::new();
    for second in 0..65 {
        desk.at(secs(second));
        if let Some(&receipt) = desk.receive(1).receipts.first() {
            times.push(second);
            desk.reject(receipt);
        }
    }
    assert_eq!(times, [0, 10, 20, 30, 40, 50, 60]);
    assert_eq!(deaths(&desk, D, 'm'), [(Q, Rejected, 7), (D, Expired, 6)]);
}

#[test]
fn the_newest_death_comes_first_and_the_first_is_kept() {
    // RMQ-C49, with the last queue the first one again: it was rejected there, so it is no cycle.
    let chain = [
        rabbit("a", None, Some(D)),
        rabbit("b", Some(ms(200)), Some(Q)),
    ];
    let mut desk = Desk::with(&chain);
    desk.send("x");
    let receipt = desk.receive(1).receipts[0];
    desk.reject(receipt);
    assert_eq!(deaths(&desk, D, 'x'), [(Q, Rejected, 1)]);
    desk.at(secs(1));
    assert_eq!(deaths(&desk, Q, 'x'), [(D, Expired, 1), (Q, Rejected, 1)]);
    let all = desk.broker.deaths(Q, MessageKey('x' as u32));
    assert_eq!(all.first, Some((Q, Rejected)));
    assert_eq!(all.entries[0].first_at, ms(200));
}

#[test]
fn the_clock_goes_on_or_starts_again_where_the_dead_letter_queue_says() {
    // SQS-C19, S14
    let case = |kind, clock, expected: u64| {
        let mut dead = queue("d", kind);
        dead.retention = Some(secs(100));
        dead.rules.dead_letter_clock = clock;
        let mut setup = queue("q", kind);
        setup.dead_letter_queue = Some(D);
        let mut desk = Desk::with(&[setup, dead]);
        desk.send("p");
        desk.at(secs(40));
        let receipt = desk.receive(1).receipts[0];
        desk.reject(receipt);
        desk.at(secs(1_000));
        let expired = desk.when(|kind| *kind == HappeningKind::Expired);
        assert_eq!(expired, [(secs(expected), Some('p'))], "{kind:?} {clock:?}");
    };
    use DeadLetterClock::*;
    use QueueKind::*;
    case(Standard, ByKind, 100);
    case(Fifo, ByKind, 140);
    case(Standard, Kept, 100);
    case(Fifo, Kept, 100);
    case(Standard, Restarted, 140);
}

#[test]
fn a_dead_letter_published_anew_counts_its_deliveries_anew() {
    let mut desk = Desk::with(&[rabbit("q", None, Some(D)), rabbit("d", None, None)]);
    desk.send("x");
    let receipt = desk.receive(1).receipts[0];
    desk.reject(receipt);
    assert_eq!(desk.receive_from(D, 1, 1, None).deliveries, [1]);
}

#[test]
fn a_missing_dead_letter_queue_loses_what_is_not_kept_for_it() {
    let mut desk = Desk::with(&[rabbit("q", None, Some(D)), rabbit("late", None, None)]);
    let mut out = Vec::new();
    desk.broker.delete(desk.now, D, &mut out);
    desk.send("x");
    let receipt = desk.receive(1).receipts[0];
    assert_eq!(desk.reject(receipt), AckOutcome::Removed);
    assert_eq!(dropped(&desk, NoTarget), [(Micros::ZERO, Some('x'))]);
}

#[test]
fn at_least_once_keeps_a_dead_letter_until_its_queue_is_there() {
    // RMQ-C48
    let mut setup = rabbit("q", None, Some(D));
    setup.rules.dead_letter_retry = Some(secs(3));
    let mut desk = Desk::with(&[setup, rabbit("late", None, None)]);
    let mut out = Vec::new();
    desk.broker.delete(desk.now, D, &mut out);
    desk.send("x");
    let receipt = desk.receive(1).receipts[0];
    desk.reject(receipt);
    desk.at(secs(7));
    assert_eq!(desk.broker.counts(Q).undeliverable, 1);
    assert_eq!(desk.receive(1).messages, "");
    desk.broker.declare(desk.now, D);
    desk.at(secs(15));
    assert_eq!(desk.broker.counts(Q).undeliverable, 0);
    assert_eq!(desk.receive_from(D, 1, 1, None).messages, "x");
    let moved = desk.when(|kind| matches!(kind, HappeningKind::DeadLettered { .. }));
    assert_eq!(moved, [(secs(9), Some('x'))]);
}

#[test]
fn dead_letters_that_shared_an_id_both_fit() {
    // F7: in the dead-letter queue the deduplication id is replaced.
    let mut setup = fifo();
    setup.deduplication = Deduplication::ById;
    setup.deduplication_window = secs(1);
    let mut desk = Desk::with_dlq(setup, 100);
    for second in [0, 2] {
        desk.at(secs(second));
        desk.send_as('a', Some(1), Some(7), None);
        let receipt = desk.receive(1).receipts[0];
        desk.reject(receipt);
    }
    assert_eq!(desk.depth(D), [2, 0, 0]);
}

#[test]
fn a_redriven_message_has_no_deaths_and_a_new_time_to_live() {
    let mut setup = rabbit("q", Some(secs(10)), Some(D));
    setup.rules.expiry_noticed = ExpiryNoticed::Anywhere;
    let mut desk = Desk::with(&[setup, rabbit("d", None, None)]);
    desk.send("x");
    desk.at(secs(12));
    assert_eq!(desk.redrive(None, None), 1);
    assert_eq!(deaths(&desk, Q, 'x'), []);
    desk.at(secs(21));
    assert_eq!(desk.depth(Q), [1, 0, 0]);
    desk.at(secs(22));
    assert_eq!(desk.depth(Q), [0, 0, 0]);
}

#[test]
fn a_kept_clock_ends_behind_a_younger_message_of_a_fifo_queue_too() {
    let mut dead = queue("d", QueueKind::Fifo);
    dead.retention = Some(secs(100));
    dead.rules.dead_letter_clock = DeadLetterClock::Kept;
    let mut setup = queue("q", QueueKind::Fifo);
    setup.dead_letter_queue = Some(D);
    let mut desk = Desk::with(&[setup, dead]);
    desk.send_as('o', Some(1), None, None);
    desk.at(secs(30));
    desk.send_as('y', Some(2), None, None);
    let young = desk.receive_up_to(1, 2);
    assert_eq!(young.messages, "oy");
    desk.at(secs(35)).reject(young.receipts[1]);
    desk.at(secs(36)).reject(young.receipts[0]);
    desk.at(secs(1_000));
    let expired = desk.when(|kind| *kind == HappeningKind::Expired);
    assert_eq!(expired, [(secs(100), Some('o')), (secs(130), Some('y'))]);
}

#[test]
fn a_ring_that_stops_to_cut_cycles_does_not_go_round_at_one_instant() {
    let ring = [
        rabbit("q", Some(secs(5)), Some(D)),
        rabbit("d", Some(Micros::ZERO), Some(Q)),
    ];
    let mut desk = Desk::with(&ring);
    desk.send("m");
    for (queue, rule) in [
        (Q, Rule::CutsCycles(false)),
        (D, Rule::CutsCycles(false)),
        (Q, Rule::Ttl(Some(Micros::ZERO))),
    ] {
        let mut out = Vec::new();
        let change = QueueChange::Rule(rule);
        desk.broker.change(desk.now, queue, &change, &mut out);
    }
    desk.at(secs(1));
    assert_eq!(dropped(&desk, Cycle), [(Micros::ZERO, Some('m'))]);
}

#[test]
fn at_least_once_keeps_what_a_full_dead_letter_queue_refuses_and_tries_again() {
    let mut setup = rabbit("q", None, Some(D));
    setup.rules.dead_letter_retry = Some(secs(3));
    let mut full = rabbit("d", None, None);
    full.rules.capacity = Some(2);
    full.rules.overflow = queue_playground::engine::rules::Overflow::Refuse;
    let mut desk = Desk::with(&[setup, full]);
    desk.send("wxyz");
    let receipts = desk.receive_up_to(1, 4).receipts;
    receipts.iter().for_each(|&receipt| {
        desk.reject(receipt);
    });
    assert_eq!(desk.depth(D), [2, 0, 0]);
    assert_eq!(desk.broker.counts(Q).undeliverable, 2);
    desk.at(secs(4));
    let got = desk.receive_from(D, 1, 1, None);
    desk.ack(got.receipts[0]);
    desk.at(secs(7));
    assert_eq!(
        desk.depth(D),
        [2, 0, 0],
        "one received, and one in its room"
    );
    let counts = desk.broker.counts(Q);
    assert_eq!((counts.undeliverable, counts.moved_out), (1, 3));
    assert_eq!(desk.broker.counts(D).dropped, 0);
}

#[test]
fn only_a_message_that_died_more_than_once_has_a_chain() {
    let chain = [
        rabbit("a", None, Some(D)),
        rabbit("b", Some(ms(200)), Some(Q)),
    ];
    let mut desk = Desk::with(&chain);
    desk.send("x");
    let receipt = desk.receive(1).receipts[0];
    desk.reject(receipt);
    let key = MessageKey('x' as u32);
    assert_eq!(desk.broker.death_chain(D, key), None);
    desk.at(secs(1));
    let found = desk.broker.death_chain(Q, key).map(|it| it.entries.len());
    assert_eq!(found, Some(2));
    let receipt = desk.receive(1).receipts[0];
    desk.ack(receipt);
    assert_eq!(desk.broker.death_chain(Q, key), None);
}
