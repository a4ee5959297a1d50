//! Charts of small runs that can be followed by hand.

use super::*;
use crate::scenario::Scenario;
use crate::session::{Quantity, Session};

const ENOUGH: u64 = 1_000_000;

/// A message every half second, each worked on for a second by one worker.
const BACKLOG: &str = r#"{
    "version": 1, "title": "A growing backlog", "duration": "10s",
    "queues": [{ "name": "orders" }],
    "producers": [{ "name": "shop", "to": "orders", "every": "500ms" }],
    "consumers": [{ "name": "worker", "from": "orders", "processing": "1s" }],
    "alerts": [
        { "metric": "ready", "at_least": 12 },
        { "metric": "latency", "percentile": 95, "at_least": 4 },
        { "metric": "utilisation", "at_least": 0.5 }
    ]
}"#;

struct Shown {
    scenario: Scenario,
    session: Session,
}

impl Shown {
    fn at(json: &str, known: u64, at: u64) -> Self {
        let scenario = Scenario::from_json(json).expect("a scenario");
        let setup = scenario.lower().expect("a right scenario");
        let mut session = Session::new(setup.into());
        session.advance_to(Micros::from_millis(known), ENOUGH);
        session.seek(Micros::from_millis(at), ENOUGH);
        Self { scenario, session }
    }

    fn with<T>(&self, read: impl Fn(&ChartInput) -> T) -> T {
        let snapshot = self.session.snapshot();
        let simulation = self.session.simulation();
        let setup = simulation.setup();
        let alerts = self.scenario.alert_claims(setup).expect("right alerts");
        read(&ChartInput {
            series: self.session.series(),
            snapshot: &snapshot,
            waits: simulation.group_waits(),
            setup,
            alerts: &alerts,
            end: self.session.duration().unwrap_or(Micros::from_secs(60)),
            width: 242.0,
            root_font: 16.0,
        })
    }

    fn chart(&self, id: ChartId) -> Chart {
        let charts = self.with(Chart::all);
        charts.into_iter().find(|chart| chart.id == id).expect("it")
    }

    fn now(&self, id: ChartId) -> Vec<String> {
        let lines = self.chart(id).lines;
        let words = |line: &Line| format!("{} {}", line.name, line.now).replace('\u{a0}', " ");
        lines.iter().map(words).collect()
    }
}

#[test]
fn a_line_holds_each_value_up_to_the_next_and_ends_at_the_playhead() {
    let shown = Shown::at(
        r#"{
            "version": 1, "title": "Two", "duration": "4s",
            "queues": [{ "name": "orders" }],
            "producers": [{ "name": "shop", "to": "orders", "sends": [{ "at": "1s" }, { "at": "2s" }] }],
            "consumers": [{ "name": "worker", "from": "orders", "start": "3s", "processing": "10s" }]
        }"#,
        4_000,
        3_500,
    );
    let chart = shown.chart(ChartId::Messages);
    let ready = &chart.lines[0];
    // 164 pixels are 4 s, 108 pixels 2 messages.
    assert_eq!((chart.area.x, chart.area.right()), (58.0, 222.0));
    assert_eq!(chart.area.bottom(), 116.0);
    assert_eq!(
        ready.past,
        "M58.0,116.0H99.0V62.0H140.0V8.0H181.0V62.0H201.5"
    );
    assert_eq!(ready.future, "M201.5,62.0H222.0");
    assert_eq!(chart.playhead, 201.5);
    assert_eq!(
        shown.now(ChartId::Messages),
        ["ready 1", "in flight 1", "delayed 0"]
    );
}

#[test]
fn what_a_chart_says_of_now_is_what_the_run_is_at_the_playhead() {
    for at in [0, 3, 1_777, 4_005, 9_990] {
        let shown = Shown::at(BACKLOG, 10_000, at);
        let snapshot = shown.session.snapshot();
        let ready = Quantity::Ready.of(&snapshot);
        let in_flight = Quantity::InFlight.of(&snapshot);
        let said = shown.now(ChartId::Messages);
        assert_eq!(
            said[..2],
            [format!("ready {ready}"), format!("in flight {in_flight}")]
        );
    }
}

#[test]
fn rates_are_of_a_stated_time_and_lag_is_the_backlog_over_completions() {
    let shown = Shown::at(BACKLOG, 10_000, 9_990);
    assert_eq!(
        shown.now(ChartId::Rates),
        ["arrivals 2 / s", "deliveries 1 / s", "completions 1 / s"]
    );
    let note = shown.chart(ChartId::Rates).note.replace('\u{a0}', " ");
    assert_eq!(note, "over the last 1 s");
    // Ten messages of twenty are handed out; ten wait, one a second is done.
    assert_eq!(shown.now(ChartId::Messages)[0], "ready 10");
    assert_eq!(shown.now(ChartId::Lag), ["lag 10 s"]);
}

#[test]
fn a_steady_producer_has_a_rate_that_stands_still_at_any_length_of_the_run() {
    let long = BACKLOG.replace("\"10s\"", "\"60s\"");
    for known in [9_000, 20_000, 60_000] {
        for at in [5_010, 6_400, 7_777, 8_000, 8_990] {
            let shown = Shown::at(&long, known, at);
            assert_eq!(
                shown.now(ChartId::Rates)[0],
                "arrivals 2 / s",
                "{known} {at}"
            );
        }
    }
    let shown = Shown::at(&long, 60_000, 8_000);
    let note = shown.chart(ChartId::Rates).note.replace('\u{a0}', " ");
    assert_eq!(note, "over the last 4 s");
}

#[test]
fn a_lag_is_rounded_and_not_cut() {
    let plain = |value| ChartId::Lag.text(value).replace('\u{a0}', " ");
    assert_eq!(plain(693_000), "0.7 s");
    assert_eq!(plain(9_960_000), "10 s");
    assert_eq!(plain(20_000), "0.0 s");
}

#[test]
fn where_nothing_was_completed_the_lag_has_a_gap() {
    let shown = Shown::at(BACKLOG, 10_000, 900);
    assert_eq!(shown.now(ChartId::Lag), ["lag none"]);
    let chart = shown.chart(ChartId::Lag);
    assert!(chart.lines[0].future.contains('M'));
    assert_eq!(chart.empty, None);
}

#[test]
fn nothing_known_is_said_in_words() {
    let scenario = Scenario::from_json(BACKLOG).expect("a scenario");
    let setup = scenario.lower().expect("a right scenario");
    let session = Session::new(setup.into());
    let shown = Shown { scenario, session };
    assert_eq!(
        shown.chart(ChartId::Messages).empty,
        Some("Nothing has happened yet.")
    );
    let shown = Shown::at(BACKLOG, 500, 500);
    assert_eq!(shown.chart(ChartId::Latency).empty, Some("No effect yet."));
    assert_eq!(shown.chart(ChartId::Messages).empty, None);
}

#[test]
fn alerts_are_drawn_in_the_chart_of_their_metric_at_their_height() {
    let shown = Shown::at(BACKLOG, 10_000, 5_000);
    let chart = shown.chart(ChartId::Messages);
    let [alert] = &chart.thresholds[..] else {
        panic!("one alert");
    };
    assert_eq!(alert.label.text, "alert: ready at least 12");
    // The axis ends at 15.
    assert!((alert.y - (116.0 - 108.0 * 12.0 / 15.0)).abs() < 0.01);
    let latency = shown.chart(ChartId::Latency).thresholds;
    assert_eq!(
        latency[0].label.text.replace('\u{a0}', " "),
        "alert: latency at least 4.0 s"
    );
    let others = shown
        .with(Chart::all)
        .into_iter()
        .map(|chart| chart.thresholds.len());
    assert_eq!(others.sum::<usize>(), 2);
}

#[test]
fn a_spike_within_a_bucket_shows_in_a_long_run() {
    let shown = Shown::at(
        r#"{
            "version": 1, "title": "A spike", "duration": "1h",
            "queues": [{ "name": "orders" }],
            "producers": [{ "name": "shop", "to": "orders", "burst": { "size": 40, "every": "40min" }, "start": "25min" }],
            "consumers": [{ "name": "worker", "from": "orders", "workers": 64, "prefetch": 64, "batch": 10, "start": "25min", "processing": "100ms" },
                          { "name": "other", "from": "orders", "processing": "100ms" }]
        }"#,
        3_600_000,
        3_600_000,
    );
    let chart = shown.chart(ChartId::Messages);
    let heights = |path: &str| {
        let parts = path.split(['H', 'M', ' ']);
        let values = parts.flat_map(|part| {
            part.split('V')
                .skip(1)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        values
            .map(|y| y.parse::<f64>().expect("a number"))
            .collect::<Vec<_>>()
    };
    let highest = heights(&chart.lines[1].past)
        .into_iter()
        .fold(f64::MAX, f64::min);
    // 40 in flight on an axis to 40 or 60.
    assert!(highest < 60.0, "{}", chart.lines[1].past);
    assert_eq!(chart.lines[1].now, "0");
}

#[test]
fn groups_beyond_a_dozen_share_a_line() {
    let groups: Vec<String> = (0..20).map(|n| format!("\"customer-{n}\"")).collect();
    let json = format!(
        r#"{{
            "version": 1, "title": "Many groups", "duration": "30s",
            "queues": [{{ "name": "orders", "kind": "fifo" }}],
            "producers": [{{ "name": "shop", "to": "orders", "every": "200ms", "groups": [{}] }}],
            "consumers": [{{ "name": "worker", "from": "orders", "processing": "900ms" }}]
        }}"#,
        groups.join(", ")
    );
    let shown = Shown::at(&json, 30_000, 20_000);
    let groups = shown.chart(ChartId::Groups);
    assert_eq!(groups.lines.len(), 13);
    assert_eq!(groups.lines[12].name, "others");
}

#[test]
fn a_run_without_groups_has_no_chart_of_them() {
    let charts = Shown::at(BACKLOG, 100, 100).with(Chart::all);
    assert!(charts.iter().all(|chart| chart.id != ChartId::Groups));
    assert_eq!(charts.len(), ChartId::ALL.len() - 1);
}

#[test]
fn a_table_has_few_rows_and_the_values_of_the_lines() {
    let shown = Shown::at(BACKLOG, 10_000, 5_000);
    let table = shown.with(|input| Table::of(ChartId::Messages, input));
    assert_eq!(table.head, ["Time", "ready", "in flight", "delayed"]);
    assert!(table.rows.len() <= 60 && table.rows.len() > 30);
    assert_eq!(table.rows[0], ["0.0\u{a0}s", "0", "1", "0"]);
    let series = shown.session.series();
    let step = series.len().div_ceil(60);
    let ready = series.value(Quantity::Ready, step * 10).expect("a value");
    assert_eq!(table.rows[10][1], ready.to_string());
}

#[test]
fn csv_has_a_line_a_bucket_with_units_in_its_head() {
    let shown = Shown::at(BACKLOG, 10_000, 5_000);
    let csv = shown.with(csv);
    let mut lines = csv.lines();
    let head = lines.next().expect("a head");
    assert!(head.starts_with("time_s,ready,ready_peak,in_flight,in_flight_peak,delayed,delayed_peak,oldest_wait_s,oldest_wait_peak_s,dead_letters,"));
    assert!(head.ends_with(",lag_s,latency_p50_s,latency_p95_s,latency_p99_s"));
    let columns = head.split(',').count();
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), shown.session.series().len());
    assert!(rows.iter().all(|row| row.split(',').count() == columns));
    assert!(rows[1].starts_with("0.02,"), "{}", rows[1]);
}

#[test]
fn a_group_whose_name_has_a_comma_is_quoted() {
    let json = BACKLOG.replace(
        r#""every": "500ms""#,
        r#""every": "500ms", "groups": ["a,\"b"]"#,
    );
    let csv = Shown::at(&json, 1_000, 1_000).with(csv);
    assert!(
        csv.lines()
            .next()
            .is_some_and(|head| head.ends_with(r#","wait_a,""b_s""#))
    );
}

#[test]
fn a_place_in_a_chart_is_a_time() {
    let shown = Shown::at(BACKLOG, 10_000, 5_000);
    let chart = shown.chart(ChartId::Messages);
    let end = Micros::from_secs(10);
    let at = |share| time_at(chart.area, chart.width, share, end);
    assert_eq!(at(0.0), Micros::ZERO);
    assert_eq!(at(1.0), end);
    assert_eq!(at(chart.playhead / chart.width), Micros::from_secs(5));
}
