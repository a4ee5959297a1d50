//! What the panels read: plain values taken from the run at most ten times a second.

use std::rc::Rc;
use std::sync::Arc;

use crate::engine::{Micros, Setup, Snapshot};
use crate::present::scene::Scene;

/// Everything that the page shows of a run at one instant. All numbers come from one snapshot.
#[derive(Clone)]
pub struct Panel {
    /// The playhead.
    pub now: Micros,
    /// Ordinal of the next event.
    pub ordinal: u64,
    /// Whether the run is playing.
    pub playing: bool,
    /// Whether the frame loop has something to do.
    pub wants_frames: bool,
    /// Speed asked for, in thousandths of real time.
    pub speed: u32,
    /// Speed reached, when that is clearly less.
    pub reached: Option<u32>,
    /// Share of a long seek that is done, in percent.
    pub seeking: Option<u8>,
    /// How far the slider reaches.
    pub end: Micros,
    /// Whether anything happens after the playhead.
    pub has_next: bool,
    /// The stage.
    pub scene: Rc<Scene>,
    /// The run at the playhead.
    pub snapshot: Rc<Snapshot>,
    /// Names and starting settings.
    pub setup: Arc<Setup>,
}
