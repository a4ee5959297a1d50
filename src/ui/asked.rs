//! What is told of the events: why one happened, and the story of the message that is looked at.

use std::rc::Rc;

use yew::AttrValue;

use super::listing::{line, link};
use super::log::Line;
use super::player::Player;
use crate::engine::{MessageNumber, Ordinal};
use crate::present::controls::Control;
use crate::present::why::{self, Inquiry, Reference};

/// Steps that one update may take for what is older than memory or still to come.
pub const STEPS: u64 = 5_000;

/// Why an event happened, as shown.
#[derive(Clone, PartialEq)]
pub struct Why {
    /// The event; none if it is not known.
    pub event: Option<Line>,
    /// Its ordinal.
    pub of: u64,
    /// What led to it, newest first.
    pub links: Vec<Line>,
    /// How many before the last of them are left out.
    pub left_out: usize,
    /// What is at the root, the nearest first.
    pub roots: Vec<Root>,
    /// Whether it is all.
    pub complete: bool,
}

/// What is at the root of an event, as shown.
#[derive(Clone, PartialEq)]
pub struct Root {
    /// What sort of thing it is.
    pub kind: &'static str,
    /// It in words.
    pub text: AttrValue,
    /// Its control, and what that is called.
    pub control: Option<(Reference, &'static str)>,
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
            Root {
                kind: root.kind.label(),
                text: root.text.into(),
                control,
            }
        });
        Why {
            event: causes.first().map(|event| line(&inquiry.teller, event)),
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
}
