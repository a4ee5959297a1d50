//! Calls about a delivery, and claims of what others hold.

use super::*;

impl Broker {
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
}
