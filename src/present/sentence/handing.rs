//! Events between a queue and its consumers.

use crate::engine::rules::{CountRule, HandOver};
use crate::engine::{Event, EventKind, Micros, QueueId};
use crate::present::format;

use super::{Severity, Teller, Told};

impl Teller<'_> {
    /// Events between a queue and its consumers.
    pub(super) fn hand_over(&self, event: &Event) -> Told {
        use EventKind as E;
        use Severity::{Normal, Warn};
        let at = format::instant;
        match event.kind {
            E::Delivered {
                message,
                queue,
                consumer,
                delivery,
                hidden_until,
            } => {
                let counts = self.setup.queues.get(queue.index());
                let counts = counts.is_none_or(|it| it.rules.count != CountRule::Never);
                let nth = if delivery > 1 && !counts {
                    " again".to_owned()
                } else if delivery > 1 {
                    format!(" for the {} time", format::ordinal(delivery))
                } else {
                    String::new()
                };
                let hidden = self.until(queue, hidden_until);
                let hidden = hidden.map_or_else(String::new, |until| format!(", {until}"));
                let text = format!(
                    "{} handed to {}{nth}{hidden}.",
                    self.m(message),
                    self.c(consumer)
                );
                (
                    self.q(queue),
                    text,
                    if delivery > 1 { Warn } else { Normal },
                )
            }
            E::ResponseLost {
                message,
                queue,
                consumer,
            } => {
                let text = format!(
                    "{} was handed out but never reached {}: it counts as delivered and stays hidden.",
                    self.m(message),
                    self.c(consumer)
                );
                (self.q(queue), text, Warn)
            }
            E::DeliveredOutOfOrder {
                message,
                queue,
                before,
            } => {
                let text = format!(
                    "{} delivered after {}, which was sent later.",
                    self.m(message),
                    self.m(before)
                );
                (self.q(queue), text, Warn)
            }
            E::Acked {
                message,
                queue,
                consumer,
            } => (
                self.q(queue),
                format!(
                    "{} acknowledged by {} and removed.",
                    self.m(message),
                    self.c(consumer)
                ),
                Normal,
            ),
            E::AckStale {
                message,
                queue,
                consumer,
                refused,
            } => {
                let (m, c) = (self.m(message), self.c(consumer));
                let text = if refused {
                    format!("{c}'s ack of {m} came too late and was refused.")
                } else {
                    format!(
                        "{c}'s ack of {m} came too late: answered as a success, nothing removed."
                    )
                };
                (self.q(queue), text, Warn)
            }
            E::AckLost {
                message,
                queue,
                consumer,
            } => {
                let text = format!(
                    "{}'s ack of {} got lost: here the message still counts as unfinished.",
                    self.c(consumer),
                    self.m(message)
                );
                (self.q(queue), text, Warn)
            }
            E::Nacked {
                message,
                queue,
                consumer,
                stale: true,
                ..
            } => (
                self.q(queue),
                format!(
                    "{} returned {} too late: nothing changes.",
                    self.c(consumer),
                    self.m(message)
                ),
                Warn,
            ),
            E::Nacked {
                message,
                queue,
                consumer,
                visible_at,
                ..
            } => {
                let when = if visible_at > event.at {
                    format!("at {}", at(visible_at))
                } else {
                    "at once".to_owned()
                };
                (
                    self.q(queue),
                    format!(
                        "{} returned by {}: visible again {when}.",
                        self.m(message),
                        self.c(consumer)
                    ),
                    Warn,
                )
            }
            E::Rejected {
                message,
                queue,
                consumer,
            } => (
                self.q(queue),
                format!(
                    "{} rejected by {}: no retry.",
                    self.m(message),
                    self.c(consumer)
                ),
                Warn,
            ),
            E::Extended {
                message,
                queue,
                consumer,
                stale: true,
                ..
            } => (
                self.q(queue),
                format!(
                    "{} extended {} too late: nothing changes.",
                    self.c(consumer),
                    self.m(message)
                ),
                Warn,
            ),
            E::Extended {
                message,
                queue,
                consumer,
                refused: true,
                ..
            } => (
                self.q(queue),
                format!(
                    "{} may not hide {} beyond 12 h from its receive: refused.",
                    self.c(consumer),
                    self.m(message)
                ),
                Warn,
            ),
            E::Extended {
                message,
                queue,
                consumer,
                hidden_until,
                ..
            } => (
                self.q(queue),
                format!(
                    "{} still works on {}: {}.",
                    self.c(consumer),
                    self.m(message),
                    self.until(queue, hidden_until)
                        .unwrap_or_else(|| "its idle time starts again".to_owned())
                ),
                Normal,
            ),
            E::TimeoutEnded {
                message,
                queue,
                consumer,
                delivery,
            } => {
                let record = self.delivery(message, queue, delivery);
                if record.is_some_and(|record| record.cut_short) {
                    let text = format!(
                        "The timeout of {} is ended: it is visible again, whoever still works on it.",
                        self.m(message)
                    );
                    return (self.q(queue), text, Warn);
                }
                let within = match self.timeout(message, queue, delivery) {
                    Some(timeout) => format!("within {}", format::span(timeout)),
                    None => "in time".to_owned(),
                };
                let doubt = match consumer {
                    Some(id) => format!(
                        " The queue cannot see whether {} is still working.",
                        self.c(id)
                    ),
                    None => String::new(),
                };
                (
                    self.q(queue),
                    format!(
                        "No ack {within}: {} is visible again.{doubt}",
                        self.m(message)
                    ),
                    Warn,
                )
            }
            E::Returned { message, queue } => (
                self.q(queue),
                format!(
                    "The back-off of {} is over: it is visible again.",
                    self.m(message)
                ),
                Normal,
            ),
            E::SurvivedAck { message, queue } => {
                let text = format!(
                    "A copy of {} survived its ack and is visible again: a standard queue delivers at least once.",
                    self.m(message)
                );
                (self.q(queue), text, Warn)
            }
            _ => (String::new(), String::new(), Normal),
        }
    }

    /// How long a delivery may take, if there is an end to it.
    fn until(&self, queue: QueueId, until: Micros) -> Option<String> {
        if until == Micros::MAX {
            return None;
        }
        let queue = self.setup.queues.get(queue.index());
        let pushes = queue.is_some_and(|queue| queue.rules.hand_over == HandOver::Push);
        let what = if pushes { "ack due by" } else { "hidden until" };
        Some(format!("{what} {}", format::instant(until)))
    }
}
