//! What the broker did, told as events, and what follows from it.

use super::consumer::Held;
use super::consuming::REFUSED_PAUSE;
use super::event_list::{Item, Phase};
use super::travelling::{Parcel, ParcelKind};
use super::{DeadLetter, Simulation};
use crate::engine::broker::{Happening, HappeningKind, MessageKey};
use crate::engine::chance::{Purpose, delivery_index, draw};
use crate::engine::event::{EventKind, Ordinal, RequeueReason};
use crate::engine::id::{ConsumerId, QueueId};
use crate::engine::rules::HandOver;
use crate::engine::time::Micros;

impl Simulation {
    /// Deliveries of one queue at one instant.
    pub(super) fn deliver(&mut self, queue: QueueId, cause: Option<Ordinal>) {
        self.push(queue, cause);
        self.queues[queue.index()].deliver_planned = false;
        let now = self.now();
        let mut out = std::mem::take(&mut self.out);
        self.broker.deliver(now, queue, &mut out);
        self.out = out;
        self.follow(queue, cause);
    }

    /// Fires what is due at a queue: leases, delays, retention, waits. An entry of the list that an earlier timer has
    /// overtaken does nothing: were it to plan the next timer again, such entries would never die out.
    pub(super) fn timer(&mut self, queue: QueueId) {
        let now = self.now();
        if self.queues[queue.index()].timer_at != Some(now) {
            return;
        }
        self.queues[queue.index()].timer_at = None;
        let mut out = std::mem::take(&mut self.out);
        self.broker.advance(now, queue, &mut out);
        self.out = out;
        self.follow(queue, None);
    }

    /// After any call to the broker about `queue`: tells what happened, lets consumers act on it, plans deliveries
    /// and the queue's next timer.
    pub(super) fn follow(&mut self, queue: QueueId, mut cause: Option<Ordinal>) {
        let mut happenings = std::mem::take(&mut self.out);
        let mut woken: Vec<(ConsumerId, Ordinal)> = Vec::new();
        let mut latest = cause;
        let mut elsewhere: Option<QueueId> = None;
        for happening in happenings.drain(..) {
            let ordinal = self.tell(happening, cause, &mut woken);
            latest = ordinal.or(latest);
            match happening.kind {
                // What comes back with a channel comes back because it closed.
                HappeningKind::ChannelClosed { .. } => cause = ordinal,
                HappeningKind::DeadLettered { to, .. } | HappeningKind::Redriven { to } => {
                    // A queue's messages go to one or few others; a repeated one is planned once all the same.
                    if elsewhere != Some(to) {
                        self.plan_queue(to, ordinal);
                    }
                    elsewhere = Some(to);
                }
                _ => {}
            }
        }
        // The buffer is reused; calls made from here fill it anew.
        if self.out.is_empty() {
            self.out = happenings;
        }
        self.plan_queue(queue, latest);
        for (consumer, cause) in woken {
            if self.crash_when_full(consumer, cause) {
                continue;
            }
            self.start_handlers(consumer);
            self.receive(consumer, Some(cause));
        }
    }

    /// Plans what a queue has to do next: deliveries at this instant, its next timer, a look for starvation.
    pub(super) fn plan_queue(&mut self, queue: QueueId, cause: Option<Ordinal>) {
        let now = self.now();
        let order = u32::from(queue.0);
        self.track_ready(queue);
        if !self.queues[queue.index()].deliver_planned && self.broker.wants_deliver(queue) {
            self.queues[queue.index()].deliver_planned = true;
            self.list
                .plan(now, Phase::Deliveries, order, Item::Deliver(queue.0), cause);
        }
        if let Some(next) = self.broker.next_timer(queue) {
            // A head that changed may be over its time already.
            let next = next.max(now);
            let planned = self.queues[queue.index()].timer_at;
            if planned.is_none_or(|planned| next < planned || planned < now) {
                self.queues[queue.index()].timer_at = Some(next);
                self.list
                    .plan(next, Phase::Timers, order, Item::Timer(queue.0), None);
            }
        }
        self.plan_starvation_check(queue);
    }

    fn tell(
        &mut self,
        happening: Happening,
        cause: Option<Ordinal>,
        woken: &mut Vec<(ConsumerId, Ordinal)>,
    ) -> Option<Ordinal> {
        let queue = happening.queue;
        let Some(key) = happening.message else {
            return self.tell_of_no_message(queue, happening.kind, cause, woken);
        };
        let message = self.messages.get(key).number;
        let latest = self.messages.progress(key).latest;
        let kind = match happening.kind {
            HappeningKind::Delivered { .. } => {
                return Some(self.tell_delivery(key, happening, latest.or(cause), woken));
            }
            HappeningKind::EmptyReceive { .. }
            | HappeningKind::ReceiveRefused { .. }
            | HappeningKind::SessionAccepted { .. }
            | HappeningKind::SessionClosed { .. }
            | HappeningKind::ChannelClosed { .. }
            | HappeningKind::QueueDeleted => return None,
            HappeningKind::Acked { consumer } => {
                self.totals.acked += 1;
                EventKind::Acked {
                    message,
                    queue,
                    consumer,
                }
            }
            HappeningKind::Claimed { consumer, from } => EventKind::Claimed {
                message,
                queue,
                consumer,
                from,
            },
            HappeningKind::Requeued { consumer, reason } => EventKind::Requeued {
                message,
                queue,
                consumer,
                reason,
            },
            HappeningKind::Exhausted {
                deliveries,
                archived,
                reason,
            } => EventKind::Exhausted {
                message,
                queue,
                deliveries,
                archived,
                reason,
            },
            HappeningKind::DeadLetterKept { reason } => EventKind::DeadLetterKept {
                message,
                queue,
                reason,
            },
            HappeningKind::LostInRestart => EventKind::LostInRestart { message, queue },
            HappeningKind::BecameVisible => EventKind::BecameVisible { message, queue },
            HappeningKind::TimeoutEnded { consumer, delivery } => EventKind::TimeoutEnded {
                message,
                queue,
                consumer: Some(consumer),
                delivery,
            },
            HappeningKind::Returned => EventKind::Returned { message, queue },
            HappeningKind::DeadLettered {
                to,
                reason,
                deliveries,
            } => {
                self.totals.dead_lettered += 1;
                let at = self.now();
                self.dead.insert(
                    key.0,
                    DeadLetter {
                        reason,
                        at,
                        from: queue,
                        to,
                        deliveries,
                    },
                );
                EventKind::DeadLettered {
                    message,
                    from: queue,
                    to,
                    reason,
                    deliveries,
                }
            }
            HappeningKind::Dropped { reason, .. } => {
                self.totals.dropped += 1;
                EventKind::Dropped {
                    message,
                    queue,
                    reason,
                }
            }
            HappeningKind::Expired => {
                self.totals.expired += 1;
                EventKind::Expired { message, queue }
            }
            HappeningKind::Purged => {
                self.totals.purged += 1;
                EventKind::Purged { message, queue }
            }
            HappeningKind::Discarded { reason } => {
                self.totals.discarded += 1;
                self.messages.get_mut(key).set_discarded();
                EventKind::Discarded {
                    message,
                    queue,
                    reason,
                }
            }
            HappeningKind::Redriven { to } => {
                self.dead.remove(key.0);
                EventKind::Redriven {
                    message,
                    from: queue,
                    to,
                }
            }
        };
        let removed = matches!(
            kind,
            EventKind::Acked { .. }
                | EventKind::Dropped { .. }
                | EventKind::Expired { .. }
                | EventKind::Purged { .. }
                | EventKind::Discarded { .. }
                | EventKind::LostInRestart { .. }
                | EventKind::Exhausted { archived: true, .. }
        );
        // A command's consequence names the command; what follows from the message's own past names that. Timeouts
        // have a cause from outside only when a command ends them.
        let by_command = matches!(
            kind,
            EventKind::Purged { .. }
                | EventKind::Discarded { .. }
                | EventKind::Redriven { .. }
                | EventKind::LostInRestart { .. }
                | EventKind::Requeued {
                    reason: RequeueReason::BrokerRestarted,
                    ..
                }
                | EventKind::TimeoutEnded { .. }
                | EventKind::Returned { .. }
                | EventKind::Requeued { .. }
        ) && cause.is_some();
        let ordinal = self.emit(kind, if by_command { cause } else { latest.or(cause) });
        if removed {
            // Somebody may still work on what is removed here.
            if self.dead.get(key.0).is_some_and(|dead| dead.to == queue) {
                self.dead.remove(key.0);
            }
            self.release(key);
        } else if latest.is_some() {
            self.messages.note(key, ordinal);
        }
        Some(ordinal)
    }

    /// What concerns a queue or a consumer, and no message.
    fn tell_of_no_message(
        &mut self,
        queue: QueueId,
        kind: HappeningKind,
        cause: Option<Ordinal>,
        woken: &mut Vec<(ConsumerId, Ordinal)>,
    ) -> Option<Ordinal> {
        let kind = match kind {
            HappeningKind::EmptyReceive { consumer } => {
                self.totals.empty_receives += 1;
                self.consumers[consumer.index()].empty_receives += 1;
                let ordinal = self.emit(EventKind::EmptyReceive { queue, consumer }, cause);
                self.empty_receive(consumer, Micros::ZERO, ordinal, woken);
                return Some(ordinal);
            }
            HappeningKind::ReceiveRefused { consumer } => {
                let ordinal = self.emit(EventKind::ReceiveRefused { queue, consumer }, cause);
                self.empty_receive(consumer, REFUSED_PAUSE, ordinal, woken);
                return Some(ordinal);
            }
            HappeningKind::SessionAccepted { group, consumer } => EventKind::SessionAccepted {
                queue,
                group,
                consumer,
            },
            HappeningKind::SessionClosed {
                group,
                consumer,
                lost,
            } => EventKind::SessionClosed {
                queue,
                group,
                consumer,
                lost,
            },
            HappeningKind::ChannelClosed { consumer, reason } => {
                let closed = EventKind::ChannelClosed {
                    queue,
                    consumer,
                    reason,
                };
                let closed = self.emit(closed, cause);
                self.channel_closed(consumer, closed);
                return Some(closed);
            }
            HappeningKind::QueueDeleted => EventKind::QueueDeleted { queue },
            _ => return None,
        };
        Some(self.tell_session(kind, cause))
    }

    fn tell_delivery(
        &mut self,
        key: MessageKey,
        happening: Happening,
        cause: Option<Ordinal>,
        woken: &mut Vec<(ConsumerId, Ordinal)>,
    ) -> Ordinal {
        let HappeningKind::Delivered {
            consumer,
            receipt,
            delivery,
            hidden_until,
            ready_since,
            automatic,
        } = happening.kind
        else {
            return self.ordinal();
        };
        let queue = happening.queue;
        let now = self.now();
        self.totals.deliveries += 1;
        let progress = self.messages.progress_mut(key);
        progress.deliveries = progress.deliveries.saturating_add(1);
        let attempt = progress.deliveries;
        self.totals.duplicate_deliveries += u64::from(attempt > 1);
        let message = *self.messages.get(key);
        let number = message.number;
        let ordinal = self.emit(
            EventKind::Delivered {
                message: number,
                queue,
                consumer,
                delivery,
                hidden_until,
            },
            cause,
        );
        self.messages.note(key, ordinal);
        self.measure_delivery(queue, &message, attempt == 1, now - ready_since, ordinal);
        let state = &mut self.consumers[consumer.index()];
        let call = match self.broker.queue(queue).rules.hand_over {
            HandOver::Push => u64::MAX - ordinal.0,
            HandOver::Lease | HandOver::Pending => state.calls,
        };
        state.receiving = false;
        state.asked = None;
        self.session_works(queue, consumer, message.group());
        let pushes = self.broker.queue(queue).pushes();
        let state = &self.consumers[consumer.index()];
        let channel = pushes.then_some(state.channel);
        if woken.last().is_none_or(|(last, _)| *last != consumer) {
            woken.push((consumer, ordinal));
        }
        let held = Held {
            message: key,
            receipt,
            delivery,
            call,
            attempt,
            delivered_at: now,
            delivered_event: ordinal,
            hidden_until,
            may_not_extend: false,
            acked: automatic,
            channel,
        };
        let index = delivery_index(number.0, attempt);
        let lose = draw(self.setup.seed, state.stream, Purpose::LoseResponse, index);
        let generation = state.generation;
        let kind = ParcelKind::Delivery {
            consumer,
            generation,
            held,
        };
        let delay = self.network.delivery_delay;
        let cut_off_by = state.cut_off_by;
        if cut_off_by.is_some() || self.network.lose_response.happens(lose) {
            let lost = EventKind::ResponseLost {
                message: number,
                queue,
                consumer,
            };
            let lost = self.emit(lost, cut_off_by.or(Some(ordinal)));
            self.note_under_lease(&held, lost);
            self.show_lost(key, kind, delay);
        } else if delay > Micros::ZERO {
            self.messages.add_reference(key);
            self.consumers[consumer.index()].arriving += 1;
            self.dispatch(
                Parcel { message: key, kind },
                delay,
                Phase::Deliveries,
                ordinal,
            );
        } else {
            self.messages.add_reference(key);
            self.take(consumer, held, ordinal);
        }
        ordinal
    }

    /// Gives up a reference to a message; when it was the last, the message is nowhere any more.
    pub(super) fn release(&mut self, key: MessageKey) {
        let Some((message, progress)) = self.messages.drop_reference(key) else {
            return;
        };
        self.dead.remove(key.0);
        let settled = message.handled() || message.discarded();
        if message.accepted() && progress.effects == 0 && !settled {
            self.totals.lost += 1;
        }
    }
}
