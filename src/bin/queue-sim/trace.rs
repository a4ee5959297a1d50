//! Events as JSON, with names in place of ids.

use queue_playground::engine::event::StuckReason;
use queue_playground::engine::{
    ConsumerId, Event, EventKind, GroupId, MessageNumber, Micros, ProducerId, QueueId, Setup,
};
use serde_json::{Value, json};

/// The words of a plain enum's variant: `DeadLettered` is `dead_lettered`.
pub fn words(variant: &impl std::fmt::Debug) -> String {
    let mut words = String::new();
    for character in format!("{variant:?}").chars() {
        if character.is_ascii_uppercase() {
            if !words.is_empty() {
                words.push('_');
            }
            words.push(character.to_ascii_lowercase());
        } else if character.is_ascii_alphanumeric() {
            words.push(character);
        } else {
            break;
        }
    }
    words
}

/// Why a run stopped by itself, for people.
pub fn stuck_in_words(reason: StuckReason, message: Option<MessageNumber>) -> String {
    let about = match message {
        Some(message) => format!(" (message {})", message.0),
        None => String::new(),
    };
    match reason {
        StuckReason::Cycle => format!(
            "stuck: the same things happen over and over at this instant, so time cannot go on{about}; give the work, the nack or the poll some time"
        ),
        StuckReason::TooManyMessages => {
            format!("stuck: more messages are live than are allowed{about}")
        }
    }
}

/// The fields of one event, in the order in which they are added.
struct Fields<'a> {
    setup: &'a Setup,
    line: String,
}

impl Fields<'_> {
    fn put(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        let separator = if self.line.is_empty() { '{' } else { ',' };
        self.line
            .push_str(&format!("{separator}\"{name}\":{}", value.into()));
        self
    }
    fn message(&mut self, message: MessageNumber) -> &mut Self {
        self.put("message", message.0)
    }
    fn time(&mut self, name: &str, time: Micros) -> &mut Self {
        self.put(name, json!(time.as_secs_f64()))
    }
    fn queue(&mut self, name: &str, id: QueueId) -> &mut Self {
        let queue = self
            .setup
            .queues
            .get(id.index())
            .map(|queue| queue.name.clone());
        self.put(name, queue)
    }
    fn consumer(&mut self, id: ConsumerId) -> &mut Self {
        let consumer = self
            .setup
            .consumers
            .get(id.index())
            .map(|it| it.name.clone());
        self.put("consumer", consumer)
    }
    fn producer(&mut self, id: Option<ProducerId>) -> &mut Self {
        let producer = id.and_then(|id| Some(self.setup.producers.get(id.index())?.name.clone()));
        self.put("producer", producer)
    }
    fn group(&mut self, id: Option<GroupId>) -> &mut Self {
        let group = id.and_then(|id| self.setup.groups.get(id.index()).cloned());
        self.put("group", group)
    }
}

/// One event as a line of JSON: ordinal, time in seconds, cause, kind and what belongs to the kind.
pub fn line(event: &Event, setup: &Setup) -> String {
    let mut fields = Fields {
        setup,
        line: String::new(),
    };
    fields
        .put("ordinal", event.ordinal.0)
        .time("at", event.at)
        .put("cause", event.cause.map(|cause| cause.0))
        .put("kind", words(&event.kind));
    add(&mut fields, &event.kind, setup);
    fields.line + "}"
}

fn add(fields: &mut Fields<'_>, kind: &EventKind, setup: &Setup) {
    use EventKind as Kind;
    match *kind {
        Kind::Sent {
            message,
            producer,
            queue,
            attempt,
            body,
            group,
        } => fields
            .message(message)
            .producer(producer)
            .queue("queue", queue)
            .group(group)
            .put(
                "body",
                body.and_then(|body| setup.bodies.get(body.index()).cloned()),
            )
            .put("attempt", attempt),
        Kind::Accepted {
            message,
            queue,
            group,
            visible_at,
        } => fields
            .message(message)
            .queue("queue", queue)
            .group(group)
            .time("visible_at", visible_at),
        Kind::Suppressed {
            message,
            queue,
            first,
        } => fields
            .message(message)
            .queue("queue", queue)
            .put("first", first.0),
        Kind::ConfirmLost { message, producer } => fields.message(message).producer(Some(producer)),
        Kind::SendLost { message, queue }
        | Kind::LostInRestart { message, queue }
        | Kind::BecameVisible { message, queue }
        | Kind::Returned { message, queue }
        | Kind::SurvivedAck { message, queue }
        | Kind::Expired { message, queue }
        | Kind::Purged { message, queue } => fields.message(message).queue("queue", queue),
        Kind::Delivered {
            message,
            queue,
            consumer,
            delivery,
            hidden_until,
        } => fields
            .message(message)
            .queue("queue", queue)
            .consumer(consumer)
            .put("delivery", delivery)
            .time("hidden_until", hidden_until),
        Kind::Refused {
            message,
            queue,
            reason,
        } => fields
            .message(message)
            .queue("queue", queue)
            .put("reason", words(&reason)),
        Kind::Claimed {
            message,
            queue,
            consumer,
            from,
        } => {
            let from = setup.consumers.get(from.index());
            fields
                .message(message)
                .queue("queue", queue)
                .consumer(consumer)
                .put("from", from.map(|it| it.name.clone()))
        }
        Kind::SessionAccepted {
            queue,
            group,
            consumer,
        } => fields.queue("queue", queue).group(group).consumer(consumer),
        Kind::SessionClosed {
            queue,
            group,
            consumer,
            lost,
        } => fields
            .queue("queue", queue)
            .group(group)
            .consumer(consumer)
            .put("lost", lost),
        Kind::Requeued {
            message,
            queue,
            consumer,
            reason,
        } => fields
            .message(message)
            .queue("queue", queue)
            .consumer(consumer)
            .put("reason", words(&reason)),
        Kind::Exhausted {
            message,
            queue,
            deliveries,
            archived,
            reason,
        } => fields
            .message(message)
            .queue("queue", queue)
            .put("deliveries", deliveries)
            .put("archived", archived)
            .put("reason", words(&reason)),
        Kind::ChannelClosed {
            queue,
            consumer,
            reason,
        } => fields
            .queue("queue", queue)
            .consumer(consumer)
            .put("reason", words(&reason)),
        Kind::ChannelOpened { queue, consumer } | Kind::ReceiveRefused { queue, consumer } => {
            fields.queue("queue", queue).consumer(consumer)
        }
        Kind::BrokerRestarted => fields,
        Kind::QueueDeleted { queue } => fields.queue("queue", queue),
        Kind::BreakerOpened { consumer } | Kind::BreakerClosed { consumer } => {
            fields.consumer(consumer)
        }
        Kind::EmptyReceive { queue, consumer } => fields.queue("queue", queue).consumer(consumer),
        Kind::ResponseLost {
            message,
            queue,
            consumer,
        }
        | Kind::Acked {
            message,
            queue,
            consumer,
        }
        | Kind::AckLost {
            message,
            queue,
            consumer,
        }
        | Kind::Rejected {
            message,
            queue,
            consumer,
        } => fields
            .message(message)
            .queue("queue", queue)
            .consumer(consumer),
        Kind::DeliveredOutOfOrder {
            message,
            queue,
            before,
        } => fields
            .message(message)
            .queue("queue", queue)
            .put("before", before.0),
        Kind::Started {
            message,
            consumer,
            worker,
            delivery,
            work,
            lease_over,
        } => fields
            .message(message)
            .consumer(consumer)
            .put("worker", worker)
            .put("delivery", delivery)
            .time("work", work)
            .put("lease_over", lease_over),
        Kind::WaitsForPlace {
            message,
            consumer,
            worker,
            downstream,
        } => {
            let called = setup.downstreams.get(usize::from(downstream));
            fields
                .message(message)
                .consumer(consumer)
                .put("worker", worker)
                .put("downstream", called.map(|it| it.name.clone()))
        }
        Kind::Finished {
            message,
            consumer,
            worker,
            delivery,
        } => fields
            .message(message)
            .consumer(consumer)
            .put("worker", worker)
            .put("delivery", delivery),
        Kind::Failed {
            message,
            consumer,
            worker,
            delivery,
            reason,
        } => fields
            .message(message)
            .consumer(consumer)
            .put("worker", worker)
            .put("delivery", delivery)
            .put("reason", words(&reason)),
        Kind::Skipped { message, consumer } => fields.message(message).consumer(consumer),
        Kind::Effect {
            message,
            consumer,
            nth,
            amount,
        } => fields
            .message(message)
            .consumer(consumer)
            .put("nth", nth)
            .put("amount", amount),
        Kind::EffectSkipped {
            message,
            consumer,
            wrongly,
        } => fields
            .message(message)
            .consumer(consumer)
            .put("wrongly", wrongly),
        Kind::FinishedOutOfOrder {
            message,
            group,
            before,
        } => fields.message(message).group(group).put("before", before.0),
        Kind::AckStale {
            message,
            queue,
            consumer,
            refused,
        } => fields
            .message(message)
            .queue("queue", queue)
            .consumer(consumer)
            .put("refused", refused),
        Kind::Nacked {
            message,
            queue,
            consumer,
            visible_at,
            stale,
        } => fields
            .message(message)
            .queue("queue", queue)
            .consumer(consumer)
            .time("visible_at", visible_at)
            .put("stale", stale),
        Kind::Extended {
            message,
            queue,
            consumer,
            hidden_until,
            stale,
            refused,
        } => fields
            .message(message)
            .queue("queue", queue)
            .consumer(consumer)
            .time("hidden_until", hidden_until)
            .put("stale", stale)
            .put("refused", refused),
        Kind::TimeoutEnded {
            message,
            queue,
            consumer,
            delivery,
        } => {
            if let Some(consumer) = consumer {
                fields.consumer(consumer);
            }
            fields
                .message(message)
                .queue("queue", queue)
                .put("delivery", delivery)
        }
        Kind::DeadLettered {
            message,
            from,
            to,
            reason,
            deliveries,
        } => fields
            .message(message)
            .queue("from", from)
            .queue("to", to)
            .put("reason", words(&reason))
            .put("deliveries", deliveries),
        Kind::DeadLetterKept {
            message,
            queue,
            reason,
        }
        | Kind::Dropped {
            message,
            queue,
            reason,
        } => fields
            .message(message)
            .queue("queue", queue)
            .put("reason", words(&reason)),
        Kind::CallLost {
            message,
            queue,
            consumer,
            call,
        } => fields
            .message(message)
            .queue("queue", queue)
            .consumer(consumer)
            .put("call", words(&call)),
        Kind::Discarded {
            message,
            queue,
            reason,
        } => fields
            .message(message)
            .queue("queue", queue)
            .put("reason", words(&reason)),
        Kind::PoisonSet { message, poison } => fields.message(message).put("poison", poison),
        Kind::RedriveBegan { from, count } => fields.queue("from", from).put("count", count),
        Kind::RedriveEnded { from, moved } => fields.queue("from", from).put("moved", moved),
        Kind::SettingDelayed { queue, acts_at } => {
            fields.queue("queue", queue).time("acts_at", acts_at)
        }
        Kind::RedriveRefused { from } => fields.queue("from", from),
        Kind::Redriven { message, from, to } => {
            fields.message(message).queue("from", from).queue("to", to)
        }
        Kind::ConsumerStarted { consumer } => fields.consumer(consumer),
        Kind::Crashed { consumer, held } => fields.consumer(consumer).put("held", held),
        Kind::CommandApplied { index } => fields.put("index", index),
        Kind::CommandIgnored { index, void } => {
            fields.put("index", index).put("void", words(&void))
        }
        Kind::StarvationBegan {
            queue,
            group,
            oldest,
            since,
        } => fields
            .queue("queue", queue)
            .group(group)
            .put("oldest", oldest.0)
            .time("since", since),
        Kind::StarvationEnded { queue, group } => fields.queue("queue", queue).group(group),
        Kind::Stuck { reason, message } => fields
            .put("reason", words(&reason))
            .put("message", message.map(|message| message.0)),
    };
}
