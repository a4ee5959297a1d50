//! Consumers: starting, receiving, taking deliveries.

use super::Simulation;
use super::consumer::Held;
use super::event_list::{Item, Phase};
use super::travelling::{NO_MESSAGE, Parcel, ParcelKind, SettleCall};
use crate::engine::broker::Demand;
use crate::engine::event::{EventKind, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::setup::AckMoment;
use crate::engine::snapshot::ConsumerStatus;
use crate::engine::time::Micros;

/// Least pause after an empty short poll, and between two heartbeats, so that time gets on.
pub(super) const LEAST_INTERVAL: Micros = Micros::from_millis(1);

/// Least pause after a receive that was refused, as SDKs make one before they try again.
pub(super) const REFUSED_PAUSE: Micros = Micros::from_millis(100);

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
        self.plan_claim(id);
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
        if self.pushes_to(consumer) {
            return self.subscribe(consumer, cause);
        }
        let state = &mut self.consumers[consumer.index()];
        if state.room() == 0 {
            return;
        }
        self.ask(consumer, cause);
    }

    /// Makes a receive.
    pub(super) fn ask(&mut self, consumer: ConsumerId, cause: Option<Ordinal>) {
        let state = &mut self.consumers[consumer.index()];
        state.receiving = true;
        state.calls += 1;
        self.call(consumer, cause);
    }

    /// Sends a receive, or a subscription, to the broker.
    pub(super) fn call(&mut self, consumer: ConsumerId, cause: Option<Ordinal>) {
        let state = &self.consumers[consumer.index()];
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

    /// A receive, or a subscription, reaches the broker.
    pub(super) fn register(&mut self, consumer: ConsumerId, cause: Option<Ordinal>) {
        let pushes = self.pushes_to(consumer);
        if pushes && self.consumers[consumer.index()].asked.is_none() {
            return self.subscription_arrives(consumer, cause);
        }
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        state.receiving = false;
        let own = (state.room(), state.setup.wait);
        let (max, wait) = state.asked.map_or(own, |asked| (asked.max, asked.wait));
        if max == 0 {
            return;
        }
        state.receiving = true;
        let demand = Demand {
            consumer,
            max,
            visibility_timeout: state.setup.visibility_timeout,
            // A queue that pushes lets nobody wait.
            until: if pushes { now } else { now + wait },
            call: state.calls,
            automatic: state.setup.ack == AckMoment::Automatic,
        };
        let queue = state.setup.from;
        self.seek_sessions(queue, consumer);
        let mut out = std::mem::take(&mut self.out);
        self.broker.register(now, queue, demand, &mut out);
        self.out = out;
        self.follow(queue, cause);
    }

    /// A receive ended empty: receives again, after a pause if it makes one.
    pub(super) fn empty_receive(
        &mut self,
        consumer: ConsumerId,
        least_pause: Micros,
        cause: Ordinal,
        woken: &mut Vec<(ConsumerId, Ordinal)>,
    ) {
        let state = &mut self.consumers[consumer.index()];
        state.receiving = false;
        if state.asked.take().is_some() || state.setup.by_hand {
            return;
        }
        let mut pause = state.setup.poll_interval.max(least_pause);
        if state.setup.wait == Micros::ZERO {
            pause = pause.max(LEAST_INTERVAL);
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
        let (outdated, cut_off_by) = (state.generation != generation, state.cut_off_by);
        if !outdated {
            state.arriving = state.arriving.saturating_sub(1);
        }
        if outdated || cut_off_by.is_some() {
            let message = self.messages.get(held.message).number;
            let queue = held.receipt.queue;
            let lost = EventKind::ResponseLost {
                message,
                queue,
                consumer,
            };
            let lost = self.emit(lost, cut_off_by.or(cause));
            self.note_under_lease(&held, lost);
            return self.release(held.message);
        }
        let cause = cause.unwrap_or(self.ordinal());
        self.take(consumer, held, cause);
        if self.crash_when_full(consumer, cause) {
            return;
        }
        self.start_handlers(consumer);
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
}
