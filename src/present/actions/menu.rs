//! Menus: what can be done to one thing, or to which things something can be done.

use crate::engine::{Command, ConsumerId, MessageNumber, ProducerId, QueueId, Setup, Snapshot};
use crate::present::format::counted;
use crate::present::names::{Bodies, Names};

use super::{Action, ActionTarget};

/// Groups of one queue that a menu lists.
const MOST_GROUPS: usize = 12;

/// What a menu is for: one thing, or everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whom {
    /// Everything: the menu asks what to break.
    All,
    /// One thing.
    One(ActionTarget),
}

/// A menu.
#[derive(Clone, PartialEq, Debug)]
pub struct Menu {
    /// What it is for, in words.
    pub title: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A row of a menu.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// As it reads.
    pub label: String,
    /// One line that explains it.
    pub help: &'static str,
    /// The key that does the same.
    pub key: Option<&'static str>,
    /// What choosing it does.
    pub kind: RowKind,
}

/// What choosing a row does.
#[derive(Clone, PartialEq, Debug)]
pub enum RowKind {
    /// Gives a command; none when that cannot be done any more.
    Act(Option<Command>),
    /// Opens the form that sends in the place of a producer.
    Be(ProducerId),
    /// Opens the menu of another thing.
    Open(ActionTarget),
}

impl Menu {
    /// The menu of a moment. `selected` is the message looked at.
    pub fn of(
        whom: Whom,
        selected: Option<MessageNumber>,
        snapshot: &Snapshot,
        setup: &Setup,
        bodies: &Bodies,
    ) -> Self {
        let names = Names { setup, bodies };
        match whom {
            Whom::All => Self {
                title: "Break something".to_owned(),
                rows: everything(selected, snapshot, &names),
            },
            Whom::One(target) => {
                let acts = Action::available(snapshot, target).into_iter();
                let mut rows: Vec<Row> = acts
                    .map(|(action, command)| Row {
                        label: action.label.to_owned(),
                        help: action.help,
                        key: action.key,
                        kind: RowKind::Act(Some(command)),
                    })
                    .collect();
                if let ActionTarget::Producer(producer) = target {
                    rows.push(Row {
                        label: "Be this producer".to_owned(),
                        help: "A form that sends what you say in its place.",
                        key: None,
                        kind: RowKind::Be(producer),
                    });
                }
                if let ActionTarget::Queue(queue) = target {
                    rows.extend(groups(queue, snapshot, &names));
                }
                Self {
                    title: name(target, &names),
                    rows,
                }
            }
        }
    }

    /// The same rows at a later moment: a row whose command has gone stays and cannot be chosen, so that nothing moves
    /// below a pointer. A row that reads as another now is that one.
    pub fn refresh(&mut self, now: &Self) {
        for row in &mut self.rows {
            let same = now.rows.iter().find(|new| new.label == row.label);
            match (same, &mut row.kind) {
                (Some(same), kind) => *kind = same.kind.clone(),
                (None, RowKind::Act(command)) => *command = None,
                (None, RowKind::Open(_) | RowKind::Be(_)) => {}
            }
        }
    }
}

/// A thing by its name.
fn name(target: ActionTarget, names: &Names) -> String {
    match target {
        ActionTarget::Consumer(id) => names.consumer(id).into_owned(),
        ActionTarget::Producer(id) => names.producer(id).into_owned(),
        ActionTarget::Queue(id) => names.queue(id).into_owned(),
        ActionTarget::Group(_, group) => format!("Group {}", names.group(group)),
        ActionTarget::Message(message) => format!("Message {}", names.message(message)),
    }
}

fn open(target: ActionTarget, names: &Names) -> Row {
    Row {
        label: name(target, names),
        help: "",
        key: None,
        kind: RowKind::Open(target),
    }
}

/// The message looked at, then consumers, queues and producers.
fn everything(selected: Option<MessageNumber>, snapshot: &Snapshot, names: &Names) -> Vec<Row> {
    let message = selected.map(ActionTarget::Message);
    let consumers = (0..snapshot.consumers.len() as u16).map(ConsumerId);
    let queues = (0..snapshot.queues.len() as u16).map(QueueId);
    let producers = (0..snapshot.producers.len() as u16).map(ProducerId);
    let all = message
        .into_iter()
        .chain(consumers.map(ActionTarget::Consumer))
        .chain(queues.map(ActionTarget::Queue))
        .chain(producers.map(ActionTarget::Producer));
    all.filter(|target| !Action::available(snapshot, *target).is_empty())
        .map(|target| open(target, names))
        .collect()
}

/// The first groups of a queue, to send to.
fn groups(queue: QueueId, snapshot: &Snapshot, names: &Names) -> Vec<Row> {
    let Some(view) = snapshot.queues.get(queue.index()) else {
        return Vec::new();
    };
    let groups = view.lanes.iter().filter_map(|lane| lane.group);
    let mut rows: Vec<Row> = groups
        .take(MOST_GROUPS)
        .map(|group| open(ActionTarget::Group(queue, group), names))
        .collect();
    let more = (view.lanes.len() + view.more_lanes as usize).saturating_sub(MOST_GROUPS);
    if more > 0 {
        rows.push(Row {
            label: format!("and {}", counted(more as u64, "more group", "more groups")),
            help: "Groups on the stage have menus of their own.",
            key: None,
            kind: RowKind::Act(None),
        });
    }
    rows
}
