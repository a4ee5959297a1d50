//! What goes into a call and what comes out of it.

use super::store::Lease;
use crate::engine::event::RefusalReason;
use crate::engine::id::{ConsumerId, GroupId, MessageNumber, QueueId};
use crate::engine::time::Micros;

/// A message as the broker knows it: an opaque key that its user chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MessageKey(pub u32);

/// A send.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Incoming {
    /// The message.
    pub message: MessageKey,
    /// Its number in the run: names the first of several equal sends.
    pub number: MessageNumber,
    /// Its group.
    pub group: Option<GroupId>,
    /// What identifies a repeated send by the id it carries.
    pub deduplication_id: Option<DeduplicationKey>,
    /// What identifies a repeated send by its content.
    pub content: DeduplicationKey,
    /// Delay asked for, in place of the queue's.
    pub delay: Option<Micros>,
    /// Its priority, if it has one.
    pub priority: Option<u8>,
    /// Its own time to live.
    pub ttl: Option<Micros>,
    /// Survives a restart of the broker in a durable queue.
    pub persistent: bool,
}

/// An interned deduplication id or content; equal keys are the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DeduplicationKey(pub u64);

/// How a send ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendOutcome {
    /// Stored.
    Accepted,
    /// Not stored, and the producer is told.
    Refused(RefusalReason),
    /// Answered as stored, but recognised as a repetition of this message.
    Suppressed {
        /// The number of the message that was accepted first.
        first: MessageNumber,
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
    /// What is handed out counts as done at once.
    pub automatic: bool,
}

/// Identifies one delivery. SQS: receipt handle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Receipt {
    /// The queue.
    pub queue: QueueId,
    /// Who received it.
    pub(super) consumer: ConsumerId,
    /// Where the copy is stored.
    pub(super) slot: u32,
    /// Which lease, unique in the queue.
    pub(super) lease: Lease,
    /// When it was received.
    pub(super) received: Micros,
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
    /// The channel knows no such delivery and was closed. RabbitMQ: 406.
    ChannelClosed,
    /// The message is removed and a copy of it is visible again.
    Survived,
}

/// How a change of visibility or a nack ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeOutcome {
    /// The message is hidden until then.
    HiddenUntil(Micros),
    /// An error: the lease is over; nothing changed.
    Stale,
    /// Answered as a success though the lease is over; nothing changed. SQS standard: a call after expiry, while the
    /// message is there.
    Ignored,
    /// An error: it would hide the message for more than [`super::LONGEST_INVISIBILITY`] from the receive; nothing
    /// changed.
    Refused,
}
