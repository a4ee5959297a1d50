//! Random rules of order, sessions and limits, and what holds under them whatever else a run does.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

use crate::any_setup::{any_setup, continues_as_its_clone, millis};

const END: Micros = Micros::from_secs(15);
const QUEUE: QueueId = QueueId(0);

fn priority() -> impl Strategy<Value = Priority> {
    prop_oneof![
        Just(Priority::Off),
        (1..6u8, 0..3u8, any::<bool>()).prop_map(|(max, default, lost_on_return)| {
            Priority::Strict {
                max,
                default,
                lost_on_return,
            }
        }),
        (0..6u8, 0..4u32, 0..3u32).prop_map(|(above, high, low)| Priority::Weighted {
            above,
            high,
            low
        }),
        (1..6u8, millis(0..2_000)).prop_map(|(max, every)| Priority::Aging { max, every }),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let fair_shares = [FairShare::Off, FairShare::RoundRobin, FairShare::QuietFirst];
    let groups = [
        GroupRule::Walk,
        GroupRule::Whole,
        GroupRule::Session,
        GroupRule::Session,
    ];
    let places = [
        ReturnPlace::Place,
        ReturnPlace::Head,
        ReturnPlace::Tail,
        ReturnPlace::ReturnsQueue,
    ];
    prop_oneof![
        3 => priority().prop_map(Rule::Priority),
        2 => (0..3usize).prop_map(move |nth| Rule::FairShare(fair_shares[nth])),
        4 => (0..4usize).prop_map(move |nth| Rule::GroupRule(groups[nth])),
        1 => (0..4usize).prop_map(move |nth| Rule::ReturnsTo(places[nth])),
        2 => option::of(0..6u32).prop_map(Rule::InFlightLimit),
        1 => Just(Rule::AtInFlightLimit(AtInFlightLimit::Error)),
        1 => any::<bool>().prop_map(Rule::RedeliveriesExempt),
        1 => millis(0..2_000).prop_map(Rule::Propagation),
        1 => option::of(1..5u32).prop_map(Rule::Quota),
        1 => option::of(millis(0..4_000)).prop_map(Rule::PurgeInterval),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        3 => rule().prop_map(|rule| Command::SetQueue(QUEUE, QueueChange::Rule(rule))),
        1 => option::of((0..3u32).prop_map(GroupId))
            .prop_map(|group| Command::TakeSession(QUEUE, group)),
    ]
}

/// Any setup with rules of order, sends with priorities, consumers that give up sessions, and commands about all that.
fn any_order() -> impl Strategy<Value = Setup> {
    let commands = vec((millis(0..10_000), command()), 0..6);
    let idle = vec(millis(0..2_000), 2);
    (any_setup(), vec(rule(), 0..5), commands, idle).prop_map(|(mut setup, rules, own, idle)| {
        let first = &mut setup.queues[0];
        rules.into_iter().for_each(|rule| first.rules.set(rule));
        let priorities = (0..7).map(|priority| (priority, 1)).collect();
        setup.producers[0].priority = Priorities::Weighted(priorities);
        for (consumer, idle) in setup.consumers.iter_mut().zip(idle) {
            consumer.session_idle = idle;
        }
        let own = own.into_iter();
        setup
            .commands
            .extend(own.map(|(at, command)| TimedCommand { at, command }));
        setup.commands.sort_by_key(|timed| timed.at);
        setup
    })
}

/// The limit that holds at the end of a step, unless it was lowered or a message came back.
fn limit_of(setup: &QueueSetup) -> u64 {
    let exempt = setup.rules.redeliveries_exempt;
    let limit = setup.rules.in_flight_limit.filter(|_| !exempt);
    limit.map_or(u64::MAX, u64::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_delivery_exceeds_the_in_flight_limit_and_sessions_keep_others_out(setup in any_order()) {
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        let mut before = simulation.snapshot();
        let mut holders: BTreeMap<Option<GroupId>, ConsumerId> = BTreeMap::new();
        while simulation.next_at().is_some_and(|at| at <= END) {
            trace.clear();
            simulation.step(&mut trace);
            let snapshot = simulation.snapshot();
            let queue = &snapshot.queues[0];
            let delivered = trace.iter().any(|event| {
                matches!(event.kind, EventKind::Delivered { queue: QUEUE, .. })
            });
            if delivered {
                let limit = limit_of(&before.queues[0].setup);
                prop_assert!(queue.counts.in_flight <= limit.max(before.queues[0].counts.in_flight));
            }
            let is_session = |setup: &QueueSetup| {
                setup.kind == QueueKind::Fifo && setup.rules.group_rule == GroupRule::Session
            };
            for event in &trace {
                match event.kind {
                    EventKind::SessionAccepted { group, consumer, .. } => {
                        prop_assert_eq!(holders.insert(group, consumer), None);
                    }
                    EventKind::SessionClosed { group, consumer, .. } => {
                        prop_assert_eq!(holders.remove(&group), Some(consumer));
                    }
                    EventKind::Delivered { message, queue: QUEUE, consumer, .. }
                        if is_session(&before.queues[0].setup) =>
                    {
                        if let Some(token) = simulation.token(message) {
                            prop_assert_eq!(holders.get(&token.group), Some(&consumer));
                        }
                    }
                    _ => {}
                }
            }
            let shown = queue.sessions.iter().map(|session| (session.group, session.consumer));
            prop_assert_eq!(shown.collect::<BTreeMap<_, _>>(), holders.clone());
            before = snapshot;
        }
        prop_assert!(!simulation.is_stuck(), "a rule makes a run go round in circles");
    }

    #[test]
    fn all_messages_are_accounted_for_under_any_order(setup in any_order()) {
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        while simulation.next_at().is_some_and(|at| at <= END) {
            simulation.step(&mut trace);
            let snapshot = simulation.snapshot();
            for queue in &snapshot.queues {
                let it = &queue.counts;
                let there = it.ready + it.delayed + it.in_flight + it.undeliverable;
                let gone = it.acked + it.moved_out + it.expired + it.dropped + it.purged
                    + it.discarded + it.archived + it.lost;
                prop_assert_eq!(it.stored + it.moved_in, there + gone);
                let shown: u64 = queue.lanes.iter().map(|lane| u64::from(lane.ready)).sum();
                prop_assert_eq!(shown, it.ready);
            }
        }
    }

    #[test]
    fn a_clone_continues_as_the_original_does_under_any_order(
        setup in any_order(),
        at in 0..15_000u64,
    ) {
        continues_as_its_clone(setup, Micros::from_millis(at), END)?;
    }
}
