//! The table of interventions: one row an action. Buttons, menus, shortcuts, the list of keys and announcements are
//! made from it.

mod describe;
mod menu;

pub use describe::{describe, describe_void, discard_reason};
pub use menu::{Menu, Row, RowKind, Whom};

use crate::engine::command::{ConsumerChange, DiscardReason, HandSend};
use crate::engine::rules::{Durability, HandOver};
use crate::engine::setup::{Groups, Pattern};
use crate::engine::snapshot::{ConsumerStatus, ConsumerView, QueueView, Token};
use crate::engine::{Command, ConsumerId, GroupId, MessageNumber, ProducerId, QueueId, Snapshot};
use crate::present::scene::About;

/// What an action is done to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionTarget {
    /// A consumer.
    Consumer(ConsumerId),
    /// A producer.
    Producer(ProducerId),
    /// A queue.
    Queue(QueueId),
    /// A message group of a queue.
    Group(QueueId, GroupId),
    /// A message.
    Message(MessageNumber),
}

impl ActionTarget {
    /// What an element of the page stands for, as a target; none for numbers.
    pub const fn of(about: About) -> Option<Self> {
        match about {
            About::Message(id) => Some(Self::Message(id)),
            About::Consumer(id) => Some(Self::Consumer(id)),
            About::Queue(id) => Some(Self::Queue(id)),
            About::Producer(id) => Some(Self::Producer(id)),
            About::Number(_) => None,
        }
    }
}

/// One intervention.
pub struct Action {
    /// Stable name, for ids.
    pub id: &'static str,
    /// As a button or menu entry says it.
    pub label: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// The key that does it to what has the focus, in lower case. Two actions of which only one can be done at a time
    /// share a key.
    pub key: Option<&'static str>,
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

    /// What a key does to what has the focus.
    pub fn by_key(key: &str, snapshot: &Snapshot, target: ActionTarget) -> Option<Command> {
        let mut actions = ACTIONS.iter().filter(|action| action.key == Some(key));
        actions.find_map(|action| action.command(snapshot, target))
    }

    /// The keys and what each does, for the list on the page, in small letters: those that share one are listed together, each once.
    pub fn keys() -> Vec<(&'static str, String)> {
        let mut keys: Vec<(&'static str, String)> = Vec::new();
        for action in ACTIONS {
            let Some(key) = action.key else { continue };
            let label = action.label.to_ascii_lowercase();
            match keys.iter_mut().find(|(known, _)| *known == key) {
                Some((_, said)) if said.split(" / ").any(|one| one == label) => {}
                Some((_, said)) => *said += &format!(" / {label}"),
                None => keys.push((key, label)),
            }
        }
        keys
    }
}

fn consumer(snapshot: &Snapshot, target: ActionTarget) -> Option<(ConsumerId, &ConsumerView)> {
    match target {
        ActionTarget::Consumer(id) => Some((id, snapshot.consumers.get(id.index())?)),
        _ => None,
    }
}

fn running(snapshot: &Snapshot, target: ActionTarget) -> Option<(ConsumerId, &ConsumerView)> {
    use ConsumerStatus::{Paused, Running};
    consumer(snapshot, target)
        .filter(|(_, view)| matches!(view.status, Running | Paused) || starts_now(snapshot, view))
}

/// Whether a consumer starts at this very instant: a command given now acts after that.
pub(super) fn starts_now(snapshot: &Snapshot, view: &ConsumerView) -> bool {
    view.status == ConsumerStatus::NotStarted && view.setup.start <= snapshot.at
}

fn consumer_in(
    snapshot: &Snapshot,
    target: ActionTarget,
    wanted: ConsumerStatus,
) -> Option<ConsumerId> {
    let (id, view) = consumer(snapshot, target)?;
    (view.status == wanted).then_some(id)
}

fn queue(snapshot: &Snapshot, target: ActionTarget) -> Option<(QueueId, &QueueView)> {
    match target {
        ActionTarget::Queue(id) => Some((id, snapshot.queues.get(id.index())?)),
        _ => None,
    }
}

/// Where a message is, as far as actions go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whereabouts {
    InFlight,
    Dead,
    Elsewhere,
}

fn message(
    snapshot: &Snapshot,
    target: ActionTarget,
) -> Option<(MessageNumber, Token, Whereabouts)> {
    let ActionTarget::Message(number) = target else {
        return None;
    };
    let mut found = None;
    for queue in &snapshot.queues {
        let mut in_flight = queue.in_flight.iter().map(|it| it.token);
        let mut dead = queue.dead_letters.iter().map(|it| it.token);
        let is_it = |token: &Token| token.message == number;
        if let Some(token) = dead.find(is_it) {
            return Some((number, token, Whereabouts::Dead));
        }
        if let Some(token) = in_flight.find(is_it) {
            found = Some((number, token, Whereabouts::InFlight));
        }
    }
    // Where it no longer is in a queue, a worker may still be at it.
    crate::present::names::tokens(snapshot, |token| {
        if token.message == number && found.is_none() && !is_past(snapshot, number) {
            found = Some((number, *token, Whereabouts::Elsewhere));
        }
    });
    found
}

/// Whether a message in flight was handed out under a timeout.
fn times_out(snapshot: &Snapshot, number: MessageNumber) -> bool {
    let mut leases = snapshot.queues.iter().filter(|queue| {
        let hand_over = queue.setup.rules.hand_over;
        hand_over == crate::engine::rules::HandOver::Lease
    });
    leases.any(|queue| {
        let mut held = queue.in_flight.iter();
        held.any(|held| held.token.message == number)
    })
}

/// Whether all that is left of a message are its effects.
fn is_past(snapshot: &Snapshot, number: MessageNumber) -> bool {
    let queued = snapshot.queues.iter().any(|queue| {
        let waiting = queue.lanes.iter().flat_map(|lane| &lane.waiting);
        let delayed = queue.delayed.iter().map(|(token, _)| token);
        let mut tokens = waiting.chain(delayed);
        tokens.any(|token| token.message == number)
    });
    let held = snapshot.consumers.iter().any(|consumer| {
        let running = consumer.workers.iter().flatten().map(|job| &job.held);
        let mut held = running.chain(&consumer.buffered);
        held.any(|held| held.token.message == number)
    });
    let mut hops = snapshot.travelling.iter();
    !queued && !held && !hops.any(|hop| hop.token.message == number)
}

fn discard(snapshot: &Snapshot, target: ActionTarget, reason: DiscardReason) -> Option<Command> {
    match message(snapshot, target)? {
        (message, _, Whereabouts::Dead) => Some(Command::Discard { message, reason }),
        _ => None,
    }
}

fn redrive(snapshot: &Snapshot, target: ActionTarget, fix: bool) -> Option<Command> {
    let (message, token, place) = message(snapshot, target)?;
    let fits = place == Whereabouts::Dead && (token.poison || !fix);
    fits.then_some(Command::RedriveMessage { message, fix })
}

fn set_poison(snapshot: &Snapshot, target: ActionTarget, poison: bool) -> Option<Command> {
    let (message, token, _) = message(snapshot, target)?;
    (token.poison != poison).then_some(Command::SetPoison { message, poison })
}

fn slow_down(snapshot: &Snapshot, target: ActionTarget, percent: u32) -> Option<Command> {
    let (consumer, view) = running(snapshot, target)?;
    ((view.slow_percent == 100) != (percent == 100))
        .then_some(Command::SlowDown { consumer, percent })
}

/// A send by hand to a queue, with the group asked for or the one that its producers name first.
fn send(snapshot: &Snapshot, target: ActionTarget, count: u32, poison: bool) -> Option<Command> {
    let (to, asked) = match target {
        ActionTarget::Queue(id) => (id, None),
        ActionTarget::Group(id, group) => (id, Some(group)),
        ActionTarget::Producer(id) => (snapshot.producers.get(id.index())?.setup.to, None),
        ActionTarget::Consumer(_) | ActionTarget::Message(_) => return None,
    };
    snapshot.queues.get(to.index())?;
    let mut producers = snapshot
        .producers
        .iter()
        .filter(|producer| producer.setup.to == to);
    let producer = producers.next();
    let named = producer.and_then(|producer| match &producer.setup.groups {
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
        count,
        group: asked.or(named),
        poison,
        amount,
        ..HandSend::to(to)
    }))
}

const ACTIONS: &[Action] = &[
    Action {
        id: "crash",
        label: "Crash",
        help: "Its process dies. What it holds is neither completed nor acknowledged.",
        key: Some("c"),
        command: |snapshot, target| Some(Command::Crash(running(snapshot, target)?.0)),
    },
    Action {
        id: "restart",
        label: "Restart",
        help: "It starts again, empty.",
        key: Some("c"),
        command: |snapshot, target| {
            consumer_in(snapshot, target, ConsumerStatus::Crashed).map(Command::Restart)
        },
    },
    Action {
        id: "pause",
        label: "Pause",
        help: "It receives and begins nothing; what runs is finished.",
        key: Some("p"),
        command: |snapshot, target| {
            let (id, view) = running(snapshot, target)?;
            (view.status != ConsumerStatus::Paused).then_some(Command::Pause(id))
        },
    },
    Action {
        id: "resume",
        label: "Resume",
        help: "It receives again.",
        key: Some("p"),
        command: |snapshot, target| {
            consumer_in(snapshot, target, ConsumerStatus::Paused).map(Command::Resume)
        },
    },
    Action {
        id: "slow-down",
        label: "Slow down",
        help: "Its work takes ten times as long from now on.",
        key: Some("s"),
        command: |snapshot, target| slow_down(snapshot, target, 1_000),
    },
    Action {
        id: "normal-speed",
        label: "Normal speed",
        help: "Its work takes its normal time again.",
        key: Some("s"),
        command: |snapshot, target| slow_down(snapshot, target, 100),
    },
    Action {
        id: "lose-ack",
        label: "Lose the ack",
        help: "Its next ack never reaches the queue.",
        key: Some("l"),
        command: |snapshot, target| {
            let (id, view) = running(snapshot, target)?;
            (!view.loses_next_ack).then_some(Command::LoseNextAck(id))
        },
    },
    Action {
        id: "partition",
        label: "Cut off",
        help: "A network partition: it reaches the broker no more and goes on working.",
        key: Some("n"),
        command: |snapshot, target| {
            let (id, view) = running(snapshot, target)?;
            (!view.cut_off).then_some(Command::Partition(id))
        },
    },
    Action {
        id: "heal",
        label: "Reconnect",
        help: "It reaches the broker again. What was lost stays lost.",
        key: Some("n"),
        command: |snapshot, target| {
            let (id, view) = consumer(snapshot, target)?;
            view.cut_off.then_some(Command::Heal(id))
        },
    },
    Action {
        id: "close-channel",
        label: "Close its channel",
        help: "What it holds comes back at once. It works on and subscribes anew after a second.",
        key: None,
        command: |snapshot, target| {
            let (id, view) = consumer(snapshot, target)?;
            view.channel?
                .open_since
                .is_some()
                .then_some(Command::CloseChannel(id))
        },
    },
    Action {
        id: "be-it",
        label: "Be this consumer",
        help: "It does nothing by itself any more: you receive and settle in its place.",
        key: Some("h"),
        command: |snapshot, target| {
            let (id, view) = running(snapshot, target)?;
            (!view.setup.by_hand)
                .then_some(Command::SetConsumer(Some(id), ConsumerChange::ByHand(true)))
        },
    },
    Action {
        id: "leave-it",
        label: "Let it work by itself",
        help: "It receives and settles by itself again.",
        key: Some("h"),
        command: |snapshot, target| {
            let (id, view) = consumer(snapshot, target)?;
            let by_hand = view.setup.by_hand;
            by_hand.then_some(Command::SetConsumer(
                Some(id),
                ConsumerChange::ByHand(false),
            ))
        },
    },
    Action {
        id: "pause-producer",
        label: "Pause",
        help: "It sends nothing. What falls due meanwhile is not made up for.",
        key: Some("p"),
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
        key: Some("p"),
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
        key: Some("m"),
        command: |snapshot, target| send(snapshot, target, 1, false),
    },
    Action {
        id: "send-burst",
        label: "Send 20",
        help: "Sends twenty messages at once by hand.",
        key: None,
        command: |snapshot, target| send(snapshot, target, 20, false),
    },
    Action {
        id: "send-poison",
        label: "Send a poison message",
        help: "Sends a message that can never be processed.",
        key: None,
        command: |snapshot, target| send(snapshot, target, 1, true),
    },
    Action {
        id: "expire-now",
        label: "End its timeout now",
        help: "It is visible again at once. Whoever works on it learns nothing.",
        key: Some("e"),
        command: |snapshot, target| match message(snapshot, target)? {
            (message, _, Whereabouts::InFlight) if times_out(snapshot, message) => {
                Some(Command::ExpireNow(message))
            }
            _ => None,
        },
    },
    Action {
        id: "poison",
        label: "Poison it",
        help: "Every handler of it fails from now on.",
        key: Some("x"),
        command: |snapshot, target| set_poison(snapshot, target, true),
    },
    Action {
        id: "fix",
        label: "Fix it",
        help: "It is no poison message any more.",
        key: Some("x"),
        command: |snapshot, target| set_poison(snapshot, target, false),
    },
    Action {
        id: "redrive-message",
        label: "Redrive it",
        help: "Moves it back to where it came from, as a new message.",
        key: Some("r"),
        command: |snapshot, target| redrive(snapshot, target, false),
    },
    Action {
        id: "fix-and-redrive",
        label: "Fix and redrive it",
        help: "Mends it and moves it back to where it came from.",
        key: None,
        command: |snapshot, target| redrive(snapshot, target, true),
    },
    Action {
        id: "discard-unprocessable",
        label: "Discard: it can never be processed",
        help: "Removes it for good, with this reason.",
        key: None,
        command: |snapshot, target| discard(snapshot, target, DiscardReason::Unprocessable),
    },
    Action {
        id: "discard-handled",
        label: "Discard: done by hand",
        help: "Removes it for good, with this reason.",
        key: None,
        command: |snapshot, target| discard(snapshot, target, DiscardReason::Handled),
    },
    Action {
        id: "discard-duplicate",
        label: "Discard: done before",
        help: "Removes it for good, with this reason.",
        key: None,
        command: |snapshot, target| discard(snapshot, target, DiscardReason::Duplicate),
    },
    Action {
        id: "discard-obsolete",
        label: "Discard: not needed any more",
        help: "Removes it for good, with this reason.",
        key: None,
        command: |snapshot, target| discard(snapshot, target, DiscardReason::Obsolete),
    },
    Action {
        id: "redrive",
        label: "Redrive",
        help: "Moves its messages back to where they came from, as new ones.",
        key: Some("r"),
        command: |snapshot, target| {
            let (from, queue) = queue(snapshot, target)?;
            let there = queue.is_dead_letter_queue
                && queue.redrive.is_none()
                && queue.counts.ready + queue.counts.delayed > 0;
            there.then_some(Command::Redrive {
                from,
                limit: None,
                rate: None,
            })
        },
    },
    Action {
        id: "stop-redrive",
        label: "Stop the redrive",
        help: "What has moved stays moved.",
        key: None,
        command: |snapshot, target| {
            let (id, queue) = queue(snapshot, target)?;
            queue.redrive.map(|_| Command::CancelRedrive(id))
        },
    },
    Action {
        id: "purge",
        label: "Purge",
        help: "Removes all of its messages, those in flight too.",
        key: None,
        command: |snapshot, target| {
            let (id, queue) = queue(snapshot, target)?;
            let counts = queue.counts;
            let there = counts.ready + counts.delayed + counts.in_flight > 0;
            there.then_some(Command::Purge(id))
        },
    },
    Action {
        id: "take-session",
        label: "Take a session away",
        help: "The one held for longest is lost, as if its lock had ended.",
        key: None,
        command: |snapshot, target| match target {
            ActionTarget::Group(id, group) => {
                let mut sessions = snapshot.queues.get(id.index())?.sessions.iter();
                let held = sessions.any(|session| session.group == Some(group));
                held.then_some(Command::TakeSession(id, Some(group)))
            }
            _ => {
                let (id, queue) = queue(snapshot, target)?;
                let oldest = queue.sessions.iter().min_by_key(|session| session.since)?;
                Some(Command::TakeSession(id, oldest.group))
            }
        },
    },
    Action {
        id: "restart-broker",
        label: "Restart the broker",
        help: "Loses what is not durable, here and in all queues; closes channels.",
        key: None,
        command: |snapshot, target| {
            let (_, queue) = queue(snapshot, target)?;
            let rules = &queue.setup.rules;
            let feels_it =
                rules.durability != Durability::Durable || rules.hand_over == HandOver::Push;
            feels_it.then_some(Command::RestartBroker)
        },
    },
];

#[cfg(test)]
mod tests;
