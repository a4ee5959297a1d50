//! Ends of leases and delays, earliest first.

use super::store::{Lease, NO_SLOT};
use crate::engine::id::ConsumerId;
use crate::engine::time::Micros;
use std::collections::{BTreeMap, VecDeque};

/// The end of a lease or of a delay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Timer {
    pub due: Micros,
    /// Of the copy when the timer was set: orders timers of one instant by send order.
    pub lease: Lease,
    pub slot: u32,
    /// Who holds the lease; without meaning for delays.
    pub consumer: ConsumerId,
}

impl Timer {
    fn order(&self) -> (Micros, Lease) {
        (self.due, self.lease)
    }
}

/// Timers by due time, then send order.
///
/// Timeouts are mostly all the same, so most timers are set in the order in which they end: those are a queue.
/// Removing one from its middle leaves a gap; gaps are closed when they outnumber the rest. What is set out of order
/// goes to a map.
#[derive(Clone, Default, Debug)]
pub(super) struct Timers {
    in_order: VecDeque<Timer>,
    gaps: usize,
    others: BTreeMap<(Micros, Lease), (u32, ConsumerId)>,
}

impl Timers {
    const FEW: usize = 32;

    pub(super) fn set(&mut self, timer: Timer) {
        if self
            .in_order
            .back()
            .is_none_or(|last| last.order() < timer.order())
        {
            self.in_order.push_back(timer);
        } else {
            self.others
                .insert(timer.order(), (timer.slot, timer.consumer));
        }
    }

    /// The timer that is due first.
    #[inline]
    pub(super) fn first(&self) -> Option<Timer> {
        let queued = self.in_order.front();
        let Some((&order, &other)) = self.others.first_key_value() else {
            return queued.copied();
        };
        match queued {
            Some(timer) if timer.order() < order => Some(*timer),
            _ => Some(from_map(order, other)),
        }
    }

    /// Removes the timer that ends then and belongs to this lease, and returns it.
    pub(super) fn remove(&mut self, due: Micros, lease: Lease) -> Option<Timer> {
        let order = (due, lease);
        if let Some(timer) = self
            .in_order
            .front()
            .filter(|timer| timer.order() == order)
            .copied()
        {
            self.in_order.pop_front();
            self.close_gaps();
            return Some(timer);
        }
        if let Some(other) = self.others.remove(&order) {
            return Some(from_map(order, other));
        }
        let at = self
            .in_order
            .binary_search_by_key(&order, Timer::order)
            .ok()?;
        let timer = self
            .in_order
            .get_mut(at)
            .filter(|timer| timer.slot != NO_SLOT)?;
        let removed = *timer;
        timer.slot = NO_SLOT;
        self.gaps += 1;
        self.close_gaps();
        Some(removed)
    }

    /// The timer that ends then and belongs to this lease.
    pub(super) fn find(&self, due: Micros, lease: Lease) -> Option<Timer> {
        let order = (due, lease);
        let first = self.in_order.front();
        if let Some(first) = first.filter(|timer| timer.order() == order) {
            return Some(*first);
        }
        if let Some(&other) = self.others.get(&order) {
            return Some(from_map(order, other));
        }
        let at = self.in_order.binary_search_by_key(&order, Timer::order);
        let timer = self.in_order.get(at.ok()?)?;
        (timer.slot != NO_SLOT).then_some(*timer)
    }

    /// Keeps gaps away from both ends and in the minority.
    fn close_gaps(&mut self) {
        if self.gaps == 0 {
            return;
        }
        while self
            .in_order
            .front()
            .is_some_and(|timer| timer.slot == NO_SLOT)
        {
            self.in_order.pop_front();
            self.gaps -= 1;
        }
        while self
            .in_order
            .back()
            .is_some_and(|timer| timer.slot == NO_SLOT)
        {
            self.in_order.pop_back();
            self.gaps -= 1;
        }
        if self.gaps > Self::FEW && self.gaps * 2 > self.in_order.len() {
            self.in_order.retain(|timer| timer.slot != NO_SLOT);
            self.gaps = 0;
        }
    }

    /// All timers, earliest first. Passing over the gaps costs no more than the timers that remain.
    pub(super) fn iter(&self) -> impl Iterator<Item = Timer> {
        let mut queued = self
            .in_order
            .iter()
            .filter(|timer| timer.slot != NO_SLOT)
            .peekable();
        let mut others = self
            .others
            .iter()
            .map(|(&order, &other)| from_map(order, other))
            .peekable();
        std::iter::from_fn(move || match (queued.peek(), others.peek()) {
            (Some(timer), Some(other)) if timer.order() < other.order() => queued.next().copied(),
            (Some(_), None) => queued.next().copied(),
            _ => others.next(),
        })
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn from_map((due, lease): (Micros, Lease), (slot, consumer): (u32, ConsumerId)) -> Timer {
    Timer {
        due,
        lease,
        slot,
        consumer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(due: u64, sequence: u64) -> Timer {
        Timer {
            due: Micros(due),
            lease: Lease::new(sequence, 1),
            slot: sequence as u32,
            consumer: ConsumerId(0),
        }
    }

    #[test]
    fn timers_end_by_due_time_then_send_order_however_they_were_set() {
        let mut timers = Timers::default();
        for set in [
            timer(5, 1),
            timer(7, 3),
            timer(7, 2),
            timer(4, 4),
            timer(9, 0),
        ] {
            timers.set(set);
        }
        let order: Vec<u64> = timers.iter().map(|timer| timer.lease.sequence()).collect();
        assert_eq!(order, [4, 1, 2, 3, 0]);
        let mut popped = Vec::new();
        while let Some(first) = timers.first() {
            assert_eq!(timers.remove(first.due, first.lease), Some(first));
            popped.push(first.lease.sequence());
        }
        assert_eq!(popped, order);
    }

    #[test]
    fn a_removed_timer_never_shows_up_again_and_gaps_stay_in_the_minority() {
        let mut timers = Timers::default();
        for n in 0..1000 {
            timers.set(timer(n, n));
        }
        for n in (0..1000).filter(|n| n % 10 != 0) {
            assert_eq!(
                timers.remove(Micros(n), Lease::new(n, 1)),
                Some(timer(n, n))
            );
            assert_eq!(timers.remove(Micros(n), Lease::new(n, 1)), None);
        }
        assert_eq!(timers.iter().count(), 100);
        assert!(timers.in_order.len() <= 200 + Timers::FEW);
        assert_eq!(timers.first(), Some(timer(0, 0)));
    }
}
