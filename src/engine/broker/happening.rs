//! What the broker does, as its calls and its timers report it.

use super::call::{MessageKey, Receipt};
use crate::engine::command::DiscardReason;
use crate::engine::event::{CloseReason, DeadLetterReason, ExhaustedReason, RequeueReason};
use crate::engine::id::{ConsumerId, GroupId, QueueId};
use crate::engine::time::Micros;

/// Something that the broker did.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Happening {
    /// Where.
    pub queue: QueueId,
    /// To which message; none for what concerns no message.
    pub message: Option<MessageKey>,
    /// What.
    pub kind: HappeningKind,
}

/// What the broker did.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum HappeningKind {
    /// Handed out.
    Delivered {
        /// To whom.
        consumer: ConsumerId,
        /// Identifies the delivery.
        receipt: Receipt,
        /// Delivery count, from 1.
        delivery: u32,
        /// When its visibility timeout ends.
        hidden_until: Micros,
        /// Since when it had been ready.
        ready_since: Micros,
        /// It counts as done: [`HappeningKind::Acked`] follows.
        automatic: bool,
    },
    /// Removed without an ack of its own: by being handed out, or by an ack that covers several.
    Acked {
        /// Who had it.
        consumer: ConsumerId,
    },
    /// A receive ended without a message.
    EmptyReceive {
        /// Whose.
        consumer: ConsumerId,
    },
    /// The send's delay is over.
    BecameVisible,
    /// The visibility timeout ended: visible again.
    TimeoutEnded {
        /// Who had received it.
        consumer: ConsumerId,
        /// Which delivery it was.
        delivery: u32,
    },
    /// The delay of a returned message is over: visible again.
    Returned,
    /// Moved to another queue by the receive that would have exceeded its budget, or by a reject.
    DeadLettered {
        /// Where to.
        to: QueueId,
        /// Why.
        reason: DeadLetterReason,
        /// Deliveries before the move.
        deliveries: u32,
    },
    /// Removed for the same reasons, for want of a dead-letter queue.
    Dropped {
        /// Why.
        reason: DeadLetterReason,
        /// Deliveries before.
        deliveries: u32,
    },
    /// A dead letter stays where it died, because its dead-letter queue is not there.
    DeadLetterKept {
        /// Why it died.
        reason: DeadLetterReason,
    },
    /// Removed because its retention or its time to live ended.
    Expired,
    /// Removed by a purge.
    Purged,
    /// Removed by hand.
    Discarded {
        /// Why.
        reason: DiscardReason,
    },
    /// A receive was refused because of what is in flight.
    ReceiveRefused {
        /// Whose.
        consumer: ConsumerId,
    },
    /// Taken over from another consumer; a delivery follows.
    Claimed {
        /// By whom.
        consumer: ConsumerId,
        /// From whom.
        from: ConsumerId,
    },
    /// Came back without its consumer.
    Requeued {
        /// Who had it.
        consumer: ConsumerId,
        /// Why.
        reason: RequeueReason,
    },
    /// Delivered no more: stays undeliverable, or was archived.
    Exhausted {
        /// Deliveries before.
        deliveries: u32,
        /// Whether it left the queue for the archive.
        archived: bool,
        /// Why.
        reason: ExhaustedReason,
    },
    /// A consumer holds a session.
    SessionAccepted {
        /// Which.
        group: Option<GroupId>,
        /// Who.
        consumer: ConsumerId,
    },
    /// It holds it no more.
    SessionClosed {
        /// Which.
        group: Option<GroupId>,
        /// Who.
        consumer: ConsumerId,
        /// Not given up by itself.
        lost: bool,
    },
    /// A consumer's channel was closed.
    ChannelClosed {
        /// Whose.
        consumer: ConsumerId,
        /// Why.
        reason: CloseReason,
    },
    /// Lost in a restart.
    LostInRestart,
    /// The queue is there no more.
    QueueDeleted,
    /// Moved out of a dead-letter queue.
    Redriven {
        /// Where to.
        to: QueueId,
    },
}
