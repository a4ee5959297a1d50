//! A Kafka share group: KIP-932, KIP-1222, ShareGroupConfig of Apache Kafka.

use super::{Fact, May::*};

#[rustfmt::skip]
pub const ALL: &[Fact] = &[
    ("queue.kind", "\"standard\"", Fixed, "No order is promised across the members of a share group (KIP-932)"),
    ("queue.visibility_timeout", "\"30s\"", Seconds(15, 60), "Acquisition lock; its bounds are settings of the broker (ShareGroupConfig)"),
    ("queue.retention", "\"7d\"", Open, "retention.ms is 7 days unless set (topic configuration)"),
    ("queue.max_deliveries", "5", Numbers(2, 10), "Its bounds are settings of the broker (ShareGroupConfig)"),
    ("queue.stale_ack", "\"refused\"", Fixed, "INVALID_RECORD_STATE once the lock is over (KIP-932)"),
    ("queue.hand_over", "", Fixed, "A poll acquires (KIP-932)"),
    ("queue.group_rule", "", Fixed, "There are no groups (KIP-932)"),
    ("queue.returns_to", "", Fixed, "A released record is Available again where it was (KIP-932)"),
    ("queue.count", "", Fixed, "Every acquisition counts (KIP-932)"),
    ("queue.counted_returns", "", Fixed, "Acquisitions count (KIP-932)"),
    ("queue.budget", "\"on_end\"", Fixed, "An attempt that ends at the limit is the last (KIP-932)"),
    ("queue.exhausted", "\"archive\"", Fixed, "The record is Archived (KIP-932)"),
    ("queue.in_flight_limit", "2000", Open, "Record locks of a share-partition; 200 in 4.0 (ShareGroupConfig)"),
    ("queue.at_in_flight_limit", "", Fixed, "A poll returns nothing (KIP-932)"),
    ("queue.redeliveries_exempt", "", Fixed, "Every acquisition takes a lock (KIP-932)"),
    ("queue.durability", "", Fixed, "The log and the state of the share group are replicated (KIP-932)"),
    ("consumer.batch", "500", Open, "max.poll.records is 500 unless set (consumer configuration)"),
    ("consumer.wait", "", Open, "The playground's: what the application passes to poll (KIP-932)"),
    ("consumer.ack", "", Words(&["on_receive", "at_start", "after_work"]), "A poll acquires and acknowledges nothing (KIP-932)"),
    ("consumer.on_failure", "", Words(&["nack", "let_timeout_end", "reject", "crash"]), "RELEASE and REJECT (KIP-932)"),
    ("consumer.on_failure.nack", "", Lacks, "nothing: a released record is Available at once"),
];
