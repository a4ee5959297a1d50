//! The canvas and the room it has.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement};

use super::browser;
use super::paint::{Marked, paint};
use super::theme::Theme;
use crate::present::scene::Scene;

/// The canvas, its element and its context.
pub struct Surface {
    stage: HtmlElement,
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    scale: f64,
}

impl Surface {
    /// The canvas of a stage; none when the browser gives no context.
    pub fn new(stage: HtmlElement, canvas: HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self {
            stage,
            canvas,
            context,
            scale: 1.0,
        })
    }

    /// Width and height that the page offers to the stage, whatever stands on it now.
    pub fn room(&self) -> (f64, f64) {
        let inner = self
            .stage
            .first_element_child()
            .and_then(|inner| inner.dyn_into::<HtmlElement>().ok());
        let before = inner
            .as_ref()
            .and_then(|inner| inner.style().get_property_value("height").ok());
        if let Some(inner) = &inner {
            let _ = inner.style().set_property("height", "0");
        }
        let room = (
            f64::from(self.stage.client_width()),
            f64::from(self.stage.client_height()),
        );
        if let (Some(inner), Some(height)) = (&inner, before) {
            let _ = inner.style().set_property("height", &height);
        }
        room
    }

    /// Gives the canvas as many pixels as the screen has for a scene of this size.
    pub fn fit(&mut self, scene: &Scene) {
        self.scale = browser::device_pixel_ratio();
        let pixels = |length: f64| (length * self.scale).round().max(1.0) as u32;
        let (width, height) = (pixels(scene.width), pixels(scene.height));
        if (self.canvas.width(), self.canvas.height()) != (width, height) {
            self.canvas.set_width(width);
            self.canvas.set_height(height);
        }
    }

    /// Paints a scene.
    pub fn paint(&self, scene: &Scene, theme: &Theme, marked: Marked) {
        paint(&self.context, scene, theme, marked, self.scale);
    }
}
