//! The queues of a case: fields of a scenario file, under the profile that the case names.

use super::book::Case;
use queue_playground::engine::command::{Command, QueueChange};
use queue_playground::engine::rules::Rules;
use queue_playground::engine::setup::{QueueSetup, Setup};
use queue_playground::scenario::Scenario;
use serde_json::{Map, Value, json};

fn lower(scenario: &Value) -> Result<Setup, String> {
    let read = Scenario::from_json(&scenario.to_string());
    read.and_then(|scenario| scenario.lower())
        .map_err(|problems| format!("{problems:?}"))
}

fn profile_of<'a>(case: &'a Case, queue: &'a Value) -> &'a str {
    let own = queue["behaves_like"].as_str().or(case.text("behaves_like"));
    own.unwrap_or("free")
}

/// Fields of a queue in a case that are not fields of a queue in a file.
const OURS: [&str; 2] = ["behaves_like", "scaled"];

/// A scenario of the case's queues under one profile; queues of another profile are there by name only.
fn scenario(case: &Case, profile: &str) -> Value {
    let given = case.0["queues"].as_object().into_iter().flatten();
    let queues = given.map(|(name, settings)| {
        let mut queue = Map::new();
        queue.insert("name".into(), name.as_str().into());
        if profile_of(case, settings) == profile {
            let own = settings.as_object().into_iter().flatten();
            let own = own.filter(|(field, _)| !OURS.contains(&field.as_str()));
            queue.extend(own.map(|(field, value)| (field.clone(), value.clone())));
        }
        Value::Object(queue)
    });
    json!({ "version": 1, "behaves_like": profile, "queues": queues.collect::<Vec<_>>() })
}

/// Gives a queue rules that its broker has with larger figures only.
fn scale_down(queue: &mut QueueSetup, scaled: &Value) -> Result<(), String> {
    let mut small = scaled.clone();
    small["name"] = "small".into();
    let setup = lower(&json!({ "version": 1, "queues": [small] }))?;
    for field in scaled
        .as_object()
        .into_iter()
        .flat_map(|scaled| scaled.keys())
    {
        let rule = setup.queues[0].rules.get(field);
        queue
            .rules
            .set(rule.ok_or_else(|| format!("{field} is no rule"))?);
    }
    Ok(())
}

/// The queues of a case.
pub fn queues(case: &Case) -> Result<Vec<QueueSetup>, String> {
    let given = case.0["queues"].as_object().into_iter().flatten();
    given
        .enumerate()
        .map(|(at, (_, settings))| {
            let setup = lower(&scenario(case, profile_of(case, settings)))?;
            let mut queue = setup.queues.get(at).cloned().ok_or("is no queue")?;
            if settings["scaled"].is_object() {
                scale_down(&mut queue, &settings["scaled"])?;
            }
            Ok(queue)
        })
        .collect()
}

/// The change of a queue's settings that a case asks for.
pub fn change(case: &Case, queue: &str, set: &Value) -> Result<QueueChange, String> {
    let mut scenario = scenario(case, profile_of(case, &case.0["queues"][queue]));
    let mut settings = set.as_object().cloned().unwrap_or_default();
    settings.insert("queue".into(), queue.into());
    scenario["commands"] = json!([{ "at": "0s", "set": settings }]);
    let setup = lower(&scenario)?;
    match setup.commands.into_iter().next().map(|timed| timed.command) {
        Some(Command::SetQueue(_, change)) => Ok(change),
        _ => Err(format!("{set} changes no queue")),
    }
}

/// Whether a file of the case's broker with these queues and producers is accepted.
pub fn is_accepted(case: &Case, step: &Value) -> bool {
    let mut scenario =
        json!({ "version": 1, "behaves_like": case.text("behaves_like").unwrap_or("free") });
    for field in ["queues", "producers"] {
        if step[field].is_array() {
            scenario[field] = step[field].clone();
        }
    }
    lower(&scenario).is_ok()
}

/// The rules of a queue that leaves everything to a profile.
pub fn rules_of(profile: &str) -> Rules {
    let scenario = json!({ "version": 1, "behaves_like": profile, "queues": [{ "name": "q" }] });
    lower(&scenario).unwrap().queues[0].rules.clone()
}
