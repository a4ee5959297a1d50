//! One field of a scenario, by its path: `queues.orders.visibility_timeout`.

use serde_json::{Map, Value};

use super::Scenario;
use super::edit::clear_alternatives;
use super::field::one_field;
use super::problem::{Problem, did_you_mean, shown};
use super::view::View;

impl Scenario {
    /// The scenario with one field set. Its `path` goes through the fields of the file; items of a list are called by
    /// name (`queues.orders`), by position (`queues[0]`), or all together (`consumers.*`). Null restores a default.
    /// What the file expects of its own settings is left out.
    ///
    /// # Errors
    /// The path leads nowhere, or the scenario would not be a valid one.
    pub fn with_field(&self, path: &str, value: &Value) -> Result<Self, Vec<Problem>> {
        let plain = Self {
            variants: Vec::new(),
            alerts: Vec::new(),
            expect: Vec::new(),
            view: View::default(),
            ..self.clone()
        };
        let mut file = plain.write();
        set(&mut file, path, value).map_err(|(message, hint)| {
            vec![Problem {
                path: shown(path),
                message,
                hint,
            }]
        })?;
        Self::from_json(&file.to_string())
    }
}

/// Sets what `path` leads to from `value` on; else what is wrong, and what would be right.
fn set(value: &mut Value, path: &str, new: &Value) -> Result<(), (String, String)> {
    match value {
        Value::Object(object) => {
            let end = path.find(['.', '[']).unwrap_or(path.len());
            let (name, rest) = path.split_at(end);
            if name.is_empty() {
                return Err((
                    "a name is missing in it".into(),
                    "use names with dots between".into(),
                ));
            }
            if rest.is_empty() {
                clear_alternatives(object, &one_field(name, new.clone()));
                match new {
                    Value::Null => object.remove(name),
                    _ => object.insert(name.into(), new.clone()),
                };
                return Ok(());
            }
            // A field at its default is not written. Reading the result tells whether there is one of this name.
            if !object.contains_key(name) {
                let empty = Value::Object(Map::new());
                clear_alternatives(object, &one_field(name, empty.clone()));
                object.insert(name.into(), empty);
            }
            let inner = object.entry(name).or_insert(Value::Null);
            set(inner, rest.strip_prefix('.').unwrap_or(rest), new)
        }
        Value::Array(items) => set_in_list(items, path, new),
        other => Err((
            format!("{} has no fields", shown(&other.to_string())),
            format!("leave out .{}", shown(path)),
        )),
    }
}

fn set_in_list(items: &mut [Value], path: &str, new: &Value) -> Result<(), (String, String)> {
    fn name_of(item: &Value) -> Option<&str> {
        item.get("name")?.as_str()
    }
    /// The rest of `path` after `first`, if it begins with that.
    fn after<'a>(path: &'a str, first: &str) -> Option<&'a str> {
        let rest = path.strip_prefix(first)?;
        rest.strip_prefix('.').filter(|rest| !rest.is_empty())
    }
    if let Some(rest) = after(path, "*") {
        return items.iter_mut().try_for_each(|item| set(item, rest, new));
    }
    if let Some((index, rest)) = path.strip_prefix('[').and_then(|path| path.split_once(']')) {
        let item = index
            .parse()
            .ok()
            .and_then(|index: usize| items.get_mut(index));
        return match (item, rest.strip_prefix('.')) {
            (Some(item), Some(rest)) => set(item, rest, new),
            _ => Err((
                format!("there is no [{}]", shown(index)),
                "use a position, from 0 on, and a field".into(),
            )),
        };
    }
    // Names may have dots, so the longest one that fits is meant.
    let named = items.iter().enumerate().filter_map(|(index, item)| {
        let name = name_of(item)?;
        Some((name.len(), index, after(path, name)?))
    });
    if let Some((_, index, rest)) = named.max_by_key(|(length, index, _)| (*length, *index)) {
        return items
            .get_mut(index)
            .map_or(Ok(()), |item| set(item, rest, new));
    }
    let first = path.split('.').next().unwrap_or(path);
    let names: Vec<&str> = items.iter().filter_map(name_of).collect();
    let hint = if names.contains(&first) {
        "add the field to set".into()
    } else {
        did_you_mean(first, names.iter().copied())
            .unwrap_or_else(|| format!("there is {}, or * for all", names.join(", ")))
    };
    Err((format!("there is no \"{}\" to set", shown(path)), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario() -> Scenario {
        let text = r#"{"version":1,"duration":"10s",
            "queues":[{"name":"orders","visibility_timeout":"3s"},{"name":"orders.dead"}],
            "producers":[{"name":"p","to":"orders","every":"1s"}],
            "consumers":[{"name":"a","from":"orders"},{"name":"b","from":"orders","processing":"2s"}],
            "expect":[{"metric":"deliveries","is":4}]}"#;
        Scenario::from_json(text).expect("it is right")
    }

    fn problem(path: &str, value: Value) -> String {
        let problems = scenario()
            .with_field(path, &value)
            .expect_err("it is wrong");
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        lines.join("\n")
    }

    #[test]
    fn a_field_is_set_by_name_by_position_and_for_all() {
        let by_name = scenario().with_field("queues.orders.visibility_timeout", &"6s".into());
        let by_position = scenario().with_field("queues[0].visibility_timeout", &"6s".into());
        let lowered = by_name
            .clone()
            .map(|it| it.lower().map(|it| it.queues[0].clone()));
        assert_eq!(
            lowered.unwrap().unwrap().visibility_timeout,
            crate::engine::Micros::from_secs(6)
        );
        assert_eq!(by_name, by_position);
        assert!(by_name.unwrap().expect.is_empty());
        let all = scenario()
            .with_field("consumers.*.prefetch", &4.into())
            .unwrap();
        let setup = all.lower().unwrap();
        assert!(
            setup
                .consumers
                .iter()
                .all(|consumer| consumer.prefetch == 4)
        );
        let dotted = scenario()
            .with_field("queues.orders.dead.delay", &"1s".into())
            .unwrap();
        assert_eq!(
            dotted.lower().unwrap().queues[1].delay,
            crate::engine::Micros::from_secs(1)
        );
    }

    #[test]
    fn fields_within_a_field_can_be_set_where_they_stood_at_their_default() {
        let set = scenario().with_field("consumers.a.failures.chance", &0.5.into());
        let whole =
            scenario().with_field("consumers.a.failures", &serde_json::json!({"chance": 0.5}));
        assert_eq!(set.unwrap(), whole.unwrap());
        let poisson = scenario()
            .with_field("producers.p.poisson.mean", &"2s".into())
            .unwrap();
        assert!(poisson.lower().is_ok(), "the other pattern is taken away");
    }

    #[test]
    fn a_path_that_leads_nowhere_says_what_would() {
        assert_eq!(
            problem("queues.order.delay", "1s".into()),
            "queues.order.delay: there is no \"order.delay\" to set; did you mean \"orders\"?"
        );
        assert_eq!(
            problem("queues.orders", "1s".into()),
            "queues.orders: there is no \"orders\" to set; add the field to set"
        );
        assert!(problem("queues[7].delay", "1s".into()).contains("there is no [7]"));
        assert!(
            problem("queues.orders.visibility_timout", "1s".into()).contains("visibility_timeout")
        );
        assert!(
            problem("queues.orders.visibility_timeout", 5.into())
                .contains("use a number with a unit")
        );
        assert!(problem("consumers.b.processing.x", 1.into()).contains("has no fields"));
        assert!(!problem("..", 1.into()).is_empty() && !problem("", 1.into()).is_empty());
    }
}
