//! Every event as one plain sentence with names: for the log, the caption and screen readers.

use crate::engine::event::{DeadLetterReason, FailureReason, StuckReason};
use crate::engine::{
    ConsumerId, Event, EventKind, GroupId, Ledger, MessageNumber, Micros, QueueId, Setup,
};
use crate::present::format::{self, NBSP};
use crate::present::names::{Bodies, Names, clean};

use super::actions;

/// How much an event matters to the reader.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// As it should be.
    #[default]
    Normal,
    /// Worth a look.
    Warn,
    /// Harm done.
    Bad,
}

/// An event in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// Whose event it is: the name of a station.
    pub subject: String,
    /// What happened, to be read after the subject or alone; begins with a capital and ends with a full stop.
    pub text: String,
    /// How much it matters.
    pub severity: Severity,
}

/// Tells events in words.
#[derive(Clone, Copy, Debug)]
pub struct Teller<'a> {
    /// Names. Its commands are those of the run, by index.
    pub setup: &'a Setup,
    /// Bodies of messages.
    pub bodies: &'a Bodies,
    /// Deliveries, for how long a timeout was; without it the sentences say less.
    pub ledger: Option<&'a Ledger>,
    /// What an effect is called, as in "cards charged".
    pub effect_label: &'a str,
    /// Unit of the amounts.
    pub unit: &'a str,
}

impl<'a> Teller<'a> {
    fn names(&self) -> Names<'a> {
        Names {
            setup: self.setup,
            bodies: self.bodies,
        }
    }

    fn m(&self, message: MessageNumber) -> String {
        self.names().message(message)
    }

    fn c(&self, id: ConsumerId) -> String {
        self.names().consumer(id).into_owned()
    }

    fn q(&self, id: QueueId) -> String {
        self.names().queue(id).into_owned()
    }

    fn group(&self, id: Option<GroupId>) -> String {
        match id {
            Some(id) => format!("group {}", self.names().group(id)),
            None => "its group".to_owned(),
        }
    }

    /// "charged" for "cards charged".
    fn done(&self) -> String {
        let last = clean(self.effect_label)
            .split_whitespace()
            .last()
            .map(str::to_owned);
        last.filter(|word| word.ends_with("ed"))
            .unwrap_or_else(|| "done".to_owned())
    }

    /// How long a delivery was hidden in all, extensions included.
    fn timeout(&self, message: MessageNumber, queue: QueueId, delivery: u32) -> Option<Micros> {
        let ledger = self.ledger?;
        let indexes = ledger.message(message)?.deliveries.iter().rev();
        let mut records = indexes.filter_map(|index| ledger.deliveries().get(*index as usize));
        let record = records.find(|record| record.queue == queue && record.delivery == delivery)?;
        Some(record.hidden_until - record.delivered_at)
    }

    /// The event in words.
    pub fn tell(&self, event: &Event) -> Sentence {
        let (subject, text, severity) = self.told(event);
        let mut chars = text.chars();
        let text: String = chars.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(chars).collect()
        });
        Sentence {
            subject,
            text,
            severity,
        }
    }

    /// The event as a caption: when, then what.
    pub fn announce(&self, event: &Event) -> String {
        let told = self.tell(event);
        let text = told.text.replace(NBSP, " ");
        format!(
            "{}, {}: {text}",
            format::instant_exact(event.at).replace(NBSP, " "),
            told.subject
        )
    }

    fn told(&self, event: &Event) -> (String, String, Severity) {
        use EventKind as E;
        use Severity::{Bad, Normal, Warn};
        let at = format::instant_exact;
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
            E::Refused { message, queue } => {
                (self.q(queue), format!("{} refused.", self.m(message)), Warn)
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
            E::Delivered {
                message,
                queue,
                consumer,
                delivery,
                hidden_until,
            } => {
                let nth = if delivery > 1 {
                    format!(" for the {} time", format::ordinal(delivery))
                } else {
                    String::new()
                };
                let hidden = if hidden_until == Micros::MAX {
                    String::new()
                } else {
                    format!(", hidden until {}", at(hidden_until))
                };
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
            E::EmptyReceive { queue, consumer } => (
                self.c(consumer),
                format!("A receive from {} came back empty.", self.q(queue)),
                Normal,
            ),
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
                hidden_until,
                ..
            } => (
                self.q(queue),
                format!(
                    "{} still works on {}: hidden until {}.",
                    self.c(consumer),
                    self.m(message),
                    at(hidden_until)
                ),
                Normal,
            ),
            E::TimeoutEnded {
                message,
                queue,
                consumer,
                delivery,
            } => {
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
            E::DeadLettered {
                message,
                from,
                to,
                reason,
                deliveries,
            } => {
                let why = dead_letter_reason(reason, deliveries);
                (
                    self.q(to),
                    format!(
                        "{} moved here from {}: {why}.",
                        self.m(message),
                        self.q(from)
                    ),
                    Bad,
                )
            }
            E::Dropped {
                message,
                queue,
                reason,
            } => {
                let why = match reason {
                    DeadLetterReason::BudgetUsedUp => "its retry budget is used up",
                    DeadLetterReason::Rejected => "it was rejected",
                };
                (
                    self.q(queue),
                    format!(
                        "{} dropped: {why} and there is no dead-letter queue.",
                        self.m(message)
                    ),
                    Bad,
                )
            }
            E::Expired { message, queue } => (
                self.q(queue),
                format!("{} removed: its retention ended.", self.m(message)),
                Bad,
            ),
            E::Purged { message, queue } => (
                self.q(queue),
                format!("{} removed by the purge.", self.m(message)),
                Warn,
            ),
            E::Redriven { message, from, to } => (
                self.q(from),
                format!(
                    "{} moved back to {}, as a new message.",
                    self.m(message),
                    self.q(to)
                ),
                Normal,
            ),
            E::ConsumerStarted { consumer } => (self.c(consumer), "Starts.".to_owned(), Normal),
            E::Crashed { consumer, held } => {
                let text = match held {
                    0 => "Crashes, holding nothing.".to_owned(),
                    1 => "Crashes. The message it holds stays hidden until its timeout ends."
                        .to_owned(),
                    n => format!(
                        "Crashes. The {n} messages it holds stay hidden until their timeouts end."
                    ),
                };
                (self.c(consumer), text, Bad)
            }
            E::CommandApplied { index } => {
                let command = self.setup.commands.get(index as usize);
                let text = command.map_or_else(
                    || "a command acts".to_owned(),
                    |timed| actions::describe(&timed.command, &self.names()),
                );
                ("Command".to_owned(), format!("{text}."), Normal)
            }
            E::StarvationBegan {
                queue,
                group,
                oldest,
                since,
            } => {
                let wait = format::elapsed(event.at - since);
                let who = group.map_or_else(|| "The queue".to_owned(), |_| self.group(group));
                (
                    self.q(queue),
                    format!("{who} starves: {} has waited {wait}.", self.m(oldest)),
                    Bad,
                )
            }
            E::StarvationEnded { queue, group } => {
                let who = group.map_or_else(|| "The queue".to_owned(), |_| self.group(group));
                (self.q(queue), format!("{who} starves no more."), Normal)
            }
            E::Stuck { reason, message } => {
                let about =
                    message.map(|message| format!(" Message {} is part of it.", self.m(message)));
                let text = match reason {
                    StuckReason::Cycle => {
                        "The run stops: something happens over and over at one instant."
                    }
                    StuckReason::TooManyMessages => {
                        "The run stops: there are more messages than it may hold."
                    }
                };
                (
                    "The run".to_owned(),
                    format!("{text}{}", about.unwrap_or_default()),
                    Bad,
                )
            }
        }
    }
}

/// Why a message went to the dead-letter queue: "retry budget 2 used up after 3 deliveries".
pub fn dead_letter_reason(reason: DeadLetterReason, deliveries: u32) -> String {
    let times = format::counted(deliveries.into(), "delivery", "deliveries");
    match reason {
        DeadLetterReason::BudgetUsedUp if deliveries > 1 => {
            format!(
                "retry budget {} used up after {times}",
                format::count(u64::from(deliveries) - 1)
            )
        }
        DeadLetterReason::BudgetUsedUp => format!("no retry after {times}"),
        DeadLetterReason::Rejected => format!("rejected after {times}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ProducerId;
    use crate::engine::event::Ordinal;
    use crate::present::fixtures::{self, ms};

    fn tell(kind: EventKind) -> Sentence {
        let fixture = fixtures::charged_twice();
        let mut bodies = Bodies::default();
        bodies.learn(&fixture.snapshot);
        let teller = Teller {
            setup: &fixture.setup,
            bodies: &bodies,
            ledger: None,
            effect_label: "cards charged",
            unit: "€",
        };
        let event = Event {
            ordinal: Ordinal(0),
            at: ms(4_000),
            cause: None,
            kind,
        };
        let mut told = teller.tell(&event);
        told.text = told.text.replace(NBSP, " ");
        told
    }

    const BEN: MessageNumber = MessageNumber(2);
    const ORDERS: QueueId = QueueId(0);
    const SECOND: ConsumerId = ConsumerId(1);

    #[test]
    fn a_timeout_says_what_the_queue_cannot_see() {
        let told = tell(EventKind::TimeoutEnded {
            message: BEN,
            queue: ORDERS,
            consumer: Some(SECOND),
            delivery: 1,
        });
        assert_eq!(told.subject, "orders");
        assert_eq!(told.severity, Severity::Warn);
        assert_eq!(
            told.text,
            "No ack in time: Ben is visible again. The queue cannot see whether worker-2 is still working."
        );
    }

    #[test]
    fn a_second_effect_is_harm_and_says_so() {
        let told = tell(EventKind::Effect {
            message: BEN,
            consumer: SECOND,
            nth: 2,
            amount: 20,
        });
        assert_eq!(told.severity, Severity::Bad);
        assert_eq!(
            told.text,
            "Ben charged by worker-2 too, €20: the second time, a duplicate effect."
        );
    }

    #[test]
    fn a_dead_letter_gives_its_reason() {
        let told = tell(EventKind::DeadLettered {
            message: BEN,
            from: ORDERS,
            to: QueueId(1),
            reason: DeadLetterReason::BudgetUsedUp,
            deliveries: 3,
        });
        assert_eq!(told.subject, "orders-dlq");
        assert_eq!(
            told.text,
            "Ben moved here from orders: retry budget 2 used up after 3 deliveries."
        );
    }

    #[test]
    fn a_resend_names_its_reason_and_number() {
        let sent = |attempt| EventKind::Sent {
            message: BEN,
            producer: Some(ProducerId(0)),
            queue: ORDERS,
            attempt,
            body: None,
            group: None,
        };
        assert_eq!(tell(sent(1)).text, "Ben sent to orders.");
        assert_eq!(
            tell(sent(2)).text,
            "No confirm came: Ben sent to orders again, the second time."
        );
    }

    #[test]
    fn every_sentence_begins_with_a_capital_and_ends_with_a_full_stop() {
        let (message, queue, consumer, group) =
            (MessageNumber(7), ORDERS, SECOND, Some(GroupId(0)));
        let kinds = [
            EventKind::SendLost { message, queue },
            EventKind::Accepted {
                message,
                queue,
                group,
                visible_at: ms(9_000),
            },
            EventKind::Suppressed {
                message,
                queue,
                first: BEN,
            },
            EventKind::Delivered {
                message,
                queue,
                consumer,
                delivery: 1,
                hidden_until: ms(7_000),
            },
            EventKind::Started {
                message,
                consumer,
                worker: 0,
                delivery: 1,
                work: ms(4_500),
                lease_over: false,
            },
            EventKind::Started {
                message,
                consumer,
                worker: 0,
                delivery: 1,
                work: ms(4_500),
                lease_over: true,
            },
            EventKind::Nacked {
                message,
                queue,
                consumer,
                visible_at: ms(4_000),
                stale: false,
            },
            EventKind::AckStale {
                message,
                queue,
                consumer,
                refused: true,
            },
            EventKind::StarvationBegan {
                queue,
                group,
                oldest: message,
                since: ms(0),
            },
            EventKind::CommandApplied { index: 9 },
            EventKind::Crashed { consumer, held: 2 },
            EventKind::Stuck {
                reason: StuckReason::Cycle,
                message: Some(message),
            },
        ];
        for kind in kinds {
            let told = tell(kind);
            assert!(
                told.text.ends_with('.') && !told.subject.is_empty(),
                "{told:?}"
            );
            let first = told.text.chars().next().unwrap();
            assert!(first.is_uppercase() || first.is_ascii_digit(), "{told:?}");
        }
    }
}
