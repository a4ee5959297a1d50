//! `queue-sim run`.

use std::io::{BufWriter, Write};

use queue_playground::engine::{EventKind, Progress};
use queue_playground::scenario::{BoundedRun, LIVE_MESSAGES_NATIVE, format_duration};

use crate::arguments::RunOptions;
use crate::output::{self, Failure};
use crate::{summary, trace};

/// Runs a scenario to its end and tells what became of it.
pub fn run(options: &RunOptions) -> Result<(), Failure> {
    let scenario = output::read(&options.file)?;
    let mut setup = scenario.lower().map_err(output::problems)?;
    setup.live_message_cap = LIVE_MESSAGES_NATIVE;
    setup.seed = options.seed.unwrap_or(setup.seed);
    // A run's own end comes first: nothing is defined after it.
    let until = match (options.until, setup.duration) {
        (Some(until), Some(duration)) => until.min(duration),
        (Some(time), None) | (None, Some(time)) => time,
        (None, None) => {
            return Err(Failure::Input(vec![
                "duration: is missing or unlimited, so the run has no end; give --until TIME"
                    .into(),
            ]));
        }
    };
    let mut bounded = BoundedRun::new(setup, options.limit).with_ledger_of(summary::MOST_MESSAGES);
    let setup = bounded.simulation.setup().clone();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut result = Ok(());
    let mut stuck = None;
    let progress = bounded.advance(until, |event| {
        if let EventKind::Stuck { reason, message } = event.kind {
            stuck = Some((event.at, reason, message));
        }
        // After a reader has gone, the rest of the slice is run and not written.
        if options.trace && result.is_ok() {
            let line = trace::line(event, &setup);
            result = writeln!(out, "{line}");
        }
        result.is_ok()
    });
    output::written(result)?;
    if !options.trace {
        let summary = summary::text(&bounded, progress);
        output::written(out.write_all(summary.as_bytes()))?;
    }
    output::written(out.flush())?;
    match progress {
        Progress::Reached => Ok(()),
        Progress::Stuck => {
            if let Some((at, reason, message)) = stuck {
                output::complain(&format!(
                    "the run stopped at {}: {}",
                    format_duration(at),
                    trace::stuck_in_words(reason, message)
                ));
            }
            Err(Failure::NotHeld)
        }
        Progress::Working => {
            output::complain(&format!(
                "the run stopped at {}, after {} steps; allow more with --limit N",
                format_duration(bounded.simulation.now()),
                options.limit
            ));
            Err(Failure::NotHeld)
        }
    }
}
