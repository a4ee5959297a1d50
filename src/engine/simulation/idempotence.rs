//! The store of idempotence keys that the consumers of one queue share.

use std::collections::{BTreeMap, VecDeque};

use crate::engine::setup::Idempotence;
use crate::engine::time::Micros;

/// What a marked key says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    marked_at: Micros,
    sequence: u64,
    /// The effect behind the mark has been applied.
    pub applied: bool,
}

/// Keys seen, oldest forgotten first.
#[derive(Clone, Default, Debug)]
pub(super) struct KeyStore {
    marks: BTreeMap<u64, Mark>,
    order: VecDeque<(u64, u64)>,
    sequence: u64,
}

impl KeyStore {
    /// The mark of a key, if it is remembered at `now`.
    pub(super) fn get(&mut self, key: u64, now: Micros, rule: &Idempotence) -> Option<Mark> {
        self.forget(now, rule);
        self.marks.get(&key).copied()
    }

    /// Marks a key, or notes that its effect has been applied.
    pub(super) fn mark(&mut self, key: u64, applied: bool, now: Micros, rule: &Idempotence) {
        if let Some(mark) = self.marks.get_mut(&key) {
            mark.applied |= applied;
        } else {
            self.sequence += 1;
            self.marks.insert(
                key,
                Mark {
                    marked_at: now,
                    sequence: self.sequence,
                    applied,
                },
            );
            self.order.push_back((key, self.sequence));
        }
        self.forget(now, rule);
    }

    /// Takes a mark back: the handler that claimed the key has failed.
    pub(super) fn release(&mut self, key: u64) {
        self.marks.remove(&key);
    }

    /// Keys remembered.
    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    fn forget(&mut self, now: Micros, rule: &Idempotence) {
        while let Some(&(key, sequence)) = self.order.front() {
            let current = self
                .marks
                .get(&key)
                .filter(|mark| mark.sequence == sequence);
            let outdated = match current {
                None => true,
                Some(mark) => {
                    rule.window
                        .is_some_and(|window| now - mark.marked_at >= window)
                        || rule
                            .capacity
                            .is_some_and(|capacity| self.marks.len() > capacity as usize)
                }
            };
            if !outdated {
                break;
            }
            if current.is_some() {
                self.marks.remove(&key);
            }
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::setup::{IdempotenceKey, IdempotenceMethod};

    fn rule(window: Option<u64>, capacity: Option<u32>) -> Idempotence {
        Idempotence {
            method: IdempotenceMethod::Transaction,
            key: IdempotenceKey::MessageId,
            window: window.map(Micros),
            capacity,
        }
    }

    #[test]
    fn a_key_is_forgotten_when_its_window_ends() {
        let (mut store, rule) = (KeyStore::default(), rule(Some(10), None));
        store.mark(1, true, Micros(5), &rule);
        assert!(store.get(1, Micros(14), &rule).is_some());
        assert!(store.get(1, Micros(15), &rule).is_none());
    }

    #[test]
    fn the_oldest_key_makes_room_when_the_store_is_full() {
        let (mut store, rule) = (KeyStore::default(), rule(None, Some(2)));
        for key in 1..=3 {
            store.mark(key, true, Micros(key), &rule);
        }
        assert_eq!(store.len(), 2);
        assert!(store.get(1, Micros(3), &rule).is_none());
    }
}
