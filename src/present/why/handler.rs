//! Why a handler failed, and why an effect was or was not applied.

use crate::engine::event::FailureReason;
use crate::engine::setup::{IdempotenceKey as Key, IdempotenceMethod, Poison};
use crate::engine::{Command, ConsumerId, EventKind, MessageNumber, Micros};
use crate::present::format;

use super::root::{chance, plan, setting};
use super::{Inquiry, Root, Whose};

impl Inquiry<'_> {
    pub(super) fn failure(
        &self,
        message: MessageNumber,
        consumer: ConsumerId,
        reason: FailureReason,
        at: Micros,
    ) -> Root {
        let (m, c) = (self.teller.m(message), self.teller.c(consumer));
        let failure = self.consumer_at(consumer, at).map(|it| it.failure);
        let failure = failure.unwrap_or_default();
        match reason {
            FailureReason::Chance => {
                let share = format::chance(failure.chance);
                let text = format!(
                    "By chance: {c} fails {share} of its deliveries, and drew it for this one of {m}."
                );
                chance("failures", Whose::Consumer(consumer), text)
            }
            FailureReason::FirstDeliveries => {
                let text = match failure.first_deliveries {
                    0 => format!("The first deliveries of {m} are planned to fail."),
                    1 => format!("At {c} the first delivery of every message fails."),
                    n => format!(
                        "At {c} the first {} deliveries of every message fail.",
                        format::count(n.into())
                    ),
                };
                setting("first-failures", Whose::Consumer(consumer), text)
            }
            FailureReason::Downstream => {
                let text =
                    format!("What {c} calls was down or had accepted enough for this second.");
                plan(text)
            }
            FailureReason::Batch => {
                let text = format!("{c} works on a batch as one: another message of it failed.");
                setting("batch-work", Whose::Consumer(consumer), text)
            }
            FailureReason::Poison => self.poison(&m, at),
        }
    }

    pub(super) fn poison(&self, m: &str, at: Micros) -> Root {
        let set = self.life.iter().rev().find(|event| {
            event.at <= at && matches!(event.kind, EventKind::PoisonSet { poison: true, .. })
        });
        if let Some(root) = set.and_then(|set| self.direct_roots(set).pop()) {
            return root;
        }
        let sent = self.life.first().map(|event| event.kind);
        let Some(EventKind::Sent {
            producer: Some(producer),
            ..
        }) = sent
        else {
            let by_hand = self.last_command(
                at,
                |command| matches!(command, Command::Send(send) if send.poison),
            );
            return by_hand.map_or_else(
                || plan(format!("{m} is poison: it can never be processed.")),
                |(index, _)| self.by_command(index),
            );
        };
        let p = self.teller.p(producer);
        let sent_at = self.life.first().map_or(at, |event| event.at);
        let whose = Whose::Producer(producer);
        match self.poison_at(producer, sent_at) {
            Poison::Never => plan(format!(
                "The scenario sends {m} as poison: it can never be processed."
            )),
            Poison::Every(1) => setting(
                "poison",
                whose,
                format!("Every message of {p} is poison: it can never be processed."),
            ),
            Poison::Every(n) => {
                let text = format!(
                    "One message of {p} in {} is poison: it can never be processed.",
                    format::count(n.into())
                );
                setting("poison", whose, text)
            }
            Poison::Share(share) => {
                let text = format!(
                    "By chance: {} of the messages of {p} are poison, and {m} drew it.",
                    format::chance(share)
                );
                chance("poison-share", whose, text)
            }
        }
    }

    /// Why nothing kept the effect from being applied again.
    pub(super) fn unguarded(&self, consumer: ConsumerId, at: Micros) -> Option<Root> {
        let rule = self.consumer_at(consumer, at)?.idempotence;
        let c = self.teller.c(consumer);
        let text = match rule.method {
            IdempotenceMethod::None => {
                format!("{c} is not idempotent: every delivery that it finishes has its effect.")
            }
            IdempotenceMethod::CheckFirst => {
                format!(
                    "{c} checks first and marks after: two deliveries at work at the same time both pass the check."
                )
            }
            IdempotenceMethod::ClaimFirst | IdempotenceMethod::Transaction => {
                format!(
                    "{c} had forgotten the key, or takes another: it remembers keys for a time and up to a number."
                )
            }
        };
        Some(setting("idempotent", Whose::Consumer(consumer), text))
    }

    pub(super) fn guarded(&self, consumer: ConsumerId, wrongly: bool, at: Micros) -> Vec<Root> {
        let Some(rule) = self.consumer_at(consumer, at).map(|it| it.idempotence) else {
            return Vec::new();
        };
        let c = self.teller.c(consumer);
        let whose = Whose::Consumer(consumer);
        vec![match (wrongly, rule.key) {
            (true, Key::Producer) => setting(
                "idempotency-key",
                whose,
                format!("{c} takes all messages of one producer for the same work."),
            ),
            (true, _) => setting(
                "idempotent",
                whose,
                format!("{c} claims a key before the work: whoever claimed it did not finish."),
            ),
            (false, _) => setting(
                "idempotent",
                whose,
                format!("{c} recognises what was done before and does it no more."),
            ),
        }]
    }
}
