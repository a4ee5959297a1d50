//! The lease hand-over: receives and the visibility timeout.

use super::call::{Demand, Receipt};
use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::order::Order;
use super::queue::Queue;
use super::returns::Return;
use super::shards::Shards;
use super::store::State;
use super::timers::{Timer, Timers};
use super::waiting::Receive;
use crate::engine::id::ConsumerId;
use crate::engine::rules::ReturnCause;
use crate::engine::time::Micros;

/// One receive as it is being answered.
pub(super) struct Answer<'a> {
    pub now: Micros,
    pub demand: &'a Demand,
    /// Nobody asked for it.
    is_pushed: bool,
    moves: &'a mut Vec<Move>,
    pub out: &'a mut Vec<Happening>,
    /// Messages handed out so far.
    taken: u32,
}

impl Answer<'_> {
    pub(super) fn is_full(&self) -> bool {
        self.taken >= self.demand.max
    }
}

impl Queue {
    /// Whether a receive could be answered with a message.
    pub(super) fn is_receivable(&self) -> bool {
        if self.is_at_in_flight_limit() {
            return false;
        }
        match &self.order {
            Order::Standard(_) | Order::Ranked(_) => self.counts.ready > 0,
            Order::Fifo(lanes) => lanes.is_receivable(),
        }
    }

    /// Whether a waiting receive can be answered, or a message pushed.
    pub(super) fn wants_deliver(&self) -> bool {
        self.wants_answers() || self.wants_push()
    }

    fn wants_answers(&self) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        self.waiting.any_over()
            || if self.has_sessions() {
                !self.is_at_in_flight_limit() && self.waiting.any(|consumer| self.has_for(consumer))
            } else {
                self.is_receivable()
            }
    }

    /// Pushes what can be pushed, then answers waiting receives, in order of consumers.
    ///
    /// SQS: a long poll returns as soon as one message is available and does not wait to fill its batch; it is empty
    /// only after the full wait (Developer Guide, "Amazon SQS short and long polling").
    pub(super) fn deliver(&mut self, now: Micros, moves: &mut Vec<Move>, out: &mut Vec<Happening>) {
        self.set_now(now);
        if !self.waiting.is_empty() {
            self.last_use = now;
        }
        self.push(now, moves, out);
        let mut at = 0;
        while self.wants_answers()
            && let Some(receive) = self.waiting.get(at)
        {
            if self.answer(now, &receive, moves, out) > 0 {
                self.waiting.remove(at);
            } else if receive.is_over {
                self.waiting.remove(at);
                let end = self.end_of_receive(receive.is_short);
                out.push(self.happening(None, end(&receive.demand)));
            } else {
                at += 1;
            }
        }
        self.notice(now, moves, out);
    }

    /// Hands out what this receive may have; returns how many messages that was.
    pub(super) fn answer(
        &mut self,
        now: Micros,
        receive: &Receive,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> u32 {
        let mut answer = Answer {
            now,
            demand: &receive.demand,
            is_pushed: receive.is_pushed,
            moves,
            out,
            taken: 0,
        };
        match &self.order {
            Order::Standard(_) | Order::Ranked(_) => {
                let asked = match &self.order {
                    Order::Standard(shards) if receive.is_short => {
                        shards.sample(&receive.demand, self.setup.shards_sampled)
                    }
                    _ => Shards::ALL,
                };
                while !answer.is_full()
                    && !self.is_at_in_flight_limit()
                    && let Some(slot) = self.order.first(asked, &self.store)
                {
                    self.hand_over(slot, &mut answer);
                }
            }
            Order::Fifo(_) if self.has_sessions() => self.answer_from_sessions(&mut answer),
            Order::Fifo(_) => {
                while !answer.is_full()
                    && !self.is_at_in_flight_limit()
                    && let Order::Fifo(lanes) = &self.order
                    && let Some(lane) = lanes.first_receivable()
                {
                    self.walk_lane(lane, &mut answer);
                }
            }
        }
        answer.taken
    }

    /// Takes from one group what may be received, in order.
    ///
    /// SQS FIFO: a receive takes as many messages as possible from one group, then fills up from others (Developer
    /// Guide, "FIFO queue delivery logic"); it stops at the first message of the group that is not visible (recorded:
    /// test_fifo_group_visibility_extends_with_change_message_visibility). A head that leaves for the dead-letter
    /// queue releases its successors to the same receive. Between groups SQS promises no order; that the group whose
    /// head was sent first is the first one keeps runs easy to follow.
    fn walk_lane(&mut self, lane: u32, answer: &mut Answer<'_>) {
        let Order::Fifo(lanes) = &self.order else {
            return;
        };
        let has_keys = self.has_keys();
        let mut walk = lanes.walk(lane);
        while !answer.is_full()
            && !self.is_at_in_flight_limit()
            && let Order::Fifo(lanes) = &self.order
            && let Some(slot) = if has_keys {
                lanes.next_of_key(lane, &self.store)
            } else {
                lanes.step(&mut walk, &self.store)
            }
            && self.store[slot].state() == State::Ready
        {
            self.hand_over(slot, answer);
        }
        if let Order::Fifo(lanes) = &mut self.order {
            lanes.list(lane, &self.store);
        }
    }

    /// Hands out one message, unless that would exceed its retry budget.
    ///
    /// SQS: a receive raises the count by one and yields a new receipt (API Reference, ReceiveMessage). The receive
    /// that moves a message to the dead-letter queue goes on with the next. The timeout is the receive's own, else the
    /// queue's at that moment.
    pub(super) fn hand_over(&mut self, slot: u32, answer: &mut Answer<'_>) {
        let copy = self.store[slot];
        if self.is_lapsed(slot, answer.now) {
            return self.lapse(slot, answer.now, answer.moves, answer.out);
        }
        if self.exceeds_on_receive(slot) {
            return self.exhaust(slot, answer.now, answer.moves, answer.out);
        }
        let consumer = answer.demand.consumer;
        let hidden_until = if self.has_sessions() || self.keeps_pending() {
            // It comes back with its session, or never by itself.
            Micros::MAX
        } else if self.pushes() {
            self.held_until(answer.now)
        } else {
            let own = answer.demand.visibility_timeout;
            answer.now + own.unwrap_or_else(|| self.timeout_of_next(slot))
        };
        self.hand_out(slot, consumer, hidden_until);
        answer.taken += 1;
        if self.keeps_pending() {
            self.note_pending(slot, consumer, answer.now);
        }
        let automatic = answer.demand.automatic;
        let delivered = self.delivery(slot, consumer, answer.now, copy.moment, automatic);
        answer.out.push(delivered);
        if automatic {
            self.remove(slot, answer.now);
            self.counts.acked += 1;
            let acked = self.happening(Some(&copy), HappeningKind::Acked { consumer });
            answer.out.push(acked);
        } else if self.pushes() {
            self.channels.hold(slot, consumer, answer.is_pushed);
        }
    }

    /// Identifies and tells the newest delivery of a copy.
    pub(super) fn delivery(
        &self,
        slot: u32,
        consumer: ConsumerId,
        now: Micros,
        ready_since: Micros,
        automatic: bool,
    ) -> Happening {
        let copy = &self.store[slot];
        let receipt = Receipt {
            queue: self.id,
            consumer,
            slot,
            lease: copy.lease(),
            received: now,
        };
        let delivered = HappeningKind::Delivered {
            consumer,
            receipt,
            delivery: self.delivery_number(slot),
            hidden_until: self.visible_again(slot),
            ready_since,
            automatic,
        };
        self.happening(Some(copy), delivered)
    }

    /// The visibility timeout of the next delivery of a message.
    ///
    /// NATS JetStream: BackOff replaces AckWait, one entry for each delivery, the last one repeated (consumer.go,
    /// checkPending; NATS docs, "JetStream consumers").
    fn timeout_of_next(&self, slot: u32) -> Micros {
        let steps = &self.setup.rules.lease_steps;
        let step = steps.get(self.store[slot].deliveries() as usize);
        step.or(steps.last())
            .copied()
            .unwrap_or(self.setup.visibility_timeout)
    }

    /// The next timer: the end of a lease, a delay, a retention or a wait.
    pub(super) fn next_timer(&self) -> Option<Micros> {
        let ends = [
            self.leases.first().map(|timer| timer.due),
            self.delays.first().map(|timer| timer.due),
            self.withheld.first().map(|timer| timer.due),
            self.next_expiry().map(|(due, ..)| due),
            self.next_lapse().map(|(due, ..)| due),
            self.next_retry().map(|(due, _)| due),
            self.unused_at(),
            Some(self.waiting.next_end()),
            self.sessions.next_end(),
        ];
        ends.into_iter()
            .flatten()
            .min()
            .filter(|&due| due < Micros::MAX)
    }

    /// The first end of retention: of the ready messages on standard queues, where all others have timers of their own;
    /// of all messages on FIFO queues.
    fn next_expiry(&self) -> Option<(Micros, u64, u32)> {
        self.setup.retention?;
        let mut slot = self.order.oldest(&self.store)?;
        if let Some((&position, &older)) = self.ages.first_key_value()
            && position < self.store[slot].position()
        {
            slot = older;
        }
        let copy = &self.store[slot];
        Some((self.expires_at(copy), copy.lease().sequence(), slot))
    }

    /// Lets time pass: fires what is due at or before `now`, by due time, then send order.
    pub(super) fn advance(&mut self, now: Micros, moves: &mut Vec<Move>, out: &mut Vec<Happening>) {
        const NEVER: (Micros, u64) = (Micros::MAX, 0);
        self.set_now(now);
        self.end_sessions(now, moves, out);
        loop {
            let order = |timer: Timer| (timer.due, timer.lease.sequence());
            let first_of = |timers: &Timers| timers.first().map_or(NEVER, order);
            let lease = first_of(&self.leases);
            let delay = first_of(&self.delays);
            let withheld = first_of(&self.withheld);
            let expiry = self.next_expiry();
            let expires = expiry.map_or(NEVER, |(due, sequence, _)| (due, sequence));
            let lapse = self.next_lapse();
            let lapses = lapse.map_or(NEVER, |(due, sequence, _)| (due, sequence));
            let retry = self.next_retry().unwrap_or(NEVER);
            let kept = withheld.min(retry);
            let first = lease.min(delay).min(expires).min(lapses).min(kept);
            if first.0 > now || first.0 == Micros::MAX {
                break;
            }
            if let Some((due, _, slot)) = expiry.filter(|_| first == expires) {
                self.expire(slot, due, out);
            } else if let Some(lapse) = lapse.filter(|_| first == lapses) {
                self.end_life(lapse, moves, out);
            } else if first == retry {
                self.retry_dead(moves, out);
            } else if let Some(timer) = self.leases.first().filter(|_| first == lease) {
                self.end_lease(timer, moves, out);
            } else if let Some(timer) = self.withheld.first().filter(|_| first == withheld) {
                self.expire(timer.slot, timer.due, out);
            } else if let Some(timer) = self.delays.first() {
                self.end_or_expire_delay(timer, moves, out);
            }
        }
        if self.unused_at().is_some_and(|due| due <= now) {
            self.delete(out);
        }
        self.waiting.end_due(now);
    }

    fn end_lease(&mut self, timer: Timer, moves: &mut Vec<Move>, out: &mut Vec<Happening>) {
        let copy = self.store[timer.slot];
        if self.expires_at(&copy) <= timer.due {
            self.expire(timer.slot, timer.due, out);
        } else if copy.state() == State::Returning {
            self.end_return(timer.slot, timer.due, moves, out);
        } else if let Some(consumer) = self.channels.holder(timer.slot) {
            self.end_patience(timer.due, consumer, moves, out);
        } else {
            let how = Return::of(ReturnCause::Timeout);
            self.give_back(timer.slot, how, timer.due, moves, out);
        }
    }

    fn end_or_expire_delay(
        &mut self,
        timer: Timer,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let copy = self.store[timer.slot];
        if self.expires_at(&copy) <= timer.due {
            return self.expire(timer.slot, timer.due, out);
        }
        self.end_delay(timer.slot, timer.due);
        let kind = match copy.state() {
            State::Retrying => HappeningKind::Returned,
            _ => HappeningKind::BecameVisible,
        };
        out.push(self.happening(Some(&copy), kind));
        self.after_return(timer.slot, timer.due, moves, out);
    }
}
