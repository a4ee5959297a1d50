//! Variants: the same scenario with some settings changed, by name.

use serde_json::{Map, Value};

use super::claims::ClaimFile;
use super::field::{Field, one_field, read_object, record, refuse, refuse_unknown};
use super::file::Scenario;
use super::problem::{At, Problems, did_you_mean};

record! {
    /// The same scenario with other settings.
    pub struct Variant {
        /// A few words: what is different.
        pub name: String,
        /// The fields that are different, as in the file itself. Queues, producers and consumers may be given as an
        /// object by name, holding only the fields that change; null restores a default.
        pub change: Change,
        /// Statements that must hold then.
        pub expect: Vec<ClaimFile> = Vec::new(),
    }
}

/// The fields that a variant changes.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Change(pub Map<String, Value>);

/// What a variant may change.
const CHANGEABLE: [&str; 10] = [
    "behaves_like",
    "seed",
    "duration",
    "queues",
    "producers",
    "consumers",
    "downstreams",
    "network",
    "starvation",
    "commands",
];

impl Field for Change {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        let object = read_object(value, at, problems)?;
        refuse_unknown(object, &CHANGEABLE, at, problems);
        Some(Self(object.clone()))
    }
    fn write(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

impl Scenario {
    /// The scenario that a variant describes: its settings changed, its claims in place of `expect`, and no variants
    /// of its own.
    pub fn with_variant(&self, variant: &Variant) -> Result<Scenario, Vec<super::Problem>> {
        let mut problems = Problems::default();
        let scenario = self.merged(variant, At::Named("change"), &mut problems);
        problems.finish(scenario)
    }

    /// [`Scenario::with_variant`], noting problems as lying under `at`.
    pub(super) fn merged(
        &self,
        variant: &Variant,
        at: At<'_>,
        problems: &mut Problems,
    ) -> Option<Scenario> {
        let plain = Scenario {
            variants: Vec::new(),
            alerts: Vec::new(),
            expect: Vec::new(),
            view: super::View::default(),
            ..self.clone()
        };
        let mut value = plain.write();
        let Value::Object(object) = &mut value else {
            return None;
        };
        for (name, change) in &variant.change.0 {
            match (object.get_mut(name), change) {
                (Some(Value::Array(items)), Value::Object(by_name)) if name != "commands" => {
                    merge_by_name(items, by_name, at.field(name), problems);
                }
                (Some(Value::Object(object)), Value::Object(patch)) => merge(object, patch),
                _ => merge(object, &one_field(name, change.clone())),
            }
        }
        let merged = Scenario::read(&value, at, problems)?;
        Some(Scenario {
            expect: variant.expect.clone(),
            alerts: self.alerts.clone(),
            view: self.view.clone(),
            ..merged
        })
    }
}

/// Puts the fields of `patch` in place of those of `object`; null takes a field away.
pub(super) fn merge(object: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, value) in patch {
        if value.is_null() {
            object.remove(name);
        } else {
            object.insert(name.clone(), value.clone());
        }
    }
}

/// Merges into each item that is named.
fn merge_by_name(
    items: &mut [Value],
    by_name: &Map<String, Value>,
    at: At<'_>,
    problems: &mut Problems,
) {
    for (name, patch) in by_name {
        let at = at.field(name);
        let Value::Object(patch) = patch else {
            let _: Option<()> = refuse(
                patch,
                at,
                problems,
                "use an object of the fields that change",
            );
            continue;
        };
        let named = |item: &Value| item.get("name").and_then(Value::as_str) == Some(name.as_str());
        match items.iter_mut().find(|item| named(item)) {
            Some(Value::Object(item)) => {
                super::edit::clear_alternatives(item, patch);
                merge(item, patch);
            }
            _ => {
                let known = items.iter().filter_map(|item| item.get("name")?.as_str());
                let hint = did_you_mean(name, known).unwrap_or_default();
                problems.push(at, "there is nothing of this name", hint);
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl schemars::JsonSchema for Change {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Change".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let properties: Map<String, Value> = CHANGEABLE
            .iter()
            .map(|name| ((*name).into(), Value::Bool(true)))
            .collect();
        schemars::json_schema!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}
