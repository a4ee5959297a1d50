//! Settings of a producer.

use super::*;
use crate::engine::GroupId;
use crate::engine::command::ProducerChange;
use crate::engine::order::positions_in_order;
use crate::engine::setup::{Groups, Pattern, Poison, Processing, ProducerSetup};

pub fn setup<'a>(snapshot: &'a Snapshot, target: &Target) -> Option<&'a ProducerSetup> {
    snapshot
        .producers
        .get(target.producer.index())
        .map(|producer| &producer.setup)
}

pub fn change(target: &Target, change: ProducerChange) -> Option<Command> {
    Some(Command::SetProducer(target.producer, change))
}

/// Size and mean gap of a pattern; an explicit list counts as one send a second.
fn tempo(pattern: &Pattern) -> (u32, Micros) {
    match pattern {
        Pattern::List(_) => (1, Micros::from_secs(1)),
        Pattern::Constant { every } => (1, *every),
        Pattern::Poisson { mean } => (1, *mean),
        Pattern::Bursts { size, every } => (*size, *every),
    }
}

fn listed(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let listed = matches!(setup(snapshot, target)?.pattern, Pattern::List(_));
    listed.then_some("the scenario lists every send")
}

fn unconfirmed(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let never = setup(snapshot, target)?.confirm_timeout.is_none();
    never.then_some("it never sends again")
}

const EVERY: &[Value] = &[
    ms(1),
    ms(2),
    ms(5),
    ms(10),
    ms(20),
    ms(50),
    ms(100),
    ms(200),
    ms(300),
    ms(500),
    s(1),
    ms(1_500),
    s(2),
    s(3),
    s(4),
    s(5),
    s(8),
    s(10),
    s(20),
    s(30),
    s(60),
    s(300),
    s(3_600),
];

pub const CONTROLS: &[Control] = &[
    Control {
        id: "pattern",
        label: "Pattern",
        kind: Kind::Choice,
        help: "Evenly, at random (Poisson), in bursts, or as the scenario lists.",
        stops: &[Value::Choice(0), Value::Choice(1), Value::Choice(2)],
        text: |value| one_of(value, &["even", "random", "bursts", "listed"]),
        read: |snapshot, target| {
            Some(Value::Choice(match setup(snapshot, target)?.pattern {
                Pattern::Constant { .. } => 0,
                Pattern::Poisson { .. } => 1,
                Pattern::Bursts { .. } => 2,
                Pattern::List(_) => 3,
            }))
        },
        set: |snapshot, target, value| {
            let (size, every) = tempo(&setup(snapshot, target)?.pattern);
            change(
                target,
                ProducerChange::Pattern(match value {
                    Value::Choice(1) => Pattern::Poisson { mean: every },
                    Value::Choice(2) => Pattern::Bursts {
                        size: size.max(2),
                        every,
                    },
                    _ => Pattern::Constant { every },
                }),
            )
        },
        idle: always,
    },
    Control {
        id: "every",
        label: "One send or burst every",
        kind: Kind::Slider,
        help: "The time between two of them; at random, its mean.",
        stops: EVERY,
        text: plain,
        read: |snapshot, target| Some(Value::Span(tempo(&setup(snapshot, target)?.pattern).1)),
        set: |snapshot, target, value| {
            let every = span(value)?;
            change(
                target,
                ProducerChange::Pattern(match setup(snapshot, target)?.pattern {
                    Pattern::List(_) | Pattern::Constant { .. } => Pattern::Constant { every },
                    Pattern::Poisson { .. } => Pattern::Poisson { mean: every },
                    Pattern::Bursts { size, .. } => Pattern::Bursts { size, every },
                }),
            )
        },
        idle: listed,
    },
    Control {
        id: "burst-size",
        label: "Sends in a burst",
        kind: Kind::Slider,
        help: "How many messages leave at one instant.",
        stops: &[
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(5),
            Value::Count(10),
            Value::Count(20),
            Value::Count(50),
            Value::Count(100),
            Value::Count(500),
            Value::Count(1_000),
        ],
        text: plain,
        read: |snapshot, target| match setup(snapshot, target)?.pattern {
            Pattern::Bursts { size, .. } => Some(Value::Count(size)),
            _ => None,
        },
        set: |snapshot, target, value| {
            let (_, every) = tempo(&setup(snapshot, target)?.pattern);
            change(
                target,
                ProducerChange::Pattern(Pattern::Bursts {
                    size: count(value)?,
                    every,
                }),
            )
        },
        idle: always,
    },
    Control {
        id: "send-limit",
        label: "Messages in all",
        kind: Kind::Slider,
        help: "After so many sends the producer stops.",
        stops: &[
            Value::Count(1),
            Value::Count(10),
            Value::Count(100),
            Value::Count(1_000),
            Value::Count(10_000),
            Value::Count(100_000),
            Value::Unset,
        ],
        text: |value| {
            count(value).map_or_else(|| "unlimited".to_owned(), |n| format::count(n.into()))
        },
        read: |snapshot, target| {
            Some(
                setup(snapshot, target)?
                    .limit
                    .map_or(Value::Unset, Value::Count),
            )
        },
        set: |_, target, value| change(target, ProducerChange::Limit(count(value))),
        idle: always,
    },
    Control {
        id: "groups",
        label: "Message groups",
        kind: Kind::Slider,
        help: "How many groups it names in turn. On a FIFO queue each group is delivered in order.",
        stops: &[
            Value::Count(0),
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(4),
            Value::Count(5),
            Value::Count(6),
            Value::Count(8),
            Value::Count(10),
            Value::Count(12),
        ],
        text: |value| {
            count(value)
                .filter(|n| *n > 0)
                .map_or_else(|| "none".to_owned(), |n| n.to_string())
        },
        read: |snapshot, target| {
            let groups: Vec<GroupId> = match &setup(snapshot, target)?.groups {
                Groups::None => Vec::new(),
                Groups::Cycle(groups) => groups.clone(),
                Groups::Weighted(groups) => groups.iter().map(|(group, _)| *group).collect(),
            };
            let order = positions_in_order(groups.iter().map(|group| (group.0.into(), 0)));
            let mut groups: Vec<_> = order.iter().filter_map(|&at| groups.get(at)).collect();
            groups.dedup();
            Some(Value::Count(groups.len() as u32))
        },
        set: |_, target, value| {
            let count = count(value)?;
            let groups = (0..count).map(GroupId).collect();
            change(
                target,
                ProducerChange::Groups(if count == 0 {
                    Groups::None
                } else {
                    Groups::Cycle(groups)
                }),
            )
        },
        idle: listed,
    },
    Control {
        id: "poison",
        label: "Poison",
        kind: Kind::Slider,
        help: "Messages that can never be processed: their handler fails every time.",
        stops: &[
            Value::Unset,
            Value::Count(100),
            Value::Count(50),
            Value::Count(20),
            Value::Count(10),
            Value::Count(5),
            Value::Count(3),
            Value::Count(2),
            Value::Count(1),
        ],
        text: |value| match value {
            Value::Count(1) => "every one".to_owned(),
            Value::Count(n) => format!("every {}", nth(n)),
            Value::Chance(chance) => format!("{} at random", format::chance(chance)),
            _ => "never".to_owned(),
        },
        read: |snapshot, target| {
            Some(match setup(snapshot, target)?.poison {
                Poison::Never => Value::Unset,
                Poison::Every(n) => Value::Count(n),
                Poison::Share(chance) => Value::Chance(chance),
            })
        },
        set: |_, target, value| {
            change(
                target,
                ProducerChange::Poison(count(value).map_or(Poison::Never, Poison::Every)),
            )
        },
        idle: listed,
    },
    Control {
        id: "poison-share",
        label: "Poison at random",
        kind: Kind::Slider,
        help: "Chance that a message can never be processed.",
        stops: CHANCES,
        text: plain,
        read: |snapshot, target| match setup(snapshot, target)?.poison {
            Poison::Share(chance) => Some(Value::Chance(chance)),
            _ => Some(Value::Chance(Chance(0))),
        },
        set: |_, target, value| match value {
            Value::Chance(Chance(0)) => change(target, ProducerChange::Poison(Poison::Never)),
            Value::Chance(chance) => change(target, ProducerChange::Poison(Poison::Share(chance))),
            _ => None,
        },
        idle: listed,
    },
    Control {
        id: "own-work",
        label: "Work of its messages",
        kind: Kind::Slider,
        help: "Processing time that its messages bring along, in place of the consumer's.",
        stops: &[
            Value::Unset,
            ms(10),
            ms(100),
            ms(500),
            s(1),
            s(2),
            s(3),
            s(5),
            s(10),
            s(30),
            s(60),
            s(300),
        ],
        text: |value| span(value).map_or_else(|| "the consumer's".to_owned(), format::span),
        read: |snapshot, target| {
            Some(
                setup(snapshot, target)?
                    .processing
                    .map_or(Value::Unset, |work| {
                        Value::Span(super::consumers::typical(work))
                    }),
            )
        },
        set: |_, target, value| {
            change(
                target,
                ProducerChange::Processing(span(value).map(Processing::Constant)),
            )
        },
        idle: always,
    },
    Control {
        id: "own-delay",
        label: "Delay of its messages",
        kind: Kind::Slider,
        help: "Delay that it asks for, in place of the queue's.",
        stops: &[
            Value::Unset,
            s(0),
            ms(500),
            s(1),
            s(2),
            s(5),
            s(10),
            s(30),
            s(60),
            s(300),
            s(900),
        ],
        text: |value| span(value).map_or_else(|| "the queue's".to_owned(), format::span),
        read: |snapshot, target| Some(optional(setup(snapshot, target)?.delay)),
        set: |_, target, value| change(target, ProducerChange::Delay(span(value))),
        idle: always,
    },
    Control {
        id: "confirm-timeout",
        label: "Sends again after",
        kind: Kind::Slider,
        help: "Without a confirm by then it sends the message once more, with the same deduplication ID.",
        stops: &[
            Value::Unset,
            ms(50),
            ms(100),
            ms(200),
            ms(500),
            s(1),
            s(2),
            s(5),
            s(10),
            s(30),
        ],
        text: |value| span(value).map_or_else(|| "never".to_owned(), format::span),
        read: |snapshot, target| Some(optional(setup(snapshot, target)?.confirm_timeout)),
        set: |_, target, value| change(target, ProducerChange::ConfirmTimeout(span(value))),
        idle: always,
    },
    Control {
        id: "max-resends",
        label: "Sends again at most",
        kind: Kind::Slider,
        help: "How often one message is sent again.",
        stops: &[
            Value::Count(0),
            Value::Count(1),
            Value::Count(2),
            Value::Count(3),
            Value::Count(5),
            Value::Count(10),
        ],
        text: |value| format!("{}×", plain(value)),
        read: |snapshot, target| Some(Value::Count(setup(snapshot, target)?.max_resends)),
        set: |_, target, value| change(target, ProducerChange::MaxResends(count(value)?)),
        idle: unconfirmed,
    },
];

fn nth(n: u32) -> String {
    if n == 2 || n == 3 {
        format::ordinal(n)
    } else {
        format!(
            "{n}{}",
            if n % 10 == 1 && n % 100 != 11 {
                "st"
            } else {
                "th"
            }
        )
    }
}
