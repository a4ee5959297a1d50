//! What a sweep found, drawn: a measure over the values of the setting, the median as a line, the seeds' spread as a
//! band, and a mark where the setting stands now.

use std::fmt::Write as _;

use crate::engine::Micros;
use crate::session::{Measure, Outcome, Spread, Unit};

use super::axis::{Tick, count_ticks, frame, span_ticks, time_ticks};
use super::controls::{Control, Value, magnitude};
use super::difference;
use super::format::fixed;
use super::geometry::{Rect, Within};
use super::scene::Text;
use super::sweep;

/// The measures that are drawn.
pub const DRAWN: [Measure; 3] = [
    Measure::DuplicateEffects,
    Measure::DeadLettered,
    Measure::LatencyP95,
];

/// Ticks of both axes.
const VALUE_TICKS: usize = 3;
const SETTING_TICKS: usize = 4;

/// What charts of a sweep are computed from.
#[derive(Clone, Copy)]
pub struct SweepInput<'a> {
    /// The setting.
    pub control: &'a Control,
    /// Its values, in order.
    pub values: &'a [Value],
    /// What the first of them came to, as far as the sweep is.
    pub outcomes: &'a [Outcome],
    /// The setting now.
    pub present: Option<Value>,
    /// Width of a chart in CSS pixels.
    pub width: f64,
    /// Root font size.
    pub root_font: f64,
}

/// One chart.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepChart {
    /// What is measured.
    pub measure: Measure,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// The part between the axes.
    pub area: Rect,
    /// Heights of the grid's lines.
    pub grid: Vec<f64>,
    /// The words of both axes.
    pub words: Vec<Text>,
    /// The seeds' spread, as the `d` of a path.
    pub band: String,
    /// The median, as the `d` of a path.
    pub line: String,
    /// The points of the line.
    pub dots: Vec<Dot>,
    /// Where the setting stands now.
    pub mark: Option<f64>,
}

/// A point of the line.
#[derive(Clone, PartialEq, Debug)]
pub struct Dot {
    /// Which value of the setting.
    pub index: usize,
    /// Where.
    pub x: f64,
    /// Where.
    pub y: f64,
    /// What it says: "6 s: 0 (0 to 2)".
    pub text: String,
}

impl SweepChart {
    /// The charts of a sweep, in the order of [`DRAWN`].
    pub fn all(input: &SweepInput) -> Vec<Self> {
        DRAWN
            .into_iter()
            .map(|measure| chart(measure, input))
            .collect()
    }
}

/// Where the values of the setting are in the area.
struct Across {
    area: Rect,
    first: u64,
    last: u64,
}

impl Across {
    fn x(&self, value: Value) -> Option<f64> {
        let size = magnitude(value)?;
        let length = self.last.saturating_sub(self.first);
        if size < self.first || size > self.last {
            return None;
        }
        let share = (size - self.first) as f64 / length.max(1) as f64;
        Some(self.area.x + self.area.w * if length == 0 { 0.5 } else { share })
    }
}

fn chart(measured: Measure, input: &SweepInput) -> SweepChart {
    let scale = (input.root_font / 16.0).max(1.0);
    let (left, right) = (58.0 * scale, 26.0 * scale);
    let width = input.width.max(left + right + 60.0);
    let area = Rect::new(left, 8.0 * scale, width - left - right, 108.0 * scale);
    let sizes = || input.values.iter().filter_map(|value| magnitude(*value));
    let across = Across {
        area,
        first: sizes().min().unwrap_or(0),
        last: sizes().max().unwrap_or(0),
    };
    let spreads = input
        .outcomes
        .iter()
        .map(|outcome| outcome.spread(measured));
    let highest = spreads.flatten().map(|spread| spread.highest).max();
    let (ticks, top) = ticks(measured, highest.unwrap_or(0));
    let y = |value: u64| {
        let share = value as f64 / top.max(1) as f64;
        area.bottom() - area.h * share.within(0.0, 1.0)
    };
    let (words, grid) = frame(&area, scale, ticks, labels(input, &across));
    let points: Vec<Point> = input
        .values
        .iter()
        .zip(input.outcomes)
        .zip(0..)
        .filter_map(|((value, outcome), index)| {
            let x = across.x(*value)?;
            let spread = outcome.spread(measured)?;
            Some((x, spread, index))
        })
        .collect();
    let dot = |&(x, spread, index): &Point| Dot {
        index,
        x,
        y: y(spread.median),
        text: format!(
            "{}: {}",
            input
                .values
                .get(index)
                .map_or_else(String::new, |value| input.control.value_text(*value)),
            sweep::spread(measured, Some(spread))
        ),
    };
    SweepChart {
        measure: measured,
        width,
        height: area.bottom() + 20.0 * scale,
        area,
        grid,
        words,
        band: band(&points, y),
        line: line(
            points.iter().map(|&(x, spread, _)| (x, y(spread.median))),
            'M',
        ),
        dots: points.iter().map(dot).collect(),
        mark: input.present.and_then(|value| across.x(value)),
    }
}

type Point = (f64, Spread, usize);

/// The words under the axis of the setting: round times, or some of its values.
fn labels(input: &SweepInput, across: &Across) -> Vec<(f64, String)> {
    if matches!(input.values.first(), Some(Value::Span(_))) && across.first < across.last {
        let ticks = time_ticks(Micros(across.first), Micros(across.last), SETTING_TICKS + 1);
        let area = across.area;
        return ticks
            .into_iter()
            .map(|tick| (area.x + area.w * tick.share, tick.label))
            .collect();
    }
    let last = input.values.len().saturating_sub(1);
    let step = last.div_ceil(SETTING_TICKS).max(1);
    let some = (0..=last).step_by(step);
    some.filter_map(|index| {
        let value = *input.values.get(index)?;
        let text = input.control.value_text(value);
        let short = text.split(" (").next().unwrap_or_default().to_owned();
        Some((across.x(value)?, short))
    })
    .collect()
}

fn ticks(measured: Measure, highest: u64) -> (Vec<Tick>, u64) {
    match measured.unit() {
        Unit::Span => span_ticks(Micros(highest), VALUE_TICKS),
        Unit::Count | Unit::Rate => count_ticks(highest, VALUE_TICKS),
    }
}

/// A line through points; `first` is how it gets to the first of them.
fn line(points: impl Iterator<Item = (f64, f64)>, first: char) -> String {
    let mut path = String::new();
    for (x, y) in points {
        let to = if path.is_empty() { first } else { 'L' };
        // Writing to a string does not fail.
        let _ = write!(path, "{to}{},{}", fixed(x, 1), fixed(y, 1));
    }
    path
}

/// From the lowest to the highest, there and back.
fn band(points: &[Point], y: impl Fn(u64) -> f64) -> String {
    let there = line(
        points.iter().map(|(x, spread, _)| (*x, y(spread.highest))),
        'M',
    );
    let back = points.iter().rev();
    let back = line(back.map(|(x, spread, _)| (*x, y(spread.lowest))), 'L');
    if there.is_empty() {
        there
    } else {
        there + &back + "Z"
    }
}

/// What a chart is called.
pub fn title(measured: Measure) -> &'static str {
    difference::label(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(lowest: u64, median: u64, highest: u64) -> Outcome {
        let mut spreads = [None; Measure::ALL.len()];
        spreads[Measure::DuplicateEffects as usize] = Some(Spread {
            lowest,
            median,
            highest,
        });
        Outcome {
            runs: 3,
            unfinished: 0,
            events: 1,
            spreads,
        }
    }

    fn charts(values: &[u64], outcomes: &[Outcome], present: u64) -> Vec<SweepChart> {
        let values: Vec<Value> = values
            .iter()
            .map(|seconds| Value::Span(Micros::from_secs(*seconds)))
            .collect();
        let (_, control) = Control::find("visibility-timeout").expect("it is in the table");
        SweepChart::all(&SweepInput {
            control,
            values: &values,
            outcomes,
            present: Some(Value::Span(Micros::from_secs(present))),
            width: 300.0,
            root_font: 16.0,
        })
    }

    #[test]
    fn values_stand_across_from_the_first_to_the_last_and_medians_as_high_as_they_are() {
        let charts = charts(
            &[1, 2, 5],
            &[outcome(0, 4, 4), outcome(0, 2, 4), outcome(0, 0, 0)],
            2,
        );
        let chart = &charts[0];
        let area = chart.area;
        let xs: Vec<f64> = chart.dots.iter().map(|dot| dot.x).collect();
        assert_eq!(xs, [area.x, area.x + area.w / 4.0, area.right()]);
        let top = chart.grid.iter().copied().fold(f64::MAX, f64::min);
        assert_eq!(top, area.y);
        assert!(chart.dots[0].y < chart.dots[1].y && chart.dots[2].y == area.bottom());
        assert_eq!(chart.mark, Some(area.x + area.w / 4.0));
        assert_eq!(chart.dots[1].text.replace('\u{a0}', " "), "2 s: 2 (0 to 4)");
    }

    #[test]
    fn a_chart_grows_to_the_right_as_the_sweep_goes_on_without_moving_what_stands() {
        let some = charts(&[1, 2, 5], &[outcome(0, 4, 4)], 9);
        let all = charts(
            &[1, 2, 5],
            &[outcome(0, 4, 4), outcome(1, 1, 1), outcome(0, 0, 0)],
            9,
        );
        assert_eq!(some[0].dots[..], all[0].dots[..1]);
        assert_eq!(some[0].mark, None, "9 s is beyond the range");
    }

    #[test]
    fn the_band_goes_round_and_a_measure_without_values_draws_nothing() {
        let charts = charts(&[1, 3], &[outcome(1, 2, 3), outcome(0, 0, 0)], 1);
        let corners = charts[0].band.matches(['M', 'L']).count();
        assert_eq!((corners, charts[0].band.ends_with('Z')), (4, true));
        assert_eq!((charts[2].line.as_str(), charts[2].band.as_str()), ("", ""));
        assert!(!charts[2].grid.is_empty());
    }

    #[test]
    fn words_are_within_the_drawing_and_no_smaller_than_can_be_read() {
        for chart in charts(&[1, 60], &[outcome(0, 1_200, 90_000)], 1) {
            for text in &chart.words {
                assert!(text.size >= 13.0);
                assert!(text.rect.y >= 0.0 && text.rect.bottom() <= chart.height + 0.01);
            }
        }
    }
}
