//! Messages as marks, and the lines between two copies of one.

use crate::engine::order::positions_in_order;
use crate::engine::rules::{FairShare, Priority};
use crate::engine::setup::QueueKind;
use crate::engine::snapshot::Token;
use crate::engine::{GroupId, QueueId};
use crate::present::geometry::{Cubic, Point, Within};
use crate::present::names::{group_colour, group_letter, group_name, is_short, token_name};
use crate::present::{format, measure};

use super::card::SMALL;
use super::{GroupMark, Place, SceneInput, StationId, TokenMark};

/// How much wider than high a token with a name may be, half, in units.
pub const STRETCH: f64 = 8.0;

/// Makes token marks.
#[derive(Clone, Copy)]
pub struct Marker<'a> {
    /// What is drawn.
    pub input: &'a SceneInput<'a>,
    /// Units to CSS pixels.
    pub unit: f64,
    /// Cards say on one line what they can, as stations stand below each other.
    pub compact: bool,
    /// Half the width of the widest badge of a group, in units.
    pub badge: f64,
}

/// Half the height of a group's badge, in units.
const BADGE: f64 = 8.0;

/// Half the width of a group's badge, in units.
fn badge_half(letter: &str) -> f64 {
    if letter.chars().nth(1).is_none() {
        return BADGE;
    }
    (measure::width(letter, SMALL, true) / 2.0 + 3.5).max(BADGE)
}

/// Half the width of the widest badge of groups and priorities, in units.
pub fn widest_badge(input: &SceneInput) -> f64 {
    let groups = input.setup.groups.iter().filter(|name| is_short(name));
    let two_digits = input.snapshot.queues.iter().any(|queue| {
        let most = match queue.setup.rules.priority {
            Priority::Strict { max, .. } | Priority::Aging { max, .. } => max,
            Priority::Off | Priority::Weighted { .. } => 0,
        };
        most > 9
    });
    let least = if two_digits { badge_half("88") } else { BADGE };
    groups.map(|name| badge_half(name)).fold(least, f64::max)
}

impl Marker<'_> {
    /// A message of a queue. `radius` in units; `said` continues "message 7, …" for assistive technology.
    pub fn mark(
        &self,
        token: &Token,
        queue: QueueId,
        place: Place,
        centre: Point,
        radius: f64,
        said: &str,
    ) -> TokenMark {
        let name = token_name(self.input.setup, token);
        let most = self.slot_half(radius);
        let label = measure::cut(&name, 2.0 * most - 5.0, SMALL, true);
        let wanted = measure::width(&label, SMALL, true) / 2.0 + 4.0;
        let half_width = wanted.within(radius, most) * self.unit;
        let radius = radius * self.unit;
        let badge = match token.group.filter(|_| self.shows_groups(queue)) {
            Some(group) => Some((group_letter(self.input.setup, group), group_colour(group))),
            // Where groups mean nothing, their place is the priority's.
            None => token
                .priority
                .filter(|priority| self.marks_priority(queue, *priority))
                .map(|priority| (priority.to_string(), group_colour(GroupId(priority.into())))),
        };
        let group = badge.map(|(letter, colour)| GroupMark {
            letter,
            colour,
            centre: disc(centre, half_width, radius, self.unit),
            radius: BADGE * self.unit,
            half_width: BADGE * self.unit,
            size: SMALL * self.unit,
        });
        // A wide badge reaches further out, not further over the label.
        let group = group.map(|mark| {
            let half = badge_half(&mark.letter) * self.unit;
            let centre = Point::new(mark.centre.x + mark.radius - half, mark.centre.y);
            GroupMark {
                half_width: half,
                centre,
                ..mark
            }
        });
        let mut description = format!("message {name}");
        if let Some(group) = token.group.filter(|_| self.shows_groups(queue)) {
            description.push_str(&format!(
                " of group {}",
                group_name(self.input.setup, group)
            ));
        }
        if let Some(priority) = token.priority.filter(|_| self.shows_priorities(queue)) {
            description.push_str(&format!(", priority {priority}"));
        }
        if token.poison {
            description.push_str(", poison");
        }
        if token.deliveries > 1 {
            description.push_str(&format!(", {} delivery", format::ordinal(token.deliveries)));
        }
        for part in [said].into_iter().filter(|said| !said.is_empty()) {
            description.push_str(", ");
            description.push_str(&part.replace('\u{a0}', " "));
        }
        TokenMark {
            message: token.message,
            place,
            centre,
            radius,
            half_width,
            label,
            label_size: SMALL * self.unit,
            group,
            times: (token.deliveries > 1).then_some(token.deliveries),
            poison: token.poison,
            early: false,
            ghost: false,
            faded: false,
            ring: None,
            description,
        }
    }

    /// Half the width, in units, that a token of this radius may take: numbers are never cut, names are.
    pub fn slot_half(&self, radius: f64) -> f64 {
        let digits = self.input.snapshot.totals.sent.max(10).ilog10() + 1;
        let number = measure::width("0", SMALL, true) * f64::from(digits) / 2.0 + 4.5;
        let name = if self.input.setup.bodies.is_empty() {
            radius
        } else {
            radius + STRETCH
        };
        number.max(name)
    }

    /// What a group's badge takes beside a token more than a single letter does, in units.
    pub fn badge_room(&self) -> f64 {
        2.0 * (self.badge - BADGE)
    }

    /// Whether it matters in the queue which group a message is of.
    fn shows_groups(&self, queue: QueueId) -> bool {
        let queue = self.input.snapshot.queues.get(queue.index());
        let shares = queue.is_some_and(|queue| queue.setup.rules.fair_share != FairShare::Off);
        shares || queue.is_some_and(|queue| queue.setup.kind == QueueKind::Fifo)
    }

    /// Whether it matters in the queue which priority a message has.
    fn shows_priorities(&self, queue: QueueId) -> bool {
        self.usual_priority(queue).is_some()
    }

    /// Whether a message of this priority is served otherwise than most.
    fn marks_priority(&self, queue: QueueId, priority: u8) -> bool {
        let usual = self.usual_priority(queue);
        usual.is_some_and(|usual| usual != priority)
    }

    /// The priority of messages that name none; none where priorities mean nothing.
    fn usual_priority(&self, queue: QueueId) -> Option<u8> {
        let queue = self.input.snapshot.queues.get(queue.index())?;
        match queue.setup.rules.priority {
            Priority::Off => None,
            Priority::Strict { default, .. } => Some(default),
            Priority::Weighted { .. } | Priority::Aging { .. } => Some(0),
        }
    }
}

/// Where the letter of the group stands: at the upper left, further out and lower beside a small token, so that it
/// neither hides the label nor leaves a low lane.
fn disc(centre: Point, half_width: f64, radius: f64, unit: f64) -> Point {
    if radius < 13.5 * unit {
        Point::new(
            centre.x - half_width - 4.0 * unit,
            centre.y - radius + 6.0 * unit,
        )
    } else {
        Point::new(centre.x - half_width + 1.0, centre.y - radius + 2.0)
    }
}

/// Lines between copies of one message that are in two places, at least one of them a consumer.
pub fn twins(tokens: &[TokenMark], unit: f64) -> Vec<Cubic> {
    let whole = tokens.iter().filter(|token| !token.faded && !token.ghost);
    let at_station = |place| {
        matches!(
            place,
            Place::At(StationId::Consumer(_) | StationId::Queue(_))
        )
    };
    let placed: Vec<&TokenMark> = whole.filter(|token| at_station(token.place)).collect();
    let keys = placed.iter().map(|token| (token.message.0.into(), 0));
    let order = positions_in_order(keys).into_iter();
    let ordered: Vec<&TokenMark> = order.map(|position| placed[position]).collect();
    let held = |token: &TokenMark| matches!(token.place, Place::At(StationId::Consumer(_)));
    let mut twins = Vec::new();
    for copies in ordered.chunk_by(|a, b| a.message == b.message) {
        if copies.iter().any(|token| held(token)) {
            let pairs = copies.iter().zip(copies.iter().skip(1));
            twins.extend(pairs.map(|(a, b)| twin(a, b, unit)));
        }
    }
    twins
}

fn twin(a: &TokenMark, b: &TokenMark, unit: f64) -> Cubic {
    let (upper, lower) = if a.centre.y <= b.centre.y {
        (a, b)
    } else {
        (b, a)
    };
    let side = |token: &TokenMark, down: f64| {
        Point::new(
            token.centre.x - token.half_width - 2.0,
            token.centre.y + down,
        )
    };
    if (upper.centre.x - lower.centre.x).abs() > 80.0 * unit {
        let (left, right) = if a.centre.x <= b.centre.x {
            (a, b)
        } else {
            (b, a)
        };
        let from = Point::new(left.centre.x + left.half_width + 2.0, left.centre.y);
        let to = Point::new(right.centre.x - right.half_width - 2.0, right.centre.y);
        return Cubic::across(from, to);
    }
    let (from, to) = (side(upper, 4.0 * unit), side(lower, -4.0 * unit));
    let bulge = from.x.min(to.x) - 22.0 * unit;
    Cubic {
        from,
        out: Point::new(bulge, from.y + (to.y - from.y) * 0.3),
        into: Point::new(bulge, from.y + (to.y - from.y) * 0.7),
        to,
    }
}
