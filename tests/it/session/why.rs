//! Why, and what next: causes, lives and foresight, of events in memory and older ones.

use proptest::prelude::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;
use queue_playground::session::{Causes, Life, Session};

use super::setups::{busy, charged_twice, consumer, ms, producer, scenario, setup, shared};

const ENOUGH: u64 = 100_000_000;

/// So long a run that its beginning is no longer in memory: a message every 100 ms, each delivered twice.
fn long() -> Session {
    let mut setup = setup(
        vec![producer(Pattern::Constant { every: ms(100) })],
        vec![consumer("worker-1", ms(30))],
    );
    setup.consumers[0].failure.first_deliveries = 1;
    setup.queues[1].retention = Some(ms(1_000));
    let mut session = Session::new(shared(setup));
    session.advance_to(Micros::from_secs(2_400), ENOUGH);
    assert!(session.events_before(Ordinal(1_000), 1).next().is_none());
    session
}

fn straight(setup: Setup, until: Micros) -> Vec<Event> {
    let mut trace = Vec::new();
    Simulation::new(shared(setup)).run_until(until, u64::MAX, &mut trace);
    trace
}

/// The causes of an event, by looking them up in the whole trace.
fn causes_in(trace: &[Event], of: Ordinal) -> Vec<Event> {
    let mut next = Some(of);
    std::iter::from_fn(|| {
        let event = *trace.get(next?.0 as usize)?;
        next = event.cause;
        Some(event)
    })
    .take(Causes::MOST)
    .collect()
}

#[test]
fn a_duplicate_effect_leads_back_through_the_timeout_to_the_first_delivery_and_its_send() {
    let trace = straight(charged_twice(), ms(6_000));
    let second = trace
        .iter()
        .find(|event| matches!(event.kind, EventKind::Effect { nth: 2, .. }));
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(6_000), ENOUGH);
    // The second effect is worker-2's own first delivery, late; the first one came of the timeout.
    let late = session.causes(second.expect("Ben is charged twice").ordinal, ENOUGH);
    let kinds: Vec<EventKind> = late.events.iter().map(|event| event.kind).collect();
    assert!(matches!(
        kinds[..],
        [
            EventKind::Effect { .. },
            EventKind::Finished { .. },
            EventKind::Started { .. },
            EventKind::Delivered { delivery: 1, .. },
            EventKind::Accepted { .. },
            EventKind::Sent { .. }
        ]
    ));
    let first = trace.iter().find(|event| {
        let ben = event.kind.message() == Some(MessageNumber(2));
        ben && matches!(event.kind, EventKind::Effect { nth: 1, .. })
    });
    let early = session.causes(first.expect("he is").ordinal, ENOUGH);
    assert!(early.complete);
    let kinds: Vec<EventKind> = early.events.iter().map(|event| event.kind).collect();
    assert!(matches!(
        kinds[3..5],
        [
            EventKind::Delivered { delivery: 2, .. },
            EventKind::TimeoutEnded { .. }
        ]
    ));
}

#[test]
fn causes_of_events_older_than_memory_are_those_of_a_straight_run() {
    let mut session = long();
    let trace = straight(Setup::clone(session.base()), Micros::from_secs(2_400));
    for of in [7, 900, 5_000, 60_001, 150_000].map(Ordinal) {
        let mut slices = 0;
        let found = loop {
            slices += 1;
            assert!(slices < 10_000);
            let causes = session.causes(of, 500);
            if causes.complete {
                break causes.events.to_vec();
            }
        };
        assert_eq!(found, causes_in(&trace, of), "{of:?}");
    }
    assert!(session.causes(Ordinal(u64::MAX), 10).events.is_empty());
}

#[test]
fn the_life_of_an_old_message_is_found_in_slices() {
    let mut session = long();
    let trace = straight(Setup::clone(session.base()), Micros::from_secs(2_400));
    for number in [1, 40, 3_000, 23_990].map(MessageNumber) {
        let about: Vec<Event> = trace
            .iter()
            .filter(|event| event.kind.message() == Some(number))
            .copied()
            .collect();
        let mut slices = 0;
        while !session.life(number, 100).complete {
            slices += 1;
            assert!(slices < 10_000);
        }
        assert_eq!(session.life(number, 0).events, about, "{number:?}");
    }
}

#[test]
fn a_life_goes_on_with_the_run_and_is_cut_with_it() {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(2_000), ENOUGH);
    let ben = MessageNumber(2);
    let early = session.life(ben, ENOUGH).events.len();
    session.advance_to(ms(6_000), ENOUGH);
    assert!(session.life(ben, 0).events.len() > early);
    session.seek(ms(1_500), ENOUGH);
    session.command(Command::Crash(ConsumerId(1)));
    assert_eq!(session.life(ben, 0).events.len(), early);
    session.advance_to(ms(6_000), ENOUGH);
    let Life { events, .. } = session.life(ben, 0);
    assert!(
        events
            .iter()
            .any(|event| matches!(event.kind, EventKind::Crashed { .. })),
        "a crash of its holder is part of a message's life"
    );
    assert!(
        events
            .windows(2)
            .all(|pair| pair[0].ordinal < pair[1].ordinal)
    );
}

#[test]
fn foresight_leaves_the_playhead_and_what_is_known_alone() {
    let mut session = Session::new(shared(busy()));
    session.advance_to(ms(4_000), ENOUGH);
    let (here, known) = (session.playhead(), session.known_events());
    let ahead = session.foresee(MessageNumber(9), 3);
    assert!(!ahead.complete, "three steps are not enough");
    while !session.foresee(MessageNumber(9), 100).complete {}
    assert_eq!((session.playhead(), session.known_events()), (here, known));
    assert!(session.foresee(MessageNumber(100_000), 100).complete);
}

#[test]
fn foresight_sees_the_dead_letter_queue_coming() {
    let mut setup = charged_twice();
    setup.queues[0].max_deliveries = Some(2);
    setup.consumers[0].failure.chance = Chance(1_000_000);
    let mut session = Session::new(shared(setup));
    session.advance_to(ms(600), ENOUGH);
    let ahead = session.foresee(MessageNumber(1), ENOUGH);
    assert!(ahead.complete);
    assert!(matches!(
        ahead.events.last().map(|event| event.kind),
        Some(EventKind::DeadLettered { .. } | EventKind::Acked { .. })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_foreseen_is_what_then_happens(setup in scenario(), at in 0..15_000_u64, nth in 0..5_u32) {
        let mut session = Session::new(shared(setup));
        session.advance_to(ms(at), ENOUGH);
        let newest = session.simulation().newest_message().0;
        let message = MessageNumber(newest.saturating_sub(nth).max(1));
        let here = session.playhead().ordinal;
        while !session.foresee(message, 50).complete {}
        let foreseen = session.foresee(message, 0).events.to_vec();
        // While the playhead moves on, what is still to come stays the same.
        session.advance_to(ms(at + 1_000), ENOUGH);
        let later = session.playhead().ordinal;
        while !session.foresee(message, 50).complete {}
        let still: Vec<Event> = foreseen.iter().filter(|event| event.ordinal >= later).copied().collect();
        let ahead = session.foresee(message, 0).events.to_vec();
        prop_assert!(ahead.starts_with(&still), "{:?} {:?}", ahead, still);
        if let Some(last) = foreseen.last() {
            session.advance_to(last.at, ENOUGH);
        }
        let life = session.life(message, ENOUGH);
        prop_assert!(life.complete);
        let happened: Vec<Event> = life.events.iter().filter(|event| event.ordinal >= here).copied().collect();
        prop_assert!(happened.starts_with(&foreseen), "{:?} {:?}", happened, foreseen);
    }

    /// What happens to a message follows from its own past, from a command, or from the crash of its holder.
    #[test]
    fn every_consequence_names_its_cause(setup in scenario()) {
        // A changed delay also acts on messages that wait in a FIFO queue.
        let delays = setup.commands.iter().any(|timed| matches!(timed.command, Command::SetQueue(..)));
        let trace = straight(setup, ms(20_000));
        for event in &trace {
            let Some(message) = event.kind.message() else { continue };
            let cause = event.cause.and_then(|cause| trace.get(cause.0 as usize));
            let about_it = cause.is_some_and(|cause| cause.kind.message() == Some(message));
            let from_outside = cause.is_some_and(|cause| {
                matches!(cause.kind, EventKind::CommandApplied { .. } | EventKind::Crashed { .. } | EventKind::RedriveBegan { .. })
            });
            let free = match event.kind {
                // The producer's plan, a receive, the end of retention and a long wait need no event of the message.
                EventKind::Sent { attempt: 1, .. } => true,
                EventKind::Delivered { .. } => cause.is_some(),
                EventKind::Expired { .. } | EventKind::StarvationBegan { .. } => true,
                EventKind::BecameVisible { .. } => delays,
                _ => false,
            };
            prop_assert!(about_it || from_outside || free, "{:?} because of {:?}", event, cause);
        }
    }

    #[test]
    fn a_timeout_ends_because_of_the_delivery_that_it_belongs_to(mut setup in scenario()) {
        // Two stored copies of one message share its past.
        setup.producers[0].confirm_timeout = None;
        let trace = straight(setup, ms(20_000));
        for event in &trace {
            let EventKind::TimeoutEnded { consumer, delivery, .. } = event.kind else { continue };
            let chain = causes_in(&trace, event.ordinal);
            let delivered = chain.iter().find_map(|cause| match cause.kind {
                EventKind::Delivered { consumer, delivery, .. } => Some((Some(consumer), delivery)),
                _ => None,
            });
            // A lost ack that a command asked for leads to the command, and a crash to what made it happen.
            let outside = chain.iter().take(4).any(|cause| {
                matches!(cause.kind, EventKind::CommandApplied { .. } | EventKind::Crashed { .. })
            });
            prop_assert!(outside || delivered == Some((consumer, delivery)), "{:?} because of {:?}", event, chain);
        }
    }
}

#[test]
fn what_comes_of_a_live_crash_is_its_consequence_and_what_would_have_come_anyway_is_not() {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(2_500), ENOUGH);
    let applied = session.command(Command::Crash(ConsumerId(1)));
    session.advance_to(ms(6_000), ENOUGH);
    let known: Vec<Event> = session
        .events_before(session.playhead().ordinal, 1_000)
        .copied()
        .collect();
    let told = |wanted: &dyn Fn(&EventKind) -> bool| {
        let event = known.iter().find(|event| wanted(&event.kind));
        session.consequence_of(event.expect("it happens"))
    };
    let ben = Some(MessageNumber(2));
    let ended = |kind: &EventKind| matches!(kind, EventKind::TimeoutEnded { .. });
    assert_eq!(told(&ended), Some(applied.index));
    let again = |kind: &EventKind| matches!(kind, EventKind::Delivered { delivery: 2, .. });
    assert_eq!(told(&again), Some(applied.index));
    let effect =
        |kind: &EventKind| kind.message() == ben && matches!(kind, EventKind::Effect { .. });
    assert_eq!(told(&effect), Some(applied.index));
    let other = |kind: &EventKind| {
        kind.message() == Some(MessageNumber(3)) && matches!(kind, EventKind::Effect { .. })
    };
    assert_eq!(told(&other), None);
    let first = |kind: &EventKind| {
        kind.message() == ben && matches!(kind, EventKind::Delivered { delivery: 1, .. })
    };
    assert_eq!(told(&first), None);
}

#[test]
fn a_planned_crash_is_nobodys_own_and_a_run_is_acted_upon_once_a_command_was_given_before_the_playhead()
 {
    let mut setup = charged_twice();
    setup.commands = vec![TimedCommand {
        at: ms(2_500),
        command: Command::Crash(ConsumerId(1)),
    }];
    let mut session = Session::new(shared(setup));
    session.advance_to(ms(6_000), ENOUGH);
    let ended = session
        .events_before(session.playhead().ordinal, 1_000)
        .find(|event| matches!(event.kind, EventKind::TimeoutEnded { .. }))
        .copied();
    assert_eq!(session.consequence_of(&ended.expect("one ends")), None);
    assert!(!session.was_acted_upon());
    session.command(Command::Restart(ConsumerId(1)));
    assert!(session.was_acted_upon());
    session.seek(ms(3_000), ENOUGH);
    assert!(!session.was_acted_upon());
}
