//! Handlers: their start, their work, how they end.

use super::Simulation;
use super::consumer::{Held, Job, Place};
use super::event_list::{Item, Phase};
use super::travelling::SettleCall;
use crate::engine::broker::MessageKey;
use crate::engine::chance::{Purpose, delivery_index, draw, sample};
use crate::engine::event::{EventKind, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::setup::{AckMoment, BatchWork, IdempotenceMethod};
use crate::engine::time::Micros;

impl Simulation {
    /// Starts handlers on buffered messages while workers are free.
    pub(super) fn start_handlers(&mut self, consumer: ConsumerId) {
        self.join_batches(consumer);
        while self.consumers[consumer.index()].is_running() {
            let state = &mut self.consumers[consumer.index()];
            if state.setup.by_hand {
                break;
            }
            let Some(worker) = state.free_worker() else {
                break;
            };
            let worker = worker as u16;
            let Some(held) = state.buffer.pop_front() else {
                break;
            };
            let batched = state.setup.batch_work != BatchWork::Each;
            if batched {
                self.begin_batch(consumer, worker, held.call);
            }
            let begun = self.start_handler(consumer, worker, held);
            if batched && !begun {
                self.next_of_batch(consumer, worker, held.delivered_event);
            }
        }
    }

    /// Takes a worker for a message, which begins or waits for a place at what it calls. False when it was dropped
    /// because its lease is over.
    pub(super) fn start_handler(&mut self, consumer: ConsumerId, worker: u16, held: Held) -> bool {
        let message = *self.messages.get(held.message);
        let lease_over = !held.acked && !self.broker.holds_lease(held.receipt);
        if lease_over && self.consumers[consumer.index()].setup.skip_expired {
            self.emit(
                EventKind::Skipped {
                    message: message.number,
                    consumer,
                },
                Some(held.delivered_event),
            );
            self.release(held.message);
            return false;
        }
        self.idle_ends(consumer);
        match self.place_for(consumer) {
            Place::Waiting => self.wait_for_place(consumer, worker, held),
            place => self.begin_handler(consumer, worker, held, place),
        }
        true
    }

    /// A handler begins.
    pub(super) fn begin_handler(
        &mut self,
        consumer: ConsumerId,
        worker: u16,
        mut held: Held,
        place: Place,
    ) {
        let now = self.now();
        let message = *self.messages.get(held.message);
        let lease_over = !held.acked && !self.broker.holds_lease(held.receipt);
        let cause = Some(held.delivered_event);
        let skips = self.check_idempotence(consumer, held.message);
        let work = if skips.is_some() || place == Place::Refused {
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
            place,
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
        if let Some(heartbeat) = heartbeat {
            let since = self.batch_since(consumer, worker).unwrap_or(now);
            self.plan_heartbeat(consumer, worker, &job, heartbeat, since);
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
        if let Some(reason) = self.why_it_fails(id, &job) {
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
        self.note_success(consumer, cause);
        self.leave(consumer, worker);
        if self.is_batched(consumer, worker) {
            return self.worked_in_batch(consumer, worker, job.held, Ok(cause));
        }
        self.free(consumer, worker);
        // Acks are tried whatever the lease: the consumer cannot know.
        if self.consumers[consumer.index()].setup.ack == AckMoment::AfterWork && !job.held.acked {
            self.acknowledge(consumer, job.held, cause);
        } else {
            self.release(job.held.message);
        }
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
            self.session_rests_after(consumer, job.held.message);
        }
        let state = &mut self.consumers[consumer.index()];
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
}
