//! The stage in words, for screen readers. When it is spoken is up to the page.

use crate::engine::Setup;
use crate::engine::snapshot::{ConsumerStatus, ConsumerView, QueueView, Snapshot};
use crate::present::format::{self, NBSP};
use crate::present::names::{clean, token_name};

/// One line a station, short: what a person would say who looks at the stage.
pub fn stage(snapshot: &Snapshot, setup: &Setup, effect_label: &str, unit: &str) -> Vec<String> {
    let mut lines = vec![format!("At {}.", format::instant(snapshot.at))];
    lines.extend(snapshot.queues.iter().filter_map(queue));
    let consumers = snapshot.consumers.iter().take(8);
    lines.extend(consumers.map(|one| consumer(one, snapshot, setup)));
    let more = snapshot.consumers.len().saturating_sub(8);
    if more > 0 {
        lines.push(format!("{more} more consumers."));
    }
    lines.push(outside(snapshot, effect_label, unit));
    lines.iter().map(|line| line.replace(NBSP, " ")).collect()
}

fn queue(queue: &QueueView) -> Option<String> {
    let name = clean(&queue.setup.name);
    let counts = &queue.counts;
    if queue.is_dead_letter_queue {
        let all = counts.ready + counts.delayed + counts.in_flight;
        return (all > 0).then(|| {
            format!(
                "{name}: {} dead-lettered.",
                format::counted(all, "message", "messages")
            )
        });
    }
    let mut parts = vec![format!("{} ready", format::count(counts.ready))];
    for (n, what) in [(counts.in_flight, "in flight"), (counts.delayed, "delayed")] {
        if n > 0 {
            parts.push(format!("{} {what}", format::count(n)));
        }
    }
    let starving = queue
        .lanes
        .iter()
        .filter(|lane| lane.starving_since.is_some())
        .count();
    if starving > 0 {
        parts.push("starving".to_owned());
    }
    Some(format!("{name}: {}.", parts.join(", ")))
}

fn consumer(consumer: &ConsumerView, snapshot: &Snapshot, setup: &Setup) -> String {
    let name = clean(&consumer.setup.name);
    let held = consumer.workers.iter().flatten().count() + consumer.buffered.len();
    match consumer.status {
        ConsumerStatus::Crashed => return format!("{name}: crashed, holding {held}."),
        ConsumerStatus::NotStarted => return format!("{name}: not started."),
        ConsumerStatus::Paused if held == 0 => return format!("{name}: paused."),
        ConsumerStatus::Paused | ConsumerStatus::Running => {}
    }
    let mut parts: Vec<String> = consumer
        .workers
        .iter()
        .flatten()
        .take(2)
        .map(|job| {
            let token = &job.held.token;
            let mut text = format!("works on {}", token_name(setup, token));
            if token.deliveries > 1 {
                text.push_str(&format!(
                    ", its {} delivery",
                    format::ordinal(token.deliveries)
                ));
            }
            if !job.held.acked && snapshot.at >= job.held.hidden_until {
                text.push_str(", timeout over");
            }
            text
        })
        .collect();
    if !consumer.buffered.is_empty() {
        parts.push(format!("{} buffered", consumer.buffered.len()));
    }
    if parts.is_empty() {
        parts.push("idle".to_owned());
    }
    format!("{name}: {}.", parts.join(", "))
}

fn outside(snapshot: &Snapshot, effect_label: &str, unit: &str) -> String {
    let totals = &snapshot.totals;
    let label = clean(effect_label);
    let what = if label.is_empty() { "effects" } else { &label };
    let mut text = format!(
        "Outside world: {}",
        format::counted_label(totals.effects, what)
    );
    if totals.duplicate_effects > 0 {
        text.push_str(&format!(
            ", {} of them again",
            format::count(totals.duplicate_effects)
        ));
    }
    if totals.amount_due > 0 {
        let (amount, due) = (
            format::amount(totals.amount, unit),
            format::amount(totals.amount_due, unit),
        );
        text.push_str(&format!(", {amount} of {due}"));
    }
    for (n, what) in [(totals.lost, "lost"), (totals.out_of_order, "out of order")] {
        if n > 0 {
            text.push_str(&format!(", {} {what}", format::count(n)));
        }
    }
    text.push('.');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures;

    #[test]
    fn the_stage_is_told_in_a_line_a_station() {
        let fixture = fixtures::charged_twice();
        let lines = stage(
            &fixture.snapshot,
            &fixture.setup,
            fixture.effect_label,
            fixture.unit,
        );
        assert_eq!(
            lines,
            [
                "At 4.6 s.",
                "orders: 0 ready, 1 in flight.",
                "worker-1: works on Ben, its second delivery.",
                "worker-2: works on Ben, timeout over.",
                "Outside world: 2 cards charged, €40 of €60.",
            ]
        );
    }

    #[test]
    fn a_dead_letter_queue_is_told_once_it_holds_something() {
        let fixture = fixtures::fifo();
        let lines = stage(&fixture.snapshot, &fixture.setup, "", "");
        assert!(lines.contains(&"orders-dlq.fifo: 1 message dead-lettered.".to_owned()));
    }

    #[test]
    fn many_consumers_are_summed_up() {
        let fixture = fixtures::overfull();
        let lines = stage(&fixture.snapshot, &fixture.setup, "", "");
        assert!(lines.contains(&"14 more consumers.".to_owned()) && lines.len() < 14);
    }
}
