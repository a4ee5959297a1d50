use super::*;
use crate::engine::event::Ordinal;
use crate::engine::snapshot::Hop as Travelling;
use crate::engine::{ConsumerId, Event, ProducerId};
use crate::present::fixtures::{self, Fixture, ms};
use crate::present::scene::properties::input;
use crate::present::scene::{Density, SceneInput};

const ORDERS: QueueId = QueueId(0);
const FIRST: ConsumerId = ConsumerId(0);
const BEN: MessageNumber = MessageNumber(2);

fn event(at: u64, kind: EventKind) -> Event {
    Event {
        ordinal: Ordinal(0),
        at: ms(at),
        cause: None,
        kind,
    }
}

fn delivered(at: u64) -> Event {
    let kind = EventKind::Delivered {
        message: BEN,
        queue: ORDERS,
        consumer: FIRST,
        delivery: 2,
        hidden_until: ms(at + 3_000),
    };
    event(at, kind)
}

fn at(fixture: &mut Fixture, now: u64, recent: &[Event], edit: impl Fn(&mut SceneInput)) -> Scene {
    fixture.snapshot.at = ms(now);
    let mut input = SceneInput {
        recent,
        ..input(fixture, 1_320.0, 547.0, 16.0, Density::Simple)
    };
    edit(&mut input);
    Scene::compute(&input)
}

fn moving(scene: &Scene) -> Vec<&TokenMark> {
    let moving = |token: &&TokenMark| matches!(token.place, Place::Between(..));
    scene.tokens.iter().filter(moving).collect()
}

#[test]
fn a_short_hop_is_drawn_for_a_moment_after_it_happened() {
    let mut fixture = fixtures::charged_twice();
    let recent = [delivered(4_000)];
    let wire = |scene: &Scene| {
        let found = scene
            .wires
            .iter()
            .find(|wire| wire.to == StationId::Consumer(FIRST));
        found.unwrap().path.clone()
    };
    let scene = at(&mut fixture, 4_150, &recent, |_| {});
    let token = moving(&scene)[0];
    assert_eq!(
        (token.label.as_str(), token.centre),
        ("Ben", wire(&scene).at(0.5))
    );
    let home = scene
        .tokens
        .iter()
        .find(|token| token.place == Place::At(StationId::Consumer(FIRST)));
    assert!(
        home.unwrap().faded,
        "it is not drawn twice at full strength"
    );
    assert!(
        moving(&at(&mut fixture, 4_300, &recent, |_| {})).is_empty(),
        "then it has arrived"
    );
}

#[test]
fn the_moment_is_real_time_so_it_is_longer_at_a_higher_pace() {
    let mut fixture = fixtures::charged_twice();
    let scene = at(&mut fixture, 4_600, &[delivered(4_000)], |input| {
        input.pace = 4.0
    });
    assert_eq!(moving(&scene).len(), 1);
}

#[test]
fn with_reduced_motion_nothing_is_between_two_stations() {
    let mut fixture = fixtures::charged_twice();
    let scene = at(&mut fixture, 4_100, &[delivered(4_000)], |input| {
        input.reduced_motion = true
    });
    assert!(moving(&scene).is_empty() && scene.tokens.iter().all(|token| !token.faded));
}

#[test]
fn a_long_hop_is_where_it_is() {
    let mut fixture = fixtures::charged_twice();
    let token = fixture.snapshot.queues[0].in_flight[0].token;
    fixture.snapshot.network.delivery_delay = ms(2_000);
    fixture.snapshot.travelling = vec![Travelling {
        what: HopKind::Delivery {
            queue: ORDERS,
            consumer: FIRST,
        },
        token,
        sent: ms(4_000),
        arrives: ms(6_000),
        lost: false,
    }];
    let scene = at(&mut fixture, 4_500, &[delivered(4_000)], |_| {});
    let wire = scene
        .wires
        .iter()
        .find(|wire| wire.to == StationId::Consumer(FIRST))
        .unwrap();
    let found = moving(&scene);
    assert_eq!((found.len(), found[0].centre), (1, wire.path.at(0.25)));
}

#[test]
fn a_lost_ack_is_a_ghost_that_does_not_arrive() {
    let mut fixture = fixtures::charged_twice();
    let lost = event(
        4_000,
        EventKind::AckLost {
            message: BEN,
            queue: ORDERS,
            consumer: FIRST,
        },
    );
    let scene = at(&mut fixture, 4_290, &[lost], |_| {});
    let token = moving(&scene)[0];
    let wire = scene
        .wires
        .iter()
        .find(|wire| wire.to == StationId::Consumer(FIRST))
        .unwrap();
    assert!(token.ghost);
    assert!(
        token.centre.x - wire.path.start().x > 20.0,
        "it stays away from the queue"
    );
}

#[test]
fn many_hops_on_a_wire_become_flow() {
    let mut fixture = fixtures::charged_twice();
    let sent = |n: u32| {
        let kind = EventKind::Sent {
            message: MessageNumber(n),
            producer: Some(ProducerId(0)),
            queue: ORDERS,
            attempt: 1,
            body: None,
            group: None,
        };
        event(4_000 + u64::from(n), kind)
    };
    let few: Vec<Event> = (1..=12).map(sent).collect();
    let many: Vec<Event> = (1..=13).map(sent).collect();
    assert_eq!(moving(&at(&mut fixture, 4_100, &few, |_| {})).len(), 12);
    let scene = at(&mut fixture, 4_100, &many, |_| {});
    let wire = scene
        .wires
        .iter()
        .find(|wire| wire.from == StationId::Producer(ProducerId(0)))
        .unwrap();
    assert!(
        wire.flow
            .is_some_and(|flow| flow.per_second > BUSY && (0.0..1.0).contains(&flow.phase))
    );
    assert!(moving(&scene).is_empty());
}

#[test]
fn an_effect_travels_to_the_outside_world_and_a_dead_letter_to_its_queue() {
    let mut fixture = fixtures::fifo();
    let effect = EventKind::Effect {
        message: MessageNumber(8),
        consumer: FIRST,
        nth: 2,
        amount: 0,
    };
    let moved = EventKind::DeadLettered {
        message: MessageNumber(5),
        from: ORDERS,
        to: QueueId(1),
        reason: crate::engine::event::DeadLetterReason::BudgetUsedUp,
        deliveries: 3,
    };
    let scene = at(
        &mut fixture,
        10_900,
        &[event(10_800, effect), event(10_800, moved)],
        |_| {},
    );
    let places: Vec<Place> = moving(&scene).iter().map(|token| token.place).collect();
    let dead = StationId::DeadLetterQueue(QueueId(1));
    assert_eq!(
        places,
        [
            Place::Between(StationId::Consumer(FIRST), StationId::Outside),
            Place::Between(StationId::Queue(ORDERS), dead),
        ]
    );
    assert!(moving(&scene)[1].poison, "it looks as it does at rest");
}
