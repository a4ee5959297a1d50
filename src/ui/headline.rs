//! The headline of the simple view: four controls and three numbers.

use yew::prelude::*;

use super::numbers::{Number, Numbers};
use super::panel::Panel;
use crate::present::format;

/// The three numbers at the playhead.
pub fn numbers(panel: &Panel) -> Vec<Number> {
    let snapshot = &panel.snapshot;
    let ready = snapshot
        .queues
        .iter()
        .filter(|queue| !queue.is_dead_letter_queue)
        .map(|queue| queue.counts.ready)
        .sum();
    let totals = &snapshot.totals;
    let number = |label, now: u64, harm| Number {
        label,
        now: format::count(now).into(),
        before: None,
        harm: harm && now > 0,
    };
    vec![
        number("Ready", ready, false),
        number("Duplicate effects", totals.duplicate_effects, true),
        number("Dead-lettered", totals.dead_lettered, true),
    ]
}

/// The headline's properties.
#[derive(Properties, PartialEq)]
pub struct HeadlineProps {
    /// The three numbers.
    pub numbers: Vec<Number>,
}

/// The headline.
#[component]
pub fn Headline(props: &HeadlineProps) -> Html {
    html! {
        <section class="headline panel" aria-label="Settings and numbers">
            <Numbers numbers={props.numbers.clone()} />
        </section>
    }
}
