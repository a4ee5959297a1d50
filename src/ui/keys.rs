//! Single keys, heard only while the focus is inside the player and not in something that uses them itself.

use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::action::Action;

/// The keys and what they do, for the list on the page.
pub const KEYS: [(&str, &str); 5] = [
    ("Space", "play or pause"),
    ("← →", "step back, step forward"),
    ("Home", "to the beginning"),
    ("+ −", "faster, slower"),
    (
        "Tab",
        "to the next control; arrows between messages on the stage",
    ),
];

/// What a key does, if anything.
pub fn action_of(event: &KeyboardEvent) -> Option<Action> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() {
        return None;
    }
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let tag = target.tag_name();
    if matches!(tag.as_str(), "INPUT" | "SELECT" | "TEXTAREA" | "OPTION") {
        return None;
    }
    let presses = matches!(tag.as_str(), "BUTTON" | "SUMMARY" | "A");
    match event.key().as_str() {
        " " if !presses => Some(Action::Toggle),
        "ArrowLeft" => Some(Action::StepBack),
        "ArrowRight" => Some(Action::StepForward),
        "Home" => Some(Action::Restart),
        "+" | "=" => Some(Action::Faster),
        "-" => Some(Action::Slower),
        _ => None,
    }
}
