//! Where actions arrive. Each one is done to the run, to the browser or to the page's state, and what changed is
//! dispatched when nothing is borrowed any more.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::action::{Action, Colours, Layout, Tab};
use super::broker::CHOSEN;
use super::browser;
use super::explained::{focus_first_soon, focus_soon, reveal, show_causes, show_story};
use super::opening::LAYOUT;
use super::player::Player;
use super::reading::Read;
use super::share::show_address;
use super::situation::Situation;
use super::state::{Fact, Notice, State};
use crate::engine::MessageNumber;
use crate::present::geometry::Point;
use crate::present::scene::About;

/// Buttons that the focus goes to when the one that was pressed goes away.
const UNDO: &str = ".caption__undo";
const REDO: &str = ".caption__redo";
const PLAY: &str = ".transport__play";

/// Key of the remembered colours.
const COLOURS: &str = "queue-playground.colours";

/// The player and the way to the page's state.
pub struct Controller {
    player: Rc<RefCell<Player>>,
    dispatcher: UseReducerDispatcher<State>,
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

    /// Takes a canvas away that is no longer there.
    pub fn detach(&self, other: bool) {
        if let Ok(mut player) = self.player.try_borrow_mut() {
            player.attach(None, other);
        }
    }

    /// Lights what is meant on the canvas.
    pub fn light(&self, about: Option<About>) {
        if let Ok(mut player) = self.player.try_borrow_mut() {
            player.light(about);
        }
    }

    /// The message on the stage at a point, or `around` it; on the stage of the `other` run that is compared.
    pub fn message_at(&self, point: Point, around: f64, other: bool) -> Option<MessageNumber> {
        let player = self.player.try_borrow().ok()?;
        let compared = player.other.as_ref().filter(|_| other);
        let scene = compared.map_or(&player.scene, |compared| &compared.scene);
        Some(scene.token_at(point, around)?.message)
    }

    /// The message whose story is told.
    pub fn selected(&self) -> Option<MessageNumber> {
        self.player.try_borrow().ok()?.selected
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
        self.dispatcher.dispatch(Fact::Copied(false));
        match action {
            Action::Layout(layout) => {
                browser::remember(LAYOUT, layout.name());
                self.dispatcher.dispatch(Fact::Layout(layout));
                self.with_player(|player| player.perform(Action::Layout(layout)));
            }
            Action::Colours(colours) => {
                browser::remember(COLOURS, colours.name());
                self.dispatcher.dispatch(Fact::Colours(colours));
            }
            Action::SeedText(text) => match text.trim().parse() {
                Ok(seed) => self.perform(Action::Seed(seed)),
                Err(_) => self.tell(
                    format!(
                        "\u{201c}{text}\u{201d} is no seed. A seed is a whole number of 0 or more."
                    ),
                    [],
                ),
            },
            Action::File(name, text) => match Situation::read(&text) {
                Ok(situation) => {
                    browser::popover("situations", false);
                    self.dispatcher.dispatch(Fact::Notice(None));
                    self.with_player(|player| {
                        player.load(situation);
                        player.paint();
                        show_address(player);
                    });
                }
                Err(problems) => {
                    let list = problems.iter().map(ToString::to_string);
                    self.tell(format!("{name} was not opened; the run on the stage goes on. What is wrong with it:"), list);
                }
            },
            Action::Open(_) | Action::OpenWithFix(_) | Action::Seed(_) => {
                self.dispatcher.dispatch(Fact::Notice(None));
                self.with_player(|player| {
                    player.perform(action);
                    player.paint();
                    show_address(player);
                });
                let layout = self.player.borrow().layout;
                self.dispatcher.dispatch(Fact::Layout(layout));
            }
            Action::Keys => browser::popover("keys", true),
            Action::CopyLink => self.copy_link(),
            Action::CopyCsv => self.copy_csv(),
            Action::Save => {
                let player = self.player.borrow();
                browser::save(&player.file_name(), &player.scenario_as_run().to_json());
            }
            Action::Replay | Action::Undo | Action::Redo => {
                // The button that was pressed may go away; a key leaves the focus where it is.
                let pressed = browser::has_focus(".caption");
                let near = match action {
                    Action::Undo => [UNDO, REDO, PLAY],
                    Action::Redo => [REDO, UNDO, PLAY],
                    _ => [PLAY; 3],
                };
                self.with_player(|player| {
                    player.perform(action);
                    player.paint();
                });
                if pressed {
                    focus_first_soon(near);
                }
            }
            Action::DismissGhost => {
                self.with_player(|player| {
                    player.perform(action);
                    player.paint();
                });
                focus_first_soon([UNDO, "#tab-timeline", PLAY]);
            }
            Action::Read(Read::Why(_)) => {
                self.with_player(|player| {
                    player.perform(action);
                    player.paint();
                });
                show_causes();
            }
            Action::Read(Read::Story(_)) => {
                self.with_player(|player| {
                    player.perform(action);
                    player.paint();
                });
                show_story();
            }
            Action::Select(None) => {
                self.with_player(|player| {
                    player.perform(action);
                    player.paint();
                });
                let full = self.player.borrow().layout == Layout::Full;
                focus_soon(if full {
                    ".finder__field"
                } else {
                    ".caption__why, .transport__play"
                });
            }
            Action::Reveal(reference) => {
                self.with_player(|player| player.perform(action));
                let layout = self.player.borrow().layout;
                self.dispatcher.dispatch(Fact::Layout(layout));
                reveal(reference.control);
            }
            Action::BehaveLike(profile) => {
                let mut told = None;
                self.with_player(|player| {
                    told = Some(player.behave_like(profile));
                    player.paint();
                    show_address(player);
                });
                if let Some((text, list)) = told {
                    let folded = text.starts_with(CHOSEN);
                    self.notify(text, list, folded);
                }
            }
            Action::SendTyped(producer, typed) => {
                self.with_player(|player| {
                    let sent = player.send_typed(producer, &typed);
                    player.unsent = sent.err().map(AttrValue::from);
                    player.paint();
                });
            }
            Action::Tell(text) => self.tell(text, []),
            Action::Dismiss => self.dispatcher.dispatch(Fact::Notice(None)),
            Action::Unreadable(name, why) => self.tell(format!("{name} was not opened. {why}"), []),
            action => {
                // What was pressed may go away by what it does.
                if !matches!(action, Action::Menu(_)) {
                    browser::Anchor::here().hold();
                }
                self.with_player(|player| {
                    player.perform(action);
                    player.paint();
                });
            }
        }
    }

    fn copy_csv(self: &Rc<Self>) {
        let text = {
            let player = self.player.borrow();
            match player.tab {
                Tab::Sweep => player.sweeping.csv(),
                _ => player.csv(),
            }
        };
        let controller = self.clone();
        spawn_local(async move {
            if browser::copy(text).await {
                controller.with_player(|player| player.csv_copied = true);
            } else {
                controller.tell("The browser does not let the page copy.".into(), []);
            }
        });
    }

    fn copy_link(self: &Rc<Self>) {
        let link = {
            let player = self.player.borrow();
            player.link(Some(player.session.playhead().at))
        };
        match link {
            Err(why) => self.tell(format!("There is no link to this run. {why}"), []),
            Ok(link) => {
                let (base, _, _) = browser::address();
                let (controller, link) = (self.clone(), base + &link);
                spawn_local(async move {
                    if browser::copy(link.clone()).await {
                        controller.dispatcher.dispatch(Fact::Copied(true));
                    } else {
                        controller.tell(
                            "The browser does not let the page copy. The link:".into(),
                            [link],
                        );
                    }
                });
            }
        }
    }

    fn tell(&self, text: String, list: impl IntoIterator<Item = String>) {
        self.notify(text, list, false);
    }

    fn notify(&self, text: String, list: impl IntoIterator<Item = String>, folded: bool) {
        let list = list.into_iter().map(AttrValue::from).collect();
        self.dispatcher.dispatch(Fact::Notice(Some(Notice {
            text: text.into(),
            list,
            folded,
        })));
    }
}
