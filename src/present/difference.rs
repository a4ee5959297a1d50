//! Two runs beside each other, in words: what each measure is called, how its values read, and which run does better.

use crate::engine::Micros;
use crate::session::{Better, Comparison, Difference, Measure, Unit};

use super::format;

/// One row of the table of differences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// What is measured.
    pub label: &'static str,
    /// What it means, in one line.
    pub help: &'static str,
    /// The values in the one run and in the other.
    pub values: [String; 2],
    /// The other run against this one: "2 fewer", "1.5 s longer", "same".
    pub difference: String,
    /// Which of the two does better.
    pub better: Better,
}

/// What a measure is called.
pub const fn label(measure: Measure) -> &'static str {
    match measure {
        Measure::DuplicateEffects => "Duplicate effects",
        Measure::DuplicateDeliveries => "Duplicate deliveries",
        Measure::DeadLettered => "Dead-lettered",
        Measure::Lost => "Lost",
        Measure::OutOfOrder => "Out of order",
        Measure::LatencyP50 => "Latency p50",
        Measure::LatencyP95 => "Latency p95",
        Measure::LatencyP99 => "Latency p99",
        Measure::Throughput => "Throughput",
        Measure::MaxBacklog => "Largest backlog",
        Measure::IdleTime => "Idle time",
    }
}

/// What a measure means, in one line.
pub const fn help(measure: Measure) -> &'static str {
    match measure {
        Measure::DuplicateEffects => "Effects after the first of a message.",
        Measure::DuplicateDeliveries => "Deliveries after the first of a message.",
        Measure::DeadLettered => "Moves to dead-letter queues.",
        Measure::Lost => {
            "Messages that are nowhere any more, never had their effect and were not discarded."
        }
        Measure::OutOfOrder => "Messages that took effect after a later one of their group.",
        Measure::LatencyP50 => {
            "From first send to first effect: half of the messages need no longer."
        }
        Measure::LatencyP95 => "From first send to first effect: 95 in 100 need no longer.",
        Measure::LatencyP99 => "From first send to first effect: 99 in 100 need no longer.",
        Measure::Throughput => "Messages done a second, each counted once.",
        Measure::MaxBacklog => "The most messages that were ready at once.",
        Measure::IdleTime => "Time in which consumers had nothing to do, summed over them.",
    }
}

/// How a value reads: "2", "4.5 s", "0.5 / s"; a dash for none.
pub fn value(measure: Measure, value: Option<u64>) -> String {
    let Some(value) = value else {
        return "–".to_owned();
    };
    match measure.unit() {
        Unit::Count => format::count(value),
        Unit::Span => format::span(rounded(Micros(value))),
        Unit::Rate => format::rate(value as f64 / 1_000.0),
    }
}

/// A value as far as its reading tells it.
fn as_shown(measure: Measure, value: u64) -> u64 {
    let step = match (measure.unit(), value) {
        (Unit::Span, _) => return rounded(Micros(value)).0,
        (Unit::Count, _) => return value,
        (Unit::Rate, 0..10_000) => 10,
        (Unit::Rate, 10_000..100_000) => 100,
        (Unit::Rate, _) => return value / 1_000 * 1_000,
    };
    (value + step / 2) / step * step
}

/// A span with three digits or so: nobody compares microseconds of seconds.
fn rounded(span: Micros) -> Micros {
    let step = match span.0 {
        0..10_000 => 1,
        10_000..10_000_000 => 1_000,
        10_000_000..100_000_000 => 10_000,
        _ => 100_000,
    };
    Micros((span.0 + step / 2) / step * step)
}

/// What one of two runs is called: "This run: visibility timeout 6 s", and "…, now 10 s" where the setting that tells
/// them apart was changed on the way.
pub fn head(run: &str, label: &str, first: &str, now: Option<&str>) -> String {
    // What stands in brackets after a value explains it.
    let short = |text: &str| text.split(" (").next().unwrap_or_default().to_owned();
    let first = short(first);
    let changed = now.map(short).filter(|now| *now != first);
    let changed = changed.map_or_else(String::new, |now| format!(", now {now}"));
    format!("{run}: {label} {first}{changed}")
}

/// The table of differences.
pub fn rows(comparison: &Comparison) -> Vec<Row> {
    comparison.rows.iter().map(row).collect()
}

fn row(difference: &Difference) -> Row {
    let measure = difference.measure;
    Row {
        label: label(measure),
        help: help(measure),
        values: difference.values.map(|it| value(measure, it)),
        difference: in_words(difference),
        better: difference.better(),
    }
}

fn in_words(difference: &Difference) -> String {
    let [Some(one), Some(other)] = difference.values else {
        return String::new();
    };
    let measure = difference.measure;
    let [shown_one, shown_other] = [one, other].map(|it| as_shown(measure, it));
    if shown_one == shown_other && one != other {
        return "nearly the same".to_owned();
    }
    // Of what is shown, so that the three numbers of a row agree.
    let amount = value(measure, Some(shown_one.abs_diff(shown_other)));
    let [more, less] = match measure.unit() {
        Unit::Count => ["more", "fewer"],
        Unit::Span => ["longer", "shorter"],
        Unit::Rate => ["more", "less"],
    };
    match one.cmp(&other) {
        std::cmp::Ordering::Equal => "same".to_owned(),
        std::cmp::Ordering::Less => format!("{amount} {more}"),
        std::cmp::Ordering::Greater => format!("{amount} {less}"),
    }
}

/// What is counted, one of it and several; none for what is measured.
const fn nouns(measure: Measure) -> Option<[&'static str; 2]> {
    Some(match measure {
        Measure::DuplicateEffects => ["duplicate effect", "duplicate effects"],
        Measure::DuplicateDeliveries => ["duplicate delivery", "duplicate deliveries"],
        Measure::DeadLettered => ["dead letter", "dead letters"],
        Measure::Lost => ["lost message", "lost messages"],
        Measure::OutOfOrder => ["message out of order", "messages out of order"],
        _ => return None,
    })
}

/// What the other run has come to against this one, in one line: the harm first, three differences at most.
pub fn verdict(comparison: &Comparison) -> String {
    let told = comparison.rows.iter().filter_map(|row| {
        let words = in_words(row);
        let judged = matches!(row.better(), Better::First | Better::Second);
        let counted = nouns(row.measure).zip(row.values[0].zip(row.values[1]));
        judged.then(|| match counted {
            Some(([one, many], (own, other))) => {
                let count = format::counted(own.abs_diff(other), one, many);
                let less = if other < own { "fewer" } else { "more" };
                format!("{count} {less}")
            }
            None => format!("{} {words}", format::lower_first(label(row.measure))),
        })
    });
    let told: Vec<String> = told.take(3).collect();
    if told.is_empty() {
        "So far the two runs do the same.".to_owned()
    } else {
        format!("The other: {}.", told.join(", "))
    }
}

/// The table in one sentence, for those who do not see it: what differs, the harm first.
pub fn summary(comparison: &Comparison) -> String {
    let differing = comparison.rows.iter().filter(|row| {
        let better = row.better();
        better == Better::First || better == Better::Second
    });
    let parts: Vec<String> = differing
        .take(3)
        .map(|row| {
            let [one, other] = row.values.map(|it| value(row.measure, it));
            let label = label(row.measure);
            format!("{} {one} → {other}", format::lower_first(label))
        })
        .collect();
    if parts.is_empty() {
        return format!("No difference at {}.", format::instant(comparison.at));
    }
    format!(
        "At {}: {}.",
        format::instant(comparison.at),
        parts.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(measure: Measure, one: Option<u64>, other: Option<u64>) -> Row {
        let mut row = row(&Difference {
            measure,
            values: [one, other],
        });
        row.difference = row.difference.replace('\u{a0}', " ");
        row.values = row.values.map(|it| it.replace('\u{a0}', " "));
        row
    }

    #[test]
    fn fewer_duplicates_a_shorter_latency_and_more_throughput_are_better() {
        let row = of(Measure::DuplicateEffects, Some(1), Some(0));
        assert_eq!(
            (row.difference.as_str(), row.better),
            ("1 fewer", Better::Second)
        );
        let row = of(Measure::LatencyP95, Some(4_500_000), Some(6_000_400));
        assert_eq!(row.values, ["4.5 s", "6 s"]);
        assert_eq!(
            (row.difference.as_str(), row.better),
            ("1.5 s longer", Better::First)
        );
        let row = of(Measure::Throughput, Some(500), Some(2_000));
        assert_eq!(row.values, ["0.5 / s", "2 / s"]);
        assert_eq!(
            (row.difference.as_str(), row.better),
            ("1.5 / s more", Better::Second)
        );
    }

    #[test]
    fn a_difference_is_that_of_the_values_beside_it() {
        let row = of(Measure::Throughput, Some(847), Some(723));
        assert_eq!(row.values, ["0.85 / s", "0.72 / s"]);
        assert_eq!(row.difference, "0.13 / s less");
        let row = of(Measure::LatencyP50, Some(10_004_000), Some(12_346_000));
        assert_eq!(row.values, ["10 s", "12.35 s"]);
        assert_eq!(row.difference, "2.35 s longer");
        let row = of(Measure::Throughput, Some(851), Some(849));
        assert_eq!(row.difference, "nearly the same");
    }

    #[test]
    fn a_run_is_called_after_its_setting_also_once_that_has_changed() {
        let head = |now| head("This run", "visibility timeout", "6 s", now);
        assert_eq!(head(Some("6 s")), "This run: visibility timeout 6 s");
        assert_eq!(
            head(Some("10 s")),
            "This run: visibility timeout 6 s, now 10 s"
        );
    }

    #[test]
    fn idle_time_is_told_and_not_judged() {
        let row = of(Measure::IdleTime, Some(1_000_000), Some(3_000_000));
        assert_eq!(
            (row.difference.as_str(), row.better),
            ("2 s longer", Better::Unclear)
        );
    }

    #[test]
    fn what_is_not_there_yet_is_a_dash_and_no_difference() {
        let row = of(Measure::LatencyP50, None, Some(1_000_000));
        assert_eq!(row.values, ["–", "1 s"]);
        assert_eq!((row.difference.as_str(), row.better), ("", Better::Unclear));
        assert_eq!(of(Measure::Lost, Some(2), Some(2)).difference, "same");
    }

    #[test]
    fn the_summary_names_what_differs_and_says_when_nothing_does() {
        let rows = |duplicates| Comparison {
            at: Micros::from_secs(8),
            rows: vec![
                Difference {
                    measure: Measure::DuplicateEffects,
                    values: [Some(1), Some(duplicates)],
                },
                Difference {
                    measure: Measure::Lost,
                    values: [Some(0), Some(0)],
                },
            ],
            same_arrivals: true,
        };
        let told = |duplicates| verdict(&rows(duplicates)).replace('\u{a0}', " ");
        assert_eq!(told(0), "The other: 1 duplicate effect fewer.");
        assert_eq!(told(3), "The other: 2 duplicate effects more.");
        assert_eq!(told(1), "So far the two runs do the same.");
        let text = |duplicates| summary(&rows(duplicates)).replace('\u{a0}', " ");
        assert_eq!(text(0), "At 8.0 s: duplicate effects 1 → 0.");
        assert_eq!(text(1), "No difference at 8.0 s.");
    }
}
