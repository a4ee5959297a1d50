//! Puts the strip together.

use crate::engine::ledger::{DeliveryOutcome, DeliveryRecord};
use crate::engine::setup::AckMoment;
use crate::engine::{ConsumerId, Micros};
use crate::present::format;
use crate::present::geometry::{Point, Rect};
use crate::present::measure;
use crate::present::names::group_colour;
use crate::present::scene::{Align, TextRole};

use super::{
    Bar, BarStyle, MOST_ROWS, Mark, MarkKind, PlacedMark, Timeline, TimelineInput, text, ticks,
};

const AXIS: f64 = 22.0;
const ROW: f64 = 32.0;
const BAR: f64 = 22.0;
/// Bars narrower than this on the screen are drawn this wide.
const THINNEST: f64 = 2.0;

/// Most bars drawn; the newest count.
const MOST_BARS: usize = 2_000;

struct Strip<'a> {
    input: &'a TimelineInput<'a>,
    unit: f64,
    area: Rect,
    rows: usize,
}

/// Computes the strip.
pub fn compute(input: &TimelineInput) -> Timeline {
    let unit = (input.root_font / 16.0).max(1.0);
    let consumers = input.names.setup.consumers.len().min(MOST_ROWS);
    let mut names: Vec<String> = (0..consumers as u16)
        .map(|i| input.names.consumer(ConsumerId(i)).into_owned())
        .collect();
    let queues = &input.names.setup.queues;
    let moved = |mark: &Mark| matches!(mark.kind, MarkKind::DeadLetter(_));
    if queues.iter().any(|queue| queue.dead_letter_queue.is_some()) || input.marks.iter().any(moved)
    {
        names.push("DLQ".to_owned());
    }
    let widest = names
        .iter()
        .map(|name| measure::width(name, 13.0 * unit, false))
        .fold(0.0, f64::max);
    let left = (widest + 14.0 * unit).min(input.width * 0.24);
    let area = Rect::new(
        left,
        AXIS * unit,
        (input.width - left - 10.0 * unit).max(1.0),
        ROW * unit * names.len() as f64,
    );
    let strip = Strip {
        input,
        unit,
        area,
        rows: consumers,
    };
    let mut timeline = Timeline {
        width: input.width,
        height: area.bottom() + 4.0 * unit,
        area,
        ticks: ticks(input, &area, unit),
        ..Timeline::default()
    };
    for (row, name) in names.iter().enumerate() {
        let y = strip.y(row);
        let rect = Rect::new(0.0, y - 9.0 * unit, left - 8.0 * unit, 18.0 * unit);
        timeline.labels.extend(text(
            rect,
            name,
            13.0 * unit,
            false,
            TextRole::Muted,
            Align::Start,
        ));
        timeline
            .rails
            .push((Point::new(area.x, y), Point::new(area.right(), y)));
    }
    let more = input.names.setup.consumers.len() - consumers;
    if more > 0 {
        let rect = Rect::new(0.0, 0.0, left - 26.0 * unit, 18.0 * unit);
        let words = format!("+{more} more");
        let size = 13.0 * unit;
        timeline.labels.extend(text(
            rect,
            &words,
            size,
            false,
            TextRole::Muted,
            Align::Start,
        ));
    }
    let begun = input
        .deliveries
        .partition_point(|record| record.delivered_at <= input.until);
    let records = input.deliveries.iter().enumerate().take(begun).rev();
    let newest = records.filter_map(|(index, record)| strip.bar(index, record));
    timeline.bars = newest.take(MOST_BARS).collect();
    timeline.bars.reverse();
    let marks = input.marks.iter().filter_map(|mark| strip.mark(mark));
    timeline.marks = marks.collect();
    let now = input.now.max(input.from).min(input.until);
    let x = strip.x(now);
    timeline.playhead = (now == input.now).then_some(x);
    timeline.future = Rect::new(x, area.y, area.right() - x, area.h);
    timeline
}

impl Strip<'_> {
    fn x(&self, at: Micros) -> f64 {
        let length = (self.input.until - self.input.from).as_secs_f64().max(1e-9);
        let since = (at.max(self.input.from).min(self.input.until) - self.input.from).as_secs_f64();
        self.area.x + self.area.w * since / length
    }

    fn y(&self, row: usize) -> f64 {
        self.area.y + ROW * self.unit * (row as f64 + 0.5)
    }

    fn visible(&self, at: Micros) -> bool {
        at >= self.input.from && at <= self.input.until
    }

    fn bar(&self, index: usize, record: &DeliveryRecord) -> Option<Bar> {
        let row = record.consumer.index();
        let (start, end) = span(record, self.input);
        if row >= self.rows || end < self.input.from || start > self.input.until {
            return None;
        }
        let style = style(record.outcome);
        let height = if style == BarStyle::Buffered {
            BAR * 0.25
        } else {
            BAR
        } * self.unit;
        let (left, right) = (self.x(start), self.x(end));
        let rect = Rect::new(
            left,
            // Buffered ones lie along the foot of their row, clear of the names on what runs above them.
            self.y(row) + BAR * self.unit / 2.0 - height,
            (right - left - 1.0).max(THINNEST),
            height,
        );
        // What is acked before its work has no timeout left that the work could overrun.
        let setups = &self.input.names.setup.consumers;
        let acked_early = record.outcome == DeliveryOutcome::Finished
            || setups
                .get(row)
                .is_some_and(|consumer| consumer.ack != AckMoment::AfterWork);
        let over = record.work.is_some()
            && !acked_early
            && record.hidden_until < end
            && record.hidden_until != Micros::MAX;
        let flag = over.then(|| self.x(record.hidden_until.max(start)));
        let overrun = flag.map(|x| Rect::new(x, rect.y, (rect.right() - x).max(0.0), height));
        let name = self.input.names.message(record.message);
        let times = if record.delivery > 1 {
            format!(" ×{}", record.delivery)
        } else {
            String::new()
        };
        let ending = if style == BarStyle::Failed {
            " ✕"
        } else {
            ""
        };
        let size = 13.0 * self.unit;
        let inner = Rect::new(
            rect.x + 7.0 * self.unit,
            rect.y,
            rect.w - 9.0 * self.unit,
            rect.h,
        );
        let labels = [
            format!("{name}{times}{ending}"),
            format!("{name}{times}"),
            name.clone(),
        ];
        let fits = |label: &&String| {
            style != BarStyle::Buffered && measure::width(label, size, true) <= inner.w
        };
        let label = labels.iter().find(fits);
        let label =
            label.and_then(|label| text(inner, label, size, true, TextRole::Normal, Align::Start));
        Some(Bar {
            index,
            message: record.message,
            consumer: record.consumer,
            rect,
            style,
            group: (self.input.group)(record.message).map(group_colour),
            flag,
            overrun,
            label,
            description: self.describe(record, start, end),
        })
    }

    fn describe(&self, record: &DeliveryRecord, start: Micros, end: Micros) -> String {
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
        };
        let (from, to) = (format::instant_exact(start), format::instant_exact(end));
        format!("{name} at {consumer}{nth}: {what}, {from} to {to}").replace(format::NBSP, " ")
    }

    fn mark(&self, mark: &Mark) -> Option<PlacedMark> {
        if !self.visible(mark.at) {
            return None;
        }
        let names = &self.input.names;
        let (row, short, what) = match &mark.kind {
            MarkKind::DeadLetter(message) => {
                let name = names.message(*message);
                (
                    self.rows,
                    name.clone(),
                    format!("{name} moved to the dead-letter queue"),
                )
            }
            MarkKind::Crash(id) => (
                id.index(),
                String::new(),
                format!("{} crashed", names.consumer(*id)),
            ),
            MarkKind::Restart(id) => (
                id.index(),
                String::new(),
                format!("{} started again", names.consumer(*id)),
            ),
            MarkKind::AckLost(id) => (
                id.index(),
                String::new(),
                format!("an ack of {} was lost", names.consumer(*id)),
            ),
            MarkKind::Command(words) => (self.rows + 1, String::new(), words.clone()),
        };
        let consumer = !matches!(mark.kind, MarkKind::DeadLetter(_) | MarkKind::Command(_));
        if consumer && row >= self.rows {
            return None;
        }
        let x = self.x(mark.at);
        // Commands stand on the axis, above all rows.
        let y = if row > self.rows {
            self.area.y
        } else {
            self.y(row)
        };
        let size = 13.0 * self.unit;
        let wide = measure::width(&short, size, false) + 1.0;
        let rect = Rect::new(
            x + 12.0 * self.unit,
            y - 9.0 * self.unit,
            wide,
            18.0 * self.unit,
        );
        let label = (rect.right() <= self.input.width)
            .then(|| text(rect, &short, size, false, TextRole::Muted, Align::Start));
        Some(PlacedMark {
            at: Point::new(x, y),
            kind: mark.kind.clone(),
            label: label.flatten(),
            description: format!("{}: {what}", format::instant_exact(mark.at))
                .replace(format::NBSP, " "),
        })
    }
}

/// From the start of its work, or its hand-out, to its end: the planned one while it runs.
fn span(record: &DeliveryRecord, input: &TimelineInput) -> (Micros, Micros) {
    let start = record
        .work
        .map_or(record.delivered_at, |work| work.started_at);
    let planned = record.work.map(|work| work.ends_at);
    let end = match record.outcome {
        DeliveryOutcome::Running => planned.or(record.ended_at),
        DeliveryOutcome::Buffered => Some(input.known_until.max(start)),
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
        DeliveryOutcome::ResponseLost | DeliveryOutcome::Skipped => BarStyle::Lost,
    }
}
