//! A queue's card: lanes with what waits in them, and what is hidden or delayed.

use crate::engine::rules::{CapacityCounts, HandOver, Overflow};
use crate::engine::setup::QueueKind;
use crate::engine::snapshot::{Counts, QueueView};
use crate::engine::{GroupId, Micros};
use crate::present::geometry::Rect;
use crate::present::names::{clean, token_name};
use crate::present::{format, measure};

use super::card::{Card, TITLE};
use super::lanes::{Lanes, lane_names};
use super::layout::QueueCast;
use super::shelf::Shape;
use super::tokens::Marker;
use super::{Density, Station, StationId, TextRole, TokenMark};

/// Height of the line that sums up further lanes.
pub const MORE_LINE: f64 = 20.0;

/// Fills the card.
pub fn fill(
    marker: &Marker,
    cast: &QueueCast,
    queue: &QueueView,
    rect: Rect,
    shape: &Shape,
) -> (Station, Vec<TokenMark>) {
    let mut card = Card::new(
        StationId::Queue(cast.id),
        rect,
        &clean(&queue.setup.name),
        marker.unit,
    );
    card.soft();
    let count = format::count(queue.counts.ready);
    let kind = marker.input.vocabulary.source();
    let kind = kind.unwrap_or(match queue.setup.kind {
        QueueKind::Standard => "standard queue",
        QueueKind::Fifo => "FIFO queue",
    });
    let now = marker.input.snapshot.at;
    let subtitle = match queue.oldest_since {
        Some(since) => {
            let wait = format!("oldest waiting {}", format::elapsed(now - since));
            vec![format!("{kind} · {wait}"), wait]
        }
        None => vec![kind.to_owned()],
    };
    let (ready, role) = fill_mark(queue, [format!("{count} ready"), count]);
    if shape.compact {
        let [ready, count] = ready;
        let kind_too = subtitle.iter().map(|text| format!("{text} · {ready}"));
        let wordings: Vec<String> = kind_too.chain([ready.clone(), count]).collect();
        card.title(&wordings, role);
    } else {
        card.title(&ready, role);
        card.line(29.0, &subtitle, TextRole::Muted);
    }

    let header = shape.header;
    let foot = card.height() - shape.footer;
    let (shown, rest) = shape.shown(cast);
    let more = if rest > 0 { MORE_LINE } else { 0.0 };
    let area = Rect::new(8.0, header, card.width() - 16.0, foot - header - more - 2.0);
    let mut lanes = Lanes {
        marker,
        queue,
        id: cast.id,
        tokens: Vec::new(),
        unit: marker.unit,
        names: longest_name(marker, cast),
    };
    if cast.lanes.is_empty() {
        let lane = lanes.standard(card.boxed(area), &mut card);
        card.lane(lane);
    } else {
        let columns = shape.columns.clamp(1, shown.max(1));
        let rows = shown.div_ceil(columns).max(1) as f64;
        let height = (area.h - shape.gap * (rows - 1.0)) / rows;
        let width = (area.w - shape.gap * (columns - 1) as f64) / columns as f64;
        for (i, group) in cast.lanes.iter().take(shown).enumerate() {
            // Down the first column, then down the next.
            let (column, row) = (i / rows as usize, i % rows as usize);
            let x = area.x + column as f64 * (width + shape.gap);
            let y = area.y + row as f64 * (height + shape.gap);
            let rect = card.boxed(Rect::new(x, y, width, height));
            let lane = lanes.group(*group, rect, &mut card);
            card.lane(lane);
        }
        if rest > 0 {
            let drawn = cast.lanes.get(..shown).unwrap_or_default();
            let listed: u32 = queue
                .lanes
                .iter()
                .filter(|lane| drawn.contains(&lane.group))
                .map(|lane| lane.ready)
                .sum();
            let ready = queue.counts.ready.saturating_sub(listed.into());
            let groups = format::count(rest as u64);
            let ready = format::count(ready);
            let texts = [
                format!("+{groups} groups · {ready} ready"),
                format!("+{groups} · {ready} ready"),
                format!("+{groups} groups"),
            ];
            card.line(foot - more, &texts, TextRole::Muted);
        }
    }
    let tokens = lanes.tokens;
    match marker.input.density {
        _ if shape.footer < 20.0 => {
            if let Some(said) = counts(queue).first() {
                card.say(said);
            }
        }
        Density::Simple if shape.compact => {
            let timeout = timeout(queue);
            let hidden = hidden(marker, queue);
            let long = hidden.first().map(|first| format!("{first} · {timeout}"));
            let wordings: Vec<String> = long.into_iter().chain(hidden).collect();
            card.line(foot + 4.0, &wordings, TextRole::Muted);
        }
        Density::Simple => {
            card.line(foot + 3.0, &hidden(marker, queue), TextRole::Muted);
            let timeout = timeout(queue);
            let budget = format::retry_budget_short(queue.setup.deliveries_in_all());
            let mut texts = vec![format!("{timeout} · retry budget {budget}"), timeout];
            if queue.setup.rules.hand_over == HandOver::Push {
                texts.push("pushed".to_owned());
            }
            card.line(foot + 22.0, &texts, TextRole::Muted);
        }
        Density::Full => card.line(foot + 4.0, &counts(queue), TextRole::Muted),
    }
    (card.finish(), tokens)
}

/// What ends a delivery that nobody acknowledges.
fn timeout(queue: &QueueView) -> String {
    let rules = &queue.setup.rules;
    match (rules.hand_over, rules.consumer_timeout) {
        (HandOver::Lease, _) => {
            format!("timeout {}", format::span(queue.setup.visibility_timeout))
        }
        (HandOver::Push, Some(most)) => format!("pushed · consumer timeout {}", format::span(most)),
        (HandOver::Push, None) => "pushed · no timeout".to_owned(),
        (HandOver::Pending, _) => "pending until acked or claimed".to_owned(),
    }
}

/// Width of the longest name of a lane, in units.
fn longest_name(marker: &Marker, cast: &QueueCast) -> f64 {
    let names = |group: &Option<GroupId>| lane_names(marker.input.setup, *group);
    let first = cast
        .lanes
        .iter()
        .filter_map(|group| names(group).into_iter().next());
    let widths = first.map(|name| measure::width(&name, TITLE, true));
    widths.fold(0.0, f64::max) + 2.0
}

/// What is in flight and until when, and what is delivered no more, in words.
fn hidden(marker: &Marker, queue: &QueueView) -> Vec<String> {
    let mut wordings = in_flight(marker, queue);
    if let Some(full) = at_limit(queue) {
        let longest = format!("{full}: no more for now");
        wordings = vec![longest, full];
    }
    let gone = gone(queue);
    if let Some(all) = gone.first() {
        wordings = wordings.iter().map(|it| format!("{it} · {all}")).collect();
        wordings.extend(gone);
    }
    wordings
}

fn in_flight(marker: &Marker, queue: &QueueView) -> Vec<String> {
    let Some(first) = queue.in_flight.first() else {
        return match queue.delayed.first() {
            Some((_, at)) => {
                let count = format::count(queue.counts.delayed);
                vec![
                    format!("{count} delayed, the next until {}", format::instant(*at)),
                    format!("{count} delayed"),
                ]
            }
            None => vec!["nothing in flight".to_owned()],
        };
    };
    if first.hidden_until == Micros::MAX {
        let n = format::count(queue.counts.in_flight);
        return vec![format!("{n} unacknowledged"), format!("{n} unacked")];
    }
    let until = format::instant(first.hidden_until);
    let name = token_name(marker.input.setup, &first.token);
    if queue.setup.rules.hand_over == HandOver::Push {
        let n = format::count(queue.counts.in_flight);
        return vec![
            format!("{n} unacked, {name} to be acked by {until}"),
            format!("{n} unacked"),
        ];
    }
    match queue.counts.in_flight {
        0 | 1 => vec![
            format!("hidden: {name}, until {until}"),
            format!("hidden until {until}"),
        ],
        n => {
            let n = format::count(n);
            vec![
                format!("{n} hidden, {name} until {until}"),
                format!("{n} hidden until {until}"),
                format!("{n} hidden"),
            ]
        }
    }
}

/// "5 of 5 in flight" once that is as many as may be.
fn at_limit(queue: &QueueView) -> Option<String> {
    let most = u64::from(queue.setup.rules.in_flight_limit?);
    let count = queue.counts.in_flight;
    let (n, of) = (format::count(count), format::count(most));
    (count >= most).then(|| format!("{n} of {of} in flight"))
}

/// What is there for nobody, or is no more, though nobody is done with it.
fn gone(queue: &QueueView) -> Vec<String> {
    let Counts {
        undeliverable,
        archived,
        lost,
        ..
    } = queue.counts;
    let each = [
        (undeliverable, "delivered no more"),
        (archived, "archived"),
        (lost, "lost in a restart"),
    ];
    let each = each.into_iter().filter(|(n, _)| *n > 0);
    let each: Vec<String> = each
        .map(|(n, what)| format!("{} {what}", format::count(n)))
        .collect();
    match each.as_slice() {
        [] | [_] => each,
        [first, ..] => vec![each.join(" · "), first.clone()],
    }
}

fn counts(queue: &QueueView) -> Vec<String> {
    let counts = queue.counts;
    let said = |n: u64, what: &str| format!("{} {what}", format::count(n));
    let flight = at_limit(queue).unwrap_or_else(|| said(counts.in_flight, "in flight"));
    let rare = match gone(queue).first() {
        Some(gone) => format!(" · {gone}"),
        None => String::new(),
    };
    let delayed = said(counts.delayed, "delayed");
    vec![
        format!("{flight} · {delayed}{rare}"),
        format!("{flight}{rare}"),
        flight,
    ]
}

/// How many are ready, and of how many where there is a limit; red once it is full.
fn fill_mark(queue: &QueueView, ready: [String; 2]) -> ([String; 2], TextRole) {
    let rules = &queue.setup.rules;
    let Some(most) = rules.capacity else {
        return (ready, TextRole::Muted);
    };
    let holds = match rules.capacity_counts {
        CapacityCounts::Ready => queue.counts.ready,
        CapacityCounts::All => queue.counts.ready + queue.counts.delayed + queue.counts.in_flight,
    };
    let (holds, of) = (holds, format::count(most.into()));
    let [_, count] = ready;
    let mark = format!("{count}/{of}");
    if holds < most.into() {
        return ([format!("{count} of {of} ready"), mark], TextRole::Muted);
    }
    let does = match rules.overflow {
        Overflow::DropHead => "drops oldest",
        Overflow::Refuse | Overflow::RefuseAndDeadLetter => "refuses",
    };
    (
        [format!("full {mark}: {does}"), format!("full {mark}")],
        TextRole::Bad,
    )
}
