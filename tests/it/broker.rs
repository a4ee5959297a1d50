//! The broker by hand: each test is a rule of a real broker.

mod budgets;
mod capacity;
mod conformance;
mod deaths;
mod desk;
mod durability;
mod expiry;
mod fairness;
mod fifo;
mod kind_change;
mod limits;
mod memory;
mod model;
mod pending;
mod priorities;
mod properties;
mod push;
mod reference;
mod returns;
mod servers;
mod sessions;
mod standard;
