//! Which words the caption says.

use std::rc::Rc;

use yew::AttrValue;

use super::caption::Words;
use super::player::Player;
use crate::engine::{Command, Snapshot};
use crate::present::names::Names;
use crate::present::{change, controls, format};
use crate::session::{LastChange, Session};

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
            replay: self
                .offered()
                .first()
                .and_then(|command| self.offer(command)),
            can_undo: self.can_undo() || self.replayed.is_some(),
        }
    }

    /// What was changed, else the scripted sentence while the run is the scripted one.
    fn sentence(&self) -> (Option<AttrValue>, AttrValue) {
        let at = self.session.playhead().at;
        if let Some(change) = self.session.last_change() {
            return (None, self.change_caption(change).into());
        }
        if let Some(replayed) = &self.replayed {
            return (None, replayed.text.clone());
        }
        let scripted = self.situation.caption_at(at).filter(|_| !self.is_touched());
        scripted.map_or_else(Default::default, |(since, text)| {
            (Some(format::instant(since).into()), text.to_owned().into())
        })
    }

    /// What a change does, with the moment before it as it was, or as it can be told from now.
    fn change_caption(&self, last: &LastChange) -> String {
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
        capitalised(&change::caption(&last.now, &before, last.at, &names)) + "."
    }

    /// "Replay from 0 s with 6 s".
    fn offer(&self, command: &Command) -> Option<AttrValue> {
        let (_, _, _, new) = change::changed(command, &self.start())?;
        let short = new.split(" (").next().unwrap_or(&new);
        Some(format!("Replay from 0\u{a0}s with {short}").into())
    }

    /// What a replay changes, in words.
    pub fn replay_text(&self, command: &Command) -> AttrValue {
        let changed = change::changed(command, &self.start());
        let text = changed.map(|(control, _, old, new)| {
            format!(
                "The same run again, with {} {old} → {new} from the start.",
                control.label.to_lowercase()
            )
        });
        text.unwrap_or_default().into()
    }

    /// The beginning of this run, with the settings it starts from.
    fn start(&self) -> Rc<Snapshot> {
        Session::new(self.session.base().clone()).snapshot()
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
