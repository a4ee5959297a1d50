//! A run over time: commands, checkpoints, seek, fork and playhead.
//!
//! A [`Session`] owns one run: its setup, the commands given live, the simulation at the playhead, checkpoints to
//! go back to, and the history. It reads no clock: whoever plays it says how far to go and how much work to do.
//!
//! Two kinds of thing are kept apart. *State* (the simulation and its checkpoints) decides the future. *History*
//! (trace, ledger, series) only records it; it is indexed by ordinal and cut at a fork. Numbers shown at the
//! playhead come from the state ([`Session::snapshot`]); history draws lines, bars and logs.

mod change;
mod position;
mod series;

pub use change::{Applied, LastChange, Recorded, Undone};
pub use position::{Playhead, Progress, StopReason};
pub use series::{Quantity, Series};

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use crate::engine::ledger::DeliveryRecord;
use crate::engine::snapshot::Totals;
use crate::engine::{Claim, Command, Event, Ledger, Micros, Ordinal, Setup, Simulation, Snapshot};

/// A run, its past, and the future that is already known.
pub struct Session {
    base: Arc<Setup>,
    simulation: Simulation,
    ledger: Ledger,
    series: Series,
    snapshot: Rc<Snapshot>,
}

impl Session {
    /// A run at its beginning: nothing has happened yet, not even at time 0.
    pub fn new(setup: Arc<Setup>) -> Self {
        let simulation = Simulation::new(setup.clone());
        Self {
            base: setup,
            snapshot: Rc::new(simulation.snapshot()),
            simulation,
            ledger: Ledger::default(),
            series: Series::default(),
        }
    }

    /// What the run started from: the scenario's settings and planned commands, without live commands.
    pub fn base(&self) -> &Arc<Setup> {
        &self.base
    }

    /// All commands of the run, by index: the scenario's first, then the live ones in the order given.
    pub fn commands(&self) -> Vec<Recorded> {
        Vec::new()
    }

    /// Where the run is shown.
    pub fn playhead(&self) -> Playhead {
        Playhead {
            at: self.simulation.now(),
            ordinal: self.simulation.ordinal(),
        }
    }

    /// When the run ends; none for an endless one.
    pub fn duration(&self) -> Option<Micros> {
        self.base.duration
    }

    /// Up to when the run is known: the playhead can go back and forth below it without changing anything.
    pub fn known_until(&self) -> Micros {
        self.simulation.now()
    }

    /// Plays forward to `until`, or to the end of the run if that is earlier, and records what was not known yet.
    /// Stops at break points. The playhead moves as far as `budget`, in steps of the simulation, allows. An
    /// `until` before the playhead changes nothing.
    pub fn advance_to(&mut self, _until: Micros, _budget: u64) -> Progress {
        Progress::Reached
    }

    /// Goes to `at`, back or forward, everything at that instant included; break points do not stop it. With
    /// [`Progress::Working`] the playhead is still where it was: call [`Session::work`] to go on. Any other call
    /// that moves the playhead or acts on the run abandons the seek.
    pub fn seek(&mut self, _at: Micros, _budget: u64) -> Progress {
        Progress::Reached
    }

    /// Goes on with a seek, a step back or an undo that was not done within its budget.
    pub fn work(&mut self, _budget: u64) -> Progress {
        Progress::Reached
    }

    /// Whether [`Session::work`] has something to go on with.
    pub fn is_working(&self) -> bool {
        false
    }

    /// Goes on to the next thing that a person would call an event; polls that come back empty are passed over.
    /// [`Progress::Ended`] when nothing will happen any more.
    pub fn step_forward(&mut self, _budget: u64) -> Progress {
        Progress::Reached
    }

    /// Goes back to just before the last thing that a person would call an event. Sliced as [`Session::seek`].
    pub fn step_back(&mut self, _budget: u64) -> Progress {
        Progress::Reached
    }

    /// Goes back to the beginning, before anything has happened. The run stays known.
    pub fn restart(&mut self) {}

    /// Sets the break points in place of earlier ones. Playing stops when one of them comes to hold, not while it
    /// goes on holding. [`StopReason::Claim`] gives the position in this list.
    pub fn stop_when(&mut self, _claims: Vec<Claim>) {}

    /// Playing stops at this time, once everything at it has happened; none takes the stop away.
    pub fn stop_at(&mut self, _at: Option<Micros>) {}

    /// Acts on the run at the playhead. The command is recorded for the present instant if nothing has happened
    /// at it, else 1 µs later. What was known of the time after it is cut off ([`Applied::forked`]).
    pub fn command(&mut self, _command: Command) -> Applied {
        Applied {
            at: self.simulation.now(),
            index: 0,
            forked: false,
        }
    }

    /// Takes back the newest live command and runs again to the playhead. Live commands that it cut off come back.
    /// None when there is none. Sliced as [`Session::seek`], except that the playhead moves along.
    pub fn undo(&mut self, _budget: u64) -> Option<(Undone, Progress)> {
        None
    }

    /// The number of a message group, added to the run's names if it is new.
    pub fn group(&mut self, _name: &str) -> crate::engine::GroupId {
        crate::engine::GroupId(0)
    }

    /// The number of a message body, added to the run's names if it is new.
    pub fn body(&mut self, _text: &str) -> crate::engine::BodyId {
        crate::engine::BodyId(0)
    }

    /// A new run from the beginning with a setting changed from the start: same seed, same commands, except live
    /// changes of that very setting. It remembers this run as the one before ([`Session::totals_before`]).
    pub fn replay_with(&self, _command: &Command) -> Self {
        Self::new(self.base.clone())
    }

    /// The totals of the run that this one replays, at the playhead's time: none without such a run, and while
    /// `budget` was not enough to run it so far (call again).
    pub fn totals_before(&mut self, _budget: u64) -> Option<Totals> {
        None
    }

    /// The newest live change of a setting before the playhead.
    pub fn last_change(&self) -> Option<&LastChange> {
        None
    }

    /// Everything at the playhead; the same value until the playhead moves or the run changes.
    pub fn snapshot(&self) -> Rc<Snapshot> {
        self.snapshot.clone()
    }

    /// When the next thing happens after the playhead, known or planned; none when nothing ever will.
    pub fn next_event_at(&self) -> Option<Micros> {
        self.simulation.next_at()
    }

    /// The last `count` events before `ordinal`, newest first, as far as they are in memory.
    pub fn events_before(&self, _ordinal: Ordinal, _count: usize) -> impl Iterator<Item = &Event> {
        std::iter::empty()
    }

    /// The events of the last `window` before the playhead, oldest first, as far as they are in memory.
    pub fn recent(&self, _window: Micros) -> impl Iterator<Item = &Event> {
        std::iter::empty()
    }

    /// These events, the known future included. Those no longer in memory are made again from the checkpoint before
    /// them, with the same ordinals; none while `budget` was not enough (call again with the same range).
    pub fn events(&mut self, _range: Range<Ordinal>, _budget: u64) -> Option<Vec<Event>> {
        None
    }

    /// How many events are known: the ordinal after the newest.
    pub fn known_events(&self) -> Ordinal {
        self.simulation.ordinal()
    }

    /// Deliveries that overlap the time from `from` to `to`, oldest first, the known future included.
    pub fn deliveries_between(
        &self,
        _from: Micros,
        _to: Micros,
    ) -> impl Iterator<Item = &DeliveryRecord> {
        self.ledger.deliveries().iter()
    }

    /// What a timeline marks from `from` to `to`, oldest first, the known future included: commands, crashes,
    /// starts, lost messages and acks, dead letters, duplicate effects, out-of-order finishes, starvation.
    pub fn marks_between(&self, _from: Micros, _to: Micros) -> impl Iterator<Item = &Event> {
        std::iter::empty()
    }

    /// What became of every message, the known future included.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The numbers over time, the known future included.
    pub fn series(&self) -> &Series {
        &self.series
    }
}
