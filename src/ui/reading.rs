//! How the events are read: the log, its filters, a message's story, and the chain of causes that is open.

use std::rc::Rc;

use yew::AttrValue;

use super::action::Tab;
use super::log::{Line, Listed};
use super::player::Player;
use crate::engine::{ConsumerId, Event, EventKind, MessageNumber, Ordinal};
use crate::present::controls::Control;
use crate::present::sentence::{Sentence, Severity, Teller};
use crate::present::why::{self, Inquiry, Link, Reference};
use crate::present::{format, scene::About};

/// Steps that one update may take for what is older than memory or still to come.
const STEPS: u64 = 5_000;
/// Lines of the log, and as many more for each look further back.
const LINES: usize = 60;
/// Events that are looked through for them.
const LOOKED_AT: usize = 400;
/// Likewise with a filter; twice as many for each look further back.
const FILTERED: usize = 4_000;
/// Looks further back.
const MOST_PAGES: u32 = 16;

/// What a person does with the events.
#[derive(Clone, PartialEq, Debug)]
pub enum Read {
    /// Opens the causes of an event, or closes them.
    Ask(Ordinal),
    /// Looks at an event's message and opens the event's causes.
    Why(Ordinal),
    /// Goes to right after an event.
    Moment(Ordinal),
    /// Looks for a message by number or name.
    Find(String),
    /// Lists only some events.
    Filter(Filter),
    /// Lists older events as well.
    Older,
    /// Keeps the list still, or lets it follow the run.
    Hold(bool),
}

/// Which events are listed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Only those of the message that is looked at.
    pub message: bool,
    /// Only those of a consumer.
    pub consumer: Option<ConsumerId>,
    /// Only those that matter.
    pub harm: bool,
}

/// The state of reading.
#[derive(Default)]
pub struct Reading {
    filter: Filter,
    /// The list stands still before this event.
    held: Option<Ordinal>,
    pages: u32,
    /// Events older than memory, as listed last; oldest first.
    older: Vec<Event>,
    asked: Option<Ordinal>,
    why: Option<Rc<Why>>,
    story: Option<Rc<Story>>,
    missed: Option<AttrValue>,
    /// Something is still being searched for.
    pub(super) searching: bool,
}

/// Why an event happened, as shown.
#[derive(Clone, PartialEq)]
pub struct Why {
    /// The event.
    pub of: u64,
    /// What led to it, newest first.
    pub links: Vec<Line>,
    /// How many before the last of them are left out.
    pub left_out: usize,
    /// What is at the root: what sort of thing, in words, and its control with the control's name.
    pub roots: Vec<(AttrValue, AttrValue, Option<(Reference, &'static str)>)>,
    /// Whether it is all.
    pub complete: bool,
}

/// A message's story, as shown.
#[derive(Clone, PartialEq)]
pub struct Story {
    /// The message.
    pub message: MessageNumber,
    /// What it is called.
    pub title: AttrValue,
    /// Its life.
    pub lines: Vec<why::Line>,
    /// Lines after the first that are left out.
    pub left_out: u64,
    /// Its fields.
    pub facts: Vec<why::Fact>,
    /// The messages before and after it.
    pub beside: (Option<MessageNumber>, Option<MessageNumber>),
    /// Whether older events are still being searched for.
    pub searching: bool,
}

impl Player {
    /// Does what a person asks of the events.
    pub(super) fn read(&mut self, read: Read) {
        let here = self.session.playhead().ordinal;
        self.reading.missed = None;
        match read {
            Read::Ask(ordinal) => {
                let open = self.reading.asked == Some(ordinal);
                self.reading.asked = (!open).then_some(ordinal);
            }
            Read::Why(ordinal) => {
                let asked = self.session.events_before(Ordinal(ordinal.0 + 1), 1).next();
                self.selected = asked
                    .and_then(|event| event.kind.message())
                    .or(self.selected);
                self.reading.asked = Some(ordinal);
                self.show_column(Tab::Events);
            }
            Read::Moment(ordinal) => {
                self.playing = false;
                self.steps_taken = self.steps_taken.wrapping_add(1);
                self.session.seek_event(ordinal, super::player::STEPS);
            }
            Read::Find(text) => {
                let (session, newest) = (&self.session, self.newest_message());
                let setup = session.simulation().setup();
                match why::find(&text, setup, session.ledger(), newest) {
                    Some(found) => self.selected = Some(found),
                    None => self.reading.missed = Some(missed(&text, newest).into()),
                }
            }
            Read::Filter(filter) => {
                self.reading.filter = filter;
                self.reading.pages = 0;
            }
            Read::Older => {
                self.reading.held.get_or_insert(here);
                self.reading.pages = (self.reading.pages + 1).min(MOST_PAGES);
            }
            Read::Hold(true) => {
                self.reading.held.get_or_insert(here);
            }
            Read::Hold(false) => {
                self.reading.held = None;
                self.reading.pages = 0;
            }
        }
    }

    fn newest_message(&self) -> MessageNumber {
        self.session.simulation().newest_message()
    }

    fn own_from(&self) -> usize {
        self.session.base().commands.len()
    }

    /// Searches for what is shown of the past and of what is to come, a bounded step further.
    pub(super) fn search(&mut self) {
        self.reading.searching = false;
        let open = self.reading.why.as_ref().filter(|why| why.complete);
        if open.map(|why| why.of) != self.reading.asked.map(|asked| asked.0) {
            self.reading.why = None;
        }
        if let (Some(asked), None) = (self.reading.asked, &self.reading.why) {
            let why = self.why(asked);
            self.reading.searching |= !why.complete;
            self.reading.why = Some(Rc::new(why));
        }
        // One search at a time: the other would begin anew at every turn.
        if !self.reading.searching {
            self.reading.story = self
                .selected
                .map(|message| Rc::new(self.tell_life(message)));
        }
    }

    fn why(&mut self, asked: Ordinal) -> Why {
        let causes = self.session.causes(asked, STEPS);
        let mut complete = causes.complete;
        let causes = causes.events.to_vec();
        let about = causes.first().and_then(|event| event.kind.message());
        let life = about.map(|message| self.session.life(message, STEPS));
        complete &= life.is_none_or(|life| life.complete);
        let life = life.map_or_else(Vec::new, |life| life.events.to_vec());
        for event in &life {
            self.bodies.observe(event);
        }
        let inquiry = Inquiry {
            teller: self.teller(),
            own_from: self.own_from(),
            life: &life,
        };
        let explained = inquiry.explain(&causes);
        let roots = explained.roots.into_iter().map(|root| {
            let control = root.control.and_then(|reference| {
                let (_, control) = Control::find(reference.control)?;
                Some((reference, control.label))
            });
            (root.kind.label().into(), root.text.into(), control)
        });
        Why {
            of: asked.0,
            roots: roots.collect(),
            links: explained.links.into_iter().map(link).collect(),
            left_out: explained.left_out,
            complete,
        }
    }

    fn tell_life(&mut self, message: MessageNumber) -> Story {
        let here = self.session.playhead();
        let life = self.session.life(message, STEPS);
        let (left_out, complete) = (life.left_out, life.complete);
        let life = life.events.to_vec();
        let ahead = self.session.foresee(message, STEPS);
        self.reading.searching |= !complete || !ahead.complete;
        let ahead = ahead.events.to_vec();
        for event in life.iter().take(1) {
            self.bodies.observe(event);
        }
        let inquiry = Inquiry {
            teller: self.teller(),
            own_from: self.own_from(),
            life: &life,
        };
        let told = why::story(&inquiry, here.ordinal, &ahead, left_out);
        Story {
            message,
            title: why::title(&inquiry, message).into(),
            lines: told.lines,
            left_out: told.left_out,
            facts: why::facts(&inquiry, message, here.at),
            beside: (
                why::previous(message),
                why::next(message, self.newest_message()),
            ),
            searching: !complete,
        }
    }

    /// The log as it is listed, newest first.
    pub(super) fn listed(&mut self) -> Rc<Listed> {
        let here = self.session.playhead().ordinal;
        let filter = self.reading.filter;
        self.reading.held = self.reading.held.filter(|held| *held <= here);
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
            !again && by
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
        if wanted < first && pages > 0 {
            let there = self.reading.older.first().map(|event| event.ordinal) == Some(wanted)
                && self
                    .reading
                    .older
                    .last()
                    .is_some_and(|last| last.ordinal.0 + 1 >= first.0);
            if !there {
                match self.session.events(wanted..first, STEPS) {
                    Some(older) => self.reading.older = older,
                    None => self.reading.searching = true,
                }
            }
            let older = self.reading.older.iter().rev();
            events.extend(older.filter(|event| event.ordinal < first).copied());
        }
        (events, wanted.0 > 0 && pages < MOST_PAGES)
    }
}

fn missed(text: &str, newest: MessageNumber) -> String {
    let text = text.trim();
    match newest.0 {
        _ if text.is_empty() => "Type a message's number or name.".to_owned(),
        0 => format!("There is no \u{201c}{text}\u{201d}: nothing has been sent yet."),
        newest => format!(
            "There is no \u{201c}{text}\u{201d} among messages 1 to {}.",
            format::count(newest.into())
        ),
    }
}

fn tone(severity: Severity) -> Option<&'static str> {
    match severity {
        Severity::Normal => None,
        Severity::Warn => Some("warn"),
        Severity::Bad => Some("bad"),
    }
}

fn line(teller: &Teller, event: &Event) -> Line {
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
        time: format::instant_exact(event.at).into(),
        who: subject.into(),
        text: text.into(),
        tone: tone(severity),
        about: about.map(AttrValue::from),
    }
}

fn link(link: Link) -> Line {
    Line {
        ordinal: link.ordinal.0,
        time: link.time.into(),
        who: link.subject.into(),
        text: link.text.into(),
        tone: tone(link.severity),
        about: None,
    }
}

impl Reading {
    /// The story of the message that is looked at.
    pub(super) fn story(&self) -> Option<Rc<Story>> {
        self.story.clone()
    }
}
