//! One queue: its store, its subscription, and how copies change their state.

use super::aside::Aside;
use super::call::{Incoming, SendOutcome};
use super::channels::Channels;
use super::deduplication::Memory;
use super::expiry::Deadlines;
use super::happening::{Happening, HappeningKind};
use super::lanes::Lanes;
use super::limits::Calls;
use super::moves::Move;
use super::order::Order;
use super::pending::PendingList;
use super::ranked::Ranked;
use super::sessions::Sessions;
use super::shards::Shards;
use super::single::MoveList;
use super::store::{Position, State, Store, Stored};
use super::timers::Timers;
use super::upkeep::NOBODY;
use super::waiting::Waiting;
use crate::engine::chance;
use crate::engine::event::{DeadLetterReason, RefusalReason};
use crate::engine::id::QueueId;
use crate::engine::rules::{GroupRule, Overflow};
use crate::engine::setup::{QueueKind, QueueSetup};
use crate::engine::snapshot::Counts;
use crate::engine::time::Micros;
use std::collections::BTreeMap;

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
    /// How many dead letters its dead-letter queue takes, where that decides whether they are kept.
    pub target_room: u64,
    /// Kept ages of dead letters in a FIFO queue, where send order does not say which is the oldest.
    pub ages: BTreeMap<Position, u32>,
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
            target_room: u64::MAX,
            ages: BTreeMap::new(),
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
        self.ages.clear();
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

    pub(super) fn happening(&self, copy: Option<&Stored>, kind: HappeningKind) -> Happening {
        Happening {
            queue: self.id,
            message: copy.map(|copy| copy.message),
            kind,
        }
    }
}
