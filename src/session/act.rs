//! Acting on the run: live commands, forks, and the run before for comparison.

use std::sync::Arc;

use crate::engine::snapshot::Totals;
use crate::engine::{
    BodyId, Command, DeduplicationId, GroupId, Micros, Setup, Snapshot, TimedCommand,
};

use super::Session;
use super::change::{Applied, LastChange, Recorded, is_same_setting};
use super::course::{Course, Live, Moved};
use super::ghost::Ghost;
use super::run::Run;

/// The run that was before: without the last change of a setting, or the one that this run replays.
pub(super) struct Before {
    course: Course,
    run: Run,
}

impl Before {
    /// Bytes that its checkpoints may take.
    const BYTES: usize = 8 << 20;

    /// Of a course without the change; `run` is on it.
    pub(super) fn new(course: &Course, run: Run) -> Self {
        let mut course = course.clone();
        course.checkpoints = course.checkpoints.limited(Self::BYTES);
        Self { course, run }
    }

    fn snapshot_at(&mut self, at: Micros, budget: u64) -> Option<Snapshot> {
        if self.run.now() > at {
            self.run = self.course.run_before(|run| run.now() <= at);
        }
        let mut trace = Vec::new();
        for _ in 0..budget {
            trace.clear();
            if self.course.move_on(&mut self.run, at, &mut trace) != Moved::Step {
                return Some(self.run.simulation().snapshot());
            }
        }
        None
    }
}

impl Session {
    /// All commands of the run, by index: the scenario's first, then the live ones in the order given.
    pub fn commands(&self) -> Vec<Recorded> {
        let planned = self.course.base.commands.iter().map(|timed| (timed, false));
        let live = self.course.live.iter().map(|live| (&live.timed, true));
        planned
            .chain(live)
            .map(|(timed, live)| Recorded {
                timed: timed.clone(),
                live,
            })
            .collect()
    }

    /// Whether the command of this index was given by the person at the controls, not planned in the scenario.
    pub fn is_live(&self, index: u32) -> bool {
        index as usize >= self.course.base.commands.len()
    }

    /// Acts on the run at the playhead. The command is recorded for the present instant if nothing has happened
    /// at it, else 1 µs later; it acts when the run is played to [`Applied::at`]. What was known of the time after
    /// the playhead is cut off, later live commands included ([`Applied::forked`]). Acting at the end of a run makes it
    /// longer, so that there is something to see.
    pub fn command(&mut self, command: Command) -> Applied {
        self.abandon();
        self.regeneration = None;
        self.taken_back.clear();
        self.quiet_until = None;
        let given = self.playhead();
        let steps = self.run.steps();
        let at = self.run.free_instant();
        let ended = self.duration().filter(|end| at >= *end);
        if ended.is_some() {
            self.course.extend(at);
        }
        let index = self.course.index_of(self.run.told());
        let change = LastChange::of(&command, &self.snapshot()).map(|change| LastChange {
            index,
            at,
            ..change
        });

        let displaced = self.course.live.split_off(self.run.told());
        self.course.checkpoints.cut(steps, self.run.told());
        let ghost = Ghost::of(&self.history, given.ordinal, given.at, self.run.told());
        self.ghost = ghost.or_else(|| self.ghost.take());
        let cut = self.history.cut(given.ordinal, given.at);
        self.forget_found(given.ordinal);
        let forked = cut || !displaced.is_empty();
        self.before = change
            .is_some()
            .then(|| Box::new(Before::new(&self.course, self.run.clone())));

        let timed = TimedCommand { at, command };
        self.course.live.push(Live {
            timed: timed.clone(),
            given,
            steps,
            change,
            ended,
            displaced,
        });
        self.course.renew_setup();
        self.run.tell(self.course.setup.clone(), index, &timed);
        self.snapshot.replace(None);
        Applied { at, index, forked }
    }

    /// The number of a message group, added to the run's names if it is new.
    pub fn group(&mut self, name: &str) -> GroupId {
        let known = position(&self.course.base.groups, name);
        GroupId(known.unwrap_or_else(|| self.add_name(name, |setup| &mut setup.groups)))
    }

    /// The number of a message body, added to the run's names if it is new.
    pub fn body(&mut self, text: &str) -> BodyId {
        let known = position(&self.course.base.bodies, text);
        BodyId(known.unwrap_or_else(|| self.add_name(text, |setup| &mut setup.bodies)))
    }

    /// The number of a deduplication id, added to the run's names if it is new.
    pub fn deduplication_id(&mut self, id: &str) -> DeduplicationId {
        let known = position(&self.course.base.deduplication_ids, id);
        DeduplicationId(
            known.unwrap_or_else(|| self.add_name(id, |setup| &mut setup.deduplication_ids)),
        )
    }

    fn add_name(&mut self, name: &str, names: impl Fn(&mut Setup) -> &mut Vec<String>) -> u32 {
        let list = names(Arc::make_mut(&mut self.course.base));
        list.push(name.to_owned());
        let position = list.len() - 1;
        self.course.renew_setup();
        u32::try_from(position).unwrap_or(u32::MAX)
    }

    /// A new run from the beginning with a setting changed from the start: same seed, same commands, except live
    /// changes of that very setting. It remembers this run as the one before ([`Session::totals_before`]).
    pub fn replay_with(&self, command: &Command) -> Self {
        self.replay_with_all(std::slice::from_ref(command))
    }

    /// As [`Session::replay_with`], with several settings changed.
    pub fn replay_with_all(&self, commands: &[Command]) -> Self {
        let mut base = Setup::clone(&self.course.base);
        for command in commands {
            base.apply(command);
        }
        self.replay_from(base, commands)
    }

    /// The same live commands on another setup that names the same things: a variant of the scenario.
    pub fn replay_on(&self, base: &Setup) -> Self {
        let mut base = base.clone();
        let ours = &self.course.base;
        base.groups
            .extend(ours.groups.iter().skip(base.groups.len()).cloned());
        base.bodies
            .extend(ours.bodies.iter().skip(base.bodies.len()).cloned());
        self.replay_from(base, &[])
    }

    fn replay_from(&self, base: Setup, commands: &[Command]) -> Self {
        let mut replay = Self::new(Arc::new(base));
        let start = replay.playhead();
        replay.course.live = self
            .course
            .live
            .iter()
            .filter(|live| !is_replaced(live, commands))
            .map(|live| Live {
                timed: live.timed.clone(),
                given: start,
                steps: 0,
                change: live.change.clone(),
                ended: live.ended,
                displaced: Vec::new(),
            })
            .collect();
        replay.course.renew_setup();
        replay.restart();
        let before = self.course.run_before(|_| false);
        replay.before = Some(Box::new(Before::new(&self.course, before)));
        replay
    }

    /// What a sweep of the settings that `commands` set starts from: this run's setup and all its commands, except live
    /// changes of those very settings.
    pub fn sweep_base(&self, commands: &[Command]) -> Setup {
        let mut base = Setup::clone(&self.course.base);
        let live = self.course.live.iter();
        let kept = live.filter(|live| !is_replaced(live, commands));
        base.commands.extend(kept.map(|live| live.timed.clone()));
        base
    }

    /// The totals of the run before, at the playhead's time: the run that this one replays, or after a live change
    /// of a setting this run without it, until the next command. None without such a run, and while `budget` was
    /// not enough to run it so far (call again).
    pub fn totals_before(&mut self, budget: u64) -> Option<Totals> {
        Some(self.snapshot_before(budget)?.totals)
    }

    /// All of the run before at the playhead's time; see [`Session::totals_before`].
    pub fn snapshot_before(&mut self, budget: u64) -> Option<Snapshot> {
        let at = self.run.now();
        self.before.as_mut()?.snapshot_at(at, budget)
    }

    /// Whether a live command was given before the playhead.
    pub fn was_acted_upon(&self) -> bool {
        self.run.told() > 0
    }

    /// The newest live change of a setting that was given before the playhead and acts 1 µs after it at the latest.
    pub fn last_change(&self) -> Option<&LastChange> {
        let soon = self.run.now() + Micros(1);
        let told = self.course.live.iter().take(self.run.told());
        told.rev()
            .filter_map(|live| live.change.as_ref())
            .find(|change| change.at <= soon)
    }
}

/// Whether a live command sets what one of `commands` sets.
fn is_replaced(live: &Live, commands: &[Command]) -> bool {
    let mut commands = commands.iter();
    commands.any(|command| is_same_setting(command, &live.timed.command))
}

fn position(names: &[String], name: &str) -> Option<u32> {
    let position = names.iter().position(|known| known == name)?;
    u32::try_from(position).ok()
}
