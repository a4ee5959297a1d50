//! Snapshots written by hand, for tests of what is drawn and said.

mod moments;

pub use moments::*;

use crate::engine::event::Ordinal;
use crate::engine::setup::*;
use crate::engine::snapshot::*;
use crate::engine::{BodyId, ConsumerId, GroupId, MessageNumber, Micros, QueueId, Setup};

/// A setup and a moment of its run.
pub struct Fixture {
    /// What runs.
    pub setup: Setup,
    /// The moment.
    pub snapshot: Snapshot,
    /// Unit of the amounts.
    pub unit: &'static str,
    /// What an effect is called.
    pub effect_label: &'static str,
}

/// Milliseconds.
pub fn ms(milliseconds: u64) -> Micros {
    Micros::from_millis(milliseconds)
}

/// A message.
pub fn token(message: u32, group: Option<u32>, deliveries: u32) -> Token {
    Token {
        message: MessageNumber(message),
        body: None,
        group: group.map(GroupId),
        deliveries,
        poison: false,
        priority: None,
        expired: false,
    }
}

/// A delivery in a consumer's hands.
pub fn held(token: Token, delivered_at: u64, hidden_until: u64, now: u64) -> HeldView {
    HeldView {
        token,
        delivered_at: ms(delivered_at),
        hidden_until: ms(hidden_until),
        lease: hidden_until > now,
        acked: false,
        worked: false,
    }
}

/// A handler at work.
pub fn job(held: HeldView, ends: u64) -> Option<JobView> {
    Some(JobView {
        held,
        started: held.delivered_at,
        ends: ms(ends),
        waits: false,
    })
}

fn queue(
    name: &str,
    kind: QueueKind,
    timeout: u64,
    max: Option<u32>,
    dead: Option<u16>,
) -> QueueSetup {
    QueueSetup {
        visibility_timeout: ms(timeout),
        max_deliveries: max,
        dead_letter_queue: dead.map(QueueId),
        ..QueueSetup::new(name, kind)
    }
}

fn producer(name: &str, pattern: Pattern, groups: Groups) -> ProducerSetup {
    ProducerSetup {
        start: ms(200),
        groups,
        max_resends: 3,
        ..ProducerSetup::new(name, QueueId(0), pattern)
    }
}

fn consumer(name: &str, work: u64, prefetch: u32) -> ConsumerSetup {
    ConsumerSetup {
        prefetch,
        poll_interval: ms(100),
        ..ConsumerSetup::new(name, QueueId(0), Processing::Constant(ms(work)))
    }
}

fn setup(
    queues: Vec<QueueSetup>,
    producers: Vec<ProducerSetup>,
    consumers: Vec<ConsumerSetup>,
) -> Setup {
    Setup {
        queues,
        producers,
        consumers,
        ..Setup::empty()
    }
}

/// The beginning of a run as a snapshot: nothing sent, all consumers idle.
pub fn quiet(setup: &Setup, at: u64) -> Snapshot {
    let dead: Vec<QueueId> = setup
        .queues
        .iter()
        .filter_map(|queue| queue.dead_letter_queue)
        .collect();
    Snapshot {
        at: ms(at),
        ordinal: Ordinal(0),
        queues: (0..)
            .map(QueueId)
            .zip(&setup.queues)
            .map(|(id, queue)| QueueView {
                subscribers: Vec::new(),
                setup: queue.clone(),
                counts: Counts::default(),
                oldest_since: None,
                lanes: Vec::new(),
                more_lanes: 0,
                in_flight: Vec::new(),
                delayed: Vec::new(),
                undeliverable: Vec::new(),
                dead_letters: Vec::new(),
                dead_lettered: 0,
                is_dead_letter_queue: dead.contains(&id),
                redrive: None,
                sessions: Vec::new(),
            })
            .collect(),
        producers: setup
            .producers
            .iter()
            .map(|producer| ProducerView {
                setup: producer.clone(),
                sent: 0,
                planned: None,
                resent: 0,
                next_at: None,
                paused: false,
            })
            .collect(),
        consumers: setup
            .consumers
            .iter()
            .map(|consumer| ConsumerView {
                channel: None,
                setup: consumer.clone(),
                status: ConsumerStatus::Running,
                slow_percent: 100,
                loses_next_ack: false,
                cut_off: false,
                workers: vec![None; consumer.workers.into()],
                asks: false,
                buffered: Vec::new(),
                idle: Some((Micros::ZERO, IdleReason::QueueEmpty)),
                breaker: BreakerState::Closed,
                crashes: 0,
                executions: 0,
                busy: Micros::ZERO,
                stored_ids: 0,
            })
            .collect(),
        downstreams: Vec::new(),
        outside: OutsideView::default(),
        travelling: Vec::new(),
        network: setup.network,
        totals: Totals::default(),
        stuck: false,
    }
}
