//! The imperative island: the run, its pace and the canvas. The frame loop and the actions borrow it, one at a time
//! and briefly; components never see it.

use std::collections::BTreeMap;
use std::rc::Rc;

use yew::AttrValue;

use super::action::Layout;
use super::browser;
use super::panel::Panel;
use super::settings::Targets;
use super::situation::Situation;
use super::surface::Surface;
use super::theme::Theme;
use crate::engine::{
    ConsumerId, Event, GroupId, MessageNumber, Micros, ProducerId, QueueId, Snapshot,
};
use crate::present::controls::Target;
use crate::present::names::Bodies;
use crate::present::scene::{Density, Scene, SceneInput};
use crate::session::{Progress, Session, StopReason};

/// Engine work of one frame, in milliseconds; drawing comes after it.
const WORK_OF_A_FRAME: f64 = 6.0;
/// Steps of the simulation between two looks at the clock.
pub const STEPS: u64 = 1_000;
/// Time between two updates of the panels, in milliseconds.
const PANEL_INTERVAL: f64 = 100.0;

/// What a replay took the place of.
pub struct Replayed {
    /// What was changed, in words.
    pub text: AttrValue,
    /// The run before.
    pub session: Session,
    /// What ran before.
    pub situation: Situation,
}

/// A run being played.
pub struct Player {
    pub(super) situation: Situation,
    pub(super) session: Session,
    /// A setting was changed from the start: the scripted captions no longer tell what happens.
    pub(super) replayed: Option<Replayed>,
    /// The moments just before changes of settings, by the command's index.
    pub(super) moments: BTreeMap<u32, Rc<Snapshot>>,
    /// The names of messages met so far.
    pub(super) bodies: Bodies,
    /// The groups of messages met so far.
    pub(super) groups: BTreeMap<MessageNumber, GroupId>,
    pub(super) playing: bool,
    /// Why the run paused by itself.
    pub(super) stopped: Option<StopReason>,
    /// The run has stopped for good.
    pub(super) stuck: bool,
    pub(super) speed: u32,
    pub(super) layout: Layout,
    pub(super) target: Target,
    pub(super) targets: Rc<Targets>,
    /// The setting changed last, and when on the page's clock: movements of one slider are one change.
    pub(super) last_set: Option<(&'static str, f64)>,
    pub(super) scene: Rc<Scene>,
    pub(super) before: Option<Rc<Snapshot>>,
    pub(super) seeking: Option<u8>,
    pub(super) reduced_motion: bool,
    /// Counts steps, so that each of them is announced in full.
    pub(super) steps_taken: u32,
    pub(super) reached: Option<u32>,
    /// What was announced last, when, and after how many steps.
    pub(super) spoken: (AttrValue, f64, u32),
    carry: f64,
    last_frame: Option<f64>,
    last_panel: f64,
    measured: (f64, u64),
    room: (f64, f64),
    theme: Theme,
    surface: Option<Surface>,
}

impl Player {
    /// A run of a situation, at its beginning.
    pub fn new(situation: Situation, layout: Layout) -> Self {
        let mut player = Self {
            session: Session::new(situation.setup.clone()),
            speed: situation.speed(),
            situation,
            replayed: None,
            moments: BTreeMap::new(),
            bodies: Bodies::default(),
            groups: BTreeMap::new(),
            playing: false,
            stopped: None,
            stuck: false,
            layout,
            target: Target::default(),
            targets: Rc::default(),
            last_set: None,
            scene: Rc::default(),
            before: None,
            seeking: None,
            reduced_motion: browser::prefers_reduced_motion(),
            steps_taken: 0,
            reached: None,
            spoken: (AttrValue::default(), 0.0, 0),
            carry: 0.0,
            last_frame: None,
            last_panel: 0.0,
            measured: (0.0, 0),
            room: (0.0, 0.0),
            theme: Theme::default(),
            surface: None,
        };
        player.prepare();
        player.aim();
        player
    }

    /// Puts another situation in the place of this one and plays it, unless the person asks for less motion.
    pub fn load(&mut self, situation: Situation) {
        self.session = Session::new(situation.setup.clone());
        self.speed = situation.speed();
        self.situation = situation;
        self.replayed = None;
        self.prepare();
        self.aim();
        self.playing = !self.reduced_motion;
    }

    /// Makes a new session stop where the situation says, and begin where it says.
    pub fn prepare(&mut self) {
        let view = &self.situation.scenario.view;
        self.session.stop_at(view.stop_at);
        if let Ok(alerts) = self.situation.scenario.alert_claims(&self.situation.setup) {
            self.session.stop_when(alerts);
        }
        if view.from > Micros::ZERO {
            self.session.seek(view.from, u64::MAX);
        }
        self.moments.clear();
        self.bodies = Bodies::default();
        self.groups.clear();
        self.before = None;
        self.stopped = None;
        self.stuck = false;
        self.seeking = None;
    }

    /// Points the settings at what the situation is about.
    fn aim(&mut self) {
        let setup = &self.situation.setup;
        let is_dead = |id: usize| {
            setup.queues.iter().any(|queue| {
                queue
                    .dead_letter_queue
                    .is_some_and(|dead| dead.index() == id)
            })
        };
        let queues = (0..)
            .map(QueueId)
            .zip(&setup.queues)
            .filter(|(id, _)| !is_dead(id.index()));
        let targets = Targets {
            queues: queues
                .map(|(id, queue)| (id, queue.name.clone().into()))
                .collect(),
            consumers: (0..)
                .map(ConsumerId)
                .zip(&setup.consumers)
                .map(|(id, consumer)| (id, consumer.name.clone().into()))
                .collect(),
            producers: (0..)
                .map(ProducerId)
                .zip(&setup.producers)
                .map(|(id, producer)| (id, producer.name.clone().into()))
                .collect(),
        };
        let focus = self.situation.scenario.view.focus.as_deref();
        let focused = targets
            .queues
            .iter()
            .find(|(_, name)| Some(name.as_str()) == focus);
        let queue = focused
            .or(targets.queues.first())
            .map_or(QueueId(0), |(id, _)| *id);
        self.target = Target {
            queue,
            ..Target::default()
        };
        self.targets = Rc::new(targets);
        self.last_set = None;
    }

    /// Gives the run a canvas to be painted on.
    pub fn attach(&mut self, surface: Surface) {
        self.surface = Some(surface);
        self.refit();
    }

    /// The room, the colours, the font or a wish about motion has changed.
    pub fn refit(&mut self) {
        self.theme = Theme::read();
        self.reduced_motion = browser::prefers_reduced_motion();
        if let Some(surface) = &self.surface {
            self.room = surface.room();
        }
        self.paint();
    }

    /// Width and height that the page offers to the stage.
    pub fn room(&self) -> (f64, f64) {
        self.room
    }

    /// Root font size in CSS pixels.
    pub fn root_font(&self) -> f64 {
        16.0 * self.theme.text_scale
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
            self.work(in_time);
        } else if self.playing && gap < 500.0 {
            self.play(gap.min(100.0), in_time);
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

    fn work(&mut self, in_time: impl Fn() -> bool) {
        self.seeking = None;
        while let Progress::Working { done } = self.session.work(STEPS) {
            if !in_time() {
                self.seeking = Some((done * 100.0) as u8);
                break;
            }
        }
    }

    fn play(&mut self, milliseconds: f64, in_time: impl Fn() -> bool) {
        // A millisecond at a thousandth of real time is a microsecond.
        let wanted = self.carry + milliseconds * f64::from(self.speed);
        self.carry = wanted.fract();
        let until = self.session.playhead().at + Micros(wanted as u64);
        loop {
            match self.session.advance_to(until, STEPS) {
                Progress::Working { .. } if in_time() => continue,
                Progress::Working { .. } | Progress::Reached => {}
                Progress::Stopped(reason) => {
                    self.playing = false;
                    self.stopped = Some(reason);
                }
                Progress::Ended => self.playing = false,
                Progress::Stuck => {
                    self.playing = false;
                    self.stuck = true;
                }
            }
            break;
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
        let mut recent: Vec<Event> = self.session.recent(Scene::moment(pace)).copied().collect();
        recent.reverse();
        let outside = self.situation.scenario.view.outside.as_ref();
        let input = SceneInput {
            snapshot: &snapshot,
            setup: self.session.base(),
            recent: &recent,
            width,
            height,
            root_font: self.root_font(),
            pace,
            reduced_motion: self.reduced_motion,
            density: match self.layout {
                Layout::Simple => Density::Simple,
                Layout::Full => Density::Full,
            },
            effect_label: outside.map_or("effects", |outside| &outside.label),
            unit: outside.map_or("", |outside| &outside.unit),
        };
        self.scene = Rc::new(Scene::compute(&input));
        if let Some(surface) = &mut self.surface {
            surface.fit(&self.scene);
            surface.paint(&self.scene, &self.theme);
        }
    }
}
