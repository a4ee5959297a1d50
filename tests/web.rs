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

/// The engine gives the same trace, to the last field, in wasm as natively: the golden fingerprints are native.
#[wasm_bindgen_test]
fn three_scenarios_have_the_trace_they_have_natively() {
    use queue_playground::engine::{Micros, Simulation, TraceHash};
    use queue_playground::scenario::{Scenario, catalogue};

    let golden = include_str!("golden/traces.txt");
    for line in golden.lines().take(3) {
        let mut fields = line.split(' ');
        let shipped = catalogue::find(fields.next().unwrap()).unwrap();
        let setup = Scenario::from_json(shipped.json).unwrap().lower().unwrap();
        let longest = Micros::from_secs(60);
        let end = setup.duration.unwrap_or(longest).min(longest);
        let mut trace = Vec::new();
        Simulation::new(setup.into()).run_until(end, u64::MAX, &mut trace);
        let mut hash = TraceHash::default();
        trace.iter().for_each(|event| hash.observe(event));
        assert_eq!(fields.next().unwrap(), trace.len().to_string());
        assert_eq!(fields.next().unwrap(), format!("{:016x}", hash.value()));
    }
}
