//! Runs kept to go back to.

use std::rc::Rc;

use super::run::Run;

/// Checkpoints of one run, oldest first; the beginning is always among them.
///
/// They are spaced so that making one costs little against the steps between two, and bounded by bytes: past the
/// limit, those go first that leave the smallest gap for their age, so that old ones grow sparser.
#[derive(Clone, Debug)]
pub(super) struct Checkpoints {
    kept: Vec<(Rc<Run>, usize)>,
    bytes: usize,
    limit: usize,
}

impl Checkpoints {
    /// Bytes that the checkpoints of a session may take.
    pub(super) const BYTES: usize = 64 << 20;
    /// Fewest steps between two neighbours.
    const CLOSEST: u64 = 2_000;
    /// Most steps between two neighbours, before any is dropped.
    const FARTHEST: u64 = 20_000;
    /// Copying so many bytes costs about as much as one step.
    const BYTES_A_STEP: u64 = 64;
    /// Most checkpoints, however small.
    const COUNT: usize = 2_000;

    pub(super) fn new(start: Run, limit: usize) -> Self {
        let bytes = start.simulation().approximate_bytes();
        Self {
            kept: vec![(Rc::new(start), bytes)],
            bytes,
            limit,
        }
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Keeps a copy of `run` if it is far enough beyond the newest.
    pub(super) fn offer(&mut self, run: &Run) {
        let Some((newest, size)) = self.kept.last() else {
            return;
        };
        let spacing = (*size as u64 / Self::BYTES_A_STEP).clamp(Self::CLOSEST, Self::FARTHEST);
        if run.steps() < newest.steps() + spacing {
            return;
        }
        let bytes = run.simulation().approximate_bytes();
        self.kept.push((Rc::new(run.clone()), bytes));
        self.bytes += bytes;
        self.thin();
    }

    /// The same checkpoints within another limit.
    pub(super) fn limited(&self, limit: usize) -> Self {
        let mut limited = self.clone();
        limited.limit = limit;
        limited.thin();
        limited
    }

    /// The newest checkpoint that satisfies `is_before`, which must hold of none after one that it does not hold
    /// of; the beginning if none does.
    pub(super) fn newest(&self, is_before: impl Fn(&Run) -> bool) -> Option<&Rc<Run>> {
        let count = self.kept.partition_point(|(run, _)| is_before(run));
        let index = count.saturating_sub(1);
        self.kept.get(index).map(|(run, _)| run)
    }

    /// Drops those beyond `steps`, and those told more than `told` live commands.
    pub(super) fn cut(&mut self, steps: u64, told: usize) {
        let keep = self
            .kept
            .partition_point(|(run, _)| run.steps() <= steps && run.told() <= told)
            .max(1);
        self.kept.truncate(keep);
        self.bytes = self.kept.iter().map(|(_, bytes)| bytes).sum();
    }

    fn thin(&mut self) {
        while (self.bytes > self.limit || self.kept.len() > Self::COUNT) && self.kept.len() > 2 {
            let newest = self.kept.last().map_or(0, |(run, _)| run.steps());
            let victim = self
                .kept
                .windows(3)
                .zip(1..)
                .min_by(|(left, _), (right, _)| {
                    // gap / age, compared without division.
                    let (gap, age) = gap_and_age(left, newest);
                    let (other_gap, other_age) = gap_and_age(right, newest);
                    (gap * other_age).cmp(&(other_gap * age))
                })
                .map(|(_, index)| index);
            let Some(index) = victim else { return };
            let (_, bytes) = self.kept.remove(index);
            self.bytes -= bytes;
        }
    }
}

fn gap_and_age(neighbours: &[(Rc<Run>, usize)], newest: u64) -> (u128, u128) {
    match neighbours {
        [(before, _), (this, _), (after, _)] => (
            u128::from(after.steps() - before.steps()),
            u128::from(newest - this.steps()) + 1,
        ),
        _ => (u128::MAX >> 64, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Setup;
    use crate::engine::setup::{Pattern, ProducerSetup, QueueSetup};
    use crate::engine::{Micros, QueueId};

    /// A producer, and nobody who receives.
    fn start() -> Run {
        use crate::engine::setup::QueueKind;
        let setup = Setup {
            queues: vec![QueueSetup {
                visibility_timeout: Micros::from_secs(1),
                // Keeps the backlog, and so a checkpoint, at one size.
                retention: Some(Micros::from_secs(1)),
                ..QueueSetup::new("orders", QueueKind::Standard)
            }],
            producers: vec![ProducerSetup {
                amount: 1,
                ..ProducerSetup::new(
                    "shop",
                    QueueId(0),
                    Pattern::Constant {
                        every: Micros::from_millis(100),
                    },
                )
            }],
            live_message_cap: 1_000,
            ..Setup::empty()
        };
        Run::new(setup.into())
    }

    fn filled(limit: usize, steps: u64) -> Checkpoints {
        let mut run = start();
        let mut checkpoints = Checkpoints::new(run.clone(), limit);
        let mut trace = Vec::new();
        while run.steps() < steps {
            trace.clear();
            assert!(run.step(&mut trace));
            checkpoints.offer(&run);
        }
        checkpoints
    }

    fn gaps(checkpoints: &Checkpoints) -> Vec<u64> {
        let steps = checkpoints.kept.iter().map(|(run, _)| run.steps());
        let steps: Vec<_> = steps.collect();
        steps.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn neighbours_are_close_enough_to_go_back_quickly() {
        let checkpoints = filled(Checkpoints::BYTES, 100_000);
        assert_eq!(checkpoints.len(), 51);
        assert!(gaps(&checkpoints).iter().all(|gap| *gap <= 20_000));
    }

    #[test]
    fn past_the_limit_old_ones_grow_sparser_and_the_beginning_stays() {
        let limit = 20 * start().simulation().approximate_bytes();
        let checkpoints = filled(limit, 200_000);
        assert!(checkpoints.bytes() <= limit);
        assert_eq!(checkpoints.kept[0].0.steps(), 0);
        let gaps = gaps(&checkpoints);
        assert!(gaps.len() > 4);
        assert_eq!(gaps[gaps.len() - 1], Checkpoints::CLOSEST);
        assert!(gaps[0] >= 8 * Checkpoints::CLOSEST);
    }

    #[test]
    fn the_newest_before_a_place_is_found_and_a_cut_forgets_what_is_beyond() {
        let mut checkpoints = filled(Checkpoints::BYTES, 10_000);
        let before = |checkpoints: &Checkpoints, steps| {
            let found = checkpoints.newest(|run| run.steps() <= steps);
            found.map(|run| run.steps())
        };
        assert_eq!(before(&checkpoints, 5_999), Some(4_000));
        assert_eq!(before(&checkpoints, 6_000), Some(6_000));
        checkpoints.cut(5_000, 0);
        assert_eq!(before(&checkpoints, 6_000), Some(4_000));
        checkpoints.cut(0, 0);
        assert_eq!(checkpoints.len(), 1);
        assert_eq!(
            checkpoints.bytes(),
            start().simulation().approximate_bytes()
        );
    }
}
