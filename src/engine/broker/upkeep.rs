//! The timer of each copy, by its state and age.

use super::queue::Queue;
use super::store::{State, Stored};
use super::timers::{Timer, Timers};
use crate::engine::id::ConsumerId;
use crate::engine::order::positions_in_order;
use crate::engine::time::Micros;

/// What is not the consumer of anything: fills the field of timers that end a delay.
pub(super) const NOBODY: ConsumerId = ConsumerId(u16::MAX);

impl Queue {
    /// When retention removes this copy.
    ///
    /// SQS: retention is measured from the send and runs through the time in flight; a message whose retention ends
    /// in flight never comes back (recorded: test_message_retention_with_inflight).
    pub(super) fn expires_at(&self, copy: &Stored) -> Micros {
        self.setup
            .retention
            .map_or(Micros::MAX, |retention| copy.enqueued + retention)
    }

    /// When a hidden copy is visible again, or expires.
    pub(super) fn due(&self, copy: &Stored) -> Micros {
        copy.moment.min(self.expires_at(copy))
    }

    pub(super) fn timer(&self, slot: u32, consumer: ConsumerId) -> Timer {
        let copy = &self.store[slot];
        Timer {
            due: self.due(copy),
            lease: copy.lease(),
            slot,
            consumer,
        }
    }

    /// Sets all timers anew, after a change of what they depend on. Looks at every copy.
    pub(super) fn rebuild_timers(&mut self, change: impl FnOnce(&mut Self)) {
        let consumers: Vec<Timer> = self.leases.iter().collect();
        change(self);
        self.leases.clear();
        let leases: Vec<Timer> = consumers
            .iter()
            .map(|timer| self.timer(timer.slot, timer.consumer))
            .collect();
        for place in due_order(&leases) {
            self.leases.set(leases[place]);
        }
        let is_delayed = |state| matches!(state, State::Delayed | State::Retrying);
        self.delays = self.timers_of(is_delayed);
        self.withheld = self.timers_of(|state| state == State::Undeliverable);
    }

    fn timers_of(&self, is_meant: impl Fn(State) -> bool) -> Timers {
        let slots = self.store.in_order().into_iter();
        let meant = slots.filter(|&slot| is_meant(self.store[slot].state()));
        let unordered: Vec<Timer> = meant.map(|slot| self.timer(slot, NOBODY)).collect();
        let mut timers = Timers::default();
        for place in due_order(&unordered) {
            timers.set(unordered[place]);
        }
        timers
    }
}

fn due_order(timers: &[Timer]) -> Vec<usize> {
    positions_in_order(timers.iter().map(|timer| (timer.due.0, timer.lease.0)))
}
