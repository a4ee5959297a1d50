//! Compares what a case expects with what came out.

use serde_json::{Map, Value, json};

/// What came out of each step of one run.
pub type Outcomes = Vec<Map<String, Value>>;

/// Fields of a step that say what must come out of it.
pub const EXPECTED: [&str; 18] = [
    "gives",
    "delivery",
    "redelivered",
    "answered_at",
    "first",
    "count",
    "cursor",
    "ready",
    "in_flight",
    "delayed",
    "total",
    "undeliverable",
    "archived",
    "acked",
    "dropped",
    "expired",
    "lost",
    "purged",
];

fn is_same(wanted: &Value, got: &Value) -> bool {
    match (wanted, got) {
        (Value::Number(wanted), Value::Number(got)) => wanted.as_f64() == got.as_f64(),
        // One value for a whole list.
        (Value::Number(_) | Value::Bool(_), Value::Array(got)) => {
            !got.is_empty() && got.iter().all(|got| is_same(wanted, got))
        }
        (Value::Array(wanted), Value::Array(got)) => {
            wanted.len() == got.len()
                && wanted
                    .iter()
                    .zip(got)
                    .all(|(one, other)| is_same(one, other))
        }
        _ => wanted == got,
    }
}

fn sorted(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    let mut items: Vec<String> = items.map(Value::to_string).collect();
    items.sort();
    items
}

fn holds(wanted: &Value, got: &Value) -> bool {
    if let Some(any_of) = wanted["any_of"].as_array() {
        return any_of.iter().any(|one| is_same(one, got));
    }
    if wanted["any_order"].is_array() {
        return got.is_array() && sorted(&wanted["any_order"]) == sorted(got);
    }
    is_same(wanted, got)
}

/// What is not as expected in the runs of a case, one a seed.
pub fn judge(steps: &[Value], runs: &[Outcomes]) -> Vec<String> {
    let mut problems = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        for what in EXPECTED {
            let wanted = &step[what];
            if wanted.is_null() {
                continue;
            }
            let none = Value::Null;
            let got = || runs.iter().map(|run| run[at].get(what).unwrap_or(&none));
            if let Some(got) = got().find(|got| !holds(wanted, got)) {
                problems.push(format!("{what} is {got} at {step}"));
            }
            // What is left to chance must be seen both ways.
            let choices = wanted["any_of"].as_array().filter(|_| runs.len() > 1);
            for one in choices.into_iter().flatten() {
                if !got().any(|got| is_same(one, got)) {
                    problems.push(format!("{what} is {one} with no seed at {step}"));
                }
            }
        }
    }
    problems
}

/// Other outcomes than a value: longer, shorter, in another order, by one off.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => {
            let mut longer = items.clone();
            longer.push(json!("?"));
            let mut others = vec![Value::Array(longer)];
            if !items.is_empty() {
                others.push(Value::Array(items[1..].to_vec()));
            }
            if let [first, .., last] = &items[..]
                && first != last
            {
                let mut swapped = items.clone();
                swapped.reverse();
                if swapped != *items {
                    others.push(Value::Array(swapped));
                }
            }
            others
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            vec![json!(number + 1.0), json!(number - 1.0)]
        }
        Value::Bool(is) => vec![json!(!is)],
        Value::String(text) => vec![json!(format!("{text}?")), json!("")],
        Value::Object(fields) if fields.contains_key("any_of") => {
            vec![json!({ "any_of": [["?"]] })]
        }
        Value::Object(fields) if fields.contains_key("any_order") => {
            let all = &value["any_order"];
            let others = others(all).into_iter();
            let others = others.filter(|other| sorted(other) != sorted(all));
            others.map(|other| json!({ "any_order": other })).collect()
        }
        Value::Object(fields) => {
            let mut more = fields.clone();
            more.insert("?".into(), json!(1));
            let mut others = vec![Value::Object(more)];
            if !fields.is_empty() {
                others.push(json!({}));
            }
            others
        }
        Value::Null => Vec::new(),
    }
}

/// Each expectation of a step with outcomes that it does not allow.
pub fn wrong_ways(step: &Value) -> Vec<(&'static str, Value)> {
    let ways = |what: &'static str| others(&step[what]).into_iter().map(move |it| (what, it));
    EXPECTED.into_iter().flat_map(ways).collect()
}
