//! What a restart of the broker leaves, and queues that come and go.

use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::queue::Queue;
use super::store::State;
use crate::engine::event::CloseReason;
use crate::engine::rules::Durability;
use crate::engine::time::Micros;

impl Queue {
    /// The broker restarts: removes what does not survive.
    ///
    /// RabbitMQ: a non-durable queue is gone; a durable classic queue keeps its persistent messages, a quorum queue
    /// all (guide "queues", durability).
    pub(super) fn lose(&mut self, now: Micros, out: &mut Vec<Happening>) {
        match self.setup.rules.durability {
            Durability::Durable => {}
            Durability::Persistent => {
                for slot in self.store.in_order() {
                    if self.store.aside(slot).is_some_and(|aside| aside.transient) {
                        let copy = self.remove(slot, now);
                        self.counts.lost += 1;
                        out.push(self.happening(Some(&copy), HappeningKind::LostInRestart));
                    }
                }
            }
            Durability::Volatile => {
                self.counts.lost += self.empty(HappeningKind::LostInRestart, out);
                self.vanish(out);
            }
        }
    }

    /// Deletes the queue with its messages, which count as purged.
    pub(super) fn delete(&mut self, out: &mut Vec<Happening>) {
        self.counts.purged += self.empty(HappeningKind::Purged, out);
        self.vanish(out);
    }

    fn vanish(&mut self, out: &mut Vec<Happening>) {
        if self.exists {
            self.exists = false;
            self.channels.cancel_all();
            out.push(self.happening(None, HappeningKind::QueueDeleted));
        }
    }

    /// Removes all messages and forgets deduplication ids; returns how many messages there were.
    pub(super) fn empty(&mut self, kind: HappeningKind, out: &mut Vec<Happening>) -> u64 {
        self.channels.release_all();
        let slots = self.store.in_order();
        for &slot in &slots {
            let (copy, _) = self.store.remove(slot);
            out.push(self.happening(Some(&copy), kind));
        }
        self.counts.ready = 0;
        self.counts.delayed = 0;
        self.retrying = 0;
        self.counts.in_flight = 0;
        self.counts.undeliverable = 0;
        self.leases.clear();
        self.delays.clear();
        self.withheld.clear();
        self.pending.clear();
        self.deadlines.clear();
        self.by_age.clear();
        self.ages.clear();
        self.kept_dead.clear();
        self.memory.clear();
        self.rebuild_order();
        slots.len() as u64
    }

    /// The broker restarts: what was pushed to consumers comes back, because their channels are gone.
    ///
    /// RabbitMQ: messages that were delivered and not acknowledged are requeued, and marked as redelivered.
    pub(super) fn return_pushed(
        &mut self,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        self.close_channels(now, CloseReason::BrokerRestarted, moves, out);
        if !self.pushes() {
            return;
        }
        for slot in self.store.in_order() {
            if self.store[slot].state() == State::Returning {
                self.end_return(slot, now, moves, out);
            }
        }
    }

    /// When the queue is deleted unless somebody uses it before.
    ///
    /// RabbitMQ x-expires: no consumers, no basic.get and no declaration for that long (guide "ttl", queue TTL).
    pub(super) fn unused_at(&self) -> Option<Micros> {
        let unused_for = self.setup.rules.unused_for?;
        let is_used = !self.exists || !self.waiting.is_empty() || self.channels.has_subscribers();
        (!is_used).then(|| self.last_use + unused_for)
    }
}
