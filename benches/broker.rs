//! Broker calls a second at small and large backlogs, with few and many groups and under rules that cost something, and
//! the broker's memory of a waiting message.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

#[path = "../tests/it/allocation.rs"]
mod allocation;
mod calls;

use calls::{CASES, Case, Load};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use queue_playground::engine::id::QueueId;
use queue_playground::engine::setup::*;
use queue_playground::engine::{Micros, Simulation};
use std::sync::Arc;

/// `broker/<case>` is the time of three calls: a send, a receive and an ack.
fn calls(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broker");
    group.throughput(Throughput::Elements(3));
    for case in CASES {
        let mut load = Load::new(case);
        group.bench_function(BenchmarkId::from_parameter(case.name), |bencher| {
            bencher.iter(|| load.three_calls());
        });
    }
    group.finish();
}

/// Time from one send to the next of one steady producer.
const STEP: Micros = Micros(100);
const QUEUE: QueueId = QueueId(0);

/// A whole run with a backlog: a send, a receive and an ack at each [`STEP`].
fn steady_run(backlog: u32) -> Simulation {
    let mut setup = Setup::empty();
    setup
        .queues
        .push(QueueSetup::new("orders", QueueKind::Standard));
    let burst = Pattern::Bursts {
        size: backlog,
        every: Micros::MAX,
    };
    let steady = Pattern::Constant { every: STEP };
    setup.producers.push(ProducerSetup {
        limit: Some(backlog),
        ..ProducerSetup::new("backlog", QUEUE, burst)
    });
    setup
        .producers
        .push(ProducerSetup::new("steady", QUEUE, steady));
    let work = Processing::Constant(Micros(4 * STEP.0));
    for consumer in ["a", "b", "c", "d"] {
        setup
            .consumers
            .push(ConsumerSetup::new(consumer, QUEUE, work));
    }
    setup.live_message_cap = u32::MAX;
    let mut run = Simulation::new(Arc::new(setup));
    run.run_until(Micros(100 * STEP.0), u64::MAX, &mut Vec::new());
    run
}

/// `run/<backlog>` is the time of three calls with all that a run does around them, the trace included.
fn run(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("run");
    group.throughput(Throughput::Elements(3));
    for backlog in [1_000, 1_000_000] {
        let mut run = steady_run(backlog);
        let mut trace = Vec::new();
        group.bench_function(BenchmarkId::from_parameter(backlog), |bencher| {
            bencher.iter(|| {
                trace.clear();
                run.run_until(run.now() + STEP, u64::MAX, &mut trace)
            });
        });
    }
    group.finish();
}

fn checkpoint(criterion: &mut Criterion) {
    let backlog = 10_000;
    let load = Load::new(Case {
        backlog,
        ..CASES[0]
    });
    criterion.bench_function("broker_clone/10000", |bencher| {
        bencher.iter(|| load.broker.clone());
    });
}

/// Prints the memory of a waiting message, and leaves it for the budget table in the folder `BENCH_RESULTS`.
fn memory(_: &mut Criterion) {
    let backlog = 1_000_000;
    let mut results = Vec::new();
    for (case, name) in [
        (CASES[0], "broker_bytes_per_message"),
        (CASES[4], "broker_fifo_bytes_per_message"),
        (CASES[8], "broker_priority_bytes_per_message"),
        (CASES[9], "broker_ttl_bytes_per_message"),
    ] {
        let case = Case { backlog, ..case };
        let (_broker, bytes) = allocation::held_by(|| Load::new(case).broker);
        let each = bytes as f64 / f64::from(backlog);
        println!("{name}: {each:.1}");
        results.push(format!("\"{name}\": {each:.1}"));
    }
    let (_run, bytes) = allocation::held_by(|| steady_run(backlog));
    let each = bytes as f64 / f64::from(backlog);
    println!("run_bytes_per_message: {each:.1}");
    results.push(format!("\"run_bytes_per_message\": {each:.1}"));
    if let Ok(folder) = std::env::var("BENCH_RESULTS") {
        let text = format!("{{ {} }}\n", results.join(", "));
        if let Err(error) = std::fs::write(format!("{folder}/broker.json"), text) {
            eprintln!("{folder}/broker.json: {error}");
        }
    }
}

criterion_group!(benches, memory, calls, run, checkpoint);
criterion_main!(benches);
