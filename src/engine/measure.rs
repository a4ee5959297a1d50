//! The values of metrics: run-wide, per-queue and per-consumer numbers from the simulation's state, numbers of single
//! messages and groups from the ledger.

use super::claim::{Claim, MessageRef, Metric, Subject, Value};
use super::id::{ConsumerId, MessageNumber};
use super::ledger::{DeliveryOutcome, DeliveryRecord, Ledger, MessageRecord};
use super::occurrences::{Occurred, Occurrence};
use super::order::positions_in_order;
use super::simulation::Simulation;
use super::snapshot::{Counts, Totals};
use super::time::Micros;

impl Claim {
    /// The metric's value now. A metric that has no meaning for the claim's subject has no value.
    pub fn value(&self, simulation: &Simulation, ledger: &Ledger) -> Value {
        let source = Source {
            simulation,
            ledger,
            subject: self.subject,
        };
        source.nth(source.value(self.metric))
    }
}

struct Source<'a> {
    simulation: &'a Simulation,
    ledger: &'a Ledger,
    subject: Subject,
}

impl Source<'_> {
    fn value(&self, metric: Metric) -> Value {
        match metric {
            Metric::Sent => self.count(|record| record.sent_at.len()),
            Metric::Accepted => self.count(|record| record.accepted_at.len()),
            Metric::AcceptedTimes => self.times(|record| record.accepted_at.clone()),
            Metric::Suppressed => self.count(|record| record.suppressed_at.len()),
            Metric::SuppressedTimes => self.times(|record| record.suppressed_at.clone()),
            Metric::Refused => {
                self.run_wide(|totals| totals.refused, || self.occurred(Occurred::Refused))
            }
            Metric::RefusedTimes => self.occurred_at(Occurred::Refused),
            Metric::SendsLost => self.occurred(Occurred::SendLost),
            Metric::Deliveries => {
                self.run_wide(|totals| totals.deliveries, || self.deliveries(|_| true))
            }
            Metric::DuplicateDeliveries => {
                self.run_wide(|totals| totals.duplicate_deliveries, || self.again())
            }
            Metric::DeliveryTimes => times(self.delivered().map(|delivery| delivery.delivered_at)),
            Metric::Executions => {
                self.run_wide(|totals| totals.executions, || self.deliveries(is_execution))
            }
            Metric::Failed => self.deliveries(|it| it.outcome == DeliveryOutcome::Failed),
            Metric::FailureTimes => {
                let failed = self.delivered();
                let failed = failed.filter(|it| it.outcome == DeliveryOutcome::Failed);
                times(failed.filter_map(|delivery| delivery.ended_at))
            }
            Metric::StartTimes => {
                let started = self.delivered().filter_map(|it| it.work);
                times(started.map(|work| work.started_at))
            }
            Metric::FinishTimes => {
                let finished = self.delivered().filter(|it| is_execution(it));
                times(finished.filter_map(|delivery| delivery.ended_at))
            }
            Metric::Effects => self.run_wide(
                |totals| totals.effects,
                || self.count(|record| self.effects(record)),
            ),
            Metric::EffectTimes => self.times(|record| {
                let mine = record.effects.iter().filter(|it| self.is_by(it.1));
                mine.map(|it| it.0).collect()
            }),
            Metric::DuplicateEffects => self.run_wide(
                |totals| totals.duplicate_effects,
                || self.count(|record| self.effects(record).saturating_sub(1)),
            ),
            Metric::Amount => number(self.simulation.totals().amount),
            Metric::MostDeliveries => {
                let counts = self.messages().map(|(_, record)| {
                    let deliveries = self.ledger.deliveries_of(record);
                    deliveries.filter(|delivery| self.is_of(delivery)).count()
                });
                number(counts.max().unwrap_or(0) as u64)
            }
            Metric::ReceiveCount => self.receive_count(),
            Metric::EmptyReceives => number(self.simulation.empty_receives(self.subject.consumer)),
            Metric::Held => number(self.simulation.held(self.subject.consumer)),
            Metric::Undeliverable => self.counts(|counts| counts.undeliverable),
            Metric::Ready => self.counts(|counts| counts.ready),
            Metric::Delayed => self.counts(|counts| counts.delayed),
            Metric::InFlight => self.counts(|counts| counts.in_flight),
            Metric::Acked => self.acked(),
            Metric::AckTimes => self.times(|record| {
                let by = record.acked_by.is_some_and(|by| self.is_by(by));
                record.acked_at.filter(|_| by).into_iter().collect()
            }),
            Metric::StaleAcks => self.occurred(Occurred::StaleAck),
            Metric::Nacked => self.occurred(Occurred::Nacked),
            Metric::NackTimes => self.occurred_at(Occurred::Nacked),
            Metric::Rejected => self.occurred(Occurred::Rejected),
            Metric::Requeued => self.occurred(Occurred::Requeued),
            Metric::RequeueTimes => self.occurred_at(Occurred::Requeued),
            Metric::Claimed => self.occurred(Occurred::Claimed),
            Metric::ClaimTimes => self.occurred_at(Occurred::Claimed),
            Metric::Exhausted => self.occurred(Occurred::Exhausted),
            Metric::ExhaustedAt => self.occurred_at(Occurred::Exhausted),
            Metric::Archived => self.counts(|counts| counts.archived),
            Metric::DeadLettered => self.run_wide(
                |totals| totals.dead_lettered,
                || self.count(|record| self.dead_lettered(record).count()),
            ),
            Metric::DeadLetteredAt => self.times(|record| self.dead_lettered(record).collect()),
            Metric::Expired => self.count(|record| usize::from(record.expired_at.is_some())),
            Metric::ExpiredAt => self.times(|record| record.expired_at.into_iter().collect()),
            Metric::Dropped if self.is_narrow() => self.occurred(Occurred::Dropped),
            Metric::Dropped => self.counts(|counts| counts.dropped),
            Metric::DroppedAt => self.occurred_at(Occurred::Dropped),
            Metric::Purged => self.counts(|counts| counts.purged),
            Metric::LostInRestart => self.occurred(Occurred::LostInRestart),
            Metric::Lost => number(self.simulation.totals().lost),
            Metric::OutOfOrder => number(self.simulation.totals().out_of_order),
            Metric::DeliveredOutOfOrder => number(self.simulation.totals().delivered_out_of_order),
            Metric::MaxWait => seconds(
                self.simulation
                    .max_wait(self.subject.queue, self.subject.group),
            ),
            Metric::OldestWait => seconds(self.simulation.oldest_wait(self.subject.queue)),
            Metric::MaxBacklog => number(self.simulation.totals().max_backlog),
            Metric::Starving => number(self.simulation.starving(self.subject.queue)),
            Metric::IdleWhileWaiting => {
                seconds(self.simulation.idle_while_waiting(self.subject.consumer))
            }
            Metric::Idle => seconds(Some(self.simulation.idle_of(self.subject.consumer))),
            Metric::Crashes => self.occurred(Occurred::Crashed),
            Metric::CrashTimes => self.occurred_at(Occurred::Crashed),
            Metric::ChannelClosures => self.occurred(Occurred::ChannelClosed),
            Metric::ChannelClosedAt => self.occurred_at(Occurred::ChannelClosed),
            Metric::BreakerTimes => self.occurred_at(Occurred::BreakerOpened),
            Metric::SessionTimes => self.occurred_at(Occurred::SessionAccepted),
            Metric::Latency => self.latency(),
            Metric::Utilisation => share(self.simulation.utilisation(self.subject.consumer)),
            Metric::StoredIds => {
                let queue = self.subject.queue.or_else(|| {
                    let consumer = self
                        .simulation
                        .setup()
                        .consumers
                        .get(self.subject.consumer?.index())?;
                    Some(consumer.from)
                });
                number(self.simulation.stored_ids(queue))
            }
        }
    }

    /// The entry of a list that the subject asks for; a number, and a list of which none is asked for, stay what they are.
    fn nth(&self, value: Value) -> Value {
        let (Some(nth), Value::List(list)) = (self.subject.nth, &value) else {
            return value;
        };
        let place = match usize::try_from(nth) {
            Ok(nth) => nth.checked_sub(1),
            Err(_) => list.len().checked_sub(nth.unsigned_abs() as usize),
        };
        let entry = place.and_then(|place| list.get(place));
        entry.map_or(Value::None, |entry| Value::Number(*entry))
    }

    /// What occurred of what the subject names.
    fn occurrences(&self, what: Occurred) -> impl Iterator<Item = &Occurrence> {
        let subject = self.subject;
        let all = self.ledger.occurrences().iter();
        all.filter(move |it| {
            it.what == what
                && subject.queue.is_none_or(|queue| it.queue == Some(queue))
                && subject
                    .consumer
                    .is_none_or(|consumer| it.consumer == Some(consumer))
                && (!self.is_narrow() || it.message.is_some_and(|number| self.is_named(number)))
        })
    }

    fn occurred(&self, what: Occurred) -> Value {
        number(self.occurrences(what).count() as u64)
    }

    fn occurred_at(&self, what: Occurred) -> Value {
        times(self.occurrences(what).map(|it| it.at))
    }

    fn is_named(&self, number: MessageNumber) -> bool {
        let record = self.ledger.message(number);
        record.is_some_and(|record| self.names(number, record))
    }

    fn names(&self, number: MessageNumber, record: &MessageRecord) -> bool {
        let named = match self.subject.message {
            None => true,
            Some(MessageRef::Number(wanted)) => number == wanted,
            Some(MessageRef::Body(body)) => record.body == Some(body),
        };
        let group = self.subject.group;
        named && group.is_none_or(|group| record.group == Some(group))
    }

    fn is_by(&self, consumer: ConsumerId) -> bool {
        let wanted = self.subject.consumer;
        wanted.is_none_or(|wanted| wanted == consumer)
    }

    /// The messages that the subject names: all, if it names none.
    fn messages(&self) -> impl Iterator<Item = (MessageNumber, &MessageRecord)> {
        let all = self.ledger.messages();
        all.filter(|(number, record)| self.names(*number, record))
    }

    /// Of the whole run from its counters, which forget nothing and cost nothing; else from the ledger.
    fn run_wide(&self, of_run: impl Fn(&Totals) -> u64, of_ledger: impl Fn() -> Value) -> Value {
        if self.subject == Subject::default() {
            number(of_run(self.simulation.counters()))
        } else {
            of_ledger()
        }
    }

    fn is_narrow(&self) -> bool {
        self.subject.message.is_some() || self.subject.group.is_some()
    }

    fn count(&self, of: impl Fn(&MessageRecord) -> usize) -> Value {
        let all = self.messages().filter(|(_, record)| {
            self.subject
                .queue
                .is_none_or(|queue| record.queue == Some(queue))
                || self.is_narrow()
        });
        number(all.map(|(_, record)| of(record) as u64).sum())
    }

    fn times(&self, of: impl Fn(&MessageRecord) -> Vec<Micros>) -> Value {
        times(self.messages().flat_map(|(_, record)| of(record)))
    }

    /// The deliveries that the subject names.
    fn delivered(&self) -> impl Iterator<Item = &DeliveryRecord> {
        let of_messages: Box<dyn Iterator<Item = &DeliveryRecord>> = if self.is_narrow() {
            Box::new(
                self.messages()
                    .flat_map(|(_, record)| self.ledger.deliveries_of(record)),
            )
        } else {
            Box::new(self.ledger.deliveries().iter())
        };
        of_messages.filter(|delivery| self.is_of(delivery))
    }

    /// Whether a delivery is of the queue and the consumer that the subject names.
    fn is_of(&self, delivery: &DeliveryRecord) -> bool {
        let Subject {
            queue, consumer, ..
        } = self.subject;
        queue.is_none_or(|queue| delivery.queue == queue)
            && consumer.is_none_or(|consumer| delivery.consumer == consumer)
    }

    fn deliveries(&self, which: impl Fn(&DeliveryRecord) -> bool) -> Value {
        number(self.delivered().filter(|delivery| which(delivery)).count() as u64)
    }

    /// Deliveries after the first of their message.
    fn again(&self) -> Value {
        let later = self
            .messages()
            .flat_map(|(_, record)| self.ledger.deliveries_of(record).skip(1));
        number(later.filter(|it| self.is_of(it)).count() as u64)
    }

    fn effects(&self, record: &MessageRecord) -> usize {
        let mine = record.effects.iter().filter(|it| self.is_by(it.1));
        mine.count()
    }

    fn dead_lettered<'r>(
        &self,
        record: &'r MessageRecord,
    ) -> impl Iterator<Item = Micros> + use<'r> {
        let wanted = self.subject.queue;
        let moves = record.dead_lettered.iter();
        moves
            .filter(move |(_, from, _)| wanted.is_none_or(|queue| queue == *from))
            .map(|it| it.0)
    }

    fn acked(&self) -> Value {
        if self.is_narrow() || self.subject.consumer.is_some() {
            self.count(|record| usize::from(record.acked_by.is_some_and(|by| self.is_by(by))))
        } else {
            self.counts(|counts| counts.acked)
        }
    }

    fn receive_count(&self) -> Value {
        let newest = self
            .messages()
            .filter_map(|(_, record)| self.ledger.deliveries_of(record).last());
        newest
            .last()
            .map_or(Value::None, |delivery| number(u64::from(delivery.delivery)))
    }

    /// A count of the named queue, or the sum over all queues.
    fn counts(&self, of: impl Fn(&Counts) -> u64) -> Value {
        let queues = self.simulation.all_counts();
        let wanted = queues.filter(|(queue, _)| self.subject.queue.is_none_or(|it| it == *queue));
        number(wanted.map(|(_, counts)| of(&counts)).sum())
    }

    /// From first send to first effect: of the messages named, or of all from the run's histogram.
    fn latency(&self) -> Value {
        let percentile = self.subject.percentile.unwrap_or(50);
        if !self.is_narrow() {
            return seconds(self.simulation.latency(percentile));
        }
        let of =
            |record: &MessageRecord| Some(record.effects.first()?.0 - *record.sent_at.first()?);
        let spans = self.messages().filter_map(|(_, record)| of(record));
        let spans = in_order(spans.collect());
        let rank = (spans.len() * usize::from(percentile.min(100)))
            .div_ceil(100)
            .max(1);
        seconds(spans.get(rank - 1).copied())
    }
}

fn is_execution(delivery: &DeliveryRecord) -> bool {
    matches!(
        delivery.outcome,
        DeliveryOutcome::Finished | DeliveryOutcome::FinishedLate
    )
}

fn number(count: u64) -> Value {
    Value::Number(count as f64)
}

fn seconds(span: Option<Micros>) -> Value {
    span.map_or(Value::None, |span| Value::Number(span.as_secs_f64()))
}

fn share(share: Option<f64>) -> Value {
    share.map_or(Value::None, Value::Number)
}

fn times(times: impl Iterator<Item = Micros>) -> Value {
    let times = in_order(times.collect()).into_iter();
    Value::List(times.map(Micros::as_secs_f64).collect())
}

fn in_order(times: Vec<Micros>) -> Vec<Micros> {
    let order = positions_in_order(times.iter().map(|time| (time.0, 0)));
    order.into_iter().map(|position| times[position]).collect()
}
