//! Why something happened: the chain of causes of an event, however old.

use std::collections::VecDeque;

use crate::engine::{Event, EventKind, Ordinal};

use super::Session;
use super::course::Moved;
use super::run::Run;

/// The causes of one event, as far as they have been found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Causes<'a> {
    /// The event itself, its cause, the cause of that, and so on; at most [`Causes::MOST`].
    pub events: &'a [Event],
    /// Whether these are all. If not, the budget was not enough: ask again.
    pub complete: bool,
}

impl Causes<'_> {
    /// Longest chain that is followed.
    pub const MOST: usize = 256;
}

/// A chain on the way to being found.
pub(super) struct Chain {
    of: Ordinal,
    found: Vec<Event>,
    complete: bool,
}

/// Events older than memory, one block at a time: the causes of old events are mostly near each other.
#[derive(Default)]
pub(super) struct Recall {
    /// Without gaps, oldest first.
    block: VecDeque<Event>,
    /// On its way to an event.
    run: Option<(Ordinal, Box<Run>)>,
}

impl Recall {
    /// Events kept.
    const BLOCK: usize = 20_000;

    fn get(&self, ordinal: Ordinal) -> Option<Event> {
        let first = self.block.front()?.ordinal;
        let place = usize::try_from(ordinal.0.checked_sub(first.0)?).ok()?;
        self.block.get(place).copied()
    }
}

impl Session {
    /// The chain of causes of an event, from it back to something without a cause. What is no longer in memory is made
    /// again from the checkpoint before it, within `budget` steps; what was found stays found until another event is
    /// asked about or the run changes.
    pub fn causes(&mut self, event: Ordinal, budget: u64) -> Causes<'_> {
        let chain = self.chain.take().filter(|chain| chain.of == event);
        let mut chain = chain.unwrap_or(Chain {
            of: event,
            found: Vec::new(),
            complete: false,
        });
        let mut left = budget;
        while !chain.complete {
            let next = match chain.found.last() {
                None => Some(event),
                Some(last) => last.cause,
            };
            let Some(next) = next.filter(|_| chain.found.len() < Causes::MOST) else {
                chain.complete = true;
                break;
            };
            match self.event_at(next, &mut left) {
                Some(Some(event)) => chain.found.push(event),
                Some(None) => chain.complete = true,
                None => break,
            }
        }
        let chain = self.chain.insert(chain);
        Causes {
            events: &chain.found,
            complete: chain.complete,
        }
    }

    /// The live command of which an event is the consequence, by index: its causes lead to that command without passing
    /// through what happened to another message. None as well where they lead to what is no longer in memory.
    pub fn consequence_of(&self, event: &Event) -> Option<u32> {
        let message = event.kind.message();
        let mut next = event.cause;
        for _ in 0..Causes::MOST {
            let of = next?;
            let cause = self.history.from(of).next();
            let cause = cause.filter(|cause| cause.ordinal == of)?;
            if let EventKind::CommandApplied { index } = cause.kind {
                return Some(index).filter(|index| self.is_live(*index));
            }
            let other = cause.kind.message().filter(|_| message.is_some());
            if other.is_some() && other != message {
                return None;
            }
            next = cause.cause;
        }
        None
    }

    /// The event of this ordinal, in memory or made again; none while the budget is not enough, and none inside if
    /// there is no such event.
    fn event_at(&mut self, ordinal: Ordinal, left: &mut u64) -> Option<Option<Event>> {
        if ordinal.0 >= self.history.first() {
            return Some(self.history.from(ordinal).next().copied());
        }
        if let Some(event) = self.recall.get(ordinal) {
            return Some(Some(event));
        }
        let (_, mut run) = self
            .recall
            .run
            .take()
            .filter(|(wanted, _)| *wanted == ordinal)
            .unwrap_or_else(|| {
                self.recall.block.clear();
                let before = |run: &Run| run.playhead().ordinal <= ordinal;
                (ordinal, Box::new(self.course.run_before(before)))
            });
        let limit = self.history.known_until();
        let mut trace = Vec::new();
        while run.playhead().ordinal <= ordinal {
            if *left == 0 {
                self.recall.run = Some((ordinal, run));
                return None;
            }
            *left -= 1;
            trace.clear();
            let moved = self.course.move_on(&mut run, limit, &mut trace);
            for event in trace.drain(..) {
                if self.recall.block.len() == Recall::BLOCK {
                    self.recall.block.pop_front();
                }
                self.recall.block.push_back(event);
            }
            if moved != Moved::Step {
                break;
            }
        }
        Some(self.recall.get(ordinal))
    }
}
