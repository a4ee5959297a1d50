//! Acting on a run: live commands, forks, undo, replay and comparison.

use queue_playground::engine::setup::{Processing, QueueKind};
use queue_playground::engine::*;
use queue_playground::session::{Progress, Session};

use super::setups::{busy, charged_twice, ms, shared};

const ENOUGH: u64 = 1_000_000;
const ORDERS: QueueId = QueueId(0);

fn timeout(milliseconds: u64) -> Command {
    Command::SetQueue(ORDERS, QueueChange::VisibilityTimeout(ms(milliseconds)))
}

fn playing(until: u64) -> Session {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(until), ENOUGH);
    session
}

#[test]
fn a_command_acts_at_once_where_nothing_has_happened_and_a_microsecond_later_elsewhere() {
    assert_eq!(playing(700).command(timeout(6_000)).at, ms(700));
    let busy_instant = ms(1_000) + Micros(1);
    assert_eq!(playing(1_000).command(timeout(6_000)).at, busy_instant);
    let mut fresh = Session::new(shared(charged_twice()));
    assert_eq!(fresh.command(timeout(6_000)).at, Micros::ZERO);
}

#[test]
fn a_command_at_the_newest_instant_forks_nothing() {
    let mut session = playing(1_500);
    let first = session.command(timeout(6_000));
    let second = session.command(Command::Crash(ConsumerId(1)));
    assert!(!first.forked && !second.forked);
    assert_eq!((first.index, second.index), (0, 1));
    session.advance_to(ms(2_500), ENOUGH);
    let recorded = session.commands();
    assert!(recorded.iter().all(|it| it.live));
    assert_eq!(recorded[1].timed.command, Command::Crash(ConsumerId(1)));
}

#[test]
fn acting_in_the_past_forks_and_says_so() {
    let mut session = playing(6_000);
    session.seek(ms(700), ENOUGH);
    let applied = session.command(timeout(6_000));
    assert!(applied.forked);
    assert_eq!(session.known_until(), ms(700));
    assert_eq!(session.known_events(), session.playhead().ordinal);
    assert_eq!(session.deliveries_between(ms(701), ms(9_000)).count(), 1);
    session.advance_to(ms(6_000), ENOUGH);
    assert_eq!(session.snapshot().totals.deliveries, 3);
    assert_eq!(session.snapshot().totals.amount, 60);
}

#[test]
fn a_fork_cuts_off_commands_given_later_and_an_undo_brings_them_back() {
    let mut session = playing(3_000);
    session.command(Command::Crash(ConsumerId(1)));
    session.advance_to(ms(6_000), ENOUGH);
    let crashed = session.snapshot();
    session.seek(ms(700), ENOUGH);
    assert!(session.command(timeout(6_000)).forked);
    assert_eq!(session.commands().len(), 1);
    let (undone, progress) = session.undo(ENOUGH).expect("a command was given");
    assert_eq!(undone.command.command, timeout(6_000));
    assert_eq!((undone.restored, progress), (1, Progress::Reached));
    assert_eq!(session.playhead().at, ms(700));
    session.advance_to(ms(6_000), ENOUGH);
    assert_eq!(session.snapshot(), crashed);
}

#[test]
fn undo_runs_again_to_the_playhead_in_slices() {
    let mut session = Session::new(shared(busy()));
    let mut straight = Session::new(shared(busy()));
    session.advance_to(ms(5_050), ENOUGH);
    session.command(timeout(100));
    session.advance_to(ms(20_000), ENOUGH);
    straight.advance_to(ms(20_000), ENOUGH);
    assert_ne!(session.snapshot(), straight.snapshot());
    let (_, mut progress) = session.undo(5).expect("a command was given");
    assert!(matches!(progress, Progress::Working { .. }));
    while let Progress::Working { .. } = progress {
        progress = session.work(50);
    }
    assert_eq!(session.snapshot(), straight.snapshot());
    assert!(session.undo(ENOUGH).is_none());
}

#[test]
fn an_undo_at_the_place_of_the_command_changes_nothing_that_is_shown() {
    let mut session = playing(1_000);
    session.step_forward(ENOUGH);
    let (playhead, shown) = (session.playhead(), session.snapshot());
    session.command(timeout(6_000));
    session.undo(ENOUGH);
    assert_eq!(session.playhead(), playhead);
    assert_eq!(session.snapshot(), shown);
}

#[test]
fn changing_a_setting_while_running_never_starts_a_second_clock() {
    let mut changed = Session::new(shared(busy()));
    let mut straight = Session::new(shared(busy()));
    for second in 1..30_u64 {
        changed.advance_to(ms(second * 1_000), ENOUGH);
        changed.command(timeout(1_000 + 100 * (second % 5)));
        changed.command(Command::SetConsumer(None, ConsumerChange::Prefetch(4)));
        let kind = [QueueKind::Fifo, QueueKind::Standard][second as usize % 2];
        changed.command(Command::SetQueue(ORDERS, QueueChange::Kind(kind)));
    }
    changed.advance_to(ms(31_000), ENOUGH);
    straight.advance_to(ms(31_000), ENOUGH);
    let sends = |session: &Session| {
        let sent = session.ledger().messages();
        sent.map(|(number, record)| (number, record.sent_at.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(sends(&changed), sends(&straight));
}

#[test]
fn changing_a_setting_while_running_never_loses_a_message_or_resets_the_run() {
    let mut session = Session::new(shared(busy()));
    for second in 1..40_u64 {
        session.advance_to(ms(second * 500), ENOUGH);
        let before = session.snapshot();
        let change = match second % 4 {
            0 => timeout(300 * second),
            1 => Command::SetQueue(ORDERS, QueueChange::Kind(QueueKind::Fifo)),
            2 => Command::SetQueue(ORDERS, QueueChange::Kind(QueueKind::Standard)),
            _ => Command::SetConsumer(None, ConsumerChange::Prefetch(second as u32 % 7 + 1)),
        };
        let applied = session.command(change);
        session.advance_to(applied.at, ENOUGH);
        let after = session.snapshot();
        assert!(after.at >= before.at && after.totals.sent >= before.totals.sent);
        assert!(after.totals.effects >= before.totals.effects);
        for queue in &after.queues {
            let counts = queue.counts;
            assert_eq!(
                counts.stored + counts.moved_in,
                counts.ready
                    + counts.delayed
                    + counts.in_flight
                    + counts.acked
                    + counts.moved_out
                    + counts.expired
                    + counts.dropped
                    + counts.purged
                    + counts.discarded
            );
        }
        assert_eq!(after.totals.lost, 0);
    }
    assert!(session.snapshot().totals.sent > 40);
}

#[test]
fn the_last_change_says_what_was_what_is_and_how_many_keep_theirs() {
    let mut session = playing(2_500);
    assert_eq!(session.last_change(), None);
    session.command(timeout(6_000));
    session.command(Command::Pause(ConsumerId(0)));
    let change = session.last_change().expect("a setting was changed");
    assert_eq!(change.now, timeout(6_000));
    assert_eq!(change.before, [timeout(3_000)]);
    assert_eq!(change.in_flight, 2, "Ben's and Cleo's orders");
    session.advance_to(ms(4_000), ENOUGH);
    assert!(session.last_change().is_some());
    session.seek(ms(1_500), ENOUGH);
    assert_eq!(session.last_change(), None);
}

#[test]
fn a_change_of_all_consumers_can_be_taken_back_one_by_one() {
    let mut session = playing(1_500);
    session.command(Command::SetConsumer(None, ConsumerChange::Prefetch(8)));
    let change = session.last_change().expect("a setting was changed");
    let one = |id| Command::SetConsumer(Some(ConsumerId(id)), ConsumerChange::Prefetch(1));
    assert_eq!(change.before, [one(0), one(1)]);
}

#[test]
fn a_replay_has_the_change_from_the_start_and_remembers_the_run_before() {
    let mut session = playing(6_000);
    session.command(timeout(6_000));
    session.seek(ms(6_000), ENOUGH);
    let mut replay = session.replay_with(&timeout(6_000));
    assert!(replay.commands().is_empty());
    assert_eq!(replay.playhead().at, Micros::ZERO);
    replay.seek(ms(6_000), ENOUGH);
    let (before, now) = (replay.totals_before(ENOUGH), replay.snapshot().totals);
    assert_eq!(before.map(|totals| totals.deliveries), Some(4));
    assert_eq!(before.map(|totals| totals.amount), Some(80));
    assert_eq!((now.deliveries, now.amount), (3, 60));
    replay.seek(ms(4_500), ENOUGH);
    let before = replay.totals_before(ENOUGH).expect("it is remembered");
    assert_eq!((before.deliveries, before.effects), (4, 2));
}

#[test]
fn a_replay_with_two_changes_is_compared_with_the_run_that_had_neither() {
    let session = playing(6_000);
    let faster = Processing::Constant(ms(500));
    let faster = Command::SetConsumer(None, ConsumerChange::Processing(faster));
    let mut replay = session.replay_with_all(&[timeout(6_000), faster]);
    replay.seek(ms(6_000), ENOUGH);
    let before = replay.totals_before(ENOUGH).expect("it is remembered");
    assert_eq!((before.deliveries, before.amount), (4, 80));
    let now = replay.snapshot();
    assert_eq!((now.totals.deliveries, now.totals.amount), (3, 60));
    assert_eq!(
        now.consumers[1].setup.processing,
        Processing::Constant(ms(500))
    );
}

#[test]
fn a_replay_keeps_the_other_interventions() {
    let mut session = playing(1_500);
    let crash = session.command(Command::Crash(ConsumerId(1)));
    session.advance_to(ms(3_000), ENOUGH);
    session.command(timeout(6_000));
    session.advance_to(ms(20_000), ENOUGH);
    let mut replay = session.replay_with(&timeout(9_000));
    assert_eq!(replay.commands().len(), 1);
    replay.seek(ms(20_000), ENOUGH);
    let crashes = replay.marks_between(Micros::ZERO, ms(20_000));
    let crashes = crashes.filter(|event| matches!(event.kind, EventKind::Crashed { .. }));
    assert_eq!(
        crashes.map(|event| event.at).collect::<Vec<_>>(),
        [crash.at]
    );
}

#[test]
fn after_a_live_change_the_run_without_it_goes_on_beside() {
    let mut session = playing(700);
    assert_eq!(session.totals_before(ENOUGH), None);
    session.command(timeout(6_000));
    session.advance_to(ms(6_000), ENOUGH);
    assert_eq!(session.totals_before(1), None, "the budget is too small");
    let before = session.totals_before(ENOUGH).expect("it is remembered");
    assert_eq!(before.amount, 80);
    assert_eq!(session.snapshot().totals.amount, 60);
    session.command(Command::Crash(ConsumerId(0)));
    assert_eq!(session.totals_before(ENOUGH), None, "no longer comparable");
}

#[test]
fn new_names_keep_their_numbers_through_a_run() {
    let mut session = playing(700);
    let group = session.group("night orders");
    assert_eq!(session.group("night orders"), group);
    assert_eq!(session.group("A"), GroupId(0));
    let body = session.body("Dan");
    let send = command::HandSend {
        group: Some(group),
        body: Some(body),
        amount: 5,
        ..command::HandSend::to(ORDERS)
    };
    session.command(Command::Send(send));
    session.advance_to(ms(900), ENOUGH);
    assert_eq!(session.base().groups[group.index()], "night orders");
    let sent = session.ledger().messages().last();
    assert_eq!(sent.map(|(_, record)| record.body), Some(Some(body)));
}

#[test]
fn acting_at_the_end_of_a_run_makes_it_longer_so_that_there_is_something_to_see() {
    let mut setup = charged_twice();
    setup.duration = Some(ms(6_000));
    let mut session = Session::new(shared(setup));
    session.advance_to(ms(6_000), ENOUGH);
    session.advance_to(ms(7_000), ENOUGH);
    assert_eq!(session.playhead().at, ms(6_000));
    session.command(Command::Crash(ConsumerId(0)));
    session.advance_to(ms(7_000), ENOUGH);
    assert_eq!(session.playhead().at, ms(7_000));
    let crashed = |event: &Event| matches!(event.kind, EventKind::Crashed { .. });
    assert!(
        session
            .events_before(session.playhead().ordinal, 9)
            .any(crashed)
    );
}
