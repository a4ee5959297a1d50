//! The return path: what becomes of a message in flight that ends without an ack.

use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::queue::Queue;
use super::store::State;
use crate::engine::event::RequeueReason;
use crate::engine::rules::{Growth, ReturnCause, ReturnPlace};
use crate::engine::time::Micros;

/// How a message in flight comes back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    /// What ended its delivery: decides whether that counts, and whether it waits.
    pub cause: ReturnCause,
    /// Why, when not its consumer gave it back and no timeout ended: told as [`HappeningKind::Requeued`].
    pub reason: Option<RequeueReason>,
    /// How long its consumer asked that it stays hidden.
    pub delay: Micros,
}

impl Return {
    /// Visible as soon as the queue's rules allow, given back by a call that tells of it itself, or by a timeout.
    pub(super) const fn of(cause: ReturnCause) -> Self {
        Self {
            cause,
            reason: None,
            delay: Micros::ZERO,
        }
    }

    /// Given back in its consumer's place.
    pub(super) const fn because(cause: ReturnCause, reason: RequeueReason) -> Self {
        Self {
            reason: Some(reason),
            ..Self::of(cause)
        }
    }
}

impl Queue {
    /// Gives back a message in flight, at `now`: the one way back, whatever ended the delivery. Tells that it ended,
    /// unless the consumer did it by a call; counts it; and makes the message visible, now or later. Returns when that
    /// is.
    ///
    /// Must not be called for a message that is not in flight, nor again for one whose return waits
    /// ([`State::Returning`]).
    pub(super) fn give_back(
        &mut self,
        slot: u32,
        how: Return,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> Micros {
        self.set_now(now);
        self.tell_return(slot, how, out);
        if self.count_return(slot, how) {
            self.exhaust(slot, now, moves, out);
            return now;
        }
        self.replay_key(slot, how, now, moves, out);
        if self.store[slot].state() != State::InFlight {
            return now;
        }
        let until = now + how.delay + self.pause_after(slot, how);
        if until <= now {
            self.expose(slot, now);
        } else if self.waits_apart() {
            self.postpone(slot, until);
        } else if let Some(consumer) = self.holder(slot) {
            self.hide_until(slot, consumer, until, State::Returning);
            return until;
        }
        self.after_return(slot, now, moves, out);
        until
    }

    /// The pause that the queue makes before a returned message is visible again.
    ///
    /// RabbitMQ quorum 4.3: the least delay times the delivery count, up to the greatest (guide "quorum queues",
    /// delayed retry). Google Pub/Sub: exponential back-off between two bounds, after a nack or an ended deadline
    /// (RetryPolicy).
    fn pause_after(&self, slot: u32, how: Return) -> Micros {
        let Some(delay) = self.setup.rules.retry_delay else {
            return Micros::ZERO;
        };
        if !delay.after.has(how.cause) || how.reason == Some(RequeueReason::KeyReplayed) {
            return Micros::ZERO;
        }
        let count = u64::from(self.count(slot).max(1));
        let pause = match delay.growth {
            Growth::Linear => delay.min.0.saturating_mul(count),
            Growth::Exponential if count > 63 => delay.max.0,
            Growth::Exponential => delay.min.0.saturating_mul(1 << (count - 1)),
        };
        Micros(pause).min(delay.max)
    }

    /// Whether a returned message that is not yet visible again counts as delayed and holds no place in flight.
    ///
    /// SQS knows a return with a delay only as a change of visibility: it stays in flight. NATS JetStream hides a
    /// message that was returned with a delay while others flow (consumer.go, processNak).
    fn waits_apart(&self) -> bool {
        let rules = &self.setup.rules;
        let elsewhere = rules.returns_to != ReturnPlace::Place;
        rules.retry_delay.is_some() || elsewhere || self.has_keys()
    }

    fn tell_return(&self, slot: u32, how: Return, out: &mut Vec<Happening>) {
        let Some(consumer) = self.holder(slot) else {
            return;
        };
        let kind = match (how.reason, how.cause) {
            (Some(reason), _) => HappeningKind::Requeued { consumer, reason },
            (None, ReturnCause::Timeout) => HappeningKind::TimeoutEnded {
                consumer,
                delivery: self.delivery_number(slot),
            },
            (None, _) => return,
        };
        out.push(self.happening(Some(&self.store[slot]), kind));
    }

    /// The pause of a returned message is over.
    pub(super) fn end_return(
        &mut self,
        slot: u32,
        since: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let copy = self.store[slot];
        self.expose(slot, since);
        out.push(self.happening(Some(&copy), HappeningKind::Returned));
        self.after_return(slot, since, moves, out);
    }
}
