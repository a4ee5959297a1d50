//! Axis ticks at round steps.

use crate::engine::Micros;

use super::format;
use super::geometry::Rect;
use super::measure;
use super::scene::{Align, Text, TextRole};

/// One tick.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// Where, from 0 (start of the axis) to 1 (its end).
    pub share: f64,
    /// What it says.
    pub label: String,
}

/// Steps of time that read well, in microseconds.
const STEPS: [u64; 30] = [
    1,
    10,
    100,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    15_000_000,
    30_000_000,
    60_000_000,
    120_000_000,
    300_000_000,
    600_000_000,
    900_000_000,
    1_800_000_000,
    3_600_000_000,
    7_200_000_000,
    21_600_000_000,
    43_200_000_000,
    86_400_000_000,
    864_000_000_000,
];

/// A word at an axis or a line of a drawing; `scale` is the root font size over 16.
pub fn word(text: String, rect: Rect, scale: f64, align: Align) -> Text {
    Text {
        text,
        rect,
        size: measure::SMALLEST * scale,
        strong: false,
        role: TextRole::Muted,
        align,
    }
}

/// What stands around the area of a drawing: the words of both axes, and the heights of the grid's lines. `up` are the
/// ticks of the values, `along` where the words below the area stand; `scale` is the root font size over 16.
pub fn frame(
    area: &Rect,
    scale: f64,
    up: Vec<Tick>,
    along: Vec<(f64, String)>,
) -> (Vec<Text>, Vec<f64>) {
    let size = measure::SMALLEST * scale;
    let mut words = Vec::new();
    let mut grid = Vec::new();
    for tick in up {
        let y = area.bottom() - area.h * tick.share;
        grid.push(y);
        let rect = Rect::new(0.0, y - size / 2.0, area.x - 6.0 * scale, size);
        words.push(word(tick.label, rect, scale, Align::End));
    }
    for (x, label) in along {
        let rect = Rect::new(x - 40.0, area.bottom() + 4.0 * scale, 80.0, size);
        words.push(word(label, rect, scale, Align::Middle));
    }
    (words, grid)
}

/// Ticks of a time axis from `from` to `until`, at most `most` of them, at round times.
pub fn time_ticks(from: Micros, until: Micros, most: usize) -> Vec<Tick> {
    let length = (until - from).0;
    if length == 0 || most == 0 {
        return Vec::new();
    }
    let most = most as u64;
    let largest = STEPS.last().copied().unwrap_or(1);
    let step = STEPS
        .into_iter()
        .find(|step| length / step < most)
        .unwrap_or_else(|| largest.saturating_mul(length / largest / most + 1));
    let first = from.0.div_ceil(step);
    (first..)
        .map_while(|n| n.checked_mul(step).filter(|at| *at <= until.0))
        .map(|at| Tick {
            share: (at - from.0) as f64 / length as f64,
            label: format::span(Micros(at)),
        })
        .collect()
}

/// Ticks of an axis of counts from 0 to at least `highest`, at most `most` of them above zero, and the axis' end.
pub fn count_ticks(highest: u64, most: usize) -> (Vec<Tick>, u64) {
    let most = most.max(1) as u64;
    let mut decade = 1_u64;
    let step = loop {
        let round = [1, 2, 5].map(|n: u64| decade.saturating_mul(n));
        if let Some(step) = round
            .into_iter()
            .find(|step| highest.div_ceil(*step) <= most)
        {
            break step;
        }
        decade = decade.saturating_mul(10);
    };
    let steps = highest.div_ceil(step).max(1);
    let end = step.saturating_mul(steps);
    let tick = |n: u64| Tick {
        share: n as f64 / steps as f64,
        label: format::count(step.saturating_mul(n)),
    };
    ((0..=steps).map(tick).collect(), end)
}

/// Ticks of an axis of spans from 0 to at least `highest`, at most `most` of them above zero, and the axis' end.
pub fn span_ticks(highest: Micros, most: usize) -> (Vec<Tick>, u64) {
    let most = most.max(1) as u64;
    let largest = STEPS.last().copied().unwrap_or(1);
    let highest = highest.0.max(1_000_000);
    let step = STEPS
        .into_iter()
        .find(|step| highest.div_ceil(*step) <= most)
        .unwrap_or_else(|| largest.saturating_mul(highest.div_ceil(largest).div_ceil(most)));
    let steps = highest.div_ceil(step).max(1);
    let tick = |n: u64| Tick {
        share: n as f64 / steps as f64,
        label: format::span(Micros(step.saturating_mul(n))),
    };
    ((0..=steps).map(tick).collect(), step.saturating_mul(steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<String> {
        ticks
            .iter()
            .map(|tick| tick.label.replace('\u{a0}', " "))
            .collect()
    }

    #[test]
    fn times_are_round_and_few() {
        let ticks = time_ticks(Micros::ZERO, Micros::from_secs(16), 9);
        assert_eq!(
            labels(&ticks),
            [
                "0 s", "2 s", "4 s", "6 s", "8 s", "10 s", "12 s", "14 s", "16 s"
            ]
        );
        let ticks = time_ticks(Micros::from_secs(61), Micros::from_secs(3_600), 8);
        assert_eq!(
            labels(&ticks),
            ["10 min", "20 min", "30 min", "40 min", "50 min", "1 h"]
        );
    }

    #[test]
    fn any_length_has_a_bounded_number_of_ticks() {
        for exponent in 0..63 {
            let ticks = time_ticks(Micros::ZERO, Micros(1 << exponent), 8);
            assert!(
                (1..=9).contains(&ticks.len()),
                "{exponent}: {}",
                ticks.len()
            );
        }
        assert!(time_ticks(Micros(5), Micros(5), 8).is_empty());
    }

    #[test]
    fn counts_end_at_a_round_number_above_the_highest() {
        let (ticks, end) = count_ticks(37, 4);
        assert_eq!(
            (labels(&ticks).join(" "), end),
            ("0 10 20 30 40".into(), 40)
        );
        let (ticks, end) = span_ticks(Micros::from_secs(700), 3);
        assert_eq!(labels(&ticks).join(", "), "0 s, 5 min, 10 min, 15 min");
        assert_eq!(end, 900_000_000);
        assert_eq!(span_ticks(Micros::ZERO, 3).1, 1_000_000);
        assert!(span_ticks(Micros::MAX, 3).0.len() <= 4);
        assert_eq!(count_ticks(0, 4).1, 1);
        assert!(count_ticks(u64::MAX, 4).0.len() <= 6);
    }
}
