//! Fair queues of Amazon SQS: messages of quiet tenants before those of noisy ones.

use super::priorities::{Line, Rank};
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
    quiet: Option<Rank>,
    noisy: Option<(u32, Rank)>,
    busy: Option<u32>,
    working: Option<Micros>,
    silent: Option<Micros>,
}

impl Tenant {
    fn places(&self) -> Places {
        let quiet = !self.noisy;
        Places {
            quiet: self.head.filter(|_| quiet),
            noisy: self
                .head
                .filter(|_| self.noisy)
                .map(|head| (self.in_flight, head)),
            busy: (quiet && self.in_flight >= LEAST_IN_FLIGHT).then_some(self.in_flight),
            working: (self.spent > Micros::ZERO).then_some(self.spent),
            silent: self.noisy.then_some(self.last_sent),
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
    quiet: BTreeSet<(Rank, GroupId)>,
    /// Noisy tenants by what they have in flight, then by their next message.
    noisy: BTreeSet<((u32, Rank), GroupId)>,
    /// Quiet tenants with much in flight.
    busy: BTreeSet<(u32, GroupId)>,
    /// Tenants by processing time.
    working: BTreeSet<(Micros, GroupId)>,
    /// Noisy tenants by their last send.
    silent: BTreeSet<(Micros, GroupId)>,
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
        let before = tenant.places();
        change(tenant);
        if tenant.head.is_none() {
            tenant.noisy = false;
        }
        let after = tenant.places();
        if tenant.is_forgotten() {
            self.tenants.remove(&group);
        }
        if before != after {
            relist(&mut self.quiet, group, before.quiet, after.quiet);
            relist(&mut self.noisy, group, before.noisy, after.noisy);
            relist(&mut self.busy, group, before.busy, after.busy);
            relist(&mut self.working, group, before.working, after.working);
            relist(&mut self.silent, group, before.silent, after.silent);
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
        while let Some(&(sent, group)) = self.silent.first()
            && sent + SILENCE <= now
        {
            self.update(group, |tenant| tenant.noisy = false);
        }
        if now >= self.stretch_ends {
            self.stretch_ends = Micros((now.0 / STRETCH.0).saturating_add(1)).scaled(STRETCH.0, 1);
            self.spent = Micros::ZERO;
            self.ended = 0;
            while let Some(&(_, group)) = self.working.first() {
                self.update(group, |tenant| tenant.spent = Micros::ZERO);
            }
        }
    }

    /// Finds the tenants that are noisy by now. Fewer than ten can have more than a tenth of anything.
    fn judge(&mut self) {
        let total = self.held.len() as u64;
        let busy = self.busy.iter().rev();
        let mut found: Vec<GroupId> = busy
            .take_while(|(in_flight, _)| u64::from(*in_flight) * SHARE > total)
            .map(|&(_, group)| group)
            .collect();
        if self.ended >= LEAST_ENDED {
            let working = self.working.iter().rev();
            let most = working.take_while(|(spent, _)| spent.scaled(SHARE, 1) > self.spent);
            found.extend(most.map(|&(_, group)| group));
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
            (Some(&(rank, _)), Some((alone, slot))) if alone < rank => Some(slot),
            (Some(&(_, group)), _) => self.first_of(rule, group),
            (None, Some((_, slot))) => Some(slot),
            (None, None) => self
                .noisy
                .first()
                .and_then(|&(_, group)| self.first_of(rule, group)),
        }
    }

    /// As things are now: quiet ones by rank, then tenant by tenant.
    pub(super) fn upcoming(&self, rule: Priority, limit: usize) -> Vec<u32> {
        let tenants = self.quiet.iter().take(limit);
        let mut lines: Vec<_> = tenants
            .filter_map(|(_, group)| self.tenants.get(group))
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
        for (_, group) in &self.noisy {
            if let Some(tenant) = self.tenants.get(group) {
                let room = limit - upcoming.len();
                upcoming.extend(tenant.line.iter(rule).take(room).map(|(_, slot)| slot));
            }
        }
        upcoming
    }
}

fn relist<K: Ord + Copy>(
    list: &mut BTreeSet<(K, GroupId)>,
    group: GroupId,
    before: Option<K>,
    after: Option<K>,
) {
    if before == after {
        return;
    }
    if let Some(before) = before {
        list.remove(&(before, group));
    }
    if let Some(after) = after {
        list.insert((after, group));
    }
}
