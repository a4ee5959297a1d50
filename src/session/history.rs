//! What happened: the trace, and what is drawn and counted from it. Outside the state, cut at a fork.

use std::collections::VecDeque;

use crate::engine::{Event, EventKind, Ledger, Micros, Ordinal, Simulation};

use super::look::Sought;
use super::series::Series;

/// The known part of a run. Which of the playhead's past, its future, or a seek made it known does not matter:
/// an event is recorded when its ordinal comes up for the first time.
#[derive(Default)]
pub(super) struct History {
    /// The newest events, without gaps; the last one's ordinal is `next - 1`.
    events: VecDeque<Event>,
    next: u64,
    marks: VecDeque<Event>,
    ledger: Ledger,
    /// How many events the ledger has taken in.
    observed: usize,
    series: Series,
    known_until: Micros,
}

impl History {
    /// Events kept in memory.
    pub(super) const EVENTS: usize = 200_000;
    /// Marks kept in memory.
    pub(super) const MARKS: usize = 20_000;

    /// Ordinal after the newest known event.
    pub(super) fn next(&self) -> Ordinal {
        Ordinal(self.next)
    }

    pub(super) fn known_until(&self) -> Micros {
        self.known_until
    }

    pub(super) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub(super) fn series(&self) -> &Series {
        &self.series
    }

    pub(super) fn marks(&self) -> &VecDeque<Event> {
        &self.marks
    }

    /// Events in memory whose ordinal is below `ordinal`, oldest first.
    pub(super) fn before(&self, ordinal: Ordinal) -> impl DoubleEndedIterator<Item = &Event> {
        let count = ordinal.0.saturating_sub(self.first());
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.events.range(..count.min(self.events.len()))
    }

    /// Events in memory from `ordinal` on, oldest first.
    pub(super) fn from(&self, ordinal: Ordinal) -> impl DoubleEndedIterator<Item = &Event> {
        let count = ordinal.0.saturating_sub(self.first());
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.events.range(count.min(self.events.len())..)
    }

    /// Events in memory from `from` to before `until`, oldest first.
    pub(super) fn between(
        &self,
        from: Ordinal,
        until: Ordinal,
    ) -> impl DoubleEndedIterator<Item = &Event> {
        let position = |ordinal: Ordinal| {
            let count = ordinal.0.saturating_sub(self.first());
            usize::try_from(count)
                .unwrap_or(usize::MAX)
                .min(self.events.len())
        };
        let (start, end) = (position(from), position(until));
        self.events.range(start..end.max(start))
    }

    /// Marks in memory from `from` to before `until`, oldest first.
    pub(super) fn marks_between(
        &self,
        from: Ordinal,
        until: Ordinal,
    ) -> impl DoubleEndedIterator<Item = &Event> {
        let position = |ordinal| self.marks.partition_point(|mark| mark.ordinal < ordinal);
        let (start, end) = (position(from), position(until));
        self.marks.range(start..end.max(start))
    }

    /// Whether all events of a kind are among the marks in memory.
    pub(super) fn has_all_marks(&self, sought: Sought) -> bool {
        sought != Sought::Duplicate && self.marks.len() < Self::MARKS
    }

    /// Ordinal of the oldest event in memory.
    pub(super) fn first(&self) -> u64 {
        self.next - self.events.len() as u64
    }

    /// The run is known up to this instant.
    pub(super) fn reach(&mut self, at: Micros) {
        self.known_until = self.known_until.max(at);
    }

    /// Records the values at the time that the series waits for.
    pub(super) fn sample(&mut self, simulation: &Simulation) {
        self.series
            .sample(&simulation.snapshot(), simulation.group_waits());
    }

    /// Takes note of a state that lasts, if it was not known.
    pub(super) fn hold(&mut self, simulation: &Simulation) {
        if simulation.now() >= self.known_until {
            self.series.hold(simulation.levels());
        }
    }

    /// Records events, those already known excepted.
    pub(super) fn record(&mut self, events: &[Event]) {
        for event in events {
            if event.ordinal.0 != self.next {
                continue;
            }
            self.next += 1;
            push_bounded(&mut self.events, *event, Self::EVENTS);
            if is_mark(&event.kind) {
                push_bounded(&mut self.marks, *event, Self::MARKS);
            }
            self.ledger.observe(event);
            self.observed += 1;
        }
        if self.observed > 2 * Self::EVENTS {
            self.rebuild_ledger();
        }
    }

    /// Forgets events from `ordinal` on, and values of `at` and later. True if anything had happened there.
    pub(super) fn cut(&mut self, ordinal: Ordinal, at: Micros) -> bool {
        let cut = self.next > ordinal.0;
        if cut {
            let keep =
                usize::try_from(ordinal.0.saturating_sub(self.first())).unwrap_or(usize::MAX);
            self.events.truncate(keep);
            self.next = ordinal.0;
            while self
                .marks
                .back()
                .is_some_and(|mark| mark.ordinal >= ordinal)
            {
                self.marks.pop_back();
            }
            self.rebuild_ledger();
        }
        self.series.cut(at);
        self.known_until = self.known_until.min(at);
        cut
    }

    /// Makes the ledger again from the events in memory: this is how it loses what a cut took, and what is older
    /// than the newest 200,000 to 400,000 events.
    fn rebuild_ledger(&mut self) {
        self.ledger = Ledger::default();
        for event in &self.events {
            self.ledger.observe(event);
        }
        self.observed = self.events.len();
    }
}

fn push_bounded(list: &mut VecDeque<Event>, event: Event, limit: usize) {
    if list.len() >= limit {
        list.pop_front();
    }
    list.push_back(event);
}

/// Whether a timeline marks it.
fn is_mark(kind: &EventKind) -> bool {
    match kind {
        EventKind::Effect { nth, .. } => *nth > 1,
        EventKind::SendLost { .. }
        | EventKind::ConfirmLost { .. }
        | EventKind::ResponseLost { .. }
        | EventKind::AckLost { .. }
        | EventKind::CallLost { .. }
        | EventKind::SettingDelayed { .. }
        | EventKind::RedriveRefused { .. }
        | EventKind::DeadLettered { .. }
        | EventKind::Dropped { .. }
        | EventKind::Expired { .. }
        | EventKind::FinishedOutOfOrder { .. }
        | EventKind::ConsumerStarted { .. }
        | EventKind::Crashed { .. }
        | EventKind::CommandApplied { .. }
        | EventKind::StarvationBegan { .. }
        | EventKind::Stuck { .. } => true,
        _ => false,
    }
}

/// Whether a person would call it an event: all but a poll that comes back empty.
pub(super) fn is_visible(event: &Event) -> bool {
    !matches!(event.kind, EventKind::EmptyReceive { .. })
}
