//! Runs to travel in.

use std::sync::Arc;

use proptest::prelude::*;
use queue_playground::engine::command::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::{ConsumerId, GroupId, Micros, ProducerId, QueueId};

pub fn ms(milliseconds: u64) -> Micros {
    Micros::from_millis(milliseconds)
}

pub fn queue(name: &str) -> QueueSetup {
    QueueSetup {
        visibility_timeout: ms(3_000),
        retention: None,
        ..QueueSetup::new(name, QueueKind::Standard)
    }
}

pub fn producer(pattern: Pattern) -> ProducerSetup {
    ProducerSetup {
        amount: 20,
        ..ProducerSetup::new("shop", QueueId(0), pattern)
    }
}

pub fn consumer(name: &str, work: Micros) -> ConsumerSetup {
    ConsumerSetup::new(name, QueueId(0), Processing::Constant(work))
}

pub fn setup(producers: Vec<ProducerSetup>, consumers: Vec<ConsumerSetup>) -> Setup {
    let orders = QueueSetup {
        max_deliveries: Some(5),
        dead_letter_queue: Some(QueueId(1)),
        ..queue("orders")
    };
    Setup {
        seed: 7,
        groups: vec!["A".to_owned(), "B".to_owned(), "C".to_owned()],
        queues: vec![orders, queue("orders-dlq")],
        producers,
        consumers,
        ..Setup::empty()
    }
}

/// Ada, Ben and Cleo: worker-2 needs longer than the visibility timeout, so Ben is charged twice.
pub fn charged_twice() -> Setup {
    let sends = [500, 1_000, 2_000].map(|at| PlannedSend::at(ms(at)));
    setup(
        vec![producer(Pattern::List(sends.to_vec()))],
        vec![
            consumer("worker-1", ms(1_000)),
            consumer("worker-2", ms(4_500)),
        ],
    )
}

/// Many messages, some poison, on workers that are at times too slow.
pub fn busy() -> Setup {
    let mut busy = setup(
        vec![ProducerSetup {
            groups: Groups::Cycle(vec![GroupId(0), GroupId(0), GroupId(1), GroupId(2)]),
            poison: Poison::Every(7),
            ..producer(Pattern::Poisson { mean: ms(300) })
        }],
        vec![
            ConsumerSetup {
                prefetch: 4,
                ..consumer("worker-1", ms(900))
            },
            consumer("worker-2", ms(500)),
        ],
    );
    busy.consumers[0].processing = Processing::Exponential { mean: ms(900) };
    busy
}

pub fn shared(setup: Setup) -> Arc<Setup> {
    Arc::new(setup)
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        (50..2_000_u64).prop_map(|every| Pattern::Constant { every: ms(every) }),
        (50..2_000_u64).prop_map(|mean| Pattern::Poisson { mean: ms(mean) }),
        (1..8_u32, 500..5_000_u64).prop_map(|(size, every)| Pattern::Bursts {
            size,
            every: ms(every)
        }),
    ]
}

fn processing() -> impl Strategy<Value = Processing> {
    prop_oneof![
        (0..4_000_u64).prop_map(|work| Processing::Constant(ms(work))),
        (1..2_000_u64).prop_map(|mean| Processing::Exponential { mean: ms(mean) }),
        (1..2_000_u64).prop_map(|median| Processing::LogNormal {
            median: ms(median),
            sigma_milli: 800
        }),
        (0..1_000_u64, 1_000..5_000_u64).prop_map(|(min, max)| Processing::Uniform {
            min: ms(min),
            max: ms(max)
        }),
    ]
}

fn kind() -> impl Strategy<Value = QueueKind> {
    prop_oneof![Just(QueueKind::Standard), Just(QueueKind::Fifo)]
}

fn some_queue() -> impl Strategy<Value = QueueSetup> {
    (
        kind(),
        100..6_000_u64,
        prop_oneof![Just(0), 1..3_000_u64],
        prop::option::of(5_000..20_000_u64),
        prop::option::of(1..5_u32),
        prop_oneof![Just(0), Just(200_000_u32)],
    )
        .prop_map(
            |(kind, timeout, delay, retention, max, surplus)| QueueSetup {
                kind,
                visibility_timeout: ms(timeout),
                delay: ms(delay),
                retention: retention.map(ms),
                max_deliveries: max,
                surplus_duplicates: Chance(surplus),
                ..setup(Vec::new(), Vec::new()).queues.remove(0)
            },
        )
}

fn some_producer() -> impl Strategy<Value = ProducerSetup> {
    let groups = prop_oneof![
        Just(Groups::None),
        Just(Groups::Cycle(vec![GroupId(0), GroupId(1), GroupId(0)])),
        Just(Groups::Weighted(vec![
            (GroupId(0), 5),
            (GroupId(1), 1),
            (GroupId(2), 1)
        ])),
    ];
    let poison = prop_oneof![
        Just(Poison::Never),
        (2..9_u32).prop_map(Poison::Every),
        Just(Poison::Share(Chance(100_000))),
    ];
    (pattern(), groups, poison, prop::option::of(100..900_u64)).prop_map(
        |(pattern, groups, poison, confirm)| ProducerSetup {
            groups,
            poison,
            confirm_timeout: confirm.map(ms),
            max_resends: 2,
            ..producer(pattern)
        },
    )
}

fn some_consumer(number: usize) -> impl Strategy<Value = ConsumerSetup> {
    let method = prop_oneof![
        Just(IdempotenceMethod::None),
        Just(IdempotenceMethod::CheckFirst),
        Just(IdempotenceMethod::ClaimFirst),
        Just(IdempotenceMethod::Transaction),
    ];
    (
        processing(),
        1..4_u16,
        1..9_u32,
        prop_oneof![Just(0), 500..5_000_u64],
        (prop_oneof![Just(0), Just(300_000_u32)], any::<bool>()),
        (method, any::<bool>(), prop::option::of(200..900_u64)),
    )
        .prop_map(
            move |(processing, workers, prefetch, wait, (fails, nacks), (method, skip, beat))| {
                let mut made = consumer(&format!("worker-{number}"), Micros::ZERO);
                made.processing = processing;
                made.workers = workers;
                made.prefetch = prefetch;
                made.wait = ms(wait);
                made.poll_interval = ms(700);
                made.failure.chance = Chance(fails);
                made.idempotence.method = method;
                made.skip_expired = skip;
                made.heartbeat = beat.map(|every| Heartbeat {
                    every: ms(every),
                    extend_to: ms(2 * every),
                });
                if !nacks {
                    made.on_failure = OnFailure::LetTimeoutEnd;
                }
                made
            },
        )
}

fn network() -> impl Strategy<Value = NetworkSetup> {
    prop_oneof![
        3 => Just(NetworkSetup::default()),
        1 => (0..300_u64, 0..300_u64, 0..200_000_u32).prop_map(|(there, back, lose)| NetworkSetup {
            send_delay: ms(there),
            confirm_delay: ms(back),
            ack_delay: ms(there),
            delivery_delay: ms(back),
            lose_send: Chance(lose),
            lose_confirm: Chance(lose),
            lose_response: Chance(lose),
            lose_ack: Chance(lose),
        }),
    ]
}

/// Any small scenario: a queue with a DLQ, a producer, two consumers.
pub fn scenario() -> impl Strategy<Value = Setup> {
    (
        any::<u64>(),
        some_queue(),
        some_producer(),
        some_consumer(1),
        some_consumer(2),
        network(),
        prop::collection::vec((0..20_000_u64, command()), 0..3),
    )
        .prop_map(|(seed, orders, producer, one, two, network, planned)| {
            let mut made = setup(vec![producer], vec![one, two]);
            made.seed = seed;
            made.queues[0] = orders;
            made.queues[1].kind = made.queues[0].kind;
            made.network = network;
            made.commands = planned
                .into_iter()
                .map(|(at, command)| TimedCommand {
                    at: ms(at),
                    command,
                })
                .collect();
            made.commands.sort_by_key(|timed| timed.at);
            made
        })
}

/// Any intervention.
pub fn command() -> impl Strategy<Value = Command> {
    let who = (0..2_u16).prop_map(ConsumerId);
    let orders = QueueId(0);
    prop_oneof![
        who.clone().prop_map(Command::Crash),
        who.clone().prop_map(Command::Restart),
        who.clone().prop_map(Command::Pause),
        who.clone().prop_map(Command::Resume),
        who.clone().prop_map(|consumer| Command::SlowDown {
            consumer,
            percent: 1_000
        }),
        who.clone().prop_map(Command::LoseNextAck),
        Just(Command::PauseProducer(ProducerId(0))),
        Just(Command::ResumeProducer(ProducerId(0))),
        kind().prop_map(move |kind| Command::SetQueue(orders, QueueChange::Kind(kind))),
        (100..6_000_u64).prop_map(move |timeout| Command::SetQueue(
            orders,
            QueueChange::VisibilityTimeout(ms(timeout))
        )),
        (0..3_000_u64)
            .prop_map(move |delay| Command::SetQueue(orders, QueueChange::Delay(ms(delay)))),
        prop::option::of(1..5_u32)
            .prop_map(move |max| Command::SetQueue(orders, QueueChange::MaxDeliveries(max))),
        prop::option::of(2_000..20_000_u64)
            .prop_map(move |time| Command::SetQueue(orders, QueueChange::Retention(time.map(ms)))),
        (1..9_u32)
            .prop_map(|prefetch| Command::SetConsumer(None, ConsumerChange::Prefetch(prefetch))),
        (who.clone(), 1..4_u16).prop_map(|(consumer, workers)| Command::SetConsumer(
            Some(consumer),
            ConsumerChange::Workers(workers)
        )),
        (who.clone(), processing()).prop_map(|(consumer, processing)| Command::SetConsumer(
            Some(consumer),
            ConsumerChange::Processing(processing)
        )),
        pattern().prop_map(|pattern| Command::SetProducer(
            ProducerId(0),
            ProducerChange::Pattern(pattern)
        )),
        network().prop_map(Command::SetNetwork),
        (1..5_u32, any::<bool>()).prop_map(move |(count, poison)| Command::Send(HandSend {
            count,
            group: Some(GroupId(1)),
            poison,
            amount: 1,
            ..HandSend::to(orders)
        })),
        prop::option::of(1..6_u32).prop_map(|rate| Command::Redrive {
            from: QueueId(1),
            limit: None,
            rate
        }),
        Just(Command::CancelRedrive(QueueId(1))),
        who.clone().prop_map(Command::Partition),
        who.clone().prop_map(Command::Heal),
        crate::any_setup::about_one_message(),
        crate::any_setup::by_hand(),
        Just(Command::Purge(orders)),
    ]
}
