//! The one animation-frame loop of the page.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use yew::prelude::*;

use super::browser;

type FrameClosure = Closure<dyn FnMut(f64)>;

/// Calls something before every paint, until dropped.
struct FrameLoop(Rc<Inner>);

#[derive(Default)]
struct Inner {
    closure: RefCell<Option<FrameClosure>>,
    request: Cell<Option<i32>>,
    stopped: Cell<bool>,
}

impl Inner {
    fn request(&self) {
        let closure = self.closure.borrow();
        let (Some(window), Some(closure)) = (browser::window(), closure.as_ref()) else {
            return;
        };
        let request = window.request_animation_frame(closure.as_ref().unchecked_ref());
        self.request.set(request.ok());
    }
}

impl FrameLoop {
    fn start(on_frame: Rc<dyn Fn(f64)>) -> Self {
        let inner = Rc::new(Inner::default());
        let weak = Rc::downgrade(&inner);
        let closure = Closure::new(move |now: f64| {
            let Some(inner) = weak.upgrade() else { return };
            inner.request.set(None);
            on_frame(now);
            if !inner.stopped.get() {
                inner.request();
            }
        });
        inner.closure.replace(Some(closure));
        inner.request();
        Self(inner)
    }
}

impl Drop for FrameLoop {
    fn drop(&mut self) {
        self.0.stopped.set(true);
        if let (Some(window), Some(request)) = (browser::window(), self.0.request.take()) {
            let _ = window.cancel_animation_frame(request);
        }
    }
}

/// Runs `on_frame` with the time of each frame in milliseconds while `running`. `on_frame` must stay the same.
#[hook]
pub fn use_frame_loop(running: bool, on_frame: Rc<dyn Fn(f64)>) {
    use_effect_with(running, move |&running| {
        let frames = running.then(|| FrameLoop::start(on_frame));
        move || drop(frames)
    });
}
