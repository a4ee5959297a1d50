//! A consumer's pace and idleness in words.

use crate::engine::setup::Processing;
use crate::engine::snapshot::{ConsumerView, IdleReason};
use crate::engine::{Micros, Setup};
use crate::present::format;
use crate::present::names::{clean, group_name};

/// How long a consumer works on a message, longest wording first.
pub fn needs(consumer: &ConsumerView) -> Vec<String> {
    let needs = match consumer.setup.processing {
        Processing::Constant(time) => format::work(time),
        Processing::Uniform { min, max } => {
            format!("{} to {}", format::work(min), format::work(max))
        }
        Processing::Exponential { mean } => format!("about {}", format::work(mean)),
        Processing::LogNormal { median, .. } => format!("about {}", format::work(median)),
        Processing::SlowThenFast { slow, fast, .. } => {
            format!("{}, then {}", format::work(slow), format::work(fast))
        }
    };
    match consumer.slow_percent {
        100 if let Some(own) = own_time(consumer) => vec![
            format!("this one needs {}", format::work(own)),
            format!("needs {}", format::work(own)),
            String::new(),
        ],
        100 => vec![format!("needs {needs}"), String::new()],
        percent => {
            let times = format::hundredths(percent);
            vec![
                format!("needs {needs}, slowed {times}×"),
                format!("slowed {times}×"),
            ]
        }
    }
}

/// What the only message at work needs, where that is not what its consumer usually needs: a message may bring its
/// own processing time, or have been started under another setting.
fn own_time(consumer: &ConsumerView) -> Option<Micros> {
    let Processing::Constant(usual) = consumer.setup.processing else {
        return None;
    };
    let mut jobs = consumer.workers.iter().flatten();
    let job = jobs.next().filter(|_| jobs.next().is_none())?;
    let own = job.ends - job.started;
    (own != usual).then_some(own)
}

/// Why a consumer is idle, to follow "idle 8 s: ".
pub fn idle_reason(setup: &Setup, reason: IdleReason) -> String {
    match reason {
        IdleReason::QueueEmpty => "nothing to receive".to_owned(),
        IdleReason::GroupsLocked(Some(group)) => {
            format!(
                "may take nothing, group {} is locked",
                group_name(setup, group)
            )
        }
        IdleReason::GroupsLocked(None) => "may take nothing, the group is locked".to_owned(),
        IdleReason::HoldsSessions(1) => "its session has nothing now".to_owned(),
        IdleReason::HoldsSessions(n) => {
            format!("its {} sessions have nothing now", format::count(n.into()))
        }
        IdleReason::InFlightLimit => "the limit of messages in flight is reached".to_owned(),
        IdleReason::OthersBuffer { consumer, count } => {
            let other = setup.consumers.get(consumer.index());
            let name = other
                .map(|other| clean(&other.name).into_owned())
                .unwrap_or_default();
            match count {
                1 => format!("{name} buffers the only one"),
                n => format!("{name} buffers all {}", format::count(n.into())),
            }
        }
        IdleReason::Delayed => "what is there is delayed".to_owned(),
        IdleReason::BetweenPolls => "waits before it polls again".to_owned(),
        IdleReason::Network => "its receive is on the way".to_owned(),
        IdleReason::CutOff => "cannot reach the broker".to_owned(),
        IdleReason::ChannelClosed => "its channel is closed".to_owned(),
        IdleReason::Standby => "another consumer is the active one".to_owned(),
        IdleReason::PrefetchFull => "its prefetch is full".to_owned(),
        IdleReason::BreakerOpen => "its circuit breaker is open".to_owned(),
        IdleReason::ByHand => "waits for a person".to_owned(),
        IdleReason::NotRunning => String::new(),
    }
}
