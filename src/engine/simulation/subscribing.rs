//! Consumers of queues that push: they subscribe, messages come by themselves, and channels close and open.

use super::Simulation;
use super::consumer::{Held, Link, Subscribed};
use super::event_list::{Item, Phase};
use super::travelling::SettleCall;
use crate::engine::broker::Subscription;
use crate::engine::command::ConsumerChange;
use crate::engine::event::{CloseReason, EventKind, Ordinal};
use crate::engine::id::{ConsumerId, QueueId};
use crate::engine::setup::AckMoment;
use crate::engine::snapshot::{
    BreakerState, ChannelView, ConsumerStatus, IdleReason, SubscriberView,
};
use crate::engine::time::Micros;

/// How long a consumer waits before it subscribes anew after its channel was closed. Client libraries wait between one
/// and five seconds (observed in their defaults).
pub(super) const RECONNECT: Micros = Micros::from_secs(1);

impl Simulation {
    /// Whether a consumer's queue pushes: it subscribes once in place of receiving again and again.
    pub(super) fn pushes_to(&self, consumer: ConsumerId) -> bool {
        let queue = self.consumers[consumer.index()].setup.from;
        self.broker.queue(queue).pushes()
    }

    /// Subscribes, unless it is subscribed or about to be. A paused consumer stays subscribed: it is the work on its
    /// buffer that pauses.
    pub(super) fn subscribe(&mut self, consumer: ConsumerId, cause: Option<Ordinal>) {
        let state = &mut self.consumers[consumer.index()];
        let is_up = matches!(
            state.status,
            ConsumerStatus::Running | ConsumerStatus::Paused
        );
        let may = is_up
            && state.cut_off_by.is_none()
            && !state.setup.by_hand
            && !matches!(state.breaker, BreakerState::Open(_));
        if may && !state.link.waits && state.link.subscribed == Subscribed::No {
            state.link.subscribed = Subscribed::Asked;
            self.call(consumer, cause);
        }
    }

    /// A subscription reaches the broker.
    pub(super) fn subscription_arrives(&mut self, consumer: ConsumerId, cause: Option<Ordinal>) {
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        if state.link.subscribed != Subscribed::Asked {
            return;
        }
        if state.cut_off_by.is_some() {
            state.link.subscribed = Subscribed::No;
            return;
        }
        state.link.subscribed = Subscribed::Since(now);
        let reopened = state.link.closed_since.take().is_some();
        let setup = &state.setup;
        let queue = setup.from;
        let subscription = Subscription {
            consumer,
            prefetch: match state.breaker {
                BreakerState::HalfOpen => 1,
                _ => setup.prefetch,
            },
            priority: setup.priority,
            channel: setup.channel,
            channel_prefetch: setup.channel_prefetch.unwrap_or(0),
            automatic: setup.ack == AckMoment::Automatic,
        };
        if !self.broker.queue_exists(queue) {
            // Clients declare the queue that they consume from.
            self.broker.declare(now, queue);
        }
        let mut out = std::mem::take(&mut self.out);
        self.broker.subscribe(now, queue, subscription, &mut out);
        self.out = out;
        let opened =
            reopened.then(|| self.emit(EventKind::ChannelOpened { queue, consumer }, cause));
        self.follow(queue, opened.or(cause));
    }

    /// Pushes what may be pushed, message by message: a consumer that acknowledges a message as it gets it makes room
    /// for the next before another consumer's turn comes.
    pub(super) fn push(&mut self, queue: QueueId, cause: Option<Ordinal>) {
        if !self.broker.queue(queue).pushes() {
            return;
        }
        let now = self.now();
        loop {
            let mut out = std::mem::take(&mut self.out);
            let pushed = self.broker.push_next(now, queue, &mut out);
            self.out = out;
            self.follow(queue, cause);
            if !pushed {
                return;
            }
        }
    }

    /// The broker closed the channel of a consumer, which subscribes anew after a pause. Its handlers go on; what they
    /// settle, the new channel does not know.
    pub(super) fn channel_closed(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        state.channel += 1;
        state.link = Link {
            subscribed: Subscribed::No,
            closed_since: Some(now),
            waits: true,
        };
        let item = Item::Reconnects {
            consumer: consumer.0,
            channel: state.channel,
        };
        let order = u32::from(consumer.0);
        self.list
            .plan(now + RECONNECT, Phase::Actors, order, item, Some(cause));
    }

    pub(super) fn reconnects(&mut self, consumer: u16, channel: u32, cause: Option<Ordinal>) {
        let state = &mut self.consumers[usize::from(consumer)];
        if state.channel == channel && state.link.waits {
            state.link.waits = false;
            self.receive(ConsumerId(consumer), cause);
        }
    }

    /// The consumer's process is gone. What was pushed to it comes back, if the broker learns of it.
    pub(super) fn disconnect(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let state = &self.consumers[consumer.index()];
        if state.cut_off_by.is_some() {
            return;
        }
        let (now, queue) = (self.now(), state.setup.from);
        let mut out = std::mem::take(&mut self.out);
        self.broker.disconnect(now, queue, consumer, &mut out);
        self.out = out;
        self.follow(queue, Some(cause));
    }

    /// The connection that a consumer had before it was cut off is found to be lost: the channel is closed, and may be
    /// opened anew at once. RabbitMQ notices that earlier, when heartbeats are missed for long enough.
    pub(super) fn lose_connection(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let queue = self.consumers[consumer.index()].setup.from;
        self.close_channel(consumer, CloseReason::ConnectionLost, cause);
        let state = &mut self.consumers[consumer.index()];
        state.link.waits = false;
        if !matches!(
            state.status,
            ConsumerStatus::Running | ConsumerStatus::Paused
        ) {
            state.link = Link::default();
        }
        self.plan_queue(queue, Some(cause));
    }

    pub(super) fn close_channel(
        &mut self,
        consumer: ConsumerId,
        reason: CloseReason,
        cause: Ordinal,
    ) {
        let (now, queue) = (self.now(), self.consumers[consumer.index()].setup.from);
        let mut out = std::mem::take(&mut self.out);
        self.broker
            .close_channel(now, queue, consumer, reason, &mut out);
        self.out = out;
        self.follow(queue, Some(cause));
    }

    /// Whether a message was pushed on a channel that is closed by now.
    pub(super) fn is_of_closed_channel(&self, consumer: ConsumerId, held: &Held) -> bool {
        let channel = self.consumers[consumer.index()].channel;
        held.channel.is_some_and(|its| its != channel)
    }

    /// A call about a delivery comes to nothing, for its channel is closed.
    pub(super) fn tell_unknown(
        &mut self,
        consumer: ConsumerId,
        held: Held,
        call: SettleCall,
        cause: Option<Ordinal>,
    ) {
        let message = self.messages.get(held.message).number;
        let queue = held.receipt.queue;
        let kind = match call {
            SettleCall::Ack | SettleCall::Reject => EventKind::AckStale {
                message,
                queue,
                consumer,
                refused: true,
            },
            SettleCall::Extend { .. } => return,
            _ => EventKind::Nacked {
                message,
                queue,
                consumer,
                visible_at: self.now(),
                stale: true,
            },
        };
        self.emit(kind, cause);
    }

    /// Subscribes anew when what the subscription says was changed. What was handed out stays handed out.
    pub(super) fn renew_subscription(
        &mut self,
        consumer: ConsumerId,
        change: &ConsumerChange,
        cause: Ordinal,
    ) {
        if !self.pushes_to(consumer) {
            return;
        }
        match change {
            ConsumerChange::ByHand(true) => self.cancel_subscription(consumer, cause),
            ConsumerChange::Prefetch(_)
            | ConsumerChange::Priority(_)
            | ConsumerChange::ChannelPrefetch(_)
            | ConsumerChange::Ack(_) => {
                self.forget_subscription(consumer);
                self.receive(consumer, Some(cause));
            }
            _ => {}
        }
    }

    /// Ends a subscription; what was handed out stays in hand. The broker learns it at once, and not at all while the
    /// network is cut.
    pub(super) fn cancel_subscription(&mut self, consumer: ConsumerId, cause: Ordinal) {
        if !self.pushes_to(consumer) {
            return;
        }
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        state.link.subscribed = Subscribed::No;
        let queue = state.setup.from;
        if state.cut_off_by.is_none() {
            let mut out = std::mem::take(&mut self.out);
            self.broker.cancel(now, queue, consumer, &mut out);
            self.out = out;
            self.follow(queue, Some(cause));
        }
    }

    /// Makes the next receive a call that replaces the subscription.
    pub(super) fn forget_subscription(&mut self, consumer: ConsumerId) {
        let link = &mut self.consumers[consumer.index()].link;
        if link.subscribed != Subscribed::Asked {
            link.subscribed = Subscribed::No;
        }
    }

    /// Follows a change of hand-over: consumers subscribe in place of receiving, or the other way round. What is out
    /// stays as it was handed out: under its lease, or with its channel until it is settled or the channel closes.
    pub(super) fn follow_hand_over(&mut self, queue: QueueId, pushed: bool, cause: Ordinal) {
        let pushes = self.broker.queue(queue).pushes();
        if pushes == pushed {
            return;
        }
        for index in 0..self.consumers.len() {
            if self.consumers[index].setup.from != queue {
                continue;
            }
            let consumer = ConsumerId(index as u16);
            self.withdraw(consumer);
            let state = &mut self.consumers[index];
            state.receiving = false;
            state.asked = None;
            state.polling = false;
            state.link = Link::default();
            self.receive(consumer, Some(cause));
        }
    }

    pub(super) fn channel_view(&self, consumer: ConsumerId) -> Option<ChannelView> {
        let state = &self.consumers[consumer.index()];
        let (unacked, _) = self.broker.channel(state.setup.from, consumer);
        if !self.pushes_to(consumer) && unacked == 0 {
            return None;
        }
        Some(ChannelView {
            unacked,
            open_since: match state.link.subscribed {
                Subscribed::Since(since) => Some(since),
                _ => None,
            },
            closed_since: state.link.closed_since,
        })
    }

    /// Why a consumer of a queue that pushes is handed nothing, if that is its subscription's doing.
    pub(super) fn idle_reason_of_push(&self, consumer: ConsumerId) -> Option<IdleReason> {
        if !self.pushes_to(consumer) {
            return None;
        }
        let state = &self.consumers[consumer.index()];
        let subscribers = self.broker.subscribers(state.setup.from);
        let own = subscribers
            .iter()
            .find(|it| it.subscription.consumer == consumer);
        match (state.link.subscribed, own) {
            (Subscribed::No, _) if state.link.waits => Some(IdleReason::ChannelClosed),
            (Subscribed::Asked, _) => Some(IdleReason::Network),
            (_, Some(own)) if !own.active => Some(IdleReason::Standby),
            (_, Some(own)) if !own.has_room => Some(IdleReason::PrefetchFull),
            _ => None,
        }
    }

    pub(super) fn subscriber_views(&self, queue: QueueId) -> Vec<SubscriberView> {
        let subscribers = self.broker.subscribers(queue).into_iter();
        let views = subscribers.map(|it| SubscriberView {
            consumer: it.subscription.consumer,
            priority: it.subscription.priority,
            prefetch: it.subscription.prefetch,
            unacked: self.broker.channel(queue, it.subscription.consumer).0,
            active: it.active,
            has_room: it.has_room,
        });
        views.collect()
    }
}
