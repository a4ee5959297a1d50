//! Commands of a file to commands of the engine.

use serde_json::{Map, Value};

use super::changes::{consumer_change, patched, producer_change, queue_change};
use super::{Lowering, Names, find};
use crate::engine::command::*;
use crate::engine::order::positions_in_order;
use crate::engine::setup::*;
use crate::engine::{
    BodyId, ConsumerId, DeduplicationId, GroupId, MessageNumber, Micros, ProducerId, QueueId, Setup,
};
use crate::scenario::command::{
    Action, CommandFile, HandCallName, SendByHand, Settings, SettleByHand, Target,
};
use crate::scenario::edit::expand_consumers;
use crate::scenario::file::Scenario;
use crate::scenario::limits;
use crate::scenario::problem::{At, shown};
use crate::scenario::profile::Role;

/// The state of settings while commands are gone through in order of time.
struct Course {
    /// The file with all changes so far, its consumers expanded.
    file: Scenario,
    /// The producers with all changes so far, for their rates.
    producers: Vec<ProducerSetup>,
    network: NetworkSetup,
    /// The dead-letter queues of the beginning: what is in them stays when a queue no longer has them.
    dead_letter_queues: Vec<QueueId>,
}

impl Course {
    fn new(scenario: &Scenario, setup: &Setup) -> Self {
        Self {
            file: expand_consumers(scenario),
            producers: setup.producers.clone(),
            network: setup.network,
            dead_letter_queues: (setup.queues.iter())
                .filter_map(|queue| queue.dead_letter_queue)
                .collect(),
        }
    }
}

impl Lowering {
    /// All planned commands, repetitions expanded, by time, then file order.
    pub(super) fn commands(
        &mut self,
        scenario: &Scenario,
        setup: &Setup,
        at: At<'_>,
    ) -> Vec<TimedCommand> {
        let list = at.field("commands");
        let mut planned: Vec<(Micros, usize)> = Vec::new();
        for (index, command) in scenario.commands.iter().enumerate() {
            self.repetitions(
                command,
                index,
                setup.duration,
                list.item(index),
                &mut planned,
            );
            if planned.len() > limits::COMMANDS {
                self.too_many(list);
                return Vec::new();
            }
        }
        let order = positions_in_order(planned.iter().map(|(at, _)| (at.0, 0)));
        let mut course = Course::new(scenario, setup);
        let mut lowered = Vec::new();
        for (when, index) in order
            .into_iter()
            .filter_map(|place| planned.get(place).copied())
        {
            let before = self.problems.count();
            if let Some(command) = scenario.commands.get(index) {
                let (name, _) = command.action_json();
                let list = at.field("commands");
                let item = list.item(index);
                let commands = self.action(&command.action, &mut course, item.field(name));
                lowered.extend(
                    commands
                        .into_iter()
                        .map(|command| TimedCommand { at: when, command }),
                );
            }
            if lowered.len() > limits::COMMANDS {
                self.too_many(list);
            }
            if self.work.changes > limits::CHANGES {
                let message = format!("more than {} settings are changed", limits::CHANGES);
                self.problems.push(list, message, "change fewer");
            }
            if self.problems.count() > before {
                // Later commands build on this one; only unknown names could still be told.
                break;
            }
        }
        lowered
    }

    fn too_many(&mut self, list: At<'_>) {
        let message = format!("the commands act more than {} times", limits::COMMANDS);
        self.problems.push(list, message, "repeat them less often");
    }

    fn repetitions(
        &mut self,
        command: &CommandFile,
        index: usize,
        duration: Option<Micros>,
        at: At<'_>,
        planned: &mut Vec<(Micros, usize)>,
    ) {
        let Some(every) = command.every else {
            if command.times.is_some() {
                self.problems
                    .push(at.field("times"), "is given without every", "add every");
            }
            planned.push((command.at, index));
            return;
        };
        self.no_shorter(at.field("every"), every, Micros(1));
        let Some(end) = duration.or(command.times.map(|_| Micros::MAX)) else {
            self.problems.push(
                at.field("every"),
                "has no end",
                "give times, or a duration for the run",
            );
            return;
        };
        let mut when = command.at;
        for _ in 0..command.times.unwrap_or(u32::MAX) {
            if when > end || planned.len() > limits::COMMANDS || every == Micros::ZERO {
                return;
            }
            planned.push((when, index));
            when += every;
        }
    }

    /// `view.invitation.set` as commands for the beginning of a run.
    pub(in crate::scenario) fn invitation(
        &mut self,
        settings: &Settings,
        scenario: &Scenario,
        setup: &Setup,
        at: At<'_>,
    ) -> Vec<Command> {
        self.groups = Names::known(&setup.groups);
        let commands = self.settings(settings, &mut Course::new(scenario, setup), at);
        if self.groups.names.len() > setup.groups.len() {
            self.problems.push(
                at.field("groups"),
                "has a new name",
                "use groups of the scenario",
            );
            return Vec::new();
        }
        commands
    }

    fn action(&mut self, action: &Action, course: &mut Course, at: At<'_>) -> Vec<Command> {
        let one = |command: Option<Command>| command.into_iter().collect();
        match action {
            Action::Crash(name) => self.each(name, course, at, Command::Crash),
            Action::Restart(name) => self.each(name, course, at, Command::Restart),
            Action::Pause(name) => self.each(name, course, at, Command::Pause),
            Action::Resume(name) => self.each(name, course, at, Command::Resume),
            Action::Partition(name) => self.each(name, course, at, Command::Partition),
            Action::Heal(name) => self.each(name, course, at, Command::Heal),
            Action::CloseChannel(name) => self.each(name, course, at, Command::CloseChannel),
            Action::LoseNextAck(name) => self.each(name, course, at, Command::LoseNextAck),
            Action::SlowDown(slow) => {
                self.between(at.field("percent"), slow.percent, 1, 1_000_000);
                let percent = slow.percent;
                self.each(&slow.consumer, course, at.field("consumer"), |consumer| {
                    Command::SlowDown { consumer, percent }
                })
            }
            Action::PauseProducer(name) => one(self
                .producer_named(name, course, at)
                .map(Command::PauseProducer)),
            Action::ResumeProducer(name) => one(self
                .producer_named(name, course, at)
                .map(Command::ResumeProducer)),
            Action::Set(settings) => self.settings(settings, course, at),
            Action::Send(send) => one(self.send_by_hand(send, course, at)),
            Action::Redrive(redrive) => {
                self.at_least(at.field("limit"), redrive.limit, 1);
                if let Some(rate) = redrive.rate {
                    self.between(at.field("rate"), rate, 1, limits::REDRIVE_RATE);
                }
                let (limit, rate) = (redrive.limit, redrive.rate);
                let queue = self.dead_letter_queue(&redrive.from, course, at);
                one(queue.map(|from| Command::Redrive { from, limit, rate }))
            }
            Action::CancelRedrive(name) => one(self
                .dead_letter_queue(name, course, at)
                .map(Command::CancelRedrive)),
            Action::RedriveMessage(redrive) => {
                let message = self.message(at.field("message"), redrive.message);
                let fix = redrive.fix;
                vec![Command::RedriveMessage { message, fix }]
            }
            Action::Discard(discard) => {
                let message = self.message(at.field("message"), discard.message);
                let reason = discard.reason;
                vec![Command::Discard { message, reason }]
            }
            Action::Poison(number) | Action::Fix(number) => {
                let message = self.message(at, *number);
                let poison = matches!(action, Action::Poison(_));
                vec![Command::SetPoison { message, poison }]
            }
            Action::ExpireNow(number) => vec![Command::ExpireNow(self.message(at, *number))],
            Action::Receive(receive) => {
                let (max, wait) = (receive.max, receive.wait);
                self.between(at.field("max"), max.into(), 1, limits::BATCH.into());
                self.each(
                    &receive.consumer,
                    course,
                    at.field("consumer"),
                    |consumer| Command::Receive {
                        consumer,
                        max,
                        wait,
                    },
                )
            }
            Action::Settle(settle) => {
                let message = self.message(at.field("message"), settle.message);
                let Some(call) = self.hand_call(settle, at) else {
                    return Vec::new();
                };
                self.each(&settle.consumer, course, at.field("consumer"), |consumer| {
                    Command::Settle {
                        consumer,
                        message,
                        call,
                    }
                })
            }
            Action::TakeSession(take) => {
                if let Some(group) = &take.group {
                    self.check_name(at.field("group"), group);
                }
                let queue = self.queue_named(&take.queue, course, at.field("queue"));
                let group = take.group.as_ref();
                let group = group.map(|name| GroupId(self.groups.number(name)));
                one(queue.map(|queue| Command::TakeSession(queue, group)))
            }
            Action::Purge(name) => one(self.queue_named(name, course, at).map(Command::Purge)),
            Action::RestartBroker(true) => vec![Command::RestartBroker],
            Action::RestartBroker(false) => {
                self.problems.push(at, "false does nothing", "use true");
                Vec::new()
            }
        }
    }

    /// A message by its number; whether there ever is one of this number, only the run knows.
    fn message(&mut self, at: At<'_>, number: u32) -> MessageNumber {
        self.at_least(at, Some(number), 1);
        MessageNumber(number)
    }

    fn hand_call(&mut self, settle: &SettleByHand, at: At<'_>) -> Option<HandCall> {
        Some(match settle.call {
            HandCallName::Ack => HandCall::Ack,
            HandCallName::Nack => HandCall::Nack {
                delay: settle.delay,
            },
            HandCallName::Fail => HandCall::Fail,
            HandCallName::Reject => HandCall::Reject,
            HandCallName::Extend => {
                let Some(to) = settle.to else {
                    self.problems.push(
                        at.field("to"),
                        "is missing",
                        "say to what the timeout is extended",
                    );
                    return None;
                };
                HandCall::Extend { to }
            }
        })
    }

    fn send_by_hand(&mut self, send: &SendByHand, course: &Course, at: At<'_>) -> Option<Command> {
        self.between(at.field("count"), send.count, 1, limits::BURST);
        for (field, name) in [
            ("group", &send.group),
            ("body", &send.body),
            ("deduplication_id", &send.deduplication_id),
        ] {
            if let Some(name) = name {
                self.check_name(at.field(field), name);
            }
        }
        Some(Command::Send(HandSend {
            to: self.queue_named(&send.to, course, at.field("to"))?,
            count: send.count,
            group: send
                .group
                .as_ref()
                .map(|name| GroupId(self.groups.number(name))),
            body: send
                .body
                .as_ref()
                .map(|body| BodyId(self.bodies.number(body))),
            poison: send.poison,
            amount: send.amount,
            deduplication_id: send
                .deduplication_id
                .as_ref()
                .map(|id| DeduplicationId(self.deduplication_ids.number(id))),
            delay: send.delay,
            priority: send.priority,
            ttl: send.ttl,
            persistent: send.persistent,
        }))
    }

    fn queue_named(&mut self, name: &str, course: &Course, at: At<'_>) -> Option<QueueId> {
        let names = course.file.queues.iter().map(|queue| queue.name.as_str());
        let index = find("queue", Some(name), names, at, &mut self.problems)??;
        Some(QueueId(index as u16))
    }

    /// The queue of this name, which must be the dead-letter queue of another, now or at the beginning.
    fn dead_letter_queue(&mut self, name: &str, course: &Course, at: At<'_>) -> Option<QueueId> {
        let id = self.queue_named(name, course, at)?;
        let mut queues = course.file.queues.iter();
        let is_one = queues.any(|queue| queue.dead_letter_queue.as_deref() == Some(name));
        if is_one || course.dead_letter_queues.contains(&id) {
            return Some(id);
        }
        let message = format!("\"{}\" is no dead-letter queue", shown(name));
        let hint = "name one that another queue has as its dead_letter_queue";
        self.problems.push(at, message, hint);
        None
    }

    fn producer_named(&mut self, name: &str, course: &Course, at: At<'_>) -> Option<ProducerId> {
        let names = course
            .file
            .producers
            .iter()
            .map(|producer| producer.name.as_str());
        let index = find("producer", Some(name), names, at, &mut self.problems)??;
        Some(ProducerId(index as u16))
    }

    /// The consumer of this name, or all that are called so with a number: `worker` is worker-1, worker-2 ….
    fn consumers_named(&mut self, name: &str, course: &Course, at: At<'_>) -> Vec<usize> {
        let names = course.file.consumers.iter().map(|it| it.name.as_str());
        if let Some(index) = names.clone().position(|known| known == name) {
            return vec![index];
        }
        let is_numbered = |known: &str| {
            let number = known
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('-'));
            number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let numbered: Vec<usize> = names
            .clone()
            .enumerate()
            .filter(|(_, known)| is_numbered(known))
            .map(|(index, _)| index)
            .collect();
        if numbered.is_empty() {
            find("consumer", Some(name), names, at, &mut self.problems);
        }
        numbered
    }

    fn each(
        &mut self,
        name: &str,
        course: &Course,
        at: At<'_>,
        command: impl Fn(ConsumerId) -> Command,
    ) -> Vec<Command> {
        self.consumers_named(name, course, at)
            .into_iter()
            .map(|index| command(ConsumerId(index as u16)))
            .collect()
    }

    fn settings(&mut self, settings: &Settings, course: &mut Course, at: At<'_>) -> Vec<Command> {
        let patch = &settings.patch;
        match &settings.target {
            Target::Queue(name) => self
                .queue_named(name, course, at.field("queue"))
                .and_then(|id| self.set_queue(id, patch, course, at)),
            Target::Consumer(name) => {
                let ids = self.consumers_named(name, course, at.field("consumer"));
                Some(
                    ids.into_iter()
                        .filter_map(|index| self.set_consumer(index, patch, course, at))
                        .flatten()
                        .collect(),
                )
            }
            Target::AllConsumers => Some(self.set_all_consumers(patch, course, at)),
            Target::Producer(name) => self
                .producer_named(name, course, at.field("producer"))
                .and_then(|id| self.set_producer(id, patch, course, at)),
            Target::Network => {
                let at = at.field("network");
                course.network = patched(&course.network, patch, at, &mut self.problems)
                    .unwrap_or(course.network);
                Some(vec![Command::SetNetwork(course.network)])
            }
        }
        .unwrap_or_default()
    }

    fn set_queue(
        &mut self,
        id: QueueId,
        patch: &Map<String, Value>,
        course: &mut Course,
        at: At<'_>,
    ) -> Option<Vec<Command>> {
        self.work.changes += 1;
        let old = course.file.queues.get(id.index())?;
        let role = course.file.role_of(&old.name);
        let patch = &course.file.behaves_like.with_defaults(role, patch);
        let queue = patched(old, patch, at, &mut self.problems)?;
        let lowered = self.queue(&course.file, &queue, at)?;
        *course.file.queues.get_mut(id.index())? = queue;
        let mut commands: Vec<Command> = Vec::new();
        for name in patch.keys() {
            let command = Command::SetQueue(id, queue_change(name, &lowered)?);
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        Some(commands)
    }

    fn consumer_changes(
        &mut self,
        index: usize,
        patch: &Map<String, Value>,
        course: &mut Course,
        at: At<'_>,
    ) -> Option<Vec<ConsumerChange>> {
        self.work.changes += 1;
        let old = course.file.consumers.get(index)?.clone();
        let profile = course.file.behaves_like;
        let patch = &profile.with_defaults(Role::Consumer, patch);
        let new = patched(&old, patch, at, &mut self.problems)?;
        let before = self.consumer(&course.file, &old, at)?;
        let after = self.consumer(&course.file, &new, at)?;
        *course.file.consumers.get_mut(index)? = new;
        let mut changes: Vec<ConsumerChange> = patch
            .keys()
            .map(|name| consumer_change(name, &after))
            .collect::<Option<_>>()?;
        // A prefetch that is left to its default follows the batch and the workers.
        if before.prefetch != after.prefetch && !patch.contains_key("prefetch") {
            changes.push(ConsumerChange::Prefetch(after.prefetch));
        }
        Some(changes)
    }

    fn set_consumer(
        &mut self,
        index: usize,
        patch: &Map<String, Value>,
        course: &mut Course,
        at: At<'_>,
    ) -> Option<Vec<Command>> {
        let changes = self.consumer_changes(index, patch, course, at)?;
        let id = ConsumerId(index as u16);
        Some(
            changes
                .into_iter()
                .map(|change| Command::SetConsumer(Some(id), change))
                .collect(),
        )
    }

    fn set_all_consumers(
        &mut self,
        patch: &Map<String, Value>,
        course: &mut Course,
        at: At<'_>,
    ) -> Vec<Command> {
        let per_consumer: Vec<Vec<ConsumerChange>> = (0..course.file.consumers.len())
            .filter_map(|index| self.consumer_changes(index, patch, course, at))
            .collect();
        match per_consumer.first() {
            Some(first) if per_consumer.iter().all(|changes| changes == first) => first
                .iter()
                .map(|change| Command::SetConsumer(None, change.clone()))
                .collect(),
            _ => per_consumer
                .into_iter()
                .enumerate()
                .flat_map(|(index, changes)| {
                    let id = ConsumerId(index as u16);
                    changes
                        .into_iter()
                        .map(move |change| Command::SetConsumer(Some(id), change))
                })
                .collect(),
        }
    }

    fn set_producer(
        &mut self,
        id: ProducerId,
        patch: &Map<String, Value>,
        course: &mut Course,
        at: At<'_>,
    ) -> Option<Vec<Command>> {
        self.work.changes += 1;
        let old = course.file.producers.get(id.index())?;
        let producer = patched(old, patch, at, &mut self.problems)?;
        let lowered = self.producer(&course.file, &producer, at)?;
        *course.file.producers.get_mut(id.index())? = producer;
        *course.producers.get_mut(id.index())? = lowered.clone();
        self.check_rate(at, &course.producers);
        let mut commands: Vec<Command> = Vec::new();
        for name in patch.keys() {
            let command = Command::SetProducer(id, producer_change(name, &lowered)?);
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        Some(commands)
    }
}
