//! The stage at one instant as plain geometry, text and roles: a function of the snapshot, the events of the last
//! moment, the size and the pace. Painters add nothing of their own.
//!
//! Where stations stand depends on the setup, on settings and on the size alone, never on momentary counts, so
//! nothing jumps while a run plays. All lengths are CSS pixels and grow with the root font size.

mod about;
mod across;
mod card;
mod compute;
mod crew;
mod dead_letter;
mod down;
mod hit;
mod hops;
mod lanes;
mod layout;
mod mark;
mod outside;
mod plan;
mod producer;
#[cfg(test)]
mod properties;
mod queue;
mod race;
mod shelf;
#[cfg(test)]
mod shipped;
mod stack;
mod station;
mod tokens;
mod wiring;
mod words;
mod worker;

pub use about::{About, Counted};
pub use mark::{Flag, Flow, GroupMark, Place, RaceBar, TokenMark, Wire};
pub use producer::pattern;
pub use station::{
    Align, Border, Button, GroupColour, Lane, StarvationBar, Station, Text, TextRole,
};

use crate::engine::{ConsumerId, Event, Micros, ProducerId, QueueId, Setup, Snapshot};
use crate::present::geometry::{Cubic, Point};
use crate::scenario::Profile;

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
    /// Whose names are used.
    pub vocabulary: Profile,
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

    /// The token under a point, topmost first. Each can be hit within 12 pixels of its middle and `around` its edge,
    /// for what is less exact than a pointer.
    pub fn token_at(&self, point: Point, around: f64) -> Option<&TokenMark> {
        let hit = |token: &&TokenMark, around: f64| {
            let (dx, dy) = (point.x - token.centre.x, point.y - token.centre.y);
            let half = |length: f64| length.max(12.0) + around;
            dx.abs() <= half(token.half_width) && dy.abs() <= half(token.radius)
        };
        let exactly = self.tokens.iter().rev().find(|token| hit(token, 0.0));
        exactly.or_else(|| self.tokens.iter().rev().find(|token| hit(token, around)))
    }

    /// The station under a point.
    pub fn station_at(&self, point: Point) -> Option<&Station> {
        self.stations
            .iter()
            .rev()
            .find(|station| station.rect.contains(point))
    }
}
