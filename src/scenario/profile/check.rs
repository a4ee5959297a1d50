//! What a broker fixes, bounds or lacks is refused, each with its place, why, and what would be right.

use serde_json::{Map, Value};

use super::hold::{Hold, Role};
use super::{May, Name, Profile};
use crate::engine::Micros;
use crate::scenario::Scenario;
use crate::scenario::duration;
use crate::scenario::field::{WriteSlot, write_every_slot, write_slots};
use crate::scenario::json;
use crate::scenario::problem::{At, Problems};

/// The number in a value: of a count, or of the microseconds of a span of time.
pub(super) fn number_of(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => duration::parse(text).map(|span| span.0),
        value => value.as_u64(),
    }
}

/// The name of a field, or of a part of one, in a sentence.
pub(super) fn spaced(path: &str) -> String {
    path.replace('_', " ").replace('.', ": ")
}

/// The word that a value is, or the choice that an object makes.
fn word_of(value: &Value) -> Option<&str> {
    match value {
        Value::Object(object) => object.keys().next().map(String::as_str),
        value => value.as_str(),
    }
}

/// The path of what holds the part at `path`.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(parent, _)| parent)
}

/// The part of an object at a path with dots.
pub(super) fn part<'a>(object: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let mut names = path.split('.');
    let mut value = object.get(names.next()?)?;
    for name in names {
        value = value.get(name)?;
    }
    Some(value)
}

impl Hold {
    /// The bounds, in the unit of [`number_of`].
    pub(super) fn bounds(self) -> Option<(u64, u64)> {
        match self.may {
            May::Seconds(from, to) => Some((Micros::from_secs(from).0, Micros::from_secs(to).0)),
            May::Numbers(from, to) => Some((from, to)),
            _ => None,
        }
    }

    /// A bound in words.
    pub(super) fn bound_in_words(self, number: u64) -> String {
        match self.may {
            May::Seconds(..) => duration::format(Micros(number)),
            _ => number.to_string(),
        }
    }

    /// What would be right in place of `value`; none if it is.
    pub(super) fn hint(self, value: &Value, default: Option<&Value>) -> Option<String> {
        let why = |text: String| Some(format!("{text} ({})", self.why));
        match self.may {
            May::Open => None,
            May::Fixed => match default {
                Some(default) => Some(format!("use {default}: {}", self.why)),
                None => Some(format!("leave it out: {}", self.why)),
            },
            May::Lacks if self.why.is_empty() => Some("leave it out".into()),
            May::Lacks => Some(format!("leave it out; nearest is {}", self.why)),
            May::Words(words) => {
                let word = word_of(value)?;
                let quoted: Vec<String> = words.iter().map(|it| format!("\"{it}\"")).collect();
                let right = words.contains(&word);
                (!right).then(|| format!("use {}: {}", quoted.join(" or "), self.why))
            }
            May::Seconds(..) | May::Numbers(..) => {
                let (from, to) = self.bounds()?;
                match number_of(value) {
                    Some(number) if (from..=to).contains(&number) => None,
                    // What has no bound by default may have none.
                    None if default.is_none() => None,
                    _ => why(format!(
                        "use {} to {}",
                        self.bound_in_words(from),
                        self.bound_in_words(to)
                    )),
                }
            }
        }
    }
}

impl Profile {
    /// Checks what `object`, in which is what is not by this broker's default, chooses. `whole` has every field.
    fn check(
        self,
        role: Role,
        object: &Map<String, Value>,
        whole: &Map<String, Value>,
        at: At<'_>,
        problems: &mut Problems,
    ) {
        for (field, value) in object {
            let default = self.default_of(role, field);
            self.check_one(role, field, value, default.as_ref(), at, problems);
        }
        for (path, fact) in self.facts(role).filter(|(path, _)| path.contains('.')) {
            let field = path.trim_end_matches('!');
            let default = json::parse(fact.1, &mut Problems::default());
            match part(whole, field) {
                Some(value) if Some(value) == default.as_ref() => {}
                Some(value) => self.check_one(role, path, value, default.as_ref(), at, problems),
                None if field != path
                    && part(whole, parent(field)).is_some_and(Value::is_object) =>
                {
                    self.check_one(role, path, &Value::Null, default.as_ref(), at, problems);
                }
                None => {}
            }
        }
    }

    fn check_one(
        self,
        role: Role,
        path: &str,
        value: &Value,
        default: Option<&Value>,
        at: At<'_>,
        problems: &mut Problems,
    ) {
        let hold = self.hold(role, path);
        let field = path.trim_end_matches('!');
        if let Some(hint) = hold.hint(value, default) {
            let broker = self.broker();
            let message = match hold.may {
                May::Fixed => format!("{broker} fixes {}", spaced(field)),
                May::Lacks => format!("{broker} has no {}", spaced(field)),
                _ => format!("{value} is not allowed with {broker}"),
            };
            problems.push(at.field(field), message, hint);
        }
    }

    /// In Free: refuses settings that are chosen and that this broker, whose names are used, has no counterpart of.
    pub(super) fn check_names(
        self,
        role: Role,
        object: &Map<String, Value>,
        at: At<'_>,
        problems: &mut Problems,
    ) {
        for field in object.keys() {
            let concept = format!("{}{field}", role.prefix());
            if let Name::NoCounterpart(nearest) = self.name(&concept) {
                let hint = match nearest {
                    "" => "leave it out, or choose another vocabulary".into(),
                    nearest => format!("nearest is {nearest}"),
                };
                let message = format!("{} has no {}", self.broker(), spaced(field));
                problems.push(at.field(field), message, hint);
            }
        }
    }
}

impl Scenario {
    /// Checks a queue, consumer, producer or send against the broker. `written` is the item as it is written by a
    /// function.
    pub(in crate::scenario) fn check_profile(
        &self,
        role: Role,
        written: &dyn Fn(fn(&[WriteSlot<'_>]) -> Value) -> Value,
        at: At<'_>,
        problems: &mut Problems,
    ) {
        let (profile, vocabulary) = (self.behaves_like, self.vocabulary());
        if vocabulary == Profile::Free {
            return;
        }
        let Value::Object(mut object) = written(write_slots) else {
            return;
        };
        if profile == Profile::Free {
            vocabulary.check_names(role, &object, at, problems);
            return;
        }
        let Value::Object(whole) = written(write_every_slot) else {
            return;
        };
        profile.strip(role, &mut object, &whole);
        profile.check(role, &object, &whole, at, problems);
    }
}
