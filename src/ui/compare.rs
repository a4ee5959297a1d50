//! This run beside another one: which setting differs, and what it makes of the numbers.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::action::{Action, press};
use super::beside::Beside;
use super::panel::Panel;
use super::settings::Shown;
use crate::present::controls::{Control, Group, Value};
use crate::session::Better;

/// The content of the tab.
pub fn compare(panel: &Panel, act: &Callback<Action>) -> Html {
    let beside = panel.beside.as_ref();
    html! {
        <div class="compare">
            if let Some(incident) = &panel.incident {
                { super::incident::incident(incident) }
            }
            { variants(panel, act) }
            <Choose settings={panel.settings.clone()} chosen={beside.and_then(|beside| beside.setting)} act={act.clone()} />
            if beside.is_some() {
                <div class="compare__choose">
                    <button type="button" class="button" onclick={press(act, Action::KeepOther)} title="The other run takes the place of this one; Undo brings this one back">{ "Go on with the other" }</button>
                    <button type="button" class="button" onclick={press(act, Action::CloseOther)}>{ "Close" }</button>
                </div>
            }
            if let Some(beside) = beside {
                { table(beside) }
            } else {
                <p class="compare__note">{ "The other run has the same seed and the same arrivals; only this setting differs, from the start. Both play side by side." }</p>
            }
        </div>
    }
}

/// The variants of the scenario, which are the fixes of an incident.
fn variants(panel: &Panel, act: &Callback<Action>) -> Html {
    let chosen = panel.beside.as_ref().and_then(|beside| beside.variant);
    html! {
        if !panel.variants.is_empty() {
            <div class="compare__choose" role="group" aria-label="Variants of this scenario">
                <span>{ "Run the fix beside it:" }</span>
                for (index, name) in panel.variants.iter().enumerate() {
                    <button key={index} type="button" class="button" aria-pressed={(chosen == Some(index)).to_string()}
                        onclick={press(act, Action::CompareVariant(index))}>{ name }</button>
                }
            </div>
        }
    }
}

fn table(beside: &Beside) -> Html {
    let note = if beside.same_arrivals {
        "Same seed, same arrivals. What you do happens in both runs. Both stay while another tab is open."
    } else {
        "The setting changes what is sent, so the arrivals differ. What you do happens in both runs."
    };
    let head = |text: &AttrValue| html! { <th scope="col">{ text }</th> };
    html! {
        <>
            <p class="compare__verdict">{ &beside.verdict }</p>
            <p class="compare__note">{ note }</p>
            <table class="table compare__table">
                <caption class="visually-hidden">{ &beside.summary }</caption>
                <thead><tr>
                    <th scope="col">{ "Measure" }</th>
                    { for beside.heads.iter().map(head) }
                    <th scope="col">{ "The other has" }</th>
                </tr></thead>
                <tbody>
                    for row in beside.rows.iter() {
                        <tr key={row.label}>
                            <th scope="row" title={row.help}>{ row.label }</th>
                            { value(&row.values[0], row.better == Better::First) }
                            { value(&row.values[1], row.better == Better::Second) }
                            <td>{ &row.difference }</td>
                        </tr>
                    }
                </tbody>
            </table>
        </>
    }
}

fn value(text: &str, better: bool) -> Html {
    html! {
        <td class={better.then_some("compare__better")}>
            { text }
            if better {
                <span class="compare__mark">{ " better" }</span>
            }
        </td>
    }
}

#[derive(Properties, PartialEq)]
struct ChooseProps {
    settings: Rc<[Shown]>,
    chosen: Option<(&'static str, Value)>,
    act: Callback<Action>,
}

/// Which setting differs, and its value in the other run.
#[component]
fn Choose(props: &ChooseProps) -> Html {
    let setting = use_state_eq(|| "visibility-timeout");
    let wanted = use_state_eq(|| None::<Value>);
    // A comparison may be begun elsewhere.
    use_effect_with(props.chosen, {
        let (setting, wanted) = (setting.setter(), wanted.setter());
        move |chosen: &Option<(&'static str, Value)>| {
            if let Some((id, value)) = *chosen {
                setting.set(id);
                wanted.set(Some(value));
            }
        }
    });
    let Some((_, control)) = Control::find(*setting) else {
        return Html::default();
    };
    let id = *setting;
    let shown = props.settings.iter().find(|shown| shown.id == id);
    let now = shown.map_or(0, |shown| shown.reading.index);
    let usual = control.stops.get(control.other_stop(now)).copied();
    let value = wanted.or(usual).unwrap_or(Value::Unset);
    let mut values = control.stops.to_vec();
    if !values.contains(&value) {
        values.insert(0, value);
    }
    let onsetting = {
        let (setting, wanted) = (setting.setter(), wanted.setter());
        Callback::from(move |id: &'static str| {
            setting.set(id);
            wanted.set(None);
        })
    };
    let same = props.chosen == Some((id, value));
    let start = Action::Compare(id, value);
    let act = |action: Action| press(&props.act, action);
    let texts = values
        .iter()
        .map(|value| control.value_text(*value))
        .collect();
    let place = values.iter().position(|it| *it == value);
    let choose = {
        let wanted = wanted.setter();
        Callback::from(move |index: usize| wanted.set(values.get(index).copied()))
    };
    html! {
        <div class="compare__choose">
            <label for="compare-setting">{ "Duplicate this run and change" }</label>
            { setting_list("compare-setting", &props.settings, |_| true, id, &onsetting) }
            <label for="compare-value">{ "to" }</label>
            { list("compare-value", texts, place, choose) }
            <button type="button" class={classes!("button", (!same).then_some("button--main"))} onclick={act(start)} disabled={same}>{ "Compare" }</button>
        </div>
    }
}

/// A list of choices by position.
pub fn list(
    id: &'static str,
    texts: Vec<String>,
    chosen: Option<usize>,
    choose: Callback<usize>,
) -> Html {
    let onchange = Callback::from(move |event: Event| {
        if let Some(index) = selected(&event) {
            choose.emit(index);
        }
    });
    html! {
        <select {id} class="select" {onchange}>
            for (index, text) in texts.into_iter().enumerate() {
                <option key={index} selected={chosen == Some(index)}>{ text }</option>
            }
        </select>
    }
}

/// A list of settings, by group.
pub fn setting_list(
    id: &'static str,
    settings: &[Shown],
    is_offered: fn(&Control) -> bool,
    chosen: &'static str,
    choose: &Callback<&'static str>,
) -> Html {
    let offered = |group: Group| {
        let shown = settings.iter().filter(move |shown| shown.group == group);
        let controls = shown.filter_map(|shown| Some(Control::find(shown.id)?.1));
        controls.filter(move |control| is_offered(control))
    };
    let ids: Vec<&'static str> = Group::ALL
        .into_iter()
        .flat_map(|group| offered(group).map(|control| control.id))
        .collect();
    let choose = choose.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(id) = selected(&event).and_then(|index| ids.get(index)) {
            choose.emit(id);
        }
    });
    html! {
        <select {id} class="select" {onchange}>
            for group in Group::ALL {
                <optgroup key={group.title()} label={group.title()}>
                    for control in offered(group) {
                        <option key={control.id} selected={control.id == chosen}>{ control.label }</option>
                    }
                </optgroup>
            }
        </select>
    }
}

/// The position of what is chosen in a list.
fn selected(event: &Event) -> Option<usize> {
    let select = event.target_dyn_into::<HtmlSelectElement>()?;
    usize::try_from(select.selected_index()).ok()
}
