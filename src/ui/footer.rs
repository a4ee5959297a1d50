//! The foot of the page: the seed, the colours, the keys.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::action::{Action, Colours};
use super::browser;
use super::icons::{Icon, Shape};
use super::keys::KEYS;

/// What the footer shows.
#[derive(Properties, PartialEq)]
pub struct FooterProps {
    /// The seed of the run.
    pub seed: u64,
    /// Which colours.
    pub colours: Colours,
    /// What a press does.
    pub act: Callback<Action>,
}

/// The footer.
#[component]
pub fn Footer(props: &FooterProps) -> Html {
    let onseed = props.act.reform(|event: Event| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        let text = input.map(|input| input.value()).unwrap_or_default();
        Action::SeedText(text)
    });
    let onnew = props
        .act
        .reform(|_: MouseEvent| Action::Seed(browser::new_seed()));
    let oncolours = props.act.reform(|event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let name = select.map(|select| select.value()).unwrap_or_default();
        Action::Colours(Colours::named(&name).unwrap_or_default())
    });
    html! {
        <footer class="foot">
            <div class="foot__item">
                <label for="seed">{ "Seed" }</label>
                <input id="seed" class="field foot__seed" inputmode="numeric" autocomplete="off" spellcheck="false"
                    value={props.seed.to_string()} onchange={onseed} />
                <button type="button" class="button" onclick={onnew}><Icon shape={Shape::Dice} />{ "New seed" }</button>
            </div>
            <div class="foot__item">
                <label for="colours">{ "Colours" }</label>
                <select id="colours" class="select" onchange={oncolours}>
                    for colours in Colours::ALL {
                        <option value={colours.name()} selected={colours == props.colours}>{ colours.word() }</option>
                    }
                </select>
            </div>
            <details class="keys">
                <summary>{ "Keys" }</summary>
                <dl>
                    for (keys, what) in KEYS {
                        <div><dt><kbd>{ keys }</kbd></dt><dd>{ what }</dd></div>
                    }
                </dl>
            </details>
        </footer>
    }
}
