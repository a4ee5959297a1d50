//! Sharing out a span among things that stand one after the other.

/// Least and greatest length of one thing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// It is at least this long.
    pub least: f64,
    /// It does not grow beyond this.
    pub most: f64,
}

/// Least length and no growth.
pub const fn fixed(length: f64) -> Range {
    Range {
        least: length,
        most: length,
    }
}

/// A length that may grow.
pub const fn range(least: f64, most: f64) -> Range {
    Range { least, most }
}

/// Length that all need at least.
pub fn least(ranges: &[Range], gap: f64) -> f64 {
    ranges.iter().map(|range| range.least).sum::<f64>()
        + gap * ranges.len().saturating_sub(1) as f64
}

/// Start and length of each within `length` from `start`: all grow evenly, then the gaps up to `widest`, and what is
/// left stays free at both ends.
pub fn share(start: f64, length: f64, ranges: &[Range], gap: f64, widest: f64) -> Vec<(f64, f64)> {
    let gaps = ranges.len().saturating_sub(1) as f64;
    let free = (length - least(ranges, gap)).max(0.0);
    let room: f64 = ranges
        .iter()
        .map(|range| (range.most - range.least).max(0.0))
        .sum();
    let growth = if room > 0.0 {
        (free / room).min(1.0)
    } else {
        0.0
    };
    let free = free - growth * room;
    let wider = if gaps > 0.0 {
        (free / gaps).min((widest - gap).max(0.0))
    } else {
        0.0
    };
    let mut at = start + (free - wider * gaps) / 2.0;
    let mut places = Vec::with_capacity(ranges.len());
    for range in ranges {
        let size = range.least + growth * (range.most - range.least).max(0.0);
        places.push((at, size));
        at += size + gap + wider;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_grow_before_gaps_and_the_rest_is_centred() {
        let ranges = [fixed(10.0), range(10.0, 20.0)];
        assert_eq!(
            share(0.0, 24.0, &ranges, 4.0, 8.0),
            [(0.0, 10.0), (14.0, 10.0)]
        );
        assert_eq!(
            share(0.0, 34.0, &ranges, 4.0, 8.0),
            [(0.0, 10.0), (14.0, 20.0)]
        );
        assert_eq!(
            share(0.0, 58.0, &ranges, 4.0, 8.0),
            [(10.0, 10.0), (28.0, 20.0)]
        );
    }
}
