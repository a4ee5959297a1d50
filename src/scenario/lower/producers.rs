//! Producers of a file to producers of a setup.

use super::{Lowering, find};
use crate::engine::order::positions_in_order;
use crate::engine::setup::*;
use crate::engine::{BodyId, DeduplicationId, GroupId, Micros, QueueId};
use crate::scenario::file::{GroupsFile, Producer, Scenario, Send};
use crate::scenario::limits;
use crate::scenario::problem::At;
use crate::scenario::profile::{Profile, Role};

impl Lowering {
    pub(super) fn producers(&mut self, scenario: &Scenario, at: At<'_>) -> Vec<ProducerSetup> {
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
    pub(in crate::scenario) fn producer(
        &mut self,
        scenario: &Scenario,
        producer: &Producer,
        at: At<'_>,
    ) -> Option<ProducerSetup> {
        let problems = &mut self.problems;
        scenario.check_profile(
            Role::Producer,
            &|write| producer.written_by(write),
            at,
            problems,
        );
        let sends = producer.sends.iter().flatten().enumerate();
        for (index, send) in sends.filter(|_| scenario.vocabulary() != Profile::Free) {
            let list = at.field("sends");
            let at = list.item(index);
            scenario.check_profile(
                Role::Producer,
                &|write| send.written_by(write),
                at,
                problems,
            );
        }
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
            priority: producer.priority.clone(),
            ttl: producer.ttl,
            persistent: producer.persistent,
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
            self.work.sends += u64::from(send.count);
            if self.planned_sends > u64::from(limits::PLANNED_SENDS) {
                self.problems.push(
                    at.field("count"),
                    format!("makes more than {} planned sends", limits::PLANNED_SENDS),
                    "plan fewer",
                );
                break;
            }
            if self.work.sends > limits::PLANNED_SENDS_IN_ALL {
                self.problems.push(
                    at,
                    "plans too many sends with all its variants",
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
                    fails: send.fails,
                    processing: send.processing,
                    amount: send.amount,
                    priority: send.priority,
                    ttl: send.ttl,
                    persistent: send.persistent,
                });
            }
        }
        let order = positions_in_order(planned.iter().map(|send| (send.at.0, 0))).into_iter();
        let ordered = order.filter_map(|position| planned.get(position).cloned());
        Pattern::List(ordered.collect())
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
                if weights.iter().all(|(_, weight)| *weight == 0) {
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
