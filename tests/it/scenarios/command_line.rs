use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const SHIPPED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/static/scenarios/charged-twice.json"
);

pub fn queue_sim(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_queue-sim"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn small(rest: &str) -> String {
    format!(
        r#"{{"version":1,"duration":"10s","queues":[{{"name":"q"}}],
            "producers":[{{"name":"p","to":"q","sends":[{{"at":"0s","body":"m1"}}]}}],
            "consumers":[{{"name":"c","from":"q","processing":"1s"}}]{rest}}}"#
    )
}

#[test]
fn run_prints_a_summary_as_json() {
    let output = queue_sim(&["run", SHIPPED], "");
    assert_eq!(output.status.code(), Some(0));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["totals"]["deliveries"], 4);
    assert_eq!(summary["totals"]["duplicate_effects"], 1);
    assert_eq!(summary["totals"]["amount"], 80);
    assert_eq!(summary["totals"]["amount_due"], 60);
    assert_eq!(summary["queues"][0]["acked"], 3);
    assert_eq!(summary["consumers"][1]["executions"], 1);
    assert_eq!(summary["messages"][1]["body"], "Ben");
    assert_eq!(
        summary["messages"][1]["effects_at"],
        serde_json::json!([5.0, 5.5])
    );
}

#[test]
fn a_row_a_message_is_printed_up_to_a_thousand_messages() {
    for (count, rows) in [(1_000, Some(1_000)), (1_001, None)] {
        let sends = format!(r#"{{"at":"0s","count":{count}}}"#);
        let output = queue_sim(
            &["run", "-"],
            &small("").replace(r#"{"at":"0s","body":"m1"}"#, &sends),
        );
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["totals"]["sent"], count);
        assert_eq!(summary["messages"].as_array().map(Vec::len), rows);
    }
}

#[test]
fn run_reads_standard_input_and_stops_where_it_is_told() {
    let output = queue_sim(&["run", "-", "--until", "0.5s", "--seed=9"], &small(""));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["at"], 0.5);
    assert_eq!(summary["seed"], 9);
    assert_eq!(summary["totals"]["executions"], 0);
}

#[test]
fn the_trace_is_json_lines_with_ordinals_without_gaps_and_names_resolved() {
    let output = queue_sim(&["run", SHIPPED, "--trace"], "");
    let events: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (ordinal, event) in events.iter().enumerate() {
        assert_eq!(event["ordinal"], ordinal);
        assert!(event["cause"].is_null() || event["cause"].as_u64() < Some(ordinal as u64));
    }
    let second = events.iter().find(|event| event["delivery"] == 2).unwrap();
    assert_eq!(second["kind"], "delivered");
    assert_eq!(second["consumer"], "worker-1");
    assert_eq!(second["queue"], "orders");
    assert_eq!(second["at"], 4.0);
}

#[test]
fn check_prints_a_line_a_claim_and_says_by_its_status_whether_all_held() {
    let held = queue_sim(&["check", SHIPPED], "");
    assert_eq!(held.status.code(), Some(0));
    assert!(
        text(&held.stdout)
            .lines()
            .all(|line| line.starts_with("ok      "))
    );

    let claims = r#","expect":[{"metric":"deliveries","is":1},{"metric":"deliveries","is":2}],
        "variants":[{"name":"slow","change":{"consumers":{"c":{"processing":"20s"}}},
                     "expect":[{"metric":"executions","at_least":1}]}]"#;
    let failed = queue_sim(&["check", "-"], &small(claims));
    assert_eq!(failed.status.code(), Some(1));
    assert_eq!(
        text(&failed.stdout),
        "ok      -  expect[0]  deliveries: expected 1, got 1\n\
         FAILED  -  expect[1]  deliveries: expected 2, got 1\n\
         FAILED  -  variants[0].expect[0] (slow)  executions: expected at least 1, got 0\n"
    );
}

#[test]
fn wrong_input_ends_with_status_2_and_a_line_a_problem() {
    let output = queue_sim(
        &["run", "-"],
        r#"{"version":1,"queues":[{"name":"q"}],
            "consumers":[{"name":"c","from":"q","prefetch":0},{"name":"d","from":"p"}]}"#,
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(
        text(&output.stderr),
        "consumers[0].prefetch: 0 is not allowed; use 1 or more\n\
         consumers[1].from: there is no queue \"p\"; did you mean \"q\"?\n"
    );
}

#[test]
fn wrong_arguments_end_with_status_2() {
    for arguments in [
        &[][..],
        &["walk", SHIPPED],
        &["run"],
        &["run", SHIPPED, SHIPPED],
        &["run", SHIPPED, "--fast"],
        &["run", SHIPPED, "--until", "soon"],
        &["run", SHIPPED, "--until"],
        &["run", SHIPPED, "--seed", "-1"],
        &["run", "/no/such/file"],
        &["check"],
        &["schema", "x", "--y"],
    ] {
        let output = queue_sim(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_endless_run_needs_an_end() {
    let endless = small("").replace("\"duration\":\"10s\",", "");
    let output = queue_sim(&["run", "-"], &endless);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--until"));
    assert_eq!(
        queue_sim(&["run", "-", "--until", "5s"], &endless)
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn render_draws_the_stage_of_one_instant_as_svg() {
    let ben_twice = queue_sim(&["render", SHIPPED, "--at", "4.5s"], "");
    assert_eq!(ben_twice.status.code(), Some(0));
    let svg = text(&ben_twice.stdout);
    assert!(svg.starts_with("<svg"), "{}", &svg[..svg.len().min(80)]);
    assert!(svg.contains("×2"));
    let before = queue_sim(
        &["render", SHIPPED, "--at", "3.5s", "--dark", "--width=900"],
        "",
    );
    let svg = text(&before.stdout);
    assert!(!svg.contains("×2") && svg.contains("worker-2"));
    assert_eq!(queue_sim(&["render", SHIPPED], "").status.code(), Some(2));
}

#[test]
fn help_and_schema_go_to_standard_output() {
    let help = queue_sim(&["--help"], "");
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("queue-sim run FILE|-"));
    let schema = queue_sim(&["schema"], "");
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert_eq!(
        schema["properties"]["queues"]["items"]["$ref"],
        "#/$defs/Queue"
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_queue-sim"))
        .args(["run", "-", "--trace"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let busy = small("").replace(r#""sends":[{"at":"0s","body":"m1"}]"#, r#""every":"1ms""#);
    child
        .stdin
        .take()
        .unwrap()
        .write_all(busy.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn the_counts_of_each_queue_add_up_in_the_summary() {
    // One message is delivered twice and then no more; it is there until somebody looks at it.
    let stays = r#"{"version":1,"duration":"60s",
        "queues":[{"name":"q","visibility_timeout":"1s","max_deliveries":2,"exhausted":"stays"}],
        "producers":[{"name":"p","to":"q","sends":[{"at":"0s","body":"m1","poison":true}]}],
        "consumers":[{"name":"c","from":"q","processing":"100ms"}]}"#;
    let output = queue_sim(&["run", "-"], stays);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    let queue = &summary["queues"][0];
    let count = |name: &str| {
        let value = queue[name].as_u64();
        value.unwrap_or_else(|| panic!("no {name}: {queue}"))
    };
    assert_eq!(count("undeliverable"), 1);
    assert_eq!(summary["totals"]["undeliverable"], 1);
    let held = [
        "ready",
        "delayed",
        "in_flight",
        "undeliverable",
        "acked",
        "moved_out",
        "expired",
    ];
    let gone = [
        "dropped",
        "purged",
        "discarded",
        "archived",
        "lost_in_restart",
    ];
    let sum: u64 = held.into_iter().chain(gone).map(count).sum();
    assert_eq!(sum, count("stored") + count("moved_in"));
}

#[test]
fn problems_of_names_do_not_hide_each_other() {
    let names = r#"{"version":1,"duration":"5s",
        "queues":[{"name":""},{"name":"\u202ex"},{"name":"c"},{"name":"c"},
            {"name":"d","retry_delay":{"min":"2s","max":"1ms"}}]}"#;
    let output = queue_sim(&["check", "-"], names);
    let said = text(&output.stdout) + &text(&output.stderr);
    for path in [
        "queues[0].name",
        "queues[1].name",
        "queues[3].name",
        "queues[4].retry_delay.min",
    ] {
        assert_eq!(said.matches(path).count(), 1, "{path} in {said}");
    }
    assert!(!said.contains("queues[2]"), "{said}");
}

#[test]
fn an_instant_after_the_end_is_drawn_as_the_end() {
    let file = small("");
    let at = |time: &str| queue_sim(&["render", "-", "--at", time], &file).stdout;
    assert_eq!(at("999d"), at("10s"));
    assert_ne!(at("10s"), at("0.5s"));
}

#[test]
fn an_unlimited_run_is_not_called_one_without_a_duration() {
    let endless = small("").replace(r#""duration":"10s""#, r#""duration":"unlimited""#);
    let output = queue_sim(&["run", "-"], &endless);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("unlimited"));
}
