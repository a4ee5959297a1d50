//! A run: the state that decides the future, and the loop that moves it.

use std::sync::Arc;

use super::command::TimedCommand;
use super::event::{Event, Ordinal};
use super::id::MessageNumber;
use super::setup::{NetworkSetup, Setup};
use super::snapshot::{OutsideView, Snapshot, Token, Totals};
use super::time::Micros;

/// The state of a run. A clone is a checkpoint: continuing it gives what continuing the original gives.
#[derive(Clone, Debug)]
pub struct Simulation {
    setup: Arc<Setup>,
    now: Micros,
}

/// How far a call got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Everything up to and including the instant asked for has happened.
    Reached,
    /// The budget was used up first; call again to go on.
    Working,
    /// The run has stopped by itself; its last event is `Stuck`.
    Stuck,
}

impl Simulation {
    /// A run at its beginning: nothing has happened yet, not even at time 0.
    pub fn new(setup: Arc<Setup>) -> Self {
        Self {
            setup,
            now: Micros::ZERO,
        }
    }

    /// What it runs.
    pub fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// The present instant.
    pub fn now(&self) -> Micros {
        self.now
    }

    /// The ordinal of the next event: so many have happened.
    pub fn ordinal(&self) -> Ordinal {
        Ordinal(0)
    }

    /// When the next planned thing happens; none when nothing will ever happen again.
    pub fn next_at(&self) -> Option<Micros> {
        None
    }

    /// Does the next planned thing and appends its events (none, one or several) to `trace`. Returns its instant;
    /// none when nothing is planned or the run is stuck.
    pub fn step(&mut self, _trace: &mut Vec<Event>) -> Option<Micros> {
        None
    }

    /// Runs everything up to and including `until`, then sets the present instant to `until`. `budget` bounds the
    /// planned things done in this call.
    pub fn run_until(&mut self, until: Micros, _budget: u64, _trace: &mut Vec<Event>) -> Progress {
        self.now = until;
        Progress::Reached
    }

    /// Plans a live command. It must not be earlier than [`Simulation::now`], and later than it when anything has
    /// happened at that instant; `setup` is the run's setup with the command added (and any new names appended).
    pub fn command(&mut self, setup: Arc<Setup>, _index: u32, _timed: &TimedCommand) {
        self.setup = setup;
    }

    /// Whether the run has stopped by itself.
    pub fn is_stuck(&self) -> bool {
        false
    }

    /// Everything at the present instant.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            at: self.now,
            ordinal: self.ordinal(),
            queues: Vec::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            outside: OutsideView::default(),
            travelling: Vec::new(),
            network: NetworkSetup::default(),
            totals: Totals::default(),
            stuck: false,
        }
    }

    /// How a live message is drawn; none when it is nowhere any more.
    pub fn token(&self, _message: MessageNumber) -> Option<Token> {
        None
    }

    /// About how many bytes a clone takes.
    pub fn approximate_bytes(&self) -> usize {
        0
    }
}
