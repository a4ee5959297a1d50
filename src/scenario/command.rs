//! Commands in files: what is done to a run, with names in place of ids.

use serde_json::{Map, Value};

use super::field::{
    Field, one_field, read_field, read_object, record, refuse, refuse_unknown, word_fields,
    write_field,
};
use super::limits;
use super::problem::{At, Problems};
use crate::engine::Micros;
use crate::engine::command::DiscardReason;

/// A command and when it acts.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandFile {
    /// When.
    pub at: Micros,
    /// Time between repetitions.
    pub every: Option<Micros>,
    /// How often in all, with `every`; up to the end of the run by default.
    pub times: Option<u32>,
    /// What is done.
    pub action: Action,
}

/// What a command does. Consumers whose names differ in a number at the end may be named
/// together, by the name without its number.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// The consumer dies with what it holds.
    Crash(String),
    /// A crashed consumer starts again.
    Restart(String),
    /// The consumer stops receiving.
    Pause(String),
    /// It goes on.
    Resume(String),
    /// Its work takes longer.
    SlowDown(SlowDown),
    /// Its next ack is lost.
    LoseNextAck(String),
    /// The consumer is cut off from the broker.
    Partition(String),
    /// It reaches the broker again.
    Heal(String),
    /// The channel of a consumer of a queue that pushes closes.
    CloseChannel(String),
    /// The producer stops sending.
    PauseProducer(String),
    /// It goes on.
    ResumeProducer(String),
    /// Settings change.
    Set(Settings),
    /// Messages are sent by hand.
    Send(SendByHand),
    /// Dead letters go back to where they came from.
    Redrive(Redrive),
    /// A redrive with a rate is stopped.
    CancelRedrive(String),
    /// One dead letter goes back.
    RedriveMessage(RedriveMessage),
    /// One dead letter is removed.
    Discard(Discard),
    /// A message, by its number, can never be processed from now on.
    Poison(u32),
    /// A poison message, by its number, can be processed from now on.
    Fix(u32),
    /// The visibility timeout of a message in flight, by its number, ends.
    ExpireNow(u32),
    /// All messages of a queue are removed.
    Purge(String),
    /// A session is taken from the consumer that holds it.
    TakeSession(TakeSession),
    /// The broker restarts; always true.
    RestartBroker(bool),
    /// A person receives in the place of a consumer that is worked by hand.
    Receive(ReceiveByHand),
    /// A person settles a message that such a consumer holds.
    Settle(SettleByHand),
}

record! {
    /// A session that is taken away.
    pub struct TakeSession {
        /// Whose session.
        pub queue: String,
        /// Its group; none takes the one held for longest.
        pub group: Option<String> = None,
    }
}

record! {
    /// A receive by hand.
    pub struct ReceiveByHand {
        /// Which consumer; it has `by_hand`.
        pub consumer: String,
        /// How many messages at most.
        pub max: u16 = 1,
        /// How long it waits for one.
        pub wait: Micros = Micros::ZERO,
    }
}

record! {
    /// What a person does with a message that a consumer holds.
    pub struct SettleByHand {
        /// Which consumer; it has `by_hand`.
        pub consumer: String,
        /// The number of the message, in order of sending from 1.
        pub message: u32,
        /// What is done.
        pub call: HandCallName = HandCallName::Ack,
        /// With `nack`: when it is visible again.
        pub delay: Micros = Micros::ZERO,
        /// With `extend`: its new visibility timeout, counted from then.
        pub to: Option<Micros> = None,
    }
}

/// What a person does with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandCallName {
    /// Does its work and acknowledges it.
    Ack,
    /// Returns it undone.
    Nack,
    /// Returns it as failed.
    Fail,
    /// Gives it up.
    Reject,
    /// Extends its visibility timeout.
    Extend,
}

word_fields! {
    /// What a person does with a message.
    HandCallName {
        Ack = "ack", Nack = "nack", Fail = "fail", Reject = "reject", Extend = "extend",
    }
}

record! {
    /// Moves one dead letter back.
    pub struct RedriveMessage {
        /// Its number, in order of sending from 1.
        pub message: u32,
        /// Whether it is no poison message any more.
        pub fix: bool = false,
    }
}

record! {
    /// Removes one dead letter.
    pub struct Discard {
        /// Its number, in order of sending from 1.
        pub message: u32,
        /// Why.
        pub reason: DiscardReason,
    }
}

record! {
    /// Makes a consumer slower.
    pub struct SlowDown {
        /// Which.
        pub consumer: String,
        /// Time that its work takes, in percent of normal: 1000 is ten times slower.
        pub percent: u32 = 1000,
    }
}

record! {
    /// Messages sent by hand.
    pub struct SendByHand {
        /// The queue.
        pub to: String,
        /// How many.
        pub count: u32 = 1,
        /// Their group.
        pub group: Option<String> = None,
        /// Their body; without one they are called by their numbers.
        pub body: Option<String> = None,
        /// Their handler fails every time.
        pub poison: bool = false,
        /// Value of the effect of each.
        pub amount: u32 = 0,
        /// Their deduplication id.
        pub deduplication_id: Option<String> = None,
        /// Their delay, in place of the queue's.
        pub delay: Option<Micros> = None,
        /// Their priority.
        pub priority: Option<u8> = None,
        /// Their time to live.
        pub ttl: Option<Micros> = None,
        /// Whether they survive a restart of the broker in a durable queue.
        pub persistent: bool = true,
    }
}

/// Moves dead letters back.
#[derive(Clone, PartialEq, Debug)]
pub struct Redrive {
    /// The dead-letter queue.
    pub from: String,
    /// How many at most.
    pub limit: Option<u32>,
    /// Messages a second; all at once by default.
    pub rate: Option<u32>,
}

/// Settings to change, of one queue, consumer or producer, of all consumers, or of the network. The settings are the
/// fields that the same thing has in the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Whose settings.
    pub target: Target,
    /// Fields and their new values; null is the default.
    pub patch: Map<String, Value>,
}

/// What settings belong to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A queue.
    Queue(String),
    /// A consumer, or all of one `count`.
    Consumer(String),
    /// All consumers.
    AllConsumers,
    /// A producer.
    Producer(String),
    /// The network.
    Network,
}

impl Target {
    /// Which of its settings can change while a run goes on.
    pub const fn changeable(&self) -> &'static [&'static str] {
        match self {
            Self::Queue(_) => &[
                "kind",
                "visibility_timeout",
                "delay",
                "retention",
                "max_deliveries",
                "dead_letter_queue",
                "deduplication",
                "deduplication_window",
                "deduplication_scope",
                "stale_ack",
                "surplus_duplicates",
                "shards",
                "shards_sampled",
                "hand_over",
                "consumer_timeout",
                "at_consumer_timeout",
                "single_active_consumer",
                "priority",
                "group_rule",
                "fair_share",
                "returns_to",
                "retry_delay",
                "lease_steps",
                "count",
                "counted_returns",
                "budget",
                "exhausted",
                "dead_letter_clock",
                "cuts_cycles",
                "dead_letter_retry",
                "ttl",
                "expiry_noticed",
                "expired_to",
                "unused_for",
                "capacity",
                "overflow",
                "capacity_counts",
                "overshoot",
                "in_flight_limit",
                "at_in_flight_limit",
                "redeliveries_exempt",
                "durability",
                "deduplication_from",
                "deduplication_kept",
                "propagation",
                "quota",
                "purge_interval",
            ],
            Self::Consumer(_) | Self::AllConsumers => &[
                "workers",
                "batch",
                "prefetch",
                "refill",
                "wait",
                "poll_interval",
                "visibility_timeout",
                "processing",
                "ack",
                "settle_time",
                "failures",
                "on_failure",
                "heartbeat",
                "idempotence",
                "skip_expired",
                "priority",
                "channel_prefetch",
                "ack_together",
                "batch_work",
                "claim",
                "breaker",
                "session_idle",
                "by_hand",
                "crash_above",
                "restart_after",
            ],
            Self::Producer(_) => &[
                "every",
                "poisson",
                "burst",
                "limit",
                "groups",
                "poison_every",
                "poison_share",
                "processing",
                "delay",
                "confirm_timeout",
                "max_resends",
                "priority",
                "ttl",
                "persistent",
            ],
            Self::Network => crate::engine::setup::NetworkSetup::FIELDS,
        }
    }
}

impl Field for Settings {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        const HINT: &str = "name one of \"queue\", \"consumer\", \"consumers\": \"all\", \"producer\" and \"network\"";
        let object = read_object(value, at, problems)?;
        let mut patch = object.clone();
        let mut targets = Vec::new();
        for kind in ["queue", "consumer", "consumers", "producer"] {
            let Some(name) = patch.remove(kind) else {
                continue;
            };
            let name = String::read(&name, at.field(kind), problems)?;
            targets.push(match kind {
                "queue" => Target::Queue(name),
                "consumer" => Target::Consumer(name),
                "producer" => Target::Producer(name),
                _ if name == "all" => Target::AllConsumers,
                _ => return refuse(&name.into(), at.field(kind), problems, "use \"all\""),
            });
        }
        let mut at = at;
        let outer = at;
        if let Some(network) = patch.get("network").cloned() {
            patch.remove("network");
            if let Some(field) = patch.keys().next() {
                problems.push(at.field(field), "is beside \"network\"", HINT);
                return None;
            }
            at = outer.field("network");
            patch = read_object(&network, at, problems)?.clone();
            targets.push(Target::Network);
        }
        let (Some(target), true) = (targets.pop(), targets.is_empty()) else {
            problems.push(at, "does not say whose settings change", HINT);
            return None;
        };
        refuse_unknown(&patch, target.changeable(), at, problems);
        if patch.is_empty() {
            problems.push(at, "changes nothing", "name a field and its new value");
        }
        Some(Self { target, patch })
    }

    fn write(&self) -> Value {
        let mut object = self.patch.clone();
        match &self.target {
            Target::Queue(name) => object.insert("queue".into(), name.write()),
            Target::Consumer(name) => object.insert("consumer".into(), name.write()),
            Target::AllConsumers => object.insert("consumers".into(), "all".into()),
            Target::Producer(name) => object.insert("producer".into(), name.write()),
            Target::Network => {
                return Value::Object(one_field("network", Value::Object(self.patch.clone())));
            }
        };
        Value::Object(object)
    }
}

/// A whole number from 1 to `most`, if it is given.
fn read_number(
    object: &Map<String, Value>,
    name: &str,
    most: u32,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<Option<u32>> {
    let Some(value) = object.get(name) else {
        return Some(None);
    };
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    if value.is_number() && !number.is_some_and(|number| (1..=most).contains(&number)) {
        let hint = format!("use a whole number from 1 to {most}");
        return refuse(value, at.field(name), problems, hint);
    }
    read_field(object, name, Some(None), at, problems)
}

impl Field for Redrive {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        if value.is_string() {
            let from = Field::read(value, at, problems)?;
            return Some(Self {
                from,
                limit: None,
                rate: None,
            });
        }
        let object = read_object(value, at, problems)?;
        refuse_unknown(object, &["from", "limit", "rate"], at, problems);
        let from = read_field(object, "from", None, at, problems);
        let limit = read_number(object, "limit", u32::MAX, at, problems);
        let rate = read_number(object, "rate", limits::REDRIVE_RATE, at, problems);
        Some(Self {
            from: from?,
            limit: limit?,
            rate: rate?,
        })
    }
    fn write(&self) -> Value {
        if (self.limit, self.rate) == (None, None) {
            return self.from.write();
        }
        let mut object = one_field("from", self.from.write());
        write_field(&mut object, "limit", &self.limit, Some(None));
        write_field(&mut object, "rate", &self.rate, Some(None));
        Value::Object(object)
    }
}

/// The commands by their names in files, with what each takes.
macro_rules! actions {
    ($($name:literal = $variant:ident($type:ty),)*) => {
        const ACTIONS: &[&str] = &[$($name),*];

        fn read_action(
            name: &str, value: &Value, at: At<'_>, problems: &mut Problems,
        ) -> Option<Action> {
            match name {
                $($name => <$type>::read(value, at, problems).map(Action::$variant),)*
                _ => None,
            }
        }

        fn write_action(action: &Action) -> (&'static str, Value) {
            match action { $(Action::$variant(value) => ($name, value.write()),)* }
        }

        #[cfg(not(target_arch = "wasm32"))]
        fn describe_actions(generator: &mut schemars::SchemaGenerator) -> Map<String, Value> {
            let mut actions = Map::new();
            $(actions.insert($name.into(), <$type as Field>::schema(generator).to_value());)*
            actions
        }
    };
}

actions! {
    "crash" = Crash(String),
    "restart" = Restart(String),
    "pause" = Pause(String),
    "resume" = Resume(String),
    "slow_down" = SlowDown(SlowDown),
    "lose_next_ack" = LoseNextAck(String),
    "partition" = Partition(String),
    "heal" = Heal(String),
    "close_channel" = CloseChannel(String),
    "pause_producer" = PauseProducer(String),
    "resume_producer" = ResumeProducer(String),
    "set" = Set(Settings),
    "send" = Send(SendByHand),
    "redrive" = Redrive(Redrive),
    "cancel_redrive" = CancelRedrive(String),
    "redrive_message" = RedriveMessage(RedriveMessage),
    "discard" = Discard(Discard),
    "poison" = Poison(u32),
    "fix" = Fix(u32),
    "expire_now" = ExpireNow(u32),
    "purge" = Purge(String),
    "take_session" = TakeSession(TakeSession),
    "restart_broker" = RestartBroker(bool),
    "receive" = Receive(ReceiveByHand),
    "settle" = Settle(SettleByHand),
}

impl CommandFile {
    /// A command that acts once.
    pub const fn once(at: Micros, action: Action) -> Self {
        Self {
            at,
            every: None,
            times: None,
            action,
        }
    }

    /// The name of its action and what that takes, as in a file.
    pub fn action_json(&self) -> (&'static str, Value) {
        write_action(&self.action)
    }
}

impl Field for CommandFile {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        let object = read_object(value, at, problems)?;
        let known: Vec<&str> = ["at", "every", "times"]
            .iter()
            .chain(ACTIONS)
            .copied()
            .collect();
        refuse_unknown(object, &known, at, problems);
        let when = read_field(object, "at", None, at, problems);
        let every = read_field(object, "every", Some(None), at, problems);
        let times = read_field(object, "times", Some(None), at, problems);
        let mut named = object
            .iter()
            .filter(|(name, _)| ACTIONS.contains(&name.as_str()));
        let action = match (named.next(), named.next()) {
            (Some((name, value)), None) => read_action(name, value, at.field(name), problems),
            (first, _) => {
                let message = match first {
                    None => "does nothing",
                    Some(_) => "does several things",
                };
                problems.push(at, message, format!("name one of {}", ACTIONS.join(", ")));
                None
            }
        };
        Some(Self {
            at: when?,
            every: every?,
            times: times?,
            action: action?,
        })
    }

    fn write(&self) -> Value {
        let mut object = Map::new();
        object.insert("at".into(), self.at.write());
        write_field(&mut object, "every", &self.every, Some(None));
        write_field(&mut object, "times", &self.times, Some(None));
        let (name, value) = write_action(&self.action);
        object.insert(name.into(), value);
        Value::Object(object)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod schema;
