//! Stations below each other, for narrow stages: producers, queues, consumers, the outside world and at the foot
//! dead-letter queues, so that the race of work and timeout and what it does stand high on the stage.

use crate::present::geometry::{Rect, Within};

use super::across::{self, GAP, MARGIN, MORE};
use super::crew::{self, Crew};
use super::layout::{Cast, Layout};
use super::plan::{Form, Plan};
use super::shelf::Shape;
use super::stack::{Range, fixed, least, range, share};
use super::{SceneInput, StationId};

/// Room for wires left and right of the cards, in units.
pub const GUTTER: f64 = 14.0;

/// Width from which cards say on one line what they can.
const COMPACT_FROM: f64 = 264.0;
/// Height of a card of one line.
const LINE: f64 = 38.0;

/// Places the stations, in units.
pub fn lay_out(input: &SceneInput, cast: &Cast, width: f64, height: f64) -> Layout {
    let (left, inner) = (GUTTER + 2.0, width - 2.0 * GUTTER - 4.0);
    let producers = across::producer_ids(cast, cast.producers.0.len());
    let compact = inner >= COMPACT_FROM;
    let beside = if inner >= 300.0 {
        producers.len().clamp(1, 4)
    } else {
        1
    };
    let columns = ((inner + GAP) / (260.0 + GAP)).floor().within(1.0, 2.0) as usize;
    let count = cast.consumers.0.len();
    let columns = columns.min(count.max(1));
    let card = (inner - GAP * (columns - 1) as f64) / columns as f64;
    // Many cards on a narrow stage are lines: what can be done to one is in its menu.
    let form = if count.div_ceil(columns) > 3 {
        Form::Two
    } else {
        Form::Tight
    };
    let crew = Crew {
        across: columns,
        shown: count,
        plan: Plan {
            compact,
            ..crew::plan(input, cast, card, form)
        },
        columns: None,
        cost: 0,
    };
    let beside_lanes = usize::from(inner >= 250.0) + 1;
    let shape = Shape {
        columns: if cast.queues.0.iter().any(|queue| queue.lanes.len() > 4) {
            beside_lanes
        } else {
            1
        },
        ..Shape::level(usize::from(compact), input.density, 1)
    };

    let mut ids: Vec<Vec<StationId>> = producers.chunks(beside).map(<[_]>::to_vec).collect();
    let mut ranges: Vec<Range> = ids
        .iter()
        .map(|row| match row.len() {
            1 if compact => range(LINE, LINE),
            _ => range(74.0, 84.0),
        })
        .collect();
    for queue in &cast.queues.0 {
        ids.push(vec![StationId::Queue(queue.id)]);
        let natural = shape.range(input, queue);
        ranges.push(range(natural.least, natural.least + 120.0));
    }
    if cast.queues.1 > 0 {
        ids.push(vec![StationId::MoreQueues]);
        ranges.push(fixed(MORE));
    }
    let above = ids.len();
    let rows = crew.rows(input, cast);
    ranges.extend(&rows);
    let outside = super::outside::least_height(input, compact);
    ranges.push(range(outside, outside + 60.0));
    let below = ranges.len();
    let dead = if compact {
        super::dead_letter::COMPACT
    } else {
        super::dead_letter::height(false)
    };
    ranges.extend(cast.dead.iter().map(|_| fixed(dead)));

    let gap = if compact { GAP - 2.0 } else { GAP + 4.0 };
    let area = (height - 2.0 * MARGIN).max(least(&ranges, gap));
    let spans = share(MARGIN, area, &ranges, gap, 40.0);

    let mut places = Vec::new();
    for (row, (y, h)) in ids.into_iter().zip(&spans) {
        let count = row.len() as f64;
        let each = (inner - GAP * (count - 1.0)) / count;
        for (i, id) in row.into_iter().enumerate() {
            places.push((id, Rect::new(left + i as f64 * (each + GAP), *y, each, *h)));
        }
    }
    let worker_spans = spans.get(above..above + rows.len()).unwrap_or_default();
    places.extend(crew.place(cast, (left, inner), worker_spans));
    if let Some((y, h)) = spans.get(below - 1) {
        places.push((StationId::Outside, Rect::new(left, *y, inner, *h)));
    }
    for (id, (y, h)) in cast.dead.iter().zip(spans.iter().skip(below)) {
        places.push((
            StationId::DeadLetterQueue(*id),
            Rect::new(left, *y, inner, *h),
        ));
    }
    Layout {
        height: area + 2.0 * MARGIN,
        places,
        plan: crew.plan,
        shape,
        hidden: cast.queues.1,
        across: false,
        ..Layout::default()
    }
}
