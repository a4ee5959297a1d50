//! Whether what brought a message to its dead-letter queue is still so.

use crate::engine::ledger::{DeliveryOutcome, DeliveryRecord};
use crate::engine::setup::{Chance, Pattern, Processing};
use crate::engine::snapshot::{ConsumerView, DeadLetterView, QueueView};
use crate::engine::{Micros, QueueId, Snapshot};
use crate::present::format;
use crate::present::names::{Names, clean};

/// Said of one poison message.
pub(super) const POISON: &str = "It is still a poison message: its handlers fail every time.";

/// What would bring a message back if it were redriven now, one sentence each, the surest first. None when nothing in
/// the settings would. `attempts` are its deliveries from the queue that gave it up.
pub fn causes(
    dead: &DeadLetterView,
    snapshot: &Snapshot,
    attempts: &[&DeliveryRecord],
    names: &Names,
) -> Vec<String> {
    let mut found = Vec::new();
    if dead.token.poison {
        found.push(POISON.to_owned());
    }
    let Some(queue) = snapshot.queues.get(dead.from.index()) else {
        return found;
    };
    let consumers: Vec<&ConsumerView> = snapshot
        .consumers
        .iter()
        .filter(|consumer| consumer.setup.from == dead.from)
        .collect();
    // Each setting is told once, of the first consumer that has it.
    let mut first = |told: &dyn Fn(&ConsumerView) -> Option<String>| {
        found.extend(consumers.iter().find_map(|consumer| told(consumer)));
    };
    let attempted = attempts.len().max(dead.token.deliveries as usize);
    first(&|consumer| {
        let failing = consumer.setup.failure.first_deliveries as usize;
        (failing > attempted).then(|| {
            let name = clean(&consumer.setup.name);
            match failing {
                1 => format!("{name} still fails on the first delivery."),
                _ => format!(
                    "{name} still fails on the first {} deliveries.",
                    format::count(failing as u64)
                ),
            }
        })
    });
    first(&|consumer| {
        let failure = consumer.setup.failure;
        (failure.chance > Chance(0)).then(|| {
            let ends = if failure.permanent {
                " and then gives up at once"
            } else {
                ""
            };
            format!(
                "{} still fails with a chance of {}{ends}.",
                clean(&consumer.setup.name),
                format::chance(failure.chance)
            )
        })
    });
    first(&|consumer| too_short(dead.from, queue, consumer, snapshot, attempts));
    let cut_off = |consumer: &&&ConsumerView| consumer.cut_off;
    if let Some(consumer) = consumers.iter().find(cut_off) {
        let name = clean(&consumer.setup.name);
        found.push(format!("{name} is still cut off: no ack of it arrives."));
    }
    let network = &snapshot.network;
    for (what, chance) in [
        ("Acks", network.lose_ack),
        ("Receive responses", network.lose_response),
    ] {
        if chance > Chance(0) {
            let chance = format::chance(chance);
            found.push(format!("{what} still get lost, with a chance of {chance}."));
        }
    }
    let alone = dead.token.deliveries <= 1 && queue.setup.max_deliveries == Some(1);
    let crashed = |record: &&&DeliveryRecord| record.outcome == DeliveryOutcome::Crashed;
    if let Some(record) = attempts.iter().find(crashed).filter(|_| alone) {
        found.push(format!(
            "There is still no retry: one crash of {} is enough.",
            names.consumer(record.consumer)
        ));
    }
    found
}

/// A visibility timeout that ends before the work does, or before the buffer is worked off.
fn too_short(
    from: QueueId,
    queue: &QueueView,
    consumer: &ConsumerView,
    snapshot: &Snapshot,
    attempts: &[&DeliveryRecord],
) -> Option<String> {
    let setup = &consumer.setup;
    let own = setup.visibility_timeout;
    let timeout = own.unwrap_or(queue.setup.visibility_timeout);
    if timeout == Micros::ZERO {
        return Some("A visibility timeout of 0 hides nothing from others.".to_owned());
    }
    let name = clean(&setup.name);
    let work = work(from, consumer, snapshot, attempts);
    let beats = setup
        .heartbeat
        .is_some_and(|heartbeat| heartbeat.every < timeout);
    if work + setup.settle_time > timeout && !beats {
        return Some(format!(
            "The visibility timeout of {} is still shorter than the work of {}, {}.",
            format::span(timeout),
            name,
            format::span(work + setup.settle_time)
        ));
    }
    let workers = u32::from(setup.workers.max(1));
    let rounds = setup.prefetch.div_ceil(workers);
    let waits = Micros(work.0.saturating_mul(u64::from(rounds.saturating_sub(1))));
    let in_buffer = |record: &&DeliveryRecord| {
        use DeliveryOutcome::{Buffered, FinishedLate, Running, Skipped};
        matches!(record.outcome, Buffered | FinishedLate | Running | Skipped)
    };
    let met = attempts.is_empty() || attempts.iter().any(in_buffer);
    (met && rounds > 1 && waits + work > timeout).then(|| {
        format!(
            "With a prefetch of {}, a message can still wait {} in the buffer of {name}: with the work that is longer than the visibility timeout of {}.",
            format::count(setup.prefetch.into()),
            format::span(waits),
            format::span(timeout)
        )
    })
}

/// How long a consumer works on the message now. Where messages bring times of their own, as long as it took.
fn work(
    from: QueueId,
    consumer: &ConsumerView,
    snapshot: &Snapshot,
    attempts: &[&DeliveryRecord],
) -> Micros {
    let has_own = snapshot.producers.iter().any(|producer| {
        let listed = match &producer.setup.pattern {
            Pattern::List(sends) => sends.iter().any(|send| send.processing.is_some()),
            _ => false,
        };
        producer.setup.to == from && (producer.setup.processing.is_some() || listed)
    });
    let took = attempts.iter().rev().find_map(|record| record.work);
    if let Some(took) = took.filter(|_| has_own) {
        return took.ends_at - took.started_at;
    }
    let usual = match consumer.setup.processing {
        Processing::Constant(time) => time,
        Processing::Uniform { max, .. } => max,
        Processing::Exponential { mean } => mean,
        Processing::LogNormal { median, .. } => median,
        Processing::SlowThenFast {
            slow,
            fast,
            slow_deliveries,
        } => {
            if attempts.len() < slow_deliveries as usize {
                slow
            } else {
                fast
            }
        }
    };
    usual.scaled(consumer.slow_percent.into(), 100)
}
