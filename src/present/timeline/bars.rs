//! The bars of deliveries.

use crate::engine::Micros;
use crate::engine::ledger::{DeliveryOutcome, DeliveryRecord};
use crate::engine::setup::{AckMoment, OnFailure};
use crate::present::format;
use crate::present::geometry::{Rect, Within};
use crate::present::measure;
use crate::present::names::group_colour;
use crate::present::scene::{Align, TextRole};

use super::strip::Strip;
use super::{Bar, BarStyle, text};

/// Bars narrower than this on the screen are drawn this wide.
const THINNEST: f64 = 2.0;
/// Narrower bars have their group's colour along the foot instead of at the left edge.
const NARROW: f64 = 12.0;
/// More bars than this are drawn together where they are narrow.
const MOST_BARS: usize = 240;
/// Deliveries looked at: the newest of the window.
const MOST_DELIVERIES: usize = 20_000;
/// The deadlines of what was settled in time are shown among so few bars.
const FEW_BARS: usize = 60;
/// Workers of one consumer that have a line of their own.
const MOST_LINES: u16 = 4;

/// What is left free between the bars of two rows where the strips of a cut-off future lie.
const GHOST_GAP: f64 = 3.0;
const LOWEST_GHOST: f64 = 3.0;

/// A delivery at its place.
struct Placed<'a> {
    index: usize,
    record: &'a DeliveryRecord,
    start: Micros,
    end: Micros,
    rect: Rect,
    style: BarStyle,
}

/// The bars of what is known.
pub(super) fn bars(strip: &Strip) -> Vec<Bar> {
    let input = strip.input;
    let begun = input
        .deliveries
        .partition_point(|record| record.delivered_at <= input.until);
    let first = begun.saturating_sub(MOST_DELIVERIES);
    let records = input.deliveries.iter().enumerate();
    let records = records.take(begun).skip(first);
    let placed: Vec<Placed> = records
        .filter_map(|(index, record)| strip.place(index, record, Micros::ZERO))
        .collect();
    if placed.len() > MOST_BARS {
        return together(strip, &placed);
    }
    let few = placed.len() <= FEW_BARS;
    placed.iter().map(|placed| strip.bar(placed, few)).collect()
}

/// The bars of the future that was cut off, from the fork on: low strips below the bars of what is.
pub(super) fn ghosts(strip: &Strip) -> Vec<Bar> {
    let Some(fork) = strip.input.forked_at else {
        return Vec::new();
    };
    let records = strip.input.ghosts.iter().enumerate();
    let placed = records.filter_map(|(index, record)| strip.place(index, record, fork));
    let placed: Vec<Placed> = placed.take(MOST_BARS).collect();
    let low = |placed: &Placed| {
        let foot = strip.y(placed.record.consumer.index()) + strip.bar_height() / 2.0;
        let height = (strip.row - strip.bar_height() - GHOST_GAP).max(LOWEST_GHOST);
        Rect::new(placed.rect.x, foot + 1.0, placed.rect.w, height)
    };
    let bar = |placed: &Placed| Bar {
        rect: low(placed),
        flag: None,
        overrun: None,
        label: None,
        description: format!("would have been: {}", strip.describe(placed)),
        ..strip.bar(placed, false)
    };
    placed.iter().map(bar).collect()
}

/// Draws neighbours together that are too narrow to be told apart.
fn together(strip: &Strip, placed: &[Placed]) -> Vec<Bar> {
    let cell = strip.area.w * strip.rows.max(1) as f64 / MOST_BARS as f64;
    let cell = cell.max(2.0 * THINNEST);
    // Each bar, and how many of its deliveries went wrong.
    let mut bars: Vec<(Bar, u32)> = Vec::new();
    // Of each row the newest bar that more may join.
    let mut open: Vec<Option<usize>> = vec![None; strip.rows];
    for one in placed {
        let Some(open) = open.get_mut(one.record.consumer.index()) else {
            continue;
        };
        let bad = u32::from(is_bad(one.style));
        let joined = open.and_then(|at| bars.get_mut(at));
        let fits = |bar: &Bar| one.rect.w <= cell && one.rect.right() <= bar.rect.x + cell;
        match joined.filter(|(bar, _)| fits(bar)) {
            Some((bar, all_bad)) => {
                bar.join(one, strip);
                *all_bad += bad;
            }
            None => {
                *open = (one.rect.w <= cell).then_some(bars.len());
                bars.push((strip.bar(one, false), bad));
            }
        }
    }
    let described = |(mut bar, bad): (Bar, u32)| {
        if bar.count > 1 {
            let consumer = strip.input.names.consumer(bar.consumer);
            let all = format!("{} deliveries at {consumer}", bar.count);
            bar.description = match bad {
                0 => all,
                _ => format!("{all}, {bad} of them late, failed or lost"),
            };
        }
        bar
    };
    bars.into_iter().map(described).collect()
}

fn is_bad(style: BarStyle) -> bool {
    !matches!(
        style,
        BarStyle::Finished | BarStyle::Running | BarStyle::Buffered
    )
}

impl Bar {
    /// Takes in a neighbour.
    fn join(&mut self, other: &Placed, strip: &Strip) {
        self.count += 1;
        self.rect.w = self.rect.w.max(other.rect.right() - self.rect.x);
        let top = self.rect.y.min(other.rect.y);
        self.rect.h = self.rect.bottom().max(other.rect.bottom()) - top;
        self.rect.y = top;
        if !is_bad(self.style) && (is_bad(other.style) || self.style == BarStyle::Buffered) {
            self.style = other.style;
        }
        let group = (strip.input.group)(other.record.message).map(group_colour);
        let same = self.group.filter(|(colour, _)| group == Some(*colour));
        self.group = same.map(|(colour, _)| (colour, stripe(&self.rect)));
        self.selected |= strip.input.selected == Some(other.record.message);
        (self.flag, self.overrun, self.label) = (None, None, None);
    }
}

/// Where a bar shows its group's colour: at its left edge, or where that would hide the rest, along its foot.
fn stripe(bar: &Rect) -> Rect {
    if bar.w < NARROW {
        Rect::new(bar.x, bar.y + bar.h * 0.55, bar.w, bar.h * 0.45)
    } else {
        Rect::new(bar.x, bar.y, 5.0, bar.h)
    }
}

impl Strip<'_> {
    /// The part of a delivery after `fork` at its place; none outside the window or the rows.
    fn place<'a>(
        &self,
        index: usize,
        record: &'a DeliveryRecord,
        fork: Micros,
    ) -> Option<Placed<'a>> {
        let row = record.consumer.index();
        let (start, end) = span(record, self.input.known_until);
        let start = start.max(fork);
        if row >= self.rows
            || end < start
            || (end == fork && fork > Micros::ZERO)
            || end < self.input.from
            || start > self.input.until
        {
            return None;
        }
        let style = style(record.outcome);
        let (left, right) = (self.x(start), self.x(end));
        let width = (right - left - 1.0).max(THINNEST);
        let (foot, height) = self.line(record, style);
        Some(Placed {
            index,
            record,
            start,
            end,
            // What ends at the right edge stays inside.
            rect: Rect::new(
                left.within(self.area.x, self.area.right() - width),
                foot - height,
                width,
                height,
            ),
            style,
        })
    }

    /// Foot and height of a bar: workers of one consumer lie above each other, and what is buffered along the foot of
    /// the row, clear of the names on what runs above it.
    fn line(&self, record: &DeliveryRecord, style: BarStyle) -> (f64, f64) {
        let row = record.consumer.index();
        let all = self.bar_height();
        let foot = self.y(row) + all / 2.0;
        if style == BarStyle::Buffered {
            return (foot, all * 0.25);
        }
        let consumers = &self.input.names.setup.consumers;
        let workers = consumers.get(row).map_or(1, |consumer| consumer.workers);
        let lines = workers.clamp(1, MOST_LINES);
        let line = record.work.map_or(0, |work| work.worker % lines);
        let height = all / f64::from(lines);
        let gap = if lines > 1 { 1.0 } else { 0.0 };
        (foot - height * f64::from(lines - 1 - line), height - gap)
    }

    fn bar(&self, placed: &Placed, few: bool) -> Bar {
        let Placed {
            index,
            record,
            start,
            end,
            rect,
            style,
        } = *placed;
        let late = self.overruns(record, end);
        let counts = late || self.is_hidden_after(record);
        let deadline = record.hidden_until.max(start);
        let shown = self.is_visible(deadline) && record.hidden_until != Micros::MAX;
        let flag = (counts && shown).then(|| self.x(deadline));
        let overrun = flag.filter(|_| late);
        let group = (self.input.group)(record.message).map(group_colour);
        Bar {
            index,
            message: record.message,
            consumer: record.consumer,
            rect,
            style,
            group: group.map(|colour| (colour, stripe(&rect))),
            flag,
            deadline: (few && !counts && shown && deadline > end).then(|| self.x(deadline)),
            overrun: overrun.map(|x| Rect::new(x, rect.y, (rect.right() - x).max(0.0), rect.h)),
            label: self.label(placed),
            description: self.describe(placed),
            count: 1,
            selected: self.input.selected == Some(record.message),
        }
    }

    /// Whether the work goes on past the timeout. What is acked before its work has none left to overrun.
    fn overruns(&self, record: &DeliveryRecord, end: Micros) -> bool {
        let mut setup = self.input.names.setup.consumers.iter();
        let acked_early = record.outcome == DeliveryOutcome::Finished
            || setup
                .nth(record.consumer.index())
                .is_some_and(|consumer| consumer.ack != AckMoment::AfterWork);
        record.work.is_some() && !acked_early && record.hidden_until < end
    }

    /// Whether the message stays hidden until its timeout ends, as far as is known.
    fn is_hidden_after(&self, record: &DeliveryRecord) -> bool {
        let setup = self
            .input
            .names
            .setup
            .consumers
            .get(record.consumer.index());
        match record.outcome {
            DeliveryOutcome::Crashed
            | DeliveryOutcome::ResponseLost
            | DeliveryOutcome::Buffered => true,
            DeliveryOutcome::Running => {
                setup.is_none_or(|consumer| consumer.ack == AckMoment::AfterWork)
            }
            DeliveryOutcome::Failed => {
                setup.is_some_and(|consumer| consumer.on_failure == OnFailure::LetTimeoutEnd)
            }
            _ => false,
        }
    }

    fn label(&self, placed: &Placed) -> Option<crate::present::scene::Text> {
        let size = 13.0 * self.unit;
        let rect = &placed.rect;
        if placed.style == BarStyle::Buffered || rect.h < size {
            return None;
        }
        let name = self.input.names.message(placed.record.message);
        let times = match placed.record.delivery {
            0 | 1 => String::new(),
            times => format!(" ×{times}"),
        };
        let ending = if placed.style == BarStyle::Failed {
            " ✕"
        } else {
            ""
        };
        let inner = Rect::new(
            rect.x + 7.0 * self.unit,
            rect.y,
            rect.w - 9.0 * self.unit,
            rect.h,
        );
        let labels = [
            format!("{name}{times}{ending}"),
            format!("{name}{times}"),
            name,
        ];
        let fits = |label: &&String| measure::width(label, size, true) <= inner.w;
        let label = labels.iter().find(fits)?;
        text(inner, label, size, true, TextRole::Normal, Align::Start)
    }

    fn describe(&self, placed: &Placed) -> String {
        let record = placed.record;
        let name = self.input.names.message(record.message);
        let consumer = self.input.names.consumer(record.consumer);
        let nth = if record.delivery > 1 {
            format!(", {} delivery", format::ordinal(record.delivery))
        } else {
            String::new()
        };
        let what = match record.outcome {
            DeliveryOutcome::Buffered => "buffered",
            DeliveryOutcome::Running => "at work",
            DeliveryOutcome::Finished => "finished",
            DeliveryOutcome::FinishedLate => "finished after its timeout",
            DeliveryOutcome::Failed => "failed",
            DeliveryOutcome::Crashed => "cut off by a crash",
            DeliveryOutcome::ResponseLost => "never arrived",
            DeliveryOutcome::Skipped => "dropped unstarted",
            DeliveryOutcome::Returned => "returned unfinished",
        };
        let (from, to) = (format::instant(placed.start), format::instant(placed.end));
        let timeout = if record.hidden_until == Micros::MAX {
            String::new()
        } else {
            format!(", timeout at {}", format::instant(record.hidden_until))
        };
        format!("{name} at {consumer}{nth}: {what}, {from} to {to}{timeout}")
            .replace(format::NBSP, " ")
    }
}

/// From the start of its work, or its hand-out, to its end: the planned one while it runs.
fn span(record: &DeliveryRecord, known_until: Micros) -> (Micros, Micros) {
    let start = record
        .work
        .map_or(record.delivered_at, |work| work.started_at);
    let planned = record.work.map(|work| work.ends_at);
    let end = match record.outcome {
        DeliveryOutcome::Running => planned.or(record.ended_at),
        DeliveryOutcome::Buffered => Some(known_until.max(start)),
        _ => record.ended_at.or(planned),
    };
    (start, end.unwrap_or(start).max(start))
}

fn style(outcome: DeliveryOutcome) -> BarStyle {
    match outcome {
        DeliveryOutcome::Buffered => BarStyle::Buffered,
        DeliveryOutcome::Running => BarStyle::Running,
        DeliveryOutcome::Finished => BarStyle::Finished,
        DeliveryOutcome::FinishedLate => BarStyle::Late,
        DeliveryOutcome::Failed => BarStyle::Failed,
        DeliveryOutcome::Crashed => BarStyle::Crashed,
        DeliveryOutcome::ResponseLost | DeliveryOutcome::Skipped | DeliveryOutcome::Returned => {
            BarStyle::Lost
        }
    }
}
