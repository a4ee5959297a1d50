//! What actions do to the run.

use yew::AttrValue;

use super::action::{Action, Layout, Tab};
use super::browser;
use super::explained::focus_soon;
use super::player::{Player, Replayed, STEPS};
use super::situation::Situation;
use super::story::Acted;
use super::transport::SPEEDS;
use crate::engine::{Command, ConsumerChange, Micros};
use crate::present::actions::Action as Intervention;
use crate::present::change;
use crate::present::controls::Control;
use crate::present::format::capitalised;
use crate::present::names::Names;
use crate::scenario::{Profile, Scenario};
use crate::session::Session;

/// Movements of one setting within this time, in milliseconds, are one change.
const ONE_CHANGE: f64 = 1_000.0;

impl Player {
    /// Does what a person asks of the run.
    pub fn perform(&mut self, action: Action) {
        self.csv_copied = false;
        if self.travel.seeks.take().is_some() {
            self.session.abandon();
        }
        self.travel.missed = None;
        match action {
            Action::Toggle => self.toggle(),
            Action::Restart => {
                self.session.restart();
                self.travel.window.follow();
            }
            Action::StepBack => {
                self.pause();
                self.session.step_back(STEPS);
            }
            Action::StepForward => {
                self.pause();
                self.session.step_forward(STEPS);
            }
            Action::Seek(at) => {
                self.playing = false;
                self.session.seek(at, STEPS);
                self.travel.window.follow();
            }
            Action::Speed(speed) => self.speed = speed,
            Action::Faster => self.change_speed(true),
            Action::Slower => self.change_speed(false),
            Action::Menu(ask) => self.ask(ask),
            Action::Key(key, target) => {
                let found = Intervention::by_key(&key, &self.session.snapshot(), target);
                if let Some(command) = found {
                    self.ask_for(command);
                }
            }
            Action::Command(command) => {
                self.menu = None;
                self.ask_for(command);
            }
            Action::Vocabulary(profile) => {
                let view = &mut self.situation.scenario.view;
                view.vocabulary = Some(profile).filter(|profile| *profile != Profile::Free);
                self.renew_terms();
            }
            Action::BeProducer(producer) => {
                self.menu = None;
                self.sender = producer;
                self.unsent = None;
            }
            Action::Set(id, stop) => self.set(id, stop),
            Action::Target(target) => {
                self.target = target;
                self.renew_terms();
                self.last_set = None;
            }
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Jump(sought, back) => {
                self.pause();
                self.jump(sought, back);
            }
            Action::Break(point, on) => self.break_at(point, on),
            Action::BreakAt(at) => {
                self.travel.break_at = at;
                self.arm();
            }
            Action::SkipQuiet(on) => self.travel.skips_quiet = on,
            Action::Zoom(factor, at) => {
                let extent = self.extent();
                let at = at.unwrap_or(extent.now);
                self.travel.window.zoom(factor, at, &extent);
            }
            Action::Pan(share) => self.travel.window.pan(share, &self.extent()),
            Action::Fit => self.travel.window.fit(&self.extent()),
            Action::DismissGhost => self.session.dismiss_ghost(),
            Action::Replay => self.replay(),
            Action::Open(slug) => {
                if let Some(situation) = Situation::shipped(&slug) {
                    self.load(situation);
                }
            }
            Action::Seed(seed) => {
                // It is the same scenario, so what to stop at stays.
                let breaks = std::mem::take(&mut self.travel.breaks);
                self.load(self.situation.with_seed(seed));
                self.travel.breaks = breaks;
                self.arm();
            }
            Action::Layout(layout) => self.layout = layout,
            Action::Compare(id, value) => self.compare_with(id, value),
            Action::CompareVariant(index) => self.compare_with_variant(index),
            Action::OpenWithFix(slug) => {
                if let Some(situation) = Situation::shipped(&slug) {
                    self.load(situation);
                    self.layout = Layout::Full;
                    self.tab = Tab::Compare;
                    self.compare_with_variant(0);
                }
            }
            Action::Plan(plan) => self.sweeping.plan = Some(plan),
            Action::Sweep => self.begin_sweep(),
            Action::StopSweep => self.sweeping.stop(),
            Action::KeepOther => self.keep_other(),
            Action::CloseOther => self.other = None,
            Action::Select(message) => self.selected = message,
            Action::Read(read) => self.read(read),
            Action::Reveal(reference) => self.make_room_for(reference),
            Action::Tab(tab) => self.tab = tab,
            Action::ChartTable(id) => {
                self.chart_table = Some(id).filter(|_| self.chart_table != Some(id));
            }
            _ => {}
        }
        self.stopped = self.stopped.filter(|_| !self.playing);
        self.follow(|| false);
    }

    fn pause(&mut self) {
        self.playing = false;
        self.travel.window.follow();
        self.steps_taken = self.steps_taken.wrapping_add(1);
    }

    fn toggle(&mut self) {
        self.playing = !self.playing;
        let over = self.session.duration() == Some(self.session.playhead().at)
            || self.session.next_event_at().is_none();
        if self.playing && over {
            self.session.restart();
        }
    }

    fn change_speed(&mut self, up: bool) {
        let next = if up {
            SPEEDS.into_iter().find(|&speed| speed > self.speed)
        } else {
            SPEEDS.into_iter().rev().find(|&speed| speed < self.speed)
        };
        self.speed = next.unwrap_or(self.speed);
    }

    /// Gives a command, unless it would be refused: then that is told, and nothing is there to be undone.
    pub(super) fn ask_for(&mut self, command: Command) {
        if let Command::SetConsumer(Some(id), ConsumerChange::ByHand(true)) = command {
            focus_soon(format!("#hand-{} .button", id.0));
        }
        let names = Names {
            setup: self.session.base(),
            bodies: &self.bodies,
        };
        let Some(text) = change::refusal(&command, &self.session.snapshot(), &names) else {
            self.command(command);
            return;
        };
        let at = self.session.playhead().at;
        self.acted = Some(Acted {
            given: at,
            at,
            forked: false,
            text: capitalised(text) + ".",
        });
        self.speak_soon();
    }

    /// Returns the position of the command in the run's list.
    fn command(&mut self, command: Command) -> u32 {
        let before = self.session.snapshot();
        let given = self.session.playhead().at;
        let text = self.told(&command, &before);
        let applied = self.session.command(command);
        self.forget_asked();
        self.travel.undone.clear();
        self.acted = Some(Acted {
            given,
            at: applied.at,
            forked: applied.forked,
            text,
        });
        self.speak_soon();
        self.moments.insert(applied.index, before);
        // A command acts a microsecond later when something has happened already: the page shows it at once.
        self.session
            .advance_to(self.session.playhead().at + Micros(1), STEPS);
        applied.index
    }

    fn set(&mut self, id: &'static str, stop: usize) {
        let now = browser::now();
        let newest = self.session.commands().len().checked_sub(1);
        let again = self.last_set.is_some_and(|(last, at, index)| {
            last == id && now - at < ONE_CHANGE && Some(index as usize) == newest
        });
        let forked = again && self.acted.as_ref().is_some_and(|acted| acted.forked);
        if again {
            self.session.retract();
        }
        let found = Control::find(id)
            .and_then(|(_, control)| control.command(&self.session.snapshot(), &self.target, stop));
        self.last_set = found.map(|command| (id, now, self.command(command)));
        if let Some(acted) = &mut self.acted {
            acted.forked |= forked;
        }
    }

    /// The settings that a replay would have from the start: the newest changed one, else those of the invitation.
    pub fn offered(&self) -> Vec<Command> {
        match self.session.last_change() {
            Some(change) => vec![change.now.clone()],
            None if self.is_invited() => self
                .situation
                .scenario
                .invitation_commands(&self.situation.setup),
            None => Vec::new(),
        }
    }

    /// Whether the run paused by itself at the end of its story, untouched: what the invitation would mend is there.
    pub fn is_invited(&self) -> bool {
        let view = &self.situation.scenario.view;
        let there = view
            .stop_at
            .is_some_and(|stop| self.session.playhead().at >= stop);
        there
            && self.replayed.is_none()
            && view.invitation.is_some()
            && !self.session.was_acted_upon()
    }

    /// Runs again from the beginning with the offered settings in force from the start.
    fn replay(&mut self) {
        let offered = self.offered();
        let Some(first) = offered.first() else {
            return;
        };
        let text = self.replay_text(first);
        let session = self.session.replay_with_all(&offered);
        let scenario = self.situation.scenario.clone();
        let scenario = self.with_settings(scenario, &session, &offered);
        self.go_on_with(session, scenario, text);
        self.playing = !self.reduced_motion;
    }

    /// A scenario with the settings with which a run begins.
    pub(super) fn with_settings(
        &self,
        scenario: Scenario,
        session: &Session,
        changed: &[Command],
    ) -> Scenario {
        let changed = changed.iter();
        changed.fold(scenario, |scenario, command| {
            scenario.with_setting(session.base(), command)
        })
    }

    /// Puts a run of another form of the scenario in the place of this one.
    pub(super) fn go_on_with(&mut self, session: Session, scenario: Scenario, text: AttrValue) {
        let mut situation = self.situation.clone();
        situation.setup = session.base().clone();
        situation.scenario = scenario;
        let replayed = Replayed {
            earlier: self.replayed.take().map(Box::new),
            text,
            session: std::mem::replace(&mut self.session, session),
            situation: std::mem::replace(&mut self.situation, situation),
        };
        self.replayed = Some(replayed);
        self.travel.undone.clear();
        self.prepare();
    }

    fn undo(&mut self) {
        self.reading.forget();
        self.last_set = None;
        self.acted = None;
        self.speak_soon();
        if self.session.undo(STEPS).is_none()
            && let Some(replayed) = self.replayed.take()
        {
            let session = std::mem::replace(&mut self.session, replayed.session);
            let situation = std::mem::replace(&mut self.situation, replayed.situation);
            self.travel.undone.push(Replayed {
                earlier: None,
                text: replayed.text,
                session,
                situation,
            });
            self.replayed = replayed.earlier.map(|earlier| *earlier);
            self.compare_anew();
            self.renew_terms();
            self.playing = false;
            self.arm();
        }
    }

    /// Gives again what was taken back last: a command, else a replay.
    fn redo(&mut self) {
        self.reading.forget();
        self.last_set = None;
        self.acted = None;
        self.speak_soon();
        if self.session.redo(STEPS).is_none()
            && let Some(undone) = self.travel.undone.pop()
        {
            self.replayed = Some(Replayed {
                earlier: self.replayed.take().map(Box::new),
                text: undone.text,
                session: std::mem::replace(&mut self.session, undone.session),
                situation: std::mem::replace(&mut self.situation, undone.situation),
            });
            self.compare_anew();
            self.renew_terms();
            self.playing = false;
            self.arm();
        }
    }
}
