//! Fair queues of Amazon SQS: messages of quiet tenants before those of noisy ones.

use super::priorities::{Line, Rank};
use super::store::{Listed, ListedGroup};
use crate::engine::id::GroupId;
use crate::engine::rules::Priority;
use crate::engine::time::Micros;
use std::collections::{BTreeMap, BTreeSet};

/// A tenant with fewer messages in flight is not noisy by its share of them.
const LEAST_IN_FLIGHT: u32 = 30;
/// Shares above one in so many are noisy.
const SHARE: u64 = 10;
/// A tenant that sent nothing for so long is quiet again.
const SILENCE: Micros = Micros::from_secs(5 * 60);
/// Processing time is summed up in stretches of this length.
const STRETCH: Micros = Micros::from_secs(60);
/// Before so many deliveries have ended in a stretch, shares of its processing time say nothing.
const LEAST_ENDED: u32 = 30;

/// One group.
#[derive(Clone, Default, Debug)]
struct Tenant {
    line: Line,
    /// Rank of its next message.
    head: Option<Rank>,
    in_flight: u32,
    /// Processing time in this stretch.
    spent: Micros,
    last_sent: Micros,
    noisy: bool,
}

/// Where a tenant is listed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Places {
    quiet: Option<Listed>,
    noisy: Option<Listed>,
    busy: Option<ListedGroup>,
    working: Option<ListedGroup>,
    silent: Option<ListedGroup>,
}

impl Tenant {
    fn places(&self, group: GroupId) -> Places {
        let quiet = !self.noisy;
        let by = |what: u64| (what, Some(group));
        let head = self.head.map(|head| head.listed(group.0));
        let among_noisy = |(class, position, group)| {
            let first = u64::from(self.in_flight) << Rank::CLASS_BITS | class;
            (first, position, group)
        };
        Places {
            quiet: head.filter(|_| quiet),
            noisy: head.filter(|_| self.noisy).map(among_noisy),
            busy: (quiet && self.in_flight >= LEAST_IN_FLIGHT).then(|| by(self.in_flight.into())),
            working: (self.spent > Micros::ZERO).then(|| by(self.spent.0)),
            silent: self.noisy.then(|| by(self.last_sent.0)),
        }
    }

    fn is_forgotten(&self) -> bool {
        self.head.is_none() && self.in_flight == 0 && self.spent == Micros::ZERO
    }
}

/// The ready messages of a queue, by tenant.
///
/// SQS fair queues (Developer Guide, "How fair queues work", detailed): a tenant is noisy with more than 10 % of what
/// is in flight and 30 messages in flight itself at least, or with more than 10 % of the recent processing time, which
/// AWS calls approximate. Receives prefer quiet tenants; of noisy ones that with the fewest messages in flight;
/// messages of noisy ones come when nothing quiet waits. A tenant is quiet again when its backlog is drained or when
/// it sent nothing for five minutes. A message without a group is a tenant of its own.
///
/// What is recent AWS does not say. Here it is what ended in the present stretch of a minute, from the 30th delivery
/// that ended in it on; processing time is the time in flight.
#[derive(Clone, Default, Debug)]
pub(super) struct Quiet {
    now: Micros,
    tenants: BTreeMap<GroupId, Tenant>,
    /// Messages without a group.
    alone: Line,
    /// Quiet tenants by their next message.
    quiet: BTreeSet<Listed>,
    /// Noisy tenants by what they have in flight, then by their next message.
    noisy: BTreeSet<Listed>,
    /// Quiet tenants with much in flight.
    busy: BTreeSet<ListedGroup>,
    /// Tenants by processing time.
    working: BTreeSet<ListedGroup>,
    /// Noisy tenants by their last send.
    silent: BTreeSet<ListedGroup>,
    /// Since when what is in flight has been so.
    held: BTreeMap<u32, Micros>,
    spent: Micros,
    ended: u32,
    stretch_ends: Micros,
}

impl Quiet {
    /// Changes a tenant and lists it where it belongs then.
    fn update(&mut self, group: GroupId, change: impl FnOnce(&mut Tenant)) {
        let tenant = self.tenants.entry(group).or_default();
        let before = tenant.places(group);
        change(tenant);
        if tenant.head.is_none() {
            tenant.noisy = false;
        }
        let after = tenant.places(group);
        if tenant.is_forgotten() {
            self.tenants.remove(&group);
        }
        if before != after {
            relist(&mut self.quiet, before.quiet, after.quiet);
            relist(&mut self.noisy, before.noisy, after.noisy);
            relist(&mut self.busy, before.busy, after.busy);
            relist(&mut self.working, before.working, after.working);
            relist(&mut self.silent, before.silent, after.silent);
        }
    }

    /// Changes the ready messages of a group, which was heard of then.
    pub(super) fn change(
        &mut self,
        rule: Priority,
        group: Option<GroupId>,
        sent: Micros,
        change: impl FnOnce(&mut Line),
    ) {
        let Some(group) = group else {
            return change(&mut self.alone);
        };
        self.update(group, |tenant| {
            change(&mut tenant.line);
            tenant.last_sent = tenant.last_sent.max(sent);
            tenant.head = tenant.line.first(rule).map(|(rank, _)| rank);
        });
        self.judge();
    }

    /// Notes that a message is in flight.
    pub(super) fn hold(&mut self, group: Option<GroupId>, slot: u32) {
        self.held.insert(slot, self.now);
        if let Some(group) = group {
            self.update(group, |tenant| tenant.in_flight += 1);
        }
        self.judge();
    }

    /// Notes that it is so no more.
    pub(super) fn release(&mut self, group: Option<GroupId>, slot: u32) {
        let Some(since) = self.held.remove(&slot) else {
            return;
        };
        let spent = self.now - since;
        self.spent += spent;
        self.ended += 1;
        if let Some(group) = group {
            self.update(group, |tenant| {
                tenant.in_flight = tenant.in_flight.saturating_sub(1);
                tenant.spent += spent;
            });
        }
        self.judge();
    }

    /// Lets time pass.
    pub(super) fn set_now(&mut self, now: Micros) {
        self.now = now;
        while let Some(&(sent, Some(group))) = self.silent.first()
            && Micros(sent) + SILENCE <= now
        {
            self.update(group, |tenant| tenant.noisy = false);
        }
        if now >= self.stretch_ends {
            self.stretch_ends = Micros((now.0 / STRETCH.0).saturating_add(1)).scaled(STRETCH.0, 1);
            self.spent = Micros::ZERO;
            self.ended = 0;
            while let Some(&(_, Some(group))) = self.working.first() {
                self.update(group, |tenant| tenant.spent = Micros::ZERO);
            }
        }
    }

    /// Finds the tenants that are noisy by now. Fewer than ten can have more than a tenth of anything.
    fn judge(&mut self) {
        let total = self.held.len() as u64;
        let busy = self.busy.iter().rev();
        let mut found: Vec<GroupId> = busy
            .take_while(|(in_flight, _)| in_flight * SHARE > total)
            .filter_map(|&(_, group)| group)
            .collect();
        if self.ended >= LEAST_ENDED {
            let working = self.working.iter().rev();
            let most =
                working.take_while(|(spent, _)| Micros(*spent).scaled(SHARE, 1) > self.spent);
            found.extend(most.filter_map(|&(_, group)| group));
        }
        for group in found {
            let now = self.now;
            let can_be = |tenant: &&Tenant| {
                !tenant.noisy && tenant.head.is_some() && tenant.last_sent + SILENCE > now
            };
            if self.tenants.get(&group).filter(can_be).is_some() {
                self.update(group, |tenant| tenant.noisy = true);
            }
        }
    }

    fn first_of(&self, rule: Priority, group: GroupId) -> Option<u32> {
        self.tenants
            .get(&group)?
            .line
            .first(rule)
            .map(|(_, slot)| slot)
    }

    pub(super) fn first(&self, rule: Priority) -> Option<u32> {
        let alone = self.alone.first(rule);
        match (self.quiet.first(), alone) {
            (Some(entry), Some((alone, slot))) if alone < Rank::of_entry(entry).0 => Some(slot),
            (Some(&(_, _, group)), _) => self.first_of(rule, GroupId(group)),
            (None, Some((_, slot))) => Some(slot),
            (None, None) => self
                .noisy
                .first()
                .and_then(|&(_, _, group)| self.first_of(rule, GroupId(group))),
        }
    }

    /// As things are now: quiet ones by rank, then tenant by tenant.
    pub(super) fn upcoming(&self, rule: Priority, limit: usize) -> Vec<u32> {
        let tenants = self.quiet.iter().take(limit);
        let mut lines: Vec<_> = tenants
            .filter_map(|&(_, _, group)| self.tenants.get(&GroupId(group)))
            .map(|tenant| tenant.line.iter(rule).peekable())
            .collect();
        lines.push(self.alone.iter(rule).peekable());
        let mut upcoming = Vec::new();
        while upcoming.len() < limit {
            let heads = lines.iter_mut().enumerate();
            let next = heads
                .filter_map(|(at, line)| Some((*line.peek()?, at)))
                .min();
            let Some((_, at)) = next else {
                break;
            };
            upcoming.extend(lines[at].next().map(|(_, slot)| slot));
        }
        for &(_, _, group) in &self.noisy {
            if let Some(tenant) = self.tenants.get(&GroupId(group)) {
                let room = limit - upcoming.len();
                upcoming.extend(tenant.line.iter(rule).take(room).map(|(_, slot)| slot));
            }
        }
        upcoming
    }
}

fn relist<T: Ord>(list: &mut BTreeSet<T>, before: Option<T>, after: Option<T>) {
    if before == after {
        return;
    }
    if let Some(before) = before {
        list.remove(&before);
    }
    if let Some(after) = after {
        list.insert(after);
    }
}
