//! Live commands: what was done, and what it did to the run.

use crate::engine::{Command, Micros, TimedCommand};

/// What a live command did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Applied {
    /// When it acts.
    pub at: Micros,
    /// Its position in the run's list of commands.
    pub index: u32,
    /// Whether a known future was cut off.
    pub forked: bool,
}

/// What an undo took back.
#[derive(Clone, PartialEq, Debug)]
pub struct Undone {
    /// The command.
    pub command: TimedCommand,
    /// How many live commands, cut off by it, came back.
    pub restored: usize,
}

/// A command of the run.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    /// When and what.
    pub timed: TimedCommand,
    /// Given by the person at the controls, not planned in the scenario.
    pub live: bool,
}

/// A live change of a setting, for the sentence that explains it.
#[derive(Clone, PartialEq, Debug)]
pub struct LastChange {
    /// Its position in the run's list of commands.
    pub index: u32,
    /// When it acts.
    pub at: Micros,
    /// The change.
    pub now: Command,
    /// The same setting as it was just before, one command a queue, consumer or producer changed; setting them
    /// would take the change back.
    pub before: Vec<Command>,
    /// Messages in flight just before, of the queue or the consumers changed: for a visibility timeout, those that
    /// keep theirs.
    pub in_flight: u64,
}
