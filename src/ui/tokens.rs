//! The messages on the stage as a list for the keyboard and for screen readers: one stop for Tab, arrows within.

use std::rc::Rc;

use web_sys::HtmlElement;
use yew::prelude::*;

use super::stage::place;
use crate::present::geometry::{Point, Rect};
use crate::present::scene::{Scene, TokenMark};

/// Whose tokens.
#[derive(Properties)]
pub struct TokensProps {
    /// The scene.
    pub scene: Rc<Scene>,
}

impl PartialEq for TokensProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.scene, &other.scene)
    }
}

/// The list of messages.
#[component]
pub fn Tokens(props: &TokensProps) -> Html {
    let list = use_node_ref();
    let chosen = use_state_eq(|| 0_usize);
    let tokens = &props.scene.tokens;
    let current = (*chosen).min(tokens.len().saturating_sub(1));
    let onkeydown = {
        let (list, count, choose) = (list.clone(), tokens.len(), chosen.setter());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => (current + 1) % count.max(1),
                "ArrowLeft" | "ArrowUp" => (current + count.max(1) - 1) % count.max(1),
                "Home" => 0,
                "End" => count.saturating_sub(1),
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            choose.set(next);
            focus_child(&list, next);
        })
    };
    html! {
        <ul class="tokens" aria-label="Messages on the stage" ref={list} {onkeydown}>
            for (index, token) in tokens.iter().enumerate() {
                <li key={index}>
                    <span class="token" role="img" tabindex={if index == current { "0" } else { "-1" }}
                        style={place(&around(token), Point::default())} aria-label={token.description.clone()} />
                </li>
            }
        </ul>
    }
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
        .cast::<web_sys::Element>()
        .and_then(|list| list.children().item(u32::try_from(index).ok()?))
        .and_then(|item| item.first_element_child());
    if let Some(child) =
        child.and_then(|child| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(child).ok())
    {
        let _ = child.focus();
    }
}
