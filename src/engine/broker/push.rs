//! The push hand-over: subscriptions, channels, and messages handed out by the broker's own accord.
//!
//! A message that was pushed has no visibility timeout. It comes back when its channel closes: by a call, by an error,
//! or because a delivery was not acknowledged in time.

use super::call::{AckOutcome, ChangeOutcome, Demand, Receipt};
use super::channels::{Closed, Subscription};
use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::queue::Queue;
use super::returns::Return;
use super::store::State;
use super::waiting::Receive;
use crate::engine::event::{CloseReason, RequeueReason};
use crate::engine::id::ConsumerId;
use crate::engine::rules::{AtConsumerTimeout, ReturnCause};
use crate::engine::setup::StaleAck;
use crate::engine::time::Micros;

impl Queue {
    pub(super) fn pushes(&self) -> bool {
        self.setup.pushes()
    }

    /// Whether a message can be pushed. Those of sessions are received.
    pub(super) fn wants_push(&self) -> bool {
        self.channels.first().is_some() && !self.has_sessions() && self.is_receivable()
    }

    /// Adds a subscription, or changes the one that the consumer has. No effect on a queue that does not push.
    pub(super) fn subscribe(&mut self, subscription: Subscription) {
        if self.pushes() {
            self.channels.subscribe(subscription);
        }
    }

    /// Hands out what may be handed out, one message at a time: to the highest priority whose prefetch leaves room,
    /// in turn among equals.
    ///
    /// RabbitMQ: round robin over the consumers that can take a message (guide "consumers"); a lower priority is served
    /// only while the higher ones are blocked by their prefetch (guide "consumer priority"); with a single active
    /// consumer, the one that subscribed first.
    pub(super) fn push(&mut self, now: Micros, moves: &mut Vec<Move>, out: &mut Vec<Happening>) {
        while self.push_next(now, moves, out) {}
    }

    /// Hands out one message by the queue's own accord; says whether there was one.
    pub(super) fn push_next(
        &mut self,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> bool {
        self.set_now(now);
        let Some(subscription) = self.channels.first().filter(|_| self.wants_push()) else {
            return false;
        };
        let consumer = subscription.consumer;
        let demand = Demand {
            consumer,
            max: 1,
            visibility_timeout: None,
            until: Micros::MAX,
            call: 0,
            automatic: subscription.automatic,
        };
        let pushed = self.answer(now, &Receive::pushed(demand), moves, out) > 0;
        if pushed {
            self.channels.served(consumer);
        }
        pushed
    }

    /// How long a pushed message may stay unacknowledged.
    ///
    /// RabbitMQ: counted from the delivery, also of what waits in the client's buffer (guide "consumers",
    /// acknowledgement timeout).
    pub(super) fn held_until(&self, now: Micros) -> Micros {
        let timeout = self.setup.rules.consumer_timeout;
        timeout.map_or(Micros::MAX, |timeout| now + timeout)
    }

    /// Ends a subscription; what is held is neither returned nor given up (RabbitMQ: basic.cancel, guide "consumers").
    pub(super) fn cancel(&mut self, now: Micros, consumer: ConsumerId) {
        self.channels.cancel(consumer);
        self.last_use = now;
    }

    /// Closes the channel of a consumer: all consumers of it are subscribed no more, and what they hold comes back, in
    /// order of delivery. Says whether there was one.
    ///
    /// RabbitMQ: all that is unacknowledged is requeued (guide "confirms", automatic requeueing). Observed on 3.10 and
    /// 4.0 with a single active consumer: a close asked for lets the successor take what waits before what returns; a
    /// lost connection does not.
    pub(super) fn close_channel(
        &mut self,
        now: Micros,
        consumer: ConsumerId,
        reason: CloseReason,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> bool {
        let Some(closed) = self.channels.close(consumer) else {
            return false;
        };
        self.last_use = now;
        let kind = HappeningKind::ChannelClosed { consumer, reason };
        out.push(self.happening(None, kind));
        let shared = match reason {
            CloseReason::BrokerRestarted => reason,
            _ => CloseReason::Shared,
        };
        self.tell_sharing(&closed, consumer, shared, out);
        if reason == CloseReason::Command && self.setup.rules.single_active_consumer {
            self.push(now, moves, out);
        }
        let cause = match reason {
            CloseReason::Timeout => ReturnCause::Timeout,
            _ => ReturnCause::Crash,
        };
        let why = match reason {
            CloseReason::BrokerRestarted => RequeueReason::BrokerRestarted,
            _ => RequeueReason::ChannelClosed,
        };
        let how = Return::because(cause, why);
        self.give_all_back(closed.unsettled, how, now, moves, out);
        true
    }

    /// Closes the channels of everybody.
    pub(super) fn close_channels(
        &mut self,
        now: Micros,
        reason: CloseReason,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        for consumer in self.channels.consumers() {
            self.close_channel(now, consumer, reason, moves, out);
        }
    }

    /// The consumer's process is gone, and its connection with it.
    pub(super) fn disconnect(
        &mut self,
        now: Micros,
        consumer: ConsumerId,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let Some(closed) = self.channels.close(consumer) else {
            return;
        };
        self.last_use = now;
        self.tell_sharing(&closed, consumer, CloseReason::Shared, out);
        let how = Return::because(ReturnCause::Crash, RequeueReason::Crashed);
        self.give_all_back(closed.unsettled, how, now, moves, out);
    }

    fn tell_sharing(
        &self,
        closed: &Closed,
        closer: ConsumerId,
        reason: CloseReason,
        out: &mut Vec<Happening>,
    ) {
        let sharing = closed.consumers.iter();
        for &consumer in sharing.filter(|&&consumer| consumer != closer) {
            let kind = HappeningKind::ChannelClosed { consumer, reason };
            out.push(self.happening(None, kind));
        }
    }

    fn give_all_back(
        &mut self,
        held: Vec<(u32, ConsumerId)>,
        how: Return,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        for (slot, _) in held {
            if self.store[slot].state() == State::InFlight {
                self.give_back(slot, how, now, moves, out);
            }
        }
    }

    /// A pushed message was not acknowledged in time.
    ///
    /// RabbitMQ up to 4.2: the channel is closed. 4.3, quorum queues, clients that support it: the consumer is
    /// cancelled, and what it holds is returned.
    pub(super) fn end_patience(
        &mut self,
        now: Micros,
        consumer: ConsumerId,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        if self.setup.rules.at_consumer_timeout == AtConsumerTimeout::ClosesChannel {
            self.close_channel(now, consumer, CloseReason::Timeout, moves, out);
            return;
        }
        self.channels.cancel(consumer);
        let reason = CloseReason::Cancelled;
        let kind = HappeningKind::ChannelClosed { consumer, reason };
        out.push(self.happening(None, kind));
        let held = self.channels.held_by(consumer);
        let how = Return::because(ReturnCause::Timeout, RequeueReason::ChannelClosed);
        self.give_all_back(held, how, now, moves, out);
    }

    /// Closes the channel of a consumer whose call names a delivery that the channel does not know, because it was
    /// settled or returned before. RabbitMQ: 406 (guide "confirms"). Says whether that was so.
    pub(super) fn close_for_unknown(
        &mut self,
        now: Micros,
        receipt: Receipt,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> bool {
        let reason = CloseReason::UnknownDelivery;
        self.setup.stale_ack == StaleAck::ClosesChannel
            && self.hidden_until(receipt).is_none()
            && self.close_channel(now, receipt.consumer, reason, moves, out)
    }

    /// Removes all that the channel of this delivery holds up to it. RabbitMQ: basic.ack, multiple.
    pub(super) fn ack_up_to(
        &mut self,
        now: Micros,
        receipt: Receipt,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> AckOutcome {
        if self.holds(receipt) {
            for (slot, consumer) in self.channels.up_to(receipt.slot) {
                if slot != receipt.slot {
                    let copy = self.remove(slot, now);
                    self.counts.acked += 1;
                    let kind = HappeningKind::Acked { consumer };
                    out.push(self.happening(Some(&copy), kind));
                }
            }
        }
        self.ack(now, receipt, moves, out)
    }

    /// Returns all that the channel of this delivery holds up to it. RabbitMQ: basic.nack, multiple.
    pub(super) fn nack_up_to(
        &mut self,
        now: Micros,
        receipt: Receipt,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        if self.holds(receipt) {
            let mut held = self.channels.up_to(receipt.slot);
            held.retain(|&(slot, _)| slot != receipt.slot);
            let how = Return::because(ReturnCause::Nack, RequeueReason::NackedUpTo);
            self.give_all_back(held, how, now, moves, out);
        }
        self.nack(now, receipt, Micros::ZERO, moves, out)
    }

    fn holds(&self, receipt: Receipt) -> bool {
        self.hidden_until(receipt).is_some() && self.channels.holder(receipt.slot).is_some()
    }

    /// Follows a change of rules: subscriptions end when the queue does not push any more. What was pushed stays with
    /// its consumers until they settle it or their channels close.
    pub(super) fn follow_rules(&mut self) {
        let single = self.setup.rules.single_active_consumer;
        self.channels.set_single_active(single);
        if !self.pushes() {
            self.channels.cancel_all();
        }
    }
}
