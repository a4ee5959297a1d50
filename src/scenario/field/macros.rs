//! Macros that make a struct or a plain enum a value in files. The fields, their documentation and their defaults are
//! written once; reading, writing and the schema follow from them.

/// Implements [`Field`] for a struct as an object of named fields. A field with `= default` may be left out, and is
/// left out when written with that value.
macro_rules! object_fields {
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
    (@blank) => { Default::default() };
    (@blank $default:expr) => { $default };
    (@required) => { true };
    (@required $default:expr) => { false };
    ($(#[doc = $doc:expr])* $name:ident {
        $($(#[doc = $field_doc:expr])* $field:ident: $type:ty $(= $default:expr)?,)*
    }) => {
        impl $name {
            /// The names of its fields in files.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];
        }

        impl $name {
            /// One whose fields have their defaults, and are blank where they have none.
            pub(in $crate::scenario) fn unread() -> Self {
                use $crate::scenario::field::*;
                Self { $($field: object_fields!(@blank $($default)?),)* }
            }

            /// What `write` makes of its fields.
            pub(in $crate::scenario) fn written_by(
                &self,
                write: fn(&[$crate::scenario::field::WriteSlot<'_>]) -> serde_json::Value,
            ) -> serde_json::Value {
                use $crate::scenario::field::*;
                let unread = Self::unread();
                write(&[$(WriteSlot {
                    name: stringify!($field),
                    required: object_fields!(@required $($default)?),
                    value: &self.$field,
                    default: &unread.$field,
                },)*])
            }
        }

        impl $crate::scenario::field::Field for $name {
            fn read(
                value: &serde_json::Value,
                at: $crate::scenario::problem::At<'_>,
                problems: &mut $crate::scenario::problem::Problems,
            ) -> Option<Self> {
                use $crate::scenario::field::*;
                let mut read = Self::unread();
                let mut slots = [$(ReadSlot {
                    name: stringify!($field),
                    required: object_fields!(@required $($default)?),
                    value: &mut read.$field,
                },)*];
                read_slots(value, Self::FIELDS, &mut slots, at, problems).then_some(read)
            }

            fn write(&self) -> serde_json::Value {
                self.written_by($crate::scenario::field::write_slots)
            }
        }

        #[cfg(not(target_arch = "wasm32"))]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                use $crate::scenario::field::*;
                let mut properties = serde_json::Map::new();
                let mut required: Vec<&str> = Vec::new();
                $({
                    let default: Option<$type> = object_fields!(@default $($default)?);
                    if default.is_none() {
                        required.push(stringify!($field));
                    }
                    let documentation = concat!($($field_doc, "\n"),*);
                    describe_field(&mut properties, stringify!($field), documentation, default, generator);
                })*
                schemars::json_schema!({
                    "type": "object",
                    "description": concat!($($doc, "\n"),*).trim(),
                    "properties": properties,
                    "required": required,
                    "additionalProperties": false,
                })
            }
        }
    };
}
pub(in crate::scenario) use object_fields;

/// Defines a struct and its fields in files. With `default`, all fields have one and so has the struct.
macro_rules! record {
    ($(#[doc = $doc:expr])* pub struct $name:ident {
        $($(#[doc = $field_doc:expr])* pub $field:ident: $type:ty $(= $default:expr)?,)*
    }) => {
        $(#[doc = $doc])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name { $($(#[doc = $field_doc])* pub $field: $type,)* }

        $crate::scenario::field::object_fields! {
            $(#[doc = $doc])* $name { $($(#[doc = $field_doc])* $field: $type $(= $default)?,)* }
        }
    };
    ($(#[doc = $doc:expr])* pub struct $name:ident default {
        $($(#[doc = $field_doc:expr])* pub $field:ident: $type:ty = $default:expr,)*
    }) => {
        $crate::scenario::field::record! {
            $(#[doc = $doc])* pub struct $name {
                $($(#[doc = $field_doc])* pub $field: $type = $default,)*
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}
pub(in crate::scenario) use record;

/// Implements [`Field`] for a plain enum as one word of several.
macro_rules! word_fields {
    ($(#[doc = $doc:expr])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        impl $crate::scenario::field::Field for $name {
            fn read(
                value: &serde_json::Value,
                at: $crate::scenario::problem::At<'_>,
                problems: &mut $crate::scenario::problem::Problems,
            ) -> Option<Self> {
                let words = &[$($word),*];
                let word = $crate::scenario::field::read_word(value, words, at, problems)?;
                [$(Self::$variant),*].get(word).copied()
            }
            fn write(&self) -> serde_json::Value {
                let word: &str = match self { $(Self::$variant => $word,)* };
                word.into()
            }
        }

        #[cfg(not(target_arch = "wasm32"))]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "description": concat!($($doc, "\n"),*).trim(), "enum": [$($word),*]
                })
            }
        }
    };
}
pub(in crate::scenario) use word_fields;
