//! What things are called: queues, actors and groups by their names, messages by their bodies or numbers.

use std::borrow::Cow;

use crate::engine::snapshot::{QueueView, Snapshot, Token};
use crate::engine::{
    BodyId, ConsumerId, Event, EventKind, GroupId, MessageNumber, ProducerId, QueueId, Setup,
};
use crate::present::scene::GroupColour;

/// Longest message name in a sentence, in characters.
const LONGEST_BODY: usize = 24;

/// The bodies of messages, as far as they are known. Events name messages by number alone; bodies come from
/// the sends in the trace and from every snapshot seen.
///
/// In order of numbers: they are mostly learned in that order, so most are added at the end.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Bodies(Vec<(MessageNumber, BodyId)>);

impl Bodies {
    /// Takes in the body that a send names.
    pub fn observe(&mut self, event: &Event) {
        if let EventKind::Sent {
            message,
            body: Some(body),
            ..
        } = event.kind
        {
            self.insert(message, body);
        }
    }

    /// Takes in the bodies of all messages that a snapshot shows.
    pub fn learn(&mut self, snapshot: &Snapshot) {
        tokens(snapshot, |token| {
            if let Some(body) = token.body {
                self.insert(token.message, body);
            }
        });
    }

    /// The body of a message.
    pub fn body(&self, message: MessageNumber) -> Option<BodyId> {
        let place = self.place(message).ok()?;
        self.0.get(place).map(|(_, body)| *body)
    }

    fn insert(&mut self, message: MessageNumber, body: BodyId) {
        match self.place(message) {
            Ok(place) => self.0[place].1 = body,
            Err(place) => self.0.insert(place, (message, body)),
        }
    }

    fn place(&self, message: MessageNumber) -> Result<usize, usize> {
        self.0.binary_search_by_key(&message, |(known, _)| *known)
    }
}

/// Visits every token that a snapshot shows, copies included.
pub fn tokens(snapshot: &Snapshot, mut visit: impl FnMut(&Token)) {
    for queue in &snapshot.queues {
        queue_tokens(queue, &mut visit);
    }
    for consumer in &snapshot.consumers {
        let running = consumer.workers.iter().flatten().map(|job| &job.held);
        running
            .chain(&consumer.buffered)
            .for_each(|held| visit(&held.token));
    }
    let effects = snapshot.outside.recent.iter();
    effects
        .chain(&snapshot.outside.duplicates)
        .for_each(|effect| visit(&effect.token));
    snapshot.travelling.iter().for_each(|hop| visit(&hop.token));
}

fn queue_tokens(queue: &QueueView, visit: &mut impl FnMut(&Token)) {
    queue
        .lanes
        .iter()
        .flat_map(|lane| &lane.waiting)
        .for_each(&mut *visit);
    queue.in_flight.iter().for_each(|held| visit(&held.token));
    queue.delayed.iter().for_each(|(token, _)| visit(token));
    queue
        .dead_letters
        .iter()
        .for_each(|dead| visit(&dead.token));
}

/// Names as plain text. All of them are data of the scenario: painters must never take them for markup.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Where names come from.
    pub setup: &'a Setup,
    /// Bodies of messages named by number.
    pub bodies: &'a Bodies,
}

impl<'a> Names<'a> {
    /// A message: its body, cut, or its number.
    pub fn message(&self, message: MessageNumber) -> String {
        let body = self.bodies.body(message);
        body.and_then(|body| body_name(self.setup, body))
            .unwrap_or_else(|| message.0.to_string())
    }

    /// A queue.
    pub fn queue(&self, id: QueueId) -> Cow<'a, str> {
        name(
            self.setup.queues.get(id.index()).map(|queue| &queue.name),
            "queue",
        )
    }

    /// A producer.
    pub fn producer(&self, id: ProducerId) -> Cow<'a, str> {
        let producer = self.setup.producers.get(id.index());
        name(producer.map(|producer| &producer.name), "producer")
    }

    /// A consumer.
    pub fn consumer(&self, id: ConsumerId) -> Cow<'a, str> {
        let consumer = self.setup.consumers.get(id.index());
        name(consumer.map(|consumer| &consumer.name), "consumer")
    }

    /// What handlers call.
    pub fn downstream(&self, index: u16) -> Cow<'a, str> {
        let downstream = self.setup.downstreams.get(usize::from(index));
        name(downstream.map(|downstream| &downstream.name), "downstream")
    }

    /// A message group.
    pub fn group(&self, id: GroupId) -> Cow<'a, str> {
        group_name(self.setup, id)
    }
}

/// The name of a group.
pub fn group_name(setup: &Setup, id: GroupId) -> Cow<'_, str> {
    name(setup.groups.get(id.index()), "group")
}

/// A token's name: its body or its number, whole.
pub fn token_name(setup: &Setup, token: &Token) -> String {
    let body = token.body.and_then(|body| body_name(setup, body));
    body.unwrap_or_else(|| token.message.0.to_string())
}

fn body_name(setup: &Setup, body: BodyId) -> Option<String> {
    let text = clean(beginning(setup.bodies.get(body.index())?));
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(LONGEST_BODY).collect();
    if chars.next().is_some() {
        short.pop();
        short.push('…');
    }
    Some(short)
}

/// As much of a text as can matter for a name: bodies may be long, and are looked at in every frame.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(8 * LONGEST_BODY).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn name<'a>(name: Option<&'a String>, otherwise: &'static str) -> Cow<'a, str> {
    match name.map(|name| clean(name)) {
        Some(name) if !name.trim().is_empty() => name,
        _ => Cow::Borrowed(otherwise),
    }
}

/// A text without control characters and without marks that turn the direction of what follows.
pub fn clean(text: &str) -> Cow<'_, str> {
    let unwanted = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if text.contains(unwanted) {
        Cow::Owned(text.chars().filter(|c| !unwanted(*c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a group's name is short enough to be its badge.
pub fn is_short(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_graphic();
    (2..=3).contains(&name.len()) && name.chars().all(plain) || single(name).is_some()
}

/// The badge of a group: its name if that is a code such as EU; else the first letter of its name where that tells all
/// groups apart; else its whole name where that is short, and A, B, C by position for the others, without the letters
/// that are a group's name.
pub fn group_letter(setup: &Setup, id: GroupId) -> String {
    let own = setup.groups.get(id.index());
    let code = |name: &&String| is_short(name) && !name.chars().any(|c| c.is_ascii_lowercase());
    if let Some(whole) = own.filter(code) {
        return whole.clone();
    }
    if let Some(letter) = own
        .and_then(|name| initial(name))
        .filter(|_| initials_differ(setup))
    {
        return letter.to_string();
    }
    if let Some(whole) = own.filter(|name| is_short(name)) {
        return whole.clone();
    }
    let mut taken = [false; 26];
    for name in setup.groups.iter().filter_map(|name| single(name)) {
        if let Some(slot) = letter_slot(name).and_then(|slot| taken.get_mut(slot)) {
            *slot = true;
        }
    }
    let before = setup.groups.iter().take(id.index());
    let nth = before.filter(|name| !is_short(name)).count();
    let free = ('A'..='Z').zip(taken).filter(|(_, taken)| !taken);
    let free: Vec<char> = free.map(|(letter, _)| letter).collect();
    let letter = free.get(nth % free.len().max(1)).copied();
    letter.unwrap_or('?').to_string()
}

/// The only character of a name that has one.
fn single(name: &str) -> Option<char> {
    let mut chars = name.chars();
    chars
        .next()
        .filter(|c| chars.next().is_none() && !c.is_control() && *c != ' ')
}

fn letter_slot(letter: char) -> Option<usize> {
    let letter = letter.to_ascii_uppercase();
    letter
        .is_ascii_uppercase()
        .then(|| letter as usize - 'A' as usize)
}

/// Whether every group can be told by the first letter of its name.
pub fn initials_differ(setup: &Setup) -> bool {
    let mut seen = [false; 26];
    setup.groups.len() <= seen.len()
        && setup.groups.iter().all(|name| {
            let slot =
                initial(name).and_then(|letter| seen.get_mut(letter as usize - 'A' as usize));
            slot.is_some_and(|seen| !std::mem::replace(seen, true))
        })
}

fn initial(name: &str) -> Option<char> {
    let first = name.chars().next()?.to_ascii_uppercase();
    first.is_ascii_uppercase().then_some(first)
}

/// The colour of a group.
pub fn group_colour(id: GroupId) -> GroupColour {
    GroupColour((id.0 % 8) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures;

    #[test]
    fn a_message_is_called_by_its_body_or_its_number() {
        let fixture = fixtures::charged_twice();
        let mut bodies = Bodies::default();
        bodies.learn(&fixture.snapshot);
        let names = Names {
            setup: &fixture.setup,
            bodies: &bodies,
        };
        assert_eq!(names.message(MessageNumber(2)), "Ben");
        assert_eq!(names.message(MessageNumber(9)), "9");
    }

    #[test]
    fn letters_tell_groups_apart() {
        let mut setup = fixtures::charged_twice().setup;
        setup.groups = vec!["ada".into(), "ben".into()];
        assert_eq!(group_letter(&setup, GroupId(1)), "B");
        setup.groups = vec!["order-1".into(), "order-2".into()];
        assert_eq!(group_letter(&setup, GroupId(1)), "B");
        setup.groups = ["quiet-1", "quiet-2", "hot-1"].map(str::to_owned).to_vec();
        let letters: Vec<String> = (0..3).map(|id| group_letter(&setup, GroupId(id))).collect();
        assert_eq!(letters, ["A", "B", "C"], "one letter is never given twice");
    }

    #[test]
    fn a_short_name_is_its_own_badge() {
        let mut setup = fixtures::charged_twice().setup;
        setup.groups = ["EU", "A12", "Asia", "x"].map(str::to_owned).to_vec();
        let letters: Vec<String> = (0..4).map(|id| group_letter(&setup, GroupId(id))).collect();
        assert_eq!(letters, ["EU", "A12", "A", "x"]);
    }

    #[test]
    fn no_group_gets_a_letter_that_is_the_name_of_another() {
        let mut setup = fixtures::charged_twice().setup;
        setup.groups = ["B", "group-1", "group-2", "group-3"]
            .map(str::to_owned)
            .to_vec();
        setup.groups.push("house".to_owned());
        let letters: Vec<String> = (0..5).map(|id| group_letter(&setup, GroupId(id))).collect();
        assert_eq!(letters, ["B", "A", "C", "D", "E"]);
    }

    #[test]
    fn control_and_direction_characters_are_left_out_of_names() {
        assert_eq!(clean("a\0b\u{202e}c"), "abc");
    }
}
