//! Taking back live commands, and giving them again.

use super::Session;
use super::act::Before;
use super::change::Undone;
use super::course::{Live, Moved};
use super::ghost::Ghost;
use super::position::Progress;
use super::run::Run;
use super::travel::{Errand, Goal, move_on};
use crate::engine::Micros;

/// A command taken back.
pub(super) struct TakenBack {
    /// What it cuts off is found out when it is given again.
    live: Live,
    /// How many live commands were given before it.
    position: usize,
    ghost: Option<Ghost>,
}

/// Knowing again what was known of the future, ahead of the playhead.
pub(super) struct Learning {
    run: Option<Box<Run>>,
    until: Micros,
    /// Steps that it may still take.
    left: u64,
}

impl Learning {
    const STEPS: u64 = 200_000;
}

impl Session {
    /// Takes back the newest live command and runs again to the playhead, or to the end of the run if the command had
    /// made it longer and the playhead is behind that ([`Session::command`]). Live commands that it cut off come back, and
    /// what was known of the future is found out anew, within bounds. None when there is none. Sliced as
    /// [`Session::seek`], except that the playhead moves along.
    pub fn undo(&mut self, budget: u64) -> Option<(Undone, Progress)> {
        let known = self.history.known_until();
        let (live, undone, progress) = self.take_back(budget)?;
        let mut ghost = self.ghost.take();
        let remaining = self.course.live.len() - undone.restored;
        if ghost
            .as_ref()
            .is_some_and(|ghost| ghost.cut_by != remaining)
        {
            // Of an earlier command, whose fork still stands.
            self.ghost = ghost.take();
        }
        let until = ghost.as_ref().map_or(known, |ghost| ghost.until.max(known));
        let until = self.duration().map_or(until, |end| until.min(end));
        self.taken_back.push(TakenBack {
            live,
            position: remaining,
            ghost,
        });
        self.learning = Some(Learning {
            run: None,
            until,
            left: Learning::STEPS,
        });
        let progress = match progress {
            Progress::Reached => self.learn(budget),
            progress => progress,
        };
        Some((undone, progress))
    }

    /// As [`Session::undo`], for giving another command in its place: what it cut off stays to be seen, and there is
    /// nothing to give again. Done in one go.
    pub fn retract(&mut self) -> Option<Undone> {
        let (_, undone, _) = self.take_back(u64::MAX)?;
        self.taken_back.clear();
        Some(undone)
    }

    fn take_back(&mut self, budget: u64) -> Option<(Live, Undone, Progress)> {
        let mut live = self.course.live.pop()?;
        self.abandon();
        self.regeneration = None;
        self.quiet_until = None;
        self.before = None;
        let remaining = self.course.live.len();
        let displaced = std::mem::take(&mut live.displaced);
        let restored = displaced.len();
        self.course.live.extend(displaced);
        if let Some(end) = live.ended {
            self.course.end_at(end);
        }
        self.course.renew_setup();
        self.course.checkpoints.cut(live.steps, remaining);
        self.history.cut(live.given.ordinal, live.given.at);
        self.forget_found(live.given.ordinal);
        self.stops.forget();

        let progress = if self.run.told() <= remaining {
            Progress::Reached
        } else {
            self.return_from(&live, budget)
        };
        let undone = Undone {
            command: live.timed.clone(),
            restored,
        };
        Some((live, undone, progress))
    }

    /// Whether there is a command to take back.
    pub fn can_undo(&self) -> bool {
        !self.course.live.is_empty()
    }

    /// Whether there is a command that was taken back and can be given again.
    pub fn can_redo(&self) -> bool {
        !self.taken_back.is_empty()
    }

    /// Gives the command taken back last again, where it was given, and runs again to the playhead. None when there is
    /// none; a new command forgets those taken back. Sliced as [`Session::seek`], except that the playhead moves along.
    pub fn redo(&mut self, budget: u64) -> Option<Progress> {
        let TakenBack {
            mut live,
            position,
            ghost,
        } = self.taken_back.pop()?;
        self.abandon();
        self.regeneration = None;
        self.quiet_until = None;
        let place = live.given;
        let before = self.playhead();
        live.displaced = self.course.live.split_off(position);
        if live.ended.is_some() {
            self.course.extend(live.timed.at);
        }
        self.course.checkpoints.cut(live.steps, position);
        let cut = Ghost::of(&self.history, place.ordinal, place.at, position);
        self.history.cut(place.ordinal, place.at);
        self.forget_found(place.ordinal);
        self.ghost = cut.or(ghost);
        self.before = live.change.is_some().then(|| {
            let run = self.course.run_before(|run| run.steps() <= live.steps);
            Box::new(Before::new(&self.course, run))
        });
        let beyond = self.run.steps() > live.steps
            || (self.run.steps() == live.steps && before.at > place.at)
            || self.run.told() > position;
        let again = live.clone();
        self.course.live.push(live);
        self.course.renew_setup();
        self.stops.forget();
        self.snapshot.replace(None);
        if beyond {
            return Some(self.return_from(&again, budget));
        }
        let now = self.run.now();
        self.course.tell(&mut self.run, now);
        Some(Progress::Reached)
    }

    /// Goes back to the playhead after the course was changed where `live` was given.
    fn return_from(&mut self, live: &Live, budget: u64) -> Progress {
        let (here, steps) = (self.run.now(), self.run.steps());
        let at_the_place = steps < live.steps || (steps == live.steps && here <= live.given.at);
        let goal = if at_the_place {
            Goal::Steps { steps, at: here }
        } else {
            Goal::Time(self.duration().map_or(here, |end| here.min(end)))
        };
        self.return_to(goal, live.steps, budget)
    }

    /// Runs ahead of the playhead to know what was known before.
    pub(super) fn learn(&mut self, budget: u64) -> Progress {
        let Some(mut learning) = self.learning.take() else {
            return Progress::Reached;
        };
        let mut run = learning
            .run
            .take()
            .unwrap_or_else(|| Box::new(self.run.clone()));
        for _ in 0..budget {
            if learning.left == 0 {
                return Progress::Reached;
            }
            learning.left -= 1;
            let (course, history) = (&mut self.course, &mut self.history);
            if move_on(course, history, &mut run, learning.until, &mut self.scratch) != Moved::Step
            {
                return Progress::Reached;
            }
        }
        learning.run = Some(run);
        let done = 1.0 - learning.left as f32 / Learning::STEPS as f32;
        self.errand = Some(Errand::Learn);
        self.learning = Some(learning);
        Progress::Working { done }
    }
}
