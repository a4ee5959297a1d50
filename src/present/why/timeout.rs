//! Why a visibility timeout ended before an ack: what the consumer did with the message meanwhile.

use crate::engine::setup::OnFailure;
use crate::engine::{ConsumerId, Event, EventKind, Micros, QueueId};
use crate::present::format;

use super::root::setting;
use super::{Inquiry, Root, Whose};

impl Inquiry<'_> {
    /// What is at the root of a timeout that ended.
    pub(super) fn timeout_roots(
        &self,
        ended: &Event,
        queue: QueueId,
        consumer: ConsumerId,
        delivery: u32,
    ) -> Vec<Root> {
        let Some(delivered) = self.last(ended, |kind| {
            matches!(kind, EventKind::Delivered { consumer: to, delivery: nth, .. }
                if *to == consumer && *nth == delivery)
        }) else {
            return Vec::new();
        };
        let between = |is: fn(&EventKind) -> bool| {
            let of_it = |event: &&Event| event.ordinal > delivered.ordinal;
            let last = self.last(ended, |kind| kind.consumer() == Some(consumer) && is(kind));
            last.filter(of_it)
        };
        if let Some(crash) = between(|kind| matches!(kind, EventKind::Crashed { .. })) {
            return self.direct_roots(crash);
        }
        if let Some(lost) = between(|kind| {
            matches!(
                kind,
                EventKind::AckLost { .. }
                    | EventKind::ResponseLost { .. }
                    | EventKind::CallLost { .. }
            )
        }) {
            return self.direct_roots(lost);
        }
        if let Some(failed) = between(|kind| matches!(kind, EventKind::Failed { .. })) {
            let mut roots = self.direct_roots(failed);
            roots.extend(self.waits_for_timeout(consumer, ended.at));
            return roots;
        }
        let timeout = self.hidden_for(delivered);
        if let Some(finished) = between(|kind| matches!(kind, EventKind::Finished { .. })) {
            return vec![self.late_ack(finished, ended, consumer)];
        }
        match between(|kind| matches!(kind, EventKind::Started { .. })) {
            Some(started) => {
                let root = self.too_slow(delivered, started, ended, timeout, queue);
                root.into_iter().collect()
            }
            None => vec![self.unstarted(delivered, ended, timeout, consumer)],
        }
    }

    /// How long a delivery was to be hidden.
    fn hidden_for(&self, delivered: &Event) -> Micros {
        match delivered.kind {
            EventKind::Delivered { hidden_until, .. } => hidden_until - delivered.at,
            _ => Micros::ZERO,
        }
    }

    fn waits_for_timeout(&self, consumer: ConsumerId, at: Micros) -> Option<Root> {
        let waits = self.consumer_at(consumer, at)?.on_failure == OnFailure::LetTimeoutEnd;
        let text = format!(
            "After a failure {} does nothing: the message stays hidden until its timeout ends.",
            self.teller.c(consumer)
        );
        waits.then(|| setting("on-failure", Whose::Consumer(consumer), text))
    }

    fn late_ack(&self, finished: &Event, ended: &Event, consumer: ConsumerId) -> Root {
        let gap = self
            .consumer_at(consumer, finished.at)
            .map_or(Micros::ZERO, |consumer| consumer.settle_time);
        let name = self.teller.c(consumer);
        if finished.at + gap >= ended.at {
            let text = format!(
                "{name} was done at {}, but takes {} from the effect to the ack.",
                format::instant(finished.at),
                format::span(gap)
            );
            return setting("settle-time", Whose::Consumer(consumer), text);
        }
        let delay = format::span(self.network_at(finished.at).ack_delay);
        let text = format!("{name} was done, but its ack was still on its way: acks take {delay}.");
        setting("ack-delay", Whose::Network, text)
    }

    /// Its handler was still running.
    fn too_slow(
        &self,
        delivered: &Event,
        started: &Event,
        ended: &Event,
        timeout: Micros,
        queue: QueueId,
    ) -> Option<Root> {
        let EventKind::Started {
            message,
            consumer,
            work,
            ..
        } = started.kind
        else {
            return None;
        };
        let (m, c) = (self.teller.m(message), self.teller.c(consumer));
        if let Some((index, percent)) = self.slowed(consumer, ended.at) {
            let begun_slow = self.slowed(consumer, started.at).is_some();
            let normal = if begun_slow {
                work.scaled(100, percent.into())
            } else {
                work
            };
            if normal < timeout {
                return Some(self.by_command(index));
            }
        }
        let waited = started.at - delivered.at;
        if waited > Micros::ZERO && work < timeout {
            let text = format!(
                "{m} had waited {} in the buffer of {c}, its timeout of {} running.{}",
                format::span(waited),
                format::span(timeout),
                self.holds(consumer, delivered.at)
            );
            return Some(setting("prefetch", Whose::Consumer(consumer), text));
        }
        let needs = format!("needs {} for {m}", format::span(work));
        Some(self.visibility(queue, consumer, timeout, &needs, delivered.at))
    }

    /// "The visibility timeout of orders is 3 s, and worker-2 needs 4.5 s for Ben."
    fn visibility(
        &self,
        queue: QueueId,
        consumer: ConsumerId,
        timeout: Micros,
        needs: &str,
        at: Micros,
    ) -> Root {
        let (c, timeout) = (self.teller.c(consumer), format::span(timeout));
        let setup = self.consumer_at(consumer, at);
        if setup.is_some_and(|setup| setup.visibility_timeout.is_some()) {
            let text = format!("{c} asks for a visibility timeout of {timeout}, and {needs}.");
            return setting("own-visibility-timeout", Whose::Consumer(consumer), text);
        }
        let q = self.teller.q(queue);
        let text = format!("The visibility timeout of {q} is {timeout}, and {c} {needs}.");
        setting("visibility-timeout", Whose::Queue(queue), text)
    }

    /// Its handler had not begun.
    fn unstarted(
        &self,
        delivered: &Event,
        ended: &Event,
        timeout: Micros,
        consumer: ConsumerId,
    ) -> Root {
        if let Some(index) = self.paused(consumer, ended.at) {
            return self.by_command(index);
        }
        let delay = self.network_at(delivered.at).delivery_delay;
        let span = format::span(timeout);
        if delay >= timeout {
            let text = format!(
                "It was still on its way: deliveries take {}, the visibility timeout is {span}.",
                format::span(delay)
            );
            return setting("delivery-delay", Whose::Network, text);
        }
        let message = delivered.kind.message();
        let m = message.map_or_else(|| "It".to_owned(), |message| self.teller.m(message));
        let text = format!(
            "{m} was still in the buffer of {} when its timeout of {span} ended.{}",
            self.teller.c(consumer),
            self.holds(consumer, delivered.at)
        );
        setting("prefetch", Whose::Consumer(consumer), text)
    }

    /// " It holds up to 9 at once."
    fn holds(&self, consumer: ConsumerId, at: Micros) -> String {
        let Some(setup) = self.consumer_at(consumer, at) else {
            return String::new();
        };
        format!(
            " {} holds up to {} at once and works on {}.",
            self.teller.c(consumer),
            format::count(setup.prefetch.into()),
            format::count(setup.workers.into())
        )
    }
}
