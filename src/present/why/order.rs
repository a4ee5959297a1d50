//! Why something came out of order, and why a group waits.

use crate::engine::ledger::DeliveryRecord;
use crate::engine::rules::GroupRule;
use crate::engine::setup::QueueKind;
use crate::engine::{ConsumerId, Event, EventKind, Micros, QueueId};
use crate::present::format;

use super::root::{plan, setting};
use super::{Inquiry, Root, Whose};

impl Inquiry<'_> {
    /// Of a message that was delivered or took effect after a later one.
    pub(super) fn out_of_order(&self, event: &Event) -> Vec<Root> {
        let delivered = self.last(event, |kind| matches!(kind, EventKind::Delivered { .. }));
        let Some(EventKind::Delivered { queue, .. }) = delivered.map(|delivered| delivered.kind)
        else {
            return Vec::new();
        };
        let chain = self.chain_of(event);
        let mut roots = chain.iter().map(|cause| self.direct_roots(cause));
        let mut roots = roots.find(|roots| !roots.is_empty()).unwrap_or_default();
        let kind = self.queue_at(queue, event.at).map(|queue| queue.kind);
        if kind == Some(QueueKind::Standard) {
            let text = format!(
                "{} is a standard queue: it promises no order.",
                self.teller.q(queue)
            );
            roots.push(setting("order", Whose::Queue(queue), text));
        }
        roots
    }

    /// Of a group, or a queue, that waits too long.
    pub(super) fn starvation(&self, event: &Event) -> Vec<Root> {
        let EventKind::StarvationBegan {
            queue,
            group,
            oldest,
            ..
        } = event.kind
        else {
            return Vec::new();
        };
        let t = &self.teller;
        let setup = self.queue_at(queue, event.at);
        let fifo = setup.as_ref().is_some_and(|it| it.kind == QueueKind::Fifo);
        let open = self.open_deliveries(queue, event.at);
        let group_of = |delivery: &DeliveryRecord| {
            let record = t.ledger.and_then(|ledger| ledger.message(delivery.message));
            record.and_then(|record| record.group)
        };
        let holder = open
            .iter()
            .find(|delivery| fifo && group_of(delivery) == group && delivery.message != oldest);
        if let Some(holder) = holder {
            return self.locked(queue, event, holder);
        }
        let buffered = |consumer: ConsumerId| {
            let of_it = open.iter().filter(|it| it.consumer == consumer);
            of_it
                .filter(|it| it.work.is_none_or(|work| work.started_at > event.at))
                .count()
        };
        let most = open
            .iter()
            .map(|delivery| (buffered(delivery.consumer), delivery.consumer))
            .max_by_key(|(count, _)| *count)
            .filter(|(count, _)| *count > 0);
        if let Some((count, consumer)) = most {
            let text = format!(
                "{} holds {} more in its buffer while it works: others cannot take them.",
                t.c(consumer),
                format::counted(count as u64, "message", "messages")
            );
            return vec![setting("prefetch", Whose::Consumer(consumer), text)];
        }
        let Some(at_work) = open.first() else {
            return self.nobody_asks(
                queue,
                setup.is_some_and(|it| it.rules.group_rule == GroupRule::Session),
            );
        };
        let text = format!(
            "{} at work and none was free: more comes than they can do.",
            format::counted(open.len() as u64, "handler was", "handlers were")
        );
        vec![setting("work", Whose::Consumer(at_work.consumer), text)]
    }

    /// Of a queue of which nothing is in flight, and which has waiting messages all the same.
    fn nobody_asks(&self, queue: QueueId, sessions: bool) -> Vec<Root> {
        let t = &self.teller;
        let consumers = (0..).map(ConsumerId).zip(&t.setup.consumers);
        let Some((id, consumer)) = consumers.into_iter().find(|(_, it)| it.from == queue) else {
            return vec![plan(format!("Nobody receives from {}.", t.q(queue)))];
        };
        let (control, text) = if consumer.by_hand {
            let text = format!("{} is you: it receives when you do.", t.c(id));
            ("by-hand", text)
        } else if sessions {
            let idle = format::span(consumer.session_idle);
            let text = format!(
                "{} holds other sessions, and keeps each for {idle} after its last message.",
                t.c(id)
            );
            ("session-idle", text)
        } else {
            return vec![plan(format!(
                "{} does not receive: it has not started, is down, or must wait.",
                t.c(id)
            ))];
        };
        vec![setting(control, Whose::Consumer(id), text)]
    }

    /// Of a FIFO group that waits for a message in flight.
    fn locked(&self, queue: QueueId, event: &Event, holder: &DeliveryRecord) -> Vec<Root> {
        let t = &self.teller;
        let (m, q) = (t.m(holder.message), t.q(queue));
        let crash = self.last_command(
            event.at,
            |command| matches!(command, crate::engine::Command::Crash(who) if *who == holder.consumer),
        );
        let crash = crash.filter(|(_, timed)| timed.at >= holder.delivered_at);
        let mut roots = Vec::new();
        if let Some((index, _)) = crash {
            roots.push(self.by_command(index));
            let hidden = format::span(holder.hidden_until - holder.delivered_at);
            let text = format!(
                "{m}, which {} held, stays hidden until its visibility timeout of {hidden} ends.",
                t.c(holder.consumer)
            );
            roots.push(setting("visibility-timeout", Whose::Queue(queue), text));
        }
        let text = format!(
            "{q} is FIFO: its group waits while {m} is in flight at {}.",
            t.c(holder.consumer)
        );
        roots.push(setting("order", Whose::Queue(queue), text));
        roots
    }

    /// What was handed out of a queue and neither finished nor visible again at a time.
    fn open_deliveries(&self, queue: QueueId, at: Micros) -> Vec<DeliveryRecord> {
        let Some(ledger) = self.teller.ledger else {
            return Vec::new();
        };
        let deliveries = ledger.deliveries();
        let begun = deliveries.partition_point(|delivery| delivery.delivered_at <= at);
        let newest = deliveries.iter().take(begun).rev().take(LOOKED_AT);
        newest
            .filter(|delivery| {
                let ended = delivery.ended_at.is_some_and(|ended| ended <= at);
                // What a crashed consumer held still locks its group.
                let hidden = delivery.hidden_until > at;
                let crashed = delivery.outcome == crate::engine::ledger::DeliveryOutcome::Crashed;
                delivery.queue == queue && hidden && (!ended || crashed)
            })
            .copied()
            .collect()
    }
}

/// Deliveries that are looked through.
const LOOKED_AT: usize = 2_000;
