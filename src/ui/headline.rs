//! The headline of the simple view: four controls and three numbers.

use yew::prelude::*;

use super::action::Action;
use super::numbers::{Number, number_list};
use super::setting::Setting;
use super::settings::Shown;

/// The headline.
pub fn headline(
    settings: &[Shown],
    numbers: &[Number],
    broker: &'static str,
    act: &Callback<Action>,
) -> Html {
    html! {
        <div key="headline" class="headline__room">
            <section class="headline panel" aria-label="Settings and numbers">
                for shown in settings {
                    <Setting key={shown.id} id={shown.id} reading={shown.reading.clone()} terms={shown.terms.clone()} raw={shown.raw} {broker} compact=true act={act.clone()} />
                }
                { number_list(numbers) }
            </section>
        </div>
    }
}
