//! What is in the dead-letter queues, why, and what can be done about it.

use yew::prelude::*;

use super::action::Action;
use super::panel::Panel;

/// The content of the tab.
pub fn dead_letters(_panel: &Panel, _act: &Callback<Action>) -> Html {
    Html::default()
}
