//! Ways through time beside playing and seeking: jumps, break points, the window of the timeline, and what was undone.

use gloo_timers::callback::Timeout;
use yew::AttrValue;

use super::browser;
use super::player::{Player, Replayed, STEPS};
use crate::engine::Micros;
use crate::present::format;
use crate::present::time_travel::{BreakPoint, not_found};
use crate::present::timeline::{Extent, Window};
use crate::session::{Progress, Sought, StopReason};

/// The strip shows this much real time at the present pace unasked.
const WINDOW_SECONDS: f64 = 20.0;

/// What a person chose of the ways through time.
#[derive(Default)]
pub struct Travel {
    /// The part of the run that the timeline shows.
    pub window: Window,
    /// Runs fast through time in which nothing happens.
    pub skips_quiet: bool,
    /// What to stop at.
    pub breaks: Vec<BreakPoint>,
    /// When to stop.
    pub break_at: Option<Micros>,
    /// The break point of each claim that the session was given.
    watched: Vec<BreakPoint>,
    /// What is being looked for, and whether before the playhead.
    pub seeks: Option<(Sought, bool)>,
    /// What was looked for and not found.
    pub missed: Option<(Sought, bool)>,
    /// Replays taken back, the last one last.
    pub undone: Vec<Replayed>,
}

impl Player {
    /// What there is for the timeline to show.
    pub fn extent(&self) -> Extent {
        let known = self.session.known_until();
        let ghost = self.session.ghost().map_or(known, |ghost| ghost.until);
        Extent {
            now: self.session.playhead().at,
            known_until: known.max(ghost),
            story: self.situation.scenario.view.stop_at,
            duration: self.session.duration(),
            longest: self.at_pace(WINDOW_SECONDS).max(Micros::from_millis(10)),
            playing: self.playing,
        }
    }

    /// Goes to the next or the previous event of a kind.
    pub fn jump(&mut self, sought: Sought, back: bool) {
        self.travel.seeks = Some((sought, back));
        let progress = if back {
            self.session.jump_back(sought, STEPS)
        } else {
            self.session.jump_forward(sought, STEPS)
        };
        self.jumped(progress);
    }

    /// A jump has got so far.
    pub fn jumped(&mut self, progress: Progress) {
        if matches!(progress, Progress::Working { .. }) {
            return;
        }
        let sought = self.travel.seeks.take();
        if sought.is_some() {
            self.speak_soon();
        }
        self.travel.missed = sought.filter(|_| progress == Progress::NotFound);
        if sought.is_some() && progress == Progress::Reached {
            // Later: the focus moves back to the button, and who hears of that may ask for the run.
            Timeout::new(0, || browser::popover("travel", false)).forget();
        }
    }

    /// Puts a break point up or takes it away.
    pub fn break_at(&mut self, point: BreakPoint, on: bool) {
        self.travel.breaks.retain(|it| *it != point);
        if on {
            self.travel.breaks.push(point);
        }
        self.arm();
    }

    /// Gives the session the break points.
    pub fn arm(&mut self) {
        let (mut claims, mut watched) = (Vec::new(), Vec::new());
        for point in &self.travel.breaks {
            for claim in point.claims(&self.situation.setup) {
                claims.push(claim);
                watched.push(*point);
            }
        }
        self.session.break_when(claims);
        self.session.break_at(self.travel.break_at);
        self.travel.watched = watched;
    }

    /// Why a break point stopped the run here, or that a jump found nothing.
    pub fn halted(&self) -> Option<AttrValue> {
        if let Some((sought, back)) = self.travel.missed {
            return Some(not_found(sought, back).into());
        }
        match self.stopped? {
            StopReason::Break(index) => {
                let point = self.travel.watched.get(index)?;
                let words = point.words();
                let at = self.session.playhead().at;
                let mut now = self.newest().take_while(|event| event.at == at);
                let event = now.find(|event| point.sought().is(&event.kind));
                let event = event.map(|event| self.teller().tell(event));
                let event = event.map_or_else(String::new, |event| event.joined() + " ");
                Some(format!("{event}Stopped, as asked: {words}.").into())
            }
            StopReason::Time(at) if self.travel.break_at == Some(at) => {
                Some(format!("Stopped at {}, as asked.", format::instant(at)).into())
            }
            _ => None,
        }
    }
}
