//! Consumers of a queue with sessions: they accept the next session, work its messages one by one, and give it up when
//! it gives them nothing for a while. Azure Service Bus SDKs: the session processor, SessionIdleTimeout.

use super::Simulation;
use super::event_list::{Item, Phase};
use crate::engine::broker::MessageKey;
use crate::engine::event::{EventKind, Ordinal};
use crate::engine::id::{ConsumerId, GroupId, QueueId};
use crate::engine::rules::GroupRule;
use crate::engine::setup::QueueKind;

/// A session as its holder knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenSession {
    group: Option<GroupId>,
    /// Tells an outdated plan to give it up.
    stamp: u32,
}

impl Simulation {
    fn has_sessions(&self, queue: QueueId) -> bool {
        let setup = self.broker.queue(queue);
        setup.kind == QueueKind::Fifo && setup.rules.group_rule == GroupRule::Session
    }

    /// A receive that is about to be made takes sessions, one for each worker.
    pub(super) fn seek_sessions(&mut self, queue: QueueId, consumer: ConsumerId) {
        if self.has_sessions(queue) {
            let workers = u32::from(self.consumers[consumer.index()].setup.workers);
            self.broker
                .accept_by_itself(queue, consumer, workers.max(1));
        }
    }

    /// A consumer holds a session.
    pub(super) fn session_opens(
        &mut self,
        consumer: ConsumerId,
        group: Option<GroupId>,
        cause: Ordinal,
    ) {
        self.session_stamp(consumer, group);
        self.session_rests(consumer, group, cause);
    }

    /// A message of a session came: it is not idle.
    pub(super) fn session_works(
        &mut self,
        queue: QueueId,
        consumer: ConsumerId,
        group: Option<GroupId>,
    ) {
        if self.has_sessions(queue) {
            self.session_stamp(consumer, group);
        }
    }

    /// A new stamp for a session, which outdates what was planned for it.
    fn session_stamp(&mut self, consumer: ConsumerId, group: Option<GroupId>) -> u32 {
        let state = &mut self.consumers[consumer.index()];
        let stamp = state.next_stamp();
        let known = state.sessions.iter_mut().find(|open| open.group == group);
        match known {
            Some(open) => open.stamp = stamp,
            None => state.sessions.push(OpenSession { group, stamp }),
        }
        stamp
    }

    /// The work on a message of a session is over: the consumer waits for the next one.
    pub(super) fn session_rests_after(&mut self, consumer: ConsumerId, message: MessageKey) {
        if self.consumers[consumer.index()].sessions.is_empty() {
            return;
        }
        let group = self.messages.get(message).group();
        let is_open = |open: &OpenSession| open.group == group;
        if self.consumers[consumer.index()]
            .sessions
            .iter()
            .any(is_open)
        {
            let cause = self.messages.progress(message).latest;
            let cause = cause.unwrap_or(self.ordinal());
            self.session_rests(consumer, group, cause);
        }
    }

    fn session_rests(&mut self, consumer: ConsumerId, group: Option<GroupId>, cause: Ordinal) {
        let state = &self.consumers[consumer.index()];
        if state.setup.by_hand {
            return;
        }
        let at = self.now() + state.setup.session_idle;
        let item = Item::SessionIdle {
            consumer: consumer.0,
            stamp: self.session_stamp(consumer, group),
        };
        let order = u32::from(consumer.0);
        self.list.plan(at, Phase::Actors, order, item, Some(cause));
    }

    /// A session gave nothing for so long that its holder gives it up.
    pub(super) fn session_idle(&mut self, consumer: u16, stamp: u32, cause: Option<Ordinal>) {
        let id = ConsumerId(consumer);
        let state = &mut self.consumers[id.index()];
        let found = state.sessions.iter().find(|open| open.stamp == stamp);
        let Some(&OpenSession { group, .. }) = found else {
            return;
        };
        if state.cut_off_by.is_some() {
            // The broker does not hear of it; there the lock ends by itself.
            return state.sessions.retain(|open| open.group != group);
        }
        let queue = state.setup.from;
        let now = self.now();
        let mut out = std::mem::take(&mut self.out);
        self.broker.close_session(now, queue, id, group, &mut out);
        self.out = out;
        self.follow(queue, cause);
    }

    /// A consumer holds a session no more.
    pub(super) fn session_closes(&mut self, consumer: ConsumerId, group: Option<GroupId>) {
        let sessions = &mut self.consumers[consumer.index()].sessions;
        sessions.retain(|open| open.group != group);
    }

    /// The process of a consumer dies with its sessions.
    pub(super) fn sessions_die(&mut self, consumer: ConsumerId) {
        let state = &mut self.consumers[consumer.index()];
        state.sessions.clear();
        self.broker.orphan_sessions(state.setup.from, consumer);
    }

    /// Takes a session away from its holder.
    pub(super) fn take_session(&mut self, queue: QueueId, group: Option<GroupId>, cause: Ordinal) {
        let now = self.now();
        let mut out = std::mem::take(&mut self.out);
        self.broker.take_session(now, queue, group, &mut out);
        self.out = out;
        self.follow(queue, Some(cause));
    }

    /// Tells that a session begins or ends.
    pub(super) fn tell_session(&mut self, kind: EventKind, cause: Option<Ordinal>) -> Ordinal {
        let ordinal = self.emit(kind, cause);
        match kind {
            EventKind::SessionAccepted {
                group, consumer, ..
            } => self.session_opens(consumer, group, ordinal),
            EventKind::SessionClosed {
                group, consumer, ..
            } => self.session_closes(consumer, group),
            _ => {}
        }
        ordinal
    }
}
