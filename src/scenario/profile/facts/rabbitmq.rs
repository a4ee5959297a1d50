//! RabbitMQ, AMQP 0-9-1: guides of rabbitmq.com, source and observations of 3.10.8 and 4.0.5.

use super::{Fact, May::*};

#[rustfmt::skip]
pub const CLASSIC: &[Fact] = &[
    ("queue.max_deliveries", "", Lacks, "x-delivery-limit of a quorum queue"),
    ("queue.at_consumer_timeout", "", Fixed, "The channel is closed with 406, up to 4.2; from 4.3 only quorum queues have the timeout (release notes 4.3)"),
    ("queue.priority", "", Words(&["off", "strict"]), "x-max-priority (guide, priority)"),
    ("queue.priority.strict.default", "0", Fixed, "A message without priority counts as 0 (guide, priority)"),
    ("queue.priority.strict.lost_on_return", "false", Fixed, "A requeued message keeps its priority (observed)"),
    ("queue.returns_to", "", Fixed, "To its original position, if possible (guide, confirms)"),
    ("queue.retry_delay", "", Lacks, "delayed retry of quorum queues, from 4.3"),
    ("queue.count", "\"never\"", Fixed, "A classic queue says only redelivered (guide, confirms)"),
    ("queue.counted_returns", "", Fixed, "A classic queue counts nothing (guide, confirms)"),
    ("queue.dead_letter_retry", "", Lacks, "dead-letter-strategy at-least-once of a quorum queue"),
    ("queue.overflow", "", Open, "x-overflow (guide, maxlength)"),
    ("queue.overshoot", "", Fixed, "A classic queue refuses from its limit on (observed)"),
    ("queue.durability", "\"persistent\"", Words(&["persistent", "volatile"]), "A durable classic queue keeps persistent messages (guide, queues)"),
    ("consumer.prefetch", "0", Open, "basic.qos: 0, unlimited, unless set (guide, consumer-prefetch)"),
];

#[rustfmt::skip]
pub const QUORUM_3: &[Fact] = &[
    ("queue.max_deliveries", "", Open, "x-delivery-limit: none unless set (guide, quorum-queues)"),
    ("queue.at_consumer_timeout", "", Fixed, "The channel is closed with 406 (guide, consumers)"),
    ("queue.priority", "", Lacks, "x-max-priority of a classic queue"),
    ("queue.retry_delay", "", Lacks, "delayed retry, from 4.3"),
    ("queue.counted_returns", "", Fixed, "Every return counts (guide, quorum-queues)"),
];

#[rustfmt::skip]
pub const QUORUM_4_0: &[Fact] = &[
    ("queue.max_deliveries", "20", Open, "x-delivery-limit: 20 from 4.0, -1 is none (guide, quorum-queues)"),
    ("queue.at_consumer_timeout", "", Fixed, "The channel is closed with 406 (guide, consumers)"),
    ("queue.priority", "{\"weighted\":{}}", Fixed, "Two levels, above 4 is high, two high to one normal (guide, quorum-queues 4.0)"),
    ("queue.retry_delay", "", Lacks, "delayed retry, from 4.3"),
    ("queue.counted_returns", "", Fixed, "Every return counts up to 4.2 (guide, quorum-queues)"),
];

#[rustfmt::skip]
pub const QUORUM_4_3: &[Fact] = &[
    ("queue.max_deliveries", "20", Open, "x-delivery-limit: 20 from 4.0, -1 is none (guide, quorum-queues)"),
    ("queue.at_consumer_timeout", "\"cancels_consumer\"", Fixed, "The consumer is cancelled if its client supports it (release notes 4.3)"),
    ("queue.priority", "{\"strict\":{\"default\":4,\"lost_on_return\":true,\"max\":31}}", Fixed, "Strict, 0 to 31, 4 unless set, and returned ones first (guide, quorum-queues)"),
    ("queue.retry_delay", "", Open, "Delayed retry is off unless set (guide, quorum-queues)"),
    ("queue.retry_delay.growth!", "\"linear\"", Fixed, "Times the number of deliveries (guide, quorum-queues)"),
    ("queue.counted_returns", "[\"failed\",\"crash\"]", Fixed, "Only failures count: basic.reject and a lost channel, not basic.nack (guide, nack)"),
];

#[rustfmt::skip]
pub const QUORUM: &[Fact] = &[
    ("queue.returns_to?none", "\"tail\"", Words(&["tail", "returns_queue"]), "Without a delivery limit a returned message is appended again (source, rabbit_fifo)"),
    ("queue.returns_to", "\"returns_queue\"", Words(&["tail", "returns_queue"]), "With a delivery limit returned messages are served first, in order of return (source, rabbit_fifo)"),
    ("queue.count", "\"on_return\"", Fixed, "x-delivery-count counts returns (guide, quorum-queues)"),
    ("queue.dead_letter_retry", "", Open, "dead-letter-strategy at-least-once, tried every 180 s (guide, quorum-queues)"),
    ("queue.overflow", "", Words(&["drop_head", "refuse"]), "reject-publish-dlx is for classic queues (guide, maxlength)"),
    ("queue.overshoot", "1", Fixed, "One message more at least gets in before sends are refused (observed)"),
    ("queue.durability", "", Fixed, "A quorum queue is always durable (guide, quorum-queues)"),
    ("consumer.prefetch", "2000", Numbers(1, 2_000), "Unlimited is 2,000 on a quorum queue (guide, consumer-prefetch)"),
    ("consumer.channel_prefetch", "", Lacks, "basic.qos of each consumer; a quorum queue refuses it for the channel"),
    ("producer.persistent", "", Lacks, "a classic queue; a quorum queue keeps every message"),
];

#[rustfmt::skip]
pub const ALL: &[Fact] = &[
    ("queue.kind", "\"standard\"", Fixed, "A queue is in order of publishing and has no groups (guide, queues)"),
    ("queue.retention", "\"none\"", Lacks, "x-message-ttl"),
    ("queue.stale_ack", "\"closes_channel\"", Fixed, "An unknown delivery tag closes the channel with 406 (guide, confirms)"),
    ("queue.hand_over", "\"push\"", Fixed, "basic.consume: the broker pushes, up to the prefetch (guide, consumers)"),
    ("queue.consumer_timeout", "\"30min\"", Open, "consumer_timeout is 30 minutes unless set (guide, consumers)"),
    ("queue.group_rule", "", Fixed, "There are no groups (guide, queues)"),
    ("queue.budget", "\"on_return\"", Fixed, "The return that exceeds the limit removes the message (source, rabbit_fifo)"),
    ("queue.exhausted", "", Fixed, "Dead-lettered, or dropped without an exchange for that (guide, dlx)"),
    ("queue.dead_letter_clock", "\"restarted\"", Fixed, "A dead letter is published again (guide, dlx)"),
    ("queue.cuts_cycles", "true", Fixed, "A cycle without a rejection in it is cut (guide, dlx)"),
    ("queue.ttl", "", Open, "x-message-ttl (guide, ttl)"),
    ("queue.expiry_noticed", "\"at_head\"", Fixed, "A message's own TTL acts when it comes to the head (guide, ttl)"),
    ("queue.expired_to", "\"dead_letter\"", Fixed, "Expired messages are dead-lettered (guide, dlx)"),
    ("queue.capacity_counts", "", Fixed, "Only ready messages fill a queue (guide, maxlength)"),
    ("consumer.batch", "", Lacks, "prefetch_count"),
    ("consumer.on_failure.nack", "", Lacks, "a queue with x-message-ttl that dead-letters to this one"),
];
