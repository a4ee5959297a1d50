//! Circuit breakers: a consumer that stops receiving while its work fails.

use super::Simulation;
use super::event_list::{Item, Phase};
use crate::engine::event::{EventKind, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::snapshot::BreakerState;

impl Simulation {
    /// A handler succeeded: failures are counted anew, and a trial closes the breaker.
    pub(super) fn note_success(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let state = &mut self.consumers[consumer.index()];
        state.failures = 0;
        if state.breaker == BreakerState::HalfOpen {
            self.close_breaker(consumer, cause);
        }
    }

    /// A handler failed. What the consumer still holds while its breaker is open is worked on, and opens it no further.
    pub(super) fn note_failure(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        let Some(rule) = state.setup.breaker else {
            return;
        };
        state.failures = state.failures.saturating_add(1);
        let opens = match state.breaker {
            BreakerState::Closed => state.failures >= rule.failures,
            BreakerState::Open(_) => false,
            BreakerState::HalfOpen => true,
        };
        if !opens {
            return;
        }
        let until = now + rule.open_for;
        state.breaker = BreakerState::Open(until);
        state.breaker_stamp = state.breaker_stamp.wrapping_add(1);
        let item = Item::HalfOpens {
            consumer: consumer.0,
            stamp: state.breaker_stamp,
        };
        let opened = self.emit(EventKind::BreakerOpened { consumer }, Some(cause));
        self.stop_receiving(consumer);
        self.cancel_subscription(consumer, opened);
        let order = u32::from(consumer.0);
        self.list
            .plan(until, Phase::Actors, order, item, Some(opened));
    }

    /// The time of an open breaker is over: one message is tried.
    pub(super) fn half_opens(&mut self, consumer: u16, stamp: u32, cause: Option<Ordinal>) {
        let state = &mut self.consumers[usize::from(consumer)];
        if state.breaker_stamp == stamp && matches!(state.breaker, BreakerState::Open(_)) {
            state.breaker = BreakerState::HalfOpen;
            self.receive(ConsumerId(consumer), cause);
        }
    }

    /// Closes the breaker, if it is not.
    pub(super) fn close_breaker(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let state = &mut self.consumers[consumer.index()];
        state.failures = 0;
        if std::mem::take(&mut state.breaker) != BreakerState::Closed {
            self.emit(EventKind::BreakerClosed { consumer }, Some(cause));
            self.forget_subscription(consumer);
        }
    }
}
