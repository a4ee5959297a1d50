//! The playhead: playing, stepping, break points, and what is asked at every frame.

use std::rc::Rc;

use queue_playground::engine::claim::MessageRef;
use queue_playground::engine::*;
use queue_playground::session::{Progress, Quantity, Session, StopReason};

use super::setups::{busy, charged_twice, ms, shared};

const ENOUGH: u64 = 1_000_000;

fn played(until: u64) -> Session {
    let mut session = Session::new(shared(charged_twice()));
    assert_eq!(session.advance_to(ms(until), ENOUGH), Progress::Reached);
    session
}

#[test]
fn pausing_freezes_everything() {
    let mut paused = Session::new(shared(busy()));
    let mut straight = Session::new(shared(busy()));
    paused.advance_to(ms(7_300), ENOUGH);
    let frozen = paused.snapshot();
    for _ in 0..100 {
        assert!(Rc::ptr_eq(&frozen, &paused.snapshot()));
        assert_eq!(paused.playhead().at, ms(7_300));
    }
    paused.advance_to(ms(20_000), ENOUGH);
    straight.advance_to(ms(20_000), ENOUGH);
    assert_eq!(paused.snapshot(), straight.snapshot());
}

#[test]
fn playing_never_runs_past_what_is_asked() {
    let mut session = Session::new(shared(busy()));
    for at in [0, 1, 1, 400, 5_000] {
        session.advance_to(ms(at), ENOUGH);
        assert_eq!(session.playhead().at, ms(at));
        assert_eq!(session.known_until(), ms(at));
        let last = session.events_before(session.known_events(), 1).next();
        assert!(last.is_none_or(|event| event.at <= ms(at)));
    }
}

#[test]
fn going_back_never_loses_the_run() {
    let mut session = played(6_000);
    let known = session.known_events();
    let bars: Vec<_> = session
        .deliveries_between(Micros::ZERO, ms(6_000))
        .copied()
        .collect();
    assert_eq!(bars.len(), 4, "Ben's order is delivered twice");
    session.seek(ms(1_500), ENOUGH);
    assert_eq!(session.snapshot().totals.deliveries, 2);
    session.restart();
    assert_eq!(session.snapshot().totals.sent, 0);
    assert_eq!(session.known_until(), ms(6_000));
    assert_eq!(session.known_events(), known);
    let still: Vec<_> = session
        .deliveries_between(Micros::ZERO, ms(6_000))
        .copied()
        .collect();
    assert_eq!(still, bars);
    session.advance_to(ms(6_000), ENOUGH);
    assert_eq!(session.known_events(), known);
    assert_eq!(session.snapshot().totals.duplicate_effects, 1);
}

#[test]
fn a_seek_in_slices_leaves_the_playhead_until_it_is_there() {
    let mut session = Session::new(shared(busy()));
    let mut progress = session.seek(ms(10_000), 10);
    let mut last = -1.0;
    let mut slices = 0;
    while let Progress::Working { done } = progress {
        assert!(session.is_working());
        assert_eq!(session.playhead().at, Micros::ZERO);
        assert!(done >= last && done <= 1.0);
        last = done;
        slices += 1;
        progress = session.work(10);
    }
    assert!(slices > 3);
    assert_eq!(progress, Progress::Reached);
    assert!(!session.is_working());
    assert_eq!(session.playhead().at, ms(10_000));
}

#[test]
fn a_step_shows_one_happening_and_passes_over_empty_polls() {
    let mut setup = charged_twice();
    for consumer in &mut setup.consumers {
        consumer.wait = Micros::ZERO;
        consumer.poll_interval = ms(50);
    }
    let mut session = Session::new(shared(setup));
    session.advance_to(ms(10), ENOUGH);
    assert_eq!(session.step_forward(ENOUGH), Progress::Reached);
    assert_eq!(session.playhead().at, ms(500));
    let newest = session.events_before(session.playhead().ordinal, 1).next();
    assert!(!matches!(
        newest.map(|event| event.kind),
        None | Some(EventKind::EmptyReceive { .. })
    ));
    assert!(session.snapshot().totals.empty_receives > 5);
}

#[test]
fn steps_back_lead_to_the_beginning_and_stay_there() {
    let mut session = played(6_000);
    let mut steps = 0;
    while session.playhead() != Session::new(session.base().clone()).playhead() {
        let before = session.playhead();
        assert_eq!(session.step_back(ENOUGH), Progress::Reached);
        assert!(session.playhead() < before);
        steps += 1;
    }
    assert!(steps > 10);
    assert_eq!(session.step_back(ENOUGH), Progress::Reached);
    assert_eq!(session.playhead().ordinal, Ordinal(0));
}

#[test]
fn the_end_of_the_run_is_said() {
    let mut setup = charged_twice();
    setup.duration = Some(ms(3_000));
    let mut session = Session::new(shared(setup));
    assert_eq!(session.advance_to(ms(9_000), ENOUGH), Progress::Ended);
    assert_eq!(session.playhead().at, ms(3_000));
    assert_eq!(session.seek(ms(9_000), ENOUGH), Progress::Reached);
    assert_eq!(session.playhead().at, ms(3_000));
    assert_eq!(session.step_forward(ENOUGH), Progress::Ended);
}

fn duplicate_effects(subject: claim::Subject) -> Claim {
    Claim {
        metric: Metric::DuplicateEffects,
        subject,
        at: None,
        comparison: Comparison::AtLeast(1.0),
        within: 0.0,
    }
}

#[test]
fn the_opening_stops_by_itself_and_goes_on_when_asked() {
    let mut session = Session::new(shared(charged_twice()));
    session.stop_at(Some(ms(6_000)));
    let stopped = Progress::Stopped(StopReason::Time(ms(6_000)));
    assert_eq!(session.advance_to(ms(8_000), ENOUGH), stopped);
    assert_eq!(session.playhead().at, ms(6_000));
    assert_eq!(session.advance_to(ms(8_000), ENOUGH), Progress::Reached);
    assert_eq!(session.playhead().at, ms(8_000));
    session.restart();
    assert_eq!(session.advance_to(ms(7_000), ENOUGH), stopped);
}

#[test]
fn a_break_point_stops_at_the_event_that_makes_it_hold_and_not_again() {
    let mut session = Session::new(shared(charged_twice()));
    session.stop_when(vec![duplicate_effects(claim::Subject::default())]);
    let stopped = Progress::Stopped(StopReason::Claim(0));
    assert_eq!(session.advance_to(ms(8_000), ENOUGH), stopped);
    assert_eq!(session.playhead().at, ms(5_500));
    assert_eq!(session.snapshot().totals.duplicate_effects, 1);
    assert_eq!(session.advance_to(ms(8_000), ENOUGH), Progress::Reached);
}

#[test]
fn a_break_point_on_one_message_holds_in_the_known_past_as_well() {
    let mut session = played(8_000);
    let twice = |number| Claim {
        metric: Metric::Deliveries,
        comparison: Comparison::AtLeast(2.0),
        ..duplicate_effects(claim::Subject {
            message: Some(MessageRef::Number(MessageNumber(number))),
            ..claim::Subject::default()
        })
    };
    session.stop_when(vec![twice(1), twice(2)]);
    session.restart();
    let progress = session.advance_to(ms(8_000), ENOUGH);
    assert_eq!(progress, Progress::Stopped(StopReason::Claim(1)));
    assert_eq!(session.playhead().at, ms(4_000));
    assert_eq!(session.advance_to(ms(8_000), ENOUGH), Progress::Reached);
}

#[test]
fn snapshot_series_and_ledger_tell_the_same_numbers() {
    let mut session = Session::new(shared(busy()));
    session.advance_to(ms(60_000), ENOUGH);
    let width = session.series().width();
    assert!(
        session
            .series()
            .points(Quantity::Ready, Micros::MAX)
            .count()
            <= 512
    );
    for index in [0, 3, 57, 200] {
        let at = Micros(index * width.0);
        session.seek(at, ENOUGH);
        let snapshot = session.snapshot();
        for quantity in Quantity::ALL {
            let point = session.series().points(quantity, at).last();
            assert_eq!(point, Some((at, quantity.of(&snapshot))), "{quantity:?}");
        }
        let ledger = session.ledger();
        let delivered = ledger.deliveries().iter();
        let delivered = delivered.filter(|it| it.delivered_at <= at).count();
        assert_eq!(delivered as u64, snapshot.totals.deliveries);
        let effects = ledger.messages().flat_map(|(_, record)| &record.effects);
        let effects = effects.filter(|(when, _)| *when <= at).count();
        assert_eq!(effects as u64, snapshot.totals.effects);
    }
}

#[test]
fn what_happened_in_the_last_moment_is_newest_first_and_ends_at_the_playhead() {
    let mut session = played(6_000);
    session.seek(ms(4_000), ENOUGH);
    let recent: Vec<_> = session.recent(ms(100)).collect();
    assert!(recent.iter().all(|event| event.at == ms(4_000)));
    assert!(recent.is_sorted_by_key(|event| std::cmp::Reverse(event.ordinal)));
    assert!(
        recent
            .iter()
            .any(|event| matches!(event.kind, EventKind::TimeoutEnded { .. }))
    );
    assert_eq!(
        session.recent(ms(100_000)).count() as u64,
        session.playhead().ordinal.0
    );
}

#[test]
fn deliveries_in_a_window_are_those_that_overlap_it() {
    let session = played(6_000);
    let at = |from, to| session.deliveries_between(ms(from), ms(to)).count();
    assert_eq!(at(0, 400), 0);
    assert_eq!(at(500, 900), 1);
    assert_eq!(
        at(3_200, 3_300),
        1,
        "only Ben's first delivery is still worked on"
    );
    assert_eq!(at(4_500, 4_600), 2, "both of Ben's");
    assert_eq!(at(5_700, 5_800), 0);
}

#[test]
fn marks_show_the_duplicate_effect() {
    let session = played(6_000);
    let marks: Vec<_> = session.marks_between(ms(5_000), ms(6_000)).collect();
    assert!(matches!(
        marks[..],
        [Event {
            kind: EventKind::Effect { nth: 2, .. },
            ..
        }]
    ));
}

#[test]
fn the_next_event_is_known_before_it_is_played() {
    let mut session = played(600);
    assert_eq!(session.next_event_at(), Some(ms(1_000)));
    session.advance_to(ms(6_000), ENOUGH);
    session.seek(ms(600), ENOUGH);
    assert_eq!(session.next_event_at(), Some(ms(1_000)));
}

#[test]
fn a_jump_to_an_event_ends_right_after_it() {
    let mut session = played(6_000);
    let effect = session
        .marks_between(Micros::ZERO, ms(6_000))
        .find(|event| matches!(event.kind, EventKind::Effect { .. }))
        .copied()
        .expect("Ben is charged twice");
    session.seek_event(effect.ordinal, ENOUGH);
    assert_eq!(session.playhead().at, effect.at);
    assert_eq!(session.snapshot().totals.duplicate_effects, 1);
    assert!(session.playhead().ordinal > effect.ordinal);
}
