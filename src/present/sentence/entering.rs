//! Events on a message's way into its queue.

use crate::engine::event::RefusalReason;
use crate::engine::{Event, EventKind};
use crate::present::format;

use super::{Severity, Teller, Told};

impl Teller<'_> {
    /// Events on a message's way into its queue.
    pub(super) fn entry(&self, event: &Event) -> Told {
        use EventKind as E;
        use Severity::{Normal, Warn};
        let at = format::instant;
        match event.kind {
            E::Sent {
                message,
                producer,
                attempt,
                queue,
                ..
            } => {
                let subject = producer.map_or_else(
                    || "by hand".to_owned(),
                    |id| self.names().producer(id).into_owned(),
                );
                let (m, q) = (self.m(message), self.q(queue));
                match attempt {
                    0 | 1 => (subject, format!("{m} sent to {q}."), Normal),
                    n => (
                        subject,
                        format!(
                            "No confirm came: {m} sent to {q} again, the {} time.",
                            format::ordinal(n)
                        ),
                        Warn,
                    ),
                }
            }
            E::SendLost { message, queue } => (
                self.q(queue),
                format!("{} got lost on its way here.", self.m(message)),
                Warn,
            ),
            E::Accepted {
                message,
                queue,
                visible_at,
                ..
            } if visible_at > event.at => (
                self.q(queue),
                format!(
                    "{} stored, delayed until {}.",
                    self.m(message),
                    at(visible_at)
                ),
                Normal,
            ),
            E::Accepted { message, queue, .. } => (
                self.q(queue),
                format!("{} stored.", self.m(message)),
                Normal,
            ),
            E::Suppressed {
                message,
                queue,
                first,
            } => {
                let text = if first == message {
                    format!(
                        "{} is there already: the repeated send is confirmed and not stored.",
                        self.m(message)
                    )
                } else {
                    format!(
                        "{} taken for a repeat of {}: confirmed and not stored.",
                        self.m(message),
                        self.m(first)
                    )
                };
                (self.q(queue), text, Warn)
            }
            E::Refused {
                message,
                queue,
                reason,
            } => {
                let why = match reason {
                    RefusalReason::Full => "the queue is full",
                    RefusalReason::Quota => "too many sends in this second",
                    RefusalReason::NoQueue => "the queue is there no more",
                    RefusalReason::OwnDelay => "a FIFO queue takes no delay of one message",
                    RefusalReason::NoSession => "it names no session",
                };
                let text = format!("{} refused: {why}.", self.m(message));
                (self.q(queue), text, Warn)
            }
            E::ConfirmLost { message, producer } => {
                let producer = self.names().producer(producer).into_owned();
                let text = format!(
                    "The confirm of {} got lost: {producer} cannot know that it is stored.",
                    self.m(message)
                );
                (producer, text, Warn)
            }
            E::BecameVisible { message, queue } => (
                self.q(queue),
                format!(
                    "The delay of {} is over: it can be received.",
                    self.m(message)
                ),
                Normal,
            ),
            _ => (String::new(), String::new(), Normal),
        }
    }
}
