//! A producer's card.

use crate::engine::ProducerId;
use crate::engine::setup::Pattern;
use crate::engine::snapshot::ProducerView;
use crate::present::format::{self, NBSP};
use crate::present::geometry::Rect;
use crate::present::names::clean;

use super::card::{Card, wordings};
use super::{Station, StationId, TextRole};

/// Fills the card.
pub fn station(id: ProducerId, producer: &ProducerView, rect: Rect, unit: f64) -> Station {
    let mut card = Card::new(
        StationId::Producer(id),
        rect,
        &clean(&producer.setup.name),
        unit,
    );
    card.title(&[], TextRole::Muted);
    let (first, second) = pattern(&producer.setup.pattern);
    let sent = format::count(producer.sent.into());
    let sent = match producer.planned {
        Some(planned) => format!("sent {sent} of{NBSP}{}", format::count(planned.into())),
        None => format!("sent {sent}"),
    };
    let sent = if producer.paused {
        format!("paused · {sent}")
    } else {
        sent
    };
    if first.is_empty() {
        card.line(30.0, &[sent], TextRole::Muted);
    } else {
        let whole = format!("{first} {second}");
        card.line(30.0, &[whole, first], TextRole::Muted);
        card.line(48.0, &[sent], TextRole::Muted);
    }
    if producer.resent > 0 && card.height() >= 84.0 {
        let again = format!("{} sent again", format::count(producer.resent.into()));
        card.line(66.0, &wordings([&again]), TextRole::Muted);
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
