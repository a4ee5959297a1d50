//! The state of one producer and the times of its sends.

use crate::engine::chance::{Purpose, draw, exponential, unit_exponential};
use crate::engine::setup::{Pattern, ProducerSetup};
use crate::engine::time::Micros;

/// One producer.
#[derive(Clone, Debug)]
pub(super) struct Producer {
    pub setup: ProducerSetup,
    pub stream: u64,
    /// Messages sent, re-sends not counted.
    pub sent: u32,
    pub resent: u32,
    /// Ticks so far: sends and bursts, those skipped by a pause included.
    pub ticks: u32,
    /// When the next tick is.
    pub next_at: Option<Micros>,
    pub paused: bool,
    /// Tells plans made before a change of the pattern.
    pub generation: u32,
}

impl Producer {
    pub(super) fn new(setup: ProducerSetup, stream: u64) -> Self {
        Self {
            setup,
            stream,
            sent: 0,
            resent: 0,
            ticks: 0,
            next_at: None,
            paused: false,
            generation: 0,
        }
    }

    /// The time of the first tick.
    pub(super) fn first_tick(&self, seed: u64) -> Option<Micros> {
        match &self.setup.pattern {
            Pattern::List(sends) => sends.first().map(|send| send.at),
            Pattern::Constant { .. } | Pattern::Bursts { .. } => Some(self.setup.start),
            Pattern::Poisson { mean } => Some(self.setup.start + self.gap(seed, *mean)),
        }
    }

    /// The time of the tick after the one at `now`, which is counted already.
    pub(super) fn next_tick(&self, seed: u64, now: Micros) -> Option<Micros> {
        if self.is_finished() {
            return None;
        }
        match &self.setup.pattern {
            Pattern::List(sends) => sends.get(self.ticks as usize).map(|send| send.at),
            Pattern::Constant { every } | Pattern::Bursts { every, .. } => {
                Some(now + (*every).max(Micros(1)))
            }
            Pattern::Poisson { mean } => Some(now + self.gap(seed, *mean)),
        }
    }

    /// The time of the next tick after the pattern was changed at `now`: a changed rate rescales the wait that
    /// remains, another kind of pattern begins anew.
    pub(super) fn rescheduled(&self, seed: u64, now: Micros, old: &Pattern) -> Option<Micros> {
        if self.is_finished() {
            return None;
        }
        match (old, &self.setup.pattern, self.next_at) {
            (Pattern::Constant { every: old }, Pattern::Constant { every: new }, Some(next))
            | (
                Pattern::Bursts { every: old, .. },
                Pattern::Bursts { every: new, .. },
                Some(next),
            )
            | (Pattern::Poisson { mean: old }, Pattern::Poisson { mean: new }, Some(next)) => {
                Some(now + (next - now).scaled(new.0, old.0))
            }
            (_, Pattern::List(sends), _) => sends.iter().map(|send| send.at).find(|at| *at >= now),
            (_, Pattern::Constant { every } | Pattern::Bursts { every, .. }, _) => {
                Some(now + *every)
            }
            (_, Pattern::Poisson { mean }, _) => Some(now + self.gap(seed, *mean)),
        }
    }

    /// Messages that it will send in all, if that is known.
    pub(super) fn planned(&self) -> Option<u32> {
        match &self.setup.pattern {
            Pattern::List(sends) => {
                let listed = u32::try_from(sends.len()).unwrap_or(u32::MAX);
                Some(self.setup.limit.map_or(listed, |limit| limit.min(listed)))
            }
            _ => self.setup.limit,
        }
    }

    fn is_finished(&self) -> bool {
        self.setup.limit.is_some_and(|limit| self.sent >= limit)
    }

    fn gap(&self, seed: u64, mean: Micros) -> Micros {
        let unit = unit_exponential(draw(
            seed,
            self.stream,
            Purpose::Arrival,
            u64::from(self.ticks),
        ));
        exponential(mean, unit).max(Micros(1))
    }
}
