//! Standard queues on several servers, of which a short poll asks only some.

use super::desk::*;
use proptest::prelude::*;
use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::setup::*;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
enum Call {
    Send,
    Poll { max: u32 },
    Ack(prop::sample::Index),
    Nack(prop::sample::Index),
    Pass,
    Servers(u16, u16),
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        5 => Just(Call::Send),
        4 => (1..4u32).prop_map(|max| Call::Poll { max }),
        2 => any::<prop::sample::Index>().prop_map(Call::Ack),
        2 => any::<prop::sample::Index>().prop_map(Call::Nack),
        1 => Just(Call::Pass),
        1 => (0..70u16, 0..5u16).prop_map(|(shards, sampled)| Call::Servers(shards, sampled)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_message_is_lost_between_servers_and_a_long_poll_finds_them_all(
        calls in prop::collection::vec(call(), 1..80),
    ) {
        let mut desk = Desk::new(QueueSetup {
            visibility_timeout: secs(2),
            shards: 4,
            ..standard()
        });
        let mut receipts = Vec::new();
        let mut sent = 0;
        for call in calls {
            match call {
                Call::Send => {
                    sent += 1;
                    desk.send(&char::from(b' ' + sent).to_string());
                }
                Call::Poll { max } => receipts.extend(desk.receive_up_to(1, max).receipts),
                Call::Ack(at) if !receipts.is_empty() => {
                    desk.ack(*at.get(&receipts));
                }
                Call::Nack(at) if !receipts.is_empty() => {
                    desk.nack(*at.get(&receipts), ms(0));
                }
                Call::Ack(_) | Call::Nack(_) => {}
                Call::Pass => {
                    let later = desk.now + secs(1);
                    desk.at(later);
                }
                Call::Servers(shards, sampled) => {
                    desk.change(QueueChange::Shards { shards, sampled });
                }
            }
            let [ready, delayed, in_flight] = desk.depth(Q);
            let acked = desk.broker.counts(Q).acked;
            prop_assert_eq!(u64::from(sent), ready + delayed + in_flight + acked);
            let waiting = &desk.broker.lanes(Q, 1, usize::MAX).0[0].waiting;
            let distinct: BTreeSet<MessageKey> = waiting.iter().map(|&(message, _)| message).collect();
            prop_assert_eq!(distinct.len() as u64, ready);
            prop_assert!(waiting.is_sorted_by_key(|&(message, _)| message), "send order over all");
        }
        let [ready, ..] = desk.depth(Q);
        let before = desk.log.len();
        desk.wait(9, u32::MAX, secs(1));
        prop_assert_eq!(desk.received_since(before, 9).messages.len() as u64, ready);
    }
}
