//! The fields of a scenario file and their defaults.

use serde_json::Value;

use super::claims::ClaimFile;
use super::command::CommandFile;
use super::field::{Field, object_of, record};
use super::problem::{At, Problems};
use super::profile::Profile;
use super::variant::Variant;
use super::view::{Incident, Symptom, View};
use crate::engine::Micros;
use crate::engine::rules::*;
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
        /// The real incident that it shows.
        pub incident: Option<Incident> = None,
        /// Seeds every random draw. The same file, seed and commands give the same run.
        pub seed: u64 = 1,
        /// When the run ends; without it the run is endless.
        pub duration: Option<Micros> = None,
        /// Which broker it behaves like.
        pub behaves_like: Profile = Profile::Free,
        /// The queues, dead-letter queues included.
        pub queues: Vec<Queue>,
        /// The producers.
        pub producers: Vec<Producer> = Vec::new(),
        /// The consumers.
        pub consumers: Vec<Consumer> = Vec::new(),
        /// What handlers call, and how much it takes.
        pub downstreams: Vec<Downstream> = Vec::new(),
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
        /// How messages reach consumers.
        pub hand_over: HandOver = HandOver::Lease,
        /// Push only: a delivery that is not acknowledged in this time. RabbitMQ: consumer_timeout, 30 min, checked once
        /// a minute there and at once here (guide "consumers", acknowledgement timeout). None waits for ever.
        pub consumer_timeout: Option<Micros> = None,
        /// What happens then.
        pub at_consumer_timeout: AtConsumerTimeout = AtConsumerTimeout::ClosesChannel,
        /// Push only: one consumer receives, the one that subscribed first; the next takes over when it goes. RabbitMQ:
        /// x-single-active-consumer.
        pub single_active_consumer: bool = false,
        /// Standard queues: what priority does.
        pub priority: Priority = Priority::Off,
        /// FIFO queues: what a group means.
        pub group_rule: GroupRule = GroupRule::Walk,
        /// Standard queues: whether groups share the consumers.
        pub fair_share: FairShare = FairShare::Off,
        /// Where a returned message goes.
        pub returns_to: ReturnPlace = ReturnPlace::Place,
        /// A pause that the broker makes before a returned message is visible again, in addition to what a nack asks for.
        pub retry_delay: Option<RetryDelay> = None,
        /// Visibility timeout by delivery number, the last one repeated; empty takes the queue's. A nack is not
        /// concerned. NATS JetStream: BackOff.
        pub lease_steps: Vec<Micros> = Vec::new(),
        /// What the delivery count counts.
        pub count: CountRule = CountRule::OnReceive,
        /// With OnReturn: which returns count.
        pub counted_returns: Causes = Causes::ALL,
        /// When a message has used up its retry budget, the queue's `max_deliveries`.
        pub budget: BudgetRule = BudgetRule::OnReceive,
        /// What becomes of it then.
        pub exhausted: Exhausted = Exhausted::DeadLetter,
        /// Whether a message's age starts again in this queue when it comes as a dead letter.
        pub dead_letter_clock: DeadLetterClock = DeadLetterClock::ByKind,
        /// A dead letter that comes back to a queue where it has been, without a reject on its way, is dropped. RabbitMQ:
        /// guide "dlx", automatically detected cycles.
        pub cuts_cycles: bool = false,
        /// Time after which a dead letter is tried again whose target is not there; until then it is counted and cannot be
        /// received. None loses it (at most once). RabbitMQ quorum: dead-letter-strategy at-least-once, 180 s.
        pub dead_letter_retry: Option<Micros> = None,
        /// Age at which a waiting message expires, in place of its own if that is longer. It does not touch a message in
        /// flight, which expires when it returns. RabbitMQ: x-message-ttl; Azure Service Bus: DefaultMessageTimeToLive.
        pub ttl: Option<Micros> = None,
        /// Where an expired message is noticed.
        pub expiry_noticed: ExpiryNoticed = ExpiryNoticed::Anywhere,
        /// What becomes of a message whose time to live is over.
        pub expired_to: ExpiredTo = ExpiredTo::Removed,
        /// The queue is deleted, without dead letters, when nobody used it for so long. RabbitMQ: x-expires.
        pub unused_for: Option<Micros> = None,
        /// Most messages that it holds. RabbitMQ: x-max-length; NATS JetStream: max_msgs.
        pub capacity: Option<u32> = None,
        /// What happens when it is full.
        pub overflow: Overflow = Overflow::DropHead,
        /// Which messages fill it.
        pub capacity_counts: CapacityCounts = CapacityCounts::Ready,
        /// So many more messages are let in before sends are refused. RabbitMQ quorum: 1 at least (observed).
        pub overshoot: u32 = 0,
        /// Most messages in flight. SQS: 120,000; NATS JetStream: MaxAckPending; Kafka share group: record locks.
        pub in_flight_limit: Option<u32> = None,
        /// What a receive gets at the limit.
        pub at_in_flight_limit: AtInFlightLimit = AtInFlightLimit::Empty,
        /// Redeliveries are handed out at the limit too. NATS JetStream (observed).
        pub redeliveries_exempt: bool = false,
        /// What a restart of the broker leaves.
        pub durability: Durability = Durability::Durable,
        /// From when a deduplication id is remembered for the deduplication window.
        pub deduplication_from: DeduplicationFrom = DeduplicationFrom::FirstSend,
        /// Most deduplication ids whose window runs; beyond that the oldest are forgotten.
        pub deduplication_kept: Option<u32> = None,
        /// Longest time until a changed setting acts, drawn for every change. SQS: up to 60 s (API Reference,
        /// SetQueueAttributes).
        pub propagation: Micros = Micros::ZERO,
        /// FIFO: calls of one action in a second, further ones are refused. SQS: 300 (quotas-messages).
        pub quota: Option<u32> = None,
        /// A second purge within this time is refused. SQS: 60 s.
        pub purge_interval: Option<Micros> = None,
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
        /// Priority of its messages: a number, or weights that are drawn for every send.
        pub priority: Priorities = Priorities::None,
        /// Time after which its messages expire, from their arrival.
        pub ttl: Option<Micros> = None,
        /// Whether its messages survive a restart of the broker in a durable queue.
        pub persistent: bool = true,
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
        /// The handlers of its first so many deliveries fail.
        pub fails: u32 = 0,
        /// Its processing time: one for all of its deliveries, or slow on its first ones and fast on later ones.
        pub processing: Option<Processing> = None,
        /// Value of its effect.
        pub amount: Option<u32> = None,
        /// Its priority.
        pub priority: Option<u8> = None,
        /// Its time to live.
        pub ttl: Option<Micros> = None,
        /// Whether it survives a restart of the broker.
        pub persistent: Option<bool> = None,
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
        /// Push: higher ones are served first.
        pub priority: u16 = 0,
        /// Push: consumers that name the same channel share it.
        pub channel: Option<String> = None,
        /// Push: most messages held by all consumers of the channel.
        pub channel_prefetch: Option<u32> = None,
        /// Acknowledges several finished messages together.
        pub ack_together: Option<AckTogether> = None,
        /// Whether a batch is worked on message by message.
        pub batch_work: BatchWork = BatchWork::Each,
        /// Takes over what others hold for too long.
        pub claim: Option<Claiming> = None,
        /// Stops receiving while its work fails.
        pub breaker: Option<Breaker> = None,
        /// Name of what its handlers call.
        pub downstream: Option<String> = None,
        /// Sessions: how long it keeps one that gives it nothing.
        pub session_idle: Micros = Micros::from_secs(60),
        /// A person receives and settles in its place.
        pub by_hand: bool = false,
        /// Crashes when it holds more messages than this.
        pub crash_above: Option<u32> = None,
        /// Starts again so long after a crash.
        pub restart_after: Option<Micros> = None,
        /// When it starts.
        pub start: Micros = Micros::ZERO,
    }
}

record! {
    /// Something that handlers call while they work.
    pub struct Downstream {
        /// Unique name.
        pub name: String,
        /// Most handlers that it serves at once, over all consumers.
        pub at_once: Option<u32> = None,
        /// What becomes of further handlers.
        pub when_full: WhenFull = WhenFull::Waits,
        /// Most calls that it accepts in a second, counted from each whole second; further handlers fail at the end of
        /// their work.
        pub per_second: Option<u32> = None,
        /// When it is down.
        pub down: Vec<Outage> = Vec::new(),
    }
}

record! {
    /// A time in which something is down.
    pub struct Outage {
        /// When it begins.
        pub from: Micros,
        /// When it is over.
        pub until: Micros,
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
