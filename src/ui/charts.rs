//! Numbers over time.

use yew::prelude::*;

use super::action::Action;
use super::panel::Panel;

/// The content of the tab.
pub fn charts(_panel: &Panel, _act: &Callback<Action>) -> Html {
    Html::default()
}
