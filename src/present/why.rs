//! Why something happened, in words that the trace supports: the life of a message, the chain of causes of an event,
//! and what is at the root of it: a setting, a chance, a command, or the plan of the scenario.

mod brokers;
mod chain;
mod facts;
mod find;
mod handler;
mod lost;
mod order;
mod root;
mod settings;
mod story;
mod timeout;

use crate::engine::{ConsumerId, Event, EventKind, ProducerId, QueueId};
use crate::present::sentence::Teller;

pub use chain::{Explanation, Link};
pub use facts::{Fact, facts, title};
pub use find::{find, next, previous};
pub use story::{Line, Story, story};

/// What there is to explain with.
#[derive(Clone, Copy, Debug)]
pub struct Inquiry<'a> {
    /// Names and words; its setup holds the commands of the run.
    pub teller: Teller<'a>,
    /// Commands from this position on are the learner's own, earlier ones the scenario's.
    pub own_from: usize,
    /// The events of the message that is asked about, oldest first; those after what is explained play no part.
    pub life: &'a [Event],
}

/// What a chain of causes comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Root {
    /// What sort of thing it is.
    pub kind: RootKind,
    /// It in words, a sentence.
    pub text: String,
    /// The control that it can be changed with.
    pub control: Option<Reference>,
}

/// What sort of thing is at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootKind {
    /// A setting.
    Setting,
    /// A draw, whose probability is a setting.
    Chance,
    /// An intervention that the scenario plans.
    Command,
    /// An intervention of the learner.
    OwnCommand,
    /// What the scenario lets happen by itself.
    Plan,
}

impl RootKind {
    /// How it is called before the sentence.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Setting => "Setting",
            Self::Chance => "Chance",
            Self::Command => "The scenario's command",
            Self::OwnCommand => "Your command",
            Self::Plan => "Plan",
        }
    }
}

/// A control and what it is to be set for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reference {
    /// Its id in the table of controls.
    pub control: &'static str,
    /// Whose setting it is.
    pub whose: Whose,
}

/// Whose setting it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// A queue's.
    Queue(QueueId),
    /// A consumer's.
    Consumer(ConsumerId),
    /// A producer's.
    Producer(ProducerId),
    /// The network's.
    Network,
}

impl Inquiry<'_> {
    /// The newest event of the message before `of` that is like this.
    fn last(&self, of: &Event, is: impl Fn(&EventKind) -> bool) -> Option<&Event> {
        let earlier = self.life.iter().rev();
        earlier
            .filter(|event| event.ordinal < of.ordinal)
            .find(|event| is(&event.kind))
    }

    /// The causes of an event of the message, itself first, as far as they are events of the message.
    fn chain_of(&self, event: &Event) -> Vec<Event> {
        let mut chain = vec![*event];
        let mut next = event.cause;
        while let Some(ordinal) = next {
            let found = self
                .life
                .binary_search_by_key(&ordinal, |event| event.ordinal);
            let Some(cause) = found.ok().and_then(|place| self.life.get(place)) else {
                break;
            };
            chain.push(*cause);
            next = cause.cause;
        }
        chain
    }
}

#[cfg(test)]
mod tests;
