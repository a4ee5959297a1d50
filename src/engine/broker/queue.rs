//! One queue: its store, its subscription, and how copies change their state.

use super::aside::Aside;
use super::call::{Incoming, SendOutcome};
use super::channels::Channels;
use super::deduplication::Memory;
use super::expiry::Deadlines;
use super::happening::{Happening, HappeningKind};
use super::lanes::Lanes;
use super::limits::Calls;
use super::order::Order;
use super::pending::PendingList;
use super::ranked::Ranked;
use super::sessions::Sessions;
use super::shards::Shards;
use super::single::MoveList;
use super::store::{State, Store, Stored};
use super::timers::{Timer, Timers};
use super::waiting::Waiting;
use crate::engine::chance;
use crate::engine::event::{DeadLetterReason, RefusalReason};
use crate::engine::id::{ConsumerId, QueueId};
use crate::engine::order::positions_in_order;
use crate::engine::rules::{CountRule, DeadLetterClock, GroupRule, Overflow};
use crate::engine::setup::{QueueKind, QueueSetup};
use crate::engine::snapshot::Counts;
use crate::engine::time::Micros;
use std::collections::BTreeMap;

/// What is not the consumer of anything: fills the field of timers that end a delay.
const NOBODY: ConsumerId = ConsumerId(u16::MAX);

/// A copy on its way from one queue to another.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub to: QueueId,
    pub copy: Stored,
    pub aside: Aside,
    /// A dead letter; otherwise redriven.
    pub is_dead: bool,
    /// Moves of one call that led to this one.
    pub hops: u16,
}

/// One queue.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub id: QueueId,
    pub setup: QueueSetup,
    pub counts: Counts,
    /// Of those delayed, the ones that were returned.
    pub retrying: u64,
    pub seed: u64,
    /// Stream of the queue's draws.
    pub stream: u64,
    /// When it was last called.
    pub clock: Micros,
    pub store: Store,
    pub order: Order,
    pub leases: Timers,
    /// Ends of delays, those of returned messages included.
    pub delays: Timers,
    /// What is held without a timeout.
    pub pending: PendingList,
    /// Messages that are delivered no more.
    pub withheld: Timers,
    pub memory: Memory,
    pub waiting: Waiting,
    pub sessions: Sessions,
    pub calls: Calls,
    pub last_purge: Option<Micros>,
    /// Who is subscribed, if it pushes, and what was pushed.
    pub channels: Channels,
    /// What a redrive with a rate is to move.
    pub move_list: MoveList,
    /// Times to live that are noticed anywhere.
    pub deadlines: Deadlines,
    /// Copies by age, where messages in flight fill the queue.
    pub by_age: BTreeMap<u64, u32>,
    /// Dead letters that have nowhere to go, by when they are tried again.
    pub kept_dead: BTreeMap<(Micros, u64), (u32, DeadLetterReason)>,
    /// Whether there is such a queue.
    pub exists: bool,
    /// Whether its dead-letter queue exists.
    pub has_target: bool,
    /// When somebody received last.
    pub last_use: Micros,
}

impl Queue {
    pub(super) fn new(seed: u64, id: QueueId, setup: QueueSetup) -> Self {
        let stream = chance::stream(&setup.name);
        let order = Self::empty_order(seed, stream, &setup);
        let mut queue = Self {
            id,
            setup,
            counts: Counts::default(),
            retrying: 0,
            seed,
            stream,
            clock: Micros::ZERO,
            store: Store::default(),
            order,
            leases: Timers::default(),
            delays: Timers::default(),
            pending: PendingList::default(),
            withheld: Timers::default(),
            memory: Memory::default(),
            waiting: Waiting::new(),
            sessions: Sessions::default(),
            calls: Calls::default(),
            last_purge: None,
            channels: Channels::default(),
            move_list: MoveList::default(),
            deadlines: Deadlines::default(),
            by_age: BTreeMap::new(),
            kept_dead: BTreeMap::new(),
            exists: true,
            has_target: true,
            last_use: Micros::ZERO,
        };
        queue.follow_rules();
        queue
    }

    fn empty_order(seed: u64, stream: u64, setup: &QueueSetup) -> Order {
        match setup.kind {
            QueueKind::Standard => match Ranked::new(&setup.rules) {
                Some(ranked) => Order::Ranked(Box::new(ranked)),
                None => Order::Standard(Shards::new(seed, stream, setup.shards)),
            },
            QueueKind::Fifo => Order::Fifo(Lanes::new(setup.rules.group_rule)),
        }
    }

    /// Rebuilds the order after a change of kind, servers or many messages. Lanes keep their places.
    pub(super) fn rebuild_order(&mut self) {
        let rule = self.setup.rules.group_rule;
        match (&mut self.order, self.setup.kind) {
            (Order::Fifo(lanes), QueueKind::Fifo) if lanes.follow(rule) => lanes.clear(),
            _ => self.order = Self::empty_order(self.seed, self.stream, &self.setup),
        }
        self.order.set_now(self.clock);
        let place = self.setup.rules.returns_to;
        self.order.rebuild(&mut self.store, place);
        self.keep_sessions();
    }

    /// Tells what time it is.
    #[inline]
    pub(super) fn set_now(&mut self, now: Micros) {
        self.clock = now;
        self.order.set_now(now);
    }

    /// Stores a send, recognises it as repeated, or refuses it.
    pub(super) fn send(
        &mut self,
        now: Micros,
        incoming: &Incoming,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> SendOutcome {
        self.set_now(now);
        if !self.exists {
            return SendOutcome::Refused(RefusalReason::NoQueue);
        }
        if let Some(reason) = self.refusal(now, incoming) {
            return SendOutcome::Refused(reason);
        }
        let key = Memory::key(&self.setup, incoming);
        if let Some(key) = key
            && let Some(first) = self.memory.find(now, &self.setup, key)
        {
            return SendOutcome::Suppressed { first };
        }
        let mut copy = Stored::new(incoming.message, incoming.group, now);
        let mut aside = Aside {
            deadline: incoming.ttl.map(|ttl| now + ttl),
            transient: !incoming.persistent,
            priority: incoming.priority,
            ..Aside::default()
        };
        if self.refuses() {
            if self.setup.rules.overflow == Overflow::RefuseAndDeadLetter {
                self.dead_letter_refused(now, copy, aside, moves, out);
            }
            return SendOutcome::Refused(RefusalReason::Full);
        }
        if let Some(key) = key {
            let (memory, number) = (&mut self.memory, incoming.number);
            aside.remembered = memory.remember(now, &self.setup, key, number);
        }
        let delay = self.delay_for(incoming.delay);
        if delay > Micros::ZERO {
            copy.set_state(State::Delayed);
            copy.moment = now + delay;
        }
        self.admit(copy, aside);
        self.counts.stored += 1;
        self.make_room_for_new(now, moves, out);
        SendOutcome::Accepted
    }

    /// The delay of a send that asks for `own`.
    ///
    /// SQS standard: DelaySeconds of the message overrides the queue's, with 0 too (Developer Guide, "message
    /// timers"). SQS FIFO: messages have no delay of their own; 0 is accepted and the queue's delay still applies
    /// (recorded: test_fifo_queue_send_message_with_zero_delay_defaults_to_queue_delay), another one is refused.
    pub(super) fn delay_for(&self, own: Option<Micros>) -> Micros {
        match (self.setup.kind, own) {
            (QueueKind::Fifo, _) if self.setup.rules.group_rule == GroupRule::Walk => {
                self.setup.delay
            }
            (_, Some(own)) => own,
            _ => self.setup.delay,
        }
    }

    /// Takes in a copy that another queue gave up, visible at once.
    ///
    /// A dead-lettered message keeps its delivery count (SQS, recorded: test_dead_letter_queue_message_attributes).
    /// Its retention clock goes on in a standard queue and starts again in a FIFO queue (Developer Guide, "Setting
    /// up dead-letter queue retention"). RabbitMQ publishes it anew, so that age and count start again and a full
    /// queue that refuses sends loses it (guide "dlx").
    ///
    /// A copy that has gone through more queues than there are within one call would go round for ever: it is dropped.
    pub(super) fn take_in(
        &mut self,
        now: Micros,
        moved: Move,
        most_hops: usize,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let mut copy = moved.copy;
        copy.set_state(State::Ready);
        copy.moment = now;
        let clock = self.setup.rules.dead_letter_clock;
        let starts_again = match clock {
            DeadLetterClock::ByKind => self.setup.kind == QueueKind::Fifo,
            DeadLetterClock::Kept => false,
            DeadLetterClock::Restarted => true,
        };
        if moved.is_dead && clock == DeadLetterClock::Restarted {
            copy.forget_deliveries();
        }
        if starts_again || !moved.is_dead {
            copy.enqueued = now;
        }
        let reason = if usize::from(moved.hops) > most_hops {
            Some(DeadLetterReason::Cycle)
        } else if !self.exists {
            Some(DeadLetterReason::NoTarget)
        } else {
            self.refuses().then_some(DeadLetterReason::Overflow)
        };
        self.counts.moved_in += 1;
        if let Some(reason) = reason {
            let deliveries = copy.deliveries();
            let kind = HappeningKind::Dropped { reason, deliveries };
            self.counts.dropped += 1;
            out.push(self.happening(Some(&copy), kind));
            return;
        }
        let before = moves.len();
        let slot = self.admit(copy, moved.aside);
        if self.setup.rules.count == CountRule::OnReturn {
            self.store.set_returns(slot, copy.deliveries());
        }
        self.make_room_for_new(now, moves, out);
        moves
            .iter_mut()
            .skip(before)
            .for_each(|next| next.hops = moved.hops + 1);
    }

    pub(super) fn admit(&mut self, copy: Stored, aside: Aside) -> u32 {
        let slot = self.store.insert(copy);
        self.store.set_aside(slot, aside);
        self.order.admit(slot, &self.store);
        if copy.state() == State::Delayed {
            self.counts.delayed += 1;
            self.delays.set(self.timer(slot, NOBODY));
        } else {
            self.counts.ready += 1;
            self.order.enter(slot, &self.store);
        }
        self.watch(slot);
        self.note_age(slot);
        slot
    }

    /// When retention removes this copy.
    ///
    /// SQS: retention is measured from the send and runs through the time in flight; a message whose retention ends
    /// in flight never comes back (recorded: test_message_retention_with_inflight).
    pub(super) fn expires_at(&self, copy: &Stored) -> Micros {
        self.setup
            .retention
            .map_or(Micros::MAX, |retention| copy.enqueued + retention)
    }

    /// When a hidden copy is visible again, or expires.
    pub(super) fn due(&self, copy: &Stored) -> Micros {
        copy.moment.min(self.expires_at(copy))
    }

    fn timer(&self, slot: u32, consumer: ConsumerId) -> Timer {
        let copy = &self.store[slot];
        Timer {
            due: self.due(copy),
            lease: copy.lease(),
            slot,
            consumer,
        }
    }

    /// Hands out a ready copy. [`Order::settle`] must follow for its group.
    pub(super) fn hand_out(&mut self, slot: u32, consumer: ConsumerId, hidden_until: Micros) {
        self.order.hide(slot, &self.store);
        self.store[slot].receive(hidden_until);
        self.counts.ready -= 1;
        self.counts.in_flight += 1;
        if self.has_sessions() {
            self.sessions.note_out(self.store[slot].group());
        }
        self.leases.set(self.timer(slot, consumer));
    }

    /// Hides a copy in flight until then, from now on in this state.
    pub(super) fn hide_until(
        &mut self,
        slot: u32,
        consumer: ConsumerId,
        until: Micros,
        state: State,
    ) {
        let copy = &self.store[slot];
        let former = self.leases.remove(self.due(copy), copy.lease());
        if state == State::Returning {
            self.channels.release(slot);
        }
        self.store[slot].moment = until;
        self.store[slot].set_state(state);
        let consumer = former.map_or(consumer, |former| former.consumer);
        self.leases.set(self.timer(slot, consumer));
    }

    /// Starts the next delivery of a copy in flight, to this consumer.
    pub(super) fn hand_out_again(&mut self, slot: u32, consumer: ConsumerId) {
        let copy = self.store[slot];
        self.leases.remove(self.due(&copy), copy.lease());
        self.store[slot].receive(copy.moment);
        self.leases.set(self.timer(slot, consumer));
    }

    /// Who received a copy in flight.
    pub(super) fn holder(&self, slot: u32) -> Option<ConsumerId> {
        let copy = &self.store[slot];
        let timer = self.leases.find(self.due(copy), copy.lease())?;
        Some(timer.consumer)
    }

    /// Makes a copy in flight visible, where the queue puts returned ones.
    pub(super) fn expose(&mut self, slot: u32, since: Micros) {
        self.leave_state(slot);
        self.counts.ready += 1;
        self.store[slot].set_state(State::Ready);
        self.store[slot].moment = since;
        let place = self.setup.rules.returns_to;
        self.order.give_back(slot, &mut self.store, place);
    }

    /// Makes a delayed copy visible: where it was sent, or where the queue puts returned ones.
    pub(super) fn end_delay(&mut self, slot: u32, since: Micros) {
        if self.store[slot].state() == State::Retrying {
            return self.expose(slot, since);
        }
        self.leave_state(slot);
        self.counts.ready += 1;
        self.store[slot].set_state(State::Ready);
        self.store[slot].moment = since;
        self.order.enter(slot, &self.store);
    }

    /// Hides a copy in flight until then, holding no place in flight.
    pub(super) fn postpone(&mut self, slot: u32, until: Micros) {
        let copy = self.store[slot];
        self.order.release(slot, &self.store);
        self.leave_state(slot);
        self.counts.delayed += 1;
        self.retrying += 1;
        self.store[slot].set_state(State::Retrying);
        self.store[slot].moment = until;
        self.delays.set(self.timer(slot, NOBODY));
        self.order.settle(&copy, &self.store);
    }

    /// Keeps a ready copy or one in flight, and hands it out no more.
    pub(super) fn withhold(&mut self, slot: u32) {
        let copy = self.store[slot];
        self.unwatch(slot);
        self.order.withhold(slot, &self.store);
        self.leave_state(slot);
        self.counts.undeliverable += 1;
        self.store[slot].set_state(State::Undeliverable);
        self.store[slot].moment = Micros::MAX;
        self.withheld.set(self.timer(slot, NOBODY));
        self.order.settle(&copy, &self.store);
    }

    /// Takes a copy out of the count and the timers of its state.
    fn leave_state(&mut self, slot: u32) {
        let copy = &self.store[slot];
        let (due, lease) = (self.due(copy), copy.lease());
        match copy.state() {
            State::Ready => self.counts.ready -= 1,
            state @ (State::Delayed | State::Retrying) => {
                self.counts.delayed -= 1;
                self.retrying -= u64::from(state == State::Retrying);
                self.delays.remove(due, lease);
            }
            State::InFlight | State::Returning => {
                self.counts.in_flight -= 1;
                self.leases.remove(due, lease);
                self.pending.remove(copy.position());
                self.note_back(slot);
                self.channels.release(slot);
            }
            State::Undeliverable => {
                self.counts.undeliverable -= 1;
                self.withheld.remove(due, lease);
            }
            State::Free => {}
        }
    }

    /// Removes a copy, in whichever state.
    pub(super) fn remove(&mut self, slot: u32, now: Micros) -> Stored {
        self.take_out(slot, now).0
    }

    /// Removes a copy, in whichever state, and returns all that there is of it.
    pub(super) fn take_out(&mut self, slot: u32, now: Micros) -> (Stored, Aside) {
        let copy = self.store[slot];
        self.unwatch(slot);
        self.forget_age(slot);
        self.leave_state(slot);
        self.order.remove(slot, &self.store);
        let (_, aside) = self.store.remove(slot);
        self.order.settle(&copy, &self.store);
        if let Some(key) = aside.remembered {
            self.memory.removed(now, &self.setup, key);
        }
        (copy, aside)
    }

    pub(super) fn happening(&self, copy: Option<&Stored>, kind: HappeningKind) -> Happening {
        Happening {
            queue: self.id,
            message: copy.map(|copy| copy.message),
            kind,
        }
    }

    /// Sets all timers anew, after a change of what they depend on. Looks at every copy.
    pub(super) fn rebuild_timers(&mut self, change: impl FnOnce(&mut Self)) {
        let consumers: Vec<Timer> = self.leases.iter().collect();
        change(self);
        self.leases.clear();
        let leases: Vec<Timer> = consumers
            .iter()
            .map(|timer| self.timer(timer.slot, timer.consumer))
            .collect();
        for place in due_order(&leases) {
            self.leases.set(leases[place]);
        }
        let is_delayed = |state| matches!(state, State::Delayed | State::Retrying);
        self.delays = self.timers_of(is_delayed);
        self.withheld = self.timers_of(|state| state == State::Undeliverable);
    }

    fn timers_of(&self, is_meant: impl Fn(State) -> bool) -> Timers {
        let slots = self.store.in_order().into_iter();
        let meant = slots.filter(|&slot| is_meant(self.store[slot].state()));
        let unordered: Vec<Timer> = meant.map(|slot| self.timer(slot, NOBODY)).collect();
        let mut timers = Timers::default();
        for place in due_order(&unordered) {
            timers.set(unordered[place]);
        }
        timers
    }
}

fn due_order(timers: &[Timer]) -> Vec<usize> {
    positions_in_order(timers.iter().map(|timer| (timer.due.0, timer.lease.0)))
}
