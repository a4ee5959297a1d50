//! The calls that a step can make.

use super::setups;
use super::work::{Outcome, Work, position, text, time};
use queue_playground::engine::broker::*;
use queue_playground::engine::event::{CloseReason, DeadLetterReason, RefusalReason};
use queue_playground::engine::id::*;
use queue_playground::engine::time::Micros;
use serde_json::{Map, Value, json};

/// The fields that a call reads, what it may be expected to give included.
pub fn fields_of(call: &str) -> &'static [&'static str] {
    match call {
        "send" => &[
            "queue",
            "message",
            "messages",
            "group",
            "deduplication_id",
            "delay",
            "priority",
            "ttl",
            "persistent",
            "gives",
            "first",
        ],
        "receive" => &[
            "queue",
            "consumer",
            "max",
            "wait",
            "visibility_timeout",
            "automatic",
            "name",
            "gives",
            "delivery",
            "redelivered",
            "answered_at",
        ],
        "subscribe" => &[
            "queue",
            "consumer",
            "channel",
            "prefetch",
            "channel_prefetch",
            "priority",
            "automatic",
        ],
        "pushed" => &["consumer", "gives", "count", "delivery", "redelivered"],
        "ack" | "nack" | "fail" | "reject" => &["receipt", "multiple", "delay", "gives"],
        "change_visibility" => &["receipt", "timeout", "gives"],
        "cancel" | "close_channel" | "disconnect" => &["queue", "consumer"],
        "closed" => &["consumer", "gives"],
        "claim" => &[
            "queue", "consumer", "min_idle", "max", "from", "messages", "name", "gives",
            "delivery", "cursor",
        ],
        "read_own" => &["queue", "consumer", "max", "gives", "delivery"],
        "pending" => &["queue", "gives"],
        "forget" => &["queue", "consumer", "gives"],
        "accept_session" => &["queue", "consumer", "session", "gives"],
        "close_session" | "renew_session" => &["queue", "consumer", "session", "gives"],
        "restart" => &[],
        "exists" => &["queue", "gives"],
        "declare" | "delete" => &["queue"],
        "discard" => &["queue", "message"],
        "purge" | "redrive" => &["queue", "gives"],
        "change" => &["queue", "set"],
        "counts" => &[
            "queue",
            "ready",
            "in_flight",
            "delayed",
            "total",
            "undeliverable",
            "archived",
            "acked",
            "dropped",
            "expired",
            "lost",
            "purged",
        ],
        "deaths" => &["message", "gives", "first"],
        "exhausted" => &["message", "gives"],
        "file" => &["queues", "producers", "gives"],
        _ => &[],
    }
}

fn gives(value: impl Into<Value>) -> Outcome {
    Ok([("gives".to_owned(), value.into())].into_iter().collect())
}

fn nothing() -> Outcome {
    Ok(Map::new())
}

fn in_words(outcome: AckOutcome) -> &'static str {
    match outcome {
        AckOutcome::Removed | AckOutcome::Ignored | AckOutcome::Survived => "ok",
        AckOutcome::Refused => "refused",
        AckOutcome::ChannelClosed => "channel closed",
    }
}

fn change_in_words(outcome: ChangeOutcome) -> &'static str {
    match outcome {
        ChangeOutcome::HiddenUntil(_) | ChangeOutcome::Ignored => "ok",
        ChangeOutcome::Stale | ChangeOutcome::Refused => "refused",
    }
}

fn reason(reason: DeadLetterReason) -> &'static str {
    match reason {
        DeadLetterReason::BudgetUsedUp => "budget_used_up",
        DeadLetterReason::Rejected => "rejected",
        DeadLetterReason::Expired => "expired",
        DeadLetterReason::Overflow => "overflow",
        DeadLetterReason::Cycle => "cycle",
        DeadLetterReason::NoTarget => "no_target",
    }
}

impl Work<'_> {
    pub fn call(&mut self, step: &Value) -> Outcome {
        let mut out = Vec::new();
        let outcome = self.call_into(step, &mut out);
        self.note(out);
        outcome
    }

    fn call_into(&mut self, step: &Value, out: &mut Vec<Happening>) -> Outcome {
        let now = self.now;
        match step["call"].as_str().unwrap_or_default() {
            "send" => self.send(step, out),
            "receive" => self.receive(step, out),
            "ack" | "nack" | "fail" | "reject" | "change_visibility" => self.settle(step, out),
            "pushed" => self.pushed(step),
            "subscribe" => self.subscribe(step, out),
            "cancel" | "close_channel" | "disconnect" => self.leave(step, out),
            "closed" => self.closed(step),
            "claim" | "read_own" => self.claim(step, out),
            "pending" => self.pending(step),
            "forget" => {
                let queue = self.queue(step)?;
                let consumer = self.consumer(step);
                gives(self.broker.forget_consumer(queue, consumer, out))
            }
            "accept_session" | "close_session" | "renew_session" => self.session(step, out),
            "restart" => {
                self.broker.restart(now, out);
                nothing()
            }
            "exists" => gives(self.broker.queue_exists(self.queue(step)?)),
            "declare" => {
                let queue = self.queue(step)?;
                self.broker.declare(now, queue);
                nothing()
            }
            "delete" => {
                let queue = self.queue(step)?;
                self.broker.delete(now, queue, out);
                nothing()
            }
            "counts" => self.count(step),
            "change" => {
                let queue = self.queue(step)?;
                let change = setups::change(self.case, &text(&step["queue"]), &step["set"])?;
                self.broker.change(now, queue, &change, out);
                nothing()
            }
            "purge" => {
                let queue = self.queue(step)?;
                let is_refused = self.broker.refuses_purge(now, queue);
                self.broker.purge(now, queue, out);
                gives(if is_refused { "refused" } else { "ok" })
            }
            "redrive" => {
                let queue = self.queue(step)?;
                gives(self.broker.redrive(now, queue, None, None, out))
            }
            "discard" => {
                let queue = self.queue(step)?;
                let message = self.message(&text(&step["message"]))?;
                let reason = queue_playground::engine::command::DiscardReason::Handled;
                self.broker.discard(now, queue, message, reason, out);
                nothing()
            }
            "deaths" => self.deaths(step),
            "exhausted" => self.exhausted(step),
            "file" => gives(if setups::is_accepted(self.case, step) {
                "accepted"
            } else {
                "refused"
            }),
            call => Err(format!("there is no call {call}")),
        }
    }

    fn send(&mut self, step: &Value, out: &mut Vec<Happening>) -> Outcome {
        let queue = self.queue(step)?;
        let one = [step["message"].clone()];
        let messages = step["messages"].as_array().map_or(&one[..], |all| all);
        let mut outcome = Map::new();
        for message in messages {
            let key = self.messages.len() as u32;
            self.messages.push(text(message));
            let body = self.messages.iter().position(|known| *message == **known);
            let group = step["group"].as_str();
            let id = step["deduplication_id"].as_str();
            let incoming = Incoming {
                message: MessageKey(key),
                number: MessageNumber(key),
                group: group.map(|name| GroupId(position(&mut self.groups, name) as u32)),
                deduplication_id: id
                    .map(|name| DeduplicationKey(1 << 32 | position(&mut self.ids, name) as u64)),
                content: DeduplicationKey(body.unwrap_or_default() as u64),
                delay: time(&step["delay"]),
                priority: step["priority"].as_u64().map(|priority| priority as u8),
                ttl: time(&step["ttl"]),
                persistent: step["persistent"].as_bool().unwrap_or(true),
            };
            outcome = match self.broker.send(self.now, queue, incoming, out) {
                SendOutcome::Accepted => gives("accepted")?,
                // Confirmed to its producer, and lost: tests/it, what_is_sent_to_a_queue_that_is_gone.
                SendOutcome::Refused(RefusalReason::NoQueue) => gives("unroutable")?,
                SendOutcome::Refused(_) => gives("refused")?,
                SendOutcome::Suppressed { first } => {
                    let mut outcome = gives("suppressed")?;
                    let first = self.name_of(Some(MessageKey(first.0)));
                    outcome.insert("first".into(), first.into());
                    outcome
                }
            };
        }
        Ok(outcome)
    }

    fn receive(&mut self, step: &Value, out: &mut Vec<Happening>) -> Outcome {
        let queue = self.queue(step)?;
        let consumer = self.consumer(step);
        self.remember_call(step, queue, consumer);
        let demand = Demand {
            consumer,
            max: step["max"].as_u64().unwrap_or(1) as u32,
            visibility_timeout: time(&step["visibility_timeout"]),
            until: self.now + time(&step["wait"]).unwrap_or_default(),
            call: self.calls.len() as u64,
            automatic: step["automatic"] == true,
        };
        self.broker.register(self.now, queue, demand, out);
        self.broker.deliver(self.now, queue, out);
        nothing()
    }

    fn subscribe(&mut self, step: &Value, out: &mut Vec<Happening>) -> Outcome {
        let queue = self.queue(step)?;
        let number = |field: &str| step[field].as_u64().unwrap_or_default();
        let subscription = Subscription {
            consumer: self.consumer(step),
            prefetch: number("prefetch") as u32,
            priority: number("priority") as u16,
            channel: step["channel"].as_u64().map(|channel| channel as u16),
            channel_prefetch: number("channel_prefetch") as u32,
            automatic: step["automatic"] == true,
        };
        self.broker.subscribe(self.now, queue, subscription, out);
        nothing()
    }

    fn leave(&mut self, step: &Value, out: &mut Vec<Happening>) -> Outcome {
        let queue = self.queue(step)?;
        let consumer = self.consumer(step);
        let now = self.now;
        match step["call"].as_str() {
            Some("cancel") => self.broker.cancel(now, queue, consumer, out),
            Some("disconnect") => self.broker.disconnect(now, queue, consumer, out),
            _ => self
                .broker
                .close_channel(now, queue, consumer, CloseReason::Command, out),
        }
        nothing()
    }

    /// Why the channel of a consumer was closed.
    fn closed(&mut self, step: &Value) -> Outcome {
        let wanted = self.consumer(step);
        let reason = self
            .log
            .iter()
            .rev()
            .find_map(|(_, happening)| match happening.kind {
                HappeningKind::ChannelClosed { consumer, reason } if consumer == wanted => {
                    Some(reason)
                }
                _ => None,
            });
        gives(match reason {
            Some(CloseReason::Timeout) => "timeout",
            Some(CloseReason::UnknownDelivery) => "unknown_delivery",
            Some(CloseReason::Command) => "command",
            Some(CloseReason::BrokerRestarted) => "broker_restarted",
            Some(CloseReason::Shared) => "shared",
            Some(CloseReason::Cancelled) => "cancelled",
            Some(CloseReason::ConnectionLost) => "connection_lost",
            None => "open",
        })
    }

    fn settle(&mut self, step: &Value, out: &mut Vec<Happening>) -> Outcome {
        let receipt = self.receipt(step)?;
        let now = self.now;
        let call = step["call"].as_str().unwrap_or_default();
        if step["multiple"] == true {
            return match call {
                "ack" => gives(in_words(self.broker.ack_up_to(now, receipt, out))),
                "nack" => gives(change_in_words(self.broker.nack_up_to(now, receipt, out))),
                call => Err(format!("{call} is of one message")),
            };
        }
        gives(match call {
            "ack" => in_words(self.broker.ack(now, receipt, out)),
            "reject" => in_words(self.broker.reject(now, receipt, out)),
            "fail" => change_in_words(self.broker.return_failed(now, receipt, out)),
            "nack" => {
                let delay = time(&step["delay"]).unwrap_or(Micros::ZERO);
                change_in_words(self.broker.nack(now, receipt, delay, out))
            }
            _ => {
                let timeout = time(&step["timeout"]).unwrap_or_default();
                change_in_words(self.broker.change_visibility(now, receipt, timeout, out))
            }
        })
    }

    /// What was handed out so far: messages to one consumer, or consumers and messages.
    fn pushed(&mut self, step: &Value) -> Outcome {
        let all = self.deliveries(0..self.log.len());
        let consumer = step["consumer"].as_str();
        let listed: Vec<String> = all
            .into_iter()
            .filter_map(|(_, to, _, given)| match consumer {
                Some(name) => (self.consumers[to.index()] == name).then_some(given.message),
                None => Some(format!("{} {}", self.consumers[to.index()], given.message)),
            })
            .collect();
        let mut outcome = Map::new();
        outcome.insert("count".into(), listed.len().into());
        outcome.insert("gives".into(), listed.into());
        Ok(outcome)
    }

    fn count(&mut self, step: &Value) -> Outcome {
        let queue = self.queue(step)?;
        let counts = self.broker.counts(queue);
        let there = counts.ready + counts.delayed + counts.in_flight + counts.undeliverable;
        let outcome = json!({
            "ready": counts.ready,
            "in_flight": counts.in_flight,
            "delayed": counts.delayed,
            "total": there,
            "undeliverable": counts.undeliverable,
            "archived": counts.archived,
            "acked": counts.acked,
            "dropped": counts.dropped,
            "expired": counts.expired,
            "lost": counts.lost,
            "purged": counts.purged,
        });
        Ok(outcome.as_object().cloned().unwrap_or_default())
    }

    fn claim(&mut self, step: &Value, out: &mut Vec<Happening>) -> Outcome {
        let queue = self.queue(step)?;
        let (now, consumer) = (self.now, self.consumer(step));
        let claim = Claim {
            consumer,
            min_idle: time(&step["min_idle"]).unwrap_or_default(),
            max: step["max"].as_u64().unwrap_or(1) as u32,
        };
        let mut cursor = None;
        if step["call"] == "read_own" {
            self.broker.read_own(now, queue, consumer, claim.max, out);
        } else if let Some(messages) = step["messages"].as_array() {
            for message in messages {
                let message = self.message(&text(message))?;
                self.broker.claim_message(now, queue, claim, message, out);
            }
        } else {
            let from = step["from"].as_str();
            let from = from.and_then(|name| self.cursors.iter().find(|known| known.0 == name));
            let from = from.and_then(|known| known.1);
            cursor = self.broker.claim(now, queue, claim, from, out);
            self.cursors.push((text(&step["name"]), cursor));
        }
        let (mut messages, mut deliveries) = (Vec::new(), Vec::new());
        for happening in &*out {
            if let HappeningKind::Delivered { delivery, .. } = happening.kind {
                messages.push(self.name_of(happening.message));
                deliveries.push(delivery);
            }
        }
        let mut outcome = gives(messages)?;
        outcome.insert("delivery".into(), deliveries.into());
        outcome.insert(
            "cursor".into(),
            if cursor.is_some() { "more" } else { "none" }.into(),
        );
        Ok(outcome)
    }

    /// What is pending: message to holder and count.
    fn pending(&mut self, step: &Value) -> Outcome {
        let queue = self.queue(step)?;
        let mut pending = Map::new();
        for held in self.broker.pending(queue, usize::MAX) {
            let holder = &self.consumers[held.consumer.index()];
            let name = self.name_of(Some(held.message));
            pending.insert(name, json!([holder, held.deliveries]));
        }
        gives(pending)
    }

    fn session(&mut self, step: &Value, out: &mut Vec<Happening>) -> Outcome {
        let queue = self.queue(step)?;
        let consumer = self.consumer(step);
        let named = step["session"].as_str();
        let group = named.map(|name| GroupId(position(&mut self.groups, name) as u32));
        let now = self.now;
        match step["call"].as_str() {
            Some("accept_session") => {
                let given = self.broker.accept_session(now, queue, consumer, group, out);
                let name = given.and_then(|group| self.groups.get(group.index()));
                gives(name.map_or("none", String::as_str))
            }
            Some("renew_session") => {
                let group = group.ok_or("which session?")?;
                let is_held = self.broker.renew_session(now, queue, consumer, group);
                gives(if is_held { "ok" } else { "refused" })
            }
            _ => {
                self.broker.close_session(now, queue, consumer, group, out);
                nothing()
            }
        }
    }

    /// Where, why and how often a message that is in some queue was dead-lettered, the newest first. RabbitMQ: x-death.
    fn deaths(&mut self, step: &Value) -> Outcome {
        let message = self.message(&text(&step["message"]))?;
        let queues = (0..self.queues.len() as u16).map(QueueId);
        let deaths: Vec<Deaths> = queues
            .map(|queue| self.broker.deaths(queue, message))
            .collect();
        let deaths = deaths.into_iter().find(|deaths| deaths.first.is_some());
        let deaths = deaths.unwrap_or_default();
        let name = |queue: QueueId| &self.queues[queue.index()];
        let entries = deaths.entries.iter();
        let entries =
            entries.map(|death| json!([name(death.queue), reason(death.reason), death.count]));
        let mut outcome = gives(entries.collect::<Vec<_>>())?;
        if let Some((queue, why)) = deaths.first {
            outcome.insert("first".into(), json!([name(queue), reason(why)]));
        }
        Ok(outcome)
    }

    /// After how many deliveries the budget of a message was told to be used up.
    fn exhausted(&mut self, step: &Value) -> Outcome {
        for (_, happening) in &self.log {
            if let HappeningKind::Exhausted { deliveries, .. } = happening.kind
                && step["message"] == self.name_of(happening.message)
            {
                return gives(deliveries);
            }
        }
        gives(0)
    }
}
