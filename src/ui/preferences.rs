//! The seed, the colours and the marks: the last groups of the settings; and the list of keys.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::action::{Action, Colours};
use super::browser;
use super::icons::{Shape, icon};
use super::keys::{KEYS, target_keys};
use super::legend::marks;

/// Seed and colours, and the list of marks.
pub fn preferences(seed: u64, colours: Colours, act: &Callback<Action>) -> Html {
    let onseed = act.reform(|event: Event| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        let text = input.map(|input| input.value()).unwrap_or_default();
        Action::SeedText(text)
    });
    let onnew = act.reform(|_: MouseEvent| Action::Seed(browser::new_seed()));
    let oncolours = act.reform(|event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let name = select.map(|select| select.value()).unwrap_or_default();
        Action::Colours(Colours::named(&name).unwrap_or_default())
    });
    html! {
        <>
            <details class="settings__group panel">
                <summary class="panel__title"><h2>{ "Seed and colours" }</h2></summary>
                <div class="preference">
                    <label for="seed">{ "Seed" }</label>
                    <input id="seed" class="field" inputmode="numeric" autocomplete="off" spellcheck="false"
                        value={seed.to_string()} onchange={onseed} />
                    <button type="button" class="button" onclick={onnew}>{ icon(Shape::Dice) }{ "New seed" }</button>
                </div>
                <div class="preference">
                    <label for="colours">{ "Colours" }</label>
                    <select id="colours" class="select" onchange={oncolours}>
                        for other in Colours::ALL {
                            <option value={other.name()} selected={other == colours}>{ other.word() }</option>
                        }
                    </select>
                </div>
            </details>
            <details class="settings__group panel keys">
                <summary class="panel__title"><h2>{ "Marks" }</h2></summary>
                { marks() }
            </details>
        </>
    }
}

/// The list of keys, opened by its button and by the key for it.
pub fn key_list() -> Html {
    html! {
        <div id="keys" class="menu menu--keys keys panel" popover="auto" role="dialog" aria-labelledby="keys-title">
            <div class="panel__head">
                <h2 id="keys-title" class="panel__title">{ "Keys" }</h2>
                <button type="button" class="button button--quiet" popovertarget="keys" popovertargetaction="hide" autofocus={!browser::embedded()} aria-label="Close the list of keys">{ icon(Shape::Close) }</button>
            </div>
            <dl>
                for (keys, what) in KEYS {
                    <dt><kbd>{ keys }</kbd></dt><dd>{ what }</dd>
                }
            </dl>
            <p class="control__note">{ "On what has the focus on the stage:" }</p>
            <dl>
                for (keys, what) in target_keys() {
                    <dt><kbd>{ keys }</kbd></dt><dd>{ what }</dd>
                }
            </dl>
        </div>
    }
}
