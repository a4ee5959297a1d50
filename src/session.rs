//! A run over time: commands, checkpoints, seek, fork and playhead.
//!
//! A [`Session`] owns one run: its setup, the commands given live, the simulation at the playhead, checkpoints to
//! go back to, and the history. It reads no clock: whoever plays it says how far to go and how much work to do.
//!
//! Two kinds of thing are kept apart. *State* (the simulation and its checkpoints) decides the future. *History*
//! (trace, ledger, series) only records it; it is indexed by ordinal and cut at a fork. Numbers shown at the
//! playhead come from the state ([`Session::snapshot`]); history draws lines, bars and logs.
//!
//! All is bounded for runs of any length: 200,000 events in memory (older ones are made again on request,
//! [`Session::events`]), a ledger of what twice as many events tell at most, 20,000 marks, [`Series::BUCKETS`]
//! values a quantity, and 64 MiB of checkpoints, the old ones sparser.

mod act;
mod causes;
mod change;
mod checkpoints;
mod compare;
mod course;
mod ghost;
mod history;
mod life;
mod look;
mod position;
mod query;
mod run;
mod series;
mod stops;
mod sweep;
mod travel;
mod undo;

pub use causes::Causes;
pub use change::{Applied, LastChange, Recorded, Undone};
pub use compare::{Better, Comparison, Difference, Measure, Unit};
pub use ghost::Ghost;
pub use life::{Foresight, Life};
pub use look::Sought;
pub use position::{Playhead, Progress, StopReason};
pub use series::{Quantity, Series};
pub use sweep::{Extent, Outcome, Runs, Spread, Sweep, estimated_events};

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::engine::{Event, Micros, Setup, Simulation, Snapshot};

/// A run, its past, and the future that is already known.
pub struct Session {
    course: course::Course,
    history: history::History,
    /// At the playhead.
    run: run::Run,
    errand: Option<travel::Errand>,
    stops: stops::Stops,
    before: Option<Box<act::Before>>,
    ghost: Option<Ghost>,
    /// Commands taken back, the last one last.
    taken_back: Vec<undo::TakenBack>,
    learning: Option<undo::Learning>,
    regeneration: Option<query::Regeneration>,
    chain: Option<causes::Chain>,
    recall: causes::Recall,
    biography: Option<life::Biography>,
    outlook: Option<life::Outlook>,
    /// Until when nothing happens, if that is known.
    quiet_until: Option<Micros>,
    snapshot: RefCell<Option<Rc<Snapshot>>>,
    /// Events of the last movement of the playhead.
    scratch: Vec<Event>,
}

impl Session {
    /// A run at its beginning: nothing has happened yet, not even at time 0.
    pub fn new(setup: Arc<Setup>) -> Self {
        let course = course::Course::new(setup);
        Self {
            run: course.run_before(|_| false),
            course,
            history: history::History::default(),
            errand: None,
            stops: stops::Stops::default(),
            before: None,
            ghost: None,
            taken_back: Vec::new(),
            learning: None,
            regeneration: None,
            chain: None,
            recall: causes::Recall::default(),
            biography: None,
            outlook: None,
            quiet_until: None,
            snapshot: RefCell::new(None),
            scratch: Vec::new(),
        }
    }

    /// What the run started from: the scenario's settings and planned commands, without live commands. Names that
    /// were added since are included.
    pub fn base(&self) -> &Arc<Setup> {
        &self.course.base
    }

    /// The simulation at the playhead, for measuring claims.
    pub fn simulation(&self) -> &Simulation {
        self.run.simulation()
    }

    /// Where the run is shown.
    pub fn playhead(&self) -> Playhead {
        self.run.playhead()
    }

    /// Another number after every command, undo and new name: the run is no longer the one that it was.
    pub fn revision(&self) -> u64 {
        self.course.revision
    }

    /// When the run ends; none for an endless one.
    pub fn duration(&self) -> Option<Micros> {
        self.course.base.duration
    }

    /// Bytes that the checkpoints take, and how many there are.
    pub fn checkpoint_size(&self) -> (usize, usize) {
        (
            self.course.checkpoints.bytes(),
            self.course.checkpoints.len(),
        )
    }
}
