//! The number cards of the full view: a number, and its line over the run.

use std::rc::Rc;

use yew::prelude::*;

use super::action::Action;
use super::charts::open_chart;
use super::numbers::{Number, ready, working_queues};
use super::player::Player;
use crate::engine::{Micros, Snapshot};
use crate::present::chart::ChartId;
use crate::present::format;
use crate::session::Quantity;

/// A sparkline's box.
const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 40.0;

/// One card.
#[derive(Clone, PartialEq, Debug)]
pub struct Card {
    /// The number.
    pub number: Number,
    /// Its course, as the points of a polyline.
    pub line: AttrValue,
    /// What it opens.
    pub chart: ChartId,
}

impl Player {
    /// The cards at the playhead.
    pub fn cards(&self) -> Rc<[Card]> {
        let (now, before) = (self.session.snapshot(), self.before.as_deref());
        let at = now.at;
        let card = |number, quantity, chart| Card {
            number,
            chart,
            line: line(self.session.series().points(quantity, at), at),
        };
        let count = |label, of: fn(&Snapshot) -> u64, harm| {
            Number::count(label, of(&now), before.map(of), harm)
        };
        let oldest = Number {
            label: "Oldest waiting",
            now: oldest_wait(&now),
            before: before.map(oldest_wait),
            harm: false,
        };
        let duplicates = count(
            "Duplicate effects",
            |snapshot| snapshot.totals.duplicate_effects,
            true,
        );
        let dead = count(
            "Dead-lettered",
            |snapshot| snapshot.totals.dead_lettered,
            true,
        );
        [
            card(
                count("Ready", ready, false),
                Quantity::Ready,
                ChartId::Messages,
            ),
            card(oldest, Quantity::OldestWait, ChartId::Oldest),
            card(duplicates, Quantity::DuplicateEffects, ChartId::Harm),
            card(dead, Quantity::DeadLettered, ChartId::DeadLetters),
        ]
        .into()
    }
}

fn oldest_wait(snapshot: &Snapshot) -> AttrValue {
    let oldest = working_queues(snapshot)
        .filter_map(|queue| queue.oldest_since)
        .min();
    oldest.map_or(AttrValue::Static("none"), |since| {
        format::elapsed(snapshot.at - since).into()
    })
}

/// A step line of values over time, as the points of a polyline: from
/// the beginning to `at`.
fn line(points: impl Iterator<Item = (Micros, u64)>, at: Micros) -> AttrValue {
    let points: Vec<_> = points.collect();
    let highest = points
        .iter()
        .map(|&(_, value)| value)
        .max()
        .unwrap_or(0)
        .max(1);
    let whole = at.as_secs_f64().max(1.0);
    let x = |at: Micros| at.as_secs_f64() / whole * WIDTH;
    let y = |value: u64| HEIGHT - 3.0 - value as f64 / highest as f64 * (HEIGHT - 8.0);
    let mut text = String::new();
    let mut height = y(0);
    for &(at, value) in &points {
        let next = y(value);
        let (x, from, to) = (
            format::fixed(x(at), 1),
            format::fixed(height, 1),
            format::fixed(next, 1),
        );
        text += &format!("{x},{from} {x},{to} ");
        height = next;
    }
    text += &format!("{},{}", format::fixed(x(at), 1), format::fixed(height, 1));
    text.into()
}

/// The cards as the page shows them.
pub fn card_list(cards: &[Card], act: &Callback<Action>) -> Html {
    html! {
        <dl class="cards" aria-label="Numbers">
            for Card { number, line, chart } in cards {
                <div class={classes!("metric", "panel", number.harm.then_some("metric--harm"))} data-about={number.about()}>
                    <dt class="metric__label">
                        <button type="button" class="metric__open" aria-label={format!("{}: open its chart", number.label)} onclick={open_chart(*chart, act)}>{ number.label }</button>
                    </dt>
                    <dd class="metric__value">
                        { &number.now }
                        if let Some(before) = &number.before {
                            <span class="number__before">{ format!("before {before}") }</span>
                        }
                    </dd>
                    <svg class="metric__line" viewBox={format!("0 0 {} {}", format::fixed(WIDTH, 0), format::fixed(HEIGHT, 0))} preserveAspectRatio="none" aria-hidden="true" focusable="false">
                        <polyline points={line} vector-effect="non-scaling-stroke" />
                    </svg>
                </div>
            }
        </dl>
    }
}
