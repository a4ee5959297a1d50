//! What two runs are compared by.

use crate::engine::snapshot::Totals;
use crate::engine::{Micros, Snapshot};

macro_rules! measures {
    ($($(#[$meta:meta])* $name:ident = $id:literal,)*) => {
        /// One number that tells how a run went.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Measure { $($(#[$meta])* $name,)* }

        impl Measure {
            /// All of them, in order.
            pub const ALL: [Self; [$(Self::$name),*].len()] = [$(Self::$name,)*];

            /// Its name in files.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }
        }
    };
}

measures! {
    /// Effects after the first of a message.
    DuplicateEffects = "duplicate_effects",
    /// Deliveries after the first of a message.
    DuplicateDeliveries = "duplicate_deliveries",
    /// Moves to dead-letter queues.
    DeadLettered = "dead_lettered",
    /// Messages accepted that are nowhere any more and never had their effect.
    Lost = "lost",
    /// Messages that took effect after a later one of their group.
    OutOfOrder = "out_of_order",
    /// From first send to first effect: what half of the messages do not exceed.
    LatencyP50 = "latency_p50",
    /// The same, of 95 in 100.
    LatencyP95 = "latency_p95",
    /// The same, of 99 in 100.
    LatencyP99 = "latency_p99",
    /// Messages that took effect, each counted once, in a thousand seconds.
    Throughput = "throughput",
    /// The most messages that were ready at the end of an instant, dead-letter queues left out.
    MaxBacklog = "max_backlog",
    /// Time in which consumers were running and had nothing to do, summed over them.
    IdleTime = "idle",
}

/// What the value of a measure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Things.
    Count,
    /// Microseconds.
    Span,
    /// Things in a thousand seconds.
    Rate,
}

impl Measure {
    /// What its value counts.
    pub const fn unit(self) -> Unit {
        match self {
            Self::LatencyP50 | Self::LatencyP95 | Self::LatencyP99 | Self::IdleTime => Unit::Span,
            Self::Throughput => Unit::Rate,
            _ => Unit::Count,
        }
    }

    /// Whether more of it is better; none when it is good or bad as one takes it.
    pub const fn is_more_better(self) -> Option<bool> {
        match self {
            Self::Throughput => Some(true),
            Self::IdleTime => None,
            _ => Some(false),
        }
    }

    /// Its value in a run that has come to `at`; none where there is nothing to measure yet.
    pub fn of(self, totals: &Totals, at: Micros) -> Option<u64> {
        let latency = |position: usize| Some(totals.latency.get(position).copied()??.0);
        match self {
            Self::DuplicateEffects => Some(totals.duplicate_effects),
            Self::DuplicateDeliveries => Some(totals.duplicate_deliveries),
            Self::DeadLettered => Some(totals.dead_lettered),
            Self::Lost => Some(totals.lost),
            Self::OutOfOrder => Some(totals.out_of_order),
            Self::LatencyP50 => latency(0),
            Self::LatencyP95 => latency(1),
            Self::LatencyP99 => latency(2),
            Self::Throughput => {
                let done = u128::from(totals.effects - totals.duplicate_effects);
                let rate = (done * 1_000_000_000).checked_div(u128::from(at.0))?;
                u64::try_from(rate).ok()
            }
            Self::MaxBacklog => Some(totals.max_backlog),
            Self::IdleTime => Some(totals.idle.0),
        }
    }
}

/// One measure of two runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What is measured.
    pub measure: Measure,
    /// Its values in the one run and in the other.
    pub values: [Option<u64>; 2],
}

/// Which of two runs does better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// Both do as well.
    Same,
    /// The first.
    First,
    /// The second.
    Second,
    /// Nothing can be said: a value is missing, or more of it is neither good nor bad.
    Unclear,
}

impl Difference {
    /// Which run does better by this measure.
    pub fn better(&self) -> Better {
        let [Some(one), Some(other)] = self.values else {
            return Better::Unclear;
        };
        match self.measure.is_more_better() {
            _ if one == other => Better::Same,
            None => Better::Unclear,
            Some(more) if (one > other) == more => Better::First,
            Some(_) => Better::Second,
        }
    }
}

/// Two runs at the same instant.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The instant.
    pub at: Micros,
    /// One entry a measure, in the order of [`Measure::ALL`].
    pub rows: Vec<Difference>,
    /// Whether the same messages were sent: the changed setting is none of a producer.
    pub same_arrivals: bool,
}

impl Comparison {
    /// Compares two runs that have come to the same instant.
    pub fn of(one: &Snapshot, other: &Snapshot) -> Self {
        let row = |measure: Measure| Difference {
            measure,
            values: [one, other].map(|it| measure.of(&it.totals, it.at)),
        };
        let producers = |snapshot: &Snapshot| {
            let sent = snapshot.producers.iter().map(|producer| producer.sent);
            sent.collect::<Vec<u32>>()
        };
        Self {
            at: one.at,
            rows: Measure::ALL.map(row).to_vec(),
            same_arrivals: producers(one) == producers(other),
        }
    }
}
