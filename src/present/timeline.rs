//! The space-time diagram: a row a consumer and one for the dead-letter queue if there is one, a bar a delivery to the
//! end of its work with its outcome, the playhead over it. Pure geometry; painting it is the page's.

mod bars;
mod marks;
mod strip;
mod window;

pub use window::{Extent, Window};

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
    /// Deliveries of a future that was cut off, and where: what is drawn of them is after that.
    pub ghosts: &'a [DeliveryRecord],
    /// What would have been marked.
    pub ghost_marks: &'a [Mark],
    /// Where that future was cut off.
    pub forked_at: Option<Micros>,
    /// The message that is looked at.
    pub selected: Option<MessageNumber>,
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
    /// A command of the scenario, in words.
    Command(String),
    /// A command of the person at the controls, in words.
    OwnCommand(String),
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
    /// How many of them are consumers, in the scenario's order.
    pub consumers: usize,
    /// Lines on which bars lie, one a row.
    pub rails: Vec<(Point, Point)>,
    /// Times along the top.
    pub ticks: Vec<TimeTick>,
    /// Deliveries that would have been.
    pub ghosts: Vec<Bar>,
    /// What they are, at their start, where a row has room for the word.
    pub before: Option<Text>,
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

/// A delivery, or several that are too narrow to be told apart.
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
    /// Colour of its group, and where it is shown.
    pub group: Option<(GroupColour, Rect)>,
    /// Where its visibility timeout ends, while that counts: before its work does, or while its message stays hidden.
    pub flag: Option<f64>,
    /// Where the timeout of what was settled before it would have ended, where there is room to show it.
    pub deadline: Option<f64>,
    /// From there to the end of its work, hatched.
    pub overrun: Option<Rect>,
    /// Message and delivery number, if they fit.
    pub label: Option<Text>,
    /// One sentence about it.
    pub description: String,
    /// How many deliveries it stands for.
    pub count: u32,
    /// Whether it is of the message that is looked at.
    pub selected: bool,
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
    /// Of a future that was cut off.
    pub ghost: bool,
}

impl Timeline {
    /// Computes the strip.
    pub fn compute(input: &TimelineInput) -> Self {
        strip::compute(input)
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

/// As many ticks as there is room for with their labels apart.
fn ticks(input: &TimelineInput, area: &Rect, unit: f64) -> Vec<TimeTick> {
    let size = 13.0 * unit;
    let wide = |tick: &Tick| measure::width(&tick.label, size, false) + 2.0;
    let mut most = (area.w / (52.0 * unit)).floor().max(2.0) as usize;
    let found = loop {
        let found = time_ticks(input.from, input.until, most);
        let widest = found.iter().map(wide).fold(0.0, f64::max);
        let apart = area.w / found.len().max(1) as f64;
        if most <= 2 || widest + 14.0 * unit <= apart {
            break found;
        }
        most -= 1;
    };
    let tick = |tick: Tick| {
        let x = area.x + area.w * tick.share;
        let half = wide(&tick) / 2.0;
        let left = (x - half).within(0.0, (input.width - 2.0 * half).max(0.0));
        let rect = Rect::new(left, 0.0, 2.0 * half, 18.0 * unit);
        let label = text(
            rect,
            &tick.label,
            size,
            false,
            TextRole::Muted,
            Align::Middle,
        )?;
        Some(TimeTick { x, label })
    };
    found.into_iter().filter_map(tick).collect()
}

#[cfg(test)]
mod tests;
