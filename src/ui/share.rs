//! Addresses that open this run again.

use super::browser;
use super::player::Player;
use crate::engine::Micros;
use crate::scenario::{PageAddress, Scenario};

impl Player {
    /// Query and fragment that open this run again: short for a shipped scenario, else with the file and everything
    /// that was done to the run as data. `at` is the moment to open on. Or why there is none.
    pub fn link(&self, at: Option<Micros>) -> Result<String, String> {
        let situation = &self.situation;
        let untouched = situation.slug.filter(|_| !self.is_touched());
        let mut address = PageAddress {
            at,
            ..PageAddress::default()
        };
        if let Some(slug) = untouched {
            address.scenario = Some(slug.to_owned());
            address.seed = Some(situation.setup.seed).filter(|&seed| seed != situation.own_seed);
        } else {
            let link = self.scenario_as_run().to_link();
            address.link = Some(link.map_err(|error| error.to_string())?);
        }
        Ok(address.format())
    }

    /// The scenario with everything that was done to the run.
    pub fn scenario_as_run(&self) -> Scenario {
        let commands = self.session.commands();
        let setup = self.session.base();
        let mut scenario = self.situation.scenario.clone();
        if self.is_touched() {
            // The scripted sentences tell what happened without the changes.
            scenario.view.captions.clear();
            scenario.view.invitation = None;
        }
        for recorded in commands.iter().filter(|recorded| recorded.live) {
            scenario = scenario.with_command(setup, &recorded.timed);
        }
        scenario
    }

    /// A name for its file.
    pub fn file_name(&self) -> String {
        format!("{}.json", self.situation.slug.unwrap_or("scenario"))
    }
}

/// Shows an address for what runs now, so that loading the page again opens it.
pub fn show_address(player: &Player) {
    let (base, _, _) = browser::address();
    // A scenario too large for a link leaves the bare address: better than that of another scenario.
    browser::replace_address(&(base + &player.link(None).unwrap_or_default()));
}
