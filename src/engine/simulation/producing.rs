//! Producers: ticks, sends, confirms and re-sends.

use super::Simulation;
use super::event_list::{Item, Phase};
use super::messages::{Extra, Message, NewMessage};
use super::travelling::{Parcel, ParcelKind};
use crate::engine::broker::{DeduplicationKey, HappeningKind, Incoming, MessageKey, SendOutcome};
use crate::engine::chance::{Purpose, draw, uniform_below};
use crate::engine::command::HandSend;
use crate::engine::event::{EventKind, Ordinal, RefusalReason};
use crate::engine::id::{GroupId, ProducerId, QueueId};
use crate::engine::setup::{
    Deduplication, Groups, Pattern, PlannedSend, Poison, Priorities, ProducerSetup, Setup,
};
use crate::engine::time::Micros;

/// So many waiting messages at most are taken for such that are handed out as soon as they are stored.
const FEW_WAITING: u64 = 64;

impl Simulation {
    pub(super) fn plan_tick(&mut self, index: usize, at: Option<Micros>) {
        let producer = &mut self.producers[index];
        producer.next_at = at;
        if let Some(at) = at {
            let generation = producer.generation;
            let item = Item::ProducerTick {
                producer: index as u16,
                generation,
            };
            self.list.plan(at, Phase::Sends, index as u32, item, None);
        }
    }

    pub(super) fn producer_tick(&mut self, producer: u16, generation: u32) {
        let index = usize::from(producer);
        if self.producers[index].generation != generation {
            return;
        }
        let now = self.now();
        // All sends of one instant leave in one tick, so that a receive finds all of them.
        let sends: Vec<Option<PlannedSend>> = match &self.producers[index].setup.pattern {
            Pattern::List(sends) => {
                let due = sends.iter().skip(self.producers[index].ticks as usize);
                due.take_while(|send| send.at <= now)
                    .cloned()
                    .map(Some)
                    .collect()
            }
            Pattern::Bursts { size, .. } => vec![None; *size as usize],
            Pattern::Constant { .. } | Pattern::Poisson { .. } => vec![None],
        };
        let is_list = matches!(self.producers[index].setup.pattern, Pattern::List(_));
        let ticks = if is_list { sends.len() as u32 } else { 1 };
        self.producers[index].ticks = self.producers[index].ticks.saturating_add(ticks.max(1));
        if !self.producers[index].paused {
            for send in sends {
                let limit = self.producers[index].setup.limit;
                if limit.is_some_and(|limit| self.producers[index].sent >= limit) {
                    break;
                }
                self.send_next(producer, send);
            }
        }
        let next = self.producers[index].next_tick(self.setup.seed, now);
        self.plan_tick(index, next);
    }

    fn send_next(&mut self, producer: u16, planned: Option<PlannedSend>) {
        let seed = self.setup.seed;
        let state = &mut self.producers[usize::from(producer)];
        let nth = state.sent;
        state.sent += 1;
        let group_draw = draw(seed, state.stream, Purpose::Group, u64::from(nth));
        let poison_draw = draw(seed, state.stream, Purpose::Poison, u64::from(nth));
        let group = planned
            .as_ref()
            .and_then(|send| send.group)
            .or_else(|| group_of(&state.setup.groups, nth, group_draw));
        let poison = match state.setup.poison {
            Poison::Never => false,
            Poison::Every(every) => every > 0 && (nth + 1).is_multiple_of(every),
            Poison::Share(chance) => chance.happens(poison_draw),
        } || planned.as_ref().is_some_and(|send| send.poison);
        let priority_draw = draw(seed, state.stream, Purpose::Priority, u64::from(nth));
        let priority = priority_of(&state.setup.priority, priority_draw);
        let own = Extra {
            priority,
            ttl: state.setup.ttl,
            transient: !state.setup.persistent,
            ..Extra::default()
        };
        let extra = planned.map_or(own, |send| Extra {
            body: send.body,
            amount: send.amount,
            fails: send.fails,
            processing: send.processing,
            deduplication_id: send.deduplication_id,
            delay: send.delay,
            priority: send.priority.or(own.priority),
            ttl: send.ttl.or(own.ttl),
            transient: send
                .persistent
                .map_or(own.transient, |persistent| !persistent),
        });
        let to = state.setup.to;
        let new = NewMessage {
            sent_at: self.list.now(),
            group,
            producer: Some(ProducerId(producer)),
            poison,
            extra,
        };
        let message = self.messages.add(new);
        self.send(message, to, 1, None);
    }

    pub(super) fn send_by_hand(&mut self, send: &HandSend, cause: Ordinal) {
        let amount = (send.amount > 0).then_some(send.amount);
        for _ in 0..send.count {
            let new = NewMessage {
                sent_at: self.list.now(),
                group: send.group,
                producer: None,
                poison: send.poison,
                extra: Extra {
                    body: send.body,
                    amount,
                    deduplication_id: send.deduplication_id,
                    delay: send.delay,
                    priority: send.priority,
                    ttl: send.ttl,
                    transient: !send.persistent,
                    ..Extra::default()
                },
            };
            let message = self.messages.add(new);
            self.send(message, send.to, 1, Some(cause));
            if self.messages.live() > self.setup.live_message_cap as usize {
                break;
            }
        }
    }

    /// A message leaves its producer. The caller's reference to it passes to this send, or to the re-sends that may
    /// follow.
    fn send(&mut self, key: MessageKey, queue: QueueId, attempt: u32, cause: Option<Ordinal>) {
        let message = *self.messages.get(key);
        let extra = self.messages.extra(key);
        self.totals.sent += 1;
        let sent = self.emit(
            EventKind::Sent {
                message: message.number,
                producer: message.producer(),
                queue,
                attempt,
                body: extra.body,
                group: message.group(),
            },
            cause,
        );
        let mut waits_for_confirm = false;
        let mut lost = false;
        if let Some(producer) = message.producer() {
            let state = &self.producers[producer.index()];
            if let Some(timeout) = state.setup.confirm_timeout {
                waits_for_confirm = true;
                let item = Item::ConfirmTimeout {
                    message: key,
                    attempt,
                };
                let at = self.list.now() + timeout;
                self.list
                    .plan(at, Phase::Timers, u32::from(producer.0), item, Some(sent));
            }
            let index = u64::from(message.number.0) << 8 | u64::from(attempt & 0xff);
            let lose = draw(self.setup.seed, state.stream, Purpose::LoseSend, index);
            lost = self.network.lose_send.happens(lose);
        }
        if waits_for_confirm {
            self.messages.add_reference(key);
        }
        let kind = ParcelKind::Send { queue, attempt };
        if lost {
            self.totals.sends_lost += 1;
            self.emit(
                EventKind::SendLost {
                    message: message.number,
                    queue,
                },
                Some(sent),
            );
            self.show_lost(key, kind, self.network.send_delay);
            self.release(key);
        } else if self.network.send_delay > Micros::ZERO {
            let delay = self.network.send_delay;
            self.dispatch(Parcel { message: key, kind }, delay, Phase::Sends, sent);
        } else {
            self.send_arrives(key, queue, attempt, Some(sent));
        }
    }

    /// A send reaches the broker.
    pub(super) fn send_arrives(
        &mut self,
        key: MessageKey,
        queue: QueueId,
        attempt: u32,
        cause: Option<Ordinal>,
    ) {
        let now = self.list.now();
        let message = *self.messages.get(key);
        let extra = self.messages.extra(key);
        let producer = message
            .producer()
            .map(|producer| &self.producers[producer.index()].setup);
        let delay = extra
            .delay
            .or_else(|| producer.and_then(|producer| producer.delay));
        let own = DeduplicationKey(3 << 32 | u64::from(message.number.0));
        let explicit = extra
            .deduplication_id
            .map(|id| DeduplicationKey(1 << 32 | u64::from(id.0)));
        let by_id = self.broker.queue(queue).deduplication == Deduplication::ById;
        let incoming = Incoming {
            message: key,
            number: message.number,
            group: message.group(),
            // A send without an id of its own is a repetition only of itself.
            deduplication_id: explicit.or_else(|| by_id.then_some(own)),
            content: extra
                .body
                .map_or(own, |body| DeduplicationKey(2 << 32 | u64::from(body.0))),
            delay,
            priority: extra.priority,
            ttl: extra.ttl,
            persistent: !extra.transient,
        };
        let mut out = std::mem::take(&mut self.out);
        let outcome = self.broker.send(now, queue, incoming, &mut out);
        self.out = out;
        let cause = match outcome {
            SendOutcome::Accepted => {
                self.totals.accepted += 1;
                if !message.accepted() {
                    self.note_accepted(key);
                }
                let visible_at = now + self.broker.delay_for(queue, delay);
                let accepted = self.emit(
                    EventKind::Accepted {
                        message: message.number,
                        queue,
                        group: message.group(),
                        visible_at,
                    },
                    cause,
                );
                // What waits long is handed out because a consumer asks; of what does not, the send is the cause.
                let soon = self.broker.wants_deliver(queue)
                    && self.broker.counts(queue).ready <= FEW_WAITING;
                if soon || visible_at > now {
                    self.messages.note(key, accepted);
                }
                accepted
            }
            SendOutcome::Refused(reason) => {
                self.totals.refused += 1;
                // What has no queue to go to is confirmed, and lost. RabbitMQ: guide "confirms", unroutable messages.
                if reason == RefusalReason::NoQueue && !message.accepted() {
                    self.note_accepted(key);
                }
                self.emit(
                    EventKind::Refused {
                        message: message.number,
                        queue,
                        reason,
                    },
                    cause,
                )
            }
            SendOutcome::Suppressed { first } => {
                self.totals.suppressed += 1;
                self.emit(
                    EventKind::Suppressed {
                        message: message.number,
                        queue,
                        first,
                    },
                    cause,
                )
            }
        };
        // A producer that is refused learns it; it sends again when its patience ends, if it may.
        if !matches!(outcome, SendOutcome::Refused(reason) if reason != RefusalReason::NoQueue) {
            self.confirm(key, attempt, cause);
        }
        // A stored copy keeps the reference of the send, also one that went to the dead-letter queue unseen.
        if outcome != SendOutcome::Accepted && !self.was_taken_in(key) {
            self.release(key);
        }
        self.follow(queue, Some(cause));
    }

    /// The broker answers for a message from now on.
    fn note_accepted(&mut self, key: MessageKey) {
        let message = *self.messages.get(key);
        if !self.is_planned(&message) {
            self.totals.amount_due += u64::from(self.amount(key));
        }
        self.messages.get_mut(key).set_accepted();
    }

    /// Whether the broker took in a copy of a refused message, to dead-letter it.
    fn was_taken_in(&self, key: MessageKey) -> bool {
        self.out.iter().any(|happening| {
            happening.message == Some(key)
                && matches!(
                    happening.kind,
                    HappeningKind::DeadLettered { .. } | HappeningKind::Dropped { .. }
                )
        })
    }

    /// The broker answers a send.
    fn confirm(&mut self, key: MessageKey, attempt: u32, cause: Ordinal) {
        let message = *self.messages.get(key);
        let Some(producer) = message.producer() else {
            return;
        };
        let state = &self.producers[producer.index()];
        if state.setup.confirm_timeout.is_none() {
            return;
        }
        let index = u64::from(message.number.0) << 8 | u64::from(attempt & 0xff);
        let lose = draw(self.setup.seed, state.stream, Purpose::LoseConfirm, index);
        if self.network.lose_confirm.happens(lose) {
            self.emit(
                EventKind::ConfirmLost {
                    message: message.number,
                    producer,
                },
                Some(cause),
            );
        } else if self.network.confirm_delay > Micros::ZERO {
            self.messages.add_reference(key);
            let parcel = Parcel {
                message: key,
                kind: ParcelKind::Confirm,
            };
            self.dispatch(parcel, self.network.confirm_delay, Phase::Endings, cause);
        } else {
            self.messages.get_mut(key).set_confirmed();
        }
    }

    /// The wait for a confirm is over: sends again, if none came and the bound allows it.
    pub(super) fn confirm_timeout(
        &mut self,
        key: MessageKey,
        attempt: u32,
        cause: Option<Ordinal>,
    ) {
        let message = *self.messages.get(key);
        let Some(producer) = message.producer() else {
            return self.release(key);
        };
        let state = &mut self.producers[producer.index()];
        if message.confirmed() || attempt > state.setup.max_resends {
            return self.release(key);
        }
        state.resent += 1;
        let to = state.setup.to;
        self.send(key, to, attempt + 1, cause);
    }

    /// Whether the message was listed in the scenario: what its effect is due was known from the start.
    fn is_planned(&self, message: &Message) -> bool {
        let producer = message.producer();
        let setup = producer.and_then(|producer| self.setup.producers.get(producer.index()));
        setup.is_some_and(|setup| matches!(setup.pattern, Pattern::List(_)))
    }

    /// The value of a message's effect.
    pub(super) fn amount(&self, key: MessageKey) -> u32 {
        self.messages.extra(key).amount.unwrap_or_else(|| {
            let producer = self.messages.get(key).producer();
            producer.map_or(0, |producer| self.producers[producer.index()].setup.amount)
        })
    }
}

/// What the effects of all listed sends come to.
pub(super) fn planned_amount(setup: &Setup) -> u64 {
    let of_producer = |producer: &ProducerSetup| match &producer.pattern {
        Pattern::List(sends) => {
            let limit = producer.limit.map_or(usize::MAX, |limit| limit as usize);
            let amounts = sends
                .iter()
                .take(limit)
                .map(|send| send.amount.unwrap_or(producer.amount));
            amounts.map(u64::from).sum()
        }
        _ => 0,
    };
    setup.producers.iter().map(of_producer).sum()
}

fn priority_of(priorities: &Priorities, value: u64) -> Option<u8> {
    match priorities {
        Priorities::None => None,
        Priorities::Fixed(priority) => Some(*priority),
        Priorities::Weighted(weights) => {
            let total = weights.iter().map(|(_, weight)| u64::from(*weight)).sum();
            let mut left = uniform_below(value, total);
            let chosen = weights.iter().find(|(_, weight)| {
                let weight = u64::from(*weight);
                let hit = left < weight;
                left = left.saturating_sub(weight);
                hit
            });
            chosen.map(|(priority, _)| *priority)
        }
    }
}

fn group_of(groups: &Groups, nth: u32, group_draw: u64) -> Option<GroupId> {
    match groups {
        Groups::None => None,
        Groups::Cycle(groups) => groups.get(nth as usize % groups.len().max(1)).copied(),
        Groups::Weighted(groups) => {
            let total = groups.iter().map(|(_, weight)| u64::from(*weight)).sum();
            let mut left = uniform_below(group_draw, total);
            let chosen = groups.iter().find(|(_, weight)| {
                let weight = u64::from(*weight);
                let hit = left < weight;
                left = left.saturating_sub(weight);
                hit
            });
            chosen.map(|(group, _)| *group)
        }
    }
}
