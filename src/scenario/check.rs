//! Runs a scenario to its claims and judges them.

use std::fmt;
use std::sync::Arc;

use super::claims::ClaimFile;
use super::problem::Problem;
use super::{Scenario, format_duration};
use crate::engine::claim::{Claim, Comparison, Value};
use crate::engine::{Event, Ledger, Micros, Progress, Setup, Simulation};

/// What became of one claim.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// The variant it belongs to.
    pub variant: Option<String>,
    /// Where it stands in the file.
    pub path: String,
    /// What is measured, in words.
    pub metric: String,
    /// What it must be.
    pub expected: Comparison,
    /// Allowed difference.
    pub within: f64,
    /// What it was.
    pub got: Value,
    /// Whether the claim holds. It does not when the run did not get so far.
    pub held: bool,
    /// Where the run ended, if that was before the claim's time.
    pub ended_at: Option<Micros>,
}

/// `ok      expect[0]  deliveries at 6s: expected 4, got 4`
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.held { "ok    " } else { "FAILED" };
        write!(f, "{word}  {}", self.path)?;
        if let Some(variant) = &self.variant {
            write!(f, " ({variant})")?;
        }
        let expected = match &self.expected {
            Comparison::Is(value) => shown(value),
            Comparison::AtLeast(least) => format!("at least {least}"),
            Comparison::AtMost(most) => format!("at most {most}"),
        };
        write!(f, "  {}: expected {expected}", self.metric)?;
        if self.within > 0.0 {
            write!(f, " within {}", self.within)?;
        }
        write!(f, ", got {}", shown(&self.got))?;
        match self.ended_at {
            Some(at) => write!(f, "; the run ended at {}", format_duration(at)),
            None => Ok(()),
        }
    }
}

/// A value as text, long lists cut.
fn shown(value: &Value) -> String {
    match value {
        Value::None => "none".into(),
        Value::Number(number) => number.to_string(),
        Value::List(numbers) => {
            let mut parts: Vec<String> = numbers.iter().take(20).map(f64::to_string).collect();
            if numbers.len() > 20 {
                parts.push(format!("… {} in all", numbers.len()));
            }
            format!("[{}]", parts.join(", "))
        }
    }
}

/// A run with its ledger, going forward in bounded steps and bounded memory.
#[derive(Debug)]
pub struct BoundedRun {
    /// The run.
    pub simulation: Simulation,
    /// What became of its messages; empty once there were more than asked for.
    pub ledger: Ledger,
    left: u64,
    most_messages: u64,
    ends_at_most: bool,
    trace: Vec<Event>,
}

impl BoundedRun {
    const CHUNK: u64 = 50_000;
    /// Messages that a ledger keeps, at some hundred bytes each.
    const MOST_MESSAGES: u64 = 3_000_000;

    /// A run at its beginning that may do `budget` planned things in all. It ends early when its ledger would keep
    /// more than three million messages.
    pub fn new(setup: Setup, budget: u64) -> Self {
        Self {
            simulation: Simulation::new(Arc::new(setup)),
            ledger: Ledger::default(),
            left: budget,
            most_messages: Self::MOST_MESSAGES,
            ends_at_most: true,
            trace: Vec::new(),
        }
    }

    /// The same with a ledger of `messages` or fewer: with more it is given up, and the run goes on.
    pub fn with_ledger_of(self, messages: u64) -> Self {
        Self {
            most_messages: messages,
            ends_at_most: false,
            ..self
        }
    }

    /// Whether the ledger holds every message of the run.
    pub fn has_ledger(&self) -> bool {
        self.simulation.totals().sent <= self.most_messages
    }

    /// Runs up to and including `until`, showing every event. [`Progress::Working`] means that the budget is used up,
    /// or that `show` said false: that nobody looks any more.
    pub fn advance(&mut self, until: Micros, mut show: impl FnMut(&Event) -> bool) -> Progress {
        loop {
            let budget = self.left.min(Self::CHUNK);
            let progress = self.simulation.run_until(until, budget, &mut self.trace);
            let mut wanted = true;
            let keeps = self.has_ledger();
            if !keeps {
                self.ledger = Ledger::default();
                wanted = !self.ends_at_most;
            }
            for event in &self.trace {
                if keeps {
                    self.ledger.observe(event);
                }
                wanted = wanted && show(event);
            }
            let used = match progress {
                Progress::Working => budget,
                _ => budget.min(self.trace.len() as u64),
            };
            self.left -= used;
            self.trace.clear();
            if !wanted {
                return Progress::Working;
            }
            if progress != Progress::Working || self.left == 0 {
                return progress;
            }
        }
    }
}

impl Scenario {
    /// Runs the scenario and each of its variants and judges `expect`. Each run may do `budget` planned things.
    pub fn check(&self, budget: u64) -> Result<Vec<Verdict>, Vec<Problem>> {
        let mut verdicts = self.check_one(None, "expect", budget)?;
        for (index, variant) in self.variants.iter().enumerate() {
            let path = format!("variants[{index}].expect");
            let merged = self.with_variant(variant)?;
            verdicts.extend(merged.check_one(Some(&variant.name), &path, budget)?);
        }
        Ok(verdicts)
    }

    fn check_one(
        &self,
        variant: Option<&str>,
        path: &str,
        budget: u64,
    ) -> Result<Vec<Verdict>, Vec<Problem>> {
        let mut setup = self.lower()?;
        setup.live_message_cap = super::LIVE_MESSAGES_NATIVE;
        let claims = self.claims(&setup)?;
        let end = setup.duration.unwrap_or(Micros::ZERO);
        let time = |claim: &Claim| claim.at.unwrap_or(end);
        let mut order: Vec<(usize, &Claim, &ClaimFile)> = claims
            .iter()
            .zip(&self.expect)
            .enumerate()
            .map(|(index, (claim, file))| (index, claim, file))
            .collect();
        order.sort_by_key(|(_, claim, _)| time(claim));
        let mut run = BoundedRun::new(setup, budget);
        let mut verdicts: Vec<(usize, Verdict)> = Vec::new();
        for (index, claim, file) in order {
            let progress = run.advance(time(claim), |_| true);
            let got = claim.value(&run.simulation, &run.ledger);
            let ended = progress != Progress::Reached;
            verdicts.push((
                index,
                Verdict {
                    variant: variant.map(String::from),
                    path: format!("{path}[{index}]"),
                    metric: file.to_string(),
                    expected: claim.comparison.clone(),
                    within: claim.within,
                    // A run that stopped by itself has its last word; one out of budget does not.
                    held: claim.holds(&got) && progress != Progress::Working,
                    got,
                    ended_at: ended.then(|| run.simulation.now()),
                },
            ));
        }
        verdicts.sort_by_key(|(index, _)| *index);
        Ok(verdicts.into_iter().map(|(_, verdict)| verdict).collect())
    }
}
