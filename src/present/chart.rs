//! Charts of a run over time: step lines with the playhead and alert thresholds, and their twins as tables and CSV.
//! Pure geometry and text; painting them is the page's.

mod course;
mod draw;
mod table;
#[cfg(test)]
mod tests;

use crate::engine::{Claim, Micros, Setup, Simulation, Snapshot};
use crate::present::geometry::{Rect, Within};
use crate::present::scene::{GroupColour, Text};
use crate::session::Series;

pub use course::{ChartId, Unit};
pub use table::{Table, csv};

/// What charts are computed from.
#[derive(Clone, Copy)]
pub struct ChartInput<'a> {
    /// The numbers over time, the known future included.
    pub series: &'a Series,
    /// The run at the playhead; what charts say of now comes from it.
    pub snapshot: &'a Snapshot,
    /// The waits of groups at the playhead.
    pub waits: [Micros; Simulation::GROUP_WAITS],
    /// Names.
    pub setup: &'a Setup,
    /// Alerts, drawn in the charts that show their metric.
    pub alerts: &'a [Claim],
    /// Where the time axis ends.
    pub end: Micros,
    /// Width of a chart in CSS pixels.
    pub width: f64,
    /// Root font size.
    pub root_font: f64,
}

/// A chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// Which.
    pub id: ChartId,
    /// What it shows.
    pub title: &'static str,
    /// What is to be known about its numbers; may be empty.
    pub note: String,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// The part that is time and value.
    pub area: Rect,
    /// Heights of the grid's lines.
    pub grid: Vec<f64>,
    /// The words of both axes.
    pub words: Vec<Text>,
    /// Its lines.
    pub lines: Vec<Line>,
    /// Alerts.
    pub thresholds: Vec<Threshold>,
    /// Where the playhead is.
    pub playhead: f64,
    /// Said in place of lines when there is nothing to draw.
    pub empty: Option<&'static str>,
}

/// A line of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// What it shows.
    pub name: String,
    /// Its value at the playhead, in words.
    pub now: String,
    /// Number of its dash pattern: never colour alone.
    pub style: usize,
    /// The group it is about, by its colour.
    pub group: Option<GroupColour>,
    /// Whether it shows harm that has happened.
    pub harm: bool,
    /// Up to the playhead, as the `d` of a path.
    pub past: String,
    /// After it, as far as the run is known.
    pub future: String,
}

/// A value at which the run is stopped.
#[derive(Clone, PartialEq, Debug)]
pub struct Threshold {
    /// How high.
    pub y: f64,
    /// What it is.
    pub label: Text,
}

impl Chart {
    /// All charts of a run, in order. Which there are depends on the setup alone.
    pub fn all(input: &ChartInput) -> Vec<Self> {
        ChartId::ALL
            .into_iter()
            .filter(|id| id.is_shown(input.setup))
            .map(|id| draw::chart(id, input))
            .collect()
    }
}

/// The time at a share of a chart's width, within its axis.
pub fn time_at(area: Rect, width: f64, share: f64, end: Micros) -> Micros {
    let x = share * width - area.x;
    let share = (x / area.w.max(1.0)).within(0.0, 1.0);
    Micros((share * end.0 as f64) as u64)
}
