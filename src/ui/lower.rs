//! The panel under the transport: one of several contents, chosen by tabs.

use yew::prelude::*;

use super::action::{Action, Tab, press};
use super::browser;
use super::cards::card_list;
use super::charts::charts;
use super::compare::compare;
use super::dead_letters::dead_letters;
use super::panel::Panel;
use super::sweep::sweep;
use super::timeline::{TimelineStrip, timeline_tools};

/// The panel. `columns` are the contents that have no column of their own on this screen.
pub fn lower(panel: &Panel, columns: Option<(Html, Html)>, act: &Callback<Action>) -> Html {
    let tabs: Vec<Tab> = Tab::ALL
        .into_iter()
        .filter(|tab| columns.is_some() || !tab.is_column())
        .collect();
    // A screen that became wide has a column for what was chosen on a narrow one.
    let chosen = tabs.iter().find(|&&tab| tab == panel.tab);
    let chosen = chosen.copied().unwrap_or_default();
    let content = match (chosen, columns) {
        (Tab::Timeline, _) => html! {
            <>
                if let Some(strip) = &panel.strip {
                    <TimelineStrip strip={strip.clone()} act={act.clone()} />
                }
                { card_list(&panel.cards, act) }
            </>
        },
        (Tab::Charts, _) => charts(panel, act),
        (Tab::Compare, _) => compare(panel, act),
        (Tab::Sweep, _) => sweep(panel, act),
        (Tab::DeadLetters, _) => dead_letters(panel, act),
        (Tab::Settings, Some((settings, _))) => settings,
        (Tab::Events, Some((_, events))) => events,
        (Tab::Settings | Tab::Events, None) => Html::default(),
    };
    html! {
        <section class={classes!("lower", "panel", format!("lower--{}", chosen.name()))} aria-label="More about the run">
            <div class="lower__head">
                <div class="tabs" role="tablist" aria-label="More about the run" onkeydown={arrows(tabs.clone(), chosen, act)}>
                    for tab in tabs {
                        { self::tab(tab, tab == chosen, act) }
                    }
                </div>
                if panel.beside.is_some() && chosen != Tab::Compare {
                    <span class="lower__comparing">
                        { "Comparing" }
                        <button type="button" class="button button--quiet" aria-label="Close the comparison" onclick={press(act, Action::CloseOther)}>{ "Close" }</button>
                    </span>
                }
                if let Some(strip) = &panel.strip {
                    { timeline_tools(strip, act) }
                }
            </div>
            <div class="lower__content" id="lower-content" role="tabpanel" aria-labelledby={format!("tab-{}", chosen.name())}>
                { content }
            </div>
        </section>
    }
}

fn tab(tab: Tab, chosen: bool, act: &Callback<Action>) -> Html {
    html! {
        <button key={tab.name()} type="button" class="tab" role="tab" id={format!("tab-{}", tab.name())} aria-selected={chosen.to_string()}
            aria-controls="lower-content" tabindex={if chosen { "0" } else { "-1" }} onclick={press(act, Action::Tab(tab))}>
            { tab.word() }
        </button>
    }
}

/// Arrows, Home and End between the tabs.
fn arrows(tabs: Vec<Tab>, chosen: Tab, act: &Callback<Action>) -> Callback<KeyboardEvent> {
    let act = act.clone();
    Callback::from(move |event: KeyboardEvent| {
        let last = tabs.len().saturating_sub(1);
        let now = tabs.iter().position(|&tab| tab == chosen).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowRight" if now < last => now + 1,
            "ArrowRight" | "Home" => 0,
            "ArrowLeft" => now.checked_sub(1).unwrap_or(last),
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(&tab) = tabs.get(next) {
            act.emit(Action::Tab(tab));
            browser::focus(&format!("#tab-{}", tab.name()));
        }
    })
}
