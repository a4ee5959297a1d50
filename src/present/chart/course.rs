//! Which lines a chart has, and their values.

use crate::engine::claim::{Comparison, Metric, Value};
use crate::engine::{Claim, Micros, Setup, Simulation};
use crate::present::format;
use crate::session::{Quantity, Series};

use super::ChartInput;

/// Charts, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChartId {
    /// Messages in queues.
    Messages,
    /// Age of the oldest message.
    Oldest,
    /// Dead letters.
    DeadLetters,
    /// Duplicate effects, lost and out of order.
    Harm,
    /// Arrivals, deliveries, completions.
    Rates,
    /// Lag.
    Lag,
    /// Latency percentiles.
    Latency,
    /// Wait a group.
    Groups,
}

/// What a value is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Things.
    Count,
    /// Microseconds.
    Span,
    /// Thousandths a second.
    Rate,
}

/// One line's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Course {
    /// A quantity as it is.
    Level(Quantity),
    /// How fast a count grows.
    Rate(Quantity),
    /// Messages ready, over the rate of acks.
    Lag,
    /// Wait of a group.
    Wait(usize),
}

/// A line, before it is drawn.
pub(super) struct Plot {
    pub(super) name: String,
    /// Its name in CSV.
    pub(super) column: String,
    pub(super) course: Course,
    pub(super) harm: bool,
}

impl ChartId {
    /// All of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Messages,
        Self::Oldest,
        Self::DeadLetters,
        Self::Harm,
        Self::Rates,
        Self::Lag,
        Self::Latency,
        Self::Groups,
    ];

    /// Its name in ids.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Oldest => "oldest",
            Self::DeadLetters => "dead-letters",
            Self::Harm => "harm",
            Self::Rates => "rates",
            Self::Lag => "lag",
            Self::Latency => "latency",
            Self::Groups => "groups",
        }
    }

    /// What it shows.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Messages => "Messages in queues",
            Self::Oldest => "Oldest waiting",
            Self::DeadLetters => "Dead letters",
            Self::Harm => "Duplicates and losses",
            Self::Rates => "Rates",
            Self::Lag => "Lag",
            Self::Latency => "Latency",
            Self::Groups => "Wait of each group",
        }
    }

    /// What its values are counted in.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Messages | Self::DeadLetters | Self::Harm => Unit::Count,
            Self::Rates => Unit::Rate,
            Self::Oldest | Self::Lag | Self::Latency | Self::Groups => Unit::Span,
        }
    }

    /// A value as it is read. A lag and a latency do not grow with the clock, so they are rounded, not cut.
    pub(super) fn text(self, value: u64) -> String {
        match self {
            Self::Lag | Self::Latency => format::elapsed(format::to_tenths(Micros(value))),
            _ => self.unit().text(value),
        }
    }

    /// What is to be known about its numbers.
    pub(super) fn note(self, window: Micros) -> String {
        let window = format::span(window);
        match self {
            Self::Rates => format!("over the last {window}"),
            Self::Lag => {
                format!("ready messages over the rate of completions in the last {window}")
            }
            Self::Latency => "first send to first effect, since the start".to_owned(),
            Self::Groups => "of the newest delivery, or of the oldest waiting".to_owned(),
            _ => String::new(),
        }
    }

    /// What it says while it has no values.
    pub(super) const fn empty(self) -> &'static str {
        match self {
            Self::Latency => "No effect yet.",
            _ => "Nothing has happened yet.",
        }
    }

    pub(super) fn is_shown(self, setup: &Setup) -> bool {
        self != Self::Groups || !setup.groups.is_empty()
    }

    pub(super) fn plots(self, setup: &Setup) -> Vec<Plot> {
        use Quantity as Q;
        let plot = |name: &str, column: &str, course, harm| Plot {
            name: name.to_owned(),
            column: column.to_owned(),
            course,
            harm,
        };
        let level = |name, column, quantity| plot(name, column, Course::Level(quantity), false);
        let harm = |name, column, quantity| plot(name, column, Course::Level(quantity), true);
        let rate = |name, column, quantity| plot(name, column, Course::Rate(quantity), false);
        match self {
            Self::Messages => vec![
                level("ready", "ready", Q::Ready),
                level("in flight", "in_flight", Q::InFlight),
                level("delayed", "delayed", Q::Delayed),
            ],
            Self::Oldest => vec![level("oldest", "oldest_wait_s", Q::OldestWait)],
            Self::DeadLetters => vec![
                level("in the DLQ", "dead_letters", Q::DeadLetters),
                harm("moved in all", "dead_lettered", Q::DeadLettered),
            ],
            Self::Harm => vec![
                harm("duplicates", "duplicate_effects", Q::DuplicateEffects),
                harm("out of order", "out_of_order", Q::OutOfOrder),
                harm("lost", "lost", Q::Lost),
            ],
            Self::Rates => vec![
                rate("arrivals", "arrivals_per_s", Q::Accepted),
                rate("deliveries", "deliveries_per_s", Q::Deliveries),
                rate("completions", "completions_per_s", Q::Acked),
            ],
            Self::Lag => vec![plot("lag", "lag_s", Course::Lag, false)],
            Self::Latency => vec![
                level("p50", "latency_p50_s", Q::Latency50),
                level("p95", "latency_p95_s", Q::Latency95),
                level("p99", "latency_p99_s", Q::Latency99),
            ],
            Self::Groups => groups(setup),
        }
    }

    /// The height of an alert in this chart, if it shows the alert's metric.
    pub(super) fn threshold(self, claim: &Claim, setup: &Setup) -> Option<(u64, String)> {
        let is_dead_letter_queue = claim.subject.queue.is_some_and(|queue| {
            let mut queues = setup.queues.iter();
            queues.any(|other| other.dead_letter_queue == Some(queue))
        });
        let chart = match claim.metric {
            Metric::Ready | Metric::InFlight | Metric::Delayed if is_dead_letter_queue => {
                Self::DeadLetters
            }
            Metric::Ready | Metric::InFlight | Metric::Delayed => Self::Messages,
            Metric::DeadLettered => Self::DeadLetters,
            Metric::DuplicateEffects | Metric::OutOfOrder | Metric::Lost => Self::Harm,
            Metric::MaxWait if claim.subject.group.is_some() => Self::Groups,
            Metric::MaxWait => Self::Oldest,
            Metric::Latency => Self::Latency,
            _ => return None,
        };
        let (word, number) = match claim.comparison {
            Comparison::AtLeast(number) => ("at least", number),
            Comparison::AtMost(number) => ("at most", number),
            Comparison::Is(Value::Number(number)) => ("", number),
            Comparison::Is(_) => return None,
        };
        if chart != self || !number.is_finite() || number < 0.0 {
            return None;
        }
        let value = match self.unit() {
            Unit::Count => number as u64,
            _ => (number * 1e6) as u64,
        };
        let of = claim.subject.group.and_then(|group| {
            let name = setup.groups.get(group.index())?;
            Some(format!(" of {name}"))
        });
        let metric = claim.metric.name().replace('_', " ");
        let space = if word.is_empty() { "" } else { " " };
        let reading = self.unit().text(value);
        let of = of.unwrap_or_default();
        Some((value, format!("alert: {metric}{of}{space}{word} {reading}")))
    }
}

fn groups(setup: &Setup) -> Vec<Plot> {
    let others = Simulation::GROUP_WAITS - 1;
    let named = setup.groups.iter().take(others);
    let mut plots: Vec<Plot> = named
        .enumerate()
        .map(|(slot, name)| Plot {
            name: name.clone(),
            column: format!("wait_{name}_s"),
            course: Course::Wait(slot),
            harm: false,
        })
        .collect();
    if setup.groups.len() > others {
        plots.push(Plot {
            name: "others".to_owned(),
            column: "wait_of_other_groups_s".to_owned(),
            course: Course::Wait(others),
            harm: false,
        });
    }
    plots
}

impl Unit {
    /// A value as it is read.
    pub(super) fn text(self, value: u64) -> String {
        match self {
            Self::Count => format::count(value),
            Self::Span => format::elapsed(Micros(value)),
            Self::Rate => format::rate(value as f64 / 1e3),
        }
    }
}

/// Over how many values rates are taken: 25 of those that the whole axis comes to have, so between a twentieth and a
/// tenth of it, and a second at least. That is a multiple of half a second, and of the distance of values at any time:
/// what comes at such distances steadily has a rate that stands still.
pub(super) fn window(series: &Series, end: Micros) -> usize {
    let mut width = Series::NARROWEST.0;
    while width.saturating_mul(Series::BUCKETS as u64) < end.0 {
        width = width.saturating_mul(2);
    }
    let length = width.saturating_mul(25).max(1_000_000);
    usize::try_from(length.div_ceil(series.width().0.max(1))).unwrap_or(usize::MAX)
}

impl Course {
    /// The value of this number; `window` is that of rates. None where there is none.
    pub(super) fn value(self, series: &Series, index: usize, window: usize) -> Option<u64> {
        match self {
            Self::Level(quantity) => {
                let value = series.value(quantity, index)?;
                let is_latency = quantity >= Quantity::Latency50;
                let none_yet = is_latency && series.value(Quantity::Effects, index) == Some(0);
                (!none_yet).then_some(value)
            }
            Self::Rate(quantity) => {
                let grown = grown(series, quantity, index, window)?;
                let time = series.width().0 as u128 * window as u128;
                u64::try_from(u128::from(grown) * 1_000_000_000 / time.max(1)).ok()
            }
            Self::Lag => {
                let ready = series.value(Quantity::Ready, index)?;
                let done = grown(series, Quantity::Acked, index, window)?;
                if ready == 0 {
                    return Some(0);
                }
                let time = series.width().0 as u128 * window as u128;
                u64::try_from((u128::from(ready) * time).checked_div(done.into())?).ok()
            }
            Self::Wait(slot) => Some(series.group_wait(slot, index)?.0),
        }
    }

    /// The highest value from the one before this number up to it.
    pub(super) fn peak(self, series: &Series, index: usize, window: usize) -> Option<u64> {
        match self {
            Self::Level(quantity) => {
                let value = self.value(series, index, window)?;
                Some(series.peak(quantity, index)?.max(value))
            }
            _ => self.value(series, index, window),
        }
    }

    /// The value at the playhead: from the run itself, rates from the newest values before it.
    pub(super) fn now(self, input: &ChartInput, window: usize) -> Option<u64> {
        match self {
            Self::Level(quantity) => {
                let is_latency = quantity >= Quantity::Latency50;
                let none_yet = is_latency && input.snapshot.totals.effects == 0;
                (!none_yet).then(|| quantity.of(input.snapshot))
            }
            Self::Wait(slot) => Some(input.waits.get(slot)?.0),
            Self::Rate(_) | Self::Lag => {
                let width = input.series.width().0.max(1);
                let newest = usize::try_from(input.snapshot.at.0 / width).ok()?;
                let newest = newest.min(input.series.len().checked_sub(1)?);
                self.value(input.series, newest, window)
            }
        }
    }
}

/// By how much a count has grown in the window that ends here. Before the run's beginning there was nothing.
fn grown(series: &Series, quantity: Quantity, index: usize, window: usize) -> Option<u64> {
    let value = series.value(quantity, index)?;
    let before = index.checked_sub(window);
    let before = before.and_then(|index| series.value(quantity, index));
    Some(value.saturating_sub(before.unwrap_or(0)))
}
