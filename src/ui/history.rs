//! The strip of a run: its window, the deliveries in it and what is marked.

use std::rc::Rc;

use super::player::Player;
use super::timeline::Strip;
use crate::engine::ledger::DeliveryRecord;
use crate::engine::{Event, EventKind, Micros};
use crate::present::actions::describe;
use crate::present::names::Names;
use crate::present::timeline::{Mark, MarkKind, Timeline, TimelineInput};

/// Most deliveries looked at: the newest of the window.
const MOST_DELIVERIES: usize = 20_000;
/// Most marks drawn: the newest before the playhead.
const MOST_MARKS: usize = 120;
/// Space between the panel's edge and the strip, on either side.
const PADDING: f64 = 12.0;

impl Player {
    /// The strip at the playhead.
    pub fn strip(&mut self) -> Rc<Strip> {
        let now = self.session.playhead().at;
        let known_until = self.session.known_until();
        let extent = self.extent();
        self.travel.window.settle(&extent);
        let (from, until) = (self.travel.window.from(), self.travel.window.until());
        let names = Names {
            setup: self.session.simulation().setup(),
            bodies: &self.bodies,
        };
        let marked = self.session.marks_between(from, until);
        let mut marks: Vec<Mark> = marked
            .filter_map(|event| self.mark(event, &names))
            .collect();
        if marks.len() > MOST_MARKS {
            marks.retain(|mark| mark.at <= now);
            marks.drain(..marks.len().saturating_sub(MOST_MARKS));
        }
        let found = self.session.deliveries_between(from, until).rev();
        let mut deliveries: Vec<DeliveryRecord> = found.take(MOST_DELIVERIES).copied().collect();
        deliveries.reverse();
        let ghost = self.session.ghost();
        let ghost_marks = ghost.map_or(&[][..], |ghost| &ghost.marks);
        // The fork has taken the commands themselves.
        let ghost_marks: Vec<Mark> = ghost_marks
            .iter()
            .filter(|event| !matches!(event.kind, EventKind::CommandApplied { .. }))
            .filter_map(|event| self.mark(event, &names))
            .collect();
        let timeline = Timeline::compute(&TimelineInput {
            names,
            deliveries: &deliveries,
            group: &|message| self.session.ledger().message(message)?.group,
            marks: &marks,
            ghost_marks: &ghost_marks,
            ghosts: ghost.map_or(&[], |ghost| &ghost.deliveries),
            forked_at: ghost.map(|ghost| ghost.from),
            selected: self.selected,
            from,
            until,
            now,
            known_until,
            width: (self.room().0 - 2.0 * PADDING).max(0.0),
            root_font: self.root_font(),
        });
        Rc::new(Strip {
            timeline,
            from,
            until,
            now,
            end: extent.whole(),
            is_part: self.travel.window.is_part(&extent),
            has_ghost: ghost.is_some(),
        })
    }

    fn mark(&self, event: &Event, names: &Names) -> Option<Mark> {
        let kind = match event.kind {
            EventKind::DeadLettered { message, .. } => MarkKind::DeadLetter(message),
            EventKind::Crashed { consumer, .. } => MarkKind::Crash(consumer),
            EventKind::ConsumerStarted { consumer } if event.at > Micros::ZERO => {
                MarkKind::Restart(consumer)
            }
            EventKind::AckLost { consumer, .. } => MarkKind::AckLost(consumer),
            EventKind::CommandApplied { index } => {
                let command = names.setup.commands.get(index as usize)?;
                let words = describe(&command.command, names);
                if index as usize >= self.session.base().commands.len() {
                    MarkKind::OwnCommand(words)
                } else {
                    MarkKind::Command(words)
                }
            }
            _ => return None,
        };
        Some(Mark { at: event.at, kind })
    }
}
