//! The second scenario: each headline control, flipped at 10 s, shows its consequence within 5 s.

use std::sync::Arc;

use queue_playground::engine::event::DeadLetterReason;
use queue_playground::engine::setup::QueueKind;
use queue_playground::engine::snapshot::IdleReason;
use queue_playground::engine::*;
use queue_playground::scenario::{Scenario, catalogue};

const FLIP: Micros = Micros::from_secs(10);
const END: Micros = Micros::from_secs(15);

fn setup(kind: QueueKind) -> Setup {
    let shipped = catalogue::find("four-switches").expect("shipped");
    let mut setup = Scenario::from_json(shipped.json)
        .expect("valid")
        .lower()
        .expect("sound");
    setup.apply(&Command::SetQueue(QueueId(0), QueueChange::Kind(kind)));
    setup
}

/// Runs to 15 s with a switch flipped at 10 s. Returns what happened after the flip and pictures every 0.1 s.
fn flipped(mut setup: Setup, command: Command) -> (Vec<Event>, Vec<Snapshot>) {
    setup.commands.push(TimedCommand { at: FLIP, command });
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    simulation.run_until(FLIP - Micros(1), u64::MAX, &mut trace);
    trace.clear();
    let times = (FLIP.0..=END.0).step_by(100_000);
    let pictures = times.map(|at| {
        simulation.run_until(Micros(at), u64::MAX, &mut trace);
        simulation.snapshot()
    });
    let pictures = pictures.collect();
    (trace, pictures)
}

fn queue(change: QueueChange) -> Command {
    Command::SetQueue(QueueId(0), change)
}

#[test]
fn fifo_to_standard_merges_the_lanes_and_finishes_something_out_of_order() {
    let (trace, pictures) = flipped(
        setup(QueueKind::Fifo),
        queue(QueueChange::Kind(QueueKind::Standard)),
    );
    assert_eq!(pictures[0].queues[0].lanes.len(), 1);
    let is_mark = |event: &Event| matches!(event.kind, EventKind::FinishedOutOfOrder { .. });
    assert!(trace.iter().any(is_mark));
}

#[test]
fn standard_to_fifo_opens_a_lane_a_group_and_an_idle_worker_says_it_may_take_nothing() {
    let (_, pictures) = flipped(
        setup(QueueKind::Standard),
        queue(QueueChange::Kind(QueueKind::Fifo)),
    );
    let groups: Vec<_> = pictures[0].queues[0]
        .lanes
        .iter()
        .map(|lane| lane.group)
        .collect();
    assert_eq!(
        groups,
        [Some(GroupId(0)), Some(GroupId(1)), Some(GroupId(2))]
    );
    let locked = |picture: &Snapshot| {
        picture
            .consumers
            .iter()
            .any(|consumer| matches!(consumer.idle, Some((_, IdleReason::GroupsLocked(Some(_))))))
    };
    // Long enough to be read: 0.3 s on end.
    assert!(
        pictures
            .windows(3)
            .any(|pictures| pictures.iter().all(locked))
    );
}

#[test]
fn a_prefetch_of_8_lets_one_worker_take_what_is_there_while_the_other_idles() {
    let prefetch = Command::SetConsumer(None, ConsumerChange::Prefetch(8));
    let (_, pictures) = flipped(setup(QueueKind::Fifo), prefetch.clone());
    let hoards = |picture: &Snapshot| {
        let hoarder = picture
            .consumers
            .iter()
            .position(|consumer| consumer.buffered.len() >= 2);
        picture.consumers.iter().any(|consumer| {
            matches!(consumer.idle, Some((_, IdleReason::OthersBuffer { consumer, .. }))
                if Some(consumer.index()) == hoarder)
        })
    };
    assert!(pictures.iter().any(hoards));
    // Later, leases run out in its buffer.
    let mut setup = setup(QueueKind::Fifo);
    setup.commands.push(TimedCommand {
        at: FLIP,
        command: prefetch,
    });
    let mut trace = Vec::new();
    let mut simulation = Simulation::new(Arc::new(setup));
    simulation.run_until(Micros::from_secs(30), u64::MAX, &mut trace);
    let stale = |event: &Event| {
        matches!(
            event.kind,
            EventKind::Started {
                lease_over: true,
                ..
            }
        )
    };
    assert!(trace.iter().any(stale));
}

#[test]
fn a_timeout_of_1_5_s_ends_mid_work_and_makes_a_duplicate() {
    let short = queue(QueueChange::VisibilityTimeout(Micros::from_millis(1_500)));
    let (trace, pictures) = flipped(setup(QueueKind::Fifo), short);
    let passed = |picture: &Snapshot| {
        picture
            .consumers
            .iter()
            .flat_map(|consumer| consumer.workers.iter().flatten())
            .any(|job| {
                job.held.hidden_until < picture.at && picture.at < job.ends && !job.held.lease
            })
    };
    assert!(pictures.iter().any(passed), "the flag is passed mid-work");
    let twice = |event: &Event| matches!(event.kind, EventKind::Effect { nth: 2, .. });
    assert!(trace.iter().any(twice), "an effect is applied twice");
}

#[test]
fn a_retry_budget_of_0_sends_the_next_failure_to_the_dead_letter_queue() {
    let (trace, _) = flipped(
        setup(QueueKind::Fifo),
        queue(QueueChange::MaxDeliveries(Some(1))),
    );
    let failed = trace.iter().find_map(|event| match event.kind {
        EventKind::Failed { message, .. } => Some(message),
        _ => None,
    });
    let moved = trace.iter().find_map(|event| match event.kind {
        EventKind::DeadLettered {
            message,
            reason: DeadLetterReason::BudgetUsedUp,
            ..
        } => Some(message),
        _ => None,
    });
    assert!(failed.is_some());
    assert_eq!(moved, failed);
}
