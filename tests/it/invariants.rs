//! What holds in every run, at every instant, whatever the setup.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use queue_playground::engine::snapshot::{ConsumerStatus, Counts};
use queue_playground::engine::*;

use crate::any_setup::any_setup;

const END: Micros = Micros::from_secs(15);

fn conserved(counts: &Counts) -> bool {
    counts.stored + counts.moved_in
        == counts.ready
            + counts.delayed
            + counts.in_flight
            + counts.acked
            + counts.moved_out
            + counts.expired
            + counts.dropped
            + counts.purged
            + counts.discarded
}

fn full_run(setup: &Setup) -> (Simulation, Vec<Event>) {
    let mut simulation = Simulation::new(Arc::new(setup.clone()));
    let mut trace = Vec::new();
    while simulation.run_until(END, 10_000, &mut trace) == Progress::Working {}
    (simulation, trace)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_message_is_in_one_place_and_none_is_made_or_lost_unaccounted(setup in any_setup()) {
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        while simulation.next_at().is_some_and(|at| at <= END) {
            simulation.step(&mut trace);
            let snapshot = simulation.snapshot();
            let moved_in: u64 = snapshot.queues.iter().map(|queue| queue.counts.moved_in).sum();
            let moved_out: u64 = snapshot.queues.iter().map(|queue| queue.counts.moved_out).sum();
            prop_assert_eq!(moved_in, moved_out, "moves cancel");
            for queue in &snapshot.queues {
                prop_assert!(conserved(&queue.counts), "{:?}", queue.counts);
                let shown: u64 = queue.lanes.iter().map(|lane| u64::from(lane.ready)).sum();
                prop_assert_eq!(shown, queue.counts.ready, "lanes add up to ready");
            }
        }
    }

    #[test]
    fn no_consumer_holds_more_than_its_largest_prefetch_or_runs_more_than_its_workers(
        setup in any_setup()
    ) {
        let prefetch = |setup: &Setup| {
            let set = setup.commands.iter().filter_map(|timed| match timed.command {
                Command::SetConsumer(_, ConsumerChange::Prefetch(prefetch)) => Some(prefetch),
                _ => None,
            });
            set.chain(setup.consumers.iter().map(|it| it.prefetch)).max().unwrap_or(0)
        };
        let most = prefetch(&setup) as usize;
        let by_hand = setup.consumers.iter().any(|consumer| consumer.by_hand)
            || setup.commands.iter().any(|timed| matches!(timed.command, Command::Receive { .. }));
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        while simulation.next_at().is_some_and(|at| at <= END) {
            simulation.step(&mut trace);
            for consumer in simulation.snapshot().consumers {
                // What a person receives is not bounded by the prefetch.
                if by_hand {
                    continue;
                }
                let running = consumer.workers.iter().flatten().count();
                prop_assert!(running + consumer.buffered.len() <= most);
                if consumer.status == ConsumerStatus::Running {
                    prop_assert!(running <= consumer.workers.len());
                }
            }
        }
    }

    #[test]
    fn no_more_handlers_have_a_place_than_there_are_and_none_waits_while_one_is_free(
        setup in any_setup()
    ) {
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        while simulation.next_at().is_some_and(|at| at <= END) {
            simulation.step(&mut trace);
            let snapshot = simulation.snapshot();
            for (index, it) in (0..).zip(&snapshot.downstreams) {
                let waits = |consumer: &&snapshot::ConsumerView| {
                    consumer.setup.downstream == Some(index)
                };
                let of = snapshot.consumers.iter().filter(waits);
                let jobs = of.flat_map(|consumer| consumer.workers.iter().flatten());
                let waiting = jobs.filter(|job| job.waits).count();
                prop_assert_eq!(waiting, it.waiting as usize);
                let places = it.setup.at_once.unwrap_or(0);
                prop_assert!(it.busy <= places);
                prop_assert!(it.waiting == 0 || it.busy == places);
            }
        }
    }

    #[test]
    fn the_same_setup_gives_the_same_trace(setup in any_setup()) {
        prop_assert_eq!(full_run(&setup).1, full_run(&setup).1);
    }

    #[test]
    fn a_clone_continues_as_the_original_does(setup in any_setup(), at in 0..15_000u64) {
        let (whole, trace) = full_run(&setup);
        let mut half = Simulation::new(Arc::new(setup));
        let mut events = Vec::new();
        half.run_until(Micros::from_millis(at), u64::MAX, &mut events);
        let mut other = half.clone();
        half.run_until(END, u64::MAX, &mut Vec::new());
        other.run_until(END, u64::MAX, &mut events);
        prop_assert_eq!(&events, &trace);
        prop_assert_eq!(other.snapshot(), whole.snapshot());
    }

    #[test]
    fn a_command_given_live_does_what_the_same_command_planned_does(setup in any_setup()) {
        let (planned, trace) = full_run(&setup);
        let mut bare = setup.clone();
        let commands = std::mem::take(&mut bare.commands);
        let mut simulation = Simulation::new(Arc::new(bare.clone()));
        let mut events = Vec::new();
        for (index, timed) in commands.iter().enumerate() {
            if timed.at > Micros::ZERO {
                simulation.run_until(timed.at - Micros(1), u64::MAX, &mut events);
            }
            bare.commands.push(timed.clone());
            simulation.command(Arc::new(bare.clone()), index as u32, timed);
        }
        simulation.run_until(END, u64::MAX, &mut events);
        prop_assert_eq!(events, trace);
        prop_assert_eq!(simulation.snapshot(), planned.snapshot());
    }

    #[test]
    fn ordinals_count_events_and_causes_come_before_their_effects(setup in any_setup()) {
        let (simulation, trace) = full_run(&setup);
        prop_assert_eq!(simulation.ordinal(), Ordinal(trace.len() as u64));
        for (index, event) in trace.iter().enumerate() {
            prop_assert_eq!(event.ordinal, Ordinal(index as u64));
            prop_assert!(event.cause.is_none_or(|cause| cause < event.ordinal), "{:?}", event);
        }
    }

    #[test]
    fn the_ledger_and_the_state_tell_the_same_numbers(setup in any_setup()) {
        let (simulation, trace) = full_run(&setup);
        let mut ledger = Ledger::default();
        trace.iter().for_each(|event| ledger.observe(event));
        let totals = simulation.totals();
        let effects: usize = ledger.messages().map(|(_, record)| record.effects.len()).sum();
        prop_assert_eq!(effects as u64, totals.effects);
        let twice: usize =
            ledger.messages().map(|(_, record)| record.effects.len().saturating_sub(1)).sum();
        prop_assert_eq!(twice as u64, totals.duplicate_effects);
        prop_assert_eq!(ledger.deliveries().len() as u64, totals.deliveries);
    }

    #[test]
    fn a_fifo_group_never_has_a_message_delivered_before_an_earlier_one_was(setup in any_setup()) {
        let mut setup = setup;
        setup.queues.iter_mut().for_each(|queue| queue.kind = setup::QueueKind::Fifo);
        let toggles = |timed: &TimedCommand| matches!(
            timed.command,
            Command::SetQueue(_, QueueChange::Kind(_))
                | Command::Redrive { .. }
                | Command::RedriveMessage { .. }
        );
        setup.commands.retain(|timed| !toggles(timed));
        // A re-send without deduplication is a second copy, behind what was sent meanwhile.
        setup.producers.iter_mut().for_each(|producer| producer.confirm_timeout = None);
        // A send that travels can be overtaken by one by hand, or by a later one when the first was lost.
        setup.network.send_delay = Micros::ZERO;
        setup.network.lose_send = setup::Chance(0);
        let (_, trace) = full_run(&setup);
        let mut seen: BTreeSet<(Option<GroupId>, u32)> = BTreeSet::new();
        let mut ledger = Ledger::default();
        for event in &trace {
            ledger.observe(event);
            if let EventKind::Delivered { message, delivery: 1, .. } = event.kind {
                let group = ledger.message(message).and_then(|record| record.group);
                let later = seen.range((group, message.0 + 1)..).next();
                prop_assert!(later.is_none_or(|it| it.0 != group), "{:?} after {:?}", event, later);
                seen.insert((group, message.0));
            }
        }
    }
}
