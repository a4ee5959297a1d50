//! The stage: cards as HTML where the scene says, and the canvas above them.

use std::rc::Rc;

use yew::prelude::*;

use super::action::{Action, Ask};
use super::menu;
use super::tokens::Tokens;
use crate::engine::MessageNumber;
use crate::present::actions::{ActionTarget, Whom};
use crate::present::format::fixed;
use crate::present::geometry::{Point, Rect};
use crate::present::scene::{
    About, Align, Border, Button, Lane, RaceBar, Scene, Station, StationId, Text, TextRole,
};

/// The stage of a scene: `name` is what assistive technology calls it, `room` the element that offers the room, and
/// `canvas` is what the frame loop paints on.
pub fn stage(
    name: &'static str,
    scene: &Rc<Scene>,
    room: &NodeRef,
    canvas: &NodeRef,
    selected: Option<MessageNumber>,
    act: &Callback<Action>,
) -> Html {
    html! {
        <section class="stage panel" aria-label={name} ref={room.clone()}>
            <div class="stage__inner" style={format!("height:{}px", fixed(scene.height, 0))}>
                for station in &scene.stations {
                    { card(station, &scene.bars, act) }
                }
                <canvas class="stage__canvas" ref={canvas.clone()} aria-hidden="true" />
                <Tokens scene={scene.clone()} selected={selected} act={act.clone()} />
            </div>
        </section>
    }
}

fn card(station: &Station, bars: &[RaceBar], act: &Callback<Action>) -> Html {
    let bars = bars.iter();
    let bars = bars.filter(|bar| station.id == StationId::Consumer(bar.consumer));
    let border = match station.border {
        Border::Normal => None,
        Border::Harm => Some("card--harm"),
        Border::Crashed => Some("card--crashed"),
    };
    let width = if border.is_some() { 2.0 } else { 1.0 };
    let origin = Point::new(station.rect.x + width, station.rect.y + width);
    html! {
        <article key={format!("{:?}", station.id)} class={classes!("card", station.soft.then_some("card--soft"), border)}
            style={place(&station.rect, Point::default())} aria-label={station.name.clone()} data-station={format!("{:?}", station.id)}
            data-about={About::station(station.id).map(|about| about.to_string())}>
            <p class="visually-hidden">{ &station.description }</p>
            for lane in &station.lanes {
                { self::lane(lane, origin) }
            }
            for (from, to) in &station.rules {
                <div class="card__rule" style={rule(*from, *to, origin)} />
            }
            for (rect, taken) in &station.slots {
                <div class={classes!("card__slot", taken.then_some("card__slot--taken"))} style={place(rect, origin)} />
            }
            for text in &station.texts {
                { words(text, origin) }
            }
            for bar in bars {
                <div class="hint" style={place(&bar.bounds(), origin)} title={bar.hint()} aria-hidden="true" />
            }
            for button in &station.buttons {
                { self::button(button, origin, act) }
            }
            { more(station, origin, act) }
        </article>
    }
}

fn lane(lane: &Lane, origin: Point) -> Html {
    let inside = Point::new(lane.rect.x, lane.rect.y);
    let stripe = lane.group.map(|(_, colour)| {
        html! {
            <div class="lane__group" style={format!("background:var(--group-{})", colour.0)} />
        }
    });
    let wait = lane.starvation.map(|bar| html! {
        <div class={classes!("lane__wait", bar.starving.then_some("lane__wait--starving"))}
            style={format!("{};--filled:{}%", place(&bar.rect, inside), fixed(bar.filled * 100.0, 0))} title={bar.hint()} />
    });
    html! {
        <div class="lane" style={place(&lane.rect, origin)} aria-hidden="true">
            { stripe }
            { wait }
            for text in &lane.texts {
                { words(text, inside) }
            }
        </div>
    }
}

fn words(text: &Text, origin: Point) -> Html {
    let role = match text.role {
        TextRole::Normal => None,
        TextRole::Muted => Some("words--muted"),
        TextRole::Bad => Some("words--bad"),
        TextRole::Warn => Some("words--warn"),
    };
    let align = match text.align {
        Align::Start => None,
        Align::Middle => Some("words--middle"),
        Align::End => Some("words--end"),
    };
    let style = format!(
        "{};font-size:{};line-height:{}",
        place(&text.rect, origin),
        px(text.size),
        px(text.rect.h)
    );
    html! {
        <span class={classes!("words", text.strong.then_some("words--strong"), role, align)} {style} aria-hidden="true">{ &text.text }</span>
    }
}

/// What else can be done: shown while the card is pointed at or has the focus.
fn more(station: &Station, origin: Point, act: &Callback<Action>) -> Option<Html> {
    let style = place(&station.more?, origin);
    let target = About::station(station.id).and_then(ActionTarget::of)?;
    let onclick = act.reform(move |event: MouseEvent| {
        let at = menu::below_button(&event);
        Action::Menu(Ask::For(Whom::One(target), at))
    });
    Some(html! {
        <button type="button" class="card__more" {style} aria-haspopup="menu" aria-label={format!("More for {}", station.name)} {onclick}>{ "\u{22ef}" }</button>
    })
}

fn button(button: &Button, origin: Point, act: &Callback<Action>) -> Html {
    let command = button.command.clone();
    // Not disabled in the document's sense, which would take the focus away from who has just pressed it.
    let enabled = button.enabled;
    let act = act.clone();
    let onclick = move |_: MouseEvent| {
        if enabled {
            act.emit(Action::Command(command.clone()));
        }
    };
    let style = format!(
        "{};font-size:{}",
        place(&button.rect, origin),
        px(button.size)
    );
    // What is said to a voice control is what stands on the button.
    let name = if button.name.contains(&button.label) {
        button.name.clone()
    } else {
        format!("{}: {}", button.label, button.name)
    };
    html! {
        <button type="button" class="card__button" {style} {onclick} aria-label={name}
            aria-pressed={button.pressed.then_some("true")} aria-disabled={(!enabled).then_some("true")}>{ &button.label }</button>
    }
}

/// The place of a box inside another one that begins at `origin`.
pub fn place(rect: &Rect, origin: Point) -> String {
    format!(
        "left:{};top:{};width:{};height:{}",
        px(rect.x - origin.x),
        px(rect.y - origin.y),
        px(rect.w),
        px(rect.h)
    )
}

fn px(length: f64) -> String {
    format!("{}px", fixed(length, 1))
}

fn rule(from: Point, to: Point, origin: Point) -> String {
    let rect = Rect::new(
        from.x.min(to.x),
        from.y.min(to.y),
        (to.x - from.x).abs().max(1.0),
        (to.y - from.y).abs().max(1.0),
    );
    place(&rect, origin)
}
