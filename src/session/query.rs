//! What is asked of a session at every frame. Nothing here takes time that grows with the history, apart from
//! what it returns.

use std::ops::Range;
use std::rc::Rc;

use crate::engine::ledger::DeliveryRecord;
use crate::engine::{Event, Ledger, Micros, Ordinal, Snapshot};

use super::Session;
use super::course::Moved;
use super::history::is_visible;
use super::run::Run;
use super::series::Series;

/// Events no longer in memory, on the way to being made again.
pub(super) struct Regeneration {
    range: Range<Ordinal>,
    run: Run,
    found: Vec<Event>,
}

impl Session {
    /// Everything at the playhead; the same value until the playhead moves or the run changes.
    pub fn snapshot(&self) -> Rc<Snapshot> {
        self.snapshot
            .borrow_mut()
            .get_or_insert_with(|| Rc::new(self.run.simulation().snapshot()))
            .clone()
    }

    /// When the next thing happens after the playhead, known or planned; none when nothing ever will. Empty polls
    /// count only where the future is not known.
    pub fn next_event_at(&self) -> Option<Micros> {
        const LOOK_AHEAD: usize = 1_000;
        self.history
            .from(self.playhead().ordinal)
            .take(LOOK_AHEAD)
            .find(|event| is_visible(event))
            .map(|event| event.at)
            .or_else(|| self.course.next_at(&self.run))
    }

    /// The last `count` events before `ordinal`, newest first, as far as they are in memory.
    pub fn events_before(&self, ordinal: Ordinal, count: usize) -> impl Iterator<Item = &Event> {
        self.history.before(ordinal).rev().take(count)
    }

    /// The events of the last `window` before the playhead, newest first, as far as they are in memory.
    pub fn recent(&self, window: Micros) -> impl Iterator<Item = &Event> {
        let since = self.run.now() - window;
        self.history
            .before(self.playhead().ordinal)
            .rev()
            .take_while(move |event| event.at >= since)
    }

    /// These events, the known future included. Those no longer in memory are made again from the checkpoint before
    /// them, with the same ordinals; none while `budget` was not enough (call again with the same range).
    pub fn events(&mut self, range: Range<Ordinal>, budget: u64) -> Option<Vec<Event>> {
        let first = Ordinal(self.history.first());
        let wanted = |event: &&Event| event.ordinal < range.end;
        if range.start >= first {
            let events = self.history.from(range.start).take_while(wanted);
            return Some(events.copied().collect());
        }
        let mut regeneration = self
            .regeneration
            .take()
            .filter(|regeneration| regeneration.range == range)
            .unwrap_or_else(|| Regeneration {
                range: range.clone(),
                run: self
                    .course
                    .run_before(|run| run.playhead().ordinal <= range.start),
                found: Vec::new(),
            });
        let until = range.end.min(first);
        let mut trace = Vec::new();
        for _ in 0..budget {
            if regeneration.run.playhead().ordinal >= until {
                break;
            }
            trace.clear();
            let limit = self.history.known_until();
            let moved = self
                .course
                .move_on(&mut regeneration.run, limit, &mut trace);
            regeneration.found.extend(
                trace
                    .iter()
                    .filter(|event| event.ordinal >= range.start && event.ordinal < until),
            );
            if moved != Moved::Step {
                break;
            }
        }
        if regeneration.run.playhead().ordinal < until {
            self.regeneration = Some(regeneration);
            return None;
        }
        let mut events = regeneration.found;
        events.extend(self.history.from(first).take_while(wanted));
        Some(events)
    }

    /// How many events are known: the ordinal after the newest.
    pub fn known_events(&self) -> Ordinal {
        self.history.next()
    }

    /// Up to when the run is known: the playhead can go back and forth below it without changing anything.
    pub fn known_until(&self) -> Micros {
        self.history.known_until()
    }

    /// Deliveries that overlap the time from `from` to `to`, oldest first, the known future included. One that has
    /// not ended overlaps all later times.
    pub fn deliveries_between(
        &self,
        from: Micros,
        to: Micros,
    ) -> impl DoubleEndedIterator<Item = &DeliveryRecord> {
        let deliveries = self.history.ledger().deliveries();
        let begun = deliveries.partition_point(|delivery| delivery.delivered_at <= to);
        deliveries
            .iter()
            .take(begun)
            .filter(move |delivery| delivery.ended_at.is_none_or(|ended| ended >= from))
    }

    /// What a timeline marks from `from` to `to`, oldest first, the known future included: commands, crashes,
    /// starts, lost messages and acks, dead letters, expiry, duplicate effects, out-of-order finishes, starvation.
    pub fn marks_between(&self, from: Micros, to: Micros) -> impl Iterator<Item = &Event> {
        let marks = self.history.marks();
        let start = marks.partition_point(|mark| mark.at < from);
        let end = marks.partition_point(|mark| mark.at <= to);
        marks.range(start..end.max(start))
    }

    /// What became of the messages, the known future included, as far as the newest 200,000 events and more tell.
    pub fn ledger(&self) -> &Ledger {
        self.history.ledger()
    }

    /// The numbers over time, the known future included.
    pub fn series(&self) -> &Series {
        self.history.series()
    }
}
