//! Ordering keys: several messages of a key may be out at once, and one that returns brings back all later ones.

use super::lanes::Lanes;
use super::moves::Move;
use super::order::Order;
use super::queue::Queue;
use super::returns::Return;
use super::store::{Listed, Position, State, Store};
use crate::engine::broker::happening::Happening;
use crate::engine::event::RequeueReason;
use crate::engine::rules::{GroupRule, ReturnCause};
use crate::engine::time::Micros;
use std::collections::BTreeSet;
use std::ops::Bound;

/// The messages of each key that are not delayed, by lane and in order of sending. Empty on queues without keys.
#[derive(Clone, Default, Debug)]
pub(super) struct Keys {
    /// Those that are visible, or wait for another try.
    waiting: BTreeSet<Listed>,
    /// Those in flight.
    out: BTreeSet<Listed>,
}

impl Keys {
    /// Notes where a copy is, by its state.
    pub(super) fn note(&mut self, lane: u32, slot: u32, store: &Store) {
        let entry = (u64::from(lane), store[slot].position(), slot);
        if store[slot].is_in_flight() {
            self.waiting.remove(&entry);
            self.out.insert(entry);
        } else {
            self.put_back(lane, slot, store);
        }
    }

    /// Notes that a copy was handed out.
    pub(super) fn hand_out(&mut self, lane: u32, slot: u32, store: &Store) {
        let entry = (u64::from(lane), store[slot].position(), slot);
        self.waiting.remove(&entry);
        self.out.insert(entry);
    }

    /// Notes that a copy came back.
    pub(super) fn put_back(&mut self, lane: u32, slot: u32, store: &Store) {
        let entry = (u64::from(lane), store[slot].position(), slot);
        self.out.remove(&entry);
        self.waiting.insert(entry);
    }

    pub(super) fn remove(&mut self, lane: u32, slot: u32, store: &Store) {
        let entry = (u64::from(lane), store[slot].position(), slot);
        self.out.remove(&entry);
        self.waiting.remove(&entry);
    }

    /// The first copy of a key that is not in flight.
    pub(super) fn first(&self, lane: u32) -> Option<u32> {
        let mut from = self.waiting.range((lane.into(), Position::FIRST, 0)..);
        let first = from.next().filter(|entry| entry.0 == u64::from(lane));
        first.map(|&(_, _, slot)| slot)
    }

    /// The copies of a key in flight that were sent after this one.
    fn out_after(&self, lane: u32, slot: u32, store: &Store) -> Vec<u32> {
        let from = Bound::Excluded((lane.into(), store[slot].position(), slot));
        let later = self.out.range((from, Bound::Unbounded));
        later
            .take_while(|entry| entry.0 == u64::from(lane))
            .map(|&(_, _, slot)| slot)
            .collect()
    }
}

impl Lanes {
    /// The next message of a key: the first that is not in flight, if it is visible.
    pub(super) fn next_of_key(&self, lane: u32, store: &Store) -> Option<u32> {
        let first = self.keys.first(lane);
        first.filter(|&slot| store[slot].state() == State::Ready)
    }

    fn out_after(&self, slot: u32, store: &Store) -> Vec<u32> {
        let lane = self.lane_of_slot(slot, store);
        self.keys.out_after(lane, slot, store)
    }
}

impl Queue {
    /// Whether groups are ordering keys.
    pub(super) fn has_keys(&self) -> bool {
        self.setup.rules.group_rule == GroupRule::Key && matches!(self.order, Order::Fifo(_))
    }

    /// Brings back what was sent after a message of its key and is out, because that message came back: all of it is
    /// delivered again, in order. It counts for none of them. What has been acknowledged stays so; what uses up its
    /// budget is gone and brings nothing back.
    ///
    /// Google Pub/Sub: the redelivery of a message triggers that of all later messages with its ordering key (docs,
    /// "ordering"; whether of acknowledged ones too is not said there).
    pub(super) fn replay_key(
        &mut self,
        slot: u32,
        how: Return,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        if how.reason == Some(RequeueReason::KeyReplayed) || !self.has_keys() {
            return;
        }
        let Order::Fifo(lanes) = &self.order else {
            return;
        };
        for later in lanes.out_after(slot, &self.store) {
            // What came back before may have pushed this one out of a full queue.
            if self.store[later].state() == State::InFlight {
                let how = Return::because(ReturnCause::Nack, RequeueReason::KeyReplayed);
                self.give_back(later, how, now, moves, out);
            }
        }
    }
}
