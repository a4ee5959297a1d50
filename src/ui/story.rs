//! How the caption tells what a person did: what it does, what it cuts off, what comes of it, and how it ends.

use yew::AttrValue;

use super::player::Player;
use crate::engine::{Command, Event, EventKind, Micros, Snapshot};
use crate::present::names::Names;
use crate::present::{change, format, outcome};

/// A caption: the time it stands before, and its words.
pub type Told = (Option<AttrValue>, AttrValue);

/// How long an action is told while the run plays on, in real seconds.
const ACTION_STAYS: f64 = 6.0;
/// How long an action is told before the harm that comes of it is told instead, in real seconds.
const ACTION_IS_READ: f64 = 2.0;
/// How long harm, or what comes of an action, is told, in real seconds.
const HARM_STAYS: f64 = 3.0;
/// Harm done within this time is told as one, by what is worst of it, in real seconds.
const AT_ONCE: f64 = 0.3;

/// Something that a person did to the run.
pub struct Acted {
    /// Where the playhead was.
    pub given: Micros,
    /// When it acts.
    pub at: Micros,
    /// Whether what was known of the time after it was cut off.
    pub forked: bool,
    /// What it does.
    pub text: String,
}

impl Player {
    /// What a command does, as a sentence; `before` is the moment before it.
    pub fn told(&self, command: &Command, before: &Snapshot) -> String {
        let names = Names {
            setup: self.session.base(),
            bodies: &self.bodies,
        };
        let at = self.session.playhead().at;
        let text = change::caption(command, before, at, &names) + ".";
        // Names are as they were given.
        let mut workers = names.setup.consumers.iter();
        if workers.any(|consumer| text.starts_with(&consumer.name)) {
            text
        } else {
            format::capitalised(text)
        }
    }

    /// The newest action while it is fresh, then what comes of it, whenever that is, and the harm that follows it.
    pub fn acting(&self) -> Option<Told> {
        if let Some(event) = self.following() {
            let sentence = self.teller().tell(event);
            return Some((
                Some(format::instant(event.at).into()),
                sentence.joined().into(),
            ));
        }
        let now = self.session.playhead().at;
        let acted = self.acted.as_ref().filter(|acted| acted.at <= now);
        let change = self.session.last_change();
        let at = acted
            .map(|acted| acted.at)
            .or(change.map(|change| change.at))?;
        if now - at > self.at_pace(ACTION_STAYS) || (now > at && self.is_over()) {
            return None;
        }
        let text = match (acted, change) {
            (Some(acted), _) if acted.forked => format!(
                "Acting at {} replaces what came after; Undo brings it back. {}",
                format::instant(acted.given),
                acted.text
            ),
            (Some(acted), _) => acted.text.clone(),
            (None, Some(change)) => self.change_caption(change),
            (None, None) => return None,
        };
        Some((None, text.into()))
    }

    /// When the newest action acts.
    fn acted_at(&self) -> Option<Micros> {
        let now = self.session.playhead().at;
        let acted = self.acted.as_ref().map(|acted| acted.at);
        let change = self.session.last_change();
        acted
            .filter(|at| *at <= now)
            .or(change.map(|change| change.at))
    }

    /// The event that is told instead of the newest action once that has been read: what came of an action last, else
    /// the newest harm soon after it.
    pub fn following(&self) -> Option<&Event> {
        if !self.session.was_acted_upon() || self.is_over() {
            return None;
        }
        let now = self.session.playhead().at;
        let acted = self.acted_at();
        if acted.is_some_and(|at| now - at < self.at_pace(ACTION_IS_READ)) {
            return None;
        }
        let since = now - self.at_pace(HARM_STAYS);
        let mut recent = self.newest().take_while(|event| event.at >= since);
        let own = recent.find(|event| {
            let again = matches!(event.kind, EventKind::Delivered { delivery: 2.., .. });
            (again || is_harm(&event.kind)) && self.session.consequence_of(event).is_some()
        });
        own.or_else(|| {
            let at = acted.filter(|at| now - *at <= self.at_pace(ACTION_STAYS))?;
            self.newest_harm(at.max(since))
        })
    }

    /// The newest harm after a time; of what came at once the worst.
    fn newest_harm(&self, after: Micros) -> Option<&Event> {
        let newest = self.harm(after).next()?;
        let since = after.max(newest.at - self.at_pace(AT_ONCE));
        let teller = self.teller();
        let mut worst = (newest, teller.tell(newest).severity);
        for event in self.harm(since) {
            let severity = teller.tell(event).severity;
            if severity > worst.1 {
                worst = (event, severity);
            }
        }
        Some(worst.0)
    }

    /// Whether all events are at hand and none is the end of a timeout.
    fn no_timeout_ended(&self) -> bool {
        let mut known = 0;
        let ended = self.newest().any(|event| {
            known += 1;
            matches!(event.kind, EventKind::TimeoutEnded { .. })
        });
        !ended && known == self.session.playhead().ordinal.0
    }

    /// Harm done after a time, newest first.
    fn harm(&self, after: Micros) -> impl Iterator<Item = &Event> {
        let since = self.newest().take_while(move |event| event.at > after);
        since.filter(|event| is_harm(&event.kind))
    }

    /// Whether the run stands at the end of its story, or where nothing follows.
    fn is_over(&self) -> bool {
        let at = self.session.playhead().at;
        let stop = self.situation.scenario.view.stop_at;
        !self.playing
            && at > Micros::ZERO
            && (stop == Some(at)
                || self.session.duration() == Some(at)
                || self.session.next_event_at().is_none())
    }

    /// At the end of a run that was acted upon but has no run before it: how it ended.
    fn ending(&self, now: &Snapshot) -> Option<Told> {
        let teller = self.teller();
        let mut queues = now
            .queues
            .iter()
            .filter(|queue| !queue.is_dead_letter_queue);
        let over = queues
            .all(|queue| queue.counts.ready + queue.counts.delayed + queue.counts.in_flight == 0);
        let text = outcome::ending(&now.totals, over, teller.effect_label, teller.unit);
        let acted = self.session.was_acted_upon();
        acted.then(|| (Some(format::instant(now.at).into()), text.into()))
    }

    /// At the end of a changed run: what became different.
    pub fn outcome(&self) -> Option<Told> {
        if !self.is_over() {
            return None;
        }
        let now = self.session.snapshot();
        let Some(before) = &self.before else {
            return self.ending(&now);
        };
        let (old, new) = (&before.totals, &now.totals);
        let teller = self.teller();
        let (label, unit) = (teller.effect_label, teller.unit);
        let counts = [
            ("deliveries", old.deliveries, new.deliveries),
            (
                "duplicate effects",
                old.duplicate_effects,
                new.duplicate_effects,
            ),
            ("dead-lettered", old.dead_lettered, new.dead_lettered),
            ("out of order", old.out_of_order, new.out_of_order),
            ("lost", old.lost, new.lost),
            ("sends suppressed", old.suppressed, new.suppressed),
        ];
        // They differ by chance wherever anything else does.
        let empty = ("empty receives", old.empty_receives, new.empty_receives);
        let only_empty = counts.iter().all(|(_, old, new)| old == new);
        let counts = counts
            .into_iter()
            .chain(only_empty.then_some(empty))
            .map(|(what, old, new)| (what, old, new, format::count(old), format::count(new)));
        let amounts = (!unit.is_empty()).then(|| {
            let amount = |n| format::amount(n, unit);
            let (old, new) = (old.amount, new.amount);
            (label, old, new, amount(old), amount(new))
        });
        let differences: Vec<String> = counts
            .chain(amounts)
            .filter(|(_, old, new, ..)| old != new)
            .map(|(what, _, _, old, new)| format!("{what} {old} → {new}"))
            .collect();
        let text = if differences.is_empty() {
            "Without the change the numbers are the same.".to_owned()
        } else {
            let what = differences.join(", ");
            let mended = old.duplicate_effects > new.duplicate_effects
                && new.acked == new.deliveries
                && self.no_timeout_ended();
            let why = if mended {
                " Each ack came before its timeout."
            } else {
                ""
            };
            format!("What the change did: {what}.{why}")
        };
        Some((Some(format::instant(now.at).into()), text.into()))
    }
}

fn is_harm(kind: &EventKind) -> bool {
    match kind {
        EventKind::Effect { nth, .. } => *nth > 1,
        EventKind::EffectSkipped { wrongly, .. } => *wrongly,
        EventKind::TimeoutEnded { .. }
        | EventKind::DeadLettered { .. }
        | EventKind::DeliveredOutOfOrder { .. }
        | EventKind::FinishedOutOfOrder { .. }
        | EventKind::SendLost { .. }
        | EventKind::ConfirmLost { .. }
        | EventKind::ResponseLost { .. }
        | EventKind::AckLost { .. }
        | EventKind::Dropped { .. }
        | EventKind::Expired { .. } => true,
        _ => false,
    }
}
