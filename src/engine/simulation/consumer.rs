//! The state of one consumer.

use std::collections::VecDeque;

use super::batches::Batch;
use super::sessions::OpenSession;
use crate::engine::broker::{MessageKey, PendingCursor, Receipt};
use crate::engine::event::Ordinal;
use crate::engine::setup::{ConsumerSetup, Refill};
use crate::engine::snapshot::{BreakerState, ConsumerStatus};
use crate::engine::time::Micros;

/// A message in a consumer's hands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub message: MessageKey,
    pub receipt: Receipt,
    /// The broker's delivery count.
    pub delivery: u32,
    /// Which receive gave it; what is pushed comes alone.
    pub call: u64,
    /// Deliveries of the message over its whole life: indexes its draws.
    pub attempt: u32,
    pub delivered_at: Micros,
    /// The event of its delivery.
    pub delivered_event: Ordinal,
    pub hidden_until: Micros,
    /// An extension was refused: it asks for none any more.
    pub may_not_extend: bool,
    pub acked: bool,
    /// Pushed: on which of its consumer's channels.
    pub channel: Option<u32>,
}

/// A handler at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub held: Held,
    pub started: Micros,
    pub ends: Micros,
    /// Tells outdated plans from this job's.
    pub stamp: u32,
    /// The event of its start.
    pub started_event: Ordinal,
    /// The idempotence check at the start found the work done or claimed; `wrongly` if it was not done.
    pub skips: Option<Skip>,
    /// This handler has claimed the key.
    pub claimed: bool,
    /// The effect is applied, what follows is not.
    pub settling: bool,
    /// Its place at what it calls.
    pub place: Place,
}

/// A handler's place at what it calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// It needs none.
    None,
    /// It has one.
    Held,
    /// It waits for one and has not begun.
    Waiting,
    /// It was refused one.
    Refused,
}

/// A handler that does nothing because the idempotence check says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skip {
    pub wrongly: bool,
}

/// A receive by hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub max: u32,
    pub wait: Micros,
}

/// How a consumer of a queue that pushes stands with the broker.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Link {
    pub subscribed: Subscribed,
    /// When its channel was closed without its doing; none when it is open again.
    pub closed_since: Option<Micros>,
    /// It subscribes anew after a pause.
    pub waits: bool,
}

/// Whether a consumer is subscribed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum Subscribed {
    #[default]
    No,
    /// Its call is on its way.
    Asked,
    Since(Micros),
}

/// One consumer.
#[derive(Clone, Debug)]
pub(super) struct Consumer {
    pub setup: ConsumerSetup,
    pub stream: u64,
    pub status: ConsumerStatus,
    pub slow_percent: u32,
    /// The command that makes it lose its next ack.
    pub loses_next_ack: Option<Ordinal>,
    /// The command that cut it off from the broker, while it is cut off.
    pub cut_off_by: Option<Ordinal>,
    pub workers: Vec<Option<Job>>,
    pub buffer: VecDeque<Held>,
    /// What its workers work on as one, beside the message at work.
    pub batches: Vec<Batch>,
    /// Failures in a row, and what follows from them.
    pub failures: u32,
    pub breaker: BreakerState,
    pub breaker_stamp: u32,
    pub crashes: u64,
    pub empty_receives: u64,
    /// What it held when it crashed: still hidden from others until the timeouts end.
    pub wreck: Vec<Option<Job>>,
    pub wreck_buffer: Vec<Held>,
    /// Finished, and to be acknowledged together.
    pub finished: Vec<Held>,
    /// Whether a time for that is planned.
    pub checkpoint_planned: bool,
    /// The receive that a person makes in its place, until it is answered.
    pub asked: Option<Asked>,
    /// A receive is waiting at the broker or on its way there.
    pub receiving: bool,
    /// It will receive again after a pause.
    pub polling: bool,
    /// Push: whether it is subscribed.
    pub link: Link,
    /// Push: tells its present channel from those that were closed.
    pub channel: u32,
    /// Deliveries on their way to it.
    pub arriving: u32,
    /// Receives made so far.
    pub calls: u64,
    /// Tells what was on its way before a crash.
    pub generation: u32,
    pub stamp: u32,
    /// Tells an outdated plan to claim.
    pub claim_stamp: u32,
    /// Where its next claim goes on.
    pub claim_cursor: Option<PendingCursor>,
    /// Tells an outdated plan to poll.
    pub poll_stamp: u32,
    /// The sessions that it holds.
    pub sessions: Vec<OpenSession>,
    pub executions: u64,
    pub busy: Micros,
    pub started_at: Micros,
    /// Since when no handler has been running.
    pub idle_since: Option<Micros>,
    /// The queue's time with ready messages when the idle time began.
    pub idle_mark: Micros,
    pub idle_while_waiting: Micros,
    /// Idle time that is over.
    pub idle: Micros,
}

impl Consumer {
    pub(super) fn new(setup: ConsumerSetup, stream: u64) -> Self {
        Self {
            workers: vec![None; usize::from(setup.workers)],
            stream,
            status: ConsumerStatus::NotStarted,
            slow_percent: 100,
            loses_next_ack: None,
            cut_off_by: None,
            buffer: VecDeque::new(),
            batches: Vec::new(),
            failures: 0,
            breaker: BreakerState::Closed,
            breaker_stamp: 0,
            crashes: 0,
            empty_receives: 0,
            wreck: Vec::new(),
            wreck_buffer: Vec::new(),
            finished: Vec::new(),
            checkpoint_planned: false,
            asked: None,
            receiving: false,
            polling: false,
            link: Link::default(),
            channel: 0,
            arriving: 0,
            calls: 0,
            generation: 0,
            stamp: 0,
            claim_stamp: 0,
            claim_cursor: None,
            poll_stamp: 0,
            sessions: Vec::new(),
            executions: 0,
            busy: Micros::ZERO,
            started_at: setup.start,
            idle_since: None,
            idle_mark: Micros::ZERO,
            idle_while_waiting: Micros::ZERO,
            idle: Micros::ZERO,
            setup,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.status == ConsumerStatus::Running
    }

    pub(super) fn running_jobs(&self) -> usize {
        self.workers.iter().flatten().count()
    }

    /// Messages in its hands, running ones included.
    pub(super) fn in_hand(&self) -> usize {
        let batched = self.batches.iter().map(Batch::len).sum::<usize>();
        self.running_jobs() + batched + self.buffer.len()
    }

    /// Messages held or on their way, running ones included.
    pub(super) fn held(&self) -> usize {
        self.in_hand() + self.arriving as usize
    }

    /// How many messages it may ask for by itself now; 0 when it should not receive.
    pub(super) fn room(&self) -> u32 {
        if self.setup.by_hand
            || !self.is_running()
            || self.receiving
            || self.polling
            || self.cut_off_by.is_some()
        {
            return 0;
        }
        let held = self.held() as u32;
        match self.breaker {
            BreakerState::Closed => {}
            BreakerState::Open(_) => return 0,
            BreakerState::HalfOpen => return u32::from(held == 0),
        }
        let room = match self.setup.refill {
            Refill::WhenEmpty if held > 0 => 0,
            _ if self.setup.prefetch == 0 => u32::MAX,
            _ => self.setup.prefetch.saturating_sub(held),
        };
        room.min(self.setup.batch.map_or(10, u32::from))
    }

    /// How many messages it may claim now.
    pub(super) fn room_for_claims(&self) -> u32 {
        let Some(claim) = self.setup.claim else {
            return 0;
        };
        if !self.is_running() || self.setup.by_hand || self.cut_off_by.is_some() {
            return 0;
        }
        let room = self.setup.prefetch.saturating_sub(self.held() as u32);
        room.min(claim.max)
    }

    /// A worker slot that may start a handler.
    pub(super) fn free_worker(&self) -> Option<usize> {
        let allowed = usize::from(self.setup.workers);
        if self.running_jobs() >= allowed {
            return None;
        }
        self.workers.iter().take(allowed).position(Option::is_none)
    }

    pub(super) fn next_stamp(&mut self) -> u32 {
        self.stamp = self.stamp.wrapping_add(1);
        self.stamp
    }

    /// Worker time spent in handlers up to `now`, running ones included.
    pub(super) fn busy_until(&self, now: Micros) -> Micros {
        self.workers
            .iter()
            .flatten()
            .fold(self.busy, |busy, job| busy + (now - job.started))
    }
}
