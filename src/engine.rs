//! The simulation: time, chance, event list, actors, network, metrics and trace.
//!
//! A run is a function of a [`Setup`] (which holds the seed) and of timed [`Command`]s. The engine owns its
//! time as integer microseconds, never reads a clock, and decides nothing by map order or platform floats.

pub mod broker;
pub mod chance;
pub mod change;
pub mod claim;
pub mod command;
pub mod defaults;
pub mod event;
pub mod id;
pub mod ledger;
mod measure;
pub mod occurrences;
pub mod order;
pub mod rules;
pub mod setup;
pub mod simulation;
pub mod snapshot;
pub mod time;
pub mod trace;

pub use claim::{Claim, Comparison, Metric, Subject, Value};
pub use command::{
    Command, ConsumerChange, DiscardReason, HandCall, HandSend, ProducerChange, QueueChange,
    TimedCommand,
};
pub use event::{Event, EventKind, Ordinal, Void};
pub use id::{BodyId, ConsumerId, DeduplicationId, GroupId, MessageNumber, ProducerId, QueueId};
pub use ledger::Ledger;
pub use rules::{Rule, Rules};
pub use setup::Setup;
pub use simulation::{Progress, Simulation};
pub use snapshot::Snapshot;
pub use time::Micros;
pub use trace::TraceHash;
