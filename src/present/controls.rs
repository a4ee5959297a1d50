//! The table of settings that can be changed while a run goes on: one row a setting, from which the page makes its
//! controls, their texts and the commands they give.
//!
//! Every control has stops, from which a native slider, select, segmented choice or switch picks one by index. A
//! value between two stops is shown as it is, with the nearest stop selected.

mod consumers;
mod handling;
mod headline;
mod more;
mod network;
mod producers;
mod queue;
mod rules;
mod terms;

use crate::engine::setup::Chance;
use crate::engine::{Command, ConsumerId, Micros, ProducerId, QueueId, Snapshot};
use crate::present::format;

pub use terms::{Lock, Terms, setting_label};

/// Which part of the run a control belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// The queue.
    Queue,
    /// The consumers.
    Consumers,
    /// The producers.
    Producers,
    /// The network between them.
    Network,
}

impl Group {
    /// All, in the order of the page.
    pub const ALL: [Self; 4] = [Self::Queue, Self::Consumers, Self::Producers, Self::Network];

    /// Its heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Queue => "Queue",
            Self::Consumers => "Consumers",
            Self::Producers => "Producers",
            Self::Network => "Network",
        }
    }

    /// Its settings, in order, those that are rarely set last.
    pub fn controls(self) -> impl Iterator<Item = &'static Control> {
        let (first, second): (&[Control], &[Control]) = match self {
            Self::Queue => (queue::CONTROLS, rules::USUAL),
            Self::Consumers => (consumers::CONTROLS, handling::CONTROLS),
            Self::Producers => (producers::CONTROLS, &[]),
            Self::Network => (network::CONTROLS, &[]),
        };
        first.iter().chain(second).chain(self.rare())
    }

    /// Those that are rarely set, which stand in a list of their own.
    const fn rare(self) -> &'static [Control] {
        match self {
            Self::Queue => rules::RARE,
            Self::Consumers => more::CONSUMERS,
            Self::Producers => more::PRODUCERS,
            Self::Network => &[],
        }
    }
}

/// How a control looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Few named values side by side, or in a list if there are more than three.
    Choice,
    /// A slider over the stops.
    Slider,
    /// Off and on: two stops.
    Toggle,
}

/// The value of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// One of the named values, by position.
    Choice(u8),
    /// A span of time.
    Span(Micros),
    /// A count.
    Count(u32),
    /// A probability.
    Chance(Chance),
    /// Off or on.
    On(bool),
    /// Not set: the control says what that means.
    Unset,
}

impl Value {
    /// A value of this kind and of another size; none of those that have no size.
    pub fn of_size(self, size: u64) -> Option<Self> {
        let whole = || u32::try_from(size).ok();
        match self {
            Self::Span(_) => Some(Self::Span(Micros(size))),
            Self::Count(_) => whole().map(Self::Count),
            Self::Chance(_) => whole().map(|size| Self::Chance(Chance(size))),
            Self::Choice(_) | Self::On(_) | Self::Unset => None,
        }
    }
}

/// What a control acts on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The queue.
    pub queue: QueueId,
    /// One consumer, or all.
    pub consumer: Option<ConsumerId>,
    /// The producer.
    pub producer: ProducerId,
}

impl Default for Target {
    fn default() -> Self {
        Self {
            queue: QueueId(0),
            consumer: None,
            producer: ProducerId(0),
        }
    }
}

/// One setting.
pub struct Control {
    /// Stable name, for ids and links.
    pub id: &'static str,
    /// In the field's words.
    pub label: &'static str,
    /// How it looks.
    pub kind: Kind,
    /// What it means, in one line.
    pub help: &'static str,
    /// The values it stops at, in order.
    pub stops: &'static [Value],
    /// How a value reads.
    text: fn(Value) -> String,
    /// The value now; none when the run has nothing like it.
    read: fn(&Snapshot, &Target) -> Option<Value>,
    /// The command that sets a value.
    set: fn(&Snapshot, &Target, Value) -> Option<Command>,
    /// Why it has no effect as things are; none when it has.
    idle: fn(&Snapshot, &Target) -> Option<&'static str>,
}

/// What a control shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// The nearest stop.
    pub index: usize,
    /// The value as it reads: exact, even between two stops.
    pub text: String,
    /// Why it has no effect as things are.
    pub idle: Option<&'static str>,
}

impl Control {
    /// All settings, by group, in order.
    pub fn all() -> impl Iterator<Item = (Group, &'static Self)> {
        let controls = |group: Group| group.controls().map(move |control| (group, control));
        Group::ALL.into_iter().flat_map(controls)
    }

    /// Whether it is rarely set and stands in a list of its own.
    pub fn is_rare(&self) -> bool {
        let mut rare = Group::ALL.into_iter().flat_map(|group| group.rare());
        rare.any(|control| control.id == self.id)
    }

    /// The setting with this id.
    pub fn find(id: &str) -> Option<(Group, &'static Self)> {
        Self::all().find(|(_, control)| control.id == id)
    }

    /// What it shows now. Where consumers differ, the text lists their values and the index is that of the first.
    pub fn reading(&self, snapshot: &Snapshot, target: &Target) -> Option<Reading> {
        let value = (self.read)(snapshot, target)?;
        let mut text = (self.text)(value);
        let alone = target.consumer.is_some()
            || !Group::Consumers
                .controls()
                .any(|control| control.id == self.id);
        if !alone {
            let ids = (0..snapshot.consumers.len() as u16).map(ConsumerId);
            let each = ids.filter_map(|id| {
                let one = Target {
                    consumer: Some(id),
                    ..*target
                };
                (self.read)(snapshot, &one).map(self.text)
            });
            let each: Vec<String> = each.collect();
            if each.iter().any(|other| *other != text) {
                text = if each.len() <= 3 {
                    each.join(" / ")
                } else {
                    "differs".to_owned()
                };
            }
        }
        Some(Reading {
            index: self.nearest(value),
            text,
            idle: (self.idle)(snapshot, target),
        })
    }

    /// How a stop reads.
    pub fn stop_text(&self, index: usize) -> String {
        self.stops
            .get(index)
            .map_or_else(String::new, |value| (self.text)(*value))
    }

    /// A stop worth comparing with another: of a slider about twice as much, or less at its end; else another choice.
    pub fn other_stop(&self, index: usize) -> usize {
        let last = self.stops.len().saturating_sub(1);
        let size = |stop: &Value| magnitude(*stop);
        let now = self.stops.get(index).and_then(size);
        let twice = now.filter(|now| *now > 0).and_then(|now| {
            let mut stops = self.stops.iter();
            stops.position(|stop| size(stop).is_some_and(|size| size >= 2 * now))
        });
        twice.unwrap_or(if index < last {
            index + 1
        } else {
            last.saturating_sub(1)
        })
    }

    /// The command that sets a stop; none when there is no such stop or nothing to set it on.
    pub fn command(&self, snapshot: &Snapshot, target: &Target, index: usize) -> Option<Command> {
        (self.set)(snapshot, target, *self.stops.get(index)?)
    }

    /// The value now; none when the run has nothing like it.
    pub fn value(&self, snapshot: &Snapshot, target: &Target) -> Option<Value> {
        (self.read)(snapshot, target)
    }

    /// How a value reads.
    pub fn value_text(&self, value: Value) -> String {
        (self.text)(value)
    }

    /// The command that sets any value, between two stops too.
    pub fn command_for(&self, snapshot: &Snapshot, target: &Target, to: Value) -> Option<Command> {
        (self.set)(snapshot, target, to)
    }

    /// The value that a command of this setting sets, as it reads; none if the command sets something else.
    pub fn value_set_by(
        &self,
        command: &Command,
        before: &Snapshot,
        target: &Target,
    ) -> Option<String> {
        let after = applied(before, command);
        let (old, new) = ((self.read)(before, target)?, (self.read)(&after, target)?);
        (old != new).then(|| (self.text)(new))
    }

    fn nearest(&self, value: Value) -> usize {
        if let Some(exact) = self.stops.iter().position(|stop| *stop == value) {
            return exact;
        }
        let Some(size) = magnitude(value) else {
            return 0;
        };
        let sizes = self
            .stops
            .iter()
            .enumerate()
            .filter_map(|(i, stop)| Some((i, magnitude(*stop)?)));
        sizes
            .min_by_key(|(_, stop)| stop.abs_diff(size))
            .map_or(0, |(i, _)| i)
    }
}

/// The settings of a snapshot with a command applied; what runs is left as it is.
pub fn applied(snapshot: &Snapshot, command: &Command) -> Snapshot {
    let mut after = snapshot.clone();
    match command {
        Command::SetQueue(id, change) => {
            if let Some(queue) = after.queues.get_mut(id.index()) {
                queue.setup.apply(change);
            }
        }
        Command::SetConsumer(which, change) => {
            for (id, consumer) in (0..).map(ConsumerId).zip(&mut after.consumers) {
                if which.is_none_or(|which| which == id) {
                    consumer.setup.apply(change);
                }
            }
        }
        Command::SetProducer(id, change) => {
            if let Some(producer) = after.producers.get_mut(id.index()) {
                producer.setup.apply(change);
            }
        }
        Command::SetNetwork(network) => after.network = *network,
        _ => {}
    }
    after
}

/// How large a value is, in its own smallest unit; none of those that have no size.
pub fn magnitude(value: Value) -> Option<u64> {
    match value {
        Value::Span(span) => Some(span.0),
        Value::Count(count) => Some(count.into()),
        Value::Chance(chance) => Some(chance.0.into()),
        Value::Choice(_) | Value::On(_) | Value::Unset => None,
    }
}

const fn ms(milliseconds: u64) -> Value {
    Value::Span(Micros::from_millis(milliseconds))
}

const fn s(seconds: u64) -> Value {
    Value::Span(Micros::from_secs(seconds))
}

const fn percent(hundredths: u32) -> Value {
    Value::Chance(Chance(hundredths * 100))
}

/// Spans from nothing to twelve hours.
#[rustfmt::skip]
const SPANS: &[Value] = &[
    s(0), ms(100), ms(200), ms(300), ms(500), s(1), ms(1_500), s(2), ms(2_500), s(3), s(4), s(5), s(6), s(8), s(9),
    s(10), s(12), s(15), s(20), s(30), s(45), s(60), s(90), s(120), s(180), s(300), s(600), s(900), s(1_800), s(3_600),
    s(7_200), s(14_400), s(21_600), s(43_200),
];

/// Spans of the network and of other short things.
#[rustfmt::skip]
const SHORT_SPANS: &[Value] = &[
    s(0), ms(1), ms(2), ms(5), ms(10), ms(20), ms(50), ms(100), ms(200), ms(500), s(1), s(2), s(5), s(10),
];

/// Probabilities.
#[rustfmt::skip]
const CHANCES: &[Value] = &[
    percent(0), percent(1), percent(10), percent(50), percent(100), percent(200), percent(500), percent(1_000),
    percent(2_000), percent(3_000), percent(5_000), percent(7_500), percent(10_000),
];

const SWITCH: &[Value] = &[Value::On(false), Value::On(true)];

/// A value without words of its own.
fn plain(value: Value) -> String {
    match value {
        Value::Choice(choice) => choice.to_string(),
        Value::Span(span) => format::span(span),
        Value::Count(count) => format::count(count.into()),
        Value::Chance(chance) => format::chance(chance),
        Value::On(on) => if on { "on" } else { "off" }.to_owned(),
        Value::Unset => "none".to_owned(),
    }
}

fn one_of(value: Value, words: &[&str]) -> String {
    let word = match value {
        Value::Choice(choice) => words.get(usize::from(choice)),
        _ => None,
    };
    word.map_or_else(String::new, |word| (*word).to_owned())
}

fn span(value: Value) -> Option<Micros> {
    match value {
        Value::Span(span) => Some(span),
        _ => None,
    }
}

fn count(value: Value) -> Option<u32> {
    match value {
        Value::Count(count) => Some(count),
        _ => None,
    }
}

fn optional(span: Option<Micros>) -> Value {
    span.map_or(Value::Unset, Value::Span)
}

fn always(_: &Snapshot, _: &Target) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests;
