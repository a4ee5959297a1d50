//! The order of a standard queue with priority or fair share.

use super::fairness::Share;
use super::priorities::Rank;
use super::returns_queue::{Place, Returns};
use super::store::{Position, State, Store};
use crate::engine::rules::{FairShare, Priority, Rules};
use crate::engine::time::Micros;
use std::collections::BTreeSet;

/// The ready messages of a standard queue where the next is not simply the one sent first. It is on one server. Where
/// priority and fair share are both asked for, groups share the consumers and priority decides within each.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    priority: Priority,
    share: Share,
    /// By slot; of what is not ready, without meaning.
    ranks: Vec<Rank>,
    /// What is served before all others because it was returned.
    returns: Returns,
    /// All that is ready, in send order: retention looks at the oldest.
    by_age: BTreeSet<(Position, u32)>,
}

impl Ranked {
    /// None where a queue keeps send order.
    pub(super) fn new(rules: &Rules) -> Option<Self> {
        let keeps_order = rules.priority == Priority::Off && rules.fair_share == FairShare::Off;
        (!keeps_order).then(|| Self {
            priority: rules.priority,
            share: Share::new(rules.fair_share),
            ranks: Vec::new(),
            returns: Returns::default(),
            by_age: BTreeSet::new(),
        })
    }

    /// Adds a message that is ready.
    pub(super) fn enter(&mut self, slot: u32, is_returned: bool, store: &Store) {
        let copy = &store[slot];
        let rank = Rank::of(self.priority, copy, store.priority(slot), is_returned);
        while self.ranks.len() <= slot as usize {
            self.ranks.push(rank);
        }
        self.ranks[slot as usize] = rank;
        self.by_age.insert((copy.position(), slot));
        let (group, sent) = (copy.group(), copy.enqueued);
        self.share.insert(self.priority, group, sent, rank, slot);
    }

    /// Adds a message that came back. Behind all others is at its own place here, where those with the same rank are
    /// in send order.
    pub(super) fn give_back(&mut self, slot: u32, store: &Store, place: Place) {
        self.release(slot, store);
        match place {
            Place::Own | Place::Tail(_) => self.enter(slot, true, store),
            Place::Returns | Place::Head => {
                self.by_age.insert((store[slot].position(), slot));
                self.returns.put_first(slot, store, place);
            }
        }
    }

    /// Notes that a message is in flight no more.
    pub(super) fn release(&mut self, slot: u32, store: &Store) {
        self.share.release(store[slot].group(), slot);
    }

    /// Takes out a ready message that is handed out.
    pub(super) fn hide(&mut self, slot: u32, store: &Store) {
        let group = store[slot].group();
        self.by_age.remove(&(store[slot].position(), slot));
        if self.returns.remove(slot, store[slot].position()).is_some() {
            let rank = self.ranks[slot as usize];
            self.share.pick(self.priority, group, rank, slot);
        }
        self.share.hold(group, slot);
    }

    /// Notes that a message is in flight, in an order that is built anew.
    pub(super) fn hold(&mut self, slot: u32, store: &Store) {
        self.share.hold(store[slot].group(), slot);
    }

    /// Takes out a message for good, in whichever state.
    pub(super) fn remove(&mut self, slot: u32, store: &Store) {
        match store[slot].state() {
            State::Ready => {
                self.by_age.remove(&(store[slot].position(), slot));
                if self.returns.remove(slot, store[slot].position()).is_some() {
                    let (group, rank) = (store[slot].group(), self.ranks[slot as usize]);
                    self.share.remove(self.priority, group, rank, slot);
                }
            }
            State::InFlight | State::Returning => self.share.release(store[slot].group(), slot),
            State::Delayed | State::Retrying | State::Undeliverable | State::Free => {}
        }
    }

    /// The next message.
    pub(super) fn first(&self) -> Option<u32> {
        let returned = self.returns.first();
        returned.or_else(|| self.share.first(self.priority))
    }

    /// The oldest ready message.
    pub(super) fn oldest(&self) -> Option<u32> {
        self.by_age.first().map(|&(_, slot)| slot)
    }

    /// The oldest ready messages, in send order.
    pub(super) fn by_age(&self) -> impl Iterator<Item = u32> + '_ {
        self.by_age.iter().map(|&(_, slot)| slot)
    }

    /// Ready messages as they would be handed out if nothing else happened.
    pub(super) fn upcoming(&self, limit: usize) -> Vec<u32> {
        let mut upcoming: Vec<u32> = self.returns.iter().take(limit).collect();
        let room = limit - upcoming.len();
        upcoming.extend(self.share.upcoming(self.priority, room));
        upcoming
    }

    /// Tells what time it is.
    pub(super) fn set_now(&mut self, now: Micros) {
        self.share.set_now(now);
    }
}
