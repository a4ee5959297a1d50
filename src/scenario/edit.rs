//! The same change on the file as on a run: so that a link made after changes, or a replay from the beginning with
//! other settings, has them.

use serde_json::{Map, Value};

use super::command::{
    Action, CommandFile, Discard, HandCallName, ReceiveByHand, Redrive, RedriveMessage, SendByHand,
    Settings, SettleByHand, SlowDown, TakeSession, Target,
};
use super::field::{Field, one_field};
use super::file::{Burst, Consumer, Poisson, Scenario};
use super::lower::patched;
use super::problem::{At, Problems};
use super::rules::rule_field;
use crate::engine::command::*;
use crate::engine::setup::*;
use crate::engine::{GroupId, Micros, Setup};

/// Fields of which an object has one at most: a patch that gives one takes the others away.
const ALTERNATIVES: [&[&str]; 2] = [
    &["sends", "every", "poisson", "burst"],
    &["poison_every", "poison_share"],
];

/// Removes the fields that cannot stand beside those of `patch`.
pub(super) fn clear_alternatives(object: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for fields in ALTERNATIVES {
        if fields.iter().any(|field| patch.contains_key(*field)) {
            object.retain(|name, _| !fields.contains(&name.as_str()));
        }
    }
}

/// The scenario with every `count` of consumers written out. They keep their names and random draws.
pub(super) fn expand_consumers(scenario: &Scenario) -> Scenario {
    let mut expanded = scenario.clone();
    expanded.consumers.clear();
    for consumer in &scenario.consumers {
        for name in consumer.names() {
            expanded.consumers.push(match consumer.count {
                None => consumer.clone(),
                Some(_) => Consumer {
                    name,
                    count: None,
                    stream: Some(
                        consumer
                            .stream
                            .clone()
                            .unwrap_or_else(|| consumer.name.clone()),
                    ),
                    ..consumer.clone()
                },
            });
        }
    }
    expanded
}

impl Scenario {
    /// The scenario as if the run had started with the setting that `command` changes. Commands that change no
    /// setting leave it as it is. What the file expects of its own settings, in `expect` and `variants`, is left out.
    /// `setup` is what this scenario was lowered to, with names added since.
    pub fn with_setting(&self, setup: &Setup, command: &Command) -> Scenario {
        let mut edited = self.clone();
        let Some(Action::Set(settings)) = action_of(command, setup) else {
            return edited;
        };
        edited.expect.clear();
        edited.variants.clear();
        let patch = &settings.patch;
        // The change comes from a run's own settings, so it fits; if it does not, the scenario stays as it was.
        let problems = &mut Problems::default();
        match &settings.target {
            Target::Queue(name) => {
                let kind = patch.contains_key("kind");
                let mut dead_letters = None;
                for queue in edited.queues.iter_mut().filter(|queue| queue.name == *name) {
                    if let Some(new) = patched(queue, patch, At::Root, problems) {
                        *queue = new;
                    }
                    dead_letters = queue.dead_letter_queue.clone();
                }
                if let (true, Some(name)) = (kind, dead_letters) {
                    let dead = edited.queues.iter_mut().find(|queue| queue.name == name);
                    if let Some(new) = dead.and_then(|dead| {
                        patched(dead, patch, At::Root, problems).map(|new| (dead, new))
                    }) {
                        *new.0 = new.1;
                    }
                }
            }
            Target::Consumer(name) => {
                if !edited
                    .consumers
                    .iter()
                    .any(|consumer| consumer.name == *name)
                {
                    edited = expand_consumers(&edited);
                }
                let named = edited
                    .consumers
                    .iter_mut()
                    .filter(|consumer| consumer.name == *name);
                for consumer in named {
                    if let Some(new) = patched(consumer, patch, At::Root, problems) {
                        *consumer = new;
                    }
                }
            }
            Target::AllConsumers => {
                for consumer in &mut edited.consumers {
                    if let Some(new) = patched(consumer, patch, At::Root, problems) {
                        *consumer = new;
                    }
                }
            }
            Target::Producer(name) => {
                let named = edited
                    .producers
                    .iter_mut()
                    .filter(|producer| producer.name == *name);
                for producer in named {
                    if let Some(new) = patched(producer, patch, At::Root, problems) {
                        *producer = new;
                    }
                }
            }
            Target::Network => {
                if let Some(new) = patched(&edited.network, patch, At::Root, problems) {
                    edited.network = new;
                }
            }
        }
        edited
    }

    /// The scenario with a command planned, as a person gave it during a run. What the file expects of the run without
    /// it is left out.
    pub fn with_command(&self, setup: &Setup, timed: &TimedCommand) -> Scenario {
        let mut edited = self.clone();
        edited.expect.clear();
        edited.variants.clear();
        edited.commands.extend(command_file(timed, setup));
        // Acting at the end makes a run longer.
        if edited.duration < setup.duration && edited.duration.is_some() {
            edited.duration = setup.duration;
        }
        edited
    }
}

/// A command as a file has it; none when it names something that `setup` does not have.
pub fn command_file(timed: &TimedCommand, setup: &Setup) -> Option<CommandFile> {
    Some(CommandFile::once(
        timed.at,
        action_of(&timed.command, setup)?,
    ))
}

fn action_of(command: &Command, setup: &Setup) -> Option<Action> {
    let queue = |id: &crate::engine::QueueId| Some(setup.queues.get(id.index())?.name.clone());
    let consumer =
        |id: &crate::engine::ConsumerId| Some(setup.consumers.get(id.index())?.name.clone());
    let producer =
        |id: &crate::engine::ProducerId| Some(setup.producers.get(id.index())?.name.clone());
    let set = |target, patch: Option<Map<String, Value>>| {
        Some(Action::Set(Settings {
            target,
            patch: patch?,
        }))
    };
    match command {
        Command::Crash(id) => consumer(id).map(Action::Crash),
        Command::Restart(id) => consumer(id).map(Action::Restart),
        Command::Pause(id) => consumer(id).map(Action::Pause),
        Command::Resume(id) => consumer(id).map(Action::Resume),
        Command::LoseNextAck(id) => consumer(id).map(Action::LoseNextAck),
        Command::Partition(id) => consumer(id).map(Action::Partition),
        Command::Heal(id) => consumer(id).map(Action::Heal),
        Command::CloseChannel(id) => consumer(id).map(Action::CloseChannel),
        Command::SlowDown {
            consumer: id,
            percent,
        } => Some(Action::SlowDown(SlowDown {
            consumer: consumer(id)?,
            percent: *percent,
        })),
        Command::PauseProducer(id) => producer(id).map(Action::PauseProducer),
        Command::ResumeProducer(id) => producer(id).map(Action::ResumeProducer),
        Command::SetQueue(id, change) => set(Target::Queue(queue(id)?), queue_patch(change, setup)),
        Command::SetConsumer(Some(id), change) => set(
            Target::Consumer(consumer(id)?),
            Some(consumer_patch(change)),
        ),
        Command::SetConsumer(None, change) => {
            set(Target::AllConsumers, Some(consumer_patch(change)))
        }
        Command::SetProducer(id, change) => set(
            Target::Producer(producer(id)?),
            producer_patch(change, setup),
        ),
        Command::SetNetwork(network) => {
            let mut patch = Map::new();
            for name in NetworkSetup::FIELDS {
                patch.extend(one_field(name, Value::Null));
            }
            patch.extend(network.write().as_object().cloned().unwrap_or_default());
            set(Target::Network, Some(patch))
        }
        Command::Send(send) => Some(Action::Send(SendByHand {
            to: queue(&send.to)?,
            count: send.count,
            group: name_of(send.group.map(GroupId::index), &setup.groups)?,
            body: name_of(send.body.map(|body| body.index()), &setup.bodies)?,
            poison: send.poison,
            amount: send.amount,
            deduplication_id: name_of(
                send.deduplication_id.map(|id| id.index()),
                &setup.deduplication_ids,
            )?,
            delay: send.delay,
            priority: send.priority,
            ttl: send.ttl,
            persistent: send.persistent,
        })),
        Command::Redrive { from, limit, rate } => Some(Action::Redrive(Redrive {
            from: queue(from)?,
            limit: *limit,
            rate: *rate,
        })),
        Command::CancelRedrive(id) => queue(id).map(Action::CancelRedrive),
        Command::RedriveMessage { message, fix } => Some(Action::RedriveMessage(RedriveMessage {
            message: message.0,
            fix: *fix,
        })),
        Command::Discard { message, reason } => Some(Action::Discard(Discard {
            message: message.0,
            reason: *reason,
        })),
        Command::SetPoison { message, poison } => Some(if *poison {
            Action::Poison(message.0)
        } else {
            Action::Fix(message.0)
        }),
        Command::ExpireNow(message) => Some(Action::ExpireNow(message.0)),
        Command::Purge(id) => queue(id).map(Action::Purge),
        Command::TakeSession(id, group) => Some(Action::TakeSession(TakeSession {
            queue: queue(id)?,
            group: name_of(group.map(GroupId::index), &setup.groups)?,
        })),
        Command::RestartBroker => Some(Action::RestartBroker(true)),
        Command::Receive {
            consumer: id,
            max,
            wait,
        } => Some(Action::Receive(ReceiveByHand {
            consumer: consumer(id)?,
            max: *max,
            wait: *wait,
        })),
        Command::Settle {
            consumer: id,
            message,
            call,
        } => {
            let (delay, to) = match call {
                HandCall::Nack { delay } => (*delay, None),
                HandCall::Extend { to } => (Micros::ZERO, Some(*to)),
                _ => (Micros::ZERO, None),
            };
            Some(Action::Settle(SettleByHand {
                consumer: consumer(id)?,
                message: message.0,
                call: match call {
                    HandCall::Ack => HandCallName::Ack,
                    HandCall::Nack { .. } => HandCallName::Nack,
                    HandCall::Fail => HandCallName::Fail,
                    HandCall::Reject => HandCallName::Reject,
                    HandCall::Extend { .. } => HandCallName::Extend,
                },
                delay,
                to,
            }))
        }
    }
}

/// The name at an index, if there is an index; the outer option is none when it points nowhere.
fn name_of(index: Option<usize>, names: &[String]) -> Option<Option<String>> {
    match index {
        None => Some(None),
        Some(index) => names.get(index).cloned().map(Some),
    }
}

fn queue_patch(change: &QueueChange, setup: &Setup) -> Option<Map<String, Value>> {
    let (name, value) = match change {
        QueueChange::Kind(kind) => ("kind", kind.write()),
        QueueChange::VisibilityTimeout(time) => ("visibility_timeout", time.write()),
        QueueChange::Delay(delay) => ("delay", delay.write()),
        QueueChange::Retention(time) => ("retention", time.write()),
        QueueChange::MaxDeliveries(max) => ("max_deliveries", max.write()),
        QueueChange::DeadLetterQueue(id) => {
            let name = match id {
                None => Value::Null,
                Some(id) => setup.queues.get(id.index())?.name.write(),
            };
            ("dead_letter_queue", name)
        }
        QueueChange::Deduplication(value) => ("deduplication", value.write()),
        QueueChange::DeduplicationWindow(time) => ("deduplication_window", time.write()),
        QueueChange::DeduplicationScope(scope) => ("deduplication_scope", scope.write()),
        QueueChange::StaleAck(value) => ("stale_ack", value.write()),
        QueueChange::SurplusDuplicates(chance) => ("surplus_duplicates", chance.write()),
        QueueChange::Rule(rule) => rule_field(rule),
        QueueChange::Shards { shards, sampled } => {
            let mut patch = one_field("shards", shards.write());
            patch.extend(one_field("shards_sampled", sampled.write()));
            return Some(patch);
        }
    };
    Some(one_field(name, value))
}

fn consumer_patch(change: &ConsumerChange) -> Map<String, Value> {
    let (name, value) = match change {
        ConsumerChange::Workers(workers) => ("workers", workers.write()),
        ConsumerChange::Batch(batch) => ("batch", batch.write()),
        ConsumerChange::Prefetch(prefetch) => ("prefetch", prefetch.write()),
        ConsumerChange::Refill(refill) => ("refill", refill.write()),
        ConsumerChange::Wait(wait) => ("wait", wait.write()),
        ConsumerChange::PollInterval(time) => ("poll_interval", time.write()),
        ConsumerChange::VisibilityTimeout(time) => ("visibility_timeout", time.write()),
        ConsumerChange::Processing(processing) => ("processing", processing.write()),
        ConsumerChange::Ack(moment) => ("ack", moment.write()),
        ConsumerChange::SettleTime(time) => ("settle_time", time.write()),
        ConsumerChange::Failure(failure) => ("failures", failure.write()),
        ConsumerChange::OnFailure(action) => ("on_failure", action.write()),
        ConsumerChange::Heartbeat(heartbeat) => ("heartbeat", heartbeat.write()),
        ConsumerChange::Idempotence(value) => ("idempotence", value.write()),
        ConsumerChange::SkipExpired(skip) => ("skip_expired", skip.write()),
        ConsumerChange::Priority(priority) => ("priority", priority.write()),
        ConsumerChange::ChannelPrefetch(prefetch) => ("channel_prefetch", prefetch.write()),
        ConsumerChange::AckTogether(together) => ("ack_together", together.write()),
        ConsumerChange::BatchWork(work) => ("batch_work", work.write()),
        ConsumerChange::Claim(claim) => ("claim", claim.write()),
        ConsumerChange::Breaker(breaker) => ("breaker", breaker.write()),
        ConsumerChange::SessionIdle(idle) => ("session_idle", idle.write()),
        ConsumerChange::ByHand(by_hand) => ("by_hand", by_hand.write()),
        ConsumerChange::CrashAbove(above) => ("crash_above", above.write()),
        ConsumerChange::RestartAfter(after) => ("restart_after", after.write()),
    };
    one_field(name, value)
}

fn producer_patch(change: &ProducerChange, setup: &Setup) -> Option<Map<String, Value>> {
    let group = |id: &GroupId| setup.groups.get(id.index()).cloned();
    let (name, value) = match change {
        // Explicit sends belong to the file; a run changes rates alone.
        ProducerChange::Pattern(Pattern::List(_)) => return None,
        ProducerChange::Pattern(Pattern::Constant { every }) => ("every", every.write()),
        ProducerChange::Pattern(Pattern::Poisson { mean }) => {
            ("poisson", Poisson { mean: *mean }.write())
        }
        ProducerChange::Pattern(Pattern::Bursts { size, every }) => {
            let burst = Burst {
                size: *size,
                every: *every,
            };
            ("burst", burst.write())
        }
        ProducerChange::Limit(limit) => ("limit", limit.write()),
        ProducerChange::Groups(Groups::None) => ("groups", Value::Null),
        ProducerChange::Groups(Groups::Cycle(ids)) => {
            let names = ids.iter().map(group).collect::<Option<Vec<String>>>()?;
            ("groups", names.write())
        }
        ProducerChange::Groups(Groups::Weighted(weights)) => {
            let mut named = Map::new();
            for (id, weight) in weights {
                named.extend(one_field(&group(id)?, Value::from(*weight)));
            }
            ("groups", Value::Object(named))
        }
        ProducerChange::Poison(Poison::Never) => ("poison_every", Value::Null),
        ProducerChange::Poison(Poison::Every(nth)) => ("poison_every", nth.write()),
        ProducerChange::Poison(Poison::Share(share)) => ("poison_share", share.write()),
        ProducerChange::Processing(processing) => ("processing", processing.write()),
        ProducerChange::Delay(delay) => ("delay", delay.write()),
        ProducerChange::ConfirmTimeout(time) => ("confirm_timeout", time.write()),
        ProducerChange::MaxResends(max) => ("max_resends", max.write()),
        ProducerChange::Priority(priority) => ("priority", priority.write()),
        ProducerChange::Ttl(ttl) => ("ttl", ttl.write()),
        ProducerChange::Persistent(persistent) => ("persistent", persistent.write()),
    };
    Some(one_field(name, value))
}
