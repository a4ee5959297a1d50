//! What a sweep found, as a table for people and as text for spreadsheets.

use crate::engine::Micros;
use crate::session::{Measure, Outcome, Spread, Unit};

use super::format;

/// A value in a file: seconds for spans, a second for rates.
pub fn number(measure: Measure, value: u64) -> String {
    match measure.unit() {
        Unit::Count => value.to_string(),
        Unit::Span => Micros(value).to_string(),
        // The thousandths of a rate are written as the millionths of a second would be.
        Unit::Rate => Micros(value.saturating_mul(1_000)).to_string(),
    }
}

/// The name of a measure's column: `latency_p95_s`.
fn column(measure: Measure) -> String {
    let unit = match measure.unit() {
        Unit::Count => "",
        Unit::Span => "_s",
        Unit::Rate => "_per_s",
    };
    format!("{}{unit}", measure.id())
}

/// All that a sweep found, as comma-separated values: a line a value of the setting, of every measure the median, the
/// lowest and the highest over the seeds. Times are in seconds, rates a second; what has no value is empty.
pub fn csv<'a>(setting: &str, points: impl Iterator<Item = (String, &'a Outcome)>) -> String {
    let mut text = format!("{},runs,unfinished", quoted(setting));
    for measure in Measure::ALL {
        let name = column(measure);
        text.push_str(&format!(",{name},{name}_lowest,{name}_highest"));
    }
    text.push('\n');
    for (value, outcome) in points {
        text.push_str(&quoted(&value));
        text.push_str(&format!(",{},{}", outcome.runs, outcome.unfinished));
        for measure in Measure::ALL {
            let spread = outcome.spread(measure);
            let cell = |of: fn(Spread) -> u64| {
                spread.map_or_else(String::new, |spread| number(measure, of(spread)))
            };
            let cells = [
                cell(|it| it.median),
                cell(|it| it.lowest),
                cell(|it| it.highest),
            ];
            text.push(',');
            text.push_str(&cells.join(","));
        }
        text.push('\n');
    }
    text
}

/// A cell that is read back as it is.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// How a spread reads: "3", or "3 (1 to 9)" where seeds differ.
pub fn spread(measure: Measure, spread: Option<Spread>) -> String {
    let value = |value: u64| super::difference::value(measure, Some(value));
    match spread {
        None => "–".to_owned(),
        Some(it) if it.lowest == it.highest => value(it.median),
        Some(it) => format!(
            "{} ({} to {})",
            value(it.median),
            value(it.lowest),
            value(it.highest)
        ),
    }
}

/// How much a sweep has to do, before it begins: "about 1.2 M events, some seconds". `per_second` is how many events
/// are done in a second.
pub fn effort(events: u64, per_second: u64) -> String {
    let seconds = events / per_second.max(1);
    let time = match seconds {
        0 => "less than a second".to_owned(),
        1..10 => "some seconds".to_owned(),
        10..90 => format!("about {} s", seconds.div_ceil(10) * 10),
        _ => format!("about {} min", seconds.div_ceil(60)),
    };
    let step = match events {
        0..100 => 1,
        100..10_000 => 100,
        _ => 1_000,
    };
    let about = (events + step / 2) / step * step;
    format!("About {} events, {time}", format::count(about))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(median: u64) -> Outcome {
        let mut spreads = [None; Measure::ALL.len()];
        spreads[Measure::DuplicateEffects as usize] = Some(Spread {
            lowest: 0,
            median,
            highest: 9,
        });
        spreads[Measure::LatencyP95 as usize] = Some(Spread {
            lowest: 1_500_000,
            median: 1_500_000,
            highest: 1_500_000,
        });
        spreads[Measure::Throughput as usize] = Some(Spread {
            lowest: 500,
            median: 1_250,
            highest: 2_000,
        });
        Outcome {
            runs: 20,
            unfinished: 1,
            events: 1_000,
            spreads,
        }
    }

    #[test]
    fn csv_has_a_line_a_value_in_seconds_and_per_second_with_empty_cells_for_no_value() {
        let outcome = outcome(3);
        let text = csv("a,b", [("6s".to_owned(), &outcome)].into_iter());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0]
                .starts_with("\"a,b\",runs,unfinished,duplicate_effects,duplicate_effects_lowest")
        );
        assert!(lines[1].starts_with("6s,20,1,3,0,9,"));
        let columns: Vec<&str> = lines[0].split(',').skip(2).collect();
        let cells: Vec<&str> = lines[1].split(',').skip(1).collect();
        assert_eq!(columns.len(), cells.len());
        let cell = |name: &str| {
            let place = columns.iter().position(|column| *column == name).unwrap();
            cells[place]
        };
        assert_eq!(cell("latency_p95_s"), "1.5");
        assert_eq!(cell("throughput_per_s"), "1.25");
        assert_eq!(cell("lost"), "");
    }

    #[test]
    fn a_spread_is_told_only_where_seeds_differ() {
        let plain = |measure| spread(measure, outcome(3).spread(measure)).replace('\u{a0}', " ");
        assert_eq!(plain(Measure::DuplicateEffects), "3 (0 to 9)");
        assert_eq!(plain(Measure::LatencyP95), "1.5 s");
        assert_eq!(plain(Measure::Lost), "–");
    }

    #[test]
    fn effort_is_told_in_round_numbers() {
        let plain = |events| effort(events, 500_000).replace('\u{a0}', " ");
        assert_eq!(plain(42), "About 42 events, less than a second");
        assert_eq!(plain(1_234_567), "About 1.2 M events, some seconds");
        assert_eq!(plain(21_000_000), "About 21 M events, about 50 s");
        assert_eq!(plain(100_000_000), "About 100 M events, about 4 min");
    }
}
