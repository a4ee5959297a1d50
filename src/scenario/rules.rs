//! The rules of queues in files: a field of a queue each, with the names of [`Rules`].

use serde_json::{Map, Value};

use super::field::{Field, object_fields, one_field, refuse, word_fields};
use super::file::Queue;
use super::problem::{At, Problems};
use super::setting::read_choice;
use crate::each_rule;
use crate::engine::Micros;
use crate::engine::rules::*;

word_fields! {
    /// How messages reach consumers: they receive them, for the visibility timeout or until acknowledged or claimed;
    /// or the broker pushes them.
    HandOver { Lease = "lease", Pending = "pending", Push = "push", }
}
word_fields! {
    /// What happens to a consumer that did not acknowledge in time.
    AtConsumerTimeout { ClosesChannel = "closes_channel", CancelsConsumer = "cancels_consumer", }
}
word_fields! {
    /// What a group means on a FIFO queue.
    GroupRule { Walk = "walk", Whole = "whole", Session = "session", Key = "key", }
}
word_fields! {
    /// Whether groups share the consumers of a standard queue.
    FairShare { Off = "off", RoundRobin = "round_robin", QuietFirst = "quiet_first", }
}
word_fields! {
    /// Where a returned message goes.
    ReturnPlace { Place = "place", Head = "head", Tail = "tail", ReturnsQueue = "returns_queue", }
}
word_fields! {
    /// How a pause grows from delivery to delivery.
    Growth { Linear = "linear", Exponential = "exponential", }
}
word_fields! {
    /// What the delivery count counts.
    CountRule { OnReceive = "on_receive", OnReturn = "on_return", Never = "never", }
}
word_fields! {
    /// How a delivery ended without an ack.
    ReturnCause { Nack = "nack", Failed = "failed", Timeout = "timeout", Crash = "crash", }
}
word_fields! {
    /// When a retry budget is used up: on the receive that would exceed it, on the return that exceeds it, or when a
    /// delivery ends and it is reached.
    BudgetRule { OnReceive = "on_receive", OnReturn = "on_return", OnEnd = "on_end", }
}
word_fields! {
    /// What becomes of a message whose budget is used up.
    Exhausted { DeadLetter = "dead_letter", Drop = "drop", Archive = "archive", Stays = "stays", }
}
word_fields! {
    /// Whether age starts again in a dead-letter queue; by kind: kept on standard queues.
    DeadLetterClock { ByKind = "by_kind", Kept = "kept", Restarted = "restarted", }
}
word_fields! {
    /// Where an expired message is noticed.
    ExpiryNoticed { Anywhere = "anywhere", AtHead = "at_head", }
}
word_fields! {
    /// What becomes of a message whose time to live is over.
    ExpiredTo { Removed = "removed", DeadLetter = "dead_letter", }
}
word_fields! {
    /// What a full queue does.
    Overflow {
        DropHead = "drop_head", Refuse = "refuse", RefuseAndDeadLetter = "refuse_and_dead_letter",
    }
}
word_fields! {
    /// Which messages fill a queue.
    CapacityCounts { Ready = "ready", All = "all", }
}
word_fields! {
    /// What a receive gets at the in-flight limit.
    AtInFlightLimit { Empty = "empty", Error = "error", }
}
word_fields! {
    /// What a restart of the broker leaves: everything, persistent messages, or nothing.
    Durability { Durable = "durable", Persistent = "persistent", Volatile = "volatile", }
}
word_fields! {
    /// From when a deduplication id is remembered.
    DeduplicationFrom { FirstSend = "first_send", Removal = "removal", }
}
object_fields! {
    /// A pause that the broker makes before a returned message is visible again.
    RetryDelay {
        /// After the first delivery.
        min: Micros,
        /// At most.
        max: Micros,
        /// How it grows.
        growth: Growth = Growth::Exponential,
        /// After which returns.
        after: Causes = Causes::ALL,
    }
}
impl Field for Causes {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        let listed = Vec::<ReturnCause>::read(value, at, problems)?;
        let has = |cause| listed.contains(&cause);
        Some(Self {
            nack: has(ReturnCause::Nack),
            failed: has(ReturnCause::Failed),
            timeout: has(ReturnCause::Timeout),
            crash: has(ReturnCause::Crash),
        })
    }

    fn write(&self) -> Value {
        let all = [
            ReturnCause::Nack,
            ReturnCause::Failed,
            ReturnCause::Timeout,
            ReturnCause::Crash,
        ];
        let listed = all.iter().filter(|cause| self.has(**cause));
        Value::Array(listed.map(Field::write).collect())
    }
}

/// Strict priorities in a file.
struct Strict {
    max: u8,
    default: u8,
    lost_on_return: bool,
}
object_fields! {
    /// The highest first.
    Strict {
        /// Highest; what is above counts as this.
        max: u8 = 255,
        /// Of a message that brings none.
        default: u8 = 0,
        /// Returned messages lose it and come before everything.
        lost_on_return: bool = false,
    }
}

/// Weighted priorities in a file.
struct Weighted {
    above: u8,
    high: u32,
    low: u32,
}
object_fields! {
    /// Two levels, so many high messages for so many low ones.
    Weighted {
        /// Priorities above this are high.
        above: u8 = 4,
        /// High messages in a row.
        high: u32 = 2,
        /// Low messages in a row.
        low: u32 = 1,
    }
}

/// Aging priorities in a file.
struct Aging {
    max: u8,
    every: Micros,
}
object_fields! {
    /// The highest first, rising with the wait.
    Aging {
        /// Highest; what is above counts as this.
        max: u8 = 255,
        /// Time to rise by one.
        every: Micros,
    }
}

impl Field for Priority {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        const HINT: &str =
            "use \"off\", \"strict\", or one of { \"strict\" | \"weighted\" | \"aging\": { … } }";
        let alone;
        let value = match value.as_str() {
            Some("off") => return Some(Self::Off),
            Some(word @ ("strict" | "weighted")) => {
                alone = Value::Object(one_field(word, Value::Object(Map::new())));
                &alone
            }
            Some(_) => return refuse(value, at, problems, HINT),
            None => value,
        };
        let (name, inner) =
            read_choice(value, &["strict", "weighted", "aging"], HINT, at, problems)?;
        let at = at.field(name);
        match name {
            "strict" => Strict::read(inner, at, problems).map(|it| Self::Strict {
                max: it.max,
                default: it.default,
                lost_on_return: it.lost_on_return,
            }),
            "weighted" => {
                let it = Weighted::read(inner, at, problems)?;
                if it.high == 0 && it.low == 0 {
                    problems.push(at, "serves nobody", "give high or low 1 or more");
                    return None;
                }
                Some(Self::Weighted {
                    above: it.above,
                    high: it.high,
                    low: it.low,
                })
            }
            _ => {
                let it = Aging::read(inner, at, problems)?;
                if it.every == Micros::ZERO {
                    problems.push(at.field("every"), "0s is not allowed", "use more");
                    return None;
                }
                Some(Self::Aging {
                    max: it.max,
                    every: it.every,
                })
            }
        }
    }

    fn write(&self) -> Value {
        let (name, value) = match *self {
            Self::Off => return "off".into(),
            Self::Strict {
                max,
                default,
                lost_on_return,
            } => {
                let strict = Strict {
                    max,
                    default,
                    lost_on_return,
                };
                ("strict", strict.write())
            }
            Self::Weighted { above, high, low } => {
                ("weighted", Weighted { above, high, low }.write())
            }
            Self::Aging { max, every } => ("aging", Aging { max, every }.write()),
        };
        Value::Object(one_field(name, value))
    }
}

macro_rules! rules_in_files {
    ($($field:ident $variant:ident $type:ty,)*) => {
        impl Queue {
            /// Its rules.
            pub fn rules(&self) -> Rules {
                Rules { $($field: self.$field.clone(),)* }
            }
        }

        /// A rule as the field of a queue: its name and its value.
        pub fn rule_field(rule: &Rule) -> (&'static str, Value) {
            match rule {
                $(Rule::$variant(value) => (rule.name(), value.write()),)*
            }
        }
    };
}
each_rule!(rules_in_files);

#[cfg(not(target_arch = "wasm32"))]
mod schema {
    use super::*;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde_json::json;
    use std::borrow::Cow;

    impl JsonSchema for Causes {
        fn schema_name() -> Cow<'static, str> {
            "Causes".into()
        }
        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let cause = generator.subschema_for::<ReturnCause>();
            json_schema!({ "description": "How deliveries ended without an ack.", "type": "array", "items": cause })
        }
    }

    impl JsonSchema for Priority {
        fn schema_name() -> Cow<'static, str> {
            "Priority".into()
        }
        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let choice = |name: &str, inner: Schema| {
                json!({ "type": "object", "properties": { name: inner }, "required": [name],
                    "additionalProperties": false })
            };
            let choices = [
                choice("strict", generator.subschema_for::<Strict>()),
                choice("weighted", generator.subschema_for::<Weighted>()),
                choice("aging", generator.subschema_for::<Aging>()),
            ];
            json_schema!({
                "description": "What priority does on a standard queue.",
                "anyOf": [{ "enum": ["off", "strict", "weighted"] }, choices[0], choices[1], choices[2]],
            })
        }
    }
}
