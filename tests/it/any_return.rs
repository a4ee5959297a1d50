//! Random rules of returns, counts, budgets, keys and claims, and what holds under them whatever else a run does.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

use crate::any_setup::{any_setup, continues_as_its_clone, keeps_all_in_one_place, millis};

const END: Micros = Micros::from_secs(15);
const QUEUE: QueueId = QueueId(0);

fn causes() -> impl Strategy<Value = Causes> {
    any::<[bool; 4]>().prop_map(|[nack, failed, timeout, crash]| Causes {
        nack,
        failed,
        timeout,
        crash,
    })
}

fn retry_delay() -> impl Strategy<Value = RetryDelay> {
    let delay = (millis(1..900), millis(1..2_000), any::<bool>(), causes());
    delay.prop_map(|(min, max, linear, after)| RetryDelay {
        min,
        max,
        growth: if linear {
            Growth::Linear
        } else {
            Growth::Exponential
        },
        after,
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    let places = [
        ReturnPlace::Place,
        ReturnPlace::Head,
        ReturnPlace::Tail,
        ReturnPlace::ReturnsQueue,
    ];
    let counts = [CountRule::OnReceive, CountRule::OnReturn, CountRule::Never];
    let budgets = [
        BudgetRule::OnReceive,
        BudgetRule::OnReturn,
        BudgetRule::OnEnd,
    ];
    let fates = [
        Exhausted::DeadLetter,
        Exhausted::Drop,
        Exhausted::Archive,
        Exhausted::Stays,
    ];
    let groups = [GroupRule::Walk, GroupRule::Key, GroupRule::Key];
    let hands = [HandOver::Lease, HandOver::Pending];
    prop_oneof![
        2 => (0..4usize).prop_map(move |nth| Rule::ReturnsTo(places[nth])),
        2 => (0..3usize).prop_map(move |nth| Rule::Count(counts[nth])),
        1 => causes().prop_map(Rule::CountedReturns),
        2 => (0..3usize).prop_map(move |nth| Rule::Budget(budgets[nth])),
        2 => (0..4usize).prop_map(move |nth| Rule::Exhausted(fates[nth])),
        3 => (0..3usize).prop_map(move |nth| Rule::GroupRule(groups[nth])),
        2 => (0..2usize).prop_map(move |nth| Rule::HandOver(hands[nth])),
        2 => option::of(retry_delay()).prop_map(Rule::RetryDelay),
        1 => vec(millis(1..3_000), 0..3).prop_map(Rule::LeaseSteps),
    ]
}

/// Any setup with rules of returns, consumers that claim, and changes of the rules.
fn any_return() -> impl Strategy<Value = Setup> {
    let changes = vec((millis(0..10_000), rule()), 0..5);
    let claim = (millis(0..3_000), millis(100..2_000), 1..5u32);
    let claims = vec(option::of(claim), 2);
    let refuses = any::<bool>();
    (any_setup(), vec(rule(), 0..6), changes, claims, refuses).prop_map(
        |(mut setup, rules, changes, claims, refuses)| {
            let first = &mut setup.queues[0];
            rules.into_iter().for_each(|rule| first.rules.set(rule));
            if refuses {
                first.stale_ack = StaleAck::Refused;
            }
            for (consumer, claim) in setup.consumers.iter_mut().zip(claims) {
                consumer.claim = claim.map(|(min_idle, every, max)| Claiming {
                    min_idle,
                    every,
                    max,
                });
            }
            let changes = changes.into_iter().map(|(at, rule)| TimedCommand {
                at,
                command: Command::SetQueue(QUEUE, QueueChange::Rule(rule)),
            });
            setup.commands.extend(changes);
            setup.commands.sort_by_key(|timed| timed.at);
            setup
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn all_messages_are_in_one_place_however_they_return(setup in any_return()) {
        keeps_all_in_one_place(setup, END)?;
    }

    #[test]
    fn a_clone_continues_as_the_original_does_however_messages_return(
        setup in any_return(),
        at in 0..15_000u64,
    ) {
        continues_as_its_clone(setup, Micros::from_millis(at), END)?;
    }
}
