//! What a delivery count counts, and what becomes of a message whose retry budget is used up.

use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::queue::Queue;
use super::returns::Return;
use super::store::{State, Stored};
use crate::engine::event::{DeadLetterReason, ExhaustedReason, RequeueReason};
use crate::engine::rules::{BudgetRule, CountRule, Exhausted, ReturnCause, Rule};
use crate::engine::time::Micros;

impl Queue {
    /// The delivery count of a message, by the queue's rule.
    ///
    /// SQS, NATS JetStream, Redis Streams and Kafka share groups count deliveries. RabbitMQ quorum queues and Azure
    /// Service Bus count returns. RabbitMQ classic queues know only whether a message was delivered before.
    pub(super) fn count(&self, slot: u32) -> u32 {
        match self.setup.rules.count {
            CountRule::OnReceive => self.store[slot].deliveries(),
            CountRule::OnReturn => self.store.returns(slot),
            CountRule::Never => 0,
        }
    }

    /// The number of the newest delivery of a message as its consumer is told, from 1. Where the broker counts
    /// nothing, 2 stands for all after the first. RabbitMQ: x-delivery-count is one less; redelivered is above 1.
    pub(super) fn delivery_number(&self, slot: u32) -> u32 {
        match self.setup.rules.count {
            CountRule::OnReceive => self.store[slot].deliveries(),
            CountRule::OnReturn => self.store.returns(slot) + 1,
            CountRule::Never => self.store[slot].deliveries().min(2),
        }
    }

    /// Whether one more delivery would exceed the budget.
    ///
    /// SQS: the receive that would raise the count above maxReceiveCount moves the message to the dead-letter queue
    /// (API Reference, CreateQueue, RedrivePolicy: "exceeds"; recorded: test_dead_letter_queue_max_receive_count).
    pub(super) fn exceeds_on_receive(&self, slot: u32) -> bool {
        self.setup.rules.budget == BudgetRule::OnReceive
            && (self.setup.max_deliveries).is_some_and(|max| self.count(slot) >= max)
    }

    /// Counts the return of a message, and says whether that used up its budget.
    ///
    /// RabbitMQ quorum: a return that raises the count above x-delivery-limit removes the message, so it is delivered
    /// once more than that (rabbit_fifo.erl, return_one); from 4.3 on only failures count (guide "quorum queues").
    /// Kafka share groups archive a record when an attempt ends at the limit (KIP-932), NATS JetStream delivers
    /// MaxDeliver times, and Azure Service Bus MaxDeliveryCount times.
    pub(super) fn count_return(&mut self, slot: u32, how: Return) -> bool {
        // It was to come after a message that came back, and did nothing wrong; or its consumer closed the session
        // (Azure Service Bus, "Message sessions", impact of delivery count).
        let is_blameless = match how.reason {
            Some(RequeueReason::KeyReplayed) => true,
            Some(RequeueReason::SessionClosed) => how.cause == ReturnCause::Nack,
            _ => false,
        };
        if is_blameless {
            return false;
        }
        let rules = &self.setup.rules;
        if rules.count == CountRule::OnReturn && rules.counted_returns.has(how.cause) {
            let returns = self.store.returns(slot).saturating_add(1);
            self.store.set_returns(slot, returns);
        }
        let count = self.count(slot);
        self.setup
            .max_deliveries
            .is_some_and(|max| match self.setup.rules.budget {
                BudgetRule::OnReceive => false,
                BudgetRule::OnReturn => count > max,
                BudgetRule::OnEnd => count >= max,
            })
    }

    /// Does with a message whose budget is used up what the queue's rules say.
    ///
    /// SQS cannot be configured without a dead-letter queue; here the message is dropped then. Kafka share groups
    /// archive it. NATS JetStream tells it by an advisory and keeps the message in the stream, where it stays until
    /// its age or a limit ends it (recorded: TestJetStreamWQMaxDeliveryReached).
    pub(super) fn exhaust(
        &mut self,
        slot: u32,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let reason = DeadLetterReason::BudgetUsedUp;
        let deliveries = self.store[slot].deliveries();
        let (copy, kind) = match self.setup.rules.exhausted {
            Exhausted::DeadLetter => return self.dead_letter(slot, reason, now, moves, out),
            Exhausted::Drop => {
                let copy = self.remove(slot, now);
                self.counts.dropped += 1;
                (copy, HappeningKind::Dropped { reason, deliveries })
            }
            Exhausted::Archive => {
                return self.archive(slot, ExhaustedReason::BudgetUsedUp, now, out);
            }
            Exhausted::Stays => {
                return self.keep_exhausted(slot, ExhaustedReason::BudgetUsedUp, out);
            }
        };
        out.push(self.happening(Some(&copy), kind));
    }

    /// Puts a message out of the queue into the archive.
    pub(super) fn archive(
        &mut self,
        slot: u32,
        reason: ExhaustedReason,
        now: Micros,
        out: &mut Vec<Happening>,
    ) {
        let copy = self.remove(slot, now);
        self.counts.archived += 1;
        let kind = HappeningKind::Exhausted {
            deliveries: copy.deliveries(),
            archived: true,
            reason,
        };
        out.push(self.happening(Some(&copy), kind));
    }

    /// Keeps a message that is delivered no more.
    pub(super) fn keep_exhausted(
        &mut self,
        slot: u32,
        reason: ExhaustedReason,
        out: &mut Vec<Happening>,
    ) {
        self.withhold(slot);
        let copy = self.store[slot];
        let kind = HappeningKind::Exhausted {
            deliveries: copy.deliveries(),
            archived: false,
            reason,
        };
        out.push(self.happening(Some(&copy), kind));
    }

    /// Counts anew when the rule of counting is about to change: what was delivered counts as returned, but for a
    /// delivery that has not ended. Looks at every copy then.
    pub(super) fn change_counting(&mut self, rule: &Rule) {
        let Rule::Count(to) = rule else {
            return;
        };
        if *to == self.setup.rules.count {
            return;
        }
        let ended = |copy: &Stored| {
            let running = u32::from(copy.state() == State::InFlight);
            copy.deliveries().saturating_sub(running)
        };
        let counts = *to == CountRule::OnReturn;
        self.store.count_returns(counts.then_some(ended));
    }
}
