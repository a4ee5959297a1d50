//! A run: the state that decides the future, and the loop that moves it.
//!
//! Order at one instant: handlers ending and acks, timers, sends, actors, other commands, deliveries; what is
//! planned for a phase that is over waits for the next round of the same instant.

mod acking;
mod batches;
mod breaking;
mod by_hand;
mod by_slot;
mod claiming;
mod commanding;
mod consumer;
mod consuming;
mod downstreams;
mod event_list;
mod failing;
mod guarding;
mod handing;
mod handling;
mod idempotence;
mod intervening;
mod levels;
mod measuring;
mod messages;
mod percentiles;
mod producer;
mod producing;
mod sessions;
mod settling;
mod subscribing;
mod travelling;
mod view;

use std::collections::VecDeque;
use std::sync::Arc;

use super::broker::{Broker, Happening};
use super::chance::stream;
use super::command::TimedCommand;
use super::event::{DeadLetterReason, Event, EventKind, Ordinal, StuckReason};
use super::id::{GroupId, QueueId};
use super::setup::{NetworkSetup, Setup};
use super::snapshot::{EffectView, Totals};
use super::time::Micros;
use by_slot::BySlot;
use consumer::Consumer;
use downstreams::Downstream;
use event_list::{EventList, Item, Phase};
use idempotence::KeyStore;
use intervening::Redriving;
use measuring::Backlog;
use messages::MessageTable;
use percentiles::Percentiles;
use producer::Producer;
use travelling::Transit;

/// The state of a run. A clone is a checkpoint: continuing it gives what continuing the original gives.
#[derive(Clone, Debug)]
pub struct Simulation {
    setup: Arc<Setup>,
    list: EventList,
    ordinal: u64,
    /// The caller's trace during a step, empty otherwise.
    trace: Vec<Event>,
    /// What the broker did in the present call.
    out: Vec<Happening>,
    broker: Broker,
    messages: MessageTable,
    queues: Vec<QueueState>,
    producers: Vec<Producer>,
    consumers: Vec<Consumer>,
    downstreams: Vec<Downstream>,
    network: NetworkSetup,
    transit: Transit,
    totals: Totals,
    backlog: Backlog,
    latency: Percentiles,
    effects: VecDeque<EffectView>,
    duplicates: VecDeque<EffectView>,
    /// By message key.
    dead: BySlot<DeadLetter>,
    /// The first groups that the scenario's producers name, by queue: their lanes are shown from the start.
    named_groups: Arc<[Vec<GroupId>]>,
    stuck: bool,
}

/// Why a message is in a dead-letter queue.
#[derive(Clone, Copy, Debug)]
struct DeadLetter {
    reason: DeadLetterReason,
    at: Micros,
    from: QueueId,
    to: QueueId,
    deliveries: u32,
}

/// What the simulation keeps about a queue beside the broker.
#[derive(Clone, Default, Debug)]
struct QueueState {
    timer_at: Option<Micros>,
    deliver_planned: bool,
    check_planned: bool,
    /// Since when it has had ready messages without a break, and the time before that.
    ready_from: Option<Micros>,
    ready_time: Micros,
    /// Its ready messages as they count for the backlog; none of a dead-letter queue.
    counted: u64,
    /// Waits of the last deliveries, newest last.
    waits: VecDeque<Micros>,
    /// By group; the first is that of messages without one.
    lanes: Vec<LaneState>,
    /// How many of them starve.
    starving: u32,
    keys: KeyStore,
    /// The redrive with a rate that is under way.
    redriving: Option<Redriving>,
    /// Tells an outdated plan of a redrive.
    redrive_stamp: u32,
    /// When the newest change of a setting acts that takes its time.
    settled_at: Micros,
}

/// What the simulation keeps about one group of a queue.
#[derive(Clone, Copy, Default, Debug)]
struct LaneState {
    /// Highest message number that has been delivered.
    delivered_up_to: u32,
    /// Highest message number that has had its effect.
    effects_up_to: u32,
    max_wait: Micros,
    /// Wait of its newest delivery.
    last_wait: Micros,
    /// Since when its oldest message has been waiting, while it starves.
    starving_since: Option<Micros>,
}

impl QueueState {
    fn lane(&self, group: Option<GroupId>) -> LaneState {
        let index = group.map_or(0, |group| group.index() + 1);
        self.lanes.get(index).copied().unwrap_or_default()
    }

    fn lane_mut(&mut self, group: Option<GroupId>) -> &mut LaneState {
        let index = group.map_or(0, |group| group.index() + 1);
        if index >= self.lanes.len() {
            self.lanes.resize(index + 1, LaneState::default());
        }
        &mut self.lanes[index]
    }
}

/// How far a call got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Everything up to and including the instant asked for has happened.
    Reached,
    /// The budget was used up first; call again to go on.
    Working,
    /// The run has stopped by itself; its last event is `Stuck`.
    Stuck,
}

impl Simulation {
    /// A run at its beginning: nothing has happened yet, not even at time 0.
    pub fn new(setup: Arc<Setup>) -> Self {
        let producers = setup.producers.iter();
        let consumers = setup.consumers.iter();
        let mut simulation = Self {
            list: EventList::default(),
            ordinal: 0,
            trace: Vec::new(),
            out: Vec::new(),
            broker: Broker::new(setup.seed, &setup.queues),
            messages: MessageTable::default(),
            queues: vec![QueueState::default(); setup.queues.len()],
            producers: producers
                .map(|it| Producer::new(it.clone(), stream(&it.name)))
                .collect(),
            consumers: consumers
                .map(|it| Consumer::new(it.clone(), stream(&it.stream)))
                .collect(),
            downstreams: vec![Downstream::default(); setup.downstreams.len()],
            network: setup.network,
            transit: Transit::default(),
            totals: Totals {
                amount_due: producing::planned_amount(&setup),
                ..Totals::default()
            },
            backlog: Backlog::default(),
            latency: Percentiles::default(),
            effects: VecDeque::new(),
            duplicates: VecDeque::new(),
            dead: BySlot::default(),
            named_groups: view::named_groups(&setup),
            stuck: false,
            setup,
        };
        simulation.plan_start();
        simulation
    }

    fn plan_start(&mut self) {
        let setup = Arc::clone(&self.setup);
        for index in 0..self.producers.len() {
            let first = self.producers[index].first_tick(setup.seed);
            self.plan_tick(index, first);
        }
        for (index, consumer) in setup.consumers.iter().enumerate() {
            let item = Item::ConsumerStarts(index as u16);
            self.list
                .plan(consumer.start, Phase::Actors, index as u32, item, None);
        }
        for (index, timed) in setup.commands.iter().enumerate() {
            self.plan_command(index as u32, timed);
        }
        // A queue that nobody ever uses is deleted too.
        for index in 0..setup.queues.len() {
            self.plan_queue(QueueId(index as u16), None);
        }
    }

    /// What it runs.
    pub fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// The present instant.
    pub fn now(&self) -> Micros {
        self.list.now()
    }

    /// The ordinal of the next event: so many have happened.
    pub fn ordinal(&self) -> Ordinal {
        Ordinal(self.ordinal)
    }

    /// When the next planned thing happens; none when nothing will ever happen again.
    pub fn next_at(&self) -> Option<Micros> {
        if self.stuck {
            None
        } else {
            self.list.next_at()
        }
    }

    /// Whether the run has stopped by itself.
    pub fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Does the next planned thing and appends its events (none, one or several) to `trace`. Returns its instant;
    /// none when nothing is planned or the run is stuck.
    pub fn step(&mut self, trace: &mut Vec<Event>) -> Option<Micros> {
        if self.stuck {
            return None;
        }
        let (item, cause) = self.list.pop()?;
        std::mem::swap(&mut self.trace, trace);
        self.act(item, cause);
        if self.list.is_cycling() {
            self.stop(StuckReason::Cycle);
        } else if self.messages.live() > self.setup.live_message_cap as usize {
            self.stop(StuckReason::TooManyMessages);
        }
        std::mem::swap(&mut self.trace, trace);
        Some(self.now())
    }

    /// Runs everything up to and including `until`, then sets the present instant to `until`. `budget` bounds the
    /// planned things done in this call.
    pub fn run_until(&mut self, until: Micros, budget: u64, trace: &mut Vec<Event>) -> Progress {
        for _ in 0..budget {
            if self.next_at().is_none_or(|at| at > until) {
                break;
            }
            self.step(trace);
        }
        if self.stuck {
            return Progress::Stuck;
        }
        if self.next_at().is_some_and(|at| at <= until) {
            return Progress::Working;
        }
        self.list.advance(until);
        Progress::Reached
    }

    /// Plans a live command. It must not be earlier than [`Simulation::now`], and later than it when anything has
    /// happened at that instant; `setup` is the run's setup with the command added (and any new names appended).
    pub fn command(&mut self, setup: Arc<Setup>, index: u32, timed: &TimedCommand) {
        self.setup = setup;
        self.plan_command(index, timed);
    }

    fn act(&mut self, item: Item, cause: Option<Ordinal>) {
        match item {
            Item::WorkEnds {
                consumer,
                worker,
                stamp,
            } => self.work_ends(consumer, worker, stamp),
            Item::Settles {
                consumer,
                worker,
                stamp,
            } => self.settles(consumer, worker, stamp, cause),
            Item::Checkpoint {
                consumer,
                generation,
            } => self.checkpoint(consumer, generation, cause),
            Item::Heartbeat {
                consumer,
                worker,
                stamp,
            } => self.heartbeat(consumer, worker, stamp),
            Item::Arrives(parcel) => self.arrives(parcel, cause),
            Item::Timer(queue) => self.timer(QueueId(queue)),
            Item::ConfirmTimeout { message, attempt } => {
                self.confirm_timeout(message, attempt, cause)
            }
            Item::ProducerTick {
                producer,
                generation,
            } => self.producer_tick(producer, generation),
            Item::ConsumerStarts(consumer) => self.consumer_starts(consumer, cause),
            Item::Restarts {
                consumer,
                generation,
            } => self.restarts(consumer, generation, cause),
            Item::HalfOpens { consumer, stamp } => self.half_opens(consumer, stamp, cause),
            Item::Claim { consumer, stamp } => self.make_claim(consumer, stamp),
            Item::Poll { consumer, stamp } => self.poll(consumer, stamp, cause),
            Item::Reconnects { consumer, channel } => self.reconnects(consumer, channel, cause),
            Item::Command(index) => self.apply_command(index),
            Item::Deliver(queue) => self.deliver(QueueId(queue), cause),
            Item::StarvationCheck(queue) => self.starvation_check(QueueId(queue)),
            Item::SessionIdle { consumer, stamp } => self.session_idle(consumer, stamp, cause),
            Item::SettingActs(index) => self.setting_acts(index, cause),
            Item::Move { queue, stamp } => self.move_next(QueueId(queue), stamp),
        }
    }

    fn emit(&mut self, kind: EventKind, cause: Option<Ordinal>) -> Ordinal {
        let ordinal = Ordinal(self.ordinal);
        self.ordinal += 1;
        self.trace.push(Event {
            ordinal,
            at: self.list.now(),
            cause,
            kind,
        });
        ordinal
    }

    fn stop(&mut self, reason: StuckReason) {
        self.stuck = true;
        self.emit(
            EventKind::Stuck {
                reason,
                message: None,
            },
            None,
        );
    }

    fn broker_bytes(&self) -> usize {
        let stored = self
            .all_counts()
            .map(|(_, it)| it.ready + it.delayed + it.in_flight + it.undeliverable);
        stored.sum::<u64>() as usize * 48 + self.broker.remembered_ids() * 64
    }

    /// About how many bytes a clone takes.
    pub fn approximate_bytes(&self) -> usize {
        self.list.len() * EventList::ENTRY_BYTES
            + self.messages.approximate_bytes()
            + self.broker_bytes()
            + self
                .queues
                .iter()
                .map(|queue| queue.lanes.len() * size_of::<LaneState>())
                .sum::<usize>()
            + self
                .queues
                .iter()
                .map(|queue| queue.keys.len() * 64)
                .sum::<usize>()
            + self.consumers.len() * size_of::<Consumer>()
            + self.latency.approximate_bytes()
            + size_of::<Self>()
    }
}
