//! `queue-sim render`.

use std::collections::VecDeque;

use queue_playground::engine::{Event, Progress};
use queue_playground::present::palette::Theme;
use queue_playground::present::scene::SceneInput;
use queue_playground::present::{Density, Scene, svg};
use queue_playground::scenario::{BoundedRun, LIVE_MESSAGES_NATIVE};

use crate::arguments::RenderOptions;
use crate::output::{self, Failure};

/// Events kept for movement: more than can be drawn in one moment.
const RECENT: usize = 10_000;

/// Draws the stage at one instant.
pub fn render(options: &RenderOptions) -> Result<(), Failure> {
    let scenario = output::read(&options.file)?;
    let mut setup = scenario.lower().map_err(output::problems)?;
    setup.live_message_cap = LIVE_MESSAGES_NATIVE;
    setup.seed = options.seed.unwrap_or(setup.seed);
    // A run's own end comes first, as in `queue-sim run`.
    let at = setup
        .duration
        .map_or(options.at, |duration| duration.min(options.at));
    let mut run = BoundedRun::new(setup, options.limit).with_ledger_of(0);
    let mut recent: VecDeque<Event> = VecDeque::new();
    let progress = run.advance(at, |event| {
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back(*event);
        true
    });
    if progress == Progress::Working {
        output::complain(&format!(
            "the run did not come to this time in {} steps; allow more with --limit N",
            options.limit
        ));
        return Err(Failure::NotHeld);
    }
    let outside = scenario.view.outside.as_ref();
    let scene = Scene::compute(&SceneInput {
        snapshot: &run.simulation.snapshot(),
        setup: run.simulation.setup(),
        recent: recent.make_contiguous(),
        width: f64::from(options.width),
        height: f64::from(options.height),
        root_font: 16.0,
        pace: scenario.view.speed,
        reduced_motion: false,
        density: Density::default(),
        vocabulary: scenario.vocabulary(),
        effect_label: outside.map_or("effects", |outside| &outside.label),
        unit: outside.map_or("", |outside| &outside.unit),
    });
    let theme = if options.dark {
        Theme::Dark
    } else {
        Theme::Light
    };
    output::print(&svg::render(&scene, theme))
}
