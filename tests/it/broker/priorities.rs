//! Priority on standard queues. Rule and case numbers are those of the conformance collection.

use super::desk::*;
use proptest::prelude::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::QueueSetup;
use queue_playground::engine::time::Micros;

fn strict(max: u8, default: u8, lost_on_return: bool) -> Priority {
    Priority::Strict {
        max,
        default,
        lost_on_return,
    }
}

fn by(priority: Priority) -> QueueSetup {
    let mut setup = standard();
    setup.rules.priority = priority;
    setup
}

/// Everything, message by message, each acknowledged.
fn drain(desk: &mut Desk) -> String {
    let mut all = String::new();
    loop {
        let received = desk.receive(9);
        let Some(&receipt) = received.receipts.first() else {
            return all;
        };
        desk.ack(receipt);
        all += &received.messages;
    }
}

#[test]
fn the_highest_level_goes_first_and_levels_keep_send_order() {
    // RMQ-C25: none counts as 0, above the maximum as the maximum.
    let mut desk = Desk::new(by(strict(5, 0, false)));
    desk.send_with_priority("a", 1);
    desk.send_with_priority("b", 3);
    desk.send_with_priority("c", 9);
    desk.send("d");
    desk.send_with_priority("e", 5);
    desk.send_with_priority("f", 3);
    assert_eq!(desk.waiting(), "cebfad");
    assert_eq!(desk.receive_up_to(1, 2).messages, "ce");
    assert_eq!(drain(&mut desk), "bfad");
}

#[test]
fn returned_messages_keep_their_level_and_place() {
    // RMQ-C27.
    let mut desk = Desk::new(by(strict(3, 0, false)));
    desk.send_with_priority("1", 1);
    desk.send_with_priority("2", 2);
    desk.send_with_priority("3", 3);
    let received = desk.receive_up_to(1, 3);
    assert_eq!(received.messages, "321");
    for receipt in received.receipts {
        desk.nack(receipt, Micros::ZERO);
    }
    desk.send_with_priority("x", 2);
    assert_eq!(drain(&mut desk), "32x1");
}

#[test]
fn a_message_without_priority_counts_as_the_default_and_returned_ones_go_before_everything() {
    // RMQ-C32, quorum queues from 4.3.
    let mut desk = Desk::new(by(strict(31, 4, true)));
    desk.send("n");
    desk.send_with_priority("l", 3);
    desk.send_with_priority("h", 40);
    desk.send_with_priority("i", 31);
    assert_eq!(desk.waiting(), "hinl");
    let first = desk.receive_up_to(1, 4);
    desk.nack(first.receipts[3], Micros::ZERO);
    desk.send_with_priority("z", 31);
    assert_eq!(drain(&mut desk), "lz");
}

#[test]
fn two_high_messages_go_for_each_low_one_while_both_wait() {
    // Observed on RabbitMQ 4.0.5 (RMQ-31).
    let weighted = Priority::Weighted {
        above: 4,
        high: 2,
        low: 1,
    };
    let mut desk = Desk::new(by(weighted));
    desk.send_with_priority("lmno", 1);
    desk.send_with_priority("abcdef", 5);
    assert_eq!(desk.waiting(), "ablcdmefno");
    assert_eq!(desk.receive_up_to(1, 3).messages, "abl");
    assert_eq!(desk.waiting(), "cdmefno", "the round goes on where it was");
    assert_eq!(drain(&mut desk), "cdmefno");
}

#[test]
fn a_message_rises_by_one_for_each_so_much_waiting() {
    let aging = Priority::Aging {
        max: 9,
        every: secs(10),
    };
    let mut desk = Desk::new(by(aging));
    desk.send_with_priority("a", 2);
    desk.at(secs(19)).send_with_priority("b", 4);
    assert_eq!(desk.waiting(), "ba", "19 s make up for one of two levels");
    let second = desk.receive(1);
    assert_eq!(second.messages, "b");
    desk.nack(second.receipts[0], Micros::ZERO);
    desk.at(secs(21)).send_with_priority("c", 4);
    desk.send_with_priority("d", 200);
    assert_eq!(drain(&mut desk), "dbac", "21 s make up for both levels");
}

#[test]
fn priority_goes_along_to_the_dead_letter_queue() {
    let mut dead = queue("d", queue_playground::engine::setup::QueueKind::Standard);
    dead.rules.priority = strict(9, 0, false);
    let setup = QueueSetup {
        max_deliveries: Some(1),
        dead_letter_queue: Some(D),
        visibility_timeout: secs(1),
        ..standard()
    };
    let mut desk = Desk::with(&[setup, dead]);
    desk.send("a");
    desk.send_with_priority("b", 7);
    desk.receive_up_to(1, 2);
    desk.at(secs(1)).receive_up_to(1, 2);
    assert_eq!(desk.receive_from(D, 1, 2, None).messages, "ba");
}

#[test]
fn a_change_of_priority_keeps_every_message_and_its_lease() {
    let mut desk = Desk::new(standard());
    desk.send_with_priority("abc", 1);
    desk.send_with_priority("xyz", 8);
    let held = desk.receive(1);
    desk.change(QueueChange::Rule(Rule::Priority(strict(9, 0, false))));
    assert_eq!(desk.waiting(), "xyzbc");
    desk.nack(held.receipts[0], Micros::ZERO);
    assert_eq!(desk.waiting(), "xyzabc");
    desk.change(QueueChange::Rule(Rule::Priority(Priority::Off)));
    assert_eq!(drain(&mut desk), "abcxyz");
}

#[test]
fn retention_removes_the_oldest_whatever_its_priority() {
    let mut desk = Desk::new(QueueSetup {
        retention: Some(secs(10)),
        ..by(strict(9, 0, false))
    });
    desk.send_with_priority("a", 1);
    desk.at(secs(5)).send_with_priority("b", 9);
    assert_eq!(desk.at(secs(10)).waiting(), "b");
    assert_eq!(desk.at(secs(15)).waiting(), "");
}

/// A message that waits, as a slow and obvious queue keeps it.
#[derive(Clone, Copy, Debug)]
struct Waits {
    letter: char,
    priority: Option<u8>,
    sent: u64,
    is_returned: bool,
}

/// Takes the next message out of a list in send order.
fn take_next(rule: Priority, turn: u32, now: u64, waiting: &mut Vec<Waits>) -> Option<Waits> {
    let score = |it: &Waits| -> i64 {
        match rule {
            Priority::Off => 0,
            Priority::Strict {
                max,
                default,
                lost_on_return,
            } => {
                if lost_on_return && it.is_returned {
                    return 1_000;
                }
                i64::from(it.priority.unwrap_or(default).min(max))
            }
            Priority::Weighted { above, high, .. } => {
                let is_high = it.priority.is_some_and(|priority| priority > above);
                i64::from(is_high == (turn < high))
            }
            Priority::Aging { max, every } => {
                let level = u64::from(it.priority.unwrap_or(0).min(max));
                (level * every.0 + (now - it.sent)) as i64
            }
        }
    };
    let mut best: Option<usize> = None;
    for (at, it) in waiting.iter().enumerate() {
        if best.is_none_or(|best| score(it) > score(&waiting[best])) {
            best = Some(at);
        }
    }
    best.map(|at| waiting.remove(at))
}

fn any_priority() -> impl Strategy<Value = Priority> {
    prop_oneof![
        (0..6u8, 0..4u8, any::<bool>()).prop_map(|(max, default, lost)| strict(max, default, lost)),
        (0..6u8, 1..4u32, 1..3u32).prop_map(|(above, high, low)| Priority::Weighted {
            above,
            high,
            low
        }),
        (0..6u8, 0..9u64).prop_map(|(max, every)| Priority::Aging {
            max,
            every: Micros(every)
        }),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Send(Option<u8>),
    Receive,
    Return(usize),
    Pass(u64),
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        4 => proptest::option::of(0..8u8).prop_map(Call::Send),
        3 => Just(Call::Receive),
        2 => any::<usize>().prop_map(Call::Return),
        1 => (0..20u64).prop_map(Call::Pass),
    ]
}

proptest! {
    #![proptest_config(proptest::test_runner::Config {
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn no_message_overtakes_one_that_should_go_before_it(
        rule in any_priority(),
        calls in proptest::collection::vec(call(), 1..120),
    ) {
        let mut desk = Desk::new(QueueSetup { visibility_timeout: secs(1_000), ..by(rule) });
        let (mut waiting, mut held): (Vec<Waits>, Vec<_>) = (Vec::new(), Vec::new());
        let (mut sent, mut turn) = (0, 0);
        for call in calls {
            let now = desk.now.0;
            match call {
                Call::Send(priority) => {
                    sent += 1;
                    let letter = char::from_u32(0x4e00 + sent).unwrap_or('?');
                    desk.send_with(letter, |incoming| incoming.priority = priority);
                    waiting.push(Waits { letter, priority, sent: now, is_returned: false });
                }
                Call::Receive => {
                    let got = desk.receive(1);
                    let expected = take_next(rule, turn, now, &mut waiting);
                    let letter = expected.map(|it| it.letter.to_string()).unwrap_or_default();
                    prop_assert_eq!(&got.messages, &letter);
                    if let (Some(it), Some(&receipt)) = (expected, got.receipts.first()) {
                        held.push((it, receipt));
                        if let Priority::Weighted { high, low, .. } = rule {
                            turn = (turn + 1) % (high + low);
                        }
                    }
                }
                Call::Return(which) => {
                    if let Some(at) = which.checked_rem(held.len()) {
                        let (mut it, receipt) = held.remove(at);
                        it.is_returned = true;
                        desk.nack(receipt, Micros::ZERO);
                        let place = waiting.iter().position(|other| other.letter > it.letter);
                        waiting.insert(place.unwrap_or(waiting.len()), it);
                    }
                }
                Call::Pass(time) => {
                    let now = Micros(now + time);
                    desk.at(now);
                }
            }
            let mut shown = desk.waiting();
            let mut rest = waiting.clone();
            if !matches!(rule, Priority::Weighted { .. }) {
                while let Some(next) = take_next(rule, turn, desk.now.0, &mut rest) {
                    prop_assert_eq!(shown.remove(0), next.letter);
                }
            }
        }
    }
}
