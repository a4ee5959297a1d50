//! What moves or grows on the stage: wires, bars, tokens.

use crate::engine::{ConsumerId, MessageNumber};
use crate::present::geometry::{Path, Point, Rect};

use super::{GroupColour, StationId};

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
    /// Nothing passes: its consumer is cut off, or its channel is closed.
    pub broken: bool,
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

impl RaceBar {
    /// All that is drawn of it: the bar and its flag.
    pub fn bounds(&self) -> Rect {
        let flag = self.flag.map(|flag| Rect {
            w: 9.0,
            ..flag.pole
        });
        flag.map_or(self.track, |flag| self.track.with(&flag))
    }

    /// What it says, for who points at it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self { frozen: true, .. } => {
                "Crashed: no work goes on. The flag is where the visibility timeout ends."
            }
            Self { late: Some(_), .. } => {
                "Red: done after the visibility timeout, which ended at the flag. Hatched: still to come."
            }
            Self {
                overrun: Some(_), ..
            } => {
                "Blue: work done. The visibility timeout will end at the flag, before the hatched rest is done."
            }
            Self {
                flag: Some(Flag { beyond: true, .. }),
                ..
            } => "Blue: work done. The visibility timeout ends later than the bar can show.",
            Self { flag: Some(_), .. } => {
                "Blue: work done. The flag is where the visibility timeout ends."
            }
            Self { flag: None, .. } => "Blue: work done. Nothing times out here.",
        }
    }
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
    /// At work while an earlier message of its group waits.
    pub early: bool,
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
    /// One to three characters; empty where its place says them.
    pub letter: String,
    /// Its colour.
    pub colour: GroupColour,
    /// Middle of the badge behind the letter.
    pub centre: Point,
    /// Half the height of the badge.
    pub radius: f64,
    /// Half its width: the radius behind one letter, more behind two or three.
    pub half_width: f64,
    /// Font size, at least 13.
    pub size: f64,
}

impl GroupMark {
    /// The badge behind the letter.
    pub fn badge(&self) -> Rect {
        let (half, radius) = (self.half_width, self.radius);
        let corner = Point::new(self.centre.x - half, self.centre.y - radius);
        Rect::new(corner.x, corner.y, 2.0 * half, 2.0 * radius)
    }
}

impl TokenMark {
    /// All that is drawn of it: itself, its group's letter and its delivery number.
    pub fn bounds(&self) -> Rect {
        let ring = if self.ring.is_some() { 6.5 } else { 1.5 };
        let (half, radius) = (self.half_width + ring, self.radius + ring);
        let own = Rect::new(
            self.centre.x - half,
            self.centre.y - radius,
            2.0 * half,
            2.0 * radius,
        );
        let group = self.group.as_ref();
        let group = group.filter(|group| !group.letter.is_empty());
        let group = group.map(GroupMark::badge);
        let parts = [group, self.badge()].into_iter().flatten();
        parts.fold(own, |all, part| all.with(&part))
    }

    /// Moves all of it.
    pub fn shift(&mut self, x: f64, y: f64) {
        let group = self.group.as_mut().map(|group| &mut group.centre);
        for point in [Some(&mut self.centre), group].into_iter().flatten() {
            point.x += x;
            point.y += y;
        }
    }

    /// Where the badge with the delivery number stands; none when it has none.
    pub fn badge(&self) -> Option<Rect> {
        let label = format!("×{}", self.times?);
        let width =
            crate::present::measure::width(&label, self.label_size, true) + self.label_size * 0.6;
        let height = self.label_size * 1.25;
        // Beside the upper right corner of the label, which it does not hide.
        let corner = crate::present::measure::width(&self.label, self.label_size, true) / 2.0;
        let inwards = (self.half_width - width * 0.45).max(corner - self.label_size * 0.3);
        let x = self.centre.x + inwards;
        let bottom = (height * 0.55 - self.radius).min(-0.3 * self.label_size);
        let y = self.centre.y + bottom - height;
        Some(Rect::new(x, y, width, height))
    }
}
