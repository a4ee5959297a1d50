//! Which events the log lists.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::action::Action;
use super::log::read;
use super::reading::{Filter, Read};
use super::targets::Targets;
use crate::engine::ConsumerId;
use crate::present::topic::Topic;

/// Which events are listed; `story` when a message is looked at.
pub fn filters(filter: Filter, targets: &Targets, story: bool, act: &Callback<Action>) -> Html {
    let set = |filter: Filter| read(act, Read::Filter(filter));
    let about = act.reform(move |event: Event| {
        let topic = index_of(&event).and_then(|index| Topic::ALL.get(index).copied());
        Action::Read(Read::Filter(Filter { topic, ..filter }))
    });
    let consumers: Vec<ConsumerId> = targets.consumers.iter().map(|(id, _)| *id).collect();
    let choose = act.reform(move |event: Event| {
        let consumer = index_of(&event).and_then(|index| consumers.get(index).copied());
        Action::Read(Read::Filter(Filter { consumer, ..filter }))
    });
    let toggle = |word: &'static str, on: bool, next: Filter| {
        html! {
            <button type="button" class="button button--quiet" aria-pressed={on.to_string()} onclick={set(next)}>{ word }</button>
        }
    };
    html! {
        <div class="log__filters" role="group" aria-label="Which events">
            <select class="select" aria-label="Whose events" onchange={choose}>
                <option selected={filter.consumer.is_none()}>{ "everybody" }</option>
                for (id, name) in targets.consumers.iter() {
                    <option key={id.0} selected={filter.consumer == Some(*id)}>{ name }</option>
                }
            </select>
            <select class="select" aria-label="Events about" onchange={about}>
                <option selected={filter.topic.is_none()}>{ "everything" }</option>
                for topic in Topic::ALL {
                    <option key={topic.word()} selected={filter.topic == Some(topic)}>{ topic.word() }</option>
                }
            </select>
            { toggle("Harm", filter.harm, Filter { harm: !filter.harm, ..filter }) }
            if story {
                { toggle("This one", filter.message, Filter { message: !filter.message, ..filter }) }
            }
        </div>
    }
}

/// Which entry of a list was chosen, after the first, which stands for all.
fn index_of(event: &Event) -> Option<usize> {
    let chosen = event.target_dyn_into::<HtmlSelectElement>()?;
    usize::try_from(chosen.selected_index() - 1).ok()
}
