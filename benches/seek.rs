//! Copying a run and going back in it, one of 1,000,000 events with a backlog that stays below 10,000; and what a
//! session holds after hours.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

#[path = "../tests/it/allocation.rs"]
mod allocation;
mod load;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use load::{UNLIMITED, million, piling_up};
use queue_playground::engine::{Micros, Ordinal};
use queue_playground::session::Session;

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
            || Session::new(Arc::new(piling_up())),
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

/// Prints what a session holds after hours of simulated time, and leaves it for the budget table in the folder
/// `BENCH_RESULTS`.
fn long_run(_: &mut Criterion) {
    let held_after = |hour| {
        let (_session, bytes) = allocation::held_by(|| {
            let mut session = Session::new(Arc::new(load::all_day()));
            load::play_to(&mut session, hour);
            session
        });
        println!("held after {hour} h: {bytes} bytes");
        format!("\"held_{hour}_h\": {bytes}")
    };
    let results = [1, 5, 10].map(held_after);
    if let Ok(folder) = std::env::var("BENCH_RESULTS") {
        let text = format!("{{ {} }}\n", results.join(", "));
        if let Err(error) = std::fs::write(format!("{folder}/long_run.json"), text) {
            eprintln!("{folder}/long_run.json: {error}");
        }
    }
}

criterion_group!(benches, long_run, clone, seek, play);
criterion_main!(benches);
