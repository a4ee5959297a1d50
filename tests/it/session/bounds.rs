//! Endless runs: what a session keeps stays bounded.

use queue_playground::engine::setup::*;
use queue_playground::engine::*;
use queue_playground::session::{Progress, Quantity, Session};

use crate::allocation::held_by;

use super::setups::{consumer, ms, producer, setup, shared};

const ENOUGH: u64 = 100_000_000;

/// A message every `every`, taken by one fast worker.
fn steady(every: Micros) -> Session {
    let setup = setup(
        vec![producer(Pattern::Constant { every })],
        vec![consumer("worker-1", ms(10))],
    );
    Session::new(shared(setup))
}

#[test]
fn ten_hours_leave_bounded_memory() {
    let mut session = steady(ms(500));
    let mut checkpoints = Vec::new();
    for hour in 1..=10 {
        let until = Micros::from_secs(3_600 * hour);
        assert_eq!(session.advance_to(until, ENOUGH), Progress::Reached);
        let kept = session.events_before(session.known_events(), usize::MAX);
        assert!(kept.count() <= 200_000);
        let points = session.series().points(Quantity::Ready, Micros::MAX);
        assert!(points.count() <= 512);
        let (bytes, count) = session.checkpoint_size();
        assert!(bytes <= 64 << 20 && count <= 2_000);
        assert!(session.ledger().deliveries().len() <= 100_000);
        assert!(session.ledger().messages().count() <= 60_000);
        checkpoints.push(count);
    }
    assert!(session.known_events() > Ordinal(400_000));
}

/// Checkpoints are bounded by this estimate, so what it leaves out is not bounded.
#[test]
fn a_copy_of_a_run_takes_about_as_many_bytes_as_its_checkpoint_counts() {
    let every = Pattern::Constant { every: ms(20) };
    let mut setup = setup(vec![producer(every)], vec![consumer("worker-1", ms(10))]);
    setup.queues[0].kind = QueueKind::Fifo;
    setup.queues[0].deduplication = Deduplication::ByContent;
    setup.consumers[0].idempotence.method = IdempotenceMethod::CheckFirst;
    let mut run = Simulation::new(shared(setup));
    run.run_until(Micros::from_secs(300), ENOUGH, &mut Vec::new());
    let (copy, bytes) = held_by(|| run.clone());
    let counted = copy.approximate_bytes();
    assert!(
        counted >= bytes * 3 / 4 && counted <= bytes * 2,
        "{counted} counted, {bytes} taken"
    );
}

#[test]
fn events_older_than_memory_are_made_again_with_the_same_ordinals() {
    let mut session = steady(ms(100));
    session.advance_to(Micros::from_secs(60), ENOUGH);
    let early = Ordinal(1_000)..Ordinal(1_200);
    let first = session
        .events(early.clone(), 0)
        .expect("they are in memory");
    session.advance_to(Micros::from_secs(6_000), ENOUGH);
    assert!(session.events_before(Ordinal(1_200), 1).next().is_none());
    assert_eq!(
        session.events(early.clone(), 10),
        None,
        "the budget is too small"
    );
    let mut slices = 0;
    let again = loop {
        slices += 1;
        assert!(slices < 10_000);
        if let Some(events) = session.events(early.clone(), 100) {
            break events;
        }
    };
    assert_eq!(again, first);
    let oldest = session
        .events_before(session.known_events(), usize::MAX)
        .last();
    let oldest = oldest.expect("some are in memory").ordinal;
    let seam = Ordinal(oldest.0 - 5)..Ordinal(oldest.0 + 5);
    let events = session.events(seam, ENOUGH).expect("the budget is enough");
    let ordinals: Vec<_> = events.iter().map(|event| event.ordinal.0).collect();
    assert_eq!(ordinals, (oldest.0 - 5..oldest.0 + 5).collect::<Vec<_>>());
}

#[test]
fn a_fork_before_what_is_in_memory_goes_on_from_there() {
    let mut session = steady(ms(100));
    session.advance_to(Micros::from_secs(6_000), ENOUGH);
    session.seek(Micros::from_secs(60), ENOUGH);
    let applied = session.command(Command::PauseProducer(ProducerId(0)));
    assert!(applied.forked);
    session.advance_to(Micros::from_secs(120), ENOUGH);
    let events = session.events(Ordinal(0)..session.known_events(), ENOUGH);
    let events = events.expect("the budget is enough");
    assert!(
        events
            .iter()
            .zip(0..)
            .all(|(event, ordinal)| event.ordinal.0 == ordinal)
    );
    assert_eq!(events.len() as u64, session.known_events().0);
}

#[test]
fn steps_back_work_where_nothing_is_in_memory() {
    let mut session = steady(ms(100));
    session.advance_to(Micros::from_secs(6_000), ENOUGH);
    session.seek(Micros::from_secs(61), ENOUGH);
    let here = session.playhead();
    session.step_back(ENOUGH);
    assert!(session.playhead() < here);
    assert!(here.at - session.playhead().at <= ms(200));
}

#[test]
fn a_run_that_is_stuck_says_so_and_can_be_rewound() {
    let mut setup = setup(
        vec![producer(Pattern::Constant { every: ms(1) })],
        Vec::new(),
    );
    setup.live_message_cap = 100;
    let mut session = Session::new(shared(setup));
    assert_eq!(session.advance_to(ms(1_000), ENOUGH), Progress::Stuck);
    assert!(session.snapshot().stuck);
    assert_eq!(session.step_forward(ENOUGH), Progress::Stuck);
    assert_eq!(session.seek(ms(50), ENOUGH), Progress::Reached);
    assert!(!session.snapshot().stuck);
    assert_eq!(session.seek(ms(1_000), ENOUGH), Progress::Stuck);
}
