//! What the broker does, as its calls and its timers report it.

use super::call::{MessageKey, Receipt};
use crate::engine::command::DiscardReason;
use crate::engine::event::DeadLetterReason;
use crate::engine::id::{ConsumerId, QueueId};
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
    /// Removed by hand.
    Discarded {
        /// Why.
        reason: DiscardReason,
    },
    /// Moved out of a dead-letter queue.
    Redriven {
        /// Where to.
        to: QueueId,
    },
}
