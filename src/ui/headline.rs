//! The headline of the simple view: four controls and three numbers.

use std::rc::Rc;

use yew::prelude::*;

use super::numbers::{Number, Numbers};

/// The headline's properties.
#[derive(Properties, PartialEq)]
pub struct HeadlineProps {
    /// The three numbers.
    pub numbers: Rc<[Number]>,
}

/// The headline.
#[component]
pub fn Headline(props: &HeadlineProps) -> Html {
    html! {
        <section class="headline panel" aria-label="Settings and numbers">
            <Numbers numbers={props.numbers.clone()} />
        </section>
    }
}
