//! Amazon SQS. API: AWS SQS API Reference; DG: Developer Guide.

use super::{Fact, May::*};

#[rustfmt::skip]
pub const STANDARD: &[Fact] = &[
    ("queue.kind", "\"standard\"", Fixed, "A queue is created as standard or FIFO and cannot be converted (DG, FIFO queues)"),
    ("queue.deduplication", "", Lacks, "a FIFO queue"),
    ("queue.stale_ack", "", Words(&["ignored", "deletes"]), "A delete with an older receipt handle succeeds and might not delete (API, DeleteMessage)"),
    ("queue.surplus_duplicates", "", Open, "A copy may survive a delete and come again (DG, at-least-once delivery)"),
    ("queue.shards", "", Open, "A short poll asks some of the servers (DG, short and long polling)"),
    ("queue.fair_share", "", Words(&["off", "quiet_first"]), "A message group on a standard queue is a tenant (DG, fair queues)"),
    ("queue.quota", "", Lacks, "nothing: a standard queue takes nearly any number of calls"),
    ("queue.at_in_flight_limit", "\"error\"", Fixed, "Short polling gets OverLimit, long polling nothing (API, ReceiveMessage)"),
    ("producer.delay", "", Seconds(0, 900), "DelaySeconds of a message (DG, message timers)"),
];

#[rustfmt::skip]
pub const FIFO: &[Fact] = &[
    ("queue.kind", "\"fifo\"", Fixed, "A queue is created as standard or FIFO and cannot be converted (DG, FIFO queues)"),
    ("queue.deduplication", "\"by_id\"", Words(&["by_id", "by_content"]), "A FIFO queue always deduplicates (API, SendMessage)"),
    ("queue.deduplication_window", "\"5min\"", Fixed, "The deduplication interval is 5 minutes (API, SendMessage)"),
    ("queue.deduplication_kept", "", Lacks, "the deduplication interval"),
    ("queue.deduplication_from", "", Fixed, "The interval runs from the first accepted send (API, SendMessage)"),
    ("queue.stale_ack", "", Fixed, "It deletes nothing, and on a FIFO queue the call fails (recorded at AWS)"),
    ("queue.surplus_duplicates", "", Lacks, "nothing: a FIFO queue delivers no surplus copies"),
    ("queue.shards", "", Lacks, "nothing: a FIFO queue is in order"),
    ("queue.fair_share", "", Lacks, "a standard queue; groups of a FIFO queue are served in turn"),
    ("queue.quota", "", Open, "300 calls a second of each action without high throughput; off unless set (DG, quotas)"),
    ("queue.at_in_flight_limit", "\"empty\"", Fixed, "A FIFO queue returns no error at the quota (DG, visibility timeout)"),
    ("producer.delay", "", Lacks, "DelaySeconds of the queue"),
];

#[rustfmt::skip]
pub const BOTH: &[Fact] = &[
    ("queue.visibility_timeout", "\"30s\"", Seconds(0, 43_200), "API, CreateQueue"),
    ("queue.delay", "\"0s\"", Seconds(0, 900), "API, CreateQueue"),
    ("queue.retention", "\"4d\"", Seconds(60, 1_209_600), "API, CreateQueue"),
    ("queue.max_deliveries", "", Numbers(1, 1_000), "API, RedrivePolicy"),
    ("queue.hand_over", "", Fixed, "Consumers receive; nothing is pushed (API, ReceiveMessage)"),
    ("queue.group_rule", "", Fixed, "A group is walked from its head to the first message that is not visible (recorded at AWS)"),
    ("queue.returns_to", "", Fixed, "A returned message is as old as it was (DG, standard and FIFO queues)"),
    ("queue.count", "", Fixed, "Every receive counts (API, ApproximateReceiveCount)"),
    ("queue.counted_returns", "", Fixed, "Receives count, not returns (API, ApproximateReceiveCount)"),
    ("queue.budget", "", Fixed, "The receive that would exceed maxReceiveCount moves the message (API, RedrivePolicy)"),
    ("queue.exhausted", "", Fixed, "A redrive policy names its dead-letter queue (API, RedrivePolicy)"),
    ("queue.dead_letter_clock", "", Fixed, "The enqueue time is kept on standard queues and reset on FIFO queues (DG, DLQ retention)"),
    ("queue.cuts_cycles", "", Fixed, "A dead letter moves on the receive that exceeds, wherever it was (API, RedrivePolicy)"),
    ("queue.in_flight_limit", "120000", Numbers(1, 120_000), "Quota of messages in flight; lower values are the playground's (DG, quotas)"),
    ("queue.redeliveries_exempt", "", Fixed, "The quota holds for every receive (DG, quotas)"),
    ("queue.durability", "", Fixed, "Messages are stored redundantly before a send is confirmed (DG, architecture)"),
    ("queue.propagation", "\"0s\"", Seconds(0, 60), "A changed attribute takes up to 60 s; at once here unless set (API, SetQueueAttributes)"),
    ("queue.purge_interval", "\"60s\"", Fixed, "One purge in 60 s (API, PurgeQueue)"),
    ("consumer.batch", "1", Numbers(1, 10), "API, ReceiveMessage"),
    ("consumer.wait", "\"20s\"", Seconds(0, 20), "Long polling, as the guide advises; a queue's own default is 0, short polling (DG, short and long polling)"),
    ("consumer.visibility_timeout", "", Seconds(0, 43_200), "API, ReceiveMessage"),
    ("consumer.ack", "", Words(&["on_receive", "at_start", "after_work"]), "A receive never removes (API, ReceiveMessage)"),
    ("consumer.on_failure", "\"let_timeout_end\"", Words(&["nack", "let_timeout_end", "crash"]), "What is not deleted comes back when its timeout ends; a nack is a call of your own (API, ChangeMessageVisibility)"),
];
