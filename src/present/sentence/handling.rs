//! Events of consumers and their effects.

use crate::engine::event::FailureReason;
use crate::engine::rules::HandOver;
use crate::engine::{Event, EventKind};
use crate::present::format;

use super::{Severity, Teller, Told};

impl Teller<'_> {
    /// Events of consumers and their effects.
    pub(super) fn handler(&self, event: &Event) -> Told {
        use EventKind as E;
        use Severity::{Bad, Normal, Warn};
        match event.kind {
            E::EmptyReceive { queue, consumer } => (
                self.c(consumer),
                format!("A receive from {} came back empty.", self.q(queue)),
                Normal,
            ),
            E::Started {
                message,
                consumer,
                work,
                lease_over,
                ..
            } => {
                let text = if lease_over {
                    format!(
                        "Starts {} although its timeout ended in the buffer: another worker may have it too.",
                        self.m(message)
                    )
                } else {
                    format!(
                        "Starts {}: {} of work.",
                        self.m(message),
                        format::work(work)
                    )
                };
                (
                    self.c(consumer),
                    text,
                    if lease_over { Warn } else { Normal },
                )
            }
            E::WaitsForPlace {
                message,
                consumer,
                downstream,
                ..
            } => {
                let name = self.downstream(downstream);
                let text = format!("Waits with {} for a place at {name}.", self.m(message));
                (self.c(consumer), text, Warn)
            }
            E::Finished {
                message, consumer, ..
            } => (
                self.c(consumer),
                format!("Finishes {}.", self.m(message)),
                Normal,
            ),
            E::Failed {
                message,
                consumer,
                reason,
                ..
            } => {
                let why = match reason {
                    FailureReason::Poison => "it is poison and can never be processed",
                    FailureReason::Chance => "by chance",
                    FailureReason::FirstDeliveries => "as all first deliveries do",
                    FailureReason::Downstream => "what it called refused",
                    FailureReason::Batch => "another message of its batch failed",
                };
                (
                    self.c(consumer),
                    format!("{} fails: {why}.", self.m(message)),
                    Warn,
                )
            }
            E::Skipped { message, consumer } => (
                self.c(consumer),
                format!(
                    "Drops {} unstarted: its timeout ended in the buffer.",
                    self.m(message)
                ),
                Warn,
            ),
            E::Effect {
                message,
                consumer,
                nth,
                amount,
            } => {
                let sum = match amount {
                    0 => String::new(),
                    _ if self.unit.is_empty() => String::new(),
                    n => format!(", {}", format::amount(n.into(), self.unit)),
                };
                let (m, c, done) = (self.m(message), self.c(consumer), self.done());
                let outside = "Outside world".to_owned();
                match nth {
                    0 | 1 => (outside, format!("{m} {done} by {c}{sum}."), Normal),
                    n => (
                        outside,
                        format!(
                            "{m} {done} by {c} too{sum}: the {} time, a duplicate effect.",
                            format::ordinal(n)
                        ),
                        Bad,
                    ),
                }
            }
            E::EffectSkipped {
                message,
                consumer,
                wrongly: false,
            } => (
                self.c(consumer),
                format!("{} was done before: no second effect.", self.m(message)),
                Normal,
            ),
            E::EffectSkipped {
                message,
                consumer,
                wrongly: true,
            } => (
                self.c(consumer),
                format!(
                    "{} taken for done although it never was: its effect is missing.",
                    self.m(message)
                ),
                Bad,
            ),
            E::FinishedOutOfOrder {
                message,
                group,
                before,
            } => {
                let group = self.group(group);
                let text = format!(
                    "{} took effect after {}, a later message of {group}.",
                    self.m(message),
                    self.m(before)
                );
                ("Outside world".to_owned(), text, Bad)
            }
            E::ConsumerStarted { consumer } => (self.c(consumer), "Starts.".to_owned(), Normal),
            E::Crashed { consumer, held } => {
                let from = self.setup.consumers.get(consumer.index()).map(|it| it.from);
                let queue = from.and_then(|from| self.setup.queues.get(from.index()));
                let hand_over = queue.map_or(HandOver::Lease, |it| it.rules.hand_over);
                let back = match (hand_over, held) {
                    (HandOver::Push, 1) => "the broker takes it back",
                    (HandOver::Push, _) => "the broker takes them back",
                    (HandOver::Pending, 1) => "it stays pending until somebody claims it",
                    (HandOver::Pending, _) => "they stay pending until somebody claims them",
                    (HandOver::Lease, 1) => "only the timeout brings it back",
                    (HandOver::Lease, _) => "only their timeouts bring them back",
                };
                let text = match held {
                    0 => "Crashes, holding nothing.".to_owned(),
                    1 => format!(
                        "Crashes, holding a message that it will never acknowledge: {back}."
                    ),
                    n => format!(
                        "Crashes, holding {n} messages that it will never acknowledge: {back}."
                    ),
                };
                (self.c(consumer), text, Bad)
            }
            _ => (String::new(), String::new(), Normal),
        }
    }
}
