//! What the scenario behaves like: chosen in the header, and what that means in the settings.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::action::Action;
use super::player::{OPENING_STEPS, Player};
use crate::present::controls::Control;
use crate::scenario::{Note, Profile};
use crate::session::Session;

/// What is said begins so when a broker could be chosen.
pub const CHOSEN: &str = "Behaves like";

impl Player {
    /// Begins the scenario anew as it is with another broker; says what that changed, or why it cannot be.
    pub fn behave_like(&mut self, profile: Profile) -> (String, Vec<String>) {
        let name = match profile {
            Profile::Free => "no broker in particular: every rule is open",
            profile => profile.title(),
        };
        let applied = profile.apply(&self.situation.scenario);
        let lowered = applied.and_then(|applied| Ok((applied.scenario.lower()?, applied)));
        match lowered {
            Err(problems) => {
                let text = format!("This scenario cannot behave like {name}; it stays as it is.");
                (text, problems.iter().map(ToString::to_string).collect())
            }
            Ok((setup, applied)) => {
                let text = format!("The same scenario, behaving like {name}.");
                let at = self.session.playhead().at;
                self.other = None;
                let session = Session::new(setup.into());
                self.go_on_with(session, applied.scenario, text.into());
                self.situation.slug = None;
                self.renew_terms();
                // A run that stands still stays where it stands.
                if self.playing {
                    self.playing = !self.reduced_motion;
                } else {
                    self.session.seek(at, OPENING_STEPS);
                }
                let text = format!("{CHOSEN} {name} now, from the beginning. Undo goes back.");
                (text, told(applied.notes))
            }
        }
    }

    /// What the broker says of each setting, for what the settings are for.
    pub fn renew_terms(&mut self) {
        let scenario = &self.situation.scenario;
        let (setup, target) = (self.session.base().clone(), self.target);
        let snapshot = self.session.snapshot();
        let speaks = scenario.vocabulary() != Profile::Free;
        let terms = Control::all().filter(|_| speaks).map(|(group, control)| {
            let terms = control.terms(group, scenario, &setup, &snapshot, &target);
            (control.id, Rc::new(terms))
        });
        self.terms = terms.collect();
        let start = self.start();
        let terms = |id: &str| {
            let mut all = self.terms.iter();
            let found = all.find(|(of, _)| *of == id);
            found.map(|(_, terms)| &**terms)
        };
        self.headline = Control::headline(scenario, &start, &target, terms);
    }
}

/// What changed, one line for each reason, in words in place of fields of a file.
fn told(notes: Vec<Note>) -> Vec<String> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for note in notes {
        let (whose, field) = note.path.split_once('.').unwrap_or((&note.path, ""));
        let field = field.replace('_', " ").replace('.', ", ");
        match lines.iter_mut().find(|(_, text)| *text == note.text) {
            Some((whom, _)) if !whom.contains(whose) => {
                whom.insert_str(0, ", ");
                whom.insert_str(0, whose);
            }
            Some(_) => {}
            None if field.is_empty() => lines.push((whose.to_owned(), note.text)),
            None => lines.push((format!("{whose} · {field}"), note.text)),
        }
    }
    let lines = lines.into_iter();
    lines
        .map(|(whose, text)| format!("{whose}: {text}"))
        .collect()
}

fn choice(
    id: &'static str,
    chosen: Profile,
    free: &'static str,
    choose: fn(Profile) -> Action,
    act: &Callback<Action>,
) -> Html {
    let onchange = act.reform(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let index = select.map_or(0, |select| select.selected_index());
        let index = usize::try_from(index).unwrap_or(0);
        choose(Profile::ALL.get(index).copied().unwrap_or_default())
    });
    html! {
        <select {id} class="select" {onchange}>
            for profile in Profile::ALL {
                <option key={profile.title()} selected={profile == chosen}>{ if profile == Profile::Free { free } else { profile.title() } }</option>
            }
        </select>
    }
}

/// The choice of a broker, for the header.
pub fn behaves_like(profile: Profile, act: &Callback<Action>) -> Html {
    html! {
        <div class="top__broker">
            <label for="behaves-like">{ "Behaves like" }</label>
            { choice("behaves-like", profile, "Free: every rule open", Action::BehaveLike, act) }
        </div>
    }
}

/// What it means, for the settings: names, and how faithful it is.
pub fn fidelity(profile: Profile, vocabulary: Profile, act: &Callback<Action>) -> Html {
    html! {
        <section class="settings__broker" aria-label="How it behaves">
            if profile == Profile::Free {
                <div class="preference">
                    <label for="vocabulary">{ "Names of" }</label>
                    { choice("vocabulary", vocabulary, "the playground", Action::Vocabulary, act) }
                </div>
            } else {
                <p class="control__note">{ format!("Rules, defaults, limits and names are those of {}. What it leaves no choice in is listed with the reason.", profile.title()) }</p>
            }
            <a class="link" href="model.html" target="_blank" rel="noopener">{ "How faithful is this?" }</a>
        </section>
    }
}
