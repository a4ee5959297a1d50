//! The messages on the stage as a list for the keyboard and for screen readers: one stop for Tab, arrows within.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::action::Action;
use super::stage::place;
use crate::engine::MessageNumber;
use crate::present::geometry::{Point, Rect};
use crate::present::scene::{About, Scene, TokenMark};

/// Whose tokens.
#[derive(Properties)]
pub struct TokensProps {
    /// The scene.
    pub scene: Rc<Scene>,
    /// The message whose story is told.
    pub selected: Option<MessageNumber>,
    /// Tells the story of a message.
    pub act: Callback<Action>,
}

impl PartialEq for TokensProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.scene, &other.scene) && self.selected == other.selected
    }
}

/// The list of messages.
#[component]
pub fn Tokens(props: &TokensProps) -> Html {
    let list = use_node_ref();
    // Which message, not which position: the list changes while one looks at it.
    let chosen = use_state_eq(AttrValue::default);
    let tokens = keyed(&props.scene.tokens);
    let current = tokens
        .iter()
        .position(|(key, _)| *key == *chosen)
        .unwrap_or(0);
    let onkeydown = {
        let (list, choose) = (list.clone(), chosen.setter());
        let keys: Vec<AttrValue> = tokens.iter().map(|(key, _)| key.clone()).collect();
        let (act, selected) = (props.act.clone(), props.selected);
        let focused = tokens.get(current).map(|(_, token)| token.message);
        Callback::from(move |event: KeyboardEvent| {
            let last = keys.len().saturating_sub(1);
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => {
                    if current < last {
                        current + 1
                    } else {
                        0
                    }
                }
                "ArrowLeft" | "ArrowUp" => current.checked_sub(1).unwrap_or(last),
                "Enter" | " " => {
                    event.prevent_default();
                    event.stop_propagation();
                    act.emit(Action::Select(focused.filter(|_| focused != selected)));
                    return;
                }
                "Home" => 0,
                "End" => last,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            choose.set(keys.get(next).cloned().unwrap_or_default());
            focus_child(&list, next);
        })
    };
    html! {
        <ul class="tokens" aria-label="Messages on the stage" ref={list} {onkeydown}>
            for (index, (key, token)) in tokens.iter().enumerate() {
                <li key={key.to_string()}>
                    <span class="token" role="button" aria-pressed={(props.selected == Some(token.message)).to_string()} tabindex={if index == current { "0" } else { "-1" }}
                        style={place(&around(token), Point::default())} aria-label={token.description.clone()}
                        data-about={About::Message(token.message).to_string()} />
                </li>
            }
        </ul>
    }
}

/// Tokens with a key each: the message, and which of its copies.
fn keyed(tokens: &[TokenMark]) -> Vec<(AttrValue, &TokenMark)> {
    let key = |(index, token): (usize, &TokenMark)| {
        let earlier = tokens
            .iter()
            .take(index)
            .filter(|other| other.message == token.message);
        format!("{}.{}", token.message.0, earlier.count()).into()
    };
    tokens.iter().enumerate().map(key).zip(tokens).collect()
}

fn around(token: &TokenMark) -> Rect {
    let (half, radius) = (token.half_width.max(12.0), token.radius.max(12.0));
    Rect::new(
        token.centre.x - half,
        token.centre.y - radius,
        2.0 * half,
        2.0 * radius,
    )
}

fn focus_child(list: &NodeRef, index: usize) {
    let child = list
        .cast::<Element>()
        .and_then(|list| list.children().item(u32::try_from(index).ok()?))
        .and_then(|item| item.first_element_child());
    if let Some(child) = child.and_then(|child| child.dyn_into::<HtmlElement>().ok()) {
        let _ = child.focus();
    }
}
