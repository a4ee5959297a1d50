//! Setups with every rule at its default, to be changed where a run needs it.
//!
//! Figures are those of Amazon SQS (API reference, CreateQueue): visibility timeout 30 s, delay 0, retention 4 days,
//! deduplication window 5 minutes.

use super::command::HandSend;
use super::id::QueueId;
use super::rules::Rules;
use super::setup::*;
use super::time::Micros;

impl Setup {
    /// Nothing yet: no queues, no actors, seed 1.
    pub fn empty() -> Self {
        Self {
            seed: 1,
            duration: None,
            groups: Vec::new(),
            bodies: Vec::new(),
            deduplication_ids: Vec::new(),
            queues: Vec::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            downstreams: Vec::new(),
            network: NetworkSetup::default(),
            commands: Vec::new(),
            starvation: StarvationSetup::default(),
            live_message_cap: 200_000,
        }
    }
}

impl QueueSetup {
    /// A queue of this kind with default rules.
    pub fn new(name: &str, kind: QueueKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            visibility_timeout: Micros::from_secs(30),
            delay: Micros::ZERO,
            retention: Some(Micros::from_secs(345_600)),
            max_deliveries: None,
            dead_letter_queue: None,
            deduplication: Deduplication::Off,
            deduplication_window: Micros::from_secs(300),
            deduplication_scope: DeduplicationScope::Queue,
            stale_ack: StaleAck::Ignored,
            surplus_duplicates: Chance(0),
            shards: 1,
            shards_sampled: 1,
            rules: Rules::default(),
        }
    }
}

impl ProducerSetup {
    /// A producer that sends by this pattern, without groups, poison or re-sends.
    pub fn new(name: &str, to: QueueId, pattern: Pattern) -> Self {
        Self {
            name: name.to_owned(),
            to,
            pattern,
            start: Micros::ZERO,
            limit: None,
            groups: Groups::None,
            poison: Poison::Never,
            processing: None,
            delay: None,
            amount: 0,
            confirm_timeout: None,
            max_resends: 0,
            priority: Priorities::None,
            ttl: None,
            persistent: true,
        }
    }
}

impl PlannedSend {
    /// A send at this time, with nothing of its own.
    pub fn at(at: Micros) -> Self {
        Self {
            at,
            body: None,
            group: None,
            deduplication_id: None,
            delay: None,
            poison: false,
            fails: 0,
            processing: None,
            amount: None,
            priority: None,
            ttl: None,
            persistent: None,
        }
    }
}

impl HandSend {
    /// One message without anything of its own.
    pub const fn to(to: QueueId) -> Self {
        Self {
            to,
            count: 1,
            group: None,
            body: None,
            poison: false,
            amount: 0,
            deduplication_id: None,
            delay: None,
            priority: None,
            ttl: None,
            persistent: true,
        }
    }
}

impl ConsumerSetup {
    /// A consumer with one worker that holds one message at a time, long-polls for 20 s and acks after work.
    pub fn new(name: &str, from: QueueId, processing: Processing) -> Self {
        Self {
            name: name.to_owned(),
            stream: name.to_owned(),
            from,
            workers: 1,
            batch: None,
            prefetch: 1,
            refill: Refill::AsFreed,
            wait: Micros::from_secs(20),
            poll_interval: Micros::ZERO,
            visibility_timeout: None,
            processing,
            ack: AckMoment::AfterWork,
            settle_time: Micros::ZERO,
            failure: Failure::default(),
            on_failure: OnFailure::Nack(Backoff::NONE),
            heartbeat: None,
            idempotence: Idempotence::NONE,
            skip_expired: false,
            priority: 0,
            channel: None,
            channel_prefetch: None,
            ack_together: None,
            batch_work: BatchWork::Each,
            claim: None,
            breaker: None,
            downstream: None,
            session_idle: Micros::from_secs(60),
            by_hand: false,
            crash_above: None,
            restart_after: None,
            start: Micros::ZERO,
        }
    }
}

impl Idempotence {
    /// No guard: every finished handler applies its effect.
    pub const NONE: Self = Self {
        method: IdempotenceMethod::None,
        key: IdempotenceKey::MessageId,
        window: None,
        capacity: None,
    };
}
