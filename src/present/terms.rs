//! Labels, sentences and explanations in the words of a broker: a few nouns of ours replaced by its own, through the
//! table of names. No text is written twice.

use std::borrow::Cow;

use crate::engine::Setup;
use crate::scenario::{Name, Profile};

/// Nouns that brokers call otherwise; of two that begin alike the longer comes first. Empty: it stays as it is.
const NOUNS: [(&str, &str); 12] = [
    ("returns queue", ""),
    ("dead-letter queue", "noun.dead-letter queue"),
    ("visibility timeout", "noun.visibility timeout"),
    ("consumer timeout", ""),
    ("message group", "noun.group"),
    ("in flight", "noun.in flight"),
    ("consumer", "noun.consumer"),
    ("producer", "noun.producer"),
    ("receive", "noun.receive"),
    ("queue", "noun.queue"),
    ("group", "noun.group"),
    ("nack", "noun.nack"),
];

/// The broker's word for "ack" stands in many places where only "ack" would be meant, so it is looked for last.
const ACK: (&str, &str) = ("ack", "noun.ack");

/// What is left as it is although it holds a noun: names that people gave.
pub trait Kept {
    /// Whether the bytes from `start` to `end` of `text` are part of a name.
    fn keeps(&self, text: &str, start: usize, end: usize) -> bool;
}

impl Kept for () {
    fn keeps(&self, _: &str, _: usize, _: usize) -> bool {
        false
    }
}

impl Kept for Setup {
    fn keeps(&self, text: &str, start: usize, end: usize) -> bool {
        let queues = self.queues.iter().map(|it| &it.name);
        let consumers = self.consumers.iter().map(|it| &it.name);
        let producers = self.producers.iter().map(|it| &it.name);
        let names = queues.chain(consumers).chain(producers);
        let mut names = names.chain(&self.groups).chain(&self.bodies);
        let noun = text.get(start..end).unwrap_or_default();
        names.any(|name| {
            let within = name.match_indices(noun);
            let mut begins = within.filter_map(|(offset, _)| start.checked_sub(offset));
            begins.any(|begin| {
                text.get(begin..)
                    .is_some_and(|rest| rest.starts_with(name.as_str()))
            })
        })
    }
}

/// A text in the words of a broker. What `kept` says is a name stays as it was given.
pub fn renamed<'a>(text: &'a str, vocabulary: Profile, kept: &dyn Kept) -> Cow<'a, str> {
    if vocabulary == Profile::Free {
        return Cow::Borrowed(text);
    }
    let mut told = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let begins = at == 0
            || !text
                .get(..at)
                .unwrap_or_default()
                .ends_with(is_part_of_word);
        let noun = NOUNS.iter().chain([&ACK]);
        let noun = begins.then(|| noun.into_iter().find_map(|noun| found(rest, noun)));
        let Some(Some((length, concept))) = noun else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if let Name::Called(term) = vocabulary.name(concept)
            && !kept.keeps(text, at, at + length)
        {
            told.push_str(text.get(done..at).unwrap_or_default());
            agree(&mut told, term);
            let capital = rest.starts_with(|first: char| first.is_ascii_uppercase());
            match capital {
                true => told.push_str(&super::format::capitalised(term.to_owned())),
                false => told.push_str(term),
            }
            done = at + length;
            let plural = text.get(done..).is_some_and(|rest| rest.starts_with('s'));
            if plural && term.ends_with("ch") {
                told.push('e');
            }
        }
        at += length;
    }
    match done {
        0 => Cow::Borrowed(text),
        _ => {
            told.push_str(text.get(done..).unwrap_or_default());
            Cow::Owned(told)
        }
    }
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_')
}

/// How much of `rest` the noun is, if it begins with it as a word of its own, be it one or several of them.
fn found(rest: &str, noun: &(&str, &'static str)) -> Option<(usize, &'static str)> {
    let length = noun.0.len();
    let begin = rest.get(..length)?;
    let same = begin.get(1..) == noun.0.get(1..) && begin.eq_ignore_ascii_case(noun.0);
    let after = rest.get(length..)?;
    let after = after.strip_prefix('s').unwrap_or(after);
    (same && !after.starts_with(is_part_of_word)).then_some((length, noun.1))
}

/// Makes an article before the place where `term` is to stand agree with it.
fn agree(told: &mut String, term: &str) {
    let vowel = term.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'X']);
    for (article, right) in [
        (" a ", !vowel),
        (" an ", vowel),
        ("A ", !vowel),
        ("An ", vowel),
    ] {
        let alone = told.len() == article.len() || article.starts_with(' ');
        if !right && alone && told.ends_with(article) {
            let an = article.trim_end().ends_with('n');
            told.truncate(told.len() - if an { 2 } else { 1 });
            told.push_str(if an { " " } else { "n " });
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures;

    #[test]
    fn a_verb_that_ends_in_a_hiss_gets_its_e() {
        let told = renamed("It receives nothing.", Profile::JetStream, &());
        assert_eq!(told, "It fetches nothing.");
    }

    #[test]
    fn nouns_are_those_of_the_broker_in_capitals_plural_and_with_the_right_article() {
        for (profile, text, expected) in [
            (Profile::Free, "Visibility timeout", "Visibility timeout"),
            (Profile::SqsFifo, "Visibility timeout", "Visibility timeout"),
            (Profile::PubSub, "Visibility timeout", "Ack deadline"),
            (
                Profile::ServiceBus,
                "No visibility timeout.",
                "No lock duration.",
            ),
            (
                Profile::RedisStreams,
                "Chance that an ack never reaches the broker.",
                "Chance that an XACK never reaches the broker.",
            ),
            (
                Profile::ServiceBus,
                "An ack, acks, a nack",
                "A completion, completions, an abandon",
            ),
            (
                Profile::PubSub,
                "Consumers of a dead-letter queue; the queue's, a consumer's",
                "Subscribers of a dead-letter topic; the subscription's, a subscriber's",
            ),
            (
                Profile::JetStream,
                "to a returns queue",
                "to a returns queue",
            ),
            (
                Profile::KafkaShare,
                "a message in flight",
                "a message acquired",
            ),
            (Profile::PubSubOrdered, "Message groups", "Ordering keys"),
            (
                Profile::PubSub,
                "acknowledged, queueing, no-ack",
                "acknowledged, queueing, no-ack",
            ),
        ] {
            assert_eq!(renamed(text, profile, &()), expected, "{profile:?}");
        }
    }

    #[test]
    fn names_that_people_gave_stay_as_they_are() {
        let mut setup = fixtures::charged_twice().setup;
        setup.queues[0].name = "my queue".into();
        setup.consumers[0].name = "consumer".into();
        let text = "my queue: consumer's timeout in a queue, at ácks";
        assert_eq!(
            renamed(text, Profile::PubSub, &setup),
            "my queue: consumer's timeout in a subscription, at ácks"
        );
    }
}
