//! How the JSON Schema describes settings.

use super::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;
use std::borrow::Cow;

impl JsonSchema for Chance {
    fn schema_name() -> Cow<'static, str> {
        "Chance".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1,
            "description": "A chance from 0 (never) to 1 (always)." })
    }
}

impl JsonSchema for Priorities {
    fn schema_name() -> Cow<'static, str> {
        "Priorities".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A priority, or weights by priority that are drawn for every send.", "anyOf": [
            { "type": "null" },
            { "type": "integer", "minimum": 0, "maximum": 255 },
            { "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } },
        ] })
    }
}

impl JsonSchema for Processing {
    fn schema_name() -> Cow<'static, str> {
        "Processing".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let time = generator.subschema_for::<Micros>();
        let object = |properties: Value, required: &[&str]| {
            json!({ "type": "object", "properties": properties, "required": required,
                "additionalProperties": false })
        };
        let choice = |name: &str, inner: Value| object(json!({ name: inner }), &[name]);
        json_schema!({
            "description": "How long the handler works on one delivery.",
            "anyOf": [
                time,
                choice("uniform", object(json!({ "min": time, "max": time }), &["min", "max"])),
                choice("exponential", object(json!({ "mean": time }), &["mean"])),
                choice("log_normal", object(
                    json!({ "median": time, "sigma": { "type": "number", "minimum": 0, "maximum": 5 } }),
                    &["median"],
                )),
                choice("slow_then_fast", object(
                    json!({ "slow": time, "fast": time, "slow_deliveries": { "type": "integer", "minimum": 0 } }),
                    &["slow", "fast"],
                )),
            ],
        })
    }
}

impl JsonSchema for Backoff {
    fn schema_name() -> Cow<'static, str> {
        "Backoff".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let time = generator.subschema_for::<Micros>();
        let chance = generator.subschema_for::<Chance>();
        json_schema!({
            "description": "Delay before a returned message is visible again: multiplied by `factor` for each further delivery, at most `cap`, less a random share of up to `jitter`.",
            "anyOf": [time, {
                "type": "object",
                "properties": {
                    "delay": time,
                    "factor": { "type": "number", "minimum": 0, "maximum": 1000, "default": 1 },
                    "cap": time,
                    "jitter": chance,
                },
                "required": ["delay"],
                "additionalProperties": false,
            }],
        })
    }
}

impl JsonSchema for OnFailure {
    fn schema_name() -> Cow<'static, str> {
        "OnFailure".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "What a consumer does with a delivery whose handler failed.",
            "anyOf": [
                { "enum": ["nack", "let_timeout_end"] },
                {
                    "type": "object",
                    "properties": { "nack": generator.subschema_for::<Backoff>() },
                    "required": ["nack"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

impl JsonSchema for Idempotence {
    fn schema_name() -> Cow<'static, str> {
        "Idempotence".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let method = generator.subschema_for::<IdempotenceMethod>();
        json_schema!({
            "description": "How a consumer guards against applying an effect twice.",
            "anyOf": [method, {
                "type": "object",
                "properties": {
                    "method": method,
                    "key": generator.subschema_for::<IdempotenceKey>(),
                    "window": generator.subschema_for::<Micros>(),
                    "capacity": { "type": "integer", "minimum": 1 },
                },
                "required": ["method"],
                "additionalProperties": false,
            }],
        })
    }
}
