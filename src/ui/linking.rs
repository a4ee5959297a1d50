//! Pointing at something, or focusing it, lights the same thing everywhere: in the document through one rule of a style
//! sheet of its own, on the canvas through the painter. Nothing is rendered anew.
//!
//! What an element stands for is its `data-about`: see [`About`].

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{CssStyleSheet, Element, Event, HtmlElement, PointerEvent};
use yew::prelude::*;

use super::action::Action;
use super::browser;
use super::controller::Controller;
use super::reading::Read;
use crate::engine::MessageNumber;
use crate::present::geometry::Point;
use crate::present::scene::About;

/// How far beside a message a finger may be to mean it, in CSS pixels.
const FINGER: f64 = 8.0;

/// Lights what is pointed at or focused within `main`, and tells the story of the message that is clicked.
#[hook]
pub fn use_linking(main: &NodeRef, controller: &Rc<Controller>) {
    let (main, controller) = (main.clone(), controller.clone());
    use_effect_with((), move |()| {
        let listening = main
            .cast::<Element>()
            .map(|main| listen(&main, &controller));
        move || drop(listening)
    });
}

/// What is lit, and why.
struct Linking {
    sheet: Option<CssStyleSheet>,
    pointed: Option<About>,
    focused: Option<About>,
    lit: Option<About>,
}

impl Linking {
    fn show(&mut self, controller: &Controller) {
        let lit = self.pointed.or(self.focused);
        if lit == self.lit {
            return;
        }
        self.lit = lit;
        if let Some(sheet) = &self.sheet {
            let rule = lit.map(|about| {
                // Of a bar only the box: its deadline is far away.
                let lit = format!("[data-about~=\"{about}\"]");
                format!("{lit}{{--lit:1}}{lit}:not(.timeline__bar),{lit}>.timeline__box{{outline:2px solid var(--acc);outline-offset:-1px}}")
            });
            // A browser that refuses the rule still has the canvas lit.
            let _ = sheet.replace_sync(&rule.unwrap_or_default());
        }
        controller.light(lit);
    }
}

type Listener = (&'static str, Closure<dyn FnMut(Event)>);

struct Listening {
    main: Element,
    listeners: Vec<Listener>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        for (name, closure) in &self.listeners {
            let listener = closure.as_ref().unchecked_ref();
            let _ = self
                .main
                .remove_event_listener_with_callback(name, listener);
        }
    }
}

fn listen(main: &Element, controller: &Rc<Controller>) -> Listening {
    let linking = Rc::new(RefCell::new(Linking {
        sheet: adopted_sheet(),
        pointed: None,
        focused: None,
        lit: None,
    }));
    let names = ["pointermove", "pointerleave", "focusin", "focusout"];
    let mut listeners: Vec<Listener> = vec![("click", clicking(controller))];
    listeners.extend(names.map(|name| {
        let (linking, controller) = (linking.clone(), controller.clone());
        let closure = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            let mut linking = linking.borrow_mut();
            match name {
                "pointermove" => linking.pointed = pointed(&event, &controller),
                "pointerleave" => linking.pointed = None,
                "focusin" => linking.focused = focused(&event),
                _ => linking.focused = None,
            }
            linking.show(&controller);
        });
        (name, closure)
    }));
    for (name, closure) in &listeners {
        let listener = closure.as_ref().unchecked_ref();
        let _ = main.add_event_listener_with_callback(name, listener);
    }
    Listening {
        main: main.clone(),
        listeners,
    }
}

/// A click on a message tells its story, a click beside all of them ends that.
fn clicking(controller: &Rc<Controller>) -> Closure<dyn FnMut(Event)> {
    let controller = controller.clone();
    Closure::new(move |event: Event| {
        let target = event.target().and_then(|target| target.dyn_into().ok());
        let Some((target, event)) = target.zip(event.dyn_ref::<MouseEvent>()) else {
            return;
        };
        let on_control = |target: &Element| target.closest("button, [role=menu]").ok().flatten();
        if event.default_prevented() || on_control(&target).is_some() {
            return;
        }
        let Some(stage) = stage_of(&target) else {
            return;
        };
        // Not every browser says what clicked.
        let pointer = event.dyn_ref::<PointerEvent>();
        let finger = pointer.is_some_and(|pointer| pointer.pointer_type() == "touch");
        let around = if finger { FINGER } else { 0.0 };
        let message = message_at(&stage, event, around, &controller);
        // Clicked once more, its story ends as well.
        let message = message.filter(|_| message != controller.selected());
        if let Some(message) = message {
            controller.perform(Action::Read(Read::Story(message)));
        } else if controller.selected().is_some() {
            controller.perform(Action::Select(None));
        }
    })
}

/// A style sheet that scripts may fill under any content security policy; none where the browser has no such thing.
fn adopted_sheet() -> Option<CssStyleSheet> {
    let sheet = CssStyleSheet::new().ok()?;
    let document = browser::document()?;
    let sheets = document.adopted_style_sheets();
    if sheets.is_undefined() {
        return None;
    }
    sheets.push(&sheet);
    Some(sheet)
}

fn closest(event: &Event) -> Option<Element> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest("[data-about]").ok()?
}

fn about(element: &Element) -> Option<About> {
    About::first(&element.get_attribute("data-about")?)
}

/// What the focus is on, where the browser shows the focus: a button that was clicked lights nothing.
fn focused(event: &Event) -> Option<About> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let shown = target.matches(":focus-visible").unwrap_or(false);
    closest(event).filter(|_| shown).as_ref().and_then(about)
}

/// What the pointer is on: a message on the canvas, or else the element below it. A finger scrolls, and lights nothing.
fn pointed(event: &Event, controller: &Controller) -> Option<About> {
    let event = event.dyn_ref::<PointerEvent>()?;
    if event.pointer_type() == "touch" {
        return None;
    }
    let target = event.target()?.dyn_into::<Element>().ok()?;
    if let Some(stage) = stage_of(&target) {
        let message = message_at(&stage, event, 0.0, controller);
        if let Some(stage) = stage.dyn_ref::<HtmlElement>() {
            let cursor = if message.is_some() { "pointer" } else { "" };
            let _ = stage.style().set_property("cursor", cursor);
        }
        if let Some(message) = message {
            return Some(About::Message(message));
        }
    }
    closest(event).as_ref().and_then(about)
}

fn stage_of(target: &Element) -> Option<Element> {
    target.closest(".stage__inner").ok().flatten()
}

/// The message of a stage that the pointer is on, or `around` which it is.
fn message_at(
    stage: &Element,
    event: &MouseEvent,
    around: f64,
    controller: &Controller,
) -> Option<MessageNumber> {
    let place = stage.get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let point = Point::new(x - place.left(), y - place.top());
    let other = stage.closest(".stages__side--other").ok().flatten();
    controller.message_at(point, around, other.is_some())
}
