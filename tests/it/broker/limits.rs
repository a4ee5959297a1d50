//! Limits on what is in flight, on calls and on purges.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::event::RefusalReason;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::QueueSetup;
use queue_playground::engine::time::Micros;

fn at_most(limit: u32) -> QueueSetup {
    let mut setup = standard();
    setup.rules.in_flight_limit = Some(limit);
    setup
}

fn refused(desk: &Desk) -> usize {
    let of_kind = |kind: &HappeningKind| matches!(kind, HappeningKind::ReceiveRefused { .. });
    desk.when(of_kind).len()
}

fn empty(desk: &Desk) -> usize {
    let of_kind = |kind: &HappeningKind| matches!(kind, HappeningKind::EmptyReceive { .. });
    desk.when(of_kind).len()
}

#[test]
fn at_the_limit_a_short_poll_is_refused_and_a_long_one_gets_nothing() {
    // SQS-C25.
    let mut setup = at_most(3);
    setup.rules.at_in_flight_limit = AtInFlightLimit::Error;
    let mut desk = Desk::new(setup);
    desk.send("abcd");
    assert_eq!(desk.receive_up_to(1, 9).messages, "abc");
    assert_eq!(desk.at(secs(1)).receive(1).messages, "");
    assert_eq!((refused(&desk), empty(&desk)), (1, 0));
    desk.wait(1, 1, secs(1));
    assert!(!desk.broker.wants_deliver(Q), "it would be asked for ever");
    desk.at(secs(2));
    assert_eq!((refused(&desk), empty(&desk)), (1, 1));
}

#[test]
fn a_fifo_queue_at_the_limit_answers_empty() {
    let mut setup = fifo();
    setup.rules.in_flight_limit = Some(1);
    setup.rules.at_in_flight_limit = AtInFlightLimit::Error;
    let mut desk = Desk::new(setup);
    desk.send_to_group("a", 1);
    desk.send_to_group("b", 2);
    let held = desk.receive_up_to(1, 9);
    assert_eq!(held.messages, "a");
    assert_eq!(desk.receive(2).messages, "");
    assert_eq!((refused(&desk), empty(&desk)), (0, 1));
    desk.ack(held.receipts[0]);
    assert_eq!(desk.receive(2).messages, "b");
}

#[test]
fn an_ack_makes_room_for_one_more() {
    // NAT-C06.
    let mut desk = Desk::new(at_most(2));
    desk.send("01234");
    let first = desk.receive_up_to(1, 5);
    assert_eq!(first.messages, "01");
    assert_eq!(desk.receive_up_to(1, 5).messages, "");
    desk.at(secs(1)).ack(first.receipts[0]);
    assert_eq!(desk.at(ms(1100)).receive_up_to(1, 5).messages, "2");
}

#[test]
fn redeliveries_are_served_at_the_limit_where_they_are_exempt() {
    // NAT-C07, and a limit that is full when a message comes back.
    let mut setup = at_most(2);
    setup.visibility_timeout = secs(1);
    setup.rules.redeliveries_exempt = true;
    let mut desk = Desk::new(setup.clone());
    desk.send("012");
    assert_eq!(desk.receive_up_to(1, 5).messages, "01");
    assert_eq!(desk.at(ms(1300)).receive_up_to(1, 5).messages, "01");

    let mut desk = Desk::new(setup);
    desk.send("0123");
    let held = desk.receive_up_to(1, 2);
    desk.nack(held.receipts[0], Micros::ZERO);
    desk.change(queue_playground::engine::command::QueueChange::Rule(
        Rule::InFlightLimit(Some(1)),
    ));
    assert_eq!(desk.receive_up_to(1, 5).messages, "0");
    assert_eq!(desk.receive_up_to(1, 5).messages, "");
}

#[test]
fn a_limit_below_what_is_in_flight_takes_nothing_back() {
    let mut desk = Desk::new(standard());
    desk.send("abcd");
    let held = desk.receive_up_to(1, 3);
    desk.change(queue_playground::engine::command::QueueChange::Rule(
        Rule::InFlightLimit(Some(2)),
    ));
    assert_eq!(desk.depth(Q), [1, 0, 3]);
    desk.ack(held.receipts[0]);
    assert_eq!(desk.receive(1).messages, "");
    desk.ack(held.receipts[1]);
    assert_eq!(desk.receive(1).messages, "d");
}

#[test]
fn calls_beyond_the_quota_of_a_second_are_refused_until_the_next() {
    let mut setup = fifo();
    setup.rules.quota = Some(2);
    let mut desk = Desk::new(setup);
    let send = |desk: &mut Desk, letter| desk.send_as(letter, Some(1), None, None);
    desk.at(ms(2500));
    assert_eq!(send(&mut desk, 'a'), SendOutcome::Accepted);
    assert_eq!(send(&mut desk, 'b'), SendOutcome::Accepted);
    let third = send(&mut desk, 'c');
    assert_eq!(third, SendOutcome::Refused(RefusalReason::Quota));
    assert_eq!(desk.receive(1).messages, "a", "each action by itself");
    desk.receive(1);
    desk.wait(1, 1, secs(5));
    assert_eq!(refused(&desk), 1);
    assert_eq!(
        send(desk.at(ms(2999)), 'd'),
        SendOutcome::Refused(RefusalReason::Quota)
    );
    assert_eq!(send(desk.at(secs(3)), 'e'), SendOutcome::Accepted);
}

#[test]
fn a_second_purge_is_refused_for_a_while() {
    let mut setup = standard();
    setup.rules.purge_interval = Some(secs(60));
    let mut desk = Desk::new(setup);
    desk.send("a");
    desk.purge();
    desk.at(secs(59)).send("b");
    desk.purge();
    assert_eq!(desk.waiting(), "b");
    desk.at(secs(60)).purge();
    assert_eq!(desk.waiting(), "");
}

#[test]
fn a_fifo_queue_refuses_a_message_with_a_delay_of_its_own_unless_it_is_zero() {
    // SQS-C26, C27 of the emulators' probes: F8.
    let mut desk = Desk::new(QueueSetup {
        delay: secs(2),
        ..fifo()
    });
    assert_eq!(
        desk.send_delayed('a', secs(1)),
        SendOutcome::Refused(RefusalReason::OwnDelay)
    );
    assert_eq!(desk.send_delayed('b', Micros::ZERO), SendOutcome::Accepted);
    assert_eq!(desk.at(ms(1999)).receive(1).messages, "");
    assert_eq!(desk.at(secs(2)).receive(1).messages, "b");
}
