//! Numbers over time, in a bounded number of buckets.

use crate::engine::snapshot::QueueView;
use crate::engine::{Micros, Snapshot};

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
}

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

/// The quantities of a run over time: values at equal distances from time 0 on, at most [`Series::BUCKETS`] of
/// them; the distance doubles as the run grows. A value holds from its time to the next one: a step line.
#[derive(Clone, Debug)]
pub struct Series {
    width: Micros,
    samples: Vec<[u64; Quantity::ALL.len()]>,
}

impl Default for Series {
    fn default() -> Self {
        Self {
            width: Self::NARROWEST,
            samples: Vec::new(),
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
                let value = sample.get(quantity as usize).copied().unwrap_or(0);
                (Micros(index.saturating_mul(width)), value)
            })
            .take_while(move |(at, _)| *at <= until)
    }

    /// When the next value is to be taken.
    pub(super) fn next_at(&self) -> Micros {
        Micros((self.samples.len() as u64).saturating_mul(self.width.0))
    }

    /// Takes the values at [`Series::next_at`].
    pub(super) fn sample(&mut self, snapshot: &Snapshot) {
        self.samples
            .push(Quantity::ALL.map(|quantity| quantity.of(snapshot)));
        if self.samples.len() > Self::BUCKETS {
            let mut index = 0;
            self.samples.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.width = Micros(self.width.0.saturating_mul(2));
        }
    }

    /// Forgets the values of `from` and later.
    pub(super) fn cut(&mut self, from: Micros) {
        let keep = from.0.div_ceil(self.width.0.max(1));
        self.samples
            .truncate(usize::try_from(keep).unwrap_or(usize::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Setup, Simulation};

    fn empty() -> Snapshot {
        let setup = Setup {
            seed: 1,
            duration: None,
            groups: Vec::new(),
            bodies: Vec::new(),
            deduplication_ids: Vec::new(),
            queues: Vec::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            network: Default::default(),
            commands: Vec::new(),
            starvation: Default::default(),
            live_message_cap: 1_000,
        };
        Simulation::new(setup.into()).snapshot()
    }

    fn filled(count: usize) -> Series {
        let mut series = Series::default();
        for index in 0..count as u64 {
            let mut snapshot = empty();
            snapshot.totals.effects = index;
            series.sample(&snapshot);
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
