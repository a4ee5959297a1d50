//! What can be done to the queue, the consumer or the producer that the settings are for.

use std::rc::Rc;

use yew::prelude::*;

use super::action::{Action, press};
use super::player::Player;
use crate::engine::{Command, Snapshot};
use crate::present::actions::{Action as Intervention, ActionTarget};
use crate::present::controls::Group;

/// One thing that can be done now.
#[derive(Clone, PartialEq)]
pub struct Offer {
    /// With which settings it stands.
    pub group: Group,
    /// As its button says it.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What it is done to.
    pub whom: AttrValue,
    /// The command that does it.
    pub command: Command,
}

impl Player {
    /// Everything that can be done now to what the settings are for.
    pub fn offers(&self, snapshot: &Snapshot) -> Rc<[Offer]> {
        let (target, targets) = (&self.target, &self.targets);
        let alone = targets
            .consumers
            .first()
            .filter(|_| targets.consumers.len() == 1);
        let consumer = target.consumer.or(alone.map(|(id, _)| *id));
        let queue = targets.queues.iter().find(|(id, _)| *id == target.queue);
        let consumer = targets
            .consumers
            .iter()
            .find(|(id, _)| Some(*id) == consumer);
        let producer = targets
            .producers
            .iter()
            .find(|(id, _)| *id == target.producer);
        let places = [
            queue.map(|(id, name)| (Group::Queue, ActionTarget::Queue(*id), name)),
            consumer.map(|(id, name)| (Group::Consumers, ActionTarget::Consumer(*id), name)),
            producer.map(|(id, name)| (Group::Producers, ActionTarget::Producer(*id), name)),
        ];
        let offers = places
            .into_iter()
            .flatten()
            .flat_map(|(group, target, name)| {
                let available = Intervention::available(snapshot, target).into_iter();
                available.map(move |(intervention, command)| Offer {
                    group,
                    label: intervention.label,
                    help: intervention.help,
                    whom: name.clone(),
                    command,
                })
            });
        offers.collect()
    }
}

/// A group's interventions as a row of buttons.
pub fn interventions(group: Group, offers: &[Offer], act: &Callback<Action>) -> Html {
    let mut offers = offers
        .iter()
        .filter(|offer| offer.group == group)
        .peekable();
    if offers.peek().is_none() {
        let hint = (group == Group::Consumers)
            .then_some("Choose one consumer to pause it or to break it.");
        return html! { if let Some(hint) = hint { <p class="control__note settings__hint">{ hint }</p> } };
    }
    html! {
        <div class="settings__actions" role="group" aria-label={format!("{}: act", group.title())}>
            for offer in offers {
                { button(offer, act) }
            }
        </div>
    }
}

fn button(offer: &Offer, act: &Callback<Action>) -> Html {
    let onclick = press(act, Action::Command(offer.command.clone()));
    html! {
        <button key={offer.label} type="button" class="button button--quiet" title={offer.help} {onclick}
            aria-label={format!("{}: {}", offer.label, offer.whom)}>{ offer.label }</button>
    }
}
