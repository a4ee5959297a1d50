//! Jumps, break points, the future that was cut off, and redo.

use queue_playground::engine::*;
use queue_playground::session::{Ghost, Progress, Session, Sought, StopReason};

use super::setups::{busy, charged_twice, ms, shared};

const ENOUGH: u64 = 1_000_000;
const ORDERS: QueueId = QueueId(0);

fn at_least_one(metric: Metric) -> Claim {
    Claim {
        metric,
        subject: Subject::default(),
        at: None,
        comparison: Comparison::AtLeast(1.0),
        within: 0.0,
    }
}

fn timeout(milliseconds: u64) -> Command {
    Command::SetQueue(ORDERS, QueueChange::VisibilityTimeout(ms(milliseconds)))
}

#[test]
fn a_jump_finds_what_nobody_has_played_yet_and_makes_known_only_the_way_there() {
    let mut session = Session::new(shared(charged_twice()));
    let progress = session.jump_forward(Sought::Duplicate, ENOUGH);
    assert_eq!(progress, Progress::Reached);
    assert_eq!(session.playhead().at, ms(4_000), "the second delivery");
    assert_eq!(session.known_until(), ms(4_000));
    session.jump_forward(Sought::Duplicate, ENOUGH);
    assert_eq!(session.playhead().at, ms(5_500), "the second effect");
    let none = session.jump_forward(Sought::Crash, ENOUGH);
    assert_eq!(none, Progress::NotFound);
    assert_eq!(session.playhead().at, ms(5_500));
    assert_eq!(session.known_until(), ms(5_500));
    session.jump_back(Sought::Duplicate, ENOUGH);
    assert_eq!(session.playhead().at, ms(4_000));
    let none = session.jump_back(Sought::Duplicate, ENOUGH);
    assert_eq!(none, Progress::NotFound);
    assert_eq!(session.playhead().at, ms(4_000));
}

#[test]
fn a_jump_in_an_endless_run_without_such_an_event_comes_to_an_end() {
    let mut setup = busy();
    setup.consumers.truncate(1);
    let mut session = Session::new(shared(setup));
    let mut progress = session.jump_forward(Sought::Crash, 50_000);
    let mut slices = 0;
    while let Progress::Working { done } = progress {
        assert!((0.0..=0.5).contains(&done) && slices < 100);
        slices += 1;
        progress = session.work(50_000);
    }
    assert_eq!(progress, Progress::NotFound);
    assert_eq!(session.playhead().at, Micros::ZERO);
}

#[test]
fn a_jump_back_reaches_beyond_the_events_in_memory() {
    let mut setup = charged_twice();
    let steady = setup::Pattern::Constant { every: ms(100) };
    setup.producers.push(super::setups::producer(steady));
    setup.consumers[0].processing = setup::Processing::Constant(ms(10));
    setup.consumers[1].processing = setup::Processing::Constant(ms(10));
    setup.consumers[1].failure.first_deliveries = 1;
    let mut session = Session::new(shared(setup));
    session.advance_to(ms(2_000), ENOUGH);
    let nobody_fails = ConsumerChange::Failure(setup::Failure::default());
    session.command(Command::SetConsumer(None, nobody_fails));
    session.advance_to(ms(5_000_000), 10 * ENOUGH);
    let oldest = session.events_before(session.known_events(), usize::MAX);
    assert!(oldest.last().is_some_and(|event| event.at > ms(100_000)));
    let mut progress = session.jump_back(Sought::Duplicate, 10_000);
    while let Progress::Working { .. } = progress {
        progress = session.work(10_000);
    }
    assert_eq!(progress, Progress::Reached);
    let here = session.playhead();
    assert!(here.at < ms(9_000));
    // A step can tell several events.
    let last = Ordinal(here.ordinal.0 - 3)..here.ordinal;
    let last = session.events(last, ENOUGH).expect("the budget is enough");
    assert!(last.iter().any(|event| Sought::Duplicate.is(&event.kind)));
}

#[test]
fn a_break_point_stops_each_time_and_beside_the_alerts() {
    let mut session = Session::new(shared(busy()));
    session.stop_when(vec![at_least_one(Metric::DeadLettered)]);
    session.break_when(vec![
        at_least_one(Metric::OutOfOrder),
        at_least_one(Metric::DuplicateDeliveries),
    ]);
    let mut breaks = Vec::new();
    let mut alerts = 0;
    loop {
        match session.advance_to(ms(60_000), ENOUGH) {
            Progress::Stopped(StopReason::Break(1)) => breaks.push(session.playhead().at),
            Progress::Stopped(StopReason::Break(_)) => {}
            Progress::Stopped(StopReason::Claim(0)) => alerts += 1,
            progress => break assert_eq!(progress, Progress::Reached),
        }
    }
    let again = session.ledger().deliveries().iter();
    let again = again.filter(|delivery| delivery.delivery > 1);
    let times: Vec<_> = again.map(|delivery| delivery.delivered_at).collect();
    assert!(times.len() > 10);
    assert_eq!(breaks, times);
    assert_eq!(alerts, 1, "an alert stops when it comes to hold");
    assert_eq!(
        session.snapshot().totals.duplicate_deliveries,
        times.len() as u64
    );
}

#[test]
fn a_break_point_stops_in_the_known_past_where_it_would_have_stopped_at_first() {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(9_000), ENOUGH);
    session.break_when(vec![at_least_one(Metric::DuplicateDeliveries)]);
    session.break_at(Some(ms(2_500)));
    session.restart();
    let mut stops = Vec::new();
    while let Progress::Stopped(reason) = session.advance_to(ms(9_000), ENOUGH) {
        stops.push((reason, session.playhead().at));
    }
    assert_eq!(
        stops,
        [
            (StopReason::Time(ms(2_500)), ms(2_500)),
            (StopReason::Break(0), ms(4_000))
        ]
    );
}

#[test]
fn what_starves_now_is_counted_and_stops_the_run() {
    let mut setup = charged_twice();
    setup.consumers.truncate(1);
    setup.consumers[0].processing = setup::Processing::Constant(ms(60_000));
    let mut session = Session::new(shared(setup));
    session.break_when(vec![at_least_one(Metric::Starving)]);
    let progress = session.advance_to(ms(60_000), ENOUGH);
    assert_eq!(progress, Progress::Stopped(StopReason::Break(0)));
    let here = session.playhead();
    session.restart();
    session.jump_forward(Sought::Starvation, ENOUGH);
    assert_eq!(session.playhead(), here);
}

#[test]
fn the_future_that_a_fork_cut_off_stays_to_be_seen_until_dismissed_or_undone() {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(6_000), ENOUGH);
    session.seek(ms(3_000), ENOUGH);
    assert!(session.ghost().is_none());
    assert!(session.command(timeout(9_000)).forked);
    let ghost = session.ghost().expect("a future was cut off").clone();
    assert_eq!((ghost.from, ghost.until), (ms(3_000), ms(6_000)));
    let starts: Vec<_> = ghost.deliveries.iter().map(|it| it.delivered_at).collect();
    assert_eq!(starts, [ms(1_000), ms(4_000)]);
    let double = |event: &Event| matches!(event.kind, EventKind::Effect { nth: 2, .. });
    assert_eq!(ghost.marks.iter().filter(|event| double(event)).count(), 1);

    session.advance_to(ms(3_500), ENOUGH);
    assert!(!session.command(Command::Pause(ConsumerId(0))).forked);
    assert_eq!(session.ghost(), Some(&ghost), "nothing else was cut off");
    session.undo(ENOUGH);
    assert_eq!(session.ghost(), Some(&ghost));
    session.undo(ENOUGH);
    assert!(session.ghost().is_none());
    assert_eq!(session.known_until(), ms(6_000), "it is known again");
    assert_eq!(session.playhead().at, ms(3_500));

    session.redo(ENOUGH);
    assert!(session.ghost().is_some());
    session.dismiss_ghost();
    assert!(session.ghost().is_none());
}

#[test]
fn what_is_kept_of_a_future_is_bounded() {
    let mut setup = busy();
    setup.producers[0].pattern = setup::Pattern::Constant { every: ms(10) };
    setup.consumers[0].processing = setup::Processing::Constant(ms(1));
    let mut session = Session::new(shared(setup));
    session.advance_to(ms(100_000), ENOUGH);
    session.seek(ms(1_000), ENOUGH);
    session.command(timeout(9_000));
    let ghost = session.ghost().expect("a future was cut off");
    assert_eq!(ghost.deliveries.len(), Ghost::DELIVERIES);
    assert!(ghost.marks.len() <= Ghost::MARKS);
}

#[test]
fn a_setting_given_in_place_of_another_keeps_what_the_first_cut_off() {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(6_000), ENOUGH);
    session.seek(ms(3_000), ENOUGH);
    session.command(timeout(9_000));
    let ghost = session.ghost().cloned();
    session.retract();
    session.command(timeout(8_000));
    assert_eq!(session.ghost().cloned(), ghost);
    assert!(!session.can_redo());
    session.undo(ENOUGH);
    assert!(session.ghost().is_none() && !session.can_undo());
}

#[test]
fn several_commands_are_taken_back_and_given_again_in_turn_and_a_new_one_ends_that() {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(700), ENOUGH);
    session.command(timeout(6_000));
    session.advance_to(ms(3_000), ENOUGH);
    session.command(Command::Crash(ConsumerId(1)));
    session.advance_to(ms(8_000), ENOUGH);
    let (commands, shown) = (session.commands(), session.snapshot());
    session.undo(ENOUGH);
    session.undo(ENOUGH);
    assert!(session.commands().is_empty() && !session.can_undo());
    assert_eq!(session.redo(ENOUGH), Some(Progress::Reached));
    assert_eq!(session.commands().len(), 1);
    assert!(session.totals_before(ENOUGH).is_some());
    assert_eq!(session.redo(ENOUGH), Some(Progress::Reached));
    assert_eq!((session.commands(), session.snapshot()), (commands, shown));
    assert_eq!(session.redo(ENOUGH), None);
    session.undo(ENOUGH);
    session.command(Command::Pause(ConsumerId(0)));
    assert!(!session.can_redo());
}

#[test]
fn the_quiet_before_the_next_event_is_known_without_playing() {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(2_200), ENOUGH);
    let next = session.quiet_until(ENOUGH);
    session.advance_to(ms(2_300), ENOUGH);
    assert_eq!(session.quiet_until(ENOUGH), next);
    assert_eq!(session.known_until(), ms(2_300));
    session.step_forward(ENOUGH);
    assert_eq!(Some(session.playhead().at), next);
    session.seek(ms(100), ENOUGH);
    assert_eq!(session.quiet_until(ENOUGH), Some(ms(500)));
}
