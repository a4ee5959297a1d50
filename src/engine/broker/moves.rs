//! Copies that go from one queue to another.

use super::aside::Aside;
use super::happening::{Happening, HappeningKind};
use super::queue::Queue;
use super::store::{State, Stored};
use crate::engine::event::DeadLetterReason;
use crate::engine::id::QueueId;
use crate::engine::rules::{CountRule, DeadLetterClock};
use crate::engine::setup::QueueKind;
use crate::engine::time::Micros;

/// A copy on its way from one queue to another.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub to: QueueId,
    pub copy: Stored,
    pub aside: Aside,
    /// A dead letter; otherwise redriven.
    pub is_dead: bool,
    /// Moves of one call that led to this one.
    pub hops: u16,
}

impl Queue {
    /// Takes in a copy that another queue gave up, visible at once.
    ///
    /// A dead-lettered message keeps its delivery count (SQS, recorded: test_dead_letter_queue_message_attributes).
    /// Its retention clock goes on in a standard queue and starts again in a FIFO queue (Developer Guide, "Setting
    /// up dead-letter queue retention"). RabbitMQ publishes it anew, so that age and count start again and a full
    /// queue that refuses sends loses it (guide "dlx").
    ///
    /// A copy that has gone through more queues than there are within one call would go round for ever: it is dropped.
    pub(super) fn take_in(
        &mut self,
        now: Micros,
        moved: Move,
        most_hops: usize,
        moves: &mut Vec<Move>,
        out: &mut Vec<Happening>,
    ) {
        let mut copy = moved.copy;
        copy.set_state(State::Ready);
        copy.moment = now;
        let clock = self.setup.rules.dead_letter_clock;
        let starts_again = match clock {
            DeadLetterClock::ByKind => self.setup.kind == QueueKind::Fifo,
            DeadLetterClock::Kept => false,
            DeadLetterClock::Restarted => true,
        };
        if moved.is_dead && clock == DeadLetterClock::Restarted {
            copy.forget_deliveries();
        }
        if starts_again || !moved.is_dead {
            copy.enqueued = now;
        }
        let reason = if usize::from(moved.hops) > most_hops {
            Some(DeadLetterReason::Cycle)
        } else if !self.exists {
            Some(DeadLetterReason::NoTarget)
        } else {
            self.refuses().then_some(DeadLetterReason::Overflow)
        };
        self.counts.moved_in += 1;
        if let Some(reason) = reason {
            let deliveries = copy.deliveries();
            let kind = HappeningKind::Dropped { reason, deliveries };
            self.counts.dropped += 1;
            out.push(self.happening(Some(&copy), kind));
            return;
        }
        let before = moves.len();
        let slot = self.admit(copy, moved.aside);
        if self.setup.kind == QueueKind::Fifo && copy.enqueued < now {
            self.ages.insert(self.store[slot].position(), slot);
        }
        if self.setup.rules.count == CountRule::OnReturn {
            self.store.set_returns(slot, copy.deliveries());
        }
        self.make_room_for_new(now, moves, out);
        moves
            .iter_mut()
            .skip(before)
            .for_each(|next| next.hops = moved.hops + 1);
    }
}
