//! The broker: queues that are handed the time and do no waiting of their own.
//!
//! Each queue is a *store* (order, retention, deduplication) with one *subscription* (in flight, delivery counts,
//! budget, group rule) and one *hand-over* (here: lease, with a visibility timeout). The calls are those of a real
//! broker. What a call does, and what the broker does later (answers to waiting receives, timeouts, moves), goes to
//! an output list of [`Happening`]s in the order in which it happened.

use super::event::DeadLetterReason;
use super::id::{ConsumerId, GroupId, QueueId};
use super::time::Micros;

/// A message as the broker knows it: an opaque key that its user chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MessageKey(pub u32);

/// A send.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Incoming {
    /// The message.
    pub message: MessageKey,
    /// Its number in the run: indexes the draws made for it.
    pub number: super::id::MessageNumber,
    /// Its group.
    pub group: Option<GroupId>,
    /// What identifies a repeated send by the id it carries.
    pub deduplication_id: Option<DeduplicationKey>,
    /// What identifies a repeated send by its content.
    pub content: DeduplicationKey,
    /// Delay asked for, in place of the queue's.
    pub delay: Option<Micros>,
}

/// An interned deduplication id or content; equal keys are the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DeduplicationKey(pub u64);

/// How a send ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendOutcome {
    /// Stored.
    Accepted,
    /// Answered as stored, but recognised as a repetition of this message.
    Suppressed {
        /// The number of the message that was accepted first.
        first: super::id::MessageNumber,
    },
}

/// A receive that waits for messages.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Demand {
    /// Who asks.
    pub consumer: ConsumerId,
    /// How many messages at most; at least 1.
    pub max: u32,
    /// Visibility timeout asked for, in place of the queue's.
    pub visibility_timeout: Option<Micros>,
    /// When the wait ends empty; the present instant for a short poll.
    pub until: Micros,
    /// Number of this receive by this consumer: indexes the draws of short polls.
    pub call: u64,
}

/// Identifies one delivery. SQS: receipt handle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Receipt {
    /// The queue.
    pub queue: QueueId,
    /// Where the copy is stored.
    pub(super) slot: u32,
    /// Which lease, unique in the queue.
    pub(super) lease: u64,
}

/// How an ack ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckOutcome {
    /// The message is removed.
    Removed,
    /// Answered as a success; nothing was removed (already gone, or received again since).
    Ignored,
    /// SQS FIFO: an error, the receipt has expired.
    Refused,
    /// The message is removed and a copy of it is visible again.
    Survived,
}

/// How a change of visibility or a nack ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeOutcome {
    /// The message is hidden until then.
    HiddenUntil(Micros),
    /// The lease is over; nothing changed.
    Stale,
}

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
    /// Removed because its retention ended.
    Expired,
    /// Removed by a purge.
    Purged,
    /// Moved out of a dead-letter queue.
    Redriven {
        /// Where to.
        to: QueueId,
    },
}
