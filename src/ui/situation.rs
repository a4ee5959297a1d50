//! What runs: a shipped scenario or somebody's file, and where the next run of it begins.

use std::sync::Arc;

use crate::engine::{Micros, Setup};
use crate::scenario::{Problem, Scenario, catalogue};

/// A scenario ready to run.
#[derive(Clone)]
pub struct Situation {
    /// Its name, when it is a shipped one and unchanged but for the seed.
    pub slug: Option<&'static str>,
    /// The seed that its file names.
    pub own_seed: u64,
    /// The file.
    pub scenario: Scenario,
    /// What the engine runs.
    pub setup: Arc<Setup>,
}

impl Situation {
    /// A shipped scenario.
    pub fn shipped(slug: &str) -> Option<Self> {
        let shipped = catalogue::find(slug)?;
        let mut situation = Self::read(shipped.json).ok()?;
        situation.slug = Some(shipped.slug);
        Some(situation)
    }

    /// A scenario file, or everything that is wrong with it.
    pub fn read(text: &str) -> Result<Self, Vec<Problem>> {
        Self::of(Scenario::from_json(text)?)
    }

    /// A scenario, or everything that is wrong with it.
    pub fn of(scenario: Scenario) -> Result<Self, Vec<Problem>> {
        let setup = Arc::new(scenario.lower()?);
        Ok(Self {
            slug: None,
            own_seed: scenario.seed,
            scenario,
            setup,
        })
    }

    /// The same from another seed.
    pub fn with_seed(&self, seed: u64) -> Self {
        let mut next = self.clone();
        next.scenario.seed = seed;
        Arc::make_mut(&mut next.setup).seed = seed;
        next
    }

    /// What it is called on the page.
    pub fn title(&self) -> String {
        let scenario = &self.scenario;
        [&scenario.question, &scenario.title]
            .into_iter()
            .find(|text| !text.is_empty())
            .map_or_else(|| "A scenario".to_owned(), Clone::clone)
    }

    /// Speed in thousandths of real time.
    pub fn speed(&self) -> u32 {
        (self.scenario.view.speed * 1000.0) as u32
    }

    /// The scripted sentence at a time, and since when it stands.
    pub fn caption_at(&self, at: Micros) -> Option<(Micros, &str)> {
        let captions = self.scenario.view.captions.iter();
        let newest = captions
            .filter(|caption| caption.at <= at)
            .max_by_key(|caption| caption.at)?;
        Some((newest.at, &newest.text))
    }
}
