//! The life of a message as lines: what happened, and what will happen if nothing changes.

use crate::engine::event::ExhaustedReason;
use crate::engine::{Event, EventKind, Micros, Ordinal};
use crate::present::format;
use crate::present::sentence::{Severity, drop_reason};

use super::Inquiry;

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The event.
    pub ordinal: Ordinal,
    /// When it happens.
    pub at: Micros,
    /// When, as it reads.
    pub time: String,
    /// What.
    pub text: String,
    /// How much it matters.
    pub severity: Severity,
    /// It is still to come.
    pub ahead: bool,
}

/// A life.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Story {
    /// Oldest first.
    pub lines: Vec<Line>,
    /// Lines after the first that are left out.
    pub left_out: u64,
}

impl Story {
    /// Most lines of the past.
    pub const MOST: usize = 40;
}

/// The life of a message: what happened before `here`, and what is foreseen. `left_out` events are not among those of
/// the inquiry.
pub fn story(inquiry: &Inquiry, here: Ordinal, ahead: &[Event], left_out: u64) -> Story {
    let past: Vec<Event> = inquiry
        .life
        .iter()
        .filter(|event| event.ordinal < here)
        .copied()
        .collect();
    let mut lines = lines_of(inquiry, &past, false);
    let mut left_out = left_out;
    if lines.len() > Story::MOST {
        let more = lines.len() - Story::MOST;
        lines.drain(1..=more);
        left_out += more as u64;
    }
    lines.extend(lines_of(inquiry, ahead, true));
    Story { lines, left_out }
}

fn lines_of(inquiry: &Inquiry, events: &[Event], ahead: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut place = 0;
    while let Some(event) = events.get(place) {
        let (used, told) = told(inquiry, events.get(place..).unwrap_or_default(), ahead);
        if let Some((text, severity)) = told {
            lines.push(Line {
                ordinal: event.ordinal,
                at: event.at,
                time: format::instant(event.at),
                text: inquiry.teller.in_words(&text),
                severity,
                ahead,
            });
        }
        place += used.max(1);
    }
    lines
}

/// The first of some events in words, and how many of them that tells.
fn told(inquiry: &Inquiry, events: &[Event], ahead: bool) -> (usize, Option<(String, Severity)>) {
    let Some(event) = events.first() else {
        return (0, None);
    };
    let next = events.get(1).filter(|next| next.at == event.at);
    let t = &inquiry.teller;
    match event.kind {
        // A send that is stored at once is one thing.
        EventKind::Sent {
            producer, attempt, ..
        } => {
            let who = producer.map_or_else(|| "by hand".to_owned(), |id| format!("by {}", t.p(id)));
            let again = if attempt > 1 { "sent again" } else { "sent" };
            let stored = next.filter(|next| {
                matches!(next.kind, EventKind::Accepted { visible_at, .. } if visible_at <= next.at)
            });
            let tone = if attempt > 1 {
                Severity::Warn
            } else {
                Severity::Normal
            };
            let text = match (ahead, attempt) {
                (true, _) => format!("will be {again} {who}"),
                (false, 0 | 1) => format!("{again} {who}"),
                (false, _) => format!("no confirm came: {again} {who}"),
            };
            (1 + usize::from(stored.is_some()), Some((text, tone)))
        }
        EventKind::Delivered {
            consumer,
            queue,
            delivery,
            hidden_until,
            ..
        } => {
            let max = inquiry
                .queue_at(queue, event.at)
                .and_then(|queue| queue.max_deliveries);
            let nth = match (delivery, max) {
                (0 | 1, _) => String::new(),
                (n, Some(max)) => format!(
                    ", the {} of {}",
                    format::ordinal(n),
                    format::count(max.into())
                ),
                (n, None) => format!(", the {} time", format::ordinal(n)),
            };
            let hidden = if hidden_until == Micros::MAX {
                String::new()
            } else {
                format!(", hidden for {}", format::span(hidden_until - event.at))
            };
            let begins = next.is_some_and(|next| {
                matches!(
                    next.kind,
                    EventKind::Started {
                        lease_over: false,
                        ..
                    }
                )
            });
            let verb = if ahead {
                "will be delivered"
            } else {
                "delivered"
            };
            let tone = if delivery > 1 {
                Severity::Warn
            } else {
                Severity::Normal
            };
            let text = format!("{verb} to {}{nth}{hidden}", t.c(consumer));
            (1 + usize::from(begins), Some((text, tone)))
        }
        EventKind::Finished { consumer, .. } => finished(inquiry, events, &t.c(consumer), ahead),
        _ => (1, single(inquiry, event, ahead)),
    }
}

/// A handler's end with what follows from it at the same instant: "worker-2 will finish: effect, ack refused".
fn finished(
    inquiry: &Inquiry,
    events: &[Event],
    consumer: &str,
    ahead: bool,
) -> (usize, Option<(String, Severity)>) {
    let at = events.first().map(|event| event.at);
    let who = events.first().and_then(|event| event.kind.consumer());
    let done = inquiry.teller.done();
    let mut parts = Vec::new();
    let mut tone = Severity::Normal;
    let mut used = 1;
    for event in events.iter().skip(1) {
        let same = Some(event.at) == at && event.kind.consumer().is_none_or(|by| Some(by) == who);
        let (part, weight) = match event.kind {
            _ if !same => break,
            EventKind::Effect { nth: 2.., .. } => ("a duplicate effect".to_owned(), Severity::Bad),
            EventKind::Effect { .. } => (done.clone(), Severity::Normal),
            EventKind::EffectSkipped { wrongly: false, .. } => {
                ("no second effect".to_owned(), Severity::Normal)
            }
            EventKind::EffectSkipped { .. } => (
                "taken for done, its effect is missing".to_owned(),
                Severity::Bad,
            ),
            EventKind::FinishedOutOfOrder { before, .. } => (
                format!("after {}, a later one", inquiry.teller.m(before)),
                Severity::Bad,
            ),
            EventKind::Acked { .. } => ("acknowledged and removed".to_owned(), Severity::Normal),
            EventKind::AckStale { refused: true, .. } => {
                ("ack refused, too late".to_owned(), Severity::Warn)
            }
            EventKind::AckStale { .. } => {
                ("ack too late, nothing removed".to_owned(), Severity::Warn)
            }
            EventKind::AckLost { .. } => ("its ack gets lost".to_owned(), Severity::Warn),
            EventKind::SurvivedAck { .. } => ("a copy survives the ack".to_owned(), Severity::Warn),
            _ => break,
        };
        parts.push(part);
        tone = tone.max(weight);
        used += 1;
    }
    let verb = if ahead { "will finish" } else { "finished" };
    let text = if parts.is_empty() {
        format!("{consumer} {verb}")
    } else {
        format!("{consumer} {verb}: {}", parts.join(", "))
    };
    (used, Some((text, tone)))
}

/// An event that stands alone.
fn single(inquiry: &Inquiry, event: &Event, ahead: bool) -> Option<(String, Severity)> {
    use EventKind as E;
    use Severity::{Bad, Normal, Warn};
    let t = &inquiry.teller;
    let at = format::instant;
    let tense = |past: &str, future: &str| {
        if ahead {
            future.to_owned()
        } else {
            past.to_owned()
        }
    };
    Some(match event.kind {
        E::SendLost { .. } => ("lost on its way to the queue".to_owned(), Warn),
        E::Accepted { visible_at, .. } if visible_at > event.at => {
            (format!("stored, delayed until {}", at(visible_at)), Normal)
        }
        E::Accepted { queue, .. } => (format!("stored in {}", t.q(queue)), Normal),
        E::Suppressed { first, message, .. } if first != message => (
            format!("taken for a repeat of {}: not stored", t.m(first)),
            Warn,
        ),
        E::Suppressed { .. } => ("recognised as a repeat: not stored again".to_owned(), Warn),
        E::Refused { .. } => ("refused".to_owned(), Warn),
        E::ConfirmLost { .. } => ("its confirm got lost".to_owned(), Warn),
        E::BecameVisible { .. } => (
            tense("delay over: can be received", "its delay will be over"),
            Normal,
        ),
        E::ResponseLost { consumer, .. } => (format!("never reached {}", t.c(consumer)), Warn),
        E::DeliveredOutOfOrder { before, .. } => {
            (format!("after {}, which was sent later", t.m(before)), Warn)
        }
        E::Started {
            consumer,
            lease_over: true,
            ..
        } => {
            let verb = tense("starts", "will start");
            (
                format!("{} {verb} although its timeout has ended", t.c(consumer)),
                Warn,
            )
        }
        E::Started { consumer, work, .. } => {
            let verb = tense("starts", "will start");
            (
                format!("{} {verb}: {} of work", t.c(consumer), format::work(work)),
                Normal,
            )
        }
        E::Failed { consumer, .. } => (
            format!("{} {}", t.c(consumer), tense("failed", "will fail")),
            Warn,
        ),
        E::Skipped { consumer, .. } => (
            format!("{} dropped it: its timeout had ended", t.c(consumer)),
            Warn,
        ),
        E::Acked { consumer, .. } => (
            format!(
                "{} by {} and removed",
                tense("acknowledged", "will be acknowledged"),
                t.c(consumer)
            ),
            Normal,
        ),
        E::AckStale {
            consumer, refused, ..
        } => {
            let answer = if refused {
                "refused"
            } else {
                "nothing removed"
            };
            (format!("ack of {} too late: {answer}", t.c(consumer)), Warn)
        }
        E::CallLost { consumer, .. } => (
            format!("a call of {} about it was lost", t.c(consumer)),
            Warn,
        ),
        E::Discarded { .. } => ("discarded from the dead-letter queue".to_owned(), Warn),
        E::PoisonSet { poison: true, .. } => ("made poison".to_owned(), Warn),
        E::PoisonSet { .. } => ("mended: poison no more".to_owned(), Normal),
        E::AckLost { consumer, .. } => (format!("ack of {} lost", t.c(consumer)), Warn),
        E::Nacked {
            stale: true,
            consumer,
            ..
        } => (format!("returned by {} too late", t.c(consumer)), Warn),
        E::Nacked {
            consumer,
            visible_at,
            ..
        } if visible_at > event.at => (
            format!(
                "returned by {}, visible again at {}",
                t.c(consumer),
                at(visible_at)
            ),
            Warn,
        ),
        E::Nacked { consumer, .. } => (
            format!("returned by {}: visible again", t.c(consumer)),
            Warn,
        ),
        E::Rejected { consumer, .. } => (format!("rejected by {}", t.c(consumer)), Warn),
        E::Extended { stale: true, .. } => ("extended too late".to_owned(), Warn),
        E::Extended { refused: true, .. } => {
            ("extension refused: beyond 12 h in all".to_owned(), Warn)
        }
        E::Extended {
            hidden_until: Micros::MAX,
            ..
        } => ("idle time started again".to_owned(), Normal),
        E::Extended { hidden_until, .. } => (
            format!("extended: hidden until {}", at(hidden_until)),
            Normal,
        ),
        E::TimeoutEnded { .. } => (
            tense(
                "timeout ended before the ack: visible again",
                "timeout will end before the ack: visible again",
            ),
            Warn,
        ),
        E::Returned { .. } => (
            tense("back-off over: visible again", "its back-off will be over"),
            Normal,
        ),
        E::SurvivedAck { .. } => ("a copy survived its ack: visible again".to_owned(), Warn),
        E::DeadLettered { to, .. } => (
            format!("{} to {}", tense("moved", "will move"), t.q(to)),
            Bad,
        ),
        E::Dropped { reason, .. } => {
            let why = drop_reason(reason);
            (
                format!("{}: {why}", tense("dropped", "will be dropped")),
                Bad,
            )
        }
        E::Expired { .. } => {
            let verb = tense("removed", "will be removed");
            (format!("{verb}: its time is over"), Bad)
        }
        E::Purged { .. } => ("removed by the purge".to_owned(), Warn),
        E::Redriven { to, .. } => (format!("moved back to {} as new", t.q(to)), Normal),
        E::Crashed { consumer, .. } => (
            format!(
                "{} {}, holding it",
                t.c(consumer),
                tense("crashed", "will crash")
            ),
            Bad,
        ),
        E::Effect { consumer, nth, .. } if nth > 1 => {
            (format!("a duplicate effect by {}", t.c(consumer)), Bad)
        }
        E::Effect { consumer, .. } => (format!("{} by {}", t.done(), t.c(consumer)), Normal),
        E::EffectSkipped { .. } => ("no second effect".to_owned(), Normal),
        E::FinishedOutOfOrder { before, .. } => (
            format!("took effect after {}, a later one", t.m(before)),
            Bad,
        ),
        E::Claimed { consumer, from, .. } => (
            format!("{} takes it over from {}", t.c(consumer), t.c(from)),
            Warn,
        ),
        E::Requeued { consumer, .. } => (
            format!(
                "{} {} has it no more",
                tense("came back:", "will come back:"),
                t.c(consumer)
            ),
            Warn,
        ),
        E::Exhausted {
            archived, reason, ..
        } => {
            let kept = if archived { "archived" } else { "stays" };
            let why = match reason {
                ExhaustedReason::BudgetUsedUp => "its budget is used up",
                ExhaustedReason::Rejected => "given up",
                ExhaustedReason::ConsumerForgotten => "its consumer was forgotten",
            };
            let text = format!("{why}: {kept}, delivered no more");
            (text, Bad)
        }
        E::DeadLetterKept { .. } => {
            let text = "stays as a dead letter: its queue does not take it";
            (text.to_owned(), Warn)
        }
        E::LostInRestart { .. } => ("lost in the restart of the broker".to_owned(), Bad),
        E::StarvationBegan { .. } => ("has waited too long: starving".to_owned(), Bad),
        _ => return None,
    })
}
