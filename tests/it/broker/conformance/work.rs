//! One run of a case: the broker, its clock, and what it has done so far.

use super::book::Case;
use super::judge::Outcomes;
use super::setups;
use queue_playground::engine::broker::*;
use queue_playground::engine::id::*;
use queue_playground::engine::rules::Rule;
use queue_playground::engine::setup::QueueSetup;
use queue_playground::engine::time::Micros;
use queue_playground::scenario::parse_duration;
use serde_json::{Map, Value, json};

/// One receive: where the log stood when it was made, by whom, and by which step.
pub struct Call {
    pub name: Option<String>,
    pub since: usize,
    pub consumer: ConsumerId,
    pub queue: QueueId,
    step: usize,
}

/// A delivery, in the words of the case.
#[derive(Clone)]
pub struct Given {
    pub message: String,
    pub receipt: Receipt,
    pub delivery: u32,
    pub is_redelivered: bool,
}

/// A case as far as it has been worked through.
pub struct Work<'a> {
    pub case: &'a Case,
    pub broker: Broker,
    pub queues: Vec<String>,
    pub groups: Vec<String>,
    pub ids: Vec<String>,
    pub messages: Vec<String>,
    pub consumers: Vec<String>,
    pub now: Micros,
    pub log: Vec<(Micros, Happening)>,
    pub calls: Vec<Call>,
    /// Names of claims, and where they stopped.
    pub cursors: Vec<(String, Option<PendingCursor>)>,
    step: usize,
}

pub type Outcome = Result<Map<String, Value>, String>;

/// A time in seconds, or a duration as in files.
pub fn time(value: &Value) -> Option<Micros> {
    if let Some(text) = value.as_str() {
        return parse_duration(text);
    }
    let seconds = value.as_f64()?;
    Some(Micros((seconds * 1e6).round() as u64))
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The position of a name in a list, added at its first use.
pub fn position(names: &mut Vec<String>, name: &str) -> usize {
    names
        .iter()
        .position(|known| *known == name)
        .unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        })
}

/// Works through a case; what came out of each step, or what could not be done.
pub fn run(case: &Case, seed: u64) -> Result<Outcomes, String> {
    run_with(case, seed, None)
}

/// The same with one rule changed in all queues.
pub fn run_with(case: &Case, seed: u64, rule: Option<&Rule>) -> Result<Outcomes, String> {
    let mut setups = setups::queues(case)?;
    for setup in &mut setups {
        rule.into_iter()
            .for_each(|rule| setup.rules.set(rule.clone()));
    }
    let mut work = Work::new(case, seed, setups);
    let mut outcomes = Outcomes::new();
    for (at, step) in case.steps().iter().enumerate() {
        work.step = at;
        work.pass_until(time(&step["at"]).unwrap_or_default());
        outcomes.push(
            work.call(step)
                .map_err(|problem| format!("{problem} at {step}"))?,
        );
        work.pass_until(work.now);
    }
    work.pass_until(work.now + Micros::from_secs(60));
    for call in &work.calls {
        let (answered_at, given) = work.answer(call);
        outcomes[call.step].extend(answer_in_words(answered_at, given));
    }
    Ok(outcomes)
}

fn answer_in_words(answered_at: Option<Micros>, given: Option<Vec<Given>>) -> Map<String, Value> {
    let Some(given) = given else {
        return [("gives".to_owned(), json!("refused"))]
            .into_iter()
            .collect();
    };
    let list = |of: fn(&Given) -> Value| Value::Array(given.iter().map(of).collect());
    let mut words = Map::new();
    words.insert("gives".into(), list(|given| given.message.as_str().into()));
    words.insert("delivery".into(), list(|given| given.delivery.into()));
    words.insert(
        "redelivered".into(),
        list(|given| given.is_redelivered.into()),
    );
    if let Some(at) = answered_at {
        words.insert("answered_at".into(), json!(at.0 as f64 / 1e6));
    }
    words
}

impl<'a> Work<'a> {
    fn new(case: &'a Case, seed: u64, setups: Vec<QueueSetup>) -> Self {
        let seed = case.0["seed"].as_u64().unwrap_or(seed);
        Self {
            case,
            broker: Broker::new(seed, &setups),
            queues: setups.into_iter().map(|setup| setup.name).collect(),
            groups: Vec::new(),
            ids: Vec::new(),
            messages: Vec::new(),
            consumers: Vec::new(),
            now: Micros::ZERO,
            log: Vec::new(),
            calls: Vec::new(),
            cursors: Vec::new(),
            step: 0,
        }
    }

    fn all(&self) -> impl Iterator<Item = QueueId> + use<> {
        (0..self.queues.len() as u16).map(QueueId)
    }

    pub fn note(&mut self, out: Vec<Happening>) {
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
                self.now = until;
                return;
            }
        }
    }

    pub fn queue(&self, step: &Value) -> Result<QueueId, String> {
        let name = step["queue"].as_str().unwrap_or_default();
        let at = self.queues.iter().position(|known| known == name);
        at.map(|at| QueueId(at as u16))
            .ok_or_else(|| format!("there is no queue {name}"))
    }

    pub fn consumer(&mut self, step: &Value) -> ConsumerId {
        let name = step["consumer"].as_str().unwrap_or_default();
        ConsumerId(position(&mut self.consumers, name) as u16)
    }

    /// The message that was sent last under a name.
    pub fn message(&self, name: &str) -> Result<MessageKey, String> {
        let at = self.messages.iter().rposition(|known| known == name);
        at.map(|at| MessageKey(at as u32))
            .ok_or_else(|| format!("there is no message {name}"))
    }

    pub fn name_of(&self, message: Option<MessageKey>) -> String {
        message.map_or_else(String::new, |it| self.messages[it.0 as usize].clone())
    }

    pub fn remember_call(&mut self, step: &Value, queue: QueueId, consumer: ConsumerId) {
        self.calls.push(Call {
            name: step["name"].as_str().map(str::to_owned),
            since: self.log.len(),
            consumer,
            queue,
            step: self.step,
        });
    }

    /// The deliveries in a part of the log.
    pub fn deliveries(
        &self,
        log: std::ops::Range<usize>,
    ) -> Vec<(Micros, ConsumerId, QueueId, Given)> {
        let before = |at: usize, queue: QueueId, message: Option<MessageKey>| {
            self.log[..at].iter().any(|(_, earlier)| {
                matches!(earlier.kind, HappeningKind::Delivered { .. })
                    && (earlier.queue, earlier.message) == (queue, message)
            })
        };
        let mut list = Vec::new();
        for at in log {
            let (when, happening) = self.log[at];
            if let HappeningKind::Delivered {
                consumer,
                receipt,
                delivery,
                ..
            } = happening.kind
            {
                let given = Given {
                    message: self.name_of(happening.message),
                    receipt,
                    delivery,
                    is_redelivered: before(at, happening.queue, happening.message),
                };
                list.push((when, consumer, happening.queue, given));
            }
        }
        list
    }

    /// When a receive was answered and with which deliveries: those to its consumer at the instant of the first. No
    /// list if it was refused.
    pub fn answer(&self, call: &Call) -> (Option<Micros>, Option<Vec<Given>>) {
        let later = self
            .calls
            .iter()
            .filter(|later| later.consumer == call.consumer && later.queue == call.queue);
        let end = later
            .map(|later| later.since)
            .find(|&since| since > call.since)
            .unwrap_or(self.log.len());
        let mine =
            |consumer: ConsumerId, queue: QueueId| (consumer, queue) == (call.consumer, call.queue);
        let all = self.deliveries(call.since..end);
        let own = all
            .into_iter()
            .filter(|(_, consumer, queue, _)| mine(*consumer, *queue));
        let own: Vec<_> = own.collect();
        if let Some(&(first, ..)) = own.first() {
            let given = own.into_iter().filter(|given| given.0 == first);
            return (Some(first), Some(given.map(|given| given.3).collect()));
        }
        for &(at, happening) in &self.log[call.since..end] {
            match happening.kind {
                HappeningKind::EmptyReceive { consumer } if mine(consumer, happening.queue) => {
                    return (Some(at), Some(Vec::new()));
                }
                HappeningKind::ReceiveRefused { consumer } if mine(consumer, happening.queue) => {
                    return (Some(at), None);
                }
                _ => {}
            }
        }
        (None, Some(Vec::new()))
    }

    /// The receipt that a step names: `r1` or `r1[2]` of a receive, `@a[2]` of what was pushed to a consumer.
    pub fn receipt(&self, step: &Value) -> Result<Receipt, String> {
        let name = text(&step["receipt"]);
        let missing = || format!("there is no receipt {name}");
        let (of, nth) = name.split_once('[').unwrap_or((&name, "0]"));
        let nth: usize = nth.trim_end_matches(']').parse().map_err(|_| missing())?;
        let given: Vec<Given> = if let Some(consumer) = of.strip_prefix('@') {
            let all = self.deliveries(0..self.log.len()).into_iter();
            all.filter(|(_, to, ..)| self.consumers[to.index()] == consumer)
                .map(|given| given.3)
                .collect()
        } else {
            let named = |call: &&Call| call.name.as_deref() == Some(of);
            let call = self.calls.iter().rev().find(named).ok_or_else(missing)?;
            self.answer(call).1.unwrap_or_default()
        };
        given
            .get(nth)
            .map(|given| given.receipt)
            .ok_or_else(missing)
    }
}
