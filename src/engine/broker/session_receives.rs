//! Receives on a queue with sessions.

use super::hand_over::Answer;
use super::order::Order;
use super::queue::Queue;
use super::store::State;
use crate::engine::id::{ConsumerId, GroupId};

impl Queue {
    /// Whether this consumer may be given a message of one of its sessions, or a session.
    pub(super) fn has_for(&self, consumer: ConsumerId) -> bool {
        let Order::Fifo(lanes) = &self.order else {
            return false;
        };
        let accepting = self.sessions.accepting.get(&consumer.0.into());
        let mut held = 0;
        for group in self.sessions.of_consumer(consumer) {
            held += 1;
            let works = accepting.is_some() && self.sessions.in_flight(group) > 0;
            if !works && lanes.ready_of(group) > 0 {
                return true;
            }
        }
        accepting.is_some_and(|&most| held < most) && lanes.is_receivable()
    }

    /// Hands out messages of the sessions that the consumer holds, and accepts a further one for it if it asked for
    /// that.
    pub(super) fn answer_from_sessions(&mut self, answer: &mut Answer<'_>) {
        let consumer = answer.demand.consumer;
        let accepting = self.sessions.accepting.get(&consumer.0.into()).copied();
        let groups: Vec<Option<GroupId>> = self.sessions.of_consumer(consumer).collect();
        let held = groups.len() as u32;
        for group in groups {
            self.take_from_session(group, accepting.is_some(), answer);
        }
        let further = accepting.map_or(0, |most| most.saturating_sub(held));
        for _ in 0..further {
            if answer.is_full() || self.is_at_in_flight_limit() {
                break;
            }
            let Some(group) = self.accept_session(answer.now, consumer, None, answer.out) else {
                break;
            };
            self.take_from_session(group, true, answer);
        }
    }

    fn take_from_session(
        &mut self,
        group: Option<GroupId>,
        one_by_one: bool,
        answer: &mut Answer<'_>,
    ) {
        let Order::Fifo(lanes) = &self.order else {
            return;
        };
        let Some(mut walk) = lanes.walk_group(group) else {
            return;
        };
        // One by one, the next comes when none is in flight any more.
        let most = if one_by_one { 1 } else { u32::MAX };
        while !answer.is_full()
            && !self.is_at_in_flight_limit()
            && self.sessions.in_flight(group) < most
            && let Order::Fifo(lanes) = &self.order
            && lanes.ready_of(group) > 0
            && let Some(slot) = lanes.step(&mut walk, &self.store)
        {
            if self.store[slot].state() == State::Ready {
                self.renew(answer.now, group);
                self.hand_over(slot, answer);
            }
        }
    }
}
