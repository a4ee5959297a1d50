//! Settings of the queue in which brokers differ: one row a rule, read and set by the rule's name.

use super::queue::{change, setup};
use super::*;
use crate::engine::command::QueueChange;
use crate::engine::rules::*;
use crate::engine::setup::QueueKind;

/// Sets of causes on offer; any other reads as a mix.
const CAUSES: [Causes; 4] = [Causes::ALL, NACK, FAILED, GONE];
const NO_CAUSE: Causes = Causes {
    nack: false,
    failed: false,
    timeout: false,
    crash: false,
};
const NACK: Causes = Causes {
    nack: true,
    ..NO_CAUSE
};
const FAILED: Causes = Causes {
    failed: true,
    ..NO_CAUSE
};
const GONE: Causes = Causes {
    timeout: true,
    crash: true,
    ..NO_CAUSE
};

/// A rule as a value of a control. The parts of a pause are controls of their own, named after a point.
fn read(snapshot: &Snapshot, target: &Target, name: &str) -> Option<Value> {
    let (rule, part) = name.split_once('.').unwrap_or((name, ""));
    Some(match setup(snapshot, target)?.rules.get(rule)? {
        Rule::HandOver(rule) => Value::Choice(rule as u8),
        Rule::AtConsumerTimeout(rule) => Value::Choice(rule as u8),
        Rule::FairShare(rule) => Value::Choice(rule as u8),
        Rule::GroupRule(rule) => Value::Choice(rule as u8),
        Rule::ReturnsTo(rule) => Value::Choice(rule as u8),
        Rule::Count(rule) => Value::Choice(rule as u8),
        Rule::Budget(rule) => Value::Choice(rule as u8),
        Rule::Exhausted(rule) => Value::Choice(rule as u8),
        Rule::DeadLetterClock(rule) => Value::Choice(rule as u8),
        Rule::ExpiryNoticed(rule) => Value::Choice(rule as u8),
        Rule::ExpiredTo(rule) => Value::Choice(rule as u8),
        Rule::Overflow(rule) => Value::Choice(rule as u8),
        Rule::CapacityCounts(rule) => Value::Choice(rule as u8),
        Rule::AtInFlightLimit(rule) => Value::Choice(rule as u8),
        Rule::Durability(rule) => Value::Choice(rule as u8),
        Rule::DeduplicationFrom(rule) => Value::Choice(rule as u8),
        Rule::Priority(rule) => Value::Choice(match rule {
            Priority::Off => 0,
            Priority::Strict { .. } => 1,
            Priority::Weighted { .. } => 2,
            Priority::Aging { .. } => 3,
        }),
        Rule::CountedReturns(causes) => causes_value(causes),
        Rule::LeaseSteps(steps) => Value::Choice(u8::from(!steps.is_empty())),
        Rule::RetryDelay(None) => match part {
            "" | "max" => Value::Unset,
            _ => Value::Choice(0),
        },
        Rule::RetryDelay(Some(delay)) => match part {
            "max" => Value::Span(delay.max),
            "growth" => Value::Choice(delay.growth as u8),
            "after" => causes_value(delay.after),
            _ => Value::Span(delay.min),
        },
        Rule::ConsumerTimeout(span)
        | Rule::DeadLetterRetry(span)
        | Rule::Ttl(span)
        | Rule::UnusedFor(span)
        | Rule::PurgeInterval(span) => optional(span),
        Rule::Propagation(span) => Value::Span(span),
        Rule::Capacity(most)
        | Rule::DeduplicationKept(most)
        | Rule::InFlightLimit(most)
        | Rule::Quota(most) => most.map_or(Value::Unset, Value::Count),
        Rule::Overshoot(more) => Value::Count(more),
        Rule::SingleActiveConsumer(on) | Rule::CutsCycles(on) | Rule::RedeliveriesExempt(on) => {
            Value::On(on)
        }
    })
}

fn causes_value(causes: Causes) -> Value {
    let at = CAUSES.iter().position(|known| *known == causes);
    at.map_or(Value::Unset, |at| Value::Choice(at as u8))
}

/// The command that gives a rule a value.
fn set(snapshot: &Snapshot, target: &Target, name: &str, value: Value) -> Option<Command> {
    let (rule, part) = name.split_once('.').unwrap_or((name, ""));
    let nth = match value {
        Value::Choice(nth) => usize::from(nth),
        _ => 0,
    };
    let on = value == Value::On(true);
    let rule = match setup(snapshot, target)?.rules.get(rule)? {
        Rule::HandOver(_) => {
            use HandOver::{Lease, Pending, Push};
            Rule::HandOver(*[Lease, Pending, Push].get(nth)?)
        }
        Rule::AtConsumerTimeout(_) => {
            use AtConsumerTimeout::{CancelsConsumer, ClosesChannel};
            Rule::AtConsumerTimeout(*[ClosesChannel, CancelsConsumer].get(nth)?)
        }
        Rule::FairShare(_) => {
            use FairShare::{Off, QuietFirst, RoundRobin};
            Rule::FairShare(*[Off, RoundRobin, QuietFirst].get(nth)?)
        }
        Rule::GroupRule(_) => {
            use GroupRule::{Key, Session, Walk, Whole};
            Rule::GroupRule(*[Walk, Whole, Session, Key].get(nth)?)
        }
        Rule::ReturnsTo(_) => {
            use ReturnPlace::{Head, Place, ReturnsQueue, Tail};
            Rule::ReturnsTo(*[Place, Head, Tail, ReturnsQueue].get(nth)?)
        }
        Rule::Count(_) => {
            use CountRule::{Never, OnReceive, OnReturn};
            Rule::Count(*[OnReceive, OnReturn, Never].get(nth)?)
        }
        Rule::Budget(_) => {
            use BudgetRule::{OnEnd, OnReceive, OnReturn};
            Rule::Budget(*[OnReceive, OnReturn, OnEnd].get(nth)?)
        }
        Rule::Exhausted(_) => {
            use Exhausted::{Archive, DeadLetter, Drop, Stays};
            Rule::Exhausted(*[DeadLetter, Drop, Archive, Stays].get(nth)?)
        }
        Rule::DeadLetterClock(_) => {
            use DeadLetterClock::{ByKind, Kept, Restarted};
            Rule::DeadLetterClock(*[ByKind, Kept, Restarted].get(nth)?)
        }
        Rule::ExpiryNoticed(_) => {
            use ExpiryNoticed::{Anywhere, AtHead};
            Rule::ExpiryNoticed(*[Anywhere, AtHead].get(nth)?)
        }
        Rule::ExpiredTo(_) => {
            use ExpiredTo::{DeadLetter, Removed};
            Rule::ExpiredTo(*[Removed, DeadLetter].get(nth)?)
        }
        Rule::Overflow(_) => {
            use Overflow::{DropHead, Refuse, RefuseAndDeadLetter};
            Rule::Overflow(*[DropHead, Refuse, RefuseAndDeadLetter].get(nth)?)
        }
        Rule::CapacityCounts(_) => {
            use CapacityCounts::{All, Ready};
            Rule::CapacityCounts(*[Ready, All].get(nth)?)
        }
        Rule::AtInFlightLimit(_) => {
            use AtInFlightLimit::{Empty, Error};
            Rule::AtInFlightLimit(*[Empty, Error].get(nth)?)
        }
        Rule::Durability(_) => {
            use Durability::{Durable, Persistent, Volatile};
            Rule::Durability(*[Durable, Persistent, Volatile].get(nth)?)
        }
        Rule::DeduplicationFrom(_) => {
            use DeduplicationFrom::{FirstSend, Removal};
            Rule::DeduplicationFrom(*[FirstSend, Removal].get(nth)?)
        }
        Rule::Priority(_) => Rule::Priority(match nth {
            1 => Priority::Strict {
                max: 9,
                default: 0,
                lost_on_return: false,
            },
            2 => Priority::Weighted {
                above: 4,
                high: 2,
                low: 1,
            },
            3 => Priority::Aging {
                max: 9,
                every: Micros::from_secs(10),
            },
            _ => Priority::Off,
        }),
        Rule::CountedReturns(_) => Rule::CountedReturns(*CAUSES.get(nth)?),
        Rule::LeaseSteps(_) => {
            let steps = [1, 5, 30].map(Micros::from_secs);
            Rule::LeaseSteps(if nth == 1 { steps.into() } else { Vec::new() })
        }
        Rule::RetryDelay(delay) => Rule::RetryDelay(retry_delay(delay, part, nth, value)?),
        Rule::ConsumerTimeout(_) => Rule::ConsumerTimeout(span(value)),
        Rule::DeadLetterRetry(_) => Rule::DeadLetterRetry(span(value)),
        Rule::Ttl(_) => Rule::Ttl(span(value)),
        Rule::UnusedFor(_) => Rule::UnusedFor(span(value)),
        Rule::PurgeInterval(_) => Rule::PurgeInterval(span(value)),
        Rule::Propagation(_) => Rule::Propagation(span(value)?),
        Rule::Capacity(_) => Rule::Capacity(count(value)),
        Rule::DeduplicationKept(_) => Rule::DeduplicationKept(count(value)),
        Rule::InFlightLimit(_) => Rule::InFlightLimit(count(value)),
        Rule::Quota(_) => Rule::Quota(count(value)),
        Rule::Overshoot(_) => Rule::Overshoot(count(value)?),
        Rule::SingleActiveConsumer(_) => Rule::SingleActiveConsumer(on),
        Rule::CutsCycles(_) => Rule::CutsCycles(on),
        Rule::RedeliveriesExempt(_) => Rule::RedeliveriesExempt(on),
    };
    change(target, QueueChange::Rule(rule))
}

/// A pause with one of its parts changed; the outer option is none where nothing can be set.
fn retry_delay(
    now: Option<RetryDelay>,
    part: &str,
    nth: usize,
    value: Value,
) -> Option<Option<RetryDelay>> {
    let Some(min) = span(value).or(now.map(|delay| delay.min)) else {
        return part.is_empty().then_some(None);
    };
    let mut delay = now.unwrap_or(RetryDelay {
        min,
        max: min.scaled(16, 1),
        growth: Growth::Exponential,
        after: Causes::ALL,
    });
    match part {
        "max" => delay.max = span(value)?.max(delay.min),
        "growth" => delay.growth = *[Growth::Linear, Growth::Exponential].get(nth)?,
        "after" => delay.after = *CAUSES.get(nth)?,
        _ if value == Value::Unset => return Some(None),
        _ => {
            delay.min = min;
            delay.max = delay.max.max(min);
        }
    }
    Some(Some(delay))
}

/// A value in the words of its rule: one for each choice, or one for what is not set.
fn reads(value: Value, words: &[&str]) -> String {
    match value {
        Value::Choice(_) => one_of(value, words),
        Value::Unset => words.last().copied().unwrap_or("a mix").to_owned(),
        _ => plain(value),
    }
}

fn rules<'a>(snapshot: &'a Snapshot, target: &Target) -> Option<&'a Rules> {
    Some(&setup(snapshot, target)?.rules)
}

fn pushing_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    (rules(snapshot, target)?.hand_over != HandOver::Push).then_some(NOT_PUSHED)
}

const NOT_PUSHED: &str = "consumers receive, the broker does not push";

fn standard_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let fifo = setup(snapshot, target)?.kind == QueueKind::Fifo;
    fifo.then_some("standard queues only")
}

fn fifo_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let standard = setup(snapshot, target)?.kind == QueueKind::Standard;
    standard.then_some("FIFO queues only")
}

fn leasing_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let other = rules(snapshot, target)?.hand_over != HandOver::Lease;
    other.then_some("there is no visibility timeout")
}

fn capped_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let open = rules(snapshot, target)?.capacity.is_none();
    open.then_some("the queue has no limit")
}

fn limited_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let open = rules(snapshot, target)?.in_flight_limit.is_none();
    open.then_some("there is no in-flight limit")
}

fn delayed_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let none = rules(snapshot, target)?.retry_delay.is_none();
    none.then_some("the broker makes no pause")
}

fn budgeted_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let none = setup(snapshot, target)?.max_deliveries.is_none();
    none.then_some("the retry budget is unlimited")
}

fn returns_counted_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let other = rules(snapshot, target)?.count != CountRule::OnReturn;
    other.then_some("returns are not counted")
}

fn dead_lettering_only(snapshot: &Snapshot, target: &Target) -> Option<&'static str> {
    let setup = setup(snapshot, target)?;
    let is_one = snapshot
        .queues
        .iter()
        .any(|queue| queue.setup.dead_letter_queue == Some(target.queue));
    (setup.dead_letter_queue.is_none() && !is_one).then_some("there is no dead-letter queue")
}

macro_rules! rule {
    ($id:literal $kind:ident $label:literal, $rule:literal, $idle:ident, $stops:expr, $words:expr, $help:literal) => {
        Control {
            id: $id,
            label: $label,
            kind: Kind::$kind,
            help: $help,
            stops: $stops,
            text: |value| reads(value, $words),
            read: |snapshot, target| read(snapshot, target, $rule),
            set: |snapshot, target, value| set(snapshot, target, $rule, value),
            idle: $idle,
        }
    };
}

const TWO: &[Value] = &[Value::Choice(0), Value::Choice(1)];
const THREE: &[Value] = &[Value::Choice(0), Value::Choice(1), Value::Choice(2)];
const FOUR: &[Value] = &[
    Value::Choice(0),
    Value::Choice(1),
    Value::Choice(2),
    Value::Choice(3),
];

#[rustfmt::skip]
const SPANS_OR_NONE: &[Value] = &[
    s(1), s(2), s(3), s(5), s(10), s(20), s(30), s(60), s(120), s(180), s(300), s(600), s(1_800), s(3_600), s(86_400),
    Value::Unset,
];

#[rustfmt::skip]
const COUNTS_OR_NONE: &[Value] = &[
    Value::Count(1), Value::Count(2), Value::Count(3), Value::Count(5), Value::Count(10), Value::Count(20),
    Value::Count(50), Value::Count(100), Value::Count(300), Value::Count(1_000), Value::Count(10_000),
    Value::Count(20_000), Value::Count(120_000), Value::Unset,
];

const CAUSE_WORDS: &[&str] = &[
    "every return",
    "a nack",
    "a failure",
    "timeout or crash",
    "a mix",
];

/// Those in which brokers differ most.
#[rustfmt::skip]
pub const USUAL: &[Control] = &[
    rule!("hand-over" Choice "Hand-over", "hand_over", always, THREE, &["lease", "pending", "push"],
        "Lease: received and hidden for a time. Pending: received and kept until acked or claimed. Push: the broker hands out, up to the prefetch."),
    rule!("priority" Choice "Priority", "priority", standard_only, FOUR, &["off", "strict", "weighted", "aging"],
        "Strict: the highest first. Weighted: a few high ones for a low one, 2:1 unless the file says otherwise. Aging: a message rises as it waits."),
    rule!("ttl" Slider "Time to live", "ttl", always, SPANS_OR_NONE, &["none"],
        "Age at which a waiting message expires. It does not touch a message in flight."),
    rule!("capacity" Slider "Capacity", "capacity", always, COUNTS_OR_NONE, &["unlimited"],
        "Most messages that the queue holds."),
];

/// The others.
#[rustfmt::skip]
pub const RARE: &[Control] = &[
    rule!("group-rule" Choice "A group means", "group_rule", fifo_only, FOUR, &["order", "all one group", "a session", "a key"],
        "Order: one message of a group at a time. One group: strict order of all. Session: one consumer holds the group. Key: in order, several out at once."),
    rule!("returns-to" Choice "A returned message goes", "returns_to", always, FOUR, &["to its place", "to the head", "to the tail", "to a returns queue"],
        "Where it waits for its next delivery. A returns queue is served first, in order of return."),
    rule!("exhausted" Choice "When the budget is used up", "exhausted", budgeted_only, FOUR, &["dead-letter it", "drop it", "archive it", "it stays, undeliverable"],
        "What becomes of a message that has used up its retry budget."),
    rule!("overflow" Choice "A full queue", "overflow", capped_only, THREE, &["drops its oldest", "refuses the send", "refuses and dead-letters"],
        "What happens to a send that finds the queue full."),
    rule!("consumer-timeout" Slider "Consumer timeout", "consumer_timeout", pushing_only, SPANS_OR_NONE, &["never"],
        "A pushed message that is not acknowledged in this time closes the channel of its consumer."),
    rule!("at-consumer-timeout" Choice "A consumer timeout", "at_consumer_timeout", pushing_only, TWO, &["closes the channel", "cancels the consumer"],
        "Either way all that the consumer held is returned."),
    rule!("single-active-consumer" Toggle "Single active consumer", "single_active_consumer", pushing_only, SWITCH, &[],
        "One consumer receives; the next takes over when it goes."),
    rule!("fair-share" Choice "Groups share", "fair_share", standard_only, THREE, &["not at all", "in turn", "quiet ones first"],
        "Whether groups get their share of the consumers on a standard queue."),
    rule!("retry-delay" Slider "Pause before a retry", "retry_delay", always, SPANS_OR_NONE, &["none"],
        "The broker keeps a returned message back for so long after its first failed delivery."),
    rule!("retry-delay-max" Slider "The pause at most", "retry_delay.max", delayed_only, SPANS_OR_NONE, &["none"],
        "It grows no further than this."),
    rule!("retry-growth" Choice "The pause grows", "retry_delay.growth", delayed_only, TWO, &["evenly", "doubling"],
        "By the same amount with each delivery, or to twice as much."),
    rule!("retry-after" Choice "The pause comes after", "retry_delay.after", delayed_only, FOUR, CAUSE_WORDS,
        "Which returns are followed by it."),
    rule!("lease-steps" Choice "Timeout by delivery", "lease_steps", leasing_only, TWO, &["the same", "1 s, 5 s, 30 s"],
        "Whether later deliveries get a longer visibility timeout."),
    rule!("count" Choice "The delivery count counts", "count", always, THREE, &["deliveries", "returns", "nothing"],
        "What is held against the retry budget."),
    rule!("counted-returns" Choice "A return that counts", "counted_returns", returns_counted_only, FOUR, CAUSE_WORDS,
        "Which ways back raise the count."),
    rule!("budget" Choice "The budget is looked at", "budget", budgeted_only, THREE, &["on receive", "on return", "when a delivery ends"],
        "On the receive that would exceed it, on the return that exceeds it, or as soon as a delivery ends that reaches it."),
    rule!("dead-letter-clock" Choice "Age of a dead letter", "dead_letter_clock", dead_lettering_only, THREE, &["as SQS has it", "goes on", "starts again"],
        "SQS: goes on in a standard queue, starts again in a FIFO queue."),
    rule!("cuts-cycles" Toggle "Drops dead-letter cycles", "cuts_cycles", dead_lettering_only, SWITCH, &[],
        "A dead letter that comes back to where it has been, without a reject on its way, is dropped."),
    rule!("dead-letter-retry" Slider "Tries a missing dead-letter queue again", "dead_letter_retry", dead_lettering_only, SPANS_OR_NONE, &["never"],
        "Until then the dead letter is kept. Never: it is lost, at most once."),
    rule!("expiry-noticed" Choice "Expiry is noticed", "expiry_noticed", always, TWO, &["anywhere", "at the head only"],
        "At the head only, an expired message behind a live one stays and counts."),
    rule!("expired-to" Choice "Expired messages are", "expired_to", always, TWO, &["removed", "dead-lettered"],
        "What becomes of a message whose time to live is over."),
    rule!("unused-for" Slider "Deleted when unused for", "unused_for", always, SPANS_OR_NONE, &["never"],
        "The queue goes with all it holds when nobody used it for so long."),
    rule!("capacity-counts" Choice "Capacity counts", "capacity_counts", capped_only, TWO, &["what waits", "all it holds"],
        "Whether messages in flight fill the queue."),
    rule!("overshoot" Slider "Let in above the capacity", "overshoot", capped_only, &[Value::Count(0), Value::Count(1), Value::Count(2), Value::Count(5), Value::Count(10)], &[],
        "So many more are accepted before sends are refused."),
    rule!("in-flight-limit" Slider "In-flight limit", "in_flight_limit", always, COUNTS_OR_NONE, &["unlimited"],
        "Most messages in flight at once, over all consumers."),
    rule!("at-in-flight-limit" Choice "At the in-flight limit", "at_in_flight_limit", limited_only, TWO, &["nothing comes", "an error comes"],
        "What a short poll gets; a long one gets nothing."),
    rule!("redeliveries-exempt" Toggle "Retries ignore that limit", "redeliveries_exempt", limited_only, SWITCH, &[],
        "Messages that were delivered before are handed out at the limit too."),
    rule!("durability" Choice "A broker restart leaves", "durability", always, THREE, &["everything", "persistent messages", "nothing"],
        "What is still there when the broker has been restarted."),
    rule!("deduplication-from" Choice "Remembered from", "deduplication_from", always, TWO, &["the first send", "its removal"],
        "When the deduplication window of an ID begins."),
    rule!("deduplication-kept" Slider "IDs remembered", "deduplication_kept", always, COUNTS_OR_NONE, &["unlimited"],
        "Beyond so many the oldest deduplication IDs are forgotten."),
    rule!("propagation" Slider "A changed setting acts after", "propagation", always, SHORT_SPANS, &[],
        "At most this long, drawn for every change. Amazon SQS: up to 60 s."),
    rule!("quota" Slider "Calls a second", "quota", fifo_only, COUNTS_OR_NONE, &["unlimited"],
        "Further calls of one action are refused in that second. Amazon SQS FIFO: 300."),
    rule!("purge-interval" Slider "Between two purges", "purge_interval", always, SPANS_OR_NONE, &["no limit"],
        "A purge that comes sooner is refused. Amazon SQS: 60 s."),
];
