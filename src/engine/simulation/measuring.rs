//! What is measured while a run goes on: effects, order, waits, idleness and starvation.

use super::Simulation;
use super::event_list::{Item, Phase};
use super::messages::Message;
use crate::engine::broker::{MessageKey, WaitingLane};
use crate::engine::event::{EventKind, Ordinal};
use crate::engine::id::{ConsumerId, GroupId, MessageNumber, QueueId};
use crate::engine::order::positions_in_order;
use crate::engine::setup::QueueKind;
use crate::engine::snapshot::{Counts, EffectView, Snapshot};
use crate::engine::time::Micros;

/// Deliveries whose median wait a starving group is compared with.
const WAITS: usize = 20;

impl Simulation {
    /// Whether the order of a message counts: within its group, and on a FIFO queue without one too.
    fn has_order(&self, queue: QueueId, message: &Message) -> bool {
        message.group().is_some() || self.broker.queue(queue).kind == QueueKind::Fifo
    }

    /// Measures a delivery, the message's `first` or a later one, that came after `wait`; `ordinal` is its event.
    pub(super) fn measure_delivery(
        &mut self,
        queue: QueueId,
        message: &Message,
        first: bool,
        wait: Micros,
        ordinal: Ordinal,
    ) {
        let state = &mut self.queues[queue.index()];
        if state.waits.len() == WAITS {
            state.waits.pop_front();
        }
        state.waits.push_back(wait);
        let lane = state.lane_mut(message.group());
        lane.max_wait = wait.max(lane.max_wait);
        lane.last_wait = wait;
        if first && self.has_order(queue, message) {
            let lane = self.queues[queue.index()].lane_mut(message.group());
            let before = lane.delivered_up_to;
            lane.delivered_up_to = before.max(message.number.0);
            if before > message.number.0 {
                self.totals.delivered_out_of_order += 1;
                let before = MessageNumber(before);
                let message = message.number;
                self.emit(
                    EventKind::DeliveredOutOfOrder {
                        message,
                        queue,
                        before,
                    },
                    Some(ordinal),
                );
            }
        }
        self.end_starvation(queue, message.group(), ordinal);
    }

    /// Applies the effect of a message.
    pub(super) fn effect(&mut self, consumer: ConsumerId, key: MessageKey, cause: Ordinal) {
        let now = self.now();
        let amount = self.amount(key);
        let progress = self.messages.progress_mut(key);
        progress.effects = progress.effects.saturating_add(1);
        let nth = progress.effects;
        let message = *self.messages.get(key);
        self.totals.effects += 1;
        self.totals.amount += u64::from(amount);
        let number = message.number;
        let ordinal = self.emit(
            EventKind::Effect {
                message: number,
                consumer,
                nth,
                amount,
            },
            Some(cause),
        );
        let token = self.token_of(key);
        let effect = EffectView {
            token,
            consumer,
            at: now,
            nth,
            amount,
        };
        keep(&mut self.effects, effect);
        if nth > 1 {
            self.totals.duplicate_effects += 1;
            return keep(&mut self.duplicates, effect);
        }
        self.latency.add(now - message.sent_at);
        let queue = self.consumers[consumer.index()].setup.from;
        if self.has_order(queue, &message) {
            let lane = self.queues[queue.index()].lane_mut(message.group());
            let before = lane.effects_up_to;
            lane.effects_up_to = before.max(number.0);
            if before > number.0 {
                self.totals.out_of_order += 1;
                let kind = EventKind::FinishedOutOfOrder {
                    message: number,
                    group: message.group(),
                    before: MessageNumber(before),
                };
                self.emit(kind, Some(ordinal));
            }
        }
    }

    /// Notes since when the queue has had ready messages without a break, and how many there were at most.
    pub(super) fn track_ready(&mut self, queue: QueueId) {
        let now = self.now();
        let ready = self.broker.counts(queue).ready;
        let counted = if self.is_dead_letter_queue(queue) {
            0
        } else {
            ready
        };
        self.backlog
            .change(now, self.queues[queue.index()].counted, counted);
        let state = &mut self.queues[queue.index()];
        state.counted = counted;
        match (ready > 0, state.ready_from) {
            (true, None) => state.ready_from = Some(now),
            (false, Some(from)) => {
                state.ready_time += now - from;
                state.ready_from = None;
            }
            _ => {}
        }
    }

    /// Time up to now in which the queue had ready messages.
    pub(super) fn ready_time(&self, queue: QueueId) -> Micros {
        let state = &self.queues[queue.index()];
        state.ready_from.map_or(state.ready_time, |from| {
            state.ready_time + (self.now() - from)
        })
    }

    pub(super) fn idle_begins(&mut self, consumer: ConsumerId) {
        let now = self.now();
        let mark = self.ready_time(self.consumers[consumer.index()].setup.from);
        let state = &mut self.consumers[consumer.index()];
        if state.is_running() && state.idle_since.is_none() {
            state.idle_since = Some(now);
            state.idle_mark = mark;
        }
    }

    pub(super) fn idle_ends(&mut self, consumer: ConsumerId) {
        let ready = self.ready_time(self.consumers[consumer.index()].setup.from);
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        if let Some(since) = state.idle_since.take() {
            state.idle += now - since;
            state.idle_while_waiting += ready - state.idle_mark;
        }
    }

    /// Whether another queue dead-letters into this one.
    pub(super) fn is_dead_letter_queue(&self, queue: QueueId) -> bool {
        let mut queues = (0..self.queues.len()).map(|index| QueueId(index as u16));
        queues.any(|other| self.broker.queue(other).dead_letter_queue == Some(queue))
    }

    /// How long the oldest message of a lane of this queue may wait before it starves.
    fn patience(&self, queue: QueueId) -> Micros {
        let waits = &self.queues[queue.index()].waits;
        let rule = self.setup.starvation;
        let order = positions_in_order(waits.iter().map(|wait| (wait.0, 0)));
        let middle = order.get(order.len() / 2).and_then(|&at| waits.get(at));
        let median = middle.copied().unwrap_or(Micros::ZERO);
        rule.min_wait.max(median.scaled(u64::from(rule.factor), 1))
    }

    /// Plans a look at the queue for when its oldest message may start to starve.
    pub(super) fn plan_starvation_check(&mut self, queue: QueueId) {
        if self.queues[queue.index()].check_planned {
            return;
        }
        let now = self.now();
        let counts = self.broker.counts(queue);
        let starving = self.queues[queue.index()].starving > 0;
        if (counts.ready == 0 && !starving) || self.is_dead_letter_queue(queue) {
            return;
        }
        self.queues[queue.index()].check_planned = true;
        let at = now + self.setup.starvation.min_wait.max(Micros(1));
        let item = Item::StarvationCheck(queue.0);
        self.list
            .plan(at, Phase::Timers, u32::from(queue.0), item, None);
    }

    /// Looks over the lanes of a queue that have waiting messages.
    pub(super) fn starvation_check(&mut self, queue: QueueId) {
        let now = self.now();
        self.queues[queue.index()].check_planned = false;
        let patience = self.patience(queue);
        let least = self.setup.starvation.min_wait.max(Micros(1));
        let mut next: Option<Micros> = None;
        let lanes: Vec<WaitingLane> = self.broker.waiting_lanes(queue).collect();
        self.end_starvation_of_settled(queue, &lanes, patience);
        for lane in lanes {
            let WaitingLane {
                group,
                oldest,
                since,
                locked_by,
            } = lane;
            let state = &mut self.queues[queue.index()];
            if state.lane(group).starving_since.is_some() {
                continue;
            }
            if now - since >= patience {
                state.lane_mut(group).starving_since = Some(since);
                state.starving += 1;
                // A locked group waits for what became of the message that locks it.
                let holder = locked_by.unwrap_or(oldest);
                let cause = self.messages.progress(holder).latest;
                let oldest = self.messages.get(oldest).number;
                self.emit(
                    EventKind::StarvationBegan {
                        queue,
                        group,
                        oldest,
                        since,
                    },
                    cause,
                );
            } else {
                let due = since + patience;
                next = Some(next.map_or(due, |next| next.min(due)));
            }
        }
        let Some(next) = next else {
            return self.plan_starvation_check(queue);
        };
        // The median moves with every delivery: look again soon when it, not the least wait, decides.
        let soon = if patience > least {
            now + Micros::from_secs(1)
        } else {
            next
        };
        self.queues[queue.index()].check_planned = true;
        let at = next.min(soon).max(now + Micros::from_millis(1));
        let item = Item::StarvationCheck(queue.0);
        self.list
            .plan(at, Phase::Timers, u32::from(queue.0), item, None);
    }

    /// A delivery ends the starvation of its lane, unless the next oldest message has waited as long.
    fn end_starvation(&mut self, queue: QueueId, group: Option<GroupId>, cause: Ordinal) {
        let lane = match self.broker.queue(queue).kind {
            QueueKind::Standard => None,
            QueueKind::Fifo => group,
        };
        let state = &self.queues[queue.index()];
        if state.lane(lane).starving_since.is_none() {
            return;
        }
        let oldest = self
            .broker
            .waiting_lanes(queue)
            .find(|waiting| waiting.group == lane);
        match oldest.filter(|it| self.now() - it.since >= self.patience(queue)) {
            Some(oldest) => {
                let lane = self.queues[queue.index()].lane_mut(lane);
                lane.starving_since = Some(oldest.since);
            }
            None => self.starves_no_more(queue, lane, Some(cause)),
        }
    }

    fn starves_no_more(&mut self, queue: QueueId, group: Option<GroupId>, cause: Option<Ordinal>) {
        let state = &mut self.queues[queue.index()];
        state.lane_mut(group).starving_since = None;
        state.starving -= 1;
        self.emit(EventKind::StarvationEnded { queue, group }, cause);
    }

    /// Ends the starvation of lanes that were emptied otherwise: by expiry, a purge, or a move.
    fn end_starvation_of_settled(
        &mut self,
        queue: QueueId,
        lanes: &[WaitingLane],
        patience: Micros,
    ) {
        let now = self.now();
        let mut starving = vec![false; self.queues[queue.index()].lanes.len()];
        for lane in lanes.iter().filter(|lane| now - lane.since >= patience) {
            let index = lane.group.map_or(0, |group| group.index() + 1);
            if let Some(starving) = starving.get_mut(index) {
                *starving = true;
            }
        }
        for (index, starves) in starving.into_iter().enumerate() {
            let lane = self.queues[queue.index()].lanes[index];
            if lane.starving_since.is_some() && !starves {
                let group = index.checked_sub(1).map(|group| GroupId(group as u32));
                self.starves_no_more(queue, group, None);
            }
        }
    }
}

/// Ready messages over all queues but dead-letter queues. A message that is delivered at the instant at which it became
/// ready never waited, so only what an instant ends with counts.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Backlog {
    now: u64,
    changed_at: Micros,
    highest: u64,
}

impl Backlog {
    /// A queue has `ready` messages in place of `before`.
    fn change(&mut self, at: Micros, before: u64, ready: u64) {
        if before == ready {
            return;
        }
        self.highest = self.highest_at(at, false);
        self.changed_at = at;
        self.now = (self.now + ready).saturating_sub(before);
    }

    /// The highest up to `at`, whose own value counts if that instant is `over`.
    fn highest_at(&self, at: Micros, over: bool) -> u64 {
        if over || at > self.changed_at {
            self.highest.max(self.now)
        } else {
            self.highest
        }
    }
}

fn keep(list: &mut std::collections::VecDeque<EffectView>, effect: EffectView) {
    if list.len() == Snapshot::EFFECTS {
        list.pop_front();
    }
    list.push_back(effect);
}

/// Numbers that claims ask for.
impl Simulation {
    /// The counts of every queue.
    pub(in crate::engine) fn all_counts(&self) -> impl Iterator<Item = (QueueId, Counts)> {
        let queues = (0..self.queues.len()).map(|index| QueueId(index as u16));
        queues.map(|queue| (queue, self.broker.counts(queue)))
    }

    /// From first send to first effect: the span that `percent` of all messages with an effect do not exceed.
    pub fn latency(&self, percent: u8) -> Option<Micros> {
        self.latency.percentile(percent)
    }

    /// The longest wait of a ready message of this queue and group (of any, where none is named), the present wait of
    /// waiting messages included.
    pub fn max_wait(&self, queue: Option<QueueId>, group: Option<GroupId>) -> Option<Micros> {
        let queues = (0..self.queues.len()).map(|index| QueueId(index as u16));
        let wanted = queues.filter(|it| queue.is_none_or(|queue| queue == *it));
        let wanted_group = |it: &Option<GroupId>| group.is_none() || *it == group;
        let waits = wanted.flat_map(|queue| {
            let past = self.queues[queue.index()].lanes.iter().enumerate();
            let past = past.map(|(index, lane)| {
                let group = index.checked_sub(1).map(|group| GroupId(group as u32));
                (group, lane.max_wait)
            });
            let past = past
                .filter(|(it, _)| wanted_group(it))
                .map(|(_, wait)| wait);
            let lanes = self.broker.waiting_lanes(queue);
            let present = lanes
                .filter(|lane| wanted_group(&lane.group))
                .map(|lane| self.now() - lane.since);
            past.chain(present).collect::<Vec<_>>()
        });
        waits.max()
    }

    /// Groups, or standard queues, that starve now, of this queue or of all.
    pub fn starving(&self, queue: Option<QueueId>) -> u64 {
        let all = self.queues.iter().enumerate();
        let wanted = all.filter(|(index, _)| queue.is_none_or(|queue| queue.index() == *index));
        wanted.map(|(_, state)| u64::from(state.starving)).sum()
    }

    /// Time in which this consumer (all, where none is named) was idle while its queue had ready messages.
    pub fn idle_while_waiting(&self, consumer: Option<ConsumerId>) -> Option<Micros> {
        let all = self.consumers.iter().enumerate();
        let wanted = all.filter(|(index, _)| consumer.is_none_or(|it| it.index() == *index));
        wanted
            .map(|(_, state)| {
                let idle_now = state.idle_since.map_or(Micros::ZERO, |_| {
                    self.ready_time(state.setup.from) - state.idle_mark
                });
                state.idle_while_waiting + idle_now
            })
            .reduce(|sum, time| sum + time)
    }

    /// Receives of this consumer, or of all, that ended empty.
    pub fn empty_receives(&self, consumer: Option<ConsumerId>) -> u64 {
        match consumer {
            None => self.totals.empty_receives,
            Some(consumer) => {
                let state = self.consumers.get(consumer.index());
                state.map_or(0, |state| state.empty_receives)
            }
        }
    }

    /// Messages that this consumer, or all that have not crashed, have in hand.
    pub fn held(&self, consumer: Option<ConsumerId>) -> u64 {
        let all = self.consumers.iter().enumerate();
        let wanted = all.filter(|(index, _)| consumer.is_none_or(|it| it.index() == *index));
        wanted.map(|(_, state)| state.in_hand() as u64).sum()
    }

    /// For how long the oldest ready message of this queue, or of any, has been ready.
    pub fn oldest_wait(&self, queue: Option<QueueId>) -> Option<Micros> {
        let queues = (0..self.queues.len()).map(|index| QueueId(index as u16));
        let wanted = queues.filter(|it| queue.is_none_or(|queue| queue == *it));
        let since = wanted.filter_map(|queue| self.broker.oldest_ready_since(queue));
        since.min().map(|since| self.now() - since)
    }

    /// Time in which this consumer was running and had nothing to do, or that of all, summed.
    pub fn idle_of(&self, consumer: Option<ConsumerId>) -> Micros {
        let now = self.now();
        let all = self.consumers.iter().enumerate();
        let wanted = all.filter(|(index, _)| consumer.is_none_or(|it| it.index() == *index));
        wanted.fold(Micros::ZERO, |sum, (_, state)| {
            let present = state.idle_since.map_or(Micros::ZERO, |since| now - since);
            sum + state.idle + present
        })
    }

    /// Time in which consumers were running and had nothing to do, summed over them.
    pub(super) fn idle_time(&self) -> Micros {
        self.idle_of(None)
    }

    /// The most messages that were ready at the end of an instant; the present one counts once it is over.
    pub(super) fn max_backlog(&self) -> u64 {
        let over = self.next_at() != Some(self.now());
        self.backlog.highest_at(self.now(), over)
    }

    /// Share of worker time spent in handlers since the start, by this consumer or by all.
    pub fn utilisation(&self, consumer: Option<ConsumerId>) -> Option<f64> {
        let now = self.now();
        let all = self.consumers.iter().enumerate();
        let wanted = all.filter(|(index, _)| consumer.is_none_or(|it| it.index() == *index));
        let (busy, possible) = wanted.fold((0.0, 0.0), |(busy, possible), (_, state)| {
            let time = (now - state.started_at).as_secs_f64() * f64::from(state.setup.workers);
            (busy + state.busy_until(now).as_secs_f64(), possible + time)
        });
        (possible > 0.0).then(|| busy / possible)
    }

    /// Idempotence keys remembered for the consumers of this queue, or of all.
    pub fn stored_ids(&self, queue: Option<QueueId>) -> u64 {
        let all = self.queues.iter().enumerate();
        let wanted = all.filter(|(index, _)| queue.is_none_or(|queue| queue.index() == *index));
        wanted.map(|(_, state)| state.keys.len() as u64).sum()
    }
}
