//! Files that were made from a good one by random damage.

use proptest::prelude::*;
use queue_playground::engine::Micros;
use queue_playground::scenario::{BoundedRun, Scenario};
use serde_json::{Value, json};

use super::files_of::EVERY_FIELD;

/// Values that have broken programs before.
fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!(0)),
        Just(json!(-1)),
        Just(json!(1)),
        Just(json!(1e308)),
        Just(json!(4_294_967_296_u64)),
        Just(json!(u64::MAX)),
        Just(json!(0.5)),
        Just(json!("")),
        Just(json!("0s")),
        Just(json!("1us")),
        Just(json!("1s")),
        Just(json!("3650d")),
        Just(json!("in")),
        Just(json!("dead")),
        Just(json!("fifo")),
        Just(json!("none")),
        Just(json!("a\u{0}\u{202e}")),
        Just(json!([])),
        Just(json!({})),
        Just(json!(true)),
        "[a-z0-9_.]{0,8}".prop_map(Value::from),
    ]
}

/// Puts `new` in place of the value number `index` of those below `value`.
fn damage(value: &mut Value, index: &mut usize, new: &Value) -> bool {
    let children: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(object) => object.values_mut().collect(),
        _ => return false,
    };
    for child in children {
        if *index == 0 {
            *child = new.clone();
            return true;
        }
        *index -= 1;
        if damage(child, index, new) {
            return true;
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_is_refused_or_runs_within_bounds(
        hits in prop::collection::vec((0_usize..350, any_value()), 1..4)
    ) {
        let mut value: Value = serde_json::from_str(EVERY_FIELD).unwrap();
        for (index, new) in hits {
            damage(&mut value, &mut index.clone(), &new);
        }
        match Scenario::from_json(&value.to_string()) {
            Err(problems) => prop_assert!(!problems.is_empty()),
            Ok(scenario) => {
                let text = scenario.to_json();
                prop_assert_eq!(&Scenario::from_json(&text).unwrap().to_json(), &text);
                let link = scenario.to_link().unwrap();
                prop_assert_eq!(&Scenario::from_link(&link).unwrap().to_json(), &text);
                let mut run = BoundedRun::new(scenario.lower().unwrap(), 2_000);
                run.advance(Micros::from_secs(60), |_| true);
            }
        }
    }

    #[test]
    fn text_cut_or_changed_anywhere_never_panics(
        at in 0_usize..6_000, length in 0_usize..40, with in "[\\[\\]{}\",:0-9a-z\u{202e}]{0,6}"
    ) {
        let mut text = EVERY_FIELD.to_string();
        let mut start = at.min(text.len());
        while !text.is_char_boundary(start) { start -= 1; }
        let mut end = (start + length).min(text.len());
        while !text.is_char_boundary(end) { end -= 1; }
        text.replace_range(start..end.max(start), &with);
        let _ = Scenario::from_json(&text);
    }
}

#[test]
fn a_claim_that_there_is_no_value_is_written_as_it_was_read() {
    let text = r#"{ "version": 1, "duration": "1s", "queues": [{ "name": "q" }], "expect": [{ "metric": "receive_count", "is": null }] }"#;
    let written = Scenario::from_json(text).unwrap().to_json();
    assert!(written.contains("\"is\": null"), "{written}");
    assert_eq!(Scenario::from_json(&written).unwrap().to_json(), written);
}
