//! The strip under the stage: deliveries over time, with the playhead over them. A pointer moves the playhead; for
//! keyboards there is the slider of the transport.

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use super::action::Action;
use crate::engine::Micros;
use crate::present::geometry::Rect;
use crate::present::scene::{Align, Text};
use crate::present::timeline::{Bar, BarStyle, MarkKind, PlacedMark, TimeTick, Timeline};

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
    html! {
        <section class="timeline panel" aria-label="Timeline">
            <svg class="timeline__strip" viewBox={format!("0 0 {width:.0} {height:.0}")} width={format!("{width:.0}")} height={format!("{height:.0}")}
                role="img" aria-label={summary(&props.strip.timeline)} {onpointerdown} {onpointermove}>
                <defs>
                    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <rect width="3" height="6" class="timeline__hatch" />
                    </pattern>
                </defs>
                for tick in ticks {
                    { self::tick(tick, top, bottom) }
                }
                for (from, to) in rails {
                    <line class="timeline__rail" x1={px(from.x)} y1={px(from.y)} x2={px(to.x)} y2={px(to.y)} />
                }
                for label in labels {
                    { words(label) }
                }
                for bar in bars {
                    { self::bar(bar) }
                }
                for mark in marks {
                    { self::mark(mark, top, bottom) }
                }
                { rect(future, "timeline__future", 0.0) }
                if let Some(x) = playhead {
                    <line class="timeline__playhead" x1={px(*x)} x2={px(*x)} y1={px(top - 6.0)} y2={px(bottom)} />
                    <path class="timeline__handle" d={format!("M{:.1},{:.1}h14l-7,10z", x - 7.0, top - 8.0)} />
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
        let share = ((x - area.x) / area.w.max(1.0)).clamp(0.0, 1.0);
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

fn px(length: f64) -> String {
    format!("{length:.1}")
}

fn rect(rect: &Rect, class: &'static str, radius: f64) -> Html {
    html! { <rect {class} x={px(rect.x)} y={px(rect.y)} width={px(rect.w.max(0.0))} height={px(rect.h.max(0.0))} rx={px(radius)} /> }
}

fn words(text: &Text) -> Html {
    let (x, anchor) = match text.align {
        Align::Start => (text.rect.x, "start"),
        Align::Middle => (text.rect.centre().x, "middle"),
        Align::End => (text.rect.right(), "end"),
    };
    let class = classes!(
        "timeline__words",
        text.strong.then_some("timeline__words--strong")
    );
    html! { <text {class} x={px(x)} y={px(text.baseline())} text-anchor={anchor} font-size={px(text.size)}>{ &text.text }</text> }
}

fn tick(tick: &TimeTick, top: f64, bottom: f64) -> Html {
    html! {
        <>
            <line class="timeline__grid" x1={px(tick.x)} x2={px(tick.x)} y1={px(top)} y2={px(bottom)} />
            { words(&tick.label) }
        </>
    }
}

fn bar(bar: &Bar) -> Html {
    let style = match bar.style {
        BarStyle::Buffered => "buffered",
        BarStyle::Running => "running",
        BarStyle::Finished => "finished",
        BarStyle::Late => "late",
        BarStyle::Failed => "failed",
        BarStyle::Crashed => "crashed",
        BarStyle::Lost => "lost",
    };
    let (middle, half) = (bar.rect.centre().y, bar.rect.h / 2.0);
    html! {
        <g key={bar.index} class={classes!("timeline__bar", format!("timeline__bar--{style}"))}>
            <title>{ &bar.description }</title>
            { rect(&bar.rect, "timeline__box", 5.0) }
            if let Some(overrun) = &bar.overrun {
                { rect(overrun, "timeline__overrun", 0.0) }
            }
            if let Some(group) = bar.group {
                <rect x={px(bar.rect.x)} y={px(bar.rect.y)} width={px(bar.rect.w.min(5.0))} height={px(bar.rect.h)} rx="2" style={format!("fill:var(--group-{})", group.0)} />
            }
            if let Some(x) = bar.flag {
                <line class="timeline__flag" x1={px(x)} x2={px(x)} y1={px(middle - half - 4.0)} y2={px(middle + half + 3.0)} />
            }
            if let Some(label) = &bar.label {
                { words(label) }
            }
        </g>
    }
}

fn mark(mark: &PlacedMark, top: f64, bottom: f64) -> Html {
    let (x, y) = (mark.at.x, mark.at.y);
    let shape = match mark.kind {
        MarkKind::DeadLetter(_) => {
            html! { <path class="timeline__mark" d={format!("M{x:.1},{:.1}l8,15h-16z", y - 9.0)} /> }
        }
        MarkKind::Crash(_) => {
            html! { <path class="timeline__cross" d={format!("M{:.1},{:.1}l10,10m0,-10l-10,10", x - 5.0, y - 5.0)} /> }
        }
        MarkKind::Restart(_) => {
            html! { <circle class="timeline__ring" cx={px(x)} cy={px(y)} r="5" /> }
        }
        MarkKind::AckLost(_) => {
            html! { <path class="timeline__cross" d={format!("M{:.1},{:.1}h10", x - 5.0, y)} /> }
        }
        MarkKind::Command(_) => {
            html! { <line class="timeline__command" x1={px(x)} x2={px(x)} y1={px(top)} y2={px(bottom)} /> }
        }
    };
    html! {
        <g>
            <title>{ &mark.description }</title>
            { shape }
            if let Some(label) = &mark.label {
                { words(label) }
            }
        </g>
    }
}
