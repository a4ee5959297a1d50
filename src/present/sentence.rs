//! Every event as one plain sentence with names: for the log, the caption and screen readers.

mod brokers;
mod entering;
mod handing;
mod handling;
mod intervening;

use crate::engine::event::{DeadLetterReason, StuckReason};
use crate::engine::ledger::DeliveryRecord;
use crate::engine::{
    ConsumerId, Event, EventKind, GroupId, Ledger, MessageNumber, Micros, ProducerId, QueueId,
    Setup, Void,
};
use crate::present::format::{self, NBSP};
use crate::present::names::{Bodies, Names, clean};

use super::{actions, terms};
use crate::scenario::Profile;

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

impl Sentence {
    /// Subject and text in one, with one colon at most.
    pub fn joined(&self) -> String {
        let (subject, text) = (&self.subject, &self.text);
        let verbs = ["Starts", "Finishes", "Drops", "Crashes"];
        if verbs.iter().any(|verb| text.starts_with(verb)) {
            format!("{subject} {}", format::lower_first(text))
        } else if text.contains(": ") {
            format!("{subject} · {text}")
        } else {
            format!("{subject}: {text}")
        }
    }
}

/// Subject, text, severity.
type Told = (String, String, Severity);

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
    /// The first command, by index, that the person gave who reads this; the ones before are the scenario's.
    pub own_from: usize,
    /// In whose words.
    pub vocabulary: Profile,
}

impl<'a> Teller<'a> {
    pub(super) fn names(&self) -> Names<'a> {
        Names {
            setup: self.setup,
            bodies: self.bodies,
        }
    }

    pub(super) fn m(&self, message: MessageNumber) -> String {
        self.names().message(message)
    }

    pub(super) fn c(&self, id: ConsumerId) -> String {
        self.names().consumer(id).into_owned()
    }

    pub(super) fn q(&self, id: QueueId) -> String {
        self.names().queue(id).into_owned()
    }

    pub(super) fn p(&self, id: ProducerId) -> String {
        self.names().producer(id).into_owned()
    }

    pub(super) fn downstream(&self, index: u16) -> String {
        self.names().downstream(index).into_owned()
    }

    pub(super) fn group(&self, id: Option<GroupId>) -> String {
        match id {
            Some(id) => format!("group {}", self.names().group(id)),
            None => "its group".to_owned(),
        }
    }

    /// "charged" for "cards charged".
    pub(super) fn done(&self) -> String {
        let last = clean(self.effect_label)
            .split_whitespace()
            .last()
            .map(str::to_owned);
        last.filter(|word| word.ends_with("ed"))
            .unwrap_or_else(|| "done".to_owned())
    }

    /// How long a delivery was hidden in all, extensions included.
    fn timeout(&self, message: MessageNumber, queue: QueueId, delivery: u32) -> Option<Micros> {
        let record = self.delivery(message, queue, delivery)?;
        Some(record.hidden_until - record.delivered_at)
    }

    fn delivery(
        &self,
        message: MessageNumber,
        queue: QueueId,
        delivery: u32,
    ) -> Option<&'a DeliveryRecord> {
        let ledger = self.ledger?;
        let indexes = ledger.message(message)?.deliveries.iter().rev();
        let mut records = indexes.filter_map(|index| ledger.deliveries().get(*index as usize));
        records.find(|record| record.queue == queue && record.delivery == delivery)
    }

    /// The event in words.
    pub fn tell(&self, event: &Event) -> Sentence {
        let (subject, text, severity) = self.told(event);
        let text = self.capitalised(text);
        let text = self.in_words(&text);
        Sentence {
            subject,
            text,
            severity,
        }
    }

    /// A text in the words of the broker whose names are used.
    pub fn in_words(&self, text: &str) -> String {
        terms::renamed(text, self.vocabulary, self.setup).into_owned()
    }

    /// A sentence with a capital, unless it begins with the name of a message: names are as they were given.
    fn capitalised(&self, text: String) -> String {
        let first_word = text.split(' ').next().unwrap_or_default();
        let is_name = |body: &String| body.split_whitespace().next() == Some(first_word);
        if first_word.contains(|c: char| c.is_ascii_digit())
            || self.setup.bodies.iter().any(is_name)
        {
            return text;
        }
        format::capitalised(text)
    }

    /// The event as a caption: when, then what.
    pub fn announce(&self, event: &Event) -> String {
        let told = self.tell(event).joined();
        format!("{}, {told}", format::instant(event.at)).replace(NBSP, " ")
    }

    /// A command: what it does, or why it comes to nothing.
    fn command(&self, index: u32, void: Option<Void>) -> Told {
        let command = self.setup.commands.get(index as usize);
        let text = match (command, void) {
            (Some(timed), Some(void)) => {
                actions::describe_void(&timed.command, void, &self.names())
            }
            (Some(timed), None) => actions::describe(&timed.command, &self.names()),
            (None, _) => "a command acts".to_owned(),
        };
        let own = index as usize >= self.own_from;
        let who = if own { "You" } else { "Scenario" };
        (who.to_owned(), format!("{text}."), Severity::Normal)
    }

    /// Every event has its words: a new kind must be told here.
    fn told(&self, event: &Event) -> Told {
        use EventKind as E;
        use Severity::{Bad, Normal, Warn};
        match event.kind {
            E::Started { .. }
            | E::WaitsForPlace { .. }
            | E::Finished { .. }
            | E::Failed { .. }
            | E::Skipped { .. }
            | E::Effect { .. }
            | E::EffectSkipped { .. }
            | E::FinishedOutOfOrder { .. }
            | E::ConsumerStarted { .. }
            | E::Crashed { .. }
            | E::EmptyReceive { .. } => self.handler(event),
            E::Sent { .. }
            | E::SendLost { .. }
            | E::Accepted { .. }
            | E::Suppressed { .. }
            | E::Refused { .. }
            | E::ConfirmLost { .. }
            | E::BecameVisible { .. } => self.entry(event),
            E::Delivered { .. }
            | E::ResponseLost { .. }
            | E::DeliveredOutOfOrder { .. }
            | E::Acked { .. }
            | E::AckStale { .. }
            | E::AckLost { .. }
            | E::Nacked { .. }
            | E::Rejected { .. }
            | E::Extended { .. }
            | E::TimeoutEnded { .. }
            | E::Returned { .. }
            | E::SurvivedAck { .. } => self.hand_over(event),
            E::CallLost { .. }
            | E::Discarded { .. }
            | E::PoisonSet { .. }
            | E::RedriveBegan { .. }
            | E::RedriveEnded { .. }
            | E::SettingDelayed { .. }
            | E::RedriveRefused { .. } => self.intervention(event),
            E::ReceiveRefused { .. }
            | E::Claimed { .. }
            | E::SessionAccepted { .. }
            | E::SessionClosed { .. }
            | E::Requeued { .. }
            | E::Exhausted { .. }
            | E::ChannelClosed { .. }
            | E::ChannelOpened { .. }
            | E::BrokerRestarted
            | E::LostInRestart { .. }
            | E::DeadLetterKept { .. }
            | E::QueueDeleted { .. }
            | E::BreakerOpened { .. }
            | E::BreakerClosed { .. } => self.of_brokers(event),
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
                let why = drop_reason(reason);
                let text = format!("{} dropped: {why}.", self.m(message));
                (self.q(queue), text, Bad)
            }
            E::Expired { message, queue } => (
                self.q(queue),
                format!("{} removed: its time is over.", self.m(message)),
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
            E::CommandApplied { index } => self.command(index, None),
            E::CommandIgnored { index, void } => self.command(index, Some(void)),
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
        DeadLetterReason::Expired => "its time to live was over".to_owned(),
        DeadLetterReason::Overflow => "the queue was full".to_owned(),
        DeadLetterReason::Cycle => "it came back without a reject".to_owned(),
        DeadLetterReason::NoTarget => "its dead-letter queue was not there".to_owned(),
    }
}

/// Why a message was dropped, to be read after "dropped: ".
pub const fn drop_reason(reason: DeadLetterReason) -> &'static str {
    match reason {
        DeadLetterReason::BudgetUsedUp => {
            "its retry budget is used up and there is no dead-letter queue"
        }
        DeadLetterReason::Rejected => "it was rejected and there is no dead-letter queue",
        DeadLetterReason::Expired => "its time to live is over and there is no dead-letter queue",
        DeadLetterReason::Overflow => "the queue is full",
        DeadLetterReason::Cycle => "it has been here before, and no consumer rejected it since",
        DeadLetterReason::NoTarget => "its dead-letter queue is not there",
    }
}

#[cfg(test)]
mod tests;
