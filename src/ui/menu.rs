//! The menu of interventions: under its button, and at whatever it is asked for on the stage.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::action::{Action, Ask};
use super::browser::{self, Anchor};
use super::icons::{Shape, icon};
use super::player::Player;
use crate::present::actions::{ActionTarget, Menu, Row, RowKind, Whom};
use crate::present::format::fixed;
use crate::present::geometry::Point;
use crate::present::scene::About;

/// How far from a message a finger may press.
const FINGER: f64 = 8.0;
/// How long a finger rests to ask for a menu, in milliseconds.
const RESTS: u32 = 550;

/// A menu that is open.
#[derive(Clone, PartialEq)]
pub struct Opened {
    /// What it is for.
    pub whom: Whom,
    /// Whether it was reached from the menu of everything.
    pub back: bool,
    /// Where it was asked for, in the window.
    pub at: Point,
    /// What it says.
    pub menu: Menu,
}

impl Player {
    /// Opens, changes or closes the menu.
    pub fn ask(&mut self, ask: Ask) {
        let (whom, at, back) = match ask {
            Ask::Close => return self.menu = None,
            Ask::For(whom, at) => (whom, at, false),
            Ask::Stage(point, at) => match self.scene.target_at(point, FINGER) {
                Some(target) => (Whom::One(target), at, false),
                None => return self.menu = None,
            },
            Ask::Within(target) => match &self.menu {
                Some(opened) => (
                    Whom::One(target),
                    opened.at,
                    opened.back || opened.whom == Whom::All,
                ),
                None => return,
            },
            Ask::Back => match &self.menu {
                Some(opened) => (Whom::All, opened.at, false),
                None => return,
            },
        };
        let menu = self.menu_of(whom);
        self.menu = Some(Rc::new(Opened {
            whom,
            back,
            at,
            menu,
        }));
    }

    fn menu_of(&self, whom: Whom) -> Menu {
        let setup = self.session.simulation().setup();
        Menu::of(
            whom,
            self.selected,
            &self.session.snapshot(),
            setup,
            &self.bodies,
        )
    }

    /// Brings the open menu up to date.
    pub fn refresh_menu(&mut self) {
        let Some(opened) = self.menu.clone() else {
            return;
        };
        let now = self.menu_of(opened.whom);
        let mut fresh = Opened::clone(&opened);
        fresh.menu.refresh(&now);
        if fresh != *opened {
            self.menu = Some(Rc::new(fresh));
        }
    }
}

/// The button that opens the menu of everything; in `both` runs while two are compared.
pub fn break_button(open: bool, both: bool, act: &Callback<Action>) -> Html {
    let onclick = act.reform(move |event: MouseEvent| {
        Action::Menu(if open {
            Ask::Close
        } else {
            Ask::For(Whom::All, below_button(&event))
        })
    });
    html! {
        <button type="button" class="button transport__break" aria-haspopup="menu" aria-expanded={open.to_string()} {onclick}>
            { if both { "Break both" } else { "Break" } }<span class="transport__more">{ if both { " runs" } else { " something" } }</span>{ icon(Shape::Down) }
        </button>
    }
}

/// What a right click, or a long press, asks for.
pub fn asked(event: &MouseEvent) -> Option<Action> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let at = Point::new(event.client_x().into(), event.client_y().into());
    // What is played beside is looked at, not acted on.
    if target.closest(".stages__side--other").ok()?.is_some() {
        return None;
    }
    if let Some(stage) = target.closest(".stage__inner").ok()? {
        let place = stage.get_bounding_client_rect();
        let point = Point::new(at.x - place.left(), at.y - place.top());
        return Some(Action::Menu(Ask::Stage(point, at)));
    }
    let (target, _) = about(&target)?;
    Some(Action::Menu(Ask::For(Whom::One(target), at)))
}

/// Listeners that ask for the menu of what a finger rests on, for browsers that do not take this for a right click.
#[hook]
pub fn use_long_press(act: &Callback<Action>) -> (Callback<PointerEvent>, Callback<PointerEvent>) {
    let timer = use_mut_ref(|| None::<(Timeout, i32, i32)>);
    let down = {
        let (timer, act) = (timer.clone(), act.clone());
        Callback::from(move |event: PointerEvent| {
            let on_button = button_of(&event).is_some();
            let action = asked(&event).filter(|_| event.pointer_type() == "touch" && !on_button);
            let Some(action) = action else {
                return;
            };
            let act = act.clone();
            let timeout = Timeout::new(RESTS, move || act.emit(action));
            timer.replace(Some((timeout, event.client_x(), event.client_y())));
        })
    };
    // A finger that moves scrolls; one that goes up has tapped.
    let ends = Callback::from(move |event: PointerEvent| {
        let rests = timer.borrow().as_ref().is_some_and(|(_, x, y)| {
            let moved = (event.client_x() - x)
                .abs()
                .max((event.client_y() - y).abs());
            event.type_() == "pointermove" && moved < 10
        });
        if !rests {
            timer.take();
        }
    });
    (down, ends)
}

/// What a key asks for: the menu of what has the focus, or of everything.
pub fn asked_by_key(event: &KeyboardEvent) -> Option<Action> {
    let key = event.key();
    let is_menu = key == "ContextMenu" || key == "F10" && event.shift_key();
    let target: Element = event.target()?.dyn_into().ok()?;
    if is_menu {
        let (target, element) = about(&target)?;
        return Some(Action::Menu(Ask::For(Whom::One(target), below(&element))));
    }
    None
}

/// What has the focus, as something to act on.
pub fn about(element: &Element) -> Option<(ActionTarget, Element)> {
    let element = element.closest("[data-about]").ok()??;
    let about = About::first(&element.get_attribute("data-about")?)?;
    Some((ActionTarget::of(about)?, element))
}

/// Where a menu of an element begins.
pub fn below(element: &Element) -> Point {
    let place = element.get_bounding_client_rect();
    Point::new(place.left(), place.bottom() + 4.0)
}

/// Where a menu of the button that was pressed begins.
pub fn below_button(event: &Event) -> Point {
    let button = button_of(event);
    button
        .as_ref()
        .map(|button| below(button))
        .unwrap_or_default()
}

/// The button in which something happened: listeners are on the root, not on it.
pub fn button_of(event: &Event) -> Option<HtmlElement> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest("button").ok()??.dyn_into().ok()
}

/// What the menu needs.
#[derive(Properties, PartialEq)]
pub struct ActionMenuProps {
    /// The menu.
    pub opened: Rc<Opened>,
    /// Does what is chosen.
    pub act: Callback<Action>,
}

/// The menu. The focus is in it while it is open, and goes back to where it was.
#[component]
pub fn ActionMenu(props: &ActionMenuProps) -> Html {
    let list = use_node_ref();
    let opened = &props.opened;
    use_effect_with((), |()| {
        let anchor = Anchor::here();
        move || anchor.restore()
    });
    {
        let list = list.clone();
        // Behind the row that leads back.
        let first = usize::from(opened.back);
        use_effect_with(opened.whom, move |_| focus_row(&list, |_| first));
    }
    let onkeydown = {
        let (list, act) = (list.clone(), props.act.clone());
        let back = opened.back;
        Callback::from(move |event: KeyboardEvent| {
            event.stop_propagation();
            match event.key().as_str() {
                "ArrowDown" => focus_row(&list, |(now, count)| (now + 1) % count),
                "ArrowUp" => focus_row(&list, |(now, count)| (now + count - 1) % count),
                "Home" => focus_row(&list, |_| 0),
                "End" => focus_row(&list, |(_, count)| count - 1),
                "ArrowLeft" | "Escape" if back => act.emit(Action::Menu(Ask::Back)),
                "Escape" => act.emit(Action::Menu(Ask::Close)),
                "Tab" => return act.emit(Action::Menu(Ask::Close)),
                "ArrowRight" => {
                    let row = button_of(&event);
                    if let Some(row) = row.filter(|row| row.has_attribute("aria-haspopup")) {
                        row.click();
                    }
                }
                key if key.len() == 1 && key != " " => {
                    let row = list.cast::<Element>().and_then(|list| {
                        list.query_selector(&format!("[aria-keyshortcuts=\"{key}\"]"))
                            .ok()?
                    });
                    if let Some(row) = row.and_then(|row| row.dyn_into::<HtmlElement>().ok()) {
                        row.click();
                    }
                }
                _ => return,
            }
            event.prevent_default();
        })
    };
    let rows = opened.menu.rows.len() + usize::from(opened.back);
    let style = format!(
        "--x:{}px;--y:{}px;--rows:{rows}",
        fixed(opened.at.x, 0),
        fixed(opened.at.y, 0)
    );
    html! {
        <>
            <div class="shade" onpointerdown={props.act.reform(|_: PointerEvent| Action::Menu(Ask::Close))} oncontextmenu={|event: MouseEvent| event.prevent_default()} />
            <div class="menu menu--actions panel" role="menu" aria-label={opened.menu.title.clone()} {style} {onkeydown}>
                <p class="menu__title" aria-hidden="true">{ &opened.menu.title }</p>
                <div class="menu__rows" role="none" ref={list}>
                if opened.back {
                    { self::row("\u{2039} Break something", "", None, false, false, &props.act, Action::Menu(Ask::Back)) }
                }
                for row in &opened.menu.rows {
                    { choice(row, &props.act) }
                }
                if opened.menu.rows.is_empty() {
                    { self::row("Nothing can be done to it now", "", None, true, false, &props.act, Action::Menu(Ask::Close)) }
                }
                </div>
            </div>
        </>
    }
}

fn choice(row: &Row, act: &Callback<Action>) -> Html {
    match &row.kind {
        RowKind::Act(command) => {
            let action = command.clone().map(Action::Command);
            let off = action.is_none();
            let action = action.unwrap_or(Action::Menu(Ask::Close));
            self::row(&row.label, row.help, row.key, off, false, act, action)
        }
        RowKind::Be(producer) => {
            let action = Action::BeProducer(Some(*producer));
            self::row(&row.label, row.help, row.key, false, false, act, action)
        }
        RowKind::Open(target) => {
            let action = Action::Menu(Ask::Within(*target));
            self::row(&row.label, row.help, row.key, false, true, act, action)
        }
    }
}

fn row(
    label: &str,
    help: &'static str,
    key: Option<&'static str>,
    off: bool,
    opens: bool,
    act: &Callback<Action>,
    action: Action,
) -> Html {
    let act = act.clone();
    let onclick = move |_: MouseEvent| {
        if !off {
            act.emit(action.clone());
        }
    };
    let onpointermove = |event: PointerEvent| {
        if let Some(row) = button_of(&event) {
            let _ = row.focus();
        }
    };
    html! {
        <button key={label.to_owned()} type="button" role="menuitem" class="menu__entry" tabindex="-1" aria-disabled={off.then_some("true")}
            aria-haspopup={opens.then_some("menu")} aria-keyshortcuts={key} aria-description={(!help.is_empty()).then_some(help)} {onclick} {onpointermove}>
            <span class="menu__label">{ label.to_owned() }</span>
            if opens {
                <span aria-hidden="true">{ "\u{203a}" }</span>
            }
            if let Some(key) = key {
                <kbd class="menu__key" aria-hidden="true">{ key.to_ascii_uppercase() }</kbd>
            }
            <span class="menu__help" aria-hidden="true">{ help }</span>
        </button>
    }
}

/// Moves the focus to the row that `next` says, from the present one and how many there are.
fn focus_row(list: &NodeRef, next: impl Fn((usize, usize)) -> usize) {
    let Some(list) = list.cast::<Element>() else {
        return;
    };
    let mut rows = Vec::new();
    let mut child = list.first_element_child();
    while let Some(element) = child {
        child = element.next_element_sibling();
        if element.tag_name() == "BUTTON" {
            rows.extend(element.dyn_into::<HtmlElement>().ok());
        }
    }
    let active = browser::document().and_then(|document| document.active_element());
    let now = rows
        .iter()
        .position(|row| Some(row.as_ref()) == active.as_ref());
    let count = rows.len().max(1);
    if let Some(row) = rows.get(next((now.unwrap_or(0), count))) {
        let _ = row.focus();
    }
}
