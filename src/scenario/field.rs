//! Reading and writing of file values: one trait for every type that a field may have, and macros that build
//! objects of named fields from it. Reading goes on after a problem, so that all of them are found at once.

mod macros;

use serde_json::{Map, Value};

use super::problem::{At, Problems, did_you_mean, is_invisible, shown};
pub(super) use macros::{object_fields, record, word_fields};

/// What the published JSON Schema needs to know of a type; nothing in the browser.
#[cfg(not(target_arch = "wasm32"))]
pub trait Described: schemars::JsonSchema {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: schemars::JsonSchema> Described for T {}
/// What the published JSON Schema needs to know of a type; nothing in the browser.
#[cfg(target_arch = "wasm32")]
pub trait Described {}
#[cfg(target_arch = "wasm32")]
impl<T> Described for T {}

/// A value in a file.
pub trait Field: Sized + Described {
    /// Words that stand for the absence of such a value, besides `null`.
    const ABSENT: &'static [&'static str] = &[];

    /// Reads it; none when something is wrong, which is then among the problems.
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self>;

    /// Writes it; reading the result gives the same value.
    fn write(&self) -> Value;
    /// Whether it stands for a field that is not there, which no value that is written does.
    fn is_absent(&self) -> bool {
        false
    }

    /// How the schema describes it.
    #[cfg(not(target_arch = "wasm32"))]
    fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<Self>()
    }
}

/// Names the kind of a JSON value in a message.
pub fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", shown(text)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// Notes that `value` is not what belongs there.
pub fn refuse<T>(
    value: &Value,
    at: At<'_>,
    problems: &mut Problems,
    hint: impl AsRef<str>,
) -> Option<T> {
    note_refused(value, at, problems, hint.as_ref());
    None
}

#[inline(never)]
fn note_refused(value: &Value, at: At<'_>, problems: &mut Problems, hint: &str) {
    problems.push(at, format!("{} is not allowed", kind_of(value)), hint);
}

impl Field for bool {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(*value),
            _ => refuse(value, at, problems, "use true or false"),
        }
    }
    fn write(&self) -> Value {
        Value::Bool(*self)
    }
}

#[inline(never)]
fn read_whole(value: &Value, most: u64, at: At<'_>, problems: &mut Problems) -> Option<u64> {
    match value.as_u64() {
        Some(number) if number <= most => Some(number),
        _ => refuse(
            value,
            at,
            problems,
            format!("use a whole number from 0 to {most}"),
        ),
    }
}

/// The position of the word that `value` is among `words`.
#[inline(never)]
pub fn read_word(
    value: &Value,
    words: &[&str],
    at: At<'_>,
    problems: &mut Problems,
) -> Option<usize> {
    let known = |word: &str| words.iter().position(|known| *known == word);
    value.as_str().and_then(known).or_else(|| {
        let quoted: Vec<String> = words.iter().map(|word| format!(" \"{word}\"")).collect();
        refuse(
            value,
            at,
            problems,
            format!("use one of{}", quoted.concat()),
        )
    })
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl Field for $type {
            const ABSENT: &'static [&'static str] = &["none", "unlimited"];

            fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
                let number = read_whole(value, <$type>::MAX.into(), at, problems)?;
                <$type>::try_from(number).ok()
            }
            fn write(&self) -> Value {
                Value::from(*self)
            }
        }
    )*};
}
whole_numbers!(u8, u16, u32, u64);

impl Field for i32 {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        let number = value
            .as_i64()
            .and_then(|number| Self::try_from(number).ok());
        number.or_else(|| refuse(value, at, problems, "use a whole number"))
    }
    fn write(&self) -> Value {
        Value::from(*self)
    }
}

impl Field for f64 {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        match value.as_f64() {
            Some(number) if number.is_finite() => Some(number),
            _ => refuse(value, at, problems, "use a number"),
        }
    }
    fn write(&self) -> Value {
        // A whole number reads better without its ".0", and reads back the same.
        if self.fract() == 0.0 && self.abs() < 9e15 {
            Value::from(*self as i64)
        } else {
            Value::from(*self)
        }
    }
}

/// Longest text of any kind, in characters.
pub const LONGEST_TEXT: usize = 1_000;

impl Field for String {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        let Value::String(text) = value else {
            return refuse(value, at, problems, "use text in quotes");
        };
        if let Some(bad) = text.chars().find(|character| is_invisible(*character)) {
            problems.push(
                at,
                format!("contains the invisible character U+{:04X}", u32::from(bad)),
                "remove it",
            );
            // As it would read, so that the rest can be judged.
            return Some(text.chars().filter(|it| !is_invisible(*it)).collect());
        }
        if text.chars().count() > LONGEST_TEXT {
            problems.push(
                at,
                format!("is longer than {LONGEST_TEXT} characters"),
                "shorten it",
            );
            return Some(text.chars().take(LONGEST_TEXT).collect());
        }
        Some(text.clone())
    }
    fn write(&self) -> Value {
        Value::String(self.clone())
    }
}

#[inline(never)]
fn is_absent(value: &Value, words: &[&str]) -> bool {
    value.is_null() || value.as_str().is_some_and(|word| words.contains(&word))
}

impl<T: Field> Field for Option<T> {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        match is_absent(value, T::ABSENT) {
            true => Some(None),
            false => T::read(value, at, problems).map(Some),
        }
    }
    fn write(&self) -> Value {
        match (self, T::ABSENT.first()) {
            (Some(value), _) => value.write(),
            (None, Some(word)) => Value::from(*word),
            (None, None) => Value::Null,
        }
    }
    #[cfg(not(target_arch = "wasm32"))]
    fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut absent: Vec<Value> = T::ABSENT.iter().map(|word| Value::from(*word)).collect();
        absent.push(Value::Null);
        schemars::json_schema!({ "anyOf": [T::schema(generator), { "enum": absent }] })
    }
}

impl<T: Field> Field for Vec<T> {
    fn read(value: &Value, at: At<'_>, problems: &mut Problems) -> Option<Self> {
        let Value::Array(items) = value else {
            return refuse(value, at, problems, "use a list: [ … ]");
        };
        let mut read = Vec::new();
        for (index, item) in items.iter().enumerate() {
            read.extend(T::read(item, at.item(index), problems));
        }
        (read.len() == items.len()).then_some(read)
    }
    fn write(&self) -> Value {
        Value::Array(self.iter().map(Field::write).collect())
    }
    #[cfg(not(target_arch = "wasm32"))]
    fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "array", "items": T::schema(generator) })
    }
}

/// The object that `value` must be.
#[inline(never)]
pub fn read_object<'a>(
    value: &'a Value,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<&'a Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object),
        _ => refuse(value, at, problems, "use an object: { … }"),
    }
}

/// Reports the fields that are not in `known`.
#[inline(never)]
pub fn refuse_unknown(
    object: &Map<String, Value>,
    known: &[&str],
    at: At<'_>,
    problems: &mut Problems,
) {
    for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
        let hint = match problems.is_full() {
            true => String::new(),
            false => did_you_mean(name, known.iter().copied())
                .unwrap_or_else(|| format!("the fields here are {}", known.join(", "))),
        };
        problems.push(at.field(name), "there is no such field", hint);
    }
}

/// The field `name`, or its default: if it is not there, and if it is no fit value, so that the rest can be judged.
#[inline(never)]
pub fn read_field<T: Field>(
    object: &Map<String, Value>,
    name: &str,
    default: Option<T>,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<T> {
    match (look_up(object, name), default) {
        (Some(value), default) => T::read(value, at.field(name), problems).or(default),
        (None, Some(default)) => Some(default),
        (None, None) => {
            problems.push(at.field(name), "is missing", "give it a value");
            None
        }
    }
}

// Not inlined, like the functions above: the search in a map would be compiled into every field of every type.

#[inline(never)]
fn look_up<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name)
}

#[inline(never)]
fn put(object: &mut Map<String, Value>, name: &str, value: Value) {
    object.insert(name.into(), value);
}

/// An object of one field.
#[inline(never)]
pub fn one_field(name: &str, value: Value) -> Map<String, Value> {
    let mut object = Map::new();
    put(&mut object, name, value);
    object
}

/// An object of these fields. Not by collecting: the map would be built by a sort that is compiled for each caller.
pub fn object_of<'a>(fields: impl Iterator<Item = (&'a str, Value)>) -> Value {
    let mut object = Map::new();
    for (name, value) in fields {
        put(&mut object, name, value);
    }
    Value::Object(object)
}

/// Adds the field `name` unless it has its default.
pub fn write_field<T: Field + PartialEq>(
    object: &mut Map<String, Value>,
    name: &str,
    value: &T,
    default: Option<T>,
) {
    if default.as_ref() != Some(value) {
        put(object, name, value.write());
    }
}

/// A field of any type. Objects are read and written through it by one function each, not by one for every type.
pub trait Slot {
    /// Takes the value that is read; false, and as it was, when that is no fit one.
    fn fill(&mut self, value: &Value, at: At<'_>, problems: &mut Problems) -> bool;

    /// [`Field::write`].
    fn written(&self) -> Value;

    /// [`Field::is_absent`].
    fn stands_for_nothing(&self) -> bool;
}

impl<T: Field> Slot for T {
    fn fill(&mut self, value: &Value, at: At<'_>, problems: &mut Problems) -> bool {
        match T::read(value, at, problems) {
            Some(value) => {
                *self = value;
                true
            }
            None => false,
        }
    }
    fn written(&self) -> Value {
        self.write()
    }
    fn stands_for_nothing(&self) -> bool {
        self.is_absent()
    }
}

/// A field to be read. What is not required keeps its default if it is not there, and if it is no fit value, so that
/// the rest can be judged.
pub struct ReadSlot<'a> {
    /// What it is called.
    pub name: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// Its default, then what was read.
    pub value: &'a mut dyn Slot,
}

/// Reads the fields of the object that `value` must be; false when one that is required cannot be had.
pub fn read_slots(
    value: &Value,
    names: &[&str],
    slots: &mut [ReadSlot<'_>],
    at: At<'_>,
    problems: &mut Problems,
) -> bool {
    let Some(object) = read_object(value, at, problems) else {
        return false;
    };
    refuse_unknown(object, names, at, problems);
    let mut complete = true;
    for slot in slots {
        let place = at.field(slot.name);
        let had = match object.get(slot.name) {
            Some(value) => slot.value.fill(value, place, problems),
            None if slot.required => {
                problems.push(place, "is missing", "give it a value");
                false
            }
            None => true,
        };
        complete &= had || !slot.required;
    }
    complete
}

/// A field to be written.
pub struct WriteSlot<'a> {
    /// What it is called.
    pub name: &'static str,
    /// Whether it is written whatever it is.
    pub required: bool,
    /// What it is.
    pub value: &'a dyn Slot,
    /// What it need not be written as.
    pub default: &'a dyn Slot,
}

/// An object of the fields that are required or not as by default.
pub fn write_slots(slots: &[WriteSlot<'_>]) -> Value {
    let mut object = Map::new();
    for slot in slots {
        if slot.value.stands_for_nothing() {
            continue;
        }
        let value = slot.value.written();
        let differs = slot.default.stands_for_nothing() || value != slot.default.written();
        if slot.required || differs {
            put(&mut object, slot.name, value);
        }
    }
    Value::Object(object)
}

/// An object of all fields, whatever they are.
pub fn write_every_slot(slots: &[WriteSlot<'_>]) -> Value {
    object_of(slots.iter().map(|slot| (slot.name, slot.value.written())))
}

/// Adds the description of the field `name`.
#[cfg(not(target_arch = "wasm32"))]
pub fn describe_field<T: Field>(
    object: &mut Map<String, Value>,
    name: &str,
    documentation: &str,
    default: Option<T>,
    generator: &mut schemars::SchemaGenerator,
) {
    let mut schema = T::schema(generator);
    schema.insert("description".into(), documentation.trim().into());
    match default {
        Some(default) if default.is_absent() => None,
        Some(default) => schema.insert("default".into(), default.write()),
        None => None,
    };
    object.insert(name.into(), schema.to_value());
}
