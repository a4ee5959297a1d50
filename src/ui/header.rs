//! The head of the page: what runs, another file, a link to it, and how much of the page is shown.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::action::{Action, Layout, press};
use super::browser;
use super::files::open_file;
use super::icons::{Shape, icon, logo};
use super::panel::Panel;
use crate::scenario::Symptom;
use crate::scenario::catalogue::{CATALOGUE, Shipped};

/// How many shipped scenarios stand before the groups: those that introduce the playground.
const INTRODUCTIONS: usize = 2;

/// The header; `copied` when the last link went to the clipboard.
pub fn header(panel: &Panel, layout: Layout, copied: bool, act: &Callback<Action>) -> Html {
    let press = |action: Action| press(act, action);
    let (other, word) = match layout {
        Layout::Simple => (Layout::Full, "More"),
        Layout::Full => (Layout::Simple, "Less"),
    };
    html! {
        <header class="top">
            <h1 class="top__name">{ logo() }<span>{ "Queue Playground" }</span></h1>
            if !browser::embedded() {
                { picker(panel.slug, &panel.title, act) }
                { open_file(act) }
            }
            <span class="top__gap" />
            <button type="button" class="button" popovertarget="share">{ "Share" }{ icon(Shape::Down) }</button>
            <div id="share" class="menu menu--share panel" popover="auto">
                <button type="button" class="menu__entry" onclick={press(Action::CopyLink)}>
                    { icon(Shape::Link) }{ if copied { "Link copied" } else { "Copy link" } }
                </button>
                <button type="button" class="menu__entry" onclick={press(Action::Save)}>{ icon(Shape::File) }{ "Save as a file" }</button>
            </div>
            <button type="button" class="button top__keys" popovertarget="keys" aria-label="Keys" title="Keys">{ "?" }</button>
            <button type="button" class="button" aria-expanded={(layout == Layout::Full).to_string()} onclick={press(Action::Layout(other))}>
                { word }{ icon(if layout == Layout::Simple { Shape::More } else { Shape::Less }) }
            </button>
        </header>
    }
}

fn picker(scenario: Option<&'static str>, title: &AttrValue, act: &Callback<Action>) -> Html {
    let onchange = act.reform(|event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        Action::Open(select.map(|select| select.value()).unwrap_or_default())
    });
    html! {
        <div class="top__picker">
            <select class="select" aria-label="Situation" {onchange}>
                if scenario.is_none() {
                    <option selected=true value="" disabled=true>{ title }</option>
                }
                for shipped in CATALOGUE.iter().take(INTRODUCTIONS) {
                    { entry(shipped, scenario) }
                }
                for symptom in Symptom::ALL {
                    { group(symptom, scenario) }
                }
            </select>
        </div>
    }
}

fn group(symptom: Symptom, chosen: Option<&'static str>) -> Html {
    let entries = CATALOGUE.iter().skip(INTRODUCTIONS);
    let mut entries = entries
        .filter(|shipped| shipped.symptom == symptom)
        .peekable();
    if entries.peek().is_none() {
        return Html::default();
    }
    html! {
        <optgroup key={symptom.label()} label={symptom.label()}>
            for shipped in entries {
                { entry(shipped, chosen) }
            }
        </optgroup>
    }
}

fn entry(shipped: &Shipped, chosen: Option<&'static str>) -> Html {
    html! { <option key={shipped.slug} value={shipped.slug} selected={chosen == Some(shipped.slug)}>{ shipped.question }</option> }
}
