//! The three numbers of the simple view.

use std::rc::Rc;

use yew::prelude::*;

use crate::engine::Snapshot;
use crate::engine::snapshot::QueueView;
use crate::present::format;

/// One number.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    /// What is counted.
    pub label: &'static str,
    /// How many.
    pub now: AttrValue,
    /// How many it was without the change.
    pub before: Option<AttrValue>,
    /// Whether it means harm.
    pub harm: bool,
}

impl Number {
    /// What it counts, for what is lit with it.
    pub fn about(&self) -> Option<&'static str> {
        match self.label {
            "Ready" => Some("x-ready"),
            "In flight" => Some("x-flight"),
            "Duplicate effects" => Some("x-duplicate"),
            "Dead-lettered" => Some("x-dead"),
            _ => None,
        }
    }

    /// A count, and what it is in the run before.
    pub fn count(label: &'static str, now: u64, before: Option<u64>, harm: bool) -> Self {
        Self {
            label,
            now: format::count(now).into(),
            before: before.map(|before| format::count(before).into()),
            harm: harm && now > 0,
        }
    }
}

/// The queues that are no dead-letter queues.
pub fn working_queues(snapshot: &Snapshot) -> impl Iterator<Item = &QueueView> {
    let queues = snapshot.queues.iter();
    queues.filter(|queue| !queue.is_dead_letter_queue)
}

/// Messages ready in all queues but dead-letter queues.
pub fn ready(snapshot: &Snapshot) -> u64 {
    working_queues(snapshot)
        .map(|queue| queue.counts.ready)
        .sum()
}

/// The three numbers.
pub fn numbers(now: &Snapshot, before: Option<&Snapshot>) -> Rc<[Number]> {
    let number =
        |label, of: fn(&Snapshot) -> u64, harm| Number::count(label, of(now), before.map(of), harm);
    [
        number("Ready", ready, false),
        number(
            "Duplicate effects",
            |snapshot| snapshot.totals.duplicate_effects,
            true,
        ),
        number(
            "Dead-lettered",
            |snapshot| snapshot.totals.dead_lettered,
            true,
        ),
    ]
    .into()
}

/// The three numbers as the page shows them.
pub fn number_list(numbers: &[Number]) -> Html {
    html! {
        <dl class="numbers">
            for number in numbers {
                <div class={classes!("number", number.harm.then_some("number--harm"))} data-about={number.about()}>
                    <dt>{ number.label }</dt>
                    <dd>
                        { &number.now }
                        if let Some(before) = &number.before {
                            <span class="number__before">{ format!("before {before}") }</span>
                        }
                    </dd>
                </div>
            }
        </dl>
    }
}
