//! The rules of a queue that brokers disagree about. [`Rules::default`] is what an Amazon SQS standard queue does.
//!
//! Each rule names the broker whose document or behaviour it follows. A *profile* (in the scenario layer) chooses and
//! fixes them together; the engine takes any combination.

use super::time::Micros;

/// Calls `$callback!` with every rule: its field, its variant of [`Rule`] and its type.
#[macro_export]
#[doc(hidden)]
macro_rules! each_rule {
    ($callback:ident) => {
        $callback! {
            hand_over HandOver HandOver,
            consumer_timeout ConsumerTimeout Option<Micros>,
            at_consumer_timeout AtConsumerTimeout AtConsumerTimeout,
            single_active_consumer SingleActiveConsumer bool,
            priority Priority Priority,
            group_rule GroupRule GroupRule,
            fair_share FairShare FairShare,
            returns_to ReturnsTo ReturnPlace,
            retry_delay RetryDelay Option<RetryDelay>,
            lease_steps LeaseSteps Vec<Micros>,
            count Count CountRule,
            counted_returns CountedReturns Causes,
            budget Budget BudgetRule,
            exhausted Exhausted Exhausted,
            dead_letter_clock DeadLetterClock DeadLetterClock,
            cuts_cycles CutsCycles bool,
            dead_letter_retry DeadLetterRetry Option<Micros>,
            ttl Ttl Option<Micros>,
            expiry_noticed ExpiryNoticed ExpiryNoticed,
            expired_to ExpiredTo ExpiredTo,
            unused_for UnusedFor Option<Micros>,
            capacity Capacity Option<u32>,
            overflow Overflow Overflow,
            capacity_counts CapacityCounts CapacityCounts,
            overshoot Overshoot u32,
            in_flight_limit InFlightLimit Option<u32>,
            at_in_flight_limit AtInFlightLimit AtInFlightLimit,
            redeliveries_exempt RedeliveriesExempt bool,
            durability Durability Durability,
            deduplication_from DeduplicationFrom DeduplicationFrom,
            deduplication_kept DeduplicationKept Option<u32>,
            propagation Propagation Micros,
            quota Quota Option<u32>,
            purge_interval PurgeInterval Option<Micros>,
        }
    };
}

macro_rules! define {
    ($($field:ident $variant:ident $type:ty,)*) => {
        /// One rule and its value.
        #[derive(Clone, PartialEq, Debug)]
        #[allow(missing_docs, reason = "each variant is the field of the same name")]
        pub enum Rule {
            $($variant($type),)*
        }

        impl Rules {
            /// The names of the rules, as in files.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field),)*];

            /// Changes one rule.
            pub fn set(&mut self, rule: Rule) {
                match rule {
                    $(Rule::$variant(value) => self.$field = value,)*
                }
            }

            /// One rule, by name.
            pub fn get(&self, name: &str) -> Option<Rule> {
                match name {
                    $(stringify!($field) => Some(Rule::$variant(self.$field.clone())),)*
                    _ => None,
                }
            }
        }

        impl Rule {
            /// Its name, as in files.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => stringify!($field),)*
                }
            }
        }
    };
}
each_rule!(define);

/// How a queue treats its messages where brokers differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Rules {
    /// How messages reach consumers.
    pub hand_over: HandOver,
    /// Push only: a delivery that is not acknowledged in this time. RabbitMQ: consumer_timeout, 30 min, checked once
    /// a minute there and at once here (guide "consumers", acknowledgement timeout). None waits for ever.
    pub consumer_timeout: Option<Micros>,
    /// What happens then.
    pub at_consumer_timeout: AtConsumerTimeout,
    /// Push only: one consumer receives, the one that subscribed first; the next takes over when it goes. RabbitMQ:
    /// x-single-active-consumer.
    pub single_active_consumer: bool,
    /// Standard queues: what priority does.
    pub priority: Priority,
    /// FIFO queues: what a group means.
    pub group_rule: GroupRule,
    /// Standard queues: whether groups share the consumers.
    pub fair_share: FairShare,
    /// Where a returned message goes.
    pub returns_to: ReturnPlace,
    /// A pause that the broker makes before a returned message is visible again, in addition to what a nack asks for.
    pub retry_delay: Option<RetryDelay>,
    /// Visibility timeout by delivery number, the last one repeated; empty takes the queue's. A nack is not
    /// concerned. NATS JetStream: BackOff.
    pub lease_steps: Vec<Micros>,
    /// What the delivery count counts.
    pub count: CountRule,
    /// With [`CountRule::OnReturn`]: which returns count.
    pub counted_returns: Causes,
    /// When a message has used up its retry budget, the queue's `max_deliveries`.
    pub budget: BudgetRule,
    /// What becomes of it then.
    pub exhausted: Exhausted,
    /// Whether a message's age starts again in this queue when it comes as a dead letter.
    pub dead_letter_clock: DeadLetterClock,
    /// A dead letter that comes back to a queue where it has been, without a reject on its way, is dropped. RabbitMQ:
    /// guide "dlx", automatically detected cycles.
    pub cuts_cycles: bool,
    /// Time after which a dead letter is tried again whose target is not there; until then it is counted and cannot be
    /// received. None loses it (at most once). RabbitMQ quorum: dead-letter-strategy at-least-once, 180 s.
    pub dead_letter_retry: Option<Micros>,
    /// Age at which a waiting message expires, in place of its own if that is longer. It does not touch a message in
    /// flight, which expires when it returns. RabbitMQ: x-message-ttl; Azure Service Bus: DefaultMessageTimeToLive.
    pub ttl: Option<Micros>,
    /// Where an expired message is noticed. Retention is noticed anywhere, in flight too.
    pub expiry_noticed: ExpiryNoticed,
    /// What becomes of a message whose time to live is over.
    pub expired_to: ExpiredTo,
    /// The queue is deleted, without dead letters, when nobody used it for so long. RabbitMQ: x-expires.
    pub unused_for: Option<Micros>,
    /// Most messages that it holds. RabbitMQ: x-max-length; NATS JetStream: max_msgs.
    pub capacity: Option<u32>,
    /// What happens when it is full.
    pub overflow: Overflow,
    /// Which messages fill it.
    pub capacity_counts: CapacityCounts,
    /// So many more messages are let in before sends are refused. RabbitMQ quorum: 1 at least (observed).
    pub overshoot: u32,
    /// Most messages in flight. SQS: 120,000; NATS JetStream: MaxAckPending; Kafka share group: record locks.
    pub in_flight_limit: Option<u32>,
    /// What a receive gets at the limit.
    pub at_in_flight_limit: AtInFlightLimit,
    /// Redeliveries are handed out at the limit too. NATS JetStream (observed).
    pub redeliveries_exempt: bool,
    /// What a restart of the broker leaves.
    pub durability: Durability,
    /// From when a deduplication id is remembered for the deduplication window.
    pub deduplication_from: DeduplicationFrom,
    /// Most deduplication ids whose window runs; beyond that the oldest are forgotten. BullMQ: completed jobs that are
    /// kept.
    pub deduplication_kept: Option<u32>,
    /// Longest time until a changed setting acts, drawn for every change. SQS: up to 60 s (API Reference,
    /// SetQueueAttributes).
    pub propagation: Micros,
    /// FIFO: calls of one action in a second, further ones are refused. SQS: 300 (quotas-messages).
    pub quota: Option<u32>,
    /// A second purge within this time is refused. SQS: 60 s.
    pub purge_interval: Option<Micros>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            hand_over: HandOver::Lease,
            consumer_timeout: None,
            at_consumer_timeout: AtConsumerTimeout::ClosesChannel,
            single_active_consumer: false,
            priority: Priority::Off,
            group_rule: GroupRule::Walk,
            fair_share: FairShare::Off,
            returns_to: ReturnPlace::Place,
            retry_delay: None,
            lease_steps: Vec::new(),
            count: CountRule::OnReceive,
            counted_returns: Causes::ALL,
            budget: BudgetRule::OnReceive,
            exhausted: Exhausted::DeadLetter,
            dead_letter_clock: DeadLetterClock::ByKind,
            cuts_cycles: false,
            dead_letter_retry: None,
            ttl: None,
            expiry_noticed: ExpiryNoticed::Anywhere,
            expired_to: ExpiredTo::Removed,
            unused_for: None,
            capacity: None,
            overflow: Overflow::DropHead,
            capacity_counts: CapacityCounts::Ready,
            overshoot: 0,
            in_flight_limit: None,
            at_in_flight_limit: AtInFlightLimit::Empty,
            redeliveries_exempt: false,
            durability: Durability::Durable,
            deduplication_from: DeduplicationFrom::FirstSend,
            deduplication_kept: None,
            propagation: Micros::ZERO,
            quota: None,
            purge_interval: None,
        }
    }
}

/// How messages reach consumers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandOver {
    /// Consumers receive; what they receive is hidden for the visibility timeout. SQS, NATS JetStream (pull), Google
    /// Pub/Sub, Azure Service Bus, Kafka share groups.
    Lease,
    /// Consumers receive; what they receive stays pending until it is acknowledged or claimed. Redis Streams: the
    /// pending entries list (XREADGROUP, XCLAIM).
    Pending,
    /// The broker hands out, up to each consumer's prefetch; what a consumer holds comes back when its channel closes.
    /// RabbitMQ.
    Push,
}

/// What happens to a consumer that did not acknowledge in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtConsumerTimeout {
    /// Its channel is closed and all it holds is returned. RabbitMQ up to 4.2.
    ClosesChannel,
    /// It is cancelled and all it holds is returned. RabbitMQ 4.3, quorum queues, clients that support it.
    CancelsConsumer,
}

/// What priority does on a standard queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// Nothing.
    Off,
    /// The highest first, in order of sending within one.
    Strict {
        /// Highest; what is above counts as this.
        max: u8,
        /// Of a message that brings none.
        default: u8,
        /// Returned messages lose it and come before everything. RabbitMQ quorum 4.3.
        lost_on_return: bool,
    },
    /// Two levels; so many high ones for each low one while both wait. RabbitMQ quorum 4.0: above 4 is high, 2 : 1.
    Weighted {
        /// Priorities above this are high.
        above: u8,
        /// High messages in a row.
        high: u32,
        /// Low messages in a row.
        low: u32,
    },
    /// The highest first, and a message rises by one for each so much waiting.
    Aging {
        /// Highest; what is above counts as this.
        max: u8,
        /// Time to rise by one.
        every: Micros,
    },
}

/// What a group means on a FIFO queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupRule {
    /// A group is walked from its head up to the first message that is not visible. SQS FIFO.
    Walk,
    /// All messages are one group, whatever they name.
    Whole,
    /// A group is a session: one consumer holds it and all its messages, also those to come, until it closes it or
    /// the lock runs out. Azure Service Bus.
    Session,
    /// Messages of a key are handed out in order and several may be out at once; when one returns, all later ones
    /// of its key are delivered again. Google Pub/Sub: ordering keys.
    Key,
}

/// Whether groups share the consumers of a standard queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FairShare {
    /// In order of sending.
    Off,
    /// One message of each group in turn.
    RoundRobin,
    /// Groups that are not noisy first. SQS fair queues: noisy has more than a tenth of what is in flight and 30
    /// messages at least, or more than a tenth of the recent processing time (fair queues, "detailed").
    QuietFirst,
}

/// Where a returned message goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReturnPlace {
    /// Where it was, by order of sending. RabbitMQ classic.
    Place,
    /// Before all others. Azure Service Bus: at or near the front.
    Head,
    /// Behind all others. RabbitMQ quorum without a delivery limit.
    Tail,
    /// A queue of its own that is served first, in order of return. RabbitMQ quorum with a delivery limit; NATS
    /// JetStream.
    ReturnsQueue,
}

/// A pause before a returned message is visible again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetryDelay {
    /// After the first failed delivery.
    pub min: Micros,
    /// At most.
    pub max: Micros,
    /// How it grows with the number of deliveries.
    pub growth: Growth,
    /// After which returns.
    pub after: Causes,
}

/// How a pause grows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Growth {
    /// Times the number of deliveries. RabbitMQ quorum 4.3.
    Linear,
    /// Doubled for each further delivery. Google Pub/Sub.
    #[default]
    Exponential,
}

/// What the delivery count counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountRule {
    /// Deliveries. SQS, NATS JetStream, Redis Streams, Kafka share groups.
    OnReceive,
    /// Returns. RabbitMQ quorum: x-delivery-count; Azure Service Bus.
    OnReturn,
    /// Nothing: only whether it was delivered before. RabbitMQ classic: redelivered.
    Never,
}

/// How a delivery ended without an ack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReturnCause {
    /// The consumer returned it: nack, release, abandon.
    Nack,
    /// The consumer returned it as failed: RabbitMQ basic.reject with requeue.
    Failed,
    /// Its time ran out.
    Timeout,
    /// Its consumer went away.
    Crash,
}

/// A set of [`ReturnCause`]s.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Causes {
    /// See [`ReturnCause::Nack`].
    pub nack: bool,
    /// See [`ReturnCause::Failed`].
    pub failed: bool,
    /// See [`ReturnCause::Timeout`].
    pub timeout: bool,
    /// See [`ReturnCause::Crash`].
    pub crash: bool,
}

impl Causes {
    /// Every cause.
    pub const ALL: Self = Self {
        nack: true,
        failed: true,
        timeout: true,
        crash: true,
    };

    /// Whether this is one of them.
    pub const fn has(self, cause: ReturnCause) -> bool {
        match cause {
            ReturnCause::Nack => self.nack,
            ReturnCause::Failed => self.failed,
            ReturnCause::Timeout => self.timeout,
            ReturnCause::Crash => self.crash,
        }
    }
}

/// When a retry budget of N is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BudgetRule {
    /// On the receive that would exceed it: N deliveries, and nothing moves while nobody receives. SQS.
    OnReceive,
    /// On the return that exceeds it: N + 1 deliveries. RabbitMQ quorum: x-delivery-limit.
    OnReturn,
    /// When a delivery ends and the count has reached it: N deliveries. Kafka share groups, Azure Service Bus, Google
    /// Pub/Sub, NATS JetStream.
    OnEnd,
}

/// What becomes of a message whose budget is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// It goes to the dead-letter queue, or is dropped for want of one.
    DeadLetter,
    /// It is dropped.
    Drop,
    /// It is archived: kept by the broker, out of the queue. Kafka share groups.
    Archive,
    /// It stays in the queue and is never delivered again. NATS JetStream: MaxDeliver.
    Stays,
}

/// Whether age starts again in a dead-letter queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadLetterClock {
    /// SQS: kept on standard queues, started again on FIFO queues.
    ByKind,
    /// Age counts from the first send.
    Kept,
    /// Age counts from the arrival here, and deliveries too. RabbitMQ: republished.
    Restarted,
}

/// Where an expired message is noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpiryNoticed {
    /// Wherever it is.
    Anywhere,
    /// Only at the head: behind a live message it stays and counts. RabbitMQ: per-message TTL.
    AtHead,
}

/// What becomes of a message whose time to live is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpiredTo {
    /// It is removed.
    Removed,
    /// It goes to the dead-letter queue, if there is one. RabbitMQ; Azure Service Bus: DeadLetteringOnMessageExpiration.
    DeadLetter,
}

/// What a full queue does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// Removes from its head, to the dead-letter queue if there is one. RabbitMQ: drop-head; JetStream: discard old.
    DropHead,
    /// Refuses the send. RabbitMQ: reject-publish; NATS JetStream: discard new.
    Refuse,
    /// Refuses the send and puts a copy into the dead-letter queue. RabbitMQ classic: reject-publish-dlx.
    RefuseAndDeadLetter,
}

/// Which messages fill a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CapacityCounts {
    /// Those that wait. RabbitMQ.
    Ready,
    /// Those in flight too. NATS JetStream.
    All,
}

/// What a receive gets when the in-flight limit is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtInFlightLimit {
    /// Nothing. SQS FIFO; SQS standard, long polling; NATS JetStream.
    Empty,
    /// An error for a short poll, nothing for a long one. SQS standard: OverLimit.
    Error,
}

/// What a restart of the broker leaves of a queue. What was pushed and survives is visible again, because its channel
/// is gone; leases are as durable as their messages and go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Everything. SQS, RabbitMQ quorum.
    Durable,
    /// The queue and its persistent messages. RabbitMQ: durable classic queue.
    Persistent,
    /// Nothing: the queue is gone, and what is sent to it then is lost. RabbitMQ: non-durable queue.
    Volatile,
}

/// From when a deduplication id is remembered for the deduplication window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeduplicationFrom {
    /// From the first accepted send.
    FirstSend,
    /// While the message is there, then from its removal. BullMQ: job ids.
    Removal,
}
