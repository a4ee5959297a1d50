//! Claims in files: statements about a run, with names in place of ids.

use serde_json::Value as Json;

use super::field::{Field, record, refuse};
use super::lower::{Names, find};
use super::problem::{At, Problems, did_you_mean, shown};
use crate::engine::claim::{Claim, Comparison, MessageRef, Metric, Subject, Value};
use crate::engine::{BodyId, ConsumerId, GroupId, MessageNumber, Micros, QueueId, Setup};

record! {
    /// A statement about a run: a metric, of what, when, and what it must be. Exactly one of `is`, `at_least` and
    /// `at_most` is given. Times and spans are numbers of seconds.
    pub struct ClaimFile {
        /// What is measured.
        pub metric: Metric,
        /// Of which message: its number, or its body.
        pub message: Option<MessageName> = None,
        /// Of which queue.
        pub queue: Option<String> = None,
        /// Of which consumer.
        pub consumer: Option<String> = None,
        /// Of which message group.
        pub group: Option<String> = None,
        /// For latency: which percentile.
        pub percentile: Option<u8> = None,
        /// Of a list of times: the nth alone, from 1, or from the end, -1 the last.
        pub nth: Option<i32> = None,
        /// When; at the end of the run by default.
        pub at: Option<Micros> = None,
        /// The value: a number, a list of numbers, or null for none.
        pub is: Is = Is::Absent,
        /// The least value.
        pub at_least: Option<f64> = None,
        /// The greatest value.
        pub at_most: Option<f64> = None,
        /// Allowed difference either way.
        pub within: f64 = 0.0,
    }
}

/// How a file names a message.
#[derive(Clone, PartialEq, Debug)]
pub enum MessageName {
    /// By number, in order of sending from 1.
    Number(u32),
    /// By body.
    Body(String),
}

/// The value that a metric must have.
#[derive(Clone, PartialEq, Debug)]
pub enum Is {
    /// Not stated.
    Absent,
    /// This one.
    Value(Value),
}

impl Field for Metric {
    fn read(value: &Json, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        let names = || Self::ALL.iter().map(|metric| metric.name());
        match value.as_str() {
            Some(name) => Self::from_name(name).or_else(|| {
                let hint = did_you_mean(name, names()).unwrap_or_else(|| {
                    format!("the metrics are {}", names().collect::<Vec<_>>().join(", "))
                });
                refuse(value, at, problems, hint)
            }),
            None => refuse(value, at, problems, "use the name of a metric"),
        }
    }
    fn write(&self) -> Json {
        self.name().into()
    }
}

impl Field for MessageName {
    fn read(value: &Json, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        match value {
            Json::String(_) => String::read(value, at, problems).map(Self::Body),
            Json::Number(_) => u32::read(value, at, problems).map(Self::Number),
            _ => refuse(
                value,
                at,
                problems,
                "use a body in quotes, or a number from 1",
            ),
        }
    }
    fn write(&self) -> Json {
        match self {
            Self::Number(number) => number.write(),
            Self::Body(body) => body.write(),
        }
    }
}

impl Field for Is {
    fn read(value: &Json, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        Some(Self::Value(match value {
            Json::Null => Value::None,
            Json::Array(_) => Value::List(Field::read(value, at, problems)?),
            Json::Number(_) => Value::Number(Field::read(value, at, problems)?),
            _ => {
                return refuse(
                    value,
                    at,
                    problems,
                    "use a number, a list of numbers, or null",
                );
            }
        }))
    }
    fn write(&self) -> Json {
        match self {
            Self::Absent | Self::Value(Value::None) => Json::Null,
            Self::Value(Value::Number(number)) => number.write(),
            Self::Value(Value::List(numbers)) => numbers.write(),
        }
    }
    fn is_absent(&self) -> bool {
        *self == Self::Absent
    }
}

/// The names that claims may use, of one setup.
pub(super) struct ClaimNames<'a> {
    setup: &'a Setup,
    bodies: Names,
    groups: Names,
}

impl<'a> ClaimNames<'a> {
    pub(super) fn of(setup: &'a Setup) -> Self {
        Self {
            setup,
            bodies: Names::known(&setup.bodies),
            groups: Names::known(&setup.groups),
        }
    }
}

/// The number of a body or group; the outer option is none, with a problem noted, when it is unknown.
fn number_of(
    what: &str,
    name: Option<&str>,
    known: &Names,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<Option<u32>> {
    let Some(name) = name else {
        return Some(None);
    };
    let number = known.find(name);
    if number.is_none() {
        let near = known.sorted().take(1_000);
        let hint = match problems.is_full() {
            true => None,
            false => did_you_mean(name, near),
        };
        let message = format!("no message has the {what} \"{}\"", shown(name));
        problems.push(at, message, hint.unwrap_or_default());
    }
    number.map(Some)
}

impl ClaimFile {
    /// The claim with ids in place of names.
    pub(super) fn lower(
        &self,
        names: &ClaimNames<'_>,
        at: At<'_>,
        problems: &mut Problems,
    ) -> Option<Claim> {
        let comparison = self.comparison(at, problems);
        let subject = self.subject(names, at, problems);
        if let (Some(when), Some(duration)) = (self.at, names.setup.duration)
            && when > duration
        {
            problems.push(
                at.field("at"),
                "is after the end of the run",
                format!("use {} or less", super::duration::format(duration)),
            );
        }
        if self.within < 0.0 {
            problems.push(at.field("within"), "is negative", "use 0 or more");
        }
        Some(Claim {
            metric: self.metric,
            subject: subject?,
            at: self.at,
            comparison: comparison?,
            within: self.within,
        })
    }

    fn comparison(&self, at: At<'_>, problems: &mut Problems) -> Option<Comparison> {
        match (&self.is, self.at_least, self.at_most) {
            (Is::Value(value), None, None) => Some(Comparison::Is(value.clone())),
            (Is::Absent, Some(least), None) => Some(Comparison::AtLeast(least)),
            (Is::Absent, None, Some(most)) => Some(Comparison::AtMost(most)),
            _ => {
                let given = usize::from(self.is != Is::Absent)
                    + usize::from(self.at_least.is_some())
                    + usize::from(self.at_most.is_some());
                problems.push(
                    at,
                    format!("has {given} comparisons"),
                    "give exactly one of is, at_least and at_most",
                );
                None
            }
        }
    }

    fn subject(
        &self,
        names: &ClaimNames<'_>,
        at: At<'_>,
        problems: &mut Problems,
    ) -> Option<Subject> {
        let message = match &self.message {
            None => Some(None),
            Some(MessageName::Number(0)) => {
                problems.push(
                    at.field("message"),
                    "0 is not allowed",
                    "numbers start at 1",
                );
                None
            }
            Some(MessageName::Number(number)) => {
                Some(Some(MessageRef::Number(MessageNumber(*number))))
            }
            Some(MessageName::Body(body)) => number_of(
                "body",
                Some(body),
                &names.bodies,
                at.field("message"),
                problems,
            )
            .map(|number| number.map(|number| MessageRef::Body(BodyId(number)))),
        };
        let queues = names.setup.queues.iter().map(|queue| queue.name.as_str());
        let queue = find(
            "queue",
            self.queue.as_deref(),
            queues,
            at.field("queue"),
            problems,
        );
        let consumers = names.setup.consumers.iter().map(|it| it.name.as_str());
        let consumer = self.consumer.as_deref();
        let consumer = find(
            "consumer",
            consumer,
            consumers,
            at.field("consumer"),
            problems,
        );
        let group = self.group.as_deref();
        let group = number_of("group", group, &names.groups, at.field("group"), problems);
        if self.nth == Some(0) {
            problems.push(
                at.field("nth"),
                "0 is not allowed",
                "use 1 for the first, -1 for the last",
            );
        }
        if self.percentile.is_some_and(|percentile| percentile > 100) {
            problems.push(at.field("percentile"), "is more than 100", "use 0 to 100");
        }
        Some(Subject {
            message: message?,
            queue: queue?.map(|index| QueueId(index as u16)),
            consumer: consumer?.map(|index| ConsumerId(index as u16)),
            group: group?.map(GroupId),
            percentile: self.percentile,
            nth: self.nth,
        })
    }
}

/// A claim in words, as reports show it: `deliveries m1`, `ready orders-dlq at 60s`.
impl std::fmt::Display for ClaimFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.metric.name())?;
        if let Some(percentile) = self.percentile {
            write!(f, " p{percentile}")?;
        }
        if let Some(nth) = self.nth {
            write!(f, "[{nth}]")?;
        }
        match &self.message {
            Some(MessageName::Number(number)) => write!(f, " #{number}")?,
            Some(MessageName::Body(body)) => write!(f, " {body}")?,
            None => {}
        }
        for name in [&self.queue, &self.consumer, &self.group]
            .into_iter()
            .flatten()
        {
            write!(f, " {name}")?;
        }
        match self.at {
            Some(at) => write!(f, " at {}", super::duration::format(at)),
            None => Ok(()),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod schema {
    use super::*;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    impl JsonSchema for Metric {
        fn schema_name() -> Cow<'static, str> {
            "Metric".into()
        }
        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let names: Vec<&str> = Self::ALL.iter().map(|metric| metric.name()).collect();
            json_schema!({ "description": "What is measured.", "enum": names })
        }
    }

    impl JsonSchema for MessageName {
        fn schema_name() -> Cow<'static, str> {
            "Message".into()
        }
        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string" }] })
        }
    }

    impl JsonSchema for Is {
        fn schema_name() -> Cow<'static, str> {
            "Is".into()
        }
        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "anyOf": [
                { "type": "number" }, { "type": "array", "items": { "type": "number" } }, { "type": "null" },
            ] })
        }
    }
}
