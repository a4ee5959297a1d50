//! Live commands: what was done, and what it did to the run.

use crate::engine::snapshot::{ConsumerView, ProducerView, QueueView};
use crate::engine::{
    Command, ConsumerChange, ConsumerId, Micros, ProducerChange, QueueChange, Snapshot,
    TimedCommand,
};

/// What a live command did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Applied {
    /// When it acts.
    pub at: Micros,
    /// Its position in the run's list of commands.
    pub index: u32,
    /// Whether a known future was cut off.
    pub forked: bool,
}

/// What an undo took back.
#[derive(Clone, PartialEq, Debug)]
pub struct Undone {
    /// The command.
    pub command: TimedCommand,
    /// How many live commands, cut off by it, came back.
    pub restored: usize,
}

/// A command of the run.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    /// When and what.
    pub timed: TimedCommand,
    /// Given by the person at the controls, not planned in the scenario.
    pub live: bool,
}

/// A live change of a setting, for the sentence that explains it.
#[derive(Clone, PartialEq, Debug)]
pub struct LastChange {
    /// Its position in the run's list of commands.
    pub index: u32,
    /// When it acts.
    pub at: Micros,
    /// The change.
    pub now: Command,
    /// The same setting as it was just before, one command a queue, consumer or producer changed; setting them
    /// would take the change back.
    pub before: Vec<Command>,
    /// Messages in flight just before, of the queue or the consumers changed: for a visibility timeout, those that
    /// keep theirs.
    pub in_flight: u64,
}

impl LastChange {
    /// What `command` changes in the run that `snapshot` shows; none if it changes no setting.
    pub(super) fn of(command: &Command, snapshot: &Snapshot) -> Option<Self> {
        let (before, in_flight) = match command {
            Command::SetQueue(id, change) => {
                let queue = snapshot.queues.get(id.index())?;
                let before = Command::SetQueue(*id, queue_setting(queue, change));
                (vec![before], queue.counts.in_flight)
            }
            Command::SetConsumer(which, change) => {
                let changed = || {
                    (0_u16..)
                        .map(ConsumerId)
                        .zip(&snapshot.consumers)
                        .filter(|(id, _)| which.is_none_or(|which| which == *id))
                };
                let before = changed()
                    .map(|(id, consumer)| {
                        Command::SetConsumer(Some(id), consumer_setting(consumer, change))
                    })
                    .collect();
                (before, changed().map(|(_, consumer)| held(consumer)).sum())
            }
            Command::SetProducer(id, change) => {
                let producer = snapshot.producers.get(id.index())?;
                let before = Command::SetProducer(*id, producer_setting(producer, change));
                (vec![before], 0)
            }
            Command::SetNetwork(_) => (vec![Command::SetNetwork(snapshot.network)], 0),
            _ => return None,
        };
        Some(Self {
            index: 0,
            at: Micros::ZERO,
            now: command.clone(),
            before,
            in_flight,
        })
    }
}

/// Whether both set the same setting of the same thing.
pub(super) fn is_same_setting(one: &Command, other: &Command) -> bool {
    use std::mem::discriminant;
    match (one, other) {
        (Command::SetQueue(queue, change), Command::SetQueue(other_queue, other_change)) => {
            let same_rule = match (change, other_change) {
                (QueueChange::Rule(rule), QueueChange::Rule(other)) => rule.name() == other.name(),
                _ => true,
            };
            queue == other_queue && discriminant(change) == discriminant(other_change) && same_rule
        }
        (Command::SetConsumer(which, change), Command::SetConsumer(other, other_change)) => {
            (which.is_none() || which == other)
                && discriminant(change) == discriminant(other_change)
        }
        (Command::SetProducer(which, change), Command::SetProducer(other, other_change)) => {
            which == other && discriminant(change) == discriminant(other_change)
        }
        (Command::SetNetwork(_), Command::SetNetwork(_)) => true,
        _ => false,
    }
}

fn held(consumer: &ConsumerView) -> u64 {
    (consumer.workers.iter().flatten().count() + consumer.buffered.len()) as u64
}

/// The value now of the setting that `change` sets.
fn queue_setting(queue: &QueueView, change: &QueueChange) -> QueueChange {
    let setup = &queue.setup;
    match change {
        QueueChange::Kind(_) => QueueChange::Kind(setup.kind),
        QueueChange::VisibilityTimeout(_) => {
            QueueChange::VisibilityTimeout(setup.visibility_timeout)
        }
        QueueChange::Delay(_) => QueueChange::Delay(setup.delay),
        QueueChange::Retention(_) => QueueChange::Retention(setup.retention),
        QueueChange::MaxDeliveries(_) => QueueChange::MaxDeliveries(setup.max_deliveries),
        QueueChange::DeadLetterQueue(_) => QueueChange::DeadLetterQueue(setup.dead_letter_queue),
        QueueChange::Deduplication(_) => QueueChange::Deduplication(setup.deduplication),
        QueueChange::DeduplicationWindow(_) => {
            QueueChange::DeduplicationWindow(setup.deduplication_window)
        }
        QueueChange::DeduplicationScope(_) => {
            QueueChange::DeduplicationScope(setup.deduplication_scope)
        }
        QueueChange::StaleAck(_) => QueueChange::StaleAck(setup.stale_ack),
        QueueChange::SurplusDuplicates(_) => {
            QueueChange::SurplusDuplicates(setup.surplus_duplicates)
        }
        QueueChange::Shards { .. } => QueueChange::Shards {
            shards: setup.shards,
            sampled: setup.shards_sampled,
        },
        QueueChange::Rule(rule) => {
            QueueChange::Rule(setup.rules.get(rule.name()).unwrap_or_else(|| rule.clone()))
        }
    }
}

/// The value now of the setting that `change` sets.
fn consumer_setting(consumer: &ConsumerView, change: &ConsumerChange) -> ConsumerChange {
    let setup = &consumer.setup;
    match change {
        ConsumerChange::Workers(_) => ConsumerChange::Workers(setup.workers),
        ConsumerChange::Batch(_) => ConsumerChange::Batch(setup.batch),
        ConsumerChange::Prefetch(_) => ConsumerChange::Prefetch(setup.prefetch),
        ConsumerChange::Refill(_) => ConsumerChange::Refill(setup.refill),
        ConsumerChange::Wait(_) => ConsumerChange::Wait(setup.wait),
        ConsumerChange::PollInterval(_) => ConsumerChange::PollInterval(setup.poll_interval),
        ConsumerChange::VisibilityTimeout(_) => {
            ConsumerChange::VisibilityTimeout(setup.visibility_timeout)
        }
        ConsumerChange::Processing(_) => ConsumerChange::Processing(setup.processing),
        ConsumerChange::Ack(_) => ConsumerChange::Ack(setup.ack),
        ConsumerChange::Failure(_) => ConsumerChange::Failure(setup.failure),
        ConsumerChange::OnFailure(_) => ConsumerChange::OnFailure(setup.on_failure),
        ConsumerChange::Heartbeat(_) => ConsumerChange::Heartbeat(setup.heartbeat),
        ConsumerChange::Idempotence(_) => ConsumerChange::Idempotence(setup.idempotence),
        ConsumerChange::SettleTime(_) => ConsumerChange::SettleTime(setup.settle_time),
        ConsumerChange::SkipExpired(_) => ConsumerChange::SkipExpired(setup.skip_expired),
        ConsumerChange::Priority(_) => ConsumerChange::Priority(setup.priority),
        ConsumerChange::ChannelPrefetch(_) => {
            ConsumerChange::ChannelPrefetch(setup.channel_prefetch)
        }
        ConsumerChange::AckTogether(_) => ConsumerChange::AckTogether(setup.ack_together),
        ConsumerChange::BatchWork(_) => ConsumerChange::BatchWork(setup.batch_work),
        ConsumerChange::Claim(_) => ConsumerChange::Claim(setup.claim),
        ConsumerChange::Breaker(_) => ConsumerChange::Breaker(setup.breaker),
        ConsumerChange::SessionIdle(_) => ConsumerChange::SessionIdle(setup.session_idle),
        ConsumerChange::ByHand(_) => ConsumerChange::ByHand(setup.by_hand),
        ConsumerChange::CrashAbove(_) => ConsumerChange::CrashAbove(setup.crash_above),
        ConsumerChange::RestartAfter(_) => ConsumerChange::RestartAfter(setup.restart_after),
    }
}

/// The value now of the setting that `change` sets.
fn producer_setting(producer: &ProducerView, change: &ProducerChange) -> ProducerChange {
    let setup = &producer.setup;
    match change {
        ProducerChange::Pattern(_) => ProducerChange::Pattern(setup.pattern.clone()),
        ProducerChange::Limit(_) => ProducerChange::Limit(setup.limit),
        ProducerChange::Groups(_) => ProducerChange::Groups(setup.groups.clone()),
        ProducerChange::Poison(_) => ProducerChange::Poison(setup.poison),
        ProducerChange::Processing(_) => ProducerChange::Processing(setup.processing),
        ProducerChange::Delay(_) => ProducerChange::Delay(setup.delay),
        ProducerChange::ConfirmTimeout(_) => ProducerChange::ConfirmTimeout(setup.confirm_timeout),
        ProducerChange::MaxResends(_) => ProducerChange::MaxResends(setup.max_resends),
        ProducerChange::Priority(_) => ProducerChange::Priority(setup.priority.clone()),
        ProducerChange::Ttl(_) => ProducerChange::Ttl(setup.ttl),
        ProducerChange::Persistent(_) => ProducerChange::Persistent(setup.persistent),
    }
}
