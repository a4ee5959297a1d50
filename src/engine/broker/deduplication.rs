//! Which sends were accepted lately.

use super::call::{DeduplicationKey, Incoming};
use crate::engine::id::MessageNumber;
use crate::engine::rules::DeduplicationFrom;
use crate::engine::setup::{Deduplication, DeduplicationScope, QueueSetup};
use crate::engine::time::Micros;
use std::collections::{BTreeMap, VecDeque};

/// What makes two sends the same: the group, where it counts, and the id or content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key(Option<u32>, DeduplicationKey);

/// The deduplication ids that a queue remembers, with the message that each stands for.
///
/// SQS FIFO: the window runs from the first accepted send and survives receive and delete; a suppressed send does
/// not renew it (API Reference, SendMessage). With [`DeduplicationFrom::Removal`] an id is remembered for as long as
/// its message is there, and the window runs from its removal.
#[derive(Clone, Default, Debug)]
pub(super) struct Memory {
    accepted: BTreeMap<Key, MessageNumber>,
    oldest_first: VecDeque<(Micros, Key)>,
}

impl Memory {
    /// What this send would be remembered by, if the queue deduplicates it.
    pub(super) fn key(setup: &QueueSetup, incoming: &Incoming) -> Option<Key> {
        let id = match setup.deduplication {
            Deduplication::Off => return None,
            Deduplication::ById => incoming.deduplication_id?,
            Deduplication::ByContent => incoming.deduplication_id.unwrap_or(incoming.content),
        };
        let scope = match setup.deduplication_scope {
            DeduplicationScope::Queue => None,
            DeduplicationScope::Group => Some(incoming.group.map_or(u32::MAX, |group| group.0)),
        };
        Some(Key(scope, id))
    }

    /// The message that a send with this key repeats.
    pub(super) fn find(
        &mut self,
        now: Micros,
        setup: &QueueSetup,
        key: Key,
    ) -> Option<MessageNumber> {
        self.forget_before(now, setup.deduplication_window);
        self.accepted.get(&key).copied()
    }

    /// Remembers an accepted send. Returns what its copy has to hold until [`Memory::removed`].
    pub(super) fn remember(
        &mut self,
        now: Micros,
        setup: &QueueSetup,
        key: Key,
        number: MessageNumber,
    ) -> Option<Key> {
        self.accepted.insert(key, number);
        if setup.rules.deduplication_from == DeduplicationFrom::Removal {
            return Some(key);
        }
        self.begin_window(now, setup, key);
        None
    }

    /// Starts the window of a copy that is there no more.
    pub(super) fn removed(&mut self, now: Micros, setup: &QueueSetup, key: Key) {
        if self.accepted.contains_key(&key) {
            self.begin_window(now, setup, key);
        }
    }

    fn begin_window(&mut self, now: Micros, setup: &QueueSetup, key: Key) {
        self.oldest_first.push_back((now, key));
        let most = setup.rules.deduplication_kept;
        while most.is_some_and(|most| self.oldest_first.len() > most as usize) {
            if let Some((_, oldest)) = self.oldest_first.pop_front() {
                self.accepted.remove(&oldest);
            }
        }
    }

    fn forget_before(&mut self, now: Micros, window: Micros) {
        while let Some(&(at, key)) = self.oldest_first.front() {
            if at + window > now {
                break;
            }
            self.oldest_first.pop_front();
            self.accepted.remove(&key);
        }
    }

    /// Ids remembered.
    pub(super) fn len(&self) -> usize {
        self.accepted.len()
    }

    /// Forgets everything. SQS: a purge does (recorded: test_purge_queue_clears_fifo_deduplication_cache).
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
