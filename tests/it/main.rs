//! Behaviour of the library as its users see it, one module a subject.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod actors;
mod allocation;
mod any_order;
mod any_push;
mod any_return;
mod any_setup;
mod any_storage;
mod broker;
mod claims;
mod four_switches;
mod golden;
mod interventions;
mod invariants;
mod losses;
mod ordering;
mod pitfalls;
mod scenarios;
mod session;
mod story;
