//! What is in the dead-letter queues, why, and what can be done about it.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::action::{Action, press};
use super::menu::button_of;
use super::panel::Panel;
use super::player::Player;
use crate::engine::command::DiscardReason;
use crate::engine::{Command, MessageNumber, QueueId};
use crate::present::actions::discard_reason;
use crate::present::dead_letters::{Row, Sheet, sheets};
use crate::present::format;
use crate::present::names::Names;
use crate::present::scene::About;

/// Rates on offer for a redrive, in messages a second; none is all at once.
const RATES: [(&str, Option<u32>); 4] = [
    ("1 a second", Some(1)),
    ("10 a second", Some(10)),
    ("100 a second", Some(100)),
    ("all at once", None),
];

impl Player {
    /// The dead-letter queues at the playhead.
    pub fn dead_letter_sheets(&self) -> Rc<[Sheet]> {
        let names = Names {
            setup: self.session.simulation().setup(),
            bodies: &self.bodies,
        };
        sheets(&self.session.snapshot(), self.session.ledger(), &names).into()
    }
}

/// The content of the tab.
pub fn dead_letters(panel: &Panel, act: &Callback<Action>) -> Html {
    if panel.dead_letters.is_empty() {
        return html! { <p class="empty">{ "No queue has a dead-letter queue here: what cannot be processed is tried again for ever, or dropped when its budget is used up." }</p> };
    }
    html! {
        <div class="dead">
            for sheet in panel.dead_letters.iter() {
                { self::sheet(sheet, panel.selected, act) }
            }
        </div>
    }
}

fn sheet(sheet: &Sheet, selected: Option<MessageNumber>, act: &Callback<Action>) -> Html {
    let about = About::Queue(sheet.queue).to_string();
    let there = format::counted(sheet.count, "message", "messages");
    html! {
        <section key={sheet.name.clone()} class="dead__queue" aria-label={sheet.name.clone()}>
            <div class="dead__head">
                <h2 data-about={about} tabindex="-1">{ &sheet.name }</h2>
                <span class="dead__count">{ there }</span>
                if sheet.count > 0 {
                    { for_all(sheet, act) }
                }
            </div>
            if sheet.count == 0 {
                <p class="empty">{ "Empty. A message comes here when its retry budget is used up, or when a consumer rejects it." }</p>
            } else {
                <p class={classes!("dead__verdict", sheet.stands.then_some("dead__verdict--stands"))}>{ &sheet.verdict }</p>
                <ul class="dead__rows">
                    for row in &sheet.rows {
                        { self::row(row, selected == Some(row.message), act) }
                    }
                </ul>
                for rest in &sheet.rest {
                    <p class="empty">{ rest }</p>
                }
            }
        </section>
    }
}

fn for_all(sheet: &Sheet, act: &Callback<Action>) -> Html {
    let from = sheet.queue;
    let purge = command(Command::Purge(from), act);
    html! {
        <span class="dead__all">
            if let Some(progress) = &sheet.redrive {
                <span class="dead__progress">{ progress }</span>
                <button type="button" class="button" onclick={command(Command::CancelRedrive(from), act)}>{ "Stop" }</button>
            } else {
                <select class="select" data-own="true" aria-label={format!("Rate of the redrive of {}", sheet.name)}>
                    for (index, (word, _)) in RATES.into_iter().enumerate() {
                        <option key={word} selected={index == 0}>{ word }</option>
                    }
                </select>
                <button type="button" class="button" onclick={redrive_all(from, act)}>{ "Redrive all" }</button>
            }
            <button type="button" class="button button--quiet" aria-label={format!("Purge {}", sheet.name)} onclick={purge}>{ "Purge" }</button>
        </span>
    }
}

fn redrive_all(from: QueueId, act: &Callback<Action>) -> Callback<MouseEvent> {
    act.reform(move |event: MouseEvent| {
        let rate = RATES.get(chosen_beside(&event)).and_then(|(_, rate)| *rate);
        Action::Command(Command::Redrive {
            from,
            limit: None,
            rate,
        })
    })
}

fn row(row: &Row, selected: bool, act: &Callback<Action>) -> Html {
    let message = row.message;
    let name = &row.name;
    let redrive = |fix| command(Command::RedriveMessage { message, fix }, act);
    let select = press(act, Action::Select(Some(message)));
    let discard = act.reform(move |event: MouseEvent| {
        let reasons = DiscardReason::ALL;
        let reason = reasons.get(chosen_beside(&event)).copied();
        let reason = reason.unwrap_or_default();
        Action::Command(Command::Discard { message, reason })
    });
    html! {
        <li key={message.0} class={classes!("dead__row", selected.then_some("dead__row--selected"))} data-about={About::Message(message).to_string()}>
            <button type="button" class="dead__name" aria-pressed={selected.to_string()} onclick={select}>{ name }</button>
            <div class="dead__story">
                <p>{ &row.moved }</p>
                if !row.attempts.is_empty() {
                    <ol>
                        for attempt in &row.attempts {
                            <li>{ attempt }</li>
                        }
                    </ol>
                }
                for cause in &row.causes {
                    <p class="dead__cause">{ cause }</p>
                }
            </div>
            <div class="dead__acts">
                <button type="button" class="button" aria-label={format!("Redrive {name}")} onclick={redrive(false)}>{ "Redrive" }</button>
                if row.poison {
                    <button type="button" class="button" aria-label={format!("Fix and redrive {name}")} onclick={redrive(true)}>{ "Fix and redrive" }</button>
                }
                <span class="dead__discard">
                    <select class="select" data-own="true" aria-label={format!("Why {name} is discarded")}>
                        for (index, reason) in DiscardReason::ALL.into_iter().enumerate() {
                            <option key={index} selected={index == 0}>{ discard_reason(reason) }</option>
                        }
                    </select>
                    <button type="button" class="button button--quiet" aria-label={format!("Discard {name}")} onclick={discard}>{ "Discard" }</button>
                </span>
            </div>
        </li>
    }
}

fn command(command: Command, act: &Callback<Action>) -> Callback<MouseEvent> {
    press(act, Action::Command(command))
}

/// What is chosen in the list before the button that was pressed.
fn chosen_beside(event: &MouseEvent) -> usize {
    let list = button_of(event).and_then(|button| button.previous_element_sibling());
    let list = list.and_then(|list| list.dyn_into::<HtmlSelectElement>().ok());
    list.map_or(0, |list| {
        usize::try_from(list.selected_index()).unwrap_or(0)
    })
}
