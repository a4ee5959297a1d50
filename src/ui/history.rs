//! The strip of a run: its window, the deliveries in it and what is marked.

use std::rc::Rc;

use super::player::Player;
use super::timeline::Strip;
use crate::engine::ledger::DeliveryRecord;
use crate::engine::{Event, EventKind, Micros};
use crate::present::actions::describe;
use crate::present::names::Names;
use crate::present::timeline::{Mark, MarkKind, Timeline, TimelineInput, window};

/// The strip shows this much real time at the present pace.
const WINDOW_SECONDS: f64 = 20.0;
/// Most bars drawn: the newest before the playhead.
const MOST_BARS: usize = 240;
/// Most marks drawn: likewise.
const MOST_MARKS: usize = 120;
/// Space between the panel's edge and the strip, on either side.
const PADDING: f64 = 12.0;

impl Player {
    /// The strip at the playhead.
    pub fn strip(&self) -> Rc<Strip> {
        let now = self.session.playhead().at;
        let known_until = self.session.known_until();
        let longest = self.at_pace(WINDOW_SECONDS).max(self.at_pace(1.0));
        let (from, until) = window(now, known_until, self.session.duration(), longest);
        let names = Names {
            setup: self.session.simulation().setup(),
            bodies: &self.bodies,
        };
        let mut marked: Vec<&Event> = self.session.marks_between(from, until).collect();
        if marked.len() > MOST_MARKS {
            marked.retain(|event| event.at <= now);
            marked.drain(..marked.len().saturating_sub(MOST_MARKS));
        }
        let marks: Vec<Mark> = marked
            .into_iter()
            .filter_map(|event| self.mark(event, &names))
            .collect();
        let deliveries = self.deliveries(from, until, now);
        let timeline = Timeline::compute(&TimelineInput {
            names,
            deliveries: &deliveries,
            group: &|message| self.groups.get(&message).copied(),
            marks: &marks,
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
        })
    }

    fn deliveries(&self, from: Micros, until: Micros, now: Micros) -> Vec<DeliveryRecord> {
        let mut found: Vec<DeliveryRecord> = self
            .session
            .deliveries_between(from, until)
            .copied()
            .collect();
        if found.len() > MOST_BARS {
            found.retain(|delivery| delivery.delivered_at <= now);
            found.drain(..found.len().saturating_sub(MOST_BARS));
        }
        found
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
                MarkKind::Command(describe(&command.command, names))
            }
            _ => return None,
        };
        Some(Mark { at: event.at, kind })
    }
}
