use super::*;
use crate::engine::setup::*;
use crate::engine::snapshot::Token;
use crate::engine::{Command, ConsumerId, Event, Setup, Simulation, TimedCommand};
use crate::present::fixtures::ms;
use crate::present::names::Bodies;
use std::sync::Arc;

const ORDERS: QueueId = QueueId(0);

/// One message and one worker; a dead letter after one delivery.
fn setup(seconds: u64, poison: bool) -> Setup {
    let mut orders = QueueSetup::new("orders", QueueKind::Standard);
    orders.visibility_timeout = Micros::from_secs(10);
    orders.dead_letter_queue = Some(QueueId(1));
    orders.max_deliveries = Some(1);
    let send = PlannedSend {
        poison,
        ..PlannedSend::at(Micros::ZERO)
    };
    let work = Processing::Constant(Micros::from_secs(seconds));
    let mut worker = ConsumerSetup::new("worker", ORDERS, work);
    worker.on_failure = OnFailure::Nack(Backoff::NONE);
    Setup {
        queues: vec![orders, QueueSetup::new("orders-dlq", QueueKind::Standard)],
        producers: vec![ProducerSetup::new(
            "shop",
            ORDERS,
            Pattern::List(vec![send]),
        )],
        consumers: vec![worker],
        ..Setup::empty()
    }
}

/// The dead-letter queue after a minute; the commands act at the half of it.
fn sheet_of(mut setup: Setup, commands: &[Command]) -> Sheet {
    setup.commands = commands
        .iter()
        .map(|command| TimedCommand {
            at: Micros::from_secs(30),
            command: command.clone(),
        })
        .collect();
    let mut run = Simulation::new(Arc::new(setup));
    let mut trace: Vec<Event> = Vec::new();
    run.run_until(Micros::from_secs(60), u64::MAX, &mut trace);
    let mut ledger = Ledger::default();
    trace.iter().for_each(|event| ledger.observe(event));
    let bodies = Bodies::default();
    let names = Names {
        setup: run.setup(),
        bodies: &bodies,
    };
    let mut sheets = sheets(&run.snapshot(), &ledger, &names);
    assert_eq!(sheets.len(), 1);
    let mut sheet = sheets.remove(0);
    let plain = |text: &mut String| *text = text.replace('\u{a0}', " ");
    plain(&mut sheet.verdict);
    for row in &mut sheet.rows {
        plain(&mut row.moved);
        row.attempts.iter_mut().for_each(plain);
        row.causes.iter_mut().for_each(plain);
    }
    sheet
}

#[test]
fn a_poison_message_would_come_back_until_it_is_fixed() {
    let sheet = sheet_of(setup(2, true), &[]);
    let row = &sheet.rows[0];
    assert_eq!((sheet.count, row.poison, sheet.stands), (1, true, true));
    assert_eq!(
        row.moved,
        "No retry after 1 delivery. From orders at 2.0 s."
    );
    assert_eq!(row.attempts, ["worker, 0.0 s to 2.0 s: failed"]);
    assert_eq!(
        sheet.verdict,
        "The cause is still there, it would come back. It is still a poison message: its handlers fail every time."
    );
    let message = MessageNumber(1);
    let fix = Command::SetPoison {
        message,
        poison: false,
    };
    let sheet = sheet_of(setup(2, true), &[fix]);
    assert_eq!(
        sheet.verdict,
        "The cause is gone, as far as the settings tell: a redrive should succeed."
    );
}

#[test]
fn a_timeout_shorter_than_the_work_stands_until_one_of_them_changes() {
    use crate::engine::{ConsumerChange, QueueChange};
    let said = "The visibility timeout of 10 s is still shorter than the work of worker, 15 s.";
    // The other one's receive finds it visible again and its budget used up.
    let mut two = setup(15, false);
    let mut other = two.consumers[0].clone();
    other.name = "other".to_owned();
    two.consumers.push(other);
    let sheet = sheet_of(two.clone(), &[]);
    assert_eq!(sheet.rows[0].causes, [said]);
    assert_eq!(
        sheet.rows[0].attempts,
        ["worker, 0.0 s to 15.0 s: finished after the timeout"]
    );
    let longer = QueueChange::VisibilityTimeout(Micros::from_secs(20));
    let heartbeat = ConsumerChange::Heartbeat(Some(Heartbeat {
        every: Micros::from_secs(4),
        extend_to: Micros::from_secs(10),
    }));
    let faster = |id| Command::SlowDown {
        consumer: ConsumerId(id),
        percent: 50,
    };
    for mended in [
        vec![Command::SetQueue(ORDERS, longer)],
        vec![Command::SetConsumer(None, heartbeat)],
        vec![faster(0), faster(1)],
    ] {
        let sheet = sheet_of(two.clone(), &mended);
        assert!(
            sheet.rows[0].causes.is_empty(),
            "{:?}",
            sheet.rows[0].causes
        );
    }
}

#[test]
fn a_consumer_that_still_fails_a_network_that_still_loses_and_a_cut_that_still_is_are_told() {
    let mut failing = setup(2, true);
    failing.consumers[0].failure.chance = Chance(300_000);
    failing.consumers[0].failure.permanent = true;
    failing.network.lose_ack = Chance(20_000);
    let message = MessageNumber(1);
    let fix = Command::SetPoison {
        message,
        poison: false,
    };
    let sheet = sheet_of(failing, &[fix, Command::Partition(ConsumerId(0))]);
    assert_eq!(
        sheet.rows[0].causes,
        [
            "worker still fails with a chance of 30 % and then gives up at once.",
            "worker is still cut off: no ack of it arrives.",
            "Acks still get lost, with a chance of 2 %.",
        ]
    );
}

#[test]
fn a_buffer_that_outlasts_the_timeout_is_a_cause() {
    let mut greedy = setup(4, false);
    greedy.consumers[0].prefetch = 5;
    let Pattern::List(sends) = &mut greedy.producers[0].pattern else {
        panic!("a list");
    };
    *sends = vec![PlannedSend::at(Micros::ZERO); 5];
    let sheet = sheet_of(greedy, &[]);
    assert!(sheet.count > 0);
    assert!(
        sheet.verdict.contains(
            "With a prefetch of 5, a message can still wait 16 s in the buffer of worker"
        ),
        "{}",
        sheet.verdict
    );
}

#[test]
fn several_dead_letters_are_judged_together() {
    let of = |number: u32, causes: &[&str]| Row {
        message: MessageNumber(number),
        name: number.to_string(),
        poison: false,
        moved: String::new(),
        attempts: Vec::new(),
        causes: causes.iter().map(|it| (*it).to_owned()).collect(),
    };
    let one = [of(1, &["A."]), of(2, &["A.", "B."]), of(3, &[])];
    assert_eq!(
        verdict(&one, 0),
        "The cause is still there, 2 of 3 would come back. A."
    );
    let other = [of(1, &["A."]), of(2, &["B."])];
    assert_eq!(
        verdict(&other, 0),
        "The cause is still there, both would come back. A. One has another cause."
    );
    let poison = [of(1, &[POISON]), of(2, &[POISON]), of(3, &[POISON])];
    assert_eq!(
        verdict(&poison, 0),
        "The cause is still there, all 3 would come back. They are still poison messages: their handlers fail every time."
    );
    let some = [
        of(1, &[POISON]),
        of(2, &[POISON]),
        of(3, &["A."]),
        of(4, &["B."]),
    ];
    assert_eq!(
        verdict(&some, 0),
        "The cause is still there, all 4 would come back. 2 of them are still poison messages: their handlers fail every time. Others have other causes."
    );
    assert_eq!(verdict(&[], 0), "");
    assert_eq!(
        verdict(&other, 5_998),
        "The cause is still there, of the newest 2 looked at, all would come back. A. One has another cause."
    );
}

#[test]
fn what_was_sent_to_the_dead_letter_queue_by_hand_is_told_apart_from_what_was_moved_there() {
    let by_hand = |count| {
        Command::Send(crate::engine::command::HandSend {
            count,
            ..crate::engine::command::HandSend::to(QueueId(1))
        })
    };
    let sheet = sheet_of(setup(2, true), &[by_hand(1)]);
    assert_eq!((sheet.count, sheet.rows.len()), (2, 1));
    assert_eq!(sheet.rest, ["and 1 that was sent here and never moved"]);
    let sheet = sheet_of(setup(2, false), &[by_hand(3)]);
    assert_eq!((sheet.count, sheet.rows.len()), (3, 0));
    assert_eq!(sheet.rest, ["and 3 that were sent here and never moved"]);
    assert!(sheet.verdict.ends_with("it was sent here."));
}

#[test]
fn dead_letters_beyond_the_rows_are_counted_and_the_verdict_is_not_of_them() {
    let mut many = setup(0, true);
    let Pattern::List(sends) = &mut many.producers[0].pattern else {
        panic!("a list");
    };
    *sends = vec![sends[0].clone(); 100];
    let sheet = sheet_of(many, &[]);
    assert_eq!((sheet.count, sheet.rows.len()), (100, 64));
    assert_eq!(sheet.rest, ["and 36 older"]);
    assert!(
        sheet
            .verdict
            .contains("of the newest 64 looked at, all would come back"),
        "{}",
        sheet.verdict
    );
}

#[test]
fn a_dead_letter_without_a_history_is_judged_by_the_settings() {
    let snapshot = Simulation::new(Arc::new(setup(15, false))).snapshot();
    let dead = DeadLetterView {
        token: Token {
            message: MessageNumber(1),
            body: None,
            group: None,
            deliveries: 1,
            poison: false,
            priority: None,
            expired: false,
        },
        reason: crate::engine::event::DeadLetterReason::BudgetUsedUp,
        at: ms(1),
        from: ORDERS,
        deaths: Default::default(),
    };
    let (setup, bodies) = (setup(15, false), Bodies::default());
    let names = Names {
        setup: &setup,
        bodies: &bodies,
    };
    assert_eq!(causes(&dead, &snapshot, &[], &names).len(), 1);
}

#[test]
fn a_message_that_died_more_than_once_tells_where_and_why() {
    let mut setup = setup(2, true);
    let mut retry = QueueSetup::new("retry", QueueKind::Standard);
    retry.dead_letter_queue = Some(QueueId(1));
    retry.rules.ttl = Some(Micros::from_secs(5));
    retry.rules.expired_to = crate::engine::rules::ExpiredTo::DeadLetter;
    setup.queues[0].dead_letter_queue = Some(QueueId(2));
    setup.queues.push(retry);
    let mut run = Simulation::new(Arc::new(setup));
    run.run_until(Micros::from_secs(60), u64::MAX, &mut Vec::new());
    let bodies = Bodies::default();
    let names = Names {
        setup: run.setup(),
        bodies: &bodies,
    };
    let sheets = sheets(&run.snapshot(), &Ledger::default(), &names);
    let moved = sheets[0].rows[0].moved.replace('\u{a0}', " ");
    let chain =
        "Deaths: retry expired 1×, orders delivery limit 1×; first in orders, delivery limit.";
    assert!(moved.ends_with(chain), "{moved}");
}
