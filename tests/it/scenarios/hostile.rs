//! Input that was made to break things: each is refused with a path and a hint, or runs within bounds.

use queue_playground::engine::event::StuckReason;
use queue_playground::engine::{EventKind, Micros, Progress};
use queue_playground::scenario::{BoundedRun, LARGEST_FILE, Problem, Problems, Scenario};

use super::command_line::{queue_sim, text};

fn problems_of(file: &str) -> Vec<String> {
    match Scenario::from_json(file) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(Problem::to_string).collect(),
    }
}

fn with(queue: &str, producer: &str, consumer: &str) -> String {
    format!(
        r#"{{"version":1,"duration":"10s","queues":[{{"name":"q"{queue}}}],
            "producers":[{{"name":"p","to":"q"{producer}}}],
            "consumers":[{{"name":"c","from":"q"{consumer}}}]}}"#
    )
}

const ONE_SEND: &str = r#","sends":[{"at":"0s","poison":true}]"#;

#[test]
fn a_megabyte_of_nesting_is_refused() {
    for opening in ["[", "{\"queues\":", "[{\"a\":"] {
        let nested = opening.repeat(LARGEST_FILE / opening.len());
        let output = queue_sim(&["run", "-"], &nested);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("nested more than 32 deep"));
    }
}

#[test]
fn a_file_of_more_than_a_mebibyte_is_refused() {
    let large = format!("{}{}", with("", "", ""), " ".repeat(LARGEST_FILE));
    let output = queue_sim(&["run", "-"], &large);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("1 MiB"));
}

#[test]
fn what_is_not_json_or_not_text_is_refused() {
    for input in [
        "",
        "null",
        "[]",
        "{",
        "{\"version\":1,}",
        "\u{feff}\u{feff}",
        "1e999",
        "\"a",
    ] {
        assert!(!problems_of(input).is_empty(), "{input}");
    }
    let output = queue_sim(&["run", "-"], "\u{0}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn numbers_out_of_all_bounds_are_refused_with_their_path() {
    for (file, path) in [
        (with("", r#","every":1e308"#, ""), "producers[0].every"),
        (with("", r#","every":"1e308s""#, ""), "producers[0].every"),
        (with("", r#","every":"-1s""#, ""), "producers[0].every"),
        (with("", r#","every":"0s""#, ""), "producers[0].every"),
        (
            with("", r#","poisson":{"mean":"0s"}"#, ""),
            "producers[0].poisson.mean",
        ),
        (
            with("", r#","burst":{"size":200001,"every":"10h"}"#, ""),
            "producers[0].burst.size",
        ),
        (
            with("", r#","burst":{"size":0,"every":"1s"}"#, ""),
            "producers[0].burst.size",
        ),
        (
            with("", r#","every":"1s","poison_share":1e308"#, ""),
            "producers[0].poison_share",
        ),
        (
            with("", r#","every":"1s","poison_share":-0.1"#, ""),
            "producers[0].poison_share",
        ),
        (
            with("", r#","every":"1s","groups":4000000000"#, ""),
            "producers[0].groups",
        ),
        (
            with("", r#","sends":[{"at":"0s","count":4294967295}]"#, ""),
            "producers[0].sends[0].count",
        ),
        (
            with(r#","visibility_timeout":"-5s""#, ONE_SEND, ""),
            "queues[0].visibility_timeout",
        ),
        (
            with(r#","retention":"0s""#, ONE_SEND, ""),
            "queues[0].retention",
        ),
        (
            with(r#","max_deliveries":0"#, ONE_SEND, ""),
            "queues[0].max_deliveries",
        ),
        (
            with(r#","max_deliveries":-1"#, ONE_SEND, ""),
            "queues[0].max_deliveries",
        ),
        (
            with(r#","max_deliveries":1.5"#, ONE_SEND, ""),
            "queues[0].max_deliveries",
        ),
        (with(r#","shards":0"#, ONE_SEND, ""), "queues[0].shards"),
        (
            with("", ONE_SEND, r#","workers":1000000"#),
            "consumers[0].workers",
        ),
        (
            with("", ONE_SEND, r#","prefetch":4294967295"#),
            "consumers[0].prefetch",
        ),
        (
            with("", ONE_SEND, r#","wait":"0s""#),
            "consumers[0].poll_interval",
        ),
        (
            with(
                "",
                ONE_SEND,
                r#","heartbeat":{"every":"0s","extend_to":"1s"}"#,
            ),
            "consumers[0].heartbeat.every",
        ),
        (
            with(
                "",
                ONE_SEND,
                r#","processing":{"log_normal":{"median":"1s","sigma":1e308}}"#,
            ),
            "consumers[0].processing.sigma",
        ),
    ] {
        let found = problems_of(&file);
        // The path of a choice has its name in it: processing.log_normal.sigma.
        let matches = |line: &String| line.starts_with(path) || line.contains("sigma");
        assert!(found.iter().any(matches), "{path}: {found:#?}");
    }
}

#[test]
fn a_million_consumers_are_refused() {
    let found = problems_of(&with("", ONE_SEND, r#","count":1000000"#));
    assert_eq!(
        found,
        ["consumers: 1000000 are not allowed; use 256 or fewer"]
    );
}

#[test]
fn ten_million_sends_a_second_are_refused_however_they_are_spread() {
    let spread: Vec<String> = (0..64)
        .map(|n| format!(r#"{{"name":"p{n}","to":"q","every":"500us"}}"#))
        .collect();
    for producers in [
        r#"{"name":"p","to":"q","every":"100ns"}"#.to_string(),
        r#"{"name":"p","to":"q","every":"1us"}"#.to_string(),
        r#"{"name":"p","to":"q","burst":{"size":100000,"every":"10ms"}}"#.to_string(),
        spread.join(","),
    ] {
        let file = format!(
            r#"{{"version":1,"duration":"10s","queues":[{{"name":"q"}}],"producers":[{producers}]}}"#
        );
        let found = problems_of(&file);
        assert!(!found.is_empty(), "{producers}");
    }
}

#[test]
fn a_rate_that_a_command_raises_is_refused_as_well() {
    let file = with("", r#","every":"1s""#, "").replace(
        r#""duration""#,
        r#""commands":[{"at":"1s","set":{"producer":"p","every":"1us"}}],"duration""#,
    );
    assert_eq!(
        problems_of(&file),
        [
            "commands[0].set: 1000000 sends a second are planned; plan 100000 or fewer, over all producers"
        ]
    );
}

#[test]
fn names_with_invisible_or_reordering_characters_are_refused_and_shown_escaped() {
    for (written, told) in [
        ("a\\u0000b", "U+0000"),
        ("a\u{202e}b", "U+202E"),
        ("a\u{200b}b", "U+200B"),
        ("a\\nb", "U+000A"),
    ] {
        let file =
            with("", ONE_SEND, "").replace("\"name\":\"c\"", &format!("\"name\":\"{written}\""));
        let found = problems_of(&file);
        assert!(found[0].contains(told), "{found:#?}");
        assert!(
            found
                .iter()
                .all(|line| !line.contains(['\0', '\u{202e}', '\u{200b}', '\n']))
        );
    }
    // A field's name is foreign text as well.
    let found = problems_of("{\"version\":1,\"queues\":[],\"\u{202e}\\u0000\":1}");
    assert!(
        found[0].starts_with("\\u{0}") || found[0].contains("\\u{202e}"),
        "{found:#?}"
    );
}

#[test]
fn names_in_scripts_written_from_right_to_left_are_names() {
    let file = with("", ONE_SEND, "").replace("\"name\":\"c\"", "\"name\":\"תור\"");
    assert_eq!(problems_of(&file), [""; 0]);
}

#[test]
fn endless_names_and_texts_are_refused() {
    let long = "x".repeat(100_000);
    let name = with("", ONE_SEND, "").replace("\"name\":\"c\"", &format!("\"name\":\"{long}\""));
    assert!(problems_of(&name)[0].starts_with("consumers[0].name: is longer than"));
    let field = format!(r#"{{"version":1,"queues":[],"{long}":1}}"#);
    assert!(problems_of(&field).iter().all(|line| line.len() < 400));
}

#[test]
fn a_file_full_of_problems_is_told_in_bounded_words() {
    let junk: Vec<String> = (0..50_000).map(|n| format!("\"f{n}\":0")).collect();
    let found = problems_of(&format!("{{{}}}", junk.join(",")));
    assert_eq!(found.len(), Problems::MOST + 1);
}

#[test]
fn dead_letters_that_come_back_to_their_queue_are_refused() {
    let found = problems_of(&with(r#","dead_letter_queue":"q""#, ONE_SEND, ""));
    assert!(
        found[0].starts_with("queues[0].dead_letter_queue: "),
        "{found:#?}"
    );
}

#[test]
fn a_rate_that_no_redrive_has_is_told_with_those_that_it_can_have() {
    let of = |redrive: &str| {
        let file = with(r#","dead_letter_queue":"dead""#, ONE_SEND, "");
        let file = file.replace("\"queues\":[", r#""queues":[{"name":"dead"},"#);
        let command = format!(r#""commands":[{{"at":"1s",{redrive}}}],"queues""#);
        problems_of(&file.replace("\"queues\"", &command))
    };
    for rate in ["-1", "0", "501", "1.5", "5000000000"] {
        let found = of(&format!(r#""redrive":{{"from":"dead","rate":{rate}}}"#));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("commands[0].redrive.rate: ")
                && found[0].ends_with("use a whole number from 1 to 500"),
            "{found:?}"
        );
    }
    assert_eq!(of(r#""redrive":{"from":"dead","rate":500}"#), [""; 0]);
    for (command, path) in [
        (r#""redrive":{"from":"q"}"#, "commands[0].redrive"),
        (r#""redrive":"q""#, "commands[0].redrive"),
        (r#""cancel_redrive":"q""#, "commands[0].cancel_redrive"),
    ] {
        let found = of(command);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with(&format!("{path}: \"q\" is no dead-letter queue")),
            "{found:?}"
        );
    }
}

#[test]
fn a_nack_without_delay_at_zero_work_ends_the_run_and_says_so() {
    let file = with("", ONE_SEND, r#","processing":"0s","on_failure":"nack""#);
    let output = queue_sim(&["run", "-"], &file);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("stuck"),
        "{}",
        text(&output.stderr)
    );
    let trace = queue_sim(&["run", "-", "--trace"], &file);
    assert!(
        text(&trace.stdout)
            .lines()
            .last()
            .unwrap()
            .contains("\"kind\":\"stuck\"")
    );
}

#[test]
fn a_run_that_never_comes_to_its_end_stops_at_its_limit() {
    let file =
        with("", r#","every":"10us""#, r#","processing":"0s""#).replace("\"10s\"", "\"3650d\"");
    let output = queue_sim(&["run", "-", "--limit", "100000"], &file);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--limit"));
    let check = queue_sim(
        &["check", "-", "--limit", "1000"],
        &file.replace(
            "\"queues\"",
            r#""expect":[{"metric":"lost","is":0}],"queues""#,
        ),
    );
    assert_eq!(check.status.code(), Some(1));
    assert!(text(&check.stdout).starts_with("FAILED"));
}

#[test]
fn more_live_messages_than_allowed_end_the_run() {
    let file = with(
        "",
        r#","burst":{"size":100,"every":"1s"}"#,
        r#","processing":"1h""#,
    );
    let mut setup = Scenario::from_json(&file).unwrap().lower().unwrap();
    setup.live_message_cap = 550;
    let mut run = BoundedRun::new(setup, 1_000_000);
    let mut last = None;
    let progress = run.advance(Micros::from_secs(10), |event| {
        last = Some(event.kind);
        true
    });
    assert_eq!(progress, Progress::Stuck);
    assert_eq!(run.simulation.now(), Micros::from_secs(5));
    let reason = StuckReason::TooManyMessages;
    assert!(matches!(last, Some(EventKind::Stuck { reason: why, .. }) if why == reason));
}

#[test]
fn commands_without_end_are_refused() {
    for command in [
        r#"{"at":"0s","every":"1us","crash":"c"}"#,
        r#"{"at":"0s","every":"0s","times":4294967295,"crash":"c"}"#,
        r#"{"at":"0s","every":"1ms","times":9999,"crash":"c"}"#,
        r#"{"at":"0s","every":"1s","times":4294967295,"send":{"to":"q","count":4294967295}}"#,
    ] {
        let file = with("", ONE_SEND, r#","count":200"#).replace(
            "\"queues\"",
            &format!("\"commands\":[{command}],\"queues\""),
        );
        let found = problems_of(&file);
        assert!(found[0].starts_with("commands"), "{command}: {found:#?}");
    }
}
