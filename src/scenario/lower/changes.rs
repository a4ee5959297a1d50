//! Which change of the engine's a changed field is.

use serde_json::{Map, Value};

use crate::engine::command::*;
use crate::engine::setup::*;
use crate::scenario::edit::clear_alternatives;
use crate::scenario::field::Field;
use crate::scenario::problem::{At, Problems};
use crate::scenario::variant::merge;

/// `item` with the fields of `patch`.
pub(in crate::scenario) fn patched<T: Field>(
    item: &T,
    patch: &Map<String, Value>,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<T> {
    let mut value = item.write();
    let object = value.as_object_mut()?;
    clear_alternatives(object, patch);
    merge(object, patch);
    T::read(&value, at, problems)
}

pub(super) fn queue_change(name: &str, queue: &QueueSetup) -> Option<QueueChange> {
    Some(match name {
        "kind" => QueueChange::Kind(queue.kind),
        "visibility_timeout" => QueueChange::VisibilityTimeout(queue.visibility_timeout),
        "delay" => QueueChange::Delay(queue.delay),
        "retention" => QueueChange::Retention(queue.retention),
        "max_deliveries" => QueueChange::MaxDeliveries(queue.max_deliveries),
        "dead_letter_queue" => QueueChange::DeadLetterQueue(queue.dead_letter_queue),
        "deduplication" => QueueChange::Deduplication(queue.deduplication),
        "deduplication_window" => QueueChange::DeduplicationWindow(queue.deduplication_window),
        "deduplication_scope" => QueueChange::DeduplicationScope(queue.deduplication_scope),
        "stale_ack" => QueueChange::StaleAck(queue.stale_ack),
        "surplus_duplicates" => QueueChange::SurplusDuplicates(queue.surplus_duplicates),
        "shards" | "shards_sampled" => QueueChange::Shards {
            shards: queue.shards,
            sampled: queue.shards_sampled,
        },
        _ => return queue.rules.get(name).map(QueueChange::Rule),
    })
}

pub(super) fn consumer_change(name: &str, consumer: &ConsumerSetup) -> Option<ConsumerChange> {
    Some(match name {
        "workers" => ConsumerChange::Workers(consumer.workers),
        "batch" => ConsumerChange::Batch(consumer.batch),
        "prefetch" => ConsumerChange::Prefetch(consumer.prefetch),
        "refill" => ConsumerChange::Refill(consumer.refill),
        "wait" => ConsumerChange::Wait(consumer.wait),
        "poll_interval" => ConsumerChange::PollInterval(consumer.poll_interval),
        "visibility_timeout" => ConsumerChange::VisibilityTimeout(consumer.visibility_timeout),
        "processing" => ConsumerChange::Processing(consumer.processing),
        "ack" => ConsumerChange::Ack(consumer.ack),
        "settle_time" => ConsumerChange::SettleTime(consumer.settle_time),
        "failures" => ConsumerChange::Failure(consumer.failure),
        "on_failure" => ConsumerChange::OnFailure(consumer.on_failure),
        "heartbeat" => ConsumerChange::Heartbeat(consumer.heartbeat),
        "idempotence" => ConsumerChange::Idempotence(consumer.idempotence),
        "skip_expired" => ConsumerChange::SkipExpired(consumer.skip_expired),
        "priority" => ConsumerChange::Priority(consumer.priority),
        "channel_prefetch" => ConsumerChange::ChannelPrefetch(consumer.channel_prefetch),
        "ack_together" => ConsumerChange::AckTogether(consumer.ack_together),
        "batch_work" => ConsumerChange::BatchWork(consumer.batch_work),
        "claim" => ConsumerChange::Claim(consumer.claim),
        "breaker" => ConsumerChange::Breaker(consumer.breaker),
        "session_idle" => ConsumerChange::SessionIdle(consumer.session_idle),
        "by_hand" => ConsumerChange::ByHand(consumer.by_hand),
        "crash_above" => ConsumerChange::CrashAbove(consumer.crash_above),
        "restart_after" => ConsumerChange::RestartAfter(consumer.restart_after),
        _ => return None,
    })
}

pub(super) fn producer_change(name: &str, producer: &ProducerSetup) -> Option<ProducerChange> {
    Some(match name {
        "every" | "poisson" | "burst" => ProducerChange::Pattern(producer.pattern.clone()),
        "limit" => ProducerChange::Limit(producer.limit),
        "groups" => ProducerChange::Groups(producer.groups.clone()),
        "poison_every" | "poison_share" => ProducerChange::Poison(producer.poison),
        "processing" => ProducerChange::Processing(producer.processing),
        "delay" => ProducerChange::Delay(producer.delay),
        "confirm_timeout" => ProducerChange::ConfirmTimeout(producer.confirm_timeout),
        "max_resends" => ProducerChange::MaxResends(producer.max_resends),
        "priority" => ProducerChange::Priority(producer.priority.clone()),
        "ttl" => ProducerChange::Ttl(producer.ttl),
        "persistent" => ProducerChange::Persistent(producer.persistent),
        _ => return None,
    })
}
