//! The page. wasm only.

use yew::prelude::*;

/// The whole page.
#[component]
pub fn App() -> Html {
    html! { <main><h1>{ "Queue Playground" }</h1></main> }
}

/// Mounts the page into the document's body.
pub fn mount() {
    yew::Renderer::<App>::new().render();
}
