//! What each broker calls settings, states, calls, events and actors: one table.
//!
//! A row is a concept and a cell for each broker, in the order of [`BROKERS`]. A cell is
//! - a name; a path with `/` where the broker nests it (`RedrivePolicy/maxReceiveCount` is called maxReceiveCount);
//! - `~` and a name, where the thing is called so and is no setting that could be exported;
//! - `=` where it is the application's or the playground's: it goes by our own name with every broker;
//! - `-` where the broker has no counterpart, and after it what is nearest.
//!
//! A concept that has no row is the application's or the playground's with every broker.
//! Sources: API references and configuration pages of the vendors, as in docs/model.md.

use super::Profile;

/// What a broker calls something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// It has this name.
    Called(&'static str),
    /// It belongs to the application or to the playground and goes by our own name.
    Own,
    /// The broker has nothing like it; nearest is this, which may be empty.
    NoCounterpart(&'static str),
}

/// The columns of the table: brokers, as in a sentence.
pub const BROKERS: [&str; 7] = [
    "Amazon SQS",
    "RabbitMQ",
    "NATS JetStream",
    "Redis Streams",
    "Google Pub/Sub",
    "Azure Service Bus",
    "Kafka (share group)",
];

/// The table, by concept. Values of settings that a broker writes otherwise are rows of their own: `field=value`.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    // Settings of queues.
    ("queue.name", "QueueName|queue|durable_name|~group|subscription|name|~group.id"),
    ("queue.kind", "FifoQueue|-queues are in order|-streams are in order|-streams are in order|enableMessageOrdering|requiresSession|-"),
    ("queue.kind=fifo", "true||||true|true|"),
    ("queue.kind=standard", "false||||false|false|"),
    ("queue.visibility_timeout", "VisibilityTimeout|-x-consumer-timeout|ack_wait|-min-idle-time of XAUTOCLAIM|ackDeadlineSeconds|lockDuration|group.share.record.lock.duration.ms"),
    ("queue.delay", "DelaySeconds|-a queue with x-message-ttl that dead-letters to this one|-Nats-Schedule, from 2.12|-a sorted set and XADD|-|-ScheduledEnqueueTimeUtc of a message|-"),
    ("queue.retention", "MessageRetentionPeriod|-x-message-ttl|max_age|-XTRIM MINID|messageRetentionDuration|-defaultMessageTimeToLive|retention.ms"),
    ("queue.retention=none", "||0||||"),
    ("queue.max_deliveries", "RedrivePolicy/maxReceiveCount|arguments/x-delivery-limit|max_deliver|-times_delivered of XPENDING|deadLetterPolicy/maxDeliveryAttempts|maxDeliveryCount|group.share.delivery.count.limit"),
    ("queue.max_deliveries=none", "|-1|-1||||"),
    ("queue.dead_letter_queue", "RedrivePolicy/deadLetterTargetArn|arguments/x-dead-letter-exchange|-the advisory MAX_DELIVERIES|-XADD to a stream of your own|deadLetterPolicy/deadLetterTopic|~$DeadLetterQueue|-errors.deadletterqueue.topic.name, from 4.4"),
    ("queue.deduplication", "ContentBasedDeduplication|-|~Nats-Msg-Id|-|-a key of your own in the handler|requiresDuplicateDetection|-the idempotent producer"),
    ("queue.deduplication=off", "||||||"),
    ("queue.deduplication=by_id", "false|||||true|"),
    ("queue.deduplication=by_content", "true||||||"),
    ("queue.deduplication_window", "~deduplication interval|-|duplicate_window|-|-|duplicateDetectionHistoryTimeWindow|-"),
    ("queue.deduplication_scope", "DeduplicationScope|-|-|-|-|-|-"),
    ("queue.deduplication_scope=queue", "queue||||||"),
    ("queue.deduplication_scope=group", "messageGroup||||||"),
    ("queue.surplus_duplicates", "~at-least-once delivery|-|-|-|~at-least-once delivery|-|-"),
    ("queue.shards", "~short polling|-|-|-|-|-|-"),
    ("queue.shards_sampled", "~short polling|-|-|-|-|-|-"),
    ("queue.consumer_timeout", "-VisibilityTimeout|arguments/x-consumer-timeout|-ack_wait|-min-idle-time of XAUTOCLAIM|-ackDeadlineSeconds|-lockDuration|-group.share.record.lock.duration.ms"),
    ("queue.single_active_consumer", "-one message group|arguments/x-single-active-consumer|-priority_policy pinned_client, from 2.11|-|-|-a session|-"),
    ("queue.priority", "-a queue for each priority|arguments/x-max-priority|-a stream for each priority|-a stream for each priority|-|-a queue for each priority|-"),
    ("queue.priority.strict.max", "|arguments/x-max-priority|||||"),
    ("queue.fair_share", "~fair queues|-|-|-|-|-|-"),
    ("queue.retry_delay", "-ChangeMessageVisibility|~delayed retry|-NakWithDelay|-|retryPolicy|-ScheduledEnqueueTimeUtc of a copy|-"),
    ("queue.retry_delay.min", "|~|||retryPolicy/minimumBackoff||"),
    ("queue.retry_delay.max", "|~|||retryPolicy/maximumBackoff||"),
    ("queue.lease_steps", "-ChangeMessageVisibility|-|backoff|-|-|-|-"),
    ("queue.dead_letter_retry", "-|~x-dead-letter-strategy at-least-once|-|-|-|-|-"),
    ("queue.ttl", "-MessageRetentionPeriod|arguments/x-message-ttl|-max_age, or Nats-TTL of a message from 2.11|-XTRIM MINID|-messageRetentionDuration|defaultMessageTimeToLive|-retention.ms"),
    ("queue.expired_to", "=|=|=|=|=|deadLetteringOnMessageExpiration|="),
    ("queue.expired_to=removed", "|||||false|"),
    ("queue.expired_to=dead_letter", "|||||true|"),
    ("queue.unused_for", "-|arguments/x-expires|-inactive_threshold|-|-expirationPolicy|autoDeleteOnIdle|-"),
    ("queue.capacity", "-|arguments/x-max-length|max_msgs|-XTRIM MAXLEN|-|-maxSizeInMegabytes|-retention.bytes"),
    ("queue.capacity=none", "||-1||||"),
    ("queue.overflow", "-|arguments/x-overflow|discard|-|-|-|-"),
    ("queue.overflow=drop_head", "|drop-head|old||||"),
    ("queue.overflow=refuse", "|reject-publish|new||||"),
    ("queue.overflow=refuse_and_dead_letter", "|reject-publish-dlx|||||"),
    ("queue.in_flight_limit", "~in-flight quota|-basic.qos|max_ack_pending|-|-flow control of the client library|-|group.share.partition.max.record.locks"),
    ("queue.in_flight_limit=none", "||-1||||"),
    ("queue.durability", "~always durable|durable|storage|~appendonly|~always durable|~always durable|~always durable"),
    ("queue.durability=durable", "|true|file||||"),
    ("queue.durability=persistent", "|true|||||"),
    ("queue.durability=volatile", "|false|memory||||"),
    ("queue.propagation", "~up to 60 seconds|-|-|-|-|-|-"),
    ("queue.quota", "~FIFO throughput quota|-|-|-|-|-|-"),
    ("queue.purge_interval", "~PurgeQueueInProgress|-|-|-|-|-|-"),
    // Settings of consumers.
    ("consumer.name", "=|consumer_tag|=|consumer|=|=|client.id"),
    ("consumer.batch", "MaxNumberOfMessages|-prefetch_count|batch|COUNT|maxMessages|maxMessages|max.poll.records"),
    ("consumer.prefetch", "=|prefetch_count|=|=|max_outstanding_messages|prefetchCount|="),
    ("consumer.wait", "WaitTimeSeconds|-basic.consume|expires|BLOCK|=|maxWaitTime|~poll timeout"),
    ("consumer.poll_interval", "=|-basic.consume|=|=|=|=|="),
    ("consumer.visibility_timeout", "VisibilityTimeout|-x-consumer-timeout|-ack_wait|-min-idle-time of XAUTOCLAIM|~modifyAckDeadline|-lockDuration|-group.share.record.lock.duration.ms"),
    ("consumer.heartbeat", "~ChangeMessageVisibility|-x-consumer-timeout|~InProgress|~XCLAIM JUSTID|~modifyAckDeadline|~RenewMessageLock|~RENEW"),
    ("consumer.ack_together", "~DeleteMessageBatch|~basic.ack, multiple|=|~XACK of several ids|~acknowledge of several ids|=|~commitSync"),
    ("consumer.priority", "-|x-priority|-|-|-|-|-"),
    ("consumer.channel", "-|~channel|-|-|-|-|-"),
    ("consumer.channel_prefetch", "-|~basic.qos, global|-|-|-|-|-"),
    ("consumer.claim", "-|-|-|~XAUTOCLAIM|-|-|-"),
    ("consumer.claim.min_idle", "|||min-idle-time|||"),
    ("consumer.session_idle", "-|-|-|-|-|sessionIdleTimeout|-"),
    // Settings of producers and sends.
    ("producer.groups", "~MessageGroupId|=|=|=|~orderingKey|~SessionId|="),
    ("producer.delay", "~DelaySeconds|-a queue with x-message-ttl that dead-letters to this one|-Nats-Schedule, from 2.12|-|-|~ScheduledEnqueueTimeUtc|-"),
    ("producer.confirm_timeout", "=|~publisher confirms|~PubAck|=|=|=|~acks"),
    ("producer.priority", "-|~priority|-|-|-|-|-"),
    ("producer.ttl", "-|~expiration|-Nats-TTL, from 2.11|-|-|~TimeToLive|-"),
    ("producer.persistent", "-|~delivery_mode|-|-|-|-|-"),
    // States of messages.
    ("state.ready", "available|ready|unprocessed|undelivered|undelivered|active|Available"),
    ("state.delayed", "delayed|~delayed retry|delayed by Nak|-|in back-off|scheduled|-"),
    ("state.in_flight", "in flight|unacked|ack pending|pending|outstanding|locked|Acquired"),
    ("state.undeliverable", "-|~waiting for the dead-letter target|at MaxDeliver|-|-|-|-"),
    ("state.archived", "-|-|-|-|-|-|Archived"),
    ("state.acked", "deleted|acknowledged|acknowledged|acknowledged|acknowledged|completed|Acknowledged"),
    ("state.dead_lettered", "in the dead-letter queue|dead-lettered|-|-|forwarded to the dead-letter topic|dead-lettered|-"),
    ("state.expired", "past retention|expired|past max_age|-|past retention|expired|-"),
    ("state.dropped", "-|dropped|discarded|-|-|-|-"),
    ("state.purged", "purged|purged|purged|trimmed|acknowledged by seek|-|-"),
    ("state.delivery_count", "ApproximateReceiveCount|x-delivery-count|num_delivered|times_delivered|deliveryAttempt|DeliveryCount|deliveryCount"),
    // Calls.
    ("call.send", "SendMessage|basic.publish|publish|XADD|publish|Send|send"),
    ("call.receive", "ReceiveMessage|basic.deliver|Fetch|XREADGROUP|pull|Receive|poll"),
    ("call.ack", "DeleteMessage|basic.ack|Ack|XACK|acknowledge|Complete|ACCEPT"),
    ("call.nack", "ChangeMessageVisibility 0|basic.nack|Nak|-XCLAIM by another|modifyAckDeadline 0|Abandon|RELEASE"),
    ("call.return_failed", "-ChangeMessageVisibility 0|basic.reject, requeue|-Nak|-|-modifyAckDeadline 0|-Abandon|-RELEASE"),
    ("call.reject", "-DeleteMessage, and a SendMessage of your own|basic.reject|Term|-XACK, and an XADD of your own|-acknowledge, and a publish of your own|DeadLetter|REJECT"),
    ("call.extend", "ChangeMessageVisibility|-|InProgress|XCLAIM JUSTID|modifyAckDeadline|RenewMessageLock|RENEW"),
    ("call.purge", "PurgeQueue|queue.purge|PURGE|XTRIM|seek|-receive and complete all|-"),
    ("call.redrive", "StartMessageMoveTask|-a shovel|-|-|-|-receive, send, complete|-"),
    ("call.claim", "-|-|-|XAUTOCLAIM|-|-|-"),
    ("call.accept_session", "-|-|-|-|-|AcceptNextSession|-"),
    ("call.close_session", "-|-|-|-|-|CloseAsync|-"),
    ("call.close_channel", "-|channel.close|-|-|-|-|-"),
    ("call.forget_consumer", "-|-|-|XGROUP DELCONSUMER|-|-|-"),
    // Events; those that have no row go by our own name.
    ("event.Sent", "SendMessage|basic.publish|publish|XADD|publish|Send|send"),
    ("event.Accepted", "SendMessage result|basic.ack of a confirm|PubAck|entry id|message id|send settled|acks"),
    ("event.Suppressed", "deduplicated|-|duplicate|-|-|duplicate dropped|-"),
    ("event.Refused", "error|basic.nack of a confirm|error|error|error|error|error"),
    ("event.Delivered", "received|basic.deliver|delivered|delivered|delivered|received|acquired"),
    ("event.EmptyReceive", "empty receive|basic.get-empty|404 or 408|nil|empty pull|null|empty poll"),
    ("event.ReceiveRefused", "OverLimit|-|409|-|-|-|-"),
    ("event.Claimed", "-|-|-|XCLAIM|-|-|-"),
    ("event.SessionAccepted", "-|-|-|-|-|session accepted|-"),
    ("event.SessionClosed", "-|-|-|-|-|session closed|-"),
    ("event.Acked", "DeleteMessage|basic.ack|Ack|XACK|acknowledge|Complete|ACCEPT"),
    ("event.AckStale", "expired receipt handle|PRECONDITION_FAILED|late Ack|XACK answers 0|expired ack id|MessageLockLost|INVALID_RECORD_STATE"),
    ("event.Nacked", "ChangeMessageVisibility 0|basic.nack|Nak|-|modifyAckDeadline 0|Abandon|RELEASE"),
    ("event.Rejected", "-|basic.reject|Term|-|-|DeadLetter|REJECT"),
    ("event.Extended", "ChangeMessageVisibility|-|InProgress|XCLAIM JUSTID|modifyAckDeadline|RenewMessageLock|RENEW"),
    ("event.TimeoutEnded", "visibility timeout over|-|ack_wait over|-|ack deadline over|lock expired|lock timeout"),
    ("event.Requeued", "-|requeued|-|-|redelivered with its key|released|-"),
    ("event.Exhausted", "maxReceiveCount reached|delivery limit reached|MAX_DELIVERIES advisory|-|maxDeliveryAttempts reached|MaxDeliveryCountExceeded|Archived"),
    ("event.DeadLettered", "moved to the dead-letter queue|dead-lettered|-|-|forwarded|dead-lettered|-"),
    ("event.Expired", "retention over|expired|max_age over|-|retention over|TTLExpiredException|-"),
    ("event.Purged", "PurgeQueue|queue.purge|PURGE|XTRIM|seek|-|-"),
    ("event.Redriven", "StartMessageMoveTask|-|-|-|-|-|-"),
    ("event.ChannelClosed", "-|channel.close|-|-|-|-|-"),
    ("event.ChannelOpened", "-|channel.open|-|-|-|-|-"),
    ("event.DeadLetterKept", "-|dead-lettered at least once|-|-|-|-|-"),
    ("event.LostInRestart", "-|lost in a restart|lost in a restart|lost in a restart|-|-|-"),
    ("event.QueueDeleted", "-|queue gone|-|-|-|AutoDeleteOnIdle|-"),
    // Actors.
    ("actor.broker", "SQS|broker|server|server|service|namespace|broker"),
    ("actor.queue", "queue|queue|stream|stream|subscription|queue|share-partition"),
    ("actor.dead_letter_queue", "dead-letter queue|dead-letter queue|-|-|dead-letter topic|dead-letter queue|-"),
    ("actor.producer", "producer|publisher|publisher|producer|publisher|sender|producer"),
    ("actor.consumer", "consumer|consumer|client|consumer|subscriber|receiver|share consumer"),
    ("actor.group", "message group|-|-|-|ordering key|session|-"),
    // Nouns in sentences.
    ("noun.visibility timeout", "=|acknowledgement timeout|ack wait|idle time|ack deadline|lock duration|acquisition lock"),
    ("noun.dead-letter queue", "=|=|=|=|dead-letter topic|=|="),
    ("noun.in flight", "=|unacked|ack pending|pending|outstanding|locked|acquired"),
    ("noun.queue", "=|=|stream|stream|subscription|=|share-partition"),
    ("noun.consumer", "=|=|client|=|subscriber|receiver|share consumer"),
    ("noun.producer", "=|publisher|publisher|=|publisher|sender|="),
    ("noun.group", "=|=|=|=|ordering key|session|="),
    ("noun.receive", "=|=|fetch|read|pull|=|poll"),
    ("noun.ack", "delete|=|=|XACK|=|completion|ACCEPT"),
    ("noun.nack", "=|=|Nak|=|=|abandon|release"),
];

/// Every concept that has a row, in order; values of settings left out.
pub fn concepts() -> impl Iterator<Item = &'static str> {
    let concepts = NAMES.iter().map(|(concept, _)| *concept);
    concepts.filter(|concept| !concept.contains('='))
}

impl Profile {
    /// The cell of a row for this broker.
    pub(super) fn cell(self, concept: &str) -> Option<&'static str> {
        let (_, row) = NAMES.iter().find(|(name, _)| *name == concept)?;
        row.split('|').nth(self.column()?)
    }

    /// What this broker calls a concept: a field (`queue.visibility_timeout`, `consumer.prefetch`, `producer.ttl`), a
    /// state (`state.in_flight`), a call (`call.ack`), an event (`event.Acked`), an actor (`actor.queue`).
    pub fn name(self, concept: &str) -> Name {
        match self.cell(concept) {
            None | Some("=") => Name::Own,
            Some(cell) => match cell.strip_prefix('-') {
                Some(nearest) => Name::NoCounterpart(nearest),
                None => {
                    let name = cell.trim_start_matches('~');
                    Name::Called(name.rsplit('/').next().unwrap_or(name))
                }
            },
        }
    }

    /// The broker's own name of a concept, if it has one.
    pub fn term(self, concept: &str) -> Option<&'static str> {
        match self.name(concept) {
            Name::Called(name) => Some(name),
            Name::Own | Name::NoCounterpart(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_cell_for_every_broker_and_every_concept_one_row() {
        for (index, (concept, row)) in NAMES.iter().enumerate() {
            assert_eq!(row.split('|').count(), BROKERS.len(), "{concept}");
            let before = &NAMES[..index];
            assert!(
                before.iter().all(|(other, _)| other != concept),
                "{concept} twice"
            );
            let is_value = concept.contains('=') || concept.matches('.').count() >= 2;
            assert!(
                is_value || row.split('|').all(|cell| !cell.is_empty()),
                "{concept}"
            );
        }
    }

    #[test]
    fn an_ack_is_called_as_each_broker_calls_it() {
        let called: Vec<Option<&str>> = [
            Profile::Free,
            Profile::SqsFifo,
            Profile::RabbitClassic,
            Profile::JetStream,
            Profile::RedisStreams,
            Profile::PubSub,
            Profile::ServiceBus,
            Profile::KafkaShare,
        ]
        .into_iter()
        .map(|profile| profile.term("call.ack"))
        .collect();
        let terms = [
            "DeleteMessage",
            "basic.ack",
            "Ack",
            "XACK",
            "acknowledge",
            "Complete",
            "ACCEPT",
        ];
        let expected: Vec<Option<&str>> = std::iter::once(None)
            .chain(terms.into_iter().map(Some))
            .collect();
        assert_eq!(called, expected);
        assert_eq!(
            Profile::SqsStandard.term("queue.max_deliveries"),
            Some("maxReceiveCount")
        );
        assert_eq!(
            Profile::RabbitClassic.name("queue.visibility_timeout"),
            Name::NoCounterpart("x-consumer-timeout")
        );
    }
}
