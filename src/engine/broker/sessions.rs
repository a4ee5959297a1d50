//! Sessions: groups that one consumer holds with all their messages, also those to come.
//!
//! Azure Service Bus, "Message sessions": the holder receives the messages of its session in order, several at once if
//! it likes, and nobody else gets any. The lock lasts as long as the queue's visibility timeout; calls of the holder
//! start it again. When it ends, what was held returns and counts as a delivery; closing a session counts nothing.

use super::call::Receipt;
use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::order::Order;
use super::queue::Queue;
use super::returns::Return;
use super::store::{ListedGroup, State};
use crate::engine::command::QueueChange;
use crate::engine::event::RequeueReason;
use crate::engine::id::{ConsumerId, GroupId};
use crate::engine::rules::{GroupRule, ReturnCause};
use crate::engine::setup::{QueueKind, QueueSetup};
use crate::engine::time::Micros;
use std::collections::{BTreeMap, BTreeSet};

/// Messages without a group, which only come from another queue, form one session.
type Group = Option<GroupId>;

/// A session that a consumer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldSession {
    /// Its group.
    pub group: Option<GroupId>,
    /// Who holds it.
    pub consumer: ConsumerId,
    /// Since when.
    pub since: Micros,
    /// When the lock ends, unless the holder calls before.
    pub until: Micros,
    /// The holder's process is gone: the session waits for the end of the lock.
    pub is_orphaned: bool,
}

/// The sessions of a queue that are held.
#[derive(Clone, Default, Debug)]
pub(super) struct Sessions {
    held: BTreeMap<Group, HeldSession>,
    by_consumer: BTreeSet<ListedGroup>,
    by_end: BTreeSet<ListedGroup>,
    /// Consumers that accept sessions by themselves, and how many at once. They work one message of each at a time.
    pub accepting: BTreeMap<u32, u32>,
    /// Messages in flight, by group.
    in_flight: BTreeMap<Group, u32>,
}

impl Sessions {
    pub(super) fn next_end(&self) -> Option<Micros> {
        self.by_end.first().map(|&(until, _)| Micros(until))
    }

    pub(super) fn of(&self, group: Group) -> Option<&HeldSession> {
        self.held.get(&group)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &HeldSession> {
        self.held.values()
    }

    /// The sessions of a consumer that is there.
    pub(super) fn of_consumer(&self, consumer: ConsumerId) -> impl Iterator<Item = Group> + '_ {
        let consumer = u64::from(consumer.0);
        let mine = self.by_consumer.range((consumer, None)..);
        mine.take_while(move |(holder, _)| *holder == consumer)
            .map(|&(_, group)| group)
    }

    fn add(&mut self, session: HeldSession) {
        let HeldSession { group, until, .. } = session;
        self.held.insert(group, session);
        self.by_consumer.insert((session.consumer.0.into(), group));
        self.by_end.insert((until.0, group));
    }

    fn remove(&mut self, group: Group) -> Option<HeldSession> {
        let session = self.held.remove(&group)?;
        self.by_consumer.remove(&(session.consumer.0.into(), group));
        self.by_end.remove(&(session.until.0, group));
        Some(session)
    }

    fn renew(&mut self, group: Group, until: Micros) {
        if let Some(session) = self.held.get_mut(&group) {
            self.by_end.remove(&(session.until.0, group));
            session.until = until;
            self.by_end.insert((until.0, group));
        }
    }

    /// Takes the sessions of a consumer from its process, which is gone. Their locks run on.
    fn orphan(&mut self, consumer: ConsumerId) {
        self.accepting.remove(&consumer.0.into());
        let groups: Vec<Group> = self.of_consumer(consumer).collect();
        for group in groups {
            self.by_consumer.remove(&(consumer.0.into(), group));
            if let Some(session) = self.held.get_mut(&group) {
                session.is_orphaned = true;
            }
        }
    }

    /// Notes a message that is in flight from now on.
    pub(super) fn note_out(&mut self, group: Group) {
        *self.in_flight.entry(group).or_insert(0) += 1;
    }

    /// Notes one that is not any more.
    pub(super) fn note_back(&mut self, group: Group) {
        if let Some(count) = self.in_flight.get_mut(&group) {
            *count -= 1;
            if *count == 0 {
                self.in_flight.remove(&group);
            }
        }
    }

    /// Forgets what is in flight, before it is noted anew.
    pub(super) fn forget_in_flight(&mut self) {
        self.in_flight.clear();
    }

    pub(super) fn in_flight(&self, group: Group) -> u32 {
        self.in_flight.get(&group).copied().unwrap_or(0)
    }
}

fn has_sessions(setup: &QueueSetup) -> bool {
    setup.kind == QueueKind::Fifo && setup.rules.group_rule == GroupRule::Session
}

impl Queue {
    /// Notes that a message is not in flight any more.
    pub(super) fn note_back(&mut self, slot: u32) {
        if self.has_sessions() {
            self.sessions.note_back(self.store[slot].group());
        }
    }

    /// Brings an order that was built anew up to date with the sessions that are held.
    pub(super) fn keep_sessions(&mut self) {
        if !self.has_sessions() {
            return;
        }
        let held: Vec<Group> = self.sessions.all().map(|session| session.group).collect();
        if let Order::Fifo(lanes) = &mut self.order {
            for group in held {
                lanes.reserve(group, true, &self.store);
            }
        }
        self.sessions.forget_in_flight();
        for slot in self.store.in_order() {
            if self.store[slot].is_in_flight() {
                self.sessions.note_out(self.store[slot].group());
            }
        }
    }

    pub(super) fn has_sessions(&self) -> bool {
        has_sessions(&self.setup)
    }

    /// Gives a consumer a session: this one, or the next that has messages and no holder.
    pub(super) fn accept_session(
        &mut self,
        now: Micros,
        consumer: ConsumerId,
        wanted: Option<GroupId>,
        out: &mut Vec<Happening>,
    ) -> Option<Group> {
        if !self.has_sessions() {
            return None;
        }
        let Order::Fifo(lanes) = &mut self.order else {
            return None;
        };
        let group = match wanted {
            Some(group) => Some(group),
            None => lanes.first_receivable().map(|lane| lanes.group(lane))?,
        };
        if let Some(session) = self.sessions.of(group) {
            let is_own = session.consumer == consumer && !session.is_orphaned;
            if is_own {
                self.renew(now, group);
            }
            return is_own.then_some(group);
        }
        lanes.reserve(group, true, &self.store);
        self.sessions.add(HeldSession {
            group,
            consumer,
            since: now,
            until: now + self.setup.visibility_timeout,
            is_orphaned: false,
        });
        out.push(self.happening(None, HappeningKind::SessionAccepted { group, consumer }));
        Some(group)
    }

    /// Lets a consumer accept sessions by itself when it receives, so many at once.
    pub(super) fn accept_by_itself(&mut self, consumer: ConsumerId, most: u32) {
        if most == 0 {
            self.sessions.accepting.remove(&consumer.0.into());
        } else {
            self.sessions.accepting.insert(consumer.0.into(), most);
        }
    }

    pub(super) fn renew(&mut self, now: Micros, group: Group) {
        self.sessions
            .renew(group, now + self.setup.visibility_timeout);
    }

    /// Starts the lock of a session again; whether the consumer holds it.
    pub(super) fn renew_session(
        &mut self,
        now: Micros,
        consumer: ConsumerId,
        group: Group,
    ) -> bool {
        let holds = self
            .sessions
            .by_consumer
            .contains(&(consumer.0.into(), group));
        if holds {
            self.renew(now, group);
        }
        holds
    }

    /// Ends one session of a consumer, or all: what it holds of it returns and does not count as delivered.
    pub(super) fn close_session(
        &mut self,
        now: Micros,
        consumer: ConsumerId,
        group: Option<GroupId>,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let mine = self.sessions.of_consumer(consumer);
        let closed: Vec<Group> = mine
            .filter(|mine| group.is_none() || *mine == group)
            .collect();
        for group in closed {
            self.end_session(now, group, ReturnCause::Nack, moves, out);
        }
    }

    /// Takes a session from whoever holds it: this one, or that which was held for longest. Whether there was one.
    pub(super) fn take_session(
        &mut self,
        now: Micros,
        group: Option<GroupId>,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> bool {
        let Some(taken) = self.session_to_take(group) else {
            return false;
        };
        self.end_session(now, taken, ReturnCause::Timeout, moves, out);
        true
    }

    pub(super) fn session_to_take(&self, group: Option<GroupId>) -> Option<Group> {
        let held = self.sessions.all();
        let meant = held.filter(|session| group.is_none() || session.group == group);
        meant
            .min_by_key(|session| (session.since, session.group))
            .map(|session| session.group)
    }

    /// Ends the sessions whose locks have run out. A receive of the holder that waits is a call that goes on: the lock
    /// of a session that has nothing in flight does not end meanwhile.
    pub(super) fn end_sessions(
        &mut self,
        now: Micros,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        while let Some(&(until, group)) = self.sessions.by_end.first()
            && until <= now.0
        {
            let until = Micros(until);
            let holder = self.sessions.of(group);
            let waits = holder.is_some_and(|session| {
                !session.is_orphaned && self.waiting.waits(session.consumer)
            });
            let renewed = until + self.setup.visibility_timeout;
            if waits && self.sessions.in_flight(group) == 0 && renewed > until {
                self.sessions.renew(group, renewed);
            } else {
                self.end_session(until, group, ReturnCause::Timeout, moves, out);
            }
        }
    }

    fn end_session(
        &mut self,
        now: Micros,
        group: Group,
        cause: ReturnCause,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let Some(session) = self.sessions.remove(group) else {
            return;
        };
        out.push(self.happening(
            None,
            HappeningKind::SessionClosed {
                group,
                consumer: session.consumer,
                lost: cause == ReturnCause::Timeout,
            },
        ));
        for slot in self.in_flight_of(group) {
            // What came back before may have pushed this one out of a full queue.
            if self.store[slot].state() == State::InFlight {
                let how = Return::because(cause, RequeueReason::SessionClosed);
                self.give_back(slot, how, now, moves, out);
            }
        }
        if let Order::Fifo(lanes) = &mut self.order {
            lanes.reserve(group, false, &self.store);
        }
    }

    /// Messages of a group that are in flight, in order. They stand before those that were never handed out.
    fn in_flight_of(&self, group: Group) -> Vec<u32> {
        let Order::Fifo(lanes) = &self.order else {
            return Vec::new();
        };
        let Some(mut walk) = lanes.walk_group(group) else {
            return Vec::new();
        };
        let count = self.sessions.in_flight(group) as usize;
        std::iter::from_fn(|| lanes.step(&mut walk, &self.store))
            .filter(|&slot| self.store[slot].is_in_flight())
            .take(count)
            .filter(|&slot| self.store[slot].state() == State::InFlight)
            .collect()
    }

    /// The process of a consumer is gone: it gets nothing any more of its sessions, and they end with their locks.
    pub(super) fn orphan_sessions(&mut self, consumer: ConsumerId) {
        self.sessions.orphan(consumer);
    }

    /// A call about a delivery that is held starts the lock of its session again.
    pub(super) fn touch_session(&mut self, now: Micros, receipt: Receipt) {
        if self.has_sessions()
            && let Some(copy) = self.store.find(receipt.slot, receipt.lease)
            && copy.lease() == receipt.lease
            && copy.is_in_flight()
        {
            let group = copy.group();
            self.renew_session(now, receipt.consumer, group);
        }
    }

    /// When a copy in flight becomes visible again, as far as is known.
    pub(super) fn visible_again(&self, slot: u32) -> Micros {
        let copy = &self.store[slot];
        match self.sessions.of(copy.group()) {
            Some(session) if copy.moment == Micros::MAX => session.until,
            _ => copy.moment,
        }
    }

    /// Ends all sessions if this change makes the queue one without.
    pub(super) fn end_sessions_before(
        &mut self,
        now: Micros,
        change: &QueueChange,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let mut after = self.setup.clone();
        after.apply(change);
        if self.has_sessions() && !has_sessions(&after) {
            while let Some(group) = self.session_to_take(None) {
                self.end_session(now, group, ReturnCause::Timeout, moves, out);
            }
            self.sessions = Sessions::default();
        }
    }
}
