//! One setting: the widget that its row of the table asks for.

use std::rc::Rc;

use yew::prelude::*;

use super::action::Action;
use super::icons::{Shape, icon};
use super::widgets::{self, Choice, Note, Range, Switch};
use crate::present::controls::{Control, Kind, Lock, Reading, Terms, Value};
use crate::present::format;

/// Most choices that stand beside each other.
const MOST_SEGMENTS: usize = 3;

/// Most letters that they have together.
const MOST_LETTERS: usize = 32;

/// A setting's properties.
#[derive(Properties, PartialEq)]
pub struct SettingProps {
    /// Its id in the table.
    pub id: &'static str,
    /// What it shows.
    pub reading: Reading,
    /// What the broker says of it; none where every rule is open.
    #[prop_or_default]
    pub terms: Option<Rc<Terms>>,
    /// It is counted as the broker counts it.
    pub raw: bool,
    /// The broker, as in a sentence.
    pub broker: &'static str,
    /// Name, value and widget only.
    #[prop_or_default]
    pub compact: bool,
    /// Takes a change.
    pub act: Callback<Action>,
}

/// A setting.
#[component]
pub fn Setting(props: &SettingProps) -> Html {
    let explained = use_state_eq(|| false);
    let Some((_, control)) = Control::find(props.id) else {
        return Html::default();
    };
    let id = control.id;
    let terms = props.terms.as_deref();
    let label = terms.and_then(|terms| terms.term).unwrap_or(control.label);
    if let Some(lock) = terms.and_then(|terms| terms.lock) {
        let value = match lock {
            Lock::Fixed(_) => props.reading.text.as_str(),
            Lock::Lacks(_) => "none",
        };
        return locked(
            id,
            label,
            value,
            &lock.sentence(props.broker),
            props.compact,
        );
    }
    let stops: Rc<[usize]> = match terms {
        Some(terms) => terms.stops.as_slice().into(),
        None => (0..control.stops.len()).collect(),
    };
    let index = props.reading.index;
    let place = stops.iter().position(|stop| *stop == index);
    let note = note(control, &stops, &props.reading, props, &explained);
    let set = {
        let stops = stops.clone();
        props.act.reform(move |place: usize| {
            Action::Set(id, stops.get(place).copied().unwrap_or_default())
        })
    };
    match control.kind {
        Kind::Slider => {
            let words = words(control, stops.clone(), props);
            let settle = set.reform(|position: u32| position as usize);
            let last = stops.len().saturating_sub(1);
            let nearest = stops.partition_point(|stop| *stop < index).min(last);
            html! {
                <Range {id} {label} positions={stops.len() as u32} position={place.unwrap_or(nearest) as u32} {words} {note} {settle} />
            }
        }
        Kind::Toggle => {
            let set = set.reform(usize::from);
            widgets::switch(&Switch {
                id: id.into(),
                label: label.into(),
                on: index == 1,
                note,
                set,
            })
        }
        Kind::Choice => {
            let options: Vec<AttrValue> = stops
                .iter()
                .map(|stop| control.stop_text(*stop).into())
                .collect();
            // What a run has and a stop has not, such as a list of sends, is shown and cannot be chosen.
            let known = options.iter().any(|option| *option == props.reading.text);
            let chosen = place.filter(|_| known);
            let value = (!known).then(|| AttrValue::from(props.reading.text.clone()));
            let few = options.len() <= MOST_SEGMENTS
                && options.iter().map(|option| option.len()).sum::<usize>() <= MOST_LETTERS;
            let choice = Choice {
                id: id.into(),
                label: label.into(),
                options,
                chosen,
                value,
                note,
                choose: set,
            };
            if few {
                widgets::segments(&choice)
            } else {
                widgets::choice(&choice)
            }
        }
    }
}

/// A setting that the broker leaves no choice in: what it is and why.
fn locked(id: &'static str, label: &str, value: &str, why: &str, compact: bool) -> Html {
    let note = if compact {
        "visually-hidden"
    } else {
        "control__note"
    };
    html! {
        <div {id} class="control control--locked" tabindex="-1" role="group" aria-label={format!("{label}, locked")} title={why.to_owned()}>
            <span class="control__label">{ icon(Shape::Lock) }{ label.to_owned() }</span>
            <span class="control__value">{ value.to_owned() }</span>
            <p class={note}>{ why.to_owned() }</p>
        </div>
    }
}

/// A number as it stands in a broker's settings.
pub fn raw_text(value: Value) -> String {
    match value {
        Value::Count(count) => format::count(count.into()),
        _ => "unlimited".to_owned(),
    }
}

fn stop_text(control: &Control, stop: usize, raw: bool) -> String {
    match control.stops.get(stop) {
        Some(value) if raw => raw_text(*value),
        _ => control.stop_text(stop),
    }
}

/// What the positions of a slider are called: the exact value where it stands, its stops elsewhere.
fn words(
    control: &'static Control,
    stops: Rc<[usize]>,
    props: &SettingProps,
) -> Callback<u32, String> {
    let (reading, compact, raw) = (props.reading.clone(), props.compact, props.raw);
    Callback::from(move |position: u32| {
        let position = stops.get(position as usize).copied().unwrap_or_default();
        let text = if position == reading.index {
            reading.text.clone()
        } else {
            stop_text(control, position, raw)
        };
        match text.split_once(" (") {
            Some((short, _)) if compact => short.to_owned(),
            _ => text,
        }
    })
}

fn note(
    control: &Control,
    stops: &[usize],
    reading: &Reading,
    props: &SettingProps,
    explained: &UseStateHandle<bool>,
) -> Option<Note> {
    let idle = reading.idle.map(|idle| format!("No effect now: {idle}."));
    if props.compact {
        return idle.map(|idle| Note {
            text: idle.into(),
            shown: true,
            toggle: None,
            idle: true,
        });
    }
    let mut text = control.help.to_owned();
    if props
        .terms
        .as_ref()
        .is_some_and(|terms| terms.term.is_some())
    {
        text = match props.raw {
            true => {
                "Deliveries in all, or what else the broker counts, before it gives a message up."
                    .to_owned()
            }
            false => format!("{}: {text}", control.label),
        };
    }
    if let (Kind::Slider, Some(first), Some(last)) = (control.kind, stops.first(), stops.last()) {
        let range = format::capitalised(short(control, *first, props.raw));
        text += &format!(" {range} to {}.", short(control, *last, props.raw));
    }
    let is_idle = idle.is_some();
    if let Some(idle) = idle {
        text = format!("{idle} {text}");
    }
    let explained = explained.clone();
    Some(Note {
        text: text.into(),
        shown: *explained,
        idle: is_idle,
        toggle: Some(Callback::from(move |_| explained.set(!*explained))),
    })
}

fn short(control: &Control, stop: usize, raw: bool) -> String {
    let text = stop_text(control, stop, raw);
    text.split(" (").next().unwrap_or(&text).to_owned()
}
