//! Statements about a run: expectations, break points, alerts and lesson checks.

use super::id::{BodyId, ConsumerId, GroupId, MessageNumber, QueueId};
use super::time::Micros;

/// One statement about a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// What is measured.
    pub metric: Metric,
    /// Of what; nothing named means the whole run.
    pub subject: Subject,
    /// When; none means at the end of the run.
    pub at: Option<Micros>,
    /// How the value must compare.
    pub comparison: Comparison,
    /// Allowed difference either way, in the metric's unit.
    pub within: f64,
}

/// Narrows a metric.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Subject {
    /// A message.
    pub message: Option<MessageRef>,
    /// A queue.
    pub queue: Option<QueueId>,
    /// A consumer.
    pub consumer: Option<ConsumerId>,
    /// A message group.
    pub group: Option<GroupId>,
    /// For [`Metric::Latency`]: the percentile, 0 to 100; 50 if none.
    pub percentile: Option<u8>,
    /// Of a list: the nth entry alone, from 1, or from the end, -1 the last. There is no value when the list is shorter.
    pub nth: Option<i32>,
}

/// How a claim names a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageRef {
    /// By its number.
    Number(MessageNumber),
    /// By its body: all messages that have it.
    Body(BodyId),
}

/// How a value must compare.
#[derive(Clone, PartialEq, Debug)]
pub enum Comparison {
    /// Equal, within the tolerance.
    Is(Value),
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
}

/// The value of a metric: counts as they are, times and spans in seconds, shares from 0 to 1.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// There is none: never happened, or nothing to measure.
    None,
    /// One number.
    Number(f64),
    /// Several, in order of time.
    List(Vec<f64>),
}

macro_rules! metrics {
    ($($(#[$meta:meta])* $name:ident = $text:literal,)*) => {
        /// What can be measured.
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Metric { $($(#[$meta])* $name,)* }

        impl Metric {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

metrics! {
    /// Sends that left a producer, re-sends included.
    #[default]
    Sent = "sent",
    /// Sends that the broker stored.
    Accepted = "accepted",
    /// Times of accepted sends.
    AcceptedTimes = "accepted_times",
    /// Sends recognised as repeated and not stored.
    Suppressed = "suppressed",
    /// Times of suppressed sends.
    SuppressedTimes = "suppressed_times",
    /// Sends that the broker refused.
    Refused = "refused",
    /// Times of those sends.
    RefusedTimes = "refused_times",
    /// Sends that never reached the broker.
    SendsLost = "sends_lost",
    /// Deliveries by the broker.
    Deliveries = "deliveries",
    /// Deliveries after the first of a message.
    DuplicateDeliveries = "duplicate_deliveries",
    /// Times of deliveries.
    DeliveryTimes = "delivery_times",
    /// Handlers that ended successfully.
    Executions = "executions",
    /// Handlers that failed.
    Failed = "failed",
    /// Times at which handlers failed.
    FailureTimes = "failure_times",
    /// Times at which handlers began.
    StartTimes = "start_times",
    /// Times at which handlers ended successfully.
    FinishTimes = "finish_times",
    /// Effects applied.
    Effects = "effects",
    /// Times of effects.
    EffectTimes = "effect_times",
    /// Effects applied after the first of a message.
    DuplicateEffects = "duplicate_effects",
    /// Sum of the amounts of all effects.
    Amount = "amount",
    /// The most deliveries that any one message has had.
    MostDeliveries = "most_deliveries",
    /// The broker's delivery count of a message now.
    ReceiveCount = "receive_count",
    /// Receives that ended empty.
    EmptyReceives = "empty_receives",
    /// Messages visible or locked, waiting.
    Ready = "ready",
    /// Messages not yet visible because of a delay.
    Delayed = "delayed",
    /// Messages received and not settled, their timeout running.
    InFlight = "in_flight",
    /// Messages that consumers have in hand: at work, buffered or in a batch. RabbitMQ: unacked, of one consumer.
    Held = "held",
    /// Messages that are there and delivered no more.
    Undeliverable = "undeliverable",
    /// Messages removed by acks.
    Acked = "acked",
    /// Times of those acks; of a message that survived one, the last.
    AckTimes = "ack_times",
    /// Acks that came too late to remove the message.
    StaleAcks = "stale_acks",
    /// Messages that consumers returned in time.
    Nacked = "nacked",
    /// Times of those returns.
    NackTimes = "nack_times",
    /// Messages that consumers gave up.
    Rejected = "rejected",
    /// Messages that came back without their consumer: its channel closed, it crashed, its session went.
    Requeued = "requeued",
    /// Times of those returns.
    RequeueTimes = "requeue_times",
    /// Messages that consumers took over from others.
    Claimed = "claimed",
    /// Times of those claims.
    ClaimTimes = "claim_times",
    /// Messages whose budget was used up and which stay or are archived.
    Exhausted = "exhausted",
    /// Times of that.
    ExhaustedAt = "exhausted_at",
    /// Messages kept by the broker out of their queue.
    Archived = "archived",
    /// Messages moved to a dead-letter queue (from the queue named).
    DeadLettered = "dead_lettered",
    /// Times of those moves.
    DeadLetteredAt = "dead_lettered_at",
    /// Messages removed by retention.
    Expired = "expired",
    /// Times of those removals.
    ExpiredAt = "expired_at",
    /// Messages removed for other reasons than ack, retention and purge.
    Dropped = "dropped",
    /// Times at which they were dropped.
    DroppedAt = "dropped_at",
    /// Messages removed by purges.
    Purged = "purged",
    /// Messages lost in restarts of the broker.
    LostInRestart = "lost_in_restart",
    /// Messages accepted that are in no queue, with no worker, never had their effect and were not discarded.
    Lost = "lost",
    /// Messages that took effect after a later one of their group.
    OutOfOrder = "out_of_order",
    /// Deliveries made while an earlier message of the group waited.
    DeliveredOutOfOrder = "delivered_out_of_order",
    /// Longest time between becoming visible and being delivered, waiting messages included.
    MaxWait = "max_wait",
    /// Time for which the oldest ready message of a queue has been ready; none when there is none.
    OldestWait = "oldest_wait",
    /// The most messages that were ready at once, over all queues but dead-letter queues.
    MaxBacklog = "max_backlog",
    /// Groups, or standard queues, that starve now.
    Starving = "starving",
    /// Time in which a consumer was idle while its queue had ready messages.
    IdleWhileWaiting = "idle_while_waiting",
    /// Time in which a consumer was running and had nothing to do.
    Idle = "idle",
    /// Crashes of consumers.
    Crashes = "crashes",
    /// Times of crashes.
    CrashTimes = "crash_times",
    /// Channels closed, counted for each consumer on them.
    ChannelClosures = "channel_closures",
    /// Times of those.
    ChannelClosedAt = "channel_closed_at",
    /// Times at which circuit breakers opened.
    BreakerTimes = "breaker_times",
    /// Times at which consumers took a session.
    SessionTimes = "session_times",
    /// Times from the first send of a message to its first effect: a percentile.
    Latency = "latency",
    /// Share of worker time spent in handlers.
    Utilisation = "utilisation",
    /// Keys remembered for idempotence.
    StoredIds = "stored_ids",
}

impl Metric {
    /// The metric of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|metric| metric.name() == name)
    }
}

impl Claim {
    /// Whether `value` satisfies the claim. A missing value satisfies only `is: null`.
    pub fn holds(&self, value: &Value) -> bool {
        // Values come from microseconds and counts: this is far below either.
        let within = self.within + 1e-9;
        let close = |a: f64, b: f64| (a - b).abs() <= within;
        match (&self.comparison, value) {
            (Comparison::Is(Value::None), Value::None) => true,
            (Comparison::Is(Value::Number(want)), Value::Number(got)) => close(*want, *got),
            (Comparison::Is(Value::List(want)), Value::List(got)) => {
                want.len() == got.len()
                    && want.iter().zip(got).all(|(want, got)| close(*want, *got))
            }
            // One time, asked of a metric that can have several.
            (Comparison::Is(Value::Number(want)), Value::List(got)) => {
                got.len() == 1 && close(*want, got[0])
            }
            (Comparison::AtLeast(least), Value::Number(got)) => *got >= least - within,
            (Comparison::AtMost(most), Value::Number(got)) => *got <= most + within,
            (Comparison::AtLeast(least), Value::List(got)) => {
                got.iter().all(|got| *got >= least - within) && !got.is_empty()
            }
            (Comparison::AtMost(most), Value::List(got)) => {
                got.iter().all(|got| *got <= most + within)
            }
            _ => false,
        }
    }
}
