//! What is at the root of events that only some brokers know, and of what their rules remove.

use crate::engine::event::{
    CloseReason, DeadLetterReason, ExhaustedReason, RefusalReason, RequeueReason,
};
use crate::engine::rules::Rules;
use crate::engine::{ConsumerId, Event, EventKind, Micros, QueueId};
use crate::present::format;

use super::root::{plan, setting};
use super::{Inquiry, Root, Whose};

impl Inquiry<'_> {
    /// What an event of these tells of its root; nothing where its cause must be asked.
    pub(super) fn roots_of_rules(&self, event: &Event) -> Vec<Root> {
        use EventKind as E;
        let at = event.at;
        let t = &self.teller;
        let of_queue = |control, queue, text| vec![setting(control, Whose::Queue(queue), text)];
        let of_consumer =
            |control, consumer, text| vec![setting(control, Whose::Consumer(consumer), text)];
        match event.kind {
            E::Refused { queue, reason, .. } => vec![self.refusal(queue, reason, event)],
            E::ReceiveRefused { queue, .. } => {
                let text = format!(
                    "At most {} messages of {} may be in flight.",
                    self.limit(queue, at),
                    t.q(queue)
                );
                of_queue("in-flight-limit", queue, text)
            }
            E::Claimed { consumer, .. } => {
                let claim = self.consumer_at(consumer, at).and_then(|it| it.claim);
                let idle = claim.map_or(Micros::ZERO, |claim| claim.min_idle);
                let text = format!(
                    "{} takes over what others hold for {} without an ack.",
                    t.c(consumer),
                    format::span(idle)
                );
                of_consumer("claim", consumer, text)
            }
            E::SessionAccepted { queue, .. } => {
                let text = format!(
                    "In {} a group is a session: one consumer holds it at a time.",
                    t.q(queue)
                );
                of_queue("group-rule", queue, text)
            }
            E::SessionClosed {
                queue, lost: true, ..
            } if self.commanded_at(at).is_empty() => {
                let text = format!(
                    "The lock on a session of {} ends with its timeout.",
                    t.q(queue)
                );
                of_queue("visibility-timeout", queue, text)
            }
            E::SessionClosed { lost: true, .. } => self.commanded_at(at),
            E::SessionClosed { consumer, .. } => {
                let idle = self
                    .consumer_at(consumer, at)
                    .map_or(Micros::ZERO, |it| it.session_idle);
                let text = format!(
                    "{} gives up a session in which nothing came for {}.",
                    t.c(consumer),
                    format::span(idle)
                );
                of_consumer("session-idle", consumer, text)
            }
            E::Requeued {
                queue,
                reason: RequeueReason::KeyReplayed,
                ..
            } => {
                let text = format!(
                    "In {} all later messages of a key come again with one that comes back.",
                    t.q(queue)
                );
                of_queue("group-rule", queue, text)
            }
            E::ChannelClosed {
                queue,
                consumer,
                reason,
            } => self.closed(queue, consumer, reason, at),
            E::ChannelOpened { consumer, .. } => {
                vec![plan(format!(
                    "{} opens its channel again by itself.",
                    t.c(consumer)
                ))]
            }
            E::Exhausted {
                queue,
                reason: ExhaustedReason::Rejected,
                ..
            } => {
                let text = format!("{} archives what is given up.", t.q(queue));
                vec![setting("exhausted", Whose::Queue(queue), text)]
            }
            E::Exhausted {
                queue,
                deliveries,
                archived,
                ..
            } => {
                let kept = if archived {
                    "archives it"
                } else {
                    "keeps it and delivers it no more"
                };
                let text = format!("When the budget is used up, {} {kept}.", t.q(queue));
                vec![
                    self.budget(queue, deliveries),
                    setting("exhausted", Whose::Queue(queue), text),
                ]
            }
            E::Dropped { queue, reason, .. } => self.dropped(queue, reason, at),
            E::DeadLettered { from, reason, .. } => self.removed(from, reason, at),
            E::Expired { queue, .. } => vec![self.expired(queue, event)],
            E::DeadLetterKept { queue, reason, .. } => {
                let text = format!(
                    "{} keeps dead letters until their queue takes them.",
                    t.q(queue)
                );
                let mut roots = self.removed(queue, reason, at);
                roots.push(setting("dead-letter-retry", Whose::Queue(queue), text));
                roots
            }
            E::LostInRestart { queue, .. } => {
                let text = format!(
                    "After a restart of the broker {} has only what is durable.",
                    t.q(queue)
                );
                let mut roots = of_queue("durability", queue, text);
                roots.extend(self.commanded_at(at));
                roots
            }
            E::QueueDeleted { queue } => {
                let restarted = self.commanded_at(at);
                if restarted.is_empty() {
                    let unused = self.rules_at(queue, at).and_then(|rules| rules.unused_for);
                    let text = format!(
                        "{} is deleted when nobody used it for {}.",
                        t.q(queue),
                        format::span(unused.unwrap_or(Micros::ZERO))
                    );
                    return of_queue("unused-for", queue, text);
                }
                let text = format!("{} does not survive a restart of the broker.", t.q(queue));
                let mut roots = of_queue("durability", queue, text);
                roots.extend(restarted);
                roots
            }
            E::WaitsForPlace { downstream, .. } => {
                let setup = t.setup.downstreams.get(usize::from(downstream));
                let places = setup.and_then(|it| it.at_once).unwrap_or(0);
                vec![plan(format!(
                    "{} serves {} at once, and further ones wait.",
                    t.downstream(downstream),
                    format::counted(places.into(), "handler", "handlers")
                ))]
            }
            E::BrokerRestarted => self.commanded_at(at),
            E::BreakerOpened { consumer } => {
                let breaker = self.consumer_at(consumer, at).and_then(|it| it.breaker);
                let n = breaker.map_or(0, |breaker| breaker.failures);
                let text = format!(
                    "The breaker of {} opens after {} in a row.",
                    t.c(consumer),
                    format::counted(n.into(), "failure", "failures")
                );
                of_consumer("breaker", consumer, text)
            }
            E::BreakerClosed { consumer } => {
                let breaker = self.consumer_at(consumer, at).and_then(|it| it.breaker);
                let open = breaker.map_or(Micros::ZERO, |breaker| breaker.open_for);
                let text = format!(
                    "The breaker of {} stays open for {}, then one message is tried.",
                    t.c(consumer),
                    format::span(open)
                );
                of_consumer("breaker-open", consumer, text)
            }
            E::Crashed { consumer, .. } => self.crash(consumer, event),
            // The rest is told by what caused it, or elsewhere.
            E::Sent { .. }
            | E::SendLost { .. }
            | E::Accepted { .. }
            | E::Suppressed { .. }
            | E::ConfirmLost { .. }
            | E::BecameVisible { .. }
            | E::Delivered { .. }
            | E::EmptyReceive { .. }
            | E::ResponseLost { .. }
            | E::DeliveredOutOfOrder { .. }
            | E::Started { .. }
            | E::Finished { .. }
            | E::Failed { .. }
            | E::Skipped { .. }
            | E::Effect { .. }
            | E::EffectSkipped { .. }
            | E::FinishedOutOfOrder { .. }
            | E::Acked { .. }
            | E::AckStale { .. }
            | E::AckLost { .. }
            | E::CallLost { .. }
            | E::Nacked { .. }
            | E::Rejected { .. }
            | E::Extended { .. }
            | E::TimeoutEnded { .. }
            | E::Returned { .. }
            | E::Requeued { .. }
            | E::SurvivedAck { .. }
            | E::Purged { .. }
            | E::Discarded { .. }
            | E::PoisonSet { .. }
            | E::RedriveBegan { .. }
            | E::RedriveEnded { .. }
            | E::SettingDelayed { .. }
            | E::RedriveRefused { .. }
            | E::Redriven { .. }
            | E::ConsumerStarted { .. }
            | E::CommandApplied { .. }
            | E::CommandIgnored { .. }
            | E::StarvationBegan { .. }
            | E::StarvationEnded { .. }
            | E::Stuck { .. } => Vec::new(),
        }
    }

    fn rules_at(&self, queue: QueueId, at: Micros) -> Option<Rules> {
        Some(self.queue_at(queue, at)?.rules)
    }

    fn limit(&self, queue: QueueId, at: Micros) -> String {
        let most = self
            .rules_at(queue, at)
            .and_then(|rules| rules.in_flight_limit);
        format::count(most.unwrap_or(0).into())
    }

    /// "at most 5 messages", of a queue with a capacity.
    fn room(&self, queue: QueueId, at: Micros) -> String {
        let most = self.rules_at(queue, at).and_then(|rules| rules.capacity);
        let most = format::counted(most.unwrap_or(0).into(), "message", "messages");
        format!("{} holds {most} at most", self.teller.q(queue))
    }

    fn refusal(&self, queue: QueueId, reason: RefusalReason, event: &Event) -> Root {
        let q = self.teller.q(queue);
        let whose = Whose::Queue(queue);
        match reason {
            RefusalReason::Full => {
                let text = format!(
                    "{}, and refuses what is sent to it then.",
                    self.room(queue, event.at)
                );
                setting("capacity", whose, text)
            }
            RefusalReason::Quota => {
                let quota = self.rules_at(queue, event.at).and_then(|rules| rules.quota);
                let text = format!(
                    "{q} takes {} calls of one kind a second.",
                    format::count(quota.unwrap_or(0).into())
                );
                setting("quota", whose, text)
            }
            RefusalReason::NoQueue => setting(
                "durability",
                whose,
                format!("{q} is there no more, so nothing takes the send."),
            ),
            RefusalReason::OwnDelay => self.of_sender(
                event,
                "own-delay",
                format!(
                    "A delay of a single message is refused by {q}: only the queue may have one."
                ),
            ),
            RefusalReason::NoSession => self.of_sender(
                event,
                "groups",
                format!("{q} takes no message without a session."),
            ),
        }
    }

    /// A setting of whoever sent the message.
    fn of_sender(&self, event: &Event, control: &'static str, text: String) -> Root {
        let sent = self.last(event, |kind| matches!(kind, EventKind::Sent { .. }));
        match sent.map(|sent| sent.kind) {
            Some(EventKind::Sent {
                producer: Some(producer),
                ..
            }) => setting(control, Whose::Producer(producer), text),
            _ => plan(text),
        }
    }

    fn closed(
        &self,
        queue: QueueId,
        consumer: ConsumerId,
        reason: CloseReason,
        at: Micros,
    ) -> Vec<Root> {
        let (q, c) = (self.teller.q(queue), self.teller.c(consumer));
        let whose = Whose::Queue(queue);
        match reason {
            CloseReason::Timeout | CloseReason::Cancelled => {
                let then = match reason {
                    CloseReason::Cancelled => "cancels the consumer",
                    _ => "closes the channel",
                };
                let most = self
                    .rules_at(queue, at)
                    .and_then(|rules| rules.consumer_timeout);
                let text = format!(
                    "{q} waits {} for an ack, then {then}.",
                    format::span(most.unwrap_or(Micros::ZERO))
                );
                vec![setting("consumer-timeout", whose, text)]
            }
            CloseReason::UnknownDelivery => {
                let text = format!("An ack for what it does not hold closes the channel of {c}.");
                vec![setting("stale-ack", whose, text)]
            }
            CloseReason::Shared => vec![plan(format!(
                "{c} shares its channel with the consumer that made it close."
            ))],
            CloseReason::BrokerRestarted => self.commanded_at(at),
            CloseReason::Command | CloseReason::ConnectionLost => self.commanded_at(at),
        }
    }

    /// Why a message was taken out of the queue, apart from its budget.
    fn removed(&self, queue: QueueId, reason: DeadLetterReason, at: Micros) -> Vec<Root> {
        let q = self.teller.q(queue);
        let whose = Whose::Queue(queue);
        match reason {
            DeadLetterReason::Expired => {
                let text = format!("{q} gives up what has waited longer than its time to live.");
                vec![setting("ttl", whose, text)]
            }
            DeadLetterReason::Overflow => {
                let text = format!("{}, and makes room at its head.", self.room(queue, at));
                vec![setting("capacity", whose, text)]
            }
            DeadLetterReason::Cycle => {
                let text = format!(
                    "{q} had this dead letter before, and no consumer has rejected it since."
                );
                vec![setting("cuts-cycles", whose, text)]
            }
            DeadLetterReason::NoTarget => {
                let text = format!("The dead-letter queue of {q} is not there.");
                vec![setting("dead-letter-retry", whose, text)]
            }
            DeadLetterReason::BudgetUsedUp | DeadLetterReason::Rejected => Vec::new(),
        }
    }

    fn dropped(&self, queue: QueueId, reason: DeadLetterReason, at: Micros) -> Vec<Root> {
        let mut roots = self.removed(queue, reason, at);
        let setup = self.queue_at(queue, at);
        if reason == DeadLetterReason::BudgetUsedUp {
            let max = setup.as_ref().and_then(|queue| queue.max_deliveries);
            roots.push(self.budget(queue, max.unwrap_or(1)));
        }
        if setup.is_none_or(|queue| queue.dead_letter_queue.is_none()) {
            let text = format!("{} has no dead-letter queue.", self.teller.q(queue));
            roots.push(setting("dead-letter-queue", Whose::Queue(queue), text));
        }
        roots
    }

    /// Removed for its age: by a time to live if that ended first, else by retention.
    fn expired(&self, queue: QueueId, event: &Event) -> Root {
        let setup = self.queue_at(queue, event.at);
        let stored = self.last(event, |kind| matches!(kind, EventKind::Accepted { .. }));
        let age = stored.map_or(Micros::MAX, |stored| event.at - stored.at);
        let kept = setup.as_ref().and_then(|queue| queue.retention);
        let q = self.teller.q(queue);
        if kept.is_none_or(|kept| age < kept) {
            let ttl = setup.and_then(|queue| queue.rules.ttl);
            return match ttl.filter(|ttl| *ttl <= age) {
                Some(ttl) => {
                    let text = format!(
                        "A message that waits in {q} lives for {}.",
                        format::span(ttl)
                    );
                    setting("ttl", Whose::Queue(queue), text)
                }
                None => self.of_sender(
                    event,
                    "send-ttl",
                    format!("Its producer gave it a time to live, which ended in {q}."),
                ),
            };
        }
        let kept = kept.map_or_else(|| "a while".to_owned(), format::span);
        let text = format!("{q} keeps a message for {kept} from its send, processed or not.");
        setting("retention", Whose::Queue(queue), text)
    }

    /// A crash that no command made.
    fn crash(&self, consumer: ConsumerId, event: &Event) -> Vec<Root> {
        let c = self.teller.c(consumer);
        let failed = self.last(
            event,
            |kind| matches!(kind, EventKind::Failed { consumer: by, .. } if *by == consumer),
        );
        if let Some(failed) = failed.filter(|failed| failed.at == event.at) {
            let mut roots = self.direct_roots(failed);
            let text = format!("A failure makes {c} crash with all it holds.");
            roots.push(setting("on-failure", Whose::Consumer(consumer), text));
            return roots;
        }
        let setup = self.consumer_at(consumer, event.at);
        let most = setup.as_ref().and_then(|it| it.crash_above);
        let (control, text) = match most {
            Some(most) => {
                let most = format::counted(most.into(), "message", "messages");
                ("crash-above", format!("{c} is out of memory above {most}."))
            }
            None => (
                "on-failure",
                format!("A failure makes {c} crash with all it holds."),
            ),
        };
        vec![setting(control, Whose::Consumer(consumer), text)]
    }

    /// The command of this very instant.
    fn commanded_at(&self, at: Micros) -> Vec<Root> {
        let found = self.last_command(at, |_| true);
        let found = found.filter(|(_, timed)| timed.at == at);
        found
            .into_iter()
            .map(|(index, _)| self.by_command(index))
            .collect()
    }
}
