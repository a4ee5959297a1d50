//! Calls that name a message in place of a receipt, and redrives that move one message at a time. A real broker has
//! none of the former; they stand for what a person does at its console.

use std::sync::Arc;

use super::aside::Aside;
use super::call::MessageKey;
use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::queue::Queue;
use super::returns::Return;
use super::store::{Lease, State};
use crate::engine::command::DiscardReason;
use crate::engine::id::QueueId;
use crate::engine::rules::ReturnCause;
use crate::engine::time::Micros;

/// The copies that a redrive is to move, and how many of them it has passed.
#[derive(Clone, Default, Debug)]
pub(super) struct MoveList {
    copies: Arc<[(u32, Lease)]>,
    passed: usize,
}

impl MoveList {
    pub(super) fn left(&self) -> u32 {
        (self.copies.len() - self.passed) as u32
    }

    fn next(&mut self) -> Option<(u32, Lease)> {
        let next = self.copies.get(self.passed).copied()?;
        self.passed += 1;
        Some(next)
    }
}

impl Queue {
    /// Whether a copy of a message is in flight. Looks at every slot.
    pub(super) fn is_in_flight(&self, message: MessageKey) -> bool {
        let mut slots = self.store.of_message(message).into_iter();
        slots.any(|slot| self.store[slot].is_in_flight())
    }

    /// Whether a copy of a message in flight becomes visible by itself: what was pushed and what is pending does not.
    /// Looks at every slot.
    pub(super) fn times_out(&self, message: MessageKey) -> bool {
        let mut slots = self.store.of_message(message).into_iter();
        slots.any(|slot| self.has_timeout(slot))
    }

    fn has_timeout(&self, slot: u32) -> bool {
        let copy = &self.store[slot];
        match copy.state() {
            State::Returning => true,
            State::InFlight => copy.moment < Micros::MAX && self.channels.holder(slot).is_none(),
            _ => false,
        }
    }

    /// Makes every copy of a message that is in flight visible, unless it has no timeout. Looks at every slot.
    pub(super) fn end_invisibility(
        &mut self,
        now: Micros,
        message: MessageKey,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        for slot in self.store.of_message(message) {
            match self.store[slot].state() {
                State::InFlight if self.has_timeout(slot) => {
                    let how = Return::of(ReturnCause::Timeout);
                    self.give_back(slot, how, now, moves, out);
                }
                State::Returning => self.end_return(slot, now, moves, out),
                _ => {}
            }
        }
    }

    /// Removes every copy of a message, in whichever state. Looks at every slot.
    pub(super) fn discard(
        &mut self,
        now: Micros,
        message: MessageKey,
        reason: DiscardReason,
        out: &mut Vec<Happening>,
    ) {
        for slot in self.store.of_message(message) {
            let copy = self.remove(slot, now);
            self.counts.discarded += 1;
            out.push(self.happening(Some(&copy), HappeningKind::Discarded { reason }));
        }
    }

    /// Moves the visible copies of a message. Looks at every slot.
    pub(super) fn redrive_message(
        &mut self,
        now: Micros,
        message: MessageKey,
        target: impl Fn(Option<QueueId>) -> Option<QueueId>,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        for slot in self.store.of_message(message) {
            self.move_out(now, slot, &target, moves, out);
        }
    }

    /// Lists up to `limit` messages for [`Queue::move_next`]: those that could be received now, oldest first.
    pub(super) fn plan_moves(
        &mut self,
        limit: Option<u32>,
        target: impl Fn(Option<QueueId>) -> Option<QueueId>,
    ) -> u32 {
        let most = limit.map_or(usize::MAX, |limit| limit as usize);
        let movable = self.receivable_in_order().into_iter();
        let copies = movable
            .filter(|slot| target(self.store.origin(*slot)).is_some())
            .take(most)
            .map(|slot| (slot, self.store[slot].lease()));
        self.move_list = MoveList {
            copies: copies.collect(),
            passed: 0,
        };
        self.move_list.left()
    }

    /// Moves the next listed message that is still as it was; says whether there was one.
    pub(super) fn move_next(
        &mut self,
        now: Micros,
        target: impl Fn(Option<QueueId>) -> Option<QueueId>,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> bool {
        while let Some((slot, lease)) = self.move_list.next() {
            let there = self.store.find(slot, lease);
            if there.is_some() && self.move_out(now, slot, &target, moves, out) {
                return true;
            }
        }
        false
    }

    /// Takes a visible copy out for another queue, as a new message.
    fn move_out(
        &mut self,
        now: Micros,
        slot: u32,
        target: impl Fn(Option<QueueId>) -> Option<QueueId>,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> bool {
        let to = target(self.store.origin(slot));
        let Some(to) = to.filter(|_| self.store[slot].state() == State::Ready) else {
            return false;
        };
        self.redrive_copy(now, slot, to, moves, out);
        true
    }

    /// Takes a copy out for another queue, as a new message: without its history, and without the time to live that it
    /// had here.
    pub(super) fn redrive_copy(
        &mut self,
        now: Micros,
        slot: u32,
        to: QueueId,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let (mut copy, aside) = self.take_out(slot, now);
        out.push(self.happening(Some(&copy), HappeningKind::Redriven { to }));
        copy.forget_deliveries();
        moves.push(Move {
            to,
            copy,
            aside: Aside {
                transient: aside.transient,
                priority: aside.priority,
                ..Aside::default()
            },
            is_dead: false,
            hops: 0,
        });
        self.counts.moved_out += 1;
    }
}
