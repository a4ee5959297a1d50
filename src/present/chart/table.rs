//! The same values as a table for people who do not see lines, and as CSV.

use crate::engine::Micros;
use crate::present::format;
use crate::session::Quantity;

use super::ChartInput;
use super::course::{ChartId, Course, Unit, window};

/// Most rows of a table.
const MOST_ROWS: usize = 60;

/// The twin of a chart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The words above the columns; the first is that of the times.
    pub head: Vec<String>,
    /// A row a time.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The values of a chart as far as the run is known, at round distances.
    pub fn of(id: ChartId, input: &ChartInput) -> Self {
        let series = input.series;
        let window = window(series, input.end);
        let plots = id.plots(input.setup);
        let step = series.len().div_ceil(MOST_ROWS).max(1);
        let mut head = vec!["Time".to_owned()];
        head.extend(plots.iter().map(|plot| plot.name.clone()));
        let rows = (0..series.len()).step_by(step).map(|index| {
            let time = Micros((index as u64).saturating_mul(series.width().0));
            let mut row = vec![format::instant(time)];
            row.extend(plots.iter().map(|plot| {
                let value = plot.course.value(series, index, window);
                value.map_or_else(|| "none".to_owned(), |value| id.text(value))
            }));
            row
        });
        Self {
            head,
            rows: rows.collect(),
        }
    }
}

/// All values of all charts, a line a bucket. Times, spans and peaks of spans are in seconds; a peak is the highest value
/// since the line before. Empty where there is no value.
pub fn csv(input: &ChartInput) -> String {
    let series = input.series;
    let window = window(series, input.end);
    let shown = ChartId::ALL
        .into_iter()
        .filter(|id| id.is_shown(input.setup));
    let mut columns: Vec<(String, Unit, Course, bool)> = Vec::new();
    for id in shown {
        for plot in id.plots(input.setup) {
            let has_peak =
                matches!(plot.course, Course::Level(quantity) if quantity <= Quantity::OldestWait);
            if has_peak {
                let stem = plot.column.trim_end_matches("_s");
                let unit = plot.column.get(stem.len()..).unwrap_or_default();
                columns.push((plot.column.clone(), id.unit(), plot.course, false));
                columns.push((format!("{stem}_peak{unit}"), id.unit(), plot.course, true));
            } else {
                columns.push((plot.column, id.unit(), plot.course, false));
            }
        }
    }
    let mut text = "time_s".to_owned();
    for (name, ..) in &columns {
        text.push(',');
        text.push_str(&quoted(name));
    }
    text.push('\n');
    for index in 0..series.len() {
        text.push_str(&decimal((index as u64).saturating_mul(series.width().0), 6));
        for (_, unit, course, is_peak) in &columns {
            let value = if *is_peak {
                course.peak(series, index, window)
            } else {
                course.value(series, index, window)
            };
            text.push(',');
            if let Some(value) = value {
                text.push_str(&match unit {
                    Unit::Count => value.to_string(),
                    Unit::Span => decimal(value, 6),
                    Unit::Rate => decimal(value, 3),
                });
            }
        }
        text.push('\n');
    }
    text
}

/// A whole number of so many decimals: `1.5`, `20`.
fn decimal(value: u64, digits: u32) -> String {
    let one = 10_u64.pow(digits);
    let width = digits as usize;
    let text = format!("{}.{:0width$}", value / one, value % one);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// A name that holds a comma, a quote or a line's end stands in quotes.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
