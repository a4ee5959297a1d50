//! The headline of the simple view: four controls and three numbers.

use std::rc::Rc;

use yew::prelude::*;

use super::action::Action;
use super::numbers::{Number, Numbers};
use super::setting::Setting;
use super::settings::Shown;

/// The headline's properties.
#[derive(Properties, PartialEq)]
pub struct HeadlineProps {
    /// The four controls.
    pub settings: Rc<[Shown]>,
    /// The three numbers.
    pub numbers: Rc<[Number]>,
    /// Takes a change.
    pub act: Callback<Action>,
}

/// The headline.
#[component]
pub fn Headline(props: &HeadlineProps) -> Html {
    html! {
        <section class="headline panel" aria-label="Settings and numbers">
            for shown in props.settings.iter() {
                <Setting key={shown.id} id={shown.id} reading={shown.reading.clone()} compact=true act={props.act.clone()} />
            }
            <Numbers numbers={props.numbers.clone()} />
        </section>
    }
}
