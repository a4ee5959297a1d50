//! What is in the dead-letter queues, how it came there, and whether what brought it there is still so.

mod cause;

use cause::POISON;
pub use cause::causes;

use crate::engine::broker::Deaths;
use crate::engine::event::DeadLetterReason;
use crate::engine::ledger::{DeliveryOutcome, DeliveryRecord};
use crate::engine::snapshot::{DeadLetterView, QueueView, RedriveView};
use crate::engine::{Ledger, MessageNumber, Micros, QueueId, Snapshot};
use crate::present::format;
use crate::present::names::{Names, clean};
use crate::present::sentence::dead_letter_reason;

/// One dead-letter queue.
#[derive(Clone, PartialEq, Debug)]
pub struct Sheet {
    /// Which.
    pub queue: QueueId,
    /// Its name.
    pub name: String,
    /// Messages in it.
    pub count: u64,
    /// The redrive under way, in words.
    pub redrive: Option<String>,
    /// Whether what brought them there is still so, in words; empty when there are none.
    pub verdict: String,
    /// Whether some are likely to come back.
    pub stands: bool,
    /// What was moved there, newest first; at most [`Snapshot::TOKENS`].
    pub rows: Vec<Row>,
    /// What is there and not among the rows, in words; one entry a kind.
    pub rest: Vec<String>,
}

/// One dead letter.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Which.
    pub message: MessageNumber,
    /// Its name.
    pub name: String,
    /// Whether it can never be processed.
    pub poison: bool,
    /// Why it was moved, from where and when.
    pub moved: String,
    /// Each of its deliveries there: when, to whom, how it ended.
    pub attempts: Vec<String>,
    /// What would bring it back, one sentence each.
    pub causes: Vec<String>,
}

/// Attempts listed for one message: the last ones.
const MOST_ATTEMPTS: usize = 8;

/// All dead-letter queues.
pub fn sheets(snapshot: &Snapshot, ledger: &Ledger, names: &Names) -> Vec<Sheet> {
    let queues = (0..).map(QueueId).zip(&snapshot.queues);
    queues
        .filter(|(_, queue)| queue.is_dead_letter_queue)
        .map(|(id, queue)| sheet(id, queue, snapshot, ledger, names))
        .collect()
}

fn sheet(
    id: QueueId,
    queue: &QueueView,
    snapshot: &Snapshot,
    ledger: &Ledger,
    names: &Names,
) -> Sheet {
    let rows: Vec<Row> = queue
        .dead_letters
        .iter()
        .rev()
        .map(|dead| row(dead, snapshot, ledger, names))
        .collect();
    let counts = &queue.counts;
    let count = counts.ready + counts.delayed + counts.in_flight;
    let older = queue.dead_lettered.saturating_sub(rows.len() as u64);
    let sent = count.saturating_sub(older + rows.len() as u64);
    let mut rest = Vec::new();
    if older > 0 {
        rest.push(format!("and {} older", format::count(older)));
    }
    if sent > 0 {
        let were = if sent == 1 { "was" } else { "were" };
        let sent = format::count(sent);
        rest.push(format!("and {sent} that {were} sent here and never moved"));
    }
    Sheet {
        queue: id,
        name: clean(&queue.setup.name).into_owned(),
        count,
        redrive: queue.redrive.as_ref().map(progress),
        verdict: match rows.is_empty() && count > 0 {
            true => "Nothing here has failed anywhere: it was sent here.".to_owned(),
            false => verdict(&rows, older),
        },
        stands: rows.iter().any(|row| !row.causes.is_empty()),
        rows,
        rest,
    }
}

fn progress(redrive: &RedriveView) -> String {
    format!(
        "Redriving {} a second: {} moved, {} to go.",
        format::count(redrive.rate.into()),
        format::count(redrive.moved.into()),
        format::count(redrive.left.into())
    )
}

/// What a redrive would come to, as far as the settings tell; `older` messages were not looked at.
fn verdict(rows: &[Row], older: u64) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let standing: Vec<&Row> = rows.iter().filter(|row| !row.causes.is_empty()).collect();
    let Some(first) = standing.first().and_then(|row| row.causes.first()) else {
        if older > 0 {
            return format!(
                "Of the newest {} looked at, the cause is gone, as far as the settings tell.",
                format::count(rows.len() as u64)
            );
        }
        return "The cause is gone, as far as the settings tell: a redrive should succeed."
            .to_owned();
    };
    let same = standing
        .iter()
        .filter(|row| row.causes.first() == Some(first))
        .count();
    let others = match standing.len() - same {
        0 => "",
        1 => " One has another cause.",
        _ => " Others have other causes.",
    };
    let cause = match same {
        2.. if first == POISON && same == standing.len() => {
            "They are still poison messages: their handlers fail every time.".to_owned()
        }
        2.. if first == POISON => format!(
            "{} of them are still poison messages: their handlers fail every time.",
            format::count(same as u64)
        ),
        _ => first.clone(),
    };
    let who = match (standing.len(), rows.len()) {
        (some, all) if older > 0 => {
            let some = match some {
                some if some == all => "all".to_owned(),
                some => format::count(some as u64),
            };
            let all = format::count(all as u64);
            format!("of the newest {all} looked at, {some} would come back")
        }
        (1, 1) => "it would come back".to_owned(),
        (2, 2) => "both would come back".to_owned(),
        (some, all) if some == all => format!("all {} would come back", format::count(all as u64)),
        (some, all) => format!(
            "{} of {} would come back",
            format::count(some as u64),
            format::count(all as u64)
        ),
    };
    format!("The cause is still there, {who}. {cause}{others}")
}

fn row(dead: &DeadLetterView, snapshot: &Snapshot, ledger: &Ledger, names: &Names) -> Row {
    let message = dead.token.message;
    let attempts = deliveries(dead, ledger);
    let skipped = attempts.len().saturating_sub(MOST_ATTEMPTS);
    let why = format::capitalised(dead_letter_reason(dead.reason, dead.token.deliveries));
    Row {
        message,
        name: names.message(message),
        poison: dead.token.poison,
        moved: format!(
            "{why}. From {} at {}.{}",
            names.queue(dead.from),
            format::instant(dead.at),
            earlier_deaths(&dead.deaths, names)
        ),
        attempts: attempts
            .iter()
            .skip(skipped)
            .map(|record| attempt(record, snapshot.at, names))
            .collect(),
        causes: causes(dead, snapshot, &attempts, names),
    }
}

/// All deaths of a message that died more than once, the newest first. RabbitMQ: x-death.
fn earlier_deaths(deaths: &Deaths, names: &Names) -> String {
    let Some((queue, reason)) = deaths.first else {
        return String::new();
    };
    let all: Vec<String> = deaths
        .entries
        .iter()
        .map(|death| {
            let (queue, why) = (names.queue(death.queue), death_word(death.reason));
            format!("{queue} {why} {}×", death.count)
        })
        .collect();
    let (all, first) = (all.join(", "), names.queue(queue));
    format!(" Deaths: {all}; first in {first}, {}.", death_word(reason))
}

/// Why a message died, as in RabbitMQ's x-death.
const fn death_word(reason: DeadLetterReason) -> &'static str {
    match reason {
        DeadLetterReason::BudgetUsedUp => "delivery limit",
        DeadLetterReason::Rejected => "rejected",
        DeadLetterReason::Expired => "expired",
        DeadLetterReason::Overflow => "maxlen",
        DeadLetterReason::Cycle => "cycle",
        DeadLetterReason::NoTarget => "no queue",
    }
}

/// The deliveries before the move, from the queue that gave the message up.
fn deliveries<'a>(dead: &DeadLetterView, ledger: &'a Ledger) -> Vec<&'a DeliveryRecord> {
    let Some(record) = ledger.message(dead.token.message) else {
        return Vec::new();
    };
    let all = ledger.deliveries_of(record);
    all.filter(|it| it.queue == dead.from && it.delivered_at <= dead.at)
        .collect()
}

/// One delivery: "worker-1, 4 s to 9 s: finished too late".
fn attempt(record: &DeliveryRecord, now: Micros, names: &Names) -> String {
    let from = format::instant(record.delivered_at);
    let span = match record.ended_at {
        Some(end) if end > record.delivered_at => {
            format!("{from} to {}", format::instant(end))
        }
        _ => from,
    };
    let over = record.hidden_until <= now;
    let outcome = match record.outcome {
        DeliveryOutcome::Buffered if over => "timed out in the buffer",
        DeliveryOutcome::Buffered => "in the buffer",
        DeliveryOutcome::Running if over => "timed out, still at work",
        DeliveryOutcome::Running => "at work",
        DeliveryOutcome::Finished => "finished, but no ack arrived",
        DeliveryOutcome::FinishedLate => "finished after the timeout",
        DeliveryOutcome::Failed => "failed",
        DeliveryOutcome::Crashed => "crashed",
        DeliveryOutcome::ResponseLost => "never arrived",
        DeliveryOutcome::Skipped => "dropped from the buffer",
        DeliveryOutcome::Returned => "returned unfinished",
    };
    let by_hand = if record.cut_short {
        "; its timeout was ended by hand"
    } else {
        ""
    };
    format!(
        "{}, {span}: {outcome}{by_hand}",
        names.consumer(record.consumer)
    )
}

#[cfg(test)]
mod tests;
