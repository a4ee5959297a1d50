//! Which words the caption says.

use std::rc::Rc;

use yew::AttrValue;

use super::action::Layout;
use super::caption::Words;
use super::player::Player;
use crate::engine::{Command, Micros, Snapshot};
use crate::present::controls::Kind;
use crate::present::names::Names;
use crate::present::sentence::Severity;
use crate::present::{change, controls, format};
use crate::session::{LastChange, Session, StopReason};

/// How far back the event that can be asked about may lie while harm is told, in real seconds.
const ASKED: f64 = 1.5;
/// How long the last scripted sentence stays, in real seconds.
const SCRIPT_STAYS: f64 = 8.0;
/// How long it stays at least, whatever harm is done meanwhile, in real seconds.
const SCRIPT_IS_READ: f64 = 3.0;

impl Player {
    /// Whether a person has changed anything in this run.
    pub fn is_touched(&self) -> bool {
        self.replayed.is_some() || self.can_undo()
    }

    fn can_undo(&self) -> bool {
        self.session.commands().iter().any(|command| command.live)
    }

    /// The caption at the playhead.
    pub fn words(&self) -> Words {
        let (time, text) = self.sentence();
        let view = &self.situation.scenario.view;
        let invitation = view.invitation.as_ref().filter(|_| self.is_invited());
        Words {
            time,
            text,
            invitation: invitation.map(|invitation| invitation.text.clone().into()),
            why: self.to_ask_about().filter(|_| !self.is_notice()),
            replay: self
                .offered()
                .first()
                .and_then(|command| self.offer(command)),
            can_undo: self.can_undo() || self.replayed.is_some(),
            compared: self.other.is_some() && self.layout == Layout::Full,
            can_redo: self.session.can_redo() || !self.travel.undone.is_empty(),
        }
    }

    /// What was just changed, else the scripted sentence of a run that is as scripted, else what happened last.
    fn sentence(&self) -> (Option<AttrValue>, AttrValue) {
        let at = self.session.playhead().at;
        if let Some(alert) = self.halted().or_else(|| self.alert()) {
            return (Some(format::instant(at).into()), alert);
        }
        if let Some(told) = self.acting().or_else(|| self.outcome()) {
            return told;
        }
        let beginning = at <= self.at_pace(1.0);
        if let Some(replayed) = self.replayed.as_ref().filter(|_| beginning) {
            return (None, replayed.text.clone());
        }
        if let Some((since, text)) = self.scripted(at) {
            return (Some(format::instant(since).into()), text.to_owned().into());
        }
        self.happening()
            .map_or_else(Default::default, |(time, text)| (Some(time), text))
    }

    /// Whether the caption tells of no event: there is nothing to ask about.
    fn is_notice(&self) -> bool {
        let stopped = matches!(
            self.stopped,
            Some(StopReason::Time(_) | StopReason::Claim(_))
        );
        let halted = self.halted();
        self.travel.missed.is_some()
            || (stopped && (halted.is_some() || self.alert().is_some()))
            || (halted.is_none() && self.acting().is_none() && self.outcome().is_some())
    }

    /// The event that the caption tells: of those that it stands for the one that matters most, the newest of equals.
    fn to_ask_about(&self) -> Option<u64> {
        if let Some(event) = self.following() {
            return Some(event.ordinal.0);
        }
        let at = self.session.playhead().at;
        let since = self
            .scripted(at)
            .map_or(at - self.at_pace(ASKED), |(since, _)| since);
        let teller = self.teller();
        let told = self.newest().filter(|event| event.kind.message().is_some());
        let mut best: Option<(Severity, u64)> = None;
        for event in told {
            let severity = teller.tell(event).severity;
            if best.is_some() && event.at < since {
                break;
            }
            if best.is_none_or(|(most, _)| severity > most) {
                best = Some((severity, event.ordinal.0));
            }
        }
        best.map(|(_, ordinal)| ordinal)
    }

    /// The alert that paused the run.
    fn alert(&self) -> Option<AttrValue> {
        let Some(StopReason::Claim(index)) = self.stopped else {
            return None;
        };
        let alert = self.situation.scenario.alerts.get(index)?;
        let metric = alert.metric.name().replace('_', " ");
        Some(
            format!(
                "Alert {} of this scenario: {metric} has come to what it warns of.",
                index + 1
            )
            .into(),
        )
    }

    /// The scripted sentence, while the run is the scripted one. The last of them does not stay for ever, and makes room
    /// for harm once it has been read: none of the script will tell that.
    fn scripted(&self, at: Micros) -> Option<(Micros, &str)> {
        let captions = &self.situation.scenario.view.captions;
        let (since, text) = self
            .situation
            .caption_at(at)
            .filter(|_| !self.is_touched())?;
        let more = captions.iter().any(|caption| caption.at > since);
        let stands = || {
            let stays = at - since;
            stays <= self.at_pace(SCRIPT_IS_READ)
                || (stays <= self.at_pace(SCRIPT_STAYS) && !self.is_harmed(since))
        };
        (more || self.is_invited() || stands()).then_some((since, text))
    }

    /// Whether anything has gone wrong after a time.
    fn is_harmed(&self, since: Micros) -> bool {
        let teller = self.teller();
        let mut after = self.newest().take_while(|event| event.at > since);
        after.any(|event| teller.tell(event).severity > Severity::Normal)
    }

    /// What a change does, with the moment before it as it was, or as it can be told from now.
    pub(super) fn change_caption(&self, last: &LastChange) -> String {
        let names = Names {
            setup: self.session.base(),
            bodies: &self.bodies,
        };
        let kept = self.moments.get(&last.index).cloned();
        let before = kept.unwrap_or_else(|| {
            let now = Snapshot::clone(&self.session.snapshot());
            last.before
                .iter()
                .fold(now, |snapshot, command| {
                    controls::applied(&snapshot, command)
                })
                .into()
        });
        format::capitalised(change::caption(&last.now, &before, last.at, &names)) + "."
    }

    /// "Replay from 0 s with prefetch 4". The setting goes without its name where the invitation beside it has it, and
    /// where the value is a word of the story's own.
    fn offer(&self, command: &Command) -> Option<AttrValue> {
        let (control, _, _, new) = change::changed(command, &self.start())?;
        // Who does the work is nothing to try from the start.
        if control.id == "by-hand" {
            return None;
        }
        let short = new.split(" (").next().unwrap_or(&new);
        let plain = |text: &str| text.replace('\u{a0}', " ");
        let invitation = self.situation.scenario.view.invitation.as_ref();
        let is_named = match control.kind {
            Kind::Choice => control.id == "order",
            Kind::Slider => {
                self.is_invited()
                    && invitation.is_some_and(|invitation| {
                        plain(&invitation.text).contains(&format!("try {}", plain(short)))
                    })
            }
            Kind::Toggle => false,
        };
        if self.offered().len() > 1 {
            return Some("Replay from 0\u{a0}s with this change".into());
        }
        let plain_names = ["prefetch", "visibility-timeout", "retry-budget"];
        let is_plain = plain_names.contains(&control.id);
        let label = control.label;
        let change = match control.kind {
            _ if is_named => format!(" with {short}"),
            Kind::Slider if is_plain => format!(" with {} {short}", label.to_ascii_lowercase()),
            _ => format!(": {label} = {short}"),
        };
        Some(format!("Replay from 0\u{a0}s{change}").into())
    }

    /// What a replay changes, in words.
    pub fn replay_text(&self, command: &Command) -> AttrValue {
        let changed = change::changed(command, &self.start());
        let text = changed.map(|(control, _, old, new)| {
            format!(
                "The same run again, with {} {old} → {new} from the start.",
                control.label.to_ascii_lowercase()
            )
        });
        text.unwrap_or_default().into()
    }

    /// The beginning of this run, with the settings it starts from.
    pub fn start(&self) -> Rc<Snapshot> {
        Session::new(self.session.base().clone()).snapshot()
    }
}
