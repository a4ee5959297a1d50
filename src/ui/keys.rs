//! Single keys. On a page of its own the playground hears them wherever the focus is, within another page only while
//! the focus is inside the player; nowhere in something that uses them itself.

use wasm_bindgen::prelude::*;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

use super::action::{Action, Ask};
use super::{browser, menu};
use crate::present::actions::{Action as Intervention, Whom};
use crate::session::Sought;

/// The keys and what they do, for the list on the page.
pub const KEYS: [(&str, &str); 10] = [
    ("Space", "play or pause"),
    ("← →", "step back, step forward"),
    ("Home", "to the beginning"),
    ("+ −", "faster, slower"),
    (
        "1 … 5",
        "to the next duplicate, dead letter, out of order, starvation, crash; with Shift to the previous",
    ),
    ("Ctrl Z", "undo; with Shift redo"),
    (
        "B",
        "what to break: of what has the focus on the stage, else of everything",
    ),
    ("?", "this list"),
    (
        "On the timeline",
        "Shift ← → moves it, + − zoom, Home and End go to the ends",
    ),
    (
        "Tab",
        "to the next control; arrows between messages on the stage",
    ),
];

/// The same for what has the focus on the stage.
pub fn target_keys() -> Vec<(String, String)> {
    let menu = (
        "B, Shift+F10".to_owned(),
        "what can be done to it".to_owned(),
    );
    let keys = Intervention::keys().into_iter();
    std::iter::once(menu)
        .chain(keys.map(|(key, what)| (key.to_ascii_uppercase(), what)))
        .collect()
}

/// Hears the keys that are pressed while the focus is on nothing in particular.
#[hook]
pub fn use_keys_of_page(act: &Callback<Action>) {
    let act = act.clone();
    use_effect_with((), move |()| {
        let page = browser::document().filter(|_| !browser::embedded());
        let closure = Closure::<dyn FnMut(KeyboardEvent)>::new(move |event: KeyboardEvent| {
            let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
            let inside = target.and_then(|target| target.closest("#playground").ok()?);
            if let Some(action) = action_of(&event).filter(|_| inside.is_none()) {
                event.prevent_default();
                act.emit(action);
            }
        });
        if let Some(page) = &page {
            let listener = closure.as_ref().unchecked_ref();
            let _ = page.add_event_listener_with_callback("keydown", listener);
        }
        move || {
            if let Some(page) = page {
                let listener = closure.as_ref().unchecked_ref();
                let _ = page.remove_event_listener_with_callback("keydown", listener);
            }
        }
    });
}

/// What text is typed into: it has its own undo.
const TYPED: &str = "textarea, input:not([type=range], [type=checkbox], [type=radio])";

/// What a key does, if anything.
pub fn action_of(event: &KeyboardEvent) -> Option<Action> {
    if let Some(action) = menu::asked_by_key(event).filter(|_| !event.default_prevented()) {
        return Some(action);
    }
    if event.alt_key() || event.default_prevented() {
        return None;
    }
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let tag = target.tag_name();
    let types = target.matches(TYPED).unwrap_or(false);
    if event.ctrl_key() || event.meta_key() {
        let is_undo = event.key().eq_ignore_ascii_case("z") && !types;
        return match event.shift_key() {
            true => is_undo.then_some(Action::Redo),
            false => is_undo.then_some(Action::Undo),
        };
    }
    if types || matches!(tag.as_str(), "INPUT" | "SELECT" | "OPTION") {
        return None;
    }
    let digit = event.code();
    let digit = digit.strip_prefix("Digit").and_then(|it| it.parse().ok());
    let sought = digit.and_then(|digit: usize| Sought::ALL.get(digit.checked_sub(1)?));
    if let Some(sought) = sought {
        return Some(Action::Jump(*sought, event.shift_key()));
    }
    let presses = matches!(tag.as_str(), "BUTTON" | "SUMMARY" | "A");
    match event.key().as_str() {
        " " if !presses => Some(Action::Toggle),
        "ArrowLeft" => Some(Action::StepBack),
        "ArrowRight" => Some(Action::StepForward),
        "Home" => Some(Action::Restart),
        "+" | "=" => Some(Action::Faster),
        "-" => Some(Action::Slower),
        "?" => Some(Action::Keys),
        "b" => {
            let on_stage = target.closest(".stage__inner").ok()?;
            if let Some((of, element)) = on_stage.and_then(|_| menu::about(&target)) {
                return Some(Action::Menu(Ask::For(Whom::One(of), menu::below(&element))));
            }
            let button = browser::document()?
                .query_selector(".transport__break")
                .ok()??;
            Some(Action::Menu(Ask::For(Whom::All, menu::below(&button))))
        }
        key => {
            let known = Intervention::ALL
                .iter()
                .any(|action| action.key == Some(key));
            let (target, _) = menu::about(&target).filter(|_| known)?;
            Some(Action::Key(key.to_owned(), target))
        }
    }
}
