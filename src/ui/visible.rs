//! Whether anybody can see the page: it is neither in a hidden tab nor scrolled out of its window.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry};
use yew::prelude::*;

use super::browser;

/// Whether `element` can be seen.
#[hook]
pub fn use_visible(element: &NodeRef) -> bool {
    let awake = use_state_eq(|| true);
    let on_screen = use_state_eq(|| true);
    {
        let set = awake.setter();
        use_effect_with((), move |()| {
            listen_to_tab(Rc::new(move |shown| set.set(shown)))
        });
    }
    {
        let (set, element) = (on_screen.setter(), element.clone());
        use_effect_with((), move |()| {
            let observer = element
                .cast()
                .and_then(|element| observe(&element, move |shown| set.set(shown)));
            move || drop(observer)
        });
    }
    *awake && *on_screen
}

fn listen_to_tab(set: Rc<dyn Fn(bool)>) -> impl FnOnce() {
    let closure = Closure::<dyn FnMut()>::new(move || {
        set(browser::document().is_none_or(|document| !document.hidden()));
    });
    let document = browser::document();
    if let Some(document) = &document {
        let _ = document
            .add_event_listener_with_callback("visibilitychange", closure.as_ref().unchecked_ref());
    }
    move || {
        if let Some(document) = &document {
            let _ = document.remove_event_listener_with_callback(
                "visibilitychange",
                closure.as_ref().unchecked_ref(),
            );
        }
    }
}

struct Observed {
    observer: IntersectionObserver,
    _closure: Closure<dyn FnMut(js_sys::Array)>,
}

impl Drop for Observed {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

fn observe(element: &Element, set: impl Fn(bool) + 'static) -> Option<Observed> {
    let closure = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        let newest = entries.pop().unchecked_into::<IntersectionObserverEntry>();
        set(newest.is_intersecting());
    });
    let observer = IntersectionObserver::new(closure.as_ref().unchecked_ref()).ok()?;
    observer.observe(element);
    Some(Observed {
        observer,
        _closure: closure,
    })
}
