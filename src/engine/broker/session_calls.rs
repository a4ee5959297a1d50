//! The calls of Azure Service Bus about sessions.

use super::Broker;
use super::happening::Happening;
use super::sessions::HeldSession;
use crate::engine::id::{ConsumerId, GroupId, QueueId};
use crate::engine::time::Micros;

impl Broker {
    /// Gives a consumer a session: this one, unless another consumer holds it, or the next one that has messages and
    /// no holder. It may hold several. Returns which it was. Azure Service Bus: AcceptSession, AcceptNextSession.
    pub fn accept_session(
        &mut self,
        now: Micros,
        queue: QueueId,
        consumer: ConsumerId,
        wanted: Option<GroupId>,
        out: &mut Vec<Happening>,
    ) -> Option<GroupId> {
        let queue = &mut self.queues[queue.index()];
        queue.accept_session(now, consumer, wanted, out).flatten()
    }

    /// From now on the receives of a consumer accept sessions, so many at once, and yield one message of each at a
    /// time; zero ends that. Azure Service Bus SDKs: the session processor.
    pub fn accept_by_itself(&mut self, queue: QueueId, consumer: ConsumerId, most: u32) {
        self.queues[queue.index()].accept_by_itself(consumer, most);
    }

    /// Starts the lock of a session again; whether the consumer holds it. Azure Service Bus: RenewSessionLock.
    pub fn renew_session(
        &mut self,
        now: Micros,
        queue: QueueId,
        consumer: ConsumerId,
        group: GroupId,
    ) -> bool {
        self.queues[queue.index()].renew_session(now, consumer, Some(group))
    }

    /// Ends a session of a consumer, or all of them: what it holds of it returns, and that counts as no delivery.
    pub fn close_session(
        &mut self,
        now: Micros,
        queue: QueueId,
        consumer: ConsumerId,
        group: Option<GroupId>,
        out: &mut Vec<Happening>,
    ) {
        let moves = &mut self.moves;
        self.queues[queue.index()].close_session(now, consumer, group, moves, out);
        self.move_copies(now, out);
    }

    /// Takes a session from whoever holds it, as if its lock had ended: this one, or the one held for longest. Whether
    /// there was one.
    pub fn take_session(
        &mut self,
        now: Micros,
        queue: QueueId,
        group: Option<GroupId>,
        out: &mut Vec<Happening>,
    ) -> bool {
        let taken = self.queues[queue.index()].take_session(now, group, &mut self.moves, out);
        self.move_copies(now, out);
        taken
    }

    /// Whether [`Broker::take_session`] has one to take.
    pub fn holds_session(&self, queue: QueueId, group: Option<GroupId>) -> bool {
        self.queues[queue.index()].session_to_take(group).is_some()
    }

    /// The sessions that are held, by group.
    pub fn sessions(&self, queue: QueueId) -> impl Iterator<Item = &HeldSession> {
        self.queues[queue.index()].sessions.all()
    }

    /// The process of a consumer is gone: it gets nothing any more of the sessions that it holds, and they end with
    /// their locks. Azure Service Bus learns nothing of a receiver that dies.
    pub fn orphan_sessions(&mut self, queue: QueueId, consumer: ConsumerId) {
        self.queues[queue.index()].orphan_sessions(consumer);
    }

    /// Whether a purge would be refused, because the last one was not long ago.
    pub fn refuses_purge(&self, now: Micros, queue: QueueId) -> bool {
        self.queues[queue.index()].refuses_purge(now)
    }
}
