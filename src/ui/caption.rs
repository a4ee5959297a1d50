//! The caption: what just happened, or what a change does, with the ways on and back.

use yew::prelude::*;

use super::action::{Action, press};
use super::reading::Read;
use crate::engine::Ordinal;
use crate::scenario::Incident;

/// What the caption says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Words {
    /// When it happened.
    pub time: Option<AttrValue>,
    /// What happened.
    pub text: AttrValue,
    /// What to try, when the story has ended.
    pub invitation: Option<AttrValue>,
    /// "Replay from 0 s with prefetch 4", when a setting was changed.
    pub replay: Option<AttrValue>,
    /// The event that can be asked about.
    pub why: Option<u64>,
    /// Whether there is something to undo.
    pub can_undo: bool,
    /// Whether something undone can be done again.
    pub can_redo: bool,
    /// Whether another run is shown beside the one that is told of.
    pub compared: bool,
}

/// The caption.
pub fn caption(words: &Words, incident: Option<&Incident>, act: &Callback<Action>) -> Html {
    let Words {
        time,
        text,
        invitation,
        replay,
        why,
        can_undo,
        can_redo,
        compared,
    } = words;
    let act = |action: Action| press(act, action);
    html! {
        <section class="caption" aria-label="What happens">
            <div class="caption__said">
                <p class="caption__text">
                    if *compared {
                        <span class="caption__whose">{ "This run " }</span>
                    }
                    if let Some(time) = time {
                        <b class="caption__time">{ time }</b>{ " " }
                    }
                    { text }
                    if let Some(invitation) = invitation {
                        { " " }<b class="caption__invitation">{ invitation }</b>
                    }
                </p>
                if let Some(event) = *why {
                    <button type="button" class="button button--quiet caption__why" onclick={act(Action::Read(Read::Why(Ordinal(event))))}>{ "Why?" }</button>
                }
                if let Some(incident) = incident {
                    { super::incident::told(incident) }
                }
            </div>
            if replay.is_some() || *can_undo || *can_redo {
                <div class="caption__actions">
                    if let Some(replay) = replay {
                        <button type="button" class="button button--main" title={replay.clone()} onclick={act(Action::Replay)}>{ replay }</button>
                    }
                    if *can_undo {
                        <button type="button" class="button caption__undo" onclick={act(Action::Undo)}>{ "Undo" }</button>
                    }
                    if *can_redo {
                        <button type="button" class="button caption__redo" onclick={act(Action::Redo)}>{ "Redo" }</button>
                    }
                </div>
            }
        </section>
    }
}
