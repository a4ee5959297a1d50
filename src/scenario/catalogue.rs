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

/// Copies the tokens of a JSON text into `into`, without the white space between them; how many bytes that is.
#[cfg(any(test, target_arch = "wasm32"))]
const fn squeeze(json: &str, into: &mut [u8]) -> usize {
    let (json, mut from, mut to) = (json.as_bytes(), 0, 0);
    let (mut in_text, mut escaped) = (false, false);
    while from < json.len() {
        let byte = json[from];
        if in_text || !byte.is_ascii_whitespace() {
            if to < into.len() {
                into[to] = byte;
            }
            to += 1;
        }
        in_text ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        from += 1;
    }
    to
}

#[cfg(not(target_arch = "wasm32"))]
macro_rules! carried {
    ($path:expr) => {
        include_str!($path)
    };
}
/// The page carries the files without the white space that makes them readable.
#[cfg(target_arch = "wasm32")]
macro_rules! carried {
    ($path:expr) => {{
        const READABLE: &str = include_str!($path);
        const SQUEEZED: [u8; squeeze(READABLE, &mut [])] = {
            let mut bytes = [0; squeeze(READABLE, &mut [])];
            squeeze(READABLE, &mut bytes);
            bytes
        };
        match std::str::from_utf8(&SQUEEZED) {
            Ok(json) => json,
            Err(_) => READABLE,
        }
    }};
}

macro_rules! shipped {
    ($($slug:literal, $symptom:ident, $question:literal;)*) => {
        /// All of them, in the picker's order; the first is the one that the page opens on.
        pub const CATALOGUE: &[Shipped] = &[$(Shipped {
            slug: $slug,
            question: $question,
            symptom: Symptom::$symptom,
            json: carried!(concat!(env!("CARGO_MANIFEST_DIR"), "/static/scenarios/", $slug, ".json")),
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
"long-task-four-copies", ProcessedTwice, "Why did the bulk mail go out four times?";
    "eta-longer-than-visibility", ProcessedTwice, "Why did a task that was scheduled once run twice at the same second?";
    "dedup-window-not-sliding", ProcessedTwice, "Why do repeats still get through, although they come faster than the window?";
    "whole-batch-retry", ProcessedTwice, "Why did purchases run three times and end in the DLQ although nothing is wrong with them?";
    "ackwait-unit-mistake", ProcessedTwice, "Why was every message delivered hundreds of times after the ack wait was set to 20 s?";
    "ack-timeout-closes-channel", ProcessedTwice, "Why is the channel closed for a missing ack although each job takes 11 s?";
    "crash-with-large-prefetch", ProcessedTwice, "Why does a crash repeat work that was done long before?";
    "producer-retry-duplicates", ProcessedTwice, "Why are there 110 messages when 100 were sent?";
    "dedup-store-ttl-too-short", ProcessedTwice, "Why did a message have its effect twice although its id is remembered?";
    "fifo-dead-consumer-blocks-group", StuckOrStarving, "Why is a whole group silent for five minutes after one worker died?";
    "delayed-message-does-not-block-group", StuckOrStarving, "Does a delayed message keep the rest of its group waiting?";
    "lock-livelock-stale-ack", StuckOrStarving, "Why does the backlog never shrink although all work gets finished?";
    "fifo-group-blocked-inflight", StuckOrStarving, "Why is a receive empty although 998 messages are visible?";
    "nack-requeue-hot-loop", StuckOrStarving, "Why does one message come back thousands of times while the next one waits?";
    "poison-crash-kills-consumers", StuckOrStarving, "Why do all workers die one after the other?";
    "maxdeliver-leaves-message", StuckOrStarving, "Why does a message sit in the stream that nobody gets any more?";
    "early-ack-vs-late-ack", StuckOrStarving, "Why is a task either gone or back for ever when it kills its worker?";
    "unbounded-prefetch-oom", StuckOrStarving, "Why does the consumer restart for ever on a long queue?";
    "consumer-priority-starves-others", StuckOrStarving, "Why does only the first consumer ever get messages?";
    "strict-priority-starvation", StuckOrStarving, "Why did the low jobs never run?";
    "pending-after-crash", StuckOrStarving, "Why do messages that a dead consumer had read never come back?";
    "inflight-limit-reached", StuckOrStarving, "Why are receives empty, without an error, while thousands wait?";
    "dlq-only-on-next-receive", DeadLetters, "Why is the message not in the DLQ although its last attempt is long over?";
    "dlq-too-late", DeadLetters, "Why did nobody see a broken document for eight hours?";
    "redrive-loop", DeadLetters, "Why does the same broken message fail for ever, although there is a retry budget?";
    "retry-budget-off-by-one", DeadLetters, "Does a limit of 3 mean three attempts, or three more after the first?";
    "throttle-burns-receive-count", DeadLetters, "How did messages reach the DLQ although their handler never ran?";
    "client-side-poison-check-skipped", DeadLetters, "Why is a message tried for hours although five attempts are the limit?";
    "instant-nak-burns-budget", DeadLetters, "Why did five retries not survive a hiccup of half a second?";
    "prefetch-lock-expiry-to-dlq", DeadLetters, "How did messages reach the DLQ although every attempt did its work?";
    "requeue-keeps-original-expiry", DeadLetters, "Why did a requeued message go straight to the dead-letter queue?";
    "content-dedup-lost-update", Lost, "Why was my second update accepted and never delivered?";
    "delivery-limit-20-drops", Lost, "Why were messages gone after an outage of half a minute?";
    "auto-ack-loss", Lost, "Why was the queue empty and most of the work gone after a crash?";
    "fetch-removes-before-processing", Lost, "Why do jobs vanish that were running when the process was killed?";
    "nondurable-restart", Lost, "Why are messages gone after a restart although the queue is durable?";
    "dlx-ttl-cycle-drop", Lost, "Why do messages vanish from a ring of two retry queues?";
    "maxlen-drop-head-vs-reject", Lost, "Why do the oldest messages disappear from a full queue?";
    "maxlen-counts-ready-only", Lost, "Why were messages dropped when a consumer went away?";
    "lag-silent-retention-loss", Lost, "Why are messages gone although nothing ever failed?";
    "jobid-dedup-until-record-evicted", Lost, "Why did adding a finished job again do nothing?";
    "fifo-poison-head-of-line", OutOfOrder, "Why does one bad message stop its whole group, and why do later ones then run without it?";
    "requeue-order-inversion", OutOfOrder, "Why does a requeued message end up behind later ones?";
    "standard-queue-stale-overwrite", OutOfOrder, "Why is the balance 120 when it should be 70?";
    "hot-group-serialization", Slow, "Why do ten workers empty this queue no faster than one?";
    "idle-empty-receives", Slow, "Why do I pay for 15 requests a minute on a queue that has no messages?";
    "short-poll-false-empty", Slow, "Why does a receive find nothing although the console shows a message?";
    "max-ack-pending-stall", Slow, "Why is the consumer idle although the stream is full?";
    "prefetch-one-latency-bound", Slow, "Why is a quick consumer ten times slower over the network?";
    "prefetch-hog", Slow, "Why does a short task wait for a minute while a worker is idle?";
    "priority-defeated-by-prefetch", Slow, "Why is an urgent message handled last?";
    "noisy-neighbour-fifo", Slow, "Why does one small customer wait for a hundred seconds?";
    "session-idle-hog", Slow, "Why does each slot do nothing for a minute after every message?";
    "ttl-head-blocking", Slow, "Why does a message with a delay of 30 minutes leave after an hour?";
    "backlog-drain-after-outage", Slow, "Why does a queue need an hour to recover from ten minutes?";
    "retry-herd-no-jitter", Slow, "Why does recovery take two minutes when the service can do 20 a second?";
}

/// The shipped scenario of this name.
pub fn find(slug: &str) -> Option<&'static Shipped> {
    CATALOGUE.iter().find(|shipped| shipped.slug == slug)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn the_page_carries_the_same_values_in_fewer_bytes() {
        for shipped in CATALOGUE {
            let mut bytes = vec![0; squeeze(shipped.json, &mut [])];
            squeeze(shipped.json, &mut bytes);
            let read = |json: &[u8]| serde_json::from_slice::<Value>(json).unwrap();
            assert_eq!(read(&bytes), read(shipped.json.as_bytes()));
            assert_eq!(
                bytes.len(),
                read(&bytes).to_string().len(),
                "{}",
                shipped.slug
            );
        }
    }

    #[test]
    fn white_space_within_text_stays() {
        let json = r#"{ "a \" b\\" : "c d" }"#;
        let mut bytes = vec![0; squeeze(json, &mut [])];
        squeeze(json, &mut bytes);
        assert_eq!(bytes, br#"{"a \" b\\":"c d"}"#);
    }
}
