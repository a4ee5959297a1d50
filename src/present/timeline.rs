//! The strip under the stage: a row a consumer and one for the dead-letter queue if there is one, a bar a delivery to the end of its
//! work with its outcome, the playhead over it. Pure geometry; painting it is the page's.

mod bars;

use crate::engine::ledger::DeliveryRecord;
use crate::engine::{ConsumerId, GroupId, MessageNumber, Micros};
use crate::present::axis::{Tick, time_ticks};
use crate::present::geometry::{Point, Rect, Within};
use crate::present::measure;
use crate::present::names::Names;
use crate::present::scene::{Align, GroupColour, Text, TextRole};

/// Most rows of consumers.
pub const MOST_ROWS: usize = 8;

/// What the strip is computed from.
#[derive(Clone, Copy)]
pub struct TimelineInput<'a> {
    /// Names of consumers, groups and messages.
    pub names: Names<'a>,
    /// All deliveries known, in order of hand-out; those outside the window are left out here.
    pub deliveries: &'a [DeliveryRecord],
    /// The group of a message, for the colour at its bar's left edge.
    pub group: &'a dyn Fn(MessageNumber) -> Option<GroupId>,
    /// Moves, crashes and commands.
    pub marks: &'a [Mark],
    /// Start of the window.
    pub from: Micros,
    /// End of the window.
    pub until: Micros,
    /// The playhead.
    pub now: Micros,
    /// Up to when the run is known; later things are not drawn as certain.
    pub known_until: Micros,
    /// Width in CSS pixels.
    pub width: f64,
    /// Root font size.
    pub root_font: f64,
}

/// Something at one instant.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// When.
    pub at: Micros,
    /// What.
    pub kind: MarkKind,
}

/// What is marked.
#[derive(Clone, PartialEq, Debug)]
pub enum MarkKind {
    /// A message moved to a dead-letter queue.
    DeadLetter(MessageNumber),
    /// A consumer crashed.
    Crash(ConsumerId),
    /// A consumer started again.
    Restart(ConsumerId),
    /// An ack of a consumer was lost.
    AckLost(ConsumerId),
    /// A command, in words.
    Command(String),
}

/// The strip.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Timeline {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// The part of the strip that is time.
    pub area: Rect,
    /// Names of the rows.
    pub labels: Vec<Text>,
    /// Lines on which bars lie, one a row.
    pub rails: Vec<(Point, Point)>,
    /// Times along the top.
    pub ticks: Vec<TimeTick>,
    /// Deliveries.
    pub bars: Vec<Bar>,
    /// Marks.
    pub marks: Vec<PlacedMark>,
    /// Where the playhead is, if it is in the window.
    pub playhead: Option<f64>,
    /// What comes after the playhead, to be shaded.
    pub future: Rect,
}

/// A tick of the time axis.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeTick {
    /// Where.
    pub x: f64,
    /// Its label, above the area.
    pub label: Text,
}

/// A delivery.
#[derive(Clone, PartialEq, Debug)]
pub struct Bar {
    /// Position in the list of deliveries.
    pub index: usize,
    /// Of which message.
    pub message: MessageNumber,
    /// To whom.
    pub consumer: ConsumerId,
    /// From its start, or hand-out, to the end of its work.
    pub rect: Rect,
    /// Its outcome.
    pub style: BarStyle,
    /// Colour of its group.
    pub group: Option<GroupColour>,
    /// Where its visibility timeout ends, if that is before its work does.
    pub flag: Option<f64>,
    /// From there to the end of its work, hatched.
    pub overrun: Option<Rect>,
    /// Message and delivery number, if they fit.
    pub label: Option<Text>,
    /// One sentence about it.
    pub description: String,
}

/// How a delivery ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarStyle {
    /// In the buffer: thin.
    Buffered,
    /// At work at the playhead: panel fill.
    Running,
    /// Done.
    Finished,
    /// Done after its timeout: red edge.
    Late,
    /// Failed: red dashes.
    Failed,
    /// Its consumer crashed: cut off.
    Crashed,
    /// It never arrived, or was dropped unstarted: dashed.
    Lost,
}

/// A mark at its place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedMark {
    /// Its middle.
    pub at: Point,
    /// What it is.
    pub kind: MarkKind,
    /// Short text beside it, if there is room.
    pub label: Option<Text>,
    /// One sentence about it.
    pub description: String,
}

impl Timeline {
    /// Computes the strip.
    pub fn compute(input: &TimelineInput) -> Self {
        bars::compute(input)
    }

    /// The time under a point of the strip, within the window.
    pub fn time_at(&self, input: &TimelineInput, x: f64) -> Micros {
        let share = ((x - self.area.x) / self.area.w.max(1.0)).within(0.0, 1.0);
        input.from + Micros((share * (input.until - input.from).0 as f64) as u64)
    }

    /// The bar under a point.
    pub fn bar_at(&self, point: Point) -> Option<&Bar> {
        self.bars.iter().rev().find(|bar| bar.rect.contains(point))
    }
}

/// A window for a run: from the start to a round end that holds the duration or, in an endless run, the playhead with
/// room to come; past a length the window follows the playhead.
pub fn window(
    now: Micros,
    known_until: Micros,
    duration: Option<Micros>,
    longest: Micros,
) -> (Micros, Micros) {
    let wanted =
        duration.unwrap_or_else(|| now.max(known_until).scaled(5, 4).max(Micros::from_secs(16)));
    if wanted <= longest {
        return (Micros::ZERO, wanted.max(Micros(1)));
    }
    // Steps of a quarter, so that the strip stands still for a while instead of creeping.
    let step = Micros((longest.0 / 4).max(1));
    let ahead = now + step;
    let until = Micros(ahead.0.div_ceil(step.0).saturating_mul(step.0)).max(longest);
    (until - longest, until)
}

fn text(
    rect: Rect,
    words: &str,
    size: f64,
    strong: bool,
    role: TextRole,
    align: Align,
) -> Option<Text> {
    let text = measure::cut(words, rect.w, size, strong);
    (!text.is_empty()).then_some(Text {
        text,
        rect,
        size,
        strong,
        role,
        align,
    })
}

fn ticks(input: &TimelineInput, area: &Rect, unit: f64) -> Vec<TimeTick> {
    let most = (area.w / (84.0 * unit)).floor().max(2.0) as usize;
    let tick = |tick: Tick| {
        let x = area.x + area.w * tick.share;
        let half = measure::width(&tick.label, 13.0 * unit, false) / 2.0 + 1.0;
        let left = (x - half).within(0.0, (input.width - 2.0 * half).max(0.0));
        let rect = Rect::new(left, 0.0, 2.0 * half, 18.0 * unit);
        let label = text(
            rect,
            &tick.label,
            13.0 * unit,
            false,
            TextRole::Muted,
            Align::Middle,
        )?;
        Some(TimeTick { x, label })
    };
    time_ticks(input.from, input.until, most)
        .into_iter()
        .filter_map(tick)
        .collect()
}

#[cfg(test)]
mod tests;
