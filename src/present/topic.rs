//! What events are about, to list only some of them.

use crate::engine::EventKind;

/// What an event is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    /// Sends, and what became of them at the queue.
    Sends,
    /// Messages handed out, and receives that stayed empty.
    Deliveries,
    /// Handlers and their effects.
    Work,
    /// What consumers answered: acks, nacks, rejects, extensions.
    Acks,
    /// Ends of timeouts and delays: messages that are visible again.
    Timeouts,
    /// Messages that left their queue otherwise: dead-lettered, expired, dropped, purged, moved.
    Removals,
    /// Order and starvation.
    Order,
    /// Commands, crashes and starts.
    Commands,
}

impl Topic {
    /// All of them, in the order of a list.
    pub const ALL: [Self; 8] = [
        Self::Sends,
        Self::Deliveries,
        Self::Work,
        Self::Acks,
        Self::Timeouts,
        Self::Removals,
        Self::Order,
        Self::Commands,
    ];

    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sends => "sends",
            Self::Deliveries => "deliveries",
            Self::Work => "work and effects",
            Self::Acks => "acks and nacks",
            Self::Timeouts => "timeouts and delays",
            Self::Removals => "dead letters, removals",
            Self::Order => "order, starvation",
            Self::Commands => "commands, crashes",
        }
    }

    /// What an event is about.
    pub const fn of(kind: &EventKind) -> Self {
        match kind {
            EventKind::Sent { .. }
            | EventKind::SendLost { .. }
            | EventKind::Accepted { .. }
            | EventKind::Suppressed { .. }
            | EventKind::Refused { .. }
            | EventKind::ConfirmLost { .. } => Self::Sends,
            EventKind::Delivered { .. }
            | EventKind::EmptyReceive { .. }
            | EventKind::ReceiveRefused { .. }
            | EventKind::Claimed { .. }
            | EventKind::SessionAccepted { .. }
            | EventKind::SessionClosed { .. }
            | EventKind::ResponseLost { .. } => Self::Deliveries,
            EventKind::Started { .. }
            | EventKind::WaitsForPlace { .. }
            | EventKind::Finished { .. }
            | EventKind::Failed { .. }
            | EventKind::Skipped { .. }
            | EventKind::Effect { .. }
            | EventKind::EffectSkipped { .. } => Self::Work,
            EventKind::Acked { .. }
            | EventKind::AckStale { .. }
            | EventKind::AckLost { .. }
            | EventKind::CallLost { .. }
            | EventKind::Nacked { .. }
            | EventKind::Rejected { .. }
            | EventKind::Extended { .. } => Self::Acks,
            EventKind::BecameVisible { .. }
            | EventKind::TimeoutEnded { .. }
            | EventKind::Returned { .. }
            | EventKind::Requeued { .. }
            | EventKind::SurvivedAck { .. } => Self::Timeouts,
            EventKind::DeadLettered { .. }
            | EventKind::Dropped { .. }
            | EventKind::Exhausted { .. }
            | EventKind::LostInRestart { .. }
            | EventKind::DeadLetterKept { .. }
            | EventKind::Expired { .. }
            | EventKind::Purged { .. }
            | EventKind::Discarded { .. }
            | EventKind::Redriven { .. } => Self::Removals,
            EventKind::DeliveredOutOfOrder { .. }
            | EventKind::FinishedOutOfOrder { .. }
            | EventKind::StarvationBegan { .. }
            | EventKind::StarvationEnded { .. } => Self::Order,
            EventKind::ConsumerStarted { .. }
            | EventKind::ChannelClosed { .. }
            | EventKind::ChannelOpened { .. }
            | EventKind::BrokerRestarted
            | EventKind::QueueDeleted { .. }
            | EventKind::BreakerOpened { .. }
            | EventKind::BreakerClosed { .. }
            | EventKind::Crashed { .. }
            | EventKind::CommandApplied { .. }
            | EventKind::CommandIgnored { .. }
            | EventKind::PoisonSet { .. }
            | EventKind::RedriveBegan { .. }
            | EventKind::RedriveEnded { .. }
            | EventKind::SettingDelayed { .. }
            | EventKind::RedriveRefused { .. }
            | EventKind::Stuck { .. } => Self::Commands,
        }
    }
}
