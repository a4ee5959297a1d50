//! Break points: claims and a time at which playing stops.

use crate::engine::{Claim, Ledger, Micros, Ordinal};

use super::Session;

/// The break points of a session.
#[derive(Default)]
pub(super) struct Stops {
    pub(super) at: Option<Micros>,
    claims: Vec<Claim>,
    /// Which claims held at `looked_at`.
    held: Vec<bool>,
    looked_at: Option<Ordinal>,
    /// What a ledger knew at `looked_at`, while that is before the newest known event.
    past: Option<Ledger>,
}

impl Stops {
    /// The playhead has jumped: what held before it means nothing any more.
    pub(super) fn forget(&mut self) {
        self.looked_at = None;
        self.past = None;
    }
}

impl Session {
    /// Sets the break points in place of earlier ones. Playing stops when one of them comes to hold, not while it
    /// goes on holding; they are looked at whenever something has happened. [`Claim::at`] plays no part.
    /// [`StopReason::Claim`](super::StopReason::Claim) gives the position in this list.
    pub fn stop_when(&mut self, claims: Vec<Claim>) {
        self.stops.claims = claims;
        self.stops.forget();
    }

    /// Playing stops at this time, once everything at it has happened; none takes the stop away. Playing on from
    /// there is not stopped again.
    pub fn stop_at(&mut self, at: Option<Micros>) {
        self.stops.at = at;
    }

    /// Learns what holds already, before playing on.
    pub(super) fn arm_stops(&mut self) {
        let here = self.playhead().ordinal;
        if self.stops.claims.is_empty() || self.stops.looked_at == Some(here) {
            return;
        }
        self.stops.past = None;
        if here < self.history.next() {
            let mut past = Ledger::default();
            for event in self.history.before(here) {
                past.observe(event);
            }
            self.stops.past = Some(past);
        }
        self.look();
    }

    /// After a step: the first claim that did not hold before and holds now.
    pub(super) fn check_stops(&mut self) -> Option<usize> {
        if self.stops.claims.is_empty() || self.scratch.is_empty() {
            return None;
        }
        if let Some(past) = &mut self.stops.past {
            for event in &self.scratch {
                past.observe(event);
            }
        }
        let before = self.look();
        self.stops
            .held
            .iter()
            .zip(before)
            .position(|(now, before)| *now && !before)
    }

    /// Evaluates the claims; returns what held before.
    fn look(&mut self) -> Vec<bool> {
        let here = self.playhead().ordinal;
        if here >= self.history.next() {
            self.stops.past = None;
        }
        let ledger = self.stops.past.as_ref().unwrap_or(self.history.ledger());
        let held = self
            .stops
            .claims
            .iter()
            .map(|claim| claim.holds(&claim.value(self.run.simulation(), ledger)))
            .collect();
        self.stops.looked_at = Some(here);
        std::mem::replace(&mut self.stops.held, held)
    }
}
