//! One setting over a range.

use yew::prelude::*;

use super::action::Action;
use super::panel::Panel;

/// The content of the tab.
pub fn sweep(_panel: &Panel, _act: &Callback<Action>) -> Html {
    Html::default()
}
