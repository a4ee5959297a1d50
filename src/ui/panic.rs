//! When the program itself is wrong: the page says so instead of standing still.

use std::panic::PanicHookInfo;

use wasm_bindgen::prelude::*;

use super::browser;

/// Shows an overlay with the message and a way to load the page again.
pub fn show(info: &PanicHookInfo<'_>) {
    web_sys::console::error_1(&JsValue::from_str(&info.to_string()));
    // Nothing may fail in here: whatever cannot be shown is left out.
    let _ = overlay(&info.to_string());
}

fn overlay(message: &str) -> Option<()> {
    let document = browser::document()?;
    if document.get_element_by_id("stopped").is_some() {
        return None;
    }
    let element = |tag: &str, class: &str, text: &str| {
        let element = document.create_element(tag).ok()?;
        element.set_class_name(class);
        element.set_text_content(Some(text));
        Some(element)
    };
    let overlay = element("div", "overlay", "")?;
    overlay.set_id("stopped");
    overlay.set_attribute("role", "alertdialog").ok()?;
    overlay
        .set_attribute("aria-label", "The playground has stopped")
        .ok()?;
    let inside = element("div", "overlay__box", "")?;
    let reload = element("button", "button button--main", "Load the page again")?;
    let on_click = Closure::<dyn FnMut()>::new(|| {
        if let Some(window) = browser::window() {
            let _ = window.location().reload();
        }
    });
    reload
        .add_event_listener_with_callback("click", on_click.as_ref().unchecked_ref())
        .ok()?;
    on_click.forget();
    let words = "A mistake in its own program ended the run. Nothing was sent anywhere. Loading the page again starts it afresh.";
    for part in [
        element("h2", "", "The playground has stopped")?,
        element("p", "", words)?,
        element("p", "overlay__detail", message)?,
        reload.clone(),
    ] {
        inside.append_child(&part).ok()?;
    }
    overlay.append_child(&inside).ok()?;
    document.body()?.append_child(&overlay).ok()?;
    reload.dyn_into::<web_sys::HtmlElement>().ok()?.focus().ok()
}
