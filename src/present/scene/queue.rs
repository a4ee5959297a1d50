//! A queue's card: lanes with what waits in them, and what is hidden or delayed.

use crate::engine::GroupId;
use crate::engine::setup::QueueKind;
use crate::engine::snapshot::{LaneView, QueueView};
use crate::present::geometry::Rect;
use crate::present::names::{clean, token_name};
use crate::present::{format, measure};

use super::card::{Card, TITLE};
use super::lanes::{Lanes, lane_names};
use super::layout::QueueCast;
use super::tokens::Marker;
use super::{Density, Station, StationId, TextRole, TokenMark};

/// Height of title and subtitle, in units.
pub const HEADER: f64 = 56.0;
/// Least height of a lane.
pub const LANE: f64 = 28.0;
/// Gap between lanes.
pub const LANE_GAP: f64 = 4.0;
/// Height of the line that sums up further lanes.
pub const MORE_LINE: f64 = 20.0;

/// Height of the title where it stands alone.
pub const COMPACT_HEADER: f64 = 34.0;
/// Least height of the lane of a standard queue.
pub const fn standard_lane(compact: bool) -> f64 {
    if compact { 42.0 } else { 76.0 }
}

/// Height of what stands above the lanes.
pub const fn header(compact: bool) -> f64 {
    if compact { COMPACT_HEADER } else { HEADER }
}

/// Height of the lines below the lanes.
pub const fn footer(density: Density, compact: bool) -> f64 {
    match density {
        Density::Simple if !compact => 48.0,
        _ => 28.0,
    }
}

/// Fills the card.
pub fn fill(
    marker: &Marker,
    cast: &QueueCast,
    queue: &QueueView,
    rect: Rect,
) -> (Station, Vec<TokenMark>) {
    let mut card = Card::new(
        StationId::Queue(cast.id),
        rect,
        &clean(&queue.setup.name),
        marker.unit,
    );
    card.soft();
    let count = format::count(queue.counts.ready);
    let kind = match queue.setup.kind {
        QueueKind::Standard => "standard queue",
        QueueKind::Fifo => "FIFO queue",
    };
    let now = marker.input.snapshot.at;
    let subtitle = match queue.oldest_since {
        Some(since) => {
            let wait = format!("oldest waiting {}", format::elapsed(now - since));
            vec![format!("{kind} · {wait}"), wait]
        }
        None => vec![kind.to_owned()],
    };
    let ready = [format!("{count} ready"), count];
    if marker.compact {
        let [ready, count] = ready;
        let kind_too = subtitle.iter().map(|text| format!("{text} · {ready}"));
        let wordings: Vec<String> = kind_too.chain([ready.clone(), count]).collect();
        card.title(&wordings, TextRole::Muted);
    } else {
        card.title(&ready, TextRole::Muted);
        card.line(29.0, &subtitle, TextRole::Muted);
    }

    let header = header(marker.compact);
    let foot = card.height() - footer(marker.input.density, marker.compact);
    let more = if cast.more_lanes > 0 { MORE_LINE } else { 0.0 };
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
        let count = cast.lanes.len() as f64;
        let height = (area.h - LANE_GAP * (count - 1.0)) / count;
        for (i, group) in cast.lanes.iter().enumerate() {
            let y = area.y + i as f64 * (height + LANE_GAP);
            let rect = card.boxed(Rect::new(area.x, y, area.w, height));
            let lane = lanes.group(*group, rect, &mut card);
            card.lane(lane);
        }
        if cast.more_lanes > 0 {
            let shown = |lane: &&LaneView| cast.lanes.contains(&lane.group);
            let listed: u32 = queue
                .lanes
                .iter()
                .filter(shown)
                .map(|lane| lane.ready)
                .sum();
            let rest = queue.counts.ready.saturating_sub(listed.into());
            let groups = format::count(cast.more_lanes as u64);
            let text = format!("+{groups} more groups: {} ready", format::count(rest));
            card.line(
                foot - more,
                &[text, format!("+{groups} groups")],
                TextRole::Muted,
            );
        }
    }
    let tokens = lanes.tokens;
    match marker.input.density {
        Density::Simple if marker.compact => {
            let timeout = format::span(queue.setup.visibility_timeout);
            let hidden = hidden(marker, queue);
            let long = hidden
                .first()
                .map(|first| format!("{first} · timeout {timeout}"));
            let wordings: Vec<String> = long.into_iter().chain(hidden).collect();
            card.line(foot + 4.0, &wordings, TextRole::Muted);
        }
        Density::Simple => {
            card.line(foot + 3.0, &hidden(marker, queue), TextRole::Muted);
            let timeout = format::span(queue.setup.visibility_timeout);
            let budget = format::retry_budget_short(queue.setup.max_deliveries);
            let texts = [
                format!("timeout {timeout} · retry budget {budget}"),
                format!("timeout {timeout}"),
            ];
            card.line(foot + 22.0, &texts, TextRole::Muted);
        }
        Density::Full => card.line(foot + 4.0, &counts(queue), TextRole::Muted),
    }
    (card.finish(), tokens)
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

/// What is in flight and until when, in words.
fn hidden(marker: &Marker, queue: &QueueView) -> Vec<String> {
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
    let until = format::instant(first.hidden_until);
    let name = token_name(marker.input.setup, &first.token);
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

fn counts(queue: &QueueView) -> Vec<String> {
    let flight = format!("{} in flight", format::count(queue.counts.in_flight));
    let delayed = format!("{} delayed", format::count(queue.counts.delayed));
    vec![format!("{flight} · {delayed}"), flight]
}
