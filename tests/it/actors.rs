//! Consumers and producers: what they do with what they hold, and people in their place.

mod acking;
mod batches;
mod breaking;
mod by_hand;
mod claims;
mod crashing;
mod downstreams;
mod pushing;
mod refused_calls;
mod runs;
mod standing_by;
