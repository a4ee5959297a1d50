//! Points, rectangles and curves on the stage, in CSS pixels from its top left corner.

/// Holding a number between two others. In place of [`f64::clamp`], whose panic prints floats, and for the whole page.
pub trait Within {
    /// The number, or the bound that it is beyond. What is not a number is `least`; of crossed bounds `most` holds.
    fn within(self, least: Self, most: Self) -> Self;
}

impl Within for f64 {
    fn within(self, least: f64, most: f64) -> f64 {
        if self > most {
            most
        } else if self >= least {
            self
        } else {
            least
        }
    }
}

/// A point.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A rectangle with its sides along the axes.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

/// A cubic curve.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Cubic {
    /// Start.
    pub from: Point,
    /// Control point of the start.
    pub out: Point,
    /// Control point of the end.
    pub into: Point,
    /// End.
    pub to: Point,
}

/// Curves joined end to end: the course of a wire.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Path(pub Vec<Cubic>);

impl Point {
    /// A point.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
}

impl Rect {
    /// A rectangle.
    pub const fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// Middle.
    pub fn centre(&self) -> Point {
        Point::new(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// The smallest rectangle around both.
    pub fn with(&self, other: &Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let right = self.right().max(other.right());
        Self::new(x, y, right - x, self.bottom().max(other.bottom()) - y)
    }

    /// Whether the point is inside or on the edge.
    pub fn contains(&self, point: Point) -> bool {
        point.x >= self.x
            && point.x <= self.right()
            && point.y >= self.y
            && point.y <= self.bottom()
    }

    /// Whether `other` is inside, a hundredth of a pixel allowed.
    pub fn encloses(&self, other: &Self) -> bool {
        other.x >= self.x - 0.01
            && other.y >= self.y - 0.01
            && other.right() <= self.right() + 0.01
            && other.bottom() <= self.bottom() + 0.01
    }

    /// Whether the two have area in common, a hundredth of a pixel allowed.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x + 0.01 < other.right()
            && other.x + 0.01 < self.right()
            && self.y + 0.01 < other.bottom()
            && other.y + 0.01 < self.bottom()
    }
}

impl Cubic {
    /// A curve that leaves and arrives sideways, for stations beside each other.
    pub fn across(from: Point, to: Point) -> Self {
        let middle = (from.x + to.x) / 2.0;
        Self {
            from,
            out: Point::new(middle, from.y),
            into: Point::new(middle, to.y),
            to,
        }
    }

    /// A curve that leaves and arrives vertically, for stations below each other.
    pub fn down(from: Point, to: Point) -> Self {
        let middle = (from.y + to.y) / 2.0;
        Self {
            from,
            out: Point::new(from.x, middle),
            into: Point::new(to.x, middle),
            to,
        }
    }

    /// The point at `t` from 0 (start) to 1 (end).
    pub fn at(&self, t: f64) -> Point {
        let t = t.within(0.0, 1.0);
        let u = 1.0 - t;
        let mix = |a: f64, b: f64, c: f64, d: f64| {
            u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
        };
        Point::new(
            mix(self.from.x, self.out.x, self.into.x, self.to.x),
            mix(self.from.y, self.out.y, self.into.y, self.to.y),
        )
    }

    /// A straight line.
    pub fn straight(from: Point, to: Point) -> Self {
        let third =
            |a: Point, b: Point| Point::new((2.0 * a.x + b.x) / 3.0, (2.0 * a.y + b.y) / 3.0);
        Self {
            from,
            out: third(from, to),
            into: third(to, from),
            to,
        }
    }

    /// Distance between its ends, for sharing out time over a path.
    fn chord(&self) -> f64 {
        let (dx, dy) = (self.to.x - self.from.x, self.to.y - self.from.y);
        (dx * dx + dy * dy).sqrt()
    }

    /// The same curve the other way.
    pub fn reversed(&self) -> Self {
        Self {
            from: self.to,
            out: self.into,
            into: self.out,
            to: self.from,
        }
    }
}

impl Path {
    /// A path of straight legs through `points`, its corners rounded by `radius`.
    pub fn rounded(points: &[Point], radius: f64) -> Self {
        let mut parts = Vec::new();
        let Some((&first, rest)) = points.split_first() else {
            return Self(parts);
        };
        let mut at = first;
        for (i, &corner) in rest.iter().enumerate() {
            match rest.get(i + 1) {
                Some(&next) => {
                    let before = toward(corner, at, radius);
                    let after = toward(corner, next, radius);
                    parts.push(Cubic::straight(at, before));
                    parts.push(Cubic {
                        from: before,
                        out: toward(corner, before, radius * 0.45),
                        into: toward(corner, after, radius * 0.45),
                        to: after,
                    });
                    at = after;
                }
                None => parts.push(Cubic::straight(at, corner)),
            }
        }
        Self(parts)
    }

    /// The point at `t` from 0 (start) to 1 (end), at even speed.
    pub fn at(&self, t: f64) -> Point {
        let lengths: Vec<f64> = self.0.iter().map(Cubic::chord).collect();
        let mut left = t.within(0.0, 1.0) * lengths.iter().sum::<f64>();
        for (part, length) in self.0.iter().zip(lengths) {
            if left <= length && length > 0.0 {
                return part.at(left / length);
            }
            left -= length;
        }
        self.0.last().map_or(Point::default(), |part| part.to)
    }

    /// The same path the other way.
    pub fn reversed(&self) -> Self {
        Self(self.0.iter().rev().map(Cubic::reversed).collect())
    }

    /// Multiplies all coordinates.
    pub fn scale(&mut self, factor: f64) {
        for part in &mut self.0 {
            for point in [&mut part.from, &mut part.out, &mut part.into, &mut part.to] {
                point.x *= factor;
                point.y *= factor;
            }
        }
    }

    /// Where it starts.
    pub fn start(&self) -> Point {
        self.0.first().map_or(Point::default(), |part| part.from)
    }

    /// Where it ends.
    pub fn end(&self) -> Point {
        self.0.last().map_or(Point::default(), |part| part.to)
    }
}

/// The point `distance` from `from` on the way to `to`, at most half way.
fn toward(from: Point, to: Point, distance: f64) -> Point {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = (dx * dx + dy * dy).sqrt();
    if length <= 0.0 {
        return from;
    }
    let share = (distance / length).min(0.5);
    Point::new(from.x + dx * share, from.y + dy * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_starts_ends_and_turns_around() {
        let corners = [
            Point::new(0.0, 0.0),
            Point::new(100.0, 0.0),
            Point::new(100.0, 50.0),
        ];
        let path = Path::rounded(&corners, 8.0);
        assert_eq!((path.at(0.0), path.at(1.0)), (corners[0], corners[2]));
        assert_eq!(path.reversed().at(0.0), corners[2]);
        assert_eq!(path.at(0.3).y, 0.0, "the first leg is straight");
    }

    #[test]
    fn rectangles_that_touch_do_not_overlap() {
        let left = Rect::new(0.0, 0.0, 10.0, 10.0);
        assert!(!left.overlaps(&Rect::new(10.0, 0.0, 10.0, 10.0)));
        assert!(left.overlaps(&Rect::new(9.0, 9.0, 10.0, 10.0)));
    }
}
