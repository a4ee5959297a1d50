//! What the broker holds on to.

use super::desk::*;
use crate::allocation::held_by;
use queue_playground::engine::broker::*;
use queue_playground::engine::id::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::time::Micros;

fn send(broker: &mut Broker, number: u32) {
    let incoming = Incoming {
        message: MessageKey(number),
        number: MessageNumber(number),
        group: Some(GroupId(if number == 0 { 100 } else { number % 100 })),
        deduplication_id: None,
        content: DeduplicationKey(u64::from(number)),
        delay: None,
        priority: None,
        ttl: None,
        persistent: true,
    };
    let now = Micros(u64::from(number));
    broker.send(now, Q, incoming, &mut Vec::new());
}

fn bytes_per_waiting_message(kind: QueueKind, messages: u32) -> usize {
    let (_broker, bytes) = held_by(|| {
        let mut broker = Broker::new(1, &[queue("q", kind)]);
        (0..messages).for_each(|number| send(&mut broker, number));
        broker
    });
    bytes / messages as usize
}

#[test]
fn a_waiting_message_takes_little_memory_at_every_size_of_the_backlog() {
    for messages in [10_000, 65_000, 66_000, 100_000, 140_000] {
        let standard = bytes_per_waiting_message(QueueKind::Standard, messages);
        assert!(standard <= 43, "standard: {standard} bytes at {messages}");
        let fifo = bytes_per_waiting_message(QueueKind::Fifo, messages);
        assert!(fifo <= 56, "FIFO: {fifo} bytes at {messages}");
    }
}

#[test]
fn memory_stays_flat_while_messages_come_and_go_beside_one_that_stays() {
    for kind in [QueueKind::Standard, QueueKind::Fifo] {
        let mut broker = Broker::new(1, &[queue("q", kind)]);
        let run = |broker: &mut Broker, numbers: std::ops::Range<u32>| {
            let mut out = Vec::new();
            for number in numbers {
                send(broker, number);
                let now = Micros(u64::from(number));
                let demand = Demand {
                    consumer: ConsumerId(0),
                    max: 1,
                    visibility_timeout: (number == 0).then_some(secs(40_000)),
                    until: now,
                    call: 0,
                    automatic: false,
                };
                broker.register(now, Q, demand, &mut out);
                broker.deliver(now, Q, &mut out);
                for happening in std::mem::take(&mut out) {
                    if let HappeningKind::Delivered { receipt, .. } = happening.kind
                        && number > 0
                    {
                        broker.ack(now, receipt, &mut out);
                    }
                }
            }
        };
        run(&mut broker, 0..1_000);
        let ((), growth) = held_by(|| run(&mut broker, 1_000..50_000));
        assert!(growth < 1_000, "{kind:?} grew by {growth} bytes");
        assert_eq!(broker.counts(Q).acked, 49_999);
    }
}
