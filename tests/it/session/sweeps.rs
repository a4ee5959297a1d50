//! A sweep says of each value what runs with it come to, however it is sliced.

use std::sync::Arc;

use proptest::prelude::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::setup::Pattern;
use queue_playground::engine::{Command, Micros, QueueId, Setup, Simulation};
use queue_playground::session::{
    Better, Comparison, Extent, Measure, Outcome, Progress, Session, Spread, Sweep,
};

use super::setups::{busy, charged_twice, ms, producer, scenario, shared};

fn timeout(time: Micros) -> Vec<Command> {
    vec![Command::SetQueue(
        QueueId(0),
        QueueChange::VisibilityTimeout(time),
    )]
}

fn extent(seeds: u32, seconds: u64) -> Extent {
    Extent {
        seeds,
        until: Micros::from_secs(seconds),
        limit: 1_000_000,
    }
}

fn done(mut sweep: Sweep) -> Vec<Outcome> {
    assert_eq!(sweep.work(u64::MAX), Progress::Reached);
    sweep.outcomes().to_vec()
}

#[test]
fn a_timeout_longer_than_the_work_ends_the_duplicates() {
    let points = [3, 4, 5, 6].map(|seconds| timeout(Micros::from_secs(seconds)));
    let outcomes = done(Sweep::new(
        shared(charged_twice()),
        points.to_vec(),
        extent(1, 20),
    ));
    let duplicates: Vec<Option<u64>> = outcomes
        .iter()
        .map(|outcome| Some(outcome.spread(Measure::DuplicateEffects)?.median))
        .collect();
    assert_eq!(duplicates, [Some(1), Some(1), Some(0), Some(0)]);
    assert!(outcomes.iter().all(|outcome| outcome.unfinished == 0));
}

#[test]
fn each_seed_is_the_run_that_a_simulation_of_that_seed_makes() {
    let until = Micros::from_secs(30);
    let mut values: Vec<u64> = (0..5)
        .map(|k| {
            let setup = Setup {
                seed: busy().seed + k,
                ..busy()
            };
            let mut simulation = Simulation::new(Arc::new(setup));
            simulation.run_until(until, u64::MAX, &mut Vec::new());
            Measure::LatencyP95
                .of(&simulation.totals(), until)
                .expect("something was done")
        })
        .collect();
    values.sort_unstable();
    let outcomes = done(Sweep::new(shared(busy()), vec![Vec::new()], extent(5, 30)));
    assert_eq!(
        outcomes[0].spread(Measure::LatencyP95),
        Some(Spread {
            lowest: values[0],
            median: values[2],
            highest: values[4],
        })
    );
    assert!(values[0] < values[4], "seeds make a difference here");
}

#[test]
fn a_run_that_does_not_come_to_its_end_is_told() {
    let few = Extent {
        limit: 10,
        ..extent(3, 30)
    };
    let outcomes = done(Sweep::new(shared(busy()), vec![Vec::new()], few));
    assert_eq!((outcomes[0].runs, outcomes[0].unfinished), (3, 3));
    let stuck = Setup {
        live_message_cap: 2,
        ..busy()
    };
    let outcomes = done(Sweep::new(shared(stuck), vec![Vec::new()], extent(3, 300)));
    assert_eq!(outcomes[0].unfinished, 3);
}

#[test]
fn progress_only_grows_and_no_slice_does_more_than_it_may() {
    let points: Vec<Vec<Command>> = (1..5).map(|s| timeout(Micros::from_secs(s))).collect();
    let mut sweep = Sweep::new(shared(busy()), points, extent(3, 20));
    let (mut last, mut slices) = (0.0, 0);
    while let Progress::Working { done } = sweep.work(20) {
        assert!(done >= last && done < 1.0, "{last} {done}");
        (last, slices) = (done, slices + 1);
    }
    let events: u64 = sweep.outcomes().iter().map(|outcome| outcome.events).sum();
    assert!(slices > 20 && last > 0.9, "{slices} {last} {events}");
}

#[test]
fn an_estimate_that_sees_a_whole_run_is_exact_for_runs_of_one_seed() {
    let sweep = Sweep::new(
        shared(charged_twice()),
        vec![timeout(ms(6_000)); 4],
        extent(1, 20),
    );
    let estimate = sweep.estimate(1_000_000);
    let events: u64 = done(sweep).iter().map(|outcome| outcome.events).sum();
    assert_eq!(estimate, events);
}

#[test]
fn an_estimate_from_a_part_is_near() {
    let sweep = Sweep::new(shared(busy()), vec![Vec::new()], extent(8, 600));
    let estimate = sweep.estimate(500) as f64;
    let outcomes = done(sweep);
    let events = outcomes[0].events as f64;
    assert!(
        (0.7..1.4).contains(&(estimate / events)),
        "{estimate} {events}"
    );
}

#[test]
fn a_sweep_of_a_session_keeps_what_was_done_live_but_not_changes_of_its_setting() {
    let mut session = Session::new(shared(charged_twice()));
    session.advance_to(ms(700), u64::MAX);
    let crash = Command::Crash(queue_playground::engine::ConsumerId(0));
    session.command(crash.clone());
    session.advance_to(ms(900), u64::MAX);
    session.command(timeout(ms(9_000)).remove(0));
    let base = session.sweep_base(&timeout(ms(1_000)));
    let kept: Vec<&Command> = base.commands.iter().map(|timed| &timed.command).collect();
    assert_eq!(kept, [&crash]);
    assert_eq!(base.queues[0].visibility_timeout, ms(3_000));
}

#[test]
fn two_runs_on_the_same_arrivals_are_told_apart_by_what_the_setting_did() {
    let mut one = Session::new(shared(charged_twice()));
    let mut other = one.replay_with(&timeout(ms(6_000))[0]);
    for session in [&mut one, &mut other] {
        session.advance_to(ms(20_000), u64::MAX);
    }
    let comparison = Comparison::of(&one.snapshot(), &other.snapshot());
    let row = |measure: Measure| {
        let rows = comparison.rows.iter();
        *rows
            .clone()
            .find(|row| row.measure == measure)
            .expect("all are there")
    };
    assert!(comparison.same_arrivals);
    let duplicates = row(Measure::DuplicateEffects);
    assert_eq!(duplicates.values, [Some(1), Some(0)]);
    assert_eq!(duplicates.better(), Better::Second);
    assert_eq!(row(Measure::Lost).better(), Better::Same);
    assert_eq!(row(Measure::IdleTime).better(), Better::Unclear);
    // Three messages in 20 s, each counted once.
    assert_eq!(row(Measure::Throughput).values, [Some(150), Some(150)]);
}

#[test]
fn a_message_that_is_delivered_at_once_is_no_backlog_and_one_that_waits_is() {
    let at = |until: u64| {
        let mut simulation = Simulation::new(shared(charged_twice()));
        simulation.run_until(ms(until), u64::MAX, &mut Vec::new());
        simulation.totals()
    };
    assert_eq!(at(20_000).max_backlog, 0);
    let burst = Setup {
        producers: vec![producer(Pattern::Bursts {
            size: 5,
            every: Micros::from_secs(60),
        })],
        ..charged_twice()
    };
    let mut simulation = Simulation::new(shared(burst));
    simulation.run_until(ms(30_000), u64::MAX, &mut Vec::new());
    assert_eq!(simulation.totals().max_backlog, 3);
    assert_eq!(
        (
            at(3_900).duplicate_deliveries,
            at(5_000).duplicate_deliveries
        ),
        (0, 1)
    );
    // One consumer waits from the beginning for its message at 0.5 s, the other for its one at 1 s.
    assert_eq!(at(1_000).idle, ms(1_500));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn slices_change_nothing(
        setup in scenario(),
        slices in prop::collection::vec(1..400_u64, 1..20),
        seeds in 1..4_u32,
    ) {
        let points: Vec<Vec<Command>> = vec![timeout(ms(500)), timeout(ms(2_500)), Vec::new()];
        let extent = Extent { limit: 3_000, ..extent(seeds, 8) };
        let whole = done(Sweep::new(shared(setup.clone()), points.clone(), extent));
        let mut sliced = Sweep::new(shared(setup), points, extent);
        for budget in slices.into_iter().cycle() {
            if sliced.work(budget) == Progress::Reached {
                break;
            }
        }
        prop_assert_eq!(sliced.outcomes(), &whole[..]);
    }
}
