//! The broker: queues that are handed the time and do no waiting of their own.
//!
//! Each queue is a *store* (order, retention, deduplication) with one *subscription* (in flight, delivery counts,
//! budget, group rule) and one *hand-over* (here: lease, with a visibility timeout). The calls are those of a real
//! broker. What a call does, and what the broker does later (answers to waiting receives, timeouts, moves), goes to
//! an output list of [`Happening`]s in the order in which it happened.
//!
//! The caller owns the time: it never goes back, and [`Broker::advance`] is called for each queue no later than
//! [`Broker::next_timer`] says. A call works on what it names and never looks through a backlog; purge, redrive,
//! changes of settings and calls that name a message in place of a receipt may look at every message once.
//!
//! The rules are those of Amazon SQS; the code of each names the document it follows.

mod budget;
mod call;
mod change;
mod deduplication;
mod fairness;
mod hand_over;
mod happening;
mod lanes;
mod order;
mod priorities;
mod queue;
mod quiet;
mod ranked;
mod returns;
mod returns_queue;
mod settle;
mod shards;
mod single;
mod store;
mod timers;
mod view;
mod waiting;

pub use call::{
    AckOutcome, ChangeOutcome, DeduplicationKey, Demand, Incoming, MessageKey, Receipt, SendOutcome,
};
pub use happening::{Happening, HappeningKind};
pub use settle::LONGEST_INVISIBILITY;
pub use view::{InFlight, Lane, WaitingLane};

use super::command::{DiscardReason, QueueChange};
use super::id::{ConsumerId, QueueId};
use super::setup::QueueSetup;
use super::snapshot::Counts;
use super::time::Micros;
use queue::{Move, Queue};

/// All queues of a run. A checkpoint is a clone.
///
/// Queue ids are positions in the setups given to [`Broker::new`]; another id is a mistake of the caller and panics.
#[derive(Clone, Debug)]
pub struct Broker {
    queues: Vec<Queue>,
    /// Copies between two queues; empty between calls.
    moves: Vec<Move>,
}

impl Broker {
    /// Empty queues. A dead-letter queue that does not exist, or is the queue itself, counts as none.
    pub fn new(seed: u64, queues: &[QueueSetup]) -> Self {
        let queues = queues.iter().enumerate().map(|(id, setup)| {
            let id = QueueId(id as u16);
            let mut setup = setup.clone();
            setup.dead_letter_queue = other_queue(id, setup.dead_letter_queue, queues.len());
            Queue::new(seed, id, setup)
        });
        Self {
            queues: queues.collect(),
            moves: Vec::new(),
        }
    }

    /// The settings of a queue now.
    pub fn queue(&self, queue: QueueId) -> &QueueSetup {
        &self.queues[queue.index()].setup
    }

    /// The counts of a queue.
    pub fn counts(&self, queue: QueueId) -> Counts {
        self.queues[queue.index()].counts
    }

    /// The delay that a send would get which asks for `own`. On FIFO queues the queue's delay applies always.
    pub fn delay_for(&self, queue: QueueId, own: Option<Micros>) -> Micros {
        self.queues[queue.index()].delay_for(own)
    }

    /// A send. Nothing is put out at present.
    pub fn send(
        &mut self,
        now: Micros,
        queue: QueueId,
        incoming: Incoming,
        _out: &mut Vec<Happening>,
    ) -> SendOutcome {
        self.queues[queue.index()].send(now, &incoming)
    }

    /// A receive, answered by [`Broker::deliver`]. At most one waits per consumer; a second replaces the first.
    pub fn register(
        &mut self,
        now: Micros,
        queue: QueueId,
        demand: Demand,
        _out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].waiting.add(now, demand);
    }

    /// Takes back the waiting receive of a consumer; says whether there was one.
    pub fn withdraw(&mut self, queue: QueueId, consumer: ConsumerId) -> bool {
        self.queues[queue.index()].waiting.withdraw(consumer)
    }

    /// Answers waiting receives with what may be received, consumers in order of their ids. A receive that gets
    /// something is answered; one whose wait is over is answered empty.
    pub fn deliver(&mut self, now: Micros, queue: QueueId, out: &mut Vec<Happening>) {
        self.queues[queue.index()].deliver(now, &mut self.moves, out);
        self.move_copies(now);
    }

    /// Whether [`Broker::deliver`] has something to do: a receive waits, and either something may be receivable or
    /// the receive must be answered empty.
    pub fn wants_deliver(&self, queue: QueueId) -> bool {
        self.queues[queue.index()].wants_deliver()
    }

    /// An acknowledgement. SQS: DeleteMessage.
    pub fn ack(&mut self, now: Micros, receipt: Receipt, _out: &mut Vec<Happening>) -> AckOutcome {
        self.queues[receipt.queue.index()].ack(now, receipt)
    }

    /// Returns a message: visible at once, or after `delay`. SQS: ChangeMessageVisibility. Until the delay is over it
    /// counts as in flight and locks its group; then [`HappeningKind::Returned`] follows.
    pub fn nack(
        &mut self,
        now: Micros,
        receipt: Receipt,
        delay: Micros,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        let queue = &mut self.queues[receipt.queue.index()];
        let outcome = queue.nack(now, receipt, delay, &mut self.moves, out);
        self.move_copies(now);
        outcome
    }

    /// Returns a message as failed, which some queues count where they do not count a nack. RabbitMQ: basic.reject
    /// with requeue.
    pub fn return_failed(
        &mut self,
        now: Micros,
        receipt: Receipt,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        let queue = &mut self.queues[receipt.queue.index()];
        let outcome = queue.return_failed(now, receipt, &mut self.moves, out);
        self.move_copies(now);
        outcome
    }

    /// Restarts the visibility timeout from this call; zero makes the message visible at once. Capped at
    /// [`LONGEST_INVISIBILITY`] from the receive. SQS: ChangeMessageVisibility.
    pub fn change_visibility(
        &mut self,
        now: Micros,
        receipt: Receipt,
        timeout: Micros,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        let queue = &mut self.queues[receipt.queue.index()];
        let outcome = queue.change_visibility(now, receipt, timeout, &mut self.moves, out);
        self.move_copies(now);
        outcome
    }

    /// Gives a message up: straight to the dead-letter queue, or dropped for want of one. `Removed` when it left
    /// the queue, `Ignored` or `Refused` as an ack with this receipt would have been.
    pub fn reject(
        &mut self,
        now: Micros,
        receipt: Receipt,
        out: &mut Vec<Happening>,
    ) -> AckOutcome {
        let outcome = self.queues[receipt.queue.index()].reject(receipt, &mut self.moves, out);
        self.move_copies(now);
        outcome
    }

    /// Whether this is the newest receipt of its message, its timeout has not ended, and it was not settled or
    /// returned.
    pub fn holds_lease(&self, receipt: Receipt) -> bool {
        self.hidden_until(receipt).is_some()
    }

    /// When the visibility timeout of a held lease ends; see [`Broker::holds_lease`].
    pub fn hidden_until(&self, receipt: Receipt) -> Option<Micros> {
        self.queues[receipt.queue.index()].hidden_until(receipt)
    }

    /// Removes all messages of a queue: visible, delayed and in flight. SQS: PurgeQueue.
    pub fn purge(&mut self, _now: Micros, queue: QueueId, out: &mut Vec<Happening>) {
        self.queues[queue.index()].purge(out);
    }

    /// Moves up to `limit` visible messages back to the queues they came from, as new ones: count and age start
    /// again. A message that came from nowhere goes to `default_to`, or stays without one. Returns how many moved.
    /// SQS: StartMessageMoveTask.
    pub fn redrive(
        &mut self,
        now: Micros,
        from: QueueId,
        limit: Option<u32>,
        default_to: Option<QueueId>,
        out: &mut Vec<Happening>,
    ) -> u32 {
        let count = self.queues.len();
        let target = |origin: Option<QueueId>| other_queue(from, origin.or(default_to), count);
        let queue = &mut self.queues[from.index()];
        let moved = queue.redrive(now, limit, target, &mut self.moves, out);
        self.move_copies(now);
        moved
    }

    /// Lists up to `limit` visible messages to be moved one by one, oldest first, and returns how many. What was
    /// listed before is forgotten.
    pub fn plan_moves(
        &mut self,
        from: QueueId,
        limit: Option<u32>,
        default_to: Option<QueueId>,
    ) -> u32 {
        let count = self.queues.len();
        let target = |origin: Option<QueueId>| other_queue(from, origin.or(default_to), count);
        self.queues[from.index()].plan_moves(limit, target)
    }

    /// Moves the next listed message that is still there and visible, as [`Broker::redrive`] does; says whether there
    /// was one.
    pub fn move_next(
        &mut self,
        now: Micros,
        from: QueueId,
        default_to: Option<QueueId>,
        out: &mut Vec<Happening>,
    ) -> bool {
        let count = self.queues.len();
        let target = |origin: Option<QueueId>| other_queue(from, origin.or(default_to), count);
        let moved = self.queues[from.index()].move_next(now, target, &mut self.moves, out);
        self.move_copies(now);
        moved
    }

    /// Listed messages that were not yet come to.
    pub fn moves_left(&self, from: QueueId) -> u32 {
        self.queues[from.index()].move_list.left()
    }

    /// Forgets the list.
    pub fn forget_moves(&mut self, from: QueueId) {
        self.queues[from.index()].move_list = single::MoveList::default();
    }

    /// Moves one visible message, as [`Broker::redrive`] does. A person would receive it, send it and delete it.
    pub fn redrive_message(
        &mut self,
        now: Micros,
        from: QueueId,
        message: MessageKey,
        default_to: Option<QueueId>,
        out: &mut Vec<Happening>,
    ) {
        let count = self.queues.len();
        let target = |origin: Option<QueueId>| other_queue(from, origin.or(default_to), count);
        let queue = &mut self.queues[from.index()];
        queue.redrive_message(now, message, target, &mut self.moves, out);
        self.move_copies(now);
    }

    /// Removes one message, in whichever state; counted as discarded.
    pub fn discard(
        &mut self,
        queue: QueueId,
        message: MessageKey,
        reason: DiscardReason,
        out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].discard(message, reason, out);
    }

    /// Whether a message is in flight in a queue.
    pub fn is_in_flight(&self, queue: QueueId, message: MessageKey) -> bool {
        self.queues[queue.index()].is_in_flight(message)
    }

    /// Ends the visibility timeout of a message in flight, as a change of visibility to zero would.
    pub fn end_invisibility(
        &mut self,
        now: Micros,
        queue: QueueId,
        message: MessageKey,
        out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].end_invisibility(now, message, &mut self.moves, out);
        self.move_copies(now);
    }

    /// Changes a setting of a queue; what that does to messages already there, [`QueueChange`] says. A change of kind
    /// takes the dead-letter queue along.
    pub fn change(
        &mut self,
        now: Micros,
        queue: QueueId,
        change: &QueueChange,
        _out: &mut Vec<Happening>,
    ) {
        let count = self.queues.len();
        let this = &mut self.queues[queue.index()];
        match change {
            QueueChange::DeadLetterQueue(dead) => {
                this.setup.dead_letter_queue = other_queue(queue, *dead, count);
            }
            QueueChange::Kind(_) => {
                this.change(now, change);
                if let Some(dead) = this.setup.dead_letter_queue {
                    self.queues[dead.index()].change(now, change);
                }
            }
            _ => this.change(now, change),
        }
    }

    /// Deduplication ids that the queues remember.
    pub fn remembered_ids(&self) -> usize {
        self.queues.iter().map(|queue| queue.memory.len()).sum()
    }

    /// When the next lease, delay, retention or wait of a queue ends.
    pub fn next_timer(&self, queue: QueueId) -> Option<Micros> {
        self.queues[queue.index()].next_timer()
    }

    /// Fires what is due at or before `now`, in order of due time, then send order. A wait that ends is answered by
    /// the next [`Broker::deliver`], so that a message of the same instant still reaches it.
    pub fn advance(&mut self, now: Micros, queue: QueueId, out: &mut Vec<Happening>) {
        self.queues[queue.index()].advance(now, &mut self.moves, out);
        self.move_copies(now);
    }

    /// Up to `limit_lanes` lanes with up to `limit_messages` messages each, those with messages first, in order of
    /// first appearance; and how many further lanes there are. A standard queue has one.
    pub fn lanes(
        &self,
        queue: QueueId,
        limit_lanes: usize,
        limit_messages: usize,
    ) -> (Vec<Lane>, usize) {
        self.queues[queue.index()].lanes(limit_lanes, limit_messages)
    }

    /// Messages in flight, returned ones that are still hidden included, the earliest to become visible first.
    pub fn in_flight(&self, queue: QueueId, limit: usize) -> Vec<InFlight> {
        self.queues[queue.index()].in_flight(limit)
    }

    /// Delayed messages and when they become visible, earliest first.
    pub fn delayed(&self, queue: QueueId, limit: usize) -> Vec<(MessageKey, Micros)> {
        self.queues[queue.index()].delayed(limit)
    }

    /// Messages that are there and delivered no more, the earliest to expire first, with their delivery counts.
    pub fn undeliverable(&self, queue: QueueId, limit: usize) -> Vec<(MessageKey, u32)> {
        self.queues[queue.index()].undeliverable(limit)
    }

    /// Since when a message of this queue has been ready; see [`WaitingLane::since`]. On FIFO queues the work grows
    /// with the number of groups that have messages.
    pub fn oldest_ready_since(&self, queue: QueueId) -> Option<Micros> {
        self.queues[queue.index()].oldest_ready_since()
    }

    /// Every group in which messages wait, in order of first appearance; one entry at most for a standard queue.
    pub fn waiting_lanes(&self, queue: QueueId) -> impl Iterator<Item = WaitingLane> + '_ {
        self.queues[queue.index()].waiting_lanes()
    }

    fn move_copies(&mut self, now: Micros) {
        for moved in self.moves.drain(..) {
            self.queues[moved.to.index()].take_in(now, moved);
        }
    }
}

/// `to`, if it is a queue other than `from`.
fn other_queue(from: QueueId, to: Option<QueueId>, count: usize) -> Option<QueueId> {
    to.filter(|&to| to != from && to.index() < count)
}
