//! The page. wasm only.
//!
//! One `state` that a reducer changes, one `Action` for all that a person does, small components that
//! read plain values, and one imperative island (`player`) driven by the frame loop.

mod action;
mod app;
mod asked;
mod beside;
mod broker;
mod browser;
mod by_hand;
mod caption;
mod cards;
mod charts;
mod compare;
mod controller;
mod dead_letters;
mod drawing;
mod explained;
mod files;
mod filters;
mod fit;
mod frame_loop;
mod header;
mod headline;
mod history;
mod icons;
mod incident;
mod inspector;
mod interventions;
mod jumps;
mod keys;
mod legend;
mod linking;
mod listing;
mod log;
mod lower;
mod menu;
mod notice;
mod numbers;
mod opening;
mod pace;
mod paint;
mod paint_token;
mod panel;
mod panic;
mod perform;
mod player;
mod preferences;
mod reading;
mod setting;
mod settings;
mod shapes;
mod share;
mod situation;
mod situations;
mod stage;
mod stages;
mod state;
mod story;
mod surface;
mod sweep;
mod sweeping;
mod targets;
mod telling;
mod theme;
mod timeline;
mod tokens;
mod transport;
mod travel_menu;
mod visible;
mod widgets;
mod words;

pub use app::App;

/// Mounts the page into the document's body.
pub fn mount() {
    yew::set_custom_panic_hook(Box::new(panic::show));
    yew::Renderer::<App>::new().render();
    browser::reload_on_new_address();
}
