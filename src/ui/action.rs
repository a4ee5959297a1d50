//! Everything a person can do to the page.

use yew::{Callback, MouseEvent};

use super::by_hand::Typed;
use super::reading::Read;
use crate::engine::{Command, MessageNumber, Micros, ProducerId};
use crate::present::actions::{ActionTarget, Whom};
use crate::present::chart::ChartId;
use crate::present::controls::{Target, Value};
use crate::present::geometry::Point;
use crate::present::sweep::Plan;
use crate::present::time_travel::BreakPoint;
use crate::present::why::Reference;
use crate::scenario::Profile;
use crate::session::Sought;

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
    /// What the scenario behaves like from now on.
    BehaveLike(Profile),
    /// Whose names are used where every rule is open.
    Vocabulary(Profile),
    /// Opens the form that sends in the place of a producer, or closes it.
    BeProducer(Option<ProducerId>),
    /// Sends what was typed.
    SendTyped(ProducerId, Typed),
    /// A setting, by its id in the table, to one of its stops.
    Set(&'static str, usize),
    /// What the settings are for.
    Target(Target),
    /// Opens the list of keys.
    Keys,
    /// Takes back the newest intervention.
    Undo,
    /// Gives what was taken back again.
    Redo,
    /// To the next event of a kind, or to the previous one.
    Jump(Sought, bool),
    /// Puts a break point up, or takes it away.
    Break(BreakPoint, bool),
    /// Stops at this time, or no more.
    BreakAt(Option<Micros>),
    /// Says why what was typed is not taken.
    Tell(String),
    /// Whether time in which nothing happens is run through fast.
    SkipQuiet(bool),
    /// Shows so many times as much on the timeline, around a time or the playhead.
    Zoom(f64, Option<Micros>),
    /// Moves the timeline by a share of what it shows.
    Pan(f64),
    /// Shows all of the run on the timeline.
    Fit,
    /// Forgets the future that was cut off.
    DismissGhost,
    /// From the beginning with the newest changed setting in force from the start.
    Replay,
    /// A shipped scenario, by name.
    Open(String),
    /// The same, with its first variant beside it.
    OpenWithFix(String),
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
    /// Opens the table of a chart, or closes it.
    ChartTable(ChartId),
    /// Puts the numbers over time on the clipboard.
    CopyCsv,
    /// Takes a notice away.
    Dismiss,
    /// Opens, changes or closes the menu of interventions.
    Menu(Ask),
    /// A key pressed on something that can be acted on.
    Key(String, ActionTarget),
    /// A message to look at, or none.
    Select(Option<MessageNumber>),
    /// Something done with the events.
    Read(Read),
    /// Shows a control, with the focus on it.
    Reveal(Reference),
    /// What the lower panel shows.
    Tab(Tab),
    /// Saves the scenario, with what was done to it, as a file.
    Save,
    /// Compares the run with one in which a setting, by its id in the table, has this value from the start.
    Compare(&'static str, Value),
    /// Compares the run with a variant of its scenario, by position.
    CompareVariant(usize),
    /// Goes on with the run that this one is compared with.
    KeepOther,
    /// Ends the comparison.
    CloseOther,
    /// Puts a sweep together.
    Plan(Plan),
    /// Begins the sweep that is put together.
    Sweep,
    /// Ends the sweep; what it has found stays.
    StopSweep,
    /// Simple or full view.
    Layout(Layout),
    /// Colours.
    Colours(Colours),
}

/// What is asked of the menu of interventions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Ask {
    /// That it goes away.
    Close,
    /// What can be done to this, shown at a point of the window.
    For(Whom, Point),
    /// What can be done to what is at a point of the stage, shown at a point of the window.
    Stage(Point, Point),
    /// What can be done to one of its rows.
    Within(ActionTarget),
    /// What it asked before.
    Back,
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

/// What the panel under the transport shows. Settings and events are columns of their own where there is room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tab {
    /// The space-time diagram and the number cards.
    #[default]
    Timeline,
    /// Numbers over time.
    Charts,
    /// This run beside another one.
    Compare,
    /// One setting over a range.
    Sweep,
    /// What is in the dead-letter queues.
    DeadLetters,
    /// All settings, on narrow screens.
    Settings,
    /// The log and the story of a message, on narrow screens.
    Events,
}

impl Tab {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Timeline,
        Self::Charts,
        Self::Compare,
        Self::Sweep,
        Self::DeadLetters,
        Self::Settings,
        Self::Events,
    ];

    /// Its name in ids and classes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeline => "timeline",
            Self::Charts => "charts",
            Self::Compare => "compare",
            Self::Sweep => "sweep",
            Self::DeadLetters => "dead-letters",
            Self::Settings => "settings",
            Self::Events => "events",
        }
    }

    /// What it is called on the page.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Timeline => "Timeline",
            Self::Charts => "Charts",
            Self::Compare => "Compare",
            Self::Sweep => "Sweep",
            Self::DeadLetters => "Dead letters",
            Self::Settings => "Settings",
            Self::Events => "Events",
        }
    }

    /// Whether it is a column of its own on wide screens.
    pub const fn is_column(self) -> bool {
        matches!(self, Self::Settings | Self::Events)
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

/// What a press does: always the same.
pub fn press(act: &Callback<Action>, action: Action) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |_| act.emit(action.clone()))
}
