//! Events that only some brokers know: channels, sessions, claims, restarts, breakers.

use crate::engine::event::{CloseReason, ExhaustedReason, RequeueReason};
use crate::engine::{Event, EventKind};
use crate::present::format;

use super::{Severity, Teller, Told};

impl Teller<'_> {
    /// Events of channels, sessions, claims, restarts and breakers.
    pub(super) fn of_brokers(&self, event: &Event) -> Told {
        use EventKind as E;
        use Severity::{Bad, Normal, Warn};
        match event.kind {
            E::ReceiveRefused { queue, consumer } => {
                let text = format!(
                    "{}'s receive refused: too many messages are in flight.",
                    self.c(consumer)
                );
                (self.q(queue), text, Warn)
            }
            E::Claimed {
                message,
                consumer,
                from,
                ..
            } => {
                let text = format!("Claims {} from {}.", self.m(message), self.c(from));
                (self.c(consumer), text, Warn)
            }
            E::SessionAccepted {
                group, consumer, ..
            } => {
                let text = format!("Holds the session {} now.", self.session(group));
                (self.c(consumer), text, Normal)
            }
            E::SessionClosed {
                group,
                consumer,
                lost,
                ..
            } => {
                let verb = if lost { "Loses" } else { "Closes" };
                let severity = if lost { Warn } else { Normal };
                let text = format!("{verb} the session {}.", self.session(group));
                (self.c(consumer), text, severity)
            }
            E::Requeued {
                message,
                queue,
                consumer,
                reason,
            } => {
                let (m, c) = (self.m(message), self.c(consumer));
                let why = match reason {
                    RequeueReason::ChannelClosed => format!("the channel of {c} closed"),
                    RequeueReason::Crashed => format!("{c} crashed"),
                    RequeueReason::SessionClosed => format!("{c} holds its session no more"),
                    RequeueReason::KeyReplayed => "an earlier one of its key came back".to_owned(),
                    RequeueReason::BrokerRestarted => "the broker was restarted".to_owned(),
                    RequeueReason::NackedUpTo => format!("{c} returned it with a later one"),
                };
                (self.q(queue), format!("{m} is back: {why}."), Warn)
            }
            E::Exhausted {
                message,
                queue,
                deliveries,
                archived,
                reason,
            } => {
                let times = format::counted(deliveries.into(), "delivery", "deliveries");
                let what = if archived {
                    "archived"
                } else {
                    "stays, and is delivered no more"
                };
                let why = match reason {
                    ExhaustedReason::BudgetUsedUp => format!("{times} used up"),
                    ExhaustedReason::Rejected => "rejected".to_owned(),
                    ExhaustedReason::ConsumerForgotten => "its consumer was forgotten".to_owned(),
                };
                let text = format!("{} {what}: {why}.", self.m(message));
                (self.q(queue), text, Bad)
            }
            E::ChannelClosed {
                consumer, reason, ..
            } => {
                if reason == CloseReason::Cancelled {
                    let text = "Cancelled: a delivery was not acknowledged in time.".to_owned();
                    return (self.c(consumer), text, Bad);
                }
                let why = match reason {
                    CloseReason::Timeout | CloseReason::Cancelled => {
                        "a delivery was not acknowledged in time"
                    }
                    CloseReason::UnknownDelivery => "it acknowledged an unknown delivery",
                    CloseReason::Command => "by a command",
                    CloseReason::BrokerRestarted => "the broker was restarted",
                    CloseReason::ConnectionLost => "the connection was lost",
                    CloseReason::Shared => "another consumer of it made it close",
                };
                (self.c(consumer), format!("Channel closed: {why}."), Bad)
            }
            E::ChannelOpened { consumer, .. } => {
                (self.c(consumer), "Channel open again.".to_owned(), Normal)
            }
            E::BrokerRestarted => {
                let text = "Restarted: channels are closed, what survives is visible.".to_owned();
                ("Broker".to_owned(), text, Warn)
            }
            E::DeadLetterKept { message, queue, .. } => {
                let text = format!(
                    "{} stays as a dead letter: its dead-letter queue is not there.",
                    self.m(message)
                );
                (self.q(queue), text, Warn)
            }
            E::LostInRestart { message, queue } => {
                let text = format!(
                    "{} is lost: it did not survive the restart.",
                    self.m(message)
                );
                (self.q(queue), text, Bad)
            }
            E::QueueDeleted { queue } => {
                (self.q(queue), "The queue is there no more.".to_owned(), Bad)
            }
            E::BreakerOpened { consumer } => {
                let text = "Circuit breaker open: receives nothing for a while.".to_owned();
                (self.c(consumer), text, Warn)
            }
            E::BreakerClosed { consumer } => {
                let text = "Circuit breaker closed: receives again.".to_owned();
                (self.c(consumer), text, Normal)
            }
            _ => (String::new(), String::new(), Normal),
        }
    }

    fn session(&self, group: Option<crate::engine::GroupId>) -> String {
        group.map_or_else(
            || "without a name".to_owned(),
            |group| self.names().group(group).into_owned(),
        )
    }
}
