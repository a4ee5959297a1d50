//! Sparklines: step lines of a series, as points in a box.

use std::fmt::Write as _;

use super::format::fixed;
use super::geometry::{Point, Rect};

/// The corners of a step line through values at equal distances, in a box, zero at its foot and the highest value at
/// its top. Each value holds up to the next; the last one to the right edge. `shown` of them are drawn from the left,
/// so that what is not played yet stays free.
pub fn steps(values: &[u64], shown: f64, area: Rect) -> Vec<Point> {
    let highest = values.iter().copied().max().unwrap_or(0).max(1) as f64;
    let whole = shown.max(1.0);
    let mut points: Vec<Point> = Vec::with_capacity(values.len() * 2);
    for (i, value) in values.iter().enumerate() {
        let at = |i: f64| area.x + area.w * (i / whole).min(1.0);
        let y = area.bottom() - area.h * (*value as f64 / highest);
        if points.last().is_none_or(|last| (last.y - y).abs() > 1e-9) {
            points.push(Point::new(at(i as f64), y));
        }
        points.push(Point::new(at(i as f64 + 1.0), y));
    }
    without_middles(points)
}

/// The same as the `d` of an SVG path in a box from the origin; empty without values.
pub fn path(values: &[u64], width: f64, height: f64) -> String {
    let inset = 1.5;
    let area = Rect::new(0.0, inset, width, (height - 2.0 * inset).max(1.0));
    let mut d = String::new();
    for (i, point) in steps(values, values.len() as f64, area).iter().enumerate() {
        let letter = if i == 0 { 'M' } else { 'L' };
        let _ = write!(d, "{letter}{},{}", fixed(point.x, 1), fixed(point.y, 1));
    }
    d
}

/// At most one value a pixel: the highest of each group, so that no peak is lost.
pub fn thinned(values: &[u64], most: usize) -> Vec<u64> {
    let size = values.len().div_ceil(most.max(1)).max(1);
    values
        .chunks(size)
        .map(|group| group.iter().copied().max().unwrap_or(0))
        .collect()
}

/// Leaves out points between two others on one level.
fn without_middles(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if let [.., before, last] = kept.as_mut_slice()
            && (before.y - last.y).abs() < 1e-9
            && (last.y - point.y).abs() < 1e-9
        {
            *last = point;
            continue;
        }
        kept.push(point);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_steps_holds_each_value_to_the_next() {
        let points = steps(&[0, 0, 2, 1], 4.0, Rect::new(0.0, 0.0, 40.0, 10.0));
        let corners: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!(
            corners,
            [
                (0.0, 10.0),
                (20.0, 10.0),
                (20.0, 0.0),
                (30.0, 0.0),
                (30.0, 5.0),
                (40.0, 5.0)
            ]
        );
    }

    #[test]
    fn nothing_and_zeros_are_drawn_without_dividing_by_zero() {
        assert_eq!(path(&[], 100.0, 30.0), "");
        assert_eq!(path(&[0, 0], 100.0, 30.0), "M0.0,28.5L100.0,28.5");
    }

    #[test]
    fn thinning_keeps_the_peaks() {
        assert_eq!(thinned(&[1, 9, 2, 3, 4], 3), [9, 3, 4]);
        assert_eq!(thinned(&[1, 2], 10), [1, 2]);
    }
}
