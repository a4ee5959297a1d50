//! Standard output and error, and what the exit status says.

use std::io::{ErrorKind, Read, Write};
use std::process::ExitCode;

use queue_playground::scenario::{LARGEST_FILE, Problem, Scenario};

/// Why a command ends without success.
#[derive(Debug)]
pub enum Failure {
    /// A claim failed, or a run stopped before its end; what there is to say is said.
    NotHeld,
    /// The input is wrong: one line a problem.
    Input(Vec<String>),
    /// Nobody reads the output any more.
    Closed,
}

/// Ends the program.
pub fn exit(status: Result<(), Failure>) -> ExitCode {
    match status {
        Ok(()) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::NotHeld) => ExitCode::from(1),
        Err(Failure::Input(lines)) => {
            lines.iter().for_each(|line| complain(line));
            ExitCode::from(2)
        }
    }
}

/// Writes a line to standard error, which may be closed.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What a write came to. A reader that has seen enough (`| head`) is no failure.
pub fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    result.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Input(vec![format!("standard output: {error}")]),
    })
}

/// Reads a scenario from a file, or from standard input for `-`.
pub fn read(file: &str) -> Result<Scenario, Failure> {
    let limit = LARGEST_FILE as u64 + 1;
    let mut bytes = Vec::new();
    let result = match file {
        "-" => std::io::stdin().take(limit).read_to_end(&mut bytes),
        _ => std::fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
    };
    let wrong = |message: String| Failure::Input(vec![format!("{file}: {message}")]);
    result.map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        wrong(format!(
            "byte {} is not UTF-8",
            error.utf8_error().valid_up_to()
        ))
    })?;
    Scenario::from_json(&text).map_err(problems)
}

/// A line for each problem.
pub fn problems(problems: Vec<Problem>) -> Failure {
    Failure::Input(problems.iter().map(Problem::to_string).collect())
}
