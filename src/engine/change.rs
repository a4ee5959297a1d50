//! Settings changed by commands, applied to the setups they change.

use super::command::{Command, ConsumerChange, ProducerChange, QueueChange};
use super::rules::BudgetRule;
use super::setup::{ConsumerSetup, ProducerSetup, QueueSetup, Setup};

impl QueueSetup {
    /// Deliveries of one message in all before its budget is used up; none is unlimited.
    pub fn deliveries_in_all(&self) -> Option<u32> {
        let more = u32::from(self.rules.budget == BudgetRule::OnReturn);
        self.max_deliveries.map(|max| max.saturating_add(more))
    }

    /// Applies a change to the settings alone.
    pub fn apply(&mut self, change: &QueueChange) {
        match change.clone() {
            QueueChange::Kind(kind) => self.kind = kind,
            QueueChange::VisibilityTimeout(timeout) => self.visibility_timeout = timeout,
            QueueChange::Delay(delay) => self.delay = delay,
            QueueChange::Retention(retention) => self.retention = retention,
            QueueChange::MaxDeliveries(max) => self.max_deliveries = max,
            QueueChange::DeadLetterQueue(queue) => self.dead_letter_queue = queue,
            QueueChange::Deduplication(deduplication) => self.deduplication = deduplication,
            QueueChange::DeduplicationWindow(window) => self.deduplication_window = window,
            QueueChange::DeduplicationScope(scope) => self.deduplication_scope = scope,
            QueueChange::StaleAck(stale) => self.stale_ack = stale,
            QueueChange::SurplusDuplicates(chance) => self.surplus_duplicates = chance,
            QueueChange::Shards { shards, sampled } => {
                self.shards = shards;
                self.shards_sampled = sampled;
            }
            QueueChange::Rule(rule) => self.rules.set(rule),
        }
    }
}

impl ConsumerSetup {
    /// Applies a change to the settings alone.
    pub fn apply(&mut self, change: &ConsumerChange) {
        match change.clone() {
            ConsumerChange::Workers(workers) => self.workers = workers,
            ConsumerChange::Batch(batch) => self.batch = batch,
            ConsumerChange::Prefetch(prefetch) => self.prefetch = prefetch,
            ConsumerChange::Refill(refill) => self.refill = refill,
            ConsumerChange::Wait(wait) => self.wait = wait,
            ConsumerChange::PollInterval(interval) => self.poll_interval = interval,
            ConsumerChange::VisibilityTimeout(timeout) => self.visibility_timeout = timeout,
            ConsumerChange::Processing(processing) => self.processing = processing,
            ConsumerChange::Ack(moment) => self.ack = moment,
            ConsumerChange::SettleTime(time) => self.settle_time = time,
            ConsumerChange::Failure(failure) => self.failure = failure,
            ConsumerChange::OnFailure(action) => self.on_failure = action,
            ConsumerChange::Heartbeat(heartbeat) => self.heartbeat = heartbeat,
            ConsumerChange::Idempotence(idempotence) => self.idempotence = idempotence,
            ConsumerChange::SkipExpired(skip) => self.skip_expired = skip,
            ConsumerChange::Priority(priority) => self.priority = priority,
            ConsumerChange::ChannelPrefetch(prefetch) => self.channel_prefetch = prefetch,
            ConsumerChange::AckTogether(together) => self.ack_together = together,
            ConsumerChange::BatchWork(work) => self.batch_work = work,
            ConsumerChange::Claim(claim) => self.claim = claim,
            ConsumerChange::Breaker(breaker) => self.breaker = breaker,
            ConsumerChange::SessionIdle(idle) => self.session_idle = idle,
            ConsumerChange::ByHand(by_hand) => self.by_hand = by_hand,
            ConsumerChange::CrashAbove(above) => self.crash_above = above,
            ConsumerChange::RestartAfter(after) => self.restart_after = after,
        }
    }
}

impl ProducerSetup {
    /// Applies a change to the settings alone.
    pub fn apply(&mut self, change: &ProducerChange) {
        match change.clone() {
            ProducerChange::Pattern(pattern) => self.pattern = pattern,
            ProducerChange::Limit(limit) => self.limit = limit,
            ProducerChange::Groups(groups) => self.groups = groups,
            ProducerChange::Poison(poison) => self.poison = poison,
            ProducerChange::Processing(processing) => self.processing = processing,
            ProducerChange::Delay(delay) => self.delay = delay,
            ProducerChange::ConfirmTimeout(timeout) => self.confirm_timeout = timeout,
            ProducerChange::MaxResends(max) => self.max_resends = max,
            ProducerChange::Priority(priority) => self.priority = priority,
            ProducerChange::Ttl(ttl) => self.ttl = ttl,
            ProducerChange::Persistent(persistent) => self.persistent = persistent,
        }
    }
}

impl Setup {
    /// Applies a change of settings to the setup itself, as if the run had started with it. A kind change takes the
    /// dead-letter queue along, as it does in a run. Commands that change no setting have no effect.
    pub fn apply(&mut self, command: &Command) {
        match command {
            Command::SetQueue(queue, change) => {
                let dead_letter_queue = self
                    .queues
                    .get(queue.index())
                    .and_then(|queue| queue.dead_letter_queue);
                if let Some(queue) = self.queues.get_mut(queue.index()) {
                    queue.apply(change);
                }
                if let (QueueChange::Kind(_), Some(dead)) = (change, dead_letter_queue)
                    && let Some(dead) = self.queues.get_mut(dead.index())
                {
                    dead.apply(change);
                }
            }
            Command::SetConsumer(Some(consumer), change) => {
                if let Some(consumer) = self.consumers.get_mut(consumer.index()) {
                    consumer.apply(change);
                }
            }
            Command::SetConsumer(None, change) => {
                self.consumers
                    .iter_mut()
                    .for_each(|consumer| consumer.apply(change));
            }
            Command::SetProducer(producer, change) => {
                if let Some(producer) = self.producers.get_mut(producer.index()) {
                    producer.apply(change);
                }
            }
            Command::SetNetwork(network) => self.network = *network,
            _ => {}
        }
    }
}
