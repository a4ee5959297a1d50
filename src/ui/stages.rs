//! The stage, or two of them beside each other.

use std::rc::Rc;

use yew::prelude::*;

use super::action::Action;
use super::controller::Controller;
use super::fit::use_fit;
use super::panel::Panel;
use super::player::Player;
use super::stage::stage;
use super::surface::Surface;
use crate::engine::MessageNumber;
use crate::present::scene::Scene;

/// The stage of the run, and of the one that it is compared with.
pub fn stages(panel: &Panel, controller: &Rc<Controller>, act: &Callback<Action>) -> Html {
    let beside = panel.beside.as_ref();
    let [own, other] = beside.map_or_else(Default::default, |beside| beside.heads.clone());
    html! {
        <div class={classes!("stages", beside.map(|_| "stages--two"))}>
            <label class="stages__choice" hidden={beside.is_none()}>
                <input type="checkbox" role="switch" class="switch" id="stages-other" />{ "Show the other run" }
            </label>
            <Side name="Stage" head={own} other=false scene={panel.scene.clone()} selected={panel.selected} controller={controller.clone()} act={act.clone()} />
            if let Some(beside) = beside {
                <Side name="The other stage" head={other} other=true scene={beside.scene.clone()} selected={panel.selected} controller={controller.clone()} act={act.clone()} />
            }
        </div>
    }
}

/// One of the stages.
#[derive(Properties)]
struct SideProps {
    /// What assistive technology calls it.
    name: &'static str,
    /// What stands above it; nothing when it is alone.
    head: AttrValue,
    other: bool,
    scene: Rc<Scene>,
    selected: Option<MessageNumber>,
    controller: Rc<Controller>,
    act: Callback<Action>,
}

impl PartialEq for SideProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.scene, &other.scene)
            && self.selected == other.selected
            && self.head == other.head
            && self.act == other.act
    }
}

/// A stage with its canvas: given to the player once it is there, kept at its size, and taken away with it.
#[component]
fn Side(props: &SideProps) -> Html {
    let (stage, canvas) = (use_node_ref(), use_node_ref());
    let refit = {
        let controller = props.controller.clone();
        use_memo((), |()| move || controller.with_player(Player::refit))
    };
    let (controller, other) = (props.controller.clone(), props.other);
    let (stage_ref, canvas_ref) = (stage.clone(), canvas.clone());
    use_effect_with((), move |()| {
        let surface = stage_ref
            .cast()
            .zip(canvas_ref.cast())
            .and_then(|(stage, canvas)| Surface::new(stage, canvas));
        if surface.is_some() {
            controller.with_player(|player| player.attach(surface, other));
        }
        move || controller.detach(other)
    });
    use_fit(&stage, refit);
    html! {
        <div class={classes!("stages__side", props.other.then_some("stages__side--other"))}>
            <h2 class="stages__head" hidden={props.head.is_empty()}>{ &props.head }</h2>
            { self::stage(props.name, &props.scene, &stage, &canvas, props.selected, &props.act) }
        </div>
    }
}
