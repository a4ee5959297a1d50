//! One setting over a range: what is run, and what came of it as charts with their twin as a table.

use yew::prelude::*;

use super::action::{Action, Tab, press};
use super::compare::{list, setting_list};
use super::panel::Panel;
use super::shapes::{self, px};
use super::sweeping::{Found, SweepView};
use crate::engine::Micros;
use crate::present::controls::{Control, Value};
use crate::present::sweep::{self, LENGTHS, POINTS, Plan, SEEDS};
use crate::present::sweep_chart::{SweepChart, title};
use crate::present::{difference, format};
use crate::session::Measure;

/// The content of the tab.
pub fn sweep(panel: &Panel, act: &Callback<Action>) -> Html {
    let Some(view) = &panel.sweep else {
        return Html::default();
    };
    html! {
        <div class="sweep">
            { form(panel, view, act) }
            { start(view, act) }
            if let Some(found) = &view.found {
                { self::found(found, view, act) }
            }
        </div>
    }
}

fn form(panel: &Panel, view: &SweepView, act: &Callback<Action>) -> Html {
    let plan = view.plan;
    let Some((_, control)) = Control::find(plan.id) else {
        return Html::default();
    };
    let change = |set: fn(Plan, usize) -> Plan| {
        act.reform(move |index: usize| Action::Plan(set(plan, index)))
    };
    let stop = |id, chosen, set| {
        let sized: Vec<usize> = sweep::sized_stops(control).collect();
        let texts = sized.iter().map(|&stop| control.stop_text(stop)).collect();
        let place = sized.iter().position(|&stop| stop == chosen);
        list(id, texts, place, change(set))
    };
    let numbers = |of: &[u32]| of.iter().map(u32::to_string).collect();
    let place = |of: &[u32], chosen| of.iter().position(|&it| it == chosen);
    let lengths = lengths(view.duration);
    let texts = lengths.iter().map(|&length| match view.duration {
        Some(all) if all == length => format!("{} (all)", format::span(length)),
        _ => format::span(length),
    });
    let length = lengths.iter().position(|&length| length == plan.until);
    let settings = panel.settings.clone();
    let duration = view.duration;
    let onsetting = act.reform(move |id: &'static str| {
        let shown = settings.iter().find(|shown| shown.id == id);
        let stop = shown.map_or(0, |shown| shown.reading.index);
        Action::Plan(Plan {
            points: plan.points,
            seeds: plan.seeds,
            until: plan.until,
            ..Plan::around(id, stop, duration)
        })
    });
    html! {
        <div class="sweep__form">
            <span class="sweep__pair"><label for="sweep-setting">{ "Sweep" }</label>{ setting_list("sweep-setting", &panel.settings, sweep::is_numeric, plan.id, &onsetting) }</span>
            <span class="sweep__pair"><label for="sweep-from">{ "from" }</label>{ stop("sweep-from", plan.from, Plan::from_sized) }</span>
            <span class="sweep__pair"><label for="sweep-to">{ "to" }</label>{ stop("sweep-to", plan.to, Plan::to_sized) }</span>
            <span class="sweep__pair"><label for="sweep-points">{ "values" }</label>{ list("sweep-points", numbers(&POINTS), place(&POINTS, plan.points), change(|plan, index| Plan { points: at(&POINTS, index), ..plan })) }</span>
            <span class="sweep__pair"><label for="sweep-seeds">{ "seeds" }<span class="visually-hidden">{ " each" }</span></label>{ list("sweep-seeds", numbers(&SEEDS), place(&SEEDS, plan.seeds), change(|plan, index| Plan { seeds: at(&SEEDS, index), ..plan })) }</span>
            <span class="sweep__pair"><label for="sweep-length">{ "length" }<span class="visually-hidden">{ " of a run" }</span></label>{ list("sweep-length", texts.collect(), length, act.reform(move |index: usize| {
                Action::Plan(Plan { until: lengths.get(index).copied().unwrap_or(plan.until), ..plan })
            })) }</span>
        </div>
    }
}

fn at(of: &[u32], index: usize) -> u32 {
    of.get(index).copied().unwrap_or(1)
}

/// The lengths of a run on offer: none beyond the run's own.
fn lengths(duration: Option<Micros>) -> Vec<Micros> {
    let offered = LENGTHS.into_iter().map(Micros::from_secs);
    let shorter = offered.filter(|length| duration.is_none_or(|all| *length < all));
    shorter.chain(duration).collect()
}

fn start(view: &SweepView, act: &Callback<Action>) -> Html {
    let plan = view.plan;
    let press = |action: Action| press(act, action);
    html! {
        <div class="sweep__start">
            if let Some(percent) = view.running {
                <button type="button" class="button" onclick={press(Action::StopSweep)}>{ "Cancel" }</button>
                <progress max="100" value={percent.to_string()} aria-label="Sweep" />
                <span class="sweep__percent">{ format!("{percent} %") }</span>
            } else {
                <button type="button" class="button button--main" onclick={press(Action::Sweep)}>{ "Run the sweep" }</button>
                if let Some(seeds) = view.fewer_seeds {
                    <button type="button" class="button" onclick={press(Action::Plan(Plan { seeds, ..plan }))}>{ format!("Use {seeds} seeds") }</button>
                }
                <span>{ format!("{}.", view.effort) }</span>
            }
        </div>
    }
}

fn found(found: &Found, view: &SweepView, act: &Callback<Action>) -> Html {
    html! {
        <>
            <div class="sweep__start">
                <h2>{ &found.text }</h2>
                <button type="button" class="button button--quiet" onclick={press(act, Action::CopyCsv)}>{ "Copy as CSV" }</button>
                <span role="status">{ if view.copied { "Copied." } else { "" } }</span>
            </div>
            <div class="charts__grid" style={format!("--columns:{}", found.columns)}>
                for chart in &found.charts {
                    { drawing(chart, found, act) }
                }
            </div>
            <p class="compare__note">{ "Line: median over the seeds. Band: lowest to highest. Dashed: the setting now. A point or a row opens its comparison." }</p>
            { table(found, act) }
        </>
    }
}

fn compare(found: &Found, value: Value, act: &Callback<Action>) -> Callback<MouseEvent> {
    let (act, id) = (act.clone(), found.control.id);
    Callback::from(move |_| {
        act.emit(Action::Compare(id, value));
        act.emit(Action::Tab(Tab::Compare));
    })
}

fn drawing(chart: &SweepChart, found: &Found, act: &Callback<Action>) -> Html {
    let (area, width, height) = (chart.area, px(chart.width), px(chart.height));
    let (left, right) = (px(area.x), px(area.right()));
    html! {
        <section key={chart.measure.id()} class="chart">
            <h3>{ title(chart.measure) }</h3>
            <svg class="chart__drawing" viewBox={format!("0 0 {width} {height}")} {width} {height} aria-hidden="true">
                for y in &chart.grid {
                    <line class="timeline__grid" x1={left.clone()} x2={right.clone()} y1={px(*y)} y2={px(*y)} />
                }
                for text in &chart.words {
                    { shapes::words(text) }
                }
                <path class="sweep__band" d={chart.band.clone()} />
                <path class="chart__line" d={chart.line.clone()} />
                if let Some(x) = chart.mark {
                    <line class="sweep__mark" x1={px(x)} x2={px(x)} y1={px(area.y - 4.0)} y2={px(area.bottom())} />
                }
                for dot in &chart.dots {
                    if let Some((value, _)) = found.points.get(dot.index) {
                        <g key={dot.index} class="sweep__dot" onclick={compare(found, *value, act)}>
                            <title>{ &dot.text }</title>
                            <circle class="sweep__target" cx={px(dot.x)} cy={px(dot.y)} r="12" />
                            <circle cx={px(dot.x)} cy={px(dot.y)} r="3" />
                        </g>
                    }
                }
            </svg>
        </section>
    }
}

fn table(found: &Found, act: &Callback<Action>) -> Html {
    html! {
        <div class="chart__table sweep__table" tabindex="0" role="region" aria-label="The sweep, as a table">
            <table>
                <thead><tr>
                    <th scope="col">{ found.control.label }</th>
                    for measure in Measure::ALL {
                        <th key={measure.id()} scope="col" title={difference::help(measure)}>{ difference::label(measure) }</th>
                    }
                </tr></thead>
                <tbody>
                    for (index, (value, outcome)) in found.points.iter().enumerate() {
                        <tr key={index}>
                            <th scope="row">
                                <button type="button" class="button button--quiet" aria-label={format!("Compare with {}", found.control.value_text(*value))}
                                    onclick={compare(found, *value, act)}>{ found.control.value_text(*value) }</button>
                                if outcome.unfinished > 0 {
                                    <p>{ format!("{} of {} runs stopped early", outcome.unfinished, outcome.runs) }</p>
                                }
                            </th>
                            for measure in Measure::ALL {
                                <td key={measure.id()}>{ sweep::spread(measure, outcome.spread(measure)) }</td>
                            }
                        </tr>
                    }
                </tbody>
            </table>
        </div>
    }
}
