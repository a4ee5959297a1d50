//! Sessions of Azure Service Bus, and a FIFO queue whose messages are all one group.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::event::RefusalReason;
use queue_playground::engine::id::*;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn sessions() -> QueueSetup {
    let mut setup = fifo();
    setup.rules.group_rule = GroupRule::Session;
    setup.rules.count = CountRule::OnReturn;
    setup
}

fn accept(desk: &mut Desk, consumer: u16, group: Option<u32>) -> Option<u32> {
    let mut out = Vec::new();
    let (now, consumer) = (desk.now, ConsumerId(consumer));
    let broker = &mut desk.broker;
    let got = broker.accept_session(now, Q, consumer, group.map(GroupId), &mut out);
    desk.log
        .extend(out.into_iter().map(|happening| (now, happening)));
    got.map(|group| group.0)
}

fn close(desk: &mut Desk, consumer: u16) {
    let mut out = Vec::new();
    let now = desk.now;
    let broker = &mut desk.broker;
    broker.close_session(now, Q, ConsumerId(consumer), None, &mut out);
    desk.log
        .extend(out.into_iter().map(|happening| (now, happening)));
}

/// When sessions were closed, and whether they were lost.
fn closed(desk: &Desk) -> Vec<(Micros, bool)> {
    let log = desk.log.iter();
    log.filter_map(|(at, happening)| match happening.kind {
        HappeningKind::SessionClosed { lost, .. } => Some((*at, lost)),
        _ => None,
    })
    .collect()
}

#[test]
fn the_holder_gets_all_messages_of_its_session_also_those_to_come() {
    // ASB-C04.
    let mut desk = Desk::new(sessions());
    desk.send_to_group("1", 7);
    assert_eq!(accept(&mut desk, 1, None), Some(7));
    desk.at(secs(1)).send_to_group("2", 7);
    assert_eq!(accept(desk.at(secs(2)), 2, Some(7)), None);
    assert_eq!(accept(&mut desk, 2, None), None);
    assert_eq!(desk.receive(2).messages, "");
    assert_eq!(desk.at(secs(3)).receive_up_to(1, 2).messages, "12");
}

#[test]
fn a_closed_session_returns_what_was_held_and_counts_nothing() {
    // ASB-C05.
    let mut desk = Desk::new(sessions());
    desk.send_to_group("12", 7);
    accept(&mut desk, 1, None);
    assert_eq!(desk.receive(1).deliveries, [1]);
    close(desk.at(secs(1)), 1);
    assert_eq!(closed(&desk), [(secs(1), false)]);
    assert_eq!(desk.depth(Q), [2, 0, 0]);
    accept(desk.at(secs(2)), 2, None);
    let second = desk.receive(2);
    assert_eq!(second.messages, "1");
}

#[test]
fn a_session_whose_lock_ends_is_lost_and_its_receipts_are_good_for_nothing() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("12", 7);
    accept(&mut desk, 1, None);
    let held = desk.receive(1);
    assert_eq!(desk.at(ms(29_999)).depth(Q), [1, 0, 1]);
    assert_eq!(desk.at(secs(30)).depth(Q), [2, 0, 0]);
    assert_eq!(closed(&desk), [(secs(30), true)]);
    assert_eq!(desk.ack(held.receipts[0]), AckOutcome::Refused);
    assert_eq!(desk.receive(1).messages, "", "it must accept one anew");
    assert_eq!(accept(&mut desk, 2, None), Some(7));
    assert_eq!(desk.receive_up_to(2, 2).messages, "12");
}

#[test]
fn receives_and_settlements_start_the_lock_again() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("123", 7);
    accept(&mut desk, 1, None);
    let first = desk.at(secs(20)).receive(1);
    desk.at(secs(45)).ack(first.receipts[0]);
    let second = desk.at(secs(70)).receive(1);
    assert_eq!(
        desk.extend(second.receipts[0], secs(5)),
        ChangeOutcome::HiddenUntil(secs(100))
    );
    desk.at(secs(99));
    assert!(
        desk.broker
            .renew_session(secs(99), Q, ConsumerId(1), GroupId(7))
    );
    assert_eq!(closed(desk.at(secs(128))), []);
    assert_eq!(closed(desk.at(secs(129))), [(secs(129), true)]);
}

#[test]
fn the_lock_of_an_idle_session_lasts_while_its_holder_waits_for_a_message() {
    let mut desk = Desk::new(sessions());
    accept(&mut desk, 1, Some(7));
    desk.wait(1, 1, secs(100));
    assert_eq!(closed(desk.at(secs(119))), []);
    assert_eq!(closed(desk.at(secs(120))), [(secs(120), true)]);
}

#[test]
fn a_returned_message_comes_before_the_rest_of_its_session() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("123", 7);
    accept(&mut desk, 1, None);
    let held = desk.receive_up_to(1, 2);
    desk.nack(held.receipts[0], Micros::ZERO);
    assert_eq!(desk.receive_up_to(1, 3).messages, "13");
}

#[test]
fn sessions_are_accepted_by_their_oldest_message_and_one_message_of_each_is_worked_at_a_time() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("a", 3);
    desk.send_to_group("b", 1);
    desk.send_to_group("c", 2);
    desk.send_to_group("d", 3);
    desk.broker.accept_by_itself(Q, ConsumerId(1), 2);
    desk.broker.accept_by_itself(Q, ConsumerId(2), 2);
    let held = desk.receive_up_to(1, 9);
    assert_eq!(held.messages, "ab");
    assert_eq!(desk.receive_up_to(2, 9).messages, "c");
    assert_eq!(desk.receive_up_to(2, 9).messages, "");
    desk.ack(held.receipts[0]);
    assert_eq!(desk.receive_up_to(1, 9).messages, "d");
}

#[test]
fn a_receive_that_waits_gets_the_next_session() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("a", 1);
    accept(&mut desk, 1, None);
    desk.receive(1);
    desk.broker.accept_by_itself(Q, ConsumerId(2), 1);
    let before = desk.log.len();
    desk.wait(2, 1, secs(20));
    close(desk.at(secs(5)), 1);
    desk.at(secs(5));
    assert_eq!(desk.received_since(before, 2).messages, "a");
}

#[test]
fn a_process_that_is_gone_gets_nothing_more_and_its_sessions_end_with_their_locks() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("ab", 1);
    accept(&mut desk, 1, None);
    desk.receive(1);
    let mut out = Vec::new();
    let now = desk.now;
    desk.broker.disconnect(now, Q, ConsumerId(1), &mut out);
    assert_eq!(desk.receive(1).messages, "");
    assert_eq!(accept(&mut desk, 1, Some(1)), None);
    assert_eq!(closed(desk.at(secs(30))), [(secs(30), true)]);
    assert_eq!(accept(&mut desk, 1, Some(1)), Some(1));
}

#[test]
fn a_session_can_be_taken_away() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("a", 1);
    desk.send_to_group("b", 2);
    accept(&mut desk, 1, Some(2));
    accept(desk.at(secs(1)), 2, Some(1));
    desk.receive(1);
    let mut out = Vec::new();
    assert!(desk.broker.take_session(secs(1), Q, None, &mut out));
    let left: Vec<_> = desk.broker.sessions(Q).collect();
    assert_eq!(left.len(), 1, "the one held for longest was taken");
    assert_eq!(left[0].group, Some(GroupId(1)));
    assert_eq!(desk.depth(Q), [2, 0, 0]);
    let none = desk
        .broker
        .take_session(secs(1), Q, Some(GroupId(2)), &mut out);
    assert!(!none);
}

#[test]
fn a_message_without_a_session_is_refused() {
    let mut desk = Desk::new(sessions());
    assert_eq!(
        desk.send_as('a', None, None, None),
        SendOutcome::Refused(RefusalReason::NoSession)
    );
    assert_eq!(desk.broker.counts(Q).stored, 0);
}

#[test]
fn without_the_rule_sessions_are_given_up_and_nothing_is_lost() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("ab", 1);
    accept(&mut desk, 1, None);
    desk.receive(1);
    desk.change(QueueChange::Rule(Rule::GroupRule(GroupRule::Walk)));
    assert_eq!(closed(&desk), [(Micros::ZERO, true)]);
    assert_eq!(desk.receive_up_to(2, 9).messages, "ab");
    desk.change(QueueChange::Rule(Rule::GroupRule(GroupRule::Session)));
    assert_eq!(accept(&mut desk, 3, None), None, "nothing is visible");
    desk.at(secs(30));
    assert_eq!(accept(&mut desk, 3, None), Some(1));
    assert_eq!(desk.receive_up_to(3, 9).messages, "ab");
}

#[test]
fn a_change_of_another_rule_keeps_sessions() {
    let mut desk = Desk::new(sessions());
    desk.send_to_group("abc", 1);
    accept(&mut desk, 1, None);
    desk.receive(1);
    desk.change(QueueChange::Rule(Rule::ReturnsTo(ReturnPlace::Head)));
    assert_eq!(accept(&mut desk, 2, None), None);
    assert_eq!(desk.receive(1).messages, "b");
}

#[test]
fn a_queue_that_is_one_group_hands_out_in_order_of_sending_whatever_groups_are_named() {
    let mut setup = fifo();
    setup.rules.group_rule = GroupRule::Whole;
    let mut desk = Desk::new(setup);
    desk.send_to_group("a", 1);
    desk.send("b");
    desk.send_to_group("c", 2);
    let first = desk.receive(1);
    assert_eq!(first.messages, "a");
    assert_eq!(desk.receive(2).messages, "", "all wait for a");
    desk.ack(first.receipts[0]);
    assert_eq!(desk.receive_up_to(2, 9).messages, "bc");
    desk.change(QueueChange::Rule(Rule::GroupRule(GroupRule::Walk)));
    desk.send_to_group("d", 3);
    assert_eq!(desk.receive(3).messages, "d");
}
