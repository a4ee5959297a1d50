//! Everything a person can do to the page.

use crate::engine::{Command, Micros};
use crate::present::controls::Target;

/// One thing a person does.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Play, or pause.
    Toggle,
    /// Back to the beginning.
    Restart,
    /// To just before the last event.
    StepBack,
    /// To the next event.
    StepForward,
    /// To this time.
    Seek(Micros),
    /// A speed, in thousandths of real time.
    Speed(u32),
    /// The next speed on offer.
    Faster,
    /// The speed before.
    Slower,
    /// An intervention, at the playhead.
    Command(Command),
    /// A setting, by its id in the table, to one of its stops.
    Set(&'static str, usize),
    /// What the settings are for.
    Target(Target),
    /// Takes back the newest intervention.
    Undo,
    /// From the beginning with the newest changed setting in force from the start.
    Replay,
    /// A shipped scenario, by name.
    Open(String),
    /// The text of a scenario file, and the file's name.
    File(String, String),
    /// A file that could not be read, and why.
    Unreadable(String, String),
    /// The same scenario from another seed.
    Seed(u64),
    /// A seed as typed; what is not a number is not taken.
    SeedText(String),
    /// Puts a link to this run on the clipboard.
    CopyLink,
    /// Takes a notice away.
    Dismiss,
    /// Simple or full view.
    Layout(Layout),
    /// Colours.
    Colours(Colours),
}

/// Which view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// Stage, transport, caption, four controls, three numbers.
    #[default]
    Simple,
    /// Everything.
    Full,
}

impl Layout {
    /// Its name in the address and in storage.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Full => "full",
        }
    }

    /// The view of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Simple, Self::Full]
            .into_iter()
            .find(|layout| layout.name() == name)
    }
}

/// Which colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Colours {
    /// As the system has them.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Colours {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// Its name in the document and in storage.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// What it is called on the page.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "As the system",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// The colours of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|colours| colours.name() == name)
    }
}
