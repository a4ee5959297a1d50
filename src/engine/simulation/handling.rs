//! Handlers: their start, their work, how they end.

use super::Simulation;
use super::consumer::{Held, Job};
use super::consuming::LEAST_INTERVAL;
use super::event_list::{Item, Phase};
use super::travelling::SettleCall;
use crate::engine::broker::MessageKey;
use crate::engine::chance::{Purpose, delivery_index, draw, sample};
use crate::engine::event::{EventKind, FailureReason, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::setup::{AckMoment, IdempotenceMethod, OnFailure};
use crate::engine::time::Micros;

impl Simulation {
    /// Starts handlers on buffered messages while workers are free.
    pub(super) fn start_handlers(&mut self, consumer: ConsumerId) {
        while self.consumers[consumer.index()].is_running() {
            let state = &mut self.consumers[consumer.index()];
            if state.setup.by_hand {
                break;
            }
            let Some(worker) = state.free_worker() else {
                break;
            };
            let Some(held) = state.buffer.pop_front() else {
                break;
            };
            self.start_handler(consumer, worker as u16, held);
        }
    }

    fn start_handler(&mut self, consumer: ConsumerId, worker: u16, mut held: Held) {
        let now = self.now();
        let message = *self.messages.get(held.message);
        let cause = Some(held.delivered_event);
        let lease_over = !held.acked && !self.broker.holds_lease(held.receipt);
        if lease_over && self.consumers[consumer.index()].setup.skip_expired {
            self.emit(
                EventKind::Skipped {
                    message: message.number,
                    consumer,
                },
                cause,
            );
            return self.release(held.message);
        }
        let skips = self.check_idempotence(consumer, held.message);
        let work = if skips.is_some() {
            Micros::ZERO
        } else {
            self.work_of(consumer, held.message, held.attempt)
        };
        let started = self.emit(
            EventKind::Started {
                message: message.number,
                consumer,
                worker,
                delivery: held.delivery,
                work,
                lease_over,
            },
            cause,
        );
        self.idle_ends(consumer);
        let state = &mut self.consumers[consumer.index()];
        let claims = state.setup.idempotence.method == IdempotenceMethod::ClaimFirst;
        let acks = state.setup.ack == AckMoment::AtStart && !held.acked;
        held.acked |= acks;
        let stamp = state.next_stamp();
        let job = Job {
            held,
            started: now,
            ends: now + work,
            stamp,
            started_event: started,
            skips,
            claimed: claims && skips.is_none(),
            settling: false,
        };
        if let Some(slot) = state.workers.get_mut(usize::from(worker)) {
            *slot = Some(job);
        }
        let heartbeat = state.setup.heartbeat;
        let item = Item::WorkEnds {
            consumer: consumer.0,
            worker,
            stamp,
        };
        let order = u32::from(consumer.0);
        self.list
            .plan(job.ends, Phase::Endings, order, item, Some(started));
        if let Some(heartbeat) = heartbeat.filter(|heartbeat| heartbeat.every < work) {
            let item = Item::Heartbeat {
                consumer: consumer.0,
                worker,
                stamp,
            };
            let every = heartbeat.every.max(LEAST_INTERVAL);
            self.list
                .plan(now + every, Phase::Endings, order, item, Some(started));
        }
        if acks {
            self.settle(consumer, held, SettleCall::Ack, started);
        }
    }

    fn work_of(&self, consumer: ConsumerId, key: MessageKey, attempt: u32) -> Micros {
        let state = &self.consumers[consumer.index()];
        let message = self.messages.get(key);
        let index = delivery_index(message.number.0, attempt);
        let value = draw(self.setup.seed, state.stream, Purpose::Processing, index);
        let own = self.messages.extra(key).processing;
        let producer = message.producer();
        let of_producer = producer
            .and_then(|producer| self.producers[producer.index()].setup.processing.as_ref());
        let processing = own.as_ref().or(of_producer);
        let work = sample(
            processing.unwrap_or(&state.setup.processing),
            value,
            attempt,
        );
        work.scaled(u64::from(state.slow_percent), 100)
    }

    /// A handler's work ends: it succeeds, applying its effect, or fails.
    pub(super) fn work_ends(&mut self, consumer: u16, worker: u16, stamp: u32) {
        let id = ConsumerId(consumer);
        let Some(job) = self.job(id, worker, stamp) else {
            return;
        };
        let key = job.held.message;
        let message = *self.messages.get(key);
        let started = Some(job.started_event);
        let delivery = job.held.delivery;
        if let Some(reason) = self.failure(id, &job).filter(|_| job.skips.is_none()) {
            self.totals.failed += 1;
            let number = message.number;
            let kind = EventKind::Failed {
                message: number,
                consumer: id,
                worker,
                delivery,
                reason,
            };
            let failed = self.emit(kind, started);
            self.note_under_lease(&job.held, failed);
            return self.handler_failed(id, worker, job, failed);
        }
        self.totals.executions += 1;
        self.consumers[id.index()].executions += 1;
        let kind = EventKind::Finished {
            message: message.number,
            consumer: id,
            worker,
            delivery,
        };
        let finished = self.emit(kind, started);
        self.apply_effect(id, &job, finished);
        let gap = self.consumers[id.index()].setup.settle_time;
        if gap > Micros::ZERO && job.skips.is_none() {
            let now = self.now();
            if let Some(job) = self.consumers[id.index()].workers[usize::from(worker)].as_mut() {
                job.settling = true;
                job.ends = now + gap;
            }
            let item = Item::Settles {
                consumer,
                worker,
                stamp,
            };
            self.list.plan(
                now + gap,
                Phase::Endings,
                u32::from(consumer),
                item,
                Some(finished),
            );
        } else {
            self.handler_done(id, worker, job, finished);
        }
    }

    /// The gap between effect and ack is over.
    pub(super) fn settles(
        &mut self,
        consumer: u16,
        worker: u16,
        stamp: u32,
        cause: Option<Ordinal>,
    ) {
        let id = ConsumerId(consumer);
        if let Some(job) = self.job(id, worker, stamp) {
            let cause = cause.unwrap_or(self.ordinal());
            self.handler_done(id, worker, job, cause);
        }
    }

    pub(super) fn job(&self, consumer: ConsumerId, worker: u16, stamp: u32) -> Option<Job> {
        let slot = self.consumers[consumer.index()]
            .workers
            .get(usize::from(worker))?;
        slot.filter(|job| job.stamp == stamp)
    }

    fn handler_done(&mut self, consumer: ConsumerId, worker: u16, job: Job, cause: Ordinal) {
        let rule = self.consumers[consumer.index()].setup.idempotence;
        if rule.method == IdempotenceMethod::CheckFirst && job.skips.is_none() {
            self.mark(consumer, job.held.message, true);
        }
        self.free(consumer, worker);
        // Acks are tried whatever the lease: the consumer cannot know.
        if self.consumers[consumer.index()].setup.ack == AckMoment::AfterWork && !job.held.acked {
            self.settle(consumer, job.held, SettleCall::Ack, cause);
        }
        self.release(job.held.message);
        self.next_work(consumer, cause);
    }

    fn handler_failed(&mut self, consumer: ConsumerId, worker: u16, job: Job, cause: Ordinal) {
        let state = &self.consumers[consumer.index()];
        let permanent = state.setup.failure.permanent;
        let on_failure = state.setup.on_failure;
        if job.claimed {
            let key = self.idempotence_key(consumer, job.held.message);
            let queue = self.consumers[consumer.index()].setup.from;
            self.queues[queue.index()].keys.release(key);
        }
        self.free(consumer, worker);
        if !job.held.acked {
            match on_failure {
                _ if permanent => self.settle(consumer, job.held, SettleCall::Reject, cause),
                OnFailure::Nack(backoff) => {
                    let delay = self.delay_of(consumer, &job.held, &backoff);
                    self.settle(consumer, job.held, SettleCall::Nack { delay }, cause);
                }
                OnFailure::Reject => self.settle(consumer, job.held, SettleCall::Reject, cause),
                OnFailure::ReturnFailed => self.settle(consumer, job.held, SettleCall::Fail, cause),
                OnFailure::LetTimeoutEnd | OnFailure::Crash => {}
            }
        }
        self.release(job.held.message);
        self.next_work(consumer, cause);
    }

    pub(super) fn free(&mut self, consumer: ConsumerId, worker: u16) {
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        if let Some(job) = state
            .workers
            .get_mut(usize::from(worker))
            .and_then(Option::take)
        {
            state.busy += now - job.started;
        }
        let allowed = usize::from(state.setup.workers);
        while state.workers.len() > allowed && state.workers.last().is_some_and(Option::is_none) {
            state.workers.pop();
        }
    }

    pub(super) fn next_work(&mut self, consumer: ConsumerId, cause: Ordinal) {
        self.start_handlers(consumer);
        if self.consumers[consumer.index()].running_jobs() == 0 {
            self.idle_begins(consumer);
        }
        self.receive(consumer, Some(cause));
    }

    /// How many deliveries of a message fail before any other reason: its own, and the consumer's rule.
    fn first_failures(&self, consumer: ConsumerId, key: MessageKey) -> u32 {
        let rule = self.consumers[consumer.index()].setup.failure;
        rule.first_deliveries.max(self.messages.extra(key).fails)
    }

    pub(super) fn failure(&self, consumer: ConsumerId, job: &Job) -> Option<FailureReason> {
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
