//! Dead letters: why a message died, where before, and what becomes of it.

use super::aside::Aside;
use super::call::MessageKey;
use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::queue::Queue;
use super::store::{State, Stored};
use crate::engine::event::DeadLetterReason;
use crate::engine::id::QueueId;
use crate::engine::rules::ExpiredTo;
use crate::engine::time::Micros;

/// How often a message died in a queue for one reason. RabbitMQ: an entry of the header x-death.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Death {
    /// Where.
    pub queue: QueueId,
    /// Why.
    pub reason: DeadLetterReason,
    /// How often.
    pub count: u32,
    /// When for the first time.
    pub first_at: Micros,
    /// When for the last time.
    pub last_at: Micros,
}

/// The deaths of a copy: one entry for each queue and reason, the newest first.
///
/// RabbitMQ: x-death, and x-first-death-queue and -reason, which never change (guide "dlx", effects on messages).
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Deaths {
    /// Where and why it died first.
    pub first: Option<(QueueId, DeadLetterReason)>,
    /// The newest first.
    pub entries: Vec<Death>,
}

impl Deaths {
    /// Whether it died there for that reason at that instant.
    fn has(&self, queue: QueueId, reason: DeadLetterReason, at: Micros) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|it| it.queue == queue && it.reason == reason && it.last_at == at)
    }

    fn add(&mut self, queue: QueueId, reason: DeadLetterReason, now: Micros) {
        self.first.get_or_insert((queue, reason));
        let is_same = |death: &Death| death.queue == queue && death.reason == reason;
        let mut death = match self.entries.iter().position(is_same) {
            Some(at) => self.entries.remove(at),
            None => Death {
                queue,
                reason,
                count: 0,
                first_at: now,
                last_at: now,
            },
        };
        death.count = death.count.saturating_add(1);
        death.last_at = now;
        self.entries.insert(0, death);
    }

    /// Whether it died more than once.
    pub(super) fn is_chain(&self) -> bool {
        self.entries.len() > 1 || self.entries.iter().any(|death| death.count > 1)
    }

    /// Whether it died in this queue before and was not rejected since, then included.
    ///
    /// RabbitMQ: rabbit_dead_letter, detect_cycles.
    fn is_cycle(&self, to: QueueId) -> bool {
        let Some(before) = self.entries.iter().position(|death| death.queue == to) else {
            return false;
        };
        let mut cycle = self.entries.iter().take(before + 1);
        cycle.all(|death| death.reason != DeadLetterReason::Rejected)
    }
}

impl Queue {
    /// Sends a copy to the dead-letter queue, or removes it for want of one. One that expires in a queue, or is too
    /// much for it, twice at one instant would go round for ever: it is dropped, whether the queue cuts cycles or not.
    ///
    /// RabbitMQ: a dead-letter queue that is not there, or is full and refuses, loses the message, unless dead letters
    /// are kept until they can be delivered (guide "quorum queues", at-least-once dead lettering); what a full queue
    /// drops is not kept.
    pub(super) fn dead_letter(
        &mut self,
        slot: u32,
        reason: DeadLetterReason,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let deliveries = self.store[slot].deliveries();
        let dropped = |reason| HappeningKind::Dropped { reason, deliveries };
        let Some(to) = self.setup.dead_letter_queue else {
            return match reason {
                DeadLetterReason::Expired => self.expire(slot, now, out),
                reason => self.drop_as(slot, dropped(reason), now, out),
            };
        };
        let retry = self.setup.rules.dead_letter_retry;
        match retry.filter(|_| reason != DeadLetterReason::Overflow) {
            Some(retry) if !self.has_target || self.target_room == 0 => {
                return self.keep_dead(slot, reason, now, retry, out);
            }
            _ if !self.has_target => {
                return self.drop_as(slot, dropped(DeadLetterReason::NoTarget), now, out);
            }
            _ => self.target_room = self.target_room.saturating_sub(1),
        }
        let mut deaths = self.store.take_deaths(slot);
        // Nobody has a hand in these: they would go on at this instant for ever.
        let unattended = matches!(
            reason,
            DeadLetterReason::Expired | DeadLetterReason::Overflow
        );
        let stops_time = unattended && deaths.has(self.id, reason, now);
        deaths.add(self.id, reason, now);
        let by_itself = reason != DeadLetterReason::Rejected;
        if stops_time || self.setup.rules.cuts_cycles && by_itself && deaths.is_cycle(to) {
            return self.drop_as(slot, dropped(DeadLetterReason::Cycle), now, out);
        }
        let (copy, aside) = self.take_out(slot, now);
        self.counts.moved_out += 1;
        let kind = HappeningKind::DeadLettered {
            to,
            reason,
            deliveries,
        };
        out.push(self.happening(Some(&copy), kind));
        moves.push(Move {
            to,
            copy,
            aside: Aside {
                origin: Some(self.id),
                deadline: None,
                remembered: None,
                deaths,
                ..aside
            },
            is_dead: true,
            hops: 0,
        });
    }

    /// Puts a refused send into the dead-letter queue. It counts as stored and moved, so that counts add up.
    pub(super) fn dead_letter_refused(
        &mut self,
        now: Micros,
        copy: Stored,
        aside: Aside,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        if self.setup.dead_letter_queue.is_none() || !self.has_target {
            return;
        }
        self.counts.stored += 1;
        let slot = self.admit(copy, aside);
        self.dead_letter(slot, DeadLetterReason::Overflow, now, moves, out);
    }

    fn drop_as(&mut self, slot: u32, kind: HappeningKind, now: Micros, out: &mut Vec<Happening>) {
        let copy = self.remove(slot, now);
        self.counts.dropped += 1;
        out.push(self.happening(Some(&copy), kind));
    }

    /// Removes a copy whose retention or time to live is over.
    pub(super) fn expire(&mut self, slot: u32, now: Micros, out: &mut Vec<Happening>) {
        let copy = self.remove(slot, now);
        self.counts.expired += 1;
        out.push(self.happening(Some(&copy), HappeningKind::Expired));
    }

    /// Removes or dead-letters a copy whose time to live is over.
    pub(super) fn lapse(
        &mut self,
        slot: u32,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        match self.setup.rules.expired_to {
            ExpiredTo::Removed => self.expire(slot, now, out),
            ExpiredTo::DeadLetter => {
                self.dead_letter(slot, DeadLetterReason::Expired, now, moves, out);
            }
        }
    }

    /// Keeps a dead letter that has nowhere to go: counted, and handed out no more.
    fn keep_dead(
        &mut self,
        slot: u32,
        reason: DeadLetterReason,
        now: Micros,
        retry: Micros,
        out: &mut Vec<Happening>,
    ) {
        // Trying without a pause would stop time.
        let again = now + retry.max(Micros::from_millis(1));
        let sequence = self.store[slot].lease().sequence();
        self.kept_dead.insert((again, sequence), (slot, reason));
        if self.store[slot].state() == State::Undeliverable {
            return;
        }
        self.withhold(slot);
        let copy = self.store[slot];
        let kind = HappeningKind::DeadLetterKept { reason };
        out.push(self.happening(Some(&copy), kind));
    }

    /// Why a message that is here died before; of several copies, the first that died.
    pub(super) fn deaths(&self, message: MessageKey) -> Deaths {
        let slots = self.store.of_message(message).into_iter();
        let mut asides = slots.filter_map(|slot| self.store.aside(slot));
        let dead = asides.find(|aside| aside.deaths.first.is_some());
        dead.map(|aside| aside.deaths.clone()).unwrap_or_default()
    }

    /// When the next kept dead letter is tried again.
    pub(super) fn next_retry(&self) -> Option<(Micros, u64)> {
        self.kept_dead.first_key_value().map(|(&due, _)| due)
    }

    /// Tries the first kept dead letter again.
    pub(super) fn retry_dead(&mut self, moves: &mut Vec<Move>, out: &mut Vec<Happening>) {
        if let Some(((due, sequence), (slot, reason))) = self.kept_dead.pop_first() {
            let copy = &self.store[slot];
            let is_there = copy.state() == State::Undeliverable;
            if is_there && copy.lease().sequence() == sequence {
                self.dead_letter(slot, reason, due, moves, out);
            }
        }
    }
}
