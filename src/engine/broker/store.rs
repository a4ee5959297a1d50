//! The store: compact copies of messages in slots that are used again.

use super::aside::Aside;
use super::call::MessageKey;
use super::deaths::Deaths;
use crate::engine::id::{GroupId, QueueId};
use crate::engine::order::positions_in_order;
use crate::engine::time::Micros;
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

/// No slot.
pub(super) const NO_SLOT: u32 = u32::MAX;
const NO_GROUP: u32 = u32::MAX;

/// Which copy, and which of its deliveries: the sequence number of the copy in its queue and its delivery count.
/// A receipt holds the lease of its delivery, the copy that of its newest; equal means newest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Lease(pub(super) u64);

impl Lease {
    const DELIVERY_BITS: u32 = 20;
    const DELIVERIES: u64 = (1 << Self::DELIVERY_BITS) - 1;

    pub(super) const fn new(sequence: u64, deliveries: u32) -> Self {
        Self(sequence << Self::DELIVERY_BITS | deliveries as u64 & Self::DELIVERIES)
    }

    /// Position of the copy among all that its queue ever stored.
    pub(super) const fn sequence(self) -> u64 {
        self.0 >> Self::DELIVERY_BITS
    }

    /// Indexes the draws made for this delivery.
    pub(super) const fn index(self) -> u64 {
        self.0
    }

    /// Deliveries so far. SQS: ApproximateReceiveCount. Stops at 1,048,575.
    pub(super) const fn deliveries(self) -> u32 {
        (self.0 & Self::DELIVERIES) as u32
    }

    /// The lease of the next delivery.
    const fn received(self) -> Self {
        Self(self.0 + (self.0 & Self::DELIVERIES < Self::DELIVERIES) as u64)
    }
}

/// Where a copy is in its queue. SQS: stored (visible or delayed), in flight, deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// The slot is not in use.
    Free = 0,
    /// Visible since [`Stored::moment`], or locked behind its group.
    Ready = 1,
    /// Never received; hidden until [`Stored::moment`].
    Delayed = 2,
    /// Received; hidden until [`Stored::moment`].
    InFlight = 3,
    /// Returned by its consumer; hidden until [`Stored::moment`]. Still in flight for counts and group locks:
    /// in SQS a return with a delay is a change of visibility.
    Returning = 4,
    /// There until its age ends, and delivered no more.
    Undeliverable = 5,
    /// Returned; hidden until [`Stored::moment`]. Counts as delayed and holds no place in flight; on FIFO queues it
    /// keeps its place in its group, which waits for it.
    Retrying = 6,
}

/// Order of the send in a queue: when the retention clock started, then the sequence of the copy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Position(pub Micros, pub u64);

impl Position {
    pub(super) const FIRST: Self = Self(Micros::ZERO, 0);
}

/// An entry of a list in an order of its own: what decides first, then a position, then a slot or a group. Lists that
/// only some rules need share this type, and [`ListedGroup`], because each further type of set weighs 1.5 kB on the page.
pub(super) type Listed = (u64, Position, u32);

/// An entry of a list of groups: what decides first, then the group.
pub(super) type ListedGroup = (u64, Option<GroupId>);

/// A copy of a message. Kept small: there may be a million of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    /// The newest lease, and in the uppermost bits the state.
    word: u64,
    /// When its retention clock started.
    pub enqueued: Micros,
    /// See [`State`].
    pub moment: Micros,
    pub message: MessageKey,
    group: u32,
}

impl Stored {
    const STATE_SHIFT: u32 = 61;
    const LEASE: u64 = (1 << Self::STATE_SHIFT) - 1;

    /// A copy that is ready and was never received.
    pub(super) fn new(message: MessageKey, group: Option<GroupId>, enqueued: Micros) -> Self {
        Self {
            word: (State::Ready as u64) << Self::STATE_SHIFT,
            enqueued,
            moment: enqueued,
            message,
            group: group.map_or(NO_GROUP, |group| group.0),
        }
    }

    pub(super) fn state(&self) -> State {
        match self.word >> Self::STATE_SHIFT {
            1 => State::Ready,
            2 => State::Delayed,
            3 => State::InFlight,
            4 => State::Returning,
            5 => State::Undeliverable,
            6 => State::Retrying,
            _ => State::Free,
        }
    }

    pub(super) fn set_state(&mut self, state: State) {
        self.word = self.word & Self::LEASE | (state as u64) << Self::STATE_SHIFT;
    }

    /// The lease of its newest delivery.
    pub(super) fn lease(&self) -> Lease {
        Lease(self.word & Self::LEASE)
    }

    fn set_lease(&mut self, lease: Lease) {
        self.word = self.word & !Self::LEASE | lease.0 & Self::LEASE;
    }

    pub(super) fn group(&self) -> Option<GroupId> {
        (self.group != NO_GROUP).then_some(GroupId(self.group))
    }

    pub(super) fn position(&self) -> Position {
        Position(self.enqueued, self.lease().sequence())
    }

    pub(super) fn deliveries(&self) -> u32 {
        self.lease().deliveries()
    }

    /// Counts a delivery and starts its lease.
    pub(super) fn receive(&mut self, hidden_until: Micros) {
        self.set_lease(self.lease().received());
        self.set_state(State::InFlight);
        self.moment = hidden_until;
    }

    /// Starts the delivery count again.
    pub(super) fn forget_deliveries(&mut self) {
        self.set_lease(Lease::new(self.lease().sequence(), 0));
    }

    /// Whether it is received and not settled.
    pub(super) fn is_in_flight(&self) -> bool {
        matches!(self.state(), State::InFlight | State::Returning)
    }
}

/// The copies of one queue.
#[derive(Clone, Default, Debug)]
pub(super) struct Store {
    copies: Vec<Stored>,
    free: Vec<u32>,
    next_sequence: u64,
    /// What only some copies have.
    asides: BTreeMap<u32, Aside>,
    /// Of messages that died more than once, the copy.
    chains: BTreeMap<MessageKey, u32>,
    /// Priorities of copies that have one.
    priorities: BTreeMap<u32, u32>,
    /// Returns that counted, on queues that count returns; without an entry none.
    returns: BTreeMap<u32, u32>,
}

impl Store {
    /// Stores a copy under the next sequence number, keeping its delivery count.
    pub(super) fn insert(&mut self, mut copy: Stored) -> u32 {
        copy.set_lease(Lease::new(self.next_sequence, copy.deliveries()));
        self.next_sequence += 1;
        if let Some(slot) = self.free.pop() {
            self[slot] = copy;
            return slot;
        }
        let slot = self.copies.len() as u32;
        grow_gently(&mut self.copies);
        self.copies.push(copy);
        slot
    }

    /// Frees a slot and returns what was in it.
    pub(super) fn remove(&mut self, slot: u32) -> (Stored, Aside) {
        let copy = self[slot];
        self[slot].set_state(State::Free);
        self.free.push(slot);
        let mut aside = self.asides.remove(&slot).unwrap_or_default();
        if !self.chains.is_empty() && self.chains.get(&copy.message) == Some(&slot) {
            self.chains.remove(&copy.message);
        }
        aside.priority = self.priorities.remove(&slot).map(|priority| priority as u8);
        self.returns.remove(&slot);
        (copy, aside)
    }

    /// What a copy has that most have not.
    pub(super) fn aside(&self, slot: u32) -> Option<&Aside> {
        self.asides.get(&slot)
    }

    /// Where and why a message died, if it did more than once.
    pub(super) fn death_chain(&self, message: MessageKey) -> Option<&Deaths> {
        let aside = self.aside(*self.chains.get(&message)?)?;
        Some(&aside.deaths)
    }

    pub(super) fn set_aside(&mut self, slot: u32, aside: Aside) {
        if let Some(priority) = aside.priority {
            self.priorities.insert(slot, priority.into());
        }
        if aside.deaths.is_chain() {
            self.chains.insert(self.copies[slot as usize].message, slot);
        }
        if !aside.is_empty() {
            self.asides.insert(slot, aside);
        }
    }

    /// Takes a copy's deaths from it.
    pub(super) fn take_deaths(&mut self, slot: u32) -> Deaths {
        let aside = self.asides.get_mut(&slot);
        aside
            .map(|aside| std::mem::take(&mut aside.deaths))
            .unwrap_or_default()
    }

    /// The priority that a copy was sent with.
    pub(super) fn priority(&self, slot: u32) -> Option<u8> {
        self.priorities.get(&slot).map(|&priority| priority as u8)
    }

    /// Takes a sequence number for a copy that goes behind all others.
    pub(super) fn next_sequence(&mut self) -> u64 {
        self.next_sequence += 1;
        self.next_sequence - 1
    }

    /// How many returns of this copy counted.
    pub(super) fn returns(&self, slot: u32) -> u32 {
        self.returns.get(&slot).copied().unwrap_or(0)
    }

    pub(super) fn set_returns(&mut self, slot: u32, returns: u32) {
        if returns > 0 {
            self.returns.insert(slot, returns);
        }
    }

    /// Forgets all counts of returns, or counts for each copy what `count` says. Looks at every slot.
    pub(super) fn count_returns(&mut self, count: Option<impl Fn(&Stored) -> u32>) {
        self.returns.clear();
        let Some(count) = count else {
            return;
        };
        for slot in self.in_order() {
            let returns = count(&self[slot]);
            self.set_returns(slot, returns);
        }
    }

    /// The queue that a copy was moved here from.
    pub(super) fn origin(&self, slot: u32) -> Option<QueueId> {
        self.asides.get(&slot)?.origin
    }

    /// The copy in this slot if it is the one of that lease, whichever its newest lease is.
    pub(super) fn find(&self, slot: u32, lease: Lease) -> Option<&Stored> {
        self.copies.get(slot as usize).filter(|copy| {
            copy.state() != State::Free && copy.lease().sequence() == lease.sequence()
        })
    }

    /// The copies of one message, in send order. Looks at every slot.
    pub(super) fn of_message(&self, message: MessageKey) -> Vec<u32> {
        let mut slots: Vec<u32> = Vec::new();
        for (slot, copy) in (0..).zip(&self.copies) {
            if copy.message == message && copy.state() != State::Free {
                let later = |other: &u32| self[*other].position() > copy.position();
                let place = slots.iter().position(later).unwrap_or(slots.len());
                slots.insert(place, slot);
            }
        }
        slots
    }

    /// All slots in use, in send order. Looks at every slot.
    pub(super) fn in_order(&self) -> Vec<u32> {
        let slots: Vec<u32> = (0..self.copies.len() as u32)
            .filter(|&slot| self[slot].state() != State::Free)
            .collect();
        let keys = slots.iter().map(|&slot| self[slot].position());
        let order = positions_in_order(keys.map(|Position(since, sequence)| (since.0, sequence)));
        order.into_iter().map(|place| slots[place]).collect()
    }
}

/// Makes room for one more. Doubling would leave up to half of a large backlog's memory unused.
pub(super) fn grow_gently<T>(items: &mut Vec<T>) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 16 + 32);
    }
}

impl Index<u32> for Store {
    type Output = Stored;
    fn index(&self, slot: u32) -> &Stored {
        &self.copies[slot as usize]
    }
}

impl IndexMut<u32> for Store {
    fn index_mut(&mut self, slot: u32) -> &mut Stored {
        &mut self.copies[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_copy_takes_thirty_two_bytes() {
        assert_eq!(size_of::<Stored>(), 32);
    }

    #[test]
    fn a_slot_used_again_does_not_answer_to_its_former_lease() {
        let mut store = Store::default();
        let copy = Stored::new(MessageKey(1), None, Micros::ZERO);
        let slot = store.insert(copy);
        let lease = store[slot].lease();
        store.remove(slot);
        assert!(store.find(slot, lease).is_none());
        assert_eq!(store.insert(copy), slot);
        assert!(store.find(slot, lease).is_none());
        assert!(store.find(slot, store[slot].lease()).is_some());
    }

    #[test]
    fn the_delivery_count_stops_instead_of_running_into_the_sequence() {
        let lease = Lease::new(5, 1_048_575).received();
        assert_eq!((lease.sequence(), lease.deliveries()), (5, 1_048_575));
    }
}
