//! Queues of a file to queues of a setup.

use super::{Lowering, find};
use crate::engine::rules::GroupRule;
use crate::engine::setup::*;
use crate::engine::{Micros, QueueId};
use crate::scenario::file::{Queue, Scenario};
use crate::scenario::problem::{At, shown};
use crate::scenario::{format_duration, limits};

impl Lowering {
    pub(super) fn queues(&mut self, scenario: &Scenario, at: At<'_>) -> Vec<QueueSetup> {
        let list = at.field("queues");
        self.check_names(
            list,
            scenario.queues.iter().map(|queue| queue.name.as_str()),
        );
        let lowered = scenario
            .queues
            .iter()
            .enumerate()
            .filter_map(|(index, queue)| self.queue(scenario, queue, list.item(index)))
            .collect();
        self.check_dead_letter_chains(scenario, list);
        lowered
    }

    /// One queue.
    pub(in crate::scenario) fn queue(
        &mut self,
        scenario: &Scenario,
        queue: &Queue,
        at: At<'_>,
    ) -> Option<QueueSetup> {
        let role = scenario.role_of(&queue.name);
        let problems = &mut self.problems;
        scenario.check_profile(role, &|write| queue.written_by(write), at, problems);
        let names = scenario.queues.iter().map(|queue| queue.name.as_str());
        let dead_letter_queue = find(
            "queue",
            queue.dead_letter_queue.as_deref(),
            names,
            at.field("dead_letter_queue"),
            &mut self.problems,
        );
        let sampled = queue.shards_sampled.unwrap_or(queue.shards);
        self.at_least(at.field("max_deliveries"), queue.max_deliveries, 1);
        self.between(at.field("shards"), queue.shards, 1, limits::SHARDS);
        if queue.shards >= 1 {
            self.between(at.field("shards_sampled"), sampled, 1, queue.shards);
        }
        if queue.retention == Some(Micros::ZERO) {
            self.problems.push(
                at.field("retention"),
                "0s is not allowed",
                "use more, or \"none\"",
            );
        }
        if let Some(delay) = queue.retry_delay
            && delay.min > delay.max
        {
            self.problems.push(
                at.field("retry_delay").field("min"),
                format!("{} is more than \"max\"", format_duration(delay.min)),
                format!("use {} or less", format_duration(delay.max)),
            );
        }
        Some(QueueSetup {
            name: queue.name.clone(),
            kind: kind_of(scenario, queue),
            visibility_timeout: queue.visibility_timeout,
            delay: queue.delay,
            retention: queue.retention,
            max_deliveries: queue.max_deliveries,
            dead_letter_queue: dead_letter_queue?.map(|index| QueueId(index as u16)),
            deduplication: queue.deduplication,
            deduplication_window: queue.deduplication_window,
            deduplication_scope: queue.deduplication_scope,
            stale_ack: queue.stale_ack,
            surplus_duplicates: queue.surplus_duplicates,
            shards: queue.shards,
            shards_sampled: sampled,
            rules: queue.rules(),
        })
    }

    /// SQS: a FIFO queue's dead-letter queue is FIFO, a standard queue's is standard. Azure Service Bus: that of a queue
    /// with sessions has none. And no queue gets its own dead letters back. RabbitMQ: it may, since what would go round by itself is dropped there.
    fn check_dead_letter_chains(&mut self, scenario: &Scenario, list: At<'_>) {
        for (index, queue) in scenario.queues.iter().enumerate() {
            let place = list.item(index);
            let mut next = queue;
            let mut is_cut = true;
            for _ in 0..scenario.queues.len() {
                let Some(dead) = dead_letter_queue_of(scenario, next) else {
                    break;
                };
                is_cut &= next.cuts_cycles;
                if dead.name == queue.name && is_cut {
                    break;
                }
                if dead.name == queue.name {
                    self.problems.push(
                        place.field("dead_letter_queue"),
                        "its dead letters come back to it",
                        "end the chain with a queue that has no dead_letter_queue, or use cuts_cycles",
                    );
                    break;
                }
                next = dead;
            }
            if let Some(dead) = dead_letter_queue_of(scenario, queue)
                && kind_of(scenario, queue) != kind_of(scenario, dead)
                && queue.group_rule != GroupRule::Session
            {
                self.problems.push(
                    place.field("dead_letter_queue"),
                    format!("\"{}\" is of the other kind", shown(&dead.name)),
                    "a FIFO queue needs a FIFO one, a standard queue a standard one",
                );
            }
        }
    }
}

fn dead_letter_queue_of<'a>(scenario: &'a Scenario, queue: &Queue) -> Option<&'a Queue> {
    let name = queue.dead_letter_queue.as_ref()?;
    scenario.queues.iter().find(|queue| queue.name == *name)
}

/// The kind of a queue: its own, or that of the first queue whose dead letters it takes, or standard.
pub(in crate::scenario) fn kind_of(scenario: &Scenario, queue: &Queue) -> QueueKind {
    let mut queue = queue;
    for _ in 0..=scenario.queues.len() {
        if let Some(kind) = queue.kind {
            return kind;
        }
        let source = |other: &&Queue| other.dead_letter_queue.as_deref() == Some(&queue.name);
        match scenario.queues.iter().find(source) {
            Some(source) => queue = source,
            None => break,
        }
    }
    QueueKind::Standard
}
