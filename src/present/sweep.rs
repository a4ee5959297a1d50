//! Sweeps: how one is put together, and what it found as a table for people and as text for spreadsheets.

use crate::engine::Micros;
use crate::session::{Measure, Outcome, Spread, Unit};

use super::controls::{Control, Kind, Value, magnitude};
use super::format;

/// Numbers of points that are offered.
pub const POINTS: [u32; 5] = [5, 10, 20, 40, 80];
/// Seeds that are offered.
pub const SEEDS: [u32; 5] = [1, 4, 10, 20, 50];
/// Lengths of a run that are offered, in seconds.
pub const LENGTHS: [u64; 6] = [10, 30, 60, 300, 1_800, 3_600];
/// More events than these are not done lightly on a page.
pub const MANY_EVENTS: u64 = 20_000_000;

/// A sweep that a person puts together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The setting's id in the table.
    pub id: &'static str,
    /// The stop at which it begins.
    pub from: usize,
    /// The stop at which it ends.
    pub to: usize,
    /// Values, both ends included.
    pub points: u32,
    /// Runs of each value.
    pub seeds: u32,
    /// Length of a run.
    pub until: Micros,
}

/// Whether a setting has a range of sizes.
pub fn is_numeric(control: &Control) -> bool {
    control.kind == Kind::Slider
}

/// The stops of a setting that have a size: those between which it can be swept.
pub fn sized_stops(control: &Control) -> impl Iterator<Item = usize> {
    let stops = control.stops.iter().enumerate();
    stops.filter_map(|(index, stop)| magnitude(*stop).map(|_| index))
}

/// What a sweep was, in words: "Visibility timeout 1 s to 9 s, 17 values, 20 seeds, 20 s each".
pub fn title(control: &Control, plan: &Plan) -> String {
    let stop = |stop| {
        let text = control.stop_text(stop);
        text.split(" (").next().unwrap_or_default().to_owned()
    };
    let count = |n: u32, one, many| format::counted(n.into(), one, many);
    format!(
        "{} {} to {}, {}, {}, {} a run",
        control.label,
        stop(plan.from),
        stop(plan.to),
        count(plan.values().len() as u32, "value", "values"),
        count(plan.seeds, "seed", "seeds"),
        format::span(plan.until)
    )
}

impl Plan {
    /// The same from another of the stops that have a size.
    pub fn from_sized(self, index: usize) -> Self {
        let from = self.sized(index).unwrap_or(self.from);
        Self { from, ..self }
    }

    /// The same to another of the stops that have a size.
    pub fn to_sized(self, index: usize) -> Self {
        let to = self.sized(index).unwrap_or(self.to);
        Self { to, ..self }
    }

    fn sized(&self, index: usize) -> Option<usize> {
        sized_stops(Control::find(self.id)?.1).nth(index)
    }

    /// A plan around the present stop of a setting; `duration` is the run's own.
    pub fn around(id: &'static str, stop: usize, duration: Option<Micros>) -> Self {
        let sizes: &[Value] = Control::find(id).map_or(&[], |(_, control)| control.stops);
        let size = |stop: usize| sizes.get(stop).copied().and_then(magnitude);
        let has_size = |stop: &usize| size(*stop).is_some_and(|size| size > 0);
        let now = size(stop).unwrap_or(0);
        let within = |stop: &usize| size(*stop).is_some_and(|it| it * 3 >= now && it <= now * 3);
        let all = || (0..sizes.len()).filter(has_size);
        let (first, last) = (all().next().unwrap_or(0), all().next_back().unwrap_or(0));
        let (from, to) = (all().find(within), all().rfind(within));
        let (from, to) = match from.zip(to) {
            Some((from, to)) if from < to => (from, to),
            // Its neighbours are far: some of them on either side.
            Some((alone, _)) => (alone.saturating_sub(3).max(first), (alone + 3).min(last)),
            None => (first, last),
        };
        Self {
            id,
            from,
            to,
            points: 20,
            seeds: 20,
            until: duration.unwrap_or(Micros::from_secs(60)),
        }
    }

    /// The values of the setting, in order and each once.
    pub fn values(&self) -> Vec<Value> {
        let stops: &[Value] = Control::find(self.id).map_or(&[], |(_, control)| control.stops);
        let size = |stop: usize| Some((stops.get(stop)?, magnitude(*stops.get(stop)?)?));
        let (Some((kind, one)), Some((_, other))) = (size(self.from), size(self.to)) else {
            return Vec::new();
        };
        let (low, high) = (one.min(other), one.max(other));
        let steps = u64::from(self.points.max(2) - 1);
        let gap = (high - low) / steps;
        let units = [
            60_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10,
        ];
        let unit = units.into_iter().find(|unit| gap >= unit * 4).unwrap_or(1);
        let mut values: Vec<Value> = (0..=steps)
            .map(|step| match step {
                0 => low,
                _ if step == steps => high,
                _ => {
                    let exact =
                        low + ((high - low) as u128 * u128::from(step) / u128::from(steps)) as u64;
                    (exact + unit / 2) / unit * unit
                }
            })
            .filter_map(|size| kind.of_size(size))
            .collect();
        values.dedup();
        values
    }
}

/// Fewer seeds, with which so many events become few enough; none if they are already, or cannot.
pub fn fewer_seeds(events: u64, seeds: u32) -> Option<u32> {
    if events <= MANY_EVENTS {
        return None;
    }
    let fitting = u64::from(seeds).saturating_mul(MANY_EVENTS) / events;
    let fitting = u32::try_from(fitting).unwrap_or(1).max(1);
    (fitting < seeds).then_some(fitting)
}

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

/// A value of a setting in a file: seconds for spans, a share for chances.
pub fn plain_value(value: Value) -> String {
    match value {
        Value::Span(span) => span.to_string(),
        Value::Chance(chance) => Micros(chance.0.into()).to_string(),
        _ => magnitude(value).map_or_else(String::new, |size| size.to_string()),
    }
}

/// The name of the column of a setting's values: "Visibility timeout (s)".
pub fn value_column(control: &Control, values: &[Value]) -> String {
    match values.first() {
        Some(Value::Span(_)) => format!("{} (s)", control.label),
        _ => control.label.to_owned(),
    }
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
    fn a_plan_begins_around_the_present_value_and_has_round_values() {
        let (_, control) = Control::find("visibility-timeout").unwrap();
        let three = control
            .stops
            .iter()
            .position(|stop| *stop == Value::Span(Micros::from_secs(3)));
        let plan = Plan::around("visibility-timeout", three.unwrap(), None);
        assert_eq!(plan.until, Micros::from_secs(60));
        let plan = Plan { points: 9, ..plan };
        let texts: Vec<String> = plan
            .values()
            .into_iter()
            .map(|value| control.value_text(value).replace('\u{a0}', " "))
            .collect();
        assert_eq!(
            texts,
            [
                "1 s", "2 s", "3 s", "4 s", "5 s", "6 s", "7 s", "8 s", "9 s"
            ]
        );
        let back = Plan {
            from: plan.to,
            to: plan.from,
            ..plan
        };
        assert_eq!(back.values(), plan.values());
    }

    #[test]
    fn counts_stay_whole_and_come_once_and_every_slider_has_a_plan() {
        let plan = Plan {
            from: 0,
            to: 3,
            points: 40,
            ..Plan::around("prefetch", 0, None)
        };
        assert_eq!(plan.values(), [1, 2, 3, 4].map(Value::Count));
        for (_, control) in Control::all().filter(|(_, control)| is_numeric(control)) {
            for stop in 0..control.stops.len() {
                let values = Plan::around(control.id, stop, None).values();
                assert!(
                    (2..=20).contains(&values.len()),
                    "{} {stop}: {}",
                    control.id,
                    values.len()
                );
            }
        }
    }

    #[test]
    fn fewer_seeds_are_offered_only_for_many_events() {
        assert_eq!(fewer_seeds(20_000_000, 20), None);
        assert_eq!(fewer_seeds(100_000_000, 20), Some(4));
        assert_eq!(fewer_seeds(u64::MAX, 20), Some(1));
        assert_eq!(fewer_seeds(u64::MAX, 1), None);
    }

    #[test]
    fn values_of_a_setting_are_numbers_in_a_file() {
        let (_, control) = Control::find("visibility-timeout").unwrap();
        let value = Value::Span(Micros::from_millis(1_500));
        assert_eq!(plain_value(value), "1.5");
        assert_eq!(value_column(control, &[value]), "Visibility timeout (s)");
        assert_eq!(plain_value(Value::Count(4)), "4");
        let half = Value::Chance(crate::engine::setup::Chance(500_000));
        assert_eq!(plain_value(half), "0.5");
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
