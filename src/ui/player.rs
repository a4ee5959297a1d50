//! The imperative island: the run, its pace and the canvas. The frame loop and the actions borrow it, one at a time
//! and briefly; components never see it.

use std::rc::Rc;
use std::sync::Arc;

use super::action::{Action, Layout};
use super::browser;
use super::panel::Panel;
use super::surface::Surface;
use super::theme::Theme;
use super::transport::SPEEDS;
use crate::engine::{Event, Micros, Setup};
use crate::present::scene::{Density, Scene, SceneInput};
use crate::session::{Progress, Session};

/// Engine work of one frame, in milliseconds; drawing comes after it.
const WORK_OF_A_FRAME: f64 = 6.0;
/// Steps of the simulation between two looks at the clock.
const STEPS: u64 = 2_000;
/// Time between two updates of the panels, in milliseconds.
const PANEL_INTERVAL: f64 = 100.0;

/// A run being played.
pub struct Player {
    pub(super) session: Session,
    pub(super) playing: bool,
    pub(super) speed: u32,
    pub(super) layout: Layout,
    pub(super) scene: Rc<Scene>,
    pub(super) seeking: Option<u8>,
    pub(super) reduced_motion: bool,
    carry: f64,
    last_frame: Option<f64>,
    last_panel: f64,
    reached: Option<u32>,
    measured: (f64, u64),
    room: (f64, f64),
    theme: Theme,
    surface: Option<Surface>,
}

impl Player {
    /// The run that the page opens with.
    pub fn opening(layout: Layout) -> Self {
        let setup = Setup {
            seed: 1,
            duration: Some(Micros::from_secs(60)),
            groups: Vec::new(),
            bodies: Vec::new(),
            deduplication_ids: Vec::new(),
            queues: Vec::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            network: Default::default(),
            commands: Vec::new(),
            starvation: Default::default(),
            live_message_cap: 1000,
        };
        Self::new(Arc::new(setup), layout)
    }

    /// A run at its beginning.
    pub fn new(setup: Arc<Setup>, layout: Layout) -> Self {
        Self {
            session: Session::new(setup),
            playing: false,
            speed: 1000,
            layout,
            scene: Rc::default(),
            seeking: None,
            reduced_motion: browser::prefers_reduced_motion(),
            carry: 0.0,
            last_frame: None,
            last_panel: 0.0,
            reached: None,
            measured: (0.0, 0),
            room: (0.0, 0.0),
            theme: Theme::default(),
            surface: None,
        }
    }

    /// Gives the run a canvas to be painted on.
    pub fn attach(&mut self, surface: Surface) {
        self.surface = Some(surface);
        self.refit();
    }

    /// The room, the colours or the font have changed.
    pub fn refit(&mut self) {
        self.theme = Theme::read();
        if let Some(surface) = &self.surface {
            self.room = surface.room();
        }
        self.paint();
    }

    /// Whether the frame loop has something to do.
    pub fn wants_frames(&self) -> bool {
        self.playing || self.session.is_working()
    }

    /// One frame: work, then drawing, then at times new values for the panels.
    pub fn frame(&mut self, now: f64) -> Option<Panel> {
        let gap = self.last_frame.map_or(0.0, |last| now - last);
        self.last_frame = Some(now);
        let started = browser::now();
        let in_time = || browser::now() - started < WORK_OF_A_FRAME;
        if self.session.is_working() {
            while let Progress::Working { done } = self.session.work(STEPS) {
                self.seeking = Some((done * 100.0) as u8);
                if !in_time() {
                    break;
                }
            }
        } else if self.playing && gap < 500.0 {
            self.play(gap.min(100.0), in_time);
        }
        if !self.session.is_working() {
            self.seeking = None;
        }
        self.paint();
        if !self.wants_frames() {
            self.last_frame = None;
        }
        let due = now - self.last_panel >= PANEL_INTERVAL || !self.wants_frames();
        due.then(|| {
            self.last_panel = now;
            self.measure(now);
            self.panel()
        })
    }

    fn play(&mut self, milliseconds: f64, in_time: impl Fn() -> bool) {
        // A millisecond at a thousandth of real time is a microsecond.
        let wanted = self.carry + milliseconds * f64::from(self.speed);
        self.carry = wanted.fract();
        let until = self.session.playhead().at + Micros(wanted as u64);
        loop {
            match self.session.advance_to(until, STEPS) {
                Progress::Working { .. } if in_time() => {}
                Progress::Working { .. } | Progress::Reached => break,
                Progress::Stopped(_) | Progress::Ended | Progress::Stuck => {
                    self.playing = false;
                    break;
                }
            }
        }
    }

    fn measure(&mut self, now: f64) {
        let at = self.session.playhead().at.0;
        let (since, from) = self.measured;
        if !self.playing || at < from || now - since > 2_000.0 {
            self.measured = (now, at);
            self.reached = self.reached.filter(|_| self.playing);
        } else if now - since >= 500.0 {
            let speed = ((at - from) as f64 / (now - since)) as u32;
            self.reached = (f64::from(speed) < f64::from(self.speed) * 0.8).then_some(speed);
            self.measured = (now, at);
        }
    }

    /// Computes the scene at the playhead and paints it.
    pub fn paint(&mut self) {
        let (width, height) = self.room;
        let pace = f64::from(self.speed) / 1000.0;
        let snapshot = self.session.snapshot();
        let recent: Vec<Event> = self.session.recent(Scene::moment(pace)).copied().collect();
        let input = SceneInput {
            snapshot: &snapshot,
            setup: self.session.base(),
            recent: &recent,
            width,
            height,
            root_font: 16.0 * self.theme.text_scale,
            pace,
            reduced_motion: self.reduced_motion,
            density: match self.layout {
                Layout::Simple => Density::Simple,
                Layout::Full => Density::Full,
            },
            effect_label: "",
            unit: "",
        };
        self.scene = Rc::new(Scene::compute(&input));
        if let Some(surface) = &mut self.surface {
            surface.fit(&self.scene);
            surface.paint(&self.scene, &self.theme);
        }
    }

    /// Does what a person asks of the run.
    pub fn perform(&mut self, action: &Action) {
        match action {
            Action::Toggle => self.toggle(),
            Action::Restart => self.session.restart(),
            Action::StepBack => {
                self.playing = false;
                self.session.step_back(STEPS);
            }
            Action::StepForward => {
                self.playing = false;
                self.session.step_forward(u64::MAX);
            }
            Action::Seek(at) => {
                self.session.seek(*at, STEPS);
            }
            Action::Speed(speed) => self.speed = *speed,
            Action::Faster => self.change_speed(1),
            Action::Slower => self.change_speed(-1),
            Action::Command(command) => {
                self.session.command(command.clone());
            }
            Action::Undo => {
                self.session.undo(STEPS);
            }
            Action::Layout(layout) => self.layout = *layout,
            _ => {}
        }
        self.carry = 0.0;
    }

    fn toggle(&mut self) {
        self.playing = !self.playing;
        let at_the_end = self.session.duration() == Some(self.session.playhead().at);
        if self.playing && at_the_end {
            self.session.restart();
        }
    }

    fn change_speed(&mut self, by: isize) {
        let faster = SPEEDS.partition_point(|&speed| speed <= self.speed);
        let slower = SPEEDS.partition_point(|&speed| speed < self.speed);
        let index = if by > 0 {
            Some(faster)
        } else {
            slower.checked_sub(1)
        };
        if let Some(&speed) = index.and_then(|index| SPEEDS.get(index)) {
            self.speed = speed;
        }
    }

    /// What the panels read, now.
    pub fn panel(&self) -> Panel {
        let playhead = self.session.playhead();
        let known = self.session.known_until().max(playhead.at);
        Panel {
            now: playhead.at,
            ordinal: playhead.ordinal.0,
            playing: self.playing,
            wants_frames: self.wants_frames(),
            speed: self.speed,
            reached: self.reached,
            seeking: self.seeking,
            end: self
                .session
                .duration()
                .unwrap_or_else(|| known.max(Micros::from_secs(60))),
            has_next: self.session.next_event_at().is_some(),
            scene: self.scene.clone(),
            snapshot: self.session.snapshot(),
            setup: self.session.base().clone(),
        }
    }
}
