//! Snapshots written by hand, for tests of what is drawn and said.

use crate::engine::event::{DeadLetterReason, Ordinal};
use crate::engine::setup::*;
use crate::engine::snapshot::*;
use crate::engine::{
    BodyId, ConsumerId, GroupId, MessageNumber, Micros, ProducerId, QueueId, Setup,
};

/// A setup and a moment of its run.
pub struct Fixture {
    /// What runs.
    pub setup: Setup,
    /// The moment.
    pub snapshot: Snapshot,
    /// Unit of the amounts.
    pub unit: &'static str,
    /// What an effect is called.
    pub effect_label: &'static str,
}

/// Milliseconds.
pub fn ms(milliseconds: u64) -> Micros {
    Micros::from_millis(milliseconds)
}

/// A message.
pub fn token(message: u32, group: Option<u32>, deliveries: u32) -> Token {
    Token {
        message: MessageNumber(message),
        body: None,
        group: group.map(GroupId),
        deliveries,
        poison: false,
    }
}

/// A delivery in a consumer's hands.
pub fn held(token: Token, delivered_at: u64, hidden_until: u64, now: u64) -> HeldView {
    HeldView {
        token,
        delivered_at: ms(delivered_at),
        hidden_until: ms(hidden_until),
        lease: hidden_until > now,
        acked: false,
    }
}

/// A handler at work.
pub fn job(held: HeldView, ends: u64) -> Option<JobView> {
    Some(JobView {
        held,
        started: held.delivered_at,
        ends: ms(ends),
    })
}

fn queue(
    name: &str,
    kind: QueueKind,
    timeout: u64,
    max: Option<u32>,
    dead: Option<u16>,
) -> QueueSetup {
    QueueSetup {
        name: name.into(),
        kind,
        visibility_timeout: ms(timeout),
        delay: Micros::ZERO,
        retention: Some(Micros::from_secs(4 * 86_400)),
        max_deliveries: max,
        dead_letter_queue: dead.map(QueueId),
        deduplication: Deduplication::Off,
        deduplication_window: Micros::from_secs(300),
        deduplication_scope: DeduplicationScope::Queue,
        stale_ack: StaleAck::Ignored,
        surplus_duplicates: Chance(0),
        shards: 1,
        shards_sampled: 1,
    }
}

fn producer(name: &str, pattern: Pattern, groups: Groups) -> ProducerSetup {
    ProducerSetup {
        name: name.into(),
        to: QueueId(0),
        pattern,
        start: ms(200),
        limit: None,
        groups,
        poison: Poison::Never,
        processing: None,
        delay: None,
        amount: 0,
        confirm_timeout: None,
        max_resends: 3,
    }
}

fn consumer(name: &str, work: u64, prefetch: u32) -> ConsumerSetup {
    ConsumerSetup {
        name: name.into(),
        stream: name.into(),
        from: QueueId(0),
        workers: 1,
        batch: None,
        prefetch,
        refill: Refill::AsFreed,
        wait: Micros::from_secs(20),
        poll_interval: ms(100),
        visibility_timeout: None,
        processing: Processing::Constant(ms(work)),
        ack: AckMoment::AfterWork,
        failure: Failure::default(),
        on_failure: OnFailure::Nack(Backoff::NONE),
        heartbeat: None,
        idempotence: Idempotence {
            method: IdempotenceMethod::None,
            key: IdempotenceKey::MessageId,
            window: None,
            capacity: None,
        },
        skip_expired: false,
        settle_time: Micros::ZERO,
        start: Micros::ZERO,
    }
}

fn setup(
    queues: Vec<QueueSetup>,
    producers: Vec<ProducerSetup>,
    consumers: Vec<ConsumerSetup>,
) -> Setup {
    Setup {
        seed: 1,
        duration: None,
        groups: Vec::new(),
        bodies: Vec::new(),
        deduplication_ids: Vec::new(),
        queues,
        producers,
        consumers,
        network: NetworkSetup::default(),
        commands: Vec::new(),
        starvation: StarvationSetup::default(),
        live_message_cap: 200_000,
    }
}

/// The beginning of a run as a snapshot: nothing sent, all consumers idle.
pub fn quiet(setup: &Setup, at: u64) -> Snapshot {
    let dead: Vec<QueueId> = setup
        .queues
        .iter()
        .filter_map(|queue| queue.dead_letter_queue)
        .collect();
    Snapshot {
        at: ms(at),
        ordinal: Ordinal(0),
        queues: (0..)
            .map(QueueId)
            .zip(&setup.queues)
            .map(|(id, queue)| QueueView {
                setup: queue.clone(),
                counts: Counts::default(),
                oldest_since: None,
                lanes: Vec::new(),
                more_lanes: 0,
                in_flight: Vec::new(),
                delayed: Vec::new(),
                dead_letters: Vec::new(),
                is_dead_letter_queue: dead.contains(&id),
            })
            .collect(),
        producers: setup
            .producers
            .iter()
            .map(|producer| ProducerView {
                setup: producer.clone(),
                sent: 0,
                planned: None,
                resent: 0,
                next_at: None,
                paused: false,
            })
            .collect(),
        consumers: setup
            .consumers
            .iter()
            .map(|consumer| ConsumerView {
                setup: consumer.clone(),
                status: ConsumerStatus::Running,
                slow_percent: 100,
                loses_next_ack: false,
                workers: vec![None; consumer.workers.into()],
                buffered: Vec::new(),
                idle: Some((Micros::ZERO, IdleReason::QueueEmpty)),
                executions: 0,
                busy: Micros::ZERO,
                stored_ids: 0,
            })
            .collect(),
        outside: OutsideView::default(),
        travelling: Vec::new(),
        network: setup.network,
        totals: Totals::default(),
        stuck: false,
    }
}

/// The opening scenario at 4.6 s: Ben is with both workers.
pub fn charged_twice() -> Fixture {
    let list = [(500, 0), (1_000, 1), (2_000, 2)].map(|(at, body)| PlannedSend {
        at: ms(at),
        body: Some(BodyId(body)),
        group: None,
        deduplication_id: None,
        delay: None,
        poison: false,
        processing: None,
        amount: Some(20),
    });
    let mut setup = setup(
        vec![
            queue("orders", QueueKind::Standard, 3_000, Some(5), Some(1)),
            queue("orders-dlq", QueueKind::Standard, 30_000, None, None),
        ],
        vec![producer("shop", Pattern::List(list.to_vec()), Groups::None)],
        vec![
            consumer("worker-1", 1_000, 1),
            consumer("worker-2", 4_500, 1),
        ],
    );
    setup.bodies = ["Ada", "Ben", "Cleo"].map(String::from).to_vec();
    let named = |message: u32, deliveries| Token {
        body: Some(BodyId(message - 1)),
        ..token(message, None, deliveries)
    };
    let mut snapshot = quiet(&setup, 4_600);
    snapshot.producers[0].sent = 3;
    snapshot.producers[0].planned = Some(3);
    snapshot.queues[0].counts = Counts {
        stored: 3,
        in_flight: 1,
        acked: 2,
        ..Counts::default()
    };
    snapshot.queues[0].in_flight = vec![InFlightView {
        token: named(2, 2),
        consumer: Some(ConsumerId(0)),
        hidden_until: ms(7_000),
    }];
    snapshot.consumers[0].workers = vec![job(held(named(2, 2), 4_000, 7_000, 4_600), 5_000)];
    snapshot.consumers[1].workers = vec![job(held(named(2, 1), 1_000, 4_000, 4_600), 5_500)];
    for consumer in &mut snapshot.consumers {
        consumer.idle = None;
    }
    let effect = |message, at| EffectView {
        token: named(message, 1),
        consumer: ConsumerId(0),
        at: ms(at),
        nth: 1,
        amount: 20,
    };
    snapshot.outside.recent = vec![effect(1, 1_500), effect(3, 3_000)];
    snapshot.totals = Totals {
        sent: 3,
        accepted: 3,
        deliveries: 4,
        executions: 2,
        effects: 2,
        amount: 40,
        amount_due: 60,
        acked: 2,
        ..Totals::default()
    };
    Fixture {
        setup,
        snapshot,
        unit: "€",
        effect_label: "cards charged",
    }
}

/// The same at 6 s: Ben was charged twice.
pub fn charged_twice_end() -> Fixture {
    let mut fixture = charged_twice();
    let snapshot = &mut fixture.snapshot;
    let ben = snapshot.queues[0].in_flight[0].token;
    snapshot.at = ms(6_000);
    snapshot.queues[0].in_flight.clear();
    snapshot.queues[0].counts = Counts {
        stored: 3,
        acked: 3,
        ..Counts::default()
    };
    for consumer in &mut snapshot.consumers {
        consumer.workers = vec![None];
        consumer.idle = Some((ms(5_000), IdleReason::QueueEmpty));
    }
    let again = |consumer, at, nth| EffectView {
        token: ben,
        consumer: ConsumerId(consumer),
        at: ms(at),
        nth,
        amount: 20,
    };
    snapshot
        .outside
        .recent
        .extend([again(0, 5_000, 1), again(1, 5_500, 2)]);
    snapshot.outside.duplicates = vec![again(1, 5_500, 2)];
    let totals = &mut snapshot.totals;
    (totals.effects, totals.amount, totals.duplicate_effects) = (4, 80, 1);
    fixture
}

/// FIFO, three workers and a dead letter, at 10.9 s.
pub fn fifo() -> Fixture {
    let poison = |message, group, deliveries| Token {
        poison: true,
        ..token(message, Some(group), deliveries)
    };
    let mut setup = setup(
        vec![
            queue("orders.fifo", QueueKind::Fifo, 2_500, Some(3), Some(1)),
            queue("orders-dlq.fifo", QueueKind::Fifo, 30_000, None, None),
        ],
        vec![producer(
            "shop",
            Pattern::Bursts {
                size: 5,
                every: ms(4_000),
            },
            Groups::Cycle(vec![GroupId(0), GroupId(1), GroupId(2)]),
        )],
        vec![
            consumer("worker-1", 900, 1),
            consumer("worker-2", 2_900, 1),
            consumer("worker-3", 1_700, 1),
        ],
    );
    setup.groups = ["A", "B", "C"].map(String::from).to_vec();
    let mut snapshot = quiet(&setup, 10_900);
    snapshot.producers[0].sent = 15;
    let queue = &mut snapshot.queues[0];
    queue.counts = Counts {
        stored: 15,
        ready: 4,
        in_flight: 2,
        acked: 8,
        moved_out: 1,
        ..Counts::default()
    };
    queue.oldest_since = Some(ms(8_200));
    let lane = |group, waiting: Vec<Token>, locked_by| LaneView {
        group: Some(GroupId(group)),
        ready: waiting.len() as u32,
        waiting,
        locked_by: Some(MessageNumber(locked_by)),
        oldest_since: Some(ms(8_200)),
        starving_since: None,
    };
    queue.lanes = vec![
        lane(0, vec![token(12, Some(0), 0), token(14, Some(0), 0)], 11),
        lane(1, vec![token(13, Some(1), 0), poison(15, 1, 0)], 10),
    ];
    let flight = |token, consumer, until| InFlightView {
        token,
        consumer: Some(ConsumerId(consumer)),
        hidden_until: ms(until),
    };
    queue.in_flight = vec![
        flight(poison(10, 1, 3), 0, 13_000),
        flight(token(11, Some(0), 2), 2, 13_200),
    ];
    snapshot.queues[1].counts = Counts {
        moved_in: 1,
        ready: 1,
        ..Counts::default()
    };
    snapshot.queues[1].dead_letters = vec![DeadLetterView {
        token: poison(5, 1, 3),
        reason: DeadLetterReason::BudgetUsedUp,
        at: ms(8_700),
        from: QueueId(0),
    }];
    let now = 10_900;
    snapshot.consumers[0].workers = vec![job(held(poison(10, 1, 3), 10_500, 13_000, now), 11_400)];
    snapshot.consumers[1].workers =
        vec![job(held(token(11, Some(0), 1), 8_200, 10_700, now), 11_100)];
    snapshot.consumers[2].workers = vec![job(
        held(token(11, Some(0), 2), 10_700, 13_200, now),
        12_400,
    )];
    for consumer in &mut snapshot.consumers {
        consumer.idle = None;
    }
    let effect = |message, group, at, nth| EffectView {
        token: token(message, Some(group), nth),
        consumer: ConsumerId(0),
        at: ms(at),
        nth,
        amount: 0,
    };
    snapshot.outside.recent = vec![
        effect(3, 1, 3_100, 1),
        effect(3, 1, 4_400, 2),
        effect(8, 2, 7_100, 1),
        effect(8, 2, 7_800, 2),
    ];
    snapshot.outside.duplicates = vec![effect(3, 1, 4_400, 2), effect(8, 2, 7_800, 2)];
    snapshot.totals = Totals {
        sent: 15,
        accepted: 15,
        deliveries: 17,
        effects: 10,
        duplicate_effects: 2,
        dead_lettered: 1,
        acked: 8,
        ..Totals::default()
    };
    Fixture {
        setup,
        snapshot,
        unit: "",
        effect_label: "",
    }
}

/// Standard, 30 waiting, one worker buffers eight while the other idles, delayed ones behind.
pub fn backlog() -> Fixture {
    let mut fixture = fifo();
    fixture.setup.queues[0].kind = QueueKind::Standard;
    let now = 60_000;
    let mut snapshot = quiet(&fixture.setup, now);
    for consumer in &mut snapshot.consumers {
        consumer.setup.prefetch = 9;
    }
    let queue = &mut snapshot.queues[0];
    queue.counts = Counts {
        stored: 42,
        ready: 30,
        delayed: 2,
        in_flight: 9,
        ..Counts::default()
    };
    queue.oldest_since = Some(ms(18_000));
    queue.lanes = vec![LaneView {
        group: None,
        ready: 30,
        waiting: (20..50).map(|n| token(n, Some(n % 3), 0)).collect(),
        locked_by: None,
        oldest_since: Some(ms(18_000)),
        starving_since: Some(ms(28_000)),
    }];
    queue.delayed = vec![
        (token(50, None, 0), ms(63_000)),
        (token(51, None, 0), ms(64_000)),
    ];
    snapshot.consumers[0].workers =
        vec![job(held(token(10, None, 1), 59_000, 61_500, now), 59_900)];
    snapshot.consumers[0].buffered = (11..19)
        .map(|n| held(token(n, None, 1), 59_000, 61_500, now))
        .collect();
    snapshot.consumers[0].idle = None;
    snapshot.consumers[1].idle = Some((
        ms(52_000),
        IdleReason::OthersBuffer {
            consumer: ConsumerId(0),
            count: 9,
        },
    ));
    snapshot.consumers[2].status = ConsumerStatus::Paused;
    Fixture {
        snapshot,
        ..fixture
    }
}

/// A crashed worker still holds a message that stays hidden until 17.4 s.
pub fn crashed() -> Fixture {
    let mut fixture = charged_twice();
    let snapshot = &mut fixture.snapshot;
    let consumer = &mut snapshot.consumers[1];
    consumer.status = ConsumerStatus::Crashed;
    consumer.idle = Some((ms(3_000), IdleReason::NotRunning));
    if let Some(job) = consumer.workers[0].as_mut() {
        job.held.hidden_until = ms(17_400);
        job.held.lease = true;
        job.ends = ms(3_000);
    }
    fixture
}

/// A dead-letter queue with several messages and reasons, one of them from a rejection.
pub fn dead_letters() -> Fixture {
    let mut fixture = fifo();
    let queue = &mut fixture.snapshot.queues[1];
    queue.counts = Counts {
        moved_in: 20,
        ready: 20,
        ..Counts::default()
    };
    queue.dead_letters = (1..=20)
        .map(|n| DeadLetterView {
            token: token(n * 5, Some(n % 3), 3),
            reason: if n == 20 {
                DeadLetterReason::Rejected
            } else {
                DeadLetterReason::BudgetUsedUp
            },
            at: ms(u64::from(n) * 500),
            from: QueueId(0),
        })
        .collect();
    fixture
}

/// As much as the stage shows before it summarises: three producers, twelve groups, eight consumers with buffers.
pub fn full_house() -> Fixture {
    crowd(3, 12, 8)
}

/// More than the stage shows.
pub fn overfull() -> Fixture {
    crowd(9, 40, 22)
}

fn crowd(producers: u32, groups: u32, consumers: u32) -> Fixture {
    let mut setup = setup(
        vec![
            queue(
                "a-queue-with-a-rather-long-name.fifo",
                QueueKind::Fifo,
                30_000,
                Some(3),
                Some(1),
            ),
            queue("dead", QueueKind::Fifo, 30_000, None, None),
        ],
        (1..=producers)
            .map(|n| {
                let groups = Groups::Cycle((0..groups).map(GroupId).collect());
                producer(
                    &format!("producer-{n}"),
                    Pattern::Poisson { mean: ms(500) },
                    groups,
                )
            })
            .collect(),
        (1..=consumers)
            .map(|n| consumer(&format!("consumer-{n}"), 2_000, 4))
            .collect(),
    );
    setup.groups = (1..=groups).map(|n| format!("customer-{n}")).collect();
    let now = 100_000;
    let mut snapshot = quiet(&setup, now);
    let queue = &mut snapshot.queues[0];
    queue.lanes = (0..groups)
        .map(|g| LaneView {
            group: Some(GroupId(g)),
            ready: 9,
            waiting: (0..9)
                .map(|n| token(1_000 + g * 10 + n, Some(g), 0))
                .collect(),
            locked_by: (g % 2 == 0).then_some(MessageNumber(900 + g)),
            oldest_since: Some(ms(now - 1_000 * u64::from(g))),
            starving_since: (g > 9).then_some(ms(now - 900)),
        })
        .collect();
    queue.counts = Counts {
        ready: u64::from(groups) * 9,
        in_flight: 20,
        ..Counts::default()
    };
    queue.oldest_since = Some(ms(now - 11_000));
    for (n, consumer) in (0..).zip(&mut snapshot.consumers) {
        consumer.idle = None;
        consumer.workers = vec![job(
            held(
                token(900 + n, Some(n % groups), 1 + n % 3),
                99_000,
                129_000,
                now,
            ),
            101_000,
        )];
        consumer.buffered = (0..3)
            .map(|b| held(token(950 + n * 4 + b, Some(b), 1), 99_000, 129_000, now))
            .collect();
    }
    Fixture {
        setup,
        snapshot,
        unit: "",
        effect_label: "",
    }
}

/// Every fixture.
pub fn all() -> Vec<(&'static str, Fixture)> {
    vec![
        ("charged_twice", charged_twice()),
        ("charged_twice_end", charged_twice_end()),
        ("fifo", fifo()),
        ("backlog", backlog()),
        ("crashed", crashed()),
        ("dead_letters", dead_letters()),
        ("full_house", full_house()),
        ("overfull", overfull()),
    ]
}

/// The producer of the fixtures.
pub const SHOP: ProducerId = ProducerId(0);
