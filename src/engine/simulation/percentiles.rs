//! Percentiles in bounded memory: counts in buckets whose width grows with the value.

use crate::engine::time::Micros;

/// Buckets an octave: a value is off by less than one part in 128.
const PER_OCTAVE_BITS: u32 = 7;

/// A histogram of spans.
#[derive(Clone, Default, Debug)]
pub(super) struct Percentiles {
    /// By number, those that have values.
    buckets: Vec<Bucket>,
    count: u64,
}

/// Values so close to each other that their mean stands for all.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    number: u16,
    count: u64,
    sum: u128,
}

impl Percentiles {
    /// About how many bytes a clone takes.
    pub(super) fn approximate_bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    pub(super) fn add(&mut self, span: Micros) {
        let number = bucket_of(span.0);
        let place = self
            .buckets
            .partition_point(|bucket| bucket.number < number);
        if self
            .buckets
            .get(place)
            .is_none_or(|bucket| bucket.number != number)
        {
            self.buckets.insert(
                place,
                Bucket {
                    number,
                    count: 0,
                    sum: 0,
                },
            );
        }
        let bucket = &mut self.buckets[place];
        bucket.count += 1;
        bucket.sum += u128::from(span.0);
        self.count += 1;
    }

    /// The smallest value that `percent` of all values do not exceed: exact where the values of its bucket are equal,
    /// else their mean; none without values.
    pub(super) fn percentile(&self, percent: u8) -> Option<Micros> {
        let share = u128::from(self.count) * u128::from(percent.min(100));
        let rank = share.div_ceil(100).max(1) as u64;
        let mut seen = 0;
        self.buckets.iter().find_map(|bucket| {
            seen += bucket.count;
            let mean = || Micros((bucket.sum / u128::from(bucket.count)) as u64);
            (seen >= rank).then(mean)
        })
    }
}

fn bucket_of(value: u64) -> u16 {
    let bits = 64 - value.leading_zeros();
    if bits <= PER_OCTAVE_BITS {
        return value as u16;
    }
    let shift = bits - PER_OCTAVE_BITS - 1;
    // The leading one and the seven bits behind it; each further octave adds another 128 buckets.
    ((u64::from(shift) << PER_OCTAVE_BITS) + (value >> shift)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowest_of(bucket: u16) -> u64 {
        let bucket = u64::from(bucket);
        let per_octave = 1u64 << PER_OCTAVE_BITS;
        if bucket < 2 * per_octave {
            return bucket;
        }
        let shift = bucket / per_octave - 1;
        (bucket - shift * per_octave) << shift
    }

    #[test]
    fn a_bucket_is_less_than_one_part_in_128_wide() {
        for value in [
            0,
            1,
            127,
            128,
            255,
            256,
            1_000,
            123_456,
            293_000_000,
            u64::MAX / 3,
            u64::MAX,
        ] {
            let low = lowest_of(bucket_of(value));
            assert!(low <= value && value - low <= value / 128, "{value} {low}");
        }
    }

    #[test]
    fn percentiles_are_of_the_values_added() {
        let mut percentiles = Percentiles::default();
        (1..=100).for_each(|value| percentiles.add(Micros(value)));
        assert_eq!(percentiles.percentile(50), Some(Micros(50)));
        assert_eq!(percentiles.percentile(99), Some(Micros(99)));
        assert_eq!(Percentiles::default().percentile(50), None);
        let mut equal = Percentiles::default();
        (0..3).for_each(|_| equal.add(Micros::from_secs(1)));
        assert_eq!(equal.percentile(99), Some(Micros::from_secs(1)));
    }
}
