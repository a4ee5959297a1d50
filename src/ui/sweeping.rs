//! A sweep on the page: put together, run in slices between two frames, and what it found.

use std::rc::Rc;
use std::sync::Arc;

use super::action::{Layout, Tab};
use super::browser;
use super::player::{Player, STEPS};
use crate::engine::{Command, Micros};
use crate::present::controls::{Control, Target, Value};
use crate::present::sweep::{self, Plan};
use crate::present::sweep_chart::{SweepChart, SweepInput};
use crate::session::{Extent, Outcome, Progress, Session, Sweep};

/// Work of one slice, in milliseconds.
const SLICE: f64 = 8.0;
/// Steps that an estimate may take.
const ESTIMATE_STEPS: u64 = 20_000;
/// Events that a page does in a second, two slices to a frame or so.
const EVENTS_PER_SECOND: u64 = 400_000;
/// Steps that one run may take.
const LONGEST_RUN: u64 = 5_000_000;

/// The sweep that is put together, and the one that was begun.
#[derive(Default)]
pub struct Sweeping {
    pub(super) plan: Option<Plan>,
    /// Events in all, for which plan and which state of the run's commands.
    estimate: Option<(Plan, Target, u64, u64)>,
    begun: Option<Begun>,
}

struct Begun {
    plan: Plan,
    values: Vec<Value>,
    sweep: Sweep,
    /// The share that is done, in percent, while it runs.
    running: Option<u8>,
}

impl Sweeping {
    /// Ends the sweep; what it has found stays.
    pub fn stop(&mut self) {
        if let Some(begun) = &mut self.begun {
            begun.running = None;
        }
    }

    /// All that was found, as CSV.
    pub fn csv(&self) -> String {
        self.begun.as_ref().map_or_else(String::new, |begun| {
            let Some((_, control)) = Control::find(begun.plan.id) else {
                return String::new();
            };
            let values = begun.values.iter().map(|value| sweep::plain_value(*value));
            let name = sweep::value_column(control, &begun.values);
            sweep::csv(&name, values.zip(begun.sweep.outcomes()))
        })
    }
}

/// What the page shows of it.
pub struct SweepView {
    /// What is put together.
    pub plan: Plan,
    /// The run's own length.
    pub duration: Option<Micros>,
    /// How much it has to do, in words.
    pub effort: String,
    /// Seeds with which that is not too much.
    pub fewer_seeds: Option<u32>,
    /// The share that is done, in percent, while it runs.
    pub running: Option<u8>,
    /// What was found.
    pub found: Option<Found>,
    /// It was copied, and nothing was done since.
    pub copied: bool,
}

/// What was found.
pub struct Found {
    /// Of which setting.
    pub control: &'static Control,
    /// What was done, in words.
    pub text: String,
    /// Its values, and what they came to as far as the sweep got.
    pub points: Vec<(Value, Outcome)>,
    /// The charts, and how many stand beside each other.
    pub charts: Vec<SweepChart>,
    /// Charts side by side.
    pub columns: u32,
}

impl Player {
    /// Whether a sweep is running and looked at.
    pub fn is_sweeping(&self) -> bool {
        let begun = self.sweeping.begun.as_ref();
        let is_open = self.layout == Layout::Full && self.tab == Tab::Sweep;
        is_open && begun.is_some_and(|begun| begun.running.is_some())
    }

    /// The sweep of a plan that has not begun, and the values of its points.
    fn sweep_of(&self, plan: &Plan) -> (Sweep, Vec<Value>) {
        let start = Session::new(self.session.base().clone()).snapshot();
        let control = Control::find(plan.id).map(|(_, control)| control);
        let command = |value: &Value| control?.command_for(&start, &self.target, *value);
        let set = plan.values().into_iter();
        let set: Vec<(Value, Command)> = set.filter_map(|it| Some((it, command(&it)?))).collect();
        let commands: Vec<Command> = set.iter().map(|(_, command)| command.clone()).collect();
        let base = Arc::new(self.session.sweep_base(&commands));
        let extent = Extent {
            seeds: plan.seeds,
            until: plan.until,
            limit: LONGEST_RUN,
        };
        let points = commands.into_iter().map(|command| vec![command]).collect();
        let values = set.into_iter().map(|(value, _)| value).collect();
        (Sweep::new(base, points, extent), values)
    }

    /// Begins the sweep that is put together.
    pub fn begin_sweep(&mut self) {
        let plan = self.plan();
        let (sweep, values) = self.sweep_of(&plan);
        self.sweeping.begun = Some(Begun {
            plan,
            values,
            sweep,
            running: Some(0),
        });
    }

    /// One slice of a sweep that is running.
    pub fn go_on_sweeping(&mut self) {
        if !self.is_sweeping() {
            return;
        }
        let Some(begun) = &mut self.sweeping.begun else {
            return;
        };
        let started = browser::now();
        while browser::now() - started < SLICE {
            match begun.sweep.work(STEPS) {
                Progress::Working { done } => begun.running = Some((done * 100.0) as u8),
                _ => {
                    begun.running = None;
                    return;
                }
            }
        }
    }

    fn plan(&mut self) -> Plan {
        let duration = self.session.duration();
        if let Some(plan) = self.sweeping.plan {
            return plan;
        }
        let id = "visibility-timeout";
        let start = Session::new(self.session.base().clone()).snapshot();
        let reading = Control::find(id).and_then(|(_, it)| it.reading(&start, &self.target));
        let plan = Plan::around(id, reading.map_or(0, |reading| reading.index), duration);
        self.sweeping.plan = Some(plan);
        plan
    }

    fn estimate(&mut self, plan: Plan) -> u64 {
        let (target, revision) = (self.target, self.session.revision());
        if let Some((of, aimed, at, events)) = self.sweeping.estimate
            && (of, aimed, at) == (plan, target, revision)
        {
            return events;
        }
        let events = self.sweep_of(&plan).0.estimate(ESTIMATE_STEPS);
        self.sweeping.estimate = Some((plan, target, revision, events));
        events
    }

    /// What the page shows of the sweep.
    pub fn sweep_view(&mut self) -> Rc<SweepView> {
        let plan = self.plan();
        let events = self.estimate(plan);
        let begun = self.sweeping.begun.as_ref();
        Rc::new(SweepView {
            plan,
            duration: self.session.duration(),
            effort: sweep::effort(events, EVENTS_PER_SECOND),
            fewer_seeds: sweep::fewer_seeds(events, plan.seeds),
            running: begun.and_then(|begun| begun.running),
            found: begun.and_then(|begun| self.found(begun)),
            copied: self.csv_copied,
        })
    }

    fn found(&self, begun: &Begun) -> Option<Found> {
        let (_, control) = Control::find(begun.plan.id)?;
        let outcomes = begun.sweep.outcomes();
        let (columns, width) = self.columns(3);
        let input = SweepInput {
            control,
            values: &begun.values,
            outcomes,
            present: control.value(&self.session.snapshot(), &self.target),
            width,
            root_font: self.root_font(),
        };
        let values = begun.values.iter().copied();
        Some(Found {
            control,
            text: sweep::title(control, &begun.plan),
            points: values.zip(outcomes.iter().cloned()).collect(),
            charts: SweepChart::all(&input),
            columns,
        })
    }
}
