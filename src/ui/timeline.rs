//! The space-time diagram: deliveries over time, with the playhead over them. It is the scrubber: a click or a drag
//! moves the playhead, a click on a bar looks at its message, a drag of the axis or with Shift moves the window.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::action::{Action, press};
use super::shapes::{self, px};
use crate::engine::{ConsumerId, Micros};
use crate::present::format::{self, fixed};
use crate::present::geometry::{Point, Within};
use crate::present::scene::About;
use crate::present::timeline::{Bar, BarStyle, Timeline, Window};

/// A pointer that moves no farther than this has clicked, in CSS pixels.
const CLICK: f64 = 4.0;
/// A key moves the window by this share of it.
const KEY_PAN: f64 = 0.15;

/// A strip and the time that it shows.
#[derive(Clone, PartialEq)]
pub struct Strip {
    /// The geometry.
    pub timeline: Timeline,
    /// Start of the window.
    pub from: Micros,
    /// End of the window.
    pub until: Micros,
    /// The playhead.
    pub now: Micros,
    /// How far the run reaches.
    pub end: Micros,
    /// Whether there is more than is shown.
    pub is_part: bool,
    /// Whether a future that was cut off is kept.
    pub has_ghost: bool,
}

impl Strip {
    fn time_at(&self, x: f64) -> Micros {
        let area = &self.timeline.area;
        let share = ((x - area.x) / area.w.max(1.0)).within(0.0, 1.0);
        self.from + Micros(((self.until - self.from).0 as f64 * share) as u64)
    }
}

/// The strip's properties.
#[derive(Properties)]
pub struct TimelineStripProps {
    /// What it shows.
    pub strip: Rc<Strip>,
    /// Moves the playhead and the window.
    pub act: Callback<Action>,
}

impl PartialEq for TimelineStripProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.strip, &other.strip) && self.act == other.act
    }
}

/// What a pressed pointer does.
#[derive(Clone, Copy, PartialEq)]
enum Drag {
    /// It is on a bar and has not moved yet.
    Press(f64),
    /// It moves the playhead.
    Scrub,
    /// It moves the window; it was here.
    Pan(f64),
}

/// The strip.
#[component]
pub fn TimelineStrip(props: &TimelineStripProps) -> Html {
    let drag = use_mut_ref(|| None::<Drag>);
    let (strip, act) = (&props.strip, &props.act);
    let onpointerdown = {
        let (strip, act, drag) = (strip.clone(), act.clone(), drag.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(at) = point(&event, &strip).filter(|_| event.button() == 0) else {
                return;
            };
            // Without capture the playhead still follows while the pointer is over the strip.
            let _ = svg(&event).map(|svg| svg.set_pointer_capture(event.pointer_id()));
            let pans = event.shift_key() || at.y < strip.timeline.area.y - 8.0;
            let begun = if pans {
                Drag::Pan(at.x)
            } else if strip.timeline.bar_at(at).is_some() {
                Drag::Press(at.x)
            } else {
                act.emit(Action::Seek(strip.time_at(at.x)));
                Drag::Scrub
            };
            drag.replace(Some(begun));
        })
    };
    let onpointermove = {
        let (strip, act, drag) = (strip.clone(), act.clone(), drag.clone());
        Callback::from(move |event: PointerEvent| {
            let before = *drag.borrow();
            let (Some(before), Some(at)) = (before, point(&event, &strip)) else {
                return;
            };
            if event.buttons() & 1 == 0 {
                drag.replace(None);
                return;
            }
            match before {
                Drag::Press(x) if (at.x - x).abs() <= CLICK => {}
                Drag::Press(_) | Drag::Scrub => {
                    drag.replace(Some(Drag::Scrub));
                    act.emit(Action::Seek(strip.time_at(at.x)));
                }
                Drag::Pan(x) => {
                    drag.replace(Some(Drag::Pan(at.x)));
                    act.emit(Action::Pan((x - at.x) / strip.timeline.area.w.max(1.0)));
                }
            }
        })
    };
    let onpointerup = {
        let (strip, act) = (strip.clone(), act.clone());
        Callback::from(move |event: PointerEvent| {
            let ended = drag.borrow_mut().take();
            let at = point(&event, &strip).filter(|_| matches!(ended, Some(Drag::Press(_))));
            if let Some(bar) = at.and_then(|at| strip.timeline.bar_at(at)) {
                act.emit(clicked(bar, &strip));
            }
        })
    };
    let onwheel = {
        let (strip, act) = (strip.clone(), act.clone());
        Callback::from(move |event: WheelEvent| {
            if let Some(action) = wheel(&event, &strip) {
                event.prevent_default();
                act.emit(action);
            }
        })
    };
    let onkeydown = {
        let (strip, act) = (strip.clone(), act.clone());
        Callback::from(move |event: KeyboardEvent| {
            if let Some(action) = key(&event, &strip) {
                event.prevent_default();
                act.emit(action);
            }
        })
    };
    let (width, height) = (
        fixed(strip.timeline.width, 0),
        fixed(strip.timeline.height, 0),
    );
    html! {
        <section class="timeline" aria-label="Timeline">
            <svg class="timeline__strip" viewBox={format!("0 0 {width} {height}")} {width} {height} tabindex="0" role="slider"
                aria-label="Timeline" aria-valuemin="0" aria-valuemax={fixed(strip.end.as_secs_f64(), 3)} aria-valuenow={fixed(strip.now.as_secs_f64(), 3)}
                aria-valuetext={summary(strip)} data-from={fixed(strip.from.as_secs_f64(), 6)} data-until={fixed(strip.until.as_secs_f64(), 6)} {onpointerdown} {onpointermove} {onpointerup} {onwheel} {onkeydown}>
                { drawing(&strip.timeline) }
            </svg>
        </section>
    }
}

fn drawing(timeline: &Timeline) -> Html {
    let (top, bottom) = (timeline.area.y, timeline.area.bottom());
    html! {
        <>
            <defs>
                <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect width="3" height="6" class="timeline__hatch" />
                </pattern>
            </defs>
            for tick in &timeline.ticks {
                { shapes::tick(tick, top, bottom) }
            }
            for (from, to) in &timeline.rails {
                <line class="timeline__rail" x1={px(from.x)} y1={px(from.y)} x2={px(to.x)} y2={px(to.y)} />
            }
            for (row, label) in (0..).zip(&timeline.labels) {
                <g data-about={(usize::from(row) < timeline.consumers).then(|| About::Consumer(ConsumerId(row)).to_string())}>
                    { shapes::words(label) }
                </g>
            }
            <g>
                for bar in &timeline.ghosts {
                    { shapes::ghost(bar) }
                }
                if let Some(before) = &timeline.before {
                    { shapes::words(before) }
                }
            </g>
            <g>
                for bar in &timeline.bars {
                    { shapes::bar(bar) }
                }
            </g>
            for mark in &timeline.marks {
                { shapes::mark(mark, top, bottom) }
            }
            { shapes::rect(&timeline.future, "timeline__future", 0.0) }
            if let Some(x) = timeline.playhead {
                <line class="timeline__playhead" x1={px(x)} x2={px(x)} y1={px(top - 6.0)} y2={px(bottom)} />
                <path class="timeline__handle" d={format!("M{},{}h14l-7,10z", px(x - 7.0), px(top - 8.0))} />
            }
        </>
    }
}

/// The buttons beside the tabs.
pub fn timeline_tools(strip: &Strip, act: &Callback<Action>) -> Html {
    let act = |action: Action| press(act, action);
    html! {
        <div class="lower__tools" role="group" aria-label="Part of the run shown">
            if strip.has_ghost {
                <button type="button" class="button button--quiet" onclick={act(Action::DismissGhost)}>{ "Dismiss the old future" }</button>
            }
            <button type="button" class="button button--quiet" aria-label="Zoom out" disabled={!strip.is_part} onclick={act(Action::Zoom(Window::STEP, None))}>{ "−" }</button>
            <button type="button" class="button button--quiet" aria-label="Zoom in" onclick={act(Action::Zoom(1.0 / Window::STEP, None))}>{ "+" }</button>
            <button type="button" class="button button--quiet" disabled={!strip.is_part} onclick={act(Action::Fit)}>{ "Fit" }</button>
        </div>
    }
}

/// A bar was clicked: its message is looked at; several in one are looked at more closely.
fn clicked(bar: &Bar, strip: &Strip) -> Action {
    if bar.count > 1 {
        Action::Zoom(0.2, Some(strip.time_at(bar.rect.centre().x)))
    } else {
        Action::Select(Some(bar.message))
    }
}

fn wheel(event: &WheelEvent, strip: &Strip) -> Option<Action> {
    let (dx, dy) = (event.delta_x(), event.delta_y());
    // A pinch on a touchpad is a wheel with Ctrl.
    if event.ctrl_key() {
        let factor = 1.0 + (dy / 250.0).within(-0.5, 1.0);
        let at = point(event, strip)?;
        return Some(Action::Zoom(factor, Some(strip.time_at(at.x))));
    }
    let sideways = if event.shift_key() { dx + dy } else { dx };
    let pans = sideways.abs() > 0.0 && (event.shift_key() || dx.abs() > dy.abs());
    pans.then(|| Action::Pan(sideways / strip.timeline.area.w.max(1.0)))
}

fn key(event: &KeyboardEvent, strip: &Strip) -> Option<Action> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return None;
    }
    match event.key().as_str() {
        "ArrowLeft" if event.shift_key() => Some(Action::Pan(-KEY_PAN)),
        "ArrowRight" if event.shift_key() => Some(Action::Pan(KEY_PAN)),
        "+" | "=" => Some(Action::Zoom(1.0 / Window::STEP, None)),
        "-" => Some(Action::Zoom(Window::STEP, None)),
        "Home" => Some(Action::Seek(Micros::ZERO)),
        "End" => Some(Action::Seek(strip.end)),
        _ => None,
    }
}

/// The strip's element. Listeners stand at the root of the page, so an event's current target is not it.
fn svg(event: &MouseEvent) -> Option<Element> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest("svg").ok()?
}

/// Where a pointer is on the strip.
fn point(event: &MouseEvent, strip: &Strip) -> Option<Point> {
    let place = svg(event)?.get_bounding_client_rect();
    let scale = strip.timeline.width / place.width().max(1.0);
    Some(Point::new(
        (f64::from(event.client_x()) - place.left()) * scale,
        (f64::from(event.client_y()) - place.top()) * scale,
    ))
}

fn summary(strip: &Strip) -> String {
    let bars = &strip.timeline.bars;
    let late = bars
        .iter()
        .filter(|bar| bar.style == BarStyle::Late)
        .count();
    format!(
        "{}; {} to {} shown with {} deliveries, {late} of them finished after their timeout",
        format::clock(strip.now),
        format::span(strip.from),
        format::span(strip.until),
        bars.iter().map(|bar| bar.count).sum::<u32>()
    )
}
