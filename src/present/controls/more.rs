//! Settings of consumers and producers that are rarely set.

use super::consumers::{change, setup};
use super::producers::{change as change_producer, setup as producer};
use super::*;
use crate::engine::command::{ConsumerChange, ProducerChange};
use crate::engine::rules::{GroupRule, HandOver, Priority, Rules};
use crate::engine::setup::{BatchWork, Breaker, Claiming, Priorities};

/// The rules of the queue that a consumer receives from.
fn its_rules<'a>(snapshot: &'a Snapshot, target: &Target) -> Option<&'a Rules> {
    let from = setup(snapshot, target)?.from;
    Some(&snapshot.queues.get(from.index())?.setup.rules)
}

/// Why a setting of pushing brokers has no effect.
fn pushed_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let pulls = its_rules(snapshot, target)?.hand_over != HandOver::Push;
    pulls.then_some("consumers receive, the broker does not push")
}

/// Why a setting of receives has no effect.
pub fn pulling_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let pushed = its_rules(snapshot, target)?.hand_over == HandOver::Push;
    pushed.then_some("the broker pushes")
}

/// Why a setting of leases has no effect.
pub fn leased_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let other = its_rules(snapshot, target)?.hand_over != HandOver::Lease;
    other.then_some("nothing times out, it stays with its consumer")
}

fn sessions_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let none = its_rules(snapshot, target)?.group_rule != GroupRule::Session;
    none.then_some("groups are no sessions")
}

fn claiming_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let none = its_rules(snapshot, target)?.hand_over != HandOver::Pending;
    none.then_some("nothing stays pending")
}

fn prioritised_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let queue = snapshot
        .queues
        .get(producer(snapshot, target)?.to.index())?;
    (queue.setup.rules.priority == Priority::Off).then_some("the queue ignores priority")
}

fn or_never(value: Value) -> String {
    match value {
        Value::Unset => "never".to_owned(),
        _ => plain(value),
    }
}

const LIMITS: &[Value] = &[
    Value::Count(1),
    Value::Count(2),
    Value::Count(5),
    Value::Count(10),
    Value::Count(20),
    Value::Count(50),
    Value::Count(100),
    Value::Count(500),
    Value::Count(1_000),
    Value::Unset,
];

const WAITS: &[Value] = &[
    Value::Unset,
    s(1),
    s(2),
    s(5),
    s(10),
    s(30),
    s(60),
    s(300),
    s(900),
];

/// Of consumers.
pub const CONSUMERS: &[Control] = &[
    Control {
        id: "by-hand",
        label: "Operated by hand",
        kind: Kind::Toggle,
        help: "It does nothing by itself: you receive and settle in its place.",
        stops: SWITCH,
        text: plain,
        read: |snapshot, target| Some(Value::On(setup(snapshot, target)?.by_hand)),
        set: |_, target, value| change(target, ConsumerChange::ByHand(value == Value::On(true))),
        idle: always,
    },
    Control {
        id: "consumer-priority",
        label: "Consumer priority",
        kind: Kind::Slider,
        help: "Consumers with a higher one are served first while their prefetch leaves room.",
        stops: &[
            Value::Count(0),
            Value::Count(1),
            Value::Count(2),
            Value::Count(5),
            Value::Count(10),
        ],
        text: plain,
        read: |snapshot, target| Some(Value::Count(setup(snapshot, target)?.priority.into())),
        set: |_, target, value| {
            let priority = u16::try_from(count(value)?).ok()?;
            change(target, ConsumerChange::Priority(priority))
        },
        idle: pushed_only,
    },
    Control {
        id: "channel-prefetch",
        label: "Prefetch of the channel",
        kind: Kind::Slider,
        help: "Most messages held by all consumers of one channel together.",
        stops: LIMITS,
        text: |value| {
            count(value).map_or_else(|| "unlimited".to_owned(), |n| format::count(n.into()))
        },
        read: |snapshot, target| {
            let most = setup(snapshot, target)?.channel_prefetch;
            Some(most.map_or(Value::Unset, Value::Count))
        },
        set: |_, target, value| change(target, ConsumerChange::ChannelPrefetch(count(value))),
        idle: pushed_only,
    },
    Control {
        id: "batch-work",
        label: "A batch is worked on",
        kind: Kind::Choice,
        help: "One by one; as one, so that one failure returns all of them; or as one, returning only what failed.",
        stops: &[Value::Choice(0), Value::Choice(1), Value::Choice(2)],
        text: |value| one_of(value, &["one by one", "as one", "as one, partial failure"]),
        read: |snapshot, target| Some(Value::Choice(setup(snapshot, target)?.batch_work as u8)),
        set: |_, target, value| {
            change(
                target,
                ConsumerChange::BatchWork(match value {
                    Value::Choice(1) => BatchWork::Whole,
                    Value::Choice(2) => BatchWork::Partial,
                    _ => BatchWork::Each,
                }),
            )
        },
        idle: pulling_only,
    },
    Control {
        id: "claim",
        label: "Claims what is idle for",
        kind: Kind::Slider,
        help: "Once a second it takes over, ten at most, what others have held for this long without an ack.",
        stops: WAITS,
        text: or_never,
        read: |snapshot, target| {
            let claim = setup(snapshot, target)?.claim;
            Some(optional(claim.map(|claim| claim.min_idle)))
        },
        set: |snapshot, target, value| {
            let now = setup(snapshot, target)?.claim;
            let claim = span(value).map(|min_idle| Claiming {
                min_idle,
                every: now.map_or(Micros::from_secs(1), |claim| claim.every),
                max: now.map_or(10, |claim| claim.max),
            });
            change(target, ConsumerChange::Claim(claim))
        },
        idle: claiming_only,
    },
    Control {
        id: "breaker",
        label: "Circuit breaker opens after",
        kind: Kind::Slider,
        help: "After so many failures in a row it receives nothing for a while, then tries one message.",
        stops: &[
            Value::Unset,
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(5),
            Value::Count(10),
        ],
        text: |value| {
            count(value).map_or_else(
                || "never".to_owned(),
                |n| format::counted(n.into(), "failure", "failures"),
            )
        },
        read: |snapshot, target| {
            let breaker = setup(snapshot, target)?.breaker;
            Some(breaker.map_or(Value::Unset, |breaker| Value::Count(breaker.failures)))
        },
        set: |snapshot, target, value| {
            let now = setup(snapshot, target)?.breaker;
            let breaker = count(value).map(|failures| Breaker {
                failures,
                open_for: now.map_or(Micros::from_secs(10), |breaker| breaker.open_for),
            });
            change(target, ConsumerChange::Breaker(breaker))
        },
        idle: always,
    },
    Control {
        id: "breaker-open",
        label: "The breaker stays open",
        kind: Kind::Slider,
        help: "How long it receives nothing.",
        stops: &[s(1), s(2), s(5), s(10), s(30), s(60), s(300)],
        text: plain,
        read: |snapshot, target| Some(Value::Span(setup(snapshot, target)?.breaker?.open_for)),
        set: |snapshot, target, value| {
            let mut breaker = setup(snapshot, target)?.breaker?;
            breaker.open_for = span(value)?;
            change(target, ConsumerChange::Breaker(Some(breaker)))
        },
        idle: always,
    },
    Control {
        id: "session-idle",
        label: "Gives up a session after",
        kind: Kind::Slider,
        help: "How long it keeps a session in which nothing is waiting.",
        stops: &[ms(500), s(1), s(2), s(5), s(10), s(30), s(60), s(300)],
        text: plain,
        read: |snapshot, target| Some(Value::Span(setup(snapshot, target)?.session_idle)),
        set: |_, target, value| change(target, ConsumerChange::SessionIdle(span(value)?)),
        idle: sessions_only,
    },
    Control {
        id: "crash-above",
        label: "Out of memory above",
        kind: Kind::Slider,
        help: "It crashes when it holds more messages than this.",
        stops: LIMITS,
        text: |value| {
            count(value).map_or_else(
                || "never".to_owned(),
                |n| format::counted(n.into(), "message", "messages"),
            )
        },
        read: |snapshot, target| {
            let most = setup(snapshot, target)?.crash_above;
            Some(most.map_or(Value::Unset, Value::Count))
        },
        set: |_, target, value| change(target, ConsumerChange::CrashAbove(count(value))),
        idle: always,
    },
    Control {
        id: "restart-after",
        label: "Starts again after a crash",
        kind: Kind::Slider,
        help: "How long it is down. Never: until you start it.",
        stops: WAITS,
        text: or_never,
        read: |snapshot, target| Some(optional(setup(snapshot, target)?.restart_after)),
        set: |_, target, value| change(target, ConsumerChange::RestartAfter(span(value))),
        idle: always,
    },
];

/// Of producers.
pub const PRODUCERS: &[Control] = &[
    Control {
        id: "send-priority",
        label: "Priority of its messages",
        kind: Kind::Choice,
        help: "What the queue makes of it is its own rule.",
        stops: &[
            Value::Choice(0),
            Value::Choice(1),
            Value::Choice(2),
            Value::Choice(3),
        ],
        text: |value| one_of(value, &["none", "low (1)", "high (9)", "one in ten high"]),
        read: |snapshot, target| {
            Some(match &producer(snapshot, target)?.priority {
                Priorities::None => Value::Choice(0),
                Priorities::Fixed(1) => Value::Choice(1),
                Priorities::Fixed(9) => Value::Choice(2),
                Priorities::Fixed(other) => Value::Count((*other).into()),
                Priorities::Weighted(_) => Value::Choice(3),
            })
        },
        set: |_, target, value| {
            let priority = match value {
                Value::Choice(1) => Priorities::Fixed(1),
                Value::Choice(2) => Priorities::Fixed(9),
                Value::Choice(3) => Priorities::Weighted(vec![(1, 9), (9, 1)]),
                _ => Priorities::None,
            };
            change_producer(target, ProducerChange::Priority(priority))
        },
        idle: prioritised_only,
    },
    Control {
        id: "send-ttl",
        label: "Time to live of its messages",
        kind: Kind::Slider,
        help: "Age at which a waiting one expires; the queue's counts if it is shorter.",
        stops: WAITS,
        text: |value| span(value).map_or_else(|| "the queue's".to_owned(), format::span),
        read: |snapshot, target| Some(optional(producer(snapshot, target)?.ttl)),
        set: |_, target, value| change_producer(target, ProducerChange::Ttl(span(value))),
        idle: always,
    },
    Control {
        id: "persistent",
        label: "Persistent messages",
        kind: Kind::Toggle,
        help: "Whether they survive a restart of the broker, in a queue that survives it.",
        stops: SWITCH,
        text: plain,
        read: |snapshot, target| Some(Value::On(producer(snapshot, target)?.persistent)),
        set: |_, target, value| {
            change_producer(target, ProducerChange::Persistent(value == Value::On(true)))
        },
        idle: always,
    },
];
