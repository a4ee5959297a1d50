//! Azure Service Bus queues, peek-lock: articles of learn.microsoft.com.

use super::{Fact, May::*};

#[rustfmt::skip]
pub const PLAIN: &[Fact] = &[
    ("queue.kind", "\"standard\"", Fixed, "Sessions are chosen when a queue is created (article, message sessions)"),
    ("queue.group_rule", "", Fixed, "Sessions act with requiresSession (article, message sessions)"),
    ("consumer.session_idle", "", Lacks, "a queue with requiresSession"),
];

#[rustfmt::skip]
pub const SESSIONS: &[Fact] = &[
    ("dead.kind", "\"standard\"", Fixed, "Dead letters are received without sessions (article, message sessions)"),
    ("dead.group_rule", "\"walk\"", Fixed, "Dead letters are received without sessions (article, message sessions)"),
    ("queue.kind", "\"fifo\"", Fixed, "Sessions are chosen when a queue is created (article, message sessions)"),
    ("queue.group_rule", "\"session\"", Fixed, "A session's holder has all its messages, also those to come (article, message sessions)"),
];

#[rustfmt::skip]
pub const ALL: &[Fact] = &[
    ("dead.max_deliveries", "\"none\"", Fixed, "Nothing is dead-lettered from a dead-letter queue (article, dead-letter queues)"),
    ("dead.ttl", "", Fixed, "A dead-letter queue has no time to live and no cleanup (article, dead-letter queues)"),
    ("queue.visibility_timeout", "\"60s\"", Seconds(1, 300), "lockDuration: 1 minute unless set, 5 at most (article, locks and settlement)"),
    ("queue.retention", "\"none\"", Lacks, "defaultMessageTimeToLive"),
    ("queue.max_deliveries", "10", Numbers(1, 2_000), "maxDeliveryCount: 10 unless set, and cannot be switched off (article, dead-letter queues)"),
    ("queue.deduplication", "", Words(&["off", "by_id"]), "By MessageId alone (article, duplicate detection)"),
    ("queue.deduplication_window", "\"10min\"", Seconds(20, 604_800), "10 minutes unless set (article, duplicate detection)"),
    ("queue.deduplication_kept", "", Lacks, "duplicateDetectionHistoryTimeWindow"),
    ("queue.deduplication_from", "", Fixed, "The window runs from the first send (article, duplicate detection)"),
    ("queue.stale_ack", "\"refused\"", Fixed, "A lock that is lost settles nothing (article, locks and settlement)"),
    ("queue.hand_over", "", Fixed, "Peek-lock: a receive locks (article, locks and settlement)"),
    ("queue.returns_to", "\"head\"", Fixed, "At or near the front (article, locks and settlement)"),
    ("queue.count", "\"on_return\"", Fixed, "An abandon and a lost lock count (article, dead-letter queues)"),
    ("queue.counted_returns", "", Fixed, "An abandon and a lost lock count (article, dead-letter queues)"),
    ("queue.budget", "\"on_end\"", Fixed, "The delivery that ends at maxDeliveryCount is the last (article, dead-letter queues)"),
    ("queue.exhausted", "", Fixed, "MaxDeliveryCountExceeded (article, dead-letter queues)"),
    ("queue.dead_letter_clock", "\"restarted\"", Fixed, "Nothing expires in a dead-letter queue (article, dead-letter queues)"),
    ("queue.cuts_cycles", "", Fixed, "Nothing is dead-lettered from a dead-letter queue (article, dead-letter queues)"),
    ("queue.ttl", "", Open, "defaultMessageTimeToLive, a ceiling (article, message expiration)"),
    ("queue.expiry_noticed", "", Fixed, "Wherever it is, unless it is locked (article, message expiration)"),
    ("queue.expired_to", "", Open, "deadLetteringOnMessageExpiration (article, message expiration)"),
    ("queue.unused_for", "", Seconds(300, 315_360_000), "autoDeleteOnIdle (queue properties)"),
    ("queue.durability", "", Fixed, "Messages are stored before a send is settled (article, message transfers)"),
    ("consumer.wait", "", Open, "The playground's: the .NET client waits for its try timeout of 60 s (ServiceBusReceiver)"),
    ("consumer.heartbeat", "", Open, "A ServiceBusProcessor renews for 5 minutes unless set, a receiver never (ServiceBusProcessorOptions)"),
    ("consumer.on_failure", "", Words(&["nack", "let_timeout_end", "reject", "crash"]), "Abandon and DeadLetter (article, locks and settlement)"),
    ("consumer.on_failure.nack", "", Lacks, "ScheduledEnqueueTimeUtc of a copy"),
];
