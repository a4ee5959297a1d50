//! Consumers that take over what others hold for too long.

use super::Simulation;
use super::consuming::LEAST_INTERVAL;
use super::event_list::{Item, Phase};
use super::travelling::{NO_MESSAGE, Parcel, ParcelKind};
use crate::engine::broker::{Claim, HappeningKind};
use crate::engine::id::ConsumerId;
use crate::engine::time::Micros;

impl Simulation {
    /// Plans the next claim of a consumer that makes any, in place of one that is planned.
    pub(super) fn plan_claim(&mut self, consumer: ConsumerId) {
        let state = &mut self.consumers[consumer.index()];
        state.claim_stamp = state.claim_stamp.wrapping_add(1);
        let Some(claim) = state.setup.claim else {
            return;
        };
        let item = Item::Claim {
            consumer: consumer.0,
            stamp: state.claim_stamp,
        };
        let at = self.list.now() + claim.every.max(LEAST_INTERVAL);
        let order = u32::from(consumer.0);
        self.list.plan(at, Phase::Actors, order, item, None);
    }

    /// Makes a claim, unless the consumer is down, full or cut off.
    pub(super) fn make_claim(&mut self, consumer: u16, stamp: u32) {
        let id = ConsumerId(consumer);
        let state = &self.consumers[id.index()];
        if state.claim_stamp != stamp {
            return;
        }
        let (generation, is_able) = (state.generation, state.room_for_claims() > 0);
        self.plan_claim(id);
        if !is_able {
            return;
        }
        let delay = self.network.ack_delay;
        if delay == Micros::ZERO {
            return self.claim_arrives(id);
        }
        let kind = ParcelKind::Claim {
            consumer: id,
            generation,
        };
        let message = NO_MESSAGE;
        // What follows from a claim names what became of the message before; this names nothing.
        let cause = self.ordinal();
        self.dispatch(Parcel { message, kind }, delay, Phase::Actors, cause);
    }

    /// A claim reaches the broker. It goes on where the last one ended.
    pub(super) fn claim_arrives(&mut self, consumer: ConsumerId) {
        let now = self.now();
        let state = &self.consumers[consumer.index()];
        let (queue, from, max) = (
            state.setup.from,
            state.claim_cursor,
            state.room_for_claims(),
        );
        let Some(claiming) = state.setup.claim.filter(|_| max > 0) else {
            return;
        };
        let claim = Claim {
            consumer,
            min_idle: claiming.min_idle,
            max,
        };
        let mut out = std::mem::take(&mut self.out);
        let next = self.broker.claim(now, queue, claim, from, &mut out);
        self.out = out;
        let state = &mut self.consumers[consumer.index()];
        state.claim_cursor = next;
        let is_delivery = |kind| matches!(kind, HappeningKind::Delivered { .. });
        if self.out.iter().any(|it| is_delivery(it.kind)) {
            // Its waiting receive asked for more than there is room for now; it receives anew.
            self.broker.withdraw(queue, consumer);
        }
        self.follow(queue, None);
    }
}
