//! What happens seldom in a run, as a list beside the ledger: crashes, closures, refusals, losses. Built from the trace.

use super::event::{Event, EventKind, ExhaustedReason};
use super::id::{ConsumerId, MessageNumber, QueueId};
use super::time::Micros;

/// One such thing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Occurrence {
    /// When.
    pub at: Micros,
    /// What.
    pub what: Occurred,
    /// To which message, if to one.
    pub message: Option<MessageNumber>,
    /// At which queue, if at one.
    pub queue: Option<QueueId>,
    /// At which consumer, if at one.
    pub consumer: Option<ConsumerId>,
}

/// What can occur; each is the event of that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the events tell what they are")]
pub enum Occurred {
    Crashed,
    ChannelClosed,
    BreakerOpened,
    SessionAccepted,
    Claimed,
    Refused,
    SendLost,
    Nacked,
    Rejected,
    StaleAck,
    Requeued,
    Exhausted,
    Dropped,
    LostInRestart,
}

impl Occurrence {
    /// The occurrence that an event is; none if it is none, or has an entry of its own in the ledger.
    pub fn of(event: &Event) -> Option<Self> {
        use EventKind as E;
        let (what, queue) = match event.kind {
            E::Crashed { .. } => (Occurred::Crashed, None),
            E::ChannelClosed { queue, .. } => (Occurred::ChannelClosed, Some(queue)),
            E::BreakerOpened { .. } => (Occurred::BreakerOpened, None),
            E::SessionAccepted { queue, .. } => (Occurred::SessionAccepted, Some(queue)),
            E::Claimed { queue, .. } => (Occurred::Claimed, Some(queue)),
            E::Refused { queue, .. } => (Occurred::Refused, Some(queue)),
            E::SendLost { queue, .. } => (Occurred::SendLost, Some(queue)),
            E::Nacked {
                queue,
                stale: false,
                ..
            } => (Occurred::Nacked, Some(queue)),
            E::Rejected { queue, .. } => (Occurred::Rejected, Some(queue)),
            E::AckStale { queue, .. } => (Occurred::StaleAck, Some(queue)),
            E::Requeued { queue, .. } => (Occurred::Requeued, Some(queue)),
            E::Exhausted {
                queue,
                reason: ExhaustedReason::BudgetUsedUp,
                ..
            } => (Occurred::Exhausted, Some(queue)),
            E::Dropped { queue, .. } => (Occurred::Dropped, Some(queue)),
            E::LostInRestart { queue, .. } => (Occurred::LostInRestart, Some(queue)),
            _ => return None,
        };
        Some(Self {
            at: event.at,
            what,
            message: event.kind.message(),
            queue,
            consumer: event.kind.consumer(),
        })
    }
}
