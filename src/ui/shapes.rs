//! What the strip under the stage is drawn with.

use yew::prelude::*;

use crate::present::format::fixed;
use crate::present::geometry::Rect;
use crate::present::scene::{About, Align, Text};
use crate::present::timeline::{Bar, BarStyle, MarkKind, PlacedMark, TimeTick};

/// A length as an attribute.
pub fn px(length: f64) -> String {
    fixed(length, 1)
}

/// Draws it.
pub fn rect(rect: &Rect, class: &'static str, radius: f64) -> Html {
    html! { <rect {class} x={px(rect.x)} y={px(rect.y)} width={px(rect.w.max(0.0))} height={px(rect.h.max(0.0))} rx={px(radius)} /> }
}

/// Draws it.
pub fn words(text: &Text) -> Html {
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

/// Draws it.
pub fn tick(tick: &TimeTick, top: f64, bottom: f64) -> Html {
    html! {
        <>
            <line class="timeline__grid" x1={px(tick.x)} x2={px(tick.x)} y1={px(top)} y2={px(bottom)} />
            { words(&tick.label) }
        </>
    }
}

/// Draws it.
pub fn ghost(bar: &Bar) -> Html {
    html! {
        <g key={bar.index} class="timeline__ghost">
            <title>{ &bar.description }</title>
            { rect(&bar.rect, "timeline__shade", 2.0) }
        </g>
    }
}

/// Draws it.
pub fn bar(bar: &Bar) -> Html {
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
        <g key={bar.index} class={classes!("timeline__bar", format!("timeline__bar--{style}"), bar.selected.then_some("timeline__bar--selected"))}
            data-about={format!("{} {}", About::Message(bar.message), About::Consumer(bar.consumer))}>
            <title>{ &bar.description }</title>
            { rect(&bar.rect, "timeline__box", 5.0) }
            if let Some(overrun) = &bar.overrun {
                { rect(overrun, "timeline__overrun", 0.0) }
            }
            if let Some((colour, stripe)) = &bar.group {
                <rect x={px(stripe.x)} y={px(stripe.y)} width={px(stripe.w)} height={px(stripe.h)} rx="2" style={format!("fill:var(--group-{})", colour.0)} />
            }
            if let Some(x) = bar.flag {
                if x > bar.rect.right() + 2.0 {
                    <line class="timeline__hidden" x1={px(bar.rect.right())} x2={px(x)} y1={px(middle)} y2={px(middle)} />
                }
                <line class="timeline__flag" x1={px(x)} x2={px(x)} y1={px(middle - half - 4.0)} y2={px(middle + half + 3.0)} />
            }
            if let Some(x) = bar.deadline {
                <line class="timeline__deadline" x1={px(x)} x2={px(x)} y1={px(middle + half - 2.0)} y2={px(middle + half + 4.0)} />
            }
            if let Some(label) = &bar.label {
                { words(label) }
            }
        </g>
    }
}

/// Draws it.
pub fn mark(mark: &PlacedMark, top: f64, bottom: f64) -> Html {
    let (x, y) = (mark.at.x, mark.at.y);
    let shape = match mark.kind {
        MarkKind::DeadLetter(_) => {
            html! { <path class="timeline__mark" d={format!("M{},{}l8,15h-16z", px(x), px(y - 9.0))} /> }
        }
        MarkKind::Crash(_) => {
            html! { <path class="timeline__cross" d={format!("M{},{}l10,10m0,-10l-10,10", px(x - 5.0), px(y - 5.0))} /> }
        }
        MarkKind::Restart(_) => {
            html! { <circle class="timeline__ring" cx={px(x)} cy={px(y)} r="5" /> }
        }
        MarkKind::AckLost(_) => {
            html! { <path class="timeline__cross" d={format!("M{},{}h10", px(x - 5.0), px(y))} /> }
        }
        MarkKind::Command(_) => {
            html! { <line class="timeline__command" x1={px(x)} x2={px(x)} y1={px(top)} y2={px(bottom)} /> }
        }
        MarkKind::OwnCommand(_) => html! {
            <>
                <line class="timeline__own" x1={px(x)} x2={px(x)} y1={px(top)} y2={px(bottom)} />
                <path class="timeline__handle" d={format!("M{},{}l5,5-5,5-5-5z", px(x), px(top - 5.0))} />
            </>
        },
    };
    let about = match &mark.kind {
        MarkKind::DeadLetter(message) => Some(About::Message(*message)),
        MarkKind::Crash(id) | MarkKind::Restart(id) | MarkKind::AckLost(id) => {
            Some(About::Consumer(*id))
        }
        _ => None,
    };
    html! {
        <g class={mark.ghost.then_some("timeline__ghost")} data-about={about.map(|about| about.to_string())}>
            <title>{ &mark.description }</title>
            { shape }
            if let Some(label) = &mark.label {
                { words(label) }
            }
        </g>
    }
}
