//! The page.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use super::action::{Action, Layout};
use super::browser;
use super::by_hand::by_hand;
use super::caption::caption;
use super::controller::{Controller, first_colours};
use super::files::use_drop;
use super::fit::use_media;
use super::frame_loop::use_frame_loop;
use super::header::header;
use super::headline::headline;
use super::keys;
use super::linking::use_linking;
use super::log::Log;
use super::lower::lower;
use super::menu::{self, ActionMenu, use_long_press};
use super::notice::notice_bar;
use super::opening::opening;
use super::player::Player;
use super::preferences::key_list;
use super::settings::Settings;
use super::stages::stages;
use super::state::State;
use super::transport::transport;
use super::visible::use_visible;

/// The whole page.
#[component]
pub fn App() -> Html {
    let opened = use_memo((), |()| {
        let (player, notice) = opening();
        (Rc::new(RefCell::new(player)), notice)
    });
    let state = use_reducer(|| {
        let (player, notice) = &*opened;
        let mut player = player.borrow_mut();
        State::new(
            player.panel(),
            player.layout,
            first_colours(),
            notice.clone(),
        )
    });
    let controller = {
        let dispatcher = state.dispatcher();
        use_memo((), |()| Controller::new(opened.0.clone(), dispatcher))
    };
    let act = {
        let controller = controller.clone();
        use_callback((), move |action: Action, ()| controller.perform(action))
    };
    let main = use_node_ref();
    use_linking(&main, &controller);
    let visible = use_visible(&main);
    let on_frame = {
        let controller = controller.clone();
        use_memo((), |()| move |now| controller.frame(now))
    };
    use_frame_loop(state.panel.wants_frames && visible, on_frame);
    use_effect_with((state.layout, state.colours), {
        let controller = controller.clone();
        move |&(_, colours)| {
            browser::set_theme(colours.name());
            controller.with_player(Player::refit);
        }
    });
    use_effect(browser::show_selected);
    let drop = use_drop(&act);
    let onkeydown = {
        let act = act.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(action) = keys::action_of(&event) {
                event.prevent_default();
                act.emit(action);
            }
        })
    };
    keys::use_keys_of_page(&act);
    let (rests, moves) = use_long_press(&act);
    let oncontextmenu = {
        let act = act.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(action) = menu::asked(&event) {
                event.prevent_default();
                act.emit(action);
            }
        })
    };
    let panel = &state.panel;
    let full = state.layout == Layout::Full;
    // Two stages take the room of the columns.
    let narrow = use_media("(max-width: 69.99em)") || panel.beside.is_some();
    // In the simple view a message that is looked at brings its story with it.
    let story = full || panel.selected.is_some();
    let classes = classes!(
        "app",
        if full { "app--full" } else { "app--simple" },
        story.then_some("app--story"),
        panel.beside.is_some().then_some("app--comparing"),
        drop.over.then_some("app--dropping")
    );
    let settings = html! {
        <Settings settings={panel.settings.clone()} targets={panel.targets.clone()} target={panel.target} offers={panel.offers.clone()}
            behaves_like={panel.behaves_like} vocabulary={panel.vocabulary} broker={panel.vocabulary.broker()} seed={panel.setup.seed} colours={state.colours} act={act.clone()} />
    };
    let events = html! {
        <Log log={panel.log.clone()} story={panel.story.clone()} targets={panel.targets.clone()} closes={panel.selected.is_some() && !full} compared={panel.beside.is_some()} act={act.clone()} />
    };
    let columns = narrow.then(|| (settings.clone(), events.clone()));
    html! {
        <main id="playground" ref={main} class={classes} tabindex="-1" {onkeydown} {oncontextmenu} onpointerdown={rests} onpointermove={&moves} onpointerup={&moves} onpointercancel={&moves} ondragover={drop.ondragover} ondragleave={drop.ondragleave} ondrop={drop.ondrop}
            data-time={panel.now.to_string()} data-ordinal={panel.ordinal.to_string()} data-playing={panel.playing.to_string()} data-deliveries={panel.snapshot.totals.deliveries.to_string()}>
            { header(panel, state.layout, state.copied, &act) }
            <div class="body">
                <div class="mid">
                    { notice_bar(state.notice.as_deref(), &act) }
                    { stages(panel, &controller, &act) }
                    <div class="dock">
                        { caption(&panel.words, panel.incident.as_deref().filter(|_| !full), &act) }
                        { transport(panel, &act) }
                        { by_hand(panel, &act) }
                    </div>
                    if full {
                        { lower(panel, columns.clone(), &act) }
                    } else {
                        { headline(&panel.settings, &panel.numbers, panel.vocabulary.broker(), &act) }
                    }
                </div>
                if !(full && narrow) {
                    if full {
                        { settings }
                    }
                    if story {
                        { events }
                    }
                }
            </div>
            { key_list() }
            if let Some(opened) = &panel.menu {
                <ActionMenu opened={opened.clone()} act={act.clone()} />
            }
            <p class="visually-hidden" aria-live="polite">{ &panel.announcement }</p>
        </main>
    }
}
