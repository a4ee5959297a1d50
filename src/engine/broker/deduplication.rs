//! Which sends were accepted lately.

use super::call::{DeduplicationKey, Incoming};
use crate::engine::id::MessageNumber;
use crate::engine::setup::{Deduplication, DeduplicationScope, QueueSetup};
use crate::engine::time::Micros;
use std::collections::{BTreeMap, VecDeque};

/// What makes two sends the same: the group, where it counts, and the id or content.
type Key = (Option<u32>, DeduplicationKey);

/// The deduplication ids that a queue remembers, with the message that each stands for.
///
/// SQS FIFO: the window runs from the first accepted send and survives receive and delete; a suppressed send does
/// not renew it (API Reference, SendMessage).
#[derive(Clone, Default, Debug)]
pub(super) struct Memory {
    accepted: BTreeMap<Key, MessageNumber>,
    oldest_first: VecDeque<(Micros, Key)>,
}

impl Memory {
    /// The message that this send repeats; otherwise the send is remembered, if the queue deduplicates.
    pub(super) fn check(
        &mut self,
        now: Micros,
        setup: &QueueSetup,
        incoming: &Incoming,
    ) -> Option<MessageNumber> {
        let id = match setup.deduplication {
            Deduplication::Off => return None,
            Deduplication::ById => incoming.deduplication_id?,
            Deduplication::ByContent => incoming.deduplication_id.unwrap_or(incoming.content),
        };
        self.forget_before(now, setup.deduplication_window);
        let scope = match setup.deduplication_scope {
            DeduplicationScope::Queue => None,
            DeduplicationScope::Group => Some(incoming.group.map_or(u32::MAX, |group| group.0)),
        };
        let key = (scope, id);
        if let Some(&first) = self.accepted.get(&key) {
            return Some(first);
        }
        self.accepted.insert(key, incoming.number);
        self.oldest_first.push_back((now, key));
        None
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
        self.oldest_first.len()
    }

    /// Forgets everything. SQS: a purge does (recorded: test_purge_queue_clears_fifo_deduplication_cache).
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
