//! The real incident that a scenario tells: what was seen, what was expected, why, and where it was told.

use yew::prelude::*;

use super::icons::{Shape, icon};
use crate::present::sources;
use crate::scenario::Incident;

/// Identifies the story in the document.
const STORY: &str = "incident";

/// What happened to somebody in production, and why.
pub fn incident(incident: &Incident) -> Html {
    let rows = [
        ("Seen", &incident.saw),
        ("Expected", &incident.expected),
        ("Why", &incident.cause),
    ];
    html! {
        <dl class="incident">
            <dt>{ "A real incident" }</dt><dd>{ &incident.broker }</dd>
            for (name, text) in rows {
                <dt>{ name }</dt><dd>{ text }</dd>
            }
            if !incident.sources.is_empty() {
                <dt>{ "Told in" }</dt>
                <dd>
                    for (index, source) in incident.sources.iter().enumerate() {
                        if index > 0 {
                            { "; " }
                        }
                        { told_in(source) }
                    }
                </dd>
            }
        </dl>
    }
}

fn told_in(source: &str) -> Html {
    match sources::address(source) {
        Some(address) => html! {
            <a class="link" href={address} target="_blank" rel="noopener noreferrer">{ source }</a>
        },
        None => html! { { source } },
    }
}

/// The button beside the caption that opens the story, and the story.
pub fn told(incident: &Incident) -> Html {
    html! {
        <>
            <button type="button" class="button button--quiet caption__why" popovertarget={STORY}>{ "The incident" }</button>
            <div id={STORY} class="incident__story panel" popover="auto" role="dialog" aria-label="The incident">
                <button type="button" class="button button--quiet incident__close" popovertarget={STORY} popovertargetaction="hide" aria-label="Close">{ icon(Shape::Close) }</button>
                { self::incident(incident) }
            </div>
        </>
    }
}
