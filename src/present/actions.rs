//! The table of interventions: one row an action, from which buttons, menus, help and announcements are made.

use crate::engine::command::{DiscardReason, HandSend};
use crate::engine::snapshot::ConsumerStatus;
use crate::engine::{Command, ConsumerId, GroupId, ProducerId, QueueId, Snapshot};
use crate::present::format;
use crate::present::names::Names;

/// What an action is done to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionTarget {
    /// A consumer.
    Consumer(ConsumerId),
    /// A producer.
    Producer(ProducerId),
    /// A queue.
    Queue(QueueId),
}

/// One intervention.
pub struct Action {
    /// Stable name, for ids and shortcuts.
    pub id: &'static str,
    /// As a button or menu entry says it.
    pub label: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// The command; none when it cannot be done to this target now.
    command: fn(&Snapshot, ActionTarget) -> Option<Command>,
}

impl Action {
    /// All actions, in the order of a menu.
    pub const ALL: &'static [Self] = ACTIONS;

    /// The action with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        ACTIONS.iter().find(|action| action.id == id)
    }

    /// The command that it gives; none when it cannot be done to this target now.
    pub fn command(&self, snapshot: &Snapshot, target: ActionTarget) -> Option<Command> {
        (self.command)(snapshot, target)
    }

    /// Everything that can be done to a target now.
    pub fn available(snapshot: &Snapshot, target: ActionTarget) -> Vec<(&'static Self, Command)> {
        let all = ACTIONS.iter();
        all.filter_map(|action| Some((action, action.command(snapshot, target)?)))
            .collect()
    }
}

fn status(snapshot: &Snapshot, id: ConsumerId) -> Option<ConsumerStatus> {
    snapshot
        .consumers
        .get(id.index())
        .map(|consumer| consumer.status)
}

fn running(snapshot: &Snapshot, target: ActionTarget) -> Option<ConsumerId> {
    match target {
        ActionTarget::Consumer(id) => matches!(
            status(snapshot, id)?,
            ConsumerStatus::Running | ConsumerStatus::Paused
        )
        .then_some(id),
        _ => None,
    }
}

fn consumer_in(
    snapshot: &Snapshot,
    target: ActionTarget,
    wanted: ConsumerStatus,
) -> Option<ConsumerId> {
    match target {
        ActionTarget::Consumer(id) => (status(snapshot, id)? == wanted).then_some(id),
        _ => None,
    }
}

/// A send by hand to a queue, with the group that its producers name first.
fn send(snapshot: &Snapshot, target: ActionTarget, count: u32, poison: bool) -> Option<Command> {
    use crate::engine::setup::{Groups, Pattern};
    let to = match target {
        ActionTarget::Queue(id) => snapshot.queues.get(id.index()).map(|_| id)?,
        ActionTarget::Producer(id) => snapshot.producers.get(id.index())?.setup.to,
        ActionTarget::Consumer(_) => return None,
    };
    let mut producers = snapshot
        .producers
        .iter()
        .filter(|producer| producer.setup.to == to);
    let producer = producers.next();
    let group: Option<GroupId> = producer.and_then(|producer| match &producer.setup.groups {
        Groups::None => match &producer.setup.pattern {
            Pattern::List(sends) => sends.iter().find_map(|send| send.group),
            _ => None,
        },
        Groups::Cycle(groups) => groups.first().copied(),
        Groups::Weighted(groups) => groups.first().map(|(group, _)| *group),
    });
    let amount = producer.map_or(0, |producer| match &producer.setup.pattern {
        Pattern::List(sends) => sends
            .first()
            .and_then(|send| send.amount)
            .unwrap_or(producer.setup.amount),
        _ => producer.setup.amount,
    });
    Some(Command::Send(HandSend {
        to,
        count,
        group,
        body: None,
        poison,
        amount,
    }))
}

const ACTIONS: &[Action] = &[
    Action {
        id: "crash",
        label: "Crash",
        help: "Its process dies. What it holds is neither completed nor acknowledged.",
        command: |snapshot, target| running(snapshot, target).map(Command::Crash),
    },
    Action {
        id: "restart",
        label: "Restart",
        help: "It starts again, empty.",
        command: |snapshot, target| {
            consumer_in(snapshot, target, ConsumerStatus::Crashed).map(Command::Restart)
        },
    },
    Action {
        id: "pause",
        label: "Pause",
        help: "It receives and begins nothing; what runs is finished.",
        command: |snapshot, target| {
            consumer_in(snapshot, target, ConsumerStatus::Running).map(Command::Pause)
        },
    },
    Action {
        id: "resume",
        label: "Resume",
        help: "It receives again.",
        command: |snapshot, target| {
            consumer_in(snapshot, target, ConsumerStatus::Paused).map(Command::Resume)
        },
    },
    Action {
        id: "slow-down",
        label: "Slow down",
        help: "Its work takes ten times as long from now on.",
        command: |snapshot, target| {
            let consumer = running(snapshot, target)?;
            let normal = snapshot.consumers.get(consumer.index())?.slow_percent == 100;
            normal.then_some(Command::SlowDown {
                consumer,
                percent: 1_000,
            })
        },
    },
    Action {
        id: "normal-speed",
        label: "Normal speed",
        help: "Its work takes its normal time again.",
        command: |snapshot, target| {
            let consumer = running(snapshot, target)?;
            let normal = snapshot.consumers.get(consumer.index())?.slow_percent == 100;
            (!normal).then_some(Command::SlowDown {
                consumer,
                percent: 100,
            })
        },
    },
    Action {
        id: "lose-ack",
        label: "Lose the ack",
        help: "Its next ack never reaches the queue.",
        command: |snapshot, target| {
            let consumer = running(snapshot, target)?;
            let waits = snapshot.consumers.get(consumer.index())?.loses_next_ack;
            (!waits).then_some(Command::LoseNextAck(consumer))
        },
    },
    Action {
        id: "pause-producer",
        label: "Pause",
        help: "It sends nothing. What falls due meanwhile is not made up for.",
        command: |snapshot, target| match target {
            ActionTarget::Producer(id) => {
                (!snapshot.producers.get(id.index())?.paused).then_some(Command::PauseProducer(id))
            }
            _ => None,
        },
    },
    Action {
        id: "resume-producer",
        label: "Resume",
        help: "It sends again.",
        command: |snapshot, target| match target {
            ActionTarget::Producer(id) => snapshot
                .producers
                .get(id.index())?
                .paused
                .then_some(Command::ResumeProducer(id)),
            _ => None,
        },
    },
    Action {
        id: "send-one",
        label: "Send one",
        help: "Sends one message by hand.",
        command: |snapshot, target| send(snapshot, target, 1, false),
    },
    Action {
        id: "send-burst",
        label: "Send 20",
        help: "Sends twenty messages at once by hand.",
        command: |snapshot, target| send(snapshot, target, 20, false),
    },
    Action {
        id: "send-poison",
        label: "Send a poison message",
        help: "Sends a message that can never be processed.",
        command: |snapshot, target| send(snapshot, target, 1, true),
    },
    Action {
        id: "redrive",
        label: "Redrive",
        help: "Moves its messages back to where they came from, as new ones.",
        command: |snapshot, target| match target {
            ActionTarget::Queue(from) => {
                let queue = snapshot.queues.get(from.index())?;
                let there =
                    queue.is_dead_letter_queue && queue.counts.ready + queue.counts.delayed > 0;
                there.then_some(Command::Redrive {
                    from,
                    limit: None,
                    rate: None,
                })
            }
            _ => None,
        },
    },
    Action {
        id: "purge",
        label: "Purge",
        help: "Removes all of its messages, those in flight too.",
        command: |snapshot, target| match target {
            ActionTarget::Queue(id) => {
                let counts = snapshot.queues.get(id.index())?.counts;
                let there = counts.ready + counts.delayed + counts.in_flight > 0;
                there.then_some(Command::Purge(id))
            }
            _ => None,
        },
    },
];

/// What a command does, as one short sentence without a full stop: for the log, marks and announcements.
pub fn describe(command: &Command, names: &Names) -> String {
    match command {
        Command::Crash(id) => format!("{} is made to crash", names.consumer(*id)),
        Command::Restart(id) => format!("{} is started again", names.consumer(*id)),
        Command::Pause(id) => format!("{} is paused", names.consumer(*id)),
        Command::Resume(id) => format!("{} goes on", names.consumer(*id)),
        Command::SlowDown {
            consumer,
            percent: 100,
        } => {
            format!(
                "{} works at its normal speed again",
                names.consumer(*consumer)
            )
        }
        Command::SlowDown { consumer, percent } => {
            let times = format::hundredths(*percent);
            format!(
                "{}'s work now takes {times} times as long",
                names.consumer(*consumer)
            )
        }
        Command::LoseNextAck(id) => format!("the next ack of {} will be lost", names.consumer(*id)),
        Command::PauseProducer(id) => format!("{} is paused", names.producer(*id)),
        Command::ResumeProducer(id) => format!("{} sends again", names.producer(*id)),
        Command::Send(send) => {
            let what = if send.poison {
                "poison message"
            } else {
                "message"
            };
            let many = format!("{what}s");
            let verb = if send.count == 1 { "is" } else { "are" };
            let count = format::counted(send.count.into(), what, &many);
            format!("{count} {verb} sent to {} by hand", names.queue(send.to))
        }
        Command::Redrive { from, limit, rate } => {
            let which = match limit {
                None => "all messages".to_owned(),
                Some(n) => format::counted(u64::from(*n), "message", "messages"),
            };
            let pace = match rate {
                None => String::new(),
                Some(n) => format!(", {} a second", format::count(u64::from(*n))),
            };
            format!(
                "{which} of {} move back to where they came from{pace}",
                names.queue(*from)
            )
        }
        Command::CancelRedrive(id) => format!("the redrive of {} is stopped", names.queue(*id)),
        Command::RedriveMessage { message, fix } => {
            let mended = if *fix { "mended and " } else { "" };
            let message = names.message(*message);
            format!("{message} is {mended}moved back to where it came from")
        }
        Command::Discard { message, reason } => {
            format!(
                "{} is discarded: {}",
                names.message(*message),
                discard_reason(*reason)
            )
        }
        Command::SetPoison { message, poison } => {
            let message = names.message(*message);
            if *poison {
                format!("{message} is made a poison message")
            } else {
                format!("{message} is mended: it is no poison message any more")
            }
        }
        Command::ExpireNow(message) => {
            format!(
                "the visibility timeout of {} ends now",
                names.message(*message)
            )
        }
        Command::Partition(id) => format!("{} is cut off from the broker", names.consumer(*id)),
        Command::Heal(id) => format!("{} reaches the broker again", names.consumer(*id)),
        Command::Purge(id) => format!("{} is purged", names.queue(*id)),
        Command::SetQueue(id, _) => format!("a setting of {} changes", names.queue(*id)),
        Command::SetConsumer(Some(id), _) => {
            format!("a setting of {} changes", names.consumer(*id))
        }
        Command::SetConsumer(None, _) => "a setting of all consumers changes".to_owned(),
        Command::SetProducer(id, _) => format!("a setting of {} changes", names.producer(*id)),
        Command::SetNetwork(_) => "the network changes".to_owned(),
    }
}

/// Why a dead letter is discarded, to be read after "discarded: ".
pub const fn discard_reason(reason: DiscardReason) -> &'static str {
    match reason {
        DiscardReason::Unprocessable => "it can never be processed",
        DiscardReason::Handled => "its work was done by hand",
        DiscardReason::Duplicate => "its work had been done before",
        DiscardReason::Obsolete => "nobody needs it any more",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures;

    fn ids(snapshot: &Snapshot, target: ActionTarget) -> Vec<&'static str> {
        Action::available(snapshot, target)
            .into_iter()
            .map(|(action, _)| action.id)
            .collect()
    }

    #[test]
    fn only_what_makes_sense_now_is_available() {
        let running = fixtures::charged_twice().snapshot;
        let worker = ActionTarget::Consumer(ConsumerId(1));
        assert_eq!(
            ids(&running, worker),
            ["crash", "pause", "slow-down", "lose-ack"]
        );
        let crashed = fixtures::crashed().snapshot;
        assert_eq!(ids(&crashed, worker), ["restart"]);
        let dead = ActionTarget::Queue(QueueId(1));
        assert!(!ids(&running, dead).contains(&"redrive"));
        assert!(ids(&fixtures::fifo().snapshot, dead).contains(&"redrive"));
    }

    #[test]
    fn ids_are_unique_and_helps_are_sentences() {
        let mut ids: Vec<&str> = Action::ALL.iter().map(|action| action.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), Action::ALL.len());
        assert!(Action::ALL.iter().all(|action| action.help.ends_with('.')));
        assert!(Action::find("crash").is_some());
    }

    #[test]
    fn a_send_by_hand_is_like_those_of_the_producer() {
        let snapshot = fixtures::charged_twice().snapshot;
        let action = Action::find("send-one").unwrap();
        let Some(Command::Send(send)) = action.command(&snapshot, ActionTarget::Queue(QueueId(0)))
        else {
            panic!("a queue can be sent to");
        };
        assert_eq!((send.count, send.amount), (1, 20));
    }
}
