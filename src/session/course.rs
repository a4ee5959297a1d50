//! What decides a run: its setup, its live commands, and checkpoints on its way.

use std::rc::Rc;
use std::sync::Arc;

use crate::engine::{Event, Micros, Setup, TimedCommand};

use super::change::LastChange;
use super::checkpoints::Checkpoints;
use super::position::Playhead;
use super::run::Run;

/// A live command. It is told to a run at the position at which it was given, so that every way to a later
/// position leads through the same states.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) timed: TimedCommand,
    /// Where it was given.
    pub(super) given: Playhead,
    /// Steps done where it was given.
    pub(super) steps: u64,
    /// If it changes a setting: what it changed.
    pub(super) change: Option<LastChange>,
    /// If it was given at the end of the run and made it longer: where the run ended.
    pub(super) ended: Option<Micros>,
    /// Later live commands that it cut off.
    pub(super) displaced: Vec<Live>,
}

/// What one movement came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moved {
    /// A planned thing was done.
    Step,
    /// Nothing is planned up to the limit; the present instant is the limit.
    Arrived,
    /// The run has stopped by itself.
    Stuck,
}

/// A run as a function: any [`Run`] moved along it goes through the same states.
#[derive(Clone, Debug)]
pub(super) struct Course {
    pub(super) base: Arc<Setup>,
    /// The base and the live commands.
    pub(super) setup: Arc<Setup>,
    pub(super) live: Vec<Live>,
    pub(super) checkpoints: Checkpoints,
    /// How often `base` or `live` was changed.
    pub(super) revision: u64,
}

impl Course {
    pub(super) fn new(base: Arc<Setup>) -> Self {
        let start = Run::new(base.clone());
        Self {
            setup: base.clone(),
            base,
            live: Vec::new(),
            revision: 0,
            checkpoints: Checkpoints::new(start, Checkpoints::BYTES),
        }
    }

    /// The position of a live command in the run's list of commands.
    pub(super) fn index_of(&self, live: usize) -> u32 {
        u32::try_from(self.base.commands.len() + live).unwrap_or(u32::MAX)
    }

    /// Lets the run go on after `at`: by half of what it lasted, and 10 s at least.
    pub(super) fn extend(&mut self, at: Micros) {
        let more = Micros(at.0 / 2).max(Micros::from_secs(10));
        self.end_at(at + more);
    }

    /// Lets the run end at `end`.
    pub(super) fn end_at(&mut self, end: Micros) {
        Arc::make_mut(&mut self.base).duration = Some(end);
    }

    /// Makes `setup` again after a change of `base` or `live`.
    pub(super) fn renew_setup(&mut self) {
        self.revision += 1;
        let mut setup = Setup::clone(&self.base);
        setup
            .commands
            .extend(self.live.iter().map(|live| live.timed.clone()));
        self.setup = Arc::new(setup);
    }

    /// A copy of the newest checkpoint that satisfies `is_before`, else a run at the beginning.
    pub(super) fn run_before(&self, is_before: impl Fn(&Run) -> bool) -> Run {
        match self.checkpoints.newest(is_before) {
            Some(run) => Run::clone(Rc::as_ref(run)),
            None => Run::new(self.base.clone()),
        }
    }

    /// Does the next planned thing if it is not later than `until`, else sets the present instant to `until`.
    pub(super) fn move_on(&self, run: &mut Run, until: Micros, trace: &mut Vec<Event>) -> Moved {
        self.tell(run, until);
        if run.simulation().is_stuck() {
            return Moved::Stuck;
        }
        match run.simulation().next_at() {
            Some(next) if next <= until => {
                if run.step(trace) {
                    Moved::Step
                } else {
                    Moved::Stuck
                }
            }
            _ => {
                run.settle(until);
                Moved::Arrived
            }
        }
    }

    /// Tells `run` the live commands given where it is; `until` is how far it is going.
    pub(super) fn tell(&self, run: &mut Run, until: Micros) {
        while let Some(live) = self.live.get(run.told()) {
            if live.steps > run.steps() || live.given.at > until {
                return;
            }
            run.settle_before_steps(live.given.at);
            run.tell(self.setup.clone(), self.index_of(run.told()), &live.timed);
        }
    }

    /// When the next thing happens after `run`; a live command that it has still to be told counts.
    pub(super) fn next_at(&self, run: &Run) -> Option<Micros> {
        let told = self
            .live
            .get(run.told())
            .filter(|live| live.steps == run.steps())
            .map(|live| live.timed.at);
        let planned = run.simulation().next_at();
        match (planned, told) {
            (Some(planned), Some(told)) => Some(planned.min(told)),
            (planned, told) => planned.or(told),
        }
    }
}
