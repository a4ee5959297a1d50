//! One setting: the widget that its row of the table asks for.

use yew::prelude::*;

use super::action::Action;
use super::widgets::{self, Choice, Note, Range, Switch};
use crate::present::controls::{Control, Kind, Reading};
use crate::present::format;

/// Most choices that stand beside each other.
const MOST_SEGMENTS: usize = 3;

/// A setting's properties.
#[derive(Properties, PartialEq)]
pub struct SettingProps {
    /// Its id in the table.
    pub id: &'static str,
    /// What it shows.
    pub reading: Reading,
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
    let (id, label) = (control.id, control.label);
    let index = props.reading.index;
    let note = note(control, &props.reading, props.compact, &explained);
    let set = props.act.reform(move |index| Action::Set(id, index));
    match control.kind {
        Kind::Slider => {
            let words = words(control, props.reading.clone(), props.compact);
            let settle = set.reform(|position: u32| position as usize);
            html! {
                <Range {id} {label} positions={control.stops.len() as u32} position={index as u32} {words} {note} {settle} />
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
            let options: Vec<AttrValue> = (0..control.stops.len())
                .map(|stop| control.stop_text(stop).into())
                .collect();
            // What a run has and a stop has not, such as a list of sends, is shown and cannot be chosen.
            let known = options.iter().any(|option| *option == props.reading.text);
            let chosen = known.then_some(index);
            let value = (!known).then(|| AttrValue::from(props.reading.text.clone()));
            let few = options.len() <= MOST_SEGMENTS;
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

/// What the positions of a slider are called: the exact value where it stands, its stops elsewhere.
fn words(control: &'static Control, reading: Reading, compact: bool) -> Callback<u32, String> {
    Callback::from(move |position: u32| {
        let position = position as usize;
        let text = if position == reading.index {
            reading.text.clone()
        } else {
            control.stop_text(position)
        };
        match text.split_once(" (") {
            Some((short, _)) if compact => short.to_owned(),
            _ => text,
        }
    })
}

fn note(
    control: &Control,
    reading: &Reading,
    compact: bool,
    explained: &UseStateHandle<bool>,
) -> Option<Note> {
    let idle = reading.idle.map(|idle| format!("No effect now: {idle}."));
    if compact {
        return idle.map(|idle| Note {
            text: idle.into(),
            shown: true,
            toggle: None,
            idle: true,
        });
    }
    let last = control.stops.len().saturating_sub(1);
    let mut text = control.help.to_owned();
    if control.kind == Kind::Slider {
        let range = format::capitalised(short(control, 0));
        text += &format!(" {range} to {}.", short(control, last));
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

fn short(control: &Control, stop: usize) -> String {
    let text = control.stop_text(stop);
    text.split(" (").next().unwrap_or(&text).to_owned()
}
