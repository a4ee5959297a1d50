//! A dead-letter queue's card: what is there and why.

use crate::engine::QueueId;
use crate::engine::command::Command;
use crate::engine::event::DeadLetterReason;
use crate::engine::snapshot::{DeadLetterView, QueueView};
use crate::present::geometry::{Rect, Within};
use crate::present::names::clean;
use crate::present::{format, measure};

use super::card::{Card, PAD, SMALL};
use super::tokens::Marker;
use super::{Align, Border, Button, Place, Station, StationId, TextRole, TokenMark};

const RADIUS: f64 = 14.0;
const BUTTON: &str = "Redrive";

/// Height in units. Where it is as wide as the stage, all stands in one row.
pub const fn height(wide: bool) -> f64 {
    if wide { 68.0 } else { 80.0 }
}

/// Height in units where title, messages and button share one row.
pub const COMPACT: f64 = 42.0;
/// The same, where room is short.
pub const LOW: f64 = 34.0;

/// Why a message is there, longest wording first.
pub fn reason(marker: &Marker, dead: &DeadLetterView) -> Vec<String> {
    let at = format::instant(dead.at);
    match dead.reason {
        DeadLetterReason::BudgetUsedUp => {
            let queue = marker.input.snapshot.queues.get(dead.from.index());
            let budget = queue.and_then(|queue| queue.setup.deliveries_in_all());
            let used = match budget {
                Some(max) if max > 1 => format!("retry budget {} used up", max - 1),
                _ => "retry budget used up".to_owned(),
            };
            vec![
                format!("{used} · moved at {at}"),
                format!("{used} · {at}"),
                format!("budget used up · {at}"),
                "budget used up".to_owned(),
                "used up".to_owned(),
            ]
        }
        DeadLetterReason::Expired => {
            vec![
                format!("time to live over · moved at {at}"),
                format!("expired · {at}"),
                "expired".to_owned(),
            ]
        }
        DeadLetterReason::Overflow | DeadLetterReason::Cycle | DeadLetterReason::NoTarget => {
            vec![
                format!("queue full · moved at {at}"),
                format!("queue full · {at}"),
                "queue full".to_owned(),
            ]
        }
        DeadLetterReason::Rejected => {
            vec![
                format!("rejected · moved at {at}"),
                format!("rejected · {at}"),
                "rejected".to_owned(),
            ]
        }
    }
}

/// What brings messages here, for an empty one.
fn leads_here(marker: &Marker, id: QueueId) -> Vec<String> {
    let mut queues = marker.input.snapshot.queues.iter();
    let feeding = queues.find(|queue| queue.setup.dead_letter_queue == Some(id));
    match feeding.and_then(|queue| queue.setup.deliveries_in_all()) {
        Some(max) => {
            let times = format::counted(max.into(), "delivery", "deliveries");
            vec![
                format!("messages come here after {times}"),
                format!("after {times}"),
            ]
        }
        None => vec![
            "unlimited retries: only rejected messages come here".to_owned(),
            "rejected messages only".to_owned(),
            "rejected only".to_owned(),
        ],
    }
}

/// Fills the card.
pub fn fill(
    marker: &Marker,
    id: QueueId,
    queue: &QueueView,
    rect: Rect,
) -> (Station, Vec<TokenMark>) {
    let station = StationId::DeadLetterQueue(id);
    let mut card = Card::new(station, rect, &clean(&queue.setup.name), marker.unit);
    let count = queue.counts.ready + queue.counts.delayed + queue.counts.in_flight;
    let corner = if count == 0 {
        "empty".to_owned()
    } else {
        format::counted(count, "message", "messages")
    };
    let wide = card.width() >= 480.0;
    let row = card.height() < 60.0;
    let mut tokens = Vec::new();
    if count > 0 {
        card.border(Border::Harm);
    }
    // What is in the row beside title and button: from `x` to `end`, around `middle`.
    let (mut x, mut end, middle) = if row {
        if count == 0 {
            let ways = leads_here(marker, id).into_iter();
            let ways = ways.map(|way| format!("{corner} · {way}"));
            let wordings: Vec<String> = ways.chain([corner.clone()]).collect();
            let top = card.height() / 2.0 - 11.0;
            card.title_at(top, &wordings, TextRole::Muted);
            return (card.finish(), tokens);
        }
        if card.width() < 236.0 {
            let top = card.height() / 2.0 - 11.0;
            card.title_at(top, &[corner, format::count(count)], TextRole::Bad);
            return (card.finish(), tokens);
        }
        card.say(&corner);
        let title = card.title_in_row(card.inner() * 0.34);
        let end = card.width() - PAD - card.more_room();
        (PAD + title + 10.0, end, card.height() / 2.0)
    } else if wide {
        card.title(&[], TextRole::Muted);
        card.line(30.0, &[corner], TextRole::Muted);
        let end = card.width() - PAD - card.more_room();
        (PAD + 168.0, end, card.height() / 2.0)
    } else {
        card.title(&[corner], TextRole::Muted);
        let low = card.height() < 76.0;
        let taken = if low { card.more_room() } else { 0.0 };
        (PAD, card.width() - PAD - taken, card.height() - 26.0)
    };
    if count == 0 {
        let rect = Rect::new(x, middle - 9.0, end - x, 18.0);
        card.text(rect, &leads_here(marker, id), TextRole::Muted, Align::Start);
        return (card.finish(), tokens);
    }
    let half = marker.slot_half(RADIUS).max(RADIUS + 4.0);
    let badge = marker.badge_room();
    let pitch = 2.0 * half + 20.0 + badge;
    let width = measure::width(BUTTON, SMALL, false) + 16.0;
    let name = format!("{BUTTON} {}", clean(&queue.setup.name));
    // Where both do not fit the message is shown, and what can be done is in its menu.
    if end - x >= pitch + width + 10.0 {
        card.button(Button {
            rect: Rect::new(end - width, middle - 13.0, width, 26.0),
            label: BUTTON.to_owned(),
            name,
            size: 0.0,
            command: Command::Redrive {
                from: id,
                limit: None,
                rate: None,
            },
            pressed: false,
            enabled: queue.redrive.is_none(),
        });
        end -= width + 10.0;
    }

    let wordings = queue
        .dead_letters
        .last()
        .map(|dead| reason(marker, dead))
        .unwrap_or_default();
    let shortest = wordings
        .last()
        .map_or(0.0, |text| measure::width(text, SMALL, false));
    let more = if count > 1 { 34.0 } else { 0.0 };
    let most = if row {
        1.0
    } else if wide {
        4.0
    } else {
        2.0
    };
    let room = ((end - x - more - shortest - 8.0) / pitch)
        .within(1.0, most)
        .floor() as usize;
    let newest: Vec<&DeadLetterView> = queue.dead_letters.iter().rev().take(room).collect();
    for dead in &newest {
        let centre = card.at(x + badge + half, middle + if row { 0.0 } else { 2.0 });
        let said = reason(marker, dead).first().cloned().unwrap_or_default();
        tokens.push(marker.mark(&dead.token, id, Place::At(station), centre, RADIUS, &said));
        x += pitch;
    }
    let hidden = count.saturating_sub(newest.len() as u64);
    if hidden > 0 {
        let text = format!("+{}", format::count(hidden));
        let wide = measure::width(&text, SMALL, false) + 2.0;
        card.sized(
            Rect::new(x, middle - 9.0, wide.min(end - x), 18.0),
            &text,
            SMALL,
            false,
            TextRole::Muted,
            Align::Start,
        );
        x += wide + 8.0;
    }
    if end - x > shortest.min(40.0) {
        card.text(
            Rect::new(x, middle - 9.0, end - x, 18.0),
            &wordings,
            TextRole::Muted,
            Align::Start,
        );
    }
    (card.finish(), tokens)
}
