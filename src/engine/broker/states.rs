//! How copies change their state.

use super::aside::Aside;
use super::queue::Queue;
use super::store::{State, Stored};
use super::upkeep::NOBODY;
use crate::engine::id::ConsumerId;
use crate::engine::time::Micros;

impl Queue {
    /// Hands out a ready copy. [`Order::settle`] must follow for its group.
    pub(super) fn hand_out(&mut self, slot: u32, consumer: ConsumerId, hidden_until: Micros) {
        self.order.hide(slot, &self.store);
        self.store[slot].receive(hidden_until);
        self.counts.ready -= 1;
        self.counts.in_flight += 1;
        if self.has_sessions() {
            self.sessions.note_out(self.store[slot].group());
        }
        self.leases.set(self.timer(slot, consumer));
    }

    /// Hides a copy in flight until then, from now on in this state.
    pub(super) fn hide_until(
        &mut self,
        slot: u32,
        consumer: ConsumerId,
        until: Micros,
        state: State,
    ) {
        let copy = &self.store[slot];
        let former = self.leases.remove(self.due(copy), copy.lease());
        if state == State::Returning {
            self.channels.release(slot);
        }
        self.store[slot].moment = until;
        self.store[slot].set_state(state);
        let consumer = former.map_or(consumer, |former| former.consumer);
        self.leases.set(self.timer(slot, consumer));
    }

    /// Starts the next delivery of a copy in flight, to this consumer.
    pub(super) fn hand_out_again(&mut self, slot: u32, consumer: ConsumerId) {
        let copy = self.store[slot];
        self.leases.remove(self.due(&copy), copy.lease());
        self.store[slot].receive(copy.moment);
        self.leases.set(self.timer(slot, consumer));
    }

    /// Who received a copy in flight.
    pub(super) fn holder(&self, slot: u32) -> Option<ConsumerId> {
        let copy = &self.store[slot];
        let timer = self.leases.find(self.due(copy), copy.lease())?;
        Some(timer.consumer)
    }

    /// Makes a copy in flight visible, where the queue puts returned ones.
    pub(super) fn expose(&mut self, slot: u32, since: Micros) {
        self.leave_state(slot);
        self.counts.ready += 1;
        self.store[slot].set_state(State::Ready);
        self.store[slot].moment = since;
        let place = self.setup.rules.returns_to;
        self.order.give_back(slot, &mut self.store, place);
    }

    /// Makes a delayed copy visible: where it was sent, or where the queue puts returned ones.
    pub(super) fn end_delay(&mut self, slot: u32, since: Micros) {
        if self.store[slot].state() == State::Retrying {
            return self.expose(slot, since);
        }
        self.leave_state(slot);
        self.counts.ready += 1;
        self.store[slot].set_state(State::Ready);
        self.store[slot].moment = since;
        self.order.enter(slot, &self.store);
    }

    /// Hides a copy in flight until then, holding no place in flight.
    pub(super) fn postpone(&mut self, slot: u32, until: Micros) {
        let copy = self.store[slot];
        self.order.release(slot, &self.store);
        self.leave_state(slot);
        self.counts.delayed += 1;
        self.retrying += 1;
        self.store[slot].set_state(State::Retrying);
        self.store[slot].moment = until;
        self.delays.set(self.timer(slot, NOBODY));
        self.order.settle(&copy, &self.store);
    }

    /// Keeps a ready copy or one in flight, and hands it out no more.
    pub(super) fn withhold(&mut self, slot: u32) {
        let copy = self.store[slot];
        self.unwatch(slot);
        self.order.withhold(slot, &self.store);
        self.leave_state(slot);
        self.counts.undeliverable += 1;
        self.store[slot].set_state(State::Undeliverable);
        self.store[slot].moment = Micros::MAX;
        self.withheld.set(self.timer(slot, NOBODY));
        self.order.settle(&copy, &self.store);
    }

    /// Takes a copy out of the count and the timers of its state.
    fn leave_state(&mut self, slot: u32) {
        let copy = &self.store[slot];
        let (due, lease) = (self.due(copy), copy.lease());
        match copy.state() {
            State::Ready => self.counts.ready -= 1,
            state @ (State::Delayed | State::Retrying) => {
                self.counts.delayed -= 1;
                self.retrying -= u64::from(state == State::Retrying);
                self.delays.remove(due, lease);
            }
            State::InFlight | State::Returning => {
                self.counts.in_flight -= 1;
                self.leases.remove(due, lease);
                self.pending.remove(copy.position());
                self.note_back(slot);
                self.channels.release(slot);
            }
            State::Undeliverable => {
                self.counts.undeliverable -= 1;
                self.withheld.remove(due, lease);
            }
            State::Free => {}
        }
    }

    /// Removes a copy, in whichever state.
    pub(super) fn remove(&mut self, slot: u32, now: Micros) -> Stored {
        self.take_out(slot, now).0
    }

    /// Removes a copy, in whichever state, and returns all that there is of it.
    pub(super) fn take_out(&mut self, slot: u32, now: Micros) -> (Stored, Aside) {
        let copy = self.store[slot];
        self.unwatch(slot);
        self.forget_age(slot);
        if !self.ages.is_empty() {
            self.ages.remove(&copy.position());
        }
        self.leave_state(slot);
        self.order.remove(slot, &self.store);
        let (_, aside) = self.store.remove(slot);
        self.order.settle(&copy, &self.store);
        if let Some(key) = aside.remembered {
            self.memory.removed(now, &self.setup, key);
        }
        (copy, aside)
    }
}
