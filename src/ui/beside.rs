//! Another run beside this one: the same arrivals and the same interventions, one setting changed from the start.

use std::rc::Rc;
use std::sync::Arc;

use yew::AttrValue;

use super::player::{Player, STEPS};
use crate::engine::{Command, Micros, Setup, Snapshot};
use crate::present::controls::{Control, Group, Target, Value};
use crate::present::difference::{self, Row};
use crate::present::format;
use crate::present::scene::Scene;
use crate::session::{Comparison, Progress, Session};

/// The other run.
pub struct Other {
    pub(super) session: Session,
    pub(super) scene: Rc<Scene>,
    /// What is changed in it.
    changed: Vec<Command>,
    /// The variant that it is, with its setup, if it is one.
    variant: Option<(usize, Arc<Setup>)>,
    setting: Option<(&'static str, Value)>,
    /// Whose setting.
    target: Target,
    /// What the setting is called, and how it reads at the beginning of either run.
    label: String,
    readings: [String; 2],
    /// The state of this run's commands from which it was made; none when it is to be made anew.
    revision: Option<u64>,
    /// Where it is going.
    goal: Micros,
    stuck: bool,
    /// The table as of the last moment at which both runs were at the same time.
    rows: Rc<[Row]>,
    summary: AttrValue,
    verdict: AttrValue,
    same_arrivals: bool,
}

/// What the page shows of the comparison.
#[derive(Clone, PartialEq)]
pub struct Beside {
    /// The other stage.
    pub scene: Rc<Scene>,
    /// What each run is called.
    pub heads: [AttrValue; 2],
    /// The setting that differs, and its value in the other run; none of a variant.
    pub setting: Option<(&'static str, Value)>,
    /// Which variant of the scenario the other run is.
    pub variant: Option<usize>,
    /// The table of differences.
    pub rows: Rc<[Row]>,
    /// The table in one sentence.
    pub summary: AttrValue,
    /// What it comes to.
    pub verdict: AttrValue,
    /// Whether both runs have the same sends.
    pub same_arrivals: bool,
}

impl Other {
    fn new(session: Session, target: Target) -> Self {
        Self {
            session,
            target,
            scene: Rc::default(),
            changed: Vec::new(),
            variant: None,
            setting: None,
            label: String::new(),
            readings: [String::new(), String::new()],
            revision: None,
            goal: Micros::ZERO,
            stuck: false,
            rows: Rc::default(),
            summary: AttrValue::default(),
            verdict: AttrValue::default(),
            same_arrivals: true,
        }
    }

    /// What a run is called: after the setting as it was at the beginning and, where that has changed, as it is.
    fn head(&self, run: usize, snapshot: &Snapshot) -> AttrValue {
        let name = if run == 0 { "This run" } else { "The other" };
        let first = self.readings.get(run).map_or("", String::as_str);
        let Some((id, _)) = self.setting else {
            return format!("{name}: {first}").into();
        };
        let now = Control::find(id)
            .and_then(|(_, control)| control.reading(snapshot, &self.target))
            .map(|reading| reading.text);
        difference::head(name, &self.label, first, now.as_deref()).into()
    }
}

impl Player {
    /// Starts a comparison, or one with another setting.
    pub fn compare_with(&mut self, id: &'static str, value: Value) {
        let Some((group, control)) = Control::find(id) else {
            return;
        };
        let start = Session::new(self.session.base().clone()).snapshot();
        let Some(command) = control.command_for(&start, &self.target, value) else {
            return;
        };
        let label = format::lower_first(control.label);
        let whose = self.owner(group);
        let reading = control.reading(&start, &self.target);
        let session = self.session.replay_with(&command);
        self.other = Some(Box::new(Other {
            changed: vec![command],
            setting: Some((id, value)),
            label: label + &whose,
            readings: [
                reading.map_or_else(String::new, |reading| reading.text),
                control.value_text(value),
            ],
            ..Other::new(session, self.target)
        }));
    }

    /// Starts a comparison with a variant of the scenario, by its position.
    pub fn compare_with_variant(&mut self, index: usize) {
        let scenario = &self.situation.scenario;
        let Some(variant) = scenario.variants.get(index) else {
            return;
        };
        let setup = scenario
            .with_variant(variant)
            .and_then(|other| other.lower());
        let Ok(setup) = setup else {
            return;
        };
        let readings = ["as it happened".to_owned(), variant.name.clone()];
        let session = self.session.replay_on(&setup);
        self.other = Some(Box::new(Other {
            variant: Some((index, Arc::new(setup))),
            readings,
            ..Other::new(session, self.target)
        }));
    }

    /// Whose setting it is, where that is not plain.
    fn owner(&self, group: Group) -> String {
        let (target, targets) = (&self.target, &self.targets);
        let named = |name: Option<&AttrValue>| name.map(|name| format!(" of {name}"));
        let queue = || targets.queues.iter().find(|(id, _)| *id == target.queue);
        let consumer = || {
            targets
                .consumers
                .iter()
                .find(|(id, _)| Some(*id) == target.consumer)
        };
        let producer = || {
            targets
                .producers
                .iter()
                .find(|(id, _)| *id == target.producer)
        };
        let name = match group {
            Group::Queue if targets.queues.len() > 1 => named(queue().map(|it| &it.1)),
            Group::Consumers => named(consumer().map(|it| &it.1)),
            Group::Producers if targets.producers.len() > 1 => named(producer().map(|it| &it.1)),
            _ => None,
        };
        name.unwrap_or_default()
    }

    /// The run is another one: the one beside it is made anew.
    pub fn compare_anew(&mut self) {
        if let Some(other) = &mut self.other {
            other.revision = None;
        }
    }

    /// Whether the other run has still to come to where this one is.
    pub fn other_lags(&self) -> bool {
        let at = self.session.playhead().at;
        self.other.as_ref().is_some_and(|other| {
            let there = other.session.playhead().at == at && !other.session.is_working();
            !there && !other.stuck
        })
    }

    /// Brings the other run to where this one is, as far as there is time, and one slice of work at least.
    pub fn follow(&mut self, in_time: impl Fn() -> bool) {
        let Some(other) = &mut self.other else {
            return;
        };
        let revision = self.session.revision();
        if other.revision != Some(revision) {
            other.session = match &other.variant {
                Some((_, setup)) => self.session.replay_on(setup),
                None => self.session.replay_with_all(&other.changed),
            };
            other.revision = Some(revision);
        }
        let here = self.session.playhead();
        let there = other.session.playhead();
        other.stuck = false;
        if here.ordinal.0 == 0 && here.at == Micros::ZERO {
            if there.ordinal.0 > 0 || there.at > Micros::ZERO {
                other.session.restart();
            }
            return;
        }
        loop {
            let progress = if other.session.is_working() && other.goal == here.at {
                other.session.work(STEPS)
            } else if other.session.playhead().at > here.at {
                other.goal = here.at;
                other.session.seek(here.at, STEPS)
            } else {
                other.session.advance_to(here.at, STEPS)
            };
            match progress {
                Progress::Working { .. } if in_time() => {}
                Progress::Working { .. } => return,
                progress => {
                    other.stuck = progress == Progress::Stuck;
                    return;
                }
            }
        }
    }

    /// Goes on with the other run.
    pub fn keep_other(&mut self) {
        let Some(other) = self.other.take() else {
            return;
        };
        let at = self.session.playhead().at;
        let mut scenario = self.situation.scenario.clone();
        let text = match &other.variant {
            Some((index, _)) => {
                let variant = scenario.variants.get(*index).cloned();
                let merged = variant
                    .as_ref()
                    .map(|variant| scenario.with_variant(variant));
                if let Some(Ok(merged)) = merged {
                    scenario = merged;
                }
                variant.map(|variant| format!("The same run with {}.", variant.name).into())
            }
            None => {
                scenario = self.with_settings(scenario, &other.session, &other.changed);
                let first = other.changed.first();
                first.map(|command| self.replay_text(command))
            }
        };
        self.go_on_with(other.session, scenario, text.unwrap_or_default());
        self.session.seek(at, STEPS);
    }

    /// What the page shows of the comparison, now.
    pub fn beside(&mut self) -> Option<Rc<Beside>> {
        let lags = self.other_lags();
        let here = self.session.snapshot();
        let other = self.other.as_mut()?;
        let there = other.session.snapshot();
        if !lags {
            let comparison = Comparison::of(&here, &there);
            other.rows = difference::rows(&comparison).into();
            other.summary = difference::summary(&comparison).into();
            other.verdict = difference::verdict(&comparison).into();
            other.same_arrivals = comparison.same_arrivals;
        }
        Some(Rc::new(Beside {
            scene: other.scene.clone(),
            heads: [other.head(0, &here), other.head(1, &there)],
            setting: other.setting,
            variant: other.variant.as_ref().map(|(index, _)| *index),
            rows: other.rows.clone(),
            summary: other.summary.clone(),
            verdict: other.verdict.clone(),
            same_arrivals: other.same_arrivals,
        }))
    }
}
