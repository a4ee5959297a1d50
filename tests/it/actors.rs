//! Consumers and producers: what they do with what they hold, and people in their place.

mod by_hand;
mod runs;
