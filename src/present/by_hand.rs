//! Being a consumer: what a person who receives and settles in its place holds, and the calls there are.

use crate::engine::command::HandCall;
use crate::engine::rules::HandOver;
use crate::engine::snapshot::{ConsumerStatus, HeldView};
use crate::engine::{Command, ConsumerId, MessageNumber, Micros, Snapshot};
use crate::present::format;
use crate::present::names::{Names, token_name};
use crate::scenario::{Name, Profile};

/// A consumer that is operated by hand.
#[derive(Clone, PartialEq, Debug)]
pub struct Hand {
    /// Which.
    pub consumer: ConsumerId,
    /// Its name.
    pub name: String,
    /// Receives, crashes and the way out.
    pub calls: Vec<Call>,
    /// What it holds, oldest first.
    pub held: Vec<Held>,
    /// What it does, when there is nothing to settle.
    pub note: &'static str,
}

/// A message in its hands.
#[derive(Clone, PartialEq, Debug)]
pub struct Held {
    /// Which.
    pub message: MessageNumber,
    /// Its name, and which delivery of it this is.
    pub name: String,
    /// How long it is hidden from others.
    pub time: String,
    /// Others may have it by now.
    pub late: bool,
    /// What can be done with it.
    pub calls: Vec<Call>,
    /// What comes of doing nothing.
    pub waits: String,
}

/// One call, as a button.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// As the broker calls it, or in the playground's own word.
    pub label: String,
    /// What it does, in one line.
    pub help: String,
    /// The command that does it.
    pub command: Command,
}

/// The calls on a message: the concept that names each, our own word, what it does, and the call.
const SETTLE: [(&str, &str, &str, HandCall); 5] = [
    (
        "call.ack",
        "Ack",
        "Does its work, then says that it is done: it is removed.",
        HandCall::Ack,
    ),
    (
        "call.nack",
        "Return",
        "Gives it back undone: it is visible again at once.",
        HandCall::Nack {
            delay: Micros::ZERO,
        },
    ),
    (
        "call.extend",
        "Extend",
        "Starts its timeout anew and keeps it.",
        HandCall::Extend { to: Micros::ZERO },
    ),
    (
        "call.return_failed",
        "Fail",
        "Gives it back as failed.",
        HandCall::Fail,
    ),
    (
        "call.reject",
        "Reject",
        "Gives it up for good: it is not delivered again.",
        HandCall::Reject,
    ),
];

/// What a broker calls a call; none when it has none.
fn called(profile: Profile, concept: &str, own: &str) -> Option<String> {
    match profile.name(concept) {
        Name::Called(name) => Some(name.to_owned()),
        Name::Own => Some(own.to_owned()),
        Name::NoCounterpart(_) => None,
    }
}

/// The consumers that are operated by hand.
pub fn hands(snapshot: &Snapshot, names: &Names, profile: Profile) -> Vec<Hand> {
    let all = (0..).map(ConsumerId).zip(&snapshot.consumers);
    let by_hand = all.filter(|(_, view)| view.setup.by_hand);
    by_hand
        .map(|(consumer, view)| {
            let name = names.consumer(consumer).into_owned();
            let queue = snapshot.queues.get(view.setup.from.index());
            let timeout = queue.map_or(Micros::ZERO, |queue| queue.setup.visibility_timeout);
            let timeout = view.setup.visibility_timeout.unwrap_or(timeout);
            let pushed = queue.is_some_and(|queue| queue.setup.rules.hand_over == HandOver::Push);
            let mut calls = Vec::new();
            let runs = view.status == ConsumerStatus::Running;
            if runs {
                let receive = called(profile, "call.receive", "Receive");
                let receive = receive.unwrap_or_else(|| "Receive".to_owned());
                // What is pushed needs no receive; who asks for a message all the same gets it.
                let receive = if pushed && profile.broker() == "RabbitMQ" {
                    "basic.get".to_owned()
                } else {
                    receive
                };
                calls.extend([1, 10].map(|max| Call {
                    label: match max {
                        1 => receive.clone(),
                        _ => format!("{receive} ×{max}"),
                    },
                    help: format!(
                        "{name} asks for {} at most.",
                        format::counted(max.into(), "message", "messages")
                    ),
                    command: Command::Receive {
                        consumer,
                        max,
                        wait: view.setup.wait,
                    },
                }));
            }
            let crashed = view.status == ConsumerStatus::Crashed;
            let (label, help, command) = if crashed {
                (
                    "Restart",
                    "It starts again, empty.",
                    Command::Restart(consumer),
                )
            } else {
                (
                    "Crash",
                    "Its process dies with all it holds.",
                    Command::Crash(consumer),
                )
            };
            calls.push(Call {
                label: label.to_owned(),
                help: help.to_owned(),
                command,
            });
            let held = view.buffered.iter().filter(|_| runs);
            let held =
                held.map(|held| holding(held, consumer, snapshot, names, (timeout, profile)));
            Hand {
                consumer,
                name,
                calls,
                held: held.collect(),
                note: match view.status {
                    ConsumerStatus::Crashed => {
                        "Crashed. What it held comes back by the broker's rules."
                    }
                    ConsumerStatus::Running if view.asks => {
                        "Asked. What comes while the receive waits is yours."
                    }
                    ConsumerStatus::Running => "You hold nothing. It does nothing by itself.",
                    ConsumerStatus::Paused => "Paused.",
                    ConsumerStatus::NotStarted => "Not started yet.",
                },
            }
        })
        .collect()
}

fn holding(
    held: &HeldView,
    consumer: ConsumerId,
    snapshot: &Snapshot,
    names: &Names,
    (timeout, profile): (Micros, Profile),
) -> Held {
    let message = held.token.message;
    let mut name = token_name(names.setup, &held.token);
    if held.token.deliveries > 1 {
        name += &format!(" ×{}", held.token.deliveries);
    }
    let endless = held.hidden_until == Micros::MAX;
    let until = format::instant(held.hidden_until);
    let (time, waits) = if held.acked {
        ("acknowledged already".to_owned(), "It is done.".to_owned())
    } else if endless {
        let waits = format!("Nothing is called. {name} stays with you: no timeout runs.");
        ("yours until you settle it".to_owned(), waits)
    } else if held.lease {
        let left = format::elapsed(held.hidden_until - snapshot.at);
        let waits = format!("Nothing is called. {name} is visible to others from {until} on.");
        (format!("hidden for {left} more"), waits)
    } else {
        let waits = format!("Nothing is called. The time of {name} is over already.");
        (format!("its time ended at {until}"), waits)
    };
    let calls = SETTLE.iter().filter_map(|(concept, own, help, call)| {
        let call = match call {
            HandCall::Extend { .. } if endless => return None,
            HandCall::Extend { .. } => HandCall::Extend { to: timeout },
            call => *call,
        };
        let label = called(profile, concept, own)?;
        let help = if label == *own {
            (*help).to_owned()
        } else {
            format!("{own}: {help}")
        };
        let command = Command::Settle {
            consumer,
            message,
            call,
        };
        Some(Call {
            label,
            help,
            command,
        })
    });
    Held {
        message,
        name,
        time,
        late: !held.lease && !held.acked,
        calls: calls.collect(),
        waits,
    }
}
