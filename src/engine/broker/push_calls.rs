//! The calls of brokers that push, RabbitMQ's words: subscriptions and channels.

use super::*;

impl Broker {
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
}
