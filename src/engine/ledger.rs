//! What became of every message: built from the trace, outside the simulation's state.

use std::collections::BTreeMap;

use super::command::DiscardReason;
use super::event::{DeadLetterReason, Event, EventKind, FailureReason, LostCall};
use super::id::{BodyId, ConsumerId, GroupId, MessageNumber, ProducerId, QueueId};
use super::occurrences::Occurrence;
use super::time::Micros;

/// Deliveries of one message that can be open at the same time, for a reader of the trace.
const MOST_OPEN: usize = 64;

/// One delivery from hand-out to its end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeliveryRecord {
    /// The message.
    pub message: MessageNumber,
    /// From which queue.
    pub queue: QueueId,
    /// To whom.
    pub consumer: ConsumerId,
    /// The broker's delivery count, from 1.
    pub delivery: u32,
    /// When it was handed out.
    pub delivered_at: Micros,
    /// When its visibility timeout ends, extensions included.
    pub hidden_until: Micros,
    /// The timeout was ended by a command, before its time.
    pub cut_short: bool,
    /// Worker slot, start and planned end of its handler, once started.
    pub work: Option<WorkRecord>,
    /// How it ended.
    pub outcome: DeliveryOutcome,
    /// When it ended.
    pub ended_at: Option<Micros>,
}

/// A handler's run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WorkRecord {
    /// Worker slot.
    pub worker: u16,
    /// When the handler began.
    pub started_at: Micros,
    /// When it ends or ended.
    pub ends_at: Micros,
}

/// How a delivery ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryOutcome {
    /// Not ended: in the buffer.
    Buffered,
    /// Not ended: its handler is running.
    Running,
    /// Its handler succeeded.
    Finished,
    /// Its handler succeeded after its lease was over: the ack was refused or ignored.
    FinishedLate,
    /// Its handler failed.
    Failed,
    /// Its consumer crashed.
    Crashed,
    /// The response never reached the consumer.
    ResponseLost,
    /// The consumer dropped it from its buffer because the lease was over.
    Skipped,
    /// The consumer gave it back, or it was taken from it, without work on it.
    Returned,
}

/// What became of one message.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MessageRecord {
    /// Its body, if the scenario gave one.
    pub body: Option<BodyId>,
    /// Its group.
    pub group: Option<GroupId>,
    /// The queue it was first sent to.
    pub queue: Option<QueueId>,
    /// Who sent it.
    pub producer: Option<ProducerId>,
    /// Times at which it left its producer, re-sends included.
    pub sent_at: Vec<Micros>,
    /// Times at which the broker stored it.
    pub accepted_at: Vec<Micros>,
    /// Times at which the broker recognised it as repeated.
    pub suppressed_at: Vec<Micros>,
    /// Its deliveries, in order: positions in [`Ledger::deliveries`].
    pub deliveries: Vec<u32>,
    /// Its effects: when and by whom.
    pub effects: Vec<(Micros, ConsumerId)>,
    /// Moves to dead-letter queues: when, from which queue, and why.
    pub dead_lettered: Vec<(Micros, QueueId, DeadLetterReason)>,
    /// When retention removed it.
    pub expired_at: Option<Micros>,
    /// When an ack removed it.
    pub acked_at: Option<Micros>,
    /// Whose ack that was.
    pub acked_by: Option<ConsumerId>,
    /// When it was removed from a dead-letter queue by hand, and why.
    pub discarded: Option<(Micros, DiscardReason)>,
}

/// All messages of a run, as far as they have been observed. One that is begun in the middle of a run holds only what
/// was named since, so that a long run need not keep what is long over.
#[derive(Clone, Default, Debug)]
pub struct Ledger {
    deliveries: Vec<DeliveryRecord>,
    messages: BTreeMap<MessageNumber, MessageRecord>,
    occurrences: Vec<Occurrence>,
}

impl Ledger {
    /// Takes in the next event of the run.
    pub fn observe(&mut self, event: &Event) {
        let at = event.at;
        self.occurrences.extend(Occurrence::of(event));
        match event.kind {
            EventKind::Sent {
                message,
                producer,
                queue,
                body,
                group,
                ..
            } => {
                let record = self.record(message);
                record.sent_at.push(at);
                record.body = body;
                record.group = group;
                record.queue.get_or_insert(queue);
                record.producer = producer;
            }
            EventKind::Accepted { message, .. } => self.record(message).accepted_at.push(at),
            EventKind::Suppressed { message, .. } => self.record(message).suppressed_at.push(at),
            EventKind::Delivered {
                message,
                queue,
                consumer,
                delivery,
                hidden_until,
            } => {
                let position = self.deliveries.len() as u32;
                self.deliveries.push(DeliveryRecord {
                    message,
                    queue,
                    consumer,
                    delivery,
                    delivered_at: at,
                    hidden_until,
                    cut_short: false,
                    work: None,
                    outcome: DeliveryOutcome::Buffered,
                    ended_at: None,
                });
                self.record(message).deliveries.push(position);
            }
            EventKind::ResponseLost {
                message, consumer, ..
            } => {
                self.end(message, consumer, DeliveryOutcome::ResponseLost, at);
            }
            EventKind::Started {
                message,
                consumer,
                worker,
                work,
                ..
            } => {
                if let Some(delivery) = self.open(message, consumer, DeliveryOutcome::Buffered) {
                    delivery.work = Some(WorkRecord {
                        worker,
                        started_at: at,
                        ends_at: at + work,
                    });
                    delivery.outcome = DeliveryOutcome::Running;
                }
            }
            EventKind::Finished {
                message, consumer, ..
            } => {
                self.end(message, consumer, DeliveryOutcome::Finished, at);
            }
            EventKind::Failed {
                message,
                consumer,
                reason: FailureReason::Batch,
                ..
            } => self.returned(message, consumer, at),
            EventKind::Failed {
                message, consumer, ..
            } => {
                self.end(message, consumer, DeliveryOutcome::Failed, at);
            }
            EventKind::Skipped { message, consumer } => {
                self.end(message, consumer, DeliveryOutcome::Skipped, at);
            }
            EventKind::Crashed { consumer, held } => self.crash(consumer, held, at),
            EventKind::Effect {
                message, consumer, ..
            } => {
                self.record(message).effects.push((at, consumer));
            }
            EventKind::AckStale {
                message, consumer, ..
            } => self.finished_late(message, consumer),
            EventKind::Extended {
                message,
                consumer,
                hidden_until,
                stale: false,
                ..
            } => {
                let newest = self.record(message).deliveries.last().copied();
                let delivery = newest.and_then(|it| self.deliveries.get_mut(it as usize));
                if let Some(delivery) = delivery.filter(|delivery| delivery.consumer == consumer) {
                    delivery.hidden_until = hidden_until;
                }
            }
            EventKind::Nacked {
                message, consumer, ..
            }
            | EventKind::Rejected {
                message, consumer, ..
            } => self.returned(message, consumer, at),
            EventKind::Requeued {
                message,
                queue,
                consumer,
                ..
            } => self.lease_ended(message, at, |it| {
                it.queue == queue && it.consumer == consumer
            }),
            EventKind::CallLost {
                message,
                consumer,
                call,
                ..
            } if call != LostCall::Extension => self.returned(message, consumer, at),
            EventKind::DeadLettered {
                message,
                from,
                reason,
                ..
            } => {
                self.record(message).dead_lettered.push((at, from, reason));
            }
            EventKind::TimeoutEnded {
                message,
                queue,
                consumer: Some(consumer),
                delivery,
            } => self.timeout_ended(message, queue, consumer, delivery, at),
            EventKind::Discarded {
                message, reason, ..
            } => self.record(message).discarded = Some((at, reason)),
            EventKind::Expired { message, .. } => self.record(message).expired_at = Some(at),
            EventKind::Acked {
                message, consumer, ..
            } => {
                let record = self.record(message);
                record.acked_at = Some(at);
                record.acked_by = Some(consumer);
            }
            _ => {}
        }
    }

    /// What happens seldom, in order.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// All deliveries, in order of hand-out.
    pub fn deliveries(&self) -> &[DeliveryRecord] {
        &self.deliveries
    }

    /// One message; none if it was never sent.
    pub fn message(&self, number: MessageNumber) -> Option<&MessageRecord> {
        self.messages.get(&number)
    }

    /// All messages by number.
    pub fn messages(&self) -> impl Iterator<Item = (MessageNumber, &MessageRecord)> {
        self.messages
            .iter()
            .map(|(number, record)| (*number, record))
    }

    /// The deliveries of one message, in order.
    pub fn deliveries_of(&self, record: &MessageRecord) -> impl Iterator<Item = &DeliveryRecord> {
        record
            .deliveries
            .iter()
            .filter_map(|position| self.deliveries.get(*position as usize))
    }

    fn record(&mut self, number: MessageNumber) -> &mut MessageRecord {
        self.messages.entry(number).or_default()
    }

    /// The oldest delivery of a message to a consumer that is in this state.
    fn open(
        &mut self,
        message: MessageNumber,
        consumer: ConsumerId,
        outcome: DeliveryOutcome,
    ) -> Option<&mut DeliveryRecord> {
        let positions = &self.messages.get(&message)?.deliveries;
        // Only the newest can be open: a message that goes round and round must not make each round dearer.
        let newest = &positions[positions.len().saturating_sub(MOST_OPEN)..];
        let position = *newest.iter().find(|position| {
            let delivery = self.deliveries.get(**position as usize);
            delivery.is_some_and(|it| it.consumer == consumer && it.outcome == outcome)
        })?;
        self.deliveries.get_mut(position as usize)
    }

    fn end(
        &mut self,
        message: MessageNumber,
        consumer: ConsumerId,
        outcome: DeliveryOutcome,
        at: Micros,
    ) {
        let state = match outcome {
            DeliveryOutcome::Finished | DeliveryOutcome::Failed => DeliveryOutcome::Running,
            _ => DeliveryOutcome::Buffered,
        };
        if let Some(delivery) = self.open(message, consumer, state) {
            delivery.outcome = outcome;
            delivery.ended_at = Some(at);
            if let Some(work) = &mut delivery.work {
                work.ends_at = at;
            }
        }
    }

    fn finished_late(&mut self, message: MessageNumber, consumer: ConsumerId) {
        let Some(record) = self.messages.get(&message) else {
            return;
        };
        let newest = record.deliveries.iter().rev().copied().find(|position| {
            let delivery = self.deliveries.get(*position as usize);
            delivery.is_some_and(|it| {
                it.consumer == consumer && it.outcome == DeliveryOutcome::Finished
            })
        });
        if let Some(delivery) = newest.and_then(|it| self.deliveries.get_mut(it as usize)) {
            delivery.outcome = DeliveryOutcome::FinishedLate;
        }
    }

    /// A call about a buffered message that nobody worked on, or the end of a channel, ends its newest delivery. What
    /// was worked on has ended before.
    fn returned(&mut self, message: MessageNumber, consumer: ConsumerId, at: Micros) {
        let record = self.messages.get(&message);
        let newest = record.and_then(|record| record.deliveries.last().copied());
        let delivery = newest.and_then(|it| self.deliveries.get_mut(it as usize));
        let open = [DeliveryOutcome::Buffered, DeliveryOutcome::Running];
        if let Some(delivery) =
            delivery.filter(|it| it.consumer == consumer && open.contains(&it.outcome))
        {
            delivery.outcome = DeliveryOutcome::Returned;
            delivery.ended_at = Some(at);
            if let Some(work) = &mut delivery.work {
                work.ends_at = at;
            }
        }
    }

    /// A timeout that ends before its time was ended by a command.
    fn timeout_ended(
        &mut self,
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
        delivery: u32,
        at: Micros,
    ) {
        self.lease_ended(message, at, |it| {
            (it.queue, it.consumer, it.delivery) == (queue, consumer, delivery)
        });
    }

    /// The lease of the newest delivery of this kind is over; its handler, if it runs, goes on.
    fn lease_ended(
        &mut self,
        message: MessageNumber,
        at: Micros,
        is_it: impl Fn(&DeliveryRecord) -> bool,
    ) {
        let Some(record) = self.messages.get(&message) else {
            return;
        };
        for position in record.deliveries.iter().rev().take(MOST_OPEN) {
            let Some(found) = self.deliveries.get_mut(*position as usize) else {
                continue;
            };
            if is_it(found) {
                if found.hidden_until > at {
                    found.hidden_until = at;
                    found.cut_short = true;
                }
                return;
            }
        }
    }

    /// A crash ends what its consumer holds: the newest `held` of its deliveries that are open.
    fn crash(&mut self, consumer: ConsumerId, held: u32, at: Micros) {
        let open = self.deliveries.iter_mut().rev().filter(|delivery| {
            let outcome = delivery.outcome;
            delivery.consumer == consumer
                && matches!(
                    outcome,
                    DeliveryOutcome::Buffered | DeliveryOutcome::Running
                )
        });
        for delivery in open.take(held as usize) {
            delivery.outcome = DeliveryOutcome::Crashed;
            delivery.ended_at = Some(at);
            if let Some(work) = &mut delivery.work {
                work.ends_at = at;
            }
        }
    }
}
