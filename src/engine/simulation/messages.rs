//! The live messages of a run: those with a copy stored, held or on its way.

use super::by_slot::BySlot;
use crate::engine::broker::MessageKey;
use crate::engine::event::Ordinal;
use crate::engine::id::{BodyId, DeduplicationId, GroupId, MessageNumber, ProducerId};
use crate::engine::setup::Processing;
use crate::engine::time::Micros;

/// One logical message while it is live. Kept small: a waiting message costs one of these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub sent_at: Micros,
    pub number: MessageNumber,
    group: u32,
    producer: u16,
    /// Copies stored, held and travelling, and re-sends that may still be made.
    references: u16,
    flags: u8,
}

const NONE_U32: u32 = u32::MAX;
const NONE_U16: u16 = u16::MAX;
const POISON: u8 = 1;
const ACCEPTED: u8 = 2;
const HANDLED: u8 = 4;
const HAS_EXTRA: u8 = 8;
const CONFIRMED: u8 = 16;
const DISCARDED: u8 = 32;

impl Message {
    pub(super) fn group(&self) -> Option<GroupId> {
        (self.group != NONE_U32).then_some(GroupId(self.group))
    }

    pub(super) fn producer(&self) -> Option<ProducerId> {
        (self.producer != NONE_U16).then_some(ProducerId(self.producer))
    }

    pub(super) fn poison(&self) -> bool {
        self.flags & POISON != 0
    }

    pub(super) fn set_poison(&mut self, poison: bool) {
        self.flags = self.flags & !POISON | if poison { POISON } else { 0 };
    }

    /// The broker has stored it at least once.
    pub(super) fn accepted(&self) -> bool {
        self.flags & ACCEPTED != 0
    }

    pub(super) fn set_accepted(&mut self) {
        self.flags |= ACCEPTED;
    }

    /// Another message with the same business key has had the effect for it.
    pub(super) fn handled(&self) -> bool {
        self.flags & HANDLED != 0
    }

    pub(super) fn set_handled(&mut self) {
        self.flags |= HANDLED;
    }

    /// A person removed it from a dead-letter queue and said why: it is not lost.
    pub(super) fn discarded(&self) -> bool {
        self.flags & DISCARDED != 0
    }

    pub(super) fn set_discarded(&mut self) {
        self.flags |= DISCARDED;
    }

    /// Its producer has had a confirm.
    pub(super) fn confirmed(&self) -> bool {
        self.flags & CONFIRMED != 0
    }

    pub(super) fn set_confirmed(&mut self) {
        self.flags |= CONFIRMED;
    }
}

/// What has become of a message that has been delivered. Messages that wait for their first delivery have none.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Progress {
    /// Its last delivery, return or crash: causes what happens to it next.
    pub latest: Option<Ordinal>,
    /// Deliveries over its whole life; a redrive does not reset it.
    pub deliveries: u32,
    /// Effects so far.
    pub effects: u32,
}

/// What only explicit sends carry.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Extra {
    pub body: Option<BodyId>,
    pub amount: Option<u32>,
    pub fails: u32,
    pub processing: Option<Processing>,
    pub deduplication_id: Option<DeduplicationId>,
    pub delay: Option<Micros>,
    pub priority: Option<u8>,
    pub ttl: Option<Micros>,
    pub transient: bool,
}

impl Extra {
    fn is_empty(&self) -> bool {
        self.body.is_none()
            && self.amount.is_none()
            && self.fails == 0
            && self.processing.is_none()
            && self.deduplication_id.is_none()
            && self.delay.is_none()
            && self.priority.is_none()
            && self.ttl.is_none()
            && !self.transient
    }
}

/// A message to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewMessage {
    pub sent_at: Micros,
    pub group: Option<GroupId>,
    pub producer: Option<ProducerId>,
    pub poison: bool,
    pub extra: Extra,
}

/// The live messages by key, and the number of the next one.
#[derive(Clone, Default, Debug)]
pub(super) struct MessageTable {
    slots: Vec<Message>,
    free: Vec<u32>,
    extras: BySlot<Extra>,
    progress: BySlot<Progress>,
    sent: u32,
}

impl MessageTable {
    /// Adds a message with one reference, which the caller owns.
    pub(super) fn add(&mut self, new: NewMessage) -> MessageKey {
        self.sent = self.sent.saturating_add(1);
        let flags = if new.poison { POISON } else { 0 };
        let message = Message {
            sent_at: new.sent_at,
            number: MessageNumber(self.sent),
            group: new.group.map_or(NONE_U32, |group| group.0),
            producer: new.producer.map_or(NONE_U16, |producer| producer.0),
            references: 1,
            flags: if new.extra.is_empty() {
                flags
            } else {
                flags | HAS_EXTRA
            },
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = message;
                slot
            }
            None => {
                self.slots.push(message);
                (self.slots.len() - 1) as u32
            }
        };
        if !new.extra.is_empty() {
            self.extras.insert(slot, new.extra);
        }
        MessageKey(slot)
    }

    pub(super) fn get(&self, key: MessageKey) -> &Message {
        &self.slots[key.0 as usize]
    }

    pub(super) fn get_mut(&mut self, key: MessageKey) -> &mut Message {
        &mut self.slots[key.0 as usize]
    }

    pub(super) fn extra(&self, key: MessageKey) -> Extra {
        if self.get(key).flags & HAS_EXTRA == 0 {
            return Extra::default();
        }
        self.extras.get(key.0).copied().unwrap_or_default()
    }

    /// What has become of it so far.
    pub(super) fn progress(&self, key: MessageKey) -> Progress {
        self.progress.get(key.0).copied().unwrap_or_default()
    }

    pub(super) fn progress_mut(&mut self, key: MessageKey) -> &mut Progress {
        self.progress.get_or_insert(key.0, Progress::default())
    }

    /// Notes what causes what happens to the message next.
    pub(super) fn note(&mut self, key: MessageKey, latest: Ordinal) {
        self.progress_mut(key).latest = Some(latest);
    }

    pub(super) fn add_reference(&mut self, key: MessageKey) {
        let message = self.get_mut(key);
        message.references = message.references.saturating_add(1);
    }

    /// Gives a reference up. Returns the message if that was the last one: it is live no more.
    pub(super) fn drop_reference(&mut self, key: MessageKey) -> Option<(Message, Progress)> {
        let message = self.get_mut(key);
        message.references = message.references.saturating_sub(1);
        if message.references > 0 {
            return None;
        }
        let message = *message;
        self.free.push(key.0);
        if message.flags & HAS_EXTRA != 0 {
            self.extras.remove(key.0);
        }
        let progress = self.progress.remove(key.0).unwrap_or_default();
        Some((message, progress))
    }

    /// The number of the newest message.
    pub(super) fn newest(&self) -> MessageNumber {
        MessageNumber(self.sent)
    }

    /// How many messages are live.
    pub(super) fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The live message of this number. Looks through all of them.
    pub(super) fn find(&self, number: MessageNumber) -> Option<MessageKey> {
        let position = self
            .slots
            .iter()
            .position(|message| message.number == number && message.references > 0)?;
        Some(MessageKey(position as u32))
    }

    pub(super) fn approximate_bytes(&self) -> usize {
        self.slots.len() * size_of::<Message>()
            + self.free.len() * 4
            + self.extras.len() * 64
            + self.progress.len() * 40
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_message_costs_at_most_24_bytes_here() {
        assert!(size_of::<Message>() <= 24, "{}", size_of::<Message>());
    }
}
