//! What is planned, in the order in which it happens: `(time, round, phase, scenario order, sequence)`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::broker::MessageKey;
use crate::engine::event::Ordinal;
use crate::engine::time::Micros;

/// What kind of thing happens first at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Phase {
    /// Handlers ending; acks, nacks and confirms arriving.
    Endings = 1,
    /// Timers: leases, delays, retention, waits, confirm timeouts.
    Timers = 2,
    /// Sends reaching the broker.
    Sends = 3,
    /// Actors starting, crashing, returning, polling.
    Actors = 4,
    /// Other commands.
    Commands = 5,
    /// Deliveries.
    Deliveries = 6,
}

/// A planned thing. `stamp` and `generation` tell an outdated one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// A handler's work ends.
    WorkEnds {
        consumer: u16,
        worker: u16,
        stamp: u32,
    },
    /// A consumer acknowledges what it has finished.
    Checkpoint { consumer: u16, generation: u32 },
    /// The gap after the effect ends.
    Settles {
        consumer: u16,
        worker: u16,
        stamp: u32,
    },
    /// A handler extends its visibility timeout.
    Heartbeat {
        consumer: u16,
        worker: u16,
        stamp: u32,
    },
    /// Something arrives that travelled through the network.
    Arrives(u32),
    /// A queue's next timer.
    Timer(u16),
    /// No confirm came in time.
    ConfirmTimeout { message: MessageKey, attempt: u32 },
    /// A producer's next send or burst.
    ProducerTick { producer: u16, generation: u32 },
    /// A consumer starts.
    ConsumerStarts(u16),
    /// A crashed consumer starts again.
    Restarts { consumer: u16, generation: u32 },
    /// An open circuit breaker lets one message through.
    HalfOpens { consumer: u16, stamp: u32 },
    /// The pause after an empty receive is over.
    Poll { consumer: u16, stamp: u32 },
    /// The pause after a channel closed is over.
    Reconnects { consumer: u16, channel: u32 },
    /// A consumer claims what others hold for too long.
    Claim { consumer: u16, stamp: u32 },
    /// A command acts.
    Command(u32),
    /// Waiting receives are matched with messages.
    Deliver(u16),
    /// A queue is looked over for starvation.
    StarvationCheck(u16),
    /// A consumer gives up a session that gave it nothing.
    SessionIdle { consumer: u16, stamp: u32 },
    /// A changed setting acts, by the index of its command.
    SettingActs(u32),
    /// A redrive with a rate moves its next message.
    Move { queue: u16, stamp: u32 },
}

/// Rounds at one instant after which time is taken to be stuck.
const MOST_ROUNDS: u64 = 10_000;
/// Planned things at one instant after which time is taken to be stuck.
const MOST_ITEMS: u64 = 1_000_000;

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u64,
    /// Round, phase and scenario order, most significant first.
    rank: u64,
    sequence: u64,
    cause: Option<Ordinal>,
    item: Item,
}

impl Entry {
    const fn key(&self) -> (u64, u64, u64) {
        (self.at, self.rank, self.sequence)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// The planned things of a run, and the present instant with its round and phase.
#[derive(Clone, Debug, Default)]
pub(super) struct EventList {
    heap: BinaryHeap<Reverse<Entry>>,
    sequence: u64,
    now: u64,
    round: u64,
    phase: u64,
    items_now: u64,
}

impl EventList {
    pub(super) fn now(&self) -> Micros {
        Micros(self.now)
    }

    /// Plans `item`. For the present instant it joins this round if its phase is still to come, else the next.
    pub(super) fn plan(
        &mut self,
        at: Micros,
        phase: Phase,
        order: u32,
        item: Item,
        cause: Option<Ordinal>,
    ) {
        let at = at.0.max(self.now);
        let phase = phase as u64;
        let round = if at > self.now {
            0
        } else if phase > self.phase {
            self.round
        } else {
            self.round + 1
        };
        let rank = round << 40 | phase << 32 | u64::from(order);
        let entry = Entry {
            at,
            rank,
            sequence: self.sequence,
            cause,
            item,
        };
        self.sequence += 1;
        self.heap.push(Reverse(entry));
    }

    /// When the next planned thing happens.
    pub(super) fn next_at(&self) -> Option<Micros> {
        self.heap.peek().map(|entry| Micros(entry.0.at))
    }

    /// Takes the next planned thing and moves the present instant to it.
    pub(super) fn pop(&mut self) -> Option<(Item, Option<Ordinal>)> {
        let Reverse(entry) = self.heap.pop()?;
        if entry.at > self.now {
            self.now = entry.at;
            self.items_now = 0;
        }
        self.round = entry.rank >> 40;
        self.phase = entry.rank >> 32 & 0xff;
        self.items_now += 1;
        Some((entry.item, entry.cause))
    }

    /// Moves the present instant on to `at`, before which nothing is planned.
    pub(super) fn advance(&mut self, at: Micros) {
        if at.0 > self.now {
            self.now = at.0;
            self.round = 0;
            self.phase = 0;
            self.items_now = 0;
        }
    }

    /// Whether so much happens at the present instant that time does not get on.
    pub(super) fn is_cycling(&self) -> bool {
        self.round > MOST_ROUNDS || self.items_now > MOST_ITEMS
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Bytes of one planned thing.
    pub(super) const ENTRY_BYTES: usize = size_of::<Entry>();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_goes_through_its_phases_and_what_comes_too_late_waits_for_the_next_round() {
        let mut list = EventList::default();
        list.plan(Micros(5), Phase::Deliveries, 0, Item::Deliver(0), None);
        list.plan(Micros(5), Phase::Timers, 0, Item::Timer(0), None);
        assert_eq!(list.pop().map(|it| it.0), Some(Item::Timer(0)));
        // Sends are still to come in this round, endings are not.
        list.plan(Micros(5), Phase::Endings, 0, Item::Arrives(1), None);
        list.plan(Micros(5), Phase::Sends, 0, Item::Arrives(2), None);
        let rest: Vec<Item> = std::iter::from_fn(|| list.pop()).map(|it| it.0).collect();
        assert_eq!(rest, [Item::Arrives(2), Item::Deliver(0), Item::Arrives(1)]);
    }

    #[test]
    fn equal_times_keep_scenario_order_then_the_order_of_planning() {
        let mut list = EventList::default();
        for (order, item) in [(1, 10), (0, 20), (1, 11)] {
            list.plan(Micros(1), Phase::Sends, order, Item::Arrives(item), None);
        }
        let items: Vec<Item> = std::iter::from_fn(|| list.pop()).map(|it| it.0).collect();
        assert_eq!(
            items,
            [Item::Arrives(20), Item::Arrives(10), Item::Arrives(11)]
        );
    }
}
