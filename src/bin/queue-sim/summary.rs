//! What became of a run, as JSON.

use queue_playground::engine::ledger::MessageRecord;
use queue_playground::engine::snapshot::{Counts, JobView, QueueView, Token};
use queue_playground::engine::{ConsumerId, Micros, Progress, Setup, Snapshot};
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
    "producers",
    "queues",
    "consumers",
    "newest_effects",
    "messages",
    "name",
    "message",
    "body",
    "group",
    "delivery",
    "nth",
    "consumer",
    "status",
    "sent",
    "planned",
    "resent",
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
    "discarded",
    "undeliverable",
    "archived",
    "lost_in_restart",
    "lost",
    "out_of_order",
    "delivered_out_of_order",
    "max_backlog",
    "idle",
    "latency",
    "oldest_age",
    "locked_by",
    "groups",
    "dead_letters",
    "reason",
    "moved_at",
    "busy",
    "idle_for",
    "idle_reason",
    "buffered",
    "running",
    "work",
    "started_at",
    "ends_at",
    "hidden_until",
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
    let over_all = |count: fn(&Counts) -> u64| {
        let counts = snapshot.queues.iter().map(|queue| count(&queue.counts));
        counts.sum::<u64>()
    };
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
                "purged": counts.purged, "discarded": counts.discarded, "undeliverable": counts.undeliverable,
                "archived": counts.archived, "lost_in_restart": counts.lost,
                "oldest_age": queue.oldest_since.map(|since| seconds(snapshot.at - since)),
                "groups": groups(queue, &snapshot, setup),
                "dead_letters": dead_letters(queue, setup),
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
                "status": crate::trace::words(&consumer.status),
                "idle_for": consumer.idle.map(|(since, _)| seconds(snapshot.at - since)),
                "idle_reason": consumer.idle.map(|(_, reason)| crate::trace::words(&reason)),
                "work": consumer.workers.iter().flatten().map(|job| work(job, setup)).collect::<Vec<_>>(),
            })
        })
        .collect();
    let producers: Vec<Value> = snapshot
        .producers
        .iter()
        .map(|producer| {
            json!({
                "name": producer.setup.name, "sent": producer.sent, "planned": producer.planned,
                "resent": producer.resent,
            })
        })
        .collect();
    let effects = snapshot.outside.recent.iter().map(|effect| {
        json!({
            "at": seconds(effect.at), "message": effect.token.message.0, "body": body(&effect.token, setup),
            "consumer": consumer_name(effect.consumer, setup), "nth": effect.nth, "amount": effect.amount,
        })
    });
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
            "purged": totals.purged, "discarded": totals.discarded,
            "undeliverable": over_all(|counts| counts.undeliverable), "archived": over_all(|counts| counts.archived),
            "lost_in_restart": over_all(|counts| counts.lost), "lost": totals.lost, "out_of_order": totals.out_of_order,
            "delivered_out_of_order": totals.delivered_out_of_order,
            "max_backlog": totals.max_backlog, "idle": seconds(totals.idle),
            "latency": {
                "p50": totals.latency[0].map(seconds), "p95": totals.latency[1].map(seconds),
                "p99": totals.latency[2].map(seconds),
            },
        },
        "producers": producers,
        "queues": queues,
        "consumers": consumers,
        "newest_effects": effects.collect::<Vec<_>>(),
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

fn body<'a>(token: &Token, setup: &'a Setup) -> Option<&'a String> {
    setup.bodies.get(token.body?.index())
}

fn consumer_name(id: ConsumerId, setup: &Setup) -> Option<&String> {
    Some(&setup.consumers.get(id.index())?.name)
}

/// The groups of a FIFO queue and what waits in them.
fn groups(queue: &QueueView, snapshot: &Snapshot, setup: &Setup) -> Vec<Value> {
    let lanes = queue.lanes.iter().filter_map(|lane| {
        let group = setup.groups.get(lane.group?.index())?;
        Some(json!({
            "group": group, "ready": lane.ready,
            "oldest_age": lane.oldest_since.map(|since| seconds(snapshot.at - since)),
            "locked_by": lane.locked_by.map(|message| message.0),
        }))
    });
    lanes.collect()
}

/// What is in a dead-letter queue, newest last.
fn dead_letters(queue: &QueueView, setup: &Setup) -> Vec<Value> {
    let letters = queue.dead_letters.iter().map(|letter| {
        json!({
            "message": letter.token.message.0, "body": body(&letter.token, setup),
            "deliveries": letter.token.deliveries, "reason": crate::trace::words(&letter.reason),
            "moved_at": seconds(letter.at),
        })
    });
    letters.collect()
}

/// What a worker is at.
fn work(job: &JobView, setup: &Setup) -> Value {
    json!({
        "message": job.held.token.message.0, "body": body(&job.held.token, setup),
        "delivery": job.held.token.deliveries, "started_at": seconds(job.started),
        "ends_at": seconds(job.ends), "hidden_until": seconds(job.held.hidden_until),
    })
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
