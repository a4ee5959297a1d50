//! Settings of the queue.

use super::*;
use crate::engine::command::QueueChange;
use crate::engine::rules::HandOver;
use crate::engine::setup::{Deduplication, DeduplicationScope, QueueKind, QueueSetup, StaleAck};

pub fn setup<'a>(snapshot: &'a Snapshot, target: &Target) -> Option<&'a QueueSetup> {
    snapshot
        .queues
        .get(target.queue.index())
        .map(|queue| &queue.setup)
}

pub fn change(target: &Target, change: QueueChange) -> Option<Command> {
    Some(Command::SetQueue(target.queue, change))
}

fn standard_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let fifo = setup(snapshot, target)?.kind == QueueKind::Fifo;
    fifo.then_some("standard queues only")
}

fn deduplicating_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let off = setup(snapshot, target)?.deduplication == Deduplication::Off;
    off.then_some("deduplication is off")
}

/// The queue that becomes the dead-letter queue when it is switched on: one that is no producer's target.
fn dead_letter_candidate(snapshot: &Snapshot, target: &Target) -> Option<QueueId> {
    let ids = (0..snapshot.queues.len() as u16).map(QueueId);
    let is_fed = |id: QueueId| {
        snapshot
            .producers
            .iter()
            .any(|producer| producer.setup.to == id)
    };
    ids.filter(|id| *id != target.queue).find(|id| !is_fed(*id))
}

pub const CONTROLS: &[Control] = &[
    Control {
        id: "order",
        label: "Order",
        kind: Kind::Choice,
        help: "Standard promises no order. FIFO delivers each message group in order, one message at a time.",
        stops: &[Value::Choice(0), Value::Choice(1)],
        text: |value| one_of(value, &["Standard", "FIFO"]),
        read: |snapshot, target| {
            let fifo = setup(snapshot, target)?.kind == QueueKind::Fifo;
            Some(Value::Choice(fifo.into()))
        },
        set: |_, target, value| {
            let fifo = value == Value::Choice(1);
            change(
                target,
                QueueChange::Kind(if fifo {
                    QueueKind::Fifo
                } else {
                    QueueKind::Standard
                }),
            )
        },
        idle: always,
    },
    Control {
        id: "visibility-timeout",
        label: "Visibility timeout",
        kind: Kind::Slider,
        help: "How long a received message stays hidden. Without an ack by then it is visible again.",
        stops: SPANS,
        text: plain,
        read: |snapshot, target| Some(Value::Span(setup(snapshot, target)?.visibility_timeout)),
        set: |_, target, value| change(target, QueueChange::VisibilityTimeout(span(value)?)),
        idle: |snapshot, target| {
            let leased = setup(snapshot, target)?.rules.hand_over == HandOver::Lease;
            (!leased).then_some("nothing times out, it stays with its consumer")
        },
    },
    Control {
        id: "retry-budget",
        label: "Retry budget",
        kind: Kind::Slider,
        help: "Deliveries after the first. The receive that would exceed them moves the message to the dead-letter queue.",
        stops: &[
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(4),
            Value::Count(5),
            Value::Count(6),
            Value::Count(8),
            Value::Count(11),
            Value::Count(21),
            Value::Count(51),
            Value::Count(101),
            Value::Count(1_000),
            Value::Unset,
        ],
        text: |value| format::retry_budget(count(value)),
        read: |snapshot, target| {
            let max = setup(snapshot, target)?.max_deliveries;
            Some(max.map_or(Value::Unset, Value::Count))
        },
        set: |_, target, value| change(target, QueueChange::MaxDeliveries(count(value))),
        idle: always,
    },
    Control {
        id: "dead-letter-queue",
        label: "Dead-letter queue",
        kind: Kind::Toggle,
        help: "Where messages go when their retry budget is used up. Without one they are dropped.",
        stops: SWITCH,
        text: plain,
        read: |snapshot, target| {
            dead_letter_candidate(snapshot, target)?;
            Some(Value::On(
                setup(snapshot, target)?.dead_letter_queue.is_some(),
            ))
        },
        set: |snapshot, target, value| {
            let to = dead_letter_candidate(snapshot, target).filter(|_| value == Value::On(true));
            change(target, QueueChange::DeadLetterQueue(to))
        },
        idle: always,
    },
    Control {
        id: "delay",
        label: "Delay",
        kind: Kind::Slider,
        help: "How long a message stays invisible after it was sent.",
        stops: SPANS,
        text: plain,
        read: |snapshot, target| Some(Value::Span(setup(snapshot, target)?.delay)),
        set: |_, target, value| change(target, QueueChange::Delay(span(value)?)),
        idle: always,
    },
    Control {
        id: "retention",
        label: "Retention",
        kind: Kind::Slider,
        help: "Age, from its send, at which a message is removed, processed or not.",
        stops: &[
            s(5),
            s(10),
            s(30),
            s(60),
            s(300),
            s(900),
            s(3_600),
            s(43_200),
            s(86_400),
            s(345_600),
            s(1_209_600),
            Value::Unset,
        ],
        text: |value| span(value).map_or_else(|| "for ever".to_owned(), format::span),
        read: |snapshot, target| Some(optional(setup(snapshot, target)?.retention)),
        set: |_, target, value| change(target, QueueChange::Retention(span(value))),
        idle: always,
    },
    Control {
        id: "deduplication",
        label: "Deduplication",
        kind: Kind::Choice,
        help: "What makes a send a repeat of an earlier one: nothing, its deduplication ID, or its content.",
        stops: &[Value::Choice(0), Value::Choice(1), Value::Choice(2)],
        text: |value| one_of(value, &["off", "by ID", "by content"]),
        read: |snapshot, target| {
            Some(Value::Choice(
                match setup(snapshot, target)?.deduplication {
                    Deduplication::Off => 0,
                    Deduplication::ById => 1,
                    Deduplication::ByContent => 2,
                },
            ))
        },
        set: |_, target, value| {
            change(
                target,
                QueueChange::Deduplication(match value {
                    Value::Choice(1) => Deduplication::ById,
                    Value::Choice(2) => Deduplication::ByContent,
                    _ => Deduplication::Off,
                }),
            )
        },
        idle: always,
    },
    Control {
        id: "deduplication-window",
        label: "Deduplication window",
        kind: Kind::Slider,
        help: "How long a send is remembered. Amazon SQS FIFO: 5 min, fixed.",
        stops: SPANS,
        text: plain,
        read: |snapshot, target| Some(Value::Span(setup(snapshot, target)?.deduplication_window)),
        set: |_, target, value| change(target, QueueChange::DeduplicationWindow(span(value)?)),
        idle: deduplicating_only,
    },
    Control {
        id: "deduplication-scope",
        label: "Deduplication scope",
        kind: Kind::Choice,
        help: "Whether the same ID in two message groups is a repeat.",
        stops: &[Value::Choice(0), Value::Choice(1)],
        text: |value| one_of(value, &["queue", "group"]),
        read: |snapshot, target| {
            let group = setup(snapshot, target)?.deduplication_scope == DeduplicationScope::Group;
            Some(Value::Choice(group.into()))
        },
        set: |_, target, value| {
            let group = value == Value::Choice(1);
            let scope = if group {
                DeduplicationScope::Group
            } else {
                DeduplicationScope::Queue
            };
            change(target, QueueChange::DeduplicationScope(scope))
        },
        idle: deduplicating_only,
    },
    Control {
        id: "stale-ack",
        label: "Late ack",
        kind: Kind::Choice,
        help: "What an ack does once its lease is over: nothing, remove the message, an error, or close the channel.",
        stops: &[
            Value::Choice(0),
            Value::Choice(1),
            Value::Choice(2),
            Value::Choice(3),
        ],
        text: |value| {
            one_of(
                value,
                &[
                    "changes nothing",
                    "removes it",
                    "is refused",
                    "closes the channel",
                ],
            )
        },
        read: |snapshot, target| {
            let setup = setup(snapshot, target)?;
            // A FIFO queue refuses it, whatever a standard one would do.
            let fifo = setup.kind == QueueKind::Fifo && setup.stale_ack == StaleAck::Ignored;
            Some(Value::Choice(if fifo { 2 } else { setup.stale_ack as u8 }))
        },
        set: |_, target, value| {
            change(
                target,
                QueueChange::StaleAck(match value {
                    Value::Choice(1) => StaleAck::Deletes,
                    Value::Choice(2) => StaleAck::Refused,
                    Value::Choice(3) => StaleAck::ClosesChannel,
                    _ => StaleAck::Ignored,
                }),
            )
        },
        idle: standard_only,
    },
    Control {
        id: "surplus-duplicates",
        label: "Broker-made duplicates",
        kind: Kind::Slider,
        help: "Chance that a copy survives its ack and is delivered again: standard queues deliver at least once.",
        stops: CHANCES,
        text: plain,
        read: |snapshot, target| Some(Value::Chance(setup(snapshot, target)?.surplus_duplicates)),
        set: |_, target, value| match value {
            Value::Chance(chance) => change(target, QueueChange::SurplusDuplicates(chance)),
            _ => None,
        },
        idle: standard_only,
    },
    Control {
        id: "shards",
        label: "Servers",
        kind: Kind::Slider,
        help: "Servers that share the messages. A short poll asks some of them and can come back empty.",
        stops: &[
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(4),
            Value::Count(8),
            Value::Count(16),
            Value::Count(32),
        ],
        text: plain,
        read: |snapshot, target| Some(Value::Count(setup(snapshot, target)?.shards.into())),
        set: |snapshot, target, value| {
            let shards = u16::try_from(count(value)?).ok()?;
            let sampled = setup(snapshot, target)?
                .shards_sampled
                .clamp(1, shards.max(1));
            change(target, QueueChange::Shards { shards, sampled })
        },
        idle: standard_only,
    },
    Control {
        id: "shards-sampled",
        label: "Servers asked",
        kind: Kind::Slider,
        help: "How many servers one short poll asks.",
        stops: &[
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(4),
            Value::Count(8),
            Value::Count(16),
            Value::Count(32),
        ],
        text: plain,
        read: |snapshot, target| Some(Value::Count(setup(snapshot, target)?.shards_sampled.into())),
        set: |snapshot, target, value| {
            let shards = setup(snapshot, target)?.shards.max(1);
            let sampled = u16::try_from(count(value)?).ok()?.clamp(1, shards);
            change(target, QueueChange::Shards { shards, sampled })
        },
        idle: |snapshot, target| {
            let single = setup(snapshot, target)?.shards <= 1;
            standard_only(snapshot, target).or(single.then_some("there is one server"))
        },
    },
];
