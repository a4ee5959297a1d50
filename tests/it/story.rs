//! The opening story, straight on the engine.

use std::sync::Arc;

use queue_playground::engine::setup::*;
use queue_playground::engine::*;

/// Standard queue; worker-1 takes 1.0 s, worker-2 4.5 s; three orders of 20.
fn charged_twice(visibility_timeout: Micros) -> Setup {
    let orders = QueueId(0);
    let mut queue = QueueSetup::new("orders", QueueKind::Standard);
    queue.visibility_timeout = visibility_timeout;
    queue.max_deliveries = Some(5);
    queue.dead_letter_queue = Some(QueueId(1));
    let names = ["Ada", "Ben", "Cleo"];
    let sends = [500, 1_000, 2_000]
        .iter()
        .enumerate()
        .map(|(index, &at)| PlannedSend {
            body: Some(BodyId(index as u32)),
            amount: Some(20),
            ..PlannedSend::at(Micros::from_millis(at))
        });
    let works = |name, millis| {
        ConsumerSetup::new(
            name,
            orders,
            Processing::Constant(Micros::from_millis(millis)),
        )
    };
    Setup {
        bodies: names.map(str::to_owned).to_vec(),
        queues: vec![queue, QueueSetup::new("orders-dlq", QueueKind::Standard)],
        producers: vec![ProducerSetup::new(
            "shop",
            orders,
            Pattern::List(sends.collect()),
        )],
        consumers: vec![works("worker-1", 1_000), works("worker-2", 4_500)],
        ..Setup::empty()
    }
}

fn run(setup: Setup, until: Micros) -> (Simulation, Ledger) {
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    assert_eq!(
        simulation.run_until(until, u64::MAX, &mut trace),
        Progress::Reached
    );
    let mut ledger = Ledger::default();
    trace.iter().for_each(|event| ledger.observe(event));
    (simulation, ledger)
}

fn secs(values: &[f64]) -> Vec<Micros> {
    values
        .iter()
        .map(|value| Micros((value * 1e6).round() as u64))
        .collect()
}

#[test]
fn ben_is_charged_twice_because_the_queue_sees_acks_and_not_work() {
    let (simulation, ledger) = run(charged_twice(Micros::from_secs(3)), Micros::from_secs(6));
    let totals = simulation.totals();
    assert_eq!(
        (totals.deliveries, totals.effects, totals.duplicate_effects),
        (4, 4, 1)
    );
    assert_eq!((totals.amount, totals.amount_due), (80, 60));
    let ben = ledger.message(MessageNumber(2)).unwrap();
    let delivered: Vec<Micros> = ledger
        .deliveries_of(ben)
        .map(|it| it.delivered_at)
        .collect();
    assert_eq!(delivered, secs(&[1.0, 4.0]));
    let charged: Vec<Micros> = ben.effects.iter().map(|it| it.0).collect();
    assert_eq!(charged, secs(&[5.0, 5.5]));
}

#[test]
fn what_the_effects_should_end_at_is_known_from_the_start() {
    let (simulation, _) = run(charged_twice(Micros::from_secs(3)), Micros::ZERO);
    assert_eq!(simulation.totals().amount_due, 60);
}

#[test]
fn a_timeout_longer_than_the_work_charges_everybody_once() {
    let (simulation, _) = run(charged_twice(Micros::from_secs(6)), Micros::from_secs(6));
    let totals = simulation.totals();
    assert_eq!(
        (totals.deliveries, totals.effects, totals.duplicate_effects),
        (3, 3, 0)
    );
    assert_eq!(totals.amount, 60);
}

#[test]
fn the_picture_at_4_6_s_shows_ben_with_both_workers() {
    let (simulation, _) = run(
        charged_twice(Micros::from_secs(3)),
        Micros::from_millis(4_600),
    );
    let snapshot = simulation.snapshot();
    let job = |index: usize| snapshot.consumers[index].workers[0].unwrap();
    assert_eq!(job(0).held.token.message, MessageNumber(2));
    assert_eq!(job(1).held.token.message, MessageNumber(2));
    assert_eq!(
        (job(0).held.token.deliveries, job(1).held.token.deliveries),
        (2, 1)
    );
    assert!(job(0).held.lease && !job(1).held.lease);
    assert_eq!(job(0).held.hidden_until, Micros::from_secs(7));
    assert_eq!(job(1).held.hidden_until, Micros::from_secs(4));
    assert_eq!(snapshot.queues[0].counts.ready, 0);
    assert_eq!(snapshot.queues[0].in_flight.len(), 1);
}

#[test]
fn a_crashed_worker_finishes_nothing_and_its_message_stays_hidden_until_the_timeout_ends() {
    let mut setup = charged_twice(Micros::from_secs(3));
    let at = Micros::from_millis(1_500);
    setup.commands.push(TimedCommand {
        at,
        command: Command::Crash(ConsumerId(1)),
    });
    let (simulation, ledger) = run(setup, Micros::from_secs(10));
    let ben = ledger.message(MessageNumber(2)).unwrap();
    let delivered: Vec<Micros> = ledger
        .deliveries_of(ben)
        .map(|it| it.delivered_at)
        .collect();
    assert_eq!(delivered, secs(&[1.0, 4.0]));
    let charged: Vec<Micros> = ben.effects.iter().map(|it| it.0).collect();
    assert_eq!(charged, secs(&[5.0]));
    assert_eq!(simulation.totals().duplicate_effects, 0);
}
