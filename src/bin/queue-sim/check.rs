//! `queue-sim check`.

use crate::arguments::CheckOptions;
use crate::output::{self, Failure};

/// Judges every claim of every file. All files are read before any runs.
pub fn check(options: &CheckOptions) -> Result<(), Failure> {
    let mut scenarios = Vec::new();
    let mut wrong = Vec::new();
    for file in &options.files {
        match output::read(file) {
            Ok(scenario) => scenarios.push((file, scenario)),
            Err(Failure::Input(lines)) if options.files.len() > 1 => {
                let prefix = format!("{file}: ");
                wrong.extend(
                    lines
                        .into_iter()
                        .map(|line| match line.strip_prefix(&prefix) {
                            Some(_) => line,
                            None => prefix.clone() + &line,
                        }),
                );
            }
            Err(failure) => return Err(failure),
        }
    }
    if !wrong.is_empty() {
        return Err(Failure::Input(wrong));
    }
    let mut all_held = true;
    for (file, scenario) in scenarios {
        let verdicts = scenario.check(options.limit).map_err(output::problems)?;
        for verdict in &verdicts {
            let line = verdict.to_string();
            let (word, rest) = line.split_at(line.len().min(8));
            output::print(&format!("{word}{file}  {rest}\n"))?;
            all_held &= verdict.held;
        }
        if verdicts.is_empty() {
            output::print(&format!("ok      {file}  it claims nothing\n"))?;
        }
    }
    if all_held {
        Ok(())
    } else {
        Err(Failure::NotHeld)
    }
}
