//! Receives that wait for messages.

use super::call::Demand;
use crate::engine::id::ConsumerId;
use crate::engine::time::Micros;

/// A receive that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receive {
    pub demand: Demand,
    /// Asked with a wait of zero. SQS: short polling.
    pub is_short: bool,
    /// Must be answered now, empty if need be.
    pub is_over: bool,
    /// Nobody asked: the queue hands out by its own accord.
    pub is_pushed: bool,
}

impl Receive {
    /// What the queue hands out by its own accord.
    pub(super) const fn pushed(demand: Demand) -> Self {
        Self {
            demand,
            is_short: false,
            is_over: false,
            is_pushed: true,
        }
    }
}

/// The waiting receives of a queue, by consumer; at most one each.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    receives: Vec<Receive>,
    over: usize,
    next_end: Micros,
}

impl Waiting {
    pub(super) fn new() -> Self {
        Self {
            receives: Vec::new(),
            over: 0,
            next_end: Micros::MAX,
        }
    }

    /// How many messages all receives ask for.
    pub(super) fn asked_for(&self) -> u64 {
        let asked = self.receives.iter().map(|receive| receive.demand.max);
        asked.map(u64::from).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.receives.is_empty()
    }

    pub(super) fn get(&self, at: usize) -> Option<Receive> {
        self.receives.get(at).copied()
    }

    /// Whether this consumer's receive waits.
    pub(super) fn waits(&self, consumer: ConsumerId) -> bool {
        self.find(consumer).is_ok()
    }

    /// Whether this is so for any consumer whose receive waits.
    pub(super) fn any(&self, is_so: impl Fn(ConsumerId) -> bool) -> bool {
        let mut receives = self.receives.iter();
        receives.any(|receive| is_so(receive.demand.consumer))
    }

    /// Whether a receive must be answered now.
    pub(super) fn any_over(&self) -> bool {
        self.over > 0
    }

    /// When the next wait ends.
    pub(super) fn next_end(&self) -> Micros {
        self.next_end
    }

    /// Adds a receive in place of the consumer's former one. One that asks for nothing would wait for ever beside a
    /// full queue; it counts as asking for one message.
    pub(super) fn add(&mut self, now: Micros, mut demand: Demand) {
        demand.max = demand.max.max(1);
        let is_short = demand.until <= now;
        let receive = Receive {
            demand,
            is_short,
            is_over: is_short,
            is_pushed: false,
        };
        match self.find(demand.consumer) {
            Ok(at) => {
                self.remove(at);
                self.receives.insert(at, receive);
            }
            Err(at) => self.receives.insert(at, receive),
        }
        if is_short {
            self.over += 1;
        } else {
            self.next_end = self.next_end.min(demand.until);
        }
    }

    pub(super) fn withdraw(&mut self, consumer: ConsumerId) -> bool {
        let found = self.find(consumer);
        if let Ok(at) = found {
            self.remove(at);
        }
        found.is_ok()
    }

    pub(super) fn remove(&mut self, at: usize) {
        let removed = self.receives.remove(at);
        if removed.is_over {
            self.over -= 1;
        } else if removed.demand.until == self.next_end {
            self.find_next_end();
        }
    }

    /// Marks the receives whose wait ends at or before `now`. They are answered by the delivery of this instant, so
    /// that a message which becomes visible in it still reaches them.
    pub(super) fn end_due(&mut self, now: Micros) {
        if self.next_end > now {
            return;
        }
        for receive in &mut self.receives {
            if !receive.is_over && receive.demand.until <= now {
                receive.is_over = true;
                self.over += 1;
            }
        }
        self.find_next_end();
    }

    fn find(&self, consumer: ConsumerId) -> Result<usize, usize> {
        self.receives
            .binary_search_by_key(&consumer, |receive| receive.demand.consumer)
    }

    fn find_next_end(&mut self) {
        let ends = self.receives.iter().filter(|receive| !receive.is_over);
        self.next_end = ends
            .map(|receive| receive.demand.until)
            .min()
            .unwrap_or(Micros::MAX);
    }
}
