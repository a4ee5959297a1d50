//! The state of a run as plain data.

use std::sync::Arc;

use super::Simulation;
use super::batches::Batch;
use super::consumer::{Consumer, Held, Place};
use super::producer::Producer;
use super::travelling::{ParcelKind, SettleCall, Travelling};
use crate::engine::broker::{Deaths, MessageKey};
use crate::engine::id::{ConsumerId, GroupId, MessageNumber, QueueId};
use crate::engine::order::positions_in_order;
use crate::engine::rules::CountRule;
use crate::engine::setup::{Groups, Pattern, QueueKind, Setup};
use crate::engine::snapshot::{
    BreakerState, ConsumerStatus, ConsumerView, DeadLetterView, HeldView, Hop, HopKind, IdleReason,
    InFlightView, JobView, LaneView, OutsideView, ProducerView, QueueView, SessionView, Snapshot,
    Token, Totals,
};
use crate::engine::time::Micros;

impl Simulation {
    /// Everything at the present instant.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            at: self.now(),
            ordinal: self.ordinal(),
            queues: (0..self.queues.len())
                .map(|it| self.queue_view(QueueId(it as u16)))
                .collect(),
            producers: self.producers.iter().map(producer_view).collect(),
            consumers: (0..self.consumers.len())
                .map(|it| self.consumer_view(ConsumerId(it as u16)))
                .collect(),
            downstreams: (0..self.downstreams.len())
                .map(|it| self.downstream_view(it))
                .collect(),
            outside: OutsideView {
                recent: self.effects.iter().copied().collect(),
                duplicates: self.duplicates.iter().copied().collect(),
            },
            travelling: self
                .transit
                .parcels
                .iter()
                .filter_map(|it| self.hop(it.1))
                .collect(),
            network: self.network,
            totals: self.totals(),
            stuck: self.is_stuck(),
        }
    }

    /// Run-wide counts at the present instant.
    pub fn totals(&self) -> Totals {
        let latency = [50, 95, 99].map(|percent| self.latency.percentile(percent));
        Totals {
            latency,
            max_backlog: self.max_backlog(),
            idle: self.idle_time(),
            ..self.totals
        }
    }

    /// The newest message: numbers are given from 1 in the order of first sends. 0 before the first.
    pub fn newest_message(&self) -> MessageNumber {
        self.messages.newest()
    }

    /// The same without the latency.
    pub(in crate::engine) fn counters(&self) -> &Totals {
        &self.totals
    }

    /// How a live message is drawn; none when it is nowhere any more.
    pub fn token(&self, message: MessageNumber) -> Option<Token> {
        self.messages.find(message).map(|key| self.token_of(key))
    }

    pub(super) fn token_of(&self, key: MessageKey) -> Token {
        let message = self.messages.get(key);
        Token {
            message: message.number,
            body: self.messages.extra(key).body,
            group: message.group(),
            deliveries: self.messages.progress(key).deliveries,
            poison: message.poison(),
            priority: self.messages.extra(key).priority,
            expired: false,
        }
    }

    /// With the queue's own count; where it counts nothing, with the deliveries there were.
    fn counted_token(&self, queue: QueueId, key: MessageKey, deliveries: u32) -> Token {
        let token = self.token_of(key);
        match self.broker.queue(queue).rules.count {
            CountRule::Never => token,
            _ => Token {
                deliveries,
                ..token
            },
        }
    }

    fn queue_view(&self, queue: QueueId) -> QueueView {
        let limit = Snapshot::TOKENS;
        let (lanes, more_lanes) = self.broker.lanes(queue, Snapshot::LANES, limit);
        let state = &self.queues[queue.index()];
        let now = self.now();
        let lanes = lanes.into_iter().map(|lane| LaneView {
            group: lane.group,
            ready: lane.ready,
            waiting: (lane.waiting.iter().zip(&lane.lapses))
                .map(|(it, lapses)| Token {
                    expired: *lapses <= now,
                    ..self.counted_token(queue, it.0, it.1)
                })
                .collect(),
            locked_by: lane.locked_by.map(|key| self.messages.get(key).number),
            oldest_since: lane.oldest_ready_since,
            starving_since: state.lane(lane.group).starving_since,
        });
        let mut lanes: Vec<LaneView> = lanes.collect();
        if self.broker.queue(queue).kind == QueueKind::Fifo {
            self.complete_lanes(queue, &mut lanes);
        }
        let in_flight = self
            .broker
            .in_flight(queue, limit)
            .into_iter()
            .map(|it| InFlightView {
                token: self.counted_token(queue, it.message, it.deliveries),
                consumer: Some(it.consumer),
                hidden_until: it.hidden_until,
            });
        let delayed = self.broker.delayed(queue, limit).into_iter();
        let undeliverable = self.broker.undeliverable(queue, limit).into_iter();
        QueueView {
            setup: self.broker.queue(queue).clone(),
            counts: self.broker.counts(queue),
            oldest_since: self.broker.oldest_ready_since(queue),
            lanes,
            more_lanes: more_lanes as u32,
            in_flight: in_flight.collect(),
            delayed: delayed.map(|(key, at)| (self.token_of(key), at)).collect(),
            undeliverable: undeliverable
                .map(|(key, deliveries)| self.counted_token(queue, key, deliveries))
                .collect(),
            dead_letters: self.dead_letters(queue),
            dead_lettered: (self.dead.iter())
                .filter(|(_, letter)| letter.to == queue)
                .count() as u64,
            subscribers: self.subscriber_views(queue),
            is_dead_letter_queue: self.is_dead_letter_queue(queue),
            redrive: state
                .redriving
                .as_ref()
                .map(|it| it.view(self.broker.moves_left(queue))),
            sessions: (self.broker.sessions(queue))
                .take(Snapshot::LANES)
                .map(|session| SessionView {
                    group: session.group,
                    consumer: session.consumer,
                    since: session.since,
                    until: session.until,
                    is_orphaned: session.is_orphaned,
                })
                .collect(),
        }
    }

    /// Adds the empty lanes of groups that producers name, and puts all in the scenario's order, so that none comes,
    /// goes or changes place while a run goes on.
    fn complete_lanes(&self, queue: QueueId, lanes: &mut Vec<LaneView>) {
        for &group in &self.named_groups[queue.index()] {
            if lanes.len() < Snapshot::LANES && lanes.iter().all(|lane| lane.group != Some(group)) {
                lanes.push(LaneView {
                    group: Some(group),
                    ready: 0,
                    waiting: Vec::new(),
                    locked_by: None,
                    oldest_since: None,
                    starving_since: None,
                });
            }
        }
        let place = |lane: &LaneView| (lane.group.is_none(), lane.group);
        for lane in std::mem::take(lanes) {
            let at = lanes.partition_point(|other| place(other) <= place(&lane));
            lanes.insert(at, lane);
        }
    }

    fn dead_letters(&self, queue: QueueId) -> Vec<DeadLetterView> {
        let letters: Vec<(MessageKey, DeadLetterView)> = self
            .dead
            .iter()
            .filter(|(_, letter)| letter.to == queue)
            .map(|(key, letter)| {
                (
                    MessageKey(key),
                    DeadLetterView {
                        token: self.counted_token(queue, MessageKey(key), letter.deliveries),
                        reason: letter.reason,
                        at: letter.at,
                        from: letter.from,
                        deaths: Deaths::default(),
                    },
                )
            })
            .collect();
        let keys = letters
            .iter()
            .map(|(_, letter)| (letter.at.0, letter.token.message.0.into()));
        let order = positions_in_order(keys);
        let surplus = order.len().saturating_sub(Snapshot::TOKENS);
        let kept = order.into_iter().skip(surplus);
        kept.map(|at| {
            let (key, letter) = letters[at].clone();
            let chain = self.broker.death_chain(queue, key);
            DeadLetterView {
                deaths: chain.cloned().unwrap_or_default(),
                ..letter
            }
        })
        .collect()
    }

    fn consumer_view(&self, consumer: ConsumerId) -> ConsumerView {
        let state = &self.consumers[consumer.index()];
        let crashed = state.status == ConsumerStatus::Crashed;
        let (jobs, buffered): (_, Vec<(Held, bool)>) = if crashed {
            let lost = state.wreck_buffer.iter().map(|held| (*held, false));
            (&state.wreck, lost.collect())
        } else {
            let batched = state.batches.iter().flat_map(Batch::held);
            let buffer = state.buffer.iter().map(|held| (*held, false));
            (&state.workers, batched.chain(buffer).collect())
        };
        // What a crashed consumer held is shown for as long as it hides it from others.
        let shown = |held: &Held| !crashed || self.broker.holds_lease(held.receipt);
        let workers = jobs.iter().map(|slot| {
            slot.filter(|job| shown(&job.held)).map(|job| JobView {
                held: self.held_view(&job.held),
                started: job.started,
                ends: match job.place {
                    Place::Waiting if !crashed => self.now(),
                    _ => job.ends,
                },
                waits: job.place == Place::Waiting,
            })
        });
        let buffered = buffered.iter().filter(|(held, _)| shown(held));
        ConsumerView {
            setup: state.setup.clone(),
            status: state.status,
            slow_percent: state.slow_percent,
            loses_next_ack: state.loses_next_ack.is_some(),
            cut_off: state.cut_off_by.is_some(),
            channel: self.channel_view(consumer),
            workers: workers.collect(),
            asks: state.receiving,
            buffered: buffered
                .map(|(held, worked)| HeldView {
                    worked: *worked,
                    ..self.held_view(held)
                })
                .collect(),
            idle: self.idle(consumer, state),
            breaker: state.breaker,
            crashes: state.crashes,
            executions: state.executions,
            busy: if crashed {
                state.busy
            } else {
                state.busy_until(self.now())
            },
            stored_ids: self.queues[state.setup.from.index()].keys.len() as u32,
        }
    }

    fn held_view(&self, held: &Held) -> HeldView {
        let token = self.counted_token(held.receipt.queue, held.message, held.delivery);
        HeldView {
            token,
            delivered_at: held.delivered_at,
            hidden_until: self
                .broker
                .hidden_until(held.receipt)
                .unwrap_or(held.hidden_until),
            lease: self.broker.holds_lease(held.receipt),
            acked: held.acked,
            worked: false,
        }
    }

    fn idle(&self, consumer: ConsumerId, state: &Consumer) -> Option<(Micros, IdleReason)> {
        if !state.is_running() {
            return Some((
                state.idle_since.unwrap_or(self.now()),
                IdleReason::NotRunning,
            ));
        }
        let since = state.idle_since?;
        Some((since, self.idle_reason(consumer, state)))
    }

    fn idle_reason(&self, consumer: ConsumerId, state: &Consumer) -> IdleReason {
        let queue = state.setup.from;
        let counts = self.broker.counts(queue);
        if state.cut_off_by.is_some() {
            return IdleReason::CutOff;
        }
        if state.setup.by_hand {
            return IdleReason::ByHand;
        }
        if matches!(state.breaker, BreakerState::Open(_)) {
            return IdleReason::BreakerOpen;
        }
        if let Some(reason) = self.idle_reason_of_push(consumer) {
            return reason;
        }
        if state.polling {
            return IdleReason::BetweenPolls;
        }
        if state.arriving > 0 || (counts.ready > 0 && self.network.ack_delay > Micros::ZERO) {
            return IdleReason::Network;
        }
        let held = self.broker.sessions(queue);
        let held = held.filter(|it| it.consumer == consumer).count();
        if counts.ready > 0 && held > 0 {
            return IdleReason::HoldsSessions(held as u32);
        }
        if counts.ready > 0 {
            let rules = &self.broker.queue(queue).rules;
            let is_full = |limit: u32| counts.in_flight >= u64::from(limit);
            if rules.in_flight_limit.is_some_and(is_full) {
                return IdleReason::InFlightLimit;
            }
            let (lanes, _) = self.broker.lanes(queue, Snapshot::LANES, 0);
            let locked = lanes
                .iter()
                .find(|lane| lane.ready > 0 && lane.locked_by.is_some());
            return IdleReason::GroupsLocked(locked.and_then(|lane| lane.group));
        }
        let others = self.consumers.iter().enumerate().filter(|(index, other)| {
            *index != consumer.index() && other.setup.from == queue && !other.buffer.is_empty()
        });
        let most =
            others.max_by_key(|(index, other)| (other.buffer.len(), std::cmp::Reverse(*index)));
        if let Some((index, other)) = most {
            let count = other.buffer.len() as u32;
            return IdleReason::OthersBuffer {
                consumer: ConsumerId(index as u16),
                count,
            };
        }
        if counts.delayed > 0 {
            IdleReason::Delayed
        } else {
            IdleReason::QueueEmpty
        }
    }

    fn hop(&self, travelling: &Travelling) -> Option<Hop> {
        let key = travelling.parcel.message;
        let what = match travelling.parcel.kind {
            ParcelKind::Send { queue, .. } => HopKind::Send {
                producer: self.messages.get(key).producer(),
                queue,
            },
            ParcelKind::Delivery { consumer, held, .. } => HopKind::Delivery {
                queue: held.receipt.queue,
                consumer,
            },
            ParcelKind::Settle {
                consumer,
                held,
                call,
            } => HopKind::Settle {
                consumer,
                queue: held.receipt.queue,
                ack: call == SettleCall::Ack,
            },
            ParcelKind::Confirm | ParcelKind::Receive { .. } | ParcelKind::Claim { .. } => {
                return None;
            }
        };
        Some(Hop {
            what,
            token: self.token_of(key),
            sent: travelling.sent,
            arrives: travelling.arrives,
            lost: travelling.lost,
        })
    }
}

/// For every queue the groups that its producers name, in the scenario's order; the first few.
pub(super) fn named_groups(setup: &Setup) -> Arc<[Vec<GroupId>]> {
    let of_queue = |queue: usize| {
        let producers = setup
            .producers
            .iter()
            .filter(|producer| producer.to.index() == queue);
        let named = producers.flat_map(|producer| {
            let listed: Vec<GroupId> = match &producer.pattern {
                Pattern::List(sends) => sends.iter().filter_map(|send| send.group).collect(),
                _ => Vec::new(),
            };
            let ruled = match &producer.groups {
                Groups::None => Vec::new(),
                Groups::Cycle(groups) => groups.clone(),
                Groups::Weighted(groups) => groups.iter().map(|(group, _)| *group).collect(),
            };
            listed.into_iter().chain(ruled)
        });
        let mut groups: Vec<GroupId> = Vec::new();
        for group in named {
            if let Err(place) = groups.binary_search(&group) {
                groups.insert(place, group);
                groups.truncate(Snapshot::LANES);
            }
        }
        groups
    };
    (0..setup.queues.len()).map(of_queue).collect()
}

fn producer_view(producer: &Producer) -> ProducerView {
    ProducerView {
        setup: producer.setup.clone(),
        sent: producer.sent,
        planned: producer.planned(),
        resent: producer.resent,
        next_at: producer.next_at,
        paused: producer.paused,
    }
}
