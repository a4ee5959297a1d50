//! Stations beside each other: producers, queues, consumers, outside world, from left to right.

use crate::engine::setup::QueueKind;
use crate::present::geometry::Rect;

use super::layout::{Cast, Layout, QueueCast};
use super::plan::Plan;
use super::stack::{Range, fixed, least, range, share};
use super::{Density, SceneInput, StationId};

/// Distance of stations from the edge of the stage, in units.
pub const MARGIN: f64 = 12.0;
/// Least vertical gap between cards: two wires fit into it.
pub const GAP: f64 = 14.0;
/// Height of a card that sums up what is not drawn.
pub const MORE: f64 = 34.0;

/// Height of a queue.
pub fn queue_range(input: &SceneInput, cast: &QueueCast, compact: bool) -> Range {
    let around = super::queue::header(compact) + super::queue::footer(input.density, compact);
    if is_fifo(input, cast) {
        let lanes = cast.lanes.len() as f64;
        let more = if cast.more_lanes > 0 {
            super::queue::MORE_LINE
        } else {
            0.0
        };
        let gaps = (lanes - 1.0) * super::queue::LANE_GAP + more + 10.0;
        range(
            around + gaps + lanes * super::queue::LANE,
            around + gaps + lanes * 100.0,
        )
    } else {
        range(
            around + super::queue::standard_lane(compact),
            around + 340.0,
        )
    }
}

fn is_fifo(input: &SceneInput, cast: &QueueCast) -> bool {
    let queue = input.snapshot.queues.get(cast.id.index());
    queue.is_some_and(|queue| queue.setup.kind == QueueKind::Fifo)
}

/// Heights of the producers' cards.
pub fn producer_ranges(cast: &Cast) -> Vec<Range> {
    let cards = cast.producers.0.iter().map(|_| range(92.0, 96.0));
    cards
        .chain((cast.producers.1 > 0).then_some(fixed(MORE)))
        .collect()
}

/// Stations of the producers' column.
pub fn producer_ids(cast: &Cast) -> Vec<StationId> {
    let ids = cast.producers.0.iter().map(|id| StationId::Producer(*id));
    ids.chain((cast.producers.1 > 0).then_some(StationId::MoreProducers))
        .collect()
}

/// Height of the outside world.
pub fn outside_range(input: &SceneInput) -> Range {
    let least = super::outside::least_height(input, false);
    range(least, least.max(400.0))
}

struct Columns {
    producers: (f64, f64),
    queues: (f64, f64),
    workers: (f64, f64),
    outside: (f64, f64),
}

fn columns(cast: &Cast, width: f64, worker_columns: usize) -> Option<Columns> {
    let n = worker_columns as f64;
    let workers = range(224.0 * n + GAP * (n - 1.0), 370.0 * n + GAP * (n - 1.0));
    let outside = range(124.0, 210.0);
    let mut ranges = vec![range(190.0, 320.0), workers, outside];
    if !cast.producers.0.is_empty() {
        ranges.insert(0, range(96.0, 170.0));
    }
    let gap = 26.0;
    if least(&ranges, gap) > width - 2.0 * MARGIN + 0.01 {
        return None;
    }
    // Wires need room before cards get all of it: a part of the free width goes to the gaps first.
    let free = width - 2.0 * MARGIN - least(&ranges, gap);
    let gap = gap + (free * 0.25 / (ranges.len() - 1) as f64).min(70.0);
    let mut shares = share(MARGIN, width - 2.0 * MARGIN, &ranges, gap, 150.0);
    if cast.producers.0.is_empty() {
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

/// Consumers in rows of `columns` cards each: the least height of every row.
pub fn rows(input: &SceneInput, cast: &Cast, plan: &Plan, columns: usize) -> Vec<Range> {
    let consumers: Vec<_> = cast
        .consumers
        .0
        .iter()
        .filter_map(|id| input.snapshot.consumers.get(id.index()))
        .collect();
    let mut rows: Vec<Range> = consumers
        .chunks(columns.max(1))
        .map(|row| {
            let heights = row.iter().map(|consumer| plan.height(&consumer.setup));
            let tallest = heights.fold(0.0, f64::max);
            range(tallest, tallest * 1.5)
        })
        .collect();
    if cast.consumers.1 > 0 {
        rows.push(fixed(MORE));
    }
    rows
}

/// Puts the consumers' cards into rows.
pub fn place_consumers(
    cast: &Cast,
    x: (f64, f64),
    rows: &[(f64, f64)],
    columns: usize,
) -> Vec<(StationId, Rect)> {
    let columns = columns.max(1);
    let width = (x.1 - GAP * (columns - 1) as f64) / columns as f64;
    let mut places = Vec::new();
    for (i, id) in cast.consumers.0.iter().enumerate() {
        if let Some((y, h)) = rows.get(i / columns) {
            let left = x.0 + (i % columns) as f64 * (width + GAP);
            places.push((StationId::Consumer(*id), Rect::new(left, *y, width, *h)));
        }
    }
    if cast.consumers.1 > 0
        && let Some((y, h)) = rows.last()
    {
        places.push((StationId::MoreConsumers, Rect::new(x.0, *y, x.1, *h)));
    }
    places
}

/// Places the stations, in units.
pub fn lay_out(input: &SceneInput, cast: &Cast, width: f64, height: f64) -> Layout {
    let full = input.density == Density::Full;
    let dead_height = super::dead_letter::height(full);
    let strip = if full && !cast.dead.is_empty() {
        dead_height + GAP + 4.0
    } else {
        0.0
    };
    let area = height - 2.0 * MARGIN - strip;

    let options = (1..=3_usize).flat_map(|n| {
        columns(cast, width, n)
            .into_iter()
            .flat_map(move |columns| {
                let card = (columns.workers.1 - GAP * (n - 1) as f64) / n as f64;
                [false, true].map(|tight| (n, card, tight))
            })
    });
    let mut best: Option<(usize, Plan, f64)> = None;
    for (n, card, tight) in options {
        let plan = Plan::new(card, input.density, cast.named, tight);
        let need = least(&rows(input, cast, &plan, n), GAP);
        let fits = need <= area;
        if fits
            || best
                .as_ref()
                .is_none_or(|(_, _, least)| need < *least - 1.0)
        {
            best = Some((n, plan, need));
        }
        if fits {
            break;
        }
    }
    let (n, plan, worker_need) = best.unwrap_or((1, Plan::default(), 0.0));
    let Some(columns) = columns(cast, width, n) else {
        return Layout::default();
    };

    let mut queue_column: Vec<Range> = cast
        .queues
        .0
        .iter()
        .map(|queue| queue_range(input, queue, false))
        .collect();
    let mut queue_ids: Vec<StationId> = cast
        .queues
        .0
        .iter()
        .map(|queue| StationId::Queue(queue.id))
        .collect();
    if cast.queues.1 > 0 {
        queue_column.push(fixed(MORE));
        queue_ids.push(StationId::MoreQueues);
    }
    if !full {
        queue_column.extend(cast.dead.iter().map(|_| fixed(dead_height)));
        queue_ids.extend(cast.dead.iter().map(|id| StationId::DeadLetterQueue(*id)));
    }
    let producers = producer_ranges(cast);
    let outside = outside_range(input);
    let need = [
        least(&queue_column, GAP),
        least(&producers, GAP),
        worker_need,
        outside.least,
    ];
    let area = need.into_iter().fold(area, f64::max);

    let column = |ranges: &[Range], widest: f64| share(MARGIN, area, ranges, GAP, widest);
    let mut places: Vec<(StationId, Rect)> = Vec::new();
    let queue_spans = column(&queue_column, 24.0);
    let queue_top = queue_spans.first().map_or(MARGIN, |(y, _)| *y);
    let queue_end = queue_spans
        .iter()
        .zip(&queue_ids)
        .rfind(|(_, id)| matches!(id, StationId::Queue(_)))
        .map_or(MARGIN + area, |((y, h), _)| y + h);
    let beside_queue = |ranges: &[Range], widest: f64| {
        let fits = least(ranges, GAP) <= queue_end - queue_top;
        let (start, length) = if fits {
            (queue_top, queue_end - queue_top)
        } else {
            (MARGIN, area)
        };
        share(start, length, ranges, GAP, widest)
    };
    let put = |ids: Vec<StationId>, spans: Vec<(f64, f64)>, (x, w): (f64, f64)| {
        ids.into_iter()
            .zip(spans)
            .map(move |(id, (y, h))| (id, Rect::new(x, y, w, h)))
    };
    places.extend(put(
        producer_ids(cast),
        beside_queue(&producers, 40.0),
        columns.producers,
    ));
    places.extend(put(queue_ids, queue_spans, columns.queues));
    let rows = column(&rows(input, cast, &plan, n), 80.0);
    places.extend(place_consumers(cast, columns.workers, &rows, n));
    places.extend(put(
        vec![StationId::Outside],
        beside_queue(&[outside], 0.0),
        columns.outside,
    ));
    if full {
        let from = columns.queues.0;
        let whole = columns.outside.0 + columns.outside.1 - from;
        let count = cast.dead.len().max(1) as f64;
        let each = (whole - GAP * (count - 1.0)) / count;
        for (i, id) in cast.dead.iter().enumerate() {
            let x = from + i as f64 * (each + GAP);
            let rect = Rect::new(x, MARGIN + area + GAP + 4.0, each, dead_height);
            places.push((StationId::DeadLetterQueue(*id), rect));
        }
    }
    Layout {
        height: area + 2.0 * MARGIN + strip,
        places,
        plan,
        across: true,
        ..Layout::default()
    }
}
