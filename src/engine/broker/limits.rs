//! Limits of a queue on what is in flight and on how often it is called.

use super::call::{Demand, Incoming};
use super::happening::{Happening, HappeningKind};
use super::queue::Queue;
use crate::engine::event::RefusalReason;
use crate::engine::rules::{AtInFlightLimit, GroupRule};
use crate::engine::setup::QueueKind;
use crate::engine::time::Micros;

/// Calls of each action in the present second.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Calls {
    second: u64,
    sends: u32,
    receives: u32,
}

impl Calls {
    /// Counts from zero in each whole second.
    fn at(&mut self, now: Micros) -> &mut Self {
        let second = now.0 / Micros::from_secs(1).0;
        if self.second != second {
            *self = Self {
                second,
                ..Self::default()
            };
        }
        self
    }
}

impl Queue {
    /// Whether nothing more may be handed out, because as much is in flight as may be.
    ///
    /// SQS: about 120,000 messages (Developer Guide, "visibility timeout", in-flight limits). NATS JetStream:
    /// MaxAckPending; redeliveries are served all the same (observed, 2.9 and 2.10; consumer.go, getNextMsg): here when
    /// the next message is one. What was returned with a delay is pending there all the while (processNak).
    pub(super) fn is_at_in_flight_limit(&self) -> bool {
        let rules = &self.setup.rules;
        let returned = if rules.redeliveries_exempt {
            self.retrying
        } else {
            0
        };
        let is_reached = |limit: u32| self.counts.in_flight + returned >= u64::from(limit);
        rules.in_flight_limit.is_some_and(is_reached)
            && !(rules.redeliveries_exempt && self.is_next_redelivered())
    }

    fn is_next_redelivered(&self) -> bool {
        let next = self.order.first(super::shards::Shards::ALL, &self.store);
        next.is_some_and(|slot| self.store[slot].deliveries() > 0)
    }

    /// What a receive gets that ends without a message.
    ///
    /// SQS standard: OverLimit for a short poll at the in-flight limit, silently nothing for a long one; SQS FIFO:
    /// no error (Developer Guide, "visibility timeout").
    pub(super) fn end_of_receive(&self, is_short: bool) -> fn(&Demand) -> HappeningKind {
        let is_error = self.setup.rules.at_in_flight_limit == AtInFlightLimit::Error
            && self.setup.kind == QueueKind::Standard;
        if is_short && is_error && self.is_at_in_flight_limit() {
            |demand| HappeningKind::ReceiveRefused {
                consumer: demand.consumer,
            }
        } else {
            |demand| HappeningKind::EmptyReceive {
                consumer: demand.consumer,
            }
        }
    }

    /// Why a send is refused before anything else is looked at.
    ///
    /// SQS FIFO: a delay of a single message other than 0 is an error (recorded:
    /// test_fifo_queue_send_message_with_delay_seconds_fails). Azure Service Bus: an entity with sessions takes no
    /// message without one.
    pub(super) fn refusal(&mut self, now: Micros, incoming: &Incoming) -> Option<RefusalReason> {
        if self.setup.kind == QueueKind::Standard {
            return None;
        }
        let rule = self.setup.rules.group_rule;
        if self.send_exceeds_quota(now) {
            Some(RefusalReason::Quota)
        } else if rule == GroupRule::Session && incoming.group.is_none() {
            Some(RefusalReason::NoSession)
        } else if rule == GroupRule::Walk && incoming.delay.is_some_and(|own| own > Micros::ZERO) {
            Some(RefusalReason::OwnDelay)
        } else {
            None
        }
    }

    /// Counts a send; whether it is one too many in this second.
    ///
    /// SQS FIFO: 300 calls a second of each action (Developer Guide, "quotas-messages"). Sends and receives are
    /// counted; deletes are not, because the SDKs repeat them until they succeed.
    fn send_exceeds_quota(&mut self, now: Micros) -> bool {
        let Some(quota) = self.quota() else {
            return false;
        };
        let calls = self.calls.at(now);
        calls.sends = calls.sends.saturating_add(1);
        calls.sends > quota
    }

    fn receive_exceeds_quota(&mut self, now: Micros) -> bool {
        let Some(quota) = self.quota() else {
            return false;
        };
        let calls = self.calls.at(now);
        calls.receives = calls.receives.saturating_add(1);
        calls.receives > quota
    }

    fn quota(&self) -> Option<u32> {
        let is_fifo = self.setup.kind == QueueKind::Fifo;
        self.setup.rules.quota.filter(|_| is_fifo)
    }

    /// Lets a receive wait, or refuses it at once.
    pub(super) fn register(&mut self, now: Micros, demand: Demand, out: &mut Vec<Happening>) {
        if self.receive_exceeds_quota(now) {
            self.waiting.withdraw(demand.consumer);
            let consumer = demand.consumer;
            out.push(self.happening(None, HappeningKind::ReceiveRefused { consumer }));
        } else {
            self.waiting.add(now, demand);
        }
    }

    /// Whether a purge is refused, because the last one was not long ago. SQS: PurgeQueueInProgress, 60 s (API
    /// Reference, PurgeQueue).
    pub(super) fn refuses_purge(&self, now: Micros) -> bool {
        let interval = self.setup.rules.purge_interval;
        let last = interval.zip(self.last_purge);
        last.is_some_and(|(interval, last)| now < last + interval)
    }
}
