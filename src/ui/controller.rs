//! Where actions arrive. Each one is done to the run, to the browser or to the page's state, and what changed is
//! dispatched when nothing is borrowed any more.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use super::action::{Action, Colours, Layout};
use super::browser;
use super::player::Player;
use super::state::{Fact, Notice, State};

/// Key of the remembered view.
const LAYOUT: &str = "queue-playground.view";
/// Key of the remembered colours.
const COLOURS: &str = "queue-playground.colours";

/// The player and the way to the page's state.
pub struct Controller {
    player: Rc<RefCell<Player>>,
    dispatcher: UseReducerDispatcher<State>,
}

/// The view to open with: asked for in the address, else remembered.
pub fn first_layout() -> Layout {
    let (_, query, _) = browser::address();
    let asked = query
        .trim_start_matches('?')
        .split('&')
        .find_map(|pair| pair.strip_prefix("view="));
    asked
        .and_then(Layout::named)
        .or_else(|| Layout::named(&browser::remembered(LAYOUT)?))
        .unwrap_or_default()
}

/// The colours to open with.
pub fn first_colours() -> Colours {
    browser::remembered(COLOURS)
        .and_then(|name| Colours::named(&name))
        .unwrap_or_default()
}

impl Controller {
    /// Around a player.
    pub fn new(player: Rc<RefCell<Player>>, dispatcher: UseReducerDispatcher<State>) -> Self {
        Self { player, dispatcher }
    }

    /// One animation frame.
    pub fn frame(&self, now: f64) {
        let panel = self.player.borrow_mut().frame(now);
        if let Some(panel) = panel {
            self.dispatcher.dispatch(Fact::Panel(Box::new(panel)));
        }
    }

    /// Does something to the player and shows what became of it.
    pub fn with_player(&self, change: impl FnOnce(&mut Player)) {
        let panel = {
            let mut player = self.player.borrow_mut();
            change(&mut player);
            player.panel()
        };
        self.dispatcher.dispatch(Fact::Panel(Box::new(panel)));
    }

    /// Does what a person asks for.
    pub fn perform(self: &Rc<Self>, action: Action) {
        match action {
            Action::Layout(layout) => {
                browser::remember(LAYOUT, layout.name());
                self.dispatcher.dispatch(Fact::Layout(layout));
                self.with_player(|player| player.perform(&Action::Layout(layout)));
            }
            Action::Colours(colours) => {
                browser::remember(COLOURS, colours.name());
                self.dispatcher.dispatch(Fact::Colours(colours));
            }
            Action::Dismiss => self.dispatcher.dispatch(Fact::Notice(None)),
            Action::Unreadable(name, why) => self.tell(format!("{name} was not opened. {why}"), []),
            action => self.with_player(|player| {
                player.perform(&action);
                player.paint();
            }),
        }
    }

    fn tell(&self, text: String, list: impl IntoIterator<Item = String>) {
        let list = list.into_iter().map(AttrValue::from).collect();
        self.dispatcher.dispatch(Fact::Notice(Some(Notice {
            text: text.into(),
            list,
        })));
    }
}
