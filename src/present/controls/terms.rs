//! What a broker calls a setting, and whether it leaves a choice.

use super::*;
use crate::engine::Setup;
use crate::scenario::{Hold, May, Role, Scenario};

/// What a broker says of a setting.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms {
    /// What it calls it; none where it goes by our own word.
    pub term: Option<&'static str>,
    /// Why there is no choice, if there is none.
    pub lock: Option<Lock>,
    /// The stops that it allows.
    pub stops: Vec<usize>,
}

/// Why there is no choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lock {
    /// The broker fixes it, for this reason.
    Fixed(&'static str),
    /// The broker has no such thing; this is nearest, or nothing.
    Lacks(&'static str),
}

impl Lock {
    /// The reason as a sentence.
    pub fn sentence(self, broker: &str) -> String {
        match self {
            Self::Fixed(why) => format!("Fixed by {broker}: {why}."),
            Self::Lacks("") => format!(
                "{} has no such setting.",
                format::capitalised(broker.to_owned())
            ),
            Self::Lacks(nearest) => format!(
                "{} has no such setting. Nearest: {nearest}.",
                format::capitalised(broker.to_owned())
            ),
        }
    }
}

/// The field of a file that a control sets.
pub(super) fn field(id: &str) -> String {
    let field = match id {
        "order" => "kind",
        "retry-budget" => "max_deliveries",
        "retry-delay-max" => "retry_delay.max",
        "retry-growth" => "retry_delay.growth",
        "retry-after" => "retry_delay.after",
        "own-visibility-timeout" => "visibility_timeout",
        "consumer-priority" | "send-priority" => "priority",
        "own-delay" => "delay",
        "send-ttl" => "ttl",
        "permanent-failures" => "on_failure",
        other => return other.replace('-', "_"),
    };
    field.to_owned()
}

impl Control {
    /// What the broker that a scenario behaves like, or whose words it uses, says of this setting.
    pub fn terms(
        &self,
        group: Group,
        scenario: &Scenario,
        setup: &Setup,
        snapshot: &Snapshot,
        target: &Target,
    ) -> Terms {
        let role = match group {
            Group::Queue => Role::Queue,
            Group::Consumers => Role::Consumer,
            Group::Producers => Role::Producer,
            Group::Network => {
                return Terms {
                    term: None,
                    lock: None,
                    stops: (0..self.stops.len()).collect(),
                };
            }
        };
        let field = field(self.id);
        // Where the broker leaves no choice in the whole, it leaves none in its parts.
        let whole = field.split('.').next().unwrap_or(&field);
        let mut hold = scenario.hold_of(role, whole);
        if whole != field && !hold.is_locked() {
            hold = scenario.hold_of(role, &format!("{field}!"));
        }
        let Hold { may, why } = hold;
        let allowed = |index: &usize| {
            let command = self.command(snapshot, target, *index);
            command.is_none_or(|command| scenario.allows(&command, setup))
        };
        let every = 0..self.stops.len();
        let stops: Vec<usize> = match may {
            May::Open | May::Fixed | May::Lacks => every.collect(),
            _ => every.filter(allowed).collect(),
        };
        let lock = match may {
            May::Lacks => Some(Lock::Lacks(why)),
            May::Fixed => Some(Lock::Fixed(why)),
            _ if stops.len() < 2 => Some(Lock::Fixed(why)),
            _ => None,
        };
        let concept = format!("{}{field}", role.prefix());
        Terms {
            term: scenario.vocabulary().term(&concept),
            lock,
            stops,
        }
    }
}
