//! All settings of the full view, by group, each for the queue, the consumers or the producer chosen in its head.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::action::{Action, Colours};
use super::broker::fidelity;
use super::browser;
use super::interventions::{Offer, interventions};
use super::preferences::preferences;
use super::setting::Setting;
use super::targets::Targets;
use crate::present::controls::{Group, Lock, Reading, Target, Terms};
use crate::scenario::Profile;

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
    /// It is counted as the broker counts it.
    pub raw: bool,
    /// What the broker says of it; none where every rule is open.
    pub terms: Option<Rc<Terms>>,
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
    /// What the scenario behaves like.
    pub behaves_like: Profile,
    /// Whose names are used.
    pub vocabulary: Profile,
    /// The broker, as in a sentence.
    pub broker: &'static str,
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
            { fidelity(props.behaves_like, props.vocabulary, &props.act) }
            for group in Group::ALL {
                { self::group(group, wide, props) }
            }
            { preferences(props.seed, props.colours, &props.act) }
        </aside>
    }
}

fn group(group: Group, wide: bool, props: &SettingsProps) -> Html {
    let all = props.settings.iter().filter(|shown| shown.group == group);
    let (locked, open): (Vec<&Shown>, Vec<&Shown>) = all.partition(|shown| shown.lock().is_some());
    if open.is_empty() && locked.is_empty() {
        return Html::default();
    }
    let is_open = group == Group::Queue || (wide && group == Group::Consumers);
    let more = if group == Group::Queue {
        "More rules"
    } else {
        "More settings"
    };
    let (rare, usual): (Vec<&Shown>, Vec<&Shown>) = open.into_iter().partition(|shown| shown.rare);
    let lacks = |shown: &&Shown| matches!(shown.lock(), Some(Lock::Lacks(_)));
    let (lacking, fixed): (Vec<&Shown>, Vec<&Shown>) = locked.into_iter().partition(lacks);
    html! {
        <details key={group.title()} class="settings__group panel" open={is_open}>
            <summary class="panel__title"><h2>{ group.title() }</h2></summary>
            { target(group, props) }
            { interventions(group, &props.offers, &props.act) }
            for shown in usual {
                { setting(shown, props) }
            }
            { list(more, rare, props) }
            { list(&format!("Fixed by {}", props.broker), fixed, props) }
            { list(&format!("{} has no", crate::present::format::capitalised(props.broker.to_owned())), lacking, props) }
        </details>
    }
}

/// Settings in a list that opens.
fn list(title: &str, settings: Vec<&Shown>, props: &SettingsProps) -> Html {
    if settings.is_empty() {
        return Html::default();
    }
    html! {
        <details key={title.to_owned()} class="settings__more">
            <summary>{ format!("{title} ({})", settings.len()) }</summary>
            for shown in settings {
                { setting(shown, props) }
            }
        </details>
    }
}

impl Shown {
    fn lock(&self) -> Option<Lock> {
        self.terms.as_ref()?.lock
    }
}

fn setting(shown: &Shown, props: &SettingsProps) -> Html {
    html! {
        <Setting key={shown.id} id={shown.id} reading={shown.reading.clone()} terms={shown.terms.clone()} raw={shown.raw} broker={props.broker} act={props.act.clone()} />
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
