//! What other tools get wrong and this one must not: the points of the design's list that the engine answers for.

use std::sync::Arc;

use queue_playground::engine::ledger::DeliveryOutcome;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

const QUEUE: QueueId = QueueId(0);
const DLQ: QueueId = QueueId(1);

fn secs(seconds: f64) -> Micros {
    Micros((seconds * 1e6).round() as u64)
}

fn works(name: &str, seconds: f64) -> ConsumerSetup {
    ConsumerSetup::new(name, QUEUE, Processing::Constant(secs(seconds)))
}

fn sends(times: &[f64]) -> ProducerSetup {
    let sends = times.iter().map(|at| PlannedSend::at(secs(*at))).collect();
    ProducerSetup::new("producer", QUEUE, Pattern::List(sends))
}

fn setup(visibility_timeout: f64, producer: ProducerSetup, consumers: &[ConsumerSetup]) -> Setup {
    let mut queue = QueueSetup::new("queue", QueueKind::Standard);
    queue.visibility_timeout = secs(visibility_timeout);
    queue.dead_letter_queue = Some(DLQ);
    Setup {
        queues: vec![queue, QueueSetup::new("dlq", QueueKind::Standard)],
        producers: vec![producer],
        consumers: consumers.to_vec(),
        ..Setup::empty()
    }
}

fn run(setup: Setup, until: f64) -> (Simulation, Ledger, Vec<Event>) {
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    simulation.run_until(secs(until), u64::MAX, &mut trace);
    let mut ledger = Ledger::default();
    trace.iter().for_each(|event| ledger.observe(event));
    (simulation, ledger, trace)
}

fn delivery_times(ledger: &Ledger, number: u32) -> Vec<f64> {
    let record = ledger.message(MessageNumber(number)).unwrap();
    ledger
        .deliveries_of(record)
        .map(|delivery| delivery.delivered_at.as_secs_f64())
        .collect()
}

fn at(seconds: f64, command: Command) -> TimedCommand {
    TimedCommand {
        at: secs(seconds),
        command,
    }
}

#[test]
fn p1_a_crashed_worker_acknowledges_nothing_and_what_it_buffered_waits_for_the_timeout_too() {
    let mut greedy = works("greedy", 2.0);
    greedy.prefetch = 3;
    let mut setup = setup(10.0, sends(&[0.0, 0.0, 0.0]), &[greedy]);
    setup.commands = vec![
        at(1.0, Command::Crash(ConsumerId(0))),
        at(2.0, Command::Restart(ConsumerId(0))),
    ];
    let (simulation, ledger, trace) = run(setup, 9.9);
    assert_eq!(simulation.totals().executions, 0);
    assert_eq!(simulation.snapshot().queues[0].counts.in_flight, 3);
    assert!(
        trace
            .iter()
            .any(|it| matches!(it.kind, EventKind::Crashed { held: 3, .. }))
    );
    assert!(
        ledger
            .deliveries()
            .iter()
            .all(|it| it.outcome == DeliveryOutcome::Crashed)
    );
}

#[test]
fn p2_speed_is_not_the_engines_business_time_is_what_it_is_told() {
    let whole = run(setup(3.0, sends(&[0.0, 1.0]), &[works("c", 4.5)]), 12.0).2;
    let mut simulation =
        Simulation::new(Arc::new(setup(3.0, sends(&[0.0, 1.0]), &[works("c", 4.5)])));
    let mut trace = Vec::new();
    // Any pace of calls, pauses between them included, gives the same run.
    for at in [
        0, 1, 1, 7, 333_333, 4_000_000, 4_000_000, 11_999_999, 12_000_000,
    ] {
        simulation.run_until(Micros(at), u64::MAX, &mut trace);
    }
    assert_eq!(trace, whole);
}

#[test]
fn p3_a_changed_rate_rescales_the_wait_that_remains_and_starts_no_second_clock() {
    let every = |seconds| Pattern::Constant {
        every: secs(seconds),
    };
    let producer = ProducerSetup::new("producer", QUEUE, every(4.0));
    let mut setup = setup(30.0, producer, &[]);
    let change = ProducerChange::Pattern(every(1.0));
    setup.commands = vec![at(6.0, Command::SetProducer(ProducerId(0), change))];
    let (_, ledger, _) = run(setup, 9.0);
    // Sends at 0 and 4; the next was due at 8, 2 s away: a quarter of that is left, then one a second.
    let times: Vec<f64> = ledger
        .messages()
        .map(|it| it.1.sent_at[0].as_secs_f64())
        .collect();
    assert_eq!(times, [0.0, 4.0, 6.5, 7.5, 8.5]);
}

#[test]
fn p3_changing_settings_while_running_loses_no_message_and_does_not_reset_the_run() {
    let mut setup = setup(5.0, sends(&[0.0, 0.1, 0.2, 0.3, 0.4]), &[works("c", 1.0)]);
    setup.commands = vec![
        at(
            1.5,
            Command::SetQueue(QUEUE, QueueChange::Kind(QueueKind::Fifo)),
        ),
        at(2.0, Command::SetConsumer(None, ConsumerChange::Prefetch(3))),
        at(
            2.5,
            Command::SetQueue(QUEUE, QueueChange::VisibilityTimeout(secs(9.0))),
        ),
        at(3.0, Command::SetConsumer(None, ConsumerChange::Prefetch(1))),
        at(
            3.5,
            Command::SetQueue(QUEUE, QueueChange::Kind(QueueKind::Standard)),
        ),
    ];
    let (simulation, _, _) = run(setup, 10.0);
    let totals = simulation.totals();
    assert_eq!((totals.accepted, totals.effects, totals.acked), (5, 5, 5));
    assert_eq!(totals.duplicate_effects, 0);
}

#[test]
fn p4_latency_is_measured_from_the_send_so_it_contains_the_waiting() {
    let (simulation, _, _) = run(
        setup(30.0, sends(&[0.0, 0.0, 0.0]), &[works("c", 2.0)]),
        10.0,
    );
    let latency = |percent| simulation.latency(percent).unwrap().as_secs_f64();
    // The third waits 4 s and works 2 s.
    assert!((latency(100) - 6.0).abs() < 6.0 / 128.0, "{}", latency(100));
    assert!((latency(50) - 4.0).abs() < 4.0 / 128.0, "{}", latency(50));
}

#[test]
fn p7_the_count_grows_on_receive_and_the_move_comes_with_the_receive_that_would_exceed_it() {
    let mut consumer = works("c", 1.0);
    consumer.on_failure = OnFailure::LetTimeoutEnd;
    let mut producer = sends(&[0.0]);
    producer.poison = Poison::Every(1);
    let mut setup = setup(3.0, producer, &[consumer]);
    setup.queues[0].max_deliveries = Some(2);
    setup.commands = vec![at(4.5, Command::Pause(ConsumerId(0)))];
    setup
        .commands
        .push(at(20.0, Command::Resume(ConsumerId(0))));
    let (simulation, ledger, _) = run(setup.clone(), 19.9);
    assert_eq!(delivery_times(&ledger, 1), [0.0, 3.0]);
    // Nobody polls: exhausted, it stays visible in the source queue.
    assert_eq!(simulation.snapshot().queues[0].counts.ready, 1);
    assert_eq!(simulation.totals().dead_lettered, 0);
    let (_, ledger, _) = run(setup, 20.0);
    let moved = &ledger.message(MessageNumber(1)).unwrap().dead_lettered;
    assert_eq!(
        moved.iter().map(|it| it.0).collect::<Vec<_>>(),
        [secs(20.0)]
    );
}

#[test]
fn p9_a_greedy_consumer_hoards_because_it_asks_early_not_by_magic() {
    let greedy = |start: f64| ConsumerSetup {
        prefetch: 4,
        start: secs(start),
        ..works("g", 1.0)
    };
    let modest = |start: f64| ConsumerSetup {
        start: secs(start),
        ..works("m", 1.0)
    };
    let taken = |consumers: [ConsumerSetup; 2]| {
        let (simulation, _, _) = run(setup(30.0, sends(&[0.0; 4]), &consumers), 0.5);
        simulation.snapshot().consumers.map_held()
    };
    // Early, it takes all and the other idles; late, it takes what is left.
    assert_eq!(taken([greedy(0.0), modest(0.1)]), [4, 0]);
    assert_eq!(taken([greedy(0.1), modest(0.0)]), [3, 1]);
}

trait Held {
    fn map_held(&self) -> [usize; 2];
}

impl Held for Vec<snapshot::ConsumerView> {
    fn map_held(&self) -> [usize; 2] {
        [0, 1].map(|it| self[it].workers.iter().flatten().count() + self[it].buffered.len())
    }
}

fn guarded(method: IdempotenceMethod) -> ConsumerSetup {
    let idempotence = Idempotence {
        method,
        key: IdempotenceKey::MessageId,
        window: None,
        capacity: None,
    };
    ConsumerSetup {
        idempotence,
        ..works("c1", 4.5)
    }
}

/// One message, a timeout of 3 s, a worker that takes 4.5 s and another that takes 1 s.
fn overlap(method: IdempotenceMethod) -> Setup {
    let quick = ConsumerSetup {
        name: "c2".into(),
        ..guarded(method)
    };
    let quick = ConsumerSetup {
        processing: Processing::Constant(secs(1.0)),
        ..quick
    };
    let quick = ConsumerSetup {
        start: secs(1.0),
        ..quick
    };
    setup(3.0, sends(&[0.0]), &[guarded(method), quick])
}

#[test]
fn p10_check_first_does_not_help_two_handlers_that_run_at_the_same_time() {
    let (simulation, _, _) = run(overlap(IdempotenceMethod::CheckFirst), 10.0);
    assert_eq!(simulation.totals().effects, 2);
}

#[test]
fn p10_a_claim_or_a_transaction_makes_one_effect_of_two_deliveries() {
    for method in [
        IdempotenceMethod::ClaimFirst,
        IdempotenceMethod::Transaction,
    ] {
        let (simulation, _, _) = run(overlap(method), 10.0);
        let totals = simulation.totals();
        assert_eq!(
            (totals.deliveries, totals.effects, totals.lost),
            (2, 1, 0),
            "{method:?}"
        );
    }
}

#[test]
fn p10_a_crash_between_claim_and_effect_loses_the_effect() {
    let mut setup = overlap(IdempotenceMethod::ClaimFirst);
    setup.commands = vec![at(2.0, Command::Crash(ConsumerId(0)))];
    let (simulation, _, trace) = run(setup, 10.0);
    assert_eq!(
        (simulation.totals().effects, simulation.totals().lost),
        (0, 1)
    );
    let wrong = |it: &Event| matches!(it.kind, EventKind::EffectSkipped { wrongly: true, .. });
    assert!(trace.iter().any(wrong));
}

#[test]
fn p10_a_crash_between_effect_and_ack_makes_a_duplicate_unless_the_mark_is_in_the_transaction() {
    let crash = |method| {
        let mut setup = overlap(method);
        setup.consumers[0].processing = Processing::Constant(secs(1.0));
        setup.consumers[0].settle_time = secs(1.0);
        setup.commands = vec![at(1.5, Command::Crash(ConsumerId(0)))];
        run(setup, 10.0).0.totals().effects
    };
    assert_eq!(crash(IdempotenceMethod::None), 2);
    assert_eq!(crash(IdempotenceMethod::CheckFirst), 2);
    assert_eq!(crash(IdempotenceMethod::Transaction), 1);
}

#[test]
fn p10_the_wrong_key_takes_the_second_message_of_a_producer_for_a_duplicate() {
    let mut consumer = works("c", 1.0);
    consumer.idempotence.method = IdempotenceMethod::Transaction;
    consumer.idempotence.key = IdempotenceKey::Producer;
    let (simulation, _, _) = run(setup(30.0, sends(&[0.0, 0.0, 0.0]), &[consumer]), 10.0);
    assert_eq!(
        (simulation.totals().effects, simulation.totals().lost),
        (1, 2)
    );
}

#[test]
fn p11_every_chance_at_its_end_happens_always_and_at_zero_never() {
    let with = |chance| {
        let mut setup = setup(2.0, sends(&[0.0, 1.0, 2.0]), &[works("c", 0.5)]);
        setup.network.lose_ack = Chance(chance);
        run(setup, 1.9).0.totals()
    };
    assert_eq!((with(0).acked, with(0).effects), (2, 2));
    assert_eq!((with(1_000_000).acked, with(1_000_000).effects), (0, 2));
}

#[test]
fn p12_what_is_removed_without_an_effect_is_an_event_and_counts_as_lost() {
    // Retention, a purge, a dropped poison message, an at-most-once crash, a lost send.
    let mut early = works("c", 5.0);
    early.ack = AckMoment::OnReceive;
    let mut crash = setup(30.0, sends(&[0.0]), &[early]);
    crash.commands = vec![at(1.0, Command::Crash(ConsumerId(0)))];
    assert_eq!(run(crash, 2.0).0.totals().lost, 1);

    let mut expiry = setup(30.0, sends(&[0.0]), &[]);
    expiry.queues[0].retention = Some(secs(5.0));
    let (simulation, _, trace) = run(expiry, 5.0);
    assert_eq!(
        (simulation.totals().expired, simulation.totals().lost),
        (1, 1)
    );
    assert!(
        trace
            .iter()
            .any(|it| matches!(it.kind, EventKind::Expired { .. }))
    );

    let mut purge = setup(30.0, sends(&[0.0]), &[]);
    purge.commands = vec![at(1.0, Command::Purge(QUEUE))];
    let (simulation, _, trace) = run(purge, 2.0);
    assert_eq!(
        (simulation.totals().purged, simulation.totals().lost),
        (1, 1)
    );
    assert!(
        trace
            .iter()
            .any(|it| matches!(it.kind, EventKind::Purged { .. }))
    );

    let mut consumer = works("c", 0.5);
    consumer.failure = Failure {
        first_deliveries: 9,
        permanent: true,
        ..Failure::default()
    };
    let mut reject = setup(30.0, sends(&[0.0]), &[consumer]);
    reject.queues[0].dead_letter_queue = None;
    let (simulation, _, trace) = run(reject, 2.0);
    assert_eq!(
        (simulation.totals().dropped, simulation.totals().lost),
        (1, 1)
    );
    assert!(
        trace
            .iter()
            .any(|it| matches!(it.kind, EventKind::Dropped { .. }))
    );

    let mut send = setup(30.0, sends(&[0.0]), &[]);
    send.network.lose_send = Chance(1_000_000);
    let (simulation, _, trace) = run(send, 2.0);
    assert_eq!(
        (simulation.totals().sends_lost, simulation.totals().accepted),
        (1, 0)
    );
    assert!(
        trace
            .iter()
            .any(|it| matches!(it.kind, EventKind::SendLost { .. }))
    );
}

#[test]
fn a_nack_without_delay_at_zero_work_stops_the_run_and_says_so() {
    let mut producer = sends(&[1.0]);
    producer.poison = Poison::Every(1);
    let (simulation, _, trace) = run(setup(30.0, producer, &[works("c", 0.0)]), 5.0);
    assert!(simulation.is_stuck());
    assert_eq!(simulation.now(), secs(1.0));
    let last = trace.last().unwrap().kind;
    assert!(matches!(
        last,
        EventKind::Stuck {
            reason: event::StuckReason::Cycle,
            ..
        }
    ));
}

#[test]
fn a_re_send_without_a_confirm_is_a_second_copy_unless_deduplication_recognises_it() {
    let with = |deduplication| {
        let mut producer = sends(&[0.0]);
        producer.confirm_timeout = Some(secs(1.0));
        producer.max_resends = 3;
        let mut setup = setup(30.0, producer, &[works("c", 0.1)]);
        setup.network.lose_confirm = Chance(1_000_000);
        setup.queues[0].deduplication = deduplication;
        run(setup, 10.0).0.totals()
    };
    let without = with(Deduplication::Off);
    assert_eq!(
        (without.sent, without.accepted, without.duplicate_effects),
        (4, 4, 3)
    );
    let by_id = with(Deduplication::ById);
    assert_eq!((by_id.sent, by_id.accepted, by_id.suppressed), (4, 1, 3));
    assert_eq!((by_id.effects, by_id.lost), (1, 0));
}

#[test]
fn a_starving_group_is_an_event_with_its_oldest_message_and_ends_when_it_is_served() {
    // A slow worker on one group: the second message of it waits 15 s.
    let mut producer = sends(&[0.0, 0.0]);
    producer.groups = Groups::Cycle(vec![GroupId(0)]);
    let mut setup = setup(60.0, producer, &[works("c1", 15.0), works("c2", 1.0)]);
    setup.groups = vec!["A".into()];
    setup.queues[0].kind = QueueKind::Fifo;
    let (simulation, _, trace) = run(setup, 20.0);
    let group = Some(GroupId(0));
    let marks: Vec<(f64, &str)> = trace
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::StarvationBegan {
                group: it,
                oldest: MessageNumber(2),
                ..
            } if it == group => Some((event.at.as_secs_f64(), "began")),
            EventKind::StarvationEnded { group: it, .. } if it == group => {
                Some((event.at.as_secs_f64(), "ended"))
            }
            _ => None,
        })
        .collect();
    assert_eq!(marks, [(10.0, "began"), (15.0, "ended")]);
    // c2 had nothing it might take for 15 s, then c1 or c2 worked.
    assert_eq!(
        simulation.idle_while_waiting(Some(ConsumerId(1))),
        Some(secs(15.0))
    );
    assert_eq!(simulation.max_wait(Some(QUEUE), group), Some(secs(15.0)));
}
