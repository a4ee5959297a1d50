//! Fair share between the groups of a standard queue.

use super::desk::*;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::QueueSetup;
use queue_playground::engine::time::Micros;

fn sharing(fair_share: FairShare) -> QueueSetup {
    let mut setup = standard();
    setup.visibility_timeout = secs(3_600);
    setup.rules.fair_share = fair_share;
    setup
}

/// As many letters as asked for, from this one on.
fn letters(from: char, count: u32) -> String {
    let from = from as u32;
    (from..from + count).filter_map(char::from_u32).collect()
}

#[test]
fn groups_take_turns_and_a_new_one_joins_behind_the_others() {
    let mut desk = Desk::new(sharing(FairShare::RoundRobin));
    desk.send_to_group("abcd", 1);
    desk.send_to_group("xy", 2);
    assert_eq!(desk.waiting(), "axbycd");
    assert_eq!(desk.receive_up_to(1, 2).messages, "ax");
    desk.send_to_group("n", 3);
    assert_eq!(desk.receive_up_to(1, 9).messages, "byncd");
}

#[test]
fn a_returned_message_is_the_next_of_its_group() {
    let mut desk = Desk::new(sharing(FairShare::RoundRobin));
    desk.send_to_group("ab", 1);
    desk.send_to_group("xy", 2);
    let first = desk.receive(1);
    desk.nack(first.receipts[0], Micros::ZERO);
    assert_eq!(desk.receive_up_to(1, 9).messages, "xayb");
}

#[test]
fn a_tenant_with_less_than_thirty_in_flight_is_not_noisy() {
    // SQS-C27.
    let mut desk = Desk::new(sharing(FairShare::QuietFirst));
    let a = letters('\u{4e00}', 34);
    desk.send_to_group(&a, 1);
    desk.receive_up_to(1, 29);
    desk.at(secs(1)).send_to_group("b", 2);
    let next = desk.at(secs(2)).receive(3).messages;
    assert_eq!(next.chars().next(), a.chars().nth(29));
}

#[test]
fn quiet_tenants_go_first_and_noisy_ones_when_nothing_quiet_waits() {
    let mut desk = Desk::new(sharing(FairShare::QuietFirst));
    desk.send_to_group(&letters('\u{4e00}', 40), 1);
    desk.receive_up_to(1, 30);
    desk.at(secs(1)).send_to_group("b", 2);
    assert_eq!(desk.at(secs(2)).receive(3).messages, "b");
    assert_eq!(desk.receive_up_to(3, 20).messages.chars().count(), 10);
}

#[test]
fn of_noisy_tenants_the_one_with_fewest_in_flight_goes_first() {
    let mut desk = Desk::new(sharing(FairShare::QuietFirst));
    desk.send_to_group(&letters('\u{4e00}', 40), 1);
    desk.receive_up_to(1, 40);
    desk.send_to_group(&letters('\u{5000}', 32), 2);
    desk.receive_up_to(1, 32);
    desk.send_to_group("ab", 1);
    desk.send_to_group("xy", 2);
    assert_eq!(desk.receive_up_to(1, 4).messages, "xyab");
}

#[test]
fn a_tenth_of_what_is_in_flight_is_not_noisy_and_a_drained_tenant_is_quiet_again() {
    let mut desk = Desk::new(sharing(FairShare::QuietFirst));
    desk.send(&letters('\u{4e00}', 270));
    desk.receive_up_to(1, 270);
    desk.send_to_group(&letters('\u{6000}', 31), 1);
    let held = desk.receive_up_to(2, 30);
    desk.send("q");
    assert_eq!(
        desk.receive(3).messages,
        letters('\u{601e}', 1),
        "30 of 300 are not more than a tenth"
    );
    desk.send_to_group("ab", 1);
    assert_eq!(desk.waiting(), "qab", "31 of 301 are");
    assert_eq!(desk.receive_up_to(3, 3).messages, "qab");
    for receipt in held.receipts {
        desk.ack(receipt);
    }
    desk.send_to_group("c", 1);
    desk.send("d");
    assert_eq!(desk.receive_up_to(3, 2).messages, "cd");
}

#[test]
fn a_tenant_that_sends_nothing_for_five_minutes_is_quiet_again() {
    let mut desk = Desk::new(sharing(FairShare::QuietFirst));
    desk.send_to_group(&letters('\u{4e00}', 32), 1);
    desk.receive_up_to(1, 30);
    desk.at(secs(299)).send_to_group("b", 2);
    assert_eq!(desk.receive(2).messages, "b");
    desk.send_to_group("c", 2);
    assert_eq!(
        desk.at(secs(300)).receive(2).messages,
        letters('\u{4e1e}', 1)
    );
}

#[test]
fn a_tenant_with_much_of_the_recent_processing_time_is_noisy() {
    let mut desk = Desk::new(sharing(FairShare::QuietFirst));
    desk.at(secs(60)).send_to_group(&letters('\u{4e00}', 30), 1);
    let held = desk.receive_up_to(1, 30);
    desk.at(secs(70));
    for receipt in held.receipts {
        desk.ack(receipt);
    }
    desk.send_to_group("a", 1);
    desk.send_to_group("b", 2);
    assert_eq!(desk.receive(1).messages, "b");
    desk.send_to_group("c", 2);
    let left = desk.at(secs(120)).receive_up_to(1, 2);
    assert_eq!(left.messages, "ca", "it stays noisy until it is drained");
    desk.send_to_group("d", 1);
    desk.send_to_group("e", 2);
    assert_eq!(
        desk.waiting(),
        "de",
        "what is recent starts again every minute"
    );
}

#[test]
fn messages_of_one_tenant_go_to_several_consumers_at_once() {
    // SQS-C28: a group on a standard queue neither locks nor orders.
    let mut desk = Desk::new(sharing(FairShare::QuietFirst));
    desk.send_to_group("abc", 1);
    let received = [1, 2, 3].map(|consumer| desk.receive(consumer).messages);
    assert_eq!(received, ["a", "b", "c"]);
}
