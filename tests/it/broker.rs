//! The broker by hand: each test is a rule of a real broker.

mod conformance;
mod desk;
mod fifo;
mod kind_change;
mod memory;
mod model;
mod properties;
mod servers;
mod standard;
