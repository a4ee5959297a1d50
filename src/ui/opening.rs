//! What the page opens with: the scenario inside a player's file, that of the address, or the first one shipped.

use super::action::Layout;
use super::browser;
use super::player::{OPENING_STEPS, Player};
use super::situation::Situation;
use super::state::Notice;
use crate::scenario::catalogue::CATALOGUE;
use crate::scenario::{PageAddress, PageView, Scenario};

/// Key of the remembered view.
pub const LAYOUT: &str = "queue-playground.view";

/// The page as it opens: its run, and what there is to tell about the address.
pub fn opening() -> (Player, Option<Notice>) {
    let (_, query, fragment) = browser::address();
    let (address, problems) = PageAddress::parse(&query, &fragment);
    let mut told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let situation = inlined(&mut told)
        .or_else(|| linked(&address, &mut told))
        .or_else(|| named(&address, &mut told))
        .unwrap_or_else(first_shipped);
    let situation = match address.seed {
        Some(seed) => situation.with_seed(seed),
        None => situation,
    };
    let mut player = Player::new(situation, layout(&address));
    player.playing = !player.reduced_motion && address.at.is_none();
    if let Some(at) = address.at {
        player.session.seek(at, OPENING_STEPS);
    }
    let notice = (!told.is_empty()).then(|| Notice {
        text: "Not all of this address was understood:".into(),
        list: told.into_iter().map(Into::into).collect(),
        folded: false,
    });
    (player, notice)
}

fn layout(address: &PageAddress) -> Layout {
    match address.view {
        Some(PageView::Simple) => Layout::Simple,
        Some(PageView::Full) => Layout::Full,
        None => browser::remembered(LAYOUT)
            .and_then(|name| Layout::named(&name))
            .unwrap_or_default(),
    }
}

fn inlined(told: &mut Vec<String>) -> Option<Situation> {
    let text = browser::data("scenario")?;
    match Situation::read(&text) {
        Ok(situation) => Some(situation),
        Err(problems) => {
            told.extend(problems.iter().map(ToString::to_string));
            None
        }
    }
}

fn linked(address: &PageAddress, told: &mut Vec<String>) -> Option<Situation> {
    let link = address.link.as_ref()?;
    match Scenario::from_link(link) {
        Ok(scenario) => Situation::of(scenario).ok(),
        Err(error) => {
            told.push(error.to_string());
            None
        }
    }
}

fn named(address: &PageAddress, told: &mut Vec<String>) -> Option<Situation> {
    let slug = address.scenario.as_ref()?;
    let found = Situation::shipped(slug);
    if found.is_none() {
        told.push(format!("scenario: there is none named \"{slug}\""));
    }
    found
}

#[allow(
    clippy::expect_used,
    reason = "compiled in; a test reads all shipped scenarios"
)]
fn first_shipped() -> Situation {
    CATALOGUE
        .first()
        .and_then(|shipped| Situation::shipped(shipped.slug))
        .expect("the first shipped scenario can be read")
}
