//! How the events are read: the log, its filters, a message's story, and the chain of causes that is open.

use std::rc::Rc;

use yew::AttrValue;

use super::action::Tab;
use super::asked::{Story, Why};
use super::player::{Player, STEPS};
use crate::engine::{ConsumerId, Event, MessageNumber, Ordinal};
use crate::present::format;
use crate::present::topic::Topic;
use crate::present::why;

/// Looks further back.
pub const MOST_PAGES: u32 = 16;

/// What a person does with the events.
#[derive(Clone, PartialEq, Debug)]
pub enum Read {
    /// Opens the causes of an event, or closes them.
    Ask(Ordinal),
    /// Looks at an event's message and opens the event's causes.
    Why(Ordinal),
    /// Looks at a message that was chosen on the stage.
    Story(MessageNumber),
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
    /// Only those about something.
    pub topic: Option<Topic>,
    /// Only those that matter.
    pub harm: bool,
}

/// The state of reading.
#[derive(Default)]
pub struct Reading {
    pub(super) filter: Filter,
    /// The list stands still before this event.
    pub(super) held: Option<Ordinal>,
    pub(super) pages: u32,
    /// Events older than memory, as listed last; oldest first.
    pub(super) older: Vec<Event>,
    pub(super) asked: Option<Ordinal>,
    pub(super) why: Option<Rc<Why>>,
    pub(super) story: Option<Rc<Story>>,
    pub(super) missed: Option<AttrValue>,
    /// Something is still being searched for.
    pub(super) searching: bool,
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
            Read::Story(message) => {
                self.selected = Some(message);
                self.show_column(Tab::Events);
            }
            Read::Moment(ordinal) => {
                self.playing = false;
                self.steps_taken = self.steps_taken.wrapping_add(1);
                self.session.seek_event(ordinal, STEPS);
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

    pub(super) fn newest_message(&self) -> MessageNumber {
        self.session.simulation().newest_message()
    }

    pub(super) fn own_from(&self) -> usize {
        self.session.base().commands.len()
    }

    /// What was asked about may not happen any more: the run goes another way from here on.
    pub(super) fn forget_asked(&mut self) {
        let here = self.session.playhead().ordinal;
        self.reading.asked = self.reading.asked.filter(|asked| *asked < here);
        self.reading.why = None;
        self.reading.older.clear();
    }
}

impl Reading {
    /// Another run is read: only the filter stays.
    pub(super) fn forget(&mut self) {
        *self = Self {
            filter: self.filter,
            ..Self::default()
        };
    }

    /// The story of the message that is looked at.
    pub(super) fn story(&self) -> Option<Rc<Story>> {
        self.story.clone()
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
