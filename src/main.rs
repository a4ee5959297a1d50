//! Mounts the page on the wasm target; natively there is nothing to mount.

#[cfg(target_arch = "wasm32")]
fn main() {
    queue_playground::ui::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
