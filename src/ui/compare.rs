//! This run beside another one.

use yew::prelude::*;

use super::action::Action;
use super::panel::Panel;

/// The content of the tab.
pub fn compare(_panel: &Panel, _act: &Callback<Action>) -> Html {
    Html::default()
}
