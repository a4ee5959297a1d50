//! A consumer group of a Redis stream: command pages of redis.io, observations of 7 and 8.0.

use super::{Fact, May::*};

#[rustfmt::skip]
pub const ALL: &[Fact] = &[
    ("queue.kind", "\"standard\"", Fixed, "A stream is in order and has no groups of messages (XREADGROUP)"),
    ("queue.retention", "\"none\"", Lacks, "XTRIM MINID"),
    ("queue.stale_ack", "\"deletes\"", Fixed, "XACK by id, whoever holds the entry (XACK)"),
    ("queue.hand_over", "\"pending\"", Fixed, "An entry is pending until it is acknowledged or claimed (XREADGROUP)"),
    ("queue.group_rule", "", Fixed, "There are no groups of messages (XREADGROUP)"),
    ("queue.returns_to", "", Fixed, "Nothing returns: an entry goes to who claims it (XCLAIM)"),
    ("queue.count", "", Fixed, "Every delivery and claim counts (XPENDING)"),
    ("queue.counted_returns", "", Fixed, "Deliveries count (XPENDING)"),
    ("queue.durability", "", Fixed, "With appendonly; what a restart loses without it is not modelled (persistence)"),
    ("consumer.batch", "", Open, "COUNT (XREADGROUP)"),
    ("consumer.wait", "", Open, "The playground's: without BLOCK a read returns at once (XREADGROUP)"),
    ("consumer.claim", "", Open, "XAUTOCLAIM (XAUTOCLAIM)"),
    ("consumer.on_failure", "\"let_timeout_end\"", Words(&["let_timeout_end", "crash"]), "An entry stays pending; XNACK is of 8.8 (XPENDING)"),
];
