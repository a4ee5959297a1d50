//! Consumers: receives, handlers, effects and acks.

use super::Simulation;
use super::consumer::{Held, Job, Skip};
use super::event_list::{Item, Phase};
use super::travelling::{NO_MESSAGE, Parcel, ParcelKind, SettleCall};
use crate::engine::broker::{AckOutcome, ChangeOutcome, Demand, MessageKey};
use crate::engine::chance::{Purpose, delivery_index, draw, sample, uniform_between};
use crate::engine::event::{EventKind, FailureReason, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::setup::{AckMoment, Backoff, IdempotenceKey, IdempotenceMethod, OnFailure};
use crate::engine::snapshot::ConsumerStatus;
use crate::engine::time::Micros;

/// Least pause after an empty short poll, so that time gets on.
const LEAST_POLL_INTERVAL: Micros = Micros::from_millis(1);

impl Simulation {
    pub(super) fn consumer_starts(&mut self, consumer: u16, cause: Option<Ordinal>) {
        let id = ConsumerId(consumer);
        let state = &mut self.consumers[id.index()];
        if state.status != ConsumerStatus::NotStarted {
            return;
        }
        state.status = ConsumerStatus::Running;
        state.started_at = self.list.now();
        let ordinal = self.emit(EventKind::ConsumerStarted { consumer: id }, cause);
        self.idle_begins(id);
        self.receive(id, Some(ordinal));
    }

    pub(super) fn poll(&mut self, consumer: u16, stamp: u32, cause: Option<Ordinal>) {
        let state = &mut self.consumers[usize::from(consumer)];
        if state.poll_stamp == stamp && state.polling {
            state.polling = false;
            self.receive(ConsumerId(consumer), cause);
        }
    }

    /// Asks for messages, if there is room for any.
    pub(super) fn receive(&mut self, consumer: ConsumerId, cause: Option<Ordinal>) {
        let state = &mut self.consumers[consumer.index()];
        if state.room() == 0 {
            return;
        }
        state.receiving = true;
        state.calls += 1;
        let generation = state.generation;
        let delay = self.network.ack_delay;
        if delay > Micros::ZERO {
            let kind = ParcelKind::Receive {
                consumer,
                generation,
            };
            let cause = cause.unwrap_or(self.ordinal());
            self.dispatch(
                Parcel {
                    message: NO_MESSAGE,
                    kind,
                },
                delay,
                Phase::Actors,
                cause,
            );
        } else {
            self.register(consumer, cause);
        }
    }

    /// A receive reaches the broker.
    pub(super) fn register(&mut self, consumer: ConsumerId, cause: Option<Ordinal>) {
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        state.receiving = false;
        let max = state.room();
        if max == 0 {
            return;
        }
        state.receiving = true;
        let demand = Demand {
            consumer,
            max,
            visibility_timeout: state.setup.visibility_timeout,
            until: now + state.setup.wait,
            call: state.calls,
        };
        let queue = state.setup.from;
        let mut out = std::mem::take(&mut self.out);
        self.broker.register(now, queue, demand, &mut out);
        self.out = out;
        self.follow(queue, cause);
    }

    /// A receive ended empty: receives again, after a pause if it makes one.
    pub(super) fn empty_receive(
        &mut self,
        consumer: ConsumerId,
        cause: Ordinal,
        woken: &mut Vec<(ConsumerId, Ordinal)>,
    ) {
        let state = &mut self.consumers[consumer.index()];
        state.receiving = false;
        let mut pause = state.setup.poll_interval;
        if state.setup.wait == Micros::ZERO {
            pause = pause.max(LEAST_POLL_INTERVAL);
        }
        if pause == Micros::ZERO {
            woken.push((consumer, cause));
            return;
        }
        state.polling = true;
        state.poll_stamp = state.poll_stamp.wrapping_add(1);
        let item = Item::Poll {
            consumer: consumer.0,
            stamp: state.poll_stamp,
        };
        let at = self.list.now() + pause;
        self.list
            .plan(at, Phase::Actors, u32::from(consumer.0), item, Some(cause));
    }

    /// A message that travelled reaches its consumer, which may have died meanwhile.
    pub(super) fn delivery_arrives(
        &mut self,
        consumer: ConsumerId,
        generation: u32,
        held: Held,
        cause: Option<Ordinal>,
    ) {
        let state = &mut self.consumers[consumer.index()];
        if state.generation != generation {
            let message = self.messages.get(held.message).number;
            let queue = held.receipt.queue;
            self.emit(
                EventKind::ResponseLost {
                    message,
                    queue,
                    consumer,
                },
                cause,
            );
            return self.release(held.message);
        }
        state.arriving = state.arriving.saturating_sub(1);
        let cause = cause.unwrap_or(self.ordinal());
        self.take(consumer, held, cause);
        self.start_handlers(consumer, Some(cause));
        self.receive(consumer, Some(cause));
    }

    /// A message is in its consumer's hands.
    pub(super) fn take(&mut self, consumer: ConsumerId, mut held: Held, cause: Ordinal) {
        if self.consumers[consumer.index()].setup.ack == AckMoment::OnReceive {
            held.acked = true;
            self.settle(consumer, held, SettleCall::Ack, cause);
        }
        self.consumers[consumer.index()].buffer.push_back(held);
    }

    /// Starts handlers on buffered messages while workers are free.
    pub(super) fn start_handlers(&mut self, consumer: ConsumerId, cause: Option<Ordinal>) {
        while self.consumers[consumer.index()].is_running() {
            let state = &mut self.consumers[consumer.index()];
            let Some(worker) = state.free_worker() else {
                break;
            };
            let Some(held) = state.buffer.pop_front() else {
                break;
            };
            self.start_handler(consumer, worker as u16, held, cause);
        }
    }

    fn start_handler(
        &mut self,
        consumer: ConsumerId,
        worker: u16,
        mut held: Held,
        cause: Option<Ordinal>,
    ) {
        let now = self.now();
        let message = *self.messages.get(held.message);
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
            let every = heartbeat.every.max(LEAST_POLL_INTERVAL);
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
        let work = own.unwrap_or_else(|| {
            sample(
                of_producer.unwrap_or(&state.setup.processing),
                value,
                attempt,
            )
        });
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
            self.latest.insert(key, failed);
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

    fn job(&self, consumer: ConsumerId, worker: u16, stamp: u32) -> Option<Job> {
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
                OnFailure::LetTimeoutEnd => {}
            }
        }
        self.release(job.held.message);
        self.next_work(consumer, cause);
    }

    fn free(&mut self, consumer: ConsumerId, worker: u16) {
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

    fn next_work(&mut self, consumer: ConsumerId, cause: Ordinal) {
        self.start_handlers(consumer, Some(cause));
        if self.consumers[consumer.index()].running_jobs() == 0 {
            self.idle_begins(consumer);
        }
        self.receive(consumer, Some(cause));
    }

    fn failure(&self, consumer: ConsumerId, job: &Job) -> Option<FailureReason> {
        let state = &self.consumers[consumer.index()];
        let message = self.messages.get(job.held.message);
        let index = delivery_index(message.number.0, job.held.attempt);
        if message.poison() {
            Some(FailureReason::Poison)
        } else if job.held.attempt <= state.setup.failure.first_deliveries {
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

    fn delay_of(&self, consumer: ConsumerId, held: &Held, backoff: &Backoff) -> Micros {
        let mut delay = backoff.base.min(backoff.cap);
        for _ in 1..held.delivery {
            if delay == Micros::ZERO || delay >= backoff.cap || backoff.factor_percent == 100 {
                break;
            }
            delay = delay
                .scaled(u64::from(backoff.factor_percent), 100)
                .min(backoff.cap);
        }
        let most_off = delay.scaled(u64::from(backoff.jitter.0), 1_000_000);
        let number = self.messages.get(held.message).number.0;
        let stream = self.consumers[consumer.index()].stream;
        let index = delivery_index(number, held.attempt);
        let value = draw(self.setup.seed, stream, Purpose::Jitter, index);
        delay - Micros(uniform_between(value, 0, most_off.0))
    }

    /// Extends the visibility timeout of a message at work.
    pub(super) fn heartbeat(&mut self, consumer: u16, worker: u16, stamp: u32) {
        let id = ConsumerId(consumer);
        let Some(job) = self.job(id, worker, stamp) else {
            return;
        };
        let Some(heartbeat) = self.consumers[id.index()].setup.heartbeat else {
            return;
        };
        let next = self.now() + heartbeat.every.max(LEAST_POLL_INTERVAL);
        if next < job.ends {
            let item = Item::Heartbeat {
                consumer,
                worker,
                stamp,
            };
            self.list
                .plan(next, Phase::Endings, u32::from(consumer), item, None);
        }
        if !job.held.acked {
            let cause = self
                .latest
                .get(&job.held.message)
                .copied()
                .unwrap_or(self.ordinal());
            self.settle(
                id,
                job.held,
                SettleCall::Extend {
                    to: heartbeat.extend_to,
                },
                cause,
            );
        }
    }

    /// Makes a call about a delivery; an ack may be lost on its way.
    pub(super) fn settle(
        &mut self,
        consumer: ConsumerId,
        held: Held,
        call: SettleCall,
        cause: Ordinal,
    ) {
        let message = *self.messages.get(held.message);
        let queue = held.receipt.queue;
        let delay = self.network.ack_delay;
        let kind = ParcelKind::Settle {
            consumer,
            held,
            call,
        };
        if call == SettleCall::Ack {
            let state = &mut self.consumers[consumer.index()];
            let index = delivery_index(message.number.0, held.attempt);
            let value = draw(self.setup.seed, state.stream, Purpose::LoseAck, index);
            let by_command = std::mem::take(&mut state.loses_next_ack);
            if by_command || self.network.lose_ack.happens(value) {
                let number = message.number;
                let lost = EventKind::AckLost {
                    message: number,
                    queue,
                    consumer,
                };
                let ordinal = self.emit(lost, Some(cause));
                self.latest.insert(held.message, ordinal);
                return self.show_lost(held.message, kind, delay);
            }
        }
        if delay > Micros::ZERO {
            self.messages.add_reference(held.message);
            let parcel = Parcel {
                message: held.message,
                kind,
            };
            self.dispatch(parcel, delay, Phase::Endings, cause);
        } else {
            self.settle_arrives(consumer, held, call, Some(cause));
        }
    }

    /// A call about a delivery reaches the broker. The caller holds a reference to the message.
    pub(super) fn settle_arrives(
        &mut self,
        consumer: ConsumerId,
        held: Held,
        call: SettleCall,
        cause: Option<Ordinal>,
    ) {
        let now = self.now();
        let key = held.message;
        let message = self.messages.get(key).number;
        let queue = held.receipt.queue;
        let mut out = std::mem::take(&mut self.out);
        let mut removed = false;
        let kind = match call {
            SettleCall::Ack => match self.broker.ack(now, held.receipt, &mut out) {
                AckOutcome::Removed => {
                    self.totals.acked += 1;
                    removed = true;
                    EventKind::Acked {
                        message,
                        queue,
                        consumer,
                    }
                }
                AckOutcome::Ignored => EventKind::AckStale {
                    message,
                    queue,
                    consumer,
                    refused: false,
                },
                AckOutcome::Refused => EventKind::AckStale {
                    message,
                    queue,
                    consumer,
                    refused: true,
                },
                AckOutcome::Survived => EventKind::SurvivedAck { message, queue },
            },
            SettleCall::Nack { delay } => {
                let outcome = self.broker.nack(now, held.receipt, delay, &mut out);
                let (visible_at, stale) = match outcome {
                    ChangeOutcome::HiddenUntil(until) => (until, false),
                    ChangeOutcome::Stale => (now, true),
                };
                EventKind::Nacked {
                    message,
                    queue,
                    consumer,
                    visible_at,
                    stale,
                }
            }
            SettleCall::Reject => {
                self.broker.reject(now, held.receipt, &mut out);
                EventKind::Rejected {
                    message,
                    queue,
                    consumer,
                }
            }
            SettleCall::Extend { to } => {
                let outcome = self
                    .broker
                    .change_visibility(now, held.receipt, to, &mut out);
                let (hidden_until, stale) = match outcome {
                    ChangeOutcome::HiddenUntil(until) => (until, false),
                    ChangeOutcome::Stale => (held.hidden_until, true),
                };
                if !stale {
                    self.note_extension(consumer, held, hidden_until);
                }
                EventKind::Extended {
                    message,
                    queue,
                    consumer,
                    hidden_until,
                    stale,
                }
            }
        };
        self.out = out;
        let ordinal = self.emit(kind, cause);
        if !removed && !matches!(call, SettleCall::Extend { .. }) {
            self.latest.insert(key, ordinal);
        }
        self.follow(queue, Some(ordinal));
        if removed {
            self.release(key);
        }
    }

    fn note_extension(&mut self, consumer: ConsumerId, held: Held, hidden_until: Micros) {
        let state = &mut self.consumers[consumer.index()];
        let jobs = state.workers.iter_mut().flatten();
        if let Some(job) = jobs
            .into_iter()
            .find(|job| job.held.receipt == held.receipt)
        {
            job.held.hidden_until = hidden_until;
        }
    }

    /// Applies a handler's effect to the outside world, unless idempotence keeps it from doing so.
    fn apply_effect(&mut self, consumer: ConsumerId, job: &Job, cause: Ordinal) {
        let key = job.held.message;
        let mut skip = job.skips;
        let rule = self.consumers[consumer.index()].setup.idempotence;
        if rule.method == IdempotenceMethod::Transaction && skip.is_none() {
            skip = self.marked(consumer, key);
        }
        if let Some(Skip { wrongly }) = skip {
            let message = self.messages.get(key).number;
            if !wrongly {
                self.messages.get_mut(key).set_handled();
            }
            self.emit(
                EventKind::EffectSkipped {
                    message,
                    consumer,
                    wrongly,
                },
                Some(cause),
            );
            return;
        }
        self.effect(consumer, key, cause);
        let in_effect = [
            IdempotenceMethod::Transaction,
            IdempotenceMethod::ClaimFirst,
        ];
        if in_effect.contains(&rule.method) {
            self.mark(consumer, key, true);
        }
    }

    /// The check at the start of a handler. Claims the key if that is the procedure.
    fn check_idempotence(&mut self, consumer: ConsumerId, key: MessageKey) -> Option<Skip> {
        match self.consumers[consumer.index()].setup.idempotence.method {
            IdempotenceMethod::None | IdempotenceMethod::Transaction => None,
            IdempotenceMethod::CheckFirst => self.marked(consumer, key),
            IdempotenceMethod::ClaimFirst => {
                let skip = self.marked(consumer, key);
                if skip.is_none() {
                    self.mark(consumer, key, false);
                }
                skip
            }
        }
    }

    fn marked(&mut self, consumer: ConsumerId, key: MessageKey) -> Option<Skip> {
        let now = self.now();
        let rule = self.consumers[consumer.index()].setup.idempotence;
        let queue = self.consumers[consumer.index()].setup.from;
        let id = self.idempotence_key(consumer, key);
        let mark = self.queues[queue.index()].keys.get(id, now, &rule)?;
        let done = self.messages.get(key).effects > 0
            || (rule.key == IdempotenceKey::BusinessKey && mark.applied);
        Some(Skip { wrongly: !done })
    }

    fn mark(&mut self, consumer: ConsumerId, key: MessageKey, applied: bool) {
        let now = self.now();
        let rule = self.consumers[consumer.index()].setup.idempotence;
        let queue = self.consumers[consumer.index()].setup.from;
        let id = self.idempotence_key(consumer, key);
        self.queues[queue.index()]
            .keys
            .mark(id, applied, now, &rule);
    }

    fn idempotence_key(&self, consumer: ConsumerId, key: MessageKey) -> u64 {
        let message = self.messages.get(key);
        let number = u64::from(message.number.0);
        match self.consumers[consumer.index()].setup.idempotence.key {
            IdempotenceKey::MessageId => number,
            IdempotenceKey::BusinessKey => {
                let body = self.messages.extra(key).body;
                body.map_or(number, |body| 1 << 32 | u64::from(body.0))
            }
            IdempotenceKey::Producer => message
                .producer()
                .map_or(number, |producer| 2 << 32 | u64::from(producer.0)),
        }
    }
}
