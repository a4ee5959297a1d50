//! Which settings a scenario's broker allows while a run goes on.

use super::{Hold, Name, Profile, Role};
use crate::engine::{Command, Micros, Setup, TimedCommand};
use crate::scenario::{Action, Scenario, Target, command_file};

impl Scenario {
    /// What the broker that it behaves like says of a field; in Free, what the one whose names are used lacks.
    pub fn hold_of(&self, role: Role, field: &str) -> Hold {
        match self.behaves_like {
            Profile::Free => {
                let concept = format!("{}{field}", role.prefix());
                match self.vocabulary().name(&concept) {
                    Name::NoCounterpart(nearest) => Hold {
                        may: super::May::Lacks,
                        why: nearest,
                    },
                    _ => Hold::OPEN,
                }
            }
            profile => profile.hold(role, field),
        }
    }

    /// Whether the broker allows what a command sets. Other commands are allowed.
    pub fn allows(&self, command: &Command, setup: &Setup) -> bool {
        let timed = TimedCommand {
            at: Micros::ZERO,
            command: command.clone(),
        };
        let file = command_file(&timed, setup);
        let Some(Action::Set(settings)) = file.map(|file| file.action) else {
            return true;
        };
        let role = match &settings.target {
            Target::Queue(name) => self.role_of(name),
            Target::Consumer(_) | Target::AllConsumers => Role::Consumer,
            Target::Producer(_) => Role::Producer,
            Target::Network => return true,
        };
        settings.patch.iter().all(|(field, value)| {
            let default = self.behaves_like.default_of(role, field);
            let hold = self.hold_of(role, field);
            hold.hint(value, default.as_ref()).is_none()
        })
    }
}
