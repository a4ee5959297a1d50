//! A simulation on its way through a session.

use std::sync::Arc;

use crate::engine::{Event, Micros, Setup, Simulation, TimedCommand};

use super::position::Playhead;

/// A simulation, and what a session must know to continue it. A clone is a checkpoint.
#[derive(Clone, Debug)]
pub(super) struct Run {
    simulation: Simulation,
    /// Steps done since the beginning: the finest position there is, several at one instant and ordinal.
    steps: u64,
    /// How many of the live commands it has been told.
    told: usize,
    /// The instant of the last step.
    stepped_at: Option<Micros>,
}

impl Run {
    /// A run at its beginning.
    pub(super) fn new(setup: Arc<Setup>) -> Self {
        Self {
            simulation: Simulation::new(setup),
            steps: 0,
            told: 0,
            stepped_at: None,
        }
    }

    pub(super) fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn told(&self) -> usize {
        self.told
    }

    pub(super) fn now(&self) -> Micros {
        self.simulation.now()
    }

    pub(super) fn playhead(&self) -> Playhead {
        Playhead {
            at: self.simulation.now(),
            ordinal: self.simulation.ordinal(),
        }
    }

    /// The first instant for which a command can be recorded: the present one, if nothing has happened at it.
    pub(super) fn free_instant(&self) -> Micros {
        if self.stepped_at == Some(self.now()) {
            self.now() + Micros(1)
        } else {
            self.now()
        }
    }

    /// Does the next planned thing; false when there is none.
    pub(super) fn step(&mut self, trace: &mut Vec<Event>) -> bool {
        let Some(at) = self.simulation.step(trace) else {
            return false;
        };
        self.steps += 1;
        self.stepped_at = Some(at);
        true
    }

    /// Sets the present instant; nothing may be planned up to it.
    pub(super) fn settle(&mut self, at: Micros) {
        if at > self.now() {
            // Nothing is planned, so one unit of work is enough and no event can come.
            self.simulation.run_until(at, 1, &mut Vec::new());
        }
    }

    /// Sets the present instant unless something is planned up to it.
    pub(super) fn settle_before_steps(&mut self, at: Micros) {
        if self.simulation.next_at().is_none_or(|next| next > at) {
            self.settle(at);
        }
    }

    /// Plans the next live command.
    pub(super) fn tell(&mut self, setup: Arc<Setup>, index: u32, timed: &TimedCommand) {
        self.simulation.command(setup, index, timed);
        self.told += 1;
    }
}
