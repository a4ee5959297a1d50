//! What each broker sets, fixes, bounds and lacks, as data: one table a broker.
//!
//! A row names a field (`queue.…`, `dead.…` where a dead-letter queue differs, `consumer.…`, `producer.…`; a part of a
//! field after a further dot), its value as in a file (empty: our own default), what may be chosen, and why, with the
//! document. The first row that names a field counts. A row `field?none` is for queues without `max_deliveries`.
//! A field that has no row is open, or lacking if the table of names has no counterpart for it.
//!
//! The documents are those of docs/model.md.

mod jetstream;
mod kafka;
mod pubsub;
mod rabbitmq;
mod redis;
mod service_bus;
mod sqs;

use super::Profile;

/// What may be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum May {
    /// Anything.
    Open,
    /// Nothing else.
    Fixed,
    /// Nothing: the broker has no such thing. The row's last part says what is nearest.
    Lacks,
    /// One of these words.
    Words(&'static [&'static str]),
    /// Seconds from here to there.
    Seconds(u64, u64),
    /// Numbers from here to there.
    Numbers(u64, u64),
}

/// Field, value, what may be chosen, why.
pub type Fact = (&'static str, &'static str, May, &'static str);

impl Profile {
    /// The tables of this broker; of rows for one field, the first counts.
    pub(super) const fn layers(self) -> &'static [&'static [Fact]] {
        match self {
            Self::Free => &[],
            Self::SqsStandard => &[sqs::STANDARD, sqs::BOTH],
            Self::SqsFifo => &[sqs::FIFO, sqs::BOTH],
            Self::RabbitClassic => &[rabbitmq::CLASSIC, rabbitmq::ALL],
            Self::RabbitQuorum3 => &[rabbitmq::QUORUM_3, rabbitmq::QUORUM, rabbitmq::ALL],
            Self::RabbitQuorum40 => &[rabbitmq::QUORUM_4_0, rabbitmq::QUORUM, rabbitmq::ALL],
            Self::RabbitQuorum43 => &[rabbitmq::QUORUM_4_3, rabbitmq::QUORUM, rabbitmq::ALL],
            Self::JetStream => &[jetstream::ALL],
            Self::RedisStreams => &[redis::ALL],
            Self::PubSub => &[pubsub::PLAIN, pubsub::ALL],
            Self::PubSubOrdered => &[pubsub::ORDERED, pubsub::ALL],
            Self::ServiceBus => &[service_bus::PLAIN, service_bus::ALL],
            Self::ServiceBusSessions => &[service_bus::SESSIONS, service_bus::ALL],
            Self::KafkaShare => &[kafka::ALL],
        }
    }
}
