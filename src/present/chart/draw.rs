//! Where everything of a chart stands.

use std::fmt::Write as _;

use crate::engine::{GroupId, Micros, Simulation};
use crate::present::axis::{Tick, count_ticks, frame, span_ticks, time_ticks, word};
use crate::present::format::fixed;
use crate::present::geometry::{Rect, Within};
use crate::present::measure;
use crate::present::names::group_colour;
use crate::present::scene::Align;

use super::course::{ChartId, Course, Unit, window};
use super::{Chart, ChartInput, Line, Threshold};

/// Ticks of the value axis above zero, and of the time axis.
const VALUE_TICKS: usize = 3;
const TIME_TICKS: usize = 4;

/// Where values and times are in the area.
struct Scale {
    area: Rect,
    end: Micros,
    highest: u64,
}

impl Scale {
    fn x(&self, at: Micros) -> f64 {
        let share = at.0 as f64 / self.end.0.max(1) as f64;
        self.area.x + self.area.w * share.within(0.0, 1.0)
    }

    fn y(&self, value: u64) -> f64 {
        let share = value as f64 / self.highest.max(1) as f64;
        self.area.bottom() - self.area.h * share.within(0.0, 1.0)
    }
}

pub(super) fn chart(id: ChartId, input: &ChartInput) -> Chart {
    let scale = (input.root_font / 16.0).max(1.0);
    let size = measure::SMALLEST * scale;
    let (left, right) = (58.0 * scale, 20.0 * scale);
    let (top, bottom) = (8.0 * scale, 20.0 * scale);
    let width = input.width.max(left + right + 60.0);
    let area = Rect::new(left, top, width - left - right, 108.0 * scale);
    let window = window(input.series, input.end);
    let plots = id.plots(input.setup);
    let alerts: Vec<(u64, String)> = input
        .alerts
        .iter()
        .filter_map(|claim| id.threshold(claim, input.setup))
        .collect();

    let alerts_highest = alerts.iter().map(|(value, _)| *value).max();
    let highest = plots.iter().filter_map(|plot| {
        let all = (0..input.series.len())
            .filter_map(|index| plot.course.peak(input.series, index, window))
            .max();
        all.max(plot.course.now(input, window))
    });
    let highest = highest.max().max(alerts_highest);
    let (ticks, top_value) = value_ticks(id.unit(), highest.unwrap_or(0));
    let scale_of = Scale {
        area,
        end: input.end,
        highest: top_value,
    };
    let times = time_ticks(Micros::ZERO, input.end, TIME_TICKS).into_iter();
    let along = times.map(|tick| (area.x + area.w * tick.share, tick.label));
    let (words, grid) = frame(&area, scale, ticks, along.collect());
    let thresholds = alerts
        .into_iter()
        .map(|(value, label)| {
            let y = scale_of.y(value);
            let room = area.w + right - 4.0;
            // Above its line, or below where that would leave the chart.
            let above = y - size - 2.0 >= 0.0;
            let y_of_text = if above { y - size - 2.0 } else { y + 2.0 };
            let rect = Rect::new(area.x + 4.0, y_of_text, room, size);
            let label = measure::cut(&label, room, size, false);
            Threshold {
                y,
                label: word(label, rect, scale, Align::Start),
            }
        })
        .collect();

    let mut is_empty = true;
    let mut lines = Vec::new();
    for (style, plot) in plots.into_iter().enumerate() {
        let now = plot.course.now(input, window);
        let drawn = draw(plot.course, input, window, now, &scale_of);
        is_empty &= drawn.past.is_empty() && drawn.future.is_empty();
        lines.push(Line {
            now: now.map_or_else(|| "none".to_owned(), |value| id.text(value)),
            name: plot.name,
            group: match plot.course {
                Course::Wait(slot) if slot < Simulation::GROUP_WAITS - 1 => {
                    Some(group_colour(GroupId(slot as u32)))
                }
                _ => None,
            },
            style,
            harm: plot.harm && now > Some(0),
            past: drawn.past,
            future: drawn.future,
        });
    }
    Chart {
        id,
        title: id.title(),
        note: id.note(Micros(input.series.width().0.saturating_mul(window as u64))),
        width,
        height: area.bottom() + bottom,
        area,
        grid,
        words,
        lines,
        thresholds,
        playhead: scale_of.x(input.snapshot.at),
        empty: is_empty.then(|| id.empty()),
    }
}

/// Ticks of the value axis, and its end.
fn value_ticks(unit: Unit, highest: u64) -> (Vec<Tick>, u64) {
    match unit {
        Unit::Count => count_ticks(highest, VALUE_TICKS),
        Unit::Span => span_ticks(Micros(highest), VALUE_TICKS),
        Unit::Rate => {
            let (mut ticks, end) = count_ticks(highest.max(1_000), VALUE_TICKS);
            for tick in &mut ticks {
                let value = (tick.share * end as f64 + 0.5) as u64;
                tick.label = unit.text(value);
            }
            (ticks, end)
        }
    }
}

/// A line up to the playhead, and after it.
struct Drawn {
    past: String,
    future: String,
}

/// Draws steps, at most one a pixel and a half; a peak in between stands as a spike at its bucket's end.
fn draw(
    course: Course,
    input: &ChartInput,
    window: usize,
    now: Option<u64>,
    scale: &Scale,
) -> Drawn {
    let series = input.series;
    let columns = ((scale.area.w / 1.5) as usize).max(1);
    let count = series.len();
    let reach = usize::try_from(scale.end.0 / series.width().0.max(1)).unwrap_or(usize::MAX);
    let joined = (reach.saturating_add(1)).div_ceil(columns).max(1);
    let at = input.snapshot.at;
    let mut past = Pen::default();
    let mut future = Pen::default();
    let mut is_past = true;
    let mut first = 0;
    while first < count {
        // The first value is of time 0 and stands alone, so that others stand at round times.
        let size = if first == 0 { 1 } else { joined };
        let last = (first + size).min(count) - 1;
        let time = Micros((last as u64).saturating_mul(series.width().0));
        if is_past && time > at {
            is_past = false;
            past.to(scale.x(at), now.map(|value| scale.y(value)), None);
            future.to(scale.x(at), now.map(|value| scale.y(value)), None);
        }
        let pen = if is_past { &mut past } else { &mut future };
        let peak = (first..=last)
            .filter_map(|index| course.peak(series, index, window))
            .max();
        let value = course.value(series, last, window);
        pen.to(
            scale.x(time),
            value.map(|value| scale.y(value)),
            peak.map(|value| scale.y(value)),
        );
        first = last + 1;
    }
    if is_past && count > 0 {
        past.to(scale.x(at), now.map(|value| scale.y(value)), None);
    }
    Drawn {
        past: past.path,
        future: future.path,
    }
}

/// Writes a path of steps.
#[derive(Default)]
struct Pen {
    path: String,
    /// Where the line is, if it is on paper.
    at: Option<(f64, f64)>,
    /// Whether the last part written is level, so that a further one only makes it longer.
    level: Option<usize>,
}

impl Pen {
    fn to(&mut self, x: f64, y: Option<f64>, peak: Option<f64>) {
        if let Some((from, _)) = self.at {
            if x > from {
                // A level part that goes on replaces the one before.
                if let Some(begin) = self.level {
                    self.path.truncate(begin);
                }
                self.level = Some(self.path.len());
                let _ = write!(self.path, "H{}", fixed(x, 1));
            }
        } else if let Some(y) = y {
            let _ = write!(self.path, "M{},{}", fixed(x, 1), fixed(y, 1));
            self.level = None;
        }
        let from = self.at.map(|(_, y)| y).or(y);
        if let (Some(from), Some(y)) = (from, y) {
            let highest = from.min(y);
            if let Some(peak) = peak.filter(|peak| *peak < highest - 0.05) {
                let _ = write!(self.path, "V{}", fixed(peak, 1));
                let _ = write!(self.path, "V{}", fixed(y, 1));
                self.level = None;
            } else if (y - from).abs() > 0.05 {
                let _ = write!(self.path, "V{}", fixed(y, 1));
                self.level = None;
            }
        }
        self.at = y.map(|y| (x, y));
    }
}
