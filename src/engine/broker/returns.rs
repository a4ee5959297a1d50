//! The return path: what becomes of a message in flight that ends without an ack.

use super::happening::{Happening, HappeningKind};
use super::queue::{Move, Queue};
use super::store::State;
use crate::engine::event::RequeueReason;
use crate::engine::rules::ReturnCause;
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
    #[allow(
        dead_code,
        reason = "for consumers, channels, sessions and brokers that go away"
    )]
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
        _moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> Micros {
        self.set_now(now);
        self.tell_return(slot, how, out);
        let until = now + how.delay;
        if until <= now {
            self.expose(slot, now);
        } else if let Some(consumer) = self.holder(slot) {
            self.hide_until(slot, consumer, until, State::Returning);
        }
        until
    }

    fn tell_return(&self, slot: u32, how: Return, out: &mut Vec<Happening>) {
        let copy = self.store[slot];
        let Some(consumer) = self.holder(slot) else {
            return;
        };
        let kind = match (how.reason, how.cause) {
            (Some(reason), _) => HappeningKind::Requeued { consumer, reason },
            (None, ReturnCause::Timeout) => HappeningKind::TimeoutEnded {
                consumer,
                delivery: copy.deliveries(),
            },
            (None, _) => return,
        };
        out.push(self.happening(Some(&copy), kind));
    }

    /// The pause of a returned message is over.
    pub(super) fn end_return(&mut self, slot: u32, since: Micros, out: &mut Vec<Happening>) {
        let copy = self.store[slot];
        self.expose(slot, since);
        out.push(self.happening(Some(&copy), HappeningKind::Returned));
    }
}
