//! What consumers hold where nothing times out: it stays pending until it is acknowledged, or claimed by another.
//!
//! Redis Streams: the pending entries list of a consumer group. XREADGROUP puts each entry there, for one consumer, and
//! nothing is delivered again by itself (redis.io, XREADGROUP; observed, 7.0.15 and 8.0.2).

use super::call::MessageKey;
use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::queue::Queue;
use super::store::{Listed, Position, State};
use crate::engine::event::ExhaustedReason;
use crate::engine::id::ConsumerId;
use crate::engine::rules::{HandOver, Rule};
use crate::engine::time::Micros;
use std::collections::{BTreeMap, BTreeSet};

/// Where a claim goes on. Redis: the cursor of XAUTOCLAIM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingCursor {
    sent: Micros,
    sequence: u64,
}

/// A message that a consumer holds without a timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingMessage {
    /// The message.
    pub message: MessageKey,
    /// Who holds it.
    pub consumer: ConsumerId,
    /// When it was delivered, claimed or asked for last. Redis: idle counts from here.
    pub idle_since: Micros,
    /// How often it was delivered.
    pub deliveries: u32,
}

/// The pending messages of a queue, in order of sending.
#[derive(Clone, Default, Debug)]
pub(super) struct PendingList {
    entries: BTreeMap<Position, (u32, ConsumerId, Micros)>,
    by_consumer: BTreeSet<Listed>,
}

impl PendingList {
    fn set(&mut self, position: Position, slot: u32, consumer: ConsumerId, since: Micros) {
        self.remove(position);
        self.entries.insert(position, (slot, consumer, since));
        self.by_consumer.insert((consumer.0.into(), position, slot));
    }

    /// Forgets a message, if it is pending.
    pub(super) fn remove(&mut self, position: Position) {
        if let Some((slot, consumer, _)) = self.entries.remove(&position) {
            self.by_consumer
                .remove(&(consumer.0.into(), position, slot));
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn of(&self, consumer: ConsumerId) -> impl Iterator<Item = Position> + '_ {
        let from = (consumer.0.into(), Position::FIRST, 0);
        let all = self.by_consumer.range(from..);
        all.take_while(move |entry| entry.0 == u64::from(consumer.0))
            .map(|&(_, position, _)| position)
    }
}

impl Queue {
    /// Whether what is handed out stays pending.
    pub(super) fn keeps_pending(&self) -> bool {
        self.setup.rules.hand_over == HandOver::Pending
    }

    /// Notes that a copy is held by this consumer from now on.
    pub(super) fn note_pending(&mut self, slot: u32, consumer: ConsumerId, now: Micros) {
        let position = self.store[slot].position();
        self.pending.set(position, slot, consumer, now);
    }

    /// Takes over up to `max` messages that their consumers hold for `min_idle` at least, in order of sending, and says
    /// where to go on; none at the end. It looks at ten times as many. The winner's delivery counts, and idle starts
    /// again, so that a second claim gets nothing.
    ///
    /// Redis: XAUTOCLAIM (redis.io; observed). What was removed from the stream is gone from the list as well here,
    /// where Redis drops it when a claim comes to it (7.0), and lists it. A consumer's own messages are no exception.
    pub(super) fn claim(
        &mut self,
        now: Micros,
        by: &Claim,
        from: Option<PendingCursor>,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> Option<PendingCursor> {
        let start = from.map_or(Position::FIRST, |from| Position(from.sent, from.sequence));
        let most = by.max.saturating_mul(10) as usize;
        let looked_at = self
            .pending
            .entries
            .range(start..)
            .take(most.saturating_add(1));
        let entries: Vec<(Position, u32, Micros)> = looked_at
            .map(|(&position, &(slot, _, since))| (position, slot, since))
            .collect();
        let mut taken = 0;
        for (looked, &(position, slot, since)) in entries.iter().enumerate() {
            if taken == by.max || looked == most {
                let Position(sent, sequence) = position;
                return Some(PendingCursor { sent, sequence });
            }
            if now - since >= by.min_idle && self.take_over(now, slot, by.consumer, moves, out) {
                taken += 1;
            }
        }
        None
    }

    /// Takes over one message if it is idle for so long. Looks at every slot. Redis: XCLAIM.
    pub(super) fn claim_message(
        &mut self,
        now: Micros,
        by: &Claim,
        message: MessageKey,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> bool {
        let mut taken = false;
        for slot in self.store.of_message(message) {
            let entry = self.pending.entries.get(&self.store[slot].position());
            if entry.is_some_and(|&(_, _, since)| now - since >= by.min_idle) {
                taken |= self.take_over(now, slot, by.consumer, moves, out);
            }
        }
        taken
    }

    /// Delivers up to `max` of the messages that a consumer holds to itself once more. They count, and idle starts again
    /// (observed). Redis: XREADGROUP with an id instead of `>`.
    pub(super) fn read_own(
        &mut self,
        now: Micros,
        consumer: ConsumerId,
        max: u32,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> u32 {
        let own: Vec<Position> = self.pending.of(consumer).take(max as usize).collect();
        let mut read = 0;
        for position in own {
            if let Some(&(slot, ..)) = self.pending.entries.get(&position) {
                read += u32::from(self.take_over(now, slot, consumer, moves, out));
            }
        }
        read
    }

    fn take_over(
        &mut self,
        now: Micros,
        slot: u32,
        consumer: ConsumerId,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> bool {
        if self.exceeds_on_receive(slot) {
            self.exhaust(slot, now, moves, out);
            return false;
        }
        let Some(from) = self.holder(slot).filter(|&from| from != consumer) else {
            self.deliver_again(now, slot, consumer, out);
            return true;
        };
        let claimed = HappeningKind::Claimed { consumer, from };
        out.push(self.happening(Some(&self.store[slot]), claimed));
        self.deliver_again(now, slot, consumer, out);
        true
    }

    fn deliver_again(
        &mut self,
        now: Micros,
        slot: u32,
        consumer: ConsumerId,
        out: &mut Vec<Happening>,
    ) {
        self.hand_out_again(slot, consumer);
        self.note_pending(slot, consumer, now);
        out.push(self.delivery(slot, consumer, now, now, false));
    }

    /// Forgets a consumer: what it held stays in the stream and is never delivered again. Returns how many that was.
    ///
    /// Redis: XGROUP DELCONSUMER drops the consumer's pending entries (redis.io; observed). The group's position is
    /// behind them, so that nobody of the group ever gets them.
    pub(super) fn forget_consumer(
        &mut self,
        consumer: ConsumerId,
        out: &mut Vec<Happening>,
    ) -> u32 {
        self.waiting.withdraw(consumer);
        let own: Vec<Position> = self.pending.of(consumer).collect();
        let mut forgotten = 0;
        for position in own {
            let Some(&(slot, ..)) = self.pending.entries.get(&position) else {
                continue;
            };
            self.keep_exhausted(slot, ExhaustedReason::ConsumerForgotten, out);
            forgotten += 1;
        }
        forgotten
    }

    /// Messages held without a timeout, in order of sending.
    pub(super) fn pending(&self, limit: usize) -> Vec<PendingMessage> {
        let entries = self.pending.entries.values().take(limit);
        entries
            .map(|&(slot, consumer, idle_since)| PendingMessage {
                message: self.store[slot].message,
                consumer,
                idle_since,
                deliveries: self.store[slot].deliveries(),
            })
            .collect()
    }

    /// Gives what is in flight a timeout, or takes it away, when the way of handing over changes. Looks at all of it.
    pub(super) fn change_hand_over(&mut self, now: Micros, rule: &Rule) {
        let Rule::HandOver(to) = rule else {
            return;
        };
        if self.keeps_pending() == (*to == HandOver::Pending) {
            return;
        }
        let held: Vec<(u32, ConsumerId)> = self
            .leases
            .iter()
            .filter(|timer| self.store[timer.slot].state() == State::InFlight)
            .map(|timer| (timer.slot, timer.consumer))
            .collect();
        let starts = !self.keeps_pending();
        self.pending.clear();
        for (slot, consumer) in held {
            let timeout = now + self.setup.visibility_timeout;
            let until = if starts { Micros::MAX } else { timeout };
            self.hide_until(slot, consumer, until, State::InFlight);
            if starts {
                self.note_pending(slot, consumer, now);
            }
        }
    }
}

/// Who claims what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Who.
    pub consumer: ConsumerId,
    /// What was idle so long at least.
    pub min_idle: Micros,
    /// How many messages at most.
    pub max: u32,
}
