//! Handlers that fail: why, and what becomes of their messages.

use super::Simulation;
use super::consumer::{Held, Job};
use super::travelling::SettleCall;
use crate::engine::broker::MessageKey;
use crate::engine::chance::{Purpose, delivery_index, draw};
use crate::engine::event::{FailureReason, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::setup::OnFailure;

impl Simulation {
    pub(super) fn handler_failed(
        &mut self,
        consumer: ConsumerId,
        worker: u16,
        job: Job,
        cause: Ordinal,
    ) {
        let setup = &self.consumers[consumer.index()].setup;
        if setup.on_failure == OnFailure::Crash && !setup.failure.permanent {
            return self.crash(consumer, cause);
        }
        if job.claimed {
            let key = self.idempotence_key(consumer, job.held.message);
            let queue = self.consumers[consumer.index()].setup.from;
            self.queues[queue.index()].keys.release(key);
        }
        self.note_failure(consumer, cause);
        self.leave(consumer, worker);
        if self.is_batched(consumer, worker) {
            return self.worked_in_batch(consumer, worker, job.held, Err(cause));
        }
        self.free(consumer, worker);
        let permanent = self.consumers[consumer.index()].setup.failure.permanent;
        self.return_failed(consumer, job.held, permanent, cause);
        self.release(job.held.message);
        self.next_work(consumer, cause);
    }

    /// What a consumer does with a delivery that failed, for good if `permanent`.
    pub(super) fn return_failed(
        &mut self,
        consumer: ConsumerId,
        held: Held,
        permanent: bool,
        cause: Ordinal,
    ) {
        if held.acked {
            return;
        }
        let call = match self.consumers[consumer.index()].setup.on_failure {
            _ if permanent => SettleCall::Reject,
            OnFailure::Nack(backoff) => SettleCall::Nack {
                delay: self.delay_of(consumer, &held, &backoff),
            },
            OnFailure::Reject => SettleCall::Reject,
            OnFailure::ReturnFailed => SettleCall::Fail,
            OnFailure::LetTimeoutEnd | OnFailure::Crash => return,
        };
        self.settle(consumer, held, call, cause);
    }

    /// Why the handler whose work ends now fails; none when it succeeds. What it calls is called only by a handler that
    /// succeeds otherwise.
    pub(super) fn why_it_fails(
        &mut self,
        consumer: ConsumerId,
        job: &Job,
    ) -> Option<FailureReason> {
        if job.skips.is_some() {
            return None;
        }
        self.failure(consumer, job)
            .or_else(|| self.call_fails(consumer, job))
    }

    /// How many deliveries of a message fail before any other reason: its own, and the consumer's rule.
    fn first_failures(&self, consumer: ConsumerId, key: MessageKey) -> u32 {
        let rule = self.consumers[consumer.index()].setup.failure;
        rule.first_deliveries.max(self.messages.extra(key).fails)
    }

    fn failure(&self, consumer: ConsumerId, job: &Job) -> Option<FailureReason> {
        let state = &self.consumers[consumer.index()];
        let message = self.messages.get(job.held.message);
        let index = delivery_index(message.number.0, job.held.attempt);
        if message.poison() {
            Some(FailureReason::Poison)
        } else if job.held.attempt <= self.first_failures(consumer, job.held.message) {
            Some(FailureReason::FirstDeliveries)
        } else {
            let value = draw(self.setup.seed, state.stream, Purpose::Failure, index);
            state
                .setup
                .failure
                .chance
                .happens(value)
                .then_some(FailureReason::Chance)
        }
    }
}
