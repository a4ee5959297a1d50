//! Numbers over time: small charts side by side, each with its twin as a table.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use web_sys::Element;
use yew::prelude::*;

use super::action::{Action, Tab, press};
use super::browser;
use super::panel::Panel;
use super::player::Player;
use super::shapes::{self, px};
use crate::engine::Micros;
use crate::present::chart::{Chart, ChartId, ChartInput, Line, Table, csv};
use crate::present::geometry::Within;

/// Least width of a chart, the space between two, and what the panel takes at its sides, in CSS pixels.
const LEAST: f64 = 215.0;
const GAP: f64 = 10.0;
const SIDES: f64 = 42.0;
const INSIDE: f64 = 22.0;

/// The charts of a run at the playhead.
pub struct Charts {
    charts: Vec<Chart>,
    /// The table that is open.
    table: Option<(ChartId, Table)>,
    end: Micros,
    /// Charts side by side.
    columns: u32,
    copied: bool,
}

impl Player {
    /// The charts at the playhead.
    pub fn charts(&self) -> Rc<Charts> {
        let table = self.chart_table;
        self.with_charts(|input, columns| {
            Rc::new(Charts {
                columns,
                charts: Chart::all(input),
                table: table.map(|id| (id, Table::of(id, input))),
                end: input.end,
                copied: self.csv_copied,
            })
        })
    }

    /// All values of the charts as CSV.
    pub fn csv(&self) -> String {
        self.with_charts(|input, _| csv(input))
    }

    fn with_charts<T>(&self, make: impl FnOnce(&ChartInput, u32) -> T) -> T {
        let simulation = self.session.simulation();
        let setup = simulation.setup();
        let alerts = self.situation.scenario.alert_claims(setup);
        let snapshot = self.session.snapshot();
        let (columns, width) = self.columns(4);
        let input = ChartInput {
            series: self.session.series(),
            snapshot: &snapshot,
            waits: simulation.group_waits(),
            setup,
            alerts: alerts.as_deref().unwrap_or_default(),
            end: self.end(),
            width,
            root_font: self.root_font(),
        };
        make(&input, columns)
    }

    /// Charts side by side in the panel under the stage, so many at most, and the width of each.
    pub fn columns(&self, most: u32) -> (u32, f64) {
        let scale = self.root_font() / 16.0;
        let room = (self.breadth() - SIDES).max(0.0);
        let columns = ((room + GAP) / (LEAST * scale + INSIDE + GAP)).floor();
        let columns = columns.within(1.0, most.into());
        let width = ((room + GAP) / columns - GAP - INSIDE).floor();
        (columns as u32, width)
    }
}

/// Opens the charts at one of them.
pub fn open_chart(id: ChartId, act: &Callback<Action>) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |_| {
        act.emit(Action::Tab(Tab::Charts));
        // After the page has been rendered with it, which is queued before this.
        spawn_local(async move { browser::focus(&format!("#chart-{}", id.name())) });
    })
}

/// The content of the tab.
pub fn charts(panel: &Panel, act: &Callback<Action>) -> Html {
    let Some(charts) = &panel.charts else {
        return Html::default();
    };
    html! {
        <div class="charts">
            <div class="charts__tools">
                <span role="status">{ if charts.copied { "Copied." } else { "" } }</span>
                <button type="button" class="button button--quiet" onclick={press(act, Action::CopyCsv)}>{ "Copy all as CSV" }</button>
            </div>
            <div class="charts__grid" style={format!("--columns:{}", charts.columns)}>
                for chart in &charts.charts {
                    { self::chart(chart, charts, act) }
                }
            </div>
        </div>
    }
}

fn chart(chart: &Chart, all: &Charts, act: &Callback<Action>) -> Html {
    let id = chart.id;
    let table = all.table.as_ref().filter(|(open, _)| *open == id);
    html! {
        <section key={id.name()} class="chart" id={format!("chart-{}", id.name())} tabindex="-1" aria-labelledby={format!("chart-{}-title", id.name())}>
            <div class="panel__head">
                <h2 id={format!("chart-{}-title", id.name())}>{ chart.title }</h2>
                <button type="button" class="button button--quiet" aria-expanded={table.is_some().to_string()} aria-label={format!("Table: {}", chart.title)}
                    onclick={press(act, Action::ChartTable(id))}>{ "Table" }</button>
            </div>
            <p class="chart__now">
                for line in &chart.lines {
                    <span class={harm(line)} data-about={about(id, line.style)}>
                        <svg class="chart__key" viewBox="0 0 22 6" aria-hidden="true"><path class={style(line)} style={colour(line)} d="M0,3H22" /></svg>
                        { &line.name }{ "\u{a0}" }<b class="chart__value">{ &line.now }</b>
                    </span>
                }
            </p>
            if let Some((_, table)) = table {
                { self::table(chart, table) }
            } else {
                { drawing(chart, all.end, act) }
            }
            <p class="chart__note">{ &chart.note }</p>
        </section>
    }
}

fn drawing(chart: &Chart, end: Micros, act: &Callback<Action>) -> Html {
    let (area, width, height) = (chart.area, px(chart.width), px(chart.height));
    let (left, right, top, bottom) = (
        px(area.x),
        px(area.right()),
        px(area.y - 4.0),
        px(area.bottom()),
    );
    let said: Vec<String> = chart
        .lines
        .iter()
        .map(|line| format!("{} {}", line.name, line.now))
        .collect();
    html! {
        <svg class="chart__drawing" viewBox={format!("0 0 {width} {height}")} {width} {height} role="img"
            aria-label={format!("{} over time; now {}", chart.title, said.join(", "))} onclick={seek(chart, end, act)}>
            for y in &chart.grid {
                <line class="timeline__grid" x1={left.clone()} x2={right.clone()} y1={px(*y)} y2={px(*y)} />
            }
            for text in &chart.words {
                { shapes::words(text) }
            }
            for line in &chart.lines {
                <path class={classes!(style(line), "chart__line--future")} style={colour(line)} d={line.future.clone()} />
                <path class={style(line)} style={colour(line)} d={line.past.clone()} />
            }
            for threshold in &chart.thresholds {
                <line class="chart__alert" x1={left.clone()} x2={right.clone()} y1={px(threshold.y)} y2={px(threshold.y)} />
                <g class="chart__alert-words">{ shapes::words(&threshold.label) }</g>
            }
            <line class="timeline__playhead" x1={px(chart.playhead)} x2={px(chart.playhead)} y1={top} y2={bottom} />
            if let Some(empty) = chart.empty {
                <text class="timeline__words" x={px(area.centre().x)} y={px(area.centre().y)} text-anchor="middle">{ empty }</text>
            }
        </svg>
    }
}

fn table(chart: &Chart, table: &Table) -> Html {
    html! {
        <div class="chart__table" style={format!("height:{}px", px(chart.height))} tabindex="0" role="region" aria-label={format!("{}, as a table", chart.title)}>
            <table>
                <thead><tr>for word in &table.head { <th scope="col">{ word }</th> }</tr></thead>
                <tbody>for row in &table.rows { <tr>for cell in row { <td>{ cell }</td> }</tr> }</tbody>
            </table>
        </div>
    }
}

fn style(line: &Line) -> Classes {
    let dash = format!("chart__line--{}", line.style % 4);
    classes!("chart__line", dash, harm(line))
}

/// A group's line has the colour of its messages' outlines.
fn colour(line: &Line) -> Option<String> {
    let group = line.group?;
    Some(format!("stroke:var(--group-{})", group.0))
}

fn harm(line: &Line) -> Option<&'static str> {
    line.harm.then_some("chart--harm")
}

/// What a line stands for, for what is lit with it.
fn about(id: ChartId, line: usize) -> Option<&'static str> {
    match (id, line) {
        (ChartId::Messages, 0) => Some("x-ready"),
        (ChartId::Messages, 1) => Some("x-flight"),
        (ChartId::DeadLetters, _) => Some("x-dead"),
        (ChartId::Harm, 0) => Some("x-duplicate"),
        (ChartId::Harm, 1) => Some("x-order"),
        _ => None,
    }
}

/// A click moves the playhead.
fn seek(chart: &Chart, end: Micros, act: &Callback<Action>) -> Callback<MouseEvent> {
    let (act, area, width) = (act.clone(), chart.area, chart.width);
    Callback::from(move |event: MouseEvent| {
        // The listener is the page's own: what was hit can be a line within the drawing.
        let hit = event.target_dyn_into::<Element>();
        let drawing = hit.and_then(|hit| hit.closest(".chart__drawing").ok()?);
        if let Some(element) = drawing {
            let place = element.get_bounding_client_rect();
            let share = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0);
            act.emit(Action::Seek(crate::present::chart::time_at(
                area, width, share, end,
            )));
        }
    })
}
