//! The log as it is listed.

use std::rc::Rc;

use yew::AttrValue;

use super::asked::STEPS;
use super::log::{Line, Listed};
use super::player::Player;
use super::reading::{Filter, MOST_PAGES};
use crate::engine::{Event, EventKind, Ordinal};
use crate::present::sentence::{Sentence, Severity, Teller};
use crate::present::topic::Topic;
use crate::present::why::Link;
use crate::present::{format, scene::About};

/// Lines of the log, and as many more for each look further back.
const LINES: usize = 60;
/// Events that are looked through for them.
const LOOKED_AT: usize = 400;
/// Likewise with a filter; twice as many for each look further back.
const FILTERED: usize = 4_000;
/// Events that are made again at a time, of those older than memory.
const BLOCK: u64 = 512;

impl Player {
    /// The log as it is listed, newest first.
    pub(super) fn listed(&mut self) -> Rc<Listed> {
        let here = self.session.playhead().ordinal;
        let filter = self.reading.filter;
        // A run that stands still is followed, unless one looks further back.
        let follows = !self.playing && self.reading.pages == 0;
        let held = self.reading.held.filter(|held| *held <= here);
        self.reading.held = held.map(|held| if follows { here } else { held });
        let top = self.reading.held.unwrap_or(here);
        let (events, more) = self.events_to_list(top);
        let teller = self.teller();
        let mut polls = false;
        let wanted = events.iter().filter(|event| {
            let poll = matches!(event.kind, EventKind::EmptyReceive { .. });
            let again = std::mem::replace(&mut polls, poll) && poll;
            let by = filter
                .consumer
                .is_none_or(|consumer| event.kind.consumer() == Some(consumer));
            let about = filter
                .topic
                .is_none_or(|topic| topic == Topic::of(&event.kind));
            !again && by && about
        });
        let lines = wanted
            .map(|event| line(&teller, event))
            .filter(|line| !filter.harm || line.tone.is_some());
        let most = LINES * (1 + self.reading.pages as usize);
        Rc::new(Listed {
            lines: lines.take(most).collect(),
            filter,
            asked: self.reading.asked.map(|asked| asked.0),
            why: self.reading.why.clone(),
            newer: here.0 - top.0,
            held: self.reading.held.is_some(),
            more,
            missed: self.reading.missed.clone(),
        })
    }

    /// Events before `top` to choose from, newest first, and whether there are older ones.
    fn events_to_list(&mut self, top: Ordinal) -> (Vec<Event>, bool) {
        let filter = self.reading.filter;
        if let (true, Some(message)) = (filter.message, self.selected) {
            let life = self.session.life(message, STEPS).events.iter().rev();
            let past = life.filter(|event| event.ordinal < top);
            return (past.copied().collect(), false);
        }
        let pages = self.reading.pages;
        let count = if filter == Filter::default() {
            LOOKED_AT * (1 + pages as usize)
        } else {
            FILTERED << pages.min(8)
        };
        let known = self.session.events_before(top, count);
        let mut events: Vec<Event> = known.copied().collect();
        let first = events.last().map_or(top, |oldest| oldest.ordinal);
        let wanted = Ordinal(top.0.saturating_sub(count as u64));
        // What is no longer in memory is made again, and kept for as long as it is listed.
        if wanted < first {
            let older = &self.reading.older;
            let from = older.first().is_some_and(|oldest| oldest.ordinal <= wanted);
            let until = older
                .last()
                .is_some_and(|newest| newest.ordinal.0 + 1 >= first.0);
            if !(from && until) {
                // In blocks, so that a run that plays on does not ask anew at every step.
                let block = |ordinal: u64| ordinal / BLOCK * BLOCK;
                let range = Ordinal(block(wanted.0))..Ordinal(block(first.0 + BLOCK));
                match self.session.events(range, STEPS) {
                    Some(older) => self.reading.older = older,
                    None => self.reading.searching = true,
                }
            }
            let older = self.reading.older.iter().rev();
            let older = older.filter(|event| event.ordinal >= wanted && event.ordinal < first);
            events.extend(older.copied());
        }
        (events, wanted.0 > 0 && pages < MOST_PAGES)
    }
}

fn tone(severity: Severity) -> Option<&'static str> {
    match severity {
        Severity::Normal => None,
        Severity::Warn => Some("warn"),
        Severity::Bad => Some("bad"),
    }
}

/// An event in words.
pub fn line(teller: &Teller, event: &Event) -> Line {
    let Sentence {
        subject,
        text,
        severity,
    } = teller.tell(event);
    let mut about = event
        .kind
        .message()
        .map(|message| About::Message(message).to_string());
    if let Some(consumer) = event.kind.consumer() {
        let consumer = About::Consumer(consumer).to_string();
        about = Some(about.map_or(consumer.clone(), |about| format!("{about} {consumer}")));
    }
    Line {
        ordinal: event.ordinal.0,
        time: format::instant(event.at).into(),
        who: subject.into(),
        text: text.into(),
        tone: tone(severity),
        about: about.map(AttrValue::from),
    }
}

/// A link of a chain of causes.
pub fn link(link: Link) -> Line {
    Line {
        ordinal: link.ordinal.0,
        time: link.time.into(),
        who: link.subject.into(),
        text: link.text.into(),
        tone: tone(link.severity),
        about: None,
    }
}
