//! What is done to a consumer's network, to one message, and to dead letters.

use std::sync::Arc;

use queue_playground::engine::event::LostCall;
use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::{IdleReason, RedriveView};
use queue_playground::engine::*;
use queue_playground::scenario::{Scenario, command_file};

const QUEUE: QueueId = QueueId(0);
const DLQ: QueueId = QueueId(1);
const FIRST: ConsumerId = ConsumerId(0);
const SECOND: ConsumerId = ConsumerId(1);

fn secs(seconds: f64) -> Micros {
    Micros((seconds * 1e6).round() as u64)
}

fn works(name: &str, seconds: f64) -> ConsumerSetup {
    ConsumerSetup::new(name, QUEUE, Processing::Constant(secs(seconds)))
}

fn send(at: f64) -> PlannedSend {
    PlannedSend::at(secs(at))
}

fn poison(at: f64) -> PlannedSend {
    PlannedSend {
        poison: true,
        ..send(at)
    }
}

/// A queue of this kind with a timeout of ten seconds and a dead-letter queue after one delivery.
fn setup(kind: QueueKind, sends: Vec<PlannedSend>, consumers: Vec<ConsumerSetup>) -> Setup {
    let mut queue = QueueSetup::new("queue", kind);
    queue.visibility_timeout = secs(10.0);
    queue.dead_letter_queue = Some(DLQ);
    queue.max_deliveries = Some(1);
    Setup {
        groups: vec!["A".into(), "B".into()],
        queues: vec![queue, QueueSetup::new("dlq", kind)],
        producers: vec![ProducerSetup::new("producer", QUEUE, Pattern::List(sends))],
        consumers,
        ..Setup::empty()
    }
}

/// Five poison messages that are dead letters by the third second.
fn dead_letters(commands: &[(f64, Command)]) -> Setup {
    let mut worker = works("worker", 0.1);
    worker.on_failure = OnFailure::Nack(Backoff::NONE);
    let sends = (0..5).map(|_| poison(0.0)).collect();
    with(setup(QueueKind::Standard, sends, vec![worker]), commands)
}

fn with(mut setup: Setup, commands: &[(f64, Command)]) -> Setup {
    let timed = commands.iter().map(|(at, command)| TimedCommand {
        at: secs(*at),
        command: command.clone(),
    });
    setup.commands = timed.collect();
    setup
}

fn run(setup: Setup, until: f64) -> (Simulation, Ledger, Vec<Event>) {
    let mut simulation = Simulation::new(Arc::new(setup));
    let mut trace = Vec::new();
    simulation.run_until(secs(until), u64::MAX, &mut trace);
    let mut ledger = Ledger::default();
    trace.iter().for_each(|event| ledger.observe(event));
    (simulation, ledger, trace)
}

fn deliveries(ledger: &Ledger, number: u32) -> Vec<(f64, ConsumerId)> {
    let record = ledger.message(MessageNumber(number)).unwrap();
    let all = ledger.deliveries_of(record);
    all.map(|it| (it.delivered_at.as_secs_f64(), it.consumer))
        .collect()
}

fn times(trace: &[Event], wanted: impl Fn(&EventKind) -> bool) -> Vec<f64> {
    let found = trace.iter().filter(|event| wanted(&event.kind));
    found.map(|event| event.at.as_secs_f64()).collect()
}

fn command_event(trace: &[Event], index: u32) -> Ordinal {
    let wanted = EventKind::CommandApplied { index };
    trace.iter().find(|it| it.kind == wanted).unwrap().ordinal
}

fn cause_of(trace: &[Event], wanted: impl Fn(&EventKind) -> bool) -> Option<Ordinal> {
    trace.iter().find(|it| wanted(&it.kind)).unwrap().cause
}

#[test]
fn a_cut_off_consumer_has_its_effect_but_its_ack_is_lost_and_the_message_is_worked_on_again() {
    let mut setup = setup(
        QueueKind::Standard,
        vec![send(0.0)],
        vec![works("one", 2.0), works("two", 2.0)],
    );
    setup.queues[0].max_deliveries = Some(3);
    let commands = [
        (1.0, Command::Partition(FIRST)),
        (15.0, Command::Heal(FIRST)),
    ];
    let (simulation, ledger, trace) = run(with(setup, &commands), 30.0);
    let lost = |kind: &EventKind| matches!(kind, EventKind::AckLost { .. });
    assert_eq!(times(&trace, lost), [2.0]);
    assert_eq!(cause_of(&trace, lost), Some(command_event(&trace, 0)));
    assert_eq!(deliveries(&ledger, 1), [(0.0, FIRST), (10.0, SECOND)]);
    assert_eq!(simulation.totals().duplicate_effects, 1);
}

#[test]
fn a_receive_that_waits_when_its_consumer_is_cut_off_still_takes_a_message_into_the_void() {
    let mut one = works("one", 1.0);
    one.wait = secs(20.0);
    let commands = [
        (1.0, Command::Partition(FIRST)),
        (8.0, Command::Heal(FIRST)),
    ];
    let mut setup = setup(QueueKind::Standard, vec![send(2.0), send(3.0)], vec![one]);
    setup.queues[0].max_deliveries = None;
    let (simulation, ledger, trace) = run(with(setup, &commands), 5.0);
    let lost = |kind: &EventKind| matches!(kind, EventKind::ResponseLost { .. });
    assert_eq!(
        times(&trace, lost),
        [2.0],
        "the receive took one message, no more"
    );
    assert_eq!(cause_of(&trace, lost), Some(command_event(&trace, 0)));
    let snapshot = simulation.snapshot();
    assert!(snapshot.consumers[0].cut_off);
    assert_eq!(snapshot.consumers[0].idle.unwrap().1, IdleReason::CutOff);
    assert_eq!(snapshot.queues[0].counts.ready, 1);
    // After the heal it receives at once; the lost one comes back when its timeout ends.
    let (_, ledger_after, _) = run(simulation.setup().as_ref().clone(), 30.0);
    assert_eq!(deliveries(&ledger, 2), []);
    assert_eq!(deliveries(&ledger_after, 2), [(8.0, FIRST)]);
    assert_eq!(deliveries(&ledger_after, 1), [(2.0, FIRST), (12.0, FIRST)]);
}

#[test]
fn heartbeats_and_nacks_of_a_cut_off_consumer_do_not_arrive() {
    let mut one = works("one", 6.0);
    one.heartbeat = Some(Heartbeat {
        every: secs(2.0),
        extend_to: secs(4.0),
    });
    one.on_failure = OnFailure::Nack(Backoff::NONE);
    let mut setup = setup(QueueKind::Standard, vec![poison(0.0)], vec![one]);
    setup.queues[0].visibility_timeout = secs(4.0);
    let (_, _, trace) = run(with(setup, &[(3.0, Command::Partition(FIRST))]), 20.0);
    let of = |call| move |kind: &EventKind| matches!(kind, EventKind::CallLost { call: it, .. } if *it == call);
    assert_eq!(times(&trace, of(LostCall::Extension)), [4.0]);
    assert_eq!(times(&trace, of(LostCall::Nack)), [6.0]);
    let ended = |kind: &EventKind| matches!(kind, EventKind::TimeoutEnded { .. });
    assert_eq!(
        times(&trace, ended),
        [6.0],
        "the heartbeat at 2 s was the last"
    );
}

#[test]
fn what_is_on_its_way_to_a_cut_off_consumer_or_from_it_is_lost() {
    let mut setup = setup(
        QueueKind::Standard,
        vec![send(0.0)],
        vec![works("one", 1.0)],
    );
    setup.queues[0].max_deliveries = None;
    setup.network.delivery_delay = secs(0.5);
    setup.network.ack_delay = secs(0.5);
    // The receive arrives at 0.5 s, the response would at 1 s, the ack at 2.5 s.
    let cut = |at| with(setup.clone(), &[(at, Command::Partition(FIRST))]);
    let (simulation, _, trace) = run(cut(0.7), 4.0);
    let response = |kind: &EventKind| matches!(kind, EventKind::ResponseLost { .. });
    assert_eq!(times(&trace, response), [1.0]);
    assert_eq!(simulation.totals().executions, 0);
    let (simulation, _, trace) = run(cut(2.2), 4.0);
    let ack = |kind: &EventKind| matches!(kind, EventKind::AckLost { .. });
    assert_eq!(times(&trace, ack), [2.5]);
    assert_eq!(simulation.totals().effects, 1);
    assert_eq!(simulation.totals().acked, 0);
}

#[test]
fn a_fifo_group_waits_out_the_timeout_of_a_cut_off_consumer() {
    let of = |at| PlannedSend {
        group: Some(GroupId(0)),
        ..send(at)
    };
    let mut setup = setup(
        QueueKind::Fifo,
        vec![of(0.0), of(0.0)],
        vec![works("one", 2.0), works("two", 2.0)],
    );
    setup.queues[0].max_deliveries = None;
    for consumer in &mut setup.consumers {
        consumer.batch = Some(1);
    }
    let (simulation, ledger, _) = run(with(setup, &[(1.0, Command::Partition(FIRST))]), 20.0);
    assert_eq!(deliveries(&ledger, 1), [(0.0, FIRST), (10.0, SECOND)]);
    assert_eq!(deliveries(&ledger, 2), [(12.0, SECOND)]);
    assert_eq!(simulation.totals().out_of_order, 0);
}

#[test]
fn a_crash_and_a_pause_while_cut_off_change_nothing_at_the_broker() {
    let mut one = works("one", 1.0);
    one.wait = secs(20.0);
    for gone in [Command::Crash(FIRST), Command::Pause(FIRST)] {
        let setup = setup(QueueKind::Standard, vec![send(3.0)], vec![one.clone()]);
        let commands = [(1.0, Command::Partition(FIRST)), (2.0, gone)];
        let (simulation, _, _) = run(with(setup, &commands), 4.0);
        assert_eq!(simulation.snapshot().queues[0].counts.in_flight, 1);
        assert_eq!(simulation.totals().executions, 0);
    }
}

#[test]
fn a_timeout_ended_now_makes_the_message_visible_and_the_first_worker_goes_on_unaware() {
    let mut setup = setup(
        QueueKind::Standard,
        vec![send(0.0)],
        vec![works("one", 5.0), works("two", 5.0)],
    );
    setup.queues[0].max_deliveries = None;
    let commands = [(2.0, Command::ExpireNow(MessageNumber(1)))];
    let (simulation, ledger, trace) = run(with(setup, &commands), 30.0);
    assert_eq!(deliveries(&ledger, 1), [(0.0, FIRST), (2.0, SECOND)]);
    assert_eq!(simulation.totals().effects, 2);
    let ended = |kind: &EventKind| matches!(kind, EventKind::TimeoutEnded { .. });
    assert_eq!(cause_of(&trace, ended), Some(command_event(&trace, 0)));
    let first = &ledger.deliveries()[0];
    assert!(first.cut_short);
    assert_eq!(first.hidden_until, secs(2.0));
}

#[test]
fn a_timeout_ended_now_unlocks_the_group_at_its_head() {
    let of = |at| PlannedSend {
        group: Some(GroupId(0)),
        ..send(at)
    };
    let mut setup = setup(
        QueueKind::Fifo,
        vec![of(0.0), of(0.0)],
        vec![works("one", 5.0), works("two", 1.0)],
    );
    setup.queues[0].max_deliveries = None;
    for consumer in &mut setup.consumers {
        consumer.batch = Some(1);
    }
    let commands = [(2.0, Command::ExpireNow(MessageNumber(1)))];
    let (_, ledger, _) = run(with(setup, &commands), 30.0);
    assert_eq!(deliveries(&ledger, 1), [(0.0, FIRST), (2.0, SECOND)]);
    assert_eq!(deliveries(&ledger, 2), [(3.0, SECOND)]);
}

#[test]
fn a_message_made_poison_while_it_is_worked_on_fails_and_one_that_is_mended_succeeds() {
    let commands = [
        (
            0.5,
            Command::SetPoison {
                message: MessageNumber(1),
                poison: true,
            },
        ),
        (
            0.5,
            Command::SetPoison {
                message: MessageNumber(2),
                poison: false,
            },
        ),
        (
            0.5,
            Command::SetPoison {
                message: MessageNumber(9),
                poison: true,
            },
        ),
    ];
    let sends = vec![send(0.0), poison(0.0)];
    let setup = setup(QueueKind::Standard, sends, vec![works("one", 1.0)]);
    let (simulation, ledger, trace) = run(with(setup, &commands), 5.0);
    assert_eq!(simulation.totals().failed, 1);
    assert_eq!(ledger.message(MessageNumber(2)).unwrap().effects.len(), 1);
    let set = |kind: &EventKind| matches!(kind, EventKind::PoisonSet { .. });
    assert_eq!(
        times(&trace, set),
        [0.5, 0.5],
        "nothing happens to a message that is not there"
    );
}

#[test]
fn a_command_that_finds_nothing_to_act_on_says_so() {
    let none = MessageNumber(4_000_000_000);
    let (here, poison) = (MessageNumber(1), true);
    let commands = [
        (0.5, Command::ExpireNow(none)),
        (
            0.5,
            Command::SetPoison {
                message: none,
                poison,
            },
        ),
        (
            0.5,
            Command::RedriveMessage {
                message: here,
                fix: true,
            },
        ),
        (
            0.5,
            Command::SetPoison {
                message: here,
                poison,
            },
        ),
        (
            0.5,
            Command::SetPoison {
                message: here,
                poison,
            },
        ),
        (0.5, Command::CancelRedrive(QueueId(0))),
        (0.5, Command::ExpireNow(here)),
        (0.5, Command::ExpireNow(MessageNumber(2))),
    ];
    let sends = vec![send(0.0), send(0.0)];
    let setup = setup(QueueKind::Standard, sends, vec![works("one", 1.0)]);
    let mut setup = with(setup, &commands);
    setup.consumers[0].prefetch = 1;
    let (_, _, trace) = run(setup, 0.5);
    let found = trace.iter().filter_map(|event| match event.kind {
        EventKind::CommandApplied { .. } => Some(None),
        EventKind::CommandIgnored { void, .. } => Some(Some(void)),
        _ => None,
    });
    let found: Vec<Option<Void>> = found.collect();
    assert_eq!(
        found,
        [
            Some(Void::NoMessage),
            Some(Void::NoMessage),
            Some(Void::NotDeadLettered),
            None,
            Some(Void::AlreadySo),
            Some(Void::AlreadySo),
            None,
            Some(Void::NotInFlight),
        ]
    );
}

#[test]
fn one_dead_letter_is_redriven_alone_and_mended_on_the_way_if_asked() {
    let redrive = |message, fix| Command::RedriveMessage {
        message: MessageNumber(message),
        fix,
    };
    let commands = [
        (5.0, redrive(2, false)),
        (6.0, redrive(3, true)),
        (6.5, redrive(3, true)),
    ];
    let (simulation, ledger, trace) = run(dead_letters(&commands), 10.0);
    let moved = |kind: &EventKind| matches!(kind, EventKind::Redriven { .. });
    assert_eq!(times(&trace, moved), [5.0, 6.0]);
    assert_eq!(cause_of(&trace, moved), Some(command_event(&trace, 0)));
    // The cause of the second is still there, that of the third is not.
    assert_eq!(
        ledger
            .message(MessageNumber(2))
            .unwrap()
            .dead_lettered
            .len(),
        2
    );
    assert_eq!(ledger.message(MessageNumber(3)).unwrap().effects.len(), 1);
    assert_eq!(simulation.snapshot().queues[1].counts.ready, 4);
}

#[test]
fn a_discarded_dead_letter_is_gone_counted_as_such_and_not_lost() {
    let reason = DiscardReason::Handled;
    let discard = |message| Command::Discard {
        message: MessageNumber(message),
        reason,
    };
    let commands = [(5.0, discard(4)), (6.0, discard(4)), (7.0, discard(99))];
    let (simulation, ledger, trace) = run(dead_letters(&commands), 10.0);
    let gone = |kind: &EventKind| matches!(kind, EventKind::Discarded { .. });
    assert_eq!(times(&trace, gone), [5.0]);
    let record = ledger.message(MessageNumber(4)).unwrap();
    assert_eq!(record.discarded, Some((secs(5.0), reason)));
    let queue = &simulation.snapshot().queues[1];
    let counts = queue.counts;
    assert_eq!((counts.ready, counts.discarded, counts.purged), (4, 1, 0));
    assert_eq!(queue.dead_letters.len(), 4);
    let totals = simulation.totals();
    assert_eq!((totals.discarded, totals.purged, totals.lost), (1, 0, 0));
}

#[test]
fn a_message_that_is_no_dead_letter_is_neither_redriven_nor_discarded() {
    let message = MessageNumber(1);
    let commands = [
        (1.0, Command::RedriveMessage { message, fix: true }),
        (
            1.0,
            Command::Discard {
                message,
                reason: DiscardReason::Obsolete,
            },
        ),
    ];
    let setup = setup(QueueKind::Standard, vec![poison(0.0)], vec![]);
    let (simulation, _, _) = run(with(setup, &commands), 2.0);
    let queue = &simulation.snapshot().queues[0];
    assert_eq!(queue.counts.ready, 1);
    assert!(
        queue.lanes[0].waiting[0].poison,
        "only dead letters are mended by a redrive"
    );
}

fn redrive(rate: Option<u32>, limit: Option<u32>) -> Command {
    Command::Redrive {
        from: DLQ,
        limit,
        rate,
    }
}

#[test]
fn a_redrive_at_a_rate_moves_one_message_at_a_time_and_ends_though_they_come_back() {
    let setup = dead_letters(&[(5.0, redrive(Some(2), None)), (5.7, redrive(None, None))]);
    let (simulation, _, trace) = run(setup.clone(), 6.2);
    let moved = |kind: &EventKind| matches!(kind, EventKind::Redriven { .. });
    assert_eq!(times(&trace, moved), [5.0, 5.5, 6.0]);
    let refused = |kind: &EventKind| matches!(kind, EventKind::RedriveRefused { .. });
    assert_eq!(times(&trace, refused), [5.7]);
    let under_way = RedriveView {
        left: 2,
        moved: 3,
        rate: 2,
    };
    assert_eq!(simulation.snapshot().queues[1].redrive, Some(under_way));
    let (simulation, _, trace) = run(setup, 20.0);
    assert_eq!(times(&trace, moved), [5.0, 5.5, 6.0, 6.5, 7.0]);
    let ended = |kind: &EventKind| matches!(kind, EventKind::RedriveEnded { moved: 5, .. });
    assert_eq!(times(&trace, ended), [7.0]);
    let queue = &simulation.snapshot().queues[1];
    assert_eq!((queue.redrive, queue.counts.ready), (None, 5));
}

#[test]
fn a_redrive_can_be_stopped_and_passes_over_what_is_gone() {
    let discard = Command::Discard {
        message: MessageNumber(2),
        reason: DiscardReason::Obsolete,
    };
    let commands = [
        (5.0, redrive(Some(1), Some(4))),
        (5.5, discard),
        (6.5, Command::CancelRedrive(DLQ)),
        (6.6, Command::CancelRedrive(DLQ)),
        (9.0, redrive(Some(500), Some(1))),
    ];
    let (_, _, trace) = run(dead_letters(&commands), 20.0);
    let moves: Vec<u32> = trace
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Redriven { message, .. } => Some(message.0),
            _ => None,
        })
        .collect();
    assert_eq!(moves[..2], [1, 3]);
    assert_eq!(moves.len(), 3);
    let ended = |kind: &EventKind| matches!(kind, EventKind::RedriveEnded { .. });
    assert_eq!(times(&trace, ended), [6.5, 9.0]);
}

#[test]
fn every_intervention_can_be_written_to_a_file_and_read_back() {
    let text = include_str!("scenarios/every-field.json");
    let scenario = Scenario::from_json(text).unwrap();
    let setup = scenario.lower().unwrap();
    let message = MessageNumber(3);
    let commands = [
        Command::Partition(FIRST),
        Command::Heal(FIRST),
        Command::SetPoison {
            message,
            poison: true,
        },
        Command::SetPoison {
            message,
            poison: false,
        },
        Command::ExpireNow(message),
        Command::RedriveMessage { message, fix: true },
        Command::Discard {
            message,
            reason: DiscardReason::Duplicate,
        },
        redrive(Some(10), Some(2)),
        Command::CancelRedrive(DLQ),
        Command::RestartBroker,
    ];
    let mut edited = scenario.clone();
    edited.commands.clear();
    for command in &commands {
        let timed = TimedCommand {
            at: secs(1.0),
            command: command.clone(),
        };
        edited.commands.extend(command_file(&timed, &setup));
    }
    let read = Scenario::from_json(&edited.to_json()).unwrap();
    let lowered = read.lower().unwrap().commands;
    let lowered: Vec<&Command> = lowered.iter().map(|timed| &timed.command).collect();
    assert_eq!(lowered, commands.iter().collect::<Vec<_>>());
}
