//! Acknowledging what is finished: each message by itself, or several together.

use super::Simulation;
use super::consumer::Held;
use super::event_list::{Item, Phase};
use super::travelling::SettleCall;
use crate::engine::event::Ordinal;
use crate::engine::id::ConsumerId;
use crate::engine::time::Micros;

impl Simulation {
    /// A consumer has finished a message: acknowledges it, or keeps it until several are acknowledged together. The
    /// caller's reference to the message passes to this.
    pub(super) fn acknowledge(&mut self, consumer: ConsumerId, held: Held, cause: Ordinal) {
        let state = &mut self.consumers[consumer.index()];
        let Some(together) = state.setup.ack_together else {
            self.settle(consumer, held, SettleCall::Ack, cause);
            return self.release(held.message);
        };
        state.finished.push(held);
        let count = together.count.map_or(usize::MAX, |count| count as usize);
        if state.finished.len() >= count {
            return self.acknowledge_finished(consumer, cause);
        }
        let every = together.every.filter(|every| *every > Micros::ZERO);
        if let Some(every) = every.filter(|_| !state.checkpoint_planned) {
            state.checkpoint_planned = true;
            let item = Item::Checkpoint {
                consumer: consumer.0,
                generation: state.generation,
            };
            let next = Micros((self.list.now().0 / every.0 + 1).saturating_mul(every.0));
            let order = u32::from(consumer.0);
            self.list
                .plan(next, Phase::Endings, order, item, Some(cause));
        }
    }

    /// The time has come to acknowledge what is finished.
    pub(super) fn checkpoint(&mut self, consumer: u16, generation: u32, cause: Option<Ordinal>) {
        let state = &mut self.consumers[usize::from(consumer)];
        if state.generation == generation {
            state.checkpoint_planned = false;
            let cause = cause.unwrap_or(self.ordinal());
            self.acknowledge_finished(ConsumerId(consumer), cause);
        }
    }

    /// Acknowledges all that is finished, in order of finishing.
    pub(super) fn acknowledge_finished(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let finished = std::mem::take(&mut self.consumers[consumer.index()].finished);
        for held in finished {
            self.settle(consumer, held, SettleCall::Ack, cause);
            self.release(held.message);
        }
    }
}
