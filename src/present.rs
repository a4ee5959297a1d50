//! Pure view models: stage layout, formatting, colour roles, sentences for people and screen readers.
//!
//! Nothing here paints, waits or reads a clock. The page and the SVG writer only paint what [`scene`] computes.

pub mod actions;
pub mod axis;
pub mod by_hand;
pub mod change;
pub mod chart;
pub mod controls;
pub mod dead_letters;
pub mod difference;
#[cfg(test)]
pub(crate) mod fixtures;
pub mod format;
pub mod geometry;
pub mod measure;
pub mod names;
pub mod outcome;
pub mod palette;
pub mod scene;
pub mod sentence;
pub mod sources;
pub mod spark;
pub mod spoken;
pub mod svg;
pub mod sweep;
pub mod sweep_chart;
pub mod terms;
pub mod time_travel;
pub mod timeline;
pub mod topic;
pub mod why;

pub use geometry::{Cubic, Path, Point, Rect};
pub use scene::{Density, Scene, SceneInput};
