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

mod aside;
mod budget;
mod call;
mod capacity;
mod change;
mod channels;
mod deaths;
mod deduplication;
mod durability;
mod expiry;
mod fairness;
mod hand_over;
mod happening;
mod keys;
mod lanes;
mod limits;
mod moves;
mod order;
mod pending;
mod priorities;
mod push;
mod queue;
mod quiet;
mod ranked;
mod returns;
mod returns_queue;
mod session_calls;
mod session_receives;
mod sessions;
mod settle;
mod shards;
mod single;
mod states;
mod store;
mod timers;
mod upkeep;
mod view;
mod waiting;

pub use call::{
    AckOutcome, ChangeOutcome, DeduplicationKey, Demand, Incoming, MessageKey, Receipt, SendOutcome,
};
pub use channels::{Subscriber, Subscription};
pub use deaths::{Death, Deaths};
pub use happening::{Happening, HappeningKind};
pub use pending::{Claim, PendingCursor, PendingMessage};
pub use sessions::HeldSession;
pub use settle::LONGEST_INVISIBILITY;
pub use view::{InFlight, Lane, WaitingLane};

use super::command::{DiscardReason, QueueChange};
use super::event::CloseReason;
use super::id::{ConsumerId, QueueId};
use super::setup::QueueSetup;
use super::snapshot::Counts;
use super::time::Micros;
use moves::Move;
use queue::Queue;

/// All queues of a run. A checkpoint is a clone.
///
/// Queue ids are positions in the setups given to [`Broker::new`]; another id is a mistake of the caller and panics.
#[derive(Clone, Debug)]
pub struct Broker {
    queues: Vec<Queue>,
    /// Copies between two queues; empty between calls.
    moves: Vec<Move>,
    /// Whether some queue keeps dead letters that have nowhere to go.
    keeps_dead: bool,
}

impl Broker {
    /// Empty queues. A dead-letter queue that does not exist, or is the queue itself, counts as none.
    pub fn new(seed: u64, queues: &[QueueSetup]) -> Self {
        let queues = queues.iter().enumerate().map(|(id, setup)| {
            let id = QueueId(id as u16);
            let mut setup = setup.clone();
            let dead = setup.dead_letter_queue;
            setup.dead_letter_queue = dead_letter_queue(id, dead, &setup, queues.len());
            Queue::new(seed, id, setup)
        });
        let mut broker = Self {
            queues: queues.collect(),
            moves: Vec::new(),
            keeps_dead: false,
        };
        broker.note_keeping();
        broker
    }

    fn note_keeping(&mut self) {
        let mut all = self.queues.iter();
        self.keeps_dead = all.any(|queue| queue.setup.rules.dead_letter_retry.is_some());
        self.note_room();
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

    /// A send. What is put out is what it drives out of a full queue.
    pub fn send(
        &mut self,
        now: Micros,
        queue: QueueId,
        incoming: Incoming,
        out: &mut Vec<Happening>,
    ) -> SendOutcome {
        let outcome = self.queues[queue.index()].send(now, &incoming, &mut self.moves, out);
        self.move_copies(now, out);
        outcome
    }

    /// A receive, answered by [`Broker::deliver`]. At most one waits per consumer; a second replaces the first.
    pub fn register(
        &mut self,
        now: Micros,
        queue: QueueId,
        demand: Demand,
        out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].last_use = now.max(demand.until);
        self.queues[queue.index()].register(now, demand, out);
    }

    /// Subscribes a consumer to a queue that pushes: from now on [`Broker::deliver`] hands it messages without being
    /// asked. A consumer that is subscribed changes its subscription; what it holds, and its channel, stay as they are.
    /// RabbitMQ: basic.consume.
    pub fn subscribe(
        &mut self,
        _now: Micros,
        queue: QueueId,
        subscription: Subscription,
        _out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].subscribe(subscription);
    }

    /// Ends a subscription: nothing more is handed to the consumer, and what it holds stays with it. RabbitMQ:
    /// basic.cancel.
    pub fn cancel(
        &mut self,
        now: Micros,
        queue: QueueId,
        consumer: ConsumerId,
        _out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].cancel(now, consumer);
    }

    /// Closes the channel of a consumer, for all that share it: their subscriptions end, and what they hold is
    /// returned. No effect when it has none open.
    pub fn close_channel(
        &mut self,
        now: Micros,
        queue: QueueId,
        consumer: ConsumerId,
        reason: CloseReason,
        out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].close_channel(now, consumer, reason, &mut self.moves, out);
        self.move_copies(now, out);
    }

    /// The connection of a consumer is gone: what was pushed to it is returned. What it holds under a lease it keeps.
    /// It gets nothing any more of its sessions, which end with their locks.
    pub fn disconnect(
        &mut self,
        now: Micros,
        queue: QueueId,
        consumer: ConsumerId,
        out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].orphan_sessions(consumer);
        self.queues[queue.index()].disconnect(now, consumer, &mut self.moves, out);
        self.move_copies(now, out);
    }

    /// Acknowledges this delivery and all that its channel holds from before it, in order of delivery; the latter are
    /// told as [`HappeningKind::Acked`]. RabbitMQ: basic.ack, multiple.
    pub fn ack_up_to(
        &mut self,
        now: Micros,
        receipt: Receipt,
        out: &mut Vec<Happening>,
    ) -> AckOutcome {
        let queue = &mut self.queues[receipt.queue.index()];
        let outcome = queue.ack_up_to(now, receipt, &mut self.moves, out);
        self.move_copies(now, out);
        outcome
    }

    /// Returns this delivery and all that its channel holds from before it; the latter are told as
    /// [`HappeningKind::Requeued`]. RabbitMQ: basic.nack, multiple.
    pub fn nack_up_to(
        &mut self,
        now: Micros,
        receipt: Receipt,
        out: &mut Vec<Happening>,
    ) -> ChangeOutcome {
        let queue = &mut self.queues[receipt.queue.index()];
        let outcome = queue.nack_up_to(now, receipt, &mut self.moves, out);
        self.move_copies(now, out);
        outcome
    }

    /// The subscribers of a queue that pushes: those in line as they will be served, then those without room or turn.
    pub fn subscribers(&self, queue: QueueId) -> Vec<Subscriber> {
        self.queues[queue.index()].channels.subscribers()
    }

    /// How many deliveries a consumer holds that were pushed to it or that it received on a channel, and whether it has
    /// one open.
    pub fn channel(&self, queue: QueueId, consumer: ConsumerId) -> (u32, bool) {
        let channels = &self.queues[queue.index()].channels;
        (channels.unsettled(consumer), channels.has_channel(consumer))
    }

    /// Takes back the waiting receive of a consumer; says whether there was one.
    pub fn withdraw(&mut self, queue: QueueId, consumer: ConsumerId) -> bool {
        self.queues[queue.index()].waiting.withdraw(consumer)
    }

    /// Pushes what may be pushed to subscribers, and answers waiting receives with what may be received, consumers in
    /// order of their ids. A receive that gets
    /// something is answered; one whose wait is over is answered empty.
    pub fn deliver(&mut self, now: Micros, queue: QueueId, out: &mut Vec<Happening>) {
        self.queues[queue.index()].deliver(now, &mut self.moves, out);
        self.move_copies(now, out);
    }

    /// Pushes one message, as [`Broker::deliver`] does with all that may be pushed; says whether there was one.
    pub fn push_next(&mut self, now: Micros, queue: QueueId, out: &mut Vec<Happening>) -> bool {
        let this = &mut self.queues[queue.index()];
        let pushed = this.push_next(now, &mut self.moves, out);
        if !pushed && !this.wants_deliver() {
            this.notice(now, &mut self.moves, out);
        }
        self.move_copies(now, out);
        pushed
    }

    /// Whether [`Broker::deliver`] has something to do: something may be pushed; or a receive waits, and either something
    /// may be receivable or the receive must be answered empty.
    pub fn wants_deliver(&self, queue: QueueId) -> bool {
        self.queues[queue.index()].wants_deliver()
    }

    /// An acknowledgement. SQS: DeleteMessage.
    pub fn ack(&mut self, now: Micros, receipt: Receipt, out: &mut Vec<Happening>) -> AckOutcome {
        let queue = &mut self.queues[receipt.queue.index()];
        let outcome = queue.ack(now, receipt, &mut self.moves, out);
        self.move_copies(now, out);
        outcome
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
        self.move_copies(now, out);
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
        self.move_copies(now, out);
        outcome
    }

    /// Takes over what other consumers hold for too long, on queues where nothing times out. Looks at ten times
    /// `claim.max` messages, in order of sending, from where an earlier claim ended; says where to go on, none at the end.
    /// Redis: XAUTOCLAIM.
    pub fn claim(
        &mut self,
        now: Micros,
        queue: QueueId,
        claim: Claim,
        from: Option<PendingCursor>,
        out: &mut Vec<Happening>,
    ) -> Option<PendingCursor> {
        let this = &mut self.queues[queue.index()];
        let next = this.claim(now, &claim, from, &mut self.moves, out);
        self.move_copies(now, out);
        next
    }

    /// Takes over one message if it was idle for long enough; says whether it was. Redis: XCLAIM.
    pub fn claim_message(
        &mut self,
        now: Micros,
        queue: QueueId,
        claim: Claim,
        message: MessageKey,
        out: &mut Vec<Happening>,
    ) -> bool {
        let this = &mut self.queues[queue.index()];
        let taken = this.claim_message(now, &claim, message, &mut self.moves, out);
        self.move_copies(now, out);
        taken
    }

    /// Delivers up to `max` of the messages that a consumer holds to itself once more; says how many that was. Redis:
    /// XREADGROUP with an id.
    pub fn read_own(
        &mut self,
        now: Micros,
        queue: QueueId,
        consumer: ConsumerId,
        max: u32,
        out: &mut Vec<Happening>,
    ) -> u32 {
        let this = &mut self.queues[queue.index()];
        let read = this.read_own(now, consumer, max, &mut self.moves, out);
        self.move_copies(now, out);
        read
    }

    /// Forgets a consumer of a queue where nothing times out: what it held stays and is never delivered again. Returns
    /// how many messages that was. Redis: XGROUP DELCONSUMER.
    pub fn forget_consumer(
        &mut self,
        queue: QueueId,
        consumer: ConsumerId,
        out: &mut Vec<Happening>,
    ) -> u32 {
        self.queues[queue.index()].forget_consumer(consumer, out)
    }

    /// Up to `limit` messages held without a timeout, in order of sending. Redis: XPENDING.
    pub fn pending(&self, queue: QueueId, limit: usize) -> Vec<PendingMessage> {
        self.queues[queue.index()].pending(limit)
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
        self.move_copies(now, out);
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
        let outcome = self.queues[receipt.queue.index()].reject(now, receipt, &mut self.moves, out);
        self.move_copies(now, out);
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

    /// Removes all messages of a queue: visible, delayed and in flight. No effect while it is refused, see
    /// [`Broker::refuses_purge`]. SQS: PurgeQueue. What was pushed stays with its
    /// consumers. RabbitMQ: queue.purge.
    pub fn purge(&mut self, now: Micros, queue: QueueId, out: &mut Vec<Happening>) {
        let queue = &mut self.queues[queue.index()];
        if !queue.refuses_purge(now) {
            queue.last_purge = Some(now);
            queue.purge(now, out);
        }
        self.note_room();
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
        self.move_copies(now, out);
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
        self.move_copies(now, out);
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
        self.move_copies(now, out);
    }

    /// Removes one message, in whichever state; counted as discarded.
    pub fn discard(
        &mut self,
        now: Micros,
        queue: QueueId,
        message: MessageKey,
        reason: DiscardReason,
        out: &mut Vec<Happening>,
    ) {
        self.queues[queue.index()].discard(now, message, reason, out);
        self.note_room();
    }

    /// Whether a message is in flight in a queue.
    pub fn is_in_flight(&self, queue: QueueId, message: MessageKey) -> bool {
        self.queues[queue.index()].is_in_flight(message)
    }

    /// Whether a timeout ends that makes a message visible that is in flight in a queue.
    pub fn times_out(&self, queue: QueueId, message: MessageKey) -> bool {
        self.queues[queue.index()].times_out(message)
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
        self.move_copies(now, out);
    }

    /// Changes a setting of a queue; what that does to messages already there, [`QueueChange`] says. A change of kind
    /// takes the dead-letter queue along.
    pub fn change(
        &mut self,
        now: Micros,
        queue: QueueId,
        change: &QueueChange,
        out: &mut Vec<Happening>,
    ) {
        let count = self.queues.len();
        let moves = &mut self.moves;
        let this = &mut self.queues[queue.index()];
        this.end_sessions_before(now, change, moves, out);
        match change {
            QueueChange::DeadLetterQueue(dead) => {
                let dead = dead_letter_queue(queue, *dead, &this.setup, count);
                this.setup.dead_letter_queue = dead;
                self.note_targets();
            }
            QueueChange::Kind(_) => {
                this.change(now, change, moves, out);
                if let Some(dead) = this.setup.dead_letter_queue.filter(|&dead| dead != queue) {
                    let dead = &mut self.queues[dead.index()];
                    dead.end_sessions_before(now, change, moves, out);
                    dead.change(now, change, moves, out);
                }
            }
            _ => this.change(now, change, moves, out),
        }
        self.move_copies(now, out);
        self.note_keeping();
    }

    /// Restarts the broker: messages and queues that do not survive are lost.
    ///
    /// Leases are as durable as their messages and go on: the consumer that holds one may still acknowledge. What was
    /// pushed comes back, because its channel is gone.
    pub fn restart(&mut self, now: Micros, out: &mut Vec<Happening>) {
        for queue in &mut self.queues {
            queue.lose(now, out);
        }
        self.note_targets();
        for queue in &mut self.queues {
            queue.return_pushed(now, &mut self.moves, out);
        }
        self.move_copies(now, out);
    }

    /// Whether there is such a queue. One that is gone refuses sends.
    pub fn queue_exists(&self, queue: QueueId) -> bool {
        self.queues[queue.index()].exists
    }

    /// Makes a queue that is gone anew, empty. RabbitMQ: queue.declare.
    pub fn declare(&mut self, now: Micros, queue: QueueId) {
        let this = &mut self.queues[queue.index()];
        this.exists = true;
        this.last_use = now;
        self.note_targets();
    }

    /// Deletes a queue with its messages, which are not dead-lettered. RabbitMQ: queue.delete.
    pub fn delete(&mut self, _now: Micros, queue: QueueId, out: &mut Vec<Happening>) {
        self.queues[queue.index()].delete(out);
        self.note_targets();
    }

    /// Why the copies of a message that are in a queue died before.
    pub fn deaths(&self, queue: QueueId, message: MessageKey) -> Deaths {
        self.queues[queue.index()].deaths(message)
    }

    /// Where and why a message that is here died, if it did more than once.
    pub fn death_chain(&self, queue: QueueId, message: MessageKey) -> Option<&Deaths> {
        self.queues[queue.index()].store.death_chain(message)
    }

    /// Tells every queue whether its dead-letter queue is there.
    fn note_targets(&mut self) {
        let there: Vec<bool> = self.queues.iter().map(|queue| queue.exists).collect();
        for queue in &mut self.queues {
            let target = queue.setup.dead_letter_queue;
            queue.has_target = target.is_none_or(|target| there[target.index()]);
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
        let existed = self.queues[queue.index()].exists;
        self.queues[queue.index()].advance(now, &mut self.moves, out);
        if existed != self.queues[queue.index()].exists {
            self.note_targets();
        }
        self.move_copies(now, out);
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

    /// Puts copies that left a queue into another; what a full one drops for them follows.
    fn move_copies(&mut self, now: Micros, out: &mut Vec<Happening>) {
        let most_hops = self.queues.len();
        while !self.moves.is_empty() {
            for moved in std::mem::take(&mut self.moves) {
                let queue = &mut self.queues[moved.to.index()];
                queue.take_in(now, moved, most_hops, &mut self.moves, out);
            }
        }
        self.note_room();
    }

    /// Tells queues that keep dead letters how many their dead-letter queue takes.
    fn note_room(&mut self) {
        if !self.keeps_dead {
            return;
        }
        let room: Vec<u64> = self.queues.iter().map(Queue::room).collect();
        for queue in &mut self.queues {
            let target = queue.setup.dead_letter_queue;
            queue.target_room = target.map_or(u64::MAX, |target| room[target.index()]);
        }
    }
}

/// `to`, if it is a queue other than `from`.
fn other_queue(from: QueueId, to: Option<QueueId>, count: usize) -> Option<QueueId> {
    to.filter(|&to| to != from && to.index() < count)
}

/// A queue may be its own dead-letter queue if it cuts cycles.
fn dead_letter_queue(
    of: QueueId,
    to: Option<QueueId>,
    setup: &QueueSetup,
    count: usize,
) -> Option<QueueId> {
    let to = to.filter(|&to| to != of || setup.rules.cuts_cycles);
    to.filter(|to| to.index() < count)
}
