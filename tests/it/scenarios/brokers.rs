use super::command_line::{queue_sim, text};

#[test]
fn the_page_for_teachers_is_what_the_tables_and_the_cases_say() {
    let page = include_str!("../../../docs/model.md");
    let printed = text(&queue_sim(&["model"], "").stdout);
    assert!(
        page == printed,
        "write it anew: cargo run --bin queue-sim -- model > docs/model.md"
    );
}

#[test]
fn names_are_printed_for_one_broker_or_for_all() {
    let one = text(&queue_sim(&["names", "rabbitmq_classic"], "").stdout);
    for line in [
        "concept\tRabbitMQ",
        "call.ack\tbasic.ack",
        "queue.visibility_timeout\tno counterpart; nearest: x-consumer-timeout",
        "consumer.poll_interval\tno counterpart; nearest: basic.consume",
    ] {
        assert!(one.lines().any(|it| it == line), "{line}\n{one}");
    }
    let all = text(&queue_sim(&["names"], "").stdout);
    assert!(
        all.lines().all(|line| line.split('\t').count() == 8),
        "{all}"
    );
    let wrong = queue_sim(&["names", "rabbitmq"], "");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("rabbitmq: there is no such broker; use free, sqs_standard")
    );
}

#[test]
fn settings_are_exported_for_a_broker_and_refused_in_free() {
    let file = |broker: &str| {
        format!(
            r#"{{"version":1,"behaves_like":"{broker}","queues":[{{"name":"q"}}],
                "consumers":[{{"name":"c","from":"q"}}]}}"#
        )
    };
    let output = queue_sim(&["export", "-"], &file("nats_jetstream"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains(r#""ack_wait": 30000000000"#));
    let free = queue_sim(&["export", "-"], &file("free"));
    assert_eq!(free.status.code(), Some(2));
    assert!(text(&free.stderr).contains("-: behaves like no broker"));
}

fn summary(broker: &str, queue: &str, consumers: &str) -> serde_json::Value {
    let file = format!(
        r#"{{"version":1,"behaves_like":"{broker}","queues":[{queue}],"consumers":[{consumers}],
            "producers":[{{"name":"p","to":"q","sends":[{{"at":"0s","poison":true}},{{"at":"0s","count":3}}]}}]}}"#
    );
    let output = queue_sim(&["run", "-", "--until", "25s"], &file);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_consumer_of_sqs_polls_long_and_leaves_what_failed_to_its_timeout_unless_told_otherwise() {
    let ran = summary(
        "sqs_standard",
        r#"{"name":"q"}"#,
        r#"{"name":"c","from":"q","processing":"1s"}"#,
    );
    assert_eq!(ran["totals"]["failed"], 1);
    assert_eq!(ran["totals"]["acked"], 3);
    assert_eq!(ran["totals"]["empty_receives"], 1);
    assert_eq!(ran["queues"][0]["in_flight"], 1);
}

#[test]
fn an_idle_consumer_names_the_limit_or_the_active_consumer_that_keeps_it_idle() {
    let idle = |broker, queue| {
        let two = r#"{"name":"c","from":"q","processing":"1h","prefetch":1},
                     {"name":"d","from":"q","processing":"1h","prefetch":1}"#;
        summary(broker, queue, two)["consumers"][1]["idle_reason"].clone()
    };
    let limited = r#"{"name":"q","in_flight_limit":1,"visibility_timeout":"2h"}"#;
    assert_eq!(idle("nats_jetstream", limited), "in_flight_limit");
    let single = r#"{"name":"q","single_active_consumer":true}"#;
    assert_eq!(idle("rabbitmq_classic", single), "standby");
}
