//! One setting over a range: every value under several seeds, in slices.
//!
//! A sweep owns all it needs and reads no clock, so that a page can do it between two frames, and a program or a
//! worker at a stretch; dropping it cancels it. What it finds does not depend on how it is sliced.

use std::sync::Arc;

use crate::engine::order::positions_in_order;
use crate::engine::{Command, Event, Micros, Setup, Simulation};

use super::compare::Measure;
use super::position::Progress;

/// How far and how often the runs of a sweep go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Runs of each value: the first has the setup's own seed, each further one the next number.
    pub seeds: u32,
    /// Where a run ends, unless it ends by itself before.
    pub until: Micros,
    /// Planned things that one run may do at most.
    pub limit: u64,
}

/// A measure over the runs of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// The lowest.
    pub lowest: u64,
    /// The one in the middle, the lower of two.
    pub median: u64,
    /// The highest.
    pub highest: u64,
}

impl Spread {
    fn of(values: &[u64]) -> Option<Self> {
        let order = positions_in_order(values.iter().map(|value| (*value, 0)));
        let at = |place: usize| values.get(*order.get(place)?).copied();
        Some(Self {
            lowest: at(0)?,
            median: at(values.len().saturating_sub(1) / 2)?,
            highest: at(values.len().checked_sub(1)?)?,
        })
    }
}

/// What the runs of one value came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Runs done.
    pub runs: u32,
    /// Of these, runs that stopped before their end: by themselves, or at the limit.
    pub unfinished: u32,
    /// Events of all of them.
    pub events: u64,
    /// One entry a measure, in the order of [`Measure::ALL`]; none when no run has a value.
    pub spreads: [Option<Spread>; Measure::ALL.len()],
}

impl Outcome {
    /// The spread of one measure.
    pub fn spread(&self, measure: Measure) -> Option<Spread> {
        self.spreads.get(measure as usize).copied().flatten()
    }
}

/// A run on its way.
struct Current {
    simulation: Simulation,
    steps: u64,
}

/// The runs of one setup under several seeds.
pub struct Runs {
    setup: Arc<Setup>,
    extent: Extent,
    current: Option<Box<Current>>,
    /// Values of the runs done, by measure.
    values: [Vec<u64>; Measure::ALL.len()],
    done: u32,
    unfinished: u32,
    events: u64,
    /// Events of one step: nobody reads them.
    scratch: Vec<Event>,
}

impl Runs {
    /// Most seeds.
    pub const MOST_SEEDS: u32 = 1_000;

    /// None of them has begun.
    pub fn new(setup: Arc<Setup>, extent: Extent) -> Self {
        Self {
            setup,
            extent: Extent {
                seeds: extent.seeds.clamp(1, Self::MOST_SEEDS),
                ..extent
            },
            current: None,
            values: Default::default(),
            done: 0,
            unfinished: 0,
            events: 0,
            scratch: Vec::new(),
        }
    }

    /// Goes on; returns what it left of `budget`, in steps of the simulation.
    fn spend(&mut self, mut budget: u64) -> u64 {
        while self.done < self.extent.seeds {
            let mut current = match self.current.take() {
                Some(current) => current,
                None => self.begin(),
            };
            let is_planned = |run: &Current| {
                let next = run.simulation.next_at();
                next.is_some_and(|at| at <= self.extent.until)
            };
            while budget > 0 && current.steps < self.extent.limit && is_planned(&current) {
                self.scratch.clear();
                current.simulation.step(&mut self.scratch);
                current.steps += 1;
                budget -= 1;
            }
            let ends = current.steps >= self.extent.limit || !is_planned(&current);
            if !ends {
                self.current = Some(current);
                return 0;
            }
            self.end(*current);
            // The end of a run counts as a step, so that runs without any are not done all at once.
            if budget == 0 {
                return 0;
            }
            budget -= 1;
        }
        budget
    }

    fn begin(&self) -> Box<Current> {
        let seed = self.setup.seed.wrapping_add(u64::from(self.done));
        let setup = if self.done == 0 {
            self.setup.clone()
        } else {
            Arc::new(Setup {
                seed,
                ..Setup::clone(&self.setup)
            })
        };
        Box::new(Current {
            simulation: Simulation::new(setup),
            steps: 0,
        })
    }

    fn end(&mut self, current: Current) {
        let mut run = current.simulation;
        let until = self.extent.until;
        let is_over = !run.is_stuck() && run.next_at().is_none_or(|at| at > until);
        if is_over {
            // Nothing is planned up to there, so this only lets the time pass.
            self.scratch.clear();
            run.run_until(until, 1, &mut self.scratch);
        }
        let totals = run.totals();
        for (measure, values) in Measure::ALL.into_iter().zip(&mut self.values) {
            values.extend(measure.of(&totals, run.now()));
        }
        self.events += run.ordinal().0;
        self.unfinished += u32::from(!is_over);
        self.done += 1;
    }

    /// Goes on by so many steps of the simulation.
    pub fn work(&mut self, budget: u64) -> Progress {
        self.spend(budget);
        if self.done < self.extent.seeds {
            Progress::Working {
                done: self.share() as f32,
            }
        } else {
            Progress::Reached
        }
    }

    /// The share of the way that is behind, from 0 to 1.
    fn share(&self) -> f64 {
        let now = self.current.as_ref().map_or(0.0, |current| {
            let now = current.simulation.now().0 as f64;
            now / self.extent.until.0.max(1) as f64
        });
        (f64::from(self.done) + now.min(1.0)) / f64::from(self.extent.seeds)
    }

    /// What the runs done so far came to.
    pub fn outcome(&self) -> Outcome {
        let mut spreads = [None; Measure::ALL.len()];
        for (spread, values) in spreads.iter_mut().zip(&self.values) {
            *spread = Spread::of(values);
        }
        Outcome {
            runs: self.done,
            unfinished: self.unfinished,
            events: self.events,
            spreads,
        }
    }
}

/// One setting over a range.
pub struct Sweep {
    base: Arc<Setup>,
    /// The settings of each point.
    points: Vec<Vec<Command>>,
    extent: Extent,
    outcomes: Vec<Outcome>,
    runs: Option<Box<Runs>>,
}

impl Sweep {
    /// Most points; what is beyond them is left out.
    pub const MOST_POINTS: usize = 200;

    /// A sweep that has not begun: `base` with the settings of each point in force from the start.
    pub fn new(base: Arc<Setup>, mut points: Vec<Vec<Command>>, extent: Extent) -> Self {
        points.truncate(Self::MOST_POINTS);
        Self {
            base,
            points,
            extent,
            outcomes: Vec::new(),
            runs: None,
        }
    }

    /// How far and how often its runs go.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// The setup of a point.
    fn setup(&self, point: usize) -> Arc<Setup> {
        let mut setup = Setup::clone(&self.base);
        for command in self.points.get(point).into_iter().flatten() {
            setup.apply(command);
        }
        Arc::new(setup)
    }

    /// About how many events all runs will have: one run of the point in the middle is begun, as far as `budget` goes,
    /// and taken for the others.
    pub fn estimate(&self, budget: u64) -> u64 {
        let until = self.extent.until;
        let one = estimated_events(self.setup(self.points.len() / 2), until, budget);
        let runs = self.points.len() as u64 * u64::from(self.extent.seeds);
        one.saturating_mul(runs)
    }

    /// Goes on by so many steps of the simulation. [`Progress::Reached`] when all points are done.
    pub fn work(&mut self, mut budget: u64) -> Progress {
        while self.outcomes.len() < self.points.len() {
            let mut runs = self.runs.take().unwrap_or_else(|| {
                Box::new(Runs::new(self.setup(self.outcomes.len()), self.extent))
            });
            budget = runs.spend(budget);
            if runs.done >= runs.extent.seeds {
                self.outcomes.push(runs.outcome());
            } else {
                self.runs = Some(runs);
            }
            if budget == 0 {
                break;
            }
        }
        if self.outcomes.len() == self.points.len() {
            return Progress::Reached;
        }
        let begun = self.runs.as_ref().map_or(0.0, |runs| runs.share());
        let done = (self.outcomes.len() as f64 + begun) / self.points.len() as f64;
        Progress::Working { done: done as f32 }
    }

    /// What the points done so far came to, in their order.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }
}

/// About how many events a run of this setup has up to `until`: counted as far as `budget` goes, then taken to go on
/// at the same rate.
pub fn estimated_events(setup: Arc<Setup>, until: Micros, budget: u64) -> u64 {
    let mut simulation = Simulation::new(setup);
    let mut scratch = Vec::new();
    for _ in 0..budget {
        if simulation.next_at().is_none_or(|at| at > until) {
            return simulation.ordinal().0;
        }
        scratch.clear();
        simulation.step(&mut scratch);
    }
    let (events, now) = (
        u128::from(simulation.ordinal().0),
        u128::from(simulation.now().0),
    );
    let estimate = events * u128::from(until.0) / now.max(1);
    u64::try_from(estimate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_lower_of_the_two_in_the_middle() {
        let spread = |median| {
            Some(Spread {
                lowest: 1,
                median,
                highest: 9,
            })
        };
        assert_eq!(Spread::of(&[9, 1, 4, 3]), spread(3));
        assert_eq!(Spread::of(&[9, 1, 4]), spread(4));
        assert_eq!(Spread::of(&[]), None);
    }
}
