//! JSON text to a value, within bounds.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::problem::{At, Problems, shown};

/// Largest file, in bytes.
pub const LARGEST_FILE: usize = 1024 * 1024;
/// Deepest nesting of lists and objects.
pub const DEEPEST: usize = 32;

/// Parses `text`; none when it is too large, nested too deeply or no JSON.
pub fn parse(text: &str, problems: &mut Problems) -> Option<Value> {
    if text.len() > LARGEST_FILE {
        problems.push(
            At::Root,
            format!("the file has {} bytes", text.len()),
            "use 1 MiB at most",
        );
        return None;
    }
    if depth(text) > DEEPEST {
        problems.push(
            At::Root,
            format!("lists and objects are nested more than {DEEPEST} deep"),
            "a scenario needs 8",
        );
        return None;
    }
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Strict(value)) => Some(value),
        Err(error) => {
            problems.push(At::Root, format!("this cannot be read: {error}"), "");
            None
        }
    }
}

/// A JSON value in which no object has a field twice: one of them would be lost without a word.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Strict(value))) = fields.next_entry::<String, _>()? {
            if object.contains_key(&name) {
                let message = format!("the field \"{}\" is given twice", shown(&name));
                return Err(serde::de::Error::custom(message));
            }
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

/// How deep brackets are nested, those in strings left out.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_do_not_count_as_nesting() {
        assert_eq!(depth(r#"{"a": "[[[[\"[[", "b": [1]}"#), 2);
    }

    #[test]
    fn a_field_given_twice_is_refused_with_its_place() {
        let mut problems = Problems::default();
        assert_eq!(parse("{\"a\": 1,\n \"a\": 2}", &mut problems), None);
        assert_eq!(
            problems.into_list()[0].to_string(),
            "this cannot be read: the field \"a\" is given twice at line 2 column 8"
        );
    }

    #[test]
    fn deep_nesting_is_refused_before_it_is_parsed() {
        let mut problems = Problems::default();
        assert_eq!(parse(&"[".repeat(LARGEST_FILE), &mut problems), None);
        assert!(problems.into_list()[0].message.contains("nested"));
    }
}
