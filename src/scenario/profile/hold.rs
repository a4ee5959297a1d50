//! What a profile says of one field, and files read and written with its defaults.

use serde_json::{Map, Value};

use super::facts::{Fact, May};
use super::{Name, Profile};
use crate::scenario::field::write_every_slot;
use crate::scenario::limits;
use crate::scenario::problem::Problems;
use crate::scenario::{Consumer, Producer, Queue, json};

/// Whose field it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A queue that is no dead-letter queue.
    Queue,
    /// A queue that takes dead letters of another.
    DeadLetterQueue,
    /// A consumer.
    Consumer,
    /// A producer, or one of its sends.
    Producer,
}

impl Role {
    /// Where its fields stand in the table of names.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Queue | Self::DeadLetterQueue => "queue.",
            Self::Consumer => "consumer.",
            Self::Producer => "producer.",
        }
    }
}

/// What a profile says of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// What may be chosen.
    pub may: May,
    /// Why, with the document; what is nearest where the broker lacks it. May be empty.
    pub why: &'static str,
}

impl Hold {
    pub(super) const OPEN: Self = Self {
        may: May::Open,
        why: "",
    };

    /// Whether nothing can be chosen.
    pub fn is_locked(self) -> bool {
        matches!(self.may, May::Fixed | May::Lacks)
    }
}

/// Rules that act only together with a setting: where the broker lacks the one it lacks the other.
pub(super) const BELONGS_TO: &[(&str, &str)] = &[
    ("at_consumer_timeout", "consumer_timeout"),
    ("shards_sampled", "shards"),
    ("deduplication_window", "deduplication"),
    ("deduplication_scope", "deduplication"),
    ("deduplication_from", "deduplication"),
    ("deduplication_kept", "deduplication"),
    ("budget", "max_deliveries"),
    ("exhausted", "max_deliveries"),
    ("dead_letter_clock", "dead_letter_queue"),
    ("cuts_cycles", "dead_letter_queue"),
    ("expiry_noticed", "ttl"),
    ("expired_to", "ttl"),
    ("overflow", "capacity"),
    ("capacity_counts", "capacity"),
    ("overshoot", "capacity"),
    ("at_in_flight_limit", "in_flight_limit"),
    ("redeliveries_exempt", "in_flight_limit"),
];

impl Profile {
    /// The rows for a role, those that count first, with the rest of their field's name.
    pub(super) fn facts(self, role: Role) -> impl Iterator<Item = (&'static str, &'static Fact)> {
        // The dead letters of a quorum queue go to a classic queue, unless somebody declares otherwise.
        let quorum = matches!(
            self,
            Self::RabbitQuorum3 | Self::RabbitQuorum40 | Self::RabbitQuorum43
        );
        let of = match role {
            Role::DeadLetterQueue if quorum => Self::RabbitClassic,
            _ => self,
        };
        let rows = |prefix: &'static str| {
            let facts = of.layers().iter().copied().flatten();
            facts.filter_map(move |fact| Some((fact.0.strip_prefix(prefix)?, fact)))
        };
        let first = if role == Role::DeadLetterQueue {
            "dead."
        } else {
            "none of these"
        };
        rows(first).chain(rows(role.prefix()))
    }

    /// What it says of a field of a queue, consumer or producer.
    pub fn hold(self, role: Role, field: &str) -> Hold {
        let known = self.facts(role).find(|(name, _)| *name == field);
        if let Some((_, fact)) = known {
            return Hold {
                may: fact.2,
                why: fact.3,
            };
        }
        let concept = format!("{}{field}", role.prefix());
        if let Name::NoCounterpart(nearest) = self.name(&concept) {
            return Hold {
                may: May::Lacks,
                why: nearest,
            };
        }
        let together = BELONGS_TO.iter().find(|(one, _)| *one == field);
        match together {
            Some((_, other)) if role.prefix() == "queue." => match self.hold(role, other) {
                hold if hold.may == May::Lacks => hold,
                _ => Hold::OPEN,
            },
            _ => Hold::OPEN,
        }
    }

    /// Whether a field acts only together with another one that the broker lacks.
    pub fn belongs_to_lacking(self, role: Role, field: &str) -> bool {
        let together = BELONGS_TO.iter().find(|(one, _)| *one == field);
        together.is_some_and(|(_, other)| self.hold(role, other).may == May::Lacks)
    }

    /// Adds the broker's defaults of what `object` leaves out. `context` is the whole object where that is another.
    pub(super) fn fill(
        self,
        role: Role,
        object: &mut Map<String, Value>,
        context: Option<&Map<String, Value>>,
    ) {
        for (field, fact) in self.facts(role) {
            let whole = context.unwrap_or(object);
            let counts = whole.get("max_deliveries").is_some_and(Value::is_u64);
            let field = match field.strip_suffix("?none") {
                Some(_) if counts => continue,
                Some(field) => field,
                None => field,
            };
            if fact.1.is_empty() {
                continue;
            }
            let Some((object, field)) = holder(object, field.trim_end_matches('!')) else {
                continue;
            };
            if !object.contains_key(field)
                && let Some(value) = json::parse(fact.1, &mut Problems::default())
            {
                object.insert(field.into(), value);
            }
        }
    }

    /// The broker's default of a field, if it is not our own.
    pub fn default_of(self, role: Role, field: &str) -> Option<Value> {
        let mut defaults = Map::new();
        self.fill(role, &mut defaults, None);
        defaults.remove(field)
    }

    /// What a field is where a file leaves it out.
    pub fn unless_set(self, role: Role, field: &str) -> Option<Value> {
        let our_own = || {
            let whole = match role {
                Role::Queue | Role::DeadLetterQueue => Queue::unread().written_by(write_every_slot),
                Role::Consumer => Consumer::unread().written_by(write_every_slot),
                Role::Producer => Producer::unread().written_by(write_every_slot),
            };
            whole.get(field).cloned()
        };
        self.default_of(role, field).or_else(our_own)
    }

    /// The broker's default of a field, or what it asks of a part of one.
    pub(super) fn default_at(self, role: Role, path: &str) -> Option<Value> {
        if !path.contains('.') {
            return self.default_of(role, path);
        }
        let (_, fact) = self.facts(role).find(|(name, _)| *name == path)?;
        json::parse(fact.1, &mut Problems::default())
    }

    /// Takes from `object` what stands there by the broker's default, and adds what is our default and not the
    /// broker's. `whole` holds every field.
    pub(super) fn strip(
        self,
        role: Role,
        object: &mut Map<String, Value>,
        whole: &Map<String, Value>,
    ) {
        for (path, fact) in self.facts(role).filter(|(path, _)| path.contains('.')) {
            let default = json::parse(fact.1, &mut Problems::default());
            if let Some((holder, field)) = holder(object, path.trim_end_matches('!'))
                && holder.get(field) == default.as_ref()
            {
                holder.remove(field);
            }
        }
        let mut defaults = Map::new();
        self.fill(role, &mut defaults, Some(whole));
        for (field, default) in defaults {
            match whole.get(&field) {
                Some(value) if *value == default => {
                    object.remove(&field);
                }
                Some(value) => {
                    object.insert(field, value.clone());
                }
                None => {}
            }
        }
    }

    /// A patch of settings in which null, which restores a default, is replaced by the broker's.
    pub(in crate::scenario) fn with_defaults(
        self,
        role: Role,
        patch: &Map<String, Value>,
    ) -> Map<String, Value> {
        let mut patch = patch.clone();
        if self != Self::Free && patch.values().any(Value::is_null) {
            let mut defaults = Map::new();
            self.fill(role, &mut defaults, None);
            for (field, default) in defaults {
                match patch.get_mut(&field) {
                    Some(value) if value.is_null() => *value = default,
                    _ => {}
                }
            }
        }
        patch
    }
}

/// The object in which the field at `path` stands, and that field's own name.
pub(super) fn holder<'a, 'p>(
    object: &'a mut Map<String, Value>,
    path: &'p str,
) -> Option<(&'a mut Map<String, Value>, &'p str)> {
    match path.split_once('.') {
        None => Some((object, path)),
        Some((first, rest)) => holder(object.get_mut(first)?.as_object_mut()?, rest),
    }
}

/// The profile that a file names.
fn profile_of(file: &Value) -> Profile {
    let word = file.get("behaves_like").and_then(Value::as_str);
    word.and_then(Profile::of_word).unwrap_or_default()
}

/// The lists of a file in which defaults are the broker's, and how many items of them may be looked at.
const LISTS: [(&str, Role, usize); 3] = [
    ("queues", Role::Queue, limits::QUEUES),
    ("consumers", Role::Consumer, limits::CONSUMERS as usize),
    ("producers", Role::Producer, limits::PRODUCERS),
];

/// Does something with every queue, consumer and producer of a file, until one list is at its limit.
pub(super) fn each_object(
    file: &mut Value,
    mut act: impl FnMut(Role, &'static str, usize, &mut Map<String, Value>),
) {
    let dead_letter_queues: Vec<String> = (file.get("queues").and_then(Value::as_array))
        .into_iter()
        .flatten()
        .take(limits::QUEUES)
        .filter_map(|queue| Some(queue.get("dead_letter_queue")?.as_str()?.to_owned()))
        .collect();
    for (list, role, most) in LISTS {
        let items = file.get_mut(list).and_then(Value::as_array_mut);
        for (index, item) in items.into_iter().flatten().take(most).enumerate() {
            let Value::Object(object) = item else {
                continue;
            };
            let name = object.get("name").and_then(Value::as_str);
            let is_dead =
                role == Role::Queue && dead_letter_queues.iter().any(|it| Some(&**it) == name);
            let role = if is_dead { Role::DeadLetterQueue } else { role };
            act(role, list, index, object);
        }
    }
}

/// Adds the defaults of the broker that a file names to what the file leaves out.
pub(super) fn fill_file(file: &mut Value) {
    let profile = profile_of(file);
    if profile != Profile::Free {
        each_object(file, |role, _, _, object| profile.fill(role, object, None));
    }
}

/// The inverse of [`fill_file`]; `whole` gives all fields of an item of a list.
pub(super) fn strip_file(file: &mut Value, whole: impl Fn(&str, usize) -> Option<Value>) {
    let profile = profile_of(file);
    if profile != Profile::Free {
        each_object(file, |role, list, index, object| {
            if let Some(Value::Object(whole)) = whole(list, index) {
                profile.strip(role, object, &whole);
            }
        });
    }
}
