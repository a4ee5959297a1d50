//! What a queue that pushes does more: subscribers in turn, channels, connections and restarts.

use super::queue::{Place, Reference};
use queue_playground::engine::broker::*;
use queue_playground::engine::event::{CloseReason, RequeueReason};
use queue_playground::engine::id::ConsumerId;
use queue_playground::engine::rules::*;
use queue_playground::engine::time::Micros;

/// Who wants to be handed messages.
#[derive(Clone, Debug)]
pub struct Party {
    wish: Subscription,
    /// Order of subscribing.
    joined: u64,
    /// Since when it is in line; none without room.
    turn: Option<u64>,
}

impl Reference {
    pub fn pushes(&self) -> bool {
        self.setup.rules.hand_over == HandOver::Push
    }

    pub fn subscribe(&mut self, wish: Subscription) {
        let joined = self.tick();
        self.channels.insert(wish.consumer);
        match self
            .parties
            .iter_mut()
            .find(|it| it.wish.consumer == wish.consumer)
        {
            Some(party) => {
                party.wish = wish;
                party.turn = None;
            }
            None => self.parties.push(Party {
                wish,
                joined,
                turn: None,
            }),
        }
        self.line_up();
    }

    pub fn cancel(&mut self, consumer: ConsumerId) {
        self.parties.retain(|party| party.wish.consumer != consumer);
        self.line_up();
    }

    /// Deliveries that a consumer holds and did not ask for: basic.get counts for no prefetch (R1).
    fn pushed_to(&self, consumer: ConsumerId) -> u32 {
        let held = |it: &&super::queue::Message| {
            it.pushed && matches!(it.place, Place::Out(to, _) if to == consumer)
        };
        self.messages.iter().filter(held).count() as u32
    }

    /// Who has room is in line, in turn; only the first subscriber where only one is active (R1, R15, R16).
    pub fn line_up(&mut self) {
        let first = self.parties.iter().min_by_key(|party| party.joined);
        let first = first.map(|party| party.wish.consumer);
        self.parties.sort_by_key(|party| party.wish.consumer);
        for at in 0..self.parties.len() {
            let wish = self.parties[at].wish;
            let active = !self.setup.rules.single_active_consumer || first == Some(wish.consumer);
            let below = wish.prefetch == 0 || self.pushed_to(wish.consumer) < wish.prefetch;
            let turn = self.parties[at].turn;
            self.parties[at].turn = match active && (wish.automatic || below) {
                true => Some(turn.unwrap_or_else(|| self.tick())),
                false => None,
            };
        }
    }

    /// The highest priority first, in turn among equals (R1, R15).
    fn whose_turn(&self) -> Option<usize> {
        let in_line = (0..self.parties.len()).filter(|&at| self.parties[at].turn.is_some());
        in_line.min_by_key(|&at| {
            let party = &self.parties[at];
            (std::cmp::Reverse(party.wish.priority), party.turn)
        })
    }

    /// Whether something can be handed out by itself.
    pub fn can_push(&self) -> bool {
        self.pushes() && self.whose_turn().is_some() && self.next_ready().is_some()
    }

    fn push(&mut self, now: Micros) {
        while self.can_push()
            && let Some(at) = self.whose_turn()
        {
            let wish = self.parties[at].wish;
            if self.take(now, wish.consumer, 1, None, wish.automatic, true) == 0 {
                break;
            }
            self.parties[at].turn = None;
            self.line_up();
        }
    }

    /// What follows a call.
    pub fn deliver(&mut self, now: Micros) {
        self.now = now;
        if self.pushes() {
            self.push(now);
        }
        self.notice();
    }

    fn tell_closed(&mut self, consumer: ConsumerId, reason: CloseReason) {
        let kind = HappeningKind::ChannelClosed { consumer, reason };
        self.told.extend(super::queue::told(None, &kind));
    }

    /// What a consumer holds, in order of delivery: numbers of the sends.
    fn held_by(&self, consumer: ConsumerId) -> Vec<u64> {
        let held = self.messages.iter();
        let held = held.filter(|it| matches!(it.place, Place::Out(to, _) if to == consumer));
        let mut held: Vec<(usize, u64)> = held.map(|it| (it.newest, it.sent)).collect();
        held.sort_unstable();
        held.into_iter().map(|(_, sent)| sent).collect()
    }

    fn give_all_back(&mut self, now: Micros, held: &[u64], why: RequeueReason, cause: ReturnCause) {
        for &sent in held {
            let found = self.messages.iter().position(|it| it.sent == sent);
            let Some(at) = found.filter(|&at| matches!(self.messages[at].place, Place::Out(..)))
            else {
                continue;
            };
            let consumer = self.holder(at);
            let kind = HappeningKind::Requeued {
                consumer,
                reason: why,
            };
            self.tell(at, &kind);
            self.end(now, at, cause, Micros::ZERO);
        }
    }

    /// All that is unsettled comes back (R4).
    pub fn close(&mut self, now: Micros, consumer: ConsumerId, reason: CloseReason) -> bool {
        self.now = now;
        if !self.channels.remove(&consumer) {
            return false;
        }
        let held = self.held_by(consumer);
        self.parties.retain(|party| party.wish.consumer != consumer);
        self.line_up();
        self.tell_closed(consumer, reason);
        if reason == CloseReason::Command && self.setup.rules.single_active_consumer {
            self.push(now);
        }
        let cause = match reason {
            CloseReason::Timeout => ReturnCause::Timeout,
            _ => ReturnCause::Crash,
        };
        let why = match reason {
            CloseReason::BrokerRestarted => RequeueReason::BrokerRestarted,
            _ => RequeueReason::ChannelClosed,
        };
        self.give_all_back(now, &held, why, cause);
        true
    }

    pub fn disconnect(&mut self, now: Micros, consumer: ConsumerId) {
        self.now = now;
        if self.channels.remove(&consumer) {
            let held = self.held_by(consumer);
            self.parties.retain(|party| party.wish.consumer != consumer);
            self.line_up();
            self.give_all_back(now, &held, RequeueReason::Crashed, ReturnCause::Crash);
        }
    }

    /// Not acknowledged in time (R17).
    pub fn end_patience(&mut self, now: Micros, consumer: ConsumerId) {
        if self.setup.rules.at_consumer_timeout == AtConsumerTimeout::ClosesChannel {
            self.close(now, consumer, CloseReason::Timeout);
            return;
        }
        self.cancel(consumer);
        self.tell_closed(consumer, CloseReason::Cancelled);
        let held = self.held_by(consumer);
        let why = RequeueReason::ChannelClosed;
        self.give_all_back(now, &held, why, ReturnCause::Timeout);
    }

    /// An ack or a nack of all that was delivered to a consumer up to this one (R8).
    pub fn up_to(&mut self, now: Micros, nth: usize, acks: bool) {
        self.now = now;
        let Some(at) = self
            .held(nth)
            .filter(|&at| matches!(self.messages[at].place, Place::Out(..)))
        else {
            return;
        };
        let (own, consumer) = (self.messages[at].sent, self.holder(at));
        let mut held = self.held_by(consumer);
        let end = held.iter().position(|&sent| sent == own).unwrap_or(0);
        held.truncate(end);
        if !acks {
            let why = RequeueReason::NackedUpTo;
            return self.give_all_back(now, &held, why, ReturnCause::Nack);
        }
        for sent in held {
            if let Some(at) = self.messages.iter().position(|it| it.sent == sent) {
                self.tell(at, &HappeningKind::Acked { consumer });
                self.remove(at);
                self.gone.acked += 1;
            }
        }
    }

    /// What does not survive is lost; channels close, and what was pushed comes back (R10).
    pub fn restart(&mut self, now: Micros) {
        self.now = now;
        let durability = self.setup.rules.durability;
        while let Some(at) = self.messages.iter().position(|it| match durability {
            Durability::Durable => false,
            Durability::Persistent => it.transient,
            Durability::Volatile => true,
        }) {
            self.tell(at, &HappeningKind::LostInRestart);
            self.remove(at);
            self.gone.lost += 1;
        }
        if durability == Durability::Volatile && self.exists {
            self.exists = false;
            self.parties.clear();
            self.told
                .extend(super::queue::told(None, &HappeningKind::QueueDeleted));
        }
        for consumer in self.channels.clone() {
            self.close(now, consumer, CloseReason::BrokerRestarted);
        }
        if !self.pushes() {
            return;
        }
        let mut hidden: Vec<u64> = self.messages.iter().map(|it| it.sent).collect();
        hidden.retain(|&sent| {
            let mut all = self.messages.iter();
            all.any(|it| it.sent == sent && matches!(it.place, Place::Hidden(..)))
        });
        for sent in hidden {
            if let Some(at) = self.messages.iter().position(|it| it.sent == sent) {
                self.tell(at, &HappeningKind::Returned);
                self.make_ready(at, now);
            }
        }
    }
}
