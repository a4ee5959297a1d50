//! What an element of the page stands for, so that pointing at one place lights the same thing everywhere.
//!
//! Written as one word: `m11` a message, `c0` a consumer, `q1` a queue, `p0` a producer, by their numbers, and
//! `x-ready` and the like for what a number counts. An element may carry several, the one it is first of all first.

use std::fmt;

use super::{Lane, Place, Scene, StationId, TokenMark};
use crate::engine::{ConsumerId, MessageNumber, ProducerId, QueueId};

/// What an element stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// A message, all its copies.
    Message(MessageNumber),
    /// A consumer and all it holds.
    Consumer(ConsumerId),
    /// A queue and all it holds.
    Queue(QueueId),
    /// A producer and what it is sending.
    Producer(ProducerId),
    /// What a number counts.
    Number(Counted),
}

/// What a number on the page counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Messages ready.
    Ready,
    /// Messages in flight.
    InFlight,
    /// Messages in dead-letter queues.
    Dead,
    /// Messages delivered more than once.
    Duplicate,
    /// Messages at work before an earlier one of their group.
    OutOfOrder,
    /// Messages of starving groups.
    Starved,
}

impl Counted {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Ready, "x-ready"),
        (Self::InFlight, "x-flight"),
        (Self::Dead, "x-dead"),
        (Self::Duplicate, "x-duplicate"),
        (Self::OutOfOrder, "x-order"),
        (Self::Starved, "x-starved"),
    ];
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Message(id) => write!(f, "m{}", id.0),
            Self::Consumer(id) => write!(f, "c{}", id.0),
            Self::Queue(id) => write!(f, "q{}", id.0),
            Self::Producer(id) => write!(f, "p{}", id.0),
            Self::Number(counted) => {
                let mut all = Counted::ALL.iter();
                let word = all.find(|(known, _)| known == counted);
                f.write_str(word.map_or("", |(_, word)| word))
            }
        }
    }
}

impl About {
    /// The first of the words that an element carries; none for a word of another form.
    pub fn first(words: &str) -> Option<Self> {
        let word = words.split(' ').next()?;
        let mut all = Counted::ALL.iter();
        if let Some((counted, _)) = all.find(|(_, known)| *known == word) {
            return Some(Self::Number(*counted));
        }
        let number = word.get(1..)?.parse::<u32>().ok()?;
        let small = || u16::try_from(number).ok();
        match word.as_bytes().first()? {
            b'm' => Some(Self::Message(MessageNumber(number))),
            b'c' => Some(Self::Consumer(ConsumerId(small()?))),
            b'q' => Some(Self::Queue(QueueId(small()?))),
            b'p' => Some(Self::Producer(ProducerId(small()?))),
            _ => None,
        }
    }

    /// What a station stands for; none for the outside world and for cards that sum up others.
    pub fn station(id: StationId) -> Option<Self> {
        match id {
            StationId::Producer(id) => Some(Self::Producer(id)),
            StationId::Queue(id) | StationId::DeadLetterQueue(id) => Some(Self::Queue(id)),
            StationId::Consumer(id) => Some(Self::Consumer(id)),
            _ => None,
        }
    }

    /// Whether a token of the stage is, or belongs to, what is meant.
    pub fn lights(self, scene: &Scene, token: &TokenMark) -> bool {
        let of = |id: StationId| Self::station(id) == Some(self);
        let at = |wanted: fn(StationId) -> bool| matches!(token.place, Place::At(id) if wanted(id));
        match self {
            Self::Message(message) => token.message == message,
            Self::Consumer(_) | Self::Queue(_) | Self::Producer(_) => match token.place {
                Place::At(id) => of(id),
                Place::Between(from, to) => of(from) || of(to),
            },
            Self::Number(Counted::Ready) => {
                !token.faded && at(|id| matches!(id, StationId::Queue(_)))
            }
            Self::Number(Counted::InFlight) => at(|id| matches!(id, StationId::Consumer(_))),
            Self::Number(Counted::Dead) => at(|id| matches!(id, StationId::DeadLetterQueue(_))),
            Self::Number(Counted::Duplicate) => token.times.is_some(),
            Self::Number(Counted::OutOfOrder) => token.early,
            Self::Number(Counted::Starved) => {
                let starving = |lane: &Lane| {
                    lane.starvation
                        .is_some_and(|starvation| starvation.starving)
                };
                let lanes = scene.stations.iter().flat_map(|station| &station.lanes);
                lanes
                    .filter(|lane| starving(lane))
                    .any(|lane| lane.rect.contains(token.centre))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures;
    use crate::present::scene::{Density, properties::input};

    #[test]
    fn words_are_read_as_they_are_written() {
        let all = [
            About::Message(MessageNumber(11)),
            About::Consumer(ConsumerId(0)),
            About::Queue(QueueId(2)),
            About::Producer(ProducerId(1)),
            About::Number(Counted::Duplicate),
        ];
        for about in all {
            assert_eq!(About::first(&format!("{about} c7")), Some(about));
        }
        for odd in ["", "m", "m-1", "c99999", "x-other", "é1", "z1"] {
            assert_eq!(About::first(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_message_lights_all_its_copies_and_a_station_what_it_holds() {
        let fixture = fixtures::charged_twice();
        let scene = Scene::compute(&input(&fixture, 1_320.0, 547.0, 16.0, Density::Simple));
        let lit = |about: About| -> Vec<(u32, Place)> {
            let tokens = scene
                .tokens
                .iter()
                .filter(|token| about.lights(&scene, token));
            tokens.map(|token| (token.message.0, token.place)).collect()
        };
        let copies = scene.tokens.iter().find(|token| token.times.is_some());
        let message = copies.map(|token| token.message).unwrap();
        assert_eq!(lit(About::Message(message)).len(), 2);
        let at = |consumer| Place::At(StationId::Consumer(ConsumerId(consumer)));
        assert_eq!(lit(About::Consumer(ConsumerId(1))), [(message.0, at(1))]);
        assert_eq!(lit(About::Number(Counted::Duplicate)).len(), 1);
        assert_eq!(lit(About::Number(Counted::InFlight)).len(), 2);
        assert!(lit(About::Number(Counted::Ready)).is_empty());
    }
}
