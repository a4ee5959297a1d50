//! What a person does at a console: purges, redrives, and calls that name a message.

use super::*;

impl Broker {
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
}
