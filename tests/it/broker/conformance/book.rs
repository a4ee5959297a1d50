//! The cases as they stand in the files.

use serde_json::Value;

/// The files of cases, one a broker.
pub const FILES: [&str; 7] = [
    "sqs",
    "rabbitmq",
    "nats",
    "redis",
    "pubsub",
    "service_bus",
    "kafka",
];

/// One case.
#[derive(Clone, Debug)]
pub struct Case(pub Value);

impl Case {
    pub fn text(&self, field: &str) -> Option<&str> {
        self.0[field].as_str()
    }

    pub fn id(&self) -> &str {
        self.text("id").unwrap_or_default()
    }

    pub fn rule(&self) -> &str {
        self.text("rule").unwrap_or_default()
    }

    /// How often it is run: what it says of something that is drawn must hold for each seed, and each answer that it
    /// allows must come for some.
    pub fn seeds(&self) -> u64 {
        self.0["seeds"].as_u64().unwrap_or(1)
    }

    pub fn steps(&self) -> Vec<Value> {
        self.0["steps"].as_array().cloned().unwrap_or_default()
    }

    pub fn is_run(&self) -> bool {
        self.text("out_of_scope").is_none()
    }
}

fn text(file: &str) -> &'static str {
    match file {
        "sqs" => include_str!("../../../conformance/sqs.jsonl"),
        "rabbitmq" => include_str!("../../../conformance/rabbitmq.jsonl"),
        "nats" => include_str!("../../../conformance/nats.jsonl"),
        "redis" => include_str!("../../../conformance/redis.jsonl"),
        "pubsub" => include_str!("../../../conformance/pubsub.jsonl"),
        "service_bus" => include_str!("../../../conformance/service_bus.jsonl"),
        "kafka" => include_str!("../../../conformance/kafka.jsonl"),
        _ => "",
    }
}

/// The cases of a file.
pub fn cases(file: &str) -> Vec<Case> {
    text(file)
        .lines()
        .map(|line| Case(serde_json::from_str(line).unwrap()))
        .collect()
}

/// The rules, one a line.
pub fn rules() -> Vec<Value> {
    include_str!("../../../conformance/rules.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
