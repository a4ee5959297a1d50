//! JSON text to a value, within bounds.

use serde_json::Value;

use super::problem::{At, Problems};

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
        Ok(value) => Some(value),
        Err(error) => {
            problems.push(At::Root, format!("this is not JSON: {error}"), "");
            None
        }
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
    fn deep_nesting_is_refused_before_it_is_parsed() {
        let mut problems = Problems::default();
        assert_eq!(parse(&"[".repeat(LARGEST_FILE), &mut problems), None);
        assert!(problems.into_list()[0].message.contains("nested"));
    }
}
