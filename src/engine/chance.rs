//! Chance: every draw is a pure function of seed, stream, purpose and index.
//!
//! A run holds no generator state, so a draw does not depend on how many were made before it, and two settings can
//! be compared on the same arrivals and the same work. Decisions compare integers; the few transcendental
//! functions come from `libm`, so that native code and WebAssembly agree to the bit.

use super::setup::{Chance, Processing};
use super::time::Micros;

/// What a draw decides. Draws of different purposes are independent of each other.
///
/// The numbers are part of what makes a run repeatable: they are never changed or used again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Purpose {
    /// Time until the next send; by send number.
    Arrival = 1,
    /// Group of a send; by send number.
    Group = 2,
    /// Whether a send is poison; by send number.
    Poison = 3,
    /// Processing time; by message and delivery number.
    Processing = 4,
    /// Whether a handler fails; by message and delivery number.
    Failure = 5,
    /// Jitter of a back-off; by message and delivery number.
    Jitter = 6,
    /// Whether a send is lost; by send number and attempt.
    LoseSend = 7,
    /// Whether a confirm is lost; by send number and attempt.
    LoseConfirm = 8,
    /// Whether a receive response is lost; by message and delivery number.
    LoseResponse = 9,
    /// Whether an ack is lost; by message and delivery number.
    LoseAck = 10,
    /// Which shards a short poll asks; by call number.
    Shard = 11,
    /// Whether a copy survives its ack; by the copy's sequence in its queue and delivery number.
    Surplus = 12,
    /// Where a poller begins in its interval; by call number.
    Poll = 13,
    /// Which shard holds a copy; by its sequence in its queue.
    Placement = 14,
    /// Priority of a send; by send number.
    Priority = 15,
    /// When a changed setting acts; by number of the change.
    Propagation = 16,
}

/// The stream of a named actor: the 64-bit FNV-1a hash of its name.
pub const fn stream(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
}

/// The draw of this seed, stream, purpose and index: 64 uniform bits.
pub const fn draw(seed: u64, stream: u64, purpose: Purpose, index: u64) -> u64 {
    let actor = mix(mix(seed) ^ stream);
    mix(mix(actor ^ purpose as u64) ^ index)
}

/// The index of a draw made for one delivery of a message.
pub const fn delivery_index(message: u32, delivery: u32) -> u64 {
    (message as u64) << 32 | delivery as u64
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014) from this state.
const fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A whole number from 0 to `n - 1`; 0 for `n` = 0. Grows with the draw.
pub const fn uniform_below(draw: u64, n: u64) -> u64 {
    ((draw as u128 * n as u128) >> 64) as u64
}

/// A whole number from `min` to `max`, both included; `min` when they are the wrong way round.
pub const fn uniform_between(draw: u64, min: u64, max: u64) -> u64 {
    match max.saturating_sub(min).checked_add(1) {
        Some(n) => min + uniform_below(draw, n),
        None => draw,
    }
}

/// An exponential value of mean 1, in units of 2^-32. Falls as the draw grows.
pub fn unit_exponential(draw: u64) -> u64 {
    (-libm::log(unit_interval(draw)) * 4_294_967_296.0) as u64
}

/// A standard normal value (Box and Muller 1958).
pub fn standard_normal(draw: u64) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(unit_interval(draw)));
    radius * libm::cos(std::f64::consts::TAU * unit_interval(mix(draw)))
}

/// A multiple of 2^-53 in (0, 1].
fn unit_interval(draw: u64) -> f64 {
    ((draw >> 11) + 1) as f64 / 9_007_199_254_740_992.0
}

/// `mean` times a value of [`unit_exponential`]; [`Micros::MAX`] when it does not fit.
pub fn exponential(mean: Micros, unit: u64) -> Micros {
    mean.scaled(unit, 1 << 32)
}

impl Chance {
    /// Whether this draw falls into the chance. A draw that does so also falls into every greater chance.
    pub const fn happens(self, draw: u64) -> bool {
        uniform_below(draw, 1_000_000) < self.0 as u64
    }
}

/// The processing time that a draw gives for the `delivery`th delivery of a message, counted from 1.
pub fn sample(processing: &Processing, draw: u64, delivery: u32) -> Micros {
    match *processing {
        Processing::Constant(time) => time,
        Processing::Uniform { min, max } => Micros(uniform_between(draw, min.0, max.0)),
        Processing::Exponential { mean } => exponential(mean, unit_exponential(draw)),
        Processing::LogNormal {
            median,
            sigma_milli,
        } => {
            let sigma = f64::from(sigma_milli) / 1000.0;
            let factor = libm::exp(sigma * standard_normal(draw));
            Micros(libm::round(median.0 as f64 * factor) as u64)
        }
        Processing::SlowThenFast {
            slow,
            fast,
            slow_deliveries,
        } => {
            if delivery <= slow_deliveries {
                slow
            } else {
                fast
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Micros = Micros::from_secs(1);
    const GOLDEN_DRAWS: [u64; 3] = [
        14_868_094_530_224_338_974,
        10_365_750_206_770_232_705,
        138_083_920_303_814_745,
    ];
    const GOLDEN_SAMPLES: [(u64, u64, u64); 3] = [
        (926_296_763, 1_379_972, 82),
        (2_475_536_513, 1_094_736, 60),
        (21_022_926_645, 1_441_227, 10),
    ];

    fn draws(n: u64) -> impl Iterator<Item = u64> {
        (0..n).map(|index| draw(7, stream("shop"), Purpose::Processing, index))
    }

    #[test]
    fn draws_never_change_from_one_version_to_the_next() {
        assert_eq!(stream(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(stream("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(
            mix(0),
            0xe220_a839_7b1d_cdaf,
            "SplitMix64's first output for seed 0"
        );
        let first: Vec<u64> = draws(3).collect();
        assert_eq!(first, GOLDEN_DRAWS);
    }

    #[test]
    fn samples_never_change_from_one_version_to_the_next() {
        let log_normal = Processing::LogNormal {
            median: SECOND,
            sigma_milli: 500,
        };
        let sampled: Vec<_> = draws(3)
            .map(|draw| {
                (
                    unit_exponential(draw),
                    sample(&log_normal, draw, 1).0,
                    uniform_between(draw, 10, 99),
                )
            })
            .collect();
        assert_eq!(sampled, GOLDEN_SAMPLES);
    }

    #[test]
    fn every_part_of_the_key_changes_the_draw() {
        let base = draw(1, 2, Purpose::Arrival, 3);
        assert_ne!(base, draw(2, 2, Purpose::Arrival, 3));
        assert_ne!(base, draw(1, 3, Purpose::Arrival, 3));
        assert_ne!(base, draw(1, 2, Purpose::Group, 3));
        assert_ne!(base, draw(1, 2, Purpose::Arrival, 4));
    }

    #[test]
    fn a_chance_of_zero_never_happens_and_a_chance_of_a_million_always() {
        for draw in draws(1000).chain([0, u64::MAX]) {
            assert!(!Chance(0).happens(draw));
            assert!(Chance(1_000_000).happens(draw));
        }
        let happened = draws(10_000).filter(|&draw| Chance(250_000).happens(draw));
        assert!((2_300..2_700).contains(&happened.count()));
    }

    #[test]
    fn whole_numbers_stay_between_their_ends_and_reach_both() {
        let dice: Vec<u64> = draws(200).map(|draw| uniform_between(draw, 1, 6)).collect();
        assert_eq!(dice.iter().min(), Some(&1));
        assert_eq!(dice.iter().max(), Some(&6));
        assert_eq!(uniform_between(u64::MAX, 0, u64::MAX), u64::MAX);
        assert_eq!(uniform_between(5, 9, 3), 9);
        assert_eq!(uniform_below(u64::MAX, 0), 0);
    }

    #[test]
    fn samples_have_the_mean_and_median_that_were_asked_for() {
        let n = 20_000;
        let exponential = Processing::Exponential { mean: SECOND };
        let sum: u64 = draws(n).map(|draw| sample(&exponential, draw, 1).0).sum();
        assert!((970_000..1_030_000).contains(&(sum / n)), "{}", sum / n);
        let log_normal = Processing::LogNormal {
            median: SECOND,
            sigma_milli: 1000,
        };
        let below = draws(n).filter(|&draw| sample(&log_normal, draw, 1) < SECOND);
        assert!((9_700..10_300).contains(&below.count()));
    }

    #[test]
    fn extreme_draws_and_settings_stay_in_range() {
        for draw in [0, 1, u64::MAX] {
            assert!(unit_exponential(draw) < 40 << 32);
            assert!(standard_normal(draw).is_finite());
            let wild = Processing::LogNormal {
                median: Micros::MAX,
                sigma_milli: u32::MAX,
            };
            assert!(sample(&wild, draw, 1) <= Micros::MAX);
        }
        assert_eq!(exponential(Micros::MAX, 2 << 32), Micros::MAX);
    }

    #[test]
    fn slow_then_fast_looks_at_the_delivery_number_alone() {
        let processing = Processing::SlowThenFast {
            slow: SECOND,
            fast: Micros(1),
            slow_deliveries: 2,
        };
        let times: Vec<Micros> = (1..=3).map(|n| sample(&processing, 99, n)).collect();
        assert_eq!(times, [SECOND, SECOND, Micros(1)]);
    }
}
