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
mod console_calls;
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
mod push_calls;
mod queue;
mod quiet;
mod ranked;
mod returns;
mod returns_queue;
mod session_calls;
mod session_receives;
mod sessions;
mod settle;
mod settle_calls;
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

    /// Takes back the waiting receive of a consumer; says whether there was one.
    pub fn withdraw(&mut self, queue: QueueId, consumer: ConsumerId) -> bool {
        self.queues[queue.index()].waiting.withdraw(consumer)
    }

    /// Pushes what may be pushed to subscribers, and answers waiting receives with what may be received, consumers in
    /// order of their ids. A receive that gets something is answered; one whose wait is over is answered empty.
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
