//! What got lost on its way, and what was sent again for that.

use crate::engine::{
    Command, ConsumerId, Event, EventKind, MessageNumber, ProducerId, TimedCommand,
};
use crate::present::format;

use super::root::{chance, setting};
use super::{Inquiry, Root, Whose};

impl Inquiry<'_> {
    /// Whether an event was made to happen from outside of the message's life: by a command.
    pub(super) fn is_commanded(&self, event: &Event) -> bool {
        let cause = event.cause;
        cause.is_some_and(|cause| self.life.iter().all(|it| it.ordinal != cause))
    }

    pub(super) fn lost_ack(&self, event: &Event, consumer: ConsumerId) -> Root {
        let command = self.last_command(event.at, |command| {
            matches!(command, Command::LoseNextAck(of) | Command::Partition(of) if *of == consumer)
        });
        match command.filter(|_| self.is_commanded(event)) {
            Some((index, _)) => self.by_command(index),
            None => lost(
                "lose-ack",
                "an ack",
                &format::chance(self.network_at(event.at).lose_ack),
            ),
        }
    }

    pub(super) fn lost_response(&self, event: &Event, consumer: ConsumerId) -> Vec<Root> {
        let delivered = self.last(event, |kind| matches!(kind, EventKind::Delivered { .. }));
        let since = delivered.map_or(event.at, |delivered| delivered.at);
        let command = self.last_command(event.at, |command| {
            matches!(command, Command::Crash(of) | Command::Partition(of) if *of == consumer)
        });
        let travelled = |timed: &TimedCommand| timed.at >= since && event.at > since;
        match command.filter(|(_, timed)| self.is_commanded(event) || travelled(timed)) {
            Some((index, _)) => vec![self.by_command(index)],
            None => {
                let share = format::chance(self.network_at(since).lose_response);
                vec![lost(
                    "lose-response",
                    "a message on its way to a consumer",
                    &share,
                )]
            }
        }
    }

    pub(super) fn resent(
        &self,
        event: &Event,
        message: MessageNumber,
        producer: ProducerId,
    ) -> Root {
        let since = |lost: &&Event| event.cause.is_some_and(|sent| lost.ordinal > sent);
        let lost = self.last(event, |kind| {
            matches!(
                kind,
                EventKind::SendLost { .. } | EventKind::ConfirmLost { .. }
            )
        });
        if let Some(root) = lost
            .filter(since)
            .and_then(|lost| self.direct_roots(lost).pop())
        {
            return root;
        }
        let timeout = self.teller.setup.producers.get(producer.index());
        let timeout = timeout
            .and_then(|it| it.confirm_timeout)
            .map_or_else(String::new, format::span);
        let text = format!(
            "{} sends {} again when no confirm has come within {timeout}.",
            self.teller.p(producer),
            self.teller.m(message)
        );
        setting("confirm-timeout", Whose::Producer(producer), text)
    }
}

/// Lost by a draw.
pub(super) fn lost(control: &'static str, what: &str, share: &str) -> Root {
    let text = format!(
        "By chance: the network loses {what} with a probability of {share}, and drew it for this one."
    );
    chance(control, Whose::Network, text)
}
