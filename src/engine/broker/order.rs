//! The order of a queue: standard, standard with priority or fair share, or FIFO.

use super::lanes::Lanes;
use super::ranked::Ranked;
use super::returns_queue::Place;
use super::shards::{Asked, Shards};
use super::store::{State, Store, Stored};
use crate::engine::order::positions_in_order;
use crate::engine::rules::ReturnPlace;
use crate::engine::time::Micros;

/// The indexes of a queue, by its kind.
#[derive(Clone, Debug)]
pub(super) enum Order {
    Standard(Shards),
    /// A standard queue that does not keep send order.
    Ranked(Box<Ranked>),
    Fifo(Lanes),
}

impl Order {
    /// Indexes all copies of a store. Looks at every slot. Returned messages go where `place` says, in order of
    /// return as far as they returned at different instants.
    pub(super) fn rebuild(&mut self, store: &mut Store, place: ReturnPlace) {
        let mut returned: Vec<u32> = Vec::new();
        for slot in store.in_order() {
            self.admit(slot, store);
            match (store[slot].state(), &mut *self) {
                (State::Delayed | State::Undeliverable | State::Free, _) => {}
                (State::Ready, Self::Standard(_) | Self::Ranked(_))
                    if store[slot].deliveries() > 0 =>
                {
                    returned.push(slot);
                }
                (State::Ready, Self::Standard(shards)) => shards.enter(slot, store),
                (_, Self::Standard(_)) => {}
                (State::Ready, Self::Ranked(ranked)) => {
                    ranked.enter(slot, false, store);
                }
                (State::Retrying, Self::Ranked(_)) => {}
                (_, Self::Ranked(ranked)) => ranked.hold(slot, store),
                (_, Self::Fifo(lanes)) => lanes.enter(slot, store),
            }
        }
        let since = returned.iter().map(|&slot| store[slot].moment.0);
        for at in positions_in_order(since.zip(0..)) {
            self.give_back(returned[at], store, place);
        }
    }

    /// The message that is handed out next: on FIFO queues that of the first group that can be received from.
    pub(super) fn head(&self, store: &Store) -> Option<u32> {
        match self {
            Self::Standard(shards) => shards.first(Shards::ALL, store),
            Self::Ranked(ranked) => ranked.first(),
            Self::Fifo(lanes) => lanes.next(lanes.first_receivable()?, store),
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
            Self::Ranked(ranked) => ranked.enter(slot, false, store),
            Self::Fifo(lanes) => lanes.enter(slot, store),
        }
    }

    /// Notes that a received copy is ready again: at its place on FIFO queues, else where `place` says.
    pub(super) fn give_back(&mut self, slot: u32, store: &mut Store, place: ReturnPlace) {
        match self {
            Self::Standard(shards) => {
                let place = Place::of(slot, store, place);
                shards.give_back(slot, store, place);
            }
            Self::Ranked(ranked) => {
                let place = Place::of(slot, store, place);
                ranked.give_back(slot, store, place);
            }
            Self::Fifo(lanes) => lanes.show(slot, store),
        }
    }

    /// Notes that a ready copy was received. [`Order::settle`] must follow.
    pub(super) fn hide(&mut self, slot: u32, store: &Store) {
        match self {
            Self::Standard(shards) => shards.remove(slot, store),
            Self::Ranked(ranked) => ranked.hide(slot, store),
            Self::Fifo(lanes) => lanes.hide(slot, store),
        }
    }

    /// Notes that a copy in flight holds no place there any more, and is hidden all the same.
    pub(super) fn release(&mut self, slot: u32, store: &Store) {
        match self {
            Self::Standard(_) => {}
            Self::Ranked(ranked) => ranked.release(slot, store),
            Self::Fifo(lanes) => lanes.put_back(slot, store),
        }
    }

    /// Takes out a ready copy or one in flight that stays in its queue and is handed out no more. [`Order::settle`]
    /// must follow.
    pub(super) fn withhold(&mut self, slot: u32, store: &Store) {
        match self {
            Self::Standard(_) | Self::Ranked(_) => self.remove(slot, store),
            Self::Fifo(lanes) => lanes.leave_group(slot, store),
        }
    }

    /// The ready copy of a standard queue that was sent first; of a FIFO queue the copy in whichever state.
    pub(super) fn oldest(&self, store: &Store) -> Option<u32> {
        match self {
            Self::Standard(shards) => shards.oldest(store),
            Self::Ranked(ranked) => ranked.oldest(),
            Self::Fifo(lanes) => lanes.oldest(),
        }
    }

    /// Takes out a copy, in whichever state. [`Order::settle`] must follow.
    pub(super) fn remove(&mut self, slot: u32, store: &Store) {
        match self {
            Self::Standard(shards) if store[slot].state() == State::Ready => {
                shards.remove(slot, store);
            }
            Self::Standard(_) => {}
            Self::Ranked(ranked) => ranked.remove(slot, store),
            Self::Fifo(lanes) => lanes.remove(slot, store),
        }
    }

    /// Brings the group of a copy that was hidden or removed up to date.
    pub(super) fn settle(&mut self, copy: &Stored, store: &Store) {
        if let Self::Fifo(lanes) = self {
            lanes.list_group(copy.group(), store);
        }
    }

    /// The message that is next on the servers asked; none on FIFO queues, whose messages are walked by lane.
    #[inline]
    pub(super) fn first(&self, asked: Asked, store: &Store) -> Option<u32> {
        match self {
            Self::Standard(shards) => shards.first(asked, store),
            Self::Ranked(ranked) => ranked.first(),
            Self::Fifo(_) => None,
        }
    }

    /// Tells what time it is to what measures time.
    #[inline]
    pub(super) fn set_now(&mut self, now: Micros) {
        if let Self::Ranked(ranked) = self {
            ranked.set_now(now);
        }
    }
}
