//! What stays pending until it is acknowledged or claimed: Redis Streams. Numbers are those of the conformance
//! collection.

use super::desk::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::{DiscardReason, QueueChange};
use queue_playground::engine::id::ConsumerId;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn stream() -> QueueSetup {
    QueueSetup {
        visibility_timeout: secs(1),
        stale_ack: StaleAck::Deletes,
        rules: Rules {
            hand_over: HandOver::Pending,
            ..Rules::default()
        },
        ..standard()
    }
}

impl Desk {
    fn claim(
        &mut self,
        consumer: u16,
        min_idle: Micros,
        max: u32,
        from: Option<PendingCursor>,
    ) -> (Received, Option<PendingCursor>) {
        let claim = Claim {
            consumer: ConsumerId(consumer),
            min_idle,
            max,
        };
        let (before, now) = (self.log.len(), self.now);
        let next = self.run(|broker, out| broker.claim(now, Q, claim, from, out));
        (self.received_since(before, consumer), next)
    }

    fn claim_one(&mut self, consumer: u16, min_idle: Micros, letter: char) -> bool {
        let claim = Claim {
            consumer: ConsumerId(consumer),
            min_idle,
            max: 1,
        };
        let (now, message) = (self.now, MessageKey(letter as u32));
        self.run(|broker, out| broker.claim_message(now, Q, claim, message, out))
    }

    fn forget(&mut self, consumer: u16) -> u32 {
        self.run(|broker, out| broker.forget_consumer(Q, ConsumerId(consumer), out))
    }

    /// Letters with their consumers and counts.
    fn pending(&self) -> Vec<(char, u16, u32)> {
        let pending = self.broker.pending(Q, usize::MAX).into_iter();
        pending
            .map(|it| {
                let letter = char::from_u32(it.message.0).unwrap_or('?');
                (letter, it.consumer.0, it.deliveries)
            })
            .collect()
    }
}

#[test]
fn nothing_is_delivered_again_by_itself() {
    let mut desk = Desk::new(stream());
    desk.send("012");
    assert_eq!(desk.receive(1).messages, "0");
    assert_eq!(desk.receive(2).messages, "1");
    assert_eq!(
        desk.at(secs(60)).receive_up_to(1, 10).messages,
        "2",
        "RDS-C01"
    );
    assert_eq!(desk.pending(), [('0', 1, 1), ('1', 2, 1), ('2', 1, 1)]);
    assert_eq!(desk.broker.next_timer(Q), None);
}

#[test]
fn a_consumer_may_read_its_own_pending_messages_again_which_counts() {
    let mut desk = Desk::new(stream());
    desk.send("01");
    desk.receive(1);
    desk.receive(2);
    let (before, now) = (desk.log.len(), desk.now);
    let read = desk.run(|broker, out| broker.read_own(now, Q, ConsumerId(1), 10, out));
    assert_eq!(read, 1);
    let own = desk.received_since(before, 1);
    assert_eq!(
        (own.messages.as_str(), own.deliveries),
        ("0", vec![2]),
        "RDS-C02"
    );
}

#[test]
fn a_claim_takes_only_what_is_idle_and_the_winner_starts_the_idle_time_again() {
    let mut desk = Desk::new(stream());
    desk.send("0");
    desk.receive(1);
    assert!(!desk.at(ms(50)).claim_one(2, ms(100), '0'), "RDS-C03");
    assert!(desk.at(ms(200)).claim_one(2, ms(100), '0'));
    assert!(!desk.claim_one(3, ms(100), '0'));
    assert_eq!(desk.pending(), [('0', 2, 2)]);
    let claimed = desk.when(|kind| {
        *kind
            == HappeningKind::Claimed {
                consumer: ConsumerId(2),
                from: ConsumerId(1),
            }
    });
    assert_eq!(claimed, [(ms(200), Some('0'))]);
}

#[test]
fn a_claim_goes_through_the_list_in_order_and_says_where_to_go_on() {
    let mut desk = Desk::new(stream());
    desk.send("0123");
    desk.receive_up_to(1, 4);
    let (first, next) = desk.at(secs(1)).claim(2, ms(50), 2, None);
    assert_eq!(first.messages, "01", "RDS-C04");
    assert!(next.is_some());
    let (message, reason) = (MessageKey('2' as u32), DiscardReason::Obsolete);
    desk.at(secs(2))
        .run(|broker, out| broker.discard(secs(2), Q, message, reason, out));
    let (second, end) = desk.claim(2, ms(50), 10, next);
    assert_eq!((second.messages.as_str(), end), ("3", None));
    assert_eq!(desk.pending(), [('0', 2, 2), ('1', 2, 2), ('3', 2, 2)]);
}

#[test]
fn a_claim_looks_at_ten_times_as_many_messages_as_it_may_take() {
    let mut desk = Desk::new(stream());
    let letters: String = ('a'..='z').collect();
    desk.send(&letters);
    desk.receive_up_to(1, 26);
    let (nothing, next) = desk.claim(2, ms(50), 2, None);
    assert_eq!(nothing.messages, "");
    let (few, end) = desk.at(secs(1)).claim(2, ms(50), 9, next);
    assert_eq!((few.messages.as_str(), end), ("uvwxyz", None));
}

#[test]
fn no_limit_ends_the_deliveries_of_a_message() {
    let mut desk = Desk::new(stream());
    desk.send("0");
    desk.receive(1);
    for _ in 0..30 {
        assert!(desk.claim_one(1, Micros::ZERO, '0'));
    }
    assert_eq!(desk.pending(), [('0', 1, 31)], "RDS-C05");
}

#[test]
fn a_forgotten_consumer_takes_its_pending_messages_along() {
    let mut desk = Desk::new(stream());
    desk.send("012");
    let held = desk.receive_up_to(1, 3);
    assert_eq!(desk.forget(1), 3, "RDS-C06");
    assert_eq!(desk.at(secs(2)).receive_up_to(2, 10).messages, "");
    assert!(desk.pending().is_empty());
    let (claimed, _) = desk.claim(2, Micros::ZERO, 10, None);
    assert_eq!(claimed.messages, "");
    assert_eq!(desk.ack(held.receipts[0]), AckOutcome::Ignored);
    let counts = desk.broker.counts(Q);
    assert_eq!((counts.undeliverable, counts.in_flight), (3, 0));
}

#[test]
fn any_ack_settles_and_a_failed_message_stays_pending() {
    let mut desk = Desk::new(stream());
    desk.send("0");
    let first = desk.receive(1).receipts[0];
    assert_eq!(desk.nack(first, Micros::ZERO), ChangeOutcome::Stale);
    assert!(desk.claim_one(2, Micros::ZERO, '0'));
    assert_eq!(desk.ack(first), AckOutcome::Removed);
    assert!(desk.pending().is_empty());
}

#[test]
fn an_extension_starts_the_idle_time_again_and_counts_nothing() {
    let mut desk = Desk::new(stream());
    desk.send("0");
    let held = desk.receive(1).receipts[0];
    let forever = ChangeOutcome::HiddenUntil(Micros::MAX);
    assert_eq!(desk.at(ms(80)).extend(held, secs(1)), forever);
    assert!(!desk.at(ms(150)).claim_one(2, ms(100), '0'));
    assert_eq!(desk.pending(), [('0', 1, 1)]);
}

#[test]
fn retention_ends_a_pending_message_too() {
    let mut desk = Desk::new(QueueSetup {
        retention: Some(secs(10)),
        ..stream()
    });
    desk.send("0");
    desk.receive(1);
    desk.at(secs(20));
    assert!(desk.pending().is_empty());
    assert_eq!(desk.broker.counts(Q).expired, 1);
}

#[test]
fn a_change_of_the_hand_over_gives_and_takes_timeouts() {
    let mut desk = Desk::new(stream());
    desk.send("0");
    desk.receive(1);
    desk.at(secs(10))
        .change(QueueChange::Rule(Rule::HandOver(HandOver::Lease)));
    assert!(desk.pending().is_empty());
    assert_eq!(desk.at(ms(10_999)).receive(2).messages, "");
    assert_eq!(desk.at(secs(11)).receive(2).messages, "0");
    desk.change(QueueChange::Rule(Rule::HandOver(HandOver::Pending)));
    assert_eq!(desk.at(secs(60)).receive(3).messages, "");
    assert_eq!(desk.pending(), [('0', 2, 2)]);
}
