//! Returned messages of a standard queue that do not go back to their place.

use super::store::{Listed, Position, Store};
use crate::engine::rules::ReturnPlace;
use std::collections::{BTreeMap, BTreeSet};

/// Where a returned message goes in its queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Where it was.
    Own,
    /// Before all that was not returned, behind what was.
    Returns,
    /// Before all others; of those of one instant, the one sent first.
    Head,
    /// Behind all others: at this position, of a sequence number of its own.
    Tail(Position),
}

impl Place {
    pub(super) fn of(slot: u32, store: &mut Store, place: ReturnPlace) -> Self {
        match place {
            ReturnPlace::Place => Self::Own,
            ReturnPlace::ReturnsQueue => Self::Returns,
            ReturnPlace::Head => Self::Head,
            ReturnPlace::Tail => {
                let since = store[slot].moment.max(store[slot].enqueued);
                Self::Tail(Position(since, store.next_sequence()))
            }
        }
    }
}

/// Ready messages that were returned to other places than their own.
///
/// RabbitMQ quorum queues with a delivery limit and NATS JetStream serve what was returned before everything fresh, in
/// the order in which it came back (rabbit_fifo.erl, take_next_msg; consumer.go, processNak). Without a limit a quorum
/// queue appends it at its tail.
#[derive(Clone, Default, Debug)]
pub(super) struct Returns {
    /// Served before all others, in this order.
    first: BTreeSet<Listed>,
    /// The order of each of these.
    turns: BTreeMap<u32, u64>,
    next_turn: u64,
    /// Positions of those that went to the tail.
    tails: BTreeMap<u32, Position>,
    /// All of them, in order of sending.
    by_age: BTreeSet<(Position, u32)>,
}

impl Returns {
    /// Puts a message before all others.
    pub(super) fn put_first(&mut self, slot: u32, store: &Store, place: Place) {
        let own = store[slot].position();
        let turn = match place {
            Place::Head => u64::MAX - store[slot].moment.0,
            _ => {
                self.next_turn += 1;
                self.next_turn
            }
        };
        self.first.insert((turn, own, slot));
        self.turns.insert(slot, turn);
        self.by_age.insert((own, slot));
    }

    /// Notes that a message went to the tail, if it did.
    pub(super) fn note_tail(&mut self, slot: u32, store: &Store, place: Place) {
        if let Place::Tail(position) = place {
            self.tails.insert(slot, position);
            self.by_age.insert((store[slot].position(), slot));
        }
    }

    /// Forgets a message that was sent at this position. Returns where the servers have it, if they do.
    pub(super) fn remove(&mut self, slot: u32, own: Position) -> Option<Position> {
        if self.by_age.is_empty() || !self.by_age.remove(&(own, slot)) {
            return Some(own);
        }
        match self.turns.remove(&slot) {
            Some(turn) => {
                self.first.remove(&(turn, own, slot));
                None
            }
            None => self.tails.remove(&slot),
        }
    }

    /// The message to be served before all others.
    pub(super) fn first(&self) -> Option<u32> {
        self.first.first().map(|&(_, _, slot)| slot)
    }

    /// The one that was sent first.
    pub(super) fn oldest(&self) -> Option<u32> {
        self.by_age.first().map(|&(_, slot)| slot)
    }

    /// Those to be served before all others, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.first.iter().map(|&(_, _, slot)| slot)
    }
}
