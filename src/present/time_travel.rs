//! Jumps and break points: what there is to jump to and to stop at, and the words for it.

use crate::engine::{Claim, Comparison, Metric, Micros, QueueId, Setup, Subject};
use crate::present::format::fixed;
use crate::session::Sought;

/// What it is called in a menu.
pub const fn sought_name(sought: Sought) -> &'static str {
    match sought {
        Sought::Duplicate => "Duplicate",
        Sought::DeadLetter => "Dead letter",
        Sought::OutOfOrder => "Out of order",
        Sought::Starvation => "Starvation",
        Sought::Crash => "Crash",
    }
}

/// What is said when there is none.
pub fn not_found(sought: Sought, back: bool) -> String {
    let what = match sought {
        Sought::Duplicate => "duplicate delivery or effect",
        Sought::DeadLetter => "dead letter",
        Sought::OutOfOrder => "message that finishes out of order",
        Sought::Starvation => "starvation",
        Sought::Crash => "crash",
    };
    if back {
        format!("There is no earlier {what}.")
    } else {
        format!("No {what} follows, as far as was looked ahead.")
    }
}

/// What a run can be asked to stop at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BreakPoint {
    /// A message is delivered again.
    DeliveredTwice,
    /// Something is in a dead-letter queue.
    DeadLetters,
    /// A message takes effect after a later one of its group.
    OutOfOrder,
    /// A group, or a standard queue, starves.
    Starvation,
}

impl BreakPoint {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [
        Self::DeliveredTwice,
        Self::DeadLetters,
        Self::OutOfOrder,
        Self::Starvation,
    ];

    /// What it stops at, as it stands after "Stop when" and "Stopped:".
    pub const fn words(self) -> &'static str {
        match self {
            Self::DeliveredTwice => "a message is delivered twice",
            Self::DeadLetters => "the DLQ is not empty",
            Self::OutOfOrder => "a message finishes out of order",
            Self::Starvation => "something starves",
        }
    }

    /// The kind of event that makes it stop.
    pub const fn sought(self) -> Sought {
        match self {
            Self::DeliveredTwice => Sought::Duplicate,
            Self::DeadLetters => Sought::DeadLetter,
            Self::OutOfOrder => Sought::OutOfOrder,
            Self::Starvation => Sought::Starvation,
        }
    }

    /// The claims of which each stops the run.
    pub fn claims(self, setup: &Setup) -> Vec<Claim> {
        let claim = |metric, queue| Claim {
            metric,
            subject: Subject {
                queue,
                ..Subject::default()
            },
            at: None,
            comparison: Comparison::AtLeast(1.0),
            within: 0.0,
        };
        match self {
            Self::DeliveredTwice => vec![claim(Metric::DuplicateDeliveries, None)],
            Self::DeadLetters => dead_letter_queues(setup)
                .map(|queue| claim(Metric::Ready, Some(queue)))
                .collect(),
            Self::OutOfOrder => vec![claim(Metric::OutOfOrder, None)],
            Self::Starvation => vec![claim(Metric::Starving, None)],
        }
    }
}

/// Latest time to stop at in a run without an end, in seconds.
const LATEST: u64 = 10_000_000;

/// The time that a number of seconds stands for, in a run that ends at `end`; none for no number. Else why there is no
/// such time.
pub fn stop_time(seconds: f64, end: Option<Micros>) -> Result<Option<Micros>, String> {
    if seconds.is_nan() {
        return Ok(None);
    }
    let latest = end.unwrap_or(Micros::from_secs(LATEST));
    let there = seconds >= 0.0 && seconds <= latest.as_secs_f64();
    if there {
        return Ok(Some(Micros((seconds * 1e6 + 0.5) as u64).min(latest)));
    }
    let place = if end.is_some() {
        "where the run ends"
    } else {
        "the latest"
    };
    Err(format!(
        "There is no such time to stop at: give seconds from 0 to {}, {place}.",
        fixed(latest.as_secs_f64(), 0)
    ))
}

fn dead_letter_queues(setup: &Setup) -> impl Iterator<Item = QueueId> {
    let is_dead = |id: &QueueId| {
        let mut queues = setup.queues.iter();
        queues.any(|queue| queue.dead_letter_queue == Some(*id))
    };
    (0..).map(QueueId).take(setup.queues.len()).filter(is_dead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures;
    use crate::session::{Progress, Session, StopReason};

    #[test]
    fn each_break_point_is_a_claim_of_this_setup() {
        let setup = fixtures::fifo().setup;
        for point in BreakPoint::ALL {
            let claims = point.claims(&setup);
            assert_eq!(claims.len(), 1, "{}", point.words());
        }
        let queue = BreakPoint::DeadLetters.claims(&setup)[0].subject.queue;
        let named = queue.and_then(|queue| setup.queues.get(queue.index()));
        assert!(named.is_some_and(|queue| queue.name.contains("dlq")));
    }

    #[test]
    fn a_break_point_stops_where_the_jump_of_the_same_kind_lands() {
        let mut met = 0;
        for point in BreakPoint::ALL {
            let sought = point.sought();
            let mut setup = fixtures::fifo().setup;
            setup.duration = Some(fixtures::ms(120_000));
            let setup = std::sync::Arc::new(setup);
            let mut jumped = Session::new(setup.clone());
            if jumped.jump_forward(sought, u64::MAX) != Progress::Reached {
                continue;
            }
            met += 1;
            let mut stopped = Session::new(setup.clone());
            stopped.break_when(point.claims(&setup));
            let progress = stopped.advance_to(jumped.playhead().at, u64::MAX);
            assert_eq!(progress, Progress::Stopped(StopReason::Break(0)));
            assert_eq!(stopped.playhead(), jumped.playhead());
        }
        assert!(met > 0);
    }

    #[test]
    fn a_time_to_stop_at_is_within_the_run() {
        let end = Some(Micros::from_secs(60));
        assert_eq!(stop_time(2.5, end), Ok(Some(Micros::from_millis(2_500))));
        assert_eq!(stop_time(60.0, end), Ok(end));
        assert_eq!(stop_time(f64::NAN, end), Ok(None));
        for (typed, end) in [
            (60.1, end),
            (-3.0, end),
            (1e99, None),
            (f64::INFINITY, None),
        ] {
            let latest = if end.is_some() {
                "to 60,"
            } else {
                "to 10000000,"
            };
            assert!(stop_time(typed, end).is_err_and(|why| why.contains(latest)));
        }
    }

    #[test]
    fn what_was_not_found_is_named() {
        for sought in Sought::ALL {
            assert!(not_found(sought, true).starts_with("There is no earlier "));
            assert_ne!(not_found(sought, false), not_found(sought, true));
            assert!(!sought_name(sought).is_empty());
        }
    }
}
