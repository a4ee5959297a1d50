//! Looking for an event before or after the playhead, and going there.

use std::rc::Rc;

use crate::engine::{Event, EventKind, Micros, Ordinal};

use super::Session;
use super::course::Moved;
use super::history::is_visible;
use super::position::{Playhead, Progress};
use super::run::Run;
use super::travel::{Errand, Goal, share};

/// Steps looked through for an event.
const MOST: u64 = 2_000_000;
/// After so many steps without an event of any kind nothing is expected any more.
const QUIET: u64 = 100_000;

/// A kind of event that the playhead can jump to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sought {
    /// A message is delivered again, or has its effect again.
    Duplicate,
    /// A message is moved to a dead-letter queue.
    DeadLetter,
    /// A message takes effect after a later one of its group.
    OutOfOrder,
    /// A group, or a standard queue, begins to starve.
    Starvation,
    /// A consumer crashes.
    Crash,
}

impl Sought {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [
        Self::Duplicate,
        Self::DeadLetter,
        Self::OutOfOrder,
        Self::Starvation,
        Self::Crash,
    ];

    /// Whether an event is of this kind.
    pub fn is(self, kind: &EventKind) -> bool {
        match self {
            Self::Duplicate => match kind {
                EventKind::Delivered { delivery, .. } => *delivery > 1,
                EventKind::Effect { nth, .. } => *nth > 1,
                _ => false,
            },
            Self::DeadLetter => matches!(kind, EventKind::DeadLettered { .. }),
            Self::OutOfOrder => matches!(kind, EventKind::FinishedOutOfOrder { .. }),
            Self::Starvation => matches!(kind, EventKind::StarvationBegan { .. }),
            Self::Crash => matches!(kind, EventKind::Crashed { .. }),
        }
    }
}

/// Whether an event is looked for: of a kind, or any that a person would call one.
fn is_sought(sought: Option<Sought>, event: &Event) -> bool {
    sought.map_or_else(|| is_visible(event), |sought| sought.is(&event.kind))
}

/// Looking ahead of the playhead, without recording.
pub(super) struct LookAhead {
    run: Box<Run>,
    sought: Option<Sought>,
    /// Events before this one are not looked at.
    from: Ordinal,
    /// Steps that it may still take.
    left: u64,
    /// Steps since the last event of any kind.
    quiet: u64,
}

/// Looking back, from one checkpoint to the next older one.
pub(super) struct LookBack {
    sought: Option<Sought>,
    /// The playhead: what is found must be before it.
    here: Playhead,
    origin: Rc<Run>,
    run: Box<Run>,
    /// What comes after so many steps has been looked through.
    until: u64,
    found: Option<Ordinal>,
    left: u64,
}

impl Session {
    /// Goes on to the next thing that a person would call an event; polls that come back empty are passed over.
    /// [`Progress::Ended`] when nothing will happen any more, or nothing but empty polls for a very long time. Sliced
    /// as [`Session::seek`].
    pub fn step_forward(&mut self, budget: u64) -> Progress {
        self.abandon();
        let look = LookAhead {
            run: Box::new(self.run.clone()),
            sought: None,
            from: self.playhead().ordinal,
            left: MOST,
            quiet: 0,
        };
        self.look_ahead(look, budget)
    }

    /// Goes back to right after the last earlier event, as a person would call it, or to the beginning. Sliced as
    /// [`Session::seek`].
    pub fn step_back(&mut self, budget: u64) -> Progress {
        self.abandon();
        let here = self.playhead();
        self.look_back_from(here.ordinal, None, budget)
    }

    /// Goes on to right after the next event of a kind: in what is known, else in what is to come, as far as the
    /// run lasts and about two million steps reach. Sliced as [`Session::seek`].
    pub fn jump_forward(&mut self, sought: Sought, budget: u64) -> Progress {
        self.abandon();
        let here = self.playhead().ordinal;
        let known = self.history.next();
        let found = self.known(sought, here, known).next().copied();
        if let Some(event) = found {
            return self.seek_event(event.ordinal, budget);
        }
        let looked_through = here.0 >= self.history.first() || self.history.has_all_marks(sought);
        let newest = self.course.checkpoints.newest(|_| true);
        let newest = newest.filter(|run| looked_through && run.steps() > self.run.steps());
        let run = newest.map_or_else(|| self.run.clone(), |run| Run::clone(run));
        let look = LookAhead {
            run: Box::new(run),
            sought: Some(sought),
            from: if looked_through {
                known.max(here)
            } else {
                here
            },
            left: MOST,
            quiet: 0,
        };
        self.look_ahead(look, budget)
    }

    /// Goes back to right after the newest earlier event of a kind. Sliced as [`Session::seek`].
    pub fn jump_back(&mut self, sought: Sought, budget: u64) -> Progress {
        self.abandon();
        let here = self.playhead();
        let found = self.known(sought, Ordinal(0), here.ordinal).next_back();
        match found.copied() {
            Some(event) if event.at < here.at => self.seek_event(event.ordinal, budget),
            // The playhead may stand right after it already.
            Some(event) => self.look_back_from(event.ordinal, Some(sought), budget),
            None if self.history.first() == 0 || self.history.has_all_marks(sought) => {
                Progress::NotFound
            }
            None => {
                let oldest = Ordinal(self.history.first()).min(here.ordinal);
                self.look_back_from(oldest, Some(sought), budget)
            }
        }
    }

    /// Until when nothing happens after the playhead that a person would call an event, as far as `budget` steps ahead
    /// tell; none when nothing ever will.
    pub fn quiet_until(&mut self, budget: u64) -> Option<Micros> {
        let here = self.playhead();
        if self.quiet_until.is_some_and(|until| until > here.at) {
            return self.quiet_until;
        }
        let known = self
            .history
            .from(here.ordinal)
            .find(|event| is_visible(event));
        self.quiet_until = known.map(|event| event.at).or_else(|| {
            let mut run = self.run.clone();
            let mut trace = Vec::new();
            for _ in 0..budget {
                if self.course.move_on(&mut run, Micros::MAX, &mut trace) != Moved::Step {
                    return None;
                }
                if trace.iter().any(is_visible) {
                    break;
                }
                trace.clear();
            }
            Some(run.now())
        });
        self.quiet_until
    }

    /// Events of a kind in memory, from an ordinal to before another.
    fn known(
        &self,
        sought: Sought,
        from: Ordinal,
        until: Ordinal,
    ) -> impl DoubleEndedIterator<Item = &Event> {
        // Marks reach farther back than events; deliveries are not among them.
        let (marks, events) = match sought {
            Sought::Duplicate => (None, Some(self.history.between(from, until))),
            _ => (Some(self.history.marks_between(from, until)), None),
        };
        let marks = marks.into_iter().flatten();
        marks
            .chain(events.into_iter().flatten())
            .filter(move |event| sought.is(&event.kind))
    }

    pub(super) fn look_ahead(&mut self, mut look: LookAhead, budget: u64) -> Progress {
        self.errand = None;
        let none = if look.sought.is_some() {
            Progress::NotFound
        } else {
            Progress::Ended
        };
        let end = self.duration().unwrap_or(Micros::MAX);
        for spent in 0..budget {
            if look.run.simulation().is_stuck() {
                return look.sought.map_or(Progress::Stuck, |_| none);
            }
            let nothing = self.course.next_at(&look.run).is_none_or(|next| next > end);
            if nothing || look.left == 0 || look.quiet == QUIET {
                return none;
            }
            look.left -= 1;
            look.quiet += 1;
            self.scratch.clear();
            self.course.move_on(&mut look.run, end, &mut self.scratch);
            if self.scratch.iter().any(is_visible) {
                look.quiet = 0;
            }
            let mut events = self.scratch.iter();
            if events.any(|event| event.ordinal >= look.from && is_sought(look.sought, event)) {
                let goal = Goal::Steps {
                    steps: look.run.steps(),
                    at: look.run.now(),
                };
                return self.travel(goal, budget - spent);
            }
        }
        // The way to what is found is still to come.
        let done = (1.0 - look.left as f32 / MOST as f32) / 2.0;
        self.errand = Some(Errand::LookAhead(look));
        Progress::Working { done }
    }

    /// Looks back from the playhead, beginning with the checkpoint before an event that is before it.
    fn look_back_from(&mut self, event: Ordinal, sought: Option<Sought>, budget: u64) -> Progress {
        let here = self.playhead();
        let is_before = |run: &Run| run.playhead() < here && run.playhead().ordinal <= event;
        let Some(origin) = self.course.checkpoints.newest(is_before).cloned() else {
            return Progress::Reached;
        };
        let look = LookBack {
            sought,
            here,
            run: Box::new(Run::clone(&origin)),
            origin,
            until: u64::MAX,
            found: None,
            left: MOST,
        };
        self.look_back(look, budget)
    }

    pub(super) fn look_back(&mut self, mut look: LookBack, budget: u64) -> Progress {
        self.errand = None;
        let here = look.here;
        let mut spent = 0;
        loop {
            while look.run.playhead() < here && look.run.steps() < look.until {
                if spent == budget {
                    // The second half of the way, from the checkpoint to what was found, is still to come.
                    let done = share(look.origin.now().0, look.run.now().0, here.at.0) / 2.0;
                    self.errand = Some(Errand::LookBack(look));
                    return Progress::Working { done };
                }
                spent += 1;
                look.left = look.left.saturating_sub(1);
                self.scratch.clear();
                let moved = self
                    .course
                    .move_on(&mut look.run, here.at, &mut self.scratch);
                if moved != Moved::Step {
                    break;
                }
                let sought = |event| is_sought(look.sought, event);
                if look.run.playhead() < here && self.scratch.iter().any(sought) {
                    look.found = Some(look.run.playhead().ordinal);
                }
            }
            if let Some(ordinal) = look.found {
                let run = Box::new(Run::clone(&look.origin));
                let from = run.playhead();
                return self.go_on(Some(run), Goal::Ordinal(ordinal), from, budget - spent);
            }
            let earlier = look.origin.steps();
            if earlier == 0 || look.left == 0 {
                break;
            }
            let older = self.course.checkpoints.newest(|run| run.steps() < earlier);
            let Some(origin) = older.cloned() else { break };
            look.run = Box::new(Run::clone(&origin));
            look.origin = origin;
            look.until = earlier;
        }
        if look.sought.is_some() {
            return Progress::NotFound;
        }
        self.restart();
        Progress::Reached
    }
}
