//! What is in a queue though nobody may receive it.

use crate::engine::QueueId;
use crate::engine::snapshot::InFlightView;
use crate::present::fixtures::{self, Fixture, ms, token};
use crate::present::scene::properties::{input, problems};
use crate::present::scene::{Density, Place, Scene, StationId, TokenMark};

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
