//! JSON as a person would write it: fields in the order of the format, short objects on one line.

use serde_json::{Map, Value};

use super::claims::ClaimFile;
use super::file::{Burst, Consumer, Poisson, Producer, Queue, Scenario, Send};
use super::variant::Variant;
use super::view::View;
use crate::engine::order::positions_in_order;

/// Longest line that is not broken.
const WIDTH: usize = 110;

/// The fields of the format, in the order in which they are written. A name's first place counts everywhere.
fn order() -> Vec<&'static str> {
    let lists = [
        Scenario::FIELDS,
        &["metric", "message"],
        &["queue", "consumer", "consumers", "producer"],
        Queue::FIELDS,
        Producer::FIELDS,
        Send::FIELDS,
        Burst::FIELDS,
        Poisson::FIELDS,
        Consumer::FIELDS,
        View::FIELDS,
        ClaimFile::FIELDS,
        Variant::FIELDS,
    ];
    lists.concat()
}

/// Prints a scenario's JSON.
pub fn pretty(value: &Value) -> String {
    pretty_in_order(value, &order())
}

/// Prints JSON with the fields of `order` first, in that order, others after them by name.
pub fn pretty_in_order(value: &Value, order: &[&str]) -> String {
    let mut printer = Printer {
        order,
        text: String::new(),
    };
    printer.value(value, 0, 0);
    printer.text.push('\n');
    printer.text
}

struct Printer<'a> {
    order: &'a [&'a str],
    text: String,
}

impl Printer<'_> {
    /// Prints `value` at this indentation; `before` is what else stands on its line. The whole is always broken.
    fn value(&mut self, value: &Value, indent: usize, before: usize) {
        if indent > 0 && is_simple(value, 3) {
            let line = self.one_line(value);
            if indent + before + line.len() <= WIDTH {
                self.text.push_str(&line);
                return;
            }
        }
        match value {
            Value::Array(items) if !items.is_empty() => {
                self.list('[', ']', indent, items.iter().map(|item| (None, item)));
            }
            Value::Object(object) if !object.is_empty() => {
                let fields = self.fields(object);
                let fields = fields.into_iter().map(|(name, value)| (Some(name), value));
                self.list('{', '}', indent, fields);
            }
            _ => self.text.push_str(&value.to_string()),
        }
    }

    fn list<'v>(
        &mut self,
        open: char,
        close: char,
        indent: usize,
        items: impl Iterator<Item = (Option<&'v str>, &'v Value)>,
    ) {
        self.text.push(open);
        for (index, (name, item)) in items.enumerate() {
            self.text.push_str(if index == 0 { "\n" } else { ",\n" });
            self.text.push_str(&" ".repeat(indent + 2));
            let name = name
                .map(|name| format!("{}: ", Value::from(name)))
                .unwrap_or_default();
            self.text.push_str(&name);
            self.value(item, indent + 2, name.len() + 1);
        }
        self.text.push('\n');
        self.text.push_str(&" ".repeat(indent));
        self.text.push(close);
    }

    fn one_line(&self, value: &Value) -> String {
        match value {
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.one_line(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(object) if object.is_empty() => "{}".into(),
            Value::Object(object) => {
                let fields: Vec<String> = self
                    .fields(object)
                    .into_iter()
                    .map(|(name, value)| format!("{}: {}", Value::from(name), self.one_line(value)))
                    .collect();
                format!("{{ {} }}", fields.join(", "))
            }
            _ => value.to_string(),
        }
    }

    fn fields<'v>(&self, object: &'v Map<String, Value>) -> Vec<(&'v str, &'v Value)> {
        let place = |name: &str| {
            let known = self.order.iter().position(|known| *known == name);
            known.unwrap_or(usize::MAX) as u64
        };
        let fields: Vec<(&str, &Value)> = object
            .iter()
            .map(|(name, value)| (name.as_str(), value))
            .collect();
        let order = positions_in_order(fields.iter().map(|(name, _)| (place(name), 0)));
        let fields = order.into_iter().filter_map(|at| fields.get(at).copied());
        fields.collect()
    }
}

/// Whether a value may be short enough for one line: bounds the work of finding out.
fn is_simple(value: &Value, depth: usize) -> bool {
    let few = |count: usize| count <= WIDTH / 3 && depth > 0;
    match value {
        Value::Array(items) => {
            few(items.len()) && items.iter().all(|item| is_simple(item, depth - 1))
        }
        Value::Object(object) => {
            few(object.len()) && object.values().all(|item| is_simple(item, depth - 1))
        }
        Value::String(text) => text.len() <= WIDTH,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_objects_stand_on_one_line_and_fields_in_the_order_of_the_format() {
        let text = r#"{"queues":[{"visibility_timeout":"5s","name":"orders"},{"name":"dead"}],"version":1,
            "commands":[{"at":"1s","set":{"prefetch":8,"consumer":"a consumer of rather a long name for one line"}},
                        {"crash":"a consumer of rather a long name for one line","at":"2s"}]}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(
            pretty(&value),
            r#"{
  "version": 1,
  "queues": [{ "name": "orders", "visibility_timeout": "5s" }, { "name": "dead" }],
  "commands": [
    { "at": "1s", "set": { "consumer": "a consumer of rather a long name for one line", "prefetch": 8 } },
    { "at": "2s", "crash": "a consumer of rather a long name for one line" }
  ]
}
"#
        );
    }

    #[test]
    fn what_is_printed_is_the_same_value() {
        for shipped in crate::scenario::catalogue::CATALOGUE {
            let value: Value = serde_json::from_str(shipped.json).unwrap();
            let printed: Value = serde_json::from_str(&pretty(&value)).unwrap();
            assert_eq!(printed, value);
        }
    }
}
