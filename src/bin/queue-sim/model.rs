//! docs/model.md: what is modelled of each broker, after which document, and what is not.

use std::fmt::Write as _;

use queue_playground::scenario::{Consumer, May, Name, Producer, Profile, Queue, Role};
use serde_json::Value;

const INTRODUCTION: &str = include_str!("model/introduction.md");
const EVERYWHERE: &str = include_str!("model/everywhere.md");

const RULES: &str = include_str!("../../../tests/conformance/rules.jsonl");

/// A broker: its heading, its profiles, what its rules are filed under, its cases, and its documents.
struct Broker {
    heading: &'static str,
    profiles: &'static [Profile],
    rules: &'static [&'static str],
    cases: &'static str,
    notes: &'static str,
}

const BROKERS: &[Broker] = &[
    Broker {
        heading: "Amazon SQS",
        profiles: &[Profile::SqsStandard, Profile::SqsFifo],
        rules: &["Amazon SQS", "Amazon SQS FIFO", "AWS Lambda on SQS"],
        cases: include_str!("../../../tests/conformance/sqs.jsonl"),
        notes: include_str!("model/sqs.md"),
    },
    Broker {
        heading: "RabbitMQ",
        profiles: &[
            Profile::RabbitClassic,
            Profile::RabbitQuorum3,
            Profile::RabbitQuorum40,
            Profile::RabbitQuorum43,
        ],
        rules: &["RabbitMQ"],
        cases: include_str!("../../../tests/conformance/rabbitmq.jsonl"),
        notes: include_str!("model/rabbitmq.md"),
    },
    Broker {
        heading: "NATS JetStream",
        profiles: &[Profile::JetStream],
        rules: &["NATS JetStream"],
        cases: include_str!("../../../tests/conformance/nats.jsonl"),
        notes: include_str!("model/jetstream.md"),
    },
    Broker {
        heading: "Redis Streams",
        profiles: &[Profile::RedisStreams],
        rules: &["Redis Streams"],
        cases: include_str!("../../../tests/conformance/redis.jsonl"),
        notes: include_str!("model/redis.md"),
    },
    Broker {
        heading: "Google Pub/Sub",
        profiles: &[Profile::PubSub, Profile::PubSubOrdered],
        rules: &["Google Pub/Sub"],
        cases: include_str!("../../../tests/conformance/pubsub.jsonl"),
        notes: include_str!("model/pubsub.md"),
    },
    Broker {
        heading: "Azure Service Bus",
        profiles: &[Profile::ServiceBus, Profile::ServiceBusSessions],
        rules: &["Azure Service Bus"],
        cases: include_str!("../../../tests/conformance/service_bus.jsonl"),
        notes: include_str!("model/service_bus.md"),
    },
    Broker {
        heading: "Kafka share groups",
        profiles: &[Profile::KafkaShare],
        rules: &["Apache Kafka"],
        cases: include_str!("../../../tests/conformance/kafka.jsonl"),
        notes: include_str!("model/kafka.md"),
    },
];

/// The whole page.
pub fn model() -> String {
    let mut page = String::from(INTRODUCTION);
    at_a_glance(&mut page);
    for broker in BROKERS {
        let _ = write!(page, "\n## {}\n\n{}", broker.heading, broker.notes);
        for profile in broker.profiles {
            of_profile(*profile, &mut page);
        }
        let _ = write!(page, "\n### Rules of {}\n\n", broker.heading);
        rules(broker, &mut page);
    }
    page.push('\n');
    page.push_str(EVERYWHERE);
    page
}

/// The rules that decide most, side by side.
fn at_a_glance(page: &mut String) {
    let fields = [
        "hand_over",
        "returns_to",
        "count",
        "budget",
        "exhausted",
        "stale_ack",
    ];
    page.push_str("\n| behaves like | word in files | hand-over | a return goes to | counted | budget used up | then | an ack that is late |\n|---|---|---|---|---|---|---|---|\n");
    for profile in Profile::ALL.into_iter().filter(|it| *it != Profile::Free) {
        let cells = fields.map(|field| match profile.hold(Role::Queue, field).may {
            May::Lacks => "-".to_owned(),
            _ if field == "stale_ack" && profile == Profile::SqsFifo => "refused".to_owned(),
            _ => worded(profile.unless_set(Role::Queue, field).as_ref()),
        });
        let row = cells.join(" | ");
        let _ = writeln!(
            page,
            "| {} | `{}` | {row} |",
            profile.title(),
            profile.word()
        );
    }
}

/// A value in a table.
fn worded(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "none".into(),
        Some(Value::String(text)) => text.replace('_', " "),
        Some(Value::Array(items)) if items.is_empty() => "none".into(),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|item| worded(Some(item))).collect();
            items.join(", ")
        }
        Some(value) => format!("`{value}`"),
    }
}

/// A field in a table: what the broker calls it, and what it is called in files.
fn called(profile: Profile, concept: &str, field: &str) -> String {
    match profile.name(concept) {
        Name::Called(name) => format!("{name} (`{field}`)"),
        _ => format!("`{field}`"),
    }
}

fn of_profile(profile: Profile, page: &mut String) {
    let _ = write!(
        page,
        "\n### {}\n\n`behaves_like: \"{}\"`.\n",
        profile.title(),
        profile.word()
    );
    let roles = [
        (Role::Queue, Queue::FIELDS),
        (Role::Consumer, Consumer::FIELDS),
        (Role::Producer, Producer::FIELDS),
    ];
    let (mut open, mut fixed, mut lacking) = (String::new(), String::new(), Vec::new());
    for (role, fields) in roles {
        for field in fields {
            let concept = format!("{}{field}", role.prefix());
            let hold = profile.hold(role, field);
            let value = worded(profile.unless_set(role, field).as_ref());
            let own = hold.why.is_empty() && profile.name(&concept) == Name::Own;
            let name = called(profile, &concept, field);
            let choice = match hold.may {
                May::Lacks if profile.belongs_to_lacking(role, field) => continue,
                May::Lacks => {
                    let whose = match role {
                        Role::Consumer => "consumers: ",
                        Role::Producer => "producers: ",
                        _ => "",
                    };
                    let nearest = match hold.why {
                        "" => String::new(),
                        nearest => format!(" (nearest: {nearest})"),
                    };
                    lacking.push(format!("{whose}`{field}`{nearest}"));
                    continue;
                }
                May::Fixed => {
                    let _ = writeln!(fixed, "| {name} | {value} | {} |", hold.why);
                    continue;
                }
                _ if own || matches!(*field, "name" | "dead_letter_queue") => continue,
                May::Open => "anything".into(),
                May::Words(words) => {
                    worded(Some(&words.iter().copied().map(Value::from).collect()))
                }
                May::Seconds(from, to) => format!("{from} to {to} s"),
                May::Numbers(from, to) => format!("{from} to {to}"),
            };
            let _ = writeln!(open, "| {name} | {value} | {choice} | {} |", hold.why);
        }
    }
    let _ = write!(
        page,
        "\n| setting | unless set | may be | after |\n|---|---|---|---|\n{open}"
    );
    let _ = write!(page, "\n| fixed | is | because |\n|---|---|---|\n{fixed}");
    let _ = write!(page, "\nLacks {}.\n", lacking.join(", "));
}

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// What became of each rule, and how the product differs.
fn rules(broker: &Broker, page: &mut String) {
    page.push_str("| rule | in short | after | verified by | here |\n|---|---|---|---|---|\n");
    let mut differences = String::new();
    for rule in lines(RULES).filter(|it| broker.rules.contains(&text(it, "broker"))) {
        let id = text(&rule, "rule");
        let of_rule = lines(broker.cases).filter(|case| text(case, "rule") == id);
        let (run, left): (Vec<Value>, Vec<Value>) =
            of_rule.partition(|case| case.get("out_of_scope").is_none());
        let waits = run.iter().any(|case| case.get("waits_for").is_some());
        let here = match (
            text(&rule, "not_modelled"),
            text(&rule, "waits_for"),
            run.len(),
        ) {
            ("", "", 0) if !text(&rule, "test").is_empty() => "held by a test".to_owned(),
            ("", "", 0) => "no case".to_owned(),
            ("", "", _) if waits => "not there yet in part".to_owned(),
            ("", "", 1) => "held, 1 case".to_owned(),
            ("", "", cases) => format!("held, {cases} cases"),
            ("", waits_for, _) => format!("not there yet: {waits_for}"),
            (..) => "not modelled".to_owned(),
        };
        let setting = match text(&rule, "setting") {
            "" => String::new(),
            setting => format!("; {setting}"),
        };
        let _ = writeln!(
            page,
            "| {id} | {} | {} | {} | {here}{setting} |",
            text(&rule, "says"),
            text(&rule, "source"),
            text(&rule, "verified"),
        );
        for why in ["differs", "not_modelled"].map(|field| text(&rule, field)) {
            if !why.is_empty() {
                let _ = writeln!(differences, "| {id} | {} | {why} |", text(&rule, "says"));
            }
        }
        for case in left {
            let _ = writeln!(
                differences,
                "| {} | {} | {} |",
                text(&case, "id"),
                text(&rule, "says"),
                text(&case, "out_of_scope")
            );
        }
    }
    if !differences.is_empty() {
        let _ = write!(
            page,
            "\n### Differences from {}\n\n| rule or case | the product | here |\n|---|---|---|\n{differences}",
            broker.heading
        );
    }
}
