//! Capacity: which messages fill a queue, and what a full queue does.

use super::happening::Happening;
use super::moves::Move;
use super::order::Order;
use super::queue::Queue;
use crate::engine::event::DeadLetterReason;
use crate::engine::rules::{CapacityCounts, Overflow};
use crate::engine::time::Micros;

impl Queue {
    /// Messages that count for the capacity.
    ///
    /// RabbitMQ: messages that are ready (guide "maxlength"), those of a delayed retry and dead letters that have
    /// nowhere to go included (guide "quorum queues").
    fn filling(&self) -> u64 {
        let counts = &self.counts;
        let there = counts.ready + counts.delayed + counts.undeliverable;
        match self.setup.rules.capacity_counts {
            CapacityCounts::Ready => there,
            CapacityCounts::All => there + counts.in_flight,
        }
    }

    /// Whether a send finds the queue full. What subscribers and receives that wait will take in this instant does not
    /// fill it: a real broker has handed that out already.
    pub(super) fn refuses(&self) -> bool {
        self.room() == 0
    }

    /// How many messages it takes before it refuses one.
    pub(super) fn room(&self) -> u64 {
        let rules = &self.setup.rules;
        let Some(capacity) = rules.capacity else {
            return u64::MAX;
        };
        if rules.overflow == Overflow::DropHead {
            return u64::MAX;
        }
        let most = u64::from(capacity) + u64::from(rules.overshoot);
        let filling = self.filling();
        if filling < most {
            return most - filling;
        }
        let asked_for = self.waiting.asked_for() + self.channels.room();
        let leaving = match rules.capacity_counts {
            CapacityCounts::Ready => self.counts.ready.min(asked_for),
            CapacityCounts::All => 0,
        };
        (most + leaving).saturating_sub(filling)
    }

    /// Makes room after an arrival, unless messages are about to be handed out: then that comes first, and
    /// [`Queue::notice`] follows.
    pub(super) fn make_room_for_new(
        &mut self,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        if self.setup.rules.capacity.is_some() && !self.wants_deliver() {
            self.make_room(now, moves, out);
        }
    }

    /// Drops from the head what is too much.
    ///
    /// RabbitMQ: drop-head; requeued messages come back to the head and are the first to go. NATS JetStream:
    /// discard old.
    pub(super) fn make_room(
        &mut self,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let Some(capacity) = self.setup.rules.capacity else {
            return;
        };
        if self.setup.rules.overflow != Overflow::DropHead {
            return;
        }
        while self.filling() > u64::from(capacity)
            && let Some(slot) = self.first_to_drop()
        {
            self.dead_letter(slot, DeadLetterReason::Overflow, now, moves, out);
        }
    }

    /// The message that leaves a full queue: the next to be handed out, or the oldest in whichever state where
    /// those in flight fill the queue too.
    fn first_to_drop(&self) -> Option<u32> {
        if self.setup.rules.capacity_counts == CapacityCounts::All {
            return self.by_age.first_key_value().map(|(_, &slot)| slot);
        }
        let next = self.order.head(&self.store);
        let ready = next.or_else(|| match &self.order {
            Order::Fifo(lanes) => lanes.oldest_ready(&self.store),
            _ => None,
        });
        ready.or_else(|| self.delays.first().map(|timer| timer.slot))
    }

    /// Notes the age of an admitted copy, where that decides what is dropped.
    pub(super) fn note_age(&mut self, slot: u32) {
        let rules = &self.setup.rules;
        if rules.capacity.is_some() && rules.capacity_counts == CapacityCounts::All {
            self.by_age
                .insert(self.store[slot].lease().sequence(), slot);
        }
    }

    pub(super) fn forget_age(&mut self, slot: u32) {
        if !self.by_age.is_empty() {
            self.by_age.remove(&self.store[slot].lease().sequence());
        }
    }

    /// Notes all ages anew. Looks at every copy.
    pub(super) fn note_ages(&mut self) {
        self.by_age.clear();
        for slot in self.store.in_order() {
            self.note_age(slot);
        }
    }
}
