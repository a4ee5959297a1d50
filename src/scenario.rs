//! The scenario file format: types, validation, presets, link codec.
