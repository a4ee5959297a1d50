//! What the panels read: plain values taken from the run at most ten times a second.

use std::rc::Rc;
use std::sync::Arc;

use yew::AttrValue;

use super::action::{Layout, Tab};
use super::asked::Story;
use super::beside::Beside;
use super::browser;
use super::by_hand::Sender;
use super::caption::Words;
use super::cards::Card;
use super::charts::Charts;
use super::interventions::Offer;
use super::log::Listed;
use super::menu::Opened;
use super::numbers::{Number, numbers};
use super::player::Player;
use super::setting::raw_text;
use super::settings::Shown;
use super::sweeping::SweepView;
use super::targets::Targets;
use super::timeline::Strip;
use super::travel_menu::Choices;
use crate::engine::{MessageNumber, Micros, Setup, Snapshot};
use crate::present::by_hand::Hand;
use crate::present::controls::{Control, Group, Target, Value};
use crate::present::dead_letters::Sheet;
use crate::present::scene::Scene;
use crate::scenario::{Incident, Profile};

/// Steps of the run before in one update; what is not done then is done at the next.
const STEPS_BEFORE: u64 = 20_000;

/// Everything that the page shows of a run at one instant. All numbers come from one snapshot.
#[derive(Clone)]
pub struct Panel {
    /// Name of the shipped scenario that runs.
    pub slug: Option<&'static str>,
    /// What runs.
    pub title: AttrValue,
    /// The playhead.
    pub now: Micros,
    /// Ordinal of the next event.
    pub ordinal: u64,
    /// Whether the run is playing.
    pub playing: bool,
    /// Whether the frame loop has something to do.
    pub wants_frames: bool,
    /// Speed asked for, in thousandths of real time.
    pub speed: u32,
    /// Speed reached, when that is clearly less.
    pub reached: Option<u32>,
    /// Share of a long seek that is done, in percent.
    pub seeking: Option<u8>,
    /// How far the slider reaches.
    pub end: Micros,
    /// Whether anything happens after the playhead.
    pub has_next: bool,
    /// What is chosen of the ways through time.
    pub choices: Choices,
    /// Whether the view is the simple one.
    pub calm: bool,
    /// What the caption says.
    pub words: Words,
    /// What screen readers hear.
    pub announcement: AttrValue,
    /// What the lower panel shows.
    pub tab: Tab,
    /// The message that is looked at.
    pub selected: Option<MessageNumber>,
    /// The log; empty in the simple view unless a message is looked at.
    pub log: Rc<Listed>,
    /// The story of the message that is looked at.
    pub story: Option<Rc<Story>>,
    /// The strip; none in the simple view and under another tab.
    pub strip: Option<Rc<Strip>>,
    /// The stage.
    pub scene: Rc<Scene>,
    /// The real incident that runs; none under another tab of the full view.
    pub incident: Option<Rc<Incident>>,
    /// Names of the variants of the scenario; none under another tab.
    pub variants: Rc<[AttrValue]>,
    /// The run that this one is compared with; none in the simple view.
    pub beside: Option<Rc<Beside>>,
    /// The sweep; none under another tab.
    pub sweep: Option<Rc<SweepView>>,
    /// The run at the playhead.
    pub snapshot: Rc<Snapshot>,
    /// Names and starting settings.
    pub setup: Arc<Setup>,
    /// What the scenario behaves like.
    pub behaves_like: Profile,
    /// Whose names are used.
    pub vocabulary: Profile,
    /// The settings on the page.
    pub settings: Rc<[Shown]>,
    /// What they can be set for.
    pub targets: Rc<Targets>,
    /// What they are set for.
    pub target: Target,
    /// The dead-letter queues; none under another tab.
    pub dead_letters: Rc<[Sheet]>,
    /// The menu of interventions, while it is open.
    pub menu: Option<Rc<Opened>>,
    /// The consumers that a person operates.
    pub hands: Rc<[Hand]>,
    /// The producer in whose place a person sends, with its name.
    pub sender: Option<Sender>,
    /// What can be done to that; nothing in the simple view, whose stage has the buttons.
    pub offers: Rc<[Offer]>,
    /// The three numbers.
    pub numbers: Rc<[Number]>,
    /// The number cards; none in the simple view.
    pub cards: Rc<[Card]>,
    /// The charts; none but under their tab.
    pub charts: Option<Rc<Charts>>,
}

impl Player {
    /// What the panels read, now.
    pub fn panel(&mut self) -> Panel {
        self.before = self.session.snapshot_before(STEPS_BEFORE).map(Rc::new);
        self.learn_names();
        self.search();
        let log = if self.layout == Layout::Full || self.selected.is_some() {
            self.listed()
        } else {
            Rc::default()
        };
        self.refresh_menu();
        let playhead = self.session.playhead();
        let snapshot = self.session.snapshot();
        let full = self.layout == Layout::Full;
        let timeline = full && self.tab == Tab::Timeline;
        let end = self.end();
        Panel {
            slug: self.situation.slug,
            title: self.situation.title().into(),
            now: playhead.at,
            ordinal: playhead.ordinal.0,
            playing: self.playing,
            wants_frames: self.wants_frames(),
            speed: self.speed,
            reached: self.pace.reached,
            seeking: self.seeking,
            end,
            has_next: self
                .session
                .next_event_at()
                .is_some_and(|at| self.session.duration().is_none_or(|end| at <= end)),
            announcement: self.announcement(browser::now()),
            choices: Choices {
                skips_quiet: self.travel.skips_quiet,
                breaks: self.travel.breaks.clone(),
                break_at: self.travel.break_at,
                missed: self.travel.missed,
                end: self.session.duration(),
            },
            calm: !full,
            tab: self.tab,
            selected: self.selected,
            log,
            story: self.reading.story(),
            words: self.words(),
            strip: timeline.then(|| self.strip()),
            scene: self.scene.clone(),
            sweep: (full && self.tab == Tab::Sweep).then(|| self.sweep_view()),
            incident: (!full || self.tab == Tab::Compare)
                .then(|| self.situation.scenario.incident.clone().map(Rc::new))
                .flatten(),
            variants: if full && self.tab == Tab::Compare {
                let variants = self.situation.scenario.variants.iter();
                variants
                    .map(|variant| variant.name.clone().into())
                    .collect()
            } else {
                Rc::default()
            },
            beside: if full { self.beside() } else { None },
            setup: self.session.simulation().setup().clone(),
            behaves_like: self.situation.scenario.behaves_like,
            vocabulary: self.situation.scenario.vocabulary(),
            settings: self.settings(&snapshot),
            targets: self.targets.clone(),
            target: self.target,
            dead_letters: if full && self.tab == Tab::DeadLetters {
                self.dead_letter_sheets()
            } else {
                Rc::default()
            },
            menu: self.menu.clone(),
            hands: self.hands(),
            sender: self.sender_form(),
            offers: if full {
                self.offers(&snapshot)
            } else {
                Rc::default()
            },
            numbers: numbers(&snapshot, self.before.as_deref()),
            cards: if timeline {
                self.cards()
            } else {
                Rc::default()
            },
            charts: (full && self.tab == Tab::Charts).then(|| self.charts()),
            snapshot,
        }
    }

    fn settings(&self, snapshot: &Snapshot) -> Rc<[Shown]> {
        let target = &self.target;
        let vocabulary = self.situation.scenario.vocabulary();
        let shown = |(group, control): (Group, &Control)| {
            let terms = self.terms.iter().find(|(id, _)| *id == control.id);
            let terms = terms.map(|(_, terms)| terms.clone());
            let mut reading = control.reading(snapshot, target)?;
            // A budget is told as retries, except where a broker counts something of its own.
            let named = terms.as_ref().is_some_and(|terms| terms.term.is_some());
            let locked = terms.as_ref().is_some_and(|terms| terms.lock.is_some());
            let raw = named && control.id == "retry-budget";
            if let ("order", true, Some(Value::Choice(kind))) =
                (control.id, locked, control.value(snapshot, target))
            {
                let kinds = ["queue.kind=standard", "queue.kind=fifo"];
                let word = kinds
                    .get(usize::from(kind))
                    .and_then(|kind| vocabulary.term(kind));
                if let Some(word) = word {
                    reading.text = word.to_owned();
                }
            }
            if let (true, Some(value)) = (raw, control.value(snapshot, target)) {
                reading.text = raw_text(value);
            }
            Some(Shown {
                group,
                id: control.id,
                reading,
                rare: control.is_rare(),
                raw,
                terms,
            })
        };
        match self.layout {
            Layout::Simple => self.headline.iter().copied().filter_map(shown).collect(),
            Layout::Full => Control::all().filter_map(shown).collect(),
        }
    }

    /// How far the slider reaches.
    pub fn end(&self) -> Micros {
        let known = self.session.known_until();
        self.session.duration().unwrap_or_else(|| {
            // Doubled at times, so that the slider stands still in between.
            let mut end = Micros::from_secs(60);
            while end < known {
                end = end + end;
            }
            end
        })
    }
}
