//! A person in the place of a consumer, and of a producer.

use queue_playground::engine::ledger::DeliveryOutcome;
use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::IdleReason;
use queue_playground::engine::*;
use queue_playground::scenario::{Scenario, command_file};

use super::runs::*;

const HAND: ConsumerId = ConsumerId(0);

fn hand() -> ConsumerSetup {
    ConsumerSetup {
        by_hand: true,
        ..worker("hand", 1.0)
    }
}

fn receive(max: u16, wait: f64) -> Command {
    Command::Receive {
        consumer: HAND,
        max,
        wait: secs(wait),
    }
}

fn settle(message: u32, call: HandCall) -> Command {
    Command::Settle {
        consumer: HAND,
        message: MessageNumber(message),
        call,
    }
}

fn hand_setup(kind: QueueKind, sends: u32, commands: &[(f64, Command)]) -> Setup {
    let mut setup = setup(kind, sends, vec![hand()]);
    for (at, it) in commands {
        command(&mut setup, *at, it.clone());
    }
    setup
}

fn ignored(ran: &Ran) -> Vec<Void> {
    let voids = ran.trace.iter().filter_map(|event| match event.kind {
        EventKind::CommandIgnored { void, .. } => Some(void),
        _ => None,
    });
    voids.collect()
}

#[test]
fn a_consumer_worked_by_hand_does_nothing_by_itself() {
    let ran = run(&hand_setup(QueueKind::Standard, 3, &[]), 60.0);
    assert_eq!(ran.simulation.totals().deliveries, 0);
    let idle = ran.simulation.snapshot().consumers[0].idle.unwrap();
    assert_eq!(idle, (Micros::ZERO, IdleReason::ByHand));
}

#[test]
fn a_receive_by_hand_takes_up_to_so_many_and_an_ack_has_the_effect_and_removes_the_message() {
    let commands = [(1.0, receive(2, 0.0)), (5.0, settle(2, HandCall::Ack))];
    let ran = run(&hand_setup(QueueKind::Standard, 3, &commands), 10.0);
    let snapshot = ran.simulation.snapshot();
    let counts = snapshot.queues[0].counts;
    assert_eq!((counts.ready, counts.in_flight, counts.acked), (1, 1, 1));
    let held = &snapshot.consumers[0].buffered;
    assert_eq!(held.len(), 1);
    assert_eq!(held[0].token.message, MessageNumber(1));
    assert_eq!(held[0].hidden_until, secs(31.0));
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::Effect { .. })),
        [5.0]
    );
    assert_eq!(snapshot.consumers[0].executions, 1);
    assert_eq!(ran.outcome(2, 0), DeliveryOutcome::Finished);
}

#[test]
fn what_a_person_does_not_settle_comes_back_and_a_late_ack_removes_nothing_but_the_effect_stands() {
    let commands = [
        (0.0, receive(1, 0.0)),
        (40.0, receive(1, 0.0)),
        (41.0, settle(1, HandCall::Ack)),
    ];
    let mut setup = hand_setup(QueueKind::Standard, 1, &commands);
    let ran = run(&setup, 45.0);
    assert_eq!(
        ran.simulation.totals().acked,
        1,
        "it holds both: the newer is settled"
    );
    let other = ConsumerSetup {
        start: secs(20.0),
        ..worker("other", 30.0)
    };
    setup.consumers.push(other);
    setup.commands.remove(1);
    let ran = run(&setup, 70.0);
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::AckStale { .. })),
        [41.0]
    );
    assert_eq!(ran.simulation.totals().duplicate_effects, 1);
}

#[test]
fn a_nack_by_hand_returns_after_its_delay_and_a_reject_goes_to_the_dead_letter_queue() {
    let commands = [
        (0.0, receive(2, 0.0)),
        (1.0, settle(1, HandCall::Nack { delay: secs(4.0) })),
        (2.0, settle(2, HandCall::Reject)),
        (3.0, receive(1, 20.0)),
    ];
    let ran = run(&hand_setup(QueueKind::Standard, 2, &commands), 10.0);
    let snapshot = ran.simulation.snapshot();
    assert_eq!(snapshot.queues[1].counts.ready, 1);
    let deliveries = ran.times(|it| matches!(it, EventKind::Delivered { .. }));
    assert_eq!(
        deliveries,
        [0.0, 0.0, 5.0],
        "the waiting receive gets it when it is back"
    );
    assert_eq!(ran.outcome(1, 0), DeliveryOutcome::Returned);
    assert_eq!(ran.outcome(2, 0), DeliveryOutcome::Returned);
    assert_eq!(ran.simulation.totals().effects, 0);
}

#[test]
fn an_extension_by_hand_counts_from_the_call_and_keeps_the_message() {
    let commands = [
        (0.0, receive(1, 0.0)),
        (10.0, settle(1, HandCall::Extend { to: secs(50.0) })),
    ];
    let setup = hand_setup(QueueKind::Standard, 1, &commands);
    let ran = run(&setup, 59.0);
    assert_eq!(
        ran.simulation.snapshot().consumers[0].buffered[0].hidden_until,
        secs(60.0)
    );
    let ran = run(&setup, 61.0);
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::TimeoutEnded { .. })),
        [60.0]
    );
}

#[test]
fn an_empty_receive_by_hand_ends_after_its_wait_and_is_not_made_again() {
    let commands = [(1.0, receive(1, 5.0))];
    let ran = run(&hand_setup(QueueKind::Standard, 0, &commands), 60.0);
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::EmptyReceive { .. })),
        [6.0]
    );
}

#[test]
fn an_ack_by_hand_of_a_poison_message_has_no_effect_and_loses_it() {
    let commands = [(1.0, receive(1, 0.0)), (2.0, settle(1, HandCall::Ack))];
    let mut setup = hand_setup(QueueKind::Standard, 1, &commands);
    poison(&mut setup, &[1]);
    let totals = run(&setup, 10.0).simulation.totals();
    assert_eq!(
        (totals.effects, totals.failed, totals.acked, totals.lost),
        (0, 1, 1, 1)
    );
}

#[test]
fn a_locked_group_keeps_the_rest_from_a_person_too() {
    let commands = [
        (0.0, receive(1, 0.0)),
        (1.0, receive(10, 0.0)),
        (2.0, settle(1, HandCall::Ack)),
        (3.0, receive(10, 0.0)),
    ];
    let mut setup = hand_setup(QueueKind::Fifo, 3, &commands);
    setup.producers[0].groups = Groups::Cycle(vec![GroupId(0)]);
    let ran = run(&setup, 10.0);
    let deliveries = ran.times(|it| matches!(it, EventKind::Delivered { .. }));
    assert_eq!(deliveries, [0.0, 3.0, 3.0]);
}

#[test]
fn a_crash_by_hand_leaves_what_was_held_hidden_until_its_timeout() {
    let commands = [
        (0.0, receive(1, 0.0)),
        (1.0, Command::Crash(HAND)),
        (2.0, receive(1, 0.0)),
    ];
    let ran = run(&hand_setup(QueueKind::Standard, 1, &commands), 40.0);
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::TimeoutEnded { .. })),
        [30.0]
    );
    assert_eq!(ignored(&ran), [Void::NotRunning]);
}

#[test]
fn commands_by_hand_that_have_nothing_to_act_on_say_why() {
    let by_itself = ConsumerId(1);
    let mut setup = hand_setup(QueueKind::Standard, 0, &[]);
    setup.consumers.push(worker("worker", 1.0));
    let own = Command::Receive {
        consumer: by_itself,
        max: 1,
        wait: Micros::ZERO,
    };
    let commands = [
        own,
        settle(7, HandCall::Ack),
        receive(1, 30.0),
        receive(1, 30.0),
        Command::Partition(HAND),
    ];
    for (at, it) in commands.into_iter().enumerate() {
        command(&mut setup, at as f64, it);
    }
    command(&mut setup, 5.0, receive(1, 0.0));
    let expected = [
        Void::NotByHand,
        Void::NotHeld,
        Void::AlreadySo,
        Void::CutOff,
    ];
    assert_eq!(ignored(&run(&setup, 10.0)), expected);
}

#[test]
fn a_consumer_that_is_given_back_works_on_what_the_person_left() {
    let by_hand = |it| Command::SetConsumer(Some(HAND), ConsumerChange::ByHand(it));
    let commands = [
        (0.0, receive(2, 0.0)),
        (5.0, by_hand(false)),
        (6.5, by_hand(true)),
    ];
    let ran = run(&hand_setup(QueueKind::Standard, 4, &commands), 20.0);
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::Finished { .. })),
        [6.0, 7.0]
    );
    assert_eq!(
        ran.simulation.totals().deliveries,
        2,
        "it held two, and has room for one"
    );
}

#[test]
fn a_send_by_hand_has_what_a_planned_one_can_have() {
    let mut setup = setup(QueueKind::Standard, 0, vec![]);
    setup.queues[0].deduplication = Deduplication::ById;
    setup.deduplication_ids = vec!["once".into()];
    let send = HandSend {
        count: 2,
        deduplication_id: Some(DeduplicationId(0)),
        delay: Some(secs(3.0)),
        ..HandSend::to(QUEUE)
    };
    command(&mut setup, 1.0, Command::Send(send));
    let ran = run(&setup, 10.0);
    assert_eq!(
        ran.times(|it| matches!(it, EventKind::BecameVisible { .. })),
        [4.0]
    );
    assert_eq!(ran.simulation.totals().suppressed, 1);
}

#[test]
fn commands_by_hand_survive_a_file() {
    let text = r#"{
        "version": 1, "duration": "10s",
        "queues": [{ "name": "q" }],
        "consumers": [{ "name": "hand", "from": "q", "by_hand": true }],
        "commands": [
            { "at": "1s", "send": { "to": "q", "count": 3, "deduplication_id": "x", "delay": "1s", "priority": 4, "ttl": "9s", "persistent": false } },
            { "at": "2s", "receive": { "consumer": "hand", "max": 3, "wait": "5s" } },
            { "at": "3s", "settle": { "consumer": "hand", "message": 1 } },
            { "at": "4s", "settle": { "consumer": "hand", "message": 2, "call": "nack", "delay": "2s" } },
            { "at": "5s", "settle": { "consumer": "hand", "message": 3, "call": "extend", "to": "9s" } },
            { "at": "6s", "settle": { "consumer": "hand", "message": 3, "call": "fail" } }
        ]
    }"#;
    let scenario = Scenario::from_json(text).unwrap();
    let setup = scenario.lower().unwrap();
    let files = setup
        .commands
        .iter()
        .map(|timed| command_file(timed, &setup).unwrap());
    assert_eq!(files.collect::<Vec<_>>(), scenario.commands);
    let without_to = text.replace(r#", "to": "9s""#, "");
    let problems = Scenario::from_json(&without_to).unwrap_err();
    assert!(
        problems[0].to_string().contains("commands[4].settle.to"),
        "{}",
        problems[0]
    );
}
