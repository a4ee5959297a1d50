//! How a scenario is shown: pace, captions and where it stops.

use super::command::Settings;
use super::field::{record, word_fields};
use super::profile::Profile;
use crate::engine::Micros;

record! {
    /// How a scenario is shown.
    pub struct View default {
        /// Seconds of the run in a second of real time, from 0.25 to 1000.
        pub speed: f64 = 1.0,
        /// Where it opens.
        pub from: Micros = Micros::ZERO,
        /// Where it pauses by itself.
        pub stop_at: Option<Micros> = None,
        /// What to look at first: the name of a queue, producer or consumer.
        pub focus: Option<String> = None,
        /// Sentences for moments of the run.
        pub captions: Vec<Caption> = Vec::new(),
        /// What to try when it has paused.
        pub invitation: Option<Invitation> = None,
        /// With `behaves_like` free: the broker whose names are used. A setting that it lacks is refused.
        pub vocabulary: Option<Profile> = None,
        /// What effects are called.
        pub outside: Option<Outside> = None,
    }
}

record! {
    /// A sentence for a moment; it stays until the next.
    pub struct Caption {
        /// From when.
        pub at: Micros,
        /// The sentence.
        pub text: String,
    }
}

record! {
    /// Something to try.
    pub struct Invitation {
        /// The sentence.
        pub text: String,
        /// The settings that it names, as in the command `set`.
        pub set: Option<Settings> = None,
    }
}

record! {
    /// The outside world: what effects are.
    pub struct Outside {
        /// What is counted: "cards charged".
        pub label: String,
        /// What amounts are in, written before them: "€".
        pub unit: String = String::new(),
    }
}

record! {
    /// What happened to somebody in production, and why. The fix is a variant of the scenario.
    pub struct Incident {
        /// The broker, in its own words: "RabbitMQ", "Celery on Redis".
        pub broker: String,
        /// What was seen.
        pub saw: String,
        /// What somebody expected.
        pub expected: String,
        /// Why it happened.
        pub cause: String,
        /// The setting that was wrong, as in this file.
        pub setting: Option<String> = None,
        /// Where it was told: names of public threads and pages.
        pub sources: Vec<String> = Vec::new(),
    }
}

/// What somebody notices first, as the picker groups scenarios.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Symptom {
    /// The same work was done more than once.
    ProcessedTwice,
    /// Messages wait although there are consumers.
    StuckOrStarving,
    /// Messages reach the dead-letter queue too early or too late.
    DeadLetters,
    /// Messages are gone without an effect.
    Lost,
    /// Later messages came first.
    OutOfOrder,
    /// Everything arrives, but late.
    Slow,
}

word_fields! {
    /// Where the picker lists a scenario.
    Symptom {
        ProcessedTwice = "processed_twice",
        StuckOrStarving = "stuck_or_starving",
        DeadLetters = "dead_letters",
        Lost = "lost",
        OutOfOrder = "out_of_order",
        Slow = "slow",
    }
}

impl Symptom {
    /// All of them, in the picker's order.
    pub const ALL: [Self; 6] = [
        Self::ProcessedTwice,
        Self::StuckOrStarving,
        Self::DeadLetters,
        Self::Lost,
        Self::OutOfOrder,
        Self::Slow,
    ];

    /// Its heading in the picker.
    pub const fn label(self) -> &'static str {
        match self {
            Self::ProcessedTwice => "Processed twice",
            Self::StuckOrStarving => "Stuck or starving",
            Self::DeadLetters => "In the DLQ too early or too late",
            Self::Lost => "Lost",
            Self::OutOfOrder => "Out of order",
            Self::Slow => "Slow",
        }
    }
}
