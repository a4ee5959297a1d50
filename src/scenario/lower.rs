//! From a file to the engine's [`Setup`]: names become ids, defaults that depend on other fields are filled in, and
//! what a run could not bear is refused.

mod changes;
mod commands;
mod consumers;
mod producers;
mod queues;

pub(super) use changes::patched;

use serde_json::{Map, Value};

use super::claims::{ClaimFile, ClaimNames};
use super::file::Scenario;
use super::limits;
use super::problem::{At, Problem, Problems, did_you_mean, shown};
use crate::engine::{Claim, Micros, Setup};

/// Names that get a number each, in order of first use.
#[derive(Default)]
pub(super) struct Names {
    names: Vec<String>,
    /// The numbers. A JSON object, since the page has that map anyway: one of another type would be compiled again.
    numbers: Map<String, Value>,
}

impl Names {
    /// Names that have their numbers already.
    pub(super) fn known(names: &[String]) -> Self {
        let mut known = Self::default();
        names.iter().for_each(|name| {
            known.number(name);
        });
        known
    }

    /// The number of `name`.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.find(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number.into());
        number
    }

    /// The number of `name`, if it has one.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let number = self.numbers.get(name)?.as_u64()?;
        u32::try_from(number).ok()
    }

    /// The names in alphabetical order.
    pub(super) fn sorted(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }
}

/// A scenario on its way to a setup.
#[derive(Default)]
pub(super) struct Lowering {
    pub(super) problems: Problems,
    pub(super) groups: Names,
    pub(super) bodies: Names,
    pub(super) deduplication_ids: Names,
    /// Sends of explicit lists so far.
    planned_sends: u64,
    /// The same, variants included: bounds the work of looking at one file.
    work: Work,
}

/// Work done on one file, its variants included.
#[derive(Clone, Copy, Default)]
struct Work {
    sends: u64,
    changes: u64,
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
        None if problems.is_full() => {
            problems.push(at, "", "");
            None
        }
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
    let names = ClaimNames::of(setup);
    let lowered: Vec<Option<Claim>> = claims
        .iter()
        .enumerate()
        .map(|(index, claim)| claim.lower(&names, list.item(index), &mut problems))
        .collect();
    problems.finish(lowered.into_iter().collect())
}

impl Lowering {
    /// For the next variant of the same file.
    pub(super) fn again(&mut self) -> Self {
        Self {
            problems: std::mem::take(&mut self.problems),
            work: self.work,
            ..Self::default()
        }
    }

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
            downstreams: self.downstreams(scenario, at),
            network: scenario.network,
            commands: Vec::new(),
            starvation: scenario.starvation,
            live_message_cap: limits::LIVE_MESSAGES_PAGE,
        };
        // A shorter one would be looked for at every instant.
        let starvation = at.field("starvation");
        self.no_shorter(
            starvation.field("min_wait"),
            scenario.starvation.min_wait,
            Micros::from_millis(1),
        );
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
}
