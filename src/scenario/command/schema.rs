//! How the JSON Schema describes commands.

use super::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;
use std::borrow::Cow;

impl JsonSchema for CommandFile {
    fn schema_name() -> Cow<'static, str> {
        "Command".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let actions = describe_actions(generator);
        let choices: Vec<Value> = actions
            .keys()
            .map(|name| json!({ "required": [name] }))
            .collect();
        let mut properties = actions;
        let time = generator.subschema_for::<Micros>();
        properties.insert("at".into(), time.clone().to_value());
        properties.insert("every".into(), time.to_value());
        properties.insert("times".into(), json!({ "type": "integer", "minimum": 1 }));
        json_schema!({
            "type": "object",
            "description": "What is done to the run at a time, once or every so often.",
            "properties": properties,
            "required": ["at"],
            "oneOf": choices,
            "additionalProperties": false,
        })
    }
}

impl JsonSchema for Redrive {
    fn schema_name() -> Cow<'static, str> {
        "Redrive".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "string" }, {
            "type": "object",
            "properties": { "from": { "type": "string" }, "limit": { "type": "integer", "minimum": 1 },
                "rate": { "type": "integer", "minimum": 1, "maximum": 500 } },
            "required": ["from"],
            "additionalProperties": false,
        }] })
    }
}

impl JsonSchema for Settings {
    fn schema_name() -> Cow<'static, str> {
        "Settings".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let choice = |name: &str, target: Target, whole: &str, of: Value| {
            let mut properties = Map::new();
            for field in target.changeable() {
                let reference = json!({ "$ref": format!("#/$defs/{whole}/properties/{field}") });
                properties.insert((*field).into(), reference);
            }
            properties.insert(name.into(), of);
            json!({ "type": "object", "properties": properties, "required": [name],
                "additionalProperties": false })
        };
        let text = || json!({ "type": "string" });
        let (queue, consumer, producer) = (
            Target::Queue(String::new()),
            Target::Consumer(String::new()),
            Target::Producer(String::new()),
        );
        json_schema!({
            "description": "Settings to change; the fields are those that the same thing has in the file.",
            "anyOf": [
                choice("queue", queue, "Queue", text()),
                choice("consumer", consumer, "Consumer", text()),
                choice("consumers", Target::AllConsumers, "Consumer", json!({ "const": "all" })),
                choice("producer", producer, "Producer", text()),
                {
                    "type": "object",
                    "properties": { "network": generator.subschema_for::<crate::engine::setup::NetworkSetup>() },
                    "required": ["network"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}
