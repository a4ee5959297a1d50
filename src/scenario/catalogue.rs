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
    "vt-shorter-than-processing", ProcessedTwice, "Why did one message open two tickets while the first handler was still working?";
    "batch-sequential-expiry", ProcessedTwice, "Why do the last messages of every batch run twice, although each takes only 4 s?";
    "prefetched-expires-in-buffer", ProcessedTwice, "Why did a task run twice that was only waiting in a worker's buffer?";
    "visibility-zero-triple-delivery", ProcessedTwice, "Why did one message come three times at once?";
    "change-visibility-reverts", ProcessedTwice, "Why did the message come back after 30 s when I had set its timeout to 60?";
    "fifo-dead-consumer-blocks-group", StuckOrStarving, "Why is a whole group silent for five minutes after one worker died?";
    "delayed-message-does-not-block-group", StuckOrStarving, "Does a delayed message keep the rest of its group waiting?";
    "dlq-only-on-next-receive", DeadLetters, "Why is the message not in the DLQ although its last attempt is long over?";
    "dlq-too-late", DeadLetters, "Why did nobody see a broken document for eight hours?";
    "redrive-loop", DeadLetters, "Why does the same broken message fail for ever, although there is a retry budget?";
    "retry-budget-off-by-one", DeadLetters, "Does a limit of 3 mean three attempts, or three more after the first?";
    "content-dedup-lost-update", Lost, "Why was my second update accepted and never delivered?";
    "fifo-poison-head-of-line", OutOfOrder, "Why does one bad message stop its whole group, and why do later ones then run without it?";
    "hot-group-serialization", Slow, "Why do ten workers empty this queue no faster than one?";
    "idle-empty-receives", Slow, "Why do I pay for 15 requests a minute on a queue that has no messages?";
}

/// The shipped scenario of this name.
pub fn find(slug: &str) -> Option<&'static Shipped> {
    CATALOGUE.iter().find(|shipped| shipped.slug == slug)
}
