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
