//! Which messages a FIFO queue hands out next.

use super::keys::Keys;
use super::store::{Listed, NO_SLOT, Position, State, Store, grow_gently};
use crate::engine::id::GroupId;
use crate::engine::rules::GroupRule;
use std::collections::BTreeSet;
use std::ops::Bound;

/// One message group, in order of first appearance.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub group: Option<GroupId>,
    /// Its visible and locked messages.
    pub ready: u32,
    /// All its messages, delayed and in flight included.
    pub stored: u32,
    head: u32,
    tail: u32,
    late: u32,
    receivable: Option<Position>,
    /// A session that a consumer holds: nobody else may receive it.
    reserved: bool,
}

impl Lane {
    fn new(group: Option<GroupId>) -> Self {
        Self {
            group,
            ready: 0,
            stored: 0,
            head: NO_SLOT,
            tail: NO_SLOT,
            late: 0,
            receivable: None,
            reserved: false,
        }
    }
}

/// Neighbours of a copy: in its group, and among all copies of the queue.
#[derive(Clone, Copy, Debug)]
struct Links {
    group: [u32; 2],
    queue: [u32; 2],
}

const BEFORE: usize = 0;
const AFTER: usize = 1;
/// Stands in for the neighbours of a copy that is not in its group's list.
const LATE: u32 = NO_SLOT - 1;
const UNLINKED: Links = Links {
    group: [NO_SLOT; 2],
    queue: [NO_SLOT; 2],
};

/// The messages of a FIFO queue, by group.
///
/// SQS FIFO (recorded November 2025): a receive walks a group from its head and stops at the first message that is
/// not visible; so a group is receivable exactly when its head is visible. Messages that are still delayed are no
/// part of the walk: they lock nothing.
///
/// Where all messages are one group there is one lane, without a group. Where groups are sessions, a lane is receivable
/// when it has a visible message and no holder.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    /// Where groups are ordering keys.
    pub keys: Keys,
    rule: GroupRule,
    /// By group id + 1; 0 is for messages without a group, which form one group.
    lane_of: Vec<u32>,
    lanes: Vec<Lane>,
    links: Vec<Links>,
    oldest: u32,
    newest: u32,
    /// Lanes with a visible head, the head sent first first.
    receivable: BTreeSet<(Position, u32)>,
    /// Lanes with messages.
    occupied: BTreeSet<u32>,
    /// Messages that became visible after a later one of their group did, by lane. Delays of one FIFO queue are the
    /// same for all, so these come from a queue that was standard, or from messages moved into a delayed one.
    late: BTreeSet<Listed>,
}

/// A walk through a group, from its head.
pub(super) struct Walk {
    lane: u32,
    next: u32,
    passed: Option<Position>,
}

impl Lanes {
    pub(super) fn new(rule: GroupRule) -> Self {
        Self {
            rule,
            keys: Keys::default(),
            lane_of: Vec::new(),
            lanes: Vec::new(),
            links: Vec::new(),
            oldest: NO_SLOT,
            newest: NO_SLOT,
            receivable: BTreeSet::new(),
            occupied: BTreeSet::new(),
            late: BTreeSet::new(),
        }
    }

    /// Takes out all messages; the lanes keep their places.
    pub(super) fn clear(&mut self) {
        let lanes = std::mem::take(&mut self.lanes);
        *self = Self {
            lane_of: std::mem::take(&mut self.lane_of),
            lanes: lanes.iter().map(|lane| Lane::new(lane.group)).collect(),
            ..Self::new(self.rule)
        };
    }

    /// Whether these lanes are those of a rule.
    pub(super) fn follow(&self, rule: GroupRule) -> bool {
        self.rule == rule
    }

    /// Where [`Lanes::lane_of`] keeps the lane of a group.
    fn index_of(&self, group: Option<GroupId>) -> usize {
        match (self.rule, group) {
            (GroupRule::Whole, _) | (_, None) => 0,
            (_, Some(group)) => group.index() + 1,
        }
    }

    fn lane_of(&self, group: Option<GroupId>) -> u32 {
        self.lane_of[self.index_of(group)]
    }

    /// The lane of a group that may never have been named.
    fn find_lane(&self, group: Option<GroupId>) -> Option<u32> {
        let lane = self.lane_of.get(self.index_of(group)).copied();
        lane.filter(|&lane| lane != NO_SLOT)
    }

    /// The group of a lane.
    pub(super) fn group(&self, lane: u32) -> Option<GroupId> {
        self.lanes[lane as usize].group
    }

    /// How many visible messages a group has.
    pub(super) fn ready_of(&self, group: Option<GroupId>) -> u32 {
        let lane = self.find_lane(group);
        lane.map_or(0, |lane| self.lanes[lane as usize].ready)
    }

    /// Keeps a group for one consumer, or ends that.
    pub(super) fn reserve(&mut self, group: Option<GroupId>, reserved: bool, store: &Store) {
        let lane = self.open_lane(group);
        self.lanes[lane as usize].reserved = reserved;
        self.list(lane, store);
    }

    /// A walk through a group, if it has ever been named.
    pub(super) fn walk_group(&self, group: Option<GroupId>) -> Option<Walk> {
        self.find_lane(group).map(|lane| self.walk(lane))
    }

    pub(super) fn lane_of_slot(&self, slot: u32, store: &Store) -> u32 {
        self.lane_of(store[slot].group())
    }

    /// Adds a copy, the newest of the queue, whether it is visible or not.
    pub(super) fn admit(&mut self, slot: u32, store: &Store) {
        while self.links.len() <= slot as usize {
            grow_gently(&mut self.links);
            self.links.push(UNLINKED);
        }
        self.links[slot as usize] = Links {
            group: [NO_SLOT; 2],
            queue: [self.newest, NO_SLOT],
        };
        match self.newest {
            NO_SLOT => self.oldest = slot,
            newest => self.links[newest as usize].queue[AFTER] = slot,
        }
        self.newest = slot;
        let lane = self.open_lane(store[slot].group());
        self.lanes[lane as usize].stored += 1;
        if self.lanes[lane as usize].stored == 1 {
            self.occupied.insert(lane);
        }
    }

    fn open_lane(&mut self, group: Option<GroupId>) -> u32 {
        let at = self.index_of(group);
        let group = group.filter(|_| at > 0);
        if self.lane_of.len() <= at {
            self.lane_of.resize(at + 1, NO_SLOT);
        }
        if self.lane_of[at] == NO_SLOT {
            self.lane_of[at] = self.lanes.len() as u32;
            self.lanes.push(Lane::new(group));
        }
        self.lane_of[at]
    }

    /// Puts a copy that is not delayed any more into its group, at its place.
    pub(super) fn enter(&mut self, slot: u32, store: &Store) {
        let index = self.lane_of_slot(slot, store);
        let lane = &mut self.lanes[index as usize];
        let position = store[slot].position();
        if lane.tail == NO_SLOT {
            lane.head = slot;
        } else if store[lane.tail].position() < position {
            self.links[lane.tail as usize].group[AFTER] = slot;
        } else {
            lane.late += 1;
            self.late.insert((index.into(), position, slot));
            self.links[slot as usize].group = [LATE; 2];
            return self.show(slot, store);
        }
        self.links[slot as usize].group = [lane.tail, NO_SLOT];
        lane.tail = slot;
        self.show(slot, store);
    }

    /// Notes that a copy in its group is visible, or stays hidden if it is.
    pub(super) fn show(&mut self, slot: u32, store: &Store) {
        let lane = self.lane_of_slot(slot, store);
        self.lanes[lane as usize].ready += u32::from(store[slot].state() == State::Ready);
        if self.rule == GroupRule::Key {
            self.keys.note(lane, slot, store);
        }
        self.list(lane, store);
    }

    /// Notes that a copy in flight waits for another try.
    pub(super) fn put_back(&mut self, slot: u32, store: &Store) {
        if self.rule == GroupRule::Key {
            let lane = self.lane_of_slot(slot, store);
            self.keys.put_back(lane, slot, store);
        }
    }

    /// Notes that a visible copy was received. [`Lanes::list`] must follow.
    pub(super) fn hide(&mut self, slot: u32, store: &Store) {
        let lane = self.lane_of_slot(slot, store);
        self.lanes[lane as usize].ready -= 1;
        if self.rule == GroupRule::Key {
            self.keys.hand_out(lane, slot, store);
        }
    }

    /// Takes a copy out, in whichever state. [`Lanes::list`] must follow.
    pub(super) fn remove(&mut self, slot: u32, store: &Store) {
        let index = self.lane_of_slot(slot, store);
        let Links { group, queue } = self.links[slot as usize];
        self.links[slot as usize] = UNLINKED;
        match queue[BEFORE] {
            NO_SLOT => self.oldest = queue[AFTER],
            before => self.links[before as usize].queue[AFTER] = queue[AFTER],
        }
        match queue[AFTER] {
            NO_SLOT => self.newest = queue[BEFORE],
            after => self.links[after as usize].queue[BEFORE] = queue[BEFORE],
        }
        let lane = &mut self.lanes[index as usize];
        lane.stored -= 1;
        if lane.stored == 0 {
            self.occupied.remove(&index);
        }
        match store[slot].state() {
            State::Delayed | State::Undeliverable | State::Free => {}
            _ => self.unlink(index, slot, group, store),
        }
    }

    /// Takes a copy that is not delayed out of its group; it stays in the queue. [`Lanes::list`] must follow.
    pub(super) fn leave_group(&mut self, slot: u32, store: &Store) {
        let index = self.lane_of_slot(slot, store);
        let links = &mut self.links[slot as usize];
        let group = std::mem::replace(&mut links.group, UNLINKED.group);
        self.unlink(index, slot, group, store);
    }

    fn unlink(&mut self, index: u32, slot: u32, group: [u32; 2], store: &Store) {
        if self.rule == GroupRule::Key {
            self.keys.remove(index, slot, store);
        }
        let lane = &mut self.lanes[index as usize];
        lane.ready -= u32::from(store[slot].state() == State::Ready);
        if group[BEFORE] == LATE {
            lane.late -= 1;
            self.late
                .remove(&(index.into(), store[slot].position(), slot));
            return;
        }
        match group[BEFORE] {
            NO_SLOT => lane.head = group[AFTER],
            before => self.links[before as usize].group[AFTER] = group[AFTER],
        }
        match group[AFTER] {
            NO_SLOT => lane.tail = group[BEFORE],
            after => self.links[after as usize].group[BEFORE] = group[BEFORE],
        }
    }

    /// The copy of a lane that can be received next, if one can.
    pub(super) fn next(&self, lane: u32, store: &Store) -> Option<u32> {
        match self.rule {
            GroupRule::Session if self.lanes[lane as usize].reserved => None,
            GroupRule::Session => self.ready(lane, store).next(),
            GroupRule::Key => self.next_of_key(lane, store),
            _ => self
                .head(lane, store)
                .filter(|&head| store[head].state() == State::Ready),
        }
    }

    /// Brings the list of receivable lanes up to date with the head of this lane.
    pub(super) fn list(&mut self, lane: u32, store: &Store) {
        let head = self.next(lane, store);
        let receivable = head.map(|head| store[head].position());
        let entry = &mut self.lanes[lane as usize].receivable;
        if *entry != receivable {
            if let Some(former) = entry.take() {
                self.receivable.remove(&(former, lane));
            }
            if let Some(position) = receivable {
                self.receivable.insert((position, lane));
            }
            *entry = receivable;
        }
    }

    /// As [`Lanes::list`], for the lane of a group.
    pub(super) fn list_group(&mut self, group: Option<GroupId>, store: &Store) {
        self.list(self.lane_of(group), store);
    }

    pub(super) fn is_receivable(&self) -> bool {
        !self.receivable.is_empty()
    }

    /// The lane whose visible head was sent first.
    pub(super) fn first_receivable(&self) -> Option<u32> {
        self.receivable.first().map(|&(_, lane)| lane)
    }

    /// The copy that keeps the rest of its group from being received, if one does.
    pub(super) fn locker(&self, lane: u32, store: &Store) -> Option<u32> {
        let first = match self.rule {
            GroupRule::Key => self.keys.first(lane),
            _ => self.head(lane, store),
        };
        first.filter(|&slot| store[slot].is_in_flight() || store[slot].state() == State::Retrying)
    }

    /// The oldest copy of the queue, in whichever state.
    pub(super) fn oldest(&self) -> Option<u32> {
        (self.oldest != NO_SLOT).then_some(self.oldest)
    }

    /// The oldest copy that is visible or locked behind its group. Passes those in flight.
    pub(super) fn oldest_ready(&self, store: &Store) -> Option<u32> {
        let after = |&slot: &u32| {
            let next = self.links[slot as usize].queue[AFTER];
            (next != NO_SLOT).then_some(next)
        };
        std::iter::successors(self.oldest(), after)
            .find(|&slot| store[slot].state() == State::Ready)
    }

    /// The first copy of a lane that is not delayed.
    pub(super) fn head(&self, lane: u32, store: &Store) -> Option<u32> {
        self.step(&mut self.walk(lane), store)
    }

    pub(super) fn walk(&self, lane: u32) -> Walk {
        Walk {
            lane,
            next: self.lanes[lane as usize].head,
            passed: None,
        }
    }

    /// The next copy of a walk. The copies passed may have been removed meanwhile, no others.
    pub(super) fn step(&self, walk: &mut Walk, store: &Store) -> Option<u32> {
        let listed = (walk.next != NO_SLOT).then_some(walk.next);
        let late = if self.lanes[walk.lane as usize].late > 0 {
            let from = match walk.passed {
                Some(passed) => Bound::Excluded((walk.lane.into(), passed, NO_SLOT)),
                None => Bound::Included((walk.lane.into(), Position::FIRST, 0)),
            };
            let mut after = self.late.range((from, Bound::Unbounded));
            after.next().filter(|entry| entry.0 == u64::from(walk.lane))
        } else {
            None
        };
        let slot = match (listed, late) {
            (Some(slot), Some(&(_, position, _))) if store[slot].position() < position => slot,
            (_, Some(&(_, position, slot))) => {
                walk.passed = Some(position);
                return Some(slot);
            }
            (listed, None) => listed?,
        };
        walk.next = self.links[slot as usize].group[AFTER];
        walk.passed = Some(store[slot].position());
        Some(slot)
    }

    /// Lanes in order of first appearance.
    pub(super) fn all(&self) -> &[Lane] {
        &self.lanes
    }

    /// Lanes with messages, in order of first appearance.
    pub(super) fn occupied(&self) -> impl Iterator<Item = u32> + '_ {
        self.occupied.iter().copied()
    }

    /// Ready copies of a lane, in order.
    pub(super) fn ready<'a>(
        &'a self,
        lane: u32,
        store: &'a Store,
    ) -> impl Iterator<Item = u32> + 'a {
        let mut walk = self.walk(lane);
        let ready = self.lanes[lane as usize].ready as usize;
        std::iter::from_fn(move || self.step(&mut walk, store))
            .filter(|&slot| store[slot].state() == State::Ready)
            .take(ready)
    }
}
