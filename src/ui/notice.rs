//! What the page has to tell: in its place, politely, until dismissed.

use yew::prelude::*;

use super::action::{Action, press};
use super::icons::{Shape, icon};
use super::state::Notice;

/// The place where notices appear.
pub fn notice_bar(notice: Option<&Notice>, act: &Callback<Action>) -> Html {
    html! {
        <div class="notices" role="status">
            if let Some(notice) = notice {
                <div class="notice">
                    <div class="notice__text">
                        <p>{ &notice.text }</p>
                        if notice.folded && !notice.list.is_empty() {
                            <details>
                                <summary>{ format!("{} details", notice.list.len()) }</summary>
                                { list(notice) }
                            </details>
                        } else if !notice.list.is_empty() {
                            { list(notice) }
                        }
                    </div>
                    <button type="button" class="button button--quiet" onclick={press(act, Action::Dismiss)}>{ icon(Shape::Close) }{ "Close" }</button>
                </div>
            }
        </div>
    }
}

fn list(notice: &Notice) -> Html {
    html! {
                            <ul tabindex="0" aria-label="Details">
                                for problem in notice.list.iter() {
                                    <li>{ problem }</li>
                                }
                            </ul>
    }
}
