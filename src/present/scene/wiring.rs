//! Wires: around the cards, never across them.

use crate::engine::{ConsumerId, QueueId};
use crate::present::geometry::{Cubic, Path, Point, Rect, Within};

use super::layout::{Cast, Layout};
use super::{SceneInput, StationId};

const CORNER: f64 = 8.0;
/// Distance of a wire from the card whose gap it uses.
const OFF: f64 = 5.0;

/// Adds all wires to a layout in units.
pub fn connect(layout: &mut Layout, input: &SceneInput, cast: &Cast) {
    let wires = Wires { layout, input };
    let mut found = Vec::new();
    for id in &cast.producers.0 {
        if let Some(producer) = input.snapshot.producers.get(id.index()) {
            let from = StationId::Producer(*id);
            found.extend(wires.feed(from, wires.queue_station(producer.setup.to)));
        }
    }
    for (i, id) in cast.consumers.0.iter().enumerate() {
        if let Some(consumer) = input.snapshot.consumers.get(id.index()) {
            let queue = wires.queue_station(consumer.setup.from);
            let share = (i as f64 + 0.5) / cast.consumers.0.len() as f64;
            found.extend(wires.delivery(queue, *id, share));
            found.extend(wires.effect(*id, share));
        }
    }
    for (index, queue) in (0..).zip(&input.snapshot.queues) {
        if let Some(dead) = queue.setup.dead_letter_queue {
            found.extend(wires.dead_letter(QueueId(index), dead));
        }
    }
    layout.wires = found;
}

type Found = Option<(StationId, StationId, Path)>;

struct Wires<'a> {
    layout: &'a Layout,
    input: &'a SceneInput<'a>,
}

impl Wires<'_> {
    /// The station that shows a queue.
    fn queue_station(&self, id: QueueId) -> StationId {
        let dead = StationId::DeadLetterQueue(id);
        if self.layout.rect(dead).is_some() {
            dead
        } else {
            StationId::Queue(id)
        }
    }

    fn feed(&self, from: StationId, to: StationId) -> Found {
        let (a, b) = (self.layout.rect(from)?, self.layout.rect(to)?);
        let path = if self.layout.across && a.right() <= b.x {
            let y = a.centre().y.within(b.y + 16.0, b.bottom() - 16.0);
            Path(vec![Cubic::across(
                Point::new(a.right(), a.centre().y),
                Point::new(b.x, y),
            )])
        } else if self.clear_between(&a, &b) {
            let x = a.centre().x.within(b.x + 16.0, b.right() - 16.0);
            Path(vec![Cubic::down(
                Point::new(a.centre().x, a.bottom()),
                Point::new(x, b.y),
            )])
        } else {
            let bus = if self.layout.across {
                a.x.min(b.x) - 6.0
            } else {
                self.left_bus()
            };
            around(&a, &b, bus)
        };
        Some((from, to, path))
    }

    fn delivery(&self, queue: StationId, consumer: ConsumerId, share: f64) -> Found {
        let id = StationId::Consumer(consumer);
        let (from, card) = (self.layout.rect(queue)?, self.layout.rect(id)?);
        let first = self.is_first_column(&card);
        let path = if self.layout.across && from.right() <= card.x {
            let start = Point::new(from.right(), spread(&from, share));
            if first {
                Path(vec![Cubic::across(
                    start,
                    Point::new(card.x, card.centre().y),
                )])
            } else {
                let bus = self.bus_before_workers(from.right());
                enter_from_above(&[start, Point::new(bus, start.y)], &card)
            }
        } else if self.layout.across {
            let bus = self.bus_before_workers(card.x - 26.0);
            let start = Point::new(bus, from.y);
            if first {
                let corner = Point::new(bus, card.centre().y);
                Path::rounded(
                    &[start, corner, Point::new(card.x, card.centre().y)],
                    CORNER,
                )
            } else {
                enter_from_above(&[start], &card)
            }
        } else if first {
            around(&from, &card, self.left_bus())
        } else {
            let y = from.bottom() - 14.0;
            enter_from_above(
                &[Point::new(from.x, y), Point::new(self.left_bus(), y)],
                &card,
            )
        };
        Some((queue, id, path))
    }

    fn effect(&self, consumer: ConsumerId, share: f64) -> Found {
        let id = StationId::Consumer(consumer);
        let (card, to) = (self.layout.rect(id)?, self.layout.rect(StationId::Outside)?);
        let last = self.is_last_column(&card);
        let path = if self.layout.across {
            let end = Point::new(to.x, spread(&to, share));
            if last {
                Path(vec![Cubic::across(
                    Point::new(card.right(), card.centre().y),
                    end,
                )])
            } else {
                let bus = (self.workers_right() + to.x) / 2.0;
                leave_below(&card, &[Point::new(bus, end.y), end], bus)
            }
        } else {
            let bus = to.right() + super::down::GUTTER / 2.0;
            let end = Point::new(to.right(), to.y + 18.0);
            let corner = Point::new(bus, end.y);
            if last {
                let start = Point::new(card.right(), card.centre().y);
                Path::rounded(&[start, Point::new(bus, start.y), corner, end], CORNER)
            } else {
                leave_below(&card, &[corner, end], bus)
            }
        };
        Some((id, StationId::Outside, path))
    }

    fn dead_letter(&self, queue: QueueId, dead: QueueId) -> Found {
        let (from, to) = (StationId::Queue(queue), StationId::DeadLetterQueue(dead));
        let (a, b) = (self.layout.rect(from)?, self.layout.rect(to)?);
        let path = if self.clear_between(&a, &b) {
            let x = a
                .centre()
                .x
                .within(b.x + 12.0, (b.right() - 12.0).max(b.x + 12.0));
            Path(vec![Cubic::down(
                Point::new(a.centre().x, a.bottom()),
                Point::new(x, b.y),
            )])
        } else {
            around(
                &a,
                &b,
                a.x.min(b.x) - if self.layout.across { 7.0 } else { 4.0 },
            )
        };
        Some((from, to, path))
    }

    /// Whether nothing stands between two cards of which the second is below the first.
    fn clear_between(&self, upper: &Rect, lower: &Rect) -> bool {
        let height = lower.y - upper.bottom();
        let band = Rect::new(upper.x, upper.bottom(), upper.w, height);
        height >= 0.0
            && !self
                .layout
                .places
                .iter()
                .any(|(_, rect)| rect.overlaps(&band))
    }

    fn left_bus(&self) -> f64 {
        super::down::GUTTER / 2.0 + 2.0
    }

    fn workers(&self) -> impl Iterator<Item = Rect> {
        let workers = |id: &StationId| matches!(id, StationId::Consumer(_));
        self.layout
            .places
            .iter()
            .filter(move |(id, _)| workers(id))
            .map(|(_, rect)| *rect)
    }

    fn workers_right(&self) -> f64 {
        self.workers().map(|rect| rect.right()).fold(0.0, f64::max)
    }

    fn bus_before_workers(&self, from: f64) -> f64 {
        let left = self
            .workers()
            .map(|rect| rect.x)
            .fold(self.input.width, f64::min);
        (from + left) / 2.0
    }

    fn is_first_column(&self, card: &Rect) -> bool {
        self.workers().all(|rect| rect.x >= card.x - 0.5)
    }

    fn is_last_column(&self, card: &Rect) -> bool {
        self.workers()
            .all(|rect| rect.right() <= card.right() + 0.5)
    }
}

/// A height on the edge of a card, spread around its middle.
fn spread(card: &Rect, share: f64) -> f64 {
    card.y + card.h * (0.3 + 0.4 * share)
}

/// Out of a card's left edge, along a vertical bus, into another card's left edge.
fn around(from: &Rect, to: &Rect, bus: f64) -> Path {
    let start = Point::new(from.x, from.bottom() - 14.0);
    let end = Point::new(to.x, to.y + 20.0);
    Path::rounded(
        &[start, Point::new(bus, start.y), Point::new(bus, end.y), end],
        CORNER,
    )
}

/// From points that end on a vertical bus into the gap above a card and in at its top.
fn enter_from_above(before: &[Point], card: &Rect) -> Path {
    let bus = before.last().map_or(card.x, |point| point.x);
    let (x, y) = (card.x + 20.0, card.y - OFF);
    let mut points = before.to_vec();
    points.extend([Point::new(bus, y), Point::new(x, y), Point::new(x, card.y)]);
    Path::rounded(&points, OFF)
}

/// Out at a card's foot, through the gap below it to a vertical bus, then to the points.
fn leave_below(card: &Rect, after: &[Point], bus: f64) -> Path {
    let (x, y) = (card.right() - 20.0, card.bottom() + OFF);
    let mut points = vec![
        Point::new(x, card.bottom()),
        Point::new(x, y),
        Point::new(bus, y),
    ];
    points.extend(after);
    Path::rounded(&points, OFF)
}
