use std::collections::BTreeMap;
use std::sync::Arc;

use queue_playground::engine::command::{Command, TimedCommand};
use queue_playground::engine::setup::{Groups, NetworkSetup, Pattern, QueueKind};
use queue_playground::engine::{
    ConsumerChange, ConsumerId, Micros, ProducerChange, ProducerId, QueueChange, QueueId,
};
use queue_playground::scenario::{Scenario, catalogue};
use queue_playground::session::Session;

use super::files_of::EVERY_FIELD;

#[test]
fn a_file_with_every_field_reads_back_as_it_was_written() {
    let scenario = Scenario::from_json(EVERY_FIELD).unwrap();
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
}

#[test]
fn a_setting_changed_on_the_file_is_the_setting_changed_on_the_setup() {
    let scenario = Scenario::from_json(EVERY_FIELD).unwrap();
    let setup = scenario.lower().unwrap();
    let everybody = Command::SetConsumer(None, ConsumerChange::Prefetch(5));
    let commands = [
        Command::SetQueue(
            QueueId(0),
            QueueChange::VisibilityTimeout(Micros::from_millis(1500)),
        ),
        Command::SetQueue(QueueId(0), QueueChange::MaxDeliveries(None)),
        Command::SetQueue(QueueId(0), QueueChange::Kind(QueueKind::Fifo)),
        Command::SetQueue(QueueId(0), QueueChange::DeadLetterQueue(None)),
        Command::SetQueue(
            QueueId(0),
            QueueChange::Shards {
                shards: 2,
                sampled: 1,
            },
        ),
        Command::SetConsumer(Some(ConsumerId(1)), ConsumerChange::Prefetch(2)),
        Command::SetConsumer(Some(ConsumerId(3)), ConsumerChange::Workers(4)),
        everybody,
        Command::SetProducer(
            ProducerId(1),
            ProducerChange::Pattern(Pattern::Poisson { mean: Micros(5) }),
        ),
        Command::SetProducer(ProducerId(1), ProducerChange::Groups(Groups::None)),
        Command::SetNetwork(NetworkSetup::default()),
    ];
    for command in commands {
        let mut expected = setup.clone();
        expected.apply(&command);
        let mut edited = scenario.with_setting(&setup, &command);
        // Planned commands start from other settings then; only settings are compared.
        edited.commands.clear();
        expected.commands.clear();
        let mut lowered = edited.lower().unwrap();
        lowered.bodies.clone_from(&expected.bodies);
        lowered.groups.clone_from(&expected.groups);
        // Without its own prefetch, a consumer's follows its workers.
        if matches!(command, Command::SetConsumer(Some(ConsumerId(3)), _)) {
            lowered.consumers[3].prefetch = expected.consumers[3].prefetch;
        }
        assert_eq!(lowered.queues, expected.queues, "{command:?}");
        assert_eq!(lowered.consumers, expected.consumers, "{command:?}");
        assert_eq!(lowered.network, expected.network, "{command:?}");
        if !matches!(command, Command::SetProducer(..)) {
            assert_eq!(lowered.producers, expected.producers, "{command:?}");
        }
    }
}

#[test]
fn the_story_edited_to_a_longer_timeout_is_its_variant() {
    let scenario = Scenario::from_json(catalogue::CATALOGUE[0].json).unwrap();
    let setup = scenario.lower().unwrap();
    let [command] = scenario.invitation_commands(&setup).try_into().unwrap();
    let edited = scenario.with_setting(&setup, &command);
    let variant = scenario.with_variant(&scenario.variants[0]).unwrap();
    assert_eq!(edited.lower(), variant.lower());
}

#[test]
fn every_command_that_a_file_can_plan_can_be_written_back() {
    let scenario = Scenario::from_json(EVERY_FIELD).unwrap();
    let setup = scenario.lower().unwrap();
    let mut rewritten = Scenario {
        commands: Vec::new(),
        ..scenario
    };
    for timed in &setup.commands {
        rewritten = rewritten.with_command(&setup, timed);
    }
    assert_eq!(rewritten.commands.len(), setup.commands.len());
    assert_eq!(rewritten.lower().unwrap().commands, setup.commands);
}

#[test]
fn a_command_given_in_a_run_is_planned_at_its_time() {
    let scenario = Scenario::from_json(catalogue::CATALOGUE[0].json).unwrap();
    let setup = scenario.lower().unwrap();
    let timed = TimedCommand {
        at: Micros(4_000_001),
        command: Command::Crash(ConsumerId(1)),
    };
    let planned = scenario
        .with_command(&setup, &timed)
        .lower()
        .unwrap()
        .commands;
    assert_eq!(planned, [timed]);
}

#[test]
fn a_command_given_when_a_run_was_over_makes_the_file_as_long_as_the_run_became() {
    let text = r#"{ "version": 1, "duration": "5s", "queues": [{ "name": "q" }] }"#;
    let scenario = Scenario::from_json(text).unwrap();
    let mut session = Session::new(Arc::new(scenario.lower().unwrap()));
    session.seek(Micros::from_secs(5), 1_000);
    session.command(Command::Purge(QueueId(0)));
    let base = session.base();
    let timed = &session.commands()[0].timed;
    let written = scenario.with_command(base, timed);
    assert_eq!(written.duration, base.duration);
    assert!(written.duration > Some(timed.at));
    let early = TimedCommand {
        at: Micros::from_secs(1),
        command: Command::Purge(QueueId(0)),
    };
    let setup = scenario.lower().unwrap();
    let written = scenario.with_command(&setup, &early);
    assert_eq!(written.duration, scenario.duration, "no longer than it was");
}

#[test]
fn a_count_of_consumers_lowers_to_as_many_that_share_their_draws() {
    let setup = Scenario::from_json(EVERY_FIELD).unwrap().lower().unwrap();
    let streams: BTreeMap<&str, &str> = setup
        .consumers
        .iter()
        .map(|consumer| (consumer.name.as_str(), consumer.stream.as_str()))
        .collect();
    assert_eq!(
        streams.into_iter().collect::<Vec<_>>(),
        [
            ("many-1", "shared"),
            ("many-2", "shared"),
            ("many-3", "shared"),
            ("one", "one")
        ]
    );
}
