//! The strip under the stage: deliveries over time, with the playhead over them. A pointer moves the playhead; for
//! keyboards there is the slider of the transport.

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use super::action::Action;
use super::shapes::{self, px};
use crate::engine::Micros;
use crate::present::format::fixed;
use crate::present::geometry::Within;
use crate::present::timeline::{BarStyle, Timeline};

/// A strip and the time that it shows.
#[derive(Clone, PartialEq)]
pub struct Strip {
    /// The geometry.
    pub timeline: Timeline,
    /// Start of the window.
    pub from: Micros,
    /// End of the window.
    pub until: Micros,
}

/// The strip's properties.
#[derive(Properties)]
pub struct TimelineStripProps {
    /// What it shows.
    pub strip: Rc<Strip>,
    /// Moves the playhead.
    pub act: Callback<Action>,
}

impl PartialEq for TimelineStripProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.strip, &other.strip) && self.act == other.act
    }
}

/// The strip.
#[component]
pub fn TimelineStrip(props: &TimelineStripProps) -> Html {
    let Timeline {
        width,
        height,
        area,
        labels,
        rails,
        ticks,
        bars,
        marks,
        playhead,
        future,
    } = &props.strip.timeline;
    let seek = seek(props);
    let onpointerdown = {
        let seek = seek.clone();
        Callback::from(move |event: PointerEvent| {
            // Without capture the playhead still follows while the pointer is over the strip.
            let _ = event
                .target_dyn_into::<Element>()
                .map(|target| target.set_pointer_capture(event.pointer_id()));
            seek.emit(event);
        })
    };
    let onpointermove = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1 {
            seek.emit(event);
        }
    });
    let (top, bottom) = (area.y, area.bottom());
    let (width, height) = (fixed(*width, 0), fixed(*height, 0));
    html! {
        <section class="timeline" aria-label="Timeline">
            <svg class="timeline__strip" viewBox={format!("0 0 {width} {height}")} width={width} height={height}
                role="img" aria-label={summary(&props.strip.timeline)} {onpointerdown} {onpointermove}>
                <defs>
                    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <rect width="3" height="6" class="timeline__hatch" />
                    </pattern>
                </defs>
                for tick in ticks {
                    { shapes::tick(tick, top, bottom) }
                }
                for (from, to) in rails {
                    <line class="timeline__rail" x1={px(from.x)} y1={px(from.y)} x2={px(to.x)} y2={px(to.y)} />
                }
                for label in labels {
                    { shapes::words(label) }
                }
                for bar in bars {
                    { shapes::bar(bar) }
                }
                for mark in marks {
                    { shapes::mark(mark, top, bottom) }
                }
                { shapes::rect(future, "timeline__future", 0.0) }
                if let Some(x) = playhead {
                    <line class="timeline__playhead" x1={px(*x)} x2={px(*x)} y1={px(top - 6.0)} y2={px(bottom)} />
                    <path class="timeline__handle" d={format!("M{},{}h14l-7,10z", px(x - 7.0), px(top - 8.0))} />
                }
            </svg>
        </section>
    }
}

fn seek(props: &TimelineStripProps) -> Callback<PointerEvent> {
    let (area, width, from, until) = (
        props.strip.timeline.area,
        props.strip.timeline.width,
        props.strip.from,
        props.strip.until,
    );
    let act = props.act.clone();
    Callback::from(move |event: PointerEvent| {
        let Some(target) = event
            .current_target()
            .and_then(|target| wasm_bindgen::JsCast::dyn_into::<Element>(target).ok())
        else {
            return;
        };
        let place = target.get_bounding_client_rect();
        let x = (f64::from(event.client_x()) - place.left()) * width / place.width().max(1.0);
        let share = ((x - area.x) / area.w.max(1.0)).within(0.0, 1.0);
        act.emit(Action::Seek(
            from + Micros(((until - from).0 as f64 * share) as u64),
        ));
    })
}

fn summary(timeline: &Timeline) -> String {
    let late = timeline
        .bars
        .iter()
        .filter(|bar| bar.style == BarStyle::Late)
        .count();
    format!(
        "{} deliveries shown, {late} of them finished after their timeout",
        timeline.bars.len()
    )
}
