//! The head of the page: what runs, another file, a link to it, and how much of the page is shown.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::action::{Action, Layout};
use super::files::OpenFile;
use super::icons::{Icon, Logo, Shape};
use crate::scenario::Symptom;
use crate::scenario::catalogue::{CATALOGUE, Shipped};

/// How many shipped scenarios stand before the groups: those that introduce the playground.
const INTRODUCTIONS: usize = 2;

/// What the header shows.
#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// Name of the shipped scenario that runs; none for a file.
    pub scenario: Option<&'static str>,
    /// Title of what runs.
    pub title: AttrValue,
    /// Which view.
    pub layout: Layout,
    /// Whether the page is embedded in another one.
    pub embedded: bool,
    /// Whether the last link went to the clipboard.
    pub copied: bool,
    /// What a press does.
    pub act: Callback<Action>,
}

/// The header.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let act = |action: Action| props.act.reform(move |_: MouseEvent| action.clone());
    let (other, word) = match props.layout {
        Layout::Simple => (Layout::Full, "More"),
        Layout::Full => (Layout::Simple, "Less"),
    };
    html! {
        <header class="top">
            <h1 class="top__name"><Logo /><span>{ "Queue Playground" }</span></h1>
            if !props.embedded {
                <Picker scenario={props.scenario} title={props.title.clone()} act={props.act.clone()} />
                <OpenFile act={props.act.clone()} />
            }
            <span class="top__gap" />
            <button type="button" class="button" popovertarget="share">{ "Share" }<Icon shape={Shape::Down} /></button>
            <div id="share" class="menu menu--share panel" popover="auto">
                <button type="button" class="menu__entry" onclick={act(Action::CopyLink)}>
                    <Icon shape={Shape::Link} />{ if props.copied { "Link copied" } else { "Copy link" } }
                </button>
                <button type="button" class="menu__entry" onclick={act(Action::Save)}><Icon shape={Shape::File} />{ "Save as a file" }</button>
            </div>
            <button type="button" class="button" aria-expanded={(props.layout == Layout::Full).to_string()} onclick={act(Action::Layout(other))}>
                { word }<Icon shape={if props.layout == Layout::Simple { Shape::More } else { Shape::Less }} />
            </button>
        </header>
    }
}

#[derive(Properties, PartialEq)]
struct PickerProps {
    scenario: Option<&'static str>,
    title: AttrValue,
    act: Callback<Action>,
}

#[component]
fn Picker(props: &PickerProps) -> Html {
    let onchange = props.act.reform(|event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        Action::Open(select.map(|select| select.value()).unwrap_or_default())
    });
    html! {
        <div class="top__picker">
            <select class="select" aria-label="Situation" {onchange}>
                if props.scenario.is_none() {
                    <option selected=true value="" disabled=true>{ &props.title }</option>
                }
                for shipped in CATALOGUE.iter().take(INTRODUCTIONS) {
                    { entry(shipped, props.scenario) }
                }
                for symptom in Symptom::ALL {
                    { group(symptom, props.scenario) }
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
