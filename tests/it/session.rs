//! Time travel: a session played, sought, forked and undone.

mod bounds;
mod forks;
mod moves;
mod properties;
mod setups;
mod sweeps;
mod time_travel;
mod why;
