//! Where stations stand: a function of the setup, of settings and of the size.

use crate::engine::command::Command;
use crate::engine::setup::{Groups, Pattern, QueueKind};
use crate::engine::{ConsumerId, GroupId, ProducerId, QueueId};
use crate::present::geometry::{Path, Rect, Within};

use super::plan::Plan;
use super::shelf::Shape;
use super::wiring;
use super::{Density, SceneInput, StationId};

/// Most producers, queues, lanes and consumers drawn; the rest is summed up.
pub const MOST_PRODUCERS: usize = 3;
/// See [`MOST_PRODUCERS`].
pub const MOST_QUEUES: usize = 3;
/// See [`MOST_PRODUCERS`].
pub const MOST_LANES: usize = 12;
/// See [`MOST_PRODUCERS`].
pub const MOST_CONSUMERS: usize = 8;

/// Width, in units, from which stations stand beside each other instead of below each other, if their columns fit.
pub const ACROSS_FROM: f64 = 480.0;

/// Height, in units, that a stage has at least: its page gives it 300 pixels, which are these at twice the text size.
const LEAST_HEIGHT: f64 = 150.0;

/// Which stations there are.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cast {
    /// Producers drawn, and how many more there are.
    pub producers: (Vec<ProducerId>, usize),
    /// Queues that are nobody's dead-letter queue.
    pub queues: (Vec<QueueCast>, usize),
    /// Dead-letter queues of those.
    pub dead: Vec<QueueId>,
    /// Consumers.
    pub consumers: (Vec<ConsumerId>, usize),
    /// Whether messages have names.
    pub named: bool,
}

/// A queue and its lanes.
#[derive(Clone, PartialEq, Debug)]
pub struct QueueCast {
    /// Which.
    pub id: QueueId,
    /// FIFO: one lane a group that a producer or a command may name; none is the lane of messages without a group.
    /// Standard: empty, there is one lane.
    pub lanes: Vec<Option<GroupId>>,
    /// Groups without a lane.
    pub more_lanes: usize,
}

/// Stations at their places, and the wires.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    /// Units to CSS pixels.
    pub unit: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Stations in reading order.
    pub places: Vec<(StationId, Rect)>,
    /// Wires.
    pub wires: Vec<(StationId, StationId, Path)>,
    /// How worker cards are filled.
    pub plan: Plan,
    /// How queues' cards are filled.
    pub shape: Shape,
    /// Queues that are not drawn.
    pub hidden: usize,
    /// How far from its roomiest form the stage is, for comparing enlargements.
    pub cost: u32,
    /// Whether stations stand beside each other.
    pub across: bool,
}

impl Layout {
    /// The rectangle of a station.
    pub fn rect(&self, id: StationId) -> Option<Rect> {
        let found = self.places.iter().find(|(place, _)| *place == id);
        found.map(|(_, rect)| *rect)
    }

    /// Lays the stage out: enlarged where there is room to spare, never below its natural size.
    pub fn new(input: &SceneInput, cast: &Cast) -> Self {
        let unit = (input.root_font / 16.0).max(1.0);
        let (width, height) = match input.density {
            Density::Simple => (1_180.0, 480.0),
            Density::Full => (960.0, 520.0),
        };
        let room = (input.width / (width * unit)).min(input.height / (height * unit));
        let mut enlarged = unit * room.within(1.0, 1.5);
        let mut chosen = Self::at(input, cast, unit);
        while enlarged > unit {
            let layout = Self::at(input, cast, enlarged);
            let as_much = layout.cost <= chosen.cost && layout.across == chosen.across;
            if as_much && layout.height * enlarged <= input.height + 0.5 {
                chosen = layout;
                break;
            }
            enlarged -= unit * 0.05;
        }
        chosen.finish(input, cast)
    }

    fn at(input: &SceneInput, cast: &Cast, unit: f64) -> Self {
        let (width, height) = (
            (input.width / unit).max(120.0),
            (input.height / unit).max(LEAST_HEIGHT),
        );
        let mut layout = Self::default();
        if width >= ACROSS_FROM {
            layout = super::across::lay_out(input, cast, width, height);
        }
        // Just above that width the columns of some setups still do not fit beside each other.
        if layout.places.is_empty() {
            layout = super::down::lay_out(input, cast, width, height);
        }
        layout.unit = unit;
        layout
    }

    /// Adds the wires, and turns units into pixels.
    fn finish(mut self, input: &SceneInput, cast: &Cast) -> Self {
        let unit = self.unit;
        wiring::connect(&mut self, input, cast);
        self.height = (self.height * unit).max(input.height);
        for (_, rect) in &mut self.places {
            *rect = Rect::new(rect.x * unit, rect.y * unit, rect.w * unit, rect.h * unit);
        }
        for (_, _, path) in &mut self.wires {
            path.scale(unit);
        }
        self
    }
}

impl Cast {
    /// The stations of a run with its present settings.
    pub fn of(input: &SceneInput) -> Self {
        let snapshot = input.snapshot;
        let target = |id: QueueId| {
            snapshot
                .queues
                .iter()
                .any(|queue| queue.setup.dead_letter_queue == Some(id))
        };
        let (dead, main): (Vec<QueueId>, Vec<QueueId>) = (0..snapshot.queues.len() as u16)
            .map(QueueId)
            .partition(|id| target(*id));
        let more_queues =
            main.len().saturating_sub(MOST_QUEUES) + dead.len().saturating_sub(MOST_QUEUES);
        let queues = main.iter().take(MOST_QUEUES);
        Self {
            producers: some_of(snapshot.producers.len(), MOST_PRODUCERS, ProducerId),
            queues: (
                queues.map(|id| QueueCast::of(input, *id)).collect(),
                more_queues,
            ),
            dead: dead.into_iter().take(MOST_QUEUES).collect(),
            consumers: some_of(snapshot.consumers.len(), MOST_CONSUMERS, ConsumerId),
            named: !input.setup.bodies.is_empty(),
        }
    }
}

fn some_of<T>(count: usize, most: usize, id: impl Fn(u16) -> T) -> (Vec<T>, usize) {
    let shown = count.min(most);
    ((0..shown as u16).map(id).collect(), count - shown)
}

impl QueueCast {
    fn of(input: &SceneInput, id: QueueId) -> Self {
        let fifo = input
            .snapshot
            .queues
            .get(id.index())
            .is_some_and(|queue| queue.setup.kind == QueueKind::Fifo);
        if !fifo {
            return Self {
                id,
                lanes: Vec::new(),
                more_lanes: 0,
            };
        }
        let mut named = vec![false; input.setup.groups.len()];
        let mut unnamed = false;
        let mut note =
            |group: Option<GroupId>| match group.and_then(|group| named.get_mut(group.index())) {
                Some(seen) => *seen = true,
                None => unnamed = true,
            };
        for producer in input
            .snapshot
            .producers
            .iter()
            .filter(|producer| producer.setup.to == id)
        {
            let by_rule: Vec<Option<GroupId>> = match &producer.setup.groups {
                Groups::None => vec![None],
                Groups::Cycle(groups) => groups.iter().copied().map(Some).collect(),
                Groups::Weighted(groups) => groups.iter().map(|(group, _)| Some(*group)).collect(),
            };
            match &producer.setup.pattern {
                Pattern::List(sends) => {
                    sends
                        .iter()
                        .filter_map(|send| send.group)
                        .for_each(|group| note(Some(group)));
                    if sends.iter().any(|send| send.group.is_none()) {
                        by_rule.into_iter().for_each(&mut note);
                    }
                }
                _ => by_rule.into_iter().for_each(&mut note),
            }
        }
        for timed in &input.setup.commands {
            if let Command::Send(send) = &timed.command
                && send.to == id
            {
                note(send.group);
            }
        }
        let groups = (0..).map(GroupId).zip(&named).filter(|(_, seen)| **seen);
        let mut lanes: Vec<Option<GroupId>> = groups.map(|(group, _)| Some(group)).collect();
        if unnamed || lanes.is_empty() {
            lanes.push(None);
        }
        let more_lanes = lanes.len().saturating_sub(MOST_LANES);
        if more_lanes > 0 {
            // Those in which there is something, or that somebody holds, before those that are over or to come.
            let queue = input.snapshot.queues.get(id.index());
            let lives = |group: &Option<GroupId>| {
                queue.is_some_and(|queue| {
                    let mut lanes = queue.lanes.iter();
                    queue.sessions.iter().any(|held| held.group == *group)
                        || lanes.any(|lane| lane.group == *group && lane.ready > 0)
                })
            };
            let (first, last): (Vec<_>, Vec<_>) = lanes.into_iter().partition(lives);
            lanes = [first, last].concat();
        }
        lanes.truncate(MOST_LANES);
        Self {
            id,
            lanes,
            more_lanes,
        }
    }
}
