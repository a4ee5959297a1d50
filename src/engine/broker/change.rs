//! Changes of settings, purge and redrive: the calls that may look at every message once.

use super::happening::{Happening, HappeningKind};
use super::moves::Move;
use super::queue::Queue;
use super::store::State;
use crate::engine::command::QueueChange;
use crate::engine::id::{GroupId, QueueId};
use crate::engine::rules::Rule;
use crate::engine::setup::QueueKind;
use crate::engine::time::Micros;
use std::collections::BTreeSet;

impl Queue {
    /// Changes a setting.
    ///
    /// SQS: a lowered retention applies to messages already there (API Reference, SetQueueAttributes); a changed
    /// delay does so on FIFO queues only (Developer Guide, "delay queues"); a changed visibility timeout acts on later
    /// receives (observed). Everything acts at once here, where AWS takes up to 60 s, and 15 min for retention.
    pub(super) fn change(
        &mut self,
        now: Micros,
        change: &QueueChange,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        self.set_now(now);
        match change {
            QueueChange::Retention(_) => self.rebuild_timers(|queue| queue.setup.apply(change)),
            QueueChange::Delay(_) if self.setup.kind == QueueKind::Fifo => {
                self.rebuild_timers(|queue| {
                    queue.setup.apply(change);
                    queue.delay_anew(now);
                });
                self.rebuild_order();
            }
            QueueChange::Rule(
                Rule::Ttl(_)
                | Rule::ExpiryNoticed(_)
                | Rule::Capacity(_)
                | Rule::CapacityCounts(_)
                | Rule::Overflow(_),
            ) => {
                self.setup.apply(change);
                self.watch_all();
                self.note_ages();
                self.notice(now, moves, out);
            }
            QueueChange::Kind(_) | QueueChange::Shards { .. } => {
                self.setup.apply(change);
                self.rebuild_order();
            }
            QueueChange::Rule(rule) => {
                self.change_counting(rule);
                self.change_hand_over(now, rule);
                self.setup.apply(change);
                self.follow_rules();
                // Of messages that came back at one instant, a new order forgets which came first.
                if matches!(
                    rule,
                    Rule::ReturnsTo(_)
                        | Rule::Priority(_)
                        | Rule::GroupRule(_)
                        | Rule::FairShare(_)
                ) {
                    self.rebuild_order();
                }
            }
            _ => self.setup.apply(change),
        }
    }

    /// Applies the queue's delay to all messages that were never received. One that is due by now becomes visible by
    /// its timer.
    fn delay_anew(&mut self, now: Micros) {
        let delay = self.setup.delay;
        for slot in self.store.in_order() {
            let origin = self.store.origin(slot);
            let copy = &mut self.store[slot];
            let visible_at = copy.enqueued + delay;
            let is_new = copy.deliveries() == 0 && origin.is_none();
            if copy.state() == State::Delayed {
                copy.moment = visible_at;
            } else if copy.state() == State::Ready && is_new && visible_at > now {
                copy.set_state(State::Delayed);
                copy.moment = visible_at;
                self.counts.ready -= 1;
                self.counts.delayed += 1;
            }
        }
    }

    /// Removes all messages and forgets deduplication ids.
    ///
    /// SQS: a purge removes visible, delayed and in-flight messages (recorded:
    /// test_purge_queue_deletes_inflight_messages, test_purge_queue_clears_fifo_deduplication_cache).
    pub(super) fn purge(&mut self, now: Micros, out: &mut Vec<Happening>) {
        if self.channels.hold_any() {
            return self.purge_unheld(now, out);
        }
        self.counts.purged += self.empty(HappeningKind::Purged, out);
    }

    /// RabbitMQ: what is handed out and not acknowledged stays (AMQP 0-9-1, queue.purge).
    fn purge_unheld(&mut self, now: Micros, out: &mut Vec<Happening>) {
        for slot in self.store.in_order() {
            if self.channels.holder(slot).is_none() {
                let copy = self.remove(slot, now);
                out.push(self.happening(Some(&copy), HappeningKind::Purged));
                self.counts.purged += 1;
            }
        }
        self.memory.clear();
    }

    /// Takes out up to `limit` messages that could be received, oldest first, for the queues they came from.
    ///
    /// SQS StartMessageMoveTask: without a destination each message goes back to its own source queue, oldest first,
    /// and counts as new with a new enqueue time (Developer Guide, "dead-letter queue redrive"). That the delivery
    /// count starts again follows from "new"; AWS does not say so.
    pub(super) fn redrive(
        &mut self,
        now: Micros,
        limit: Option<u32>,
        target: impl Fn(Option<QueueId>) -> Option<QueueId>,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) -> u32 {
        let mut moved = 0;
        for slot in self.receivable_in_order() {
            let Some(to) = target(self.store.origin(slot)).filter(|&to| to != self.id) else {
                continue;
            };
            if limit.is_some_and(|limit| moved >= limit) {
                break;
            }
            self.redrive_copy(now, slot, to, moves, out);
            moved += 1;
        }
        moved
    }

    /// Visible messages in send order; on FIFO queues those before the first hidden one of their group.
    pub(super) fn receivable_in_order(&self) -> Vec<u32> {
        let mut locked: BTreeSet<Option<GroupId>> = BTreeSet::new();
        let mut slots = self.store.in_order();
        let is_fifo = self.setup.kind == QueueKind::Fifo;
        slots.retain(|&slot| {
            let copy = &self.store[slot];
            if is_fifo && copy.is_in_flight() {
                locked.insert(copy.group());
            }
            copy.state() == State::Ready && !locked.contains(&copy.group())
        });
        slots
    }
}
