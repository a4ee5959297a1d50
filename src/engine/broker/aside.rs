//! What only some copies have, kept beside the store so that the others do not pay for it.

use super::deaths::Deaths;
use super::deduplication::Key;
use crate::engine::id::QueueId;
use crate::engine::time::Micros;

/// What a copy has that most have not.
#[derive(Clone, Default, Debug)]
pub(super) struct Aside {
    /// Where a dead letter was moved here from: a redrive brings it back there.
    pub origin: Option<QueueId>,
    /// When its own time to live is over.
    pub deadline: Option<Micros>,
    /// Lost when the broker restarts, unless the queue keeps everything.
    pub transient: bool,
    /// The priority that it was sent with; in the store it has a place of its own, since all may have one.
    pub priority: Option<u8>,
    /// The deduplication id that is remembered for as long as the copy is there.
    pub remembered: Option<Key>,
    /// Where and why it died before.
    pub deaths: Deaths,
}

impl Aside {
    pub(super) fn is_empty(&self) -> bool {
        self.origin.is_none()
            && self.deadline.is_none()
            && !self.transient
            && self.remembered.is_none()
            && self.deaths.entries.is_empty()
    }
}
