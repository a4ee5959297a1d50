//! The queues' cards: how much each says, in how many columns its groups stand, and how many of all are drawn.

use crate::engine::setup::QueueKind;

use super::across::{MORE, TIGHT_GAP};
use super::layout::{Cast, QueueCast};
use super::queue::MORE_LINE;
use super::stack::{Range, fixed, least, range};
use super::{Density, SceneInput, StationId};

/// Least width of a group's lane beside another one, in units.
const LANE_WIDTH: f64 = 122.0;

/// How queues' cards are filled, the same for all of them. Heights in units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shape {
    /// What stands above the lanes.
    pub header: f64,
    /// What stands below them.
    pub footer: f64,
    /// Least height of a group's lane.
    pub lane: f64,
    /// Gap between lanes.
    pub gap: f64,
    /// Least height of the lane of a standard queue.
    pub grid: f64,
    /// Groups beside each other.
    pub columns: usize,
    /// Groups drawn at most.
    pub lanes: usize,
    /// What can be said stands on one line.
    pub compact: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self::level(0, Density::Full, 1)
    }
}

impl Shape {
    /// From 0, the roomiest, to 2.
    pub fn level(level: usize, density: Density, columns: usize) -> Self {
        let (header, footer, lane, gap, grid) = match (level, density) {
            (0, Density::Simple) => (56.0, 48.0, 28.0, 4.0, 76.0),
            (0, Density::Full) => (56.0, 28.0, 28.0, 4.0, 76.0),
            (1, _) => (34.0, 26.0, 26.0, 4.0, 42.0),
            _ => (32.0, 6.0, 23.0, 2.0, 34.0),
        };
        Self {
            header,
            footer,
            lane,
            gap,
            grid,
            columns,
            lanes: usize::MAX,
            compact: level > 0,
        }
    }

    /// Groups of a queue that are drawn, and how many are not.
    pub fn shown(&self, cast: &QueueCast) -> (usize, usize) {
        let shown = cast.lanes.len().min(self.lanes);
        (shown, cast.lanes.len() - shown + cast.more_lanes)
    }

    /// Height of a queue.
    pub fn range(&self, input: &SceneInput, cast: &QueueCast) -> Range {
        let around = self.header + self.footer;
        let queue = input.snapshot.queues.get(cast.id.index());
        if queue.is_none_or(|queue| queue.setup.kind != QueueKind::Fifo) {
            return range(around + self.grid, around + 420.0);
        }
        let (shown, rest) = self.shown(cast);
        let rows = shown.div_ceil(self.columns.max(1)) as f64;
        let more = if rest > 0 { MORE_LINE } else { 0.0 };
        let fixed = around + (rows - 1.0).max(0.0) * self.gap + more + 2.0;
        range(fixed + rows * self.lane, fixed + rows * 130.0)
    }
}

/// How the queues stand.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Shelf {
    /// How each is filled.
    pub shape: Shape,
    /// Dead-letter queues below them.
    pub dead: usize,
    /// Queues, dead-letter queues among them, that are not drawn.
    pub hidden: usize,
    /// How far from the roomiest form it is, for comparing sizes.
    pub cost: u32,
    queues: usize,
}

impl Shelf {
    /// The roomiest way that fits `room`, with `dead` dead-letter queues of a height below.
    pub fn choose(
        input: &SceneInput,
        cast: &Cast,
        width: f64,
        room: f64,
        (dead, dead_height): (usize, f64),
    ) -> Self {
        let lanes = cast.queues.0.iter().map(|queue| queue.lanes.len());
        let lanes = lanes.max().unwrap_or(0);
        let most = (((width - 12.0) / (LANE_WIDTH + 4.0)) as usize).max(1);
        let order = [(0, 1), (1, 1), (0, 2), (1, 2), (2, 1), (2, 2), (2, 3)];
        let fits = |shelf: &Self| {
            let mut ranges = shelf.ranges(input, cast);
            ranges.extend((0..shelf.dead).map(|_| fixed(dead_height)));
            least(&ranges, TIGHT_GAP) <= room + 0.01
        };
        let all = cast.queues.0.len();
        let options = order
            .iter()
            .filter(|(_, columns)| *columns <= most && *columns <= lanes.max(1));
        let options: Vec<Shape> = options
            .map(|(level, columns)| Shape::level(*level, input.density, *columns))
            .collect();
        let mut shelf = Self {
            queues: all,
            dead,
            hidden: cast.queues.1,
            ..Self::default()
        };
        for (cost, shape) in (0..).zip(&options) {
            shelf = Self {
                shape: *shape,
                cost,
                ..shelf
            };
            if fits(&shelf) {
                return shelf;
            }
        }
        // Fewer groups, then fewer queues, then no dead-letter queues.
        let narrowest = shelf.shape;
        let unseen_dead = |shown: usize| dead.saturating_sub(shown);
        let summed_up = |queues: usize, dead: usize, lanes: usize| Self {
            shape: Shape { lanes, ..narrowest },
            queues,
            dead,
            hidden: cast.queues.1 + all - queues + unseen_dead(dead),
            cost: 100 + 100 * (all - queues + unseen_dead(dead)) as u32,
        };
        let counts = (1..=all).rev().flat_map(|queues| {
            let fewer = [dead.min(queues), 0];
            fewer.map(|dead| (queues, dead))
        });
        for (queues, dead) in counts {
            for shown in (1..=lanes.max(1)).rev() {
                shelf = summed_up(queues, dead, shown);
                shelf.cost += (lanes - shown.min(lanes)) as u32;
                if fits(&shelf) {
                    return shelf;
                }
            }
        }
        shelf
    }

    /// The queues' heights, and that of the card that sums up others.
    pub fn ranges(&self, input: &SceneInput, cast: &Cast) -> Vec<Range> {
        let queues = cast.queues.0.iter().take(self.queues);
        let more = (self.hidden > 0).then_some(fixed(MORE));
        queues
            .map(|queue| self.shape.range(input, queue))
            .chain(more)
            .collect()
    }

    /// The queues' stations, and the one that sums up others.
    pub fn ids(&self, cast: &Cast) -> Vec<StationId> {
        let queues = cast.queues.0.iter().take(self.queues);
        let more = (self.hidden > 0).then_some(StationId::MoreQueues);
        queues
            .map(|queue| StationId::Queue(queue.id))
            .chain(more)
            .collect()
    }
}
