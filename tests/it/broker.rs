//! The broker by hand: each test is a rule of a real broker.

mod budgets;
mod conformance;
mod desk;
mod fairness;
mod fifo;
mod kind_change;
mod limits;
mod memory;
mod model;
mod priorities;
mod properties;
mod reference;
mod returns;
mod servers;
mod sessions;
mod standard;
