//! The events: the story of the message that is looked at, and the log, a plain sentence an event, newest first.

use std::rc::Rc;

use web_sys::{Element, Node};
use yew::prelude::*;

use super::action::{Action, press};
use super::asked::{Story, Why};
use super::explained::explained;
use super::filters::filters;
use super::icons::{Shape, icon};
use super::inspector::{finder, inspector};
use super::reading::{Filter, Read};
use super::targets::Targets;
use crate::engine::Ordinal;
use crate::present::format;

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
    /// What it stands for.
    pub about: Option<AttrValue>,
}

/// The log as it is listed.
#[derive(Clone, PartialEq, Default)]
pub struct Listed {
    /// The lines, newest first.
    pub lines: Vec<Line>,
    /// Which events are listed.
    pub filter: Filter,
    /// The event whose causes are open.
    pub asked: Option<u64>,
    /// Its causes.
    pub why: Option<Rc<Why>>,
    /// Events that have happened since the list stands still.
    pub newer: u64,
    /// Whether it stands still.
    pub held: bool,
    /// Whether there are older events.
    pub more: bool,
    /// What was not found.
    pub missed: Option<AttrValue>,
}

/// The events' properties.
#[derive(Properties, PartialEq)]
pub struct LogProps {
    /// The log.
    pub log: Rc<Listed>,
    /// The story of the message that is looked at.
    pub story: Option<Rc<Story>>,
    /// Whose events can be chosen.
    pub targets: Rc<Targets>,
    /// Whether it can be closed.
    pub closes: bool,
    /// Whether another run is shown beside the one whose events these are.
    pub compared: bool,
    /// What its buttons do.
    pub act: Callback<Action>,
}

/// The events.
#[component]
pub fn Log(props: &LogProps) -> Html {
    let log = &props.log;
    let close = press(&props.act, Action::Select(None));
    let listed = log
        .asked
        .is_some_and(|asked| log.lines.iter().any(|line| line.ordinal == asked));
    let hold = hold(log.held, &props.act);
    let leave = {
        let hold = hold.clone();
        Callback::from(move |event: FocusEvent| {
            let list = element(&event);
            let to = event
                .related_target()
                .and_then(|to| wasm_bindgen::JsCast::dyn_into::<Node>(to).ok());
            if !list.is_some_and(|list| list.contains(to.as_ref())) {
                hold.emit(event.into());
            }
        })
    };
    html! {
        <section class="events panel" aria-labelledby="log-title">
            <div class="panel__head">
                <h2 id="log-title" class="panel__title">{ if props.compared { "Events of this run" } else { "Events" } }</h2>
                <button type="button" class="button button--quiet log__newer" disabled={log.newer == 0} onclick={newest(&props.act)}>
                    { if log.newer > 0 { format!("{} newer", format::count(log.newer)) } else { String::new() } }
                </button>
                if props.closes {
                    <button type="button" class="button button--quiet" aria-label="Close events" onclick={close}>{ icon(Shape::Close) }</button>
                }
            </div>
            { finder(props.story.as_deref(), log.missed.as_ref(), &props.act) }
            if let Some(story) = &props.story {
                { inspector(story, !props.closes, &props.act) }
            }
            { filters(log.filter, &props.targets, props.story.is_some(), &props.act) }
            <ol class="log" tabindex="0" aria-label="Events, newest first" onscroll={hold.clone()} onpointerenter={hold.reform(Into::into)}
                onpointerleave={hold.reform(Into::into)} onfocusin={hold.reform(Into::into)} onfocusout={leave}>
                if let Some(event) = log.why.as_ref().filter(|_| !listed).and_then(|why| why.event.as_ref()) {
                    { self::line(event, log, &props.act) }
                }
                for line in log.lines.iter() {
                    { self::line(line, log, &props.act) }
                }
                if log.lines.is_empty() {
                    <li key="none" class="log__empty">{ if log.filter == Filter::default() { "Nothing has happened yet." } else { "No such event here." } }</li>
                }
                if log.more {
                    <li key="older"><button type="button" class="button button--quiet" onclick={read(&props.act, Read::Older)}>{ "Older events" }</button></li>
                }
            </ol>
        </section>
    }
}

/// What a click reads.
pub fn read(act: &Callback<Action>, read: Read) -> Callback<MouseEvent> {
    press(act, Action::Read(read))
}

fn element(event: &Event) -> Option<Element> {
    let list = event.current_target().or_else(|| event.target())?;
    wasm_bindgen::JsCast::dyn_into(list).ok()
}

/// The list stands still while it is read: pointed at, focused within, or scrolled.
fn hold(held: bool, act: &Callback<Action>) -> Callback<Event> {
    let act = act.clone();
    Callback::from(move |event: Event| {
        let Some(list) = element(&event) else { return };
        let list = list.closest(".log").ok().flatten().unwrap_or(list);
        let reads = list.scroll_top() > 4 || list.matches(":hover, :focus-within").unwrap_or(false);
        if reads != held {
            act.emit(Action::Read(Read::Hold(reads)));
        }
    })
}

fn line(line: &Line, log: &Listed, act: &Callback<Action>) -> Html {
    let open = log.asked == Some(line.ordinal);
    let ordinal = Ordinal(line.ordinal);
    html! {
        <li key={line.ordinal} class={classes!("log__line", line.tone.map(|tone| format!("log__line--{tone}")))} data-about={line.about.clone()}>
            <time>{ &line.time }</time>
            <b>{ &line.who }</b>
            <button type="button" class="log__why" aria-expanded={open.to_string()} aria-label={format!("Why? {}", line.text)}
                onclick={read(act, Read::Ask(ordinal))}>{ "Why?" }</button>
            <span>{ &line.text }</span>
            if let Some(why) = log.why.as_ref().filter(|_| open) {
                { explained(why, act) }
            }
        </li>
    }
}

/// Back to the newest event.
fn newest(act: &Callback<Action>) -> Callback<MouseEvent> {
    act.reform(move |_: MouseEvent| {
        let log =
            super::browser::document().and_then(|document| document.query_selector(".log").ok()?);
        if let Some(log) = log {
            log.set_scroll_top(0);
        }
        Action::Read(Read::Hold(false))
    })
}
