//! The native controls of which every setting is made.

use gloo_timers::callback::Timeout;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// How long a range waits for another movement before it counts as settled, in milliseconds.
const SETTLES_AFTER: u32 = 250;

/// A range.
#[derive(Properties, PartialEq)]
pub struct RangeProps {
    /// Identifies it in the document.
    pub id: AttrValue,
    /// What it sets.
    pub label: AttrValue,
    /// Number of positions.
    pub positions: u32,
    /// Position of the present value.
    pub position: u32,
    /// The value of each position, in words.
    pub words: Callback<u32, String>,
    /// One line of explanation.
    pub note: Option<Note>,
    /// Takes a settled position.
    pub settle: Callback<u32>,
}

/// A range with its name, its value and an explanation. Moving it is one change: at release, or after a quarter of a
/// second without movement.
#[component]
pub fn Range(props: &RangeProps) -> Html {
    let draft = use_state_eq(|| None::<u32>);
    let timer = use_mut_ref(|| None::<Timeout>);
    let last = props.positions.saturating_sub(1);
    let position = draft.unwrap_or(props.position).min(last);
    let settle = {
        let (set, settle) = (draft.setter(), props.settle.clone());
        move |position: u32| {
            set.set(None);
            settle.emit(position);
        }
    };
    let oninput = {
        let (set, timer, settle) = (draft.setter(), timer.clone(), settle.clone());
        Callback::from(move |event: InputEvent| {
            let position = position_of(event.target_dyn_into());
            set.set(Some(position));
            let settle = settle.clone();
            timer.replace(Some(Timeout::new(SETTLES_AFTER, move || settle(position))));
        })
    };
    let onchange = Callback::from(move |event: Event| {
        if timer.take().is_some() {
            settle(position_of(event.target_dyn_into()));
        }
    });
    let share = f64::from(position) * 100.0 / f64::from(last.max(1));
    let words = props.words.emit(position);
    let note_id = format!("{}-note", props.id);
    let (class, idle) = idle(props.note.as_ref());
    html! {
        <div class={classes!("control", class)}>
            <span class="control__label"><label for={props.id.clone()}>{ &props.label }</label>{ about(&props.label, props.note.as_ref()) }</span>
            <span class="control__value" aria-hidden="true" title={words.clone()}>{ shortened(&words) }</span>
            <input id={props.id.clone()} type="range" class="range" min="0" max={last.to_string()} step="1" value={position.to_string()}
                style={format!("--share:{}%", crate::present::format::fixed(share, 1))} aria-valuetext={words.clone()}
                aria-describedby={props.note.as_ref().map(|_| note_id.clone())} {oninput} {onchange} />
            { idle }
            { note(&note_id, props.note.as_ref()) }
        </div>
    }
}

/// "2 · 3 deliveries" of "2 (3 deliveries in all)".
fn shortened(words: &str) -> String {
    match words.split_once(" (") {
        None => words.to_owned(),
        Some((short, more)) => {
            let more = more.trim_end_matches(')').trim_end_matches(" in all");
            format!("{short} · {more}")
        }
    }
}

fn position_of(input: Option<HtmlInputElement>) -> u32 {
    input.map_or(0.0, |input| input.value_as_number()).max(0.0) as u32
}

/// A line of explanation.
#[derive(Clone, PartialEq)]
pub struct Note {
    /// What it says.
    pub text: AttrValue,
    /// Whether it can be seen; assistive technology has it all the same.
    pub shown: bool,
    /// Shows and hides it; none for what is always shown.
    pub toggle: Option<Callback<MouseEvent>>,
    /// Whether the setting has no effect now.
    pub idle: bool,
}

/// A control's class, and the words that it has no effect now; none where its explanation always says so.
fn idle(note: Option<&Note>) -> (Option<&'static str>, Option<Html>) {
    match note.filter(|note| note.idle && note.toggle.is_some()) {
        None => (None, None),
        Some(_) => (
            Some("control--idle"),
            Some(
                html! { <span class="control__idle" aria-hidden="true">{ "no effect now" }</span> },
            ),
        ),
    }
}

fn note(id: &str, note: Option<&Note>) -> Option<Html> {
    note.map(|note| {
        let class = if note.shown {
            "control__note"
        } else {
            "visually-hidden"
        };
        html! { <p {class} id={id.to_owned()}>{ &note.text }</p> }
    })
}

/// The button that shows and hides an explanation.
fn about(label: &str, note: Option<&Note>) -> Option<Html> {
    let note = note?;
    let toggle = note.toggle.clone()?;
    Some(html! {
        <button type="button" class="about" aria-label={format!("About {label}")} aria-expanded={note.shown.to_string()} onclick={toggle}>{ "?" }</button>
    })
}

/// A choice between a few.
pub struct Choice {
    /// Identifies it in the document.
    pub id: AttrValue,
    /// What it sets.
    pub label: AttrValue,
    /// What there is to choose from.
    pub options: Vec<AttrValue>,
    /// Which is chosen.
    pub chosen: Option<usize>,
    /// The value, when it is none of these.
    pub value: Option<AttrValue>,
    /// One line of explanation.
    pub note: Option<Note>,
    /// Takes the position of the chosen one.
    pub choose: Callback<usize>,
}

/// A choice shown as segments beside each other.
pub fn segments(props: &Choice) -> Html {
    let note_id = format!("{}-note", props.id);
    let name_id = format!("{}-name", props.id);
    let (class, idle) = idle(props.note.as_ref());
    html! {
        <fieldset class={classes!("control", class)} aria-labelledby={name_id.clone()} aria-describedby={props.note.as_ref().map(|_| note_id.clone())}>
            <span class="control__label"><span id={name_id}>{ &props.label }</span>{ about(&props.label, props.note.as_ref()) }</span>
            { idle }
            if let Some(value) = &props.value {
                <span class="control__value">{ value }</span>
            }
            <div class="segments">
                for (index, option) in props.options.iter().enumerate() {
                    <label key={index} class="segments__choice">
                        <input type="radio" name={props.id.clone()} checked={props.chosen == Some(index)}
                            onchange={props.choose.reform(move |_: Event| index)} />
                        <span>{ option }</span>
                    </label>
                }
            </div>
            { note(&note_id, props.note.as_ref()) }
        </fieldset>
    }
}

/// A choice shown as a list that opens.
pub fn choice(props: &Choice) -> Html {
    let note_id = format!("{}-note", props.id);
    let before = i32::from(props.value.is_some());
    let onchange = props.choose.reform(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let index = select.map_or(0, |select| select.selected_index() - before);
        usize::try_from(index).unwrap_or(0)
    });
    let (class, idle) = idle(props.note.as_ref());
    html! {
        <div class={classes!("control", class)}>
            <span class="control__label"><label for={props.id.clone()}>{ &props.label }</label>{ about(&props.label, props.note.as_ref()) }</span>
            { idle }
            <select id={props.id.clone()} class="select" aria-describedby={props.note.as_ref().map(|_| note_id.clone())} {onchange}>
                if let Some(value) = &props.value {
                    <option key="value" selected=true disabled=true>{ value }</option>
                }
                for (index, option) in props.options.iter().enumerate() {
                    <option key={index} selected={props.chosen == Some(index)}>{ option }</option>
                }
            </select>
            { note(&note_id, props.note.as_ref()) }
        </div>
    }
}

/// A switch.
pub struct Switch {
    /// Identifies it in the document.
    pub id: AttrValue,
    /// What it sets.
    pub label: AttrValue,
    /// Whether it is on.
    pub on: bool,
    /// One line of explanation.
    pub note: Option<Note>,
    /// Takes the new state.
    pub set: Callback<bool>,
}

/// A switch between on and off.
pub fn switch(props: &Switch) -> Html {
    let note_id = format!("{}-note", props.id);
    let on = props.on;
    let (class, idle) = idle(props.note.as_ref());
    html! {
        <div class={classes!("control", "control--switch", class)}>
            <span class="control__label"><label for={props.id.clone()}>{ &props.label }</label>{ about(&props.label, props.note.as_ref()) }</span>
            { idle }
            <input id={props.id.clone()} type="checkbox" role="switch" class="switch" checked={on}
                aria-describedby={props.note.as_ref().map(|_| note_id.clone())} onchange={props.set.reform(move |_: Event| !on)} />
            { note(&note_id, props.note.as_ref()) }
        </div>
    }
}
