//! Simulated time: whole microseconds, for instants and spans alike.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// An instant (since the start of the run) or a span of simulated time, in microseconds.
///
/// Arithmetic saturates: a sum never wraps and a difference never goes below zero.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Micros(pub u64);

impl Micros {
    /// The start of a run, or no time at all.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens.
    pub const MAX: Self = Self(u64::MAX);

    /// `seconds` whole seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// `milliseconds` whole milliseconds.
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self(milliseconds.saturating_mul(1_000))
    }

    /// The value in seconds, for display and statistics only: nothing is decided by it.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// This value times `numerator / denominator`, rounded down; [`Micros::MAX`] when it does not fit.
    pub fn scaled(self, numerator: u64, denominator: u64) -> Self {
        let scaled = u128::from(self.0) * u128::from(numerator) / u128::from(denominator.max(1));
        Self(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

impl Add for Micros {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Micros {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Micros {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// Seconds with as many decimals as the value needs: `4`, `0.5`, `12.000001`.
impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if part == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{part:06}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_at_both_ends() {
        assert_eq!(Micros::MAX + Micros(1), Micros::MAX);
        assert_eq!(Micros(1) - Micros(2), Micros::ZERO);
        assert_eq!(Micros::MAX.scaled(3, 2), Micros::MAX);
    }

    #[test]
    fn display_shows_the_decimals_that_matter() {
        assert_eq!(Micros::from_millis(500).to_string(), "0.5");
        assert_eq!(Micros::from_secs(4).to_string(), "4");
        assert_eq!(Micros(12_000_001).to_string(), "12.000001");
    }
}
