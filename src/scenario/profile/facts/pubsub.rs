//! Google Cloud Pub/Sub: comments of google.pubsub_v1 and guides of cloud.google.com.

use super::{Fact, May::*};

#[rustfmt::skip]
pub const PLAIN: &[Fact] = &[
    ("queue.kind", "\"standard\"", Fixed, "Without ordering no order is promised (guide, ordering)"),
    ("queue.group_rule", "", Fixed, "Ordering keys act with enableMessageOrdering (guide, ordering)"),
];

#[rustfmt::skip]
pub const ORDERED: &[Fact] = &[
    ("queue.kind", "\"fifo\"", Fixed, "enableMessageOrdering is chosen when the subscription is created (guide, ordering)"),
    ("queue.group_rule", "\"key\"", Fixed, "A redelivery brings all later messages of its key again (guide, ordering)"),
];

#[rustfmt::skip]
pub const ALL: &[Fact] = &[
    ("queue.visibility_timeout", "\"10s\"", Seconds(10, 600), "ackDeadlineSeconds (pubsub_v1, Subscription)"),
    ("queue.retention", "\"7d\"", Seconds(600, 2_678_400), "messageRetentionDuration (pubsub_v1, Subscription)"),
    ("queue.max_deliveries", "", Numbers(5, 100), "maxDeliveryAttempts, with a dead-letter topic (pubsub_v1, DeadLetterPolicy)"),
    ("queue.stale_ack", "", Words(&["ignored", "deletes", "refused"]), "A late ack may come to nothing; with exactly-once delivery it fails (guide, exactly-once)"),
    ("queue.surplus_duplicates", "", Open, "Delivery is at least once (guide, subscribers)"),
    ("queue.hand_over", "", Fixed, "A delivery is outstanding until its deadline (pubsub_v1, Subscription)"),
    ("queue.returns_to", "", Fixed, "No place is promised; a returned message is as old as it was (guide, subscribers)"),
    ("queue.retry_delay", "", Open, "retryPolicy: at once unless set (pubsub_v1, RetryPolicy)"),
    ("queue.retry_delay.min", "", Seconds(0, 600), "minimumBackoff (pubsub_v1, RetryPolicy)"),
    ("queue.retry_delay.max", "", Seconds(0, 600), "maximumBackoff (pubsub_v1, RetryPolicy)"),
    ("queue.retry_delay.growth", "\"exponential\"", Fixed, "Exponential (pubsub_v1, RetryPolicy)"),
    ("queue.count", "", Fixed, "An attempt is a delivery (pubsub_v1, ReceivedMessage)"),
    ("queue.counted_returns", "", Fixed, "Attempts count (pubsub_v1, ReceivedMessage)"),
    ("queue.budget", "\"on_end\"", Fixed, "Forwarded after so many attempts (pubsub_v1, DeadLetterPolicy)"),
    ("queue.exhausted", "", Fixed, "Forwarded to the dead-letter topic (pubsub_v1, DeadLetterPolicy)"),
    ("queue.dead_letter_clock", "\"restarted\"", Fixed, "A forwarded message is published again (guide, dead-letter topics)"),
    ("queue.cuts_cycles", "", Fixed, "Cycles are not looked for (guide, dead-letter topics)"),
    ("queue.durability", "", Fixed, "Messages are stored redundantly before a publish is confirmed (guide, architecture)"),
    ("consumer.wait", "", Open, "The playground's: how long an empty pull waits is the service's (pubsub_v1, Subscriber)"),
    ("consumer.visibility_timeout", "", Seconds(0, 600), "pubsub_v1, ModifyAckDeadlineRequest"),
    ("consumer.heartbeat", "", Open, "Client libraries extend deadlines by themselves, here only where set (guide, lease management)"),
    ("consumer.ack", "", Words(&["on_receive", "at_start", "after_work"]), "A pull never acknowledges (pubsub_v1, Subscriber)"),
    ("consumer.on_failure", "", Words(&["nack", "let_timeout_end", "crash"]), "There is modifyAckDeadline and nothing else (pubsub_v1, Subscriber)"),
];
