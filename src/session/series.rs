//! Numbers over time, in a bounded number of buckets.

use crate::engine::Micros;

/// What is kept over time. Counts are of the whole run; a dead-letter queue counts only for
/// [`Quantity::DeadLetters`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Quantity {
    /// Messages ready, or locked behind their group.
    Ready,
    /// Messages in flight.
    InFlight,
    /// Messages delayed.
    Delayed,
    /// Messages in dead-letter queues.
    DeadLetters,
    /// Longest present wait of a ready message, in microseconds.
    OldestWait,
    /// Accepted sends so far.
    Accepted,
    /// Deliveries so far.
    Deliveries,
    /// Messages removed by acks so far.
    Acked,
    /// Effects so far.
    Effects,
    /// Duplicate effects so far.
    DuplicateEffects,
    /// Moves to dead-letter queues so far.
    DeadLettered,
    /// Messages lost so far.
    Lost,
    /// Messages that took effect out of order so far.
    OutOfOrder,
}

/// The quantities of a run over time: values at the ends of equal buckets, at most [`Series::BUCKETS`] of them,
/// whose width doubles as the run grows. A value holds from its time to the next one: a step line.
#[derive(Clone, Default, Debug)]
pub struct Series {}

impl Series {
    /// Most buckets kept.
    pub const BUCKETS: usize = 512;

    /// Times and values of a quantity, oldest first, up to and including `until`.
    pub fn points(
        &self,
        _quantity: Quantity,
        _until: Micros,
    ) -> impl Iterator<Item = (Micros, u64)> {
        std::iter::empty()
    }
}
