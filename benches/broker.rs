//! Broker calls a second at small and large backlogs, and the broker's memory of a waiting message.
//!
//! `broker/<backlog>` is the time of one call of a standard queue: sends, receives and acks in turn, eight messages
//! in flight, what is put out being written and cleared.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

#[path = "../tests/it/allocation.rs"]
mod allocation;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use queue_playground::engine::broker::*;
use queue_playground::engine::id::{ConsumerId, GroupId, MessageNumber, QueueId};
use queue_playground::engine::setup::*;
use queue_playground::engine::{Micros, Simulation};
use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::Arc;

const QUEUE: QueueId = QueueId(0);

fn setup(kind: QueueKind) -> QueueSetup {
    QueueSetup {
        max_deliveries: Some(5),
        ..QueueSetup::new("orders", kind)
    }
}

/// What the next call is.
#[derive(Clone, Copy)]
enum Next {
    Send,
    Receive,
    Ack,
}

/// A broker under steady load.
struct Load {
    broker: Broker,
    groups: u32,
    now: Micros,
    sent: u32,
    next: Next,
    held: VecDeque<Receipt>,
    out: Vec<Happening>,
}

impl Load {
    fn new(kind: QueueKind, groups: u32, backlog: u32) -> Self {
        let mut load = Self {
            broker: Broker::new(1, &[setup(kind)]),
            groups,
            now: Micros::ZERO,
            sent: 0,
            next: Next::Send,
            held: VecDeque::new(),
            out: Vec::new(),
        };
        (0..backlog).for_each(|_| load.send());
        (0..8).for_each(|_| load.receive());
        load
    }

    fn send(&mut self) {
        self.now += Micros(1);
        self.sent += 1;
        let incoming = Incoming {
            message: MessageKey(self.sent),
            number: MessageNumber(self.sent),
            group: self.sent.checked_rem(self.groups).map(GroupId),
            deduplication_id: None,
            content: DeduplicationKey(u64::from(self.sent)),
            delay: None,
            priority: None,
            ttl: None,
            persistent: true,
        };
        self.broker.send(self.now, QUEUE, incoming, &mut self.out);
    }

    fn receive(&mut self) {
        let demand = Demand {
            consumer: ConsumerId(0),
            max: 1,
            visibility_timeout: None,
            until: self.now + Micros::from_secs(20),
            call: u64::from(self.sent),
            automatic: false,
        };
        self.broker.register(self.now, QUEUE, demand, &mut self.out);
        self.broker.deliver(self.now, QUEUE, &mut self.out);
        for happening in self.out.drain(..) {
            if let HappeningKind::Delivered { receipt, .. } = happening.kind {
                self.held.push_back(receipt);
            }
        }
    }

    fn ack(&mut self) {
        if let Some(receipt) = self.held.pop_front() {
            black_box(self.broker.ack(self.now, receipt, &mut self.out));
        }
        if self
            .broker
            .next_timer(QUEUE)
            .is_some_and(|due| due <= self.now)
        {
            self.broker.advance(self.now, QUEUE, &mut self.out);
        }
    }

    fn call(&mut self) {
        self.next = match self.next {
            Next::Send => {
                self.send();
                Next::Receive
            }
            Next::Receive => {
                self.receive();
                Next::Ack
            }
            Next::Ack => {
                self.ack();
                Next::Send
            }
        };
    }
}

fn standard(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broker");
    group.throughput(Throughput::Elements(1));
    for backlog in [1_000, 100_000, 1_000_000] {
        let mut load = Load::new(QueueKind::Standard, 0, backlog);
        group.bench_function(BenchmarkId::from_parameter(backlog), |bencher| {
            bencher.iter(|| load.call());
        });
    }
    group.finish();
}

fn fifo(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broker_fifo_groups");
    group.throughput(Throughput::Elements(1));
    for groups in [1, 100, 100_000] {
        let mut load = Load::new(QueueKind::Fifo, groups, 200_000);
        group.bench_function(BenchmarkId::from_parameter(groups), |bencher| {
            bencher.iter(|| load.call());
        });
    }
    group.finish();
}

/// Time from one send to the next of one steady producer.
const STEP: Micros = Micros(100);

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
    let load = Load::new(QueueKind::Standard, 0, 10_000);
    criterion.bench_function("broker_clone/10000", |bencher| {
        bencher.iter(|| load.broker.clone());
    });
}

/// Prints the memory of a waiting message, and leaves it for the budget table in the folder `BENCH_RESULTS`.
fn memory(_: &mut Criterion) {
    let backlog = 1_000_000;
    let mut results = Vec::new();
    for (kind, name, groups) in [
        (QueueKind::Standard, "broker_bytes_per_message", 0),
        (QueueKind::Fifo, "broker_fifo_bytes_per_message", 100),
    ] {
        let (_broker, bytes) = allocation::held_by(|| Load::new(kind, groups, backlog).broker);
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

criterion_group!(benches, memory, standard, fifo, run, checkpoint);
criterion_main!(benches);
