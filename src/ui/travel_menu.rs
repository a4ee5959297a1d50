//! The menu of the ways through time: jumps, break points, and skipping the quiet.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::action::{Action, press};
use super::icons::{Shape, icon};
use crate::engine::Micros;
use crate::present::format::{counted, fixed};
use crate::present::time_travel::{BreakPoint, sought_name, stop_time};
use crate::session::Sought;

/// What is chosen in the menu.
#[derive(Clone, PartialEq, Default)]
pub struct Choices {
    /// Whether the quiet is skipped.
    pub skips_quiet: bool,
    /// What to stop at.
    pub breaks: Vec<BreakPoint>,
    /// When to stop.
    pub break_at: Option<Micros>,
    /// What was looked for last and not found, and whether before the playhead.
    pub missed: Option<(Sought, bool)>,
    /// When the run ends.
    pub end: Option<Micros>,
}

/// The button that opens the menu, and the menu.
pub fn travel_menu(choices: &Choices, calm: bool, act: &Callback<Action>) -> Html {
    let active = choices.breaks.len() + usize::from(choices.break_at.is_some());
    let stops = counted(active as u64, "stop", "stops");
    let (word, dots, name) = match active {
        0 => (
            "Jump".to_owned(),
            "…".to_owned(),
            "Jump and stop".to_owned(),
        ),
        _ => (
            format!("Jump · {stops}"),
            format!("… {active}"),
            format!("Jump and stop · {stops}"),
        ),
    };
    let skip = act.reform(|event: Event| Action::SkipQuiet(checked(&event)));
    html! {
        <>
            <button type="button" class="button transport__menu" popovertarget="travel" aria-label={name}>
                <span class={classes!("transport__jump", calm.then_some("transport__jump--calm"))}>{ word }{ icon(Shape::Down) }</span>
                if calm {
                    <span class="transport__dots" aria-hidden="true">{ dots }</span>
                }
            </button>
            <div id="travel" class="menu menu--travel panel" popover="auto" role="group" aria-label="Jump and stop">
                <h2 class="panel__title">{ "Jump to" }</h2>
                for sought in Sought::ALL {
                    { jump(sought, choices.missed, act) }
                }
                <h2 class="panel__title">{ "Stop when" }</h2>
                for point in BreakPoint::ALL {
                    { stop(point, choices.breaks.contains(&point), act) }
                }
                <label class="menu__check">
                    { "at" }
                    <input class="field" type="number" min="0" step="any" inputmode="decimal" aria-label="Stop at, in seconds"
                        value={in_seconds(choices.break_at).unwrap_or_default()} onchange={stop_at(choices, act)} />
                    { "s" }
                </label>
                <h2 class="panel__title">{ "While playing" }</h2>
                <label class="menu__check">
                    <input type="checkbox" checked={choices.skips_quiet} onchange={skip} />
                    { "Skip the quiet" }
                </label>
            </div>
        </>
    }
}

fn jump(sought: Sought, missed: Option<(Sought, bool)>, act: &Callback<Action>) -> Html {
    let missed = missed.filter(|(of, _)| *of == sought);
    let none = missed.map(|(_, back)| if back { "none before" } else { "none found" });
    let name = sought_name(sought);
    let go = |back| press(act, Action::Jump(sought, back));
    let lower = name.to_ascii_lowercase();
    html! {
        <div key={name} class="menu__row">
            <span>{ name }</span>
            <em class="menu__none">{ none }</em>
            <button type="button" class="button button--quiet" aria-label={format!("Previous {lower}")} onclick={go(true)}>{ icon(Shape::Back) }</button>
            <button type="button" class="button button--quiet" aria-label={format!("Next {lower}")} onclick={go(false)}>{ "Next" }{ icon(Shape::Forward) }</button>
        </div>
    }
}

fn stop(point: BreakPoint, on: bool, act: &Callback<Action>) -> Html {
    let set = act.reform(move |event: Event| Action::Break(point, checked(&event)));
    html! {
        <label key={point.words()} class="menu__check">
            <input type="checkbox" checked={on} onchange={set} />
            { point.words() }
        </label>
    }
}

fn input(event: &Event) -> Option<HtmlInputElement> {
    event.target_dyn_into()
}

fn checked(event: &Event) -> bool {
    input(event).is_some_and(|input| input.checked())
}

/// A time as the field shows it.
fn in_seconds(at: Option<Micros>) -> Option<String> {
    at.map(|at| fixed(at.as_secs_f64(), 3))
}

/// Takes a time to stop at. One that there is not is told, and the field shows the one before again.
fn stop_at(choices: &Choices, act: &Callback<Action>) -> Callback<Event> {
    let (before, end, act) = (choices.break_at, choices.end, act.clone());
    Callback::from(move |event: Event| {
        let Some(input) = input(&event) else { return };
        let typed = input.value_as_number();
        act.emit(match stop_time(typed, end) {
            Ok(at) => Action::BreakAt(at),
            Err(why) => {
                input.set_value(&in_seconds(before).unwrap_or_default());
                Action::Tell(why)
            }
        });
    })
}
