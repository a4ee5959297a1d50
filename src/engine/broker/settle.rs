//! Calls on a receipt: ack, nack, change of visibility, reject.

use super::call::{AckOutcome, ChangeOutcome, Receipt};
use super::happening::Happening;
use super::moves::Move;
use super::queue::Queue;
use super::returns::Return;
use super::store::State;
use crate::engine::chance::{self, Purpose};
use crate::engine::event::{DeadLetterReason, ExhaustedReason};
use crate::engine::rules::{Exhausted, GroupRule, ReturnCause};
use crate::engine::setup::{Chance, QueueKind, StaleAck};
use crate::engine::time::Micros;

/// Longest invisibility, counted from the receive. SQS: 12 hours; extending never starts it again (Developer Guide,
/// "Amazon SQS visibility timeout").
pub const LONGEST_INVISIBILITY: Micros = Micros::from_secs(12 * 60 * 60);

/// What a receipt still stands for.
enum Standing {
    /// The copy left the queue.
    Gone,
    /// The copy was received again since.
    Older,
    /// The timeout ended, and the copy was not received again.
    Expired,
    /// The newest lease, still running, or returned with a delay that still runs.
    Newest,
}

impl Queue {
    fn standing(&self, receipt: Receipt) -> Standing {
        match self.store.find(receipt.slot, receipt.lease) {
            None => Standing::Gone,
            // Its consumer was forgotten: the group knows no such message. Redis: XACK answers 0.
            Some(copy) if copy.state() == State::Undeliverable && self.keeps_pending() => {
                Standing::Gone
            }
            Some(copy) if copy.lease() != receipt.lease => Standing::Older,
            Some(copy) if copy.is_in_flight() => Standing::Newest,
            Some(_) => Standing::Expired,
        }
    }

    /// Removes the message, if the receipt is good for that.
    ///
    /// SQS standard: an expired handle deletes unless the message was received again (recorded:
    /// test_delete_after_visibility_timeout); with an older handle the call succeeds but the message might not be
    /// deleted (API Reference, DeleteMessage), here a setting; deleting twice is fine. SQS FIFO: an expired handle is
    /// an error (recorded: test_fifo_delete_after_visibility_timeout). NATS JetStream and Redis Streams: any ack settles,
    /// however late (NATS docs, "JetStream consumers"; redis.io, XACK). Google Pub/Sub with exactly-once delivery: only
    /// the latest ack id works, and only until its deadline (docs, "exactly-once delivery"); Azure Service Bus: the lock
    /// is lost.
    pub(super) fn ack(
        &mut self,
        now: Micros,
        receipt: Receipt,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> AckOutcome {
        self.set_now(now);
        self.touch_session(now, receipt);
        if self.close_for_unknown(now, receipt, moves, out) {
            return AckOutcome::ChannelClosed;
        }
        if let Some(outcome) = self.not_good(receipt) {
            return outcome;
        }
        let is_newest = matches!(self.standing(receipt), Standing::Newest);
        if is_newest && self.survives(receipt) {
            self.expose(receipt.slot, now);
            self.after_return(receipt.slot, now, moves, out);
            return AckOutcome::Survived;
        }
        self.remove(receipt.slot, now);
        self.counts.acked += 1;
        AckOutcome::Removed
    }

    /// How the call ends when a receipt is not good for settling its message any more; none when it is.
    fn not_good(&self, receipt: Receipt) -> Option<AckOutcome> {
        let rule = self.setup.stale_ack;
        let refuses = self.refuses_stale();
        let expires = self.expires_receipts();
        match self.standing(receipt) {
            Standing::Newest if refuses && self.hidden_until(receipt).is_none() => {
                Some(AckOutcome::Refused)
            }
            Standing::Newest => None,
            Standing::Gone if refuses => Some(AckOutcome::Refused),
            Standing::Gone => Some(AckOutcome::Ignored),
            Standing::Older | Standing::Expired if expires => Some(AckOutcome::Refused),
            Standing::Older if rule == StaleAck::Ignored => Some(AckOutcome::Ignored),
            Standing::Older | Standing::Expired => None,
        }
    }

    fn refuses_stale(&self) -> bool {
        matches!(
            self.setup.stale_ack,
            StaleAck::Refused | StaleAck::ClosesChannel
        )
    }

    /// Whether the end of its timeout makes a receipt worthless.
    fn expires_receipts(&self) -> bool {
        let locks = self.setup.rules.group_rule != GroupRule::Key;
        self.refuses_stale() || self.setup.kind == QueueKind::Fifo && locks
    }

    /// SQS standard: at least once; a copy on a server that was unreachable may survive the delete and come again
    /// (Developer Guide, "Amazon SQS at-least-once delivery").
    fn survives(&self, receipt: Receipt) -> bool {
        let chance = self.setup.surplus_duplicates;
        if chance == Chance(0) || self.setup.kind == QueueKind::Fifo {
            return false;
        }
        let index = receipt.lease.index();
        chance.happens(chance::draw(
            self.seed,
            self.stream,
            Purpose::Surplus,
            index,
        ))
    }

    /// Hides the message for `time` from now, or makes it visible at once for zero.
    ///
    /// SQS ChangeMessageVisibility: the clock starts again from the call, and the next receive uses the queue's value
    /// (API Reference). More than what is left of the twelve hours is an error (Developer Guide, "Amazon SQS visibility
    /// timeout"). After expiry SQS standard accepts the call (recorded:
    /// test_change_message_visibility_after_visibility_timeout_expiration) with an effect that is not recorded; here it
    /// changes nothing. On a deleted message it is an error (recorded:
    /// test_change_visibility_on_deleted_message_raises_invalid_parameter_value), and so is an expired handle where an
    /// ack with it is. Where
    /// nothing times out, it starts the idle time again. Redis: XCLAIM of one's own message with JUSTID. What was pushed has no
    /// visibility timeout: the call changes nothing either.
    pub(super) fn change_visibility(
        &mut self,
        now: Micros,
        receipt: Receipt,
        time: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        let waits = self.store.find(receipt.slot, receipt.lease);
        let waits = waits.is_some_and(|copy| copy.state() == State::Returning);
        if self.channels.holder(receipt.slot).is_some() || self.pushes() && waits {
            return ChangeOutcome::Stale;
        }
        match self.standing(receipt) {
            Standing::Newest => {}
            Standing::Older | Standing::Expired if !self.expires_receipts() => {
                return ChangeOutcome::Ignored;
            }
            _ => return ChangeOutcome::Stale,
        }
        if self.keeps_pending() {
            self.note_pending(receipt.slot, receipt.consumer, now);
            return ChangeOutcome::HiddenUntil(Micros::MAX);
        }
        if self.has_sessions() && time > Micros::ZERO {
            self.touch_session(now, receipt);
            return ChangeOutcome::HiddenUntil(self.visible_again(receipt.slot));
        }
        let until = now + time;
        if until > receipt.received + LONGEST_INVISIBILITY {
            return ChangeOutcome::Refused;
        }
        if until <= now {
            return self.nack(now, receipt, Micros::ZERO, moves, out);
        }
        self.hide_until(receipt.slot, receipt.consumer, until, State::InFlight);
        ChangeOutcome::HiddenUntil(until)
    }

    /// Returns the message, visible after `delay`.
    ///
    /// SQS knows this as a change of visibility, with the same limit; a consumer that returns asks for no more than what
    /// is left, so the delay is cut to that.
    pub(super) fn nack(
        &mut self,
        now: Micros,
        receipt: Receipt,
        delay: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        self.touch_session(now, receipt);
        let longest = receipt.received + LONGEST_INVISIBILITY - now;
        let how = Return {
            delay: delay.min(longest),
            ..Return::of(ReturnCause::Nack)
        };
        self.return_by_receipt(now, receipt, how, moves, out)
    }

    /// Returns the message as failed, visible as soon as the queue's rules allow.
    pub(super) fn return_failed(
        &mut self,
        now: Micros,
        receipt: Receipt,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        let how = Return::of(ReturnCause::Failed);
        self.return_by_receipt(now, receipt, how, moves, out)
    }

    fn return_by_receipt(
        &mut self,
        now: Micros,
        receipt: Receipt,
        how: Return,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        // Redis Streams have no such call before 8.8: what failed stays pending.
        if self.keeps_pending()
            || self.close_for_unknown(now, receipt, moves, out)
            || !matches!(self.standing(receipt), Standing::Newest)
        {
            return ChangeOutcome::Stale;
        }
        let slot = receipt.slot;
        if self.store[slot].state() != State::Returning {
            return ChangeOutcome::HiddenUntil(self.give_back(slot, how, now, moves, out));
        }
        let until = now + how.delay;
        if until <= now {
            self.expose(slot, now);
            self.after_return(slot, now, moves, out);
        } else {
            self.hide_until(slot, receipt.consumer, until, State::Returning);
        }
        ChangeOutcome::HiddenUntil(until)
    }

    /// Gives the message up: to the dead-letter queue, or dropped for want of one; or archived, where that is what
    /// becomes of messages that have used up their budget. Kafka share groups: REJECT (KIP-932).
    ///
    /// SQS has no such call; a consumer would send the message to the dead-letter queue and delete it, so a receipt
    /// is good for it when it is good for a delete.
    pub(super) fn reject(
        &mut self,
        now: Micros,
        receipt: Receipt,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> AckOutcome {
        if self.close_for_unknown(now, receipt, moves, out) {
            return AckOutcome::ChannelClosed;
        }
        if let Some(outcome) = self.not_good(receipt) {
            return outcome;
        }
        if self.setup.rules.exhausted == Exhausted::Archive {
            self.archive(receipt.slot, ExhaustedReason::Rejected, now, out);
        } else {
            self.dead_letter(receipt.slot, DeadLetterReason::Rejected, now, moves, out);
        }
        AckOutcome::Removed
    }

    /// When the message of a running lease becomes visible again.
    pub(super) fn hidden_until(&self, receipt: Receipt) -> Option<Micros> {
        let copy = self.store.find(receipt.slot, receipt.lease)?;
        let holds = copy.lease() == receipt.lease && copy.state() == State::InFlight;
        holds.then(|| self.visible_again(receipt.slot))
    }
}
