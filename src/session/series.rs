//! Numbers over time, in a bounded number of buckets.
//!
//! A value is taken at every bucket's end and is exactly what the page shows at that instant. What a count reached
//! between two ends is kept beside it as the bucket's peak, so that a short spike does not vanish from a long run.

use crate::engine::snapshot::QueueView;
use crate::engine::{Micros, Simulation, Snapshot};

macro_rules! quantities {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// What is kept over time. Counts are of the whole run; a dead-letter queue counts only for
        /// [`Quantity::DeadLetters`].
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Quantity { $($(#[$meta])* $name,)* }

        impl Quantity {
            /// All of them, in order.
            pub const ALL: [Self; [$(Self::$name),*].len()] = [$(Self::$name,)*];
        }
    };
}

quantities! {
    /// Messages ready, or locked behind their group.
    Ready,
    /// Messages in flight.
    InFlight,
    /// Messages delayed.
    Delayed,
    /// Messages in dead-letter queues.
    DeadLetters,
    /// Longest present wait of a ready message, in microseconds.
    OldestWait,
    /// Accepted sends so far.
    Accepted,
    /// Deliveries so far.
    Deliveries,
    /// Messages removed by acks so far.
    Acked,
    /// Effects so far.
    Effects,
    /// Duplicate effects so far.
    DuplicateEffects,
    /// Moves to dead-letter queues so far.
    DeadLettered,
    /// Messages lost so far.
    Lost,
    /// Messages that took effect out of order so far.
    OutOfOrder,
    /// Latency of the messages that had their effect so far, in microseconds: the median; 0 before the first.
    Latency50,
    /// The same, 95th percentile.
    Latency95,
    /// The same, 99th percentile.
    Latency99,
}

/// The quantities that have peaks: the first of all.
const PEAKS: usize = Quantity::OldestWait as usize + 1;

impl Quantity {
    /// Its value in a snapshot. Series are made of these, so a line and a number beside it agree.
    pub fn of(self, snapshot: &Snapshot) -> u64 {
        let totals = &snapshot.totals;
        match self {
            Self::Ready => sum(snapshot, false, |queue| queue.counts.ready),
            Self::InFlight => sum(snapshot, false, |queue| queue.counts.in_flight),
            Self::Delayed => sum(snapshot, false, |queue| queue.counts.delayed),
            Self::DeadLetters => sum(snapshot, true, |queue| {
                queue.counts.ready + queue.counts.in_flight + queue.counts.delayed
            }),
            Self::OldestWait => snapshot
                .queues
                .iter()
                .filter(|queue| !queue.is_dead_letter_queue)
                .filter_map(|queue| queue.oldest_since)
                .min()
                .map_or(0, |since| (snapshot.at - since).0),
            Self::Accepted => totals.accepted,
            Self::Deliveries => totals.deliveries,
            Self::Acked => totals.acked,
            Self::Effects => totals.effects,
            Self::DuplicateEffects => totals.duplicate_effects,
            Self::DeadLettered => totals.dead_lettered,
            Self::Lost => totals.lost,
            Self::OutOfOrder => totals.out_of_order,
            Self::Latency50 => totals.latency[0].map_or(0, |span| span.0),
            Self::Latency95 => totals.latency[1].map_or(0, |span| span.0),
            Self::Latency99 => totals.latency[2].map_or(0, |span| span.0),
        }
    }
}

fn sum(snapshot: &Snapshot, dead_letters: bool, count: impl Fn(&QueueView) -> u64) -> u64 {
    snapshot
        .queues
        .iter()
        .filter(|queue| queue.is_dead_letter_queue == dead_letters)
        .map(count)
        .sum()
}

/// What is kept of one bucket.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// By [`Quantity`], at its end.
    values: [u64; Quantity::ALL.len()],
    /// Highest values from the end of the bucket before to this one's, of the first quantities.
    peaks: [u64; PEAKS],
    /// See [`Simulation::group_waits`]; the longest of those taken in it.
    waits: [Micros; Simulation::GROUP_WAITS],
}

/// The quantities of a run over time: values at equal distances from time 0 on, at most [`Series::BUCKETS`] of
/// them; the distance doubles as the run grows. A value holds from its time to the next one: a step line.
///
/// Peaks of messages ready, in flight, delayed and dead-lettered are exact; states that last no time do not count, and
/// in the bucket of a fork only what was after it does. The peak of the oldest message's wait is that of the values
/// taken: between two of them it can have been longer by their distance at most.
#[derive(Clone, Debug)]
pub struct Series {
    width: Micros,
    samples: Vec<Sample>,
    /// Highest levels since the newest value was taken.
    peaks: [u64; 4],
}

impl Default for Series {
    fn default() -> Self {
        Self {
            width: Self::NARROWEST,
            samples: Vec::new(),
            peaks: [0; 4],
        }
    }
}

impl Series {
    /// Most values kept of a quantity.
    pub const BUCKETS: usize = 512;
    /// Distance of two values at first.
    pub const NARROWEST: Micros = Micros::from_millis(10);

    /// Distance of two values now.
    pub fn width(&self) -> Micros {
        self.width
    }

    /// Times and values of a quantity, oldest first, up to and including `until`.
    pub fn points(&self, quantity: Quantity, until: Micros) -> impl Iterator<Item = (Micros, u64)> {
        let width = self.width.0;
        self.samples
            .iter()
            .zip(0_u64..)
            .map(move |(sample, index)| {
                let value = sample.values.get(quantity as usize).copied().unwrap_or(0);
                (Micros(index.saturating_mul(width)), value)
            })
            .take_while(move |(at, _)| *at <= until)
    }

    /// How many values there are of each quantity; the first is of time 0, the others follow at [`Series::width`].
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there are none yet.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// The value of this number; none beyond what is known.
    pub fn value(&self, quantity: Quantity, index: usize) -> Option<u64> {
        self.samples
            .get(index)?
            .values
            .get(quantity as usize)
            .copied()
    }

    /// The highest value from the one before this number up to it. Quantities that only grow are their own peaks.
    pub fn peak(&self, quantity: Quantity, index: usize) -> Option<u64> {
        let sample = self.samples.get(index)?;
        let peak = sample.peaks.get(quantity as usize);
        peak.or(sample.values.get(quantity as usize)).copied()
    }

    /// How long the messages of a group wait; see [`Simulation::group_waits`] for what a slot is.
    pub fn group_wait(&self, slot: usize, index: usize) -> Option<Micros> {
        self.samples.get(index)?.waits.get(slot).copied()
    }

    /// When the next value is to be taken.
    pub(super) fn next_at(&self) -> Micros {
        Micros((self.samples.len() as u64).saturating_mul(self.width.0))
    }

    /// Takes note of messages ready, in flight, delayed and in dead-letter queues, between two values.
    pub(super) fn hold(&mut self, levels: [u64; 4]) {
        for (peak, level) in self.peaks.iter_mut().zip(levels) {
            *peak = level.max(*peak);
        }
    }

    /// Takes the values at [`Series::next_at`].
    pub(super) fn sample(&mut self, snapshot: &Snapshot, waits: [Micros; Simulation::GROUP_WAITS]) {
        let values = Quantity::ALL.map(|quantity| quantity.of(snapshot));
        let mut peaks = [0; PEAKS];
        for (place, peak) in peaks.iter_mut().enumerate() {
            let before = self.peaks.get(place).copied().unwrap_or(0);
            *peak = values.get(place).copied().unwrap_or(0).max(before);
        }
        self.samples.push(Sample {
            values,
            peaks,
            waits,
        });
        self.begin_bucket();
        if self.samples.len() > Self::BUCKETS {
            self.halve();
        }
    }

    /// Joins buckets in pairs. The first value, of time 0, has no other.
    fn halve(&mut self) {
        let mut joined = Vec::with_capacity(Self::BUCKETS);
        joined.extend(self.samples.first());
        for pair in self.samples.get(1..).unwrap_or_default().chunks_exact(2) {
            let [first, second] = pair else { break };
            let mut sample = *second;
            for (peak, before) in sample.peaks.iter_mut().zip(first.peaks) {
                *peak = before.max(*peak);
            }
            for (wait, before) in sample.waits.iter_mut().zip(first.waits) {
                *wait = before.max(*wait);
            }
            joined.push(sample);
        }
        self.samples = joined;
        self.width = Micros(self.width.0.saturating_mul(2));
    }

    /// Forgets the values of `from` and later.
    pub(super) fn cut(&mut self, from: Micros) {
        let keep = from.0.div_ceil(self.width.0.max(1));
        self.samples
            .truncate(usize::try_from(keep).unwrap_or(usize::MAX));
        self.begin_bucket();
    }

    /// What is there at a bucket's end holds into the next one.
    fn begin_bucket(&mut self) {
        let values = self
            .samples
            .last()
            .map_or([0; Quantity::ALL.len()], |sample| sample.values);
        let [ready, in_flight, delayed, dead_letters, ..] = values;
        self.peaks = [ready, in_flight, delayed, dead_letters];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Setup;

    fn empty() -> Snapshot {
        let setup = Setup::empty();
        Simulation::new(setup.into()).snapshot()
    }

    fn filled(count: usize) -> Series {
        let mut series = Series::default();
        for index in 0..count as u64 {
            let mut snapshot = empty();
            snapshot.totals.effects = index;
            series.sample(&snapshot, [Micros::ZERO; Simulation::GROUP_WAITS]);
        }
        series
    }

    #[test]
    fn a_long_series_keeps_every_second_value_at_twice_the_distance() {
        let series = filled(Series::BUCKETS + 1);
        assert_eq!(series.width(), Micros::from_millis(20));
        let points: Vec<_> = series.points(Quantity::Effects, Micros::MAX).collect();
        assert_eq!(points.len(), Series::BUCKETS / 2 + 1);
        assert_eq!(points[3], (Micros::from_millis(60), 6));
        assert_eq!(series.next_at(), Micros::from_millis(257 * 20));
    }

    #[test]
    fn a_peak_between_two_values_outlasts_the_joining_of_buckets() {
        let mut series = Series::default();
        for index in 0..=Series::BUCKETS {
            if index == 7 {
                series.hold([9, 0, 0, 0]);
            }
            series.sample(&empty(), [Micros(index as u64); Simulation::GROUP_WAITS]);
        }
        assert_eq!(series.value(Quantity::Ready, 4), Some(0));
        let peaks: Vec<_> = (0..6).map(|at| series.peak(Quantity::Ready, at)).collect();
        assert_eq!(peaks, [0, 0, 0, 0, 9, 0].map(Some));
        assert_eq!(series.group_wait(12, 4), Some(Micros(8)));
    }

    #[test]
    fn a_cut_forgets_the_value_of_that_very_instant() {
        let mut series = filled(10);
        series.cut(Micros::from_millis(50));
        assert_eq!(series.next_at(), Micros::from_millis(50));
        series.cut(Micros::from_millis(41));
        assert_eq!(series.next_at(), Micros::from_millis(50));
        series.cut(Micros::ZERO);
        assert_eq!(series.next_at(), Micros::ZERO);
    }

    #[test]
    fn points_end_at_the_time_asked_for() {
        let series = filled(10);
        let last = series
            .points(Quantity::Effects, Micros::from_millis(35))
            .last();
        assert_eq!(last, Some((Micros::from_millis(30), 3)));
    }
}
