//! Settings under the names, in the units and in the nesting of the broker, for pasting.

use serde_json::{Map, Value};

use super::check::part;
use super::hold::{BELONGS_TO, Role};
use super::{May, Profile, TimeUnit};
use crate::engine::Micros;
use crate::scenario::field::write_every_slot;
use crate::scenario::problem::Problems;
use crate::scenario::{Scenario, duration, json, print};

/// What says that a queue is of this kind, where it is not a setting of ours.
const CONSTANTS: &[(Profile, &str, &str)] = &[
    (Profile::RabbitClassic, "arguments/x-queue-type", "classic"),
    (Profile::RabbitQuorum3, "arguments/x-queue-type", "quorum"),
    (Profile::RabbitQuorum40, "arguments/x-queue-type", "quorum"),
    (Profile::RabbitQuorum43, "arguments/x-queue-type", "quorum"),
    (Profile::JetStream, "ack_policy", "explicit"),
];

/// Fields that hold names, which may look like anything.
const NAMES: [&str; 3] = ["queue.name", "queue.dead_letter_queue", "consumer.name"];

impl TimeUnit {
    /// A span of time as this broker writes it, rounded up to what it can say.
    pub fn write(self, span: Micros) -> Value {
        let seconds = span.0.div_ceil(1_000_000);
        match self {
            Self::Seconds => seconds.into(),
            Self::Milliseconds => span.0.div_ceil(1_000).into(),
            Self::Nanoseconds => span.0.saturating_mul(1_000).into(),
            Self::SecondsText => format!("{seconds}s").into(),
            Self::Iso8601 => iso_8601(seconds).into(),
        }
    }
}

fn iso_8601(seconds: u64) -> String {
    let parts = [
        (seconds / 86_400, "D"),
        (seconds / 3_600 % 24, "H"),
        (seconds / 60 % 60, "M"),
        (seconds % 60, "S"),
    ];
    let mut text = String::from("P");
    for (index, (number, unit)) in parts.into_iter().enumerate() {
        if number > 0 || index == 3 && seconds == 0 {
            if index > 0 && !text.contains('T') {
                text.push('T');
            }
            text.push_str(&format!("{number}{unit}"));
        }
    }
    text
}

/// Puts a value where a path with `/` leads.
fn put(object: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('/') {
        None => {
            object.insert(path.into(), value);
        }
        Some((first, rest)) => {
            let inner = object.entry(first).or_insert_with(|| Map::new().into());
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

impl Profile {
    /// One object's settings.
    fn exported(self, role: Role, whole: &Map<String, Value>) -> Map<String, Value> {
        let mut object = Map::new();
        for (_, path, word) in CONSTANTS.iter().filter(|(profile, ..)| *profile == self) {
            if role == Role::Queue {
                put(&mut object, path, (*word).into());
            }
        }
        let is_off = |field: &str| {
            let value = part(whole, field);
            value.is_none_or(|it| it.is_null() || matches!(it.as_str(), Some("none" | "off")))
        };
        for (field, value) in whole {
            let locked = self.hold(role, field).may;
            let with = BELONGS_TO.iter().find(|(one, _)| one == field);
            let alone = with.is_some_and(|(_, other)| is_off(other));
            let is_setting = locked != May::Lacks && (locked != May::Fixed || field == "kind");
            if is_setting && !alone {
                self.export_one(&format!("{}{field}", role.prefix()), value, &mut object);
            }
        }
        object
    }

    fn export_one(self, concept: &str, value: &Value, object: &mut Map<String, Value>) {
        if let Value::Object(parts) = value {
            for (name, value) in parts {
                self.export_one(&format!("{concept}.{name}"), value, object);
            }
            return;
        }
        let Some(path) = self.cell(concept) else {
            return;
        };
        if path.is_empty() || path.starts_with(['=', '-', '~']) {
            return;
        }
        if let Some(value) = self.written(concept, path, value) {
            put(object, path, value);
        }
    }

    /// A value as this broker writes it; none where it is not written.
    fn written(self, concept: &str, path: &str, value: &Value) -> Option<Value> {
        if NAMES.contains(&concept) {
            return Some(value.clone()).filter(Value::is_string);
        }
        if let Value::Array(items) = value {
            let items = items.iter();
            let items: Vec<Value> = items
                .filter_map(|item| self.written(concept, path, item))
                .collect();
            return (!items.is_empty()).then_some(Value::Array(items));
        }
        let word = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        if let Some(cell) = self.cell(&format!("{concept}={word}")) {
            let known = json::parse(cell, &mut Problems::default());
            return (!cell.is_empty()).then(|| known.unwrap_or_else(|| cell.into()));
        }
        match duration::parse(&word).filter(|_| value.is_string()) {
            // Where the unit is part of the name it is no part of the value.
            Some(span) if path.ends_with("Seconds") => Some(TimeUnit::Seconds.write(span)),
            Some(span) => Some(self.unit().write(span)),
            None if value.is_string() && word == "none" || value.is_null() => None,
            None => Some(value.clone()),
        }
    }
}

impl Scenario {
    /// The settings of all queues and consumers in the words of the broker whose names are used; none in Free without
    /// a vocabulary.
    pub fn export(&self) -> Option<String> {
        let profile = self.vocabulary();
        if profile == Profile::Free {
            return None;
        }
        let queues = self.queues.iter();
        let queues = queues.map(|it| (self.role_of(&it.name), it.written_by(write_every_slot)));
        let consumers = self.consumers.iter();
        let consumers = consumers.map(|it| (Role::Consumer, it.written_by(write_every_slot)));
        let mut lists = [Vec::new(), Vec::new()];
        for (role, whole) in queues.chain(consumers) {
            if let Value::Object(whole) = whole {
                let list = &mut lists[usize::from(role == Role::Consumer)];
                list.push(Value::Object(profile.exported(role, &whole)));
            }
        }
        let [queues, consumers] = lists;
        let mut object = Map::new();
        put(&mut object, "queues", queues.into());
        put(&mut object, "consumers", consumers.into());
        Some(print::pretty_in_order(&object.into(), &["queues"]))
    }
}
