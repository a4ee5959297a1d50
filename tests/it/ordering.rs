//! Runs under the rules of order, sessions and limits, with the numbers of real incidents.

use std::sync::Arc;

use queue_playground::engine::event::RefusalReason;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

const QUEUE: QueueId = QueueId(0);

fn secs(seconds: f64) -> Micros {
    Micros((seconds * 1e6).round() as u64)
}

fn worker(name: &str, seconds: f64) -> ConsumerSetup {
    ConsumerSetup::new(name, QUEUE, Processing::Constant(secs(seconds)))
}

fn workers(count: usize, seconds: f64) -> Vec<ConsumerSetup> {
    (0..count)
        .map(|nth| worker(&format!("c{nth}"), seconds))
        .collect()
}

fn setup(queue: QueueSetup, sends: Vec<PlannedSend>, consumers: Vec<ConsumerSetup>) -> Setup {
    let groups = (0..500).map(|group| format!("g{group}")).collect();
    Setup {
        groups,
        queues: vec![queue],
        producers: vec![ProducerSetup::new("p", QUEUE, Pattern::List(sends))],
        consumers,
        ..Setup::empty()
    }
}

fn queue(kind: QueueKind, change: impl FnOnce(&mut QueueSetup)) -> QueueSetup {
    let mut queue = QueueSetup::new("q", kind);
    queue.retention = None;
    change(&mut queue);
    queue
}

fn at(seconds: f64) -> PlannedSend {
    PlannedSend::at(secs(seconds))
}

fn prioritised(seconds: f64, priority: u8) -> PlannedSend {
    PlannedSend {
        priority: Some(priority),
        ..at(seconds)
    }
}

fn grouped(seconds: f64, group: u32) -> PlannedSend {
    PlannedSend {
        group: Some(GroupId(group)),
        ..at(seconds)
    }
}

struct Ran {
    simulation: Simulation,
    trace: Vec<Event>,
}

fn run(setup: Setup, until: f64) -> Ran {
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    let progress = simulation.run_until(secs(until), 2_000_000, &mut trace);
    assert_eq!(progress, Progress::Reached);
    Ran { simulation, trace }
}

impl Ran {
    /// When these messages were finished.
    fn finished(&self, wanted: impl Fn(u32) -> bool) -> Vec<f64> {
        self.times(|kind| matches!(kind, EventKind::Finished { message, .. } if wanted(message.0)))
    }

    fn times(&self, wanted: impl Fn(&EventKind) -> bool) -> Vec<f64> {
        let found = self.trace.iter().filter(|event| wanted(&event.kind));
        found.map(|event| event.at.as_secs_f64()).collect()
    }

    fn delivered_to(&self, wanted: u16) -> Vec<(f64, u32)> {
        let found = self.trace.iter().filter_map(|event| match event.kind {
            EventKind::Delivered {
                message, consumer, ..
            } if consumer.0 == wanted => Some((event.at.as_secs_f64(), message.0)),
            _ => None,
        });
        found.collect()
    }
}

fn highs_and_lows(priority: Priority) -> Ran {
    let queue = queue(QueueKind::Standard, |queue| queue.rules.priority = priority);
    let mut sends = vec![prioritised(0.0, 9)];
    sends.extend([0; 5].map(|low| prioritised(0.0, low)));
    sends.extend((0..100).map(|nth| prioritised(0.9 + f64::from(nth), 9)));
    run(setup(queue, sends, workers(1, 1.0)), 100.0)
}

fn is_low(message: u32) -> bool {
    (2..=6).contains(&message)
}

#[test]
fn under_strict_priority_low_messages_never_run_while_high_ones_keep_coming() {
    // strict-priority-starvation.
    let ran = highs_and_lows(Priority::Strict {
        max: 9,
        default: 0,
        lost_on_return: false,
    });
    assert!(ran.finished(is_low).is_empty());
    let ready = ran.simulation.snapshot().queues[0].counts.ready;
    assert_eq!(
        ready,
        5 + 1 - 1,
        "five low ones; the high one has just begun"
    );
}

#[test]
fn with_every_fourth_turn_for_low_messages_all_of_them_run() {
    // strict-priority-starvation, the fix.
    let ran = highs_and_lows(Priority::Weighted {
        above: 4,
        high: 3,
        low: 1,
    });
    assert_eq!(ran.finished(is_low), [4.0, 8.0, 12.0, 16.0, 20.0]);
    let ready = ran.simulation.snapshot().queues[0].counts.ready;
    assert_eq!(ready, 5, "of six waiting high ones one has just begun");
}

fn high_after_ten(prefetch: u32) -> Vec<f64> {
    let queue = queue(QueueKind::Standard, |queue| {
        queue.rules.priority = Priority::Strict {
            max: 10,
            default: 0,
            lost_on_return: false,
        };
    });
    let mut sends = vec![prioritised(0.0, 0); 10];
    sends.push(prioritised(0.5, 9));
    let consumer = ConsumerSetup {
        prefetch,
        ..worker("c", 1.0)
    };
    run(setup(queue, sends, vec![consumer]), 30.0).finished(|message| message == 11)
}

#[test]
fn priority_orders_only_what_no_consumer_has_prefetched() {
    // priority-defeated-by-prefetch.
    assert_eq!(high_after_ten(20), [11.0]);
    assert_eq!(high_after_ten(1), [2.0]);
}

fn behind_a_thousand(fair_share: FairShare) -> Vec<f64> {
    let queue = queue(QueueKind::Standard, |queue| {
        queue.rules.fair_share = fair_share
    });
    let mut sends = vec![grouped(0.0, 0); 1_000];
    sends.push(grouped(0.5, 1));
    run(setup(queue, sends, workers(10, 1.0)), 150.0).finished(|message| message == 1_001)
}

#[test]
fn a_tenant_behind_a_thousand_messages_of_another_has_its_turn_at_once() {
    // noisy-neighbour-fifo.
    assert_eq!(behind_a_thousand(FairShare::Off), [101.0]);
    assert_eq!(behind_a_thousand(FairShare::RoundRobin), [2.0]);
}

#[test]
fn turns_by_group_leave_little_to_those_with_few_groups() {
    // noisy-neighbour-fifo: 500 groups of one tenant, 22 of the others, one worker.
    let queue = queue(QueueKind::Standard, |queue| {
        queue.rules.fair_share = FairShare::RoundRobin;
    });
    let sends = (0..3_000).map(|nth| grouped(0.0, nth % 522)).collect();
    let mut setup = setup(queue, sends, workers(1, 1.0));
    setup.groups = (0..522).map(|group| format!("g{group}")).collect();
    let ran = run(setup, 522.0);
    let others = |message: u32| (message - 1) % 522 >= 500;
    assert_eq!(ran.finished(others).len(), 22);
    assert_eq!(ran.finished(|_| true).len(), 522);
}

fn sessions(change: impl FnOnce(&mut QueueSetup)) -> QueueSetup {
    queue(QueueKind::Fifo, |queue| {
        queue.rules.group_rule = GroupRule::Session;
        change(queue);
    })
}

fn hundred_sessions(idle: f64) -> Vec<f64> {
    let sends = (0..100).map(|group| grouped(0.0, group)).collect();
    let mut slots = workers(10, 1.0);
    slots
        .iter_mut()
        .for_each(|slot| slot.session_idle = secs(idle));
    run(setup(sessions(|_| ()), sends, slots), 600.0).finished(|_| true)
}

#[test]
fn a_slot_that_keeps_an_empty_session_takes_the_next_one_only_when_it_gives_up() {
    // session-idle-hog: wave k starts at 61 (k - 1).
    let finished = hundred_sessions(60.0);
    assert_eq!(finished.len(), 100);
    assert_eq!(finished[10], 62.0);
    assert_eq!(finished[99], 550.0);
    assert_eq!(hundred_sessions(1.0)[99], 19.0);
}

#[test]
fn one_consumer_works_as_many_sessions_as_it_has_workers_each_in_order() {
    let sends = (0..12).map(|nth| grouped(0.0, nth % 3)).collect();
    let consumer = ConsumerSetup {
        workers: 2,
        prefetch: 10,
        session_idle: secs(1.0),
        ..worker("c", 1.0)
    };
    let ran = run(setup(sessions(|_| ()), sends, vec![consumer]), 60.0);
    assert_eq!(
        ran.finished(|_| true),
        [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 6.0, 7.0, 8.0, 9.0]
    );
    let opened = ran.times(|kind| matches!(kind, EventKind::SessionAccepted { .. }));
    assert_eq!(opened, [0.0, 0.0, 5.0]);
}

#[test]
fn work_longer_than_the_lock_loses_the_session_and_a_crash_loses_it_when_the_lock_ends() {
    let queue = sessions(|queue| queue.visibility_timeout = secs(30.0));
    let sends = vec![grouped(0.0, 0)];
    let slow = run(
        setup(queue.clone(), sends.clone(), vec![worker("slow", 40.0)]),
        39.0,
    );
    let lost = |kind: &EventKind| matches!(kind, EventKind::SessionClosed { lost: true, .. });
    assert_eq!(slow.times(lost), [30.0]);

    let second = ConsumerSetup {
        start: secs(1.0),
        ..worker("second", 1.0)
    };
    let mut setup = setup(queue, sends, vec![worker("first", 10.0), second]);
    let crash = Command::Crash(ConsumerId(0));
    setup.commands.push(TimedCommand {
        at: secs(5.0),
        command: crash,
    });
    let mut ran = run(setup.clone(), 10.0);
    let session = ran.simulation.snapshot().queues[0].sessions[0];
    assert!(session.is_orphaned);
    assert_eq!(session.until, secs(30.0));
    ran = run(setup, 60.0);
    assert_eq!(ran.times(lost), [30.0]);
    assert_eq!(ran.finished(|_| true), [31.0]);
}

#[test]
fn a_session_that_is_taken_away_goes_to_the_next_consumer_and_the_first_ones_ack_is_refused() {
    let second = ConsumerSetup {
        start: secs(1.0),
        ..worker("second", 1.0)
    };
    let sends = vec![grouped(0.0, 3)];
    let mut setup = setup(sessions(|_| ()), sends, vec![worker("first", 10.0), second]);
    for at in [4.0, 7.0] {
        setup.commands.push(TimedCommand {
            at: secs(at),
            command: Command::TakeSession(QUEUE, Some(GroupId(3))),
        });
    }
    setup.commands.push(TimedCommand {
        at: secs(8.0),
        command: Command::TakeSession(QUEUE, Some(GroupId(4))),
    });
    let ran = run(setup, 60.0);
    assert_eq!(ran.finished(|_| true), [5.0, 10.0]);
    let stale = |kind: &EventKind| matches!(kind, EventKind::AckStale { .. });
    assert_eq!(ran.times(stale), [10.0]);
    let ignored = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::CommandIgnored {
                void: Void::NotHeld,
                ..
            }
        )
    };
    assert_eq!(ran.times(ignored), [8.0]);
}

fn limited(limit: u32) -> Ran {
    let queue = queue(QueueKind::Standard, |queue| {
        queue.visibility_timeout = secs(60.0);
        queue.rules.in_flight_limit = Some(limit);
    });
    let batch = |consumer: ConsumerSetup| ConsumerSetup {
        batch: Some(10),
        prefetch: 10,
        refill: Refill::WhenEmpty,
        ..consumer
    };
    let second = ConsumerSetup {
        start: secs(1.0),
        ..worker("c2", 1.0)
    };
    let consumers = vec![batch(worker("c1", 1e6)), batch(second)];
    run(setup(queue, vec![at(0.0); 8], consumers), 100.0)
}

#[test]
fn at_the_in_flight_limit_receives_are_empty_while_messages_wait() {
    // inflight-limit-reached.
    let ran = limited(5);
    assert_eq!(ran.delivered_to(0).len(), 5);
    let expected = (1..=5).map(|message| (60.0, message));
    let expected = expected.chain((6..=8).map(|message| (65.0, message)));
    assert_eq!(ran.delivered_to(1), expected.collect::<Vec<_>>());
    let finished: Vec<f64> = (61..=68).map(f64::from).collect();
    assert_eq!(ran.finished(|_| true), finished);

    let ran = limited(8);
    assert_eq!(ran.delivered_to(0).len(), 8);
    let second: Vec<_> = (1..=8).map(|message| (60.0, message)).collect();
    assert_eq!(ran.delivered_to(1), second);
}

#[test]
fn refused_receives_are_tried_again_after_a_pause() {
    let queue = queue(QueueKind::Standard, |queue| {
        queue.rules.in_flight_limit = Some(1);
        queue.rules.at_in_flight_limit = AtInFlightLimit::Error;
    });
    let short = ConsumerSetup {
        wait: Micros::ZERO,
        poll_interval: secs(0.5),
        start: secs(0.1),
        ..worker("short", 1.0)
    };
    let consumers = vec![worker("long", 2.0), short];
    let ran = run(setup(queue, vec![at(0.0); 2], consumers), 2.05);
    let refused = |kind: &EventKind| matches!(kind, EventKind::ReceiveRefused { .. });
    assert_eq!(ran.times(refused), [0.1, 0.6, 1.1, 1.6]);
}

#[test]
fn a_fifo_queue_refuses_calls_beyond_its_quota() {
    let queue = queue(QueueKind::Fifo, |queue| queue.rules.quota = Some(3));
    let sends = (0..10).map(|nth| grouped(0.0, nth)).collect();
    let ran = run(setup(queue, sends, workers(5, 10.0)), 3.0);
    let refused = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::Refused {
                reason: RefusalReason::Quota,
                ..
            }
        )
    };
    assert_eq!(ran.times(refused).len(), 7);
    let refused = |kind: &EventKind| matches!(kind, EventKind::ReceiveRefused { .. });
    let times = ran.times(refused);
    assert_eq!(times[..2], [0.0, 0.0], "two of five consumers");
    assert!(times.iter().all(|&at| at < 1.0), "{times:?}");
}

#[test]
fn a_second_purge_so_soon_is_told_and_does_nothing() {
    let queue = queue(QueueKind::Standard, |queue| {
        queue.rules.purge_interval = Some(secs(60.0));
    });
    let sends = [0.0, 2.0, 64.0].map(at).to_vec();
    let mut setup = setup(queue, sends, Vec::new());
    for at in [1.0, 3.0, 61.0] {
        let command = Command::Purge(QUEUE);
        setup.commands.push(TimedCommand {
            at: secs(at),
            command,
        });
    }
    let ran = run(setup, 70.0);
    let purged = |kind: &EventKind| matches!(kind, EventKind::Purged { .. });
    assert_eq!(ran.times(purged), [1.0, 61.0]);
    let ignored = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::CommandIgnored {
                void: Void::TooSoon,
                ..
            }
        )
    };
    assert_eq!(ran.times(ignored), [3.0]);
}

#[test]
fn a_changed_setting_acts_when_its_event_says_and_no_later_one_overtakes_it() {
    let queue = queue(QueueKind::Standard, |queue| {
        queue.rules.propagation = secs(60.0);
    });
    let mut setup = setup(queue, Vec::new(), Vec::new());
    for nth in 1..=9 {
        let change = QueueChange::VisibilityTimeout(secs(f64::from(nth)));
        setup.commands.push(TimedCommand {
            at: secs(f64::from(nth)),
            command: Command::SetQueue(QUEUE, change),
        });
    }
    let ran = run(setup.clone(), 200.0);
    let acts: Vec<Micros> = ran
        .trace
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::SettingDelayed { acts_at, .. } => Some(acts_at),
            _ => None,
        })
        .collect();
    assert_eq!(acts.len(), 9);
    assert!(acts.is_sorted());
    assert!(acts.iter().all(|&at| at <= secs(69.0)));
    assert!(acts[0] > secs(1.0));
    let timeout = |ran: &Ran| ran.simulation.snapshot().queues[0].setup.visibility_timeout;
    assert_eq!(timeout(&ran), secs(9.0));
    let before = run(setup, acts[0].as_secs_f64() - 0.01);
    assert_eq!(timeout(&before), secs(30.0));
}
