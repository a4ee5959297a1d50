//! Random calls under random rules: the broker does what a slow reference does that is right at sight.

mod push;
mod queue;

use super::desk::queue as plain;
use proptest::prelude::*;
use proptest::test_runner::Config;
use queue::Reference;
use queue_playground::engine::broker::*;
use queue_playground::engine::event::CloseReason;
use queue_playground::engine::id::*;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

const Q: QueueId = QueueId(0);
const D: QueueId = QueueId(1);

/// One call. Receipts are taken modulo what there is.
#[derive(Clone, Debug)]
enum Call {
    Send {
        delay: u64,
        priority: Option<u8>,
        ttl: Option<u64>,
        persistent: bool,
    },
    Receive {
        consumer: u16,
        max: u32,
        timeout: Option<u64>,
    },
    Ack(usize),
    Nack(usize, u64),
    Fail(usize),
    Reject(usize),
    Extend(usize, u64),
    Pass(u64),
    Change(Rule),
    /// A subscription with a prefetch and a priority.
    Subscribe(u16, u32, u16, bool),
    Cancel(u16),
    Close(u16),
    Disconnect(u16),
    AckUpTo(usize),
    NackUpTo(usize),
    /// The broker restarts, and its queues are declared anew.
    Restart,
}

fn small() -> impl Strategy<Value = u64> {
    proptest::sample::select(&[0u64, 1, 2, 3, 5, 8, 13][..])
}

fn causes() -> impl Strategy<Value = Causes> {
    any::<[bool; 4]>().prop_map(|[nack, failed, timeout, crash]| Causes {
        nack,
        failed,
        timeout,
        crash,
    })
}

fn place() -> impl Strategy<Value = ReturnPlace> {
    proptest::sample::select(
        &[
            ReturnPlace::Place,
            ReturnPlace::Head,
            ReturnPlace::Tail,
            ReturnPlace::ReturnsQueue,
        ][..],
    )
}

fn retry_delay() -> impl Strategy<Value = Option<RetryDelay>> {
    let delay =
        (1..6u64, 1..20u64, any::<bool>(), causes()).prop_map(|(min, max, linear, after)| {
            RetryDelay {
                min: Micros(min),
                max: Micros(max),
                growth: if linear {
                    Growth::Linear
                } else {
                    Growth::Exponential
                },
                after,
            }
        });
    proptest::option::weighted(0.3, delay)
}

fn budget() -> impl Strategy<Value = BudgetRule> {
    proptest::sample::select(
        &[
            BudgetRule::OnReceive,
            BudgetRule::OnReturn,
            BudgetRule::OnEnd,
        ][..],
    )
}

fn exhausted() -> impl Strategy<Value = Exhausted> {
    proptest::sample::select(
        &[
            Exhausted::DeadLetter,
            Exhausted::Drop,
            Exhausted::Archive,
            Exhausted::Stays,
        ][..],
    )
}

/// How messages come back and are counted.
fn returning() -> impl Strategy<Value = Rules> {
    let count = proptest::sample::select(
        &[CountRule::OnReceive, CountRule::OnReturn, CountRule::Never][..],
    );
    let steps = proptest::collection::vec(small().prop_map(Micros), 0..4);
    (
        place(),
        retry_delay(),
        steps,
        count,
        causes(),
        budget(),
        exhausted(),
    )
        .prop_map(
            |(returns_to, retry_delay, lease_steps, count, counted_returns, budget, exhausted)| {
                Rules {
                    returns_to,
                    retry_delay,
                    lease_steps,
                    count,
                    counted_returns,
                    budget,
                    exhausted,
                    ..Rules::default()
                }
            },
        )
}

fn limits() -> impl Strategy<Value = Rules> {
    let overflow = proptest::sample::select(
        &[
            Overflow::DropHead,
            Overflow::Refuse,
            Overflow::RefuseAndDeadLetter,
        ][..],
    );
    let some = || proptest::option::weighted(0.4, 1..5u32);
    let flags = any::<[bool; 6]>();
    (
        some(),
        some(),
        0..2u32,
        overflow,
        proptest::option::weighted(0.3, small()),
        flags,
    )
        .prop_map(
            |(capacity, in_flight_limit, overshoot, overflow, ttl, flags)| Rules {
                capacity,
                in_flight_limit,
                overshoot,
                overflow,
                ttl: ttl.map(Micros),
                capacity_counts: if flags[0] {
                    CapacityCounts::All
                } else {
                    CapacityCounts::Ready
                },
                expiry_noticed: if flags[1] {
                    ExpiryNoticed::AtHead
                } else {
                    ExpiryNoticed::Anywhere
                },
                expired_to: if flags[2] {
                    ExpiredTo::DeadLetter
                } else {
                    ExpiredTo::Removed
                },
                at_in_flight_limit: if flags[3] {
                    AtInFlightLimit::Error
                } else {
                    AtInFlightLimit::Empty
                },
                redeliveries_exempt: flags[4],
                priority: if flags[5] {
                    Priority::Strict {
                        max: 4,
                        default: 2,
                        lost_on_return: false,
                    }
                } else {
                    Priority::Off
                },
                ..Rules::default()
            },
        )
}

fn rules() -> impl Strategy<Value = Rules> {
    (returning(), limits()).prop_map(|(returning, limits)| {
        // Only brokers that return to the place or into a queue of returns have priorities.
        let is_ranked = matches!(
            returning.returns_to,
            ReturnPlace::Place | ReturnPlace::ReturnsQueue
        );
        let mut rules = Rules {
            returns_to: returning.returns_to,
            retry_delay: returning.retry_delay,
            lease_steps: returning.lease_steps,
            count: returning.count,
            counted_returns: returning.counted_returns,
            budget: returning.budget,
            exhausted: returning.exhausted,
            ..limits
        };
        if !is_ranked {
            rules.priority = Priority::Off;
        }
        rules
    })
}

/// A queue and its dead-letter queue, which it may lack.
fn setups() -> impl Strategy<Value = Vec<QueueSetup>> {
    let stale =
        proptest::sample::select(&[StaleAck::Ignored, StaleAck::Deletes, StaleAck::Refused][..]);
    let max = proptest::option::of(1..4u32);
    (rules(), small(), small(), max, stale, any::<bool>()).prop_map(
        |(rules, timeout, delay, max_deliveries, stale_ack, has_dead)| {
            let q = QueueSetup {
                visibility_timeout: Micros(timeout),
                delay: Micros(delay),
                max_deliveries,
                stale_ack,
                dead_letter_queue: has_dead.then_some(D),
                rules,
                ..plain("q", QueueKind::Standard)
            };
            vec![q, plain("d", QueueKind::Standard)]
        },
    )
}

fn change() -> impl Strategy<Value = Rule> {
    prop_oneof![
        budget().prop_map(Rule::Budget),
        exhausted().prop_map(Rule::Exhausted),
        causes().prop_map(Rule::CountedReturns),
        retry_delay().prop_map(Rule::RetryDelay),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let timeout = proptest::option::of(small());
    prop_oneof![
        10 => (
            prop_oneof![3 => Just(0), 1 => small()],
            proptest::option::of(0..6u8),
            proptest::option::weighted(0.3, small()),
            proptest::bool::weighted(0.8),
        ).prop_map(|(delay, priority, ttl, persistent)| Call::Send { delay, priority, ttl, persistent }),
        12 => (0..3u16, 1..5u32, timeout)
            .prop_map(|(consumer, max, timeout)| Call::Receive { consumer, max, timeout }),
        4 => any::<usize>().prop_map(Call::Ack),
        5 => (any::<usize>(), small()).prop_map(|(at, delay)| Call::Nack(at, delay)),
        3 => any::<usize>().prop_map(Call::Fail),
        1 => any::<usize>().prop_map(Call::Reject),
        2 => (any::<usize>(), small()).prop_map(|(at, time)| Call::Extend(at, time)),
        9 => small().prop_map(Call::Pass),
        1 => change().prop_map(Call::Change),
    ]
}

/// What else happens to a queue that pushes.
fn call_of_push() -> impl Strategy<Value = Call> {
    let one = || 0..4u16;
    prop_oneof![
        20 => call(),
        6 => (one(), 0..4u32, 0..3u16, proptest::bool::weighted(0.1))
            .prop_map(|(who, prefetch, priority, auto)| Call::Subscribe(who, prefetch, priority, auto)),
        2 => one().prop_map(Call::Cancel),
        2 => one().prop_map(Call::Close),
        2 => one().prop_map(Call::Disconnect),
        2 => any::<usize>().prop_map(Call::AckUpTo),
        2 => any::<usize>().prop_map(Call::NackUpTo),
        1 => Just(Call::Restart),
    ]
}

/// Queues that push, under the rules of [`setups`] that such queues may have.
fn pushing() -> impl Strategy<Value = Vec<QueueSetup>> {
    let durability = proptest::sample::select(
        &[
            Durability::Durable,
            Durability::Persistent,
            Durability::Volatile,
        ][..],
    );
    let patience = proptest::option::weighted(0.4, 1..12u64);
    let stale = proptest::sample::select(
        &[
            StaleAck::ClosesChannel,
            StaleAck::Ignored,
            StaleAck::Deletes,
        ][..],
    );
    (setups(), durability, patience, any::<[bool; 2]>(), stale).prop_map(
        |(mut setups, durability, patience, [single, cancels], stale_ack)| {
            setups[0].stale_ack = stale_ack;
            let rules = &mut setups[0].rules;
            rules.hand_over = HandOver::Push;
            rules.durability = durability;
            rules.consumer_timeout = patience.map(Micros);
            rules.single_active_consumer = single;
            if cancels {
                rules.at_consumer_timeout = AtConsumerTimeout::CancelsConsumer;
            }
            // Prefetch limits what is in flight there, per consumer.
            rules.in_flight_limit = None;
            setups
        },
    )
}

/// Broker and reference, worked in step.
struct Pair {
    broker: Broker,
    reference: Reference,
    receipts: Vec<Receipt>,
    now: Micros,
    sent: u32,
}

impl Pair {
    fn new(setups: &[QueueSetup]) -> Self {
        Self {
            broker: Broker::new(1, setups),
            reference: Reference::new(&setups[0]),
            receipts: Vec::new(),
            now: Micros::ZERO,
            sent: 0,
        }
    }

    fn call(&mut self, call: &Call) {
        let (broker, reference, now) = (&mut self.broker, &mut self.reference, self.now);
        let mut out = Vec::new();
        match call {
            Call::Send {
                delay,
                priority,
                ttl,
                persistent,
            } => {
                self.sent += 1;
                let incoming = Incoming {
                    message: MessageKey(self.sent),
                    number: MessageNumber(self.sent),
                    group: None,
                    deduplication_id: None,
                    content: DeduplicationKey(u64::from(self.sent)),
                    delay: (*delay > 0).then_some(Micros(*delay)),
                    priority: *priority,
                    ttl: ttl.map(Micros),
                    persistent: *persistent,
                };
                let sent = broker.send(now, Q, incoming, &mut out);
                assert_eq!(sent, reference.send(now, &incoming));
            }
            Call::Receive {
                consumer,
                max,
                timeout,
            } => {
                let is_pushed = reference.pushes();
                let demand = Demand {
                    consumer: ConsumerId(*consumer),
                    max: *max,
                    visibility_timeout: timeout.map(Micros).filter(|_| !is_pushed),
                    until: now,
                    call: 0,
                    automatic: false,
                };
                broker.register(now, Q, demand, &mut out);
                broker.deliver(now, Q, &mut out);
                reference.receive(now, &demand);
            }
            Call::Pass(time) => return self.pass(*time),
            Call::Change(rule) => {
                let change = queue_playground::engine::command::QueueChange::Rule(rule.clone());
                broker.change(now, Q, &change, &mut out);
                reference.setup.rules.set(rule.clone());
            }
            Call::Subscribe(who, prefetch, priority, automatic) => {
                let wish = Subscription {
                    consumer: ConsumerId(*who),
                    prefetch: *prefetch,
                    priority: *priority,
                    channel: None,
                    channel_prefetch: 0,
                    automatic: *automatic,
                };
                broker.subscribe(now, Q, wish, &mut out);
                reference.subscribe(wish);
            }
            Call::Cancel(who) => {
                broker.cancel(now, Q, ConsumerId(*who), &mut out);
                reference.cancel(ConsumerId(*who));
            }
            Call::Close(who) => {
                let reason = CloseReason::Command;
                broker.close_channel(now, Q, ConsumerId(*who), reason, &mut out);
                reference.close(now, ConsumerId(*who), reason);
            }
            Call::Disconnect(who) => {
                broker.disconnect(now, Q, ConsumerId(*who), &mut out);
                reference.disconnect(now, ConsumerId(*who));
            }
            Call::Restart => {
                broker.restart(now, &mut out);
                reference.restart(now);
                broker.declare(now, Q);
                reference.exists = true;
            }
            Call::Ack(at)
            | Call::AckUpTo(at)
            | Call::NackUpTo(at)
            | Call::Nack(at, _)
            | Call::Fail(at)
            | Call::Reject(at)
            | Call::Extend(at, _) => {
                let Some(nth) = at.checked_rem(self.receipts.len()) else {
                    return;
                };
                let receipt = self.receipts[nth];
                match call {
                    Call::AckUpTo(_) => {
                        let acked = broker.ack_up_to(now, receipt, &mut out);
                        reference.up_to(now, nth, true);
                        assert_eq!(acked, reference.ack(now, nth));
                    }
                    Call::NackUpTo(_) => {
                        let returned = broker.nack_up_to(now, receipt, &mut out);
                        reference.up_to(now, nth, false);
                        let nack = ReturnCause::Nack;
                        assert_eq!(returned, reference.give_back(now, nth, nack, Micros::ZERO));
                    }
                    Call::Nack(_, delay) => assert_eq!(
                        broker.nack(now, receipt, Micros(*delay), &mut out),
                        reference.give_back(now, nth, ReturnCause::Nack, Micros(*delay))
                    ),
                    Call::Fail(_) => assert_eq!(
                        broker.return_failed(now, receipt, &mut out),
                        reference.give_back(now, nth, ReturnCause::Failed, Micros::ZERO)
                    ),
                    Call::Extend(_, time) => assert_eq!(
                        broker.change_visibility(now, receipt, Micros(*time), &mut out),
                        reference.extend(now, nth, Micros(*time))
                    ),
                    Call::Reject(_) => {
                        assert_eq!(
                            broker.reject(now, receipt, &mut out),
                            reference.reject(now, nth)
                        )
                    }
                    _ => assert_eq!(broker.ack(now, receipt, &mut out), reference.ack(now, nth)),
                }
            }
        }
        self.settle(&mut out);
        self.compare(&out);
    }

    /// What the queue does by its own accord after a call.
    fn settle(&mut self, out: &mut Vec<Happening>) {
        if self.reference.pushes() {
            self.broker.deliver(self.now, Q, out);
            self.reference.deliver(self.now);
        }
    }

    /// Lets time pass, from timer to timer.
    fn pass(&mut self, time: u64) {
        let end = self.now + Micros(time);
        for _ in 0..10_000 {
            let next = self.broker.next_timer(Q);
            // The broker may wake up for nothing, but not late.
            let due = self.reference.next_timer();
            assert!(
                due.is_none_or(|due| next.is_some_and(|next| next <= due)),
                "{next:?} {due:?}"
            );
            self.now = next.unwrap_or(end).clamp(self.now, end);
            let mut out = Vec::new();
            self.broker.advance(self.now, Q, &mut out);
            self.reference.advance(self.now);
            self.settle(&mut out);
            self.compare(&out);
            if next.is_none_or(|next| next > end) {
                break;
            }
        }
        self.now = end;
    }

    fn compare(&mut self, out: &[Happening]) {
        let told = out.iter().filter(|it| it.queue == Q);
        let told = told
            .filter_map(|it| queue::told(it.message, &it.kind))
            .collect();
        assert_eq!(apart(told), apart(std::mem::take(&mut self.reference.told)));
        let receipts = out.iter().filter_map(|it| match it.kind {
            HappeningKind::Delivered { receipt, .. } => Some(receipt),
            _ => None,
        });
        self.receipts.extend(receipts);
        assert_eq!(self.broker.counts(Q), self.reference.counts());
        assert_eq!(
            self.broker.counts(D).moved_in,
            self.reference.counts().moved_out
        );
    }
}

/// Deliveries in their order; and what else happened at one instant, in no order.
fn apart(told: Vec<String>) -> [Vec<String>; 2] {
    let (delivered, mut others): (Vec<String>, Vec<String>) =
        told.into_iter().partition(|it| it.contains("delivery "));
    others.sort();
    [delivered, others]
}

/// Failures are reported with their seed, not written to files; `PROPTEST_CASES` sets how many runs are tried.
fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    Config {
        cases: cases.unwrap_or(3_000),
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_broker_does_what_the_reference_queue_does(
        setups in setups(),
        calls in proptest::collection::vec(call(), 1..60),
    ) {
        let mut pair = Pair::new(&setups);
        calls.iter().for_each(|call| pair.call(call));
    }

    #[test]
    fn a_queue_that_pushes_does_what_the_reference_queue_does(
        setups in pushing(),
        calls in proptest::collection::vec(call_of_push(), 1..60),
    ) {
        let mut pair = Pair::new(&setups);
        calls.iter().for_each(|call| pair.call(call));
    }
}
