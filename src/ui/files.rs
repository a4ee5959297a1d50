//! Opening a scenario file: chosen or dropped.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, HtmlElement, HtmlInputElement};
use yew::prelude::*;

use super::action::Action;
use super::icons::{Shape, icon};
use super::menu::button_of;

/// The largest scenario file, in bytes.
const LARGEST: f64 = 1_048_576.0;

/// Reads a file and hands on what is in it, or why that cannot be had.
pub fn read(file: File, act: Callback<Action>) {
    let name = file.name();
    if file.size() > LARGEST {
        let why = "It is larger than 1 MiB, the most that a scenario may have.";
        act.emit(Action::Unreadable(name, why.to_owned()));
        return;
    }
    spawn_local(async move {
        let text = JsFuture::from(file.text()).await;
        act.emit(match text.ok().and_then(|text| text.as_string()) {
            Some(text) => Action::File(name, text),
            None => Action::Unreadable(name, "The browser could not read it.".to_owned()),
        });
    });
}

/// The button that opens a file, and the field behind it.
pub fn open_file(act: &Callback<Action>) -> Html {
    let onclick = |event: MouseEvent| {
        let field = button_of(&event).and_then(|button| button.next_element_sibling());
        if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
            field.click();
        }
    };
    let onchange = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else {
                return;
            };
            if let Some(file) = input.files().and_then(|files| files.item(0)) {
                read(file, act.clone());
            }
            // The same file can be chosen again after it was mended.
            input.set_value("");
        })
    };
    html! {
        <>
            <button type="button" class="button top__open" {onclick}>{ icon(Shape::File) }{ "Open file" }</button>
            <input type="file" accept=".json,application/json" hidden=true aria-label="Scenario file" {onchange} />
        </>
    }
}

/// What a place for dropped files listens to.
pub struct Drop {
    /// Whether something is held over it.
    pub over: bool,
    /// Lets go of what the browser would do.
    pub ondragover: Callback<DragEvent>,
    /// Something was taken away again.
    pub ondragleave: Callback<DragEvent>,
    /// Something was dropped.
    pub ondrop: Callback<DragEvent>,
}

/// A place where files can be dropped.
#[hook]
pub fn use_drop(act: &Callback<Action>) -> Drop {
    let over = use_state_eq(|| false);
    let (enter, leave, end, act) = (over.setter(), over.setter(), over.setter(), act.clone());
    Drop {
        over: *over,
        ondragover: Callback::from(move |event: DragEvent| {
            event.prevent_default();
            enter.set(true);
        }),
        ondragleave: Callback::from(move |_: DragEvent| leave.set(false)),
        ondrop: Callback::from(move |event: DragEvent| {
            event.prevent_default();
            end.set(false);
            let files = event.data_transfer().and_then(|data| data.files());
            if let Some(file) = files.and_then(|files| files.item(0)) {
                read(file, act.clone());
            }
        }),
    }
}
