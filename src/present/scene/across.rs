//! Stations beside each other: producers, queues, consumers, outside world, from left to right. The stage is never
//! higher than its room: where room is short cards say less, and then fewer of them are drawn.

use crate::present::geometry::Rect;

use super::crew::{self, Crew};
use super::layout::{Cast, Layout};
use super::shelf::Shelf;
use super::stack::{Range, fixed, least, range, share};
use super::{Density, SceneInput, StationId};

/// Distance of stations from the edge of the stage, in units.
pub const MARGIN: f64 = 12.0;
/// Vertical gap between cards where there is room: two wires fit into it.
pub const GAP: f64 = 14.0;
/// Least vertical gap between cards.
pub const TIGHT_GAP: f64 = 8.0;
/// Height of a card that sums up what is not drawn.
pub const MORE: f64 = 30.0;

/// Heights of a producer's card, roomiest first: all lines, the newest, the title's line alone.
const PRODUCER: [f64; 3] = [92.0, 56.0, super::producer::LINE];

/// Least height, in units, at which producers can stand above queues.
const STACKED_FROM: f64 = 260.0;

/// Where the columns stand: start and width of each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Columns {
    /// Producers; without width where they stand above the queues.
    pub producers: (f64, f64),
    /// Queues.
    pub queues: (f64, f64),
    /// Consumers.
    pub workers: (f64, f64),
    /// The outside world.
    pub outside: (f64, f64),
}

/// The columns for `count` cards of consumers beside each other, each at least `card` wide; none when they do not fit.
pub fn columns(
    cast: &Cast,
    width: f64,
    (count, card): (usize, f64),
    stacked: bool,
) -> Option<Columns> {
    let n = count as f64;
    let gaps = GAP * (n - 1.0);
    let workers = range(card * n + gaps, 370.0 * n + gaps);
    let outside = if stacked { 96.0 } else { 112.0 };
    let mut ranges = vec![range(154.0, 330.0), workers, range(outside, 210.0)];
    let beside = !cast.producers.0.is_empty() && !stacked;
    if beside {
        ranges.insert(0, range(88.0, 170.0));
    }
    let gap = 18.0;
    if least(&ranges, gap) > width - 2.0 * MARGIN + 0.01 {
        return None;
    }
    // Wires need room before cards get all of it: a part of the free width goes to the gaps first.
    let free = width - 2.0 * MARGIN - least(&ranges, gap);
    let gap = gap + (free * 0.25 / (ranges.len() - 1) as f64).min(70.0);
    let mut shares = share(MARGIN, width - 2.0 * MARGIN, &ranges, gap, 150.0);
    if !beside {
        shares.insert(0, (MARGIN, 0.0));
    }
    match shares[..] {
        [producers, queues, workers, outside] => Some(Columns {
            producers,
            queues,
            workers,
            outside,
        }),
        _ => None,
    }
}

/// Producers' cards below each other: how many are drawn, and their heights, with the card that sums up the others.
struct Senders {
    shown: usize,
    ranges: Vec<Range>,
    level: u32,
}

impl Senders {
    fn new(cast: &Cast, room: f64, gap: f64, roomiest: usize) -> Self {
        let most = cast.producers.0.len();
        let all = most + cast.producers.1;
        let counts = (0..=most).rev();
        let mut last = None;
        for (lost, shown) in counts.enumerate() {
            for (level, height) in PRODUCER.into_iter().enumerate().skip(roomiest) {
                let mut ranges = vec![range(height, height + 4.0); shown];
                if shown < all {
                    ranges.push(fixed(MORE));
                }
                let fits = least(&ranges, gap) <= room;
                last = Some(Self {
                    shown,
                    ranges,
                    level: level as u32 + 10 * lost as u32,
                });
                if fits {
                    return last.unwrap_or_else(Self::none);
                }
            }
        }
        last.unwrap_or_else(Self::none)
    }

    fn none() -> Self {
        Self {
            shown: 0,
            ranges: Vec::new(),
            level: 0,
        }
    }
}

/// Stations of the producers' cards, and the one that sums up those that are not drawn.
pub fn producer_ids(cast: &Cast, shown: usize) -> Vec<StationId> {
    let ids = cast.producers.0.iter().take(shown);
    let rest = cast.producers.0.len() + cast.producers.1 > shown;
    ids.map(|id| StationId::Producer(*id))
        .chain(rest.then_some(StationId::MoreProducers))
        .collect()
}

/// Heights of the outside world.
fn outside_range(input: &SceneInput, room: f64) -> Range {
    let tall = super::outside::least_height(input, false);
    if tall <= room {
        range(tall, tall.max(400.0))
    } else {
        range(super::outside::LOW.min(room), tall.min(room))
    }
}

/// Places the stations, in units; no stations where their columns do not fit beside each other.
pub fn lay_out(input: &SceneInput, cast: &Cast, width: f64, height: f64) -> Layout {
    let beside = columns(cast, width, (1, crew::LEAST_WIDTH), false).is_some();
    let stacked = !beside && !cast.producers.0.is_empty();
    let too_narrow = || columns(cast, width, (1, crew::LEAST_WIDTH), true).is_none();
    if stacked && (height < STACKED_FROM || too_narrow()) {
        return Layout::default();
    }
    let full = input.density == Density::Full;
    // Dead-letter queues stand in a row of their own at the foot in the full view, below the queues in the other.
    let dead_height = match height {
        h if !full && h >= 400.0 => super::dead_letter::height(false),
        _ if !full => super::dead_letter::LOW,
        h if h >= 400.0 => super::dead_letter::height(true),
        h if h >= 260.0 => super::dead_letter::COMPACT,
        _ => super::dead_letter::LOW,
    };
    let gap = if height >= 300.0 { GAP } else { TIGHT_GAP };
    let strip = if full && !cast.dead.is_empty() {
        dead_height + gap
    } else {
        0.0
    };
    let area = height - 2.0 * MARGIN - strip;

    let crew = Crew::choose(input, cast, width, area, stacked);
    let Some(columns) = crew.columns else {
        return Layout::default();
    };
    let roomiest = if stacked { 2 } else { 0 };
    let room = if stacked { area * 0.4 } else { area };
    let senders = Senders::new(cast, room, gap, roomiest);
    let above = if stacked {
        least(&senders.ranges, TIGHT_GAP) + gap
    } else {
        0.0
    };
    let dead = if full { 0 } else { cast.dead.len() };
    let shelf = |dead_height: f64| {
        let width = columns.queues.1;
        Shelf::choose(input, cast, width, area - above, (dead, dead_height))
    };
    let (mut dead_height, roomy) = (dead_height, shelf(dead_height));
    // Groups have precedence over the dead-letter queues below them.
    let low = super::dead_letter::LOW;
    let lower = (dead > 0 && roomy.cost > 1 && dead_height > low).then(|| shelf(low));
    let shelf = match lower.filter(|lower| lower.cost < roomy.cost) {
        Some(lower) => {
            dead_height = low;
            lower
        }
        None => roomy,
    };

    let column = |ranges: &[Range], widest: f64| share(MARGIN, area, ranges, gap, widest);
    let mut queue_column: Vec<Range> = Vec::new();
    let mut queue_ids: Vec<StationId> = Vec::new();
    if stacked {
        queue_column.extend(&senders.ranges);
        queue_ids.extend(producer_ids(cast, senders.shown));
    }
    queue_column.extend(shelf.ranges(input, cast));
    queue_ids.extend(shelf.ids(cast));
    if !full {
        queue_column.extend(
            cast.dead
                .iter()
                .take(shelf.dead)
                .map(|_| fixed(dead_height)),
        );
        let ids = cast.dead.iter().take(shelf.dead);
        queue_ids.extend(ids.map(|id| StationId::DeadLetterQueue(*id)));
    }
    let queue_gap = if least(&queue_column, gap) <= area {
        gap
    } else {
        TIGHT_GAP
    };
    let rows = crew.rows(input, cast);
    let row_gap = if least(&rows, gap) <= area {
        gap
    } else {
        crew.least_gap()
    };
    let row_spans = share(MARGIN, area, &rows, row_gap, 64.0);
    // Queues are as high as the consumers beside them where those take most of the room.
    let (top, end) = row_spans
        .first()
        .zip(row_spans.last())
        .map_or((MARGIN, MARGIN + area), |(first, last)| {
            (first.0, last.0 + last.1)
        });
    let level = dead == 0 && end - top >= area * 0.7;
    let (start, length) = if level && least(&queue_column, queue_gap) <= end - top {
        (top, end - top)
    } else {
        (MARGIN, area)
    };
    let queue_spans = share(start, length, &queue_column, queue_gap, 24.0);
    let is_queue = |id: &StationId| matches!(id, StationId::Queue(_));
    let spans = || queue_spans.iter().zip(&queue_ids);
    let queue_top = spans()
        .find(|(_, id)| is_queue(id))
        .map_or(MARGIN, |((y, _), _)| *y);
    let queue_end = spans()
        .rfind(|(_, id)| is_queue(id))
        .map_or(MARGIN + area, |((y, h), _)| y + h);
    let beside_queue = |ranges: &[Range], widest: f64| {
        let fits = least(ranges, gap) <= queue_end - queue_top;
        let (start, length) = if fits {
            (queue_top, queue_end - queue_top)
        } else {
            (MARGIN, area)
        };
        share(start, length, ranges, gap, widest)
    };
    let put = |ids: Vec<StationId>, spans: Vec<(f64, f64)>, (x, w): (f64, f64)| {
        ids.into_iter()
            .zip(spans)
            .map(move |(id, (y, h))| (id, Rect::new(x, y, w, h)))
    };
    let mut places: Vec<(StationId, Rect)> = Vec::new();
    if !stacked {
        places.extend(put(
            producer_ids(cast, senders.shown),
            beside_queue(&senders.ranges, 40.0),
            columns.producers,
        ));
    }
    places.extend(put(queue_ids, queue_spans, columns.queues));
    places.extend(crew.place(cast, columns.workers, &row_spans));
    let outside = outside_range(input, area);
    let outside_span = if outside.least <= queue_end - queue_top {
        beside_queue(&[outside], 0.0)
    } else {
        column(&[outside], 0.0)
    };
    places.extend(put(vec![StationId::Outside], outside_span, columns.outside));
    if full {
        let from = columns.queues.0;
        let whole = columns.outside.0 + columns.outside.1 - from;
        let count = cast.dead.len().max(1) as f64;
        let each = (whole - GAP * (count - 1.0)) / count;
        for (i, id) in cast.dead.iter().enumerate() {
            let x = from + i as f64 * (each + GAP);
            let rect = Rect::new(x, MARGIN + area + gap, each, dead_height);
            places.push((StationId::DeadLetterQueue(*id), rect));
        }
    }
    Layout {
        height: area + 2.0 * MARGIN + strip,
        cost: crew.cost + shelf.cost + senders.level,
        hidden: shelf.hidden,
        shape: shelf.shape,
        places,
        plan: crew.plan,
        across: true,
        ..Layout::default()
    }
}
