//! Choosing a broker for the scenario at hand: what both have is kept, what the broker bounds is brought within its
//! bounds, what it fixes or lacks is taken away; and all of that is told.

use serde_json::{Map, Value};

use super::check::{number_of, spaced};
use super::hold::{Role, each_object, holder};
use super::{Hold, May, Name, Profile};
use crate::engine::Micros;
use crate::scenario::field::Field;
use crate::scenario::problem::{At, Problem, Problems};
use crate::scenario::view::View;
use crate::scenario::{Scenario, duration};

/// What a change of broker did to a scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct Note {
    /// The field: `orders.max_deliveries`; a command: `commands[2]`.
    pub path: String,
    /// What was done and why.
    pub text: String,
}

/// A scenario that behaves like another broker.
#[derive(Clone, PartialEq, Debug)]
pub struct Applied {
    /// The scenario. What the file expects of its own settings is left out.
    pub scenario: Scenario,
    /// What it had chosen and has no more, or otherwise.
    pub notes: Vec<Note>,
}

/// How often what does not fit is looked for: each time takes at least one command away.
const ROUNDS: usize = 200;

impl Profile {
    /// The scenario as it is with this broker. In Free everything stays as it is and is open.
    ///
    /// # Errors
    /// What is wrong with the scenario whatever the broker, or does not fit together without what this one lacks.
    pub fn apply(self, scenario: &Scenario) -> Result<Applied, Vec<Problem>> {
        let plain = Scenario {
            variants: Vec::new(),
            alerts: Vec::new(),
            expect: Vec::new(),
            view: View {
                vocabulary: None,
                ..scenario.view.clone()
            },
            ..scenario.clone()
        };
        let mut notes = Vec::new();
        let mut problems = Problems::default();
        let applied = if self == Self::Free {
            Some(Scenario {
                behaves_like: self,
                ..plain
            })
        } else {
            let mut file = plain.write();
            self.fit_file(&mut file, &mut notes);
            Scenario::read(&file, At::Root, &mut problems)
        };
        let mut scenario = problems.finish(applied)?;
        for _ in 0..ROUNDS {
            let Err(problems) = scenario.validate() else {
                break;
            };
            self.take_away(&mut scenario, problems, &mut notes)?;
        }
        Ok(Applied { scenario, notes })
    }

    fn fit_file(self, file: &mut Value, notes: &mut Vec<Note>) {
        let Value::Object(whole) = file else {
            return;
        };
        whole.insert("behaves_like".into(), self.write());
        if let Name::NoCounterpart(_) = self.name("queue.dead_letter_queue") {
            // Whether a queue is one for dead letters decides what its defaults are, so this comes first.
            each_object(file, |role, _, _, object| {
                let chosen = object.contains_key("dead_letter_queue");
                if chosen && matches!(role, Role::Queue | Role::DeadLetterQueue) {
                    let name = name_of(object);
                    self.fit_field(role, "dead_letter_queue", object, &name, notes);
                }
            });
        }
        each_object(file, |role, _, _, object| {
            let name = name_of(object);
            self.fit(role, object, &name, notes);
            let sends = object.get_mut("sends").and_then(Value::as_array_mut);
            for send in sends.into_iter().flatten() {
                if let Value::Object(send) = send {
                    self.fit(role, send, &name, notes);
                }
            }
        });
        self.give_sessions(file, notes);
        self.cut_rings(file, notes);
        let dead_letter_queues: Vec<Value> = (file.get("queues").and_then(Value::as_array))
            .into_iter()
            .flatten()
            .filter_map(|queue| queue.get("dead_letter_queue").cloned())
            .collect();
        let commands = file.get_mut("commands").and_then(Value::as_array_mut);
        let settings = commands.into_iter().flatten();
        for command in settings {
            let Some(Value::Object(patch)) = command.get_mut("set") else {
                continue;
            };
            let role = match () {
                () if patch
                    .get("queue")
                    .is_some_and(|it| dead_letter_queues.contains(it)) =>
                {
                    Role::DeadLetterQueue
                }
                () if patch.contains_key("queue") => Role::Queue,
                () if patch.contains_key("producer") => Role::Producer,
                () if patch.contains_key("network") => continue,
                () => Role::Consumer,
            };
            self.fit(role, patch, "commands", notes);
        }
    }

    /// Where messages must belong to a session, those of producers that name no group belong to a few in turn.
    fn give_sessions(self, file: &mut Value, notes: &mut Vec<Note>) {
        if self.default_of(Role::Queue, "group_rule") != Some("session".into()) {
            return;
        }
        each_object(file, |role, _, _, object| {
            if role == Role::Producer && !object.contains_key("groups") {
                object.insert("groups".into(), 4.into());
                notes.push(Note {
                    path: format!("{}.groups", name_of(object)),
                    text: format!(
                        "{} takes no message without a session: they belong to four sessions in turn.",
                        self.broker()
                    ),
                });
            }
        });
    }

    /// Where dead letters may not come back, the queue that sends them back keeps no dead-letter queue.
    fn cut_rings(self, file: &mut Value, notes: &mut Vec<Note>) {
        if self.default_of(Role::Queue, "cuts_cycles") == Some(true.into()) {
            return;
        }
        let Some(Value::Array(queues)) = file.get_mut("queues") else {
            return;
        };
        let text = |queue: &Value, field: &str| {
            let text = queue.get(field).and_then(Value::as_str);
            text.map(str::to_owned)
        };
        for first in 0..queues.len() {
            let mut at = first;
            for _ in 0..queues.len() {
                let target = text(&queues[at], "dead_letter_queue");
                let next = queues
                    .iter()
                    .position(|it| target.is_some() && text(it, "name") == target);
                let Some(next) = next else {
                    break;
                };
                if next != first {
                    at = next;
                    continue;
                }
                if let Some(object) = queues[at].as_object_mut() {
                    let name = name_of(object);
                    object.remove("dead_letter_queue");
                    notes.push(Note {
                        path: format!("{name}.dead_letter_queue"),
                        text: format!(
                            "{} lets no dead letter come back to its queue.",
                            self.broker()
                        ),
                    });
                }
                break;
            }
        }
    }

    /// Fits everything that an object chooses.
    fn fit(self, role: Role, object: &mut Map<String, Value>, name: &str, notes: &mut Vec<Note>) {
        let fields: Vec<String> = object.keys().cloned().collect();
        let nested = self.facts(role).map(|(path, _)| path.to_owned());
        let nested = nested.filter(|path| path.contains('.'));
        for path in fields.into_iter().chain(nested) {
            self.fit_field(role, &path, object, name, notes);
        }
        // No limit is for brokers that push.
        let unlimited = object.get("prefetch").and_then(Value::as_u64) == Some(0);
        let pushes = self.default_of(Role::Queue, "hand_over") == Some("push".into());
        if role == Role::Consumer && unlimited && !pushes {
            object.remove("prefetch");
            notes.push(Note {
                path: format!("{name}.prefetch"),
                text: format!(
                    "{} pushes nothing: a consumer holds what it works on.",
                    self.broker()
                ),
            });
        }
    }

    fn fit_field(
        self,
        role: Role,
        path: &str,
        object: &mut Map<String, Value>,
        name: &str,
        notes: &mut Vec<Note>,
    ) {
        let hold = self.hold(role, path);
        let default = self.default_at(role, path);
        let field = path.trim_end_matches('!');
        let Some((inner, last)) = holder(object, field) else {
            return;
        };
        let Some(value) = inner.get(last) else {
            return;
        };
        if Some(value) == default.as_ref() || hold.hint(value, default.as_ref()).is_none() {
            return;
        }
        let text = match hold.clamped(value) {
            Some(nearest) => {
                let text = format!(
                    "{} instead of {}: {}",
                    bare(&nearest),
                    bare(value),
                    hold.why
                );
                inner.insert(last.into(), nearest);
                text
            }
            None => {
                let text = self.taken_away(field, hold, default.as_ref());
                match hold.may {
                    // A part that is not there may leave nothing that could be read.
                    May::Lacks => object.remove(field.split('.').next().unwrap_or(field)),
                    _ => inner.remove(last),
                };
                text
            }
        };
        let note = Note {
            path: format!("{name}.{field}"),
            text,
        };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    fn taken_away(self, field: &str, hold: Hold, default: Option<&Value>) -> String {
        let (broker, field) = (self.broker(), spaced(field));
        let now = default.map_or_else(String::new, |default| format!(" at {}", bare(default)));
        match (hold.may, hold.why) {
            (May::Lacks, "") => format!("{broker} has no {field}."),
            (May::Lacks, nearest) => format!("{broker} has no {field}; nearest is {nearest}."),
            (May::Fixed, why) => format!("{broker} fixes it{now}: {why}."),
            (_, why) => format!("{broker} does not have this choice: {why}."),
        }
    }

    /// Takes away the commands and suggestions that do not fit.
    fn take_away(
        self,
        scenario: &mut Scenario,
        problems: Vec<Problem>,
        notes: &mut Vec<Note>,
    ) -> Result<(), Vec<Problem>> {
        let place = problems.iter().find_map(|problem| {
            let rest = problem.path.strip_prefix("commands[")?;
            let index: usize = rest.split(']').next()?.parse().ok()?;
            Some((index, problem))
        });
        if let Some((index, problem)) = place
            && index < scenario.commands.len()
        {
            notes.push(Note {
                path: format!("commands[{index}]"),
                text: format!("left out: {} {}", problem.path, problem.message),
            });
            scenario.commands.remove(index);
            return Ok(());
        }
        let of_view = problems
            .iter()
            .find(|it| it.path.starts_with("view.invitation"));
        match (of_view, &mut scenario.view.invitation) {
            (Some(_), Some(invitation)) if invitation.set.is_some() => {
                invitation.set = None;
                Ok(())
            }
            _ => Err(problems),
        }
    }
}

impl Hold {
    /// The value within the bounds that is nearest, if there are bounds and `value` has a size.
    fn clamped(self, value: &Value) -> Option<Value> {
        let (from, to) = self.bounds()?;
        let number = number_of(value)?.max(from).min(to);
        Some(match self.may {
            May::Seconds(..) => duration::format(Micros(number)).into(),
            _ => number.into(),
        })
    }
}

fn name_of(object: &Map<String, Value>) -> String {
    let name = object.get("name").and_then(Value::as_str);
    name.unwrap_or_default().to_owned()
}

/// A value in a sentence: text without its quotes.
fn bare(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
