//! Which words the caption says.

use super::caption::Words;
use super::player::Player;
use crate::present::format;

impl Player {
    /// Whether a person has changed anything in this run.
    pub fn is_touched(&self) -> bool {
        self.replayed || self.session.commands().iter().any(|command| command.live)
    }

    /// The caption at the playhead: the scripted one while the run is the scripted one, else what happened last.
    pub fn words(&self) -> Words {
        let at = self.session.playhead().at;
        let scripted = self.situation.caption_at(at).filter(|_| !self.is_touched());
        let (since, text) = scripted.map_or((None, ""), |(since, text)| (Some(since), text));
        Words {
            time: since.map(|since| format::instant(since).into()),
            text: text.to_owned().into(),
            invitation: self
                .is_invited()
                .then_some(self.situation.scenario.view.invitation.as_ref())
                .flatten()
                .map(|invitation| invitation.text.clone().into()),
            replay: self
                .offered()
                .first()
                .map(|_| "Replay from 0 s with it".into()),
            can_undo: self.session.commands().iter().any(|command| command.live),
        }
    }
}
