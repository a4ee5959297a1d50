//! Restart, play and pause, steps, the slider over the run, the time and the speed.

use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::action::{Action, press};
use super::icons::{Shape, icon};
use super::menu::break_button;
use super::panel::Panel;
use super::travel_menu::travel_menu;
use crate::engine::Micros;
use crate::present::format;

/// Speeds on offer, in thousandths of real time.
pub const SPEEDS: [u32; 11] = [
    100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 200_000, 1_000_000,
];

/// The transport.
pub fn transport(panel: &Panel, act: &Callback<Action>) -> Html {
    let can_step_back = panel.ordinal > 0 || panel.now > Micros::ZERO;
    let press = |action: Action| press(act, action);
    let (shape, word) = if panel.playing {
        (Shape::Pause, "Pause")
    } else {
        (Shape::Play, "Play")
    };
    html! {
        <div class="transport" role="group" aria-label="Transport">
            <button type="button" class="button" title="Restart" onclick={press(Action::Restart)}>
                { icon(Shape::Restart) }<span class="transport__word">{ "Restart" }</span>
            </button>
            <button type="button" class="button button--main transport__play" onclick={press(Action::Toggle)}>
                { icon(shape) }<span>{ word }</span>
            </button>
            <button type="button" class="button" aria-label="Step back" title="Step back" disabled={!can_step_back} onclick={press(Action::StepBack)}>
                { icon(Shape::Back) }
            </button>
            <button type="button" class="button" aria-label="Step forward" title="Step forward" disabled={!panel.has_next} onclick={press(Action::StepForward)}>
                { icon(Shape::Forward) }
            </button>
            { track(panel.now, panel.end, act) }
            <div class="transport__time">
                <span class="transport__clock" role="timer" aria-label="Time">{ format::clock(panel.now) }</span>
                <span class="transport__pace">{ pace(panel) }</span>
            </div>
            { speed(panel.speed, act) }
            { travel_menu(&panel.choices, panel.calm, act) }
            { break_button(panel.menu.is_some(), panel.beside.is_some(), act) }
        </div>
    }
}

fn pace(panel: &Panel) -> Option<String> {
    if let Some(percent) = panel.seeking {
        return Some(format!("seeking, {percent} %"));
    }
    panel
        .reached
        .map(|reached| format!("reaches {}", speed_name(reached)))
}

fn track(playhead: Micros, whole: Micros, act: &Callback<Action>) -> Html {
    let (now, end) = (playhead.0 / 1000, (whole.0 / 1000).max(1));
    let oninput = act.reform(move |event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        let milliseconds = input.map_or(0.0, |input| input.value_as_number()).max(0.0);
        Action::Seek(Micros::from_millis(milliseconds as u64))
    });
    let share = now as f64 * 100.0 / end as f64;
    html! {
        <div class="transport__track">
            <input type="range" class="range" min="0" max={end.to_string()} step={step(end).to_string()} value={now.to_string()}
                style={format!("--share:{}%", format::fixed(share, 2))} aria-label="Position in the run"
                aria-valuetext={format!("{} of {}", format::clock(playhead), format::clock(whole))} {oninput} />
        </div>
    }
}

/// About a thousandth of the whole, in milliseconds: 1, 2, 5, 10, 20, 50, …
fn step(end: u64) -> u64 {
    let mut step = 1;
    let mut factors = [2, 5, 10].into_iter().cycle();
    let mut base = 1;
    while step < end / 1000 {
        let factor = factors.next().unwrap_or(10);
        step = base * factor;
        if factor == 10 {
            base = step;
        }
    }
    step
}

fn speed(chosen: u32, act: &Callback<Action>) -> Html {
    let onchange = act.reform(|event: Event| {
        let select = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
        let speed = select.and_then(|select| select.value().parse().ok());
        Action::Speed(speed.unwrap_or(1000))
    });
    let known = SPEEDS.contains(&chosen);
    html! {
        <select class="select transport__speed" aria-label="Speed" {onchange}>
            if !known {
                <option selected=true value={chosen.to_string()}>{ speed_name(chosen) }</option>
            }
            for speed in SPEEDS {
                <option value={speed.to_string()} selected={speed == chosen}>{ speed_name(speed) }</option>
            }
        </select>
    }
}

/// A speed in words: `¼×`, `10×`.
pub fn speed_name(thousandths: u32) -> String {
    match thousandths {
        250 => "¼×".into(),
        500 => "½×".into(),
        slow if slow < 10_000 && slow % 1000 != 0 => {
            format!("{}×", format::fixed(f64::from(slow) / 1000.0, 1))
        }
        fast => format!("{}×", fast / 1000),
    }
}
