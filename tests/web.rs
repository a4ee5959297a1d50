//! The page's components in a real browser:
//! `cargo test --target wasm32-unknown-unknown --test web`.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::unwrap_used,
    reason = "a test may; clippy does not know these as tests"
)]

use queue_playground::ui::App;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
async fn the_page_mounts_with_one_heading() {
    let document = web_sys::window().unwrap().document().unwrap();
    let root = document.create_element("div").unwrap();
    document.body().unwrap().append_child(&root).unwrap();
    yew::Renderer::<App>::with_root(root.clone()).render();
    yew::scheduler::flush().await;
    assert_eq!(root.query_selector_all("main h1").unwrap().length(), 1);
}
