//! Events that come of partitions, of what is done to one message, and of redrives.

use crate::engine::event::LostCall;
use crate::engine::{Event, EventKind};
use crate::present::actions::discard_reason;
use crate::present::format;

use super::{Severity, Teller, Told};

impl Teller<'_> {
    /// Events that come of interventions alone.
    pub(super) fn intervention(&self, event: &Event) -> Told {
        use EventKind as E;
        use Severity::{Normal, Warn};
        match event.kind {
            E::CallLost {
                message,
                queue,
                consumer,
                call,
            } => {
                let what = match call {
                    LostCall::Nack => "nack",
                    LostCall::Reject => "reject",
                    LostCall::Extension => "heartbeat",
                };
                let text = format!(
                    "{}'s {what} of {} got lost: here nothing changes.",
                    self.c(consumer),
                    self.m(message)
                );
                (self.q(queue), text, Warn)
            }
            E::Discarded {
                message,
                queue,
                reason,
            } => {
                let why = discard_reason(reason);
                let text = format!("{} discarded: {why}.", self.m(message));
                (self.q(queue), text, Warn)
            }
            E::PoisonSet { message, poison } => {
                let m = self.m(message);
                if poison {
                    let text = format!("{m} is a poison message now: its handlers fail.");
                    ("Message".to_owned(), text, Warn)
                } else {
                    let text = format!("{m} is mended: it can be processed.");
                    ("Message".to_owned(), text, Normal)
                }
            }
            E::RedriveBegan { from, count } => {
                let count = format::counted(count.into(), "message", "messages");
                let text = format!("A redrive of {count} begins.");
                (self.q(from), text, Normal)
            }
            E::RedriveEnded { from, moved } => {
                let moved = format::counted(moved.into(), "message", "messages");
                let text = format!("The redrive is over: {moved} moved.");
                (self.q(from), text, Normal)
            }
            E::SettingDelayed { queue, acts_at } => {
                let text = format!("The changed setting acts at {} s.", acts_at);
                (self.q(queue), text, Normal)
            }
            E::RedriveRefused { from } => {
                let text = "Redrive refused: another one is under way.".to_owned();
                (self.q(from), text, Warn)
            }
            _ => (String::new(), String::new(), Normal),
        }
    }
}
