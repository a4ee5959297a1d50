//! The scenarios that are shipped, compiled in.

use super::Symptom;

/// A shipped scenario.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shipped {
    /// Its name in addresses and file names.
    pub slug: &'static str,
    /// What a person would ask who sees it happen.
    pub question: &'static str,
    /// Where the picker lists it.
    pub symptom: Symptom,
    /// The file.
    pub json: &'static str,
}

macro_rules! shipped {
    ($($slug:literal, $symptom:ident, $question:literal;)*) => {
        /// All of them, in the picker's order; the first is the one that the page opens on.
        pub const CATALOGUE: &[Shipped] = &[$(Shipped {
            slug: $slug,
            question: $question,
            symptom: Symptom::$symptom,
            json: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/static/scenarios/", $slug, ".json")),
        },)*];
    };
}

shipped! {
    "charged-twice", ProcessedTwice, "Why was Ben charged twice?";
    "four-switches", StuckOrStarving, "What do FIFO, prefetch, visibility timeout and retry budget really do?";
}

/// The shipped scenario of this name.
pub fn find(slug: &str) -> Option<&'static Shipped> {
    CATALOGUE.iter().find(|shipped| shipped.slug == slug)
}
