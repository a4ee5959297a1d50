use super::*;
use crate::engine::Simulation;
use crate::present::fixtures;
use crate::scenario::{Profile, Scenario, catalogue};

#[test]
fn the_headline_controls_come_in_this_order() {
    for (slug, ids) in [
        (
            "four-switches",
            ["order", "prefetch", "visibility-timeout", "retry-budget"],
        ),
        // What it invites to change comes first, and what the broker fixes not at all.
        (
            "maxdeliver-leaves-message",
            [
                "in-flight-limit",
                "prefetch",
                "visibility-timeout",
                "retry-budget",
            ],
        ),
        (
            "unbounded-prefetch-oom",
            ["prefetch", "capacity", "ttl", "priority"],
        ),
        (
            "session-idle-hog",
            [
                "session-idle",
                "prefetch",
                "visibility-timeout",
                "retry-budget",
            ],
        ),
    ] {
        let scenario = catalogue::CATALOGUE.iter().find(|it| it.slug == slug);
        let scenario = Scenario::from_json(scenario.unwrap().json).unwrap();
        let setup = scenario.lower().unwrap();
        let start = Simulation::new(setup.clone().into()).snapshot();
        let target = Target::default();
        let terms: Vec<(&str, Terms)> = Control::all()
            .filter(|_| scenario.vocabulary() != Profile::Free)
            .map(|(group, control)| {
                let terms = control.terms(group, &scenario, &setup, &start, &target);
                (control.id, terms)
            })
            .collect();
        let of = |id: &str| terms.iter().find(|(of, _)| *of == id).map(|(_, it)| it);
        let shown = Control::headline(&scenario, &start, &target, of);
        let shown: Vec<&str> = shown.iter().map(|(_, control)| control.id).collect();
        assert_eq!(shown, ids, "{slug}");
    }
}

#[test]
fn every_setting_has_one_id_a_label_an_explanation_and_stops() {
    let mut ids: Vec<&str> = Control::all().map(|(_, control)| control.id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    for (_, control) in Control::all() {
        assert!(
            control.help.ends_with('.') && control.stops.len() >= 2,
            "{}",
            control.id
        );
        let mut texts: Vec<String> = (0..control.stops.len())
            .map(|i| control.stop_text(i))
            .collect();
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", control.id);
        texts.dedup();
        assert_eq!(
            texts.len(),
            control.stops.len(),
            "{}: two stops read alike",
            control.id
        );
    }
}

#[test]
fn a_stop_that_is_set_is_the_stop_that_is_read() {
    for (name, fixture) in [
        ("fifo", fixtures::fifo()),
        ("charged_twice", fixtures::charged_twice()),
    ] {
        let target = Target::default();
        for (_, control) in Control::all() {
            let before = control.reading(&fixture.snapshot, &target);
            if before.is_some_and(|reading| reading.idle.is_some()) {
                continue;
            }
            for index in 0..control.stops.len() {
                let Some(command) = control.command(&fixture.snapshot, &target, index) else {
                    continue;
                };
                let after = applied(&fixture.snapshot, &command);
                let reading = control.reading(&after, &target).unwrap();
                let found = reading.text;
                assert_eq!(found, control.stop_text(index), "{name}: {}", control.id);
            }
        }
    }
}

#[test]
fn a_value_between_stops_reads_exactly_and_selects_the_nearest() {
    let mut fixture = fixtures::charged_twice();
    fixture.snapshot.queues[0].setup.visibility_timeout = Micros::from_millis(7_100);
    let (_, control) = Control::find("visibility-timeout").unwrap();
    let reading = control
        .reading(&fixture.snapshot, &Target::default())
        .unwrap();
    assert_eq!(
        (
            reading.text.as_str(),
            control.stop_text(reading.index).as_str()
        ),
        ("7.1\u{a0}s", "8\u{a0}s")
    );
}

#[test]
fn consumers_that_differ_are_all_named() {
    let fixture = fixtures::charged_twice();
    let (_, control) = Control::find("work").unwrap();
    let reading = control
        .reading(&fixture.snapshot, &Target::default())
        .unwrap();
    assert_eq!(reading.text, "1\u{a0}s / 4.5\u{a0}s");
}

#[test]
fn a_setting_without_effect_says_why() {
    let fixture = fixtures::fifo();
    let (_, control) = Control::find("stale-ack").unwrap();
    let reading = control
        .reading(&fixture.snapshot, &Target::default())
        .unwrap();
    assert_eq!(reading.idle, Some("standard queues only"));
}

#[test]
fn every_rule_has_a_control_that_sets_what_it_reads() {
    let mut snapshot = fixtures::charged_twice().snapshot;
    let target = Target::default();
    let (_, pause) = Control::find("retry-delay").unwrap();
    snapshot = applied(&snapshot, &pause.command(&snapshot, &target, 0).unwrap());
    let all = || rules::USUAL.iter().chain(rules::RARE);
    for control in all() {
        for index in 0..control.stops.len() {
            let Some(command) = control.command(&snapshot, &target, index) else {
                assert_eq!(control.id, "retry-delay-max");
                continue;
            };
            let reading = control.reading(&applied(&snapshot, &command), &target);
            assert_eq!(
                reading.unwrap().text,
                control.stop_text(index),
                "{}",
                control.id
            );
        }
    }
    let ids: Vec<String> = all().map(|control| control.id.replace('-', "_")).collect();
    for name in crate::engine::rules::Rules::NAMES {
        assert!(ids.iter().any(|id| id == name), "{name} has no control");
    }
}

#[test]
fn a_broker_names_bounds_and_locks_settings_with_its_reason() {
    use crate::scenario::{Profile, Scenario};
    let json = crate::scenario::catalogue::find("charged-twice")
        .unwrap()
        .json;
    let scenario = Scenario::from_json(json).unwrap();
    let terms = |profile: Profile, id: &str| {
        let scenario = profile.apply(&scenario).unwrap().scenario;
        let setup = scenario.lower().unwrap();
        let snapshot = crate::session::Session::new(setup.clone().into()).snapshot();
        let (group, control) = Control::find(id).unwrap();
        let terms = control.terms(group, &scenario, &setup, &snapshot, &Target::default());
        let texts = terms
            .stops
            .iter()
            .map(|stop| control.stop_text(*stop).replace('\u{a0}', " "));
        (terms.term, terms.lock, texts.collect::<Vec<String>>())
    };
    let (term, lock, stops) = terms(Profile::SqsStandard, "visibility-timeout");
    assert_eq!((term, lock), (Some("VisibilityTimeout"), None));
    assert_eq!(
        (stops[0].as_str(), stops.last().unwrap().as_str()),
        ("0 s", "12 h")
    );
    let (_, _, delays) = terms(Profile::SqsStandard, "delay");
    assert_eq!(delays.last().unwrap(), "15 min");
    let (_, lock, _) = terms(Profile::RabbitClassic, "visibility-timeout");
    assert_eq!(lock, Some(Lock::Lacks("x-consumer-timeout")));
    let (_, lock, _) = terms(Profile::RabbitQuorum43, "hand-over");
    let sentence = lock.unwrap().sentence("RabbitMQ");
    assert!(
        sentence.starts_with("Fixed by RabbitMQ: ") && sentence.ends_with('.'),
        "{sentence}"
    );
    let (_, lock, places) = terms(Profile::RabbitQuorum43, "returns-to");
    assert_eq!(
        (lock, places),
        (
            None,
            vec!["to the tail".to_owned(), "to a returns queue".to_owned()]
        )
    );
    for profile in Profile::ALL {
        for (_, control) in Control::all() {
            let (_, lock, stops) = terms(profile, control.id);
            assert!(
                lock.is_some() || stops.len() > 1,
                "{profile:?}: {}",
                control.id
            );
        }
    }
}
