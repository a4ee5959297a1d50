//! The stage of a run: its room, its colours, and the scene painted on it.

use std::rc::Rc;

use super::action::Layout;
use super::browser;
use super::player::Player;
use super::surface::Surface;
use super::theme::Theme;
use crate::engine::Event;
use crate::present::scene::{About, Density, Scene, SceneInput};

/// Most events of the last moment that are looked at for movement.
const MOST_RECENT: usize = 4_000;

/// Where and how a run is drawn.
#[derive(Default)]
pub struct Drawing {
    room: (f64, f64),
    theme: Theme,
    lit: Option<About>,
    surface: Option<Surface>,
}

impl Player {
    /// Gives the run a canvas to be painted on.
    pub fn attach(&mut self, surface: Surface) {
        self.drawing.surface = Some(surface);
        self.refit();
    }

    /// The room, the colours, the font or a wish about motion has changed.
    pub fn refit(&mut self) {
        self.drawing.theme = Theme::read();
        self.reduced_motion = browser::prefers_reduced_motion();
        if let Some(surface) = &self.drawing.surface {
            self.drawing.room = surface.room();
        }
        self.paint();
    }

    /// Width and height that the page offers to the stage.
    pub fn room(&self) -> (f64, f64) {
        self.drawing.room
    }

    /// Root font size in CSS pixels.
    pub fn root_font(&self) -> f64 {
        16.0 * self.drawing.theme.text_scale
    }

    /// Computes the scene at the playhead and paints it.
    pub fn paint(&mut self) {
        let (width, height) = self.drawing.room;
        let pace = f64::from(self.speed) / 1000.0;
        let snapshot = self.session.snapshot();
        let mut recent: Vec<Event> = self
            .session
            .recent(Scene::moment(pace))
            .take(MOST_RECENT)
            .copied()
            .collect();
        recent.reverse();
        let outside = self.situation.scenario.view.outside.as_ref();
        let input = SceneInput {
            snapshot: &snapshot,
            setup: self.session.simulation().setup(),
            recent: &recent,
            width,
            height,
            root_font: self.root_font(),
            pace,
            reduced_motion: self.reduced_motion || self.rests == Some(self.session.playhead()),
            density: match self.layout {
                Layout::Simple => Density::Simple,
                Layout::Full => Density::Full,
            },
            effect_label: outside.map_or("effects", |outside| &outside.label),
            unit: outside.map_or("", |outside| &outside.unit),
        };
        self.scene = Rc::new(Scene::compute(&input));
        if let Some(surface) = &mut self.drawing.surface {
            surface.fit(&self.scene);
            surface.paint(&self.scene, &self.drawing.theme, self.drawing.lit);
        }
    }

    /// Lights what is meant, without another look at the run.
    pub fn light(&mut self, about: Option<About>) {
        self.drawing.lit = about;
        if let Some(surface) = &self.drawing.surface {
            surface.paint(&self.scene, &self.drawing.theme, about);
        }
    }
}
