//! Copying a run and going back in it: one of 1,000,000 events with a backlog that stays below 10,000.
//!

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use queue_playground::engine::setup::*;
use queue_playground::engine::{Micros, Ordinal, QueueId};
use queue_playground::session::Session;

const EVENTS: u64 = 1_000_000;
const UNLIMITED: u64 = u64::MAX;

/// 100 messages a second, first piling up to nearly 10,000, then worked off by as many as come.
fn setup() -> Setup {
    let queue = |name: &str, dead: Option<QueueId>| QueueSetup {
        name: name.into(),
        kind: QueueKind::Standard,
        visibility_timeout: Micros::from_secs(30),
        delay: Micros::ZERO,
        retention: Some(Micros::from_secs(345_600)),
        max_deliveries: dead.map(|_| 5),
        dead_letter_queue: dead,
        deduplication: Deduplication::Off,
        deduplication_window: Micros::from_secs(300),
        deduplication_scope: DeduplicationScope::Queue,
        stale_ack: StaleAck::Ignored,
        surplus_duplicates: Chance(0),
        shards: 1,
        shards_sampled: 1,
    };
    let producer = ProducerSetup {
        name: "shop".into(),
        to: QueueId(0),
        pattern: Pattern::Constant {
            every: Micros::from_millis(10),
        },
        start: Micros::ZERO,
        limit: None,
        groups: Groups::None,
        poison: Poison::Never,
        processing: None,
        delay: None,
        amount: 1,
        confirm_timeout: None,
        max_resends: 0,
    };
    let consumer = ConsumerSetup {
        name: "worker-1".into(),
        stream: "worker-1".into(),
        from: QueueId(0),
        workers: 10,
        batch: None,
        prefetch: 10,
        refill: Refill::AsFreed,
        wait: Micros::from_secs(20),
        poll_interval: Micros::ZERO,
        visibility_timeout: None,
        processing: Processing::Constant(Micros::from_millis(100)),
        ack: AckMoment::AfterWork,
        settle_time: Micros::ZERO,
        failure: Failure::default(),
        on_failure: OnFailure::LetTimeoutEnd,
        heartbeat: None,
        idempotence: Idempotence {
            method: IdempotenceMethod::None,
            key: IdempotenceKey::MessageId,
            window: None,
            capacity: None,
        },
        skip_expired: false,
        start: Micros::from_secs(99),
    };
    Setup {
        seed: 1,
        duration: None,
        groups: Vec::new(),
        bodies: Vec::new(),
        deduplication_ids: Vec::new(),
        queues: vec![queue("orders", Some(QueueId(1))), queue("orders-dlq", None)],
        producers: vec![producer],
        consumers: vec![consumer],
        network: NetworkSetup::default(),
        commands: Vec::new(),
        starvation: StarvationSetup::default(),
        live_message_cap: 200_000,
    }
}

/// A session that knows [`EVENTS`] events, the playhead at their end.
fn million() -> Session {
    let mut session = Session::new(Arc::new(setup()));
    let mut second = 0;
    while session.known_events() < Ordinal(EVENTS) {
        second += 1;
        session.advance_to(Micros::from_secs(second), UNLIMITED);
    }
    session
}

fn clone(criterion: &mut Criterion) {
    let session = million();
    criterion.bench_function("clone", |bencher| {
        bencher.iter(|| black_box(session.simulation().clone()));
    });
}

fn seek(criterion: &mut Criterion) {
    let mut session = million();
    let end = session.playhead().at;
    let (bytes, count) = session.checkpoint_size();
    println!(
        "{} events in {end} s of simulated time, {count} checkpoints of {bytes} bytes",
        session.known_events().0
    );
    let mut group = criterion.benchmark_group("seek");
    group.sample_size(20);
    for percent in [5, 50, 95] {
        let place = BenchmarkId::from_parameter(format!("{percent} %"));
        group.bench_function(place, |bencher| {
            let mut offset = 0;
            bencher.iter(|| {
                // A different distance to the checkpoint before each time.
                offset = (offset + 7_919_001) % 60_000_000;
                let at = end.scaled(percent, 100) + Micros(offset);
                session.seek(at, UNLIMITED);
                black_box(session.playhead())
            });
        });
    }
    group.finish();
}

fn play(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("play");
    group.sample_size(10);
    group.bench_function("100,000 events, recorded", |bencher| {
        bencher.iter_batched(
            || Session::new(Arc::new(setup())),
            |mut session| {
                let mut second = 0;
                while session.known_events() < Ordinal(100_000) {
                    second += 1;
                    session.advance_to(Micros::from_secs(second), UNLIMITED);
                }
                session
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

criterion_group!(benches, clone, seek, play);
criterion_main!(benches);
