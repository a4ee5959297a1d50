//! Puts the stage together.

use crate::engine::snapshot::{ConsumerStatus, ConsumerView};
use crate::engine::{ConsumerId, ProducerId, QueueId};
use crate::present::format;
use crate::present::geometry::{Rect, Within};

use super::card::Card;
use super::layout::{Cast, Layout};
use super::tokens::{Marker, twins, widest_badge};
use super::{
    Place, Scene, SceneInput, Station, StationId, Wire, dead_letter, hops, outside, producer,
    queue, worker,
};

/// Computes the stage.
pub fn compute(input: &SceneInput) -> Scene {
    let input = &within_reason(input);
    let cast = Cast::of(input);
    let layout = Layout::new(input, &cast);
    let unit = layout.unit;
    let marker = Marker {
        input,
        unit,
        compact: layout.plan.compact,
        badge: widest_badge(input),
    };
    let mut scene = Scene {
        at: input.snapshot.at,
        width: input.width,
        height: layout.height,
        ..Scene::default()
    };
    for (id, rect) in &layout.places {
        if let Some(station) = fill(&mut scene, &marker, &cast, &layout, *id, *rect) {
            scene.stations.push(station);
        }
    }
    let hops = hops::find(&marker, &layout);
    for token in &mut scene.tokens {
        if let Place::At(station) = token.place {
            token.faded |= hops.arriving.contains(&(token.message, station));
        }
    }
    scene.twins = twins(&scene.tokens, unit);
    let wires = layout.wires.iter().map(|(from, to, path)| Wire {
        from: *from,
        to: *to,
        path: path.clone(),
        flow: hops.flow(*from, *to).or_else(|| hops.flow(*to, *from)),
        broken: [*from, *to].iter().any(|id| is_apart(input, *id)) && *to != StationId::Outside,
    });
    scene.wires = wires.collect();
    scene
        .tokens
        .extend(hops.tokens.into_iter().map(|mut token| {
            // A wire may run along the stage's edge, where a message on it would be cut.
            let drawn = token.bounds();
            let by = |from: f64, length: f64, all: f64| {
                from.within(2.0 * unit, all - length - 2.0 * unit) - from
            };
            token.shift(
                by(drawn.x, drawn.w, input.width),
                by(drawn.y, drawn.h, layout.height),
            );
            token
        }));
    scene
}

/// Whether nothing passes between a consumer and the broker.
fn is_apart(input: &SceneInput, id: StationId) -> bool {
    let StationId::Consumer(id) = id else {
        return false;
    };
    let view = input.snapshot.consumers.get(id.index());
    let closed = |view: &ConsumerView| view.channel.is_some_and(|it| it.closed_since.is_some());
    view.is_some_and(|view| view.cut_off || closed(view))
}

/// The input with sizes and pace that are numbers a stage can have.
fn within_reason<'a>(input: &SceneInput<'a>) -> SceneInput<'a> {
    let number = |value: f64, least: f64, most: f64, otherwise: f64| {
        if value.is_nan() {
            otherwise
        } else {
            value.within(least, most)
        }
    };
    SceneInput {
        width: number(input.width, 1.0, 20_000.0, 320.0),
        height: number(input.height, 1.0, 20_000.0, 320.0),
        root_font: number(input.root_font, 1.0, 200.0, 16.0),
        pace: number(input.pace, 0.0, 1e9, 1.0),
        ..*input
    }
}

fn fill(
    scene: &mut Scene,
    marker: &Marker,
    cast: &Cast,
    layout: &Layout,
    id: StationId,
    rect: Rect,
) -> Option<Station> {
    let snapshot = marker.input.snapshot;
    let unit = marker.unit;
    match id {
        StationId::Producer(id) => {
            let view = snapshot.producers.get(id.index())?;
            Some(producer::station(id, view, rect, marker))
        }
        StationId::Queue(id) => {
            let lanes = cast.queues.0.iter().find(|queue| queue.id == id)?;
            let (station, tokens) = queue::fill(
                marker,
                lanes,
                snapshot.queues.get(id.index())?,
                rect,
                &layout.shape,
            );
            scene.tokens.extend(tokens);
            Some(station)
        }
        StationId::DeadLetterQueue(id) => {
            let (station, tokens) =
                dead_letter::fill(marker, id, snapshot.queues.get(id.index())?, rect);
            scene.tokens.extend(tokens);
            Some(station)
        }
        StationId::Consumer(id) => {
            let view = snapshot.consumers.get(id.index())?;
            let filled = worker::fill(marker, id, view, rect, &layout.plan);
            scene.tokens.extend(filled.tokens);
            scene.bars.extend(filled.bars);
            Some(filled.station)
        }
        StationId::Outside => Some(outside::station(marker, rect)),
        StationId::MoreProducers => {
            let rest = snapshot.producers.iter().zip(0..).filter(|(_, id)| {
                let id = StationId::Producer(ProducerId(*id));
                layout.rect(id).is_none()
            });
            let sent: Vec<u64> = rest.map(|(producer, _)| producer.sent.into()).collect();
            let (count, sent) = (sent.len(), sent.iter().sum());
            let rest = format!("{} sent", format::count(sent));
            Some(more(id, rect, count, "producers", " · ", &rest, unit))
        }
        StationId::MoreQueues => {
            let rest = snapshot.queues.iter().zip(0..).filter(|(_, id)| {
                let id = QueueId(*id);
                let places = [StationId::Queue(id), StationId::DeadLetterQueue(id)];
                places.iter().all(|id| layout.rect(*id).is_none())
            });
            let ready: Vec<u64> = rest.map(|(queue, _)| queue.counts.ready).collect();
            let (count, ready) = (ready.len(), ready.iter().sum());
            let rest = format!("{} ready", format::count(ready));
            Some(more(id, rect, count, "queues", " · ", &rest, unit))
        }
        StationId::MoreConsumers => {
            let rest = snapshot.consumers.iter().zip(0..).filter(|(_, id)| {
                let id = StationId::Consumer(ConsumerId(*id));
                layout.rect(id).is_none()
            });
            let rest: Vec<&ConsumerView> = rest.map(|(consumer, _)| consumer).collect();
            let states = states(&rest);
            Some(more(id, rect, rest.len(), "consumers", ": ", &states, unit))
        }
    }
}

/// What consumers are doing, as in "4 working, 1 crashed".
fn states(consumers: &[&ConsumerView]) -> String {
    let count = |wanted: fn(&ConsumerView) -> bool| {
        consumers.iter().filter(|consumer| wanted(consumer)).count() as u64
    };
    let parts = [
        (
            count(|consumer| {
                consumer.status == ConsumerStatus::Running
                    && consumer.workers.iter().any(Option::is_some)
            }),
            "working",
        ),
        (
            count(|consumer| consumer.status == ConsumerStatus::Crashed),
            "crashed",
        ),
        (
            count(|consumer| consumer.status == ConsumerStatus::Paused),
            "paused",
        ),
    ];
    let parts = parts.iter().filter(|(n, _)| *n > 0);
    let parts: Vec<String> = parts
        .map(|(n, what)| format!("{} {what}", format::count(*n)))
        .collect();
    if parts.is_empty() {
        "none working".to_owned()
    } else {
        parts.join(", ")
    }
}

/// A card that sums up what is not drawn.
fn more(
    id: StationId,
    rect: Rect,
    count: usize,
    what: &str,
    joint: &str,
    rest: &str,
    unit: f64,
) -> Station {
    let count = format::count(count as u64);
    let mut card = Card::new(id, rect, &format!("{count} more {what}"), unit);
    let texts = [
        format!("+{count} {what}{joint}{rest}"),
        format!("+{count}{joint}{rest}"),
        format!(
            "+{count}{joint}{}",
            rest.split(',').next().unwrap_or_default()
        ),
        format!("+{count} {what}"),
        format!("+{count}"),
    ];
    let top = card.height() / 2.0 - 9.0;
    card.line(top, &texts, super::TextRole::Muted);
    card.finish()
}
