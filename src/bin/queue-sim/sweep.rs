//! `queue-sim sweep`.

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use queue_playground::engine::{Command, Micros, QueueId, Setup, Simulation, TimedCommand};
use queue_playground::present::controls::{Control, Target};
use queue_playground::present::sweep;
use queue_playground::scenario::{
    Action, LIVE_MESSAGES_NATIVE, Scenario, command_file, pretty_in_order,
};
use queue_playground::session::{Extent, Measure, Outcome, Progress, Runs, Unit};
use serde_json::{Map, Value, json};

use crate::arguments::SweepOptions;
use crate::output::{self, Failure};

/// Steps between two looks at how far it is.
const CHUNK: u64 = 500_000;

/// Runs every value of a setting under several seeds and tells what became of them.
pub fn sweep(options: &SweepOptions) -> Result<(), Failure> {
    let scenario = output::read(&options.file)?;
    let setup = scenario.lower().map_err(output::problems)?;
    let mut wrong = Vec::new();
    if options.until.or(setup.duration).is_none() {
        wrong.push("duration: is missing, so the runs have no end; give --until TIME".into());
    }
    let path = path_of(&options.setting, &setup);
    let scenarios = match &path {
        Ok(path) => all_with(&scenario, path, &options.values, &mut wrong),
        Err(message) => {
            wrong.push(message.clone());
            Vec::new()
        }
    };
    let (Ok(path), true) = (path, wrong.is_empty()) else {
        return Err(Failure::Input(wrong));
    };

    let mut outcomes = Vec::new();
    let mut progress = Shown::new(scenarios.len());
    for scenario in &scenarios {
        let mut setup = scenario.lower().map_err(output::problems)?;
        setup.live_message_cap = LIVE_MESSAGES_NATIVE;
        setup.seed = options.seed.unwrap_or(setup.seed);
        let ends = [options.until, setup.duration];
        let extent = Extent {
            seeds: options.seeds,
            until: ends.into_iter().flatten().min().unwrap_or(Micros::ZERO),
            limit: options.limit,
        };
        let mut runs = Runs::new(Arc::new(setup), extent);
        while let Progress::Working { done } = runs.work(CHUNK) {
            progress.show(outcomes.len(), done);
        }
        outcomes.push(runs.outcome());
    }
    progress.clear();

    let points = || options.values.iter().map(plain).zip(&outcomes);
    let text = if options.json {
        json_text(&path, options, &scenario, &outcomes)
    } else {
        sweep::csv(&path, points())
    };
    output::print(&text)?;
    let mut all_finished = true;
    for (value, outcome) in points().filter(|(_, outcome)| outcome.unfinished > 0) {
        all_finished = false;
        output::complain(&format!(
            "{path} {value}: {} of {} runs stopped before their end; allow more with --limit N, or look at one with \
             queue-sim run",
            outcome.unfinished, outcome.runs
        ));
    }
    if all_finished {
        Ok(())
    } else {
        Err(Failure::NotHeld)
    }
}

/// The scenario with each value; a line for each way in which values are wrong, for the first that is wrong so.
fn all_with(
    scenario: &Scenario,
    path: &str,
    values: &[Value],
    wrong: &mut Vec<String>,
) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    let mut hints: Vec<String> = Vec::new();
    for value in values {
        match scenario.with_field(path, value) {
            Ok(scenario) => scenarios.push(scenario),
            Err(problems) => {
                // Every consumer of a group has the same to say, and so has every point of a range.
                for problem in problems {
                    let line = problem.to_string();
                    let known = !problem.hint.is_empty() && hints.contains(&problem.hint);
                    if !known && !wrong.contains(&line) {
                        wrong.push(line);
                        hints.push(problem.hint);
                    }
                }
            }
        }
    }
    scenarios
}

/// The path of a setting that is named by its path already, or as the page's control is.
fn path_of(setting: &str, setup: &Setup) -> Result<String, String> {
    if setting.contains(['.', '[']) || matches!(setting, "duration" | "seed") {
        return Ok(setting.into());
    }
    let id = setting.replace('_', "-");
    let snapshot = Simulation::new(Arc::new(setup.clone())).snapshot();
    let queues = (0..).map(QueueId).zip(&snapshot.queues);
    let mut working = queues.filter(|(_, queue)| !queue.is_dead_letter_queue);
    let target = Target {
        queue: working.next().map_or(QueueId(0), |(id, _)| id),
        ..Target::default()
    };
    let path = Control::find(&id).and_then(|(_, control)| {
        let last = control.stops.len().checked_sub(1)?;
        let set = |stop| control.command(&snapshot, &target, stop);
        field_set_by(&set(0)?, &set(last)?, setup)
    });
    path.ok_or_else(|| {
        let ids = Control::all().map(|(_, control)| control.id);
        let hint = queue_playground::scenario::did_you_mean(&id, ids).unwrap_or_else(|| {
            "name one as in the file, such as queues.orders.visibility_timeout, or as on the page, such as \
             visibility-timeout"
                .into()
        });
        format!("--setting: there is no \"{setting}\" here; {hint}")
    })
}

/// The path of the field in which two commands that set the same setting differ.
fn field_set_by(one: &Command, other: &Command, setup: &Setup) -> Option<String> {
    let patch = |command: &Command| {
        let timed = TimedCommand {
            at: Micros::ZERO,
            command: command.clone(),
        };
        match command_file(&timed, setup)?.action {
            Action::Set(settings) => Some(settings),
            _ => None,
        }
    };
    let (one, other) = (patch(one)?, patch(other)?);
    let mut names = one.patch.keys().chain(other.patch.keys());
    let name = names.find(|name| one.patch.get(*name) != other.patch.get(*name))?;
    use queue_playground::scenario::Target as Whose;
    Some(match &one.target {
        Whose::Queue(queue) => format!("queues.{queue}.{name}"),
        Whose::Consumer(consumer) => format!("consumers.{consumer}.{name}"),
        Whose::AllConsumers => format!("consumers.*.{name}"),
        Whose::Producer(producer) => format!("producers.{producer}.{name}"),
        Whose::Network => format!("network.{name}"),
    })
}

/// A value as it was given.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn json_text(
    path: &str,
    options: &SweepOptions,
    scenario: &Scenario,
    outcomes: &[Outcome],
) -> String {
    let mut order = vec![
        "setting",
        "seed",
        "seeds",
        "until",
        "points",
        "value",
        "runs",
        "unfinished",
        "events",
    ];
    order.extend(Measure::ALL.map(Measure::id));
    order.extend(["median", "lowest", "highest"]);
    let point = |(value, outcome): (&Value, &Outcome)| {
        let mut point = Map::new();
        point.insert("value".into(), value.clone());
        point.insert("runs".into(), outcome.runs.into());
        point.insert("unfinished".into(), outcome.unfinished.into());
        point.insert("events".into(), outcome.events.into());
        for measure in Measure::ALL {
            let number = |value: u64| match measure.unit() {
                Unit::Count => json!(value),
                Unit::Span => json!(Micros(value).as_secs_f64()),
                Unit::Rate => json!(value as f64 / 1_000.0),
            };
            let spread = outcome.spread(measure).map(|it| {
                json!({ "median": number(it.median), "lowest": number(it.lowest), "highest": number(it.highest) })
            });
            point.insert(measure.id().into(), spread.into());
        }
        Value::Object(point)
    };
    let points: Vec<Value> = options.values.iter().zip(outcomes).map(point).collect();
    let ends = [options.until, scenario.duration];
    let sweep = json!({
        "setting": path,
        "seed": options.seed.unwrap_or(scenario.seed),
        "seeds": options.seeds,
        "until": ends.into_iter().flatten().min().map(Micros::as_secs_f64),
        "points": points,
    });
    pretty_in_order(&sweep, &order)
}

/// How far the sweep is, on a terminal; nothing elsewhere.
struct Shown {
    points: usize,
    terminal: bool,
}

impl Shown {
    fn new(points: usize) -> Self {
        Self {
            points,
            terminal: std::io::stderr().is_terminal(),
        }
    }

    fn show(&self, point: usize, share: f32) {
        if self.terminal {
            let percent = (point as f32 + share) * 100.0 / self.points.max(1) as f32;
            // Nobody is harmed by a terminal that has gone.
            let _ = write!(
                std::io::stderr(),
                "\rvalue {} of {}, {percent:.0} % done",
                point + 1,
                self.points
            );
        }
    }

    fn clear(&mut self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
