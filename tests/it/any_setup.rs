//! Random setups and commands for property tests: small enough to run thousands, wild enough to meet every rule.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

const GROUPS: u32 = 3;

pub fn millis(range: std::ops::Range<u64>) -> impl Strategy<Value = Micros> {
    range.prop_map(Micros::from_millis)
}

fn chance() -> impl Strategy<Value = Chance> {
    prop_oneof![3 => Just(Chance(0)), 1 => (0..=1_000_000u32).prop_map(Chance)]
}

fn kind() -> impl Strategy<Value = QueueKind> {
    prop_oneof![Just(QueueKind::Standard), Just(QueueKind::Fifo)]
}

fn queue() -> impl Strategy<Value = QueueSetup> {
    let first = (
        kind(),
        millis(0..3_000),
        millis(0..500),
        option::of(millis(500..8_000)),
    );
    let second = (
        option::of(1..5u32),
        0..3usize,
        chance(),
        any::<bool>(),
        1..4u16,
    );
    (first, second).prop_map(|(first, second)| {
        let (kind, visibility_timeout, delay, retention) = first;
        let (max_deliveries, deduplication, surplus, deletes, shards) = second;
        QueueSetup {
            visibility_timeout,
            delay,
            retention,
            max_deliveries,
            dead_letter_queue: Some(QueueId(1)),
            deduplication: [
                Deduplication::Off,
                Deduplication::ById,
                Deduplication::ByContent,
            ][deduplication],
            deduplication_window: Micros::from_secs(2),
            // Endless duplicates would keep a message for ever.
            surplus_duplicates: Chance(surplus.0.min(300_000)),
            stale_ack: if deletes {
                StaleAck::Deletes
            } else {
                StaleAck::Ignored
            },
            shards,
            shards_sampled: 1,
            ..QueueSetup::new("q", kind)
        }
    })
}

fn producer() -> impl Strategy<Value = ProducerSetup> {
    let pattern = prop_oneof![
        millis(50..900).prop_map(|every| Pattern::Constant { every }),
        millis(50..900).prop_map(|mean| Pattern::Poisson { mean }),
        (1..6u32, millis(200..2_000)).prop_map(|(size, every)| Pattern::Bursts { size, every }),
        vec((millis(0..5_000), option::of(0..2u32)), 0..12).prop_map(|mut sends| {
            sends.sort_by_key(|send| send.0);
            let sends = sends.into_iter().map(|(at, body)| PlannedSend {
                body: body.map(BodyId),
                ..PlannedSend::at(at)
            });
            Pattern::List(sends.collect())
        }),
    ];
    let groups = prop_oneof![
        Just(Groups::None),
        vec((0..GROUPS).prop_map(GroupId), 1..5).prop_map(Groups::Cycle),
        Just(Groups::Weighted(
            (0..GROUPS).map(|it| (GroupId(it), it + 1)).collect()
        )),
    ];
    let poison = prop_oneof![
        Just(Poison::Never),
        (1..6u32).prop_map(Poison::Every),
        chance().prop_map(Poison::Share)
    ];
    (pattern, groups, poison, option::of(millis(100..900))).prop_map(
        |(pattern, groups, poison, confirm_timeout)| ProducerSetup {
            groups,
            poison,
            confirm_timeout,
            max_resends: 2,
            amount: 1,
            limit: Some(40),
            ..ProducerSetup::new("p", QueueId(0), pattern)
        },
    )
}

fn idempotence() -> impl Strategy<Value = Idempotence> {
    let methods = [
        IdempotenceMethod::None,
        IdempotenceMethod::CheckFirst,
        IdempotenceMethod::ClaimFirst,
        IdempotenceMethod::Transaction,
    ];
    let keys = [
        IdempotenceKey::MessageId,
        IdempotenceKey::BusinessKey,
        IdempotenceKey::Producer,
    ];
    (0..4usize, 0..3usize, option::of(1..5u32)).prop_map(move |(method, key, capacity)| {
        Idempotence {
            method: methods[method],
            key: keys[key],
            window: None,
            capacity,
        }
    })
}

fn consumer() -> impl Strategy<Value = ConsumerSetup> {
    let processing = prop_oneof![
        millis(0..3_000).prop_map(Processing::Constant),
        millis(1..1_000).prop_map(|mean| Processing::Exponential { mean }),
        (millis(0..500), millis(500..2_000))
            .prop_map(|(min, max)| Processing::Uniform { min, max }),
    ];
    let first = (
        1..4u16,
        option::of(1..11u16),
        1..9u32,
        any::<bool>(),
        processing,
    );
    let wait = prop_oneof![Just(Micros::ZERO), millis(500..5_000)];
    let second = (
        wait,
        0..3usize,
        chance(),
        any::<bool>(),
        idempotence(),
        any::<bool>(),
    );
    let third = (
        option::of(millis(100..900)),
        millis(0..300),
        millis(0..500),
        any::<bool>(),
        prop_oneof![4 => Just(false), 1 => Just(true)],
    );
    (first, second, third, rare()).prop_map(|(first, second, third, rare)| {
        let (workers, batch, prefetch, when_empty, processing) = first;
        let (wait, ack, failure, nacks, idempotence, permanent) = second;
        let (heartbeat, settle_time, base, skip_expired, by_hand) = third;
        ConsumerSetup {
            workers,
            batch,
            prefetch,
            refill: if when_empty {
                Refill::WhenEmpty
            } else {
                Refill::AsFreed
            },
            wait,
            poll_interval: Micros::from_millis(200),
            ack: [
                AckMoment::OnReceive,
                AckMoment::AtStart,
                AckMoment::AfterWork,
            ][ack],
            settle_time,
            failure: Failure {
                chance: failure,
                first_deliveries: 0,
                permanent,
            },
            on_failure: if let Some(on_failure) = rare.on_failure {
                on_failure
            } else if nacks {
                OnFailure::Nack(Backoff {
                    base,
                    factor_percent: 200,
                    cap: Micros::from_secs(2),
                    jitter: Chance(500_000),
                })
            } else {
                OnFailure::LetTimeoutEnd
            },
            heartbeat: heartbeat.map(|every| Heartbeat {
                every,
                extend_to: Micros::from_millis(1_000),
            }),
            idempotence,
            skip_expired,
            by_hand,
            ack_together: rare.ack_together,
            batch_work: rare.batch_work,
            breaker: rare.breaker,
            downstream: rare.downstream,
            crash_above: rare.crash_above,
            restart_after: rare.restart_after,
            ..ConsumerSetup::new("c", QueueId(0), processing)
        }
    })
}

/// What only some consumers have.
#[derive(Debug, Clone)]
struct Rare {
    ack_together: Option<AckTogether>,
    batch_work: BatchWork,
    breaker: Option<Breaker>,
    downstream: Option<u16>,
    crash_above: Option<u32>,
    restart_after: Option<Micros>,
    on_failure: Option<OnFailure>,
}

fn ack_together() -> impl Strategy<Value = AckTogether> {
    (option::of(1..5u32), option::of(millis(100..3_000)))
        .prop_map(|(count, every)| AckTogether { count, every })
}

fn rare() -> impl Strategy<Value = Rare> {
    let breaker =
        (1..4u32, millis(0..4_000)).prop_map(|(failures, open_for)| Breaker { failures, open_for });
    let seldom = |it| prop_oneof![3 => Just(None), 1 => it];
    let on_failure = [OnFailure::ReturnFailed, OnFailure::Reject, OnFailure::Crash];
    (
        (
            0..3usize,
            prop_oneof![3 => Just(None), 1 => ack_together().prop_map(Some)],
        ),
        seldom(breaker.prop_map(Some).boxed()),
        option::of(0..2u16),
        prop_oneof![3 => Just(None), 1 => (1..6u32).prop_map(Some)],
        option::of(millis(0..4_000)),
        prop_oneof![1 => Just(None), 1 => (0..3usize).prop_map(Some)],
    )
        .prop_map(
            move |((work, together), breaker, downstream, crash_above, restart_after, failing)| {
                Rare {
                    ack_together: together,
                    batch_work: [BatchWork::Each, BatchWork::Whole, BatchWork::Partial][work],
                    breaker,
                    downstream,
                    crash_above,
                    // A full consumer that starts again at once crashes for ever at one instant.
                    restart_after: restart_after.map(|it| it + Micros::from_millis(50)),
                    on_failure: failing.map(|it| on_failure[it]),
                }
            },
        )
}

fn downstream() -> impl Strategy<Value = DownstreamSetup> {
    let down = vec((millis(0..10_000), millis(0..3_000)), 0..3);
    (
        option::of(1..4u32),
        any::<bool>(),
        option::of(0..4u32),
        down,
    )
        .prop_map(|(at_once, fails, per_second, down)| DownstreamSetup {
            name: "downstream".into(),
            at_once,
            when_full: if fails {
                WhenFull::Fails
            } else {
                WhenFull::Waits
            },
            per_second,
            down: down
                .into_iter()
                .map(|(from, time)| (from, from + time))
                .collect(),
        })
}

fn network() -> impl Strategy<Value = NetworkSetup> {
    let delays = (
        millis(0..200),
        millis(0..200),
        millis(0..200),
        millis(0..200),
    );
    let real = (delays, chance(), chance(), chance(), chance()).prop_map(
        |(delays, lose_send, lose_confirm, lose_response, lose_ack)| NetworkSetup {
            send_delay: delays.0,
            confirm_delay: delays.1,
            ack_delay: delays.2,
            delivery_delay: delays.3,
            lose_send,
            lose_confirm,
            lose_response,
            lose_ack,
        },
    );
    prop_oneof![1 => Just(NetworkSetup::default()), 1 => real]
}

/// A command that any run of [`any_setup`] accepts.
pub fn command() -> impl Strategy<Value = Command> {
    let consumer = || (0..2u16).prop_map(ConsumerId);
    prop_oneof![
        consumer().prop_map(Command::Crash),
        consumer().prop_map(Command::Restart),
        consumer().prop_map(Command::Pause),
        consumer().prop_map(Command::Resume),
        (consumer(), 10..2_000u32)
            .prop_map(|(consumer, percent)| Command::SlowDown { consumer, percent }),
        consumer().prop_map(Command::LoseNextAck),
        Just(Command::PauseProducer(ProducerId(0))),
        Just(Command::ResumeProducer(ProducerId(0))),
        kind().prop_map(|kind| Command::SetQueue(QueueId(0), QueueChange::Kind(kind))),
        millis(0..4_000)
            .prop_map(|it| Command::SetQueue(QueueId(0), QueueChange::VisibilityTimeout(it))),
        millis(0..900).prop_map(|it| Command::SetQueue(QueueId(0), QueueChange::Delay(it))),
        option::of(millis(200..4_000))
            .prop_map(|it| Command::SetQueue(QueueId(0), QueueChange::Retention(it))),
        option::of(1..4u32)
            .prop_map(|it| Command::SetQueue(QueueId(0), QueueChange::MaxDeliveries(it))),
        (option::of(consumer()), 1..10u32).prop_map(|(consumer, prefetch)| {
            Command::SetConsumer(consumer, ConsumerChange::Prefetch(prefetch))
        }),
        (option::of(consumer()), 1..4u16).prop_map(|(consumer, workers)| {
            Command::SetConsumer(consumer, ConsumerChange::Workers(workers))
        }),
        millis(50..900).prop_map(|every| {
            let pattern = Pattern::Constant { every };
            Command::SetProducer(ProducerId(0), ProducerChange::Pattern(pattern))
        }),
        (
            1..20u32,
            option::of((0..GROUPS).prop_map(GroupId)),
            any::<bool>()
        )
            .prop_map(|(count, group, poison)| {
                let to = QueueId(0);
                Command::Send(HandSend {
                    count,
                    group,
                    poison,
                    amount: 1,
                    ..HandSend::to(to)
                })
            }),
        (option::of(1..4u32), option::of(1..6u32)).prop_map(|(limit, rate)| Command::Redrive {
            from: QueueId(1),
            limit,
            rate,
        }),
        Just(Command::CancelRedrive(QueueId(1))),
        consumer().prop_map(Command::Partition),
        consumer().prop_map(Command::Heal),
        about_one_message(),
        Just(Command::Purge(QueueId(0))),
        by_hand(),
    ]
}

/// A person takes the place of one of two consumers, gives it back, and acts in it.
pub fn by_hand() -> impl Strategy<Value = Command> {
    let consumer = || (0..2u16).prop_map(ConsumerId);
    let call = prop_oneof![
        Just(HandCall::Ack),
        Just(HandCall::Ack),
        millis(0..900).prop_map(|delay| HandCall::Nack { delay }),
        Just(HandCall::Fail),
        Just(HandCall::Reject),
        millis(0..4_000).prop_map(|to| HandCall::Extend { to }),
    ];
    let receive = (consumer(), 1..11u16, millis(0..2_000));
    prop_oneof![
        1 => (option::of(consumer()), any::<bool>())
            .prop_map(|(who, by_hand)| Command::SetConsumer(who, ConsumerChange::ByHand(by_hand))),
        2 => receive.prop_map(|(consumer, max, wait)| Command::Receive { consumer, max, wait }),
        3 => (consumer(), 1..12u32, call).prop_map(|(consumer, message, call)| Command::Settle {
            consumer,
            message: MessageNumber(message),
            call,
        }),
    ]
}

/// A command about a message of the first few.
pub fn about_one_message() -> impl Strategy<Value = Command> {
    let message = || (1..12u32).prop_map(MessageNumber);
    prop_oneof![
        message().prop_map(Command::ExpireNow),
        (message(), any::<bool>())
            .prop_map(|(message, poison)| Command::SetPoison { message, poison }),
        (message(), any::<bool>())
            .prop_map(|(message, fix)| Command::RedriveMessage { message, fix }),
        message().prop_map(|message| {
            let reason = DiscardReason::Obsolete;
            Command::Discard { message, reason }
        }),
    ]
}

/// Two consumers on a queue with a dead-letter queue, one producer, up to twelve commands in the first ten seconds.
pub fn any_setup() -> impl Strategy<Value = Setup> {
    let commands = vec(
        (
            millis(0..10_000),
            prop_oneof![3 => command().boxed(), 2 => by_hand().boxed()],
        ),
        0..12,
    );
    let actors = (
        producer(),
        vec(consumer(), 2..3),
        network(),
        vec(downstream(), 2),
    );
    (any::<u64>(), queue(), actors, commands).prop_map(|(seed, queue, actors, commands)| {
        let (producer, mut consumers, network, downstreams) = actors;
        for (index, consumer) in consumers.iter_mut().enumerate() {
            consumer.name = format!("c{index}");
        }
        let mut commands: Vec<TimedCommand> = commands
            .into_iter()
            .map(|(at, command)| TimedCommand { at, command })
            .collect();
        commands.sort_by_key(|timed| timed.at);
        let dead = QueueSetup::new("dlq", queue.kind);
        Setup {
            seed,
            groups: (0..GROUPS).map(|it| format!("g{it}")).collect(),
            bodies: vec!["a".into(), "b".into()],
            queues: vec![queue, dead],
            producers: vec![producer],
            consumers,
            downstreams,
            network,
            commands,
            ..Setup::empty()
        }
    })
}

/// A clone taken at any moment goes on as the run that it was taken from, and as one that was never interrupted.
pub fn continues_as_its_clone(setup: Setup, at: Micros, end: Micros) -> Result<(), TestCaseError> {
    let mut whole = Simulation::new(Arc::new(setup.clone()));
    let mut trace = Vec::new();
    whole.run_until(end, u64::MAX, &mut trace);
    let mut half = Simulation::new(Arc::new(setup));
    let mut events = Vec::new();
    half.run_until(at, u64::MAX, &mut events);
    let mut other = half.clone();
    half.run_until(end, u64::MAX, &mut Vec::new());
    other.run_until(end, u64::MAX, &mut events);
    prop_assert_eq!(&events, &trace);
    prop_assert_eq!(other.snapshot(), whole.snapshot());
    Ok(())
}

/// After every step each message of each queue is in one place, every event names an earlier cause, and time goes on.
pub fn keeps_all_in_one_place(setup: Setup, end: Micros) -> Result<(), TestCaseError> {
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    while simulation.next_at().is_some_and(|at| at <= end) {
        trace.clear();
        simulation.step(&mut trace);
        prop_assert!(
            trace
                .iter()
                .all(|it| it.cause.is_none_or(|cause| cause < it.ordinal))
        );
        for queue in &simulation.snapshot().queues {
            let it = &queue.counts;
            let there = it.ready + it.delayed + it.in_flight + it.undeliverable;
            let removed =
                it.expired + it.dropped + it.purged + it.discarded + it.archived + it.lost;
            let gone = it.acked + it.moved_out + removed;
            prop_assert_eq!(it.stored + it.moved_in, there + gone);
            let ready = queue.lanes.iter().flat_map(|lane| &lane.waiting);
            let delayed = queue.delayed.iter().map(|(token, _)| token);
            let held = queue.in_flight.iter().map(|held| &held.token);
            let shown = ready.chain(delayed).chain(held).chain(&queue.undeliverable);
            if there <= Snapshot::TOKENS as u64 {
                prop_assert_eq!(shown.count() as u64, there);
            }
        }
    }
    prop_assert!(
        !simulation.is_stuck(),
        "a rule makes a run go round in circles"
    );
    Ok(())
}
