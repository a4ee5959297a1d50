//! Interventions: everything that a scenario or a person does to a run while it goes on.

use super::id::{BodyId, ConsumerId, DeduplicationId, GroupId, MessageNumber, ProducerId, QueueId};
use super::rules::Rule;
use super::setup::*;
use super::time::Micros;

/// A command and its time. Recorded with the run, so that a link or a file replays it exactly.
#[derive(Clone, PartialEq, Debug)]
pub struct TimedCommand {
    /// When it acts.
    pub at: Micros,
    /// What it does.
    pub command: Command,
}

/// An intervention.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// The consumer's process dies: what it held is neither completed nor acknowledged. No effect on a crashed one.
    Crash(ConsumerId),
    /// A crashed consumer starts again, empty.
    Restart(ConsumerId),
    /// The consumer stops receiving and starts no buffered message; running handlers finish.
    Pause(ConsumerId),
    /// Ends a pause.
    Resume(ConsumerId),
    /// Its work takes `percent` of its normal time from now on, the rest of running work included: 1000 is ten
    /// times slower, 100 normal.
    SlowDown {
        /// Which consumer.
        consumer: ConsumerId,
        /// Time in percent of normal; at least 1.
        percent: u32,
    },
    /// The next ack that this consumer sends is lost on its way.
    LoseNextAck(ConsumerId),
    /// The network between the consumer and the broker is cut: its receives, acks, nacks and heartbeats do not arrive,
    /// nor do responses. What is on its way is lost if it would arrive meanwhile. Running work goes on and has its
    /// effects; the broker learns nothing, also of a receive that waits there.
    Partition(ConsumerId),
    /// Ends a partition: the consumer receives anew. What was lost stays lost.
    Heal(ConsumerId),
    /// The channel of a consumer of a queue that pushes is closed, for all that share it: what they hold is returned.
    /// Running work goes on, and they subscribe anew after a second. Without effect when there is no channel open.
    CloseChannel(ConsumerId),
    /// The producer makes no sends until resumed; the ones that fall due meanwhile are not made up for.
    PauseProducer(ProducerId),
    /// Ends a producer's pause.
    ResumeProducer(ProducerId),
    /// Changes a setting of one queue.
    SetQueue(QueueId, QueueChange),
    /// Changes a setting of one consumer, or of all.
    SetConsumer(Option<ConsumerId>, ConsumerChange),
    /// Changes a setting of one producer.
    SetProducer(ProducerId, ProducerChange),
    /// Changes the network for calls made from now on.
    SetNetwork(NetworkSetup),
    /// Sends messages to a queue by hand.
    Send(HandSend),
    /// Moves messages of a dead-letter queue back to where they came from, oldest first, as new messages. One that
    /// comes while another is under way at this queue is refused.
    /// SQS: StartMessageMoveTask; one task at a time a queue (API Reference).
    Redrive {
        /// The dead-letter queue.
        from: QueueId,
        /// How many at most; none moves all.
        limit: Option<u32>,
        /// Messages a second; none moves all of them at once. With a rate those are moved that are there when it
        /// begins, so that it ends even if they come back. SQS: MaxNumberOfMessagesPerSecond, 1 to 500.
        rate: Option<u32>,
    },
    /// Stops a redrive with a rate; what has moved stays moved. SQS: CancelMessageMoveTask.
    CancelRedrive(QueueId),
    /// Moves one visible message of a dead-letter queue back to where it came from, as a new one. No effect on
    /// a message that is not there.
    RedriveMessage {
        /// Which.
        message: MessageNumber,
        /// It is no poison message any more when it moves.
        fix: bool,
    },
    /// Removes one message of a dead-letter queue for good. Counted as discarded, and never as lost,
    /// whatever the reason. No effect on one that is not there.
    Discard {
        /// Which.
        message: MessageNumber,
        /// Why.
        reason: DiscardReason,
    },
    /// Makes a message one that can never be processed, or mends it. Acts on every handler of it that ends from now on.
    SetPoison {
        /// Which.
        message: MessageNumber,
        /// Whether its handlers fail.
        poison: bool,
    },
    /// Ends the visibility timeout of a message in flight at once, as if its consumer had called
    /// ChangeMessageVisibility with 0; the consumer learns nothing. No effect on one that is not in flight, or was
    /// handed out without a timeout.
    ExpireNow(MessageNumber),
    /// Removes all messages of a queue: visible, delayed and in flight. SQS: PurgeQueue.
    Purge(QueueId),
    /// Takes a session away from the consumer that holds it, as if its lock had ended: that of this group, or the one
    /// held for longest. No effect when none is held.
    TakeSession(QueueId, Option<GroupId>),
    /// The broker restarts at once: what is not durable is lost, and channels are closed.
    RestartBroker,
    /// A person receives in the place of a consumer with [`ConsumerSetup::by_hand`]. What comes waits in its buffer
    /// until it is settled; its prefetch does not bound it. On push queues this is basic.get.
    Receive {
        /// Which consumer.
        consumer: ConsumerId,
        /// How many messages at most; at least 1.
        max: u16,
        /// How long the receive waits for one.
        wait: Micros,
    },
    /// A person settles, in the place of such a consumer, a message that it holds. Of several deliveries of the message
    /// it is the one whose lease runs, else the oldest. To let it expire is to do nothing.
    Settle {
        /// Which consumer.
        consumer: ConsumerId,
        /// Which message.
        message: MessageNumber,
        /// How.
        call: HandCall,
    },
}

/// What a person does with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandCall {
    /// Does its work, which takes no time and has its effect (guarded by the consumer's idempotence), then acknowledges
    /// it. The work on a poison message fails; the ack is sent all the same.
    Ack,
    /// Returns it undone, visible again after `delay`.
    Nack {
        /// See [`Backoff`].
        delay: Micros,
    },
    /// Returns it as failed. RabbitMQ: basic.reject with requeue.
    Fail,
    /// Gives it up for good. RabbitMQ: basic.nack without requeue; NATS JetStream: Term.
    Reject,
    /// Restarts its visibility timeout and keeps it.
    Extend {
        /// New visibility, counted from the call.
        to: Micros,
    },
}

/// Why a dead letter is discarded.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum DiscardReason {
    /// It can never be processed.
    #[default]
    Unprocessable,
    /// Its work was done by hand.
    Handled,
    /// Its work had been done before.
    Duplicate,
    /// Nobody needs its work any more.
    Obsolete,
}

impl DiscardReason {
    /// All of them, in the order of a list.
    pub const ALL: [Self; 4] = [
        Self::Unprocessable,
        Self::Handled,
        Self::Duplicate,
        Self::Obsolete,
    ];
}

/// A send by hand.
#[derive(Clone, PartialEq, Debug)]
pub struct HandSend {
    /// Where to.
    pub to: QueueId,
    /// How many; at least 1.
    pub count: u32,
    /// Group of each.
    pub group: Option<GroupId>,
    /// Body of each; without one they are called by their numbers.
    pub body: Option<BodyId>,
    /// Can never be processed.
    pub poison: bool,
    /// Value of the effect of each.
    pub amount: u32,
    /// Deduplication id of each.
    pub deduplication_id: Option<DeduplicationId>,
    /// Delay of each, in place of the queue's.
    pub delay: Option<Micros>,
    /// Priority of each.
    pub priority: Option<u8>,
    /// Time to live of each.
    pub ttl: Option<Micros>,
    /// Whether they survive a restart of the broker in a durable queue.
    pub persistent: bool,
}

/// A changed setting of a queue. What is there already follows the rules S6, S13 and S16 of SQS: retention acts on
/// stored messages, the delay does so on FIFO queues only, the visibility timeout only on later receives.
#[derive(Clone, PartialEq, Debug)]
pub enum QueueChange {
    /// FIFO or standard: keeps messages, send order, counts and leases, and rebuilds the indexes; the DLQ follows.
    /// A real queue cannot be converted.
    Kind(QueueKind),
    /// See [`QueueSetup::visibility_timeout`].
    VisibilityTimeout(Micros),
    /// See [`QueueSetup::delay`].
    Delay(Micros),
    /// See [`QueueSetup::retention`].
    Retention(Option<Micros>),
    /// See [`QueueSetup::max_deliveries`].
    MaxDeliveries(Option<u32>),
    /// See [`QueueSetup::dead_letter_queue`].
    DeadLetterQueue(Option<QueueId>),
    /// See [`QueueSetup::deduplication`].
    Deduplication(Deduplication),
    /// See [`QueueSetup::deduplication_window`].
    DeduplicationWindow(Micros),
    /// See [`QueueSetup::deduplication_scope`].
    DeduplicationScope(DeduplicationScope),
    /// See [`QueueSetup::stale_ack`].
    StaleAck(StaleAck),
    /// See [`QueueSetup::surplus_duplicates`].
    SurplusDuplicates(Chance),
    /// See [`QueueSetup::shards`] and [`QueueSetup::shards_sampled`].
    Shards {
        /// Servers that hold the messages.
        shards: u16,
        /// How many of them one short poll asks.
        sampled: u16,
    },
    /// See [`QueueSetup::rules`].
    Rule(Rule),
}

/// A changed setting of a consumer; the fields are those of [`ConsumerSetup`]. A lowered prefetch stops receiving
/// and drops nothing. Processing time acts on handlers that start later.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "each variant is the field of the same name")]
pub enum ConsumerChange {
    Workers(u16),
    Batch(Option<u16>),
    Prefetch(u32),
    Refill(Refill),
    Wait(Micros),
    PollInterval(Micros),
    VisibilityTimeout(Option<Micros>),
    Processing(Processing),
    Ack(AckMoment),
    SettleTime(Micros),
    Failure(Failure),
    OnFailure(OnFailure),
    Heartbeat(Option<Heartbeat>),
    Idempotence(Idempotence),
    SkipExpired(bool),
    Priority(u16),
    ChannelPrefetch(Option<u32>),
    AckTogether(Option<AckTogether>),
    BatchWork(BatchWork),
    Claim(Option<Claiming>),
    Breaker(Option<Breaker>),
    SessionIdle(Micros),
    ByHand(bool),
    CrashAbove(Option<u32>),
    RestartAfter(Option<Micros>),
}

/// A changed setting of a producer; the fields are those of [`ProducerSetup`]. A changed rate rescales the wait that
/// remains.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "each variant is the field of the same name")]
pub enum ProducerChange {
    Pattern(Pattern),
    Limit(Option<u32>),
    Groups(Groups),
    Poison(Poison),
    Processing(Option<Processing>),
    Delay(Option<Micros>),
    ConfirmTimeout(Option<Micros>),
    MaxResends(u32),
    Priority(Priorities),
    Ttl(Option<Micros>),
    Persistent(bool),
}
