//! The causes of an event under its line, with what is at their root linked to its control.

use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::action::{Action, press};
use super::asked::Why;
use super::browser;
use super::log::read;
use super::reading::Read;
use crate::engine::Ordinal;
use crate::present::format;

/// How long a control stays marked, in milliseconds.
const MARKED: u32 = 2_500;

/// The causes.
pub fn explained(why: &Why, act: &Callback<Action>) -> Html {
    let last = why.links.len().saturating_sub(1);
    html! {
        <div class="why">
            for root in why.roots.iter() {
                <p class="why__root">
                    <b>{ root.kind }{ ": " }</b>{ &root.text }
                    if let Some((reference, label)) = root.control {
                        { " " }
                        <button type="button" class="link" onclick={press(act, Action::Reveal(reference))}>{ label }</button>
                    }
                </p>
            }
            if !why.complete {
                <p class="why__root">{ "Looking further back…" }</p>
            } else if why.roots.is_empty() && why.links.is_empty() {
                <p class="why__root">{ "It is where the run begins." }</p>
            }
            <ol class="why__links" aria-label="What led to it, newest first">
                for (place, link) in why.links.iter().enumerate() {
                    if place == last && why.left_out > 0 {
                        <li key="more" class="why__more">{ format!("{} more", format::count(why.left_out as u64)) }</li>
                    }
                    <li key={link.ordinal} class={classes!(link.tone.map(|tone| format!("tone--{tone}")))}>
                        <button type="button" class="story__line" onclick={read(act, Read::Moment(Ordinal(link.ordinal)))}>
                            <time>{ &link.time }</time>
                            <span>{ format!("{}: {}", link.who, link.text) }</span>
                        </button>
                    </li>
                }
            </ol>
        </div>
    }
}

/// Moves the focus to what is only about to be rendered.
pub fn focus_soon(selector: impl AsRef<str> + 'static) {
    Timeout::new(0, move || browser::focus(selector.as_ref())).forget();
}

/// Focuses the event whose causes have been asked for, and on a narrow screen scrolls to it, below the transport.
pub fn show_causes() {
    Timeout::new(0, || {
        browser::focus(".log__why[aria-expanded=\"true\"]");
        if browser::is_narrow() {
            browser::bring_to_top(".log__line:has(.why)");
            browser::bring_to_top(".log");
        }
    })
    .forget();
}

/// On a narrow screen, scrolls until the story of the message that was chosen begins to be in sight.
pub fn show_story() {
    Timeout::new(0, || {
        if browser::is_narrow() {
            browser::bring_into_sight(".events");
        }
    })
    .forget();
}

/// The same, to the first of several that is there then.
pub fn focus_first_soon(selectors: [&'static str; 3]) {
    Timeout::new(0, move || {
        let mut selectors = selectors.into_iter();
        let _ = selectors.any(|selector| {
            browser::focus(selector);
            browser::has_focus(selector)
        });
    })
    .forget();
}

/// Focuses a control and marks it for a moment, once it is there.
pub fn reveal(id: &'static str) {
    Timeout::new(0, move || {
        let found = browser::document().and_then(|document| {
            let selector = format!("#{id}, input[name=\"{id}\"]:checked, input[name=\"{id}\"]");
            document.query_selector(&selector).ok()?
        });
        let Some(element) = found else { return };
        let mut around = element.closest("details").ok().flatten();
        while let Some(group) = around {
            let _ = group.set_attribute("open", "");
            let parent = group.parent_element();
            around = parent.and_then(|parent| parent.closest("details").ok().flatten());
        }
        if let Some(element) = element.dyn_ref::<HtmlElement>() {
            let _ = element.focus();
        }
        let Some(control) = element.closest(".control").ok().flatten() else {
            return;
        };
        let _ = control.set_attribute("data-marked", "");
        Timeout::new(MARKED, move || {
            let _ = control.remove_attribute("data-marked");
        })
        .forget();
    })
    .forget();
}
