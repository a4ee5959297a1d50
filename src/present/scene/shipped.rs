//! The shipped scenarios, played and drawn.

use std::sync::Arc;

use super::*;
use crate::engine::{Simulation, TimedCommand};
use crate::present::names::Bodies;
use crate::present::scene::properties::problems;
use crate::present::sentence::Teller;
use crate::scenario::{Scenario, catalogue};

fn each(mut look: impl FnMut(&str, &Simulation, &[Event])) {
    for shipped in catalogue::CATALOGUE {
        let scenario = Scenario::from_json(shipped.json).unwrap();
        let setup = Arc::new(scenario.lower().unwrap());
        let mut run = Simulation::new(setup);
        let mut trace = Vec::new();
        for tenths in [0, 3, 11, 19, 41, 43, 46, 62, 87, 109, 133, 200, 331, 600] {
            run.run_until(Micros::from_millis(tenths * 100), 200_000, &mut trace);
            look(shipped.slug, &run, &trace);
        }
    }
}

#[test]
fn every_moment_of_the_shipped_scenarios_fits_its_stage() {
    each(|name, run, trace| {
        let snapshot = run.snapshot();
        for (width, height, density) in [
            (340.0, 500.0, Density::Simple),
            (736.0, 420.0, Density::Simple),
            (980.0, 540.0, Density::Full),
            (1_320.0, 547.0, Density::Simple),
        ] {
            let scene = Scene::compute(&SceneInput {
                snapshot: &snapshot,
                setup: run.setup(),
                recent: trace,
                width,
                height,
                root_font: 16.0,
                pace: 1.0,
                reduced_motion: false,
                density,
                vocabulary: crate::scenario::Profile::Free,
                effect_label: "cards charged",
                unit: "€",
            });
            let found = problems(&format!("{name}, {}", snapshot.at), &scene);
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    });
}

#[test]
fn every_event_of_the_shipped_scenarios_is_told() {
    each(|name, run, trace| {
        let mut bodies = Bodies::default();
        trace.iter().for_each(|event| bodies.observe(event));
        let teller = Teller {
            setup: run.setup(),
            bodies: &bodies,
            ledger: None,
            effect_label: "",
            unit: "",
            own_from: usize::MAX,
            vocabulary: crate::scenario::Profile::Free,
        };
        for event in trace {
            let told = teller.tell(event);
            assert!(
                told.text.ends_with('.') && !told.subject.is_empty(),
                "{name}: {event:?}"
            );
        }
    });
}

#[test]
fn no_station_moves_while_a_shipped_scenario_plays() {
    for shipped in catalogue::CATALOGUE {
        let scenario = Scenario::from_json(shipped.json).unwrap();
        let mut setup = scenario.lower().unwrap();
        setup.commands = Vec::<TimedCommand>::new();
        let mut run = Simulation::new(Arc::new(setup));
        let mut first = None;
        for seconds in [0, 1, 5, 20, 60] {
            run.run_until(Micros::from_secs(seconds), 200_000, &mut Vec::new());
            let snapshot = run.snapshot();
            let scene = Scene::compute(&SceneInput {
                snapshot: &snapshot,
                setup: run.setup(),
                recent: &[],
                width: 1_100.0,
                height: 560.0,
                root_font: 16.0,
                pace: 1.0,
                reduced_motion: false,
                density: Density::Full,
                vocabulary: crate::scenario::Profile::Free,
                effect_label: "",
                unit: "",
            });
            let places: Vec<_> = scene
                .stations
                .iter()
                .map(|station| (station.id, station.rect))
                .collect();
            let first = first.get_or_insert(places.clone());
            assert_eq!(*first, places, "{} at {seconds} s", shipped.slug);
        }
    }
}
