//! Profiles: the brokers that a scenario may behave like. A profile is data: the vendor's defaults, what that broker
//! fixes and why, its limits, what it lacks, and its names for everything.
//!
//! In a file, `behaves_like` chooses one. A field that a queue, producer or consumer leaves out then has the vendor's
//! default; what that broker fixes or lacks is refused. With [`Profile::Free`] every rule is open.

mod allows;
mod apply;
mod check;
mod export;
mod facts;
mod hold;
mod names;

use serde_json::Value;

use super::Scenario;
use super::field::{Field, word_fields, write_every_slot};
use super::problem::{At, Problems};
pub use apply::{Applied, Note};
pub use facts::May;
pub use hold::{Hold, Role};
pub use names::{Name, concepts};

/// Which broker a scenario behaves like.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Profile {
    /// None: every rule is open.
    #[default]
    Free,
    /// An Amazon SQS standard queue.
    SqsStandard,
    /// An Amazon SQS FIFO queue.
    SqsFifo,
    /// A RabbitMQ classic queue.
    RabbitClassic,
    /// A RabbitMQ quorum queue, up to 3.13.
    RabbitQuorum3,
    /// A RabbitMQ quorum queue, 4.0 to 4.2.
    RabbitQuorum40,
    /// A RabbitMQ quorum queue, from 4.3.
    RabbitQuorum43,
    /// A NATS JetStream pull consumer with explicit acknowledgement.
    JetStream,
    /// A consumer group of a Redis stream.
    RedisStreams,
    /// A Google Cloud Pub/Sub subscription.
    PubSub,
    /// The same with ordering keys.
    PubSubOrdered,
    /// An Azure Service Bus queue, in peek-lock mode.
    ServiceBus,
    /// The same with sessions.
    ServiceBusSessions,
    /// An Apache Kafka share group.
    KafkaShare,
}

word_fields! {
    /// Which broker a scenario behaves like: a field that is left out has that broker's default, and what it fixes or
    /// lacks is refused. Free leaves every rule open.
    Profile {
        Free = "free",
        SqsStandard = "sqs_standard",
        SqsFifo = "sqs_fifo",
        RabbitClassic = "rabbitmq_classic",
        RabbitQuorum3 = "rabbitmq_quorum_3",
        RabbitQuorum40 = "rabbitmq_quorum_4_0",
        RabbitQuorum43 = "rabbitmq_quorum_4_3",
        JetStream = "nats_jetstream",
        RedisStreams = "redis_streams",
        PubSub = "google_pubsub",
        PubSubOrdered = "google_pubsub_ordered",
        ServiceBus = "azure_service_bus",
        ServiceBusSessions = "azure_service_bus_sessions",
        KafkaShare = "kafka_share_group",
    }
}

impl Profile {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 14] = [
        Self::Free,
        Self::SqsStandard,
        Self::SqsFifo,
        Self::RabbitClassic,
        Self::RabbitQuorum3,
        Self::RabbitQuorum40,
        Self::RabbitQuorum43,
        Self::JetStream,
        Self::RedisStreams,
        Self::PubSub,
        Self::PubSubOrdered,
        Self::ServiceBus,
        Self::ServiceBusSessions,
        Self::KafkaShare,
    ];

    /// What it is called: "RabbitMQ quorum queue, 4.0 to 4.2".
    pub const fn title(self) -> &'static str {
        match self {
            Self::Free => "Free",
            Self::SqsStandard => "Amazon SQS standard",
            Self::SqsFifo => "Amazon SQS FIFO",
            Self::RabbitClassic => "RabbitMQ classic queue",
            Self::RabbitQuorum3 => "RabbitMQ quorum queue, 3.x",
            Self::RabbitQuorum40 => "RabbitMQ quorum queue, 4.0 to 4.2",
            Self::RabbitQuorum43 => "RabbitMQ quorum queue, 4.3",
            Self::JetStream => "NATS JetStream",
            Self::RedisStreams => "Redis Streams group",
            Self::PubSub => "Google Pub/Sub",
            Self::PubSubOrdered => "Google Pub/Sub, ordering keys",
            Self::ServiceBus => "Azure Service Bus",
            Self::ServiceBusSessions => "Azure Service Bus, sessions",
            Self::KafkaShare => "Kafka share group",
        }
    }

    /// Its word in files.
    pub fn word(self) -> String {
        self.write().as_str().unwrap_or_default().into()
    }

    /// The profile of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// The column of the table of names, none in Free.
    const fn column(self) -> Option<usize> {
        Some(match self {
            Self::Free => return None,
            Self::SqsStandard | Self::SqsFifo => 0,
            Self::RabbitClassic
            | Self::RabbitQuorum3
            | Self::RabbitQuorum40
            | Self::RabbitQuorum43 => 1,
            Self::JetStream => 2,
            Self::RedisStreams => 3,
            Self::PubSub | Self::PubSubOrdered => 4,
            Self::ServiceBus | Self::ServiceBusSessions => 5,
            Self::KafkaShare => 6,
        })
    }

    /// The broker's own name, for sentences: "RabbitMQ".
    pub fn broker(self) -> &'static str {
        self.column()
            .and_then(|column| names::BROKERS.get(column).copied())
            .unwrap_or("the playground")
    }

    /// What it calls that from which messages are received; none in Free, where the order says it.
    pub const fn source(self) -> Option<&'static str> {
        Some(match self {
            Self::Free => return None,
            Self::SqsStandard => "standard queue",
            Self::SqsFifo => "FIFO queue",
            Self::RabbitClassic => "classic queue",
            Self::RabbitQuorum3 | Self::RabbitQuorum40 | Self::RabbitQuorum43 => "quorum queue",
            Self::JetStream | Self::RedisStreams => "stream",
            Self::PubSub => "subscription",
            Self::PubSubOrdered => "ordered subscription",
            Self::ServiceBus => "queue",
            Self::ServiceBusSessions => "queue with sessions",
            Self::KafkaShare => "share group",
        })
    }

    /// How this broker writes a span of time.
    pub const fn unit(self) -> TimeUnit {
        match self {
            Self::JetStream => TimeUnit::Nanoseconds,
            Self::RabbitClassic
            | Self::RabbitQuorum3
            | Self::RabbitQuorum40
            | Self::RabbitQuorum43
            | Self::RedisStreams
            | Self::KafkaShare => TimeUnit::Milliseconds,
            Self::ServiceBus | Self::ServiceBusSessions => TimeUnit::Iso8601,
            Self::PubSub | Self::PubSubOrdered => TimeUnit::SecondsText,
            Self::Free | Self::SqsStandard | Self::SqsFifo => TimeUnit::Seconds,
        }
    }
}

/// How a span of time is written in a broker's settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeUnit {
    /// A number of seconds: SQS.
    Seconds,
    /// A number of milliseconds: RabbitMQ, Redis, Kafka.
    Milliseconds,
    /// A number of nanoseconds: the JSON of NATS JetStream.
    Nanoseconds,
    /// Seconds as text, "10s": Google Pub/Sub.
    SecondsText,
    /// An ISO 8601 duration, "PT1M": Azure Service Bus.
    Iso8601,
}

impl Scenario {
    /// The broker whose names are used: that which it behaves like, or in Free the vocabulary that was chosen.
    pub fn vocabulary(&self) -> Profile {
        match self.behaves_like {
            Profile::Free => self.view.vocabulary.unwrap_or_default(),
            profile => profile,
        }
    }

    /// Reads a file's value: what it leaves out has the defaults of the broker that it names.
    pub(super) fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        let mut value = value.clone();
        hold::fill_file(&mut value);
        <Self as Field>::read(&value, at, problems)
    }

    /// Writes the value of a file, which reads back the same.
    pub(super) fn write(&self) -> Value {
        let mut value = <Self as Field>::write(self);
        hold::strip_file(&mut value, |list, index| self.item_in_full(list, index));
        value
    }

    /// All fields of a queue, consumer or producer.
    fn item_in_full(&self, list: &str, index: usize) -> Option<Value> {
        Some(match list {
            "queues" => self.queues.get(index)?.written_by(write_every_slot),
            "consumers" => self.consumers.get(index)?.written_by(write_every_slot),
            _ => self.producers.get(index)?.written_by(write_every_slot),
        })
    }

    /// What part a queue has: whether another one's dead letters go to it.
    pub fn role_of(&self, queue: &str) -> Role {
        let takes = |other: &super::Queue| other.dead_letter_queue.as_deref() == Some(queue);
        match self.queues.iter().any(takes) {
            true => Role::DeadLetterQueue,
            false => Role::Queue,
        }
    }
}

#[cfg(test)]
mod tests;
