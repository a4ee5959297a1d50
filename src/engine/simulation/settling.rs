//! Calls about a delivery: acks, nacks, rejects and extensions, on their way and at the broker.

use super::Simulation;
use super::consumer::{Held, Job};
use super::consuming::LEAST_INTERVAL;
use super::event_list::{Item, Phase};
use super::travelling::{Parcel, ParcelKind, SettleCall};
use crate::engine::broker::{AckOutcome, ChangeOutcome};
use crate::engine::chance::{Purpose, delivery_index, draw, uniform_between};
use crate::engine::event::{EventKind, LostCall, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::setup::{Backoff, Heartbeat};
use crate::engine::time::Micros;

impl Simulation {
    pub(super) fn delay_of(&self, consumer: ConsumerId, held: &Held, backoff: &Backoff) -> Micros {
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
        // There is no visibility timeout to extend.
        if job.held.channel.is_some() {
            return;
        }
        let next = self.now() + heartbeat.every.max(LEAST_INTERVAL);
        if next < job.ends {
            let item = Item::Heartbeat {
                consumer,
                worker,
                stamp,
            };
            self.list
                .plan(next, Phase::Endings, u32::from(consumer), item, None);
        }
        let cause = job.started_event;
        let call = SettleCall::Extend {
            to: heartbeat.extend_to,
        };
        let mut extended = vec![job.held];
        extended.extend(self.rest_of_batch(id, worker));
        for held in extended
            .into_iter()
            .filter(|held| !held.acked && !held.may_not_extend)
        {
            self.settle(id, held, call, cause);
        }
    }

    /// Plans the next extension of a handler that has just begun, `every` so often counted from `since`.
    pub(super) fn plan_heartbeat(
        &mut self,
        consumer: ConsumerId,
        worker: u16,
        job: &Job,
        heartbeat: Heartbeat,
        since: Micros,
    ) {
        let now = self.now();
        let every = heartbeat.every.max(LEAST_INTERVAL);
        let beats = (now - since).0 / every.0 + 1;
        let next = since + Micros(every.0.saturating_mul(beats));
        if next < job.ends {
            let item = Item::Heartbeat {
                consumer: consumer.0,
                worker,
                stamp: job.stamp,
            };
            let order = u32::from(consumer.0);
            self.list
                .plan(next, Phase::Endings, order, item, Some(job.started_event));
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
        if let Some(partition) = self.consumers[consumer.index()].cut_off_by {
            self.call_lost(consumer, held, call, partition);
            return self.show_lost(held.message, kind, delay);
        }
        if call == SettleCall::Ack {
            let state = &mut self.consumers[consumer.index()];
            let index = delivery_index(message.number.0, held.attempt);
            let value = draw(self.setup.seed, state.stream, Purpose::LoseAck, index);
            let by_command = state.loses_next_ack.take();
            if by_command.is_some() || self.network.lose_ack.happens(value) {
                let number = message.number;
                let lost = EventKind::AckLost {
                    message: number,
                    queue,
                    consumer,
                };
                let ordinal = self.emit(lost, by_command.or(Some(cause)));
                self.note_under_lease(&held, ordinal);
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

    /// A call about a delivery ends where the network is cut.
    pub(super) fn call_lost(
        &mut self,
        consumer: ConsumerId,
        held: Held,
        call: SettleCall,
        partition: Ordinal,
    ) {
        let message = self.messages.get(held.message).number;
        let queue = held.receipt.queue;
        let lost = |call| EventKind::CallLost {
            message,
            queue,
            consumer,
            call,
        };
        let kind = match call {
            SettleCall::Ack => {
                self.consumers[consumer.index()].loses_next_ack = None;
                EventKind::AckLost {
                    message,
                    queue,
                    consumer,
                }
            }
            SettleCall::Nack { .. } | SettleCall::Fail => lost(LostCall::Nack),
            SettleCall::Reject => lost(LostCall::Reject),
            SettleCall::Extend { .. } => lost(LostCall::Extension),
        };
        let ordinal = self.emit(kind, Some(partition));
        self.note_under_lease(&held, ordinal);
    }

    /// A call about a delivery reaches the broker. The caller holds a reference to the message.
    pub(super) fn settle_arrives(
        &mut self,
        consumer: ConsumerId,
        held: Held,
        call: SettleCall,
        cause: Option<Ordinal>,
    ) {
        if self.is_of_closed_channel(consumer, &held) {
            return self.tell_unknown(consumer, held, call, cause);
        }
        let now = self.now();
        let key = held.message;
        let message = self.messages.get(key).number;
        let queue = held.receipt.queue;
        let mut out = std::mem::take(&mut self.out);
        let mut removed = false;
        let mut changed = self.broker.holds_lease(held.receipt);
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
                AckOutcome::Refused | AckOutcome::ChannelClosed => EventKind::AckStale {
                    message,
                    queue,
                    consumer,
                    refused: true,
                },
                AckOutcome::Survived => EventKind::SurvivedAck { message, queue },
            },
            SettleCall::Nack { .. } | SettleCall::Fail => {
                let outcome = match call {
                    SettleCall::Nack { delay } => {
                        self.broker.nack(now, held.receipt, delay, &mut out)
                    }
                    _ => self.broker.return_failed(now, held.receipt, &mut out),
                };
                let (visible_at, stale) = match outcome {
                    ChangeOutcome::HiddenUntil(until) => (until, false),
                    _ => (now, true),
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
                let hidden_until = match outcome {
                    ChangeOutcome::HiddenUntil(until) => until,
                    _ => self
                        .broker
                        .hidden_until(held.receipt)
                        .unwrap_or(held.hidden_until),
                };
                let refused = outcome == ChangeOutcome::Refused;
                let stale = matches!(outcome, ChangeOutcome::Stale | ChangeOutcome::Ignored);
                if !stale {
                    self.note_extension(consumer, held, hidden_until, refused);
                }
                EventKind::Extended {
                    message,
                    queue,
                    consumer,
                    hidden_until,
                    stale,
                    refused,
                }
            }
        };
        self.out = out;
        changed &= !removed && !matches!(call, SettleCall::Extend { .. });
        let ordinal = self.emit(kind, cause);
        if changed {
            self.messages.note(key, ordinal);
        }
        self.follow(queue, Some(ordinal));
        if removed {
            self.release(key);
        }
    }

    /// Notes what causes what happens to a held message next. What comes of a delivery whose lease is over causes
    /// nothing at the broker.
    pub(super) fn note_under_lease(&mut self, held: &Held, latest: Ordinal) {
        if self.broker.holds_lease(held.receipt) {
            self.messages.note(held.message, latest);
        }
    }

    fn note_extension(
        &mut self,
        consumer: ConsumerId,
        held: Held,
        hidden_until: Micros,
        refused: bool,
    ) {
        let state = &mut self.consumers[consumer.index()];
        let jobs = state.workers.iter_mut().flatten().map(|job| &mut job.held);
        let mut all = jobs.chain(state.buffer.iter_mut());
        if let Some(found) = all.find(|it| it.receipt == held.receipt) {
            found.hidden_until = hidden_until;
            found.may_not_extend |= refused;
        }
    }
}
