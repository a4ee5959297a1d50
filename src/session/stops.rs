//! Break points: claims and times at which playing stops.

use crate::engine::{Claim, Ledger, Micros, Ordinal, Value};

use super::Session;
use super::position::StopReason;

/// The break points of a session.
#[derive(Default)]
pub(super) struct Stops {
    /// Where the story stops.
    at: Option<Micros>,
    /// Where the person at the controls wants it to stop.
    break_at: Option<Micros>,
    watched: Vec<Watched>,
    /// The numbers of those that held at `looked_at`.
    held: Vec<Option<f64>>,
    looked_at: Option<Ordinal>,
    /// What a ledger knew at `looked_at`, while that is before the newest known event.
    past: Option<Ledger>,
}

/// A claim that stops the run when it comes to hold.
struct Watched {
    claim: Claim,
    reason: StopReason,
}

impl Watched {
    /// Break points also stop each time that their number grows.
    fn stops_each_time(&self) -> bool {
        matches!(self.reason, StopReason::Break(_))
    }
}

impl Stops {
    /// The playhead has jumped: what held before it means nothing any more.
    pub(super) fn forget(&mut self) {
        self.looked_at = None;
        self.past = None;
    }

    /// The first time to stop at after `start`.
    pub(super) fn next_after(&self, start: Micros) -> Option<Micros> {
        let times = [self.at, self.break_at].into_iter().flatten();
        times.filter(|stop| *stop > start).min()
    }

    fn watch(&mut self, claims: Vec<Claim>, reason: impl Fn(usize) -> StopReason) {
        let same = std::mem::discriminant(&reason(0));
        self.watched
            .retain(|watched| std::mem::discriminant(&watched.reason) != same);
        let claims = claims.into_iter().enumerate();
        self.watched.extend(claims.map(|(index, claim)| Watched {
            claim,
            reason: reason(index),
        }));
        self.forget();
    }
}

impl Session {
    /// Sets the claims that stop the run in place of earlier ones. Playing stops when one of them comes to hold, not
    /// while it goes on holding; they are looked at whenever something has happened. [`Claim::at`] plays no part.
    /// [`StopReason::Claim`] gives the position in this list.
    pub fn stop_when(&mut self, claims: Vec<Claim>) {
        self.stops.watch(claims, StopReason::Claim);
    }

    /// Sets the break points, beside the claims of [`Session::stop_when`]: as those, but playing stops each time that
    /// the number of one that holds grows, too. [`StopReason::Break`] gives the position in this list.
    pub fn break_when(&mut self, claims: Vec<Claim>) {
        self.stops.watch(claims, StopReason::Break);
    }

    /// Playing stops at this time, once everything at it has happened; none takes the stop away. Playing on from
    /// there is not stopped again.
    pub fn stop_at(&mut self, at: Option<Micros>) {
        self.stops.at = at;
    }

    /// As [`Session::stop_at`], beside it.
    pub fn break_at(&mut self, at: Option<Micros>) {
        self.stops.break_at = at;
    }

    /// Learns what holds already, before playing on.
    pub(super) fn arm_stops(&mut self) {
        let here = self.playhead().ordinal;
        if self.stops.watched.is_empty() || self.stops.looked_at == Some(here) {
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

    /// After a step: why the run stops here, if it does.
    pub(super) fn check_stops(&mut self) -> Option<StopReason> {
        if self.stops.watched.is_empty() || self.scratch.is_empty() {
            return None;
        }
        if let Some(past) = &mut self.stops.past {
            for event in &self.scratch {
                past.observe(event);
            }
        }
        let before = self.look();
        let stops = &self.stops;
        let mut all = stops.watched.iter().zip(stops.held.iter().zip(before));
        let stopping = all.find(|(watched, (now, before))| match (now, before) {
            (Some(_), None) => true,
            (Some(now), Some(before)) => now > before && watched.stops_each_time(),
            (None, _) => false,
        });
        stopping.map(|(watched, _)| watched.reason)
    }

    /// Evaluates the claims; returns what held before.
    fn look(&mut self) -> Vec<Option<f64>> {
        let here = self.playhead().ordinal;
        if here >= self.history.next() {
            self.stops.past = None;
        }
        let ledger = self.stops.past.as_ref().unwrap_or(self.history.ledger());
        let held = |watched: &Watched| {
            let value = watched.claim.value(self.run.simulation(), ledger);
            let number = match value {
                Value::Number(number) => number,
                _ => 0.0,
            };
            watched.claim.holds(&value).then_some(number)
        };
        let held = self.stops.watched.iter().map(held).collect();
        self.stops.looked_at = Some(here);
        std::mem::replace(&mut self.stops.held, held)
    }
}
