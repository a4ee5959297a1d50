//! The log: a plain sentence an event, newest first.

use std::rc::Rc;

use yew::prelude::*;

use super::action::Action;
use super::icons::{Icon, Shape};

/// One line of the log.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Ordinal of the event.
    pub ordinal: u64,
    /// When.
    pub time: AttrValue,
    /// Who.
    pub who: AttrValue,
    /// What.
    pub text: AttrValue,
    /// `bad`, `warn`, or nothing.
    pub tone: Option<&'static str>,
}

/// How many lines there are at most.
pub const LINES: usize = 60;

/// The log's properties.
#[derive(Properties, PartialEq)]
pub struct LogProps {
    /// The lines, newest first.
    pub lines: Rc<[Line]>,
    /// Whether it can be closed.
    pub closes: bool,
    /// What its buttons do.
    pub act: Callback<Action>,
}

/// The log.
#[component]
pub fn Log(props: &LogProps) -> Html {
    html! {
        <section class="events panel" aria-labelledby="log-title">
            <div class="panel__head">
                <h2 id="log-title" class="panel__title">{ "Events" }</h2>
                if props.closes {
                    <button type="button" class="button button--quiet" aria-label="Close events" onclick={props.act.reform(|_: MouseEvent| Action::Select(None))}>
                        <Icon shape={Shape::Close} />
                    </button>
                }
            </div>
            <ol class="log" tabindex="0" aria-labelledby="log-title">
                for line in props.lines.iter() {
                    <li key={line.ordinal} class={classes!("log__line", line.tone.map(|tone| format!("log__line--{tone}")))}>
                        <time>{ &line.time }</time>
                        <b>{ &line.who }</b>
                        <span>{ &line.text }</span>
                    </li>
                }
            </ol>
            if props.lines.is_empty() {
                <p class="log__empty">{ "Nothing has happened yet." }</p>
            }
        </section>
    }
}
