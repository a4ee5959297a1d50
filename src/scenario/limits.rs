//! What a scenario may ask for at most, and the checks that hold it to that.

use std::fmt::Display;

use super::duration;
use super::file::Scenario;
use super::lower::Lowering;
use super::problem::{At, is_invisible, shown};
use crate::engine::Micros;
use crate::engine::setup::{Pattern, ProducerSetup};

/// Fastest redrive with a rate, in messages a second. SQS: StartMessageMoveTask, MaxNumberOfMessagesPerSecond.
pub const REDRIVE_RATE: u32 = 500;
/// Queues.
pub const QUEUES: usize = 16;
/// Producers.
pub const PRODUCERS: usize = 64;
/// Consumers, every `count` expanded.
pub const CONSUMERS: u64 = 256;
/// Workers of one consumer.
pub const WORKERS: u16 = 64;
/// Messages in one receive.
pub const BATCH: u16 = 1_000;
/// Messages held by one consumer.
pub const PREFETCH: u32 = 100_000;
/// Commands, repetitions expanded.
pub const COMMANDS: usize = 10_000;
/// Variants.
pub const VARIANTS: usize = 32;
/// Claims of one list.
pub const CLAIMS: usize = 1_000;
/// Sends of all explicit lists together.
pub const PLANNED_SENDS: u32 = 200_000;
/// The same, with those of all variants.
pub const PLANNED_SENDS_IN_ALL: u64 = 1_000_000;
/// Settings changed by commands, each of which is checked like a file's; those of all variants counted.
pub const CHANGES: u64 = 20_000;
/// Sends in one burst, or in one send by hand.
pub const BURST: u32 = 200_000;
/// Planned sends in a simulated second, over all producers.
pub const SENDS_PER_SECOND: u64 = 100_000;
/// Message groups of one producer.
pub const GROUPS: usize = 10_000;
/// Re-sends of one message.
pub const RESENDS: u32 = 1_000;
/// Shards of one queue.
pub const SHARDS: u16 = 64;
/// Shortest time between two receives that find nothing.
pub const SHORTEST_POLL: Micros = Micros::from_millis(1);
/// Characters of a name.
pub const NAME: usize = 60;
/// Live messages on the page.
pub const LIVE_MESSAGES_PAGE: u32 = 200_000;
/// Live messages in `queue-sim`.
pub const LIVE_MESSAGES_NATIVE: u32 = 1_000_000;

impl Lowering {
    /// Refuses a scenario that is too large to be looked at in detail.
    pub(super) fn check_counts(&mut self, scenario: &Scenario, at: At<'_>) {
        let consumers: u64 = scenario
            .consumers
            .iter()
            .map(|consumer| u64::from(consumer.count.unwrap_or(1)))
            .sum();
        if scenario.queues.is_empty() {
            self.problems
                .push(at.field("queues"), "there is none", "give one or more");
        }
        let counts = [
            ("queues", scenario.queues.len() as u64, QUEUES as u64),
            (
                "producers",
                scenario.producers.len() as u64,
                PRODUCERS as u64,
            ),
            ("consumers", consumers, CONSUMERS),
            ("commands", scenario.commands.len() as u64, COMMANDS as u64),
            ("variants", scenario.variants.len() as u64, VARIANTS as u64),
            ("expect", scenario.expect.len() as u64, CLAIMS as u64),
            ("alerts", scenario.alerts.len() as u64, CLAIMS as u64),
            (
                "view.captions",
                scenario.view.captions.len() as u64,
                CLAIMS as u64,
            ),
        ];
        for (field, count, most) in counts {
            if count > most {
                let message = format!("{count} are not allowed");
                self.problems
                    .push(at.field(field), message, format!("use {most} or fewer"));
            }
        }
    }

    /// Refuses producers that send too much in a second of simulated time.
    pub(super) fn check_rate(&mut self, at: At<'_>, producers: &[ProducerSetup]) {
        let rate: u128 = producers.iter().map(sends_per_million_seconds).sum();
        if rate > u128::from(SENDS_PER_SECOND) * 1_000_000 {
            self.problems.push(
                at,
                format!("{} sends a second are planned", rate / 1_000_000),
                format!("plan {SENDS_PER_SECOND} or fewer, over all producers"),
            );
        }
    }

    /// Refuses names given twice, and names that are no names.
    pub(super) fn check_names<'a>(&mut self, list: At<'_>, names: impl Iterator<Item = &'a str>) {
        let mut known: Vec<&str> = Vec::new();
        for (index, name) in names.enumerate() {
            let item = list.item(index);
            self.check_name(item.field("name"), name);
            if known.contains(&name) {
                let message = format!("\"{}\" is taken", shown(name));
                self.problems
                    .push(item.field("name"), message, "use another name");
            } else {
                known.push(name);
            }
        }
    }

    /// Refuses a name that is empty, too long or edged with spaces, or that has invisible characters. Joiners are part
    /// of emoji and of Persian and Indic words.
    pub(super) fn check_name(&mut self, at: At<'_>, name: &str) {
        let message = if name.is_empty() {
            "is empty"
        } else if name.trim() != name {
            "begins or ends with a space"
        } else if name.chars().count() > NAME {
            "is too long"
        } else if name.chars().any(is_invisible) || has_stray_joiner(name) {
            "contains invisible characters"
        } else {
            return;
        };
        self.problems
            .push(at, message, format!("use 1 to {NAME} visible characters"));
    }

    /// Refuses `value` below `least`.
    pub(super) fn at_least(&mut self, at: At<'_>, value: Option<u32>, least: u32) {
        if let Some(value) = value
            && value < least
        {
            let message = format!("{value} is not allowed");
            self.problems
                .push(at, message, format!("use {least} or more"));
        }
    }

    /// Refuses `value` below `least` or above `most`.
    pub(super) fn between<T: Ord + Display>(&mut self, at: At<'_>, value: T, least: T, most: T) {
        let hint = if value < least {
            format!("use {least} or more")
        } else if value > most {
            format!("use {most} or less")
        } else {
            return;
        };
        self.problems
            .push(at, format!("{value} is not allowed"), hint);
    }

    /// Refuses a time below `least`.
    pub(super) fn no_shorter(&mut self, at: At<'_>, value: Micros, least: Micros) {
        if value < least {
            self.problems.push(
                at,
                format!("{} is not allowed", duration::format(value)),
                format!("use {} or more", duration::format(least)),
            );
        }
    }
}

/// How many sends a producer plans in a million seconds.
fn sends_per_million_seconds(producer: &ProducerSetup) -> u128 {
    let (size, every) = match producer.pattern {
        Pattern::List(_) => return 0,
        Pattern::Constant { every } => (1, every),
        Pattern::Poisson { mean } => (1, mean),
        Pattern::Bursts { size, every } => (size, every),
    };
    let rate = u128::from(size) * 1_000_000_000_000 / u128::from(every.0.max(1));
    // However fast, a limited producer sends no more than its limit.
    producer
        .limit
        .map_or(rate, |limit| rate.min(u128::from(limit) * 1_000_000))
}

/// Whether a joiner stands anywhere but between two characters that it can join.
fn has_stray_joiner(name: &str) -> bool {
    let is_joiner = |it: char| matches!(it, '\u{200c}' | '\u{200d}');
    let mut joins = false;
    let mut before = None;
    for character in name.chars() {
        let after_joiner = before.is_some_and(is_joiner);
        if is_joiner(character) && !joins || after_joiner && character.is_ascii() {
            return true;
        }
        joins = !is_joiner(character) && !character.is_ascii();
        before = Some(character);
    }
    before.is_some_and(is_joiner)
}

#[cfg(test)]
mod tests {
    use super::has_stray_joiner;

    #[test]
    fn joiners_are_part_of_emoji_and_words_and_of_nothing_else() {
        for name in [
            "👩\u{200d}👩\u{200d}👧",
            "می\u{200c}خواهم",
            "orders",
            "каса",
        ] {
            assert!(!has_stray_joiner(name), "{name}");
        }
        let stray = [
            "or\u{200d}ders",
            "\u{200d}а",
            "а\u{200c}",
            "а\u{200c}\u{200d}б",
            "а\u{200d}b",
        ];
        for name in stray {
            assert!(has_stray_joiner(name), "{name:?}");
        }
    }
}
