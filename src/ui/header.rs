//! The head of the page: what runs, another file, a link to it, and how much of the page is shown.

use yew::prelude::*;

use super::action::{Action, Layout, press};
use super::broker::behaves_like;
use super::browser;
use super::icons::{Shape, icon, logo};
use super::panel::Panel;
use super::situations::Situations;
/// The header; `copied` when the last link went to the clipboard.
pub fn header(panel: &Panel, layout: Layout, copied: bool, act: &Callback<Action>) -> Html {
    let press = |action: Action| press(act, action);
    let (other, word) = match layout {
        Layout::Simple => (Layout::Full, "More"),
        Layout::Full => (Layout::Simple, "Less"),
    };
    html! {
        <header class="top">
            <h1 class="top__name">{ logo() }<span>{ "Queue Playground" }</span></h1>
            if !browser::embedded() {
                <Situations slug={panel.slug} title={panel.title.clone()} act={act.clone()} />
                { behaves_like(panel.behaves_like, act) }
            }
            <span class="top__gap" />
            <button type="button" class="button" popovertarget="share">{ "Share" }{ icon(Shape::Down) }</button>
            <div id="share" class="menu menu--share panel" popover="auto">
                <button type="button" class="menu__entry" onclick={press(Action::CopyLink)}>
                    { icon(Shape::Link) }{ if copied { "Link copied" } else { "Copy link" } }
                </button>
                <button type="button" class="menu__entry" onclick={press(Action::Save)}>{ icon(Shape::File) }{ "Save as a file" }</button>
            </div>
            <button type="button" class="button top__keys" popovertarget="keys" aria-label="Keys" title="Keys">{ "?" }</button>
            <button type="button" class="button" aria-expanded={(layout == Layout::Full).to_string()} onclick={press(Action::Layout(other))}>
                { word }{ icon(if layout == Layout::Simple { Shape::More } else { Shape::Less }) }
            </button>
        </header>
    }
}
