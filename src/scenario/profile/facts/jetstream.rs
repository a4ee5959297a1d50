//! NATS JetStream, pull consumer with explicit acknowledgement: nats.docs, source of nats-server, observations of 2.10.

use super::{Fact, May::*};

#[rustfmt::skip]
pub const ALL: &[Fact] = &[
    ("queue.kind", "\"standard\"", Fixed, "A stream is in order and has no groups (docs, JetStream)"),
    ("queue.visibility_timeout", "\"30s\"", Open, "AckWait is 30 s unless set (source, setConsumerConfigDefaults)"),
    ("queue.retention", "\"none\"", Open, "MaxAge: for ever unless set (docs, streams)"),
    ("queue.max_deliveries", "", Open, "MaxDeliver is -1 unless set (source, setConsumerConfigDefaults)"),
    ("queue.deduplication", "\"by_id\"", Words(&["off", "by_id"]), "By Nats-Msg-Id (docs, model deep dive)"),
    ("queue.deduplication_window", "\"2min\"", Open, "duplicate_window is 2 minutes unless set (docs, streams)"),
    ("queue.deduplication_kept", "", Lacks, "duplicate_window"),
    ("queue.deduplication_from", "", Fixed, "The window runs from the first publish (source, stream)"),
    ("queue.stale_ack", "\"deletes\"", Fixed, "A late ack settles the message after a redelivery too (docs, consumers)"),
    ("queue.hand_over", "", Fixed, "A pull consumer fetches (docs, consumers)"),
    ("queue.group_rule", "", Fixed, "There are no groups (docs, consumers)"),
    ("queue.returns_to", "\"returns_queue\"", Fixed, "Redeliveries come before new messages, in order of return (source, getNextMsg)"),
    ("queue.lease_steps", "", Open, "BackOff by delivery number (docs, consumers)"),
    ("queue.count", "", Fixed, "Every delivery counts (source, consumer)"),
    ("queue.counted_returns", "", Fixed, "Deliveries count, not returns (source, consumer)"),
    ("queue.budget", "\"on_end\"", Fixed, "MaxDeliver deliveries, then no more (source, consumer)"),
    ("queue.exhausted", "\"stays\"", Fixed, "It stays in the stream, and there is an advisory (docs, consumers)"),
    ("queue.capacity", "", Open, "max_msgs (docs, streams)"),
    ("queue.overflow", "", Words(&["drop_head", "refuse"]), "Discard old or new (docs, streams)"),
    ("queue.capacity_counts", "\"all\"", Fixed, "All messages of a stream count (docs, streams)"),
    ("queue.overshoot", "", Fixed, "A publish above the limit is refused (docs, streams)"),
    ("queue.in_flight_limit", "1000", Open, "MaxAckPending is 1,000 unless set (source, setConsumerConfigDefaults)"),
    ("queue.at_in_flight_limit", "", Fixed, "A fetch waits at the limit (source, getNextMsg)"),
    ("queue.redeliveries_exempt", "true", Fixed, "Redeliveries are served at the limit (source, getNextMsg)"),
    ("queue.durability", "", Words(&["durable", "volatile"]), "File or memory storage (docs, streams)"),
    ("consumer.wait", "", Open, "The playground's: each client has its own (docs, consumers)"),
    ("consumer.ack", "", Words(&["on_receive", "at_start", "after_work"]), "AckPolicy explicit (docs, consumers)"),
    ("consumer.on_failure", "", Words(&["nack", "let_timeout_end", "reject", "crash"]), "Nak, NakWithDelay and Term (docs, consumers)"),
];
