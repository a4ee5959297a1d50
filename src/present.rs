//! Pure view models: stage layout, formatting, colour roles and sentences.
