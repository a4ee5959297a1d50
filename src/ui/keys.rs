//! Single keys, heard only while the focus is inside the player and not in something that uses them itself.

use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::action::{Action, Ask};
use super::{browser, menu};
use crate::present::actions::{Action as Intervention, Whom};
use crate::present::format::lower_first;
use crate::session::Sought;

/// The keys and what they do, for the list on the page.
pub const KEYS: [(&str, &str); 8] = [
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
    let menu = [
        ("Shift+F10", "what can be done to it"),
        ("B", "what to break"),
    ];
    let keys = Intervention::keys().into_iter();
    menu.map(|(key, what)| (key.to_owned(), what.to_owned()))
        .into_iter()
        .chain(keys.map(|(key, what)| (key.to_ascii_uppercase(), lower_first(&what))))
        .collect()
}

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
    if matches!(tag.as_str(), "INPUT" | "SELECT" | "TEXTAREA" | "OPTION") {
        return None;
    }
    if event.ctrl_key() || event.meta_key() {
        return match event.key().as_str() {
            "z" => Some(Action::Undo),
            "Z" => Some(Action::Redo),
            _ => None,
        };
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
        "b" => {
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
