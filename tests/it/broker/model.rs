//! A slow reference broker that is right at sight: every question is answered by looking at every message.

use super::desk::LONGEST;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::event::{DeadLetterReason, RefusalReason};
use queue_playground::engine::id::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::Counts;
use queue_playground::engine::time::Micros;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum State {
    Ready,
    Delayed,
    InFlight(ConsumerId),
    Returning(ConsumerId),
}

/// A stored copy. `lease` is the number of its newest delivery in the run.
#[derive(Clone, Debug)]
pub struct Copy {
    pub incoming: Incoming,
    pub enqueued: Micros,
    pub sequence: u64,
    pub deliveries: u32,
    pub lease: Option<usize>,
    pub moment: Micros,
    pub state: State,
    pub origin: Option<QueueId>,
}

/// A delivery that was made: where, of which copy, when.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    queue: QueueId,
    sequence: u64,
    received: Micros,
}

#[derive(Clone, Debug)]
pub struct Queue {
    pub setup: QueueSetup,
    pub counts: Counts,
    pub copies: Vec<Copy>,
    next_sequence: u64,
    accepted: Vec<(Micros, Option<u32>, DeduplicationKey, MessageNumber)>,
    waiting: Vec<(Demand, bool)>,
}

/// The reference broker. `out` holds what happened, in words.
pub struct Model {
    pub queues: Vec<Queue>,
    pub leases: Vec<Lease>,
    pub out: Vec<String>,
    moves: Vec<(QueueId, Copy)>,
}

/// A happening in words that do not depend on how a broker identifies deliveries.
pub fn describe(queue: QueueId, message: Option<MessageKey>, kind: &HappeningKind) -> String {
    let what = match kind {
        HappeningKind::Delivered {
            consumer,
            delivery,
            hidden_until,
            ready_since,
            ..
        } => {
            format!("delivered {consumer:?} {delivery} {hidden_until} {ready_since}")
        }
        kind => format!("{kind:?}"),
    };
    format!("{queue:?} {message:?} {what}")
}

impl Queue {
    fn expires(&self, copy: &Copy) -> Micros {
        self.setup
            .retention
            .map_or(Micros::MAX, |retention| copy.enqueued + retention)
    }

    fn due(&self, copy: &Copy) -> Micros {
        match copy.state {
            State::Ready => self.expires(copy),
            _ => copy.moment.min(self.expires(copy)),
        }
    }

    fn is_fifo(&self) -> bool {
        self.setup.kind == QueueKind::Fifo
    }

    fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.copies.len()).collect();
        order.sort_by_key(|&at| (self.copies[at].enqueued, self.copies[at].sequence));
        order
    }

    /// What one receive could take, first things first.
    fn receivable(&self) -> Vec<usize> {
        let order = self.in_order();
        if !self.is_fifo() {
            return order
                .into_iter()
                .filter(|&at| self.copies[at].state == State::Ready)
                .collect();
        }
        let mut groups: Vec<Option<GroupId>> = Vec::new();
        for &at in &order {
            let group = self.copies[at].incoming.group;
            if self.copies[at].state != State::Delayed && !groups.contains(&group) {
                groups.push(group);
            }
        }
        let walk = |group| {
            let copies = order.iter().copied().filter(move |&at| {
                self.copies[at].incoming.group == group && self.copies[at].state != State::Delayed
            });
            copies.take_while(|&at| self.copies[at].state == State::Ready)
        };
        groups.into_iter().flat_map(walk).collect()
    }

    pub fn next_timer(&self) -> Option<Micros> {
        let copies = self.copies.iter().map(|copy| self.due(copy));
        let waits = self
            .waiting
            .iter()
            .filter(|(_, over)| !over)
            .map(|(demand, _)| demand.until);
        copies.chain(waits).min().filter(|&due| due < Micros::MAX)
    }

    pub fn wants_deliver(&self) -> bool {
        let over = self.waiting.iter().any(|(_, over)| *over);
        !self.waiting.is_empty() && (over || !self.receivable().is_empty())
    }

    pub fn oldest_ready_since(&self) -> Option<Micros> {
        let ready = self.copies.iter().filter(|copy| copy.state == State::Ready);
        ready.map(|copy| copy.moment).min()
    }

    fn of(&self, sequence: u64) -> Option<usize> {
        self.copies
            .iter()
            .position(|copy| copy.sequence == sequence)
    }

    fn recount(&mut self) {
        let count = |is: fn(&State) -> bool| {
            self.copies.iter().filter(|copy| is(&copy.state)).count() as u64
        };
        let ready = count(|state| *state == State::Ready);
        let delayed = count(|state| *state == State::Delayed);
        self.counts.ready = ready;
        self.counts.delayed = delayed;
        self.counts.in_flight = self.copies.len() as u64 - ready - delayed;
    }

    fn add(&mut self, mut copy: Copy) {
        copy.sequence = self.next_sequence;
        copy.lease = None;
        self.next_sequence += 1;
        self.copies.push(copy);
    }
}

impl Model {
    pub fn new(setups: &[QueueSetup]) -> Self {
        let queue = |setup: &QueueSetup| Queue {
            setup: setup.clone(),
            counts: Counts::default(),
            copies: Vec::new(),
            next_sequence: 0,
            accepted: Vec::new(),
            waiting: Vec::new(),
        };
        Self {
            queues: setups.iter().map(queue).collect(),
            leases: Vec::new(),
            out: Vec::new(),
            moves: Vec::new(),
        }
    }

    fn queue(&mut self, queue: QueueId) -> &mut Queue {
        &mut self.queues[queue.index()]
    }

    fn put(&mut self, queue: QueueId, message: Option<MessageKey>, kind: &HappeningKind) {
        self.out.push(describe(queue, message, kind));
    }

    pub fn recount(&mut self) {
        self.queues.iter_mut().for_each(Queue::recount);
    }

    pub fn send(&mut self, now: Micros, to: QueueId, incoming: Incoming) -> SendOutcome {
        let queue = self.queue(to);
        let setup = queue.setup.clone();
        if queue.is_fifo() && incoming.delay.is_some_and(|own| own > Micros::ZERO) {
            return SendOutcome::Refused(RefusalReason::OwnDelay);
        }
        let id = match setup.deduplication {
            Deduplication::Off => None,
            Deduplication::ById => incoming.deduplication_id,
            Deduplication::ByContent => incoming.deduplication_id.or(Some(incoming.content)),
        };
        if let Some(id) = id {
            let scope = (setup.deduplication_scope == DeduplicationScope::Group)
                .then(|| incoming.group.map_or(u32::MAX, |group| group.0));
            queue
                .accepted
                .retain(|(at, ..)| *at + setup.deduplication_window > now);
            let known = queue
                .accepted
                .iter()
                .find(|known| (known.1, known.2) == (scope, id));
            if let Some(&(.., first)) = known {
                return SendOutcome::Suppressed { first };
            }
            queue.accepted.push((now, scope, id, incoming.number));
        }
        let delay = match incoming.delay {
            Some(own) if !queue.is_fifo() => own,
            _ => setup.delay,
        };
        let is_delayed = delay > Micros::ZERO;
        queue.counts.stored += 1;
        queue.add(Copy {
            incoming,
            enqueued: now,
            sequence: 0,
            deliveries: 0,
            lease: None,
            moment: now + delay,
            state: if is_delayed {
                State::Delayed
            } else {
                State::Ready
            },
            origin: None,
        });
        SendOutcome::Accepted
    }

    pub fn register(&mut self, now: Micros, queue: QueueId, demand: Demand) {
        self.withdraw(queue, demand.consumer);
        self.queue(queue)
            .waiting
            .push((demand, demand.until <= now));
        self.queue(queue)
            .waiting
            .sort_by_key(|(demand, _)| demand.consumer);
    }

    pub fn withdraw(&mut self, queue: QueueId, consumer: ConsumerId) -> bool {
        let waiting = &mut self.queue(queue).waiting;
        let before = waiting.len();
        waiting.retain(|(demand, _)| demand.consumer != consumer);
        waiting.len() < before
    }

    pub fn deliver(&mut self, now: Micros, queue: QueueId) {
        for (demand, over) in self.queue(queue).waiting.clone() {
            let mut taken = 0;
            while taken < demand.max
                && let Some(&at) = self.queue(queue).receivable().first()
            {
                // A receive goes through one group before it looks at the next.
                taken += self.take(now, queue, at, &demand, demand.max - taken);
            }
            if taken == 0 && over {
                let consumer = demand.consumer;
                self.put(queue, None, &HappeningKind::EmptyReceive { consumer });
            }
            if taken > 0 || over {
                self.withdraw(queue, demand.consumer);
            }
        }
        self.finish_moves(now);
    }

    /// Takes the message at `at`, on FIFO queues also what may follow it in its group.
    fn take(&mut self, now: Micros, id: QueueId, at: usize, demand: &Demand, most: u32) -> u32 {
        let queue = self.queue(id);
        let group = queue.copies[at].incoming.group;
        let mut taken = 0;
        let all: Vec<u64> = queue
            .receivable()
            .iter()
            .map(|&at| queue.copies[at].sequence)
            .collect();
        for sequence in all {
            let queue = self.queue(id);
            let Some(at) = queue.of(sequence) else {
                continue;
            };
            if taken == most || queue.is_fifo() && queue.copies[at].incoming.group != group {
                continue;
            }
            if queue
                .setup
                .max_deliveries
                .is_some_and(|max| queue.copies[at].deliveries >= max)
            {
                self.dead_letter(id, at, DeadLetterReason::BudgetUsedUp);
                continue;
            }
            let timeout = demand
                .visibility_timeout
                .unwrap_or(queue.setup.visibility_timeout);
            let (before, hidden_until) = (queue.copies[at].moment, now + timeout);
            let lease = self.leases.len();
            let copy = &mut self.queue(id).copies[at];
            copy.deliveries += 1;
            copy.lease = Some(lease);
            copy.state = State::InFlight(demand.consumer);
            copy.moment = hidden_until;
            let (message, delivery) = (copy.incoming.message, copy.deliveries);
            let consumer = demand.consumer;
            self.out.push(format!(
                "{id:?} {:?} delivered {consumer:?} {delivery} {hidden_until} {before}",
                Some(message)
            ));
            self.leases.push(Lease {
                queue: id,
                sequence,
                received: now,
            });
            taken += 1;
        }
        taken
    }

    fn dead_letter(&mut self, id: QueueId, at: usize, reason: DeadLetterReason) {
        let queue = self.queue(id);
        let mut copy = queue.copies.remove(at);
        let (message, deliveries) = (copy.incoming.message, copy.deliveries);
        let kind = match queue.setup.dead_letter_queue {
            Some(to) => {
                queue.counts.moved_out += 1;
                copy.origin = Some(id);
                self.moves.push((to, copy));
                HappeningKind::DeadLettered {
                    to,
                    reason,
                    deliveries,
                }
            }
            None => {
                queue.counts.dropped += 1;
                HappeningKind::Dropped { reason, deliveries }
            }
        };
        self.put(id, Some(message), &kind);
    }

    fn finish_moves(&mut self, now: Micros) {
        for (to, mut copy) in std::mem::take(&mut self.moves) {
            let queue = self.queue(to);
            copy.state = State::Ready;
            copy.moment = now;
            if queue.is_fifo() {
                copy.enqueued = now;
            }
            queue.counts.moved_in += 1;
            queue.add(copy);
        }
    }

    /// Where the copy of a lease is, whether the lease is its newest, and whether it still runs.
    fn standing(&self, lease: usize) -> Option<(QueueId, usize, bool, bool)> {
        let Lease {
            queue, sequence, ..
        } = self.leases[lease];
        let at = self.queues[queue.index()].of(sequence)?;
        let copy = &self.queues[queue.index()].copies[at];
        let runs = !matches!(copy.state, State::Ready | State::Delayed);
        let newest = copy.lease == Some(lease);
        Some((queue, at, newest, newest && runs))
    }

    pub fn ack(&mut self, now: Micros, lease: usize) -> AckOutcome {
        let Some((id, at, newest, runs)) = self.standing(lease) else {
            return AckOutcome::Ignored;
        };
        let queue = self.queue(id);
        if !runs && queue.is_fifo() {
            return AckOutcome::Refused;
        }
        if !newest && queue.setup.stale_ack == StaleAck::Ignored {
            return AckOutcome::Ignored;
        }
        if runs && !queue.is_fifo() && queue.setup.surplus_duplicates == Chance(1_000_000) {
            queue.copies[at].state = State::Ready;
            queue.copies[at].moment = now;
            return AckOutcome::Survived;
        }
        queue.copies.remove(at);
        queue.counts.acked += 1;
        AckOutcome::Removed
    }

    pub fn hide(&mut self, now: Micros, lease: usize, time: Micros, nack: bool) -> ChangeOutcome {
        let (id, at) = match self.standing(lease) {
            Some((id, at, _, true)) => (id, at),
            Some((id, ..)) if !nack && !self.queue(id).is_fifo() => return ChangeOutcome::Ignored,
            _ => return ChangeOutcome::Stale,
        };
        let longest = self.leases[lease].received + LONGEST;
        if !nack && now + time > longest {
            return ChangeOutcome::Refused;
        }
        let until = (now + time).min(longest);
        let copy = &mut self.queue(id).copies[at];
        let (State::InFlight(consumer) | State::Returning(consumer)) = copy.state else {
            return ChangeOutcome::Stale;
        };
        copy.moment = until.max(now);
        copy.state = match nack {
            _ if until <= now => State::Ready,
            true => State::Returning(consumer),
            false => State::InFlight(consumer),
        };
        ChangeOutcome::HiddenUntil(copy.moment)
    }

    pub fn reject(&mut self, now: Micros, lease: usize) -> AckOutcome {
        let Some((id, at, newest, runs)) = self.standing(lease) else {
            return AckOutcome::Ignored;
        };
        if !runs && self.queue(id).is_fifo() {
            return AckOutcome::Refused;
        }
        if !newest && self.queue(id).setup.stale_ack == StaleAck::Ignored {
            return AckOutcome::Ignored;
        }
        self.dead_letter(id, at, DeadLetterReason::Rejected);
        self.finish_moves(now);
        AckOutcome::Removed
    }

    pub fn hidden_until(&self, lease: usize) -> Option<Micros> {
        let (queue, at, ..) = self.standing(lease).filter(|standing| standing.3)?;
        let copy = &self.queues[queue.index()].copies[at];
        matches!(copy.state, State::InFlight(_)).then_some(copy.moment)
    }

    pub fn purge(&mut self, id: QueueId) {
        let order = self.queue(id).in_order();
        let copies = std::mem::take(&mut self.queue(id).copies);
        for at in order {
            self.put(
                id,
                Some(copies[at].incoming.message),
                &HappeningKind::Purged,
            );
        }
        self.queue(id).counts.purged += copies.len() as u64;
        self.queue(id).accepted.clear();
    }

    pub fn redrive(
        &mut self,
        now: Micros,
        id: QueueId,
        limit: Option<u32>,
        default_to: Option<QueueId>,
    ) -> u32 {
        let queue = self.queue(id);
        let mut open: Vec<(Micros, u64)> = queue
            .receivable()
            .iter()
            .map(|&at| (queue.copies[at].enqueued, queue.copies[at].sequence))
            .collect();
        open.sort();
        let mut moved = 0;
        for (_, sequence) in open {
            let queue = self.queue(id);
            let Some(at) = queue.of(sequence) else {
                continue;
            };
            let to = queue.copies[at].origin.or(default_to);
            let Some(to) = to.filter(|&to| to != id && limit.is_none_or(|limit| moved < limit))
            else {
                continue;
            };
            let mut copy = queue.copies.remove(at);
            queue.counts.moved_out += 1;
            copy.deliveries = 0;
            copy.origin = None;
            copy.enqueued = now;
            self.put(
                id,
                Some(copy.incoming.message),
                &HappeningKind::Redriven { to },
            );
            self.moves.push((to, copy));
            moved += 1;
        }
        self.finish_moves(now);
        moved
    }

    pub fn change(&mut self, now: Micros, id: QueueId, change: &QueueChange) {
        let queue = self.queue(id);
        queue.setup.apply(change);
        let delay = queue.setup.delay;
        if matches!(change, QueueChange::Delay(_)) && queue.is_fifo() {
            for copy in &mut queue.copies {
                let is_new = copy.deliveries == 0 && copy.origin.is_none();
                let hides = copy.state == State::Ready && is_new && copy.enqueued + delay > now;
                if copy.state == State::Delayed || hides {
                    copy.state = State::Delayed;
                    copy.moment = copy.enqueued + delay;
                }
            }
        }
        if let (QueueChange::Kind(_), Some(dead)) = (change, queue.setup.dead_letter_queue) {
            self.queue(dead).setup.apply(change);
        }
    }

    pub fn advance(&mut self, now: Micros, id: QueueId) {
        loop {
            let queue = self.queue(id);
            let dues = queue
                .copies
                .iter()
                .map(|copy| (queue.due(copy), copy.sequence));
            let Some((due, sequence)) = dues.min().filter(|&(due, _)| due <= now) else {
                break;
            };
            let Some(at) = queue.of(sequence) else { break };
            let message = queue.copies[at].incoming.message;
            let expires = queue.expires(&queue.copies[at]) <= due;
            let copy = &mut queue.copies[at];
            let delivery = copy.deliveries;
            let kind = match copy.state {
                _ if expires => HappeningKind::Expired,
                State::InFlight(consumer) => HappeningKind::TimeoutEnded { consumer, delivery },
                State::Returning(_) => HappeningKind::Returned,
                State::Delayed | State::Ready => HappeningKind::BecameVisible,
            };
            copy.state = State::Ready;
            copy.moment = due;
            if expires {
                queue.copies.remove(at);
                queue.counts.expired += 1;
            }
            self.put(id, Some(message), &kind);
        }
        for (demand, over) in &mut self.queue(id).waiting {
            *over |= demand.until <= now;
        }
    }
}
