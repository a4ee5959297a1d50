//! Commands: crashes, pauses, changes of settings, sends by hand, redrives, purges.

use super::Simulation;
use super::batches::Batch;
use super::consumer::{Held, Link, Place};
use super::event_list::{Item, Phase};
use crate::engine::chance::{Purpose, draw, stream, uniform_between};
use crate::engine::command::{Command, ConsumerChange, ProducerChange, QueueChange, TimedCommand};
use crate::engine::event::{CloseReason, EventKind, Ordinal};
use crate::engine::id::{ConsumerId, ProducerId, QueueId};
use crate::engine::setup::Pattern;
use crate::engine::snapshot::{BreakerState, ConsumerStatus};
use crate::engine::time::Micros;

/// Commands come after what actors of the same phase do by themselves.
const AFTER_ACTORS: u32 = 1 << 31;

impl Simulation {
    pub(super) fn plan_command(&mut self, index: u32, timed: &TimedCommand) {
        let phase = match timed.command {
            Command::Crash(_)
            | Command::Restart(_)
            | Command::Pause(_)
            | Command::Resume(_)
            | Command::SlowDown { .. }
            | Command::Partition(_)
            | Command::Heal(_)
            | Command::CloseChannel(_) => Phase::Actors,
            _ => Phase::Commands,
        };
        self.list.plan(
            timed.at,
            phase,
            AFTER_ACTORS | index,
            Item::Command(index),
            None,
        );
    }

    pub(super) fn apply_command(&mut self, index: u32) {
        let setup = std::sync::Arc::clone(&self.setup);
        let Some(timed) = setup.commands.get(index as usize) else {
            return;
        };
        if let Some(void) = self.void(&timed.command) {
            self.emit(EventKind::CommandIgnored { index, void }, None);
            return;
        }
        let cause = self.emit(EventKind::CommandApplied { index }, None);
        match &timed.command {
            Command::Crash(consumer) => self.crash(*consumer, cause),
            Command::Restart(consumer) => self.restart(*consumer, cause),
            Command::Pause(consumer) => self.pause(*consumer),
            Command::Resume(consumer) => self.resume(*consumer, cause),
            Command::SlowDown { consumer, percent } => self.slow_down(*consumer, *percent, cause),
            Command::LoseNextAck(consumer) => {
                self.consumers[consumer.index()].loses_next_ack = Some(cause)
            }
            Command::Partition(consumer) => self.partition(*consumer, cause),
            Command::Heal(consumer) => self.heal(*consumer, cause),
            Command::CloseChannel(consumer) => {
                self.close_channel(*consumer, CloseReason::Command, cause);
            }
            Command::PauseProducer(producer) => self.producers[producer.index()].paused = true,
            Command::ResumeProducer(producer) => self.producers[producer.index()].paused = false,
            Command::SetQueue(queue, change) => self.set_queue(index, *queue, change, cause),
            Command::SetConsumer(Some(consumer), change) => {
                self.set_consumer(*consumer, change, cause);
            }
            Command::SetConsumer(None, change) => {
                for consumer in 0..self.consumers.len() {
                    self.set_consumer(ConsumerId(consumer as u16), change, cause);
                }
            }
            Command::SetProducer(producer, change) => self.set_producer(*producer, change),
            Command::SetNetwork(network) => self.network = *network,
            Command::Send(send) => self.send_by_hand(send, cause),
            Command::Redrive { from, limit, rate } => self.redrive(*from, *limit, *rate, cause),
            Command::CancelRedrive(queue) => self.end_redrive(*queue, cause),
            Command::RedriveMessage { message, fix } => {
                self.redrive_message(*message, *fix, cause);
            }
            Command::Discard { message, reason } => self.discard(*message, *reason, cause),
            Command::SetPoison { message, poison } => self.set_poison(*message, *poison, cause),
            Command::ExpireNow(message) => self.expire_now(*message, cause),
            Command::Purge(queue) => self.purge(*queue, cause),
            Command::TakeSession(queue, group) => self.take_session(*queue, *group, cause),
            Command::RestartBroker => self.restart_broker(cause),
            Command::Receive {
                consumer,
                max,
                wait,
            } => self.receive_by_hand(*consumer, *max, *wait, cause),
            Command::Settle {
                consumer,
                message,
                call,
            } => self.settle_by_hand(*consumer, *message, *call, cause),
        }
    }

    /// The process dies. What it received stays hidden until the timeouts end: the broker learns nothing. What was
    /// pushed to it comes back at once, for its connection is lost, unless it was cut off before.
    pub(super) fn crash(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        if !matches!(
            state.status,
            ConsumerStatus::Running | ConsumerStatus::Paused
        ) {
            return;
        }
        let held = state.in_hand() as u32;
        self.idle_ends(consumer);
        let state = &mut self.consumers[consumer.index()];
        state.busy = state.busy_until(now);
        state.status = ConsumerStatus::Crashed;
        state.generation += 1;
        state.link = Link::default();
        state.channel += 1;
        state.receiving = false;
        state.asked = None;
        state.polling = false;
        state.arriving = 0;
        state.loses_next_ack = None;
        let workers = usize::from(state.setup.workers);
        state.wreck = std::mem::replace(&mut state.workers, vec![None; workers]);
        state
            .wreck
            .iter_mut()
            .flatten()
            .for_each(|job| job.ends = now);
        let batches = std::mem::take(&mut state.batches);
        state.wreck_buffer = batches.into_iter().flat_map(Batch::into_held).collect();
        state.wreck_buffer.extend(state.buffer.drain(..));
        state.wreck_buffer.append(&mut state.finished);
        state.checkpoint_planned = false;
        state.failures = 0;
        state.breaker = BreakerState::Closed;
        state.crashes += 1;
        let (generation, restart_after) = (state.generation, state.setup.restart_after);
        let queue = state.setup.from;
        let jobs = state.wreck.iter().flatten().map(|job| job.held);
        let lost: Vec<Held> = jobs.chain(state.wreck_buffer.iter().copied()).collect();
        self.withdraw(consumer);
        self.sessions_die(consumer);
        let crashed = self.emit(EventKind::Crashed { consumer, held }, Some(cause));
        for held in lost {
            self.note_under_lease(&held, crashed);
            self.release(held.message);
        }
        self.disconnect(consumer, crashed);
        self.plan_queue(queue, Some(crashed));
        self.leave_all(consumer);
        if let Some(after) = restart_after {
            let item = Item::Restarts {
                consumer: consumer.0,
                generation,
            };
            let order = u32::from(consumer.0);
            self.list
                .plan(now + after, Phase::Actors, order, item, Some(crashed));
        }
    }

    /// Crashes a consumer that holds more than it can.
    pub(super) fn crash_when_full(&mut self, consumer: ConsumerId, cause: Ordinal) -> bool {
        let state = &self.consumers[consumer.index()];
        let most = state.setup.crash_above.map(|most| most as usize);
        let full = state.is_running() && most.is_some_and(|most| state.in_hand() > most);
        if full {
            self.crash(consumer, cause);
        }
        full
    }

    /// Starts a crashed consumer again, unless somebody did before.
    pub(super) fn restarts(&mut self, consumer: u16, generation: u32, cause: Option<Ordinal>) {
        if self.consumers[usize::from(consumer)].generation == generation {
            let cause = cause.unwrap_or(self.ordinal());
            self.restart(ConsumerId(consumer), cause);
        }
    }

    fn restart(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let state = &mut self.consumers[consumer.index()];
        if state.status != ConsumerStatus::Crashed {
            return;
        }
        state.status = ConsumerStatus::Running;
        state.wreck.clear();
        state.wreck_buffer.clear();
        let started = self.emit(EventKind::ConsumerStarted { consumer }, Some(cause));
        self.idle_begins(consumer);
        self.receive(consumer, Some(started));
    }

    fn pause(&mut self, consumer: ConsumerId) {
        let state = &mut self.consumers[consumer.index()];
        if state.status != ConsumerStatus::Running {
            return;
        }
        self.idle_ends(consumer);
        let state = &mut self.consumers[consumer.index()];
        state.status = ConsumerStatus::Paused;
        self.stop_receiving(consumer);
    }

    fn resume(&mut self, consumer: ConsumerId, cause: Ordinal) {
        let state = &mut self.consumers[consumer.index()];
        if state.status != ConsumerStatus::Paused {
            return;
        }
        state.status = ConsumerStatus::Running;
        self.wake(consumer, cause);
    }

    /// Takes back a receive that waits, and a planned one.
    pub(super) fn stop_receiving(&mut self, consumer: ConsumerId) {
        let withdrawn = self.withdraw(consumer);
        let state = &mut self.consumers[consumer.index()];
        if withdrawn {
            state.receiving = false;
            state.asked = None;
        }
        // A planned poll is outdated: it must not come on top of another receive.
        state.polling = false;
    }

    pub(super) fn wake(&mut self, consumer: ConsumerId, cause: Ordinal) {
        self.start_handlers(consumer);
        if self.consumers[consumer.index()].running_jobs() == 0 {
            self.idle_begins(consumer);
        }
        self.receive(consumer, Some(cause));
    }

    /// Work takes another time from now on, the rest of running work included.
    fn slow_down(&mut self, consumer: ConsumerId, percent: u32, cause: Ordinal) {
        let now = self.now();
        let percent = percent.max(1);
        let state = &mut self.consumers[consumer.index()];
        let old = std::mem::replace(&mut state.slow_percent, percent);
        let mut stamp = state.stamp;
        let mut plans = Vec::new();
        for (worker, slot) in state.workers.iter_mut().enumerate() {
            let Some(job) = slot
                .as_mut()
                .filter(|job| !job.settling && job.place != Place::Waiting)
            else {
                continue;
            };
            let left = (job.ends - now).scaled(u64::from(percent), u64::from(old));
            stamp = stamp.wrapping_add(1);
            job.stamp = stamp;
            job.ends = now + left;
            plans.push((worker as u16, *job));
        }
        state.stamp = stamp;
        let heartbeat = state.setup.heartbeat;
        let order = u32::from(consumer.0);
        for (worker, job) in plans {
            let (consumer, stamp) = (consumer.0, job.stamp);
            let item = Item::WorkEnds {
                consumer,
                worker,
                stamp,
            };
            self.list
                .plan(job.ends, Phase::Endings, order, item, Some(cause));
            if let Some(heartbeat) = heartbeat {
                let every = heartbeat.every.max(Micros(1));
                let beats = (now - job.started).0 / every.0 + 1;
                let next = job.started + Micros(every.0.saturating_mul(beats));
                if next < job.ends {
                    let item = Item::Heartbeat {
                        consumer,
                        worker,
                        stamp,
                    };
                    self.list
                        .plan(next, Phase::Endings, order, item, Some(cause));
                }
            }
        }
    }

    /// Changes a setting, at once or after the time that this takes.
    ///
    /// SQS: up to 60 s, and 15 min for the retention (API Reference, SetQueueAttributes). What is changed later acts
    /// no earlier. A change of kind is no call of a broker and acts at once.
    fn set_queue(&mut self, index: u32, queue: QueueId, change: &QueueChange, cause: Ordinal) {
        let propagation = self.broker.queue(queue).rules.propagation;
        if propagation == Micros::ZERO || matches!(change, QueueChange::Kind(_)) {
            return self.change_queue(queue, change, cause);
        }
        let name = stream(&self.broker.queue(queue).name);
        let value = draw(
            self.setup.seed,
            name,
            Purpose::Propagation,
            u64::from(index),
        );
        let after = Micros(uniform_between(value, 0, propagation.0));
        let state = &mut self.queues[queue.index()];
        let acts_at = (self.list.now() + after).max(state.settled_at);
        state.settled_at = acts_at;
        let told = self.emit(EventKind::SettingDelayed { queue, acts_at }, Some(cause));
        let item = Item::SettingActs(index);
        self.list
            .plan(acts_at, Phase::Commands, index, item, Some(told));
    }

    /// A changed setting acts.
    pub(super) fn setting_acts(&mut self, index: u32, cause: Option<Ordinal>) {
        let setup = std::sync::Arc::clone(&self.setup);
        let timed = setup.commands.get(index as usize);
        if let Some(Command::SetQueue(queue, change)) = timed.map(|timed| &timed.command) {
            let cause = cause.unwrap_or(self.ordinal());
            self.change_queue(*queue, change, cause);
        }
    }

    fn change_queue(&mut self, queue: QueueId, change: &QueueChange, cause: Ordinal) {
        let now = self.now();
        let before = self.broker.queue(queue);
        let (dead_letter_queue, pushed) = (before.dead_letter_queue, before.pushes());
        let mut out = std::mem::take(&mut self.out);
        self.broker.change(now, queue, change, &mut out);
        self.out = out;
        self.follow(queue, Some(cause));
        self.follow_hand_over(queue, pushed, cause);
        if let Some(dead) = dead_letter_queue {
            self.plan_queue(dead, Some(cause));
        }
        if let Some(dead) = self.broker.queue(queue).dead_letter_queue {
            self.track_ready(dead);
        }
    }

    fn set_consumer(&mut self, consumer: ConsumerId, change: &ConsumerChange, cause: Ordinal) {
        let state = &mut self.consumers[consumer.index()];
        state.setup.apply(change);
        if let ConsumerChange::Workers(workers) = change {
            let workers = usize::from(*workers);
            if state.workers.len() < workers {
                state.workers.resize(workers, None);
            }
            while state.workers.len() > workers && state.workers.last().is_some_and(Option::is_none)
            {
                state.workers.pop();
            }
        }
        self.renew_subscription(consumer, change, cause);
        if matches!(change, ConsumerChange::AckTogether(_)) {
            self.acknowledge_finished(consumer, cause);
        }
        if matches!(change, ConsumerChange::Claim(_)) {
            self.plan_claim(consumer);
        }
        if matches!(change, ConsumerChange::Breaker(_)) {
            self.close_breaker(consumer, cause);
        }
        let state = &mut self.consumers[consumer.index()];
        if state.is_running() {
            if matches!(change, ConsumerChange::ByHand(_)) {
                // Neither a person's receive nor its own outlives the one who made it.
                self.stop_receiving(consumer);
            }
            // A waiting receive was made under the old setting: it is made anew.
            let asks_anew = matches!(
                change,
                ConsumerChange::Prefetch(_)
                    | ConsumerChange::Batch(_)
                    | ConsumerChange::Wait(_)
                    | ConsumerChange::Refill(_)
                    | ConsumerChange::VisibilityTimeout(_)
            );
            if asks_anew && self.withdraw(consumer) {
                self.consumers[consumer.index()].receiving = false;
            }
            self.wake(consumer, cause);
        }
    }

    fn set_producer(&mut self, producer: ProducerId, change: &ProducerChange) {
        let now = self.now();
        let index = producer.index();
        let state = &mut self.producers[index];
        let old = state.setup.pattern.clone();
        state.setup.apply(change);
        match change {
            ProducerChange::Pattern(new) => {
                if let Pattern::List(sends) = new {
                    let past = sends.iter().take_while(|send| send.at < now).count();
                    state.ticks = past as u32;
                }
                state.generation += 1;
                let next = self.producers[index].rescheduled(self.setup.seed, now, &old);
                self.plan_tick(index, next);
            }
            ProducerChange::Limit(_) if state.next_at.is_none() => {
                let next = state.next_tick(self.setup.seed, now);
                state.generation += 1;
                self.plan_tick(index, next);
            }
            _ => {}
        }
    }

    fn restart_broker(&mut self, cause: Ordinal) {
        let now = self.now();
        let cause = self.emit(EventKind::BrokerRestarted, Some(cause));
        let mut out = std::mem::take(&mut self.out);
        self.broker.restart(now, &mut out);
        self.out = out;
        for queue in self.all_queues() {
            self.follow(queue, Some(cause));
        }
    }

    fn purge(&mut self, queue: QueueId, cause: Ordinal) {
        let now = self.now();
        let mut out = std::mem::take(&mut self.out);
        self.broker.purge(now, queue, &mut out);
        self.out = out;
        self.follow(queue, Some(cause));
    }
}
