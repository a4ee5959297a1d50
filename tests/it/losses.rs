//! What runs lose: to a restart, to a full queue, to age, to queues that are not there.

use std::sync::Arc;

use queue_playground::engine::event::DeadLetterReason;
use queue_playground::engine::snapshot::Totals;
use queue_playground::engine::*;
use queue_playground::scenario::Scenario;
use serde_json::{Value, json};

const Q: QueueId = QueueId(0);

fn run(scenario: Value, until: u64) -> (Simulation, Vec<Event>) {
    let setup = Scenario::from_json(&scenario.to_string())
        .and_then(|scenario| scenario.lower())
        .unwrap();
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    simulation.run_until(Micros::from_secs(until), u64::MAX, &mut trace);
    (simulation, trace)
}

fn totals(simulation: &Simulation) -> Totals {
    simulation.snapshot().totals
}

fn times(trace: &[Event], wanted: impl Fn(&EventKind) -> bool) -> Vec<f64> {
    let found = trace.iter().filter(|event| wanted(&event.kind));
    found.map(|event| event.at.as_secs_f64()).collect()
}

fn sends(count: usize, at: &str, persistent: bool) -> Vec<Value> {
    vec![json!({ "at": at, "persistent": persistent }); count]
}

/// Incident nondurable-restart.
fn restarted(durability: &str, all_persistent: bool) -> Value {
    let sends = [
        sends(6, "0s", all_persistent),
        sends(4, "0s", true),
        sends(3, "8s", true),
    ];
    json!({
        "version": 1,
        "queues": [{ "name": "q", "retention": null, "durability": durability }],
        "producers": [{ "name": "p", "to": "q", "sends": sends.concat() }],
        "commands": [{ "at": "5s", "restart_broker": true }],
    })
}

#[test]
fn a_restart_loses_what_is_not_durable_and_what_is_sent_to_a_queue_that_is_gone() {
    let after = |durability, all_persistent| {
        let scenario = restarted(durability, all_persistent);
        let (at_7, _) = run(scenario.clone(), 7);
        let (at_10, trace) = run(scenario, 10);
        let restarts = times(&trace, |kind| *kind == EventKind::BrokerRestarted);
        assert_eq!(restarts, [5.0]);
        let ready = |simulation: &Simulation| simulation.snapshot().queues[0].counts.ready;
        (ready(&at_7), totals(&at_10).lost, ready(&at_10))
    };
    assert_eq!(after("persistent", false), (4, 6, 7));
    assert_eq!(after("volatile", false), (0, 13, 0));
    assert_eq!(after("persistent", true), (10, 0, 13));
}

#[test]
fn what_is_lost_in_a_restart_names_the_restart() {
    let (_, trace) = run(restarted("persistent", false), 10);
    let restart = trace
        .iter()
        .find(|event| event.kind == EventKind::BrokerRestarted);
    let restart = restart.unwrap();
    assert_eq!(
        trace[restart.cause.unwrap().0 as usize].kind,
        EventKind::CommandApplied { index: 0 }
    );
    let lost = trace
        .iter()
        .filter(|event| matches!(event.kind, EventKind::LostInRestart { .. }));
    let causes: Vec<_> = lost.map(|event| event.cause).collect();
    assert_eq!(causes, [Some(restart.ordinal); 6]);
}

#[test]
fn a_producer_that_is_refused_sends_again_when_its_patience_ends() {
    let scenario = json!({
        "version": 1,
        "queues": [{ "name": "q", "retention": null, "capacity": 5, "overflow": "refuse" }],
        "producers": [{ "name": "p", "to": "q", "sends": sends(12, "0s", true),
            "confirm_timeout": "2s", "max_resends": 2 }],
    });
    let (simulation, trace) = run(scenario.clone(), 1);
    assert_eq!(totals(&simulation).refused, 7);
    let (simulation, _) = run(scenario, 20);
    assert_eq!(
        (totals(&simulation).refused, totals(&simulation).lost),
        (21, 0)
    );
    let again = |kind: &EventKind| matches!(kind, EventKind::Sent { attempt: 2, .. });
    assert_eq!(times(&trace, again), [0.0; 0]);
}

#[test]
fn without_confirms_a_producer_that_is_refused_learns_nothing() {
    let scenario = json!({
        "version": 1,
        "queues": [{ "name": "q", "retention": null, "capacity": 5, "overflow": "refuse" }],
        "producers": [{ "name": "p", "to": "q", "sends": sends(12, "0s", true) }],
    });
    let (simulation, _) = run(scenario, 20);
    assert_eq!(
        (totals(&simulation).refused, totals(&simulation).sent),
        (7, 12)
    );
}

#[test]
fn what_is_refused_and_dead_lettered_lives_on_in_the_dead_letter_queue() {
    let scenario = json!({
        "version": 1,
        "queues": [
            { "name": "q", "capacity": 1, "overflow": "refuse_and_dead_letter", "dead_letter_queue": "d" },
            { "name": "d" },
        ],
        "producers": [{ "name": "p", "to": "q", "sends": sends(3, "0s", true) }],
        "consumers": [{ "name": "c", "from": "d", "processing": "1s" }],
    });
    let (simulation, trace) = run(scenario, 20);
    let dead = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::DeadLettered {
                reason: DeadLetterReason::Overflow,
                ..
            }
        )
    };
    assert_eq!(times(&trace, dead), [0.0; 2]);
    assert_eq!(
        (totals(&simulation).effects, totals(&simulation).lost),
        (2, 0)
    );
}

#[test]
fn a_dead_letter_that_a_full_queue_refuses_is_lost() {
    let scenario = json!({
        "version": 1,
        "queues": [
            { "name": "q", "capacity": 1, "dead_letter_queue": "d" },
            { "name": "d", "capacity": 1, "overflow": "refuse" },
        ],
        "producers": [{ "name": "p", "to": "q", "sends": sends(4, "0s", true) }],
    });
    let (simulation, _) = run(scenario, 20);
    assert_eq!(
        (totals(&simulation).dropped, totals(&simulation).lost),
        (2, 2)
    );
}

#[test]
fn queues_that_cut_cycles_may_dead_letter_in_a_ring() {
    let ring = |cuts: bool| {
        json!({
            "version": 1,
            "queues": [
                { "name": "a", "ttl": "10s", "expired_to": "dead_letter", "dead_letter_queue": "b",
                    "cuts_cycles": cuts, "dead_letter_clock": "restarted" },
                { "name": "b", "ttl": "10s", "expired_to": "dead_letter", "dead_letter_queue": "a",
                    "cuts_cycles": true, "dead_letter_clock": "restarted" },
            ],
            "producers": [{ "name": "p", "to": "a", "sends": sends(1, "0s", true) }],
        })
    };
    let refused = Scenario::from_json(&ring(false).to_string()).and_then(|it| it.lower());
    assert!(refused.is_err());
    let (simulation, trace) = run(ring(true), 65);
    let cut = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::Dropped {
                reason: DeadLetterReason::Cycle,
                ..
            }
        )
    };
    assert_eq!(times(&trace, cut), [20.0]);
    assert_eq!(totals(&simulation).lost, 1);
}

#[test]
fn a_consumer_a_tenth_too_slow_loses_silently_once_the_head_is_as_old_as_the_retention() {
    // Incident lag-silent-retention-loss: 10 sends a second, 9 finished a second.
    let scenario = json!({
        "version": 1,
        "queues": [{ "name": "q", "retention": "60s", "visibility_timeout": "30s" }],
        "producers": [{ "name": "p", "to": "q", "every": "100ms" }],
        "consumers": [{ "name": "c", "from": "q", "processing": "111111us" }],
    });
    let close = |value: u64, to: u64| value.abs_diff(to) <= 1;
    let lost = |until| totals(&run(scenario.clone(), until).0).lost;
    assert!(close(lost(600), 0));
    assert!(close(lost(660), 60));
    assert!(close(lost(900), 300));
    let (simulation, _) = run(scenario.clone(), 600);
    let queue = &simulation.snapshot().queues[Q.index()];
    assert!(close(queue.counts.ready, 600));
}

#[test]
fn the_command_of_a_restart_says_true() {
    let with = |value: Value| {
        let scenario = json!({ "version": 1, "queues": [{ "name": "q" }],
            "commands": [{ "at": "1s", "restart_broker": value }] });
        Scenario::from_json(&scenario.to_string()).and_then(|scenario| scenario.lower())
    };
    assert_eq!(
        with(true.into()).unwrap().commands[0].command,
        Command::RestartBroker
    );
    assert!(with(false.into()).is_err());
}
