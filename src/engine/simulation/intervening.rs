//! Commands about the network of one consumer, about one message, and redrives.

use super::Simulation;
use super::event_list::{Item, Phase};
use crate::engine::broker::MessageKey;
use crate::engine::command::{Command, DiscardReason};
use crate::engine::event::{EventKind, Ordinal, Void};
use crate::engine::id::{ConsumerId, MessageNumber, QueueId};
use crate::engine::snapshot::RedriveView;
use crate::engine::time::Micros;

/// A redrive with a rate. What it has yet to move, the broker knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Redriving {
    since: Micros,
    rate: u32,
    /// Moves so far, and looks at messages that were gone.
    steps: u32,
    moved: u32,
    cause: Ordinal,
}

impl Redriving {
    pub(super) fn view(&self, left: u32) -> RedriveView {
        RedriveView {
            left,
            moved: self.moved,
            rate: self.rate,
        }
    }

    /// When the next message moves: the steps keep to the rate over any time, however it divides a second.
    fn next_at(&self) -> Micros {
        let second = Micros::from_secs(1).0;
        self.since + Micros(u64::from(self.steps).saturating_mul(second) / u64::from(self.rate))
    }
}

impl Simulation {
    /// Cuts a consumer off. Its receive that waits at the broker stays there: nobody can take it back.
    pub(super) fn partition(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let state = &mut self.consumers[consumer.index()];
        state.cut_off_by.get_or_insert(cause);
    }

    /// The consumer reaches the broker again. A receive that was made before has lost its connection, and so has a
    /// subscription.
    pub(super) fn heal(&mut self, consumer: ConsumerId, cause: Ordinal) {
        if self.consumers[consumer.index()].cut_off_by.take().is_none() {
            return;
        }
        self.withdraw(consumer);
        let state = &mut self.consumers[consumer.index()];
        state.receiving = false;
        state.asked = None;
        self.lose_connection(consumer, cause);
        if self.consumers[consumer.index()].is_running() {
            self.wake(consumer, cause);
        }
    }

    /// Takes back the waiting receive of a consumer that can reach the broker; says whether there was one.
    pub(super) fn withdraw(&mut self, consumer: ConsumerId) -> bool {
        let state = &self.consumers[consumer.index()];
        state.cut_off_by.is_none() && self.broker.withdraw(state.setup.from, consumer)
    }

    /// Why a command about one message, one that stops a redrive, or one by hand has nothing to act on; none when it has.
    pub(super) fn void(&self, command: &Command) -> Option<Void> {
        if let Command::Receive { .. } | Command::Settle { .. } = command {
            return self.void_by_hand(command);
        }
        if let Command::CloseChannel(consumer) = command {
            let state = self.consumers.get(consumer.index())?;
            let (_, is_open) = self.broker.channel(state.setup.from, *consumer);
            return (!is_open).then_some(Void::AlreadySo);
        }
        let (Command::RedriveMessage { message, .. }
        | Command::Discard { message, .. }
        | Command::SetPoison { message, .. }
        | Command::ExpireNow(message)) = command
        else {
            let stopped = match command {
                Command::CancelRedrive(queue) => self.queues[queue.index()].redriving.is_none(),
                Command::Purge(queue) if self.broker.refuses_purge(self.now(), *queue) => {
                    return Some(Void::TooSoon);
                }
                Command::TakeSession(queue, group)
                    if !self.broker.holds_session(*queue, *group) =>
                {
                    return Some(Void::NotHeld);
                }
                _ => false,
            };
            return stopped.then_some(Void::AlreadySo);
        };
        let Some(key) = self.messages.find(*message) else {
            return Some(Void::NoMessage);
        };
        match command {
            Command::SetPoison { poison, .. } => {
                (self.messages.get(key).poison() == *poison).then_some(Void::AlreadySo)
            }
            Command::ExpireNow(_) => {
                let mut queues = self.all_queues();
                let in_flight = queues.any(|queue| self.broker.is_in_flight(queue, key));
                let mut queues = self.all_queues();
                let times_out = queues.any(|queue| self.broker.times_out(queue, key));
                match (in_flight, times_out) {
                    (false, _) => Some(Void::NotInFlight),
                    (true, false) => Some(Void::NoTimeout),
                    (true, true) => None,
                }
            }
            _ => self
                .dead_letter(*message)
                .is_none()
                .then_some(Void::NotDeadLettered),
        }
    }

    pub(super) fn set_poison(&mut self, number: MessageNumber, poison: bool, cause: Ordinal) {
        let Some(key) = self.messages.find(number) else {
            return;
        };
        if self.messages.get(key).poison() == poison {
            return;
        }
        self.messages.get_mut(key).set_poison(poison);
        let message = number;
        let set = self.emit(EventKind::PoisonSet { message, poison }, Some(cause));
        // What has not been delivered yet has no past to note.
        if self.messages.progress(key).latest.is_some() {
            self.messages.note(key, set);
        }
    }

    pub(super) fn expire_now(&mut self, number: MessageNumber, cause: Ordinal) {
        let Some(key) = self.messages.find(number) else {
            return;
        };
        let now = self.now();
        for queue in self.all_queues() {
            let mut out = std::mem::take(&mut self.out);
            self.broker.end_invisibility(now, queue, key, &mut out);
            let expired = !out.is_empty();
            self.out = out;
            if expired {
                self.follow(queue, Some(cause));
            }
        }
    }

    pub(super) fn redrive_message(&mut self, number: MessageNumber, fix: bool, cause: Ordinal) {
        let Some((key, from)) = self.dead_letter(number) else {
            return;
        };
        if fix {
            self.set_poison(number, false, cause);
        }
        let (now, default_to) = (self.now(), self.source_of(from));
        let mut out = std::mem::take(&mut self.out);
        self.broker
            .redrive_message(now, from, key, default_to, &mut out);
        self.out = out;
        self.follow(from, Some(cause));
    }

    pub(super) fn discard(&mut self, number: MessageNumber, reason: DiscardReason, cause: Ordinal) {
        let Some((key, queue)) = self.dead_letter(number) else {
            return;
        };
        let now = self.now();
        let mut out = std::mem::take(&mut self.out);
        self.broker.discard(now, queue, key, reason, &mut out);
        self.out = out;
        self.follow(queue, Some(cause));
    }

    /// A message in a dead-letter queue, and in which.
    fn dead_letter(&self, number: MessageNumber) -> Option<(MessageKey, QueueId)> {
        let key = self.messages.find(number)?;
        Some((key, self.dead.get(key.0)?.to))
    }

    pub(super) fn all_queues(&self) -> impl Iterator<Item = QueueId> + use<> {
        (0..self.queues.len()).map(|index| QueueId(index as u16))
    }

    /// The first queue that dead-letters into this one.
    fn source_of(&self, from: QueueId) -> Option<QueueId> {
        self.all_queues()
            .find(|queue| self.broker.queue(*queue).dead_letter_queue == Some(from))
    }

    pub(super) fn redrive(
        &mut self,
        from: QueueId,
        limit: Option<u32>,
        rate: Option<u32>,
        cause: Ordinal,
    ) {
        if self.queues[from.index()].redriving.is_some() {
            self.emit(EventKind::RedriveRefused { from }, Some(cause));
            return;
        }
        let (now, default_to) = (self.now(), self.source_of(from));
        let Some(rate) = rate else {
            let mut out = std::mem::take(&mut self.out);
            self.broker.redrive(now, from, limit, default_to, &mut out);
            self.out = out;
            return self.follow(from, Some(cause));
        };
        let count = self.broker.plan_moves(from, limit, default_to);
        let began = self.emit(EventKind::RedriveBegan { from, count }, Some(cause));
        let state = &mut self.queues[from.index()];
        state.redrive_stamp = state.redrive_stamp.wrapping_add(1);
        let stamp = state.redrive_stamp;
        state.redriving = Some(Redriving {
            since: now,
            rate: rate.max(1),
            steps: 0,
            moved: 0,
            cause: began,
        });
        self.move_next(from, stamp);
    }

    /// Moves the next message of a redrive with a rate, and plans the one after it.
    pub(super) fn move_next(&mut self, from: QueueId, stamp: u32) {
        let state = &self.queues[from.index()];
        let Some(redriving) = state.redriving.filter(|_| state.redrive_stamp == stamp) else {
            return;
        };
        let (now, default_to) = (self.now(), self.source_of(from));
        let mut out = std::mem::take(&mut self.out);
        let moved = self.broker.move_next(now, from, default_to, &mut out);
        self.out = out;
        self.follow(from, Some(redriving.cause));
        let redriving = Redriving {
            steps: redriving.steps + 1,
            moved: redriving.moved + u32::from(moved),
            ..redriving
        };
        self.queues[from.index()].redriving = Some(redriving);
        if self.broker.moves_left(from) == 0 {
            return self.end_redrive(from, redriving.cause);
        }
        let (at, order) = (redriving.next_at(), u32::from(from.0));
        let item = Item::Move {
            queue: from.0,
            stamp,
        };
        self.list
            .plan(at, Phase::Commands, order, item, Some(redriving.cause));
    }

    pub(super) fn end_redrive(&mut self, from: QueueId, cause: Ordinal) {
        let Some(redriving) = self.queues[from.index()].redriving.take() else {
            return;
        };
        self.broker.forget_moves(from);
        let moved = redriving.moved;
        self.emit(EventKind::RedriveEnded { from, moved }, Some(cause));
    }
}
