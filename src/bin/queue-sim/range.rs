//! The values of a sweep.

use queue_playground::engine::Micros;
use queue_playground::scenario::{format_duration, parse_duration};
use queue_playground::session::Sweep;
use serde_json::Value;

/// The values that `--values`, or `--from`, `--to` and `--points` stand for.
pub fn values(
    list: Option<&str>,
    from: Option<&str>,
    to: Option<&str>,
    points: Option<u32>,
) -> Result<Vec<Value>, String> {
    match (list, from, to) {
        (Some(list), None, None) if points.is_none() => listed(list),
        (None, Some(from), Some(to)) => between(from, to, points.unwrap_or(20)),
        (Some(_), ..) => Err("--values: leave it out, or --from, --to and --points".into()),
        (None, None, None) => {
            Err("--values is missing; give 1s,2s,5s, or --from 1s --to 60s".into())
        }
        (None, Some(_), None) => Err("--to is missing; say where --from goes to".into()),
        (None, None, Some(_)) => Err("--from is missing; say where --to comes from".into()),
    }
}

fn listed(list: &str) -> Result<Vec<Value>, String> {
    // A value of several fields is JSON, whose commas are its own.
    let values: Vec<Value> = match serde_json::from_str(&format!("[{list}]")) {
        Ok(values) => values,
        Err(_) => list.split(',').map(|text| plain(text.trim())).collect(),
    };
    match values.len() {
        0 => Err("--values: there is none; give one or more, with commas between".into()),
        count if count > Sweep::MOST_POINTS => Err(format!(
            "--values: {count} are not allowed; give {} or fewer",
            Sweep::MOST_POINTS
        )),
        _ => Ok(values),
    }
}

/// A value as a file would have it: `6s` and `fifo` are text, `5`, `true` and `null` are themselves.
fn plain(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// The two ends, the lower one first.
fn upwards<'a>(from: &'a str, to: &'a str) -> (&'a str, &'a str) {
    let is_downwards = match (parse_duration(from), parse_duration(to)) {
        (Some(from), Some(to)) => from > to,
        _ => match (from.parse::<f64>(), to.parse::<f64>()) {
            (Ok(from), Ok(to)) => from > to,
            _ => false,
        },
    };
    if is_downwards { (to, from) } else { (from, to) }
}

/// So many values at equal distances from the lower end up, both ends included. Whole numbers stay whole, each once.
fn between(from: &str, to: &str, points: u32) -> Result<Vec<Value>, String> {
    let steps = u64::from(points.saturating_sub(1)).max(1);
    let (from, to) = upwards(from, to);
    let share = |from: i128, to: i128, step: u64| {
        from + ((to - from) * i128::from(step) * 2 + i128::from(steps))
            .div_euclid(i128::from(steps) * 2)
    };
    let all = |of: &dyn Fn(u64) -> Value| {
        let mut values: Vec<Value> = (0..u64::from(points)).map(of).collect();
        values.dedup();
        values
    };
    if let (Some(from), Some(to)) = (parse_duration(from), parse_duration(to)) {
        return Ok(all(&|step| {
            let time = share(from.0.into(), to.0.into(), step);
            format_duration(Micros(u64::try_from(time).unwrap_or(0))).into()
        }));
    }
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        return Ok(all(&|step| {
            let number = share(from.into(), to.into(), step);
            i64::try_from(number).unwrap_or(0).into()
        }));
    }
    match (from.parse::<f64>(), to.parse::<f64>()) {
        (Ok(from), Ok(to)) if from.is_finite() && to.is_finite() => Ok(all(&|step| {
            let number = from + (to - from) * step as f64 / steps as f64;
            ((number * 1e6).round() / 1e6).into()
        })),
        _ => Err(format!(
            "--from and --to: \"{from}\" and \"{to}\" are no range; use two times (1s, 60s) or two numbers (1, 10)"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_range_has_both_its_ends_and_equal_steps() {
        let range = |from, to, points| values(None, Some(from), Some(to), Some(points)).unwrap();
        assert_eq!(
            range("1s", "3s", 5),
            [
                json!("1s"),
                json!("1.5s"),
                json!("2s"),
                json!("2.5s"),
                json!("3s")
            ]
        );
        assert_eq!(
            range("1", "4", 20),
            [json!(1), json!(2), json!(3), json!(4)]
        );
        assert_eq!(range("0", "0.5", 3), [json!(0.0), json!(0.25), json!(0.5)]);
        assert_eq!(range("60s", "1s", 2), [json!("1s"), json!("60s")]);
        assert_eq!(range("4", "1", 2), [json!(1), json!(4)]);
        assert_eq!(range("2s", "9s", 1), [json!("2s")]);
    }
}
