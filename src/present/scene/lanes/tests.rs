//! What is in a queue though nobody may receive it.

use crate::engine::rules::Priority;
use crate::engine::snapshot::{InFlightView, LaneView, Token};
use crate::engine::{QueueId, Simulation};
use crate::present::fixtures::{self, Fixture, ms, token};
use crate::present::scene::properties::{input, problems};
use crate::present::scene::{Density, Place, Scene, SceneInput, StationId, TokenMark};
use crate::scenario::{Profile, Scenario, catalogue};

fn nobodys(fixture: &mut Fixture, message: u32, group: Option<u32>) {
    fixture.snapshot.queues[0].in_flight.push(InFlightView {
        token: token(message, group, 1),
        consumer: None,
        hidden_until: ms(60_000),
    });
}

fn in_queue(fixture: &Fixture, width: f64) -> Vec<TokenMark> {
    let scene = Scene::compute(&input(fixture, width, 560.0, 16.0, Density::Simple));
    assert_eq!(problems("nobody's", &scene), Vec::<String>::new());
    let here = Place::At(StationId::Queue(QueueId(0)));
    let tokens = scene.tokens.into_iter();
    tokens.filter(|token| token.place == here).collect()
}

#[test]
fn a_message_in_flight_that_no_consumer_holds_stays_in_its_queue() {
    for (mut fixture, group) in [
        (fixtures::charged_twice(), None),
        (fixtures::fifo(), Some(0)),
    ] {
        nobodys(&mut fixture, 900, group);
        for width in [320.0, 390.0, 1_320.0] {
            let tokens = in_queue(&fixture, width);
            let mark = tokens.iter().find(|token| token.message.0 == 900).unwrap();
            assert!(mark.faded);
            assert!(
                mark.description
                    .ends_with("waits for its retry until 60.0 s"),
                "{}",
                mark.description
            );
        }
    }
}

#[test]
fn a_message_that_a_consumer_holds_is_not_in_the_queue_as_well() {
    let fixture = fixtures::charged_twice();
    let held = fixture.snapshot.consumers.iter();
    let held = held.flat_map(|consumer| consumer.workers.iter().flatten());
    let held: Vec<_> = held.map(|job| job.held.token.message).collect();
    let tokens = in_queue(&fixture, 1_320.0);
    assert!(!held.is_empty());
    assert!(tokens.iter().all(|token| !held.contains(&token.message)));
}

#[test]
fn two_workers_and_the_sums_outside_stand_in_560_pixels_of_a_narrow_stage() {
    let fixture = fixtures::charged_twice();
    for width in [320.0, 358.0, 390.0] {
        let scene = Scene::compute(&input(&fixture, width, 560.0, 16.0, Density::Simple));
        let outside = scene
            .stations
            .iter()
            .find(|one| one.id == StationId::Outside);
        let bottom = outside.unwrap().rect.bottom();
        assert!(bottom <= 580.0, "{bottom} at {width}");
    }
}

#[test]
fn what_nobody_will_receive_stays_in_its_queue_and_is_counted_below() {
    for (mut fixture, group) in [
        (fixtures::charged_twice(), None),
        (fixtures::fifo(), Some(0)),
    ] {
        let queue = &mut fixture.snapshot.queues[0];
        queue.lanes.clear();
        queue.undeliverable.push(token(900, group, 3));
        queue.counts.undeliverable = 1;
        queue.counts.lost = 2;
        let flying = queue.counts.in_flight;
        queue.setup.rules.in_flight_limit = Some(flying as u32);
        for width in [320.0, 390.0, 736.0, 1_320.0] {
            let tokens = in_queue(&fixture, width);
            let mark = tokens.iter().find(|token| token.message.0 == 900).unwrap();
            assert!(mark.faded);
            assert!(
                mark.description.ends_with("delivered no more"),
                "{}",
                mark.description
            );
            let input = input(&fixture, width, 560.0, 16.0, Density::Full);
            let queue = StationId::Queue(QueueId(0));
            let scene = Scene::compute(&input);
            let card = scene.stations.iter().find(|one| one.id == queue).unwrap();
            let said = &card.description;
            assert!(said.contains("1 delivered no more · 2 lost in a restart"));
            assert!(
                said.contains(&format!("{flying} of {flying} in flight")),
                "{said}"
            );
        }
    }
}

#[test]
fn the_usual_priority_has_no_badge_and_a_queue_goes_by_the_name_of_its_broker() {
    let mut fixture = fixtures::charged_twice();
    let queue = &mut fixture.snapshot.queues[0];
    queue.setup.rules.priority = Priority::Strict {
        max: 9,
        default: 4,
        lost_on_return: false,
    };
    let waiting = [(900, 4), (901, 9)].map(|(message, priority)| Token {
        priority: Some(priority),
        ..token(message, None, 0)
    });
    queue.lanes = vec![LaneView {
        group: None,
        ready: 2,
        waiting: waiting.to_vec(),
        locked_by: None,
        oldest_since: Some(ms(0)),
        starving_since: None,
    }];
    queue.counts.ready = 2;
    queue.oldest_since = Some(ms(0));
    let tokens = in_queue(&fixture, 1_320.0);
    let badge = |message: u32| {
        let mark = tokens.iter().find(|token| token.message.0 == message);
        let group = mark.unwrap().group.as_ref();
        group.map(|group| group.letter.clone())
    };
    assert_eq!((badge(900), badge(901)), (None, Some("9".to_owned())));
    for (vocabulary, name) in [
        (Profile::Free, "standard queue"),
        (Profile::RabbitQuorum43, "quorum queue"),
        (Profile::JetStream, "stream"),
    ] {
        let input = SceneInput {
            vocabulary,
            ..input(&fixture, 1_320.0, 560.0, 16.0, Density::Simple)
        };
        let scene = Scene::compute(&input);
        let mut texts = scene.stations.iter().flat_map(|one| &one.texts);
        assert!(texts.any(|text| text.text.starts_with(&format!("{name} ·"))));
    }
}

#[test]
fn of_more_groups_than_fit_those_are_drawn_that_are_held_or_have_messages() {
    let mut all = catalogue::CATALOGUE.iter();
    let scenario = all.find(|it| it.slug == "session-idle-hog");
    let scenario = Scenario::from_json(scenario.unwrap().json).unwrap();
    let setup = std::sync::Arc::new(scenario.lower().unwrap());
    let mut run = Simulation::new(setup.clone());
    run.run_until(ms(70_000), 200_000, &mut Vec::new());
    let fixture = fixtures::charged_twice();
    let snapshot = run.snapshot();
    let input = SceneInput {
        snapshot: &snapshot,
        setup: &setup,
        ..input(&fixture, 820.0, 430.0, 16.0, Density::Full)
    };
    let scene = Scene::compute(&input);
    assert_eq!(problems("sessions", &scene), Vec::<String>::new());
    let queue = StationId::Queue(QueueId(0));
    let card = scene.stations.iter().find(|one| one.id == queue).unwrap();
    let texts = card.lanes.iter().map(|lane| lane.texts.iter());
    let held = texts.filter(|texts| texts.clone().any(|text| text.text.contains("slots")));
    assert_eq!(held.count(), 10);
}
