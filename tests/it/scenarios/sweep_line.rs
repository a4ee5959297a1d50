//! `queue-sim sweep`.

use serde_json::Value;

use super::command_line::{queue_sim, text};

const SHIPPED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/static/scenarios/charged-twice.json"
);

/// Poisson arrivals, so that seeds differ.
const BUSY: &str = r#"{"version":1,"queues":[{"name":"q","visibility_timeout":"2s"}],
    "producers":[{"name":"p","to":"q","poisson":{"mean":"500ms"}}],
    "consumers":[{"name":"a","from":"q","processing":{"exponential":{"mean":"800ms"}}},{"name":"b","from":"q","processing":"1s"}]}"#;

fn lines(arguments: &[&str], input: &str) -> Vec<Vec<String>> {
    let output = queue_sim(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let cells = |line: &str| line.split(',').map(String::from).collect();
    text(&output.stdout).lines().map(cells).collect()
}

#[test]
fn a_line_a_value_tells_what_runs_with_it_come_to() {
    let arguments = [
        "sweep",
        SHIPPED,
        "--setting",
        "queues.orders.visibility_timeout",
        "--from",
        "3s",
        "--to",
        "6s",
        "--points",
        "4",
        "--seeds",
        "2",
    ];
    let lines = lines(&arguments, "");
    assert_eq!(
        lines[0][..4],
        [
            "queues.orders.visibility_timeout",
            "runs",
            "unfinished",
            "duplicate_effects"
        ]
    );
    let told: Vec<[&str; 2]> = lines[1..]
        .iter()
        .map(|cells| [cells[0].as_str(), cells[3].as_str()])
        .collect();
    assert_eq!(told, [["3s", "1"], ["4s", "1"], ["5s", "0"], ["6s", "0"]]);
}

#[test]
fn a_setting_of_the_page_is_the_field_that_it_sets() {
    let by_id = [
        "sweep",
        SHIPPED,
        "--setting",
        "visibility-timeout",
        "--values",
        "3s,6s",
        "--seeds=1",
    ];
    let by_path = [
        "sweep",
        SHIPPED,
        "--setting",
        "queues.orders.visibility_timeout",
        "--values",
        "3s,6s",
        "--seeds=1",
    ];
    assert_eq!(lines(&by_id, ""), lines(&by_path, ""));
    let all = [
        "sweep",
        SHIPPED,
        "--setting",
        "prefetch",
        "--values",
        "1",
        "--seeds=1",
    ];
    assert_eq!(lines(&all, "")[0][0], "consumers.*.prefetch");
}

#[test]
fn json_says_the_same_and_a_single_seed_is_what_run_says() {
    let arguments = [
        "sweep",
        "-",
        "--setting",
        "visibility-timeout",
        "--values",
        "2s,4s",
        "--seeds",
        "1",
        "--seed",
        "7",
        "--until",
        "60s",
        "--json",
    ];
    let output = queue_sim(&arguments, BUSY);
    let sweep: Value = serde_json::from_slice(&output.stdout).unwrap();
    let run = queue_sim(&["run", "-", "--until", "60s", "--seed", "7"], BUSY);
    let run: Value = serde_json::from_slice(&run.stdout).unwrap();
    let point = &sweep["points"][0];
    assert_eq!(sweep["setting"], "queues.q.visibility_timeout");
    assert_eq!(point["events"], run["events"]);
    assert_eq!(
        point["latency_p95"]["median"],
        run["totals"]["latency"]["p95"]
    );
    assert_eq!(
        point["duplicate_effects"]["median"],
        run["totals"]["duplicate_effects"]
    );
    assert_eq!(point["max_backlog"]["median"], run["totals"]["max_backlog"]);
    assert_eq!(point["idle"]["median"], run["totals"]["idle"]);
}

#[test]
fn seeds_spread() {
    let arguments = [
        "sweep",
        "-",
        "--setting",
        "visibility-timeout",
        "--values",
        "2s",
        "--seeds",
        "9",
        "--until",
        "60s",
        "--json",
    ];
    let output = queue_sim(&arguments, BUSY);
    let sweep: Value = serde_json::from_slice(&output.stdout).unwrap();
    let point = &sweep["points"][0];
    assert_eq!(point["runs"], 9);
    let p95 = &point["latency_p95"];
    assert!(
        p95["lowest"].as_f64() < p95["median"].as_f64()
            && p95["median"].as_f64() < p95["highest"].as_f64()
    );
}

#[test]
fn everything_wrong_is_told_at_once_and_nothing_runs() {
    let arguments = ["sweep", "--seeds", "0", "--from", "1s", "--points", "900"];
    let output = queue_sim(&arguments, "");
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(2), String::new())
    );
    let told = text(&output.stderr);
    for option in ["the file", "--setting", "--points", "--seeds", "--to"] {
        assert!(
            told.lines().any(|line| line.starts_with(option)),
            "{option}: {told}"
        );
    }
    let arguments = [
        "sweep",
        SHIPPED,
        "--setting",
        "queues.orders.visibility_timeout",
        "--values",
        "6x,5,6s",
    ];
    let output = queue_sim(&arguments, "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr).lines().count(), 2);
    let range = [
        "--from", "1.5", "--to", "4.5", "--points", "4", "--until", "1s",
    ];
    let arguments = [&["sweep", SHIPPED, "--setting", "prefetch"], &range[..]].concat();
    let told = text(&queue_sim(&arguments, "").stderr);
    assert_eq!(told.lines().count(), 1, "{told}");
    let arguments = ["sweep", "-", "--setting", "prefecth", "--values", "1"];
    let output = queue_sim(&arguments, BUSY);
    let told = text(&output.stderr);
    assert!(
        told.contains("did you mean \"prefetch\"?") && told.contains("--until"),
        "{told}"
    );
}

#[test]
fn runs_that_stop_before_their_end_are_told_and_the_status_says_so() {
    let arguments = [
        "sweep",
        "-",
        "--setting",
        "prefetch",
        "--values",
        "1,2",
        "--seeds",
        "3",
        "--until",
        "60s",
        "--limit",
        "20",
    ];
    let output = queue_sim(&arguments, BUSY);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout).lines().count(), 3);
    assert!(text(&output.stderr).contains("3 of 3 runs stopped before their end"));
}
