//! The stage of a run: its room, its colours, and the scene painted on it.

use std::rc::Rc;

use super::action::Layout;
use super::browser;
use super::paint::Marked;
use super::player::Player;
use super::surface::Surface;
use super::theme::Theme;
use crate::engine::Event;
use crate::present::scene::{About, Density, Scene, SceneInput};
use crate::session::Session;

/// Most events of the last moment that are looked at for movement.
const MOST_RECENT: usize = 4_000;

/// A canvas and the room it has.
#[derive(Default)]
pub struct Canvas {
    room: (f64, f64),
    surface: Option<Surface>,
}

impl Canvas {
    fn show(&mut self, scene: &Scene, theme: &Theme, marked: Marked) {
        if let Some(surface) = &mut self.surface {
            surface.fit(scene);
            surface.paint(scene, theme, marked);
        }
    }
}

/// Where and how runs are drawn.
#[derive(Default)]
pub struct Drawing {
    theme: Theme,
    lit: Option<About>,
    /// Of the run, and of the other one that it is compared with.
    canvases: [Canvas; 2],
}

impl Player {
    /// Gives the run a canvas to be painted on, or the other one that it is compared with; or takes it away.
    pub fn attach(&mut self, surface: Option<Surface>, other: bool) {
        self.drawing.canvases[usize::from(other)].surface = surface;
        self.refit();
    }

    /// The room, the colours, the font or a wish about motion has changed.
    pub fn refit(&mut self) {
        self.drawing.theme = Theme::read();
        self.reduced_motion = browser::prefers_reduced_motion();
        for canvas in &mut self.drawing.canvases {
            if let Some(surface) = &canvas.surface {
                canvas.room = surface.room();
            }
        }
        self.paint();
    }

    /// Width and height that the page offers to the stage.
    pub fn room(&self) -> (f64, f64) {
        self.drawing.canvases[0].room
    }

    /// Width of all that stands beside each other on the stage.
    pub fn breadth(&self) -> f64 {
        let [own, beside] = &self.drawing.canvases;
        match &self.other {
            // One is not shown where there is no room for two.
            Some(_) => own.room.0 + beside.room.0,
            None => own.room.0,
        }
    }

    /// Root font size in CSS pixels.
    pub fn root_font(&self) -> f64 {
        16.0 * self.drawing.theme.text_scale
    }

    /// Computes the scenes at the playhead and paints them.
    pub fn paint(&mut self) {
        self.scene = Rc::new(self.scene_of(&self.session, self.room()));
        if let Some(mut other) = self.other.take() {
            // In the simple view it has no canvas.
            let canvas = &self.drawing.canvases[1];
            if canvas.surface.is_some() {
                other.scene = Rc::new(self.scene_of(&other.session, canvas.room));
            }
            self.other = Some(other);
        }
        self.show();
    }

    fn scene_of(&self, session: &Session, (width, height): (f64, f64)) -> Scene {
        let pace = f64::from(self.speed) / 1000.0;
        let snapshot = session.snapshot();
        let recent = session.recent(Scene::moment(pace));
        let mut recent: Vec<Event> = recent.take(MOST_RECENT).copied().collect();
        let rests = self.rests.map(|rests| rests.at);
        // What was on its way when the run came to rest has been shown as arrived.
        let arrived = rests.filter(|rests| *rests <= session.playhead().at);
        recent.retain(|event| arrived.is_none_or(|rests| event.at > rests));
        recent.reverse();
        let outside = self.situation.scenario.view.outside.as_ref();
        Scene::compute(&SceneInput {
            snapshot: &snapshot,
            setup: session.simulation().setup(),
            recent: &recent,
            width,
            height,
            root_font: self.root_font(),
            pace,
            reduced_motion: self.reduced_motion || rests == Some(session.playhead().at),
            density: match self.layout {
                Layout::Simple => Density::Simple,
                Layout::Full => Density::Full,
            },
            vocabulary: self.situation.scenario.vocabulary(),
            effect_label: outside.map_or("effects", |outside| &outside.label),
            unit: outside.map_or("", |outside| &outside.unit),
        })
    }

    fn show(&mut self) {
        let Drawing {
            theme,
            lit,
            canvases: [own, beside],
        } = &mut self.drawing;
        let marked = Marked {
            lit: *lit,
            selected: self.selected,
        };
        own.show(&self.scene, theme, marked);
        if let Some(other) = &self.other {
            beside.show(&other.scene, theme, marked);
        }
    }

    /// Lights what is meant, without another look at the run.
    pub fn light(&mut self, about: Option<About>) {
        self.drawing.lit = about;
        self.show();
    }
}
