//! Random calls on random settings: the broker does what the reference does, and nothing is lost or doubled.

use super::desk::{LONGEST, queue};
use super::model::{Model, State, describe};
use proptest::prelude::*;
use proptest::test_runner::Config;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::id::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::Counts;
use queue_playground::engine::time::Micros;
use std::collections::BTreeMap;

/// One call. Queues, consumers and receipts are taken modulo what there is.
#[derive(Clone, Debug)]
enum Call {
    Send {
        to: u16,
        group: Option<u32>,
        id: Option<u64>,
        delay: Option<u64>,
    },
    Receive {
        from: u16,
        consumer: u16,
        max: u32,
        timeout: Option<u64>,
        wait: u64,
    },
    Withdraw {
        from: u16,
        consumer: u16,
    },
    Ack(usize),
    Nack(usize, u64),
    Extend(usize, u64),
    Reject(usize),
    Pass(u64),
    Purge(u16),
    Redrive {
        from: u16,
        limit: Option<u32>,
        default_to: Option<u16>,
    },
    Change(u16, QueueChange),
}

const QUEUES: u16 = 3;

fn kind() -> impl Strategy<Value = QueueKind> {
    prop_oneof![Just(QueueKind::Standard), Just(QueueKind::Fifo)]
}

fn micros(values: &'static [u64]) -> impl Strategy<Value = Micros> {
    proptest::sample::select(values).prop_map(Micros)
}

fn change() -> impl Strategy<Value = QueueChange> {
    let retention = proptest::option::of(micros(&[1, 5, 20]));
    let max = proptest::option::of(0..4u32);
    let scope = prop_oneof![
        Just(DeduplicationScope::Queue),
        Just(DeduplicationScope::Group)
    ];
    prop_oneof![
        4 => kind().prop_map(QueueChange::Kind),
        1 => micros(&[0, 1, 3, 10]).prop_map(QueueChange::VisibilityTimeout),
        2 => micros(&[0, 1, 4, 9]).prop_map(QueueChange::Delay),
        1 => retention.prop_map(QueueChange::Retention),
        1 => max.prop_map(QueueChange::MaxDeliveries),
        1 => scope.prop_map(QueueChange::DeduplicationScope),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let small = || proptest::sample::select(&[0u64, 1, 2, 3, 5, 8][..]);
    let own_delay = prop_oneof![3 => Just(None), 1 => small().prop_map(Some)];
    prop_oneof![
        12 => (0..QUEUES, proptest::option::of(0..3u32), proptest::option::of(0..3u64), own_delay)
            .prop_map(|(to, group, id, delay)| Call::Send { to: to % 2 * 2, group, id, delay }),
        12 => (0..QUEUES, 0..4u16, 1..5u32, proptest::option::of(small()), small())
            .prop_map(|(from, consumer, max, timeout, wait)| {
                Call::Receive { from, consumer, max, timeout, wait }
            }),
        1 => (0..QUEUES, 0..4u16).prop_map(|(from, consumer)| Call::Withdraw { from, consumer }),
        5 => any::<usize>().prop_map(Call::Ack),
        3 => (any::<usize>(), small()).prop_map(|(receipt, delay)| Call::Nack(receipt, delay)),
        3 => (any::<usize>(), small()).prop_map(|(receipt, time)| Call::Extend(receipt, time)),
        1 => any::<usize>().prop_map(Call::Reject),
        8 => small().prop_map(Call::Pass),
        1 => Just(Call::Pass(LONGEST.0 - 3)),
        1 => (0..QUEUES).prop_map(Call::Purge),
        2 => (0..QUEUES, proptest::option::of(0..3u32), proptest::option::of(0..QUEUES))
            .prop_map(|(from, limit, default_to)| Call::Redrive { from, limit, default_to }),
        3 => (0..QUEUES, change()).prop_map(|(queue, change)| Call::Change(queue, change)),
    ]
}

/// Two queues with one dead-letter queue, in the middle.
fn setups() -> impl Strategy<Value = Vec<QueueSetup>> {
    let setup = (
        kind(),
        micros(&[0, 1, 3, 10]),
        micros(&[0, 0, 2, 5]),
        proptest::option::of(micros(&[4, 15, 40])),
        proptest::option::of(1..4u32),
        prop_oneof![
            Just(Deduplication::Off),
            Just(Deduplication::ById),
            Just(Deduplication::ByContent)
        ],
        any::<(bool, bool)>(),
        any::<bool>(),
    );
    proptest::collection::vec(setup, usize::from(QUEUES)).prop_map(|setups| {
        let setups = setups.into_iter().enumerate();
        setups
            .map(
                |(at, (kind, timeout, delay, retention, max, deduplication, flags, dead))| {
                    QueueSetup {
                        visibility_timeout: timeout,
                        delay,
                        retention,
                        max_deliveries: max,
                        dead_letter_queue: (at != 1 && dead).then_some(QueueId(1)),
                        deduplication,
                        deduplication_window: Micros(6),
                        stale_ack: if flags.0 {
                            StaleAck::Deletes
                        } else {
                            StaleAck::Ignored
                        },
                        surplus_duplicates: Chance(if flags.1 { 1_000_000 } else { 0 }),
                        ..queue(&at.to_string(), kind)
                    }
                },
            )
            .collect()
    })
}

/// The broker and the reference, worked in step.
struct Pair {
    broker: Broker,
    model: Model,
    receipts: Vec<Receipt>,
    now: Micros,
    sent: u32,
    /// Group of each message sent.
    groups: Vec<Option<GroupId>>,
    first_deliveries: Vec<(QueueId, MessageKey)>,
}

impl Pair {
    fn new(setups: &[QueueSetup]) -> Self {
        Self {
            broker: Broker::new(1, setups),
            model: Model::new(setups),
            receipts: Vec::new(),
            now: Micros::ZERO,
            sent: 0,
            groups: Vec::new(),
            first_deliveries: Vec::new(),
        }
    }

    fn call(&mut self, call: &Call) {
        let mut out = Vec::new();
        let now = self.now;
        let (broker, model) = (&mut self.broker, &mut self.model);
        match call {
            Call::Send {
                to,
                group,
                id,
                delay,
            } => {
                self.sent += 1;
                self.groups.push(group.map(GroupId));
                let incoming = Incoming {
                    message: MessageKey(self.sent),
                    number: MessageNumber(self.sent),
                    group: group.map(GroupId),
                    deduplication_id: id.map(DeduplicationKey),
                    content: DeduplicationKey(100 + u64::from(self.sent % 5)),
                    delay: delay.map(Micros),
                    priority: None,
                    ttl: None,
                    persistent: true,
                };
                let sent = broker.send(now, QueueId(*to), incoming, &mut out);
                assert_eq!(sent, model.send(now, QueueId(*to), incoming));
            }
            Call::Receive {
                from,
                consumer,
                max,
                timeout,
                wait,
            } => {
                let demand = Demand {
                    consumer: ConsumerId(*consumer),
                    max: *max,
                    visibility_timeout: timeout.map(Micros),
                    until: now + Micros(*wait),
                    call: 0,
                    automatic: false,
                };
                broker.register(now, QueueId(*from), demand, &mut out);
                model.register(now, QueueId(*from), demand);
                broker.deliver(now, QueueId(*from), &mut out);
                model.deliver(now, QueueId(*from));
            }
            Call::Withdraw { from, consumer } => {
                let withdrawn = broker.withdraw(QueueId(*from), ConsumerId(*consumer));
                assert_eq!(
                    withdrawn,
                    model.withdraw(QueueId(*from), ConsumerId(*consumer))
                );
            }
            Call::Purge(queue) => {
                broker.purge(now, QueueId(*queue), &mut out);
                model.purge(QueueId(*queue));
            }
            Call::Redrive {
                from,
                limit,
                default_to,
            } => {
                let to = default_to.map(QueueId);
                let moved = broker.redrive(now, QueueId(*from), *limit, to, &mut out);
                assert_eq!(moved, model.redrive(now, QueueId(*from), *limit, to));
            }
            Call::Change(queue, change) => {
                broker.change(now, QueueId(*queue), change, &mut out);
                model.change(now, QueueId(*queue), change);
            }
            Call::Pass(time) => return self.pass(*time),
            Call::Ack(at) | Call::Nack(at, _) | Call::Extend(at, _) | Call::Reject(at) => {
                let Some(lease) = at.checked_rem(self.receipts.len()) else {
                    return;
                };
                let receipt = self.receipts[lease];
                match call {
                    Call::Nack(_, delay) => assert_eq!(
                        broker.nack(now, receipt, Micros(*delay), &mut out),
                        model.hide(now, lease, Micros(*delay), true)
                    ),
                    Call::Extend(_, time) => assert_eq!(
                        broker.change_visibility(now, receipt, Micros(*time), &mut out),
                        model.hide(now, lease, Micros(*time), false)
                    ),
                    Call::Reject(_) => assert_eq!(
                        broker.reject(now, receipt, &mut out),
                        model.reject(now, lease)
                    ),
                    _ => assert_eq!(broker.ack(now, receipt, &mut out), model.ack(now, lease)),
                }
            }
        }
        self.compare(&out);
    }

    fn pass(&mut self, time: u64) {
        let end = self.now + Micros(time);
        for _ in 0..10_000 {
            let queues = || (0..QUEUES).map(QueueId);
            let next = queues()
                .filter_map(|queue| self.broker.next_timer(queue))
                .min();
            self.now = next.unwrap_or(end).clamp(self.now, end);
            let mut out = Vec::new();
            for queue in queues() {
                self.broker.advance(self.now, queue, &mut out);
                self.model.advance(self.now, queue);
                self.broker.deliver(self.now, queue, &mut out);
                self.model.deliver(self.now, queue);
            }
            self.compare(&out);
            if next.is_none_or(|next| next > end) {
                break;
            }
        }
        self.now = end;
    }

    fn compare(&mut self, out: &[Happening]) {
        let described: Vec<String> = out
            .iter()
            .map(|happening| describe(happening.queue, happening.message, &happening.kind))
            .collect();
        assert_eq!(described, std::mem::take(&mut self.model.out));
        for happening in out {
            if let (Some(message), HappeningKind::Delivered { delivery: 1, .. }) =
                (happening.message, happening.kind)
            {
                self.first_deliveries.push((happening.queue, message));
            }
        }
        self.receipts
            .extend(out.iter().filter_map(|happening| match happening.kind {
                HappeningKind::Delivered { receipt, .. } => Some(receipt),
                _ => None,
            }));
        self.model.recount();
        for (at, model) in self.model.queues.iter().enumerate() {
            let queue = QueueId(at as u16);
            let counts = self.broker.counts(queue);
            assert_eq!(counts, model.counts);
            assert_conserved(counts);
            assert_eq!(self.broker.next_timer(queue), model.next_timer());
            assert_eq!(self.broker.wants_deliver(queue), model.wants_deliver());
            assert_eq!(
                self.broker.oldest_ready_since(queue),
                model.oldest_ready_since()
            );
            let in_model = model.copies.iter().map(|copy| {
                let place = match copy.state {
                    State::Ready => "ready".to_owned(),
                    State::Delayed => format!("delayed {}", copy.moment),
                    State::InFlight(consumer) | State::Returning(consumer) => {
                        format!("in flight {consumer:?} {} {}", copy.moment, copy.deliveries)
                    }
                };
                (copy.incoming.message, place)
            });
            assert_eq!(places(&self.broker, queue), in_model.collect());
        }
        for (lease, &receipt) in self.receipts.iter().enumerate() {
            assert_eq!(
                self.broker.hidden_until(receipt),
                self.model.hidden_until(lease)
            );
        }
    }
}

fn assert_conserved(counts: Counts) {
    let Counts {
        ready,
        delayed,
        in_flight,
        acked,
        moved_out,
        expired,
        dropped,
        purged,
        discarded,
        undeliverable,
        archived,
        lost,
        ..
    } = counts;
    let gone = acked + moved_out + expired + dropped + purged + discarded + archived + lost;
    assert_eq!(
        counts.stored + counts.moved_in,
        ready + delayed + in_flight + undeliverable + gone
    );
}

/// Where the broker shows each message of a queue; no message may be in two places.
fn places(broker: &Broker, queue: QueueId) -> BTreeMap<MessageKey, String> {
    let all = usize::MAX;
    let mut places = BTreeMap::new();
    let mut add = |message, place: String| {
        assert!(
            places.insert(message, place).is_none(),
            "{message:?} is in two places"
        );
    };
    let (lanes, more) = broker.lanes(queue, all, all);
    assert_eq!(more, 0);
    for lane in lanes {
        assert_eq!(lane.ready as usize, lane.waiting.len());
        lane.waiting
            .iter()
            .for_each(|&(message, _)| add(message, "ready".to_owned()));
    }
    for (message, at) in broker.delayed(queue, all) {
        add(message, format!("delayed {at}"));
    }
    for held in broker.in_flight(queue, all) {
        let InFlight {
            message,
            deliveries,
            consumer,
            hidden_until,
        } = held;
        add(
            message,
            format!("in flight {consumer:?} {hidden_until} {deliveries}"),
        );
    }
    places
}

/// Failures are reported, not written to files; `PROPTEST_CASES` sets how many runs are tried.
fn config() -> Config {
    Config {
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_broker_does_what_the_reference_does(
        setups in setups(),
        calls in proptest::collection::vec(call(), 1..80),
    ) {
        let mut pair = Pair::new(&setups);
        calls.iter().for_each(|call| pair.call(call));
    }

    #[test]
    fn first_deliveries_of_a_fifo_group_keep_the_order_of_its_sends(
        calls in proptest::collection::vec(call(), 1..80),
    ) {
        let mut pair = Pair::new(&vec![QueueSetup {
            visibility_timeout: Micros(3),
            ..queue("q", QueueKind::Fifo)
        }; 3]);
        for call in calls {
            let disturbs = matches!(
                call,
                Call::Change(_, QueueChange::Kind(_) | QueueChange::Delay(_)) | Call::Redrive { .. }
            );
            if !disturbs {
                pair.call(&call);
            }
        }
        let mut newest = BTreeMap::new();
        for (queue, message) in pair.first_deliveries {
            let group = pair.groups[message.0 as usize - 1];
            let before = newest.insert((queue, group), message);
            prop_assert!(before < Some(message), "{message:?} after {before:?}");
        }
    }

    #[test]
    fn a_clone_goes_on_exactly_as_the_original(
        setups in setups(),
        calls in proptest::collection::vec(call(), 1..60),
        at in any::<proptest::sample::Index>(),
    ) {
        let mut pair = Pair::new(&setups);
        let at = at.index(calls.len());
        calls[..at].iter().for_each(|call| pair.call(call));
        pair.broker = pair.broker.clone();
        calls[at..].iter().for_each(|call| pair.call(call));
    }
}
