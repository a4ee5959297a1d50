//! Golden traces: what a shipped scenario does is frozen until a change to it is meant.
//!
//! After a change that is meant, `UPDATE_GOLDEN=1 cargo test --test it golden` writes the files anew, and CHANGELOG.md
//! names the scenarios whose results changed.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use queue_playground::engine::*;
use queue_playground::scenario::{Scenario, catalogue};

/// Longest simulated time of a golden trace.
const END: Micros = Micros::from_secs(60);

fn trace_of(slug: &str) -> Vec<Event> {
    let shipped = catalogue::find(slug).expect("shipped");
    let setup = Scenario::from_json(shipped.json)
        .expect("valid")
        .lower()
        .expect("sound");
    let end = setup.duration.unwrap_or(END).min(END);
    let mut trace = Vec::new();
    Simulation::new(Arc::new(setup)).run_until(end, u64::MAX, &mut trace);
    trace
}

/// Compares with the file, or writes it when asked to.
fn check(file: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("tests/golden can be written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = golden
        .lines()
        .zip(text.lines())
        .position(|(old, new)| old != new);
    if let Some(line) = differs {
        let (old, new) = (golden.lines().nth(line), text.lines().nth(line));
        panic!(
            "{file} line {}:\n golden {old:?}\n    now {new:?}",
            line + 1
        );
    }
    assert_eq!(golden.lines().count(), text.lines().count(), "{file}");
}

#[test]
fn charged_twice_does_exactly_what_it_did() {
    let text = trace_of("charged-twice")
        .iter()
        .fold(String::new(), |mut text, event| {
            let cause = event
                .cause
                .map_or(String::new(), |cause| format!(" because of {}", cause.0));
            let _ = writeln!(
                text,
                "{} {} s {:?}{cause}",
                event.ordinal.0, event.at, event.kind
            );
            text
        });
    check("charged-twice.txt", &text);
}

#[test]
fn every_shipped_scenario_has_the_trace_it_had() {
    let text = catalogue::CATALOGUE
        .iter()
        .fold(String::new(), |mut text, shipped| {
            let trace = trace_of(shipped.slug);
            let mut hash = TraceHash::default();
            trace.iter().for_each(|event| hash.observe(event));
            let _ = writeln!(
                text,
                "{} {} {:016x}",
                shipped.slug,
                trace.len(),
                hash.value()
            );
            text
        });
    check("traces.txt", &text);
}

#[test]
fn without_chances_another_seed_gives_the_same_run() {
    let shipped = catalogue::find("four-switches").expect("shipped");
    let mut setup = Scenario::from_json(shipped.json)
        .expect("valid")
        .lower()
        .expect("sound");
    let mut traces = [1, 2].map(|seed| {
        setup.seed = seed;
        let mut trace = Vec::new();
        Simulation::new(Arc::new(setup.clone())).run_until(END, u64::MAX, &mut trace);
        trace
    });
    assert_eq!(std::mem::take(&mut traces[0]), traces[1]);
}
