//! Durations in files: `"30s"`, `"250ms"`, `"5min"`, `"1.5h"`, `"12us"`.

use serde_json::Value;

use super::field::{Field, refuse};
use super::problem::{At, Problems};
use crate::engine::Micros;

/// Longest time in a file: ten years.
pub const LONGEST: Micros = Micros::from_secs(3650 * 86_400);

/// Units and their length in microseconds, the longest first.
const UNITS: [(&str, u64); 7] = [
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("min", 60_000_000),
    ("ms", 1_000),
    ("us", 1),
    ("µs", 1),
    ("s", 1_000_000),
];

const HINT: &str = "use a number with a unit, such as \"30s\", \"250ms\", \"5min\" or \"1h\"";

/// Reads a duration; none if it is not one, negative, finer than a microsecond or longer than the longest allowed.
pub fn parse(text: &str) -> Option<Micros> {
    let text = text.trim();
    let (number, unit) = UNITS
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?.trim_end(), *unit)))?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || number.ends_with('.') {
        return None;
    }
    let mut micros = whole.parse::<u128>().ok()? * u128::from(unit);
    if !part.is_empty() {
        let scaled = part.parse::<u128>().ok()? * u128::from(unit);
        let denominator = 10_u128.pow(u32::try_from(part.len()).ok()?);
        if !scaled.is_multiple_of(denominator) {
            return None;
        }
        micros += scaled / denominator;
    }
    let micros = Micros(u64::try_from(micros).ok()?);
    (micros <= LONGEST).then_some(micros)
}

/// Writes a duration in the unit that a person would choose.
pub fn format(micros: Micros) -> String {
    let value = micros.0;
    match value {
        0 => "0s".into(),
        _ if value.is_multiple_of(86_400_000_000) => format!("{}d", value / 86_400_000_000),
        _ if value.is_multiple_of(3_600_000_000) => format!("{}h", value / 3_600_000_000),
        _ if value.is_multiple_of(60_000_000) && value > 60_000_000 => {
            format!("{}min", value / 60_000_000)
        }
        1_000_000.. => format!("{micros}s"),
        _ if value.is_multiple_of(1_000) => format!("{}ms", value / 1_000),
        _ => format!("{value}us"),
    }
}

impl Field for Micros {
    const ABSENT: &'static [&'static str] = &["none", "unlimited"];

    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        match value.as_str().and_then(parse) {
            Some(micros) => Some(micros),
            None if value.is_string() => refuse(
                value,
                at,
                problems,
                format!("{HINT}, from 0s to {}", format(LONGEST)),
            ),
            None => refuse(value, at, problems, HINT),
        }
    }
    fn write(&self) -> Value {
        Value::from(format(*self))
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl schemars::JsonSchema for Micros {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A time with its unit: 30s, 250ms, 5min, 1h, 4d, 12us.",
            "pattern": "^[0-9]+(\\.[0-9]+)?(d|h|min|s|ms|us|µs)$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_every_unit() {
        for (text, micros) in [
            ("0s", 0),
            ("30s", 30_000_000),
            ("250ms", 250_000),
            ("5min", 300_000_000),
            ("1h", 3_600_000_000),
            ("1.5h", 5_400_000_000),
            ("12us", 12),
            ("12µs", 12),
            ("4d", 345_600_000_000),
            ("0.000001s", 1),
        ] {
            assert_eq!(parse(text), Some(Micros(micros)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "",
            "s",
            "30",
            "-1s",
            "+1s",
            "1e308s",
            "NaNs",
            "infs",
            "1.s",
            ".5s",
            "1.2.3s",
            "0.0000001s",
            "99999999d",
            "999999999999999999999999s",
            "1,5s",
            "٣s",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_written_as_a_person_would() {
        for text in [
            "0s", "30s", "4.5s", "250ms", "5min", "1h", "4d", "12us", "90s",
        ] {
            let written = format(parse(text).unwrap());
            assert_eq!(parse(&written), parse(text));
            if text != "90s" {
                assert_eq!(written, text);
            }
        }
    }
}
