//! From a file to the engine's [`Setup`]: names become ids, defaults that depend on other fields are filled in, and
//! what a run could not bear is refused.

use std::collections::BTreeMap;

use super::claims::ClaimFile;
use super::duration;
use super::file::{Consumer, GroupsFile, Producer, Queue, Scenario, Send};
use super::limits;
use super::problem::{At, Problem, Problems, did_you_mean, shown};
use crate::engine::setup::*;
use crate::engine::{BodyId, Claim, DeduplicationId, GroupId, Micros, QueueId};

/// Names that get a number each, in order of first use.
#[derive(Default)]
pub(super) struct Names {
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Names {
    /// The number of `name`.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }
}

/// A scenario on its way to a setup.
#[derive(Default)]
pub(super) struct Lowering {
    pub(super) problems: Problems,
    pub(super) groups: Names,
    pub(super) bodies: Names,
    pub(super) deduplication_ids: Names,
    pub(super) planned_sends: u64,
}

/// The position of `name` among `known`; the outer option is none, with a problem noted, when it is unknown.
pub(super) fn find<'a>(
    what: &str,
    name: Option<&str>,
    known: impl Iterator<Item = &'a str> + Clone,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<Option<usize>> {
    let Some(name) = name else {
        return Some(None);
    };
    match known.clone().position(|candidate| candidate == name) {
        Some(index) => Some(Some(index)),
        None => {
            let hint = did_you_mean(name, known.clone()).unwrap_or_else(|| {
                let names: Vec<&str> = known.take(10).collect();
                if names.is_empty() {
                    "there is none".into()
                } else {
                    format!("there is {}", names.join(", "))
                }
            });
            problems.push(at, format!("there is no {what} \"{}\"", shown(name)), hint);
            None
        }
    }
}

impl Scenario {
    /// What the engine runs, or everything that is wrong. The live-message cap is that of the page.
    pub fn lower(&self) -> Result<Setup, Vec<Problem>> {
        let mut lowering = Lowering::default();
        let setup = lowering.scenario(self, At::Root);
        lowering.problems.finish(setup)
    }

    /// `expect` with ids in place of names, in order.
    pub fn claims(&self, setup: &Setup) -> Result<Vec<Claim>, Vec<Problem>> {
        lower_claims(&self.expect, setup, "expect")
    }

    /// `alerts` with ids in place of names, in order.
    pub fn alert_claims(&self, setup: &Setup) -> Result<Vec<Claim>, Vec<Problem>> {
        lower_claims(&self.alerts, setup, "alerts")
    }
}

fn lower_claims(
    claims: &[ClaimFile],
    setup: &Setup,
    field: &str,
) -> Result<Vec<Claim>, Vec<Problem>> {
    let mut problems = Problems::default();
    let list = At::Root.field(field);
    let lowered: Vec<Option<Claim>> = claims
        .iter()
        .enumerate()
        .map(|(index, claim)| claim.lower(setup, list.item(index), &mut problems))
        .collect();
    problems.finish(lowered.into_iter().collect())
}

impl Lowering {
    /// Lowers everything that decides the run.
    pub(super) fn scenario(&mut self, scenario: &Scenario, at: At<'_>) -> Option<Setup> {
        let before = self.problems.count();
        self.check_counts(scenario, at);
        if self.problems.count() > before {
            return None;
        }
        let queues = self.queues(scenario, at);
        let mut setup = Setup {
            seed: scenario.seed,
            duration: scenario.duration,
            groups: Vec::new(),
            bodies: Vec::new(),
            deduplication_ids: Vec::new(),
            queues,
            producers: self.producers(scenario, at),
            consumers: self.consumers(scenario, at),
            network: scenario.network,
            commands: Vec::new(),
            starvation: scenario.starvation,
            live_message_cap: limits::LIVE_MESSAGES_PAGE,
        };
        if scenario.duration == Some(Micros::ZERO) {
            self.problems.push(
                at.field("duration"),
                "0s is not allowed",
                "use more, or leave it out for an endless run",
            );
        }
        if self.problems.count() == before {
            setup.commands = self.commands(scenario, &setup, at);
        }
        setup.groups = std::mem::take(&mut self.groups.names);
        setup.bodies = std::mem::take(&mut self.bodies.names);
        setup.deduplication_ids = std::mem::take(&mut self.deduplication_ids.names);
        (self.problems.count() == before).then_some(setup)
    }

    fn queues(&mut self, scenario: &Scenario, at: At<'_>) -> Vec<QueueSetup> {
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
    pub(super) fn queue(
        &mut self,
        scenario: &Scenario,
        queue: &Queue,
        at: At<'_>,
    ) -> Option<QueueSetup> {
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
        })
    }

    /// SQS: a FIFO queue's dead-letter queue is FIFO, a standard queue's is standard; and no queue gets its own
    /// dead letters back.
    fn check_dead_letter_chains(&mut self, scenario: &Scenario, list: At<'_>) {
        for (index, queue) in scenario.queues.iter().enumerate() {
            let place = list.item(index);
            let mut next = queue;
            for _ in 0..scenario.queues.len() {
                let Some(dead) = dead_letter_queue_of(scenario, next) else {
                    break;
                };
                if dead.name == queue.name {
                    self.problems.push(
                        place.field("dead_letter_queue"),
                        "its dead letters come back to it",
                        "end the chain with a queue that has no dead_letter_queue",
                    );
                    break;
                }
                next = dead;
            }
            if let Some(dead) = dead_letter_queue_of(scenario, queue)
                && kind_of(scenario, queue) != kind_of(scenario, dead)
            {
                self.problems.push(
                    place.field("dead_letter_queue"),
                    format!("\"{}\" is of the other kind", shown(&dead.name)),
                    "a FIFO queue needs a FIFO one, a standard queue a standard one",
                );
            }
        }
    }

    fn producers(&mut self, scenario: &Scenario, at: At<'_>) -> Vec<ProducerSetup> {
        let list = at.field("producers");
        let names = scenario
            .producers
            .iter()
            .map(|producer| producer.name.as_str());
        self.check_names(list, names);
        let lowered: Vec<ProducerSetup> = scenario
            .producers
            .iter()
            .enumerate()
            .filter_map(|(index, producer)| self.producer(scenario, producer, list.item(index)))
            .collect();
        self.check_rate(list, &lowered);
        lowered
    }

    /// One producer.
    pub(super) fn producer(
        &mut self,
        scenario: &Scenario,
        producer: &Producer,
        at: At<'_>,
    ) -> Option<ProducerSetup> {
        let queues = scenario.queues.iter().map(|queue| queue.name.as_str());
        let to = find(
            "queue",
            Some(&producer.to),
            queues,
            at.field("to"),
            &mut self.problems,
        );
        let groups = self.groups_of(&producer.groups, at.field("groups"));
        let pattern = self.pattern(producer, at);
        let poison = match (producer.poison_every, producer.poison_share) {
            (None, None) => Poison::Never,
            (Some(nth), None) => {
                self.at_least(at.field("poison_every"), Some(nth), 1);
                Poison::Every(nth)
            }
            (None, Some(share)) => Poison::Share(share),
            (Some(_), Some(_)) => {
                self.problems.push(
                    at.field("poison_share"),
                    "is given as well as poison_every",
                    "give one of them",
                );
                Poison::Never
            }
        };
        if let Some(timeout) = producer.confirm_timeout {
            self.no_shorter(at.field("confirm_timeout"), timeout, Micros::from_millis(1));
        }
        self.between(
            at.field("max_resends"),
            producer.max_resends,
            0,
            limits::RESENDS,
        );
        Some(ProducerSetup {
            name: producer.name.clone(),
            to: QueueId(to?? as u16),
            pattern: pattern?,
            start: producer.start,
            limit: producer.limit,
            groups,
            poison,
            processing: producer.processing,
            delay: producer.delay,
            amount: producer.amount,
            confirm_timeout: producer.confirm_timeout,
            max_resends: producer.max_resends,
        })
    }

    fn pattern(&mut self, producer: &Producer, at: At<'_>) -> Option<Pattern> {
        const LEAST: Micros = Micros(1);
        match (
            &producer.sends,
            producer.every,
            &producer.poisson,
            &producer.burst,
        ) {
            (Some(sends), None, None, None) => Some(self.sends(sends, at.field("sends"))),
            (None, Some(every), None, None) => {
                self.no_shorter(at.field("every"), every, LEAST);
                Some(Pattern::Constant { every })
            }
            (None, None, Some(poisson), None) => {
                self.no_shorter(at.field("poisson").field("mean"), poisson.mean, LEAST);
                Some(Pattern::Poisson { mean: poisson.mean })
            }
            (None, None, None, Some(burst)) => {
                let at = at.field("burst");
                self.between(at.field("size"), burst.size, 1, limits::BURST);
                self.no_shorter(at.field("every"), burst.every, LEAST);
                Some(Pattern::Bursts {
                    size: burst.size,
                    every: burst.every,
                })
            }
            _ => {
                self.problems.push(
                    at,
                    "does not say when it sends, or says it twice",
                    "give exactly one of sends, every, poisson and burst",
                );
                None
            }
        }
    }

    fn sends(&mut self, sends: &[Send], at: At<'_>) -> Pattern {
        let mut planned = Vec::new();
        for (index, send) in sends.iter().enumerate() {
            let at = at.item(index);
            self.at_least(at.field("count"), Some(send.count), 1);
            self.planned_sends += u64::from(send.count);
            if self.planned_sends > u64::from(limits::PLANNED_SENDS) {
                self.problems.push(
                    at.field("count"),
                    format!("makes more than {} planned sends", limits::PLANNED_SENDS),
                    "plan fewer",
                );
                break;
            }
            let before = self.problems.count();
            let names = [
                ("body", &send.body),
                ("group", &send.group),
                ("deduplication_id", &send.deduplication_id),
            ];
            for (field, name) in names {
                if let Some(name) = name {
                    self.check_name(at.field(field), name);
                }
            }
            if self.problems.count() > before {
                continue;
            }
            for n in 1..=send.count {
                let numbered = |text: &String| text.replace("{n}", &n.to_string());
                let body = send.body.as_ref().map(numbered);
                let group = send.group.as_ref().map(numbered);
                let id = send.deduplication_id.as_ref().map(numbered);
                planned.push(PlannedSend {
                    at: send.at,
                    body: body.map(|body| BodyId(self.bodies.number(&body))),
                    group: group.map(|group| GroupId(self.groups.number(&group))),
                    deduplication_id: id
                        .map(|id| DeduplicationId(self.deduplication_ids.number(&id))),
                    delay: send.delay,
                    poison: send.poison,
                    processing: send.processing,
                    amount: send.amount,
                });
            }
        }
        planned.sort_by_key(|send| send.at);
        Pattern::List(planned)
    }

    fn groups_of(&mut self, groups: &GroupsFile, at: At<'_>) -> Groups {
        let many = |count: usize| count > limits::GROUPS;
        match groups {
            GroupsFile::None | GroupsFile::Count(0) => Groups::None,
            GroupsFile::List(names) if names.is_empty() => Groups::None,
            GroupsFile::List(names) if !many(names.len()) => {
                for (index, name) in names.iter().enumerate() {
                    self.check_name(at.item(index), name);
                }
                Groups::Cycle(
                    names
                        .iter()
                        .map(|name| GroupId(self.groups.number(name)))
                        .collect(),
                )
            }
            GroupsFile::Count(count) if !many(*count as usize) => Groups::Cycle(
                (0..*count)
                    .map(|index| GroupId(self.groups.number(&letters(index))))
                    .collect(),
            ),
            GroupsFile::Weights(weights) if !many(weights.len()) => {
                for (name, weight) in weights {
                    self.check_name(at.field(name), name);
                    self.between(at.field(name), *weight, 0, 1_000_000);
                }
                if weights.values().all(|weight| *weight == 0) {
                    self.problems
                        .push(at, "all weights are 0", "give one of them more");
                }
                Groups::Weighted(
                    weights
                        .iter()
                        .map(|(name, weight)| (GroupId(self.groups.number(name)), *weight))
                        .collect(),
                )
            }
            _ => {
                let hint = format!("use {} or fewer", limits::GROUPS);
                self.problems.push(at, "are too many groups", hint);
                Groups::None
            }
        }
    }

    fn consumers(&mut self, scenario: &Scenario, at: At<'_>) -> Vec<ConsumerSetup> {
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
    pub(super) fn consumer(
        &mut self,
        scenario: &Scenario,
        consumer: &Consumer,
        at: At<'_>,
    ) -> Option<ConsumerSetup> {
        self.check_name(at.field("name"), &consumer.name);
        let queues = scenario.queues.iter().map(|queue| queue.name.as_str());
        let from = find(
            "queue",
            Some(&consumer.from),
            queues,
            at.field("from"),
            &mut self.problems,
        );
        let most = consumer.batch.unwrap_or(1).max(consumer.workers);
        let prefetch = consumer.prefetch.unwrap_or(u32::from(most));
        self.between(at.field("workers"), consumer.workers, 1, limits::WORKERS);
        if let Some(batch) = consumer.batch {
            self.between(at.field("batch"), batch, 1, limits::BATCH);
        }
        self.between(at.field("prefetch"), prefetch, 1, limits::PREFETCH);
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
            start: consumer.start,
        })
    }
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

/// A, B … Z, AA, AB …
fn letters(index: u32) -> String {
    let (rest, last) = (index / 26, index % 26);
    let letter = char::from(b'A' + last as u8);
    match rest {
        0 => letter.into(),
        _ => format!("{}{letter}", letters(rest - 1)),
    }
}

fn dead_letter_queue_of<'a>(scenario: &'a Scenario, queue: &Queue) -> Option<&'a Queue> {
    let name = queue.dead_letter_queue.as_ref()?;
    scenario.queues.iter().find(|queue| queue.name == *name)
}

/// The kind of a queue: its own, or that of the first queue whose dead letters it takes, or standard.
pub(super) fn kind_of(scenario: &Scenario, queue: &Queue) -> QueueKind {
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
