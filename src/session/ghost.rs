//! The future that a command given in the past has cut off: kept to be seen beside the new one.

use crate::engine::ledger::DeliveryRecord;
use crate::engine::{Event, Micros, Ordinal};

use super::Session;
use super::history::History;

/// What would have come. It only records: no run depends on it.
#[derive(Clone, PartialEq, Debug)]
pub struct Ghost {
    /// Where the run was forked.
    pub from: Micros,
    /// Up to when it was known.
    pub until: Micros,
    /// Deliveries that went on after the fork, in order of hand-out: the [`Ghost::DELIVERIES`] nearest to it.
    pub deliveries: Vec<DeliveryRecord>,
    /// What a timeline marks after the fork, oldest first: the [`Ghost::MARKS`] nearest to it.
    pub marks: Vec<Event>,
    /// By which of the live commands.
    pub(super) cut_by: usize,
}

impl Ghost {
    /// Most deliveries.
    pub const DELIVERIES: usize = 2_000;
    /// Most marks.
    pub const MARKS: usize = 500;

    /// What `history` knows after a place; none if that is nothing.
    pub(super) fn of(
        history: &History,
        ordinal: Ordinal,
        from: Micros,
        cut_by: usize,
    ) -> Option<Self> {
        let until = history.known_until();
        if history.next() <= ordinal || until <= from {
            return None;
        }
        let goes_on = |delivery: &&DeliveryRecord| delivery.ended_at.is_none_or(|end| end > from);
        let deliveries = history.ledger().deliveries().iter().filter(goes_on);
        let marks = history.marks_between(ordinal, history.next());
        Some(Self {
            from,
            until,
            deliveries: deliveries.take(Self::DELIVERIES).copied().collect(),
            marks: marks.take(Self::MARKS).copied().collect(),
            cut_by,
        })
    }
}

impl Session {
    /// The future that the newest fork cut off, until it is dismissed or its command is undone.
    pub fn ghost(&self) -> Option<&Ghost> {
        self.ghost.as_ref()
    }

    /// Forgets the future that was cut off.
    pub fn dismiss_ghost(&mut self) {
        self.ghost = None;
    }
}
