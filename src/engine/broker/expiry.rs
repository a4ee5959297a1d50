//! Time to live: when a waiting message expires, and where that is noticed.

use super::happening::Happening;
use super::moves::Move;
use super::queue::Queue;
use super::store::{Position, State};
use crate::engine::rules::ExpiryNoticed;
use crate::engine::time::Micros;
use std::collections::BTreeSet;

/// When copies expire, the earliest first, by send order within one instant. Only queues that notice expiry anywhere
/// have entries, and only copies with a time to live. A copy in flight keeps its entry: it expires when it returns.
/// The position is the one at which it expires.
pub(super) type Deadlines = BTreeSet<(Position, u32)>;

impl Queue {
    /// When the time to live of a copy is over: the lower of the queue's and its own; never without either.
    ///
    /// RabbitMQ: the lower of the two; both count from the arrival, time in flight included (guide "ttl"). Azure
    /// Service Bus: the queue's is a ceiling (message expiration).
    pub(super) fn lapses_at(&self, slot: u32) -> Micros {
        let by_queue = self
            .setup
            .rules
            .ttl
            .map_or(Micros::MAX, |ttl| self.store[slot].enqueued + ttl);
        let own = self.store.aside(slot).and_then(|aside| aside.deadline);
        own.map_or(by_queue, |own| own.min(by_queue))
    }

    /// Whether a ready copy may not be handed out any more. One that expires in the instant of its arrival may, in
    /// that instant: with a time to live of zero a message is delivered at once or expires (RabbitMQ, guide "ttl").
    pub(super) fn is_lapsed(&self, slot: u32, now: Micros) -> bool {
        let due = self.lapses_at(slot);
        due < now || due == now && self.store[slot].enqueued < now
    }

    /// Notes when an admitted copy expires.
    pub(super) fn watch(&mut self, slot: u32) {
        let due = self.lapses_at(slot);
        if due < Micros::MAX && self.setup.rules.expiry_noticed == ExpiryNoticed::Anywhere {
            let sequence = self.store[slot].lease().sequence();
            self.deadlines.insert((Position(due, sequence), slot));
        }
    }

    /// Forgets when a copy expires. It must be there still.
    pub(super) fn unwatch(&mut self, slot: u32) {
        if !self.deadlines.is_empty() {
            let due = Position(self.lapses_at(slot), self.store[slot].lease().sequence());
            self.deadlines.remove(&(due, slot));
        }
    }

    /// Notes anew when all copies expire. Looks at every copy.
    pub(super) fn watch_all(&mut self) {
        self.deadlines.clear();
        for slot in self.store.in_order() {
            if self.store[slot].state() != State::Undeliverable {
                self.watch(slot);
            }
        }
    }

    /// The copy whose time to live is noticed to be over next, and when.
    ///
    /// RabbitMQ: only the head, the message that is handed out next, is looked at (guide "ttl", caveats); a quorum
    /// queue of 4.3 looks at the head of each priority, here that of the highest.
    pub(super) fn next_lapse(&self) -> Option<(Micros, u64, u32)> {
        let slot = match self.setup.rules.expiry_noticed {
            ExpiryNoticed::Anywhere => {
                let &(Position(due, sequence), slot) = self.deadlines.first()?;
                return Some((due, sequence, slot));
            }
            ExpiryNoticed::AtHead => self.order.head(&self.store)?,
        };
        let due = self.lapses_at(slot);
        (due < Micros::MAX).then(|| (due, self.store[slot].lease().sequence(), slot))
    }

    /// Ends the time to live of the copy that [`Queue::next_lapse`] names. One in flight is left alone.
    ///
    /// Azure Service Bus: expiry does not touch a locked message (message expiration); RabbitMQ: nor an
    /// unacknowledged one.
    pub(super) fn end_life(
        &mut self,
        (due, sequence, slot): (Micros, u64, u32),
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        self.deadlines.remove(&(Position(due, sequence), slot));
        if !self.store[slot].is_in_flight() {
            self.lapse(slot, due, moves, out);
        }
    }

    /// What a return does to the copy that came back and to the queue: its original time to live may be over, the
    /// queue may be fuller than it may be, and there may be another head.
    ///
    /// RabbitMQ: a requeued message keeps its original expiry time (guide "ttl"). Azure Service Bus: an abandoned
    /// message that is over its time expires at once (message expiration).
    pub(super) fn after_return(
        &mut self,
        slot: u32,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        if !self.store[slot].is_in_flight() && self.lapses_at(slot) <= now {
            self.lapse(slot, now, moves, out);
        }
        self.notice(now, moves, out);
    }

    /// Lets expire what is over its time by now, and makes room in a full queue.
    pub(super) fn notice(&mut self, now: Micros, moves: &mut Vec<Move>, out: &mut Vec<Happening>) {
        while let Some(next) = self.next_lapse().filter(|next| self.is_over(next, now)) {
            self.end_life(next, moves, out);
        }
        self.make_room(now, moves, out);
    }

    /// A copy that expires in the instant of its arrival waits for the timers, behind this instant's deliveries.
    fn is_over(&self, &(due, _, slot): &(Micros, u64, u32), now: Micros) -> bool {
        due < now || due == now && self.store[slot].enqueued < now
    }
}
