//! The stage at one instant as plain geometry, text and roles: a function of the snapshot, the events of the last
//! moment, the size and the pace. Painters add nothing of their own.
//!
//! Where stations stand depends on the setup, on settings and on the size alone, never on momentary counts, so
//! nothing jumps while a run plays. All lengths are CSS pixels and grow with the root font size.

mod across;
mod card;
mod compute;
mod dead_letter;
mod down;
mod hops;
mod lanes;
mod layout;
mod outside;
mod plan;
mod producer;
#[cfg(test)]
mod properties;
mod queue;
mod race;
mod stack;
mod tokens;
mod wiring;
mod worker;

pub use producer::pattern;

use crate::engine::command::Command;
use crate::engine::{
    ConsumerId, Event, GroupId, MessageNumber, Micros, ProducerId, QueueId, Setup, Snapshot,
};
use crate::present::geometry::{Cubic, Path, Point, Rect};

/// What the stage is computed from.
#[derive(Clone, Copy, Debug)]
pub struct SceneInput<'a> {
    /// The run at the playhead.
    pub snapshot: &'a Snapshot,
    /// The run's setup: names of groups, bodies, queues.
    pub setup: &'a Setup,
    /// The newest events up to the playhead, oldest first; those of the last [`Scene::moment`]
    /// are drawn as movement.
    pub recent: &'a [Event],
    /// Width of the stage.
    pub width: f64,
    /// Height on offer. The stage is as high, or higher if its stations need it: see [`Scene::height`].
    pub height: f64,
    /// Root font size: 16 by default, 32 at 200 % text size.
    pub root_font: f64,
    /// Simulated seconds a real second.
    pub pace: f64,
    /// Positions change only at events: nothing is drawn between two stations.
    pub reduced_motion: bool,
    /// Which view.
    pub density: Density,
    /// What an effect is called, as in "cards charged".
    pub effect_label: &'a str,
    /// Unit of the amounts, as in "€"; empty when effects are only counted.
    pub unit: &'a str,
}

/// How much the stage shows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Density {
    /// The default view: few words, large marks.
    #[default]
    Simple,
    /// After "More": all numbers.
    Full,
}

/// The stage.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scene {
    /// The instant shown.
    pub at: Micros,
    /// Width in CSS pixels, as given.
    pub width: f64,
    /// Height in CSS pixels: the one given, or what the stations need if that is more.
    pub height: f64,
    /// Cards, in reading and tab order.
    pub stations: Vec<Station>,
    /// Curves between stations, drawn below everything else.
    pub wires: Vec<Wire>,
    /// Work bars, drawn on the cards.
    pub bars: Vec<RaceBar>,
    /// Lines between two copies of one message, drawn below tokens.
    pub twins: Vec<Cubic>,
    /// Messages, later ones on top.
    pub tokens: Vec<TokenMark>,
}

/// Which station.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StationId {
    /// A producer.
    Producer(ProducerId),
    /// A queue.
    Queue(QueueId),
    /// A dead-letter queue.
    DeadLetterQueue(QueueId),
    /// A consumer.
    Consumer(ConsumerId),
    /// The outside world, where effects land.
    Outside,
    /// "+2 more producers".
    MoreProducers,
    /// "+2 more queues".
    MoreQueues,
    /// "+14 more consumers".
    MoreConsumers,
}

/// A card.
#[derive(Clone, PartialEq, Debug)]
pub struct Station {
    /// Which.
    pub id: StationId,
    /// Where it stands.
    pub rect: Rect,
    /// Its background is soft (queues) instead of the panel's.
    pub soft: bool,
    /// How its edge is drawn.
    pub border: Border,
    /// Title, subtitle, corner and lines.
    pub texts: Vec<Text>,
    /// Thin separating lines.
    pub rules: Vec<(Point, Point)>,
    /// Native buttons.
    pub buttons: Vec<Button>,
    /// Lanes of a queue.
    pub lanes: Vec<Lane>,
    /// Its full title, uncut.
    pub name: String,
    /// All it says, as one plain text for assistive technology.
    pub description: String,
}

/// How a card's edge is drawn.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Border {
    /// Thin and grey.
    #[default]
    Normal,
    /// Red: harm is being done here.
    Harm,
    /// Red and cracked: crashed. The cracks are [`Station::cracks`].
    Crashed,
}

/// A piece of text that fits its box: already cut with an ellipsis by estimate.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// Its box; one line, the baseline is at [`Text::baseline`].
    pub rect: Rect,
    /// Font size, 13 or more.
    pub size: f64,
    /// Semi-bold.
    pub strong: bool,
    /// Colour.
    pub role: TextRole,
    /// How it stands in its box.
    pub align: Align,
}

/// Colour of a text.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum TextRole {
    /// Foreground.
    #[default]
    Normal,
    /// Second to the rest.
    Muted,
    /// Harm.
    Bad,
    /// Advice.
    Warn,
}

/// How a text stands in its box.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Align {
    /// Left.
    #[default]
    Start,
    /// Middle.
    Middle,
    /// Right.
    End,
}

/// A button's slot.
#[derive(Clone, PartialEq, Debug)]
pub struct Button {
    /// Where.
    pub rect: Rect,
    /// What it says; fits.
    pub label: String,
    /// Full label for assistive technology: "Crash worker-1".
    pub name: String,
    /// Font size of the label.
    pub size: f64,
    /// What it does.
    pub command: Command,
    /// Already in effect: "Lose the ack" while an ack is still to be lost.
    pub pressed: bool,
    /// Whether it can be used now. A disabled button keeps its slot.
    pub enabled: bool,
}

/// A lane inside a queue.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    /// Where.
    pub rect: Rect,
    /// The group and its colour; none for a standard queue.
    pub group: Option<(GroupId, GroupColour)>,
    /// Name, wait, lock reason.
    pub texts: Vec<Text>,
    /// Grows at the left edge with the wait.
    pub starvation: Option<StarvationBar>,
}

/// How long the oldest message of a lane has waited, against the starvation threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StarvationBar {
    /// The whole bar at the lane's left edge; it is filled from the bottom.
    pub rect: Rect,
    /// Filled share, 0 to 1; 1 from the threshold on.
    pub filled: f64,
    /// Past the threshold: red and hatched.
    pub starving: bool,
}

/// Index into the palette's group colours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GroupColour(pub u8);

/// A curve between two stations.
#[derive(Clone, PartialEq, Debug)]
pub struct Wire {
    /// Where from.
    pub from: StationId,
    /// Where to.
    pub to: StationId,
    /// Its course.
    pub path: Path,
    /// So many hops a real second that it is drawn as flow instead of tokens, and how far the flow has advanced
    /// (0 to 1 of one dash).
    pub flow: Option<Flow>,
}

/// Many hops on one wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Flow {
    /// Hops a real second.
    pub per_second: f64,
    /// Where the dashes stand, 0 to 1 of one dash.
    pub phase: f64,
}

/// Work and visibility timeout on one bar: its length is this delivery's work, a flag stands where the timeout ends,
/// red beyond it and hatched where the work will still run over.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RaceBar {
    /// Whose work.
    pub consumer: ConsumerId,
    /// On what.
    pub message: MessageNumber,
    /// All of the work.
    pub track: Rect,
    /// Done in time.
    pub done: Rect,
    /// Done after the timeout.
    pub late: Option<Rect>,
    /// Will run over the timeout; drawn below `late`.
    pub overrun: Option<Rect>,
    /// Foot of the flag; none when nothing times out.
    pub flag: Option<Flag>,
    /// Its worker has crashed: no work goes on, the timeout runs.
    pub frozen: bool,
}

/// The flag where a visibility timeout ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Flag {
    /// Its pole from top to foot.
    pub pole: Rect,
    /// The timeout ends beyond the bar's end, further than the bar can show.
    pub beyond: bool,
}

/// A message.
#[derive(Clone, PartialEq, Debug)]
pub struct TokenMark {
    /// Which.
    pub message: MessageNumber,
    /// Where it is: a station, or on its way from one to another.
    pub place: Place,
    /// Its middle.
    pub centre: Point,
    /// Half its height.
    pub radius: f64,
    /// Half its width: the radius for circles and triangles, more for a rounded box around a long name.
    pub half_width: f64,
    /// Its name, cut to fit.
    pub label: String,
    /// Font size of the label, at least 13.
    pub label_size: f64,
    /// Letter and colour of its group, on FIFO queues.
    pub group: Option<GroupMark>,
    /// Delivery number, shown from 2: "×2".
    pub times: Option<u32>,
    /// Can never be processed: drawn as a triangle.
    pub poison: bool,
    /// Lost: dashed.
    pub ghost: bool,
    /// Not counted here (any more or yet): drawn at a third of its strength.
    pub faded: bool,
    /// Buffered: share of its visibility that has run, 0 to 1.
    pub ring: Option<f64>,
    /// One sentence about it.
    pub description: String,
}

/// Where a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a station.
    At(StationId),
    /// Between two stations.
    Between(StationId, StationId),
}

/// Letter and colour of a group.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupMark {
    /// One character.
    pub letter: String,
    /// Its colour.
    pub colour: GroupColour,
    /// Middle of the letter's disc.
    pub centre: Point,
    /// Radius of the disc.
    pub radius: f64,
    /// Font size, at least 13.
    pub size: f64,
}

impl Text {
    /// Where the letters stand.
    pub fn baseline(&self) -> f64 {
        self.rect.y + self.rect.h / 2.0 + self.size * 0.35
    }
}

impl Station {
    /// The cracks of a crashed card, as lines across it; none on a card that is whole.
    pub fn cracks(&self) -> Vec<Vec<Point>> {
        if self.border != Border::Crashed {
            return Vec::new();
        }
        let (r, h) = (&self.rect, self.rect.h);
        let line = |x: f64, points: &[(f64, f64)]| {
            let at = |(dx, dy): &(f64, f64)| Point::new(x + dx * h, r.y + dy * h);
            points.iter().map(at).collect()
        };
        vec![
            line(
                r.x + r.w * 0.62,
                &[(0.0, 0.0), (0.05, 0.12), (-0.03, 0.2), (0.06, 0.34)],
            ),
            line(
                r.x + r.w * 0.62,
                &[(-0.03, 0.2), (-0.14, 0.27), (-0.12, 0.36)],
            ),
            line(
                r.x + r.w * 0.86,
                &[(0.0, 1.0), (-0.06, 0.84), (0.04, 0.74), (-0.02, 0.62)],
            ),
        ]
    }
}

impl TokenMark {
    /// Where the badge with the delivery number stands; none when it has none.
    pub fn badge(&self) -> Option<Rect> {
        let label = format!("×{}", self.times?);
        let width =
            crate::present::measure::width(&label, self.label_size, true) + self.label_size * 0.6;
        let height = self.label_size * 1.25;
        let x = self.centre.x + self.half_width - width * 0.45;
        let y = self.centre.y - self.radius - height * 0.45;
        Some(Rect::new(x, y, width, height))
    }
}

impl Scene {
    /// A hop is drawn for this long in real time, at least.
    pub const MOMENT_SECONDS: f64 = 0.3;

    /// Computes the stage.
    pub fn compute(input: &SceneInput) -> Self {
        compute::compute(input)
    }

    /// The span of simulated time whose events are drawn as movement at this pace.
    pub fn moment(pace: f64) -> Micros {
        Micros((Self::MOMENT_SECONDS * pace.max(0.0) * 1e6) as u64)
    }

    /// The token under a point, topmost first.
    pub fn token_at(&self, point: Point) -> Option<&TokenMark> {
        self.tokens.iter().rev().find(|token| {
            let (dx, dy) = (point.x - token.centre.x, point.y - token.centre.y);
            dx.abs() <= token.half_width.max(12.0) && dy.abs() <= token.radius.max(12.0)
        })
    }

    /// The station under a point.
    pub fn station_at(&self, point: Point) -> Option<&Station> {
        self.stations
            .iter()
            .rev()
            .find(|station| station.rect.contains(point))
    }
}
