//! The fields of a scenario file and their defaults.

use serde_json::Value;

use super::claims::ClaimFile;
use super::command::CommandFile;
use super::field::{Field, object_of, record};
use super::problem::{At, Problems};
use super::variant::Variant;
use super::view::{Symptom, View};
use crate::engine::Micros;
use crate::engine::setup::*;

record! {
    /// A scenario: what runs, what to look at, and what is expected to happen.
    pub struct Scenario {
        /// Version of this format.
        pub version: u32,
        /// Version of the program that the file was written with.
        pub made_with: Option<String> = None,
        /// A few words.
        pub title: String = String::new(),
        /// What a person would ask who sees this happen.
        pub question: String = String::new(),
        /// Where the picker lists it.
        pub symptom: Option<Symptom> = None,
        /// Seeds every random draw. The same file, seed and commands give the same run.
        pub seed: u64 = 1,
        /// When the run ends; without it the run is endless.
        pub duration: Option<Micros> = None,
        /// The queues, dead-letter queues included.
        pub queues: Vec<Queue>,
        /// The producers.
        pub producers: Vec<Producer> = Vec::new(),
        /// The consumers.
        pub consumers: Vec<Consumer> = Vec::new(),
        /// The network between them.
        pub network: NetworkSetup = NetworkSetup::default(),
        /// When a group counts as starving.
        pub starvation: StarvationSetup = StarvationSetup::default(),
        /// What is done to the run while it goes on.
        pub commands: Vec<CommandFile> = Vec::new(),
        /// Statements that must not come true; the run tells when one does.
        pub alerts: Vec<ClaimFile> = Vec::new(),
        /// How it is shown.
        pub view: View = View::default(),
        /// Statements that must hold.
        pub expect: Vec<ClaimFile> = Vec::new(),
        /// The same scenario with other settings, and what must hold then.
        pub variants: Vec<Variant> = Vec::new(),
    }
}

record! {
    /// A queue and its rules.
    pub struct Queue {
        /// Unique name.
        pub name: String,
        /// FIFO or standard. By default that of the queue whose dead letters it takes, else standard.
        pub kind: Option<QueueKind> = None,
        /// How long a received message stays hidden. SQS: VisibilityTimeout.
        pub visibility_timeout: Micros = Micros::from_secs(30),
        /// Delay of a message that brings none of its own. SQS: DelaySeconds.
        pub delay: Micros = Micros::ZERO,
        /// Age at which a message is removed; "none" keeps it for ever. SQS: MessageRetentionPeriod.
        pub retention: Option<Micros> = Some(Micros::from_secs(4 * 86_400)),
        /// Deliveries in all; the receive that would exceed them moves the message. SQS: maxReceiveCount.
        pub max_deliveries: Option<u32> = None,
        /// Where exhausted messages go. Without one they are dropped.
        pub dead_letter_queue: Option<String> = None,
        /// What identifies a repeated send.
        pub deduplication: Deduplication = Deduplication::Off,
        /// How long a deduplication id is remembered, from the first accepted send. SQS FIFO: 5 minutes.
        pub deduplication_window: Micros = Micros::from_secs(300),
        /// Whether the same id in two groups is a duplicate.
        pub deduplication_scope: DeduplicationScope = DeduplicationScope::Queue,
        /// Standard only: what an ack does after the message was received again.
        pub stale_ack: StaleAck = StaleAck::Ignored,
        /// Standard only: chance that a copy survives its ack and comes again.
        pub surplus_duplicates: Chance = Chance(0),
        /// Standard only: servers that hold the messages; 1 keeps send order.
        pub shards: u16 = 1,
        /// How many of them one short poll asks; all by default.
        pub shards_sampled: Option<u16> = None,
    }
}

record! {
    /// A producer. Exactly one of `sends`, `every`, `poisson` and `burst` says when it sends.
    pub struct Producer {
        /// Unique name.
        pub name: String,
        /// The queue it sends to.
        pub to: String,
        /// Exactly these sends.
        pub sends: Option<Vec<Send>> = None,
        /// One send every so often, the first at `start`.
        pub every: Option<Micros> = None,
        /// Independent arrivals.
        pub poisson: Option<Poisson> = None,
        /// Several sends at one instant, the first burst at `start`.
        pub burst: Option<Burst> = None,
        /// When it starts; the times of `sends` are not shifted by it.
        pub start: Micros = Micros::ZERO,
        /// How many messages it sends in all.
        pub limit: Option<u32> = None,
        /// Message groups: a list is used in turn, weights are drawn for every send, a number makes A, B, C … in turn.
        pub groups: GroupsFile = GroupsFile::None,
        /// Every nth send is poison: its handler fails every time.
        pub poison_every: Option<u32> = None,
        /// Share of sends that are poison.
        pub poison_share: Option<Chance> = None,
        /// Processing time of its messages, in place of the consumer's.
        pub processing: Option<Processing> = None,
        /// Delay it asks for, in place of the queue's.
        pub delay: Option<Micros> = None,
        /// Value of one message's effect, in the unit of `view.outside`.
        pub amount: u32 = 0,
        /// Sends again, with the same deduplication id, when no confirm came in this time.
        pub confirm_timeout: Option<Micros> = None,
        /// How often one message is sent again at most.
        pub max_resends: u32 = 3,
    }
}

record! {
    /// One planned send, or `count` of them. In `body`, `group` and `deduplication_id`, `{n}` stands for 1 to `count`.
    pub struct Send {
        /// When.
        pub at: Micros,
        /// How many.
        pub count: u32 = 1,
        /// Its body; without one it is called by its number.
        pub body: Option<String> = None,
        /// Its message group; without one the producer's rule decides.
        pub group: Option<String> = None,
        /// Its deduplication id.
        pub deduplication_id: Option<String> = None,
        /// Its delay.
        pub delay: Option<Micros> = None,
        /// Its handler fails every time.
        pub poison: bool = false,
        /// Its processing time.
        pub processing: Option<Micros> = None,
        /// Value of its effect.
        pub amount: Option<u32> = None,
    }
}

record! {
    /// Independent arrivals.
    pub struct Poisson {
        /// Mean time between two sends.
        pub mean: Micros,
    }
}

record! {
    /// Several sends at one instant.
    pub struct Burst {
        /// Sends in a burst.
        pub size: u32,
        /// Time between two bursts.
        pub every: Micros,
    }
}

record! {
    /// A consumer: a process with parallel workers; or `count` of them, called name-1, name-2 ….
    pub struct Consumer {
        /// Unique name.
        pub name: String,
        /// The queue it receives from.
        pub from: String,
        /// How many of this kind; with it, even if 1, the name is followed by a number.
        pub count: Option<u32> = None,
        /// Names the series of its random draws; consumers of one `count` share it. The name by default.
        pub stream: Option<String> = None,
        /// Parallel slots.
        pub workers: u16 = 1,
        /// Most messages asked for in one receive; as many as `prefetch` leaves room for, up to 10, by default.
        pub batch: Option<u16> = None,
        /// Most messages held at once, running ones included; the greater of `batch` and `workers` by default.
        pub prefetch: Option<u32> = None,
        /// When it receives again.
        pub refill: Refill = Refill::AsFreed,
        /// How long a receive waits for a message; 0s is short polling. SQS: WaitTimeSeconds.
        pub wait: Micros = Micros::from_secs(20),
        /// Pause after an empty receive.
        pub poll_interval: Micros = Micros::ZERO,
        /// Visibility timeout that it asks for, in place of the queue's.
        pub visibility_timeout: Option<Micros> = None,
        /// How long its handler works.
        pub processing: Processing = Processing::Constant(Micros::from_secs(1)),
        /// When it acknowledges.
        pub ack: AckMoment = AckMoment::AfterWork,
        /// Time between the effect of a finished handler and what follows it: the mark of idempotence, then the ack.
        pub settle_time: Micros = Micros::ZERO,
        /// When its handler fails, apart from poison messages.
        pub failures: Failure = Failure::default(),
        /// What it does with a delivery whose handler failed.
        pub on_failure: OnFailure = OnFailure::Nack(Backoff::NONE),
        /// Extends visibility while its handler works.
        pub heartbeat: Option<Heartbeat> = None,
        /// How it guards against applying an effect twice.
        pub idempotence: Idempotence = Idempotence::NONE,
        /// Drops buffered messages whose visibility timeout is over.
        pub skip_expired: bool = false,
        /// When it starts.
        pub start: Micros = Micros::ZERO,
    }
}

/// Message groups of a producer.
#[derive(Clone, PartialEq, Debug)]
pub enum GroupsFile {
    /// None.
    None,
    /// These, in turn.
    List(Vec<String>),
    /// Drawn with these weights, in order of names.
    Weights(Vec<(String, u32)>),
    /// So many, named A, B, C …, in turn.
    Count(u32),
}

impl Field for GroupsFile {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        match value {
            Value::Null => Some(Self::None),
            Value::Array(_) => Field::read(value, at, problems).map(Self::List),
            Value::Object(weights) => {
                let read: Vec<Option<(String, u32)>> = weights
                    .iter()
                    .map(|(name, weight)| {
                        let name =
                            String::read(&Value::from(name.as_str()), at.field(name), problems);
                        let place = at.field(name.as_deref().unwrap_or("?"));
                        let weight = u32::read(weight, place, problems);
                        Some((name?, weight?))
                    })
                    .collect();
                let read: Option<Vec<(String, u32)>> = read.into_iter().collect();
                read.map(Self::Weights)
            }
            Value::Number(_) => Field::read(value, at, problems).map(Self::Count),
            _ => super::field::refuse(
                value,
                at,
                problems,
                "use a list of names, an object of weights, or a number",
            ),
        }
    }
    fn write(&self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::List(names) => names.write(),
            Self::Weights(weights) => {
                let weights = weights.iter();
                object_of(weights.map(|(name, weight)| (name.as_str(), weight.write())))
            }
            Self::Count(count) => count.write(),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl schemars::JsonSchema for GroupsFile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Groups".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Message groups: names used in turn, weights drawn for every send, or how many to name A, B, C ….",
            "anyOf": [
                { "type": "null" },
                { "type": "integer", "minimum": 0 },
                { "type": "array", "items": { "type": "string" } },
                { "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } },
            ],
        })
    }
}
