//! How the engine's settings look in files.

use serde_json::{Map, Value};

use super::field::{
    Field, Slot, kind_of, object_fields, object_of, one_field, read_object, refuse, refuse_unknown,
    word_fields,
};
use super::problem::{At, Problems};
use crate::engine::Micros;
use crate::engine::command::DiscardReason;
use crate::engine::setup::*;

word_fields! {
    /// FIFO or standard.
    QueueKind { Standard = "standard", Fifo = "fifo", }
}
word_fields! {
    /// What identifies a repeated send.
    Deduplication { Off = "off", ById = "by_id", ByContent = "by_content", }
}
word_fields! {
    /// How far a deduplication id reaches.
    DeduplicationScope { Queue = "queue", Group = "group", }
}
word_fields! {
    /// What an ack does whose lease is no longer the newest.
    StaleAck {
        Ignored = "ignored", Deletes = "deletes", Refused = "refused", ClosesChannel = "closes_channel",
    }
}
word_fields! {
    /// Why a dead letter is discarded.
    DiscardReason {
        Unprocessable = "unprocessable", Handled = "handled", Duplicate = "duplicate", Obsolete = "obsolete",
    }
}
word_fields! {
    /// When a consumer receives again: as soon as it holds less than its prefetch, or when it holds nothing.
    Refill { AsFreed = "as_freed", WhenEmpty = "when_empty", }
}
word_fields! {
    /// When a consumer acknowledges.
    AckMoment {
        Automatic = "automatic", OnReceive = "on_receive", AtStart = "at_start", AfterWork = "after_work",
    }
}
word_fields! {
    /// How a consumer guards against applying an effect twice.
    IdempotenceMethod {
        None = "none", CheckFirst = "check_first", ClaimFirst = "claim_first", Transaction = "transaction",
    }
}
word_fields! {
    /// What identifies the same work.
    IdempotenceKey { MessageId = "message_id", BusinessKey = "business_key", Producer = "producer", }
}

object_fields! {
    /// Delays between actors and broker, and chances of losing what travels.
    NetworkSetup {
        /// Producer to broker: sends.
        send_delay: Micros = Micros::ZERO,
        /// Broker to producer: confirms.
        confirm_delay: Micros = Micros::ZERO,
        /// Consumer to broker: receives, acks, nacks, extensions.
        ack_delay: Micros = Micros::ZERO,
        /// Broker to consumer: messages.
        delivery_delay: Micros = Micros::ZERO,
        /// Chance that a send never reaches the broker.
        lose_send: Chance = Chance(0),
        /// Chance that a confirm never reaches the producer.
        lose_confirm: Chance = Chance(0),
        /// Chance that a receive response never reaches the consumer; the receive still counts.
        lose_response: Chance = Chance(0),
        /// Chance that an ack never reaches the broker.
        lose_ack: Chance = Chance(0),
    }
}
object_fields! {
    /// When a group counts as starving: its oldest message has waited this long, and so many times the median wait.
    StarvationSetup {
        /// Least wait.
        min_wait: Micros = StarvationSetup::default().min_wait,
        /// Multiple of the median wait of the last 20 deliveries.
        factor: u32 = StarvationSetup::default().factor,
    }
}
object_fields! {
    /// When a handler fails, apart from poison messages.
    Failure {
        /// Chance of failure of one delivery.
        chance: Chance = Chance(0),
        /// The first so many deliveries of every message fail.
        first_deliveries: u32 = 0,
        /// A failure is final: the message goes straight to the dead-letter queue.
        permanent: bool = false,
    }
}
word_fields! {
    /// What becomes of a handler that finds no place at what it calls: it waits for one, or fails at once.
    WhenFull { Waits = "waits", Fails = "fails", }
}

word_fields! {
    /// Whether a batch is worked on message by message, as one, or as one of which only what failed comes back.
    BatchWork { Each = "each", Whole = "whole", Partial = "partial", }
}
object_fields! {
    /// Acknowledging finished messages together: when so many are, or every so often.
    AckTogether {
        /// As soon as so many are finished.
        count: Option<u32> = None,
        /// At every multiple of this time.
        every: Option<Micros> = None,
    }
}
object_fields! {
    /// Taking over what other consumers hold.
    Claiming {
        /// Only what was idle so long.
        min_idle: Micros,
        /// Time between two claims.
        every: Micros = Micros::from_secs(1),
        /// Most messages in one claim.
        max: u32 = 100,
    }
}
object_fields! {
    /// A circuit breaker.
    Breaker {
        /// Failures in a row that open it.
        failures: u32,
        /// How long it stays open.
        open_for: Micros,
    }
}
object_fields! {
    /// Extending visibility while the handler works.
    Heartbeat {
        /// Time between two extensions, from the start of the work.
        every: Micros,
        /// New visibility, counted from each call.
        extend_to: Micros,
    }
}

impl Field for Chance {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        match value.as_f64() {
            Some(share) if (0.0..=1.0).contains(&share) => Some(Self((share * 1e6 + 0.5) as u32)),
            _ => refuse(
                value,
                at,
                problems,
                "use a number from 0 (never) to 1 (always)",
            ),
        }
    }
    fn write(&self) -> Value {
        (f64::from(self.0) / 1e6).write()
    }
}

/// A factor in hundredths (or thousandths), written as a plain number: 200 of 100 is 2.
fn read_scaled(
    object: &Map<String, Value>,
    name: &str,
    scale: u32,
    default: u32,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<u32> {
    match object.get(name) {
        None => Some(default),
        Some(value) => match value.as_f64() {
            Some(number) if (0.0..=1000.0).contains(&number) => {
                Some((number * f64::from(scale) + 0.5) as u32)
            }
            _ => refuse(
                value,
                at.field(name),
                problems,
                "use a number from 0 to 1000",
            ),
        },
    }
}

/// The one choice that an object such as `{ "uniform": … }` makes.
pub(super) fn read_choice<'a>(
    value: &'a Value,
    known: &[&str],
    hint: &str,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<(&'a str, &'a Value)> {
    let Value::Object(object) = value else {
        return refuse(value, at, problems, hint);
    };
    refuse_unknown(object, known, at, problems);
    let mut entries = object.iter();
    match (entries.next(), entries.next()) {
        (Some((name, inner)), None) if known.contains(&name.as_str()) => Some((name, inner)),
        (Some(_), None) => None,
        _ => {
            problems.push(at, format!("{} choices are made", object.len()), hint);
            None
        }
    }
}

/// An object such as `{ "uniform": { … } }`.
fn choice(name: &str, fields: &[(&str, &dyn Slot)]) -> Value {
    let fields = fields.iter().map(|(name, value)| (*name, value.written()));
    Value::Object(one_field(name, object_of(fields)))
}

/// Reads `T`, a field that must be there.
fn required<T: Field>(
    object: &Map<String, Value>,
    name: &str,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<T> {
    super::field::read_field(object, name, None, at, problems)
}

impl Field for Processing {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        const HINT: &str = "use a duration, or one of { \"uniform\" | \"exponential\" | \"log_normal\" | \"slow_then_fast\": { … } }";
        if value.is_string() {
            return Micros::read(value, at, problems).map(Self::Constant);
        }
        let known = ["uniform", "exponential", "log_normal", "slow_then_fast"];
        let (name, inner) = read_choice(value, &known, HINT, at, problems)?;
        let at = at.field(name);
        let object = read_object(inner, at, problems)?;
        match name {
            "uniform" => {
                refuse_unknown(object, &["min", "max"], at, problems);
                let (min, max) = (
                    required(object, "min", at, problems),
                    required(object, "max", at, problems),
                );
                let (min, max) = (min?, max?);
                if max < min {
                    problems.push(at.field("max"), "is less than min", "use min or more");
                    return None;
                }
                Some(Self::Uniform { min, max })
            }
            "exponential" => {
                refuse_unknown(object, &["mean"], at, problems);
                let mean = required(object, "mean", at, problems)?;
                Some(Self::Exponential { mean })
            }
            "log_normal" => {
                refuse_unknown(object, &["median", "sigma"], at, problems);
                let median = required(object, "median", at, problems);
                let sigma_milli = read_scaled(object, "sigma", 1000, 500, at, problems)?;
                if sigma_milli > 5_000 {
                    problems.push(at.field("sigma"), "is too large", "use 5 or less");
                    return None;
                }
                Some(Self::LogNormal {
                    median: median?,
                    sigma_milli,
                })
            }
            _ => {
                refuse_unknown(object, &["slow", "fast", "slow_deliveries"], at, problems);
                let (slow, fast, count) = (
                    required(object, "slow", at, problems),
                    required(object, "fast", at, problems),
                    super::field::read_field(object, "slow_deliveries", Some(1), at, problems),
                );
                Some(Self::SlowThenFast {
                    slow: slow?,
                    fast: fast?,
                    slow_deliveries: count?,
                })
            }
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Constant(time) => time.write(),
            Self::Uniform { min, max } => choice("uniform", &[("min", min), ("max", max)]),
            Self::Exponential { mean } => choice("exponential", &[("mean", mean)]),
            Self::LogNormal {
                median,
                sigma_milli,
            } => {
                let sigma = f64::from(*sigma_milli) / 1e3;
                choice("log_normal", &[("median", median), ("sigma", &sigma)])
            }
            Self::SlowThenFast {
                slow,
                fast,
                slow_deliveries,
            } => choice(
                "slow_then_fast",
                &[
                    ("slow", slow),
                    ("fast", fast),
                    ("slow_deliveries", slow_deliveries),
                ],
            ),
        }
    }
}

impl Field for Priorities {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        const HINT: &str =
            "use a number from 0 to 255, or an object of weights such as { \"9\": 1, \"0\": 5 }";
        match value {
            Value::Null => Some(Self::None),
            Value::Number(_) => u8::read(value, at, problems).map(Self::Fixed),
            Value::Object(weights) => {
                let mut read = Vec::new();
                for (priority, weight) in weights {
                    let Ok(number) = priority.parse::<u8>() else {
                        return refuse(value, at, problems, HINT);
                    };
                    read.push((number, u32::read(weight, at.field(priority), problems)?));
                }
                if read.iter().all(|(_, weight)| *weight == 0) {
                    problems.push(at, "all weights are 0", "give one of them more");
                    return None;
                }
                Some(Self::Weighted(read))
            }
            _ => refuse(value, at, problems, HINT),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Fixed(priority) => priority.write(),
            Self::Weighted(weights) => {
                let mut object = Map::new();
                for (priority, weight) in weights {
                    object.extend(one_field(&priority.to_string(), weight.write()));
                }
                Value::Object(object)
            }
        }
    }

    fn is_absent(&self) -> bool {
        *self == Self::None
    }
}

impl Field for Backoff {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        if value.is_string() {
            let base = Micros::read(value, at, problems)?;
            return Some(Self { base, ..Self::NONE });
        }
        let object = read_object(value, at, problems)?;
        refuse_unknown(object, &["delay", "factor", "cap", "jitter"], at, problems);
        let base = required(object, "delay", at, problems);
        let factor_percent = read_scaled(object, "factor", 100, 100, at, problems);
        let cap: Option<Option<Micros>> =
            super::field::read_field(object, "cap", Some(None), at, problems);
        let jitter = super::field::read_field(object, "jitter", Some(Chance(0)), at, problems);
        Some(Self {
            base: base?,
            factor_percent: factor_percent?,
            cap: cap?.unwrap_or(Micros::MAX),
            jitter: jitter?,
        })
    }

    fn write(&self) -> Value {
        if (Self {
            base: self.base,
            ..Self::NONE
        }) == *self
        {
            return self.base.write();
        }
        let mut object = Map::new();
        object.insert("delay".into(), self.base.write());
        if self.factor_percent != 100 {
            let factor = f64::from(self.factor_percent) / 100.0;
            object.insert("factor".into(), factor.write());
        }
        if self.cap != Micros::MAX {
            object.insert("cap".into(), self.cap.write());
        }
        if self.jitter != Chance(0) {
            object.insert("jitter".into(), self.jitter.write());
        }
        Value::Object(object)
    }
}

impl Field for OnFailure {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        const HINT: &str = "use \"nack\", { \"nack\": \"5s\" }, \"let_timeout_end\", \"return_failed\", \"reject\" or \"crash\"";
        match value.as_str() {
            Some("nack") => return Some(Self::Nack(Backoff::NONE)),
            Some("let_timeout_end") => return Some(Self::LetTimeoutEnd),
            Some("return_failed") => return Some(Self::ReturnFailed),
            Some("reject") => return Some(Self::Reject),
            Some("crash") => return Some(Self::Crash),
            _ => {}
        }
        let (name, inner) = read_choice(value, &["nack"], HINT, at, problems)?;
        Backoff::read(inner, at.field(name), problems).map(Self::Nack)
    }

    fn write(&self) -> Value {
        match self {
            Self::Nack(backoff) if *backoff == Backoff::NONE => "nack".into(),
            Self::Nack(backoff) => Value::Object(one_field("nack", backoff.write())),
            Self::LetTimeoutEnd => "let_timeout_end".into(),
            Self::ReturnFailed => "return_failed".into(),
            Self::Reject => "reject".into(),
            Self::Crash => "crash".into(),
        }
    }
}

impl Field for Idempotence {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        if value.is_string() {
            let method = IdempotenceMethod::read(value, at, problems)?;
            return Some(Self {
                method,
                ..Self::NONE
            });
        }
        let Value::Object(object) = value else {
            problems.push(
                at,
                format!("{} is not allowed", kind_of(value)),
                "use \"none\", \"check_first\", \"claim_first\", \"transaction\", or { \"method\": …, \"key\": … }",
            );
            return None;
        };
        refuse_unknown(
            object,
            &["method", "key", "window", "capacity"],
            at,
            problems,
        );
        let method = required(object, "method", at, problems);
        let key = super::field::read_field(object, "key", Some(Self::NONE.key), at, problems);
        let window = super::field::read_field(object, "window", Some(None), at, problems);
        let capacity = super::field::read_field(object, "capacity", Some(None), at, problems);
        Some(Self {
            method: method?,
            key: key?,
            window: window?,
            capacity: capacity?,
        })
    }

    fn write(&self) -> Value {
        if (Self {
            method: self.method,
            ..Self::NONE
        }) == *self
        {
            return self.method.write();
        }
        let mut object = Map::new();
        object.insert("method".into(), self.method.write());
        object.insert("key".into(), self.key.write());
        if let Some(window) = self.window {
            object.insert("window".into(), window.write());
        }
        if let Some(capacity) = self.capacity {
            object.insert("capacity".into(), capacity.write());
        }
        Value::Object(object)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod schema;
