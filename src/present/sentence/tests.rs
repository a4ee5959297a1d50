use super::*;
use crate::engine::event::Ordinal;
use crate::engine::{Command, ProducerId, TimedCommand, Void};
use crate::present::fixtures::{self, ms};

fn tell(kind: EventKind) -> Sentence {
    let fixture = fixtures::charged_twice();
    let mut bodies = Bodies::default();
    bodies.learn(&fixture.snapshot);
    let teller = Teller {
        setup: &fixture.setup,
        bodies: &bodies,
        ledger: None,
        effect_label: "cards charged",
        unit: "€",
        own_from: 1,
        vocabulary: crate::scenario::Profile::Free,
    };
    let event = Event {
        ordinal: Ordinal(0),
        at: ms(4_000),
        cause: None,
        kind,
    };
    let mut told = teller.tell(&event);
    told.text = told.text.replace(NBSP, " ");
    told
}

const BEN: MessageNumber = MessageNumber(2);
const ORDERS: QueueId = QueueId(0);
const SECOND: ConsumerId = ConsumerId(1);

#[test]
fn a_timeout_says_what_the_queue_cannot_see() {
    let told = tell(EventKind::TimeoutEnded {
        message: BEN,
        queue: ORDERS,
        consumer: Some(SECOND),
        delivery: 1,
    });
    assert_eq!(told.subject, "orders");
    assert_eq!(told.severity, Severity::Warn);
    assert_eq!(
        told.text,
        "No ack in time: Ben is visible again. The queue cannot see whether worker-2 is still working."
    );
}

#[test]
fn a_command_that_came_to_nothing_is_not_told_as_if_it_had_happened() {
    let mut fixture = fixtures::charged_twice();
    let at = ms(2_000);
    fixture.setup.commands = [
        Command::ExpireNow(MessageNumber(4_000_000_000)),
        Command::SetPoison {
            message: MessageNumber(4_000_000_000),
            poison: true,
        },
    ]
    .map(|command| TimedCommand { at, command })
    .to_vec();
    let bodies = Bodies::default();
    let teller = Teller {
        setup: &fixture.setup,
        bodies: &bodies,
        ledger: None,
        effect_label: "",
        unit: "",
        own_from: 0,
        vocabulary: crate::scenario::Profile::Free,
    };
    let told = |index, void| {
        let kind = EventKind::CommandIgnored { index, void };
        let (ordinal, cause) = (Ordinal(0), None);
        teller
            .tell(&Event {
                ordinal,
                at,
                cause,
                kind,
            })
            .text
    };
    assert_eq!(
        told(0, Void::NoMessage),
        "No timeout ends: there is no message 4000000000 now."
    );
    assert_eq!(
        told(0, Void::NotInFlight),
        "No timeout ends: 4000000000 is not in flight."
    );
    assert_eq!(
        told(0, Void::NoTimeout),
        "No timeout ends: 4000000000 was handed out without one."
    );
    assert_eq!(
        told(1, Void::NoMessage),
        "No message is poisoned: there is no message 4000000000 now."
    );
}

#[test]
fn a_second_effect_is_harm_and_says_so() {
    let told = tell(EventKind::Effect {
        message: BEN,
        consumer: SECOND,
        nth: 2,
        amount: 20,
    });
    assert_eq!(told.severity, Severity::Bad);
    assert_eq!(
        told.text,
        "Ben charged by worker-2 too, €20: the second time, a duplicate effect."
    );
}

#[test]
fn a_dead_letter_gives_its_reason() {
    let told = tell(EventKind::DeadLettered {
        message: BEN,
        from: ORDERS,
        to: QueueId(1),
        reason: DeadLetterReason::BudgetUsedUp,
        deliveries: 3,
    });
    assert_eq!(told.subject, "orders-dlq");
    assert_eq!(
        told.text,
        "Ben moved here from orders: retry budget 2 used up after 3 deliveries."
    );
}

#[test]
fn a_resend_names_its_reason_and_number() {
    let sent = |attempt| EventKind::Sent {
        message: BEN,
        producer: Some(ProducerId(0)),
        queue: ORDERS,
        attempt,
        body: None,
        group: None,
    };
    assert_eq!(tell(sent(1)).text, "Ben sent to orders.");
    assert_eq!(
        tell(sent(2)).text,
        "No confirm came: Ben sent to orders again, the second time."
    );
}

#[test]
fn every_sentence_begins_with_a_capital_or_a_name_and_ends_with_a_full_stop() {
    let (message, queue, consumer, group) = (MessageNumber(7), ORDERS, SECOND, Some(GroupId(0)));
    let kinds = [
        EventKind::SendLost { message, queue },
        EventKind::Accepted {
            message,
            queue,
            group,
            visible_at: ms(9_000),
        },
        EventKind::Suppressed {
            message,
            queue,
            first: BEN,
        },
        EventKind::Delivered {
            message,
            queue,
            consumer,
            delivery: 1,
            hidden_until: ms(7_000),
        },
        EventKind::Started {
            message,
            consumer,
            worker: 0,
            delivery: 1,
            work: ms(4_500),
            lease_over: false,
        },
        EventKind::Started {
            message,
            consumer,
            worker: 0,
            delivery: 1,
            work: ms(4_500),
            lease_over: true,
        },
        EventKind::Nacked {
            message,
            queue,
            consumer,
            visible_at: ms(4_000),
            stale: false,
        },
        EventKind::AckStale {
            message,
            queue,
            consumer,
            refused: true,
        },
        EventKind::StarvationBegan {
            queue,
            group,
            oldest: message,
            since: ms(0),
        },
        EventKind::CommandApplied { index: 9 },
        EventKind::Crashed { consumer, held: 2 },
        EventKind::Stuck {
            reason: StuckReason::Cycle,
            message: Some(message),
        },
    ];
    for kind in kinds {
        let told = tell(kind);
        assert!(
            told.text.ends_with('.') && !told.subject.is_empty(),
            "{told:?}"
        );
        let first = told.text.chars().next().unwrap();
        let is_name = told.text.starts_with("worker-");
        assert!(
            first.is_uppercase() || first.is_ascii_digit() || is_name,
            "{told:?}"
        );
    }
}
