//! Restart, play and pause, steps, the slider over the run, the time and the speed.

use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::action::Action;
use super::icons::{Icon, Shape};
use super::menu::break_button;
use super::travel_menu::{Choices, travel_menu};
use crate::engine::Micros;
use crate::present::format;

/// Speeds on offer, in thousandths of real time.
pub const SPEEDS: [u32; 11] = [
    100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 200_000, 1_000_000,
];

/// What the transport shows.
#[derive(Properties, PartialEq)]
pub struct TransportProps {
    /// Whether the run is playing.
    pub playing: bool,
    /// The playhead.
    pub now: Micros,
    /// How far the slider reaches.
    pub end: Micros,
    /// Speed asked for, in thousandths of real time.
    pub speed: u32,
    /// Speed reached, when that is clearly less.
    pub reached: Option<u32>,
    /// Share of a long seek that is done, in percent.
    pub seeking: Option<u8>,
    /// Whether there is anything before the playhead.
    pub can_step_back: bool,
    /// Whether there is anything after it.
    pub can_step_forward: bool,
    /// What is chosen of the ways through time.
    pub choices: Choices,
    /// Shows as little as possible.
    pub calm: bool,
    /// Whether the menu of interventions is open.
    pub breaking: bool,
    /// What a press does.
    pub act: Callback<Action>,
}

/// The transport.
#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let act = |action: Action| props.act.reform(move |_: MouseEvent| action.clone());
    let (shape, word) = if props.playing {
        (Shape::Pause, "Pause")
    } else {
        (Shape::Play, "Play")
    };
    html! {
        <div class="transport" role="group" aria-label="Transport">
            <button type="button" class="button" onclick={act(Action::Restart)}>
                <Icon shape={Shape::Restart} /><span class="transport__word">{ "Restart" }</span>
            </button>
            <button type="button" class="button button--main transport__play" onclick={act(Action::Toggle)}>
                <Icon {shape} />{ word }
            </button>
            <button type="button" class="button" aria-label="Step back" disabled={!props.can_step_back} onclick={act(Action::StepBack)}>
                <Icon shape={Shape::Back} /><span class="transport__word">{ "Step" }</span>
            </button>
            <button type="button" class="button" aria-label="Step forward" disabled={!props.can_step_forward} onclick={act(Action::StepForward)}>
                <span class="transport__word">{ "Step" }</span><Icon shape={Shape::Forward} />
            </button>
            <Track now={props.now} end={props.end} act={props.act.clone()} />
            <span class="transport__pace">{ pace(props) }</span>
            <span class="transport__clock" role="timer" aria-label="Time">{ format::clock(props.now) }</span>
            <Speed speed={props.speed} act={props.act.clone()} />
            { travel_menu(&props.choices, props.calm, &props.act) }
            { break_button(props.breaking, &props.act) }
        </div>
    }
}

fn pace(props: &TransportProps) -> Option<String> {
    if let Some(percent) = props.seeking {
        return Some(format!("seeking, {percent} %"));
    }
    props
        .reached
        .map(|reached| format!("reaches {}", speed_name(reached)))
}

#[derive(Properties, PartialEq)]
struct TrackProps {
    now: Micros,
    end: Micros,
    act: Callback<Action>,
}

#[component]
fn Track(props: &TrackProps) -> Html {
    let (now, end) = (props.now.0 / 1000, (props.end.0 / 1000).max(1));
    let oninput = props.act.reform(move |event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        let milliseconds = input.map_or(0.0, |input| input.value_as_number()).max(0.0);
        Action::Seek(Micros::from_millis(milliseconds as u64))
    });
    let share = now as f64 * 100.0 / end as f64;
    html! {
        <div class="transport__track">
            <input type="range" class="range" min="0" max={end.to_string()} step={step(end).to_string()} value={now.to_string()}
                style={format!("--share:{}%", format::fixed(share, 2))} aria-label="Position in the run"
                aria-valuetext={format!("{} of {}", format::clock(props.now), format::clock(props.end))} {oninput} />
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

#[derive(Properties, PartialEq)]
struct SpeedProps {
    speed: u32,
    act: Callback<Action>,
}

#[component]
fn Speed(props: &SpeedProps) -> Html {
    let onchange = props.act.reform(|event: Event| {
        let select = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
        let chosen = select.and_then(|select| select.value().parse().ok());
        Action::Speed(chosen.unwrap_or(1000))
    });
    let known = SPEEDS.contains(&props.speed);
    html! {
        <select class="select transport__speed" aria-label="Speed" {onchange}>
            if !known {
                <option selected=true value={props.speed.to_string()}>{ speed_name(props.speed) }</option>
            }
            for speed in SPEEDS {
                <option value={speed.to_string()} selected={speed == props.speed}>{ speed_name(speed) }</option>
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
