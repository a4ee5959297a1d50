//! The runs that benches share.

#![allow(dead_code, reason = "each bench uses some of them")]

use std::sync::Arc;

use queue_playground::engine::setup::*;
use queue_playground::engine::{GroupId, Micros, Ordinal, QueueId, Setup, Simulation};
use queue_playground::session::Session;

/// Events of [`million`].
pub const EVENTS: u64 = 1_000_000;

/// Work that nothing bounds.
pub const UNLIMITED: u64 = u64::MAX;

/// 100 messages a second, first piling up to nearly 10,000, then worked off by as many as come.
pub fn piling_up() -> Setup {
    let mut setup = Setup::empty();
    setup.queues = vec![
        QueueSetup {
            max_deliveries: Some(5),
            dead_letter_queue: Some(QueueId(1)),
            ..QueueSetup::new("orders", QueueKind::Standard)
        },
        QueueSetup::new("orders-dlq", QueueKind::Standard),
    ];
    let steady = Pattern::Constant {
        every: Micros::from_millis(10),
    };
    setup
        .producers
        .push(ProducerSetup::new("shop", QueueId(0), steady));
    let work = Processing::Constant(Micros::from_millis(100));
    setup.consumers.push(ConsumerSetup {
        workers: 10,
        prefetch: 10,
        start: Micros::from_secs(99),
        ..ConsumerSetup::new("worker-1", QueueId(0), work)
    });
    setup
}

/// A session that knows [`EVENTS`] events of [`piling_up`], the playhead at their end.
pub fn million() -> Session {
    let mut session = Session::new(Arc::new(piling_up()));
    let mut second = 0;
    while session.known_events() < Ordinal(EVENTS) {
        second += 1;
        session.advance_to(Micros::from_secs(second), UNLIMITED);
    }
    session
}

/// Time from one send of [`both_kinds`] to the next, in each queue.
const EVERY: Micros = Micros(100);

/// A standard and a FIFO queue, 1,000 messages waiting in each, as many taken out as come in.
fn both_kinds() -> Setup {
    const BACKLOG: u32 = 1_000;
    const CONSUMERS: u64 = 4;
    let mut setup = Setup::empty();
    setup.groups = (0..100).map(|group| format!("g{group}")).collect();
    setup.queues = vec![
        QueueSetup::new("standard", QueueKind::Standard),
        QueueSetup::new("fifo", QueueKind::Fifo),
    ];
    for queue in [QueueId(0), QueueId(1)] {
        let burst = Pattern::Bursts {
            size: BACKLOG,
            every: Micros::MAX,
        };
        let groups = || Groups::Cycle((0..100).map(GroupId).collect());
        setup.producers.push(ProducerSetup {
            limit: Some(BACKLOG),
            groups: groups(),
            ..ProducerSetup::new("backlog", queue, burst)
        });
        setup.producers.push(ProducerSetup {
            groups: groups(),
            ..ProducerSetup::new("steady", queue, Pattern::Constant { every: EVERY })
        });
        let work = Processing::Constant(Micros(CONSUMERS * EVERY.0));
        for consumer in 0..CONSUMERS {
            let name = format!("{}-{consumer}", queue.0);
            setup.consumers.push(ConsumerSetup::new(&name, queue, work));
        }
    }
    setup
}

/// Sends so many messages through a standard and a FIFO queue with a backlog of 1,000 each, the trace written and
/// cleared; gives the number of events.
pub fn work_through(messages: u32) -> u64 {
    let mut run = Simulation::new(Arc::new(both_kinds()));
    let mut trace = Vec::new();
    let mut events = 0;
    let end = Micros(EVERY.0 * u64::from(messages / 2));
    while run.now() < end {
        trace.clear();
        run.run_until(run.now() + Micros(100 * EVERY.0), UNLIMITED, &mut trace);
        events += trace.len() as u64;
    }
    events
}

/// A steady load of all that leaves something behind: FIFO and standard, deduplication ids, failures and poison,
/// leases that run out, duplicates, lost acks, idempotence keys, dead letters. All of it is forgotten in time, the
/// dead letters after ten minutes.
pub fn all_day() -> Setup {
    let mut setup = Setup::empty();
    setup.groups = (0..10).map(|group| format!("g{group}")).collect();
    setup.queues = vec![
        QueueSetup {
            visibility_timeout: Micros::from_secs(2),
            max_deliveries: Some(3),
            dead_letter_queue: Some(QueueId(2)),
            surplus_duplicates: Chance(10_000),
            ..QueueSetup::new("standard", QueueKind::Standard)
        },
        QueueSetup {
            visibility_timeout: Micros::from_secs(2),
            max_deliveries: Some(3),
            dead_letter_queue: Some(QueueId(3)),
            deduplication: Deduplication::ByContent,
            ..QueueSetup::new("fifo", QueueKind::Fifo)
        },
        QueueSetup {
            retention: Some(Micros::from_secs(600)),
            ..QueueSetup::new("standard-dlq", QueueKind::Standard)
        },
        QueueSetup {
            retention: Some(Micros::from_secs(600)),
            ..QueueSetup::new("fifo-dlq", QueueKind::Fifo)
        },
    ];
    setup.network.lose_ack = Chance(10_000);
    setup.network.delivery_delay = Micros::from_millis(20);
    for (queue, method) in [
        (QueueId(0), IdempotenceMethod::CheckFirst),
        (QueueId(1), IdempotenceMethod::Transaction),
    ] {
        let arrivals = Pattern::Poisson {
            mean: Micros::from_millis(100),
        };
        setup.producers.push(ProducerSetup {
            groups: Groups::Cycle((0..10).map(GroupId).collect()),
            poison: Poison::Every(50),
            ..ProducerSetup::new(&format!("producer-{}", queue.0), queue, arrivals)
        });
        for consumer in 0..2 {
            let work = Processing::Exponential {
                mean: Micros::from_millis(120),
            };
            setup.consumers.push(ConsumerSetup {
                failure: Failure {
                    chance: Chance(20_000),
                    ..Failure::default()
                },
                idempotence: Idempotence {
                    method,
                    window: Some(Micros::from_secs(300)),
                    ..Idempotence::NONE
                },
                ..ConsumerSetup::new(&format!("{}-{consumer}", queue.0), queue, work)
            });
        }
    }
    setup
}

/// Plays on to this hour of simulated time, a tenth of a second at a time, as a page at high speed does.
pub fn play_to(session: &mut Session, hour: u32) {
    let end = Micros::from_secs(3_600 * u64::from(hour));
    while session.playhead().at < end {
        let next = session.playhead().at + Micros::from_secs(10);
        session.advance_to(next.min(end), UNLIMITED);
        session.snapshot();
    }
}
