//! Random rules of handing over: pushed on channels, pending until claimed, or leased, changed while a run goes on; and
//! what holds under them whatever else a run does.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::ConsumerStatus;
use queue_playground::engine::*;

use crate::any_setup::{any_setup, continues_as_its_clone, keeps_all_in_one_place, millis};

const END: Micros = Micros::from_secs(15);
const QUEUE: QueueId = QueueId(0);

fn hand_over() -> impl Strategy<Value = HandOver> {
    prop_oneof![
        5 => Just(HandOver::Push),
        1 => Just(HandOver::Pending),
        1 => Just(HandOver::Lease),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let ends = [
        AtConsumerTimeout::ClosesChannel,
        AtConsumerTimeout::CancelsConsumer,
    ];
    let groups = [GroupRule::Walk, GroupRule::Session, GroupRule::Key];
    let places = [
        ReturnPlace::Place,
        ReturnPlace::Head,
        ReturnPlace::Tail,
        ReturnPlace::ReturnsQueue,
    ];
    let lasting = [
        Durability::Durable,
        Durability::Persistent,
        Durability::Volatile,
    ];
    prop_oneof![
        2 => hand_over().prop_map(Rule::HandOver),
        3 => option::of(millis(1..3_000)).prop_map(Rule::ConsumerTimeout),
        2 => (0..2usize).prop_map(move |nth| Rule::AtConsumerTimeout(ends[nth])),
        3 => any::<bool>().prop_map(Rule::SingleActiveConsumer),
        1 => (0..3usize).prop_map(move |nth| Rule::GroupRule(groups[nth])),
        2 => (0..4usize).prop_map(move |nth| Rule::ReturnsTo(places[nth])),
        1 => (1..6u8, any::<bool>()).prop_map(|(max, lost_on_return)| {
            Rule::Priority(Priority::Strict { max, default: 0, lost_on_return })
        }),
        1 => option::of(0..6u32).prop_map(Rule::InFlightLimit),
        1 => option::of(millis(0..3_000)).prop_map(Rule::Ttl),
        1 => option::of(0..6u32).prop_map(Rule::Capacity),
        1 => option::of(millis(500..4_000)).prop_map(Rule::UnusedFor),
        1 => (0..3usize).prop_map(move |nth| Rule::Durability(lasting[nth])),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    let consumer = || (0..2u16).prop_map(ConsumerId);
    let change = |change| (option::of(consumer()), change);
    prop_oneof![
        4 => rule().prop_map(|rule| Command::SetQueue(QUEUE, QueueChange::Rule(rule))),
        3 => consumer().prop_map(Command::CloseChannel),
        2 => Just(Command::RestartBroker),
        1 => consumer().prop_map(Command::Partition),
        1 => consumer().prop_map(Command::Heal),
        1 => consumer().prop_map(Command::Crash),
        1 => consumer().prop_map(Command::Restart),
        1 => change((0..4u32).prop_map(ConsumerChange::Prefetch).boxed())
            .prop_map(|(who, change)| Command::SetConsumer(who, change)),
        1 => change((0..3u16).prop_map(ConsumerChange::Priority).boxed())
            .prop_map(|(who, change)| Command::SetConsumer(who, change)),
        1 => change(option::of(0..4u32).prop_map(ConsumerChange::ChannelPrefetch).boxed())
            .prop_map(|(who, change)| Command::SetConsumer(who, change)),
        1 => change(acks().prop_map(ConsumerChange::Ack).boxed())
            .prop_map(|(who, change)| Command::SetConsumer(who, change)),
    ]
}

fn acks() -> impl Strategy<Value = AckMoment> {
    prop_oneof![
        3 => Just(AckMoment::AfterWork),
        1 => Just(AckMoment::OnReceive),
        2 => Just(AckMoment::Automatic),
    ]
}

/// Of one consumer: prefetch, priority, channel, prefetch of the channel, automatic acks.
fn subscription() -> impl Strategy<Value = (u32, u16, Option<u16>, Option<u32>, bool)> {
    (
        0..4u32,
        0..3u16,
        option::of(0..2u16),
        option::of(0..4u32),
        prop_oneof![4 => Just(false), 1 => Just(true)],
    )
}

/// Any setup whose first queue hands over in one of the three ways, with consumers that share channels and commands
/// that close them.
pub fn any_push() -> impl Strategy<Value = Setup> {
    let commands = vec((millis(0..10_000), command()), 0..8);
    let rules = (hand_over(), vec(rule(), 0..5));
    let closes = any::<bool>();
    (any_setup(), rules, commands, vec(subscription(), 2), closes).prop_map(
        |(mut setup, (hand_over, rules), own, subscriptions, closes)| {
            let first = &mut setup.queues[0];
            first.rules.hand_over = hand_over;
            rules.into_iter().for_each(|rule| first.rules.set(rule));
            if closes {
                first.stale_ack = StaleAck::ClosesChannel;
            }
            for (consumer, it) in setup.consumers.iter_mut().zip(subscriptions) {
                let (prefetch, priority, channel, channel_prefetch, automatic) = it;
                consumer.prefetch = prefetch;
                consumer.priority = priority;
                consumer.channel = channel;
                consumer.channel_prefetch = channel_prefetch;
                if automatic {
                    consumer.ack = AckMoment::Automatic;
                }
            }
            let own = own.into_iter();
            setup
                .commands
                .extend(own.map(|(at, command)| TimedCommand { at, command }));
            setup.commands.sort_by_key(|timed| timed.at);
            setup
        },
    )
}

/// The same without anybody's receives: with them a consumer holds more than its prefetch.
fn without_hands(mut setup: Setup) -> Setup {
    for consumer in &mut setup.consumers {
        consumer.by_hand = false;
    }
    setup.commands.retain(|timed| {
        !matches!(
            timed.command,
            Command::SetConsumer(_, ConsumerChange::ByHand(_))
        )
    });
    setup
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn all_messages_are_in_one_place_however_they_are_handed_over(setup in any_push()) {
        keeps_all_in_one_place(setup, END)?;
    }

    #[test]
    fn nobody_is_pushed_more_than_its_prefetch_and_its_channels(setup in any_push()) {
        let mut setup = without_hands(setup);
        setup.commands.retain(|timed| !matches!(
            timed.command,
            Command::SetConsumer(_, ConsumerChange::ChannelPrefetch(_))
        ));
        let mut simulation = Simulation::new(Arc::new(setup));
        let mut trace = Vec::new();
        let mut before = simulation.snapshot();
        while simulation.next_at().is_some_and(|at| at <= END) {
            trace.clear();
            simulation.step(&mut trace);
            let snapshot = simulation.snapshot();
            let queue = &snapshot.queues[0];
            let pushes = before.queues[0].setup.rules.hand_over == HandOver::Push
                && queue.setup.rules.hand_over == HandOver::Push;
            let is_single = queue.setup.rules.single_active_consumer;
            let active = queue.subscribers.iter().filter(|it| it.active).count();
            let all = queue.subscribers.len();
            prop_assert_eq!(active, if is_single { all.min(1) } else { all });
            let unacked: u32 = snapshot.consumers.iter()
                .filter_map(|it| it.channel)
                .map(|channel| channel.unacked)
                .sum();
            prop_assert!(u64::from(unacked) <= queue.counts.in_flight);
            for event in trace.iter().filter(|_| pushes) {
                let EventKind::Delivered { queue: QUEUE, consumer, .. } = event.kind else {
                    continue;
                };
                let Some(view) = queue.subscribers.iter().find(|it| it.consumer == consumer) else {
                    continue;
                };
                let state = &snapshot.consumers[consumer.index()];
                if state.setup.ack == AckMoment::Automatic {
                    continue;
                }
                if view.prefetch > 0 {
                    prop_assert!(view.unacked <= view.prefetch, "{:?}", view);
                }
                let sharing = snapshot.consumers.iter().enumerate().filter(|(index, other)| {
                    *index == consumer.index()
                        || state.setup.channel.is_some() && other.setup.channel == state.setup.channel
                });
                let limits = sharing.clone().map(|(_, it)| it.setup.channel_prefetch.unwrap_or(0));
                let together = sharing.filter_map(|(_, it)| it.channel).map(|it| it.unacked);
                if limits.clone().all(|limit| limit > 0) {
                    prop_assert!(together.sum::<u32>() <= limits.max().unwrap_or(0));
                }
            }
            before = snapshot;
        }
    }

    #[test]
    fn a_consumer_knows_whether_it_is_subscribed_and_never_stays_away(setup in any_push()) {
        let mut simulation = Simulation::new(Arc::new(without_hands(setup)));
        let mut trace = Vec::new();
        let mut cut_off = BTreeSet::new();
        while let Some(at) = simulation.next_at().filter(|at| *at <= END) {
            simulation.run_until(at, u64::MAX, &mut trace);
            let snapshot = simulation.snapshot();
            let queue = &snapshot.queues[0];
            let subscribed: BTreeSet<ConsumerId> =
                queue.subscribers.iter().map(|it| it.consumer).collect();
            for (index, consumer) in snapshot.consumers.iter().enumerate() {
                let id = ConsumerId(index as u16);
                // Whoever was cut off does not learn what the broker does, until it is connected anew.
                if consumer.cut_off {
                    cut_off.insert(id);
                } else if consumer.status == ConsumerStatus::Running {
                    cut_off.remove(&id);
                }
                if cut_off.contains(&id) {
                    continue;
                }
                let open = consumer.channel.is_some_and(|channel| channel.open_since.is_some());
                let is_known = subscribed.contains(&id);
                prop_assert!(!open || is_known, "c{} believes in a subscription at {}", index, at);
            }
        }
        let snapshot = simulation.snapshot();
        let queue = &snapshot.queues[0];
        let pushes = queue.setup.rules.hand_over == HandOver::Push;
        let recent = END - Micros::from_secs(3);
        for (index, consumer) in snapshot.consumers.iter().enumerate() {
            let id = ConsumerId(index as u16);
            let is_settled = !trace.iter().any(|event| event.at >= recent && match event.kind {
                EventKind::ConsumerStarted { consumer }
                | EventKind::ChannelClosed { consumer, .. }
                | EventKind::BreakerClosed { consumer }
                | EventKind::BreakerOpened { consumer } => consumer == id,
                EventKind::QueueDeleted { queue } => queue == QUEUE,
                _ => false,
            });
            let wants = consumer.status == ConsumerStatus::Running
                && !consumer.cut_off
                && consumer.breaker == snapshot::BreakerState::Closed;
            if pushes && wants && is_settled {
                let open = consumer.channel.is_some_and(|channel| channel.open_since.is_some());
                prop_assert!(open, "c{} stays away: {:?}", index, consumer.channel);
            }
        }
    }

    #[test]
    fn a_clone_continues_as_the_original_does_however_messages_are_handed_over(
        setup in any_push(),
        at in 0..15_000u64,
    ) {
        continues_as_its_clone(setup, Micros::from_millis(at), END)?;
    }
}
