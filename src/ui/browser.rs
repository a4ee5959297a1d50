//! What the page asks of its browser. Whatever a sandboxed frame or a strict browser refuses is simply not there.

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, Element, HtmlElement, MediaQueryList, Window};

/// The window, in every browser that can run the page.
pub fn window() -> Option<Window> {
    web_sys::window()
}

/// The document.
pub fn document() -> Option<Document> {
    window()?.document()
}

/// The root element, which carries the chosen colours.
pub fn root() -> Option<Element> {
    document()?.document_element()
}

/// Milliseconds since the page was opened. Bounds the work of a frame and decides nothing else.
pub fn now() -> f64 {
    window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}

/// Device pixels for one CSS pixel.
pub fn device_pixel_ratio() -> f64 {
    window().map_or(1.0, |window| window.device_pixel_ratio())
}

/// A remembered choice.
pub fn remembered(key: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(key).ok()?
}

/// Remembers a choice, where the browser allows it.
pub fn remember(key: &str, value: &str) {
    if let Some(Ok(Some(storage))) = window().map(|window| window.local_storage()) {
        // A full or forbidden storage only means that the choice is not remembered.
        let _ = storage.set_item(key, value);
    }
}

/// A media query, such as `(prefers-reduced-motion: reduce)`.
pub fn media(query: &str) -> Option<MediaQueryList> {
    window()?.match_media(query).ok()?
}

/// Whether the person asks for less movement.
pub fn prefers_reduced_motion() -> bool {
    media("(prefers-reduced-motion: reduce)").is_some_and(|query| query.matches())
}

/// The address without query and fragment, its query and its fragment.
pub fn address() -> (String, String, String) {
    let Some(location) = window().map(|window| window.location()) else {
        return Default::default();
    };
    let href = location.href().unwrap_or_default();
    let end = href.find(['?', '#']).unwrap_or(href.len());
    (
        href.get(..end).unwrap_or_default().to_owned(),
        location.search().unwrap_or_default(),
        location.hash().unwrap_or_default(),
    )
}

/// Shows another address for the page as it is, without loading it.
pub fn replace_address(address: &str) {
    if let Some(Ok(history)) = window().map(|window| window.history()) {
        // Refused in a frame without an origin and from a disk; the page works without it.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(address));
    }
}

/// Puts a text on the clipboard; whether that was allowed.
pub async fn copy(text: String) -> bool {
    let clipboard = window().map(|window| window.navigator().clipboard());
    match clipboard.filter(|clipboard| !clipboard.is_undefined()) {
        Some(clipboard) => JsFuture::from(clipboard.write_text(&text)).await.is_ok(),
        None => false,
    }
}

/// Saves a text as a file; where the browser forbids it, nothing happens.
pub fn save(name: &str, text: &str) {
    let link = document().and_then(|document| document.create_element("a").ok());
    if let Some(link) = link.and_then(|link| link.dyn_into::<HtmlElement>().ok()) {
        let content = js_sys::encode_uri_component(text);
        let address = format!(
            "data:application/json;charset=utf-8,{}",
            String::from(content)
        );
        let _ = link.set_attribute("href", &address);
        let _ = link.set_attribute("download", name);
        link.click();
    }
}

/// Moves the keyboard focus, when what had it goes away.
pub fn focus(selector: &str) {
    let element = document().and_then(|document| document.query_selector(selector).ok()?);
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Shows in every list what its attributes say is chosen. A list in which somebody has chosen follows them no more by
/// itself; those that keep what was chosen are marked `data-own`.
pub fn show_selected() {
    let chosen = "select:not([data-own]) option[selected]";
    let found = document().and_then(|document| document.query_selector_all(chosen).ok());
    let Some(found) = found else {
        return;
    };
    for index in 0..found.length() {
        let option = found
            .get(index)
            .and_then(|node| node.dyn_into::<HtmlElement>().ok());
        if let Some(option) = option {
            let _ = js_sys::Reflect::set(&option, &"selected".into(), &true.into());
        }
    }
}

/// Opens what pops over the page, or closes it; what is so already stays so.
pub fn popover(id: &str, open: bool) {
    let element = document().and_then(|document| document.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = if open {
            element.show_popover()
        } else {
            element.hide_popover()
        };
    }
}

/// Whether the screen is too narrow for columns beside the stage.
pub fn is_narrow() -> bool {
    media("(max-width: 69.99em)").is_some_and(|query| query.matches())
}

/// Scrolls until an element is at the top.
pub fn bring_to_top(selector: &str) {
    let element = document().and_then(|document| document.query_selector(selector).ok()?);
    if let Some(element) = element {
        element.scroll_into_view();
    }
}

/// Scrolls the page, if need be, until a good part of an element is in sight.
pub fn bring_into_sight(selector: &str) {
    const ENOUGH: f64 = 220.0;
    let element = document().and_then(|document| document.query_selector(selector).ok()?);
    let (Some(window), Some(element)) = (window(), element) else {
        return;
    };
    let height = window
        .inner_height()
        .ok()
        .and_then(|height| height.as_f64());
    let hidden = element.get_bounding_client_rect().top() + ENOUGH - height.unwrap_or(0.0);
    if hidden > 0.0 {
        window.scroll_by_with_x_and_y(0.0, hidden);
    }
}

/// Where the focus is, to find again or to stay near when what has it goes away.
pub struct Anchor(Vec<HtmlElement>);

impl Anchor {
    /// What has the focus now, and what it is in.
    pub fn here() -> Self {
        let mut path = Vec::new();
        let mut next = document().and_then(|document| document.active_element());
        while let Some(element) = next {
            next = element.parent_element();
            let inside = !matches!(element.tag_name().as_str(), "BODY" | "HTML");
            path.extend(element.dyn_into::<HtmlElement>().ok().filter(|_| inside));
        }
        Self(path)
    }

    /// Gives the focus back to what had it, or to something near.
    pub fn restore(&self) {
        const FOCUSABLE: &str = "button:enabled:not([tabindex='-1']),[tabindex='0'],input:enabled,select:enabled,summary";
        for (index, element) in self.0.iter().enumerate() {
            if !element.is_connected() {
                continue;
            }
            let near = if index == 0 {
                Some(element.clone())
            } else {
                let found = element.query_selector(FOCUSABLE).ok().flatten();
                found.and_then(|found| found.dyn_into().ok())
            };
            if let Some(near) = near {
                let _ = near.focus();
                if !is_focus_lost() {
                    return;
                }
            }
        }
        focus("#playground");
    }

    /// The same a moment later, if the focus is lost by then and was somewhere before.
    pub fn hold(self) {
        if self.0.is_empty() {
            return;
        }
        Timeout::new(0, move || {
            if is_focus_lost() {
                return self.restore();
            }
            // What goes away with the next frame.
            Timeout::new(60, move || {
                if is_focus_lost() {
                    self.restore();
                }
            })
            .forget();
        })
        .forget();
    }
}

fn is_focus_lost() -> bool {
    let active = document().and_then(|document| document.active_element());
    active.is_none_or(|active| active.tag_name() == "BODY")
}

/// Whether the focus is within such an element.
pub fn has_focus(selector: &str) -> bool {
    let focused = document().and_then(|document| document.active_element());
    focused.is_some_and(|element| matches!(element.closest(selector), Ok(Some(_))))
}

/// Shows the page in these colours; `auto` leaves it to the system.
pub fn set_theme(name: &str) {
    if let Some(root) = root() {
        let _ = match name {
            "auto" => root.remove_attribute("data-theme"),
            name => root.set_attribute("data-theme", name),
        };
    }
}

/// The text of an element that carries data.
pub fn data(id: &str) -> Option<String> {
    document()?.get_element_by_id(id)?.text_content()
}

/// Whether the page is the player, made to stand in other pages.
pub fn embedded() -> bool {
    let body = document().and_then(|document| document.body());
    body.is_some_and(|body| body.has_attribute("data-player"))
}

/// A new seed: 48 bits, so that it is exact wherever JavaScript reads it.
pub fn new_seed() -> u64 {
    getrandom::u64().unwrap_or_else(|_| now().to_bits()) >> 16
}

/// A link pasted into the open page changes only its fragment: opens it all the same.
pub fn reload_on_new_address() {
    let Some(window) = window() else { return };
    let reload = Closure::<dyn FnMut()>::new(|| {
        if let Some(window) = self::window() {
            let _ = window.location().reload();
        }
    });
    let _ = window.add_event_listener_with_callback("hashchange", reload.as_ref().unchecked_ref());
    // As long as the page lives.
    reload.forget();
}
