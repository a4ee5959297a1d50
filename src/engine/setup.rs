//! What a run starts from: resolved, indexed, in microseconds. Scenario files are lowered to this.

use super::command::TimedCommand;
use super::id::{BodyId, DeduplicationId, GroupId, QueueId};
use super::rules::{HandOver, Rules};
use super::time::Micros;

/// Everything that decides a run, apart from live commands.
#[derive(Clone, PartialEq, Debug)]
pub struct Setup {
    /// Seeds every draw. The same seed, setup and commands give the same run.
    pub seed: u64,
    /// When the run ends; without it the run is endless.
    pub duration: Option<Micros>,
    /// Names of message groups.
    pub groups: Vec<String>,
    /// Bodies given in the scenario. A message without one is called by its number.
    pub bodies: Vec<String>,
    /// Explicit deduplication ids.
    pub deduplication_ids: Vec<String>,
    /// The queues, dead-letter queues included.
    pub queues: Vec<QueueSetup>,
    /// The producers.
    pub producers: Vec<ProducerSetup>,
    /// The consumers; a file's `count` is expanded into one entry each.
    pub consumers: Vec<ConsumerSetup>,
    /// What handlers call, and how much it takes.
    pub downstreams: Vec<DownstreamSetup>,
    /// Delays and losses between actors and broker.
    pub network: NetworkSetup,
    /// Commands planned in the scenario, ordered by time, then file order.
    pub commands: Vec<TimedCommand>,
    /// When a group counts as starving.
    pub starvation: StarvationSetup,
    /// More live messages than this pause the run and say why.
    pub live_message_cap: u32,
}

/// A probability in millionths: 0 is never, 1,000,000 always.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Chance(pub u32);

/// One queue and its rules.
#[derive(Clone, PartialEq, Debug)]
pub struct QueueSetup {
    /// Unique name.
    pub name: String,
    /// FIFO or standard.
    pub kind: QueueKind,
    /// How long a received message stays hidden. SQS: VisibilityTimeout.
    pub visibility_timeout: Micros,
    /// Delay of a message that brings none of its own. SQS: DelaySeconds.
    pub delay: Micros,
    /// Age, from the send, at which a message is removed; none keeps it for ever. SQS: MessageRetentionPeriod.
    pub retention: Option<Micros>,
    /// Deliveries in all before the receive that would exceed them moves the message. SQS: maxReceiveCount.
    /// None is unlimited.
    pub max_deliveries: Option<u32>,
    /// Where exhausted messages go. Without one, an exhausted message is dropped by that receive.
    pub dead_letter_queue: Option<QueueId>,
    /// How sends are deduplicated.
    pub deduplication: Deduplication,
    /// How long a deduplication id is remembered, from the first accepted send. SQS FIFO: 5 minutes.
    pub deduplication_window: Micros,
    /// Whether the same id in two groups is a duplicate.
    pub deduplication_scope: DeduplicationScope,
    /// What an ack with an older receipt does on a standard queue after the message was received again.
    pub stale_ack: StaleAck,
    /// Standard only: chance that a copy survives its ack and comes again. SQS standard: at least once.
    pub surplus_duplicates: Chance,
    /// Standard only: servers that hold the messages; a short poll samples some of them. 1 keeps send order.
    pub shards: u16,
    /// How many shards one short poll asks.
    pub shards_sampled: u16,
    /// Rules that differ between brokers.
    pub rules: Rules,
}

impl QueueSetup {
    /// Whether it hands messages out by its own accord.
    pub fn pushes(&self) -> bool {
        self.rules.hand_over == HandOver::Push
    }
}

/// The two kinds of queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueKind {
    /// No order promised, no group locks.
    Standard,
    /// First in, first out per message group; a group is walked from its head up to the first message
    /// that is not visible.
    Fifo,
}

/// What identifies a repeated send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deduplication {
    /// Nothing is suppressed.
    Off,
    /// The deduplication id of the send; a send without one is never suppressed.
    ById,
    /// The id if the send has one, else the body.
    ByContent,
}

/// How far a deduplication id reaches. SQS FIFO: DeduplicationScope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeduplicationScope {
    /// The whole queue, across groups.
    Queue,
    /// Each group by itself.
    Group,
}

/// What happens to an ack whose lease is no longer the newest, on a standard queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaleAck {
    /// The call succeeds and deletes nothing. SQS standard: "might not be deleted".
    Ignored,
    /// The call deletes the message. NATS JetStream, Redis Streams: any ack settles.
    Deletes,
    /// The call is refused, also when the lease is over and the message was not received again. Azure Service Bus;
    /// Google Pub/Sub with exactly-once delivery.
    Refused,
    /// The call closes the consumer's channel, and all it holds is returned. RabbitMQ: 406, unknown delivery tag.
    ClosesChannel,
}

/// One producer.
#[derive(Clone, PartialEq, Debug)]
pub struct ProducerSetup {
    /// Unique name.
    pub name: String,
    /// The queue it sends to.
    pub to: QueueId,
    /// When it sends.
    pub pattern: Pattern,
    /// When it starts; times of an explicit list are not shifted by it.
    pub start: Micros,
    /// How many messages it sends in all; none is unlimited.
    pub limit: Option<u32>,
    /// Which message group each send names.
    pub groups: Groups,
    /// Which sends can never be processed.
    pub poison: Poison,
    /// Processing time of its messages, in place of the consumer's.
    pub processing: Option<Processing>,
    /// Delay it asks for, in place of the queue's.
    pub delay: Option<Micros>,
    /// Value of one message's effect, in the scenario's unit; sums are shown in *Outside world*.
    pub amount: u32,
    /// Sends again, with the same deduplication id, when no confirm came in this time.
    pub confirm_timeout: Option<Micros>,
    /// How often one message is sent again at most.
    pub max_resends: u32,
    /// Priority of its messages.
    pub priority: Priorities,
    /// Time after which a message of it expires, counted from its arrival. RabbitMQ: expiration.
    pub ttl: Option<Micros>,
    /// Whether its messages survive a restart of the broker in a durable queue. RabbitMQ: delivery mode 2.
    pub persistent: bool,
}

/// Which priority a send has.
#[derive(Clone, PartialEq, Debug)]
pub enum Priorities {
    /// None.
    None,
    /// Always this.
    Fixed(u8),
    /// Drawn for every send, with these weights.
    Weighted(Vec<(u8, u32)>),
}

/// When a producer sends.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// Exactly these sends, ordered by time, then file order.
    List(Vec<PlannedSend>),
    /// One send every so often, the first at the producer's start.
    Constant {
        /// Time between two sends; at least 1 µs.
        every: Micros,
    },
    /// Independent arrivals: exponential gaps, the first one gap after the start.
    Poisson {
        /// Mean time between two sends; at least 1 µs.
        mean: Micros,
    },
    /// Several sends at one instant, the first burst at the producer's start.
    Bursts {
        /// Sends in a burst.
        size: u32,
        /// Time between two bursts; at least 1 µs.
        every: Micros,
    },
}

/// One send of an explicit list.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedSend {
    /// When it leaves the producer.
    pub at: Micros,
    /// Its body; without one it is called by its number.
    pub body: Option<BodyId>,
    /// Its group; without one the producer's rule decides.
    pub group: Option<GroupId>,
    /// Its deduplication id.
    pub deduplication_id: Option<DeduplicationId>,
    /// Its delay, in place of the producer's or queue's.
    pub delay: Option<Micros>,
    /// Can never be processed.
    pub poison: bool,
    /// The handlers of its first so many deliveries fail.
    pub fails: u32,
    /// Its processing time, in place of the producer's or consumer's.
    pub processing: Option<Processing>,
    /// Value of its effect; none takes the producer's.
    pub amount: Option<u32>,
    /// Its priority; none takes the producer's.
    pub priority: Option<u8>,
    /// Its time to live; none takes the producer's.
    pub ttl: Option<Micros>,
    /// Whether it survives a restart; none takes the producer's.
    pub persistent: Option<bool>,
}

/// Which group a send names.
#[derive(Clone, PartialEq, Debug)]
pub enum Groups {
    /// None; on a FIFO queue all such messages form one group.
    None,
    /// These, in turn, by send number.
    Cycle(Vec<GroupId>),
    /// Drawn for every send, with these weights.
    Weighted(Vec<(GroupId, u32)>),
}

/// Which sends are poison: their handler fails at the end of its work, every time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poison {
    /// None.
    Never,
    /// Every nth send of this producer: n, 2n, 3n …; at least 1.
    Every(u32),
    /// Drawn for every send.
    Share(Chance),
}

/// How long the handler works on one delivery. Drawn by (message, delivery number).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Processing {
    /// Always this long.
    Constant(Micros),
    /// Anything between, ends included, equally likely.
    Uniform {
        /// Shortest.
        min: Micros,
        /// Longest.
        max: Micros,
    },
    /// Memoryless with this mean.
    Exponential {
        /// Mean.
        mean: Micros,
    },
    /// Log-normal.
    LogNormal {
        /// Half of all deliveries take less.
        median: Micros,
        /// Standard deviation of the logarithm, in thousandths.
        sigma_milli: u32,
    },
    /// Slow on the first deliveries of a message, fast on later ones.
    SlowThenFast {
        /// Time of the slow deliveries.
        slow: Micros,
        /// Time of all later ones.
        fast: Micros,
        /// How many deliveries of each message are slow.
        slow_deliveries: u32,
    },
}

/// One consumer: a process with one or more parallel workers.
#[derive(Clone, PartialEq, Debug)]
pub struct ConsumerSetup {
    /// Unique name.
    pub name: String,
    /// Stream of its draws: consumers expanded from one `count` share it, so a message's work does not depend
    /// on which of them takes it.
    pub stream: String,
    /// The queue it receives from.
    pub from: QueueId,
    /// Parallel slots; at least 1.
    pub workers: u16,
    /// Most messages asked for in one receive; at least 1. None asks for all that `prefetch` leaves room for,
    /// 10 at most. SQS: MaxNumberOfMessages.
    pub batch: Option<u16>,
    /// Most messages held at once, running ones included; at least 1.
    pub prefetch: u32,
    /// When it receives again.
    pub refill: Refill,
    /// How long a receive waits for a message; zero is short polling. SQS: WaitTimeSeconds.
    pub wait: Micros,
    /// Pause after an empty receive before the next. With `wait` zero it must be at least 1 ms.
    pub poll_interval: Micros,
    /// Visibility timeout asked for in its receives, in place of the queue's.
    pub visibility_timeout: Option<Micros>,
    /// How long its handler works.
    pub processing: Processing,
    /// When it acknowledges.
    pub ack: AckMoment,
    /// Time between the effect of a finished handler and what follows it (marking the idempotence key, then the
    /// ack): a crash can fall between them. The worker stays busy.
    pub settle_time: Micros,
    /// When its handler fails, apart from poison messages.
    pub failure: Failure,
    /// What it does with a delivery whose handler failed.
    pub on_failure: OnFailure,
    /// Extends visibility while working.
    pub heartbeat: Option<Heartbeat>,
    /// How it guards against a second effect.
    pub idempotence: Idempotence,
    /// Drops a buffered message whose lease has run out instead of working on it.
    pub skip_expired: bool,
    /// Push: higher ones are served first while their prefetch leaves room. RabbitMQ: x-priority.
    pub priority: u16,
    /// Push: consumers with the same number share a channel, which closes for all of them. None has its own.
    pub channel: Option<u16>,
    /// Push: most messages held by all consumers of the channel. RabbitMQ: basic.qos with global = true.
    pub channel_prefetch: Option<u32>,
    /// Acknowledges several finished messages together; none acknowledges each by itself.
    pub ack_together: Option<AckTogether>,
    /// Whether a batch is worked on message by message.
    pub batch_work: BatchWork,
    /// Takes over what others hold for too long.
    pub claim: Option<Claiming>,
    /// Stops receiving while its work fails.
    pub breaker: Option<Breaker>,
    /// What its handlers call: a position in [`Setup::downstreams`].
    pub downstream: Option<u16>,
    /// Sessions: how long it keeps one that gives it nothing. Azure Service Bus SDKs: SessionIdleTimeout.
    pub session_idle: Micros,
    /// Does nothing by itself: a person receives and settles in its place.
    pub by_hand: bool,
    /// Crashes when it holds more messages than this: its memory is full.
    pub crash_above: Option<u32>,
    /// Starts again so long after a crash; none stays down until a command starts it.
    pub restart_after: Option<Micros>,
    /// When it starts.
    pub start: Micros,
}

/// When a consumer receives again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refill {
    /// As soon as it holds less than `prefetch`.
    AsFreed,
    /// Only when it holds nothing.
    WhenEmpty,
}

/// When a consumer acknowledges a delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckMoment {
    /// The broker counts it as done when it hands it out: at most once. RabbitMQ: automatic acknowledgement; Azure
    /// Service Bus: receive and delete; Redis Streams: NOACK.
    Automatic,
    /// When the message reaches it, before it is buffered: at most once.
    OnReceive,
    /// When its handler starts.
    AtStart,
    /// When its handler has succeeded: at least once.
    AfterWork,
}

/// When a handler fails.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Chance of failure of one delivery.
    pub chance: Chance,
    /// The first so many deliveries of every message fail.
    pub first_deliveries: u32,
    /// A failure is final: the message goes straight to the DLQ (a reject).
    pub permanent: bool,
}

/// What a consumer does with a failed delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnFailure {
    /// Returns it, visible again after the back-off. SQS: ChangeMessageVisibility.
    Nack(Backoff),
    /// Does nothing; the visibility timeout ends by itself.
    LetTimeoutEnd,
    /// Returns it as failed, which some brokers count where they do not count a nack. RabbitMQ: basic.reject with
    /// requeue.
    ReturnFailed,
    /// Gives it up at once. RabbitMQ: basic.nack without requeue; NATS JetStream: Term.
    Reject,
    /// The process crashes with all it holds.
    Crash,
}

/// Acknowledging finished messages together, with [`AckMoment::AfterWork`]: a checkpoint. RabbitMQ: multiple = true; NATS
/// JetStream: AckAll clients and checkpoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckTogether {
    /// As soon as so many are finished; at least 1.
    pub count: Option<u32>,
    /// At every multiple of this time, counted from the beginning of the run; at least 1 ms.
    pub every: Option<Micros>,
}

/// How a consumer works on what one receive gave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchWork {
    /// Message by message, each acknowledged by itself.
    Each,
    /// As one: one failure fails all of them. AWS Lambda on SQS: the whole batch becomes visible again.
    Whole,
    /// As one, and only what failed comes back. AWS Lambda: ReportBatchItemFailures; on FIFO queues all that follows
    /// the first failure comes back too.
    Partial,
}

/// Taking over what other consumers hold. Redis Streams: XAUTOCLAIM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claiming {
    /// Only what was idle so long.
    pub min_idle: Micros,
    /// Time between two claims; at least 1 ms.
    pub every: Micros,
    /// Most messages in one claim; at least 1.
    pub max: u32,
}

/// A circuit breaker: after `failures` failures in a row the consumer receives nothing for `open_for`, then tries one
/// message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breaker {
    /// Failures in a row that open it; at least 1.
    pub failures: u32,
    /// How long it stays open.
    pub open_for: Micros,
}

/// Something that handlers call while they work: a database, a partner's interface.
#[derive(Clone, PartialEq, Debug)]
pub struct DownstreamSetup {
    /// Unique name.
    pub name: String,
    /// Most handlers that it serves at once, over all consumers. A handler holds its place from its start to its end,
    /// the time to settle included.
    pub at_once: Option<u32>,
    /// What becomes of further handlers.
    pub when_full: WhenFull,
    /// Most calls that it accepts in a second, counted from each whole second; further handlers fail at the end of
    /// their work. A handler that fails for another reason makes no call.
    pub per_second: Option<u32>,
    /// When it is down, from and up to but without: handlers whose work ends then fail, and no call is counted.
    pub down: Vec<(Micros, Micros)>,
}

/// What becomes of a handler that finds no place.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// It waits for one, in order of coming, its worker busy and its lease running. A connection pool.
    #[default]
    Waits,
    /// It fails at once. AWS Lambda: a throttled invocation.
    Fails,
}

/// Delay before a returned message is visible again: `base`, multiplied by `factor_percent` for each further
/// delivery, at most `cap`, plus up to `jitter` of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// Delay after the first delivery; zero returns at once.
    pub base: Micros,
    /// Growth per further delivery, in percent: 100 stays, 200 doubles.
    pub factor_percent: u32,
    /// Longest delay.
    pub cap: Micros,
    /// Share of the delay that is drawn at random and taken off: 0 none, 1,000,000 anything down to zero.
    pub jitter: Chance,
}

impl Backoff {
    /// Returns at once.
    pub const NONE: Self = Self {
        base: Micros::ZERO,
        factor_percent: 100,
        cap: Micros::MAX,
        jitter: Chance(0),
    };
}

/// Extending visibility while the handler works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heartbeat {
    /// Time between two extensions, from the start of the work; at least 1 ms.
    pub every: Micros,
    /// New visibility, counted from each call.
    pub extend_to: Micros,
}

/// How a consumer guards against applying an effect twice. A procedure: a crash can fall between any two steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Idempotence {
    /// The procedure.
    pub method: IdempotenceMethod,
    /// What identifies "the same" work.
    pub key: IdempotenceKey,
    /// How long a key is remembered; none is for ever.
    pub window: Option<Micros>,
    /// How many keys are remembered, oldest forgotten first; none is unlimited.
    pub capacity: Option<u32>,
}

/// The four procedures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdempotenceMethod {
    /// None: every finished handler applies its effect.
    None,
    /// Look at the start whether the key is marked; apply the effect; mark the key. Two handlers running at the
    /// same time both apply.
    CheckFirst,
    /// Mark the key at the start; whoever finds it marked skips. A crash after the mark loses the effect.
    ClaimFirst,
    /// Mark and effect in one transaction at the end: exactly one effect.
    Transaction,
}

/// What identifies the same work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdempotenceKey {
    /// The broker's message id: does not recognise a message that the producer sent twice.
    MessageId,
    /// A key of the business, here the body: recognises a repeated send as well.
    BusinessKey,
    /// The producer: wrong on purpose, the second message of a producer is taken for a duplicate.
    Producer,
}

/// The network between actors and broker: a delay per direction, and losses.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct NetworkSetup {
    /// Producer to broker: sends.
    pub send_delay: Micros,
    /// Broker to producer: confirms.
    pub confirm_delay: Micros,
    /// Consumer to broker: receives, acks, nacks, extensions.
    pub ack_delay: Micros,
    /// Broker to consumer: messages.
    pub delivery_delay: Micros,
    /// Chance that a send never reaches the broker.
    pub lose_send: Chance,
    /// Chance that a confirm never reaches the producer.
    pub lose_confirm: Chance,
    /// Chance that a receive response never reaches the consumer; the receive still counts. SQS: "avoiding
    /// inconsistent message processing".
    pub lose_response: Chance,
    /// Chance that an ack never reaches the broker.
    pub lose_ack: Chance,
}

/// When a group, or a whole standard queue, counts as starving: its oldest visible or locked message has waited
/// at least `min_wait`, and at least `factor` times the median wait of the last 20 deliveries of its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StarvationSetup {
    /// Least wait; 10 s by default.
    pub min_wait: Micros,
    /// Multiple of the median wait; 5 by default.
    pub factor: u32,
}

impl Default for StarvationSetup {
    fn default() -> Self {
        Self {
            min_wait: Micros::from_secs(10),
            factor: 5,
        }
    }
}
