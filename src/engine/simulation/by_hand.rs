//! A person in the place of a consumer: receives and settles by command.

use super::Simulation;
use super::consumer::{Asked, Held, Job, Place};
use super::travelling::SettleCall;
use crate::engine::command::{Command, HandCall};
use crate::engine::event::{EventKind, FailureReason, Ordinal, Void};
use crate::engine::id::{ConsumerId, MessageNumber};
use crate::engine::setup::IdempotenceMethod;
use crate::engine::snapshot::ConsumerStatus;
use crate::engine::time::Micros;

impl Simulation {
    /// Why a command by hand has nothing to act on; none when it has.
    pub(super) fn void_by_hand(&self, command: &Command) -> Option<Void> {
        let (Command::Receive { consumer, .. } | Command::Settle { consumer, .. }) = command else {
            return None;
        };
        let state = self.consumers.get(consumer.index())?;
        if !state.setup.by_hand {
            return Some(Void::NotByHand);
        }
        let alive = match command {
            Command::Settle { .. } => {
                [ConsumerStatus::Running, ConsumerStatus::Paused].contains(&state.status)
            }
            _ => state.status == ConsumerStatus::Running,
        };
        if !alive {
            return Some(Void::NotRunning);
        }
        match command {
            Command::Settle { message, .. } => self
                .held_by_hand(*consumer, *message)
                .is_none()
                .then_some(Void::NotHeld),
            _ if state.cut_off_by.is_some() => Some(Void::CutOff),
            _ => state.receiving.then_some(Void::AlreadySo),
        }
    }

    /// Where in the buffer the delivery is that a person means.
    fn held_by_hand(&self, consumer: ConsumerId, message: MessageNumber) -> Option<usize> {
        let buffer = &self.consumers[consumer.index()].buffer;
        let is_it = |held: &Held| self.messages.get(held.message).number == message;
        let leased = buffer
            .iter()
            .position(|held| is_it(held) && self.broker.holds_lease(held.receipt));
        leased.or_else(|| buffer.iter().position(is_it))
    }

    pub(super) fn receive_by_hand(
        &mut self,
        consumer: ConsumerId,
        max: u16,
        wait: Micros,
        cause: Ordinal,
    ) {
        let max = u32::from(max.max(1));
        self.consumers[consumer.index()].asked = Some(Asked { max, wait });
        self.ask(consumer, Some(cause));
    }

    pub(super) fn settle_by_hand(
        &mut self,
        consumer: ConsumerId,
        message: MessageNumber,
        call: HandCall,
        cause: Ordinal,
    ) {
        let Some(place) = self.held_by_hand(consumer, message) else {
            return;
        };
        let state = &mut self.consumers[consumer.index()];
        if let HandCall::Extend { to } = call {
            let held = state.buffer.get(place).copied();
            if let Some(held) = held.filter(|held| !held.acked) {
                self.settle(consumer, held, SettleCall::Extend { to }, cause);
            }
            return;
        }
        let Some(held) = state.buffer.remove(place) else {
            return;
        };
        let cause = match call {
            HandCall::Ack => self.work_by_hand(consumer, held, cause),
            _ => cause,
        };
        let call = match call {
            HandCall::Nack { delay } => SettleCall::Nack { delay },
            HandCall::Fail => SettleCall::Fail,
            HandCall::Reject => SettleCall::Reject,
            HandCall::Ack | HandCall::Extend { .. } => SettleCall::Ack,
        };
        if !held.acked {
            self.settle(consumer, held, call, cause);
        }
        self.release(held.message);
    }

    /// The person does the work at once: its effect, and what guards it. Returns the event that ends it.
    fn work_by_hand(&mut self, consumer: ConsumerId, held: Held, cause: Ordinal) -> Ordinal {
        let message = *self.messages.get(held.message);
        let (number, worker, delivery) = (message.number, 0, held.delivery);
        let skips = self.check_idempotence(consumer, held.message);
        let lease_over = !held.acked && !self.broker.holds_lease(held.receipt);
        let started = self.emit(
            EventKind::Started {
                message: number,
                consumer,
                worker,
                delivery,
                work: Micros::ZERO,
                lease_over,
            },
            Some(cause),
        );
        if message.poison() && skips.is_none() {
            self.totals.failed += 1;
            let reason = FailureReason::Poison;
            let kind = EventKind::Failed {
                message: number,
                consumer,
                worker,
                delivery,
                reason,
            };
            return self.emit(kind, Some(started));
        }
        let state = &mut self.consumers[consumer.index()];
        state.executions += 1;
        let method = state.setup.idempotence.method;
        self.totals.executions += 1;
        let kind = EventKind::Finished {
            message: number,
            consumer,
            worker,
            delivery,
        };
        let finished = self.emit(kind, Some(started));
        let job = Job {
            held,
            started: self.now(),
            ends: self.now(),
            stamp: 0,
            started_event: started,
            skips,
            claimed: method == IdempotenceMethod::ClaimFirst && skips.is_none(),
            settling: false,
            place: Place::None,
        };
        self.apply_effect(consumer, &job, finished);
        if method == IdempotenceMethod::CheckFirst && skips.is_none() {
            self.mark(consumer, held.message, true);
        }
        finished
    }
}
