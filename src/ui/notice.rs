//! What the page has to tell: in its place, politely, until dismissed.

use std::rc::Rc;

use yew::prelude::*;

use super::action::Action;
use super::icons::{Icon, Shape};
use super::state::Notice;

/// What is told.
#[derive(Properties, PartialEq)]
pub struct NoticeBarProps {
    /// It.
    pub notice: Option<Rc<Notice>>,
    /// Dismisses it.
    pub act: Callback<Action>,
}

/// The place where notices appear.
#[component]
pub fn NoticeBar(props: &NoticeBarProps) -> Html {
    let dismiss = props.act.reform(|_: MouseEvent| Action::Dismiss);
    html! {
        <div class="notices" role="status">
            if let Some(notice) = &props.notice {
                <div class="notice">
                    <div class="notice__text">
                        <p>{ &notice.text }</p>
                        if !notice.list.is_empty() {
                            <ul tabindex="0" aria-label="Problems">
                                for problem in notice.list.iter() {
                                    <li>{ problem }</li>
                                }
                            </ul>
                        }
                    </div>
                    <button type="button" class="button button--quiet" onclick={dismiss}><Icon shape={Shape::Close} />{ "Close" }</button>
                </div>
            }
        </div>
    }
}
