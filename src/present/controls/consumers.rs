//! Settings of consumers, of one or of all at once: receiving and working.

use super::*;
use crate::engine::command::ConsumerChange;
use crate::engine::setup::{ConsumerSetup, Heartbeat, Processing, Refill};

/// The settings of the target, or of the first consumer.
pub fn setup<'a>(snapshot: &'a Snapshot, target: &Target) -> Option<&'a ConsumerSetup> {
    let index = target.consumer.map_or(0, ConsumerId::index);
    snapshot
        .consumers
        .get(index)
        .map(|consumer| &consumer.setup)
}

/// A change of the target, or of all consumers.
pub fn change(target: &Target, change: ConsumerChange) -> Option<Command> {
    Some(Command::SetConsumer(target.consumer, change))
}

/// The mean or median of a processing time.
pub fn typical(processing: Processing) -> Micros {
    match processing {
        Processing::Constant(time) => time,
        Processing::Uniform { min, max } => Micros(min.0 / 2 + max.0 / 2),
        Processing::Exponential { mean } => mean,
        Processing::LogNormal { median, .. } => median,
        Processing::SlowThenFast { slow, .. } => slow,
    }
}

fn like(processing: Processing, time: Micros) -> Processing {
    match processing {
        Processing::Constant(_) => Processing::Constant(time),
        Processing::Uniform { min, max } => {
            let old = typical(processing).0.max(1);
            Processing::Uniform {
                min: min.scaled(time.0, old),
                max: max.scaled(time.0, old),
            }
        }
        Processing::Exponential { .. } => Processing::Exponential { mean: time },
        Processing::LogNormal { sigma_milli, .. } => Processing::LogNormal {
            median: time,
            sigma_milli,
        },
        Processing::SlowThenFast {
            fast,
            slow_deliveries,
            ..
        } => Processing::SlowThenFast {
            slow: time,
            fast,
            slow_deliveries,
        },
    }
}

const COUNTS: &[Value] = &[
    Value::Count(1),
    Value::Count(2),
    Value::Count(3),
    Value::Count(4),
    Value::Count(5),
    Value::Count(6),
    Value::Count(8),
    Value::Count(10),
    Value::Count(16),
    Value::Count(20),
    Value::Count(32),
    Value::Count(50),
    Value::Count(64),
    Value::Count(100),
    Value::Count(250),
    Value::Count(1_000),
];

pub const CONTROLS: &[Control] = &[
    Control {
        id: "prefetch",
        label: "Prefetch",
        kind: Kind::Slider,
        help: "Messages a consumer holds at once, the running ones included. Buffered ones age: their timeout runs.",
        stops: COUNTS,
        text: plain,
        read: |snapshot, target| Some(Value::Count(setup(snapshot, target)?.prefetch)),
        set: |_, target, value| change(target, ConsumerChange::Prefetch(count(value)?)),
        idle: always,
    },
    Control {
        id: "workers",
        label: "Workers",
        kind: Kind::Slider,
        help: "Messages a consumer works on at the same time.",
        stops: &[
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(4),
            Value::Count(6),
            Value::Count(8),
            Value::Count(16),
            Value::Count(32),
            Value::Count(64),
        ],
        text: plain,
        read: |snapshot, target| Some(Value::Count(setup(snapshot, target)?.workers.into())),
        set: |_, target, value| {
            change(
                target,
                ConsumerChange::Workers(u16::try_from(count(value)?).ok()?),
            )
        },
        idle: always,
    },
    Control {
        id: "work",
        label: "Work per message",
        kind: Kind::Slider,
        help: "How long the handler works. Work that has begun keeps its time.",
        stops: &[
            ms(10),
            ms(50),
            ms(100),
            ms(200),
            ms(500),
            s(1),
            ms(1_500),
            s(2),
            ms(2_500),
            s(3),
            s(4),
            ms(4_500),
            s(5),
            s(6),
            s(8),
            s(10),
            s(12),
            s(15),
            s(20),
            s(30),
            s(60),
            s(120),
            s(300),
            s(900),
            s(3_600),
        ],
        text: plain,
        read: |snapshot, target| Some(Value::Span(typical(setup(snapshot, target)?.processing))),
        set: |snapshot, target, value| {
            let processing = like(setup(snapshot, target)?.processing, span(value)?);
            change(target, ConsumerChange::Processing(processing))
        },
        idle: always,
    },
    Control {
        id: "work-spread",
        label: "Work varies",
        kind: Kind::Choice,
        help: "Always the same, evenly by half either way, memoryless, log-normal, or slow on the first delivery only.",
        stops: &[
            Value::Choice(0),
            Value::Choice(1),
            Value::Choice(2),
            Value::Choice(3),
            Value::Choice(4),
        ],
        text: |value| {
            one_of(
                value,
                &[
                    "not at all",
                    "evenly, ±50 %",
                    "exponential",
                    "log-normal",
                    "slow, then fast",
                ],
            )
        },
        read: |snapshot, target| {
            Some(Value::Choice(match setup(snapshot, target)?.processing {
                Processing::Constant(_) => 0,
                Processing::Uniform { .. } => 1,
                Processing::Exponential { .. } => 2,
                Processing::LogNormal { .. } => 3,
                Processing::SlowThenFast { .. } => 4,
            }))
        },
        set: |snapshot, target, value| {
            let time = typical(setup(snapshot, target)?.processing);
            change(
                target,
                ConsumerChange::Processing(match value {
                    Value::Choice(1) => Processing::Uniform {
                        min: time.scaled(1, 2),
                        max: time.scaled(3, 2),
                    },
                    Value::Choice(2) => Processing::Exponential { mean: time },
                    Value::Choice(3) => Processing::LogNormal {
                        median: time,
                        sigma_milli: 500,
                    },
                    Value::Choice(4) => Processing::SlowThenFast {
                        slow: time,
                        fast: time.scaled(1, 10),
                        slow_deliveries: 1,
                    },
                    _ => Processing::Constant(time),
                }),
            )
        },
        idle: always,
    },
    Control {
        id: "batch",
        label: "Batch",
        kind: Kind::Slider,
        help: "Messages asked for in one receive.",
        stops: &[
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(5),
            Value::Count(10),
            Value::Unset,
        ],
        text: |value| {
            count(value).map_or_else(
                || "what there is room for".to_owned(),
                |n| format::count(n.into()),
            )
        },
        read: |snapshot, target| {
            Some(
                setup(snapshot, target)?
                    .batch
                    .map_or(Value::Unset, |n| Value::Count(n.into())),
            )
        },
        set: |_, target, value| {
            let batch = count(value).and_then(|n| u16::try_from(n).ok());
            change(target, ConsumerChange::Batch(batch))
        },
        idle: more::pulling_only,
    },
    Control {
        id: "refill",
        label: "Receives again",
        kind: Kind::Choice,
        help: "As soon as it holds less than its prefetch, or only when it holds nothing.",
        stops: &[Value::Choice(0), Value::Choice(1)],
        text: |value| one_of(value, &["as freed", "when empty"]),
        read: |snapshot, target| {
            Some(Value::Choice(
                (setup(snapshot, target)?.refill == Refill::WhenEmpty).into(),
            ))
        },
        set: |_, target, value| {
            let refill = if value == Value::Choice(1) {
                Refill::WhenEmpty
            } else {
                Refill::AsFreed
            };
            change(target, ConsumerChange::Refill(refill))
        },
        idle: more::pulling_only,
    },
    Control {
        id: "wait",
        label: "Long polling",
        kind: Kind::Slider,
        help: "How long a receive waits for a message. Zero is short polling.",
        stops: &[s(0), s(1), s(2), s(5), s(10), s(20)],
        text: plain,
        read: |snapshot, target| Some(Value::Span(setup(snapshot, target)?.wait)),
        set: |_, target, value| change(target, ConsumerChange::Wait(span(value)?)),
        idle: more::pulling_only,
    },
    Control {
        id: "poll-interval",
        label: "Pause after an empty receive",
        kind: Kind::Slider,
        help: "Time before it asks again.",
        stops: &[
            ms(1),
            ms(10),
            ms(50),
            ms(100),
            ms(200),
            ms(500),
            s(1),
            s(2),
            s(5),
            s(10),
            s(30),
            s(60),
        ],
        text: plain,
        read: |snapshot, target| Some(Value::Span(setup(snapshot, target)?.poll_interval)),
        set: |_, target, value| change(target, ConsumerChange::PollInterval(span(value)?)),
        idle: more::pulling_only,
    },
    Control {
        id: "own-visibility-timeout",
        label: "Its own visibility timeout",
        kind: Kind::Slider,
        help: "Asked for in its receives, in place of the queue's.",
        stops: &[
            Value::Unset,
            s(0),
            ms(500),
            s(1),
            s(2),
            s(3),
            s(5),
            s(6),
            s(10),
            s(15),
            s(30),
            s(60),
            s(300),
            s(3_600),
            s(43_200),
        ],
        text: |value| span(value).map_or_else(|| "the queue's".to_owned(), format::span),
        read: |snapshot, target| Some(optional(setup(snapshot, target)?.visibility_timeout)),
        set: |_, target, value| change(target, ConsumerChange::VisibilityTimeout(span(value))),
        idle: more::leased_only,
    },
    Control {
        id: "heartbeat",
        label: "Extend while working",
        kind: Kind::Slider,
        help: "A heartbeat: every so often the running message is hidden for three times as long again.",
        stops: &[
            Value::Unset,
            ms(200),
            ms(500),
            s(1),
            s(2),
            s(3),
            s(5),
            s(10),
            s(20),
            s(30),
            s(60),
        ],
        text: |value| {
            span(value).map_or_else(
                || "no".to_owned(),
                |every| format!("every {}", format::span(every)),
            )
        },
        read: |snapshot, target| {
            Some(optional(
                setup(snapshot, target)?.heartbeat.map(|beat| beat.every),
            ))
        },
        set: |_, target, value| {
            let beat = span(value).map(|every| Heartbeat {
                every,
                extend_to: every.scaled(3, 1),
            });
            change(target, ConsumerChange::Heartbeat(beat))
        },
        idle: more::leased_only,
    },
];
