//! All settings of the full view, by group, each for the queue, the consumers or the producer chosen in its head.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::action::{Action, Colours};
use super::browser;
use super::interventions::{Offer, interventions};
use super::preferences::preferences;
use super::setting::Setting;
use super::targets::Targets;
use crate::present::controls::{Group, Reading, Target};

/// A setting and what it shows.
#[derive(Clone, PartialEq)]
pub struct Shown {
    /// Which group it is in.
    pub group: Group,
    /// Its id in the table.
    pub id: &'static str,
    /// What it shows.
    pub reading: Reading,
    /// Whether it stands in the list of those that are rarely set.
    pub rare: bool,
}

/// The settings' properties.
#[derive(Properties, PartialEq)]
pub struct SettingsProps {
    /// They.
    pub settings: Rc<[Shown]>,
    /// What they can be set for.
    pub targets: Rc<Targets>,
    /// What they are set for.
    pub target: Target,
    /// What can be done to that.
    pub offers: Rc<[Offer]>,
    /// The seed of the run.
    pub seed: u64,
    /// Which colours.
    pub colours: Colours,
    /// Takes a change.
    pub act: Callback<Action>,
}

/// The settings.
#[component]
pub fn Settings(props: &SettingsProps) -> Html {
    let wide = *use_memo((), |()| {
        browser::media("(min-width: 47.5em)").is_none_or(|query| query.matches())
    });
    html! {
        <aside class="settings" aria-label="Settings">
            for group in Group::ALL {
                { self::group(group, wide, props) }
            }
            { preferences(props.seed, props.colours, &props.act) }
        </aside>
    }
}

fn group(group: Group, wide: bool, props: &SettingsProps) -> Html {
    let settings: Vec<&Shown> = props
        .settings
        .iter()
        .filter(|shown| shown.group == group)
        .collect();
    if settings.is_empty() {
        return Html::default();
    }
    let open = group == Group::Queue || (wide && group == Group::Consumers);
    html! {
        <details key={group.title()} class="settings__group panel" {open}>
            <summary class="panel__title"><h2>{ group.title() }</h2></summary>
            { target(group, props) }
            { interventions(group, &props.offers, &props.act) }
            for shown in settings.iter().filter(|shown| !shown.rare) {
                { setting(shown, props) }
            }
            if settings.iter().any(|shown| shown.rare) {
                <details class="settings__more">
                    <summary>{ if group == Group::Queue { "More rules" } else { "More settings" } }</summary>
                    for shown in settings.iter().filter(|shown| shown.rare) {
                        { setting(shown, props) }
                    }
                </details>
            }
        </details>
    }
}

fn setting(shown: &Shown, props: &SettingsProps) -> Html {
    html! {
        <Setting key={shown.id} id={shown.id} reading={shown.reading.clone()} act={props.act.clone()} />
    }
}

fn target(group: Group, props: &SettingsProps) -> Option<Html> {
    let (target, targets) = (props.target, &props.targets);
    let all = |name: &'static str| {
        (
            AttrValue::Static(name),
            Target {
                consumer: None,
                ..target
            },
        )
    };
    let choices: Vec<(AttrValue, Target)> = match group {
        Group::Queue => targets
            .queues
            .iter()
            .map(|(queue, name)| {
                (
                    name.clone(),
                    Target {
                        queue: *queue,
                        ..target
                    },
                )
            })
            .collect(),
        Group::Consumers => {
            let each = targets.consumers.iter().map(|(consumer, name)| {
                (
                    name.clone(),
                    Target {
                        consumer: Some(*consumer),
                        ..target
                    },
                )
            });
            std::iter::once(all("all consumers")).chain(each).collect()
        }
        Group::Producers => targets
            .producers
            .iter()
            .map(|(producer, name)| {
                (
                    name.clone(),
                    Target {
                        producer: *producer,
                        ..target
                    },
                )
            })
            .collect(),
        Group::Network => Vec::new(),
    };
    let most = if group == Group::Consumers { 2 } else { 1 };
    if choices.len() <= most {
        return None;
    }
    let chosen = choices.iter().position(|(_, choice)| *choice == target);
    let list: Vec<Target> = choices.iter().map(|(_, choice)| *choice).collect();
    let onchange = props.act.reform(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let index = select.map_or(0, |select| {
            usize::try_from(select.selected_index()).unwrap_or(0)
        });
        Action::Target(list.get(index).copied().unwrap_or_default())
    });
    Some(html! {
        <select class="select settings__target" aria-label={format!("{}: which", group.title())} {onchange}>
            for (index, (name, _)) in choices.iter().enumerate() {
                <option key={index} selected={chosen == Some(index)}>{ name }</option>
            }
        </select>
    })
}
