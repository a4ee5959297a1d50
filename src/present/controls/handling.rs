//! Settings of consumers, of one or of all at once: acks, failures, idempotence.

use super::consumers::{change, setup};
use super::*;
use crate::engine::command::ConsumerChange;
use crate::engine::setup::{
    AckMoment, Backoff, Failure, Idempotence, IdempotenceKey, IdempotenceMethod, OnFailure,
};

fn failure(snapshot: &Snapshot, target: &Target, edit: impl Fn(&mut Failure)) -> Option<Command> {
    let mut failure = setup(snapshot, target)?.failure;
    edit(&mut failure);
    change(target, ConsumerChange::Failure(failure))
}

fn idempotence(
    snapshot: &Snapshot,
    target: &Target,
    edit: impl Fn(&mut Idempotence),
) -> Option<Command> {
    let mut idempotence = setup(snapshot, target)?.idempotence;
    edit(&mut idempotence);
    change(target, ConsumerChange::Idempotence(idempotence))
}

fn unguarded(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let none = setup(snapshot, target)?.idempotence.method == IdempotenceMethod::None;
    none.then_some("not idempotent")
}

fn not_returned(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let waits = setup(snapshot, target)?.on_failure == OnFailure::LetTimeoutEnd;
    waits.then_some("failed messages are not returned")
}

fn unfailing(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let failure = setup(snapshot, target)?.failure;
    (failure.chance.0 == 0 && failure.first_deliveries == 0).then_some("only poison messages fail")
}

pub const CONTROLS: &[Control] = &[
    Control {
        id: "ack",
        label: "Acknowledges",
        kind: Kind::Choice,
        help: "When it arrives or starts: at most once, a crash loses it. After its work: at least once.",
        stops: &[
            Value::Choice(0),
            Value::Choice(1),
            Value::Choice(2),
            Value::Choice(3),
        ],
        text: |value| {
            one_of(
                value,
                &["automatic", "on receive", "at start", "after work"],
            )
        },
        read: |snapshot, target| {
            Some(Value::Choice(match setup(snapshot, target)?.ack {
                AckMoment::Automatic => 0,
                AckMoment::OnReceive => 1,
                AckMoment::AtStart => 2,
                AckMoment::AfterWork => 3,
            }))
        },
        set: |_, target, value| {
            change(
                target,
                ConsumerChange::Ack(match value {
                    Value::Choice(0) => AckMoment::Automatic,
                    Value::Choice(1) => AckMoment::OnReceive,
                    Value::Choice(2) => AckMoment::AtStart,
                    _ => AckMoment::AfterWork,
                }),
            )
        },
        idle: always,
    },
    Control {
        id: "settle-time",
        label: "From effect to ack",
        kind: Kind::Slider,
        help: "Time between the effect and what follows it. A crash in between makes a duplicate.",
        stops: SHORT_SPANS,
        text: plain,
        read: |snapshot, target| Some(Value::Span(setup(snapshot, target)?.settle_time)),
        set: |_, target, value| change(target, ConsumerChange::SettleTime(span(value)?)),
        idle: always,
    },
    Control {
        id: "idempotent",
        label: "Idempotent",
        kind: Kind::Choice,
        help: "How it guards against a second effect. A procedure: a crash can fall between any two of its steps.",
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
                    "none",
                    "check first, mark after",
                    "claim first",
                    "one transaction",
                ],
            )
        },
        read: |snapshot, target| {
            Some(Value::Choice(
                match setup(snapshot, target)?.idempotence.method {
                    IdempotenceMethod::None => 0,
                    IdempotenceMethod::CheckFirst => 1,
                    IdempotenceMethod::ClaimFirst => 2,
                    IdempotenceMethod::Transaction => 3,
                },
            ))
        },
        set: |snapshot, target, value| {
            idempotence(snapshot, target, |idempotence| {
                idempotence.method = match value {
                    Value::Choice(1) => IdempotenceMethod::CheckFirst,
                    Value::Choice(2) => IdempotenceMethod::ClaimFirst,
                    Value::Choice(3) => IdempotenceMethod::Transaction,
                    _ => IdempotenceMethod::None,
                };
            })
        },
        idle: always,
    },
    Control {
        id: "idempotency-key",
        label: "Idempotency key",
        kind: Kind::Choice,
        help: "What makes two deliveries the same work. The producer's name is wrong on purpose.",
        stops: &[Value::Choice(0), Value::Choice(1), Value::Choice(2)],
        text: |value| one_of(value, &["message ID", "business key", "producer"]),
        read: |snapshot, target| {
            Some(Value::Choice(
                match setup(snapshot, target)?.idempotence.key {
                    IdempotenceKey::MessageId => 0,
                    IdempotenceKey::BusinessKey => 1,
                    IdempotenceKey::Producer => 2,
                },
            ))
        },
        set: |snapshot, target, value| {
            idempotence(snapshot, target, |idempotence| {
                idempotence.key = match value {
                    Value::Choice(1) => IdempotenceKey::BusinessKey,
                    Value::Choice(2) => IdempotenceKey::Producer,
                    _ => IdempotenceKey::MessageId,
                };
            })
        },
        idle: unguarded,
    },
    Control {
        id: "idempotency-window",
        label: "Keys are remembered",
        kind: Kind::Slider,
        help: "A delivery that comes later than this is done again.",
        stops: &[
            s(1),
            s(5),
            s(10),
            s(30),
            s(60),
            s(300),
            s(3_600),
            s(86_400),
            Value::Unset,
        ],
        text: |value| span(value).map_or_else(|| "for ever".to_owned(), format::span),
        read: |snapshot, target| Some(optional(setup(snapshot, target)?.idempotence.window)),
        set: |snapshot, target, value| {
            idempotence(snapshot, target, |guard| guard.window = span(value))
        },
        idle: unguarded,
    },
    Control {
        id: "idempotency-capacity",
        label: "Keys remembered at most",
        kind: Kind::Slider,
        help: "Beyond this the oldest key is forgotten.",
        stops: &[
            Value::Count(1),
            Value::Count(10),
            Value::Count(100),
            Value::Count(1_000),
            Value::Count(10_000),
            Value::Unset,
        ],
        text: |value| {
            count(value).map_or_else(|| "unlimited".to_owned(), |n| format::count(n.into()))
        },
        read: |snapshot, target| {
            Some(
                setup(snapshot, target)?
                    .idempotence
                    .capacity
                    .map_or(Value::Unset, Value::Count),
            )
        },
        set: |snapshot, target, value| {
            idempotence(snapshot, target, |guard| guard.capacity = count(value))
        },
        idle: unguarded,
    },
    Control {
        id: "failures",
        label: "Failures",
        kind: Kind::Slider,
        help: "Chance that a handler fails at the end of its work.",
        stops: CHANCES,
        text: plain,
        read: |snapshot, target| Some(Value::Chance(setup(snapshot, target)?.failure.chance)),
        set: |snapshot, target, value| match value {
            Value::Chance(chance) => failure(snapshot, target, |failure| failure.chance = chance),
            _ => None,
        },
        idle: always,
    },
    Control {
        id: "first-failures",
        label: "First deliveries fail",
        kind: Kind::Slider,
        help: "So many deliveries of every message fail, later ones do not.",
        stops: &[
            Value::Count(0),
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(4),
            Value::Count(5),
            Value::Count(10),
        ],
        text: plain,
        read: |snapshot, target| {
            Some(Value::Count(
                setup(snapshot, target)?.failure.first_deliveries,
            ))
        },
        set: |snapshot, target, value| {
            let first = count(value)?;
            failure(snapshot, target, |failure| failure.first_deliveries = first)
        },
        idle: always,
    },
    Control {
        id: "permanent-failures",
        label: "Failures are final",
        kind: Kind::Toggle,
        help: "A failed message is rejected: straight to the dead-letter queue.",
        stops: SWITCH,
        text: plain,
        read: |snapshot, target| Some(Value::On(setup(snapshot, target)?.failure.permanent)),
        set: |snapshot, target, value| {
            failure(snapshot, target, |failure| {
                failure.permanent = value == Value::On(true)
            })
        },
        idle: unfailing,
    },
    Control {
        id: "on-failure",
        label: "After a failure",
        kind: Kind::Choice,
        help: "Return the message at once, return it after a growing back-off, or let its timeout end.",
        stops: &[
            Value::Choice(0),
            Value::Choice(1),
            Value::Choice(2),
            Value::Choice(3),
            Value::Choice(4),
            Value::Choice(5),
        ],
        text: |value| {
            let names = [
                "return",
                "back off",
                "do nothing",
                "return as failed",
                "reject",
                "crash",
            ];
            one_of(value, &names)
        },
        read: |snapshot, target| {
            Some(Value::Choice(match setup(snapshot, target)?.on_failure {
                OnFailure::Nack(backoff) if backoff.base == Micros::ZERO => 0,
                OnFailure::Nack(_) => 1,
                OnFailure::LetTimeoutEnd => 2,
                OnFailure::ReturnFailed => 3,
                OnFailure::Reject => 4,
                OnFailure::Crash => 5,
            }))
        },
        set: |_, target, value| {
            let doubling = Backoff {
                base: Micros::from_secs(1),
                factor_percent: 200,
                cap: Micros::from_secs(60),
                jitter: Chance(0),
            };
            change(
                target,
                ConsumerChange::OnFailure(match value {
                    Value::Choice(1) => OnFailure::Nack(doubling),
                    Value::Choice(2) => OnFailure::LetTimeoutEnd,
                    Value::Choice(3) => OnFailure::ReturnFailed,
                    Value::Choice(4) => OnFailure::Reject,
                    Value::Choice(5) => OnFailure::Crash,
                    _ => OnFailure::Nack(Backoff::NONE),
                }),
            )
        },
        idle: always,
    },
    Control {
        id: "backoff",
        label: "Back-off",
        kind: Kind::Slider,
        help: "Delay of a returned message after its first delivery; it doubles from delivery to delivery.",
        stops: &[
            s(0),
            ms(100),
            ms(200),
            ms(500),
            s(1),
            s(2),
            s(5),
            s(10),
            s(30),
            s(60),
            s(300),
        ],
        text: plain,
        read: |snapshot, target| match setup(snapshot, target)?.on_failure {
            OnFailure::Nack(backoff) => Some(Value::Span(backoff.base)),
            _ => Some(Value::Span(Micros::ZERO)),
        },
        set: |snapshot, target, value| {
            let base = span(value)?;
            let backoff = match setup(snapshot, target)?.on_failure {
                OnFailure::Nack(backoff) if backoff.base > Micros::ZERO => {
                    Backoff { base, ..backoff }
                }
                _ => Backoff {
                    base,
                    factor_percent: 200,
                    cap: Micros::from_secs(900),
                    jitter: Chance(0),
                },
            };
            change(target, ConsumerChange::OnFailure(OnFailure::Nack(backoff)))
        },
        idle: not_returned,
    },
    Control {
        id: "jitter",
        label: "Jitter",
        kind: Kind::Slider,
        help: "Share of the back-off that is taken off at random, so that retries do not come together.",
        stops: CHANCES,
        text: plain,
        read: |snapshot, target| match setup(snapshot, target)?.on_failure {
            OnFailure::Nack(backoff) => Some(Value::Chance(backoff.jitter)),
            _ => Some(Value::Chance(Chance(0))),
        },
        set: |snapshot, target, value| match (setup(snapshot, target)?.on_failure, value) {
            (OnFailure::Nack(backoff), Value::Chance(jitter)) => change(
                target,
                ConsumerChange::OnFailure(OnFailure::Nack(Backoff { jitter, ..backoff })),
            ),
            _ => None,
        },
        idle: not_returned,
    },
    Control {
        id: "skip-expired",
        label: "Drop what timed out in the buffer",
        kind: Kind::Toggle,
        help: "Does not begin a buffered message whose timeout has ended.",
        stops: SWITCH,
        text: plain,
        read: |snapshot, target| Some(Value::On(setup(snapshot, target)?.skip_expired)),
        set: |_, target, value| {
            change(
                target,
                ConsumerChange::SkipExpired(value == Value::On(true)),
            )
        },
        idle: always,
    },
];
