//! A producer's card.

use crate::engine::ProducerId;
use crate::engine::setup::Pattern;
use crate::engine::snapshot::ProducerView;
use crate::present::format::{self, NBSP};
use crate::present::geometry::Rect;
use crate::present::names::clean;

use super::card::{Card, SMALL};
use super::tokens::Marker;
use super::{Station, StationId, TextRole};
use crate::present::measure;

/// Height of a card of one line, in units.
pub const LINE: f64 = 34.0;

/// Fills the card.
pub fn station(id: ProducerId, producer: &ProducerView, rect: Rect, marker: &Marker) -> Station {
    let mut card = Card::new(
        StationId::Producer(id),
        rect,
        &clean(&producer.setup.name),
        marker.unit,
    );
    let (first, second) = pattern(&producer.setup.pattern);
    let sent = format::count(producer.sent.into());
    let mut wordings = match producer.planned {
        Some(0) if producer.sent == 0 => vec!["sends nothing".to_owned()],
        Some(planned) => {
            let planned = format::count(planned.into());
            vec![
                format!("sent {sent} of{NBSP}{planned}"),
                format!("{sent} of{NBSP}{planned}"),
                format!("sent {sent}"),
            ]
        }
        None => vec![format!("sent {sent}")],
    };
    if producer.paused {
        wordings.insert(0, format!("paused · sent {sent}"));
        wordings.insert(1, "paused".to_owned());
    }
    let whole = format!("{first} {second}");
    if card.height() < 50.0 {
        if let Some(long) = wordings.first().filter(|_| !first.is_empty()) {
            wordings.insert(0, format!("{whole} · {long}"));
        }
        card.title(&wordings, TextRole::Muted);
        return card.finish();
    }
    card.title(&[], TextRole::Muted);
    let room = measure::width(&whole, SMALL, false) <= card.inner();
    let mut lines = match (first.is_empty(), room) {
        (true, _) => Vec::new(),
        (false, true) => vec![vec![whole]],
        (false, false) => {
            let first = match &producer.setup.pattern {
                Pattern::Bursts { size, .. } => {
                    let size = format::count((*size).into());
                    vec![first, format!("{size} at once")]
                }
                Pattern::Poisson { .. } => vec![first, "at random".to_owned()],
                _ => vec![first],
            };
            vec![first, vec![second]]
        }
    };
    lines.push(wordings);
    if producer.resent > 0 {
        lines.push(vec![format!(
            "{} sent again",
            format::count(producer.resent.into())
        )]);
    }
    let free = ((card.height() - 34.0) / 18.0).floor().max(1.0) as usize;
    for (i, line) in lines.into_iter().take(free).enumerate() {
        card.line(29.0 + 18.0 * i as f64, &line, TextRole::Muted);
    }
    card.finish()
}

/// A sending pattern in words that may stand on two lines; empty for an explicit list.
pub fn pattern(pattern: &Pattern) -> (String, String) {
    match pattern {
        Pattern::List(_) => (String::new(), String::new()),
        Pattern::Constant { every } => ("one every".to_owned(), format::span(*every)),
        Pattern::Poisson { mean } => (
            "at random, about".to_owned(),
            format!("every {}", format::span(*mean)),
        ),
        Pattern::Bursts { size, every } => (
            format!("bursts of{NBSP}{}", format::count((*size).into())),
            format!("every {}", format::span(*every)),
        ),
    }
}
