//! The chain of causes of an event, line by line, with what is at its root.

use crate::engine::{Event, EventKind, Ordinal};
use crate::present::format;
use crate::present::sentence::{Sentence, Severity};

use super::{Inquiry, Root};

/// One link of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The event.
    pub ordinal: Ordinal,
    /// When, as it reads.
    pub time: String,
    /// Whose event.
    pub subject: String,
    /// What happened.
    pub text: String,
    /// How much it matters.
    pub severity: Severity,
}

/// Why an event happened.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Explanation {
    /// What led to it, the newest first, the event itself left out; at most [`Explanation::MOST`].
    pub links: Vec<Link>,
    /// How many links between the last two listed are left out.
    pub left_out: usize,
    /// What is at the root, the nearest first; nothing where the trace does not tell.
    pub roots: Vec<Root>,
}

impl Explanation {
    /// Most links that are listed.
    pub const MOST: usize = 9;
}

impl Inquiry<'_> {
    /// Explains an event from its causes, itself first. Of causes that belong to another message only the first is
    /// told: from there on it is that message's story.
    pub fn explain(&self, causes: &[Event]) -> Explanation {
        let Some(event) = causes.first() else {
            return Explanation::default();
        };
        let about = event.kind.message();
        let own = causes.iter().position(|cause| {
            let other = cause.kind.message();
            about.is_some() && other.is_some() && other != about
        });
        let causes = causes.get(..own.map_or(causes.len(), |own| own + 1));
        let causes = causes.unwrap_or_default();
        let mut links: Vec<Event> = causes.get(1..).unwrap_or_default().to_vec();
        if let Some(other) = self.beside(event) {
            for cause in self.chain_of(&other) {
                let place = links.partition_point(|link| link.ordinal > cause.ordinal);
                let there = links.get(place).map(|link| link.ordinal);
                if there != Some(cause.ordinal) && cause.ordinal < event.ordinal {
                    links.insert(place, cause);
                }
            }
        }
        condense(event, &mut links);
        let left_out = links.len().saturating_sub(Explanation::MOST);
        if left_out > 0 {
            let last = links.len() - 1;
            links.drain(Explanation::MOST - 1..last);
        }
        let mut roots = self.roots(causes);
        for root in &mut roots {
            root.text = self.teller.in_words(&root.text);
        }
        Explanation {
            links: links.iter().map(|link| self.link(link)).collect(),
            left_out,
            roots,
        }
    }

    fn link(&self, event: &Event) -> Link {
        let Sentence {
            subject,
            text,
            severity,
        } = self.teller.tell(event);
        Link {
            ordinal: event.ordinal,
            time: format::instant(event.at),
            subject,
            text,
            severity,
        }
    }

    /// What an event is to be seen beside: the effect that a duplicate repeats, the timeout that made an ack late.
    fn beside(&self, event: &Event) -> Option<Event> {
        let found = match event.kind {
            EventKind::Effect { nth: 2.., .. } | EventKind::EffectSkipped { .. } => {
                self.last(event, |kind| matches!(kind, EventKind::Effect { .. }))
            }
            EventKind::AckStale { consumer, .. }
            | EventKind::Skipped { consumer, .. }
            | EventKind::Started {
                consumer,
                lease_over: true,
                ..
            } => self.last(event, |kind| {
                matches!(kind, EventKind::TimeoutEnded { consumer: from, .. } if *from == Some(consumer))
            }),
            _ => None,
        };
        found.copied()
    }
}

/// Takes out what says nothing beside its neighbours of the same instant: a handler's end beside its effect or ack, its
/// start and the storing of a send beside what they follow from.
fn condense(event: &Event, links: &mut Vec<Event>) {
    let of = |link: &Event| (link.at, link.kind.message());
    let told: Vec<bool> = links
        .iter()
        .map(|link| match link.kind {
            EventKind::Finished { .. } => {
                let mut newer = links.iter().chain([event]);
                newer.any(|newer| newer.cause == Some(link.ordinal) && of(newer) == of(link))
            }
            EventKind::Started {
                lease_over: false, ..
            }
            | EventKind::Accepted { .. } => {
                let mut older = links.iter();
                older.any(|older| link.cause == Some(older.ordinal) && of(older) == of(link))
            }
            _ => false,
        })
        .collect();
    let mut told = told.into_iter();
    links.retain(|_| !told.next().unwrap_or_default());
}
