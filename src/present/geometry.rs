//! Points, rectangles and curves on the stage, in CSS pixels from its top left corner.

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
        let t = t.clamp(0.0, 1.0);
        let u = 1.0 - t;
        let mix = |a: f64, b: f64, c: f64, d: f64| {
            u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
        };
        Point::new(
            mix(self.from.x, self.out.x, self.into.x, self.to.x),
            mix(self.from.y, self.out.y, self.into.y, self.to.y),
        )
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
