//! Interventions: everything that a scenario or a person does to a run while it goes on.

use super::id::{BodyId, ConsumerId, GroupId, ProducerId, QueueId};
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
    /// Moves messages of a dead-letter queue back to where they came from, oldest first, as new messages.
    /// SQS: StartMessageMoveTask.
    Redrive {
        /// The dead-letter queue.
        from: QueueId,
        /// How many at most; none moves all.
        limit: Option<u32>,
    },
    /// Removes all messages of a queue: visible, delayed and in flight. SQS: PurgeQueue.
    Purge(QueueId),
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
}
