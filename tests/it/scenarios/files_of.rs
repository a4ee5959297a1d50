//! A file that uses every field, valid as a whole.

pub const EVERY_FIELD: &str = include_str!("every-field.json");
