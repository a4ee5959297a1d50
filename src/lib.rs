//! Queue Playground: message-queue semantics that can be seen, changed, broken, rewound and explained.
//!
//! The layers, each of which knows only those below it:
//! `ui` (Yew, wasm only) · [`present`] · [`session`] · [`scenario`] · [`engine`].

pub mod engine;
pub mod present;
pub mod scenario;
pub mod session;
#[cfg(target_arch = "wasm32")]
pub mod ui;
