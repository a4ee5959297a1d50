//! What is known of a message, field by field.

use crate::engine::setup::{Deduplication, IdempotenceKey, Pattern};
use crate::engine::{Event, EventKind, MessageNumber, Micros};
use crate::present::format;
use crate::present::sentence::dead_letter_reason;

use super::Inquiry;

/// One field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What a message is called above its story: "Message 11 · group A", "Ben · message 2".
pub fn title(inquiry: &Inquiry, message: MessageNumber) -> String {
    let name = inquiry.teller.m(message);
    let number = format!("essage {}", message.0);
    let mut title = if name == message.0.to_string() {
        format!("M{number}")
    } else {
        format!("{name} · m{number}")
    };
    if let Some(EventKind::Sent {
        group: Some(group), ..
    }) = inquiry.life.first().map(|event| event.kind)
    {
        title.push_str(&format!(" · {}", inquiry.teller.group(Some(group))));
    }
    title
}

/// The fields of a message at a time.
pub fn facts(inquiry: &Inquiry, message: MessageNumber, now: Micros) -> Vec<Fact> {
    let t = &inquiry.teller;
    let past = || inquiry.life.iter().filter(|event| event.at <= now);
    let mut facts = Vec::new();
    let mut add = |name: &str, value: String| {
        facts.push(Fact {
            name: name.to_owned(),
            value,
        });
    };
    add("Message ID", message.0.to_string());
    let sent = inquiry.life.first().map(|event| (event.at, event.kind));
    if let Some((
        at,
        EventKind::Sent {
            producer,
            queue,
            body,
            group,
            ..
        },
    )) = sent
    {
        if let Some(text) = body.and_then(|body| t.setup.bodies.get(body.index())) {
            add("Body", crate::present::names::clean(text).into_owned());
        }
        if let Some(group) = group {
            add("Message group", t.names().group(group).into_owned());
        }
        let from = producer.map_or_else(|| "by hand".to_owned(), |id| format!("by {}", t.p(id)));
        let sent = format!("{} {from} to {}", format::instant(at), t.q(queue));
        add("Sent", sent);
        let deduplication = inquiry.queue_at(queue, at).map(|queue| queue.deduplication);
        let own = producer.and_then(|producer| own_id(inquiry, producer.index(), message, at));
        match deduplication {
            Some(Deduplication::ByContent) if own.is_none() && body.is_some() => {
                add("Deduplication ID", "its content".to_owned());
            }
            Some(Deduplication::ById | Deduplication::ByContent) => {
                let id = own.unwrap_or_else(|| format!("its message ID, {}", message.0));
                add("Deduplication ID", id);
            }
            _ => {}
        }
        let consumers = t.setup.consumers.iter();
        if let Some(consumer) = consumers.clone().find(|consumer| consumer.from == queue) {
            let key = match consumer.idempotence.key {
                IdempotenceKey::MessageId => message.0.to_string(),
                IdempotenceKey::BusinessKey if body.is_some() => {
                    format!("{}, its business key", t.m(message))
                }
                IdempotenceKey::BusinessKey => message.0.to_string(),
                IdempotenceKey::Producer => from.trim_start_matches("by ").to_owned(),
            };
            if consumer.idempotence.method != crate::engine::setup::IdempotenceMethod::None {
                add("Idempotency key", key);
            }
        }
    }
    for (nth, event) in (1u32..).zip(
        past()
            .filter(|event| matches!(event.kind, EventKind::Delivered { .. }))
            .take(MOST_ATTEMPTS),
    ) {
        if let Some(value) = attempt(inquiry, event, now) {
            add(&format!("Attempt {nth}"), value);
        }
    }
    let attempts = past()
        .filter(|event| matches!(event.kind, EventKind::Delivered { .. }))
        .count();
    if attempts > MOST_ATTEMPTS {
        add(
            "More attempts",
            format::count((attempts - MOST_ATTEMPTS) as u64),
        );
    }
    for event in past() {
        if let EventKind::DeadLettered {
            from,
            to,
            reason,
            deliveries,
            ..
        } = event.kind
        {
            let reason = dead_letter_reason(reason, deliveries);
            add(
                "Dead-lettered",
                format!(
                    "{} from {} to {}",
                    format::instant(event.at),
                    t.q(from),
                    t.q(to)
                ),
            );
            add("DLQ reason", reason);
        }
    }
    facts
}

/// Attempts that are listed.
const MOST_ATTEMPTS: usize = 20;

/// The deduplication ID that a listed send brings along.
fn own_id(
    inquiry: &Inquiry,
    producer: usize,
    message: MessageNumber,
    at: Micros,
) -> Option<String> {
    let setup = inquiry.teller.setup;
    let Pattern::List(sends) = &setup.producers.get(producer)?.pattern else {
        return None;
    };
    // Sends of one instant are told apart by their bodies.
    let body = match inquiry.life.first()?.kind {
        EventKind::Sent {
            body, message: of, ..
        } if of == message => body,
        _ => return None,
    };
    let send = sends
        .iter()
        .find(|send| send.at == at && send.body == body)?;
    setup
        .deduplication_ids
        .get(send.deduplication_id?.index())
        .cloned()
}

/// "worker-2 at 1.0 s, timeout ended 4.0 s, finished 5.5 s".
fn attempt(inquiry: &Inquiry, delivered: &Event, now: Micros) -> Option<String> {
    let EventKind::Delivered {
        consumer, delivery, ..
    } = delivered.kind
    else {
        return None;
    };
    let at = format::instant;
    let mut parts = vec![format!(
        "{} at {}",
        inquiry.teller.c(consumer),
        at(delivered.at)
    )];
    let later = inquiry
        .life
        .iter()
        .filter(|event| event.ordinal > delivered.ordinal && event.at <= now);
    for event in later {
        let word = match event.kind {
            EventKind::Delivered {
                consumer: again, ..
            } if again == consumer => break,
            EventKind::TimeoutEnded {
                consumer: from,
                delivery: of,
                ..
            } if from == Some(consumer) && of == delivery => "timeout ended",
            EventKind::Finished { consumer: by, .. } if by == consumer => "finished",
            EventKind::Failed { consumer: by, .. } if by == consumer => "failed",
            EventKind::Crashed { consumer: by, .. } if by == consumer => "crashed",
            EventKind::Skipped { consumer: by, .. } if by == consumer => "dropped unstarted",
            EventKind::ResponseLost { consumer: by, .. } if by == consumer => "never arrived",
            EventKind::AckLost { consumer: by, .. } if by == consumer => "its ack was lost",
            _ => continue,
        };
        parts.push(format!("{word} {}", at(event.at)));
    }
    Some(parts.join(", "))
}
