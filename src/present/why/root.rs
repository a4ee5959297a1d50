//! What is at the root of an event.

use crate::engine::event::DeadLetterReason;
use crate::engine::rules::Durability;
use crate::engine::setup::{Deduplication, OnFailure};
use crate::engine::{Command, ConsumerId, Event, EventKind, MessageNumber, Micros, QueueId};
use crate::present::{actions, format};

use super::lost::lost;
use super::{Inquiry, Reference, Root, RootKind, Whose};

pub(super) fn setting(control: &'static str, whose: Whose, text: String) -> Root {
    of_kind(RootKind::Setting, control, whose, text)
}

pub(super) fn chance(control: &'static str, whose: Whose, text: String) -> Root {
    of_kind(RootKind::Chance, control, whose, text)
}

fn of_kind(kind: RootKind, control: &'static str, whose: Whose, text: String) -> Root {
    Root {
        kind,
        text,
        control: Some(Reference { control, whose }),
    }
}

pub(super) fn plan(text: String) -> Root {
    Root {
        kind: RootKind::Plan,
        text,
        control: None,
    }
}

impl Inquiry<'_> {
    /// What is at the root of an event, the nearest first; `causes` is its chain of causes, itself first.
    pub(super) fn roots(&self, causes: &[Event]) -> Vec<Root> {
        let Some(event) = causes.first() else {
            return Vec::new();
        };
        let mut roots = self.own_roots(event);
        if roots.is_empty() {
            let mut chain = causes.iter();
            roots = chain
                .by_ref()
                .map(|cause| self.direct_roots(cause))
                .find(|roots| !roots.is_empty())
                .unwrap_or_default();
            // A move to the dead-letter queue has two: the budget, and what used it up.
            let is_budget =
                |root: &Root| root.control.is_some_and(|it| it.control == "retry-budget");
            if roots.iter().any(is_budget) {
                let mut more = chain.map(|cause| self.direct_roots(cause));
                roots.extend(more.find(|roots| !roots.is_empty()).unwrap_or_default());
            }
        }
        if roots.is_empty() {
            roots.extend(self.planned(causes));
        }
        roots
    }

    /// Of an event whose cause lies elsewhere than its chain: in what else happened to the message.
    fn own_roots(&self, event: &Event) -> Vec<Root> {
        match event.kind {
            EventKind::Effect {
                nth: 2.., consumer, ..
            } => {
                let mut roots = self.roots_of_redelivery(event);
                roots.extend(self.unguarded(consumer, event.at));
                roots
            }
            EventKind::EffectSkipped {
                consumer, wrongly, ..
            } => self.guarded(consumer, wrongly, event.at),
            EventKind::AckStale { consumer, .. }
            | EventKind::Skipped { consumer, .. }
            | EventKind::Started {
                consumer,
                lease_over: true,
                ..
            }
            | EventKind::Nacked {
                consumer,
                stale: true,
                ..
            }
            | EventKind::Extended {
                consumer,
                stale: true,
                ..
            } => {
                let ended = self.last(event, |kind| {
                    matches!(kind, EventKind::TimeoutEnded { consumer: from, .. } if *from == Some(consumer))
                });
                ended.map_or_else(Vec::new, |ended| self.direct_roots(ended))
            }
            EventKind::DeliveredOutOfOrder { .. } | EventKind::FinishedOutOfOrder { .. } => {
                self.out_of_order(event)
            }
            _ => Vec::new(),
        }
    }

    /// Why the message was handed out again before this event.
    fn roots_of_redelivery(&self, event: &Event) -> Vec<Root> {
        let mut delivered = self.life.iter().rev().filter(|it| {
            it.ordinal < event.ordinal && matches!(it.kind, EventKind::Delivered { .. })
        });
        let Some(again) = delivered.next().filter(|_| delivered.next().is_some()) else {
            return Vec::new();
        };
        let chain = self.chain_of(again);
        // A repeated send that was stored is a copy of its own.
        let sent_again = self.last(event, |kind| {
            matches!(kind, EventKind::Sent { attempt: 2.., .. })
        });
        let mut roots = chain
            .iter()
            .chain(sent_again)
            .map(|cause| self.direct_roots(cause));
        roots.find(|roots| !roots.is_empty()).unwrap_or_default()
    }

    /// What an event alone tells of its root; nothing where its cause must be asked.
    pub(super) fn direct_roots(&self, event: &Event) -> Vec<Root> {
        let at = event.at;
        let t = &self.teller;
        match event.kind {
            EventKind::TimeoutEnded { message, .. } if self.is_commanded(event) && self.is_expired(message, at) => {
                self.by_command_like(at, |command| *command == Command::ExpireNow(message))
            }
            EventKind::TimeoutEnded {
                queue,
                consumer: Some(consumer),
                delivery,
                ..
            } => self.timeout_roots(event, queue, consumer, delivery),
            EventKind::Failed {
                message,
                consumer,
                reason,
                ..
            } => vec![self.failure(message, consumer, reason, at)],
            EventKind::Rejected { consumer, .. } => {
                let setup = self.consumer_at(consumer, at);
                let always = setup.is_some_and(|it| it.on_failure == OnFailure::Reject);
                let (control, text) = if always {
                    ("on-failure", format!("{} rejects what failed.", t.c(consumer)))
                } else {
                    let text = format!("Failures of {} are final: it rejects what failed.", t.c(consumer));
                    ("permanent-failures", text)
                };
                let mut roots = vec![setting(control, Whose::Consumer(consumer), text)];
                let failed = self.last(event, |kind| matches!(kind, EventKind::Failed { .. }));
                roots.extend(
                    failed
                        .into_iter()
                        .flat_map(|failed| self.direct_roots(failed)),
                );
                roots
            }
            EventKind::DeadLettered {
                from,
                reason: DeadLetterReason::BudgetUsedUp,
                deliveries,
                ..
            } => vec![self.budget(from, deliveries)],
            EventKind::CallLost { consumer, .. } => {
                self.by_command_like(at, |command| *command == Command::Partition(consumer))
            }
            EventKind::PoisonSet { message, .. } => self.by_command_like(
                at,
                |command| matches!(command, Command::SetPoison { message: of, .. } | Command::RedriveMessage { message: of, .. } if *of == message),
            ),
            EventKind::Discarded { message, .. } => self.by_command_like(
                at,
                |command| matches!(command, Command::Discard { message: of, .. } if *of == message),
            ),
            EventKind::SettingDelayed { queue, .. } => self.by_command_like(
                at,
                |command| matches!(command, Command::SetQueue(of, _) if *of == queue),
            ),
            EventKind::RedriveBegan { from, .. }
            | EventKind::RedriveEnded { from, .. }
            | EventKind::RedriveRefused { from } => self.by_command_like(
                at,
                |command| matches!(command, Command::Redrive { from: of, .. } | Command::CancelRedrive(of) if *of == from),
            ),
            EventKind::AckLost { consumer, .. } => vec![self.lost_ack(event, consumer)],
            EventKind::SendLost { .. } => {
                let share = format::chance(self.network_at(at).lose_send);
                vec![lost("lose-send", "a send", &share)]
            }
            EventKind::ConfirmLost { .. } => {
                let share = format::chance(self.network_at(at).lose_confirm);
                vec![lost("lose-confirm", "a confirm", &share)]
            }
            EventKind::ResponseLost { consumer, .. } => self.lost_response(event, consumer),
            EventKind::SurvivedAck { queue, .. } => {
                let share = self
                    .queue_at(queue, at)
                    .map(|queue| format::chance(queue.surplus_duplicates));
                let text = format!(
                    "By chance: in {} of all acks a copy survives in {}.",
                    share.unwrap_or_default(),
                    t.q(queue)
                );
                vec![chance("surplus-duplicates", Whose::Queue(queue), text)]
            }
            EventKind::Sent {
                attempt: 2..,
                message,
                producer: Some(producer),
                ..
            } => {
                vec![self.resent(event, message, producer)]
            }
            EventKind::Sent { producer: None, .. } => {
                self.by_command_like(at, |command| matches!(command, Command::Send(_)))
            }
            EventKind::Suppressed {
                queue,
                first,
                message,
            } => {
                vec![self.suppressed(queue, first, message, at)]
            }
            EventKind::EmptyReceive { queue, consumer } => vec![self.empty(queue, consumer, at)],
            EventKind::Extended { consumer, .. } => {
                let beat = self.consumer_at(consumer, at).and_then(|it| it.heartbeat);
                let every = beat.map_or(Micros::ZERO, |beat| beat.every);
                let text = format!(
                    "{} extends the timeout every {} while it works.",
                    t.c(consumer),
                    format::span(every)
                );
                vec![setting("heartbeat", Whose::Consumer(consumer), text)]
            }
            EventKind::Crashed { consumer, .. } => {
                let made = self.by_command_like_at(at, |command| *command == Command::Crash(consumer));
                if made.is_empty() { self.roots_of_rules(event) } else { made }
            }
            EventKind::ConsumerStarted { consumer } => {
                let mut again =
                    self.by_command_like_at(at, |command| *command == Command::Restart(consumer));
                let down = self.consumer_at(consumer, at).and_then(|it| it.restart_after);
                if let Some(down) = down.filter(|_| again.is_empty() && event.cause.is_some()) {
                    let text = format!("{} starts again {} after a crash.", t.c(consumer), format::span(down));
                    again.push(setting("restart-after", Whose::Consumer(consumer), text));
                }
                if again.is_empty() {
                    vec![plan(format!(
                        "{} is there from {} on.",
                        t.c(consumer),
                        format::instant(at)
                    ))]
                } else {
                    again
                }
            }
            EventKind::Purged { queue, .. } => {
                self.by_command_like(at, |command| *command == Command::Purge(queue))
            }
            EventKind::Redriven { from, message, .. } => self.by_command_like(at, |command| match command {
                Command::Redrive { from: of, .. } => *of == from,
                Command::RedriveMessage { message: of, .. } => *of == message,
                _ => false,
            }),
            EventKind::CommandApplied { index } => vec![self.by_command(index as usize)],
            EventKind::StarvationBegan { .. } => self.starvation(event),
            _ => self.roots_of_rules(event),
        }
    }

    /// A command of the list.
    pub(super) fn by_command(&self, index: usize) -> Root {
        let names = self.teller.names();
        let timed = self.teller.setup.commands.get(index);
        let text = timed.map_or_else(String::new, |timed| {
            let what = actions::describe(&timed.command, &names);
            let how = self.mechanism(&timed.command, timed.at);
            format!("At {} {what}.{how}", format::instant(timed.at))
        });
        let kind = if index >= self.own_from {
            RootKind::OwnCommand
        } else {
            RootKind::Command
        };
        Root {
            kind,
            text,
            control: None,
        }
    }

    /// How a command comes to what follows from it; empty where that is plain.
    fn mechanism(&self, command: &Command, at: Micros) -> String {
        let t = &self.teller;
        match command {
            Command::CloseChannel(consumer) => {
                let c = t.c(*consumer);
                format!(
                    " What {c} held unacknowledged goes back to its queue at once. {c} works on in vain: an ack on a closed channel reaches nothing, so the work is done again by whoever gets the message next."
                )
            }
            Command::TakeSession(..) => " It is as if its lock had ended: what the holder had not settled goes back, its acks are too late, and another consumer may take the session.".to_owned(),
            Command::RestartBroker => {
                let queues = (0..t.setup.queues.len() as u16).map(QueueId);
                let kept = queues.filter_map(|queue| {
                    let keeps = match self.queue_at(queue, at)?.rules.durability {
                        Durability::Durable => "keeps all its messages",
                        Durability::Persistent => "keeps only what was sent as persistent",
                        Durability::Volatile => "keeps nothing",
                    };
                    Some(format!(" {} {keeps}.", t.q(queue)))
                });
                kept.collect()
            }
            _ => String::new(),
        }
    }

    fn by_command_like(&self, at: Micros, is: impl Fn(&Command) -> bool) -> Vec<Root> {
        let found = self.last_command(at, is);
        found
            .into_iter()
            .map(|(index, _)| self.by_command(index))
            .collect()
    }

    /// The same, of this very instant.
    fn by_command_like_at(&self, at: Micros, is: impl Fn(&Command) -> bool) -> Vec<Root> {
        let found = self.last_command(at, is);
        let found = found.filter(|(_, timed)| timed.at == at);
        found
            .into_iter()
            .map(|(index, _)| self.by_command(index))
            .collect()
    }

    pub(super) fn budget(&self, queue: QueueId, deliveries: u32) -> Root {
        let all = format::counted(deliveries.into(), "delivery", "deliveries");
        let budget = match deliveries {
            0 | 1 => "none".to_owned(),
            n => format::count(u64::from(n) - 1),
        };
        let text = format!(
            "The retry budget of {} is {budget}: {all} in all, and none of them was acknowledged.",
            self.teller.q(queue)
        );
        setting("retry-budget", Whose::Queue(queue), text)
    }

    /// Whether a command ended the timeout of a message at this very time.
    fn is_expired(&self, message: MessageNumber, at: Micros) -> bool {
        let command = self.last_command(at, |command| *command == Command::ExpireNow(message));
        command.is_some_and(|(_, timed)| timed.at == at)
    }

    fn suppressed(
        &self,
        queue: QueueId,
        first: MessageNumber,
        message: MessageNumber,
        at: Micros,
    ) -> Root {
        let setup = self.queue_at(queue, at);
        let (by, window) = setup.map_or(("ID", Micros::ZERO), |setup| {
            let by = match setup.deduplication {
                Deduplication::ByContent => "content",
                _ => "deduplication ID",
            };
            (by, setup.deduplication_window)
        });
        let of = if first == message {
            "the first send".to_owned()
        } else {
            self.teller.m(first)
        };
        let text = format!(
            "{} takes a send with the {by} of an earlier one for its repeat, for {}: here of {of}.",
            self.teller.q(queue),
            format::span(window)
        );
        setting("deduplication", Whose::Queue(queue), text)
    }

    fn empty(&self, queue: QueueId, consumer: ConsumerId, at: Micros) -> Root {
        let (c, q) = (self.teller.c(consumer), self.teller.q(queue));
        let wait = self
            .consumer_at(consumer, at)
            .map_or(Micros::ZERO, |it| it.wait);
        let text = if wait == Micros::ZERO {
            format!("{c} does not wait for a message: {q} had none for it at that instant.")
        } else {
            format!(
                "{c} waits up to {} for a message, and {q} had none for it.",
                format::span(wait)
            )
        };
        setting("wait", Whose::Consumer(consumer), text)
    }

    /// What happens as the scenario plans it.
    fn planned(&self, causes: &[Event]) -> Option<Root> {
        let about = causes.first().and_then(|event| event.kind.message());
        let t = &self.teller;
        let other = causes.iter().find(|event| event.kind.message() != about);
        if let (Some(other), Some(message)) = (other, about) {
            let text = match other.kind.consumer() {
                Some(consumer) => format!("{} was free for {}.", t.c(consumer), t.m(message)),
                None => {
                    let other = other.kind.message()?;
                    format!("{} was next, after {}.", t.m(message), t.m(other))
                }
            };
            return Some(plan(text));
        }
        let sent = causes.last()?;
        let EventKind::Sent {
            message,
            producer: Some(producer),
            ..
        } = sent.kind
        else {
            return None;
        };
        let text = format!(
            "{} sends {} at {}.",
            t.p(producer),
            t.m(message),
            format::instant(sent.at)
        );
        let control = Reference {
            control: "pattern",
            whose: Whose::Producer(producer),
        };
        Some(Root {
            control: Some(control),
            ..plan(text)
        })
    }
}
