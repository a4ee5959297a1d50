//! Where a session is, and how far a call got.

use crate::engine::{Micros, Ordinal};

/// A place in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Playhead {
    /// The instant.
    pub at: Micros,
    /// Ordinal of the next event: so many have happened.
    pub ordinal: Ordinal,
}

/// How far a call got.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Progress {
    /// The playhead is where it was asked to be.
    Reached,
    /// The budget was used up first; `done` is the share of the way that is behind, from 0 to 1.
    Working {
        /// Share of the way that is behind.
        done: f32,
    },
    /// A break point stopped the run.
    Stopped(StopReason),
    /// The run is over: its duration has passed, or nothing is planned any more (a step only).
    Ended,
    /// The run has stopped by itself; its last event says why.
    Stuck,
    /// What was looked for is not there, or too far away; the playhead is where it was.
    NotFound,
}

/// Which break point stopped a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The claim at this position of the list given to [`Session::stop_when`](super::Session::stop_when) came to hold.
    Claim(usize),
    /// The break point at this position of the list given to [`Session::break_when`](super::Session::break_when).
    Break(usize),
    /// The time to stop at.
    Time(Micros),
}
