use super::*;
use crate::present::fixtures;

#[test]
fn the_headline_controls_come_in_this_order() {
    let labels: Vec<&str> = Control::headline().map(|control| control.label).collect();
    assert_eq!(
        labels,
        ["Order", "Prefetch", "Visibility timeout", "Retry budget"]
    );
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
