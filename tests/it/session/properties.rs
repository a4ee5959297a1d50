//! `seek(t)` equals a straight run to `t`, whatever was done before.

use std::sync::Arc;

use proptest::prelude::*;
use queue_playground::engine::{Command, Event, Micros, Ordinal, Progress, Setup, Simulation};
use queue_playground::session::{self, Quantity, Session, Sought};

use super::setups::{command, ms, scenario, shared};

/// More steps than any of these runs takes.
const ENOUGH: u64 = 10_000_000;

/// The run as a file would give it, from the beginning to `until` without a stop.
fn straight(session: &Session, until: Micros) -> (Simulation, Vec<Event>) {
    let mut setup = Setup::clone(session.base());
    setup.commands = session.commands().into_iter().map(|it| it.timed).collect();
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    assert_ne!(
        simulation.run_until(until, ENOUGH, &mut trace),
        Progress::Working
    );
    (simulation, trace)
}

/// FNV-1a over the printed events: small differences anywhere change it.
fn hash(trace: &[Event]) -> u64 {
    trace
        .iter()
        .flat_map(|event| format!("{event:?}").into_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

fn all_known(session: &mut Session) -> Vec<Event> {
    session
        .events(Ordinal(0)..session.known_events(), ENOUGH)
        .expect("the budget is enough")
}

/// At rest, a session shows what a straight run shows, and knows its trace.
fn assert_straight(session: &mut Session) -> Result<(), TestCaseError> {
    let here = session.playhead();
    let (simulation, trace) = straight(session, here.at);
    prop_assert_eq!(simulation.ordinal(), here.ordinal);
    prop_assert_eq!(&simulation.snapshot(), &*session.snapshot());
    let known = all_known(session);
    prop_assert!(known.len() >= trace.len());
    prop_assert_eq!(&trace[..], &known[..trace.len()]);
    prop_assert_eq!(hash(&trace), hash(&known[..trace.len()]));
    Ok(())
}

/// Messages ready, in flight, delayed and in dead-letter queues: the quantities whose peaks are exact.
const LEVELS: [Quantity; 4] = [
    Quantity::Ready,
    Quantity::InFlight,
    Quantity::Delayed,
    Quantity::DeadLetters,
];

/// The levels of a straight run at the end of every instant at which something happens.
fn levels(session: &Session, until: Micros) -> Vec<(Micros, [u64; 4])> {
    let (mut run, _) = straight(session, Micros::ZERO);
    let mut found = vec![(Micros::ZERO, run.levels())];
    while let Some(next) = run.next_at().filter(|next| *next <= until) {
        run.run_until(next, ENOUGH, &mut Vec::new());
        found.push((next, run.levels()));
    }
    found
}

/// Every value of the series is what a straight run shows at its time; peaks are the highest levels in between,
/// `exactly` or, where something was done to the run in between, no more than those.
fn assert_series(session: &Session, exactly: bool) -> Result<(), TestCaseError> {
    let series = session.series();
    let width = series.width();
    let (mut run, _) = straight(session, Micros::ZERO);
    let levels = levels(session, Micros(series.len() as u64 * width.0));
    for index in 0..series.len() {
        let end = Micros(index as u64 * width.0);
        run.run_until(end, ENOUGH, &mut Vec::new());
        let snapshot = run.snapshot();
        prop_assert_eq!(
            &LEVELS.map(|quantity| quantity.of(&snapshot)),
            &run.levels()
        );
        for quantity in Quantity::ALL {
            prop_assert_eq!(series.value(quantity, index), Some(quantity.of(&snapshot)));
        }
        let begin = Micros((index as u64).saturating_sub(1) * width.0);
        let first = levels
            .partition_point(|(at, _)| *at <= begin)
            .saturating_sub(1);
        let last = levels.partition_point(|(at, _)| *at <= end);
        for (place, quantity) in LEVELS.into_iter().enumerate() {
            let of_index = |index| series.value(quantity, index).unwrap_or(0);
            let highest = levels[first..last].iter().map(|(_, levels)| levels[place]);
            let highest = highest.max().unwrap_or(0);
            let peak = series.peak(quantity, index).unwrap_or(0);
            let least = of_index(index).max(of_index(index.saturating_sub(1)));
            prop_assert!(
                least <= peak && peak <= highest,
                "{:?} at {:?}: {} {} {}",
                quantity,
                end,
                least,
                peak,
                highest
            );
            if exactly {
                prop_assert_eq!(peak, highest, "{:?} at {:?}", quantity, end);
            }
        }
    }
    Ok(())
}

/// Amid an instant, a session shows what a straight run shows at the same event.
fn assert_straight_to_the_event(session: &mut Session) -> Result<(), TestCaseError> {
    let here = session.playhead();
    let (_, trace) = straight(session, here.at);
    let known = all_known(session);
    let count = here.ordinal.0 as usize;
    prop_assert_eq!(&trace[..count], &known[..count]);
    Ok(())
}

/// What a person does to a run.
#[derive(Clone, Debug)]
enum Move {
    Play(u64),
    Seek(u64),
    StepForward,
    StepBack,
    Restart,
    Act(Command),
    Undo,
    Redo,
    JumpForward(usize),
    JumpBack(usize),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => (1..6_000_u64).prop_map(Move::Play),
        4 => (0..25_000_u64).prop_map(Move::Seek),
        2 => Just(Move::StepForward),
        2 => Just(Move::StepBack),
        1 => Just(Move::Restart),
        4 => command().prop_map(Move::Act),
        2 => Just(Move::Undo),
        2 => Just(Move::Redo),
        1 => (0..5_usize).prop_map(Move::JumpForward),
        1 => (0..5_usize).prop_map(Move::JumpBack),
    ];
    prop::collection::vec(one, 1..16)
}

/// Works until done, in slices of odd sizes.
fn finish(session: &mut Session, mut progress: session::Progress) -> session::Progress {
    let mut slice = 1;
    while matches!(progress, session::Progress::Working { .. }) {
        progress = session.work(slice);
        slice = slice % 97 + 13;
    }
    progress
}

fn perform(session: &mut Session, step: &Move) {
    match step {
        Move::Play(by) => {
            let until = session.playhead().at + ms(*by);
            while matches!(
                session.advance_to(until, 50),
                session::Progress::Working { .. }
            ) {}
        }
        Move::Seek(at) => {
            let progress = session.seek(ms(*at), 7);
            finish(session, progress);
        }
        Move::StepForward => {
            let progress = session.step_forward(1);
            finish(session, progress);
        }
        Move::StepBack => {
            let progress = session.step_back(1);
            finish(session, progress);
        }
        Move::Restart => session.restart(),
        Move::Act(command) => {
            session.command(command.clone());
        }
        Move::Undo => {
            if let Some((_, progress)) = session.undo(3) {
                finish(session, progress);
            }
        }
        Move::Redo => {
            if let Some(progress) = session.redo(3) {
                finish(session, progress);
            }
        }
        Move::JumpForward(sought) => {
            let progress = session.jump_forward(Sought::ALL[*sought], 5);
            let mut left = 200;
            let mut progress = progress;
            while matches!(progress, session::Progress::Working { .. }) && left > 0 {
                left -= 1;
                progress = session.work(50);
            }
        }
        Move::JumpBack(sought) => {
            let progress = session.jump_back(Sought::ALL[*sought], 5);
            finish(session, progress);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn seek_equals_a_straight_run_whatever_was_done_before(
        setup in scenario(),
        moves in moves(),
        at in 0..25_000_u64,
    ) {
        let mut session = Session::new(shared(setup));
        for step in &moves {
            perform(&mut session, step);
        }
        let progress = session.seek(ms(at), 11);
        finish(&mut session, progress);
        assert_straight(&mut session)?;
    }

    #[test]
    fn playing_on_after_any_moves_equals_a_straight_run(setup in scenario(), moves in moves()) {
        let mut session = Session::new(shared(setup));
        for step in &moves {
            perform(&mut session, step);
        }
        perform(&mut session, &Move::Play(5_000));
        assert_straight(&mut session)?;
    }

    #[test]
    fn going_back_and_forth_makes_the_same_run_known(
        setup in scenario(),
        seeks in prop::collection::vec(0..20_000_u64, 1..8),
    ) {
        let mut session = Session::new(shared(setup));
        session.advance_to(ms(20_000), ENOUGH);
        let end = session.snapshot();
        let known = all_known(&mut session);
        for at in seeks {
            session.seek(ms(at), ENOUGH);
            assert_straight(&mut session)?;
            prop_assert_eq!(session.known_until(), ms(20_000));
        }
        session.advance_to(ms(20_000), ENOUGH);
        prop_assert_eq!(&*end, &*session.snapshot());
        prop_assert_eq!(known, all_known(&mut session));
    }

    #[test]
    fn the_series_is_that_of_a_straight_run_whatever_was_done_before(setup in scenario(), moves in moves()) {
        let mut session = Session::new(shared(setup));
        let mut untouched = true;
        for step in &moves {
            perform(&mut session, step);
            untouched &= !matches!(step, Move::Act(_) | Move::Undo);
        }
        assert_series(&session, untouched)?;
    }

    #[test]
    fn the_peaks_of_a_run_are_the_highest_levels_however_it_is_gone_through(
        setup in scenario(),
        seeks in prop::collection::vec(0..20_000_u64, 1..6),
    ) {
        let mut session = Session::new(shared(setup));
        for at in seeks {
            perform(&mut session, &Move::Seek(at));
            perform(&mut session, &Move::Play(700));
        }
        assert_series(&session, true)?;
    }

    #[test]
    fn an_undo_leaves_the_run_as_if_nothing_had_been_done(
        setup in scenario(),
        given in 0..10_000_u64,
        command in command(),
        undone_after in 0..10_000_u64,
    ) {
        let mut session = Session::new(shared(setup));
        session.advance_to(ms(given), ENOUGH);
        session.command(command);
        session.advance_to(ms(given + undone_after), ENOUGH);
        session.undo(ENOUGH);
        prop_assert_eq!(session.commands().iter().filter(|it| it.live).count(), 0);
        assert_straight(&mut session)?;
    }

    #[test]
    fn giving_a_command_again_takes_back_its_undo(
        setup in scenario(),
        moves in moves(),
        at in 0..25_000_u64,
    ) {
        let mut session = Session::new(shared(setup));
        for step in &moves {
            perform(&mut session, step);
        }
        perform(&mut session, &Move::Seek(at));
        let (playhead, commands, shown) = (session.playhead(), session.commands(), session.snapshot());
        if session.can_undo() {
            perform(&mut session, &Move::Undo);
            prop_assert!(session.can_redo());
            prop_assert!(session.known_until() >= session.playhead().at);
            perform(&mut session, &Move::Redo);
        }
        prop_assert_eq!(playhead, session.playhead());
        prop_assert_eq!(commands, session.commands());
        prop_assert_eq!(shown, session.snapshot());
        assert_straight(&mut session)?;
    }

    #[test]
    fn a_run_ends_where_it_did_once_what_made_it_longer_is_taken_back(
        setup in scenario(),
        moves in moves(),
        last in command(),
    ) {
        let end = ms(4_000);
        let mut setup = setup;
        setup.duration = Some(end);
        let mut session = Session::new(shared(setup));
        for step in &moves {
            perform(&mut session, step);
            prop_assert!(session.duration().is_some_and(|end| session.playhead().at <= end));
        }
        perform(&mut session, &Move::Seek(1_000_000));
        perform(&mut session, &Move::Act(last));
        let longest = session.duration();
        perform(&mut session, &Move::Play(1_200));
        let mut undone = 0;
        while session.can_undo() {
            perform(&mut session, &Move::Undo);
            undone += 1;
            prop_assert!(session.duration().is_some_and(|end| session.playhead().at <= end));
            prop_assert!(session.duration().is_some_and(|end| session.known_until() <= end));
        }
        prop_assert_eq!(session.duration(), Some(end));
        assert_straight(&mut session)?;
        for _ in 0..undone {
            perform(&mut session, &Move::Redo);
        }
        prop_assert_eq!(session.duration(), longest);
    }

    #[test]
    fn a_jump_lands_where_looking_through_the_whole_run_would(
        setup in scenario(),
        known in 0..20_000_u64,
        at in 0..20_000_u64,
        sought in prop::sample::select(Sought::ALL.to_vec()),
        budget in 1..400_u64,
    ) {
        const END: u64 = 20_000;
        let mut setup = setup;
        setup.duration = Some(ms(END));
        let mut all = Session::new(shared(setup.clone()));
        all.advance_to(ms(END), ENOUGH);
        let events = all_known(&mut all);
        let mut session = Session::new(shared(setup));
        session.advance_to(ms(known), ENOUGH);
        session.seek(ms(at), ENOUGH);
        let here = session.playhead();
        let ahead = events.iter().find(|it| it.ordinal >= here.ordinal && sought.is(&it.kind));
        let progress = session.jump_forward(sought, budget);
        let progress = finish(&mut session, progress);
        match ahead {
            Some(event) => {
                prop_assert_eq!(progress, session::Progress::Reached);
                prop_assert_eq!(session.playhead().at, event.at);
                all.seek_event(event.ordinal, ENOUGH);
                prop_assert_eq!(session.playhead(), all.playhead());
            }
            None => {
                prop_assert_eq!(progress, session::Progress::NotFound);
                prop_assert_eq!(session.playhead(), here);
            }
        }
        assert_straight_to_the_event(&mut session)?;
        let here = session.playhead();
        let landings = events.iter().filter(|it| sought.is(&it.kind)).map(|it| {
            all.seek_event(it.ordinal, ENOUGH);
            all.playhead()
        });
        let behind = landings.collect::<Vec<_>>().into_iter().rev().find(|it| *it < here);
        let progress = session.jump_back(sought, budget);
        finish(&mut session, progress);
        prop_assert_eq!(session.playhead(), behind.unwrap_or(here));
    }

    #[test]
    fn what_was_cut_off_changes_nothing_of_what_comes(
        setup in scenario(),
        known in 0..20_000_u64,
        at in 0..20_000_u64,
        command in command(),
    ) {
        let mut session = Session::new(shared(setup));
        session.advance_to(ms(known), ENOUGH);
        session.seek(ms(at.min(known)), ENOUGH);
        let before = all_known(&mut session);
        let forked = session.command(command).forked;
        prop_assert_eq!(forked, session.ghost().is_some());
        if let Some(ghost) = session.ghost() {
            prop_assert_eq!((ghost.from, ghost.until), (ms(at.min(known)), ms(known)));
            let last = before.last().expect("something was cut off").at;
            prop_assert!(ghost.deliveries.iter().all(|it| it.delivered_at <= last));
        }
        session.advance_to(ms(known + 1_000), ENOUGH);
        assert_straight(&mut session)?;
        session.undo(ENOUGH);
        prop_assert!(session.ghost().is_none());
        let again = all_known(&mut session);
        prop_assert_eq!(&before[..], &again[..before.len()]);
    }

    #[test]
    fn a_step_back_takes_back_a_step_forward(setup in scenario(), at in 0..10_000_u64, steps in 1..20_usize) {
        let mut session = Session::new(shared(setup));
        session.advance_to(ms(at), ENOUGH);
        let mut places = Vec::new();
        for _ in 0..steps {
            if session.step_forward(ENOUGH) != session::Progress::Reached {
                break;
            }
            places.push((session.playhead(), session.snapshot()));
        }
        places.pop();
        for (playhead, snapshot) in places.into_iter().rev() {
            prop_assert_eq!(session.step_back(ENOUGH), session::Progress::Reached);
            prop_assert_eq!(playhead, session.playhead());
            prop_assert_eq!(snapshot, session.snapshot());
        }
    }
}
