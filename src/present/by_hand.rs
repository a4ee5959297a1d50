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
    /// What it works on since before it was operated by hand, and when that is done.
    pub at_work: Vec<String>,
    /// What it does, when there is nothing to settle.
    pub note: String,
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
    /// What comes of doing nothing; none where nothing runs out.
    pub waits: Option<String>,
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

/// The consumers that are operated by hand. `empty` says when the newest receive of one came back empty, if it did.
pub fn hands(
    snapshot: &Snapshot,
    names: &Names,
    profile: Profile,
    empty: &dyn Fn(ConsumerId) -> Option<Micros>,
) -> Vec<Hand> {
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
            let held = held
                .map(|held| holding(held, consumer, snapshot, names, (timeout, profile, pushed)));
            let jobs = view.workers.iter().flatten().filter(|_| runs);
            let at_work = jobs.map(|job| {
                let message = token_name(names.setup, &job.held.token);
                format!(
                    "{message}: taken before, still at work until {}. It ends by itself.",
                    format::instant(job.ends)
                )
            });
            Hand {
                consumer,
                name,
                calls,
                held: held.collect(),
                at_work: at_work.collect(),
                note: match view.status {
                    ConsumerStatus::Crashed => {
                        "Crashed. What it held comes back by the broker's rules.".to_owned()
                    }
                    ConsumerStatus::Running if view.asks => {
                        "Asked, and waiting: what comes while the receive waits is yours."
                            .to_owned()
                    }
                    ConsumerStatus::Running => match empty(consumer) {
                        Some(at) => format!(
                            "You hold nothing: the receive came back empty at {}.",
                            format::instant(at)
                        ),
                        None => "You hold nothing. It receives nothing by itself.".to_owned(),
                    },
                    ConsumerStatus::Paused => "Paused.".to_owned(),
                    ConsumerStatus::NotStarted => "Not started yet.".to_owned(),
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
    (timeout, profile, pushed): (Micros, Profile, bool),
) -> Held {
    let message = held.token.message;
    let mut name = token_name(names.setup, &held.token);
    if held.token.deliveries > 1 {
        name += &format!(" ×{}", held.token.deliveries);
    }
    let endless = held.hidden_until == Micros::MAX;
    let until = format::instant(held.hidden_until);
    let left = || format::elapsed(held.hidden_until - snapshot.at);
    let (time, waits) = if held.acked {
        ("acknowledged already".to_owned(), None)
    } else if endless {
        ("yours until you settle it".to_owned(), None)
    } else if held.lease && pushed {
        let waits = format!(
            "Nothing is called. At {until} the consumer timeout of {name} ends, and it goes back to the queue."
        );
        (format!("consumer timeout in {}", left()), Some(waits))
    } else if held.lease {
        let waits = format!("Nothing is called. {name} is visible to others from {until} on.");
        (format!("hidden for {} more", left()), Some(waits))
    } else {
        (format!("its time ended at {until}"), None)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::Simulation;
    use crate::present::names::Bodies;
    use crate::scenario::Scenario;

    /// The one hand of a run of 1.5 s: c is taken over while it works on the first of two messages.
    fn hand(queue: &str, commands: &str, empty: Option<Micros>) -> Hand {
        let file = format!(
            r#"{{"version":1,"duration":"9s","queues":[{{"name":"q"{queue}}}],
            "producers":[{{"name":"p","to":"q","sends":[{{"at":"0s","count":2}}]}}],
            "consumers":[{{"name":"c","from":"q","processing":"2s"}}],
            "commands":[{{"at":"1s","set":{{"consumer":"c","by_hand":true}}}}{commands}]}}"#
        );
        let scenario = Scenario::from_json(&file).unwrap_or_else(|problems| panic!("{problems:?}"));
        let setup = scenario.lower().unwrap();
        let mut simulation = Simulation::new(Arc::new(setup.clone()));
        simulation.run_until(Micros::from_millis(1_500), u64::MAX, &mut Vec::new());
        let bodies = Bodies::default();
        let names = Names {
            setup: &setup,
            bodies: &bodies,
        };
        let found = hands(&simulation.snapshot(), &names, Profile::Free, &|_| empty);
        found.into_iter().next().unwrap()
    }

    #[test]
    fn what_is_still_at_work_is_listed_and_an_empty_receive_is_said() {
        let before = hand("", "", None);
        assert_eq!(before.at_work.len(), 1);
        assert!(
            before.at_work[0].contains("still at work until 2.0"),
            "{before:?}"
        );
        assert!(before.note.contains("It receives nothing by itself"));
        let after = hand("", "", Some(Micros::from_millis(1_200)));
        assert!(
            after
                .note
                .replace('\u{a0}', " ")
                .contains("came back empty at 1.2 s"),
            "{after:?}"
        );
    }

    #[test]
    fn only_what_runs_out_can_be_let_expire() {
        let receive = r#",{"at":"1.2s","receive":{"consumer":"c"}}"#;
        let lease = hand("", receive, None);
        assert!(lease.held[0].waits.is_some(), "{lease:?}");
        let pending = hand(r#","hand_over":"pending""#, receive, None);
        assert_eq!(pending.held[0].waits, None, "{pending:?}");
    }
}
