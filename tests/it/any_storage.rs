//! Random rules of what queues store and lose, with restarts, and what holds under them whatever else a run does.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::Counts;
use queue_playground::engine::*;

use crate::any_setup::{any_setup, continues_as_its_clone, millis};

const END: Micros = Micros::from_secs(15);

fn one_of<T: Copy + std::fmt::Debug + 'static, const N: usize>(
    all: [T; N],
) -> impl Strategy<Value = T> {
    (0..N).prop_map(move |nth| all[nth])
}

fn rule() -> impl Strategy<Value = Rule> {
    use CapacityCounts::{All, Ready};
    use DeadLetterClock::{ByKind, Kept, Restarted};
    use Overflow::{DropHead, Refuse, RefuseAndDeadLetter};
    let places = [
        ReturnPlace::Place,
        ReturnPlace::Head,
        ReturnPlace::Tail,
        ReturnPlace::ReturnsQueue,
    ];
    prop_oneof![
        3 => option::of(millis(0..4_000)).prop_map(Rule::Ttl),
        2 => one_of([ExpiryNoticed::Anywhere, ExpiryNoticed::AtHead]).prop_map(Rule::ExpiryNoticed),
        2 => one_of([ExpiredTo::Removed, ExpiredTo::DeadLetter]).prop_map(Rule::ExpiredTo),
        3 => option::of(0..6u32).prop_map(Rule::Capacity),
        2 => one_of([DropHead, Refuse, RefuseAndDeadLetter]).prop_map(Rule::Overflow),
        1 => one_of([Ready, All]).prop_map(Rule::CapacityCounts),
        1 => (0..3u32).prop_map(Rule::Overshoot),
        1 => one_of([ByKind, Kept, Restarted]).prop_map(Rule::DeadLetterClock),
        1 => any::<bool>().prop_map(Rule::CutsCycles),
        2 => option::of(millis(0..3_000)).prop_map(Rule::DeadLetterRetry),
        1 => option::of(millis(500..6_000)).prop_map(Rule::UnusedFor),
        2 => one_of([Durability::Durable, Durability::Persistent, Durability::Volatile])
            .prop_map(Rule::Durability),
        1 => one_of([DeduplicationFrom::FirstSend, DeduplicationFrom::Removal])
            .prop_map(Rule::DeduplicationFrom),
        1 => one_of(places).prop_map(Rule::ReturnsTo),
        1 => one_of([Exhausted::DeadLetter, Exhausted::Drop, Exhausted::Archive, Exhausted::Stays])
            .prop_map(Rule::Exhausted),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    let queue = (0..2u16).prop_map(QueueId);
    let back = prop_oneof![Just(None), Just(Some(QueueId(0))), Just(Some(QueueId(1)))];
    prop_oneof![
        3 => (queue, rule())
            .prop_map(|(queue, rule)| Command::SetQueue(queue, QueueChange::Rule(rule))),
        2 => Just(Command::RestartBroker),
        1 => back.prop_map(|to| Command::SetQueue(QueueId(1), QueueChange::DeadLetterQueue(to))),
    ]
}

/// Any setup with rules of storage on both queues, sends that expire or do not survive, and restarts.
fn any_storage() -> impl Strategy<Value = Setup> {
    let commands = vec((millis(0..10_000), command()), 0..6);
    let rules = (vec(rule(), 0..6), vec(rule(), 0..4));
    let sends = (option::of(millis(0..4_000)), any::<bool>());
    (any_setup(), rules, commands, sends).prop_map(|(mut setup, rules, own, (ttl, persistent))| {
        rules
            .0
            .into_iter()
            .for_each(|rule| setup.queues[0].rules.set(rule));
        rules
            .1
            .into_iter()
            .for_each(|rule| setup.queues[1].rules.set(rule));
        setup.producers[0].ttl = ttl;
        setup.producers[0].persistent = persistent;
        let own = own.into_iter();
        setup
            .commands
            .extend(own.map(|(at, command)| TimedCommand { at, command }));
        setup.commands.sort_by_key(|timed| timed.at);
        setup
    })
}

fn assert_conserved(it: &Counts) -> Result<(), TestCaseError> {
    let there = it.ready + it.delayed + it.in_flight + it.undeliverable;
    let removed = it.expired + it.dropped + it.purged + it.discarded + it.archived + it.lost;
    prop_assert_eq!(
        it.stored + it.moved_in,
        there + it.acked + it.moved_out + removed
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn all_messages_are_accounted_for_whatever_is_lost(setup in any_storage()) {
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        while simulation.next_at().is_some_and(|at| at <= END) {
            simulation.step(&mut trace);
            let snapshot = simulation.snapshot();
            let mut moves = [0, 0];
            for queue in &snapshot.queues {
                assert_conserved(&queue.counts)?;
                let shown: u64 = queue.lanes.iter().map(|lane| u64::from(lane.ready)).sum();
                prop_assert_eq!(shown, queue.counts.ready);
                moves[0] += queue.counts.moved_in;
                moves[1] += queue.counts.moved_out;
            }
            prop_assert_eq!(moves[0], moves[1]);
        }
        prop_assert!(!simulation.is_stuck(), "a rule makes a run go round in circles");
    }

    #[test]
    fn a_queue_that_drops_from_its_head_is_never_too_full_after_an_instant(setup in any_storage()) {
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        while let Some(at) = simulation.next_at().filter(|at| *at <= END) {
            simulation.run_until(at, u64::MAX, &mut trace);
            let snapshot = simulation.snapshot();
            for queue in &snapshot.queues {
                let rules = &queue.setup.rules;
                let drops = rules.overflow == Overflow::DropHead;
                if let Some(capacity) = rules.capacity.filter(|_| drops) {
                    prop_assert!(queue.counts.ready <= u64::from(capacity));
                }
            }
        }
    }

    #[test]
    fn nothing_is_delivered_that_its_queue_has_held_for_longer_than_it_lives(
        setup in any_storage(),
        ttl in millis(0..3_000),
    ) {
        let mut setup = setup;
        setup.commands.retain(|timed| !matches!(
            timed.command,
            Command::SetQueue(_, QueueChange::Rule(Rule::Ttl(_)))
        ));
        setup.queues[0].rules.ttl = Some(ttl);
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        simulation.run_until(END, u64::MAX, &mut trace);
        let mut stored = std::collections::BTreeMap::new();
        for event in &trace {
            match event.kind {
                EventKind::Accepted { message, queue: QueueId(0), .. } => {
                    stored.insert(message, event.at);
                }
                EventKind::Redriven { message, .. } | EventKind::DeadLettered { message, .. } => {
                    stored.remove(&message);
                }
                EventKind::Delivered { message, queue: QueueId(0), .. } => {
                    let since = stored.get(&message);
                    prop_assert!(since.is_none_or(|&since| event.at <= since + ttl));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_clone_continues_as_the_original_does_whatever_is_lost(
        setup in any_storage(),
        at in 0..15_000u64,
    ) {
        continues_as_its_clone(setup, Micros::from_millis(at), END)?;
    }
}
