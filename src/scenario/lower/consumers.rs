//! Consumers of a file to consumers of a setup.

use super::{Lowering, find};
use crate::engine::rules::HandOver;
use crate::engine::setup::*;
use crate::engine::{Micros, QueueId};
use crate::scenario::file::{Consumer, Queue, Scenario};
use crate::scenario::problem::{At, shown};
use crate::scenario::profile::Role;
use crate::scenario::{duration, limits};

impl Lowering {
    pub(super) fn consumers(&mut self, scenario: &Scenario, at: At<'_>) -> Vec<ConsumerSetup> {
        let list = at.field("consumers");
        let mut lowered: Vec<ConsumerSetup> = Vec::new();
        for (index, consumer) in scenario.consumers.iter().enumerate() {
            let Some(one) = self.consumer(scenario, consumer, list.item(index)) else {
                continue;
            };
            for name in consumer.names() {
                if lowered.iter().any(|other| other.name == name) {
                    self.problems.push(
                        list.item(index).field("name"),
                        format!("\"{}\" is taken", shown(&name)),
                        "use another name",
                    );
                }
                lowered.push(ConsumerSetup {
                    name,
                    ..one.clone()
                });
            }
        }
        lowered
    }

    /// One consumer, before its `count` is expanded.
    pub(in crate::scenario) fn consumer(
        &mut self,
        scenario: &Scenario,
        consumer: &Consumer,
        at: At<'_>,
    ) -> Option<ConsumerSetup> {
        self.check_name(at.field("name"), &consumer.name);
        let problems = &mut self.problems;
        scenario.check_profile(
            Role::Consumer,
            &|write| consumer.written_by(write),
            at,
            problems,
        );
        let queues = scenario.queues.iter().map(|queue| queue.name.as_str());
        let from = find(
            "queue",
            Some(&consumer.from),
            queues,
            at.field("from"),
            &mut self.problems,
        );
        let downstream = find(
            "downstream",
            consumer.downstream.as_deref(),
            scenario.downstreams.iter().map(|it| it.name.as_str()),
            at.field("downstream"),
            &mut self.problems,
        );
        if let Some(together) = consumer.ack_together {
            let at = at.field("ack_together");
            self.at_least(at.field("count"), together.count, 1);
            if let Some(every) = together.every {
                self.no_shorter(at.field("every"), every, Micros::from_millis(1));
            }
            if together.count.is_none() && together.every.is_none() {
                let hint = "give count, every, or both";
                self.problems.push(at, "does not say when", hint);
            }
        }
        if let Some(claim) = consumer.claim {
            let at = at.field("claim");
            self.no_shorter(at.field("every"), claim.every, Micros::from_millis(1));
            self.at_least(at.field("max"), Some(claim.max), 1);
        }
        if let Some(breaker) = consumer.breaker {
            let at = at.field("breaker");
            self.at_least(at.field("failures"), Some(breaker.failures), 1);
        }
        self.at_least(at.field("channel_prefetch"), consumer.channel_prefetch, 1);
        let most = consumer.batch.unwrap_or(1).max(consumer.workers);
        let prefetch = consumer.prefetch.unwrap_or(u32::from(most));
        self.between(at.field("workers"), consumer.workers, 1, limits::WORKERS);
        if let Some(batch) = consumer.batch {
            self.between(at.field("batch"), batch, 1, limits::BATCH);
        }
        // RabbitMQ: a prefetch of 0 is no limit.
        let pushes =
            |queue: &Queue| queue.name == consumer.from && queue.hand_over == HandOver::Push;
        let least = u32::from(!scenario.queues.iter().any(pushes));
        self.between(at.field("prefetch"), prefetch, least, limits::PREFETCH);
        if consumer.wait + consumer.poll_interval < limits::SHORTEST_POLL {
            self.problems.push(
                at.field("poll_interval"),
                format!(
                    "{} is not allowed with a wait of {}",
                    duration::format(consumer.poll_interval),
                    duration::format(consumer.wait)
                ),
                "use 1ms or more, or a longer wait",
            );
        }
        if let Some(heartbeat) = consumer.heartbeat {
            let at = at.field("heartbeat");
            self.no_shorter(at.field("every"), heartbeat.every, Micros::from_millis(1));
        }
        self.at_least(
            at.field("idempotence").field("capacity"),
            consumer.idempotence.capacity,
            1,
        );
        Some(ConsumerSetup {
            name: consumer.name.clone(),
            stream: consumer
                .stream
                .clone()
                .unwrap_or_else(|| consumer.name.clone()),
            from: QueueId(from?? as u16),
            workers: consumer.workers,
            batch: consumer.batch,
            prefetch,
            refill: consumer.refill,
            wait: consumer.wait,
            poll_interval: consumer.poll_interval,
            visibility_timeout: consumer.visibility_timeout,
            processing: consumer.processing,
            ack: consumer.ack,
            settle_time: consumer.settle_time,
            failure: consumer.failures,
            on_failure: consumer.on_failure,
            heartbeat: consumer.heartbeat,
            idempotence: consumer.idempotence,
            skip_expired: consumer.skip_expired,
            priority: consumer.priority,
            channel: channel_of(scenario, consumer),
            channel_prefetch: consumer.channel_prefetch,
            ack_together: consumer.ack_together,
            batch_work: consumer.batch_work,
            claim: consumer.claim,
            breaker: consumer.breaker,
            downstream: downstream?.map(|index| index as u16),
            session_idle: consumer.session_idle,
            by_hand: consumer.by_hand,
            crash_above: consumer.crash_above,
            restart_after: consumer.restart_after,
            start: consumer.start,
        })
    }
}

/// The number of the channel that a consumer names: that of the first consumer that names it.
fn channel_of(scenario: &Scenario, consumer: &Consumer) -> Option<u16> {
    consumer.channel.as_ref()?;
    let mut others = scenario.consumers.iter();
    let first = others.position(|other| other.channel == consumer.channel)?;
    u16::try_from(first).ok()
}

impl Consumer {
    /// The names of the consumers that it stands for.
    pub fn names(&self) -> Vec<String> {
        match self.count {
            None => vec![self.name.clone()],
            Some(count) => (1..=count).map(|n| format!("{}-{n}", self.name)).collect(),
        }
    }
}

impl Lowering {
    pub(super) fn downstreams(&mut self, scenario: &Scenario, at: At<'_>) -> Vec<DownstreamSetup> {
        let list = at.field("downstreams");
        self.check_names(list, scenario.downstreams.iter().map(|it| it.name.as_str()));
        let lowered = scenario.downstreams.iter().enumerate();
        let lowered = lowered.map(|(index, downstream)| {
            let at = list.item(index);
            self.at_least(at.field("at_once"), downstream.at_once, 1);
            DownstreamSetup {
                name: downstream.name.clone(),
                at_once: downstream.at_once,
                when_full: downstream.when_full,
                per_second: downstream.per_second,
                down: downstream
                    .down
                    .iter()
                    .map(|outage| (outage.from, outage.until))
                    .collect(),
            }
        });
        lowered.collect()
    }
}
