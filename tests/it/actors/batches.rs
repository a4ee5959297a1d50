//! Batches that are worked on as one.

use queue_playground::engine::event::FailureReason;
use queue_playground::engine::ledger::DeliveryOutcome;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

use super::runs::*;

/// A function that gets ten messages at once, of which the fourth is poison, with three deliveries each.
fn function(kind: QueueKind, work: BatchWork) -> Setup {
    let function = ConsumerSetup {
        batch: Some(10),
        prefetch: 10,
        refill: Refill::WhenEmpty,
        batch_work: work,
        on_failure: OnFailure::LetTimeoutEnd,
        ..worker("function", 0.1)
    };
    let mut setup = setup(kind, 10, vec![function]);
    setup.queues[0].max_deliveries = Some(3);
    poison(&mut setup, &[4]);
    setup
}

fn own_failure(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Failed { reason, .. } if *reason != FailureReason::Batch)
}

fn receives(ran: &Ran) -> Vec<f64> {
    let mut times = ran.times(|it| matches!(it, EventKind::Delivered { .. }));
    times.dedup();
    times
}

// Incident "whole-batch-retry".
#[test]
fn one_bad_message_makes_a_whole_batch_run_again_and_drags_it_to_the_dead_letters() {
    let ran = run(&function(QueueKind::Standard, BatchWork::Whole), 120.0);
    let totals = ran.simulation.totals();
    assert_eq!(totals.executions, 27);
    assert_eq!(totals.duplicate_effects, 18);
    assert_eq!(ran.count(own_failure), 3);
    assert_eq!(totals.failed, 3);
    assert_eq!(receives(&ran), [0.0, 30.0, 60.0]);
    let moved = ran.times(|it| matches!(it, EventKind::DeadLettered { .. }));
    assert_eq!(moved, [90.0; 10]);
    assert_eq!(totals.acked, 0);
}

#[test]
fn a_batch_that_reports_its_failures_loses_only_the_bad_message() {
    let ran = run(&function(QueueKind::Standard, BatchWork::Partial), 120.0);
    let totals = ran.simulation.totals();
    assert_eq!(
        (totals.executions, totals.duplicate_effects, totals.failed),
        (9, 0, 3)
    );
    let moved = ran.times(|it| matches!(it, EventKind::DeadLettered { .. }));
    assert_eq!(moved, [90.0]);
    let acks = ran.times(|it| matches!(it, EventKind::Acked { .. }));
    assert_eq!(acks, [1.0; 9], "all at the end of the batch");
}

#[test]
fn messages_of_a_batch_are_worked_on_one_after_the_other_by_one_worker() {
    let mut setup = function(QueueKind::Standard, BatchWork::Whole);
    poison(&mut setup, &[]);
    if let Pattern::List(sends) = &mut setup.producers[0].pattern {
        sends[3].poison = false;
    }
    setup.consumers[0].workers = 4;
    let ran = run(&setup, 20.0);
    let ends = ran.times(|it| matches!(it, EventKind::Finished { .. }));
    let expected: Vec<f64> = (1..=10).map(|nth| f64::from(nth) / 10.0).collect();
    assert_eq!(ends, expected);
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::Acked { .. })),
        [1.0; 10]
    );
    let busy = ran.simulation.snapshot().consumers[0].busy;
    assert_eq!(busy, secs(1.0));
}

#[test]
fn on_a_fifo_queue_what_follows_the_first_failure_is_returned_unworked() {
    let mut setup = function(QueueKind::Fifo, BatchWork::Partial);
    setup.producers[0].groups = Groups::Cycle(vec![GroupId(0)]);
    setup.consumers[0].on_failure = OnFailure::Nack(Backoff::NONE);
    let ran = run(&setup, 0.45);
    assert_eq!(ran.simulation.totals().executions, 3);
    assert_eq!(ran.simulation.totals().acked, 3);
    let batch = |it: &EventKind| {
        matches!(
            it,
            EventKind::Failed {
                reason: FailureReason::Batch,
                ..
            }
        )
    };
    assert_eq!(ran.times(batch), [0.4; 6]);
    assert_eq!(ran.outcome(4, 0), DeliveryOutcome::Failed);
    assert_eq!(ran.outcome(5, 0), DeliveryOutcome::Returned);
    // What was never worked on has used up its deliveries too.
    let ran = run(&setup, 30.0);
    let totals = ran.simulation.totals();
    assert_eq!(
        (totals.executions, totals.failed, totals.dead_lettered),
        (3, 3, 7)
    );
}

#[test]
fn idempotence_guards_the_good_messages_of_a_batch_that_is_tried_again() {
    let mut setup = function(QueueKind::Standard, BatchWork::Whole);
    setup.consumers[0].idempotence.method = IdempotenceMethod::CheckFirst;
    let totals = run(&setup, 120.0).simulation.totals();
    assert_eq!((totals.effects, totals.duplicate_effects), (9, 0));
}

#[test]
fn a_heartbeat_extends_all_of_a_batch() {
    let mut setup = function(QueueKind::Standard, BatchWork::Whole);
    setup.consumers[0].processing = Processing::Constant(secs(2.0));
    setup.queues[0].visibility_timeout = secs(5.0);
    setup.producers[0].poison = Poison::Never;
    if let Pattern::List(sends) = &mut setup.producers[0].pattern {
        sends[3].poison = false;
    }
    setup.consumers[0].heartbeat = Some(Heartbeat {
        every: secs(3.0),
        extend_to: secs(5.0),
    });
    let totals = run(&setup, 40.0).simulation.totals();
    assert_eq!((totals.deliveries, totals.acked), (10, 10));
}

#[test]
fn a_crash_takes_a_whole_batch_with_it() {
    let mut setup = function(QueueKind::Standard, BatchWork::Partial);
    command(&mut setup, 0.55, Command::Crash(ConsumerId(0)));
    let ran = run(&setup, 29.0);
    let held = ran.trace.iter().find_map(|event| match event.kind {
        EventKind::Crashed { held, .. } => Some(held),
        _ => None,
    });
    assert_eq!(held, Some(10));
    let snapshot = ran.simulation.snapshot();
    assert_eq!(snapshot.queues[0].counts.in_flight, 10);
    let consumer = &snapshot.consumers[0];
    assert_eq!(
        consumer.workers.iter().flatten().count() + consumer.buffered.len(),
        10
    );
}

#[test]
fn what_came_in_one_receive_is_one_batch_although_the_network_carries_it_in_pieces() {
    let mut setup = function(QueueKind::Standard, BatchWork::Whole);
    setup.network.delivery_delay = secs(0.5);
    setup.consumers[0].processing = Processing::Constant(Micros::ZERO);
    let ran = run(&setup, 10.0);
    let along = |it: &EventKind| {
        matches!(
            it,
            EventKind::Failed {
                reason: FailureReason::Batch,
                ..
            }
        )
    };
    assert_eq!(ran.times(along), [0.5; 9]);
}

#[test]
fn a_batch_in_hand_shows_what_is_done_and_what_is_to_come() {
    let ran = run(&function(QueueKind::Standard, BatchWork::Whole), 0.35);
    let snapshot = ran.simulation.snapshot();
    let buffered = &snapshot.consumers[0].buffered;
    let worked: Vec<u32> = buffered
        .iter()
        .filter(|held| held.worked)
        .map(|held| held.token.message.0)
        .collect();
    assert_eq!((buffered.len(), worked), (9, vec![1, 2, 3]));
}
