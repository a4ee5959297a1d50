//! The story of one message: its life line by line, what comes next, its fields, and the way to other messages.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::action::{Action, press};
use super::asked::Story;
use super::icons::{Shape, icon};
use super::log::read;
use super::reading::Read;
use crate::engine::MessageNumber;
use crate::present::format;
use crate::present::scene::About;
use crate::present::sentence::Severity;
use crate::present::why;

/// The field that finds a message, with the ones before and after.
pub fn finder(story: Option<&Story>, missed: Option<&AttrValue>, act: &Callback<Action>) -> Html {
    let find = act.reform(|event: SubmitEvent| {
        event.prevent_default();
        let form = event.target_dyn_into::<web_sys::Element>();
        let field = form.and_then(|form| form.query_selector("input").ok()?);
        let field =
            field.and_then(|field| wasm_bindgen::JsCast::dyn_into::<HtmlInputElement>(field).ok());
        Action::Read(Read::Find(
            field.map_or_else(String::new, |field| field.value()),
        ))
    });
    let (before, after) = story.map_or((None, None), |story| story.beside);
    let step = |to: Option<MessageNumber>, shape: Shape, name: &'static str| {
        html! {
            <button type="button" class="button button--quiet" aria-label={name} disabled={to.is_none()}
                onclick={press(act, Action::Select(to))}>{ icon(shape) }</button>
        }
    };
    html! {
        <form class="finder" role="search" aria-label="Messages" onsubmit={find}>
            if story.is_some() {
                { step(before, Shape::Back, "Previous message") }
                { step(after, Shape::Forward, "Next message") }
            }
            <input class="field finder__field" type="search" aria-label="Find a message by number or name" placeholder="Message number or name" />
            <button type="submit" class="button button--quiet">{ "Find" }</button>
            <p class="finder__missed" role="status">
                { missed }
                <span class="visually-hidden">{ story.filter(|_| missed.is_none()).map(|story| &story.title) }</span>
            </p>
        </form>
    }
}

/// The story.
pub fn inspector(story: &Story, closes: bool, act: &Callback<Action>) -> Html {
    html! {
        <article class="story" aria-label={story.title.clone()}>
            <div class="panel__head">
                <h3 class="panel__title" data-about={About::Message(story.message).to_string()}>{ &story.title }</h3>
                if closes {
                    <button type="button" class="button button--quiet" aria-label="Close the message's story" onclick={press(act, Action::Select(None))}>
                        { icon(Shape::Close) }
                    </button>
                }
            </div>
            <div class="story__room">
                <ol class="story__lines">
                    for (place, line) in story.lines.iter().enumerate() {
                        { self::line(line, act) }
                        if place == 0 && story.left_out > 0 {
                            <li key="more" class="why__more">{ format!("{} more lines", format::count(story.left_out)) }</li>
                        }
                    }
                    if story.searching {
                        <li key="search" class="why__more">{ "Looking further back…" }</li>
                    } else if story.lines.is_empty() {
                        <li key="none" class="why__more">{ "Not sent yet." }</li>
                    }
                </ol>
            </div>
            <details class="story__facts">
                <summary>{ "Fields" }</summary>
                <dl>
                    for fact in story.facts.iter() {
                        <div key={fact.name.clone()}><dt>{ &fact.name }</dt><dd>{ &fact.value }</dd></div>
                    }
                </dl>
            </details>
        </article>
    }
}

fn line(line: &why::Line, act: &Callback<Action>) -> Html {
    let tone = match line.severity {
        Severity::Normal => None,
        Severity::Warn => Some("tone--warn"),
        Severity::Bad => Some("tone--bad"),
    };
    let go = if line.ahead {
        let at = line.at;
        press(act, Action::Seek(at))
    } else {
        read(act, Read::Moment(line.ordinal))
    };
    html! {
        <li key={line.ordinal.0} class={classes!(tone, line.ahead.then_some("story--ahead"))}>
            <button type="button" class="story__line" onclick={go}>
                <time>{ &line.time }</time>
                <span>{ &line.text }</span>
            </button>
        </li>
    }
}
