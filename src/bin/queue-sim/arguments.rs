//! The command line.

use std::ffi::OsString;

use queue_playground::engine::Micros;
use queue_playground::scenario::{Profile, parse_duration};
use queue_playground::session::{Runs, Sweep};
use serde_json::Value;

use crate::range;

/// What `--help` prints.
pub const HELP: &str = "\
queue-sim: message queues without a browser

  queue-sim run FILE|-        run a scenario and print a summary as JSON
      --trace                 print the events instead, as JSON lines
      --until TIME            stop at this time (30s, 5min, 1h)
      --seed N                use this seed
      --limit N               do so many things at most (default 50000000)
  queue-sim check FILE...     run scenarios and their variants and judge `expect`, a line a claim
      --limit N               as above, for each run
  queue-sim render FILE|-     draw the stage as SVG
      --at TIME               at this time
      --width N --height N    in CSS pixels (default 1200 by 720)
      --dark                  in dark colours
      --seed N, --limit N     as above
  queue-sim sweep FILE|-      run one setting over a range, each value under several seeds; a line a value
      --setting NAME          as in the file (queues.orders.visibility_timeout, consumers.*.prefetch), or as on the
                              page (visibility-timeout)
      --values A,B,C          its values, or:
      --from A --to B         from here to there (1s, 60s; 1, 10),
      --points N              in so many equal steps (default 20)
      --seeds N               runs of each value (default 20), the first with the scenario's seed
      --csv                   print comma-separated values (default): median, lowest and highest over the seeds
      --json                  print the same as JSON
      --until TIME, --seed N, --limit N    as above, for each run
  queue-sim names [BROKER]    what brokers call settings, states, calls, events and actors, as a table; or one of them,
                              as in `behaves_like`
  queue-sim export FILE|-     print the settings in the words and units of the broker that the scenario behaves like
  queue-sim model             print docs/model.md: what is modelled of each broker, and what is not
  queue-sim schema            print the JSON Schema of scenario files

Exit status: 0 all is well; 1 a claim failed, or a run stopped before its end; 2 the input is wrong, with a line a
problem on standard error.
";

/// Planned things that a run may do unless told otherwise.
const LIMIT: u64 = 50_000_000;

/// What is asked for.
#[derive(Debug)]
pub enum Command {
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// `schema`.
    Schema,
    /// `names`, of one broker or of all.
    Names(Option<Profile>),
    /// `export` of a file.
    Export(String),
    /// `model`.
    Model,
    /// `run`.
    Run(RunOptions),
    /// `check`.
    Check(CheckOptions),
    /// `render`.
    Render(RenderOptions),
    /// `sweep`.
    Sweep(SweepOptions),
}

/// Options of `run`.
#[derive(Debug)]
pub struct RunOptions {
    /// The file, or `-`.
    pub file: String,
    /// Print events.
    pub trace: bool,
    /// End in place of the scenario's.
    pub until: Option<Micros>,
    /// Seed in place of the scenario's.
    pub seed: Option<u64>,
    /// Most planned things done.
    pub limit: u64,
}

/// Options of `check`.
#[derive(Debug)]
pub struct CheckOptions {
    /// The files.
    pub files: Vec<String>,
    /// Most planned things done in each run.
    pub limit: u64,
}

/// Options of `render`.
#[derive(Debug)]
pub struct RenderOptions {
    /// The file, or `-`.
    pub file: String,
    /// The instant.
    pub at: Micros,
    /// Width in CSS pixels.
    pub width: u16,
    /// Height in CSS pixels.
    pub height: u16,
    /// Dark colours.
    pub dark: bool,
    /// Seed in place of the scenario's.
    pub seed: Option<u64>,
    /// Most planned things done.
    pub limit: u64,
}

/// Options of `sweep`.
#[derive(Debug)]
pub struct SweepOptions {
    /// The file, or `-`.
    pub file: String,
    /// The setting.
    pub setting: String,
    /// Its values.
    pub values: Vec<Value>,
    /// Runs of each value.
    pub seeds: u32,
    /// Print JSON in place of comma-separated values.
    pub json: bool,
    /// End in place of the scenario's.
    pub until: Option<Micros>,
    /// First seed in place of the scenario's.
    pub seed: Option<u64>,
    /// Most planned things done in each run.
    pub limit: u64,
}

/// The words of a command line: options with values, flags, and files.
struct Words {
    options: Vec<(String, String)>,
    flags: Vec<String>,
    files: Vec<String>,
}

impl Words {
    fn read(words: &[String], options: &[&str], flags: &[&str]) -> Result<Self, String> {
        let mut read = Self {
            options: Vec::new(),
            flags: Vec::new(),
            files: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_string())),
                _ => (word.as_str(), None),
            };
            if options.contains(&name) {
                let value = value.or_else(|| words.next().cloned());
                let value = value.ok_or_else(|| format!("{name}: its value is missing"))?;
                read.options.push((name.into(), value));
            } else if flags.contains(&name) && value.is_none() {
                read.flags.push(name.into());
            } else if name.starts_with('-') && name != "-" {
                return Err(format!("{name}: there is no such option here"));
            } else {
                read.files.push(word.clone());
            }
        }
        Ok(read)
    }

    fn option<T>(
        &self,
        name: &str,
        hint: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.options.iter().rev().find(|(known, _)| known == name) {
            None => Ok(None),
            Some((_, value)) => match read(value) {
                Some(value) => Ok(Some(value)),
                None => Err(format!("{name}: \"{value}\" is not allowed; {hint}")),
            },
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        let (_, value) = self.options.iter().rev().find(|(known, _)| known == name)?;
        Some(value)
    }

    fn time(&self, name: &str) -> Result<Option<Micros>, String> {
        self.option(name, "use a time such as 30s, 5min or 1h", parse_duration)
    }

    fn number(&self, name: &str) -> Result<Option<u64>, String> {
        self.option(name, "use a whole number, 0 or more", |text| {
            text.parse().ok()
        })
    }

    fn pixels(&self, name: &str) -> Result<Option<u16>, String> {
        self.option(
            name,
            "use a whole number of pixels from 200 to 10000",
            |text| {
                text.parse()
                    .ok()
                    .filter(|pixels| (200..=10_000).contains(pixels))
            },
        )
    }

    fn one_file(&self) -> Result<String, String> {
        match self.files.as_slice() {
            [file] => Ok(file.clone()),
            [] => Err("the file is missing; give its name, or - for standard input".into()),
            _ => Err("there is more than one file; give one".into()),
        }
    }
}

/// Reads the command line, the program's name left out.
pub fn parse(arguments: &[OsString]) -> Result<Command, String> {
    let words: Vec<String> = arguments
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let Some((command, rest)) = words.split_first() else {
        return Err(
            "a command is missing; use run, check, render, sweep, names, export, model or schema"
                .into(),
        );
    };
    if words.iter().any(|word| word == "--help" || word == "-h") || command == "help" {
        return Ok(Command::Help);
    }
    match command.as_str() {
        "--version" | "-V" => Ok(Command::Version),
        "schema" => {
            Words::read(rest, &[], &[])?;
            Ok(Command::Schema)
        }
        "names" => match Words::read(rest, &[], &[])?.files.as_slice() {
            [] => Ok(Command::Names(None)),
            [word] => {
                let words: Vec<String> = Profile::ALL.iter().map(|it| it.word()).collect();
                let known = Profile::of_word(word).map(|it| Command::Names(Some(it)));
                known.ok_or_else(|| {
                    format!("{word}: there is no such broker; use {}", words.join(", "))
                })
            }
            _ => Err("there is more than one broker; give one, or none for all".into()),
        },
        "export" => Ok(Command::Export(Words::read(rest, &[], &[])?.one_file()?)),
        "model" => {
            Words::read(rest, &[], &[])?;
            Ok(Command::Model)
        }
        "run" => {
            let words = Words::read(rest, &["--until", "--seed", "--limit"], &["--trace"])?;
            Ok(Command::Run(RunOptions {
                file: words.one_file()?,
                trace: !words.flags.is_empty(),
                until: words.time("--until")?,
                seed: words.number("--seed")?,
                limit: words.number("--limit")?.unwrap_or(LIMIT),
            }))
        }
        "check" => {
            let words = Words::read(rest, &["--limit"], &[])?;
            if words.files.is_empty() {
                return Err("the files are missing; give one or more".into());
            }
            Ok(Command::Check(CheckOptions {
                limit: words.number("--limit")?.unwrap_or(LIMIT),
                files: words.files,
            }))
        }
        "render" => {
            let options = ["--at", "--width", "--height", "--seed", "--limit"];
            let words = Words::read(rest, &options, &["--dark"])?;
            Ok(Command::Render(RenderOptions {
                file: words.one_file()?,
                at: words
                    .time("--at")?
                    .ok_or("--at is missing; give a time such as 12.5s")?,
                width: words.pixels("--width")?.unwrap_or(1200),
                height: words.pixels("--height")?.unwrap_or(720),
                dark: !words.flags.is_empty(),
                seed: words.number("--seed")?,
                limit: words.number("--limit")?.unwrap_or(LIMIT),
            }))
        }
        "sweep" => sweep(rest).map(Command::Sweep),
        _ => Err(format!(
            "{command}: there is no such command; use run, check, render, sweep, names, export, model or schema"
        )),
    }
}

/// Reads the options of `sweep`, and tells everything that is wrong with them.
fn sweep(words: &[String]) -> Result<SweepOptions, String> {
    let options = [
        "--setting",
        "--values",
        "--from",
        "--to",
        "--points",
        "--seeds",
        "--until",
        "--seed",
        "--limit",
    ];
    let words = Words::read(words, &options, &["--csv", "--json"])?;
    let mut wrong = Vec::new();
    let file = noted(words.one_file(), &mut wrong);
    let setting = words.text("--setting").map(str::to_owned);
    let setting = setting.ok_or_else(|| {
        "--setting is missing; name one, such as queues.orders.visibility_timeout".to_owned()
    });
    let setting = noted(setting, &mut wrong);
    let within = |most: u32| {
        move |text: &str| {
            let number = text.parse().ok();
            number.filter(|number| (1..=most).contains(number))
        }
    };
    let hint = format!("use a whole number from 1 to {}", Sweep::MOST_POINTS);
    let points = words.option("--points", &hint, within(Sweep::MOST_POINTS as u32));
    let points = noted(points, &mut wrong).flatten();
    let hint = format!("use a whole number from 1 to {}", Runs::MOST_SEEDS);
    let seeds = words.option("--seeds", &hint, within(Runs::MOST_SEEDS));
    let seeds = noted(seeds, &mut wrong).flatten();
    let (from, to) = (words.text("--from"), words.text("--to"));
    let values = range::values(words.text("--values"), from, to, points);
    let values = noted(values, &mut wrong);
    if words.flags.iter().any(|flag| *flag != words.flags[0]) {
        wrong.push("--csv and --json: give one of them".into());
    }
    let until = noted(words.time("--until"), &mut wrong).flatten();
    let seed = noted(words.number("--seed"), &mut wrong).flatten();
    let limit = noted(words.number("--limit"), &mut wrong).flatten();
    match (file, setting, values) {
        (Some(file), Some(setting), Some(values)) if wrong.is_empty() => Ok(SweepOptions {
            file,
            setting,
            values,
            seeds: seeds.unwrap_or(20),
            json: words.flags.iter().any(|flag| flag == "--json"),
            until,
            seed,
            limit: limit.unwrap_or(LIMIT),
        }),
        _ => Err(wrong.join("\n")),
    }
}

/// The value, or a note of what is wrong.
fn noted<T>(result: Result<T, String>, wrong: &mut Vec<String>) -> Option<T> {
    result.map_err(|message| wrong.push(message)).ok()
}
