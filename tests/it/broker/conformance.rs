//! Works the broker through the cases of `tests/conformance`.

use super::desk::queue;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::id::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;
use serde_json::Value;

/// One receive: where the log stood when it was made, and who made it.
struct Call {
    name: String,
    since: usize,
    consumer: ConsumerId,
    queue: QueueId,
}

/// A case as far as it has been worked through.
struct Work<'a> {
    case: &'a Value,
    broker: Broker,
    queues: Vec<String>,
    groups: Vec<String>,
    ids: Vec<String>,
    messages: Vec<String>,
    consumers: Vec<String>,
    now: Micros,
    log: Vec<(Micros, Happening)>,
    calls: Vec<Call>,
    problems: Vec<String>,
}

fn time(value: &Value) -> Option<Micros> {
    let seconds = value.as_f64()?;
    Some(Micros((seconds * 1e6).round() as u64))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The position of a name in a list, added at its first use.
fn position(names: &mut Vec<String>, name: &Value) -> usize {
    let name = text(name);
    names
        .iter()
        .position(|known| *known == name)
        .unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        })
}

fn setup(name: &str, given: &Value, queues: &[String]) -> QueueSetup {
    let is_fifo = given["kind"] == "fifo";
    let dead = text(&given["dead_letter_queue"]);
    let plain = queue(
        name,
        if is_fifo {
            QueueKind::Fifo
        } else {
            QueueKind::Standard
        },
    );
    QueueSetup {
        visibility_timeout: time(&given["visibility_timeout"]).unwrap_or(plain.visibility_timeout),
        delay: time(&given["delay"]).unwrap_or(plain.delay),
        retention: time(&given["retention"]),
        max_deliveries: given["max_deliveries"].as_u64().map(|max| max as u32),
        dead_letter_queue: queues
            .iter()
            .position(|queue| *queue == dead)
            .map(|at| QueueId(at as u16)),
        deduplication: match given["deduplication"].as_str() {
            Some("by_id") => Deduplication::ById,
            Some("by_content") => Deduplication::ByContent,
            _ => Deduplication::Off,
        },
        deduplication_scope: if given["deduplication_scope"] == "group" {
            DeduplicationScope::Group
        } else {
            DeduplicationScope::Queue
        },
        ..plain
    }
}

impl<'a> Work<'a> {
    fn new(case: &'a Value) -> Self {
        let given = case["queues"].as_object().into_iter().flatten();
        let queues: Vec<String> = given.clone().map(|(name, _)| name.clone()).collect();
        let setups: Vec<QueueSetup> = given
            .map(|(name, given)| setup(name, given, &queues))
            .collect();
        Self {
            case,
            broker: Broker::new(1, &setups),
            queues,
            groups: Vec::new(),
            ids: Vec::new(),
            messages: Vec::new(),
            consumers: Vec::new(),
            now: Micros::ZERO,
            log: Vec::new(),
            calls: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn all(&self) -> impl Iterator<Item = QueueId> + use<> {
        (0..self.queues.len() as u16).map(QueueId)
    }

    fn note(&mut self, out: Vec<Happening>) {
        let now = self.now;
        self.log
            .extend(out.into_iter().map(|happening| (now, happening)));
    }

    fn pass_until(&mut self, until: Micros) {
        loop {
            let next = self
                .all()
                .filter_map(|queue| self.broker.next_timer(queue))
                .min();
            self.now = next.unwrap_or(until).clamp(self.now, until);
            let mut out = Vec::new();
            for queue in self.all() {
                self.broker.advance(self.now, queue, &mut out);
            }
            for queue in self.all() {
                self.broker.deliver(self.now, queue, &mut out);
            }
            self.note(out);
            if next.is_none_or(|next| next > until) {
                return;
            }
        }
    }

    fn queue(&mut self, step: &Value) -> QueueId {
        QueueId(position(&mut self.queues, &step["queue"]) as u16)
    }

    /// The deliveries that answered a receive: those to its consumer at the instant of the first.
    fn answer(&self, call: &Call) -> (Option<Micros>, Vec<(String, Receipt, u32)>) {
        let mut answered_at = None;
        let mut given = Vec::new();
        let later = self
            .calls
            .iter()
            .filter(|later| later.consumer == call.consumer);
        let next = later
            .map(|later| later.since)
            .find(|&since| since > call.since);
        for &(at, happening) in &self.log[call.since..next.unwrap_or(self.log.len())] {
            if happening.queue != call.queue || answered_at.is_some_and(|answered| answered < at) {
                continue;
            }
            match happening.kind {
                HappeningKind::Delivered {
                    consumer,
                    receipt,
                    delivery,
                    ..
                } if consumer == call.consumer => {
                    answered_at = Some(at);
                    let message = happening.message.map_or(0, |message| message.0 as usize);
                    given.push((self.messages[message].clone(), receipt, delivery));
                }
                HappeningKind::EmptyReceive { consumer } if consumer == call.consumer => {
                    return (Some(answered_at.unwrap_or(at)), given);
                }
                _ => {}
            }
        }
        (answered_at, given)
    }

    fn receipt(&self, step: &Value) -> Option<Receipt> {
        let name = text(&step["receipt"]);
        let (name, nth) = name.split_once('[').unwrap_or((&name, "0]"));
        let nth: usize = nth.trim_end_matches(']').parse().ok()?;
        let call = self.calls.iter().rev().find(|call| call.name == name)?;
        self.answer(call).1.get(nth).map(|&(_, receipt, _)| receipt)
    }

    fn expect(&mut self, step: &Value, what: &str, got: &Value) {
        let wanted = &step[what];
        if !wanted.is_null() && wanted != got {
            self.problems.push(format!("{step}\n    gave {got}"));
        }
    }

    fn step(&mut self, step: &Value) {
        let mut out = Vec::new();
        let now = self.now;
        match text(&step["call"]).as_str() {
            "send" => {
                let queue = self.queue(step);
                let number = self.messages.len() as u32;
                self.messages.push(text(&step["message"]));
                let body = self
                    .messages
                    .iter()
                    .position(|known| step["message"] == **known);
                let id = &step["deduplication_id"];
                let incoming = Incoming {
                    message: MessageKey(number),
                    number: MessageNumber(number),
                    group: (!step["group"].is_null())
                        .then(|| GroupId(position(&mut self.groups, &step["group"]) as u32)),
                    deduplication_id: (!id.is_null())
                        .then(|| DeduplicationKey(1 << 32 | position(&mut self.ids, id) as u64)),
                    content: DeduplicationKey(body.unwrap_or_default() as u64),
                    delay: time(&step["delay"]),
                    priority: None,
                    ttl: None,
                    persistent: true,
                };
                self.broker.send(now, queue, incoming, &mut out);
            }
            "receive" => {
                let queue = self.queue(step);
                let consumer = position(&mut self.consumers, &step["consumer"]) as u16;
                let call = Call {
                    name: text(&step["name"]),
                    since: self.log.len(),
                    consumer: ConsumerId(consumer),
                    queue,
                };
                let demand = Demand {
                    consumer: call.consumer,
                    max: step["max"].as_u64().unwrap_or(1) as u32,
                    visibility_timeout: time(&step["visibility_timeout"]),
                    until: now + time(&step["wait"]).unwrap_or_default(),
                    call: self.calls.len() as u64,
                    automatic: false,
                };
                self.broker.register(now, queue, demand, &mut out);
                self.broker.deliver(now, queue, &mut out);
                self.calls.push(call);
            }
            "ack" | "change_visibility" => self.settle(step, &mut out),
            "counts" => {
                let counts = self
                    .broker
                    .counts(QueueId(position(&mut self.queues, &step["queue"]) as u16));
                self.expect(step, "ready", &counts.ready.into());
                self.expect(step, "in_flight", &counts.in_flight.into());
                self.expect(step, "delayed", &counts.delayed.into());
            }
            "change" => {
                let timeout = time(&step["visibility_timeout"]).unwrap_or_default();
                let queue = self.queue(step);
                let change = QueueChange::VisibilityTimeout(timeout);
                self.broker.change(now, queue, &change, &mut out);
            }
            "purge" => {
                let queue = self.queue(step);
                self.broker.purge(now, queue, &mut out);
            }
            "redrive" => {
                let queue = self.queue(step);
                let moved = self.broker.redrive(now, queue, None, None, &mut out);
                self.expect(step, "gives", &moved.into());
            }
            call => self.problems.push(format!("unknown call {call}")),
        }
        self.note(out);
    }

    fn settle(&mut self, step: &Value, out: &mut Vec<Happening>) {
        let Some(receipt) = self.receipt(step) else {
            return self
                .problems
                .push(format!("{step}\n    has no such receipt"));
        };
        let is_ok = if step["call"] == "ack" {
            self.broker.ack(self.now, receipt, out) != AckOutcome::Refused
        } else {
            let timeout = time(&step["timeout"]).unwrap_or_default();
            let outcome = self
                .broker
                .change_visibility(self.now, receipt, timeout, out);
            outcome != ChangeOutcome::Stale
        };
        self.expect(step, "gives", &if is_ok { "ok" } else { "refused" }.into());
    }

    /// Compares the receives, which may have been answered long after they were made.
    fn judge(&mut self) {
        let steps = self.case["steps"].as_array().into_iter().flatten();
        let receives = steps.filter(|step| step["call"] == "receive");
        for (step, call) in receives.zip(&self.calls) {
            let (answered_at, given) = self.answer(call);
            let mut messages: Vec<&str> = given.iter().map(|given| given.0.as_str()).collect();
            let gives = &step["gives"];
            let mut is_right = gives.is_null();
            if let Some(any_of) = gives["any_of"].as_array() {
                is_right = any_of
                    .iter()
                    .any(|one| *one == Value::from(messages.clone()));
            } else if !gives["any_order"].is_null() {
                messages.sort_unstable();
                is_right = gives["any_order"] == Value::from(messages.clone());
            } else if gives.is_array() {
                is_right = *gives == Value::from(messages.clone());
            }
            if let Some(at) = time(&step["answered_at"]) {
                is_right &= answered_at == Some(at);
            }
            if let Some(delivery) = step["delivery"].as_u64() {
                is_right &= given.iter().all(|given| u64::from(given.2) == delivery);
            }
            if !is_right {
                self.problems
                    .push(format!("{step}\n    gave {given:?} at {answered_at:?}"));
            }
        }
    }
}

#[test]
fn the_broker_behaves_as_amazon_sqs_in_every_case() {
    let cases = include_str!("../../conformance/sqs.jsonl").lines();
    let mut problems = Vec::new();
    let mut worked = 0;
    for line in cases {
        let case: Value = serde_json::from_str(line).unwrap_or_default();
        let mut work = Work::new(&case);
        for step in case["steps"].as_array().into_iter().flatten() {
            work.pass_until(time(&step["at"]).unwrap_or_default());
            work.step(step);
            work.pass_until(work.now);
        }
        work.pass_until(work.now + Micros::from_secs(60));
        work.judge();
        let id = text(&case["id"]);
        worked += usize::from(!id.is_empty());
        problems.extend(
            work.problems
                .into_iter()
                .map(|problem| format!("{id}: {problem}")),
        );
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(worked, 34);
}
