//! Fair share: whether groups share the consumers of a standard queue.

use super::priorities::{Line, Rank};
use super::quiet::Quiet;
use super::store::ListedGroup;
use crate::engine::id::GroupId;
use crate::engine::rules::{FairShare, Priority};
use crate::engine::time::Micros;
use std::collections::{BTreeMap, BTreeSet};

/// The ready messages of a queue, by group where groups share.
#[derive(Clone, Debug)]
pub(super) enum Share {
    /// All in one line.
    Off(Line),
    RoundRobin(Turns),
    QuietFirst(Box<Quiet>),
}

impl Share {
    pub(super) fn new(rule: FairShare) -> Self {
        match rule {
            FairShare::Off => Self::Off(Line::default()),
            FairShare::RoundRobin => Self::RoundRobin(Turns::default()),
            FairShare::QuietFirst => Self::QuietFirst(Box::default()),
        }
    }

    /// Adds a ready message that was sent then.
    pub(super) fn insert(
        &mut self,
        rule: Priority,
        group: Option<GroupId>,
        sent: Micros,
        rank: Rank,
        slot: u32,
    ) {
        match self {
            Self::Off(line) => line.insert(rank, slot),
            Self::RoundRobin(turns) => turns.insert(group, rank, slot),
            Self::QuietFirst(quiet) => {
                quiet.change(rule, group, sent, |line| line.insert(rank, slot));
            }
        }
    }

    pub(super) fn remove(&mut self, rule: Priority, group: Option<GroupId>, rank: Rank, slot: u32) {
        match self {
            Self::Off(line) => line.remove(rank, slot),
            Self::RoundRobin(turns) => turns.remove(group, rank, slot),
            Self::QuietFirst(quiet) => {
                quiet.change(rule, group, Micros::ZERO, |line| line.remove(rank, slot));
            }
        }
    }

    /// Takes out a message that is handed out.
    pub(super) fn pick(&mut self, rule: Priority, group: Option<GroupId>, rank: Rank, slot: u32) {
        match self {
            Self::Off(line) => {
                line.remove(rank, slot);
                line.pick(rule);
            }
            Self::RoundRobin(turns) => turns.pick(rule, group, rank, slot),
            Self::QuietFirst(quiet) => quiet.change(rule, group, Micros::ZERO, |line| {
                line.remove(rank, slot);
                line.pick(rule);
            }),
        }
    }

    /// Notes that a message is in flight.
    pub(super) fn hold(&mut self, group: Option<GroupId>, slot: u32) {
        if let Self::QuietFirst(quiet) = self {
            quiet.hold(group, slot);
        }
    }

    /// Notes that it is so no more.
    pub(super) fn release(&mut self, group: Option<GroupId>, slot: u32) {
        if let Self::QuietFirst(quiet) = self {
            quiet.release(group, slot);
        }
    }

    pub(super) fn set_now(&mut self, now: Micros) {
        if let Self::QuietFirst(quiet) = self {
            quiet.set_now(now);
        }
    }

    pub(super) fn first(&self, rule: Priority) -> Option<u32> {
        match self {
            Self::Off(line) => line.first(rule).map(|(_, slot)| slot),
            Self::RoundRobin(turns) => turns.first(rule),
            Self::QuietFirst(quiet) => quiet.first(rule),
        }
    }

    pub(super) fn upcoming(&self, rule: Priority, limit: usize) -> Vec<u32> {
        match self {
            Self::Off(line) => line.iter(rule).take(limit).map(|(_, slot)| slot).collect(),
            Self::RoundRobin(turns) => turns.upcoming(rule, limit),
            Self::QuietFirst(quiet) => quiet.upcoming(rule, limit),
        }
    }
}

/// One message of each group in turn. A group that had no message ready joins behind the others; messages without a
/// group are one together.
#[derive(Clone, Default, Debug)]
pub(super) struct Turns {
    groups: BTreeMap<Option<GroupId>, (u64, Line)>,
    /// Groups with messages, by when their turn was given out.
    ring: BTreeSet<ListedGroup>,
    next: u64,
}

impl Turns {
    fn next_turn(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn insert(&mut self, group: Option<GroupId>, rank: Rank, slot: u32) {
        if let Some((_, line)) = self.groups.get_mut(&group) {
            return line.insert(rank, slot);
        }
        let turn = self.next_turn();
        let mut line = Line::default();
        line.insert(rank, slot);
        self.groups.insert(group, (turn, line));
        self.ring.insert((turn, group));
    }

    fn remove(&mut self, group: Option<GroupId>, rank: Rank, slot: u32) {
        let Some((turn, line)) = self.groups.get_mut(&group) else {
            return;
        };
        line.remove(rank, slot);
        if line.is_empty() {
            self.ring.remove(&(*turn, group));
            self.groups.remove(&group);
        }
    }

    fn pick(&mut self, rule: Priority, group: Option<GroupId>, rank: Rank, slot: u32) {
        self.remove(group, rank, slot);
        let next = self.next_turn();
        if let Some((turn, line)) = self.groups.get_mut(&group) {
            line.pick(rule);
            self.ring.remove(&(*turn, group));
            self.ring.insert((next, group));
            *turn = next;
        }
    }

    fn first(&self, rule: Priority) -> Option<u32> {
        let (_, group) = self.ring.first()?;
        let (_, line) = self.groups.get(group)?;
        line.first(rule).map(|(_, slot)| slot)
    }

    fn upcoming(&self, rule: Priority, limit: usize) -> Vec<u32> {
        let lines = self.ring.iter().filter_map(|(_, group)| {
            let (_, line) = self.groups.get(group)?;
            Some(line.iter(rule))
        });
        // No more groups than messages can come into the list.
        let mut lines: Vec<_> = lines.take(limit).collect();
        let mut upcoming = Vec::new();
        while upcoming.len() < limit && !lines.is_empty() {
            lines.retain_mut(|line| match line.next() {
                Some((_, slot)) if upcoming.len() < limit => {
                    upcoming.push(slot);
                    true
                }
                _ => false,
            });
        }
        upcoming
    }
}
