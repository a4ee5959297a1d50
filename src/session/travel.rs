//! Moving the playhead: playing on, seeking, stepping, and doing it in slices.

use crate::engine::{Event, Micros, Ordinal};

use super::Session;
use super::course::{Course, Moved};
use super::history::History;
use super::look::{LookAhead, LookBack};
use super::position::{Playhead, Progress, StopReason};
use super::run::Run;

/// What was not done within its budget.
pub(super) enum Errand {
    /// A run on its way to a place. Its own run leaves the playhead alone until it is there; without one the
    /// playhead moves along.
    Travel {
        run: Option<Box<Run>>,
        goal: Goal,
        from: Playhead,
    },
    /// Looking for an earlier event.
    LookBack(LookBack),
    /// Looking for a later event.
    LookAhead(LookAhead),
    /// Knowing again what was known of the future.
    Learn,
}

/// A place to go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    /// Everything at this instant included.
    Time(Micros),
    /// Right after the event before this ordinal.
    Ordinal(Ordinal),
    /// After so many steps, at this instant.
    Steps { steps: u64, at: Micros },
}

/// Moves `run` on by one planned thing or to `until`, and records what was not known. `trace` then holds the
/// events. A step without events may also be a stop for the series on the way.
pub(super) fn move_on(
    course: &mut Course,
    history: &mut History,
    run: &mut Run,
    until: Micros,
    trace: &mut Vec<Event>,
) -> Moved {
    trace.clear();
    let now = run.now();
    if course.next_at(run).is_none_or(|next| next > now) {
        history.hold(run.simulation());
    }
    let sample_at = history.series().next_at();
    let limit = if now <= sample_at {
        until.min(sample_at)
    } else {
        until
    };
    let mut moved = course.move_on(run, limit, trace);
    match moved {
        Moved::Step => {
            history.record(trace);
            course.checkpoints.offer(run);
        }
        Moved::Arrived => {
            if limit == sample_at {
                history.sample(run.simulation());
            }
            if limit < until {
                moved = Moved::Step;
            }
        }
        Moved::Stuck => {}
    }
    history.reach(run.now());
    moved
}

impl Session {
    /// Plays forward to `until`, or to the end of the run if that is earlier ([`Progress::Ended`]), and records what
    /// was not known yet. Stops at break points. The playhead moves as far as `budget`, in steps of the simulation,
    /// allows. An `until` before the playhead changes nothing.
    pub fn advance_to(&mut self, until: Micros, budget: u64) -> Progress {
        self.abandon();
        let start = self.run.now();
        if until < start {
            return Progress::Reached;
        }
        let end = self.duration().unwrap_or(Micros::MAX);
        let stop = self
            .stops
            .next_after(start)
            .filter(|stop| *stop <= until.min(end));
        let limit = stop.unwrap_or(until.min(end)).max(start);
        self.arm_stops();
        for _ in 0..budget {
            match self.move_playhead(limit) {
                Moved::Step => {
                    if let Some(reason) = self.check_stops() {
                        return Progress::Stopped(reason);
                    }
                }
                Moved::Arrived => {
                    return match stop {
                        Some(stop) => Progress::Stopped(StopReason::Time(stop)),
                        None if limit >= end => Progress::Ended,
                        None => Progress::Reached,
                    };
                }
                Moved::Stuck => return Progress::Stuck,
            }
        }
        Progress::Working {
            done: share(start.0, self.run.now().0, limit.0),
        }
    }

    /// Goes to `at`, or to the end of the run if that is earlier, back or forward, everything at that instant
    /// included; break points do not stop it. With [`Progress::Working`] the playhead is still where it was: call
    /// [`Session::work`] to go on. Any other call that moves the playhead or acts on the run abandons the seek.
    pub fn seek(&mut self, at: Micros, budget: u64) -> Progress {
        self.abandon();
        let at = self.duration().map_or(at, |end| at.min(end));
        self.travel(Goal::Time(at), budget)
    }

    /// Goes to the state right after this event, the newest known at most. Sliced as [`Session::seek`].
    pub fn seek_event(&mut self, event: Ordinal, budget: u64) -> Progress {
        self.abandon();
        let after = Ordinal(event.0.saturating_add(1)).min(self.known_events());
        self.travel(Goal::Ordinal(after), budget)
    }

    /// Goes on with a seek, a step or an undo that was not done within its budget.
    pub fn work(&mut self, budget: u64) -> Progress {
        match self.errand.take() {
            None => Progress::Reached,
            Some(Errand::Travel { run, goal, from }) => match self.go_on(run, goal, from, budget) {
                Progress::Reached => self.learn(budget),
                progress => progress,
            },
            Some(Errand::Learn) => self.learn(budget),
            Some(Errand::LookAhead(look)) => self.look_ahead(look, budget),
            Some(Errand::LookBack(look)) => self.look_back(look, budget),
        }
    }

    /// Whether [`Session::work`] has something to go on with.
    pub fn is_working(&self) -> bool {
        self.errand.is_some()
    }

    /// Goes back to the beginning, before anything has happened. The run stays known.
    pub fn restart(&mut self) {
        self.abandon();
        let run = self.course.run_before(|_| false);
        self.arrive(run);
    }

    /// Leaves undone what was not done within its budget; the playhead stays where it is.
    pub fn abandon(&mut self) {
        self.errand = None;
        self.learning = None;
    }

    fn move_playhead(&mut self, until: Micros) -> Moved {
        self.snapshot.replace(None);
        move_on(
            &mut self.course,
            &mut self.history,
            &mut self.run,
            until,
            &mut self.scratch,
        )
    }

    /// Puts the playhead at `run`.
    fn arrive(&mut self, mut run: Run) {
        let now = run.now();
        self.course.tell(&mut run, now);
        self.run = run;
        self.stops.forget();
        self.quiet_until = None;
        self.snapshot.replace(None);
    }

    pub(super) fn travel(&mut self, goal: Goal, budget: u64) -> Progress {
        let is_before = |run: &Run| match goal {
            Goal::Time(at) => run.now() <= at,
            Goal::Ordinal(ordinal) => run.playhead().ordinal < ordinal,
            Goal::Steps { steps, .. } => run.steps() <= steps,
        };
        let run = match self.course.checkpoints.newest(is_before) {
            Some(checkpoint) if !is_before(&self.run) || self.run.steps() < checkpoint.steps() => {
                Run::clone(checkpoint)
            }
            _ => self.run.clone(),
        };
        let from = run.playhead();
        self.go_on(Some(Box::new(run)), goal, from, budget)
    }

    /// Goes back to the playhead after the course was changed at `steps`: the run there is no longer valid.
    pub(super) fn return_to(&mut self, goal: Goal, steps: u64, budget: u64) -> Progress {
        let run = self.course.run_before(|run| run.steps() <= steps);
        self.arrive(run);
        self.go_on(None, goal, self.playhead(), budget)
    }

    pub(super) fn go_on(
        &mut self,
        mut own: Option<Box<Run>>,
        goal: Goal,
        from: Playhead,
        budget: u64,
    ) -> Progress {
        self.errand = None;
        let mut left = budget;
        let progress = loop {
            let run = own.as_deref_mut().unwrap_or(&mut self.run);
            let (there, until) = match goal {
                Goal::Time(at) => (false, at),
                Goal::Ordinal(ordinal) => {
                    let next = self.course.next_at(run);
                    (
                        run.playhead().ordinal >= ordinal || next.is_none(),
                        Micros::MAX,
                    )
                }
                Goal::Steps { steps, at } => (run.steps() >= steps, at),
            };
            if there {
                if let Goal::Steps { at, .. } = goal {
                    run.settle_before_steps(at);
                }
                break Progress::Reached;
            }
            if left == 0 {
                let now = run.playhead();
                let done = match goal {
                    Goal::Time(at) | Goal::Steps { at, .. } => share(from.at.0, now.at.0, at.0),
                    Goal::Ordinal(ordinal) => share(from.ordinal.0, now.ordinal.0, ordinal.0),
                };
                self.errand = Some(Errand::Travel {
                    run: own,
                    goal,
                    from,
                });
                self.snapshot.replace(None);
                return Progress::Working { done };
            }
            left -= 1;
            match move_on(
                &mut self.course,
                &mut self.history,
                run,
                until,
                &mut self.scratch,
            ) {
                Moved::Step => {}
                Moved::Arrived => break Progress::Reached,
                Moved::Stuck => break Progress::Stuck,
            }
        };
        let run = own.map_or_else(|| self.run.clone(), |run| *run);
        self.arrive(run);
        progress
    }
}

/// Share of the way from `from` to `to` that is behind at `now`.
pub(super) fn share(from: u64, now: u64, to: u64) -> f32 {
    let way = to.saturating_sub(from).max(1) as f32;
    (now.saturating_sub(from) as f32 / way).clamp(0.0, 1.0)
}
