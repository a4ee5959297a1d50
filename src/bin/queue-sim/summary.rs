//! What became of a run, as JSON.

use queue_playground::engine::ledger::MessageRecord;
use queue_playground::engine::{Micros, Progress, Setup};
use queue_playground::scenario::{BoundedRun, pretty_in_order};
use serde_json::{Value, json};

/// Longest list of single messages.
pub const MOST_MESSAGES: u64 = 1_000;

fn seconds(time: Micros) -> Value {
    json!(time.as_secs_f64())
}

fn times(times: impl IntoIterator<Item = Micros>) -> Value {
    times.into_iter().map(seconds).collect()
}

/// The order in which fields are printed.
const ORDER: &[&str] = &[
    "at",
    "seed",
    "ended",
    "events",
    "totals",
    "queues",
    "consumers",
    "messages",
    "name",
    "message",
    "body",
    "group",
    "sent",
    "accepted",
    "suppressed",
    "refused",
    "sends_lost",
    "deliveries",
    "duplicate_deliveries",
    "executions",
    "failed",
    "effects",
    "duplicate_effects",
    "amount",
    "amount_due",
    "empty_receives",
    "stored",
    "moved_in",
    "ready",
    "delayed",
    "in_flight",
    "acked",
    "dead_lettered",
    "moved_out",
    "expired",
    "dropped",
    "purged",
    "lost",
    "out_of_order",
    "delivered_out_of_order",
    "max_backlog",
    "idle",
    "latency",
    "oldest_age",
    "busy",
    "buffered",
    "running",
    "sent_at",
    "accepted_at",
    "suppressed_at",
    "to",
    "outcome",
    "ended_at",
    "effects_at",
    "dead_lettered_at",
    "expired_at",
    "acked_at",
];

/// The summary as text.
pub fn text(run: &BoundedRun, progress: Progress) -> String {
    pretty_in_order(&of(run, progress), ORDER)
}

/// Run-wide totals, counts of queues and consumers, and a row a message if there are not too many.
fn of(run: &BoundedRun, progress: Progress) -> Value {
    let snapshot = run.simulation.snapshot();
    let setup = run.simulation.setup();
    let totals = &snapshot.totals;
    let queues: Vec<Value> = snapshot
        .queues
        .iter()
        .map(|queue| {
            let counts = &queue.counts;
            json!({
                "name": queue.setup.name,
                "stored": counts.stored, "moved_in": counts.moved_in, "ready": counts.ready,
                "delayed": counts.delayed, "in_flight": counts.in_flight, "acked": counts.acked,
                "moved_out": counts.moved_out, "expired": counts.expired, "dropped": counts.dropped,
                "purged": counts.purged,
                "oldest_age": queue.oldest_since.map(|since| seconds(snapshot.at - since)),
            })
        })
        .collect();
    let consumers: Vec<Value> = snapshot
        .consumers
        .iter()
        .map(|consumer| {
            json!({
                "name": consumer.setup.name,
                "executions": consumer.executions,
                "busy": seconds(consumer.busy),
                "buffered": consumer.buffered.len(),
                "running": consumer.workers.iter().flatten().count(),
            })
        })
        .collect();
    let mut summary = json!({
        "at": seconds(snapshot.at),
        "seed": setup.seed,
        "ended": match progress {
            Progress::Reached => "reached",
            Progress::Working => "limit",
            Progress::Stuck => "stuck",
        },
        "events": snapshot.ordinal.0,
        "totals": {
            "sent": totals.sent, "accepted": totals.accepted, "suppressed": totals.suppressed,
            "refused": totals.refused, "sends_lost": totals.sends_lost, "deliveries": totals.deliveries,
            "duplicate_deliveries": totals.duplicate_deliveries, "executions": totals.executions, "failed": totals.failed, "effects": totals.effects,
            "duplicate_effects": totals.duplicate_effects, "amount": totals.amount,
            "amount_due": totals.amount_due, "empty_receives": totals.empty_receives, "acked": totals.acked,
            "dead_lettered": totals.dead_lettered, "expired": totals.expired, "dropped": totals.dropped,
            "purged": totals.purged, "lost": totals.lost, "out_of_order": totals.out_of_order,
            "delivered_out_of_order": totals.delivered_out_of_order,
            "max_backlog": totals.max_backlog, "idle": seconds(totals.idle),
            "latency": {
                "p50": totals.latency[0].map(seconds), "p95": totals.latency[1].map(seconds),
                "p99": totals.latency[2].map(seconds),
            },
        },
        "queues": queues,
        "consumers": consumers,
    });
    if run.has_ledger() {
        let rows: Vec<Value> = run
            .ledger
            .messages()
            .map(|(number, record)| message(number.0, record, run, setup))
            .collect();
        summary["messages"] = rows.into();
    }
    summary
}

fn message(number: u32, record: &MessageRecord, run: &BoundedRun, setup: &Setup) -> Value {
    let deliveries: Vec<Value> = record
        .deliveries
        .iter()
        .filter_map(|index| run.ledger.deliveries().get(*index as usize))
        .map(|delivery| {
            json!({
                "at": seconds(delivery.delivered_at),
                "to": setup.consumers.get(delivery.consumer.index()).map(|consumer| &consumer.name),
                "outcome": crate::trace::words(&delivery.outcome),
                "ended_at": delivery.ended_at.map(seconds),
            })
        })
        .collect();
    json!({
        "message": number,
        "body": record.body.and_then(|body| setup.bodies.get(body.index())),
        "group": record.group.and_then(|group| setup.groups.get(group.index())),
        "sent_at": times(record.sent_at.iter().copied()),
        "accepted_at": times(record.accepted_at.iter().copied()),
        "suppressed_at": times(record.suppressed_at.iter().copied()),
        "deliveries": deliveries,
        "effects_at": times(record.effects.iter().map(|(at, _)| *at)),
        "dead_lettered_at": times(record.dead_lettered.iter().map(|(at, ..)| *at)),
        "expired_at": record.expired_at.map(seconds),
        "acked_at": record.acked_at.map(seconds),
    })
}
