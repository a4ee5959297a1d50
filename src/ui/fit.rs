//! Notices when the stage has another size, the page other colours, or the person another wish about motion.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{Element, MediaQueryList, ResizeObserver};
use yew::prelude::*;

use super::browser;

/// Calls `refit` when `stage` is resized or the system changes its colours. `refit` must stay the same.
#[hook]
pub fn use_fit(stage: &NodeRef, refit: Rc<dyn Fn()>) {
    let stage = stage.clone();
    use_effect_with((), move |()| {
        let resize = stage
            .cast()
            .and_then(|stage| Resize::observe(&stage, refit.clone()));
        let media = [
            "(prefers-color-scheme: dark)",
            "(prefers-reduced-motion: reduce)",
            "(forced-colors: active)",
        ]
        .map(|query| Media::watch(query, refit.clone()));
        move || drop((resize, media))
    });
}

/// Whether a media query holds, now and when that changes.
#[hook]
pub fn use_media(query: &'static str) -> bool {
    let holds = move || browser::media(query).is_some_and(|query| query.matches());
    let state = use_state_eq(holds);
    let set = state.setter();
    use_effect_with((), move |()| {
        let media = Media::watch(query, Rc::new(move || set.set(holds())));
        move || drop(media)
    });
    *state
}

struct Resize {
    observer: ResizeObserver,
    _closure: Closure<dyn FnMut()>,
}

impl Resize {
    fn observe(stage: &Element, refit: Rc<dyn Fn()>) -> Option<Self> {
        let closure = Closure::<dyn FnMut()>::new(move || refit());
        let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
        observer.observe(stage);
        Some(Self {
            observer,
            _closure: closure,
        })
    }
}

impl Drop for Resize {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

struct Media {
    query: MediaQueryList,
    closure: Closure<dyn FnMut()>,
}

impl Media {
    fn watch(query: &str, changed: Rc<dyn Fn()>) -> Option<Self> {
        let query = browser::media(query)?;
        let closure = Closure::<dyn FnMut()>::new(move || changed());
        query
            .add_event_listener_with_callback("change", closure.as_ref().unchecked_ref())
            .ok()?;
        Some(Self { query, closure })
    }
}

impl Drop for Media {
    fn drop(&mut self) {
        let _ = self
            .query
            .remove_event_listener_with_callback("change", self.closure.as_ref().unchecked_ref());
    }
}
