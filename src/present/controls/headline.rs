//! The few settings of the simple view: those that can be changed and matter most, in the scenario first of all.

use super::terms::field;
use super::{Control, Group, Target, Terms};
use crate::engine::Snapshot;
use crate::scenario::{Scenario, Target as Whose};

/// So many stand in the simple view.
const MOST: usize = 4;

/// The most useful ones, in order. The first four are those of a run in which every rule is open.
const USEFUL: [&str; 16] = [
    "order",
    "prefetch",
    "visibility-timeout",
    "retry-budget",
    "claim",
    "session-idle",
    "in-flight-limit",
    "retry-delay",
    "capacity",
    "ttl",
    "priority",
    "overflow",
    "consumer-timeout",
    "wait",
    "workers",
    "ack",
];

impl Control {
    /// The settings of the simple view. `start` is the beginning of the run, so that they stay while it goes on.
    pub fn headline<'a>(
        scenario: &Scenario,
        start: &Snapshot,
        target: &Target,
        terms: impl Fn(&str) -> Option<&'a Terms>,
    ) -> Vec<(Group, &'static Self)> {
        let named = named(scenario).into_iter();
        let useful = USEFUL.into_iter().filter_map(Self::find);
        let mut all: Vec<(Group, &Self)> = Vec::new();
        for (group, control) in named.chain(useful) {
            let has = (control.read)(start, target).is_some();
            if has && all.iter().all(|(_, other)| other.id != control.id) {
                all.push((group, control));
            }
        }
        // A stable sort would be larger: there are three classes, looked through one after the other.
        let class = |control: &Self| match terms(control.id) {
            Some(Terms { lock: Some(_), .. }) => 2,
            Some(_) if (control.idle)(start, target).is_some() => 1,
            _ => 0,
        };
        let classes = (0..3).flat_map(|wanted| {
            let all = all.iter().copied();
            all.filter(move |(_, control)| class(control) == wanted)
        });
        classes.take(MOST).collect()
    }
}

/// What a scenario invites to change, and what was wrong in it.
fn named(scenario: &Scenario) -> Vec<(Group, &'static Control)> {
    let mut named = Vec::new();
    let invitation = scenario.view.invitation.as_ref();
    if let Some(settings) = invitation.and_then(|it| it.set.as_ref()) {
        let group = match settings.target {
            Whose::Queue(_) => Group::Queue,
            Whose::Consumer(_) | Whose::AllConsumers => Group::Consumers,
            Whose::Producer(_) => Group::Producers,
            Whose::Network => Group::Network,
        };
        let fields = settings.patch.keys();
        named.extend(fields.filter_map(|name| of_field(name, Some(group))));
    }
    let wrong = scenario.incident.as_ref();
    let wrong = wrong.and_then(|incident| incident.setting.as_ref());
    named.extend(wrong.and_then(|name| of_field(name, None)));
    named
}

/// The setting of a field of a file.
fn of_field(name: &str, wanted: Option<Group>) -> Option<(Group, &'static Control)> {
    let name = match name {
        "idempotence" => "idempotent",
        "processing" => "work",
        name => name,
    };
    Control::all().find(|(group, control)| {
        wanted.is_none_or(|wanted| wanted == *group) && field(control.id) == name
    })
}
