//! Messages, acks and effects on their way along wires.
//!
//! A hop that takes at least [`Scene::moment`] is drawn where it is. A shorter one is drawn for that long after it
//! happened, while counts already show the truth. Above [`BUSY`] hops a second a wire shows flow instead.

use crate::engine::snapshot::{HopKind, Token};
use crate::engine::{EventKind, MessageNumber, Micros, QueueId};
use crate::present::geometry::{Path, Within};
use crate::present::names;

use super::layout::Layout;
use super::tokens::Marker;
use super::{Flow, Place, Scene, StationId, TokenMark};

/// Hops a real second on one wire from which on it shows flow.
pub const BUSY: f64 = 40.0;

const RADIUS: f64 = 13.0;
const ACK_RADIUS: f64 = 10.0;

/// What moves.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Load {
    Message,
    Ack,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Hop {
    from: StationId,
    to: StationId,
    message: MessageNumber,
    token: Option<Token>,
    queue: QueueId,
    load: Load,
    progress: f64,
    lost: bool,
}

/// Everything on its way.
pub struct Hops {
    /// Marks, to be drawn on top.
    pub tokens: Vec<TokenMark>,
    /// Flow by wire.
    pub flow: Vec<((StationId, StationId), Flow)>,
    /// Messages drawn on their way to a station that holds them already.
    pub arriving: Vec<(MessageNumber, StationId)>,
}

impl Hops {
    /// The flow from one station to another.
    pub fn flow(&self, from: StationId, to: StationId) -> Option<Flow> {
        let found = self.flow.iter().find(|(wire, _)| *wire == (from, to));
        found.map(|(_, flow)| *flow)
    }
}

/// Finds what moves at this instant.
pub fn find(marker: &Marker, layout: &Layout) -> Hops {
    let mut found = Hops {
        tokens: Vec::new(),
        flow: Vec::new(),
        arriving: Vec::new(),
    };
    if marker.input.reduced_motion {
        return found;
    }
    let moment = Scene::moment(marker.input.pace);
    let mut hops = travelling(marker, layout, moment);
    let recent = recent(marker, layout, moment);
    let mut rates: Vec<((StationId, StationId), f64)> = Vec::new();
    for hop in &recent {
        count(&mut rates, hop, 1.0 / Scene::MOMENT_SECONDS);
    }
    for hop in &hops {
        count(&mut rates, hop, 1.0);
    }
    hops.extend(recent);
    let phase = marker.input.snapshot.at.as_secs_f64() / marker.input.pace.max(1e-9) * 3.0;
    for (wire, per_second) in rates.into_iter().filter(|(_, rate)| *rate > BUSY) {
        let phase = phase - phase.floor();
        found.flow.push((wire, Flow { per_second, phase }));
    }
    hops.retain(|hop| found.flow(hop.from, hop.to).is_none());
    find_tokens(marker, &mut hops);
    for hop in &hops {
        let Some(path) = path(layout, hop.from, hop.to) else {
            continue;
        };
        if hop.load == Load::Message && !hop.lost {
            found.arriving.push((hop.message, hop.to));
        }
        let token = hop.token.unwrap_or(Token {
            message: hop.message,
            body: None,
            group: None,
            deliveries: 0,
            poison: false,
            priority: None,
            expired: false,
        });
        found.tokens.push(mark(marker, hop, &token, &path));
    }
    found
}

fn count(rates: &mut Vec<((StationId, StationId), f64)>, hop: &Hop, per_second: f64) {
    let wire = (hop.from, hop.to);
    match rates.iter_mut().find(|(known, _)| *known == wire) {
        Some((_, rate)) => *rate += per_second,
        None => rates.push((wire, per_second)),
    }
}

fn mark(marker: &Marker, hop: &Hop, token: &Token, path: &Path) -> TokenMark {
    // What gets lost is lost half way.
    let progress = if hop.lost {
        hop.progress * 0.6
    } else {
        hop.progress
    };
    let place = Place::Between(hop.from, hop.to);
    let said = if hop.lost {
        "lost on its way"
    } else {
        "on its way"
    };
    let message = hop.load == Load::Message;
    let radius = if message { RADIUS } else { ACK_RADIUS };
    let mut mark = marker.mark(token, hop.queue, place, path.at(progress), radius, said);
    mark.ghost = hop.lost;
    if !message {
        mark.label = "✓".to_owned();
        mark.half_width = mark.radius;
        mark.group = None;
        mark.times = None;
        mark.poison = false;
        mark.description = format!("ack of {}", mark.description);
    }
    mark
}

/// The wire from one station to another, in that direction.
pub fn path(layout: &Layout, from: StationId, to: StationId) -> Option<Path> {
    let there = layout.wires.iter().find(|(a, b, _)| (*a, *b) == (from, to));
    let back = || layout.wires.iter().find(|(a, b, _)| (*a, *b) == (to, from));
    match there {
        Some((_, _, path)) => Some(path.clone()),
        None => back().map(|(_, _, path)| path.reversed()),
    }
}

fn station(layout: &Layout, id: QueueId) -> StationId {
    let dead = StationId::DeadLetterQueue(id);
    if layout.rect(dead).is_some() {
        dead
    } else {
        StationId::Queue(id)
    }
}

fn travelling(marker: &Marker, layout: &Layout, moment: Micros) -> Vec<Hop> {
    let now = marker.input.snapshot.at;
    let long = marker
        .input
        .snapshot
        .travelling
        .iter()
        .filter(|hop| hop.arrives - hop.sent >= moment.max(Micros(1)));
    long.filter_map(|hop| {
        let (from, to, queue, load) = match hop.what {
            HopKind::Send { producer, queue } => (
                StationId::Producer(producer?),
                station(layout, queue),
                queue,
                Load::Message,
            ),
            HopKind::Delivery { queue, consumer } => (
                station(layout, queue),
                StationId::Consumer(consumer),
                queue,
                Load::Message,
            ),
            HopKind::Settle {
                consumer,
                queue,
                ack,
            } => {
                let load = if ack { Load::Ack } else { Load::Message };
                (
                    StationId::Consumer(consumer),
                    station(layout, queue),
                    queue,
                    load,
                )
            }
        };
        let whole = (hop.arrives - hop.sent).as_secs_f64();
        let progress = ((now - hop.sent).as_secs_f64() / whole).within(0.0, 1.0);
        Some(Hop {
            from,
            to,
            message: hop.token.message,
            token: Some(hop.token),
            queue,
            load,
            progress,
            lost: hop.lost,
        })
    })
    .collect()
}

fn recent(marker: &Marker, layout: &Layout, moment: Micros) -> Vec<Hop> {
    let snapshot = marker.input.snapshot;
    let network = &snapshot.network;
    let newest = marker.input.recent.iter().rev();
    let fresh =
        newest.take_while(|event| snapshot.at - event.at < moment && event.at <= snapshot.at);
    let mut hops: Vec<Hop> = Vec::new();
    let queue = |id: QueueId| station(layout, id);
    let of = |id| StationId::Consumer(id);
    for event in fresh {
        let (delay, from, to, message, id, load, lost) = match event.kind {
            EventKind::Sent {
                message,
                producer: Some(producer),
                queue: id,
                ..
            } => (
                network.send_delay,
                StationId::Producer(producer),
                queue(id),
                message,
                id,
                Load::Message,
                false,
            ),
            EventKind::SendLost { message, queue: id } => {
                let Some(sender) = sender(marker, id) else {
                    continue;
                };
                (
                    network.send_delay,
                    sender,
                    queue(id),
                    message,
                    id,
                    Load::Message,
                    true,
                )
            }
            EventKind::Delivered {
                message,
                queue: id,
                consumer,
                ..
            } => (
                network.delivery_delay,
                queue(id),
                of(consumer),
                message,
                id,
                Load::Message,
                false,
            ),
            EventKind::ResponseLost {
                message,
                queue: id,
                consumer,
            } => (
                network.delivery_delay,
                queue(id),
                of(consumer),
                message,
                id,
                Load::Message,
                true,
            ),
            EventKind::Acked {
                message,
                queue: id,
                consumer,
            } => (
                network.ack_delay,
                of(consumer),
                queue(id),
                message,
                id,
                Load::Ack,
                false,
            ),
            EventKind::AckLost {
                message,
                queue: id,
                consumer,
            } => (
                network.ack_delay,
                of(consumer),
                queue(id),
                message,
                id,
                Load::Ack,
                true,
            ),
            EventKind::Nacked {
                message,
                queue: id,
                consumer,
                stale: false,
                ..
            } => (
                network.ack_delay,
                of(consumer),
                queue(id),
                message,
                id,
                Load::Message,
                false,
            ),
            EventKind::Effect {
                message, consumer, ..
            } => {
                let view = snapshot.consumers.get(consumer.index());
                let id = view.map_or(QueueId(0), |view| view.setup.from);
                (
                    Micros::ZERO,
                    of(consumer),
                    StationId::Outside,
                    message,
                    id,
                    Load::Message,
                    false,
                )
            }
            EventKind::DeadLettered {
                message, from, to, ..
            }
            | EventKind::Redriven { message, from, to } => (
                Micros::ZERO,
                queue(from),
                queue(to),
                message,
                to,
                Load::Message,
                false,
            ),
            _ => continue,
        };
        if delay >= moment {
            continue;
        }
        let progress = (snapshot.at - event.at).as_secs_f64() / moment.as_secs_f64().max(1e-9);
        hops.push(Hop {
            from,
            to,
            message,
            token: None,
            queue: id,
            load,
            progress,
            lost,
        });
    }
    hops.reverse();
    hops
}

/// The only producer of a queue, for a lost send: the event does not name it.
fn sender(marker: &Marker, queue: QueueId) -> Option<StationId> {
    let producers = (0..)
        .map(crate::engine::ProducerId)
        .zip(&marker.input.snapshot.producers);
    let mut senders = producers.filter(|(_, producer)| producer.setup.to == queue);
    senders.next().map(|(id, _)| StationId::Producer(id))
}

/// Gives the hops without a token the one that the snapshot shows anywhere. They are few: a wire with many shows flow.
fn find_tokens(marker: &Marker, hops: &mut [Hop]) {
    let mut without: Vec<&mut Hop> = hops.iter_mut().filter(|hop| hop.token.is_none()).collect();
    if !without.is_empty() {
        names::tokens(marker.input.snapshot, |token| {
            let moving = without.iter_mut();
            for hop in moving.filter(|hop| hop.message == token.message) {
                hop.token = Some(*token);
            }
        });
    }
}

#[cfg(test)]
mod tests;
