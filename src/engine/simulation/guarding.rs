//! The effect of a handler, and the idempotence procedures that guard it.

use super::Simulation;
use super::consumer::{Job, Skip};
use crate::engine::broker::MessageKey;
use crate::engine::event::{EventKind, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::setup::{IdempotenceKey, IdempotenceMethod};

impl Simulation {
    /// Applies a handler's effect to the outside world, unless idempotence keeps it from doing so.
    pub(super) fn apply_effect(&mut self, consumer: ConsumerId, job: &Job, cause: Ordinal) {
        let key = job.held.message;
        let mut skip = job.skips;
        let rule = self.consumers[consumer.index()].setup.idempotence;
        if rule.method == IdempotenceMethod::Transaction && skip.is_none() {
            skip = self.marked(consumer, key);
        }
        if let Some(Skip { wrongly }) = skip {
            let message = self.messages.get(key).number;
            if !wrongly {
                self.messages.get_mut(key).set_handled();
            }
            self.emit(
                EventKind::EffectSkipped {
                    message,
                    consumer,
                    wrongly,
                },
                Some(cause),
            );
            return;
        }
        self.effect(consumer, key, cause);
        let in_effect = [
            IdempotenceMethod::Transaction,
            IdempotenceMethod::ClaimFirst,
        ];
        if in_effect.contains(&rule.method) {
            self.mark(consumer, key, true);
        }
    }

    /// The check at the start of a handler. Claims the key if that is the procedure.
    pub(super) fn check_idempotence(
        &mut self,
        consumer: ConsumerId,
        key: MessageKey,
    ) -> Option<Skip> {
        match self.consumers[consumer.index()].setup.idempotence.method {
            IdempotenceMethod::None | IdempotenceMethod::Transaction => None,
            IdempotenceMethod::CheckFirst => self.marked(consumer, key),
            IdempotenceMethod::ClaimFirst => {
                let skip = self.marked(consumer, key);
                if skip.is_none() {
                    self.mark(consumer, key, false);
                }
                skip
            }
        }
    }

    fn marked(&mut self, consumer: ConsumerId, key: MessageKey) -> Option<Skip> {
        let now = self.now();
        let rule = self.consumers[consumer.index()].setup.idempotence;
        let queue = self.consumers[consumer.index()].setup.from;
        let id = self.idempotence_key(consumer, key);
        let mark = self.queues[queue.index()].keys.get(id, now, &rule)?;
        let done = self.messages.progress(key).effects > 0
            || (rule.key == IdempotenceKey::BusinessKey && mark.applied);
        Some(Skip { wrongly: !done })
    }

    pub(super) fn mark(&mut self, consumer: ConsumerId, key: MessageKey, applied: bool) {
        let now = self.now();
        let rule = self.consumers[consumer.index()].setup.idempotence;
        let queue = self.consumers[consumer.index()].setup.from;
        let id = self.idempotence_key(consumer, key);
        self.queues[queue.index()]
            .keys
            .mark(id, applied, now, &rule);
    }

    pub(super) fn idempotence_key(&self, consumer: ConsumerId, key: MessageKey) -> u64 {
        let message = self.messages.get(key);
        let number = u64::from(message.number.0);
        match self.consumers[consumer.index()].setup.idempotence.key {
            IdempotenceKey::MessageId => number,
            IdempotenceKey::BusinessKey => {
                let body = self.messages.extra(key).body;
                body.map_or(number, |body| 1 << 32 | u64::from(body.0))
            }
            IdempotenceKey::Producer => message
                .producer()
                .map_or(number, |producer| 2 << 32 | u64::from(producer.0)),
        }
    }
}
