//! What a broker calls a setting, and whether it leaves a choice.

use super::*;
use crate::engine::Setup;
use crate::scenario::{Hold, May, Profile, Role, Scenario};

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

/// The control that sets a field of a file.
fn set_by(name: &str) -> Option<&'static Control> {
    let own = match name {
        "idempotence" => "idempotent".to_owned(),
        _ => name.replace('_', "-"),
    };
    let mut all = Control::all().map(|(_, control)| control);
    let named = all.find(|control| control.id == own);
    let mut all = Control::all().map(|(_, control)| control);
    named.or_else(|| all.find(|control| field(control.id) == name))
}

/// What the page calls a field of a file, with the broker's own name of it where it has one: "When it is full
/// (x-overflow)".
pub fn setting_label(name: &str, profile: Profile) -> String {
    let named = set_by(name);
    let label = named.map_or_else(
        || format::capitalised(name.replace('_', " ")),
        |control| control.label.to_owned(),
    );
    let roles = ["queue.", "consumer.", "producer."];
    let mut terms = roles
        .into_iter()
        .filter_map(|role| profile.term(&format!("{role}{name}")));
    match terms.next().and_then(|term| term.rsplit('/').next()) {
        Some(term) if !term.eq_ignore_ascii_case(&label) => format!("{label} ({term})"),
        _ => label,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_a_file_goes_by_the_label_of_its_control_and_the_name_that_the_broker_has() {
        let label = |field, profile| setting_label(field, profile);
        assert_eq!(
            label("visibility_timeout", Profile::Free),
            "Visibility timeout"
        );
        let full = label("overflow", Profile::RabbitClassic);
        assert!(full.ends_with(" (x-overflow)"), "{full}");
        assert_eq!(
            label("prefetch", Profile::RabbitClassic),
            "Prefetch (prefetch_count)"
        );
    }

    #[test]
    fn every_setting_that_was_wrong_in_a_shipped_incident_has_a_label() {
        for shipped in crate::scenario::catalogue::CATALOGUE {
            let scenario = Scenario::from_json(shipped.json).unwrap();
            let Some(setting) = scenario.incident.and_then(|incident| incident.setting) else {
                continue;
            };
            assert!(set_by(&setting).is_some(), "{}: {setting}", shipped.slug);
        }
    }
}
