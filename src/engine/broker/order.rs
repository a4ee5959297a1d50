//! The order of a queue: standard or FIFO.

use super::lanes::Lanes;
use super::shards::Shards;
use super::store::{State, Store, Stored};

/// The indexes of a queue, by its kind.
#[derive(Clone, Debug)]
pub(super) enum Order {
    Standard(Shards),
    Fifo(Lanes),
}

impl Order {
    /// Indexes all copies of a store. Looks at every slot.
    pub(super) fn rebuild(&mut self, store: &Store) {
        for slot in store.in_order() {
            self.admit(slot, store);
            match (store[slot].state(), &mut *self) {
                (State::Delayed | State::Free, _) => {}
                (State::Ready, Self::Standard(shards)) if store[slot].deliveries() > 0 => {
                    shards.give_back(slot, store);
                }
                (State::Ready, Self::Standard(shards)) => shards.enter(slot, store),
                (_, Self::Standard(_)) => {}
                (_, Self::Fifo(lanes)) => lanes.enter(slot, store),
            }
        }
    }

    /// Adds a copy, visible or not. On FIFO queues it must be the newest.
    pub(super) fn admit(&mut self, slot: u32, store: &Store) {
        if let Self::Fifo(lanes) = self {
            lanes.admit(slot, store);
        }
    }

    /// Notes that a copy became ready for the first time.
    pub(super) fn enter(&mut self, slot: u32, store: &Store) {
        match self {
            Self::Standard(shards) => shards.enter(slot, store),
            Self::Fifo(lanes) => lanes.enter(slot, store),
        }
    }

    /// Notes that a received copy is ready again, at its place.
    pub(super) fn give_back(&mut self, slot: u32, store: &Store) {
        match self {
            Self::Standard(shards) => shards.give_back(slot, store),
            Self::Fifo(lanes) => lanes.show(slot, store),
        }
    }

    /// Notes that a ready copy was received. [`Order::settle`] must follow.
    pub(super) fn hide(&mut self, slot: u32, store: &Store) {
        match self {
            Self::Standard(shards) => shards.remove(slot, store),
            Self::Fifo(lanes) => lanes.hide(slot, store),
        }
    }

    /// Takes out a copy, in whichever state. [`Order::settle`] must follow.
    pub(super) fn remove(&mut self, slot: u32, store: &Store) {
        match self {
            Self::Standard(shards) if store[slot].state() == State::Ready => {
                shards.remove(slot, store);
            }
            Self::Standard(_) => {}
            Self::Fifo(lanes) => lanes.remove(slot, store),
        }
    }

    /// Brings the group of a copy that was hidden or removed up to date.
    pub(super) fn settle(&mut self, copy: &Stored, store: &Store) {
        if let Self::Fifo(lanes) = self {
            lanes.list_group(copy.group(), store);
        }
    }
}
