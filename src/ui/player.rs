//! The imperative island: the run, its pace and the canvas. The frame loop and the actions borrow it, one at a time
//! and briefly; components never see it.

use std::collections::BTreeMap;
use std::rc::Rc;

use yew::AttrValue;

use super::action::{Layout, Tab};
use super::beside::Other;
use super::browser;
use super::drawing::Drawing;
use super::jumps::Travel;
use super::menu::Opened;
use super::pace::Pace;
use super::reading::Reading;
use super::situation::Situation;
use super::story::Acted;
use super::sweeping::Sweeping;
use super::targets::Targets;
use crate::engine::{MessageNumber, Micros, ProducerId, Snapshot};
use crate::present::chart::ChartId;
use crate::present::controls::{Control, Group, Target, Terms};
use crate::present::names::Bodies;
use crate::present::scene::Scene;
use crate::present::timeline::Window;
use crate::session::{Playhead, Session, StopReason};

/// Steps of the simulation in one slice of work.
pub const STEPS: u64 = 1_000;
/// Steps that a page may take before it shows itself; what is not done then is done while it shows.
pub const OPENING_STEPS: u64 = 200_000;

/// What a replay took the place of.
pub struct Replayed {
    /// What that run was a replay of, in its turn.
    pub earlier: Option<Box<Replayed>>,
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
    pub(super) playing: bool,
    /// Why the run paused by itself.
    pub(super) stopped: Option<StopReason>,
    /// Where the run paused by itself: nothing is on its way there.
    pub(super) rests: Option<Playhead>,
    /// The newest thing that a person did to this run.
    pub(super) acted: Option<Acted>,
    /// The run has stopped for good.
    pub(super) stuck: bool,
    pub(super) speed: u32,
    pub(super) layout: Layout,
    /// What the lower panel shows.
    pub(super) tab: Tab,
    /// The chart whose table is open.
    pub(super) chart_table: Option<ChartId>,
    /// The numbers over time were copied, and nothing was done since.
    pub(super) csv_copied: bool,
    /// The message that is looked at.
    pub(super) selected: Option<MessageNumber>,
    /// How the events are read.
    pub(super) reading: Reading,
    /// The producer in whose place a person sends.
    pub(super) sender: Option<ProducerId>,
    /// What of its form could not be understood.
    pub(super) unsent: Option<AttrValue>,
    /// The menu of interventions, while it is open.
    pub(super) menu: Option<Rc<Opened>>,
    pub(super) target: Target,
    pub(super) targets: Rc<Targets>,
    /// What the broker says of each setting; empty where every rule is open.
    /// The settings of the simple view.
    pub(super) headline: Vec<(Group, &'static Control)>,
    pub(super) terms: Vec<(&'static str, Rc<Terms>)>,
    /// The setting changed last, when on the page's clock, and by which command: movements of one slider are one
    /// change as long as nothing else is done in between.
    pub(super) last_set: Option<(&'static str, f64, u32)>,
    pub(super) scene: Rc<Scene>,
    /// The run that this one is compared with.
    pub(super) other: Option<Box<Other>>,
    /// The sweep that is put together, and what was found.
    pub(super) sweeping: Sweeping,
    pub(super) before: Option<Rc<Snapshot>>,
    pub(super) seeking: Option<u8>,
    pub(super) reduced_motion: bool,
    /// Counts steps, so that each of them is announced in full.
    pub(super) steps_taken: u32,
    /// What was announced last, when, and after how many steps.
    pub(super) spoken: (AttrValue, f64, u32),
    pub(super) travel: Travel,
    pub(super) pace: Pace,
    pub(super) drawing: Drawing,
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
            playing: false,
            stopped: None,
            rests: None,
            acted: None,
            stuck: false,
            layout,
            tab: Tab::default(),
            chart_table: None,
            csv_copied: false,
            selected: None,
            reading: Reading::default(),
            sender: None,
            unsent: None,
            menu: None,
            target: Target::default(),
            targets: Rc::default(),
            headline: Vec::new(),
            terms: Vec::new(),
            last_set: None,
            scene: Rc::default(),
            other: None,
            sweeping: Sweeping::default(),
            before: None,
            seeking: None,
            reduced_motion: browser::prefers_reduced_motion(),
            steps_taken: 0,
            spoken: (AttrValue::default(), 0.0, 0),
            travel: Travel::default(),
            pace: Pace::default(),
            drawing: Drawing::default(),
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
        self.other = None;
        self.sweeping = Sweeping::default();
        self.selected = None;
        self.travel.window = Window::default();
        self.travel.break_at = None;
        self.travel.breaks.clear();
        self.travel.undone.clear();
        self.reading = Reading::default();
        self.menu = None;
        self.sender = None;
        self.unsent = None;
        self.prepare();
        self.aim();
        self.playing = !self.reduced_motion;
    }

    /// Makes a new session stop where the situation says, and begin where it says.
    pub fn prepare(&mut self) {
        self.arm();
        let view = &self.situation.scenario.view;
        self.session.stop_at(view.stop_at);
        if let Ok(alerts) = self.situation.scenario.alert_claims(&self.situation.setup) {
            self.session.stop_when(alerts);
        }
        if view.from > Micros::ZERO {
            self.session.seek(view.from, OPENING_STEPS);
        }
        self.compare_anew();
        self.reading.forget();
        self.moments.clear();
        self.bodies = Bodies::default();
        self.before = None;
        self.stopped = None;
        self.rests = None;
        self.acted = None;
        self.stuck = false;
        self.seeking = None;
    }
}
