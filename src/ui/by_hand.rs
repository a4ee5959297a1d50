//! Being a consumer or a producer: the panel under the stage with their calls.

use std::rc::Rc;

use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use super::action::{Action, press};
use super::icons::{Shape, icon};
use super::panel::Panel;
use super::player::Player;
use crate::engine::command::{ConsumerChange, HandSend};
use crate::engine::rules::{FairShare, Priority};
use crate::engine::setup::{Deduplication, QueueKind};
use crate::engine::{Command, ConsumerId, EventKind, Micros, ProducerId};
use crate::present::actions::{Action as Intervention, ActionTarget};
use crate::present::by_hand::{Call, Hand, Held, hands};
use crate::present::names::Names;
use crate::scenario::{Name, parse_duration};

/// What a person sends by hand: fields as they were typed.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Typed {
    /// Names and values.
    pub fields: Vec<(&'static str, String)>,
    /// Can never be processed.
    pub poison: bool,
}

impl Typed {
    fn field(&self, name: &str) -> Option<&str> {
        let (_, value) = self.fields.iter().find(|(known, _)| *known == name)?;
        let value = value.trim();
        (!value.is_empty()).then_some(value)
    }
}

/// The fields of a send by hand: name, label, what an empty one means, and what the broker calls what it sets.
const FIELDS: [(&str, &str, &str, &str); 7] = [
    ("count", "How many", "1", ""),
    ("body", "Body", "a number", ""),
    ("group", "Group", "as usual", "producer.groups"),
    ("id", "Deduplication ID", "none", "queue.deduplication"),
    ("priority", "Priority", "none", "producer.priority"),
    ("ttl", "Time to live", "as the queue says", "producer.ttl"),
    ("delay", "Delay", "as the queue says", "producer.delay"),
];

/// The form of a producer that a person operates.
#[derive(Clone, PartialEq)]
pub struct Sender {
    /// Which.
    pub producer: ProducerId,
    /// Its name.
    pub name: AttrValue,
    /// The fields that act in its queue and that the broker has.
    pub fields: Vec<&'static str>,
    /// What could not be understood.
    pub wrong: Option<AttrValue>,
}

/// A time; a plain number is seconds.
fn span_of(text: &str) -> Option<Micros> {
    let plain = |it: u8| it.is_ascii_digit() || it == b'.';
    if text.bytes().all(plain) {
        parse_duration(&format!("{text}s"))
    } else {
        parse_duration(text)
    }
}

impl Player {
    /// The consumers that a person operates.
    pub fn hands(&self) -> Rc<[Hand]> {
        let names = Names {
            setup: self.session.simulation().setup(),
            bodies: &self.bodies,
        };
        let profile = self.situation.scenario.vocabulary();
        let empty = |consumer| self.came_back_empty(consumer);
        hands(&self.session.snapshot(), &names, profile, &empty).into()
    }

    /// When the newest receive of a person came back empty, if that is the newest that the consumer got.
    fn came_back_empty(&self, consumer: ConsumerId) -> Option<Micros> {
        let newest = self.newest().find(|event| match event.kind {
            EventKind::EmptyReceive { consumer: by, .. }
            | EventKind::Delivered { consumer: by, .. } => by == consumer,
            _ => false,
        })?;
        let asked = |command: &Command| matches!(command, Command::Receive { consumer: by, .. } if *by == consumer);
        let is_empty = matches!(newest.kind, EventKind::EmptyReceive { .. });
        let commands = self.session.commands().into_iter();
        let mut before = commands.filter(|given| given.timed.at <= newest.at);
        (is_empty && before.any(|given| asked(&given.timed.command))).then_some(newest.at)
    }

    /// The form of the producer that a person operates.
    pub fn sender_form(&self) -> Option<Sender> {
        let producer = self.sender?;
        let snapshot = self.session.snapshot();
        let view = snapshot.producers.get(producer.index())?;
        let queue = &snapshot.queues.get(view.setup.to.index())?.setup;
        let profile = self.situation.scenario.vocabulary();
        let acts = |name: &str| match name {
            "group" => queue.kind == QueueKind::Fifo || queue.rules.fair_share != FairShare::Off,
            "id" => queue.deduplication != Deduplication::Off,
            "priority" => queue.rules.priority != Priority::Off,
            _ => true,
        };
        let has = |concept: &str| {
            concept.is_empty() || !matches!(profile.name(concept), Name::NoCounterpart(_))
        };
        let fields = FIELDS.iter();
        let fields = fields.filter(|(name, .., concept)| acts(name) && has(concept));
        Some(Sender {
            producer,
            name: view.setup.name.clone().into(),
            fields: fields.map(|(name, ..)| *name).collect(),
            wrong: self.unsent.clone(),
        })
    }

    /// Sends what was typed; nothing where it cannot be understood, which is said.
    pub fn send_typed(&mut self, producer: ProducerId, typed: &Typed) -> Result<(), String> {
        let snapshot = self.session.snapshot();
        let Some(view) = snapshot.producers.get(producer.index()) else {
            return Ok(());
        };
        let span = |name: &str| -> Result<Option<Micros>, String> {
            let Some(text) = typed.field(name) else {
                return Ok(None);
            };
            let found = span_of(text);
            found
                .map(Some)
                .ok_or_else(|| wrong(name, text, "a time, such as 2 or 250ms"))
        };
        let number = |name: &str, most: u32| -> Result<Option<u32>, String> {
            let Some(text) = typed.field(name) else {
                return Ok(None);
            };
            let found = text.parse().ok().filter(|found| *found <= most);
            let wanted = format!("a whole number up to {most}");
            found.map(Some).ok_or_else(|| wrong(name, text, &wanted))
        };
        let (ttl, delay) = (span("ttl")?, span("delay")?);
        let count = number("count", 1_000)?.unwrap_or(1).max(1);
        let priority = number("priority", 255)?.and_then(|it| u8::try_from(it).ok());
        let target = ActionTarget::Producer(producer);
        let usual = Intervention::find("send-one").and_then(|it| it.command(&snapshot, target));
        let usual = match usual {
            Some(Command::Send(send)) => Some(send),
            _ => None,
        };
        let group = typed.field("group").map(|name| self.session.group(name));
        let body = typed.field("body").map(|text| self.session.body(text));
        let id = typed
            .field("id")
            .map(|id| self.session.deduplication_id(id));
        self.ask_for(Command::Send(HandSend {
            count,
            group: group.or(usual.as_ref().and_then(|send| send.group)),
            body,
            poison: typed.poison,
            deduplication_id: id,
            delay,
            priority,
            ttl,
            persistent: view.setup.persistent,
            amount: usual.map_or(0, |send| send.amount),
            to: view.setup.to,
        }));
        Ok(())
    }
}

fn wrong(name: &str, text: &str, wanted: &str) -> String {
    let label = FIELDS.iter().find(|(known, ..)| *known == name);
    let label = label.map_or(name, |(_, label, ..)| *label);
    format!("{label}: \u{201c}{text}\u{201d} is not {wanted}. Nothing was sent.")
}

/// The panel; nothing while nobody is operated by hand.
pub fn by_hand(panel: &Panel, act: &Callback<Action>) -> Html {
    if panel.hands.is_empty() && panel.sender.is_none() {
        return Html::default();
    }
    html! {
        <section class="hands panel" aria-label="By hand">
            for hand in panel.hands.iter() {
                { self::hand(hand, act) }
            }
            if let Some(form) = &panel.sender {
                { sender(form, act) }
            }
        </section>
    }
}

fn hand(hand: &Hand, act: &Callback<Action>) -> Html {
    let leave = Command::SetConsumer(Some(hand.consumer), ConsumerChange::ByHand(false));
    let leave = press(act, Action::Command(leave));
    html! {
        <div key={hand.name.clone()} id={format!("hand-{}", hand.consumer.0)} class="hand" role="group" aria-label={format!("You are {}", hand.name)}>
            <div class="hand__head">
                <b>{ "You are " }{ &hand.name }</b>
                for call in hand.calls.iter() {
                    { button(call, &hand.name, act) }
                }
                <button type="button" class="button button--quiet" onclick={leave} aria-label={format!("Leave {}", hand.name)}>{ icon(Shape::Close) }{ "Leave" }</button>
            </div>
            if hand.held.is_empty() {
                <p class="control__note" role="status">{ &hand.note }</p>
            }
            <ul class="hand__held">
                for (index, held) in hand.held.iter().enumerate() {
                    { self::held(index, held, act) }
                }
                for (index, job) in hand.at_work.iter().enumerate() {
                    <li key={format!("at work {index}")} class="control__note">{ job }</li>
                }
            </ul>
        </div>
    }
}

fn held(index: usize, held: &Held, act: &Callback<Action>) -> Html {
    html! {
        <li key={index} class="hand__message">
            <span class="hand__name"><b>{ &held.name }</b><span class={classes!("hand__time", held.late.then_some("tone--bad"))}>{ &held.time }</span></span>
            <span class="hand__calls">
                for call in held.calls.iter() {
                    { button(call, &held.name, act) }
                }
                if let Some(waits) = &held.waits {
                    <button type="button" class="button button--quiet" onclick={press(act, Action::Tell(waits.clone()))} title={waits.clone()}
                        aria-label={format!("Let it expire: {}", held.name)}>{ "Let it expire" }</button>
                }
            </span>
        </li>
    }
}

fn button(call: &Call, whom: &str, act: &Callback<Action>) -> Html {
    html! {
        <button key={call.label.clone()} type="button" class="button" title={call.help.clone()} aria-label={format!("{}: {whom}", call.label)}
            onclick={press(act, Action::Command(call.command.clone()))}>{ &call.label }</button>
    }
}

fn sender(form: &Sender, act: &Callback<Action>) -> Html {
    let Sender {
        producer,
        name,
        fields,
        wrong,
    } = form;
    let producer = *producer;
    let onsubmit = act.reform(move |event: SubmitEvent| {
        event.prevent_default();
        let form = event.target_dyn_into::<Element>();
        let input = |name: &str| -> Option<HtmlInputElement> {
            let found = form.as_ref()?.query_selector(&format!("[name={name}]"));
            wasm_bindgen::JsCast::dyn_into(found.ok()??).ok()
        };
        let value = |name: &str| input(name).map(|input| input.value()).unwrap_or_default();
        let typed = Typed {
            fields: FIELDS.map(|(name, ..)| (name, value(name))).into(),
            poison: input("poison").is_some_and(|input| input.checked()),
        };
        Action::SendTyped(producer, typed)
    });
    html! {
        <form class="hand" aria-label={format!("You are {name}")} {onsubmit}>
            <div class="hand__head">
                <b>{ "You are " }{ name }</b>
                <button type="submit" class="button button--main">{ "Send" }</button>
                <button type="button" class="button button--quiet" onclick={press(act, Action::BeProducer(None))} aria-label={format!("Leave {name}")}>{ icon(Shape::Close) }{ "Leave" }</button>
            </div>
            <div class="hand__fields">
                for (name, label, empty, _) in FIELDS.into_iter().filter(|(name, ..)| fields.contains(name)) {
                    <label key={name}>{ label }<input class="field" {name} placeholder={empty} autocomplete="off" /></label>
                }
                <label class="hand__check"><input type="checkbox" name="poison" />{ "Poison" }</label>
            </div>
            if let Some(wrong) = wrong {
                <p class="hand__wrong tone--bad" role="alert">{ wrong }</p>
            }
            <p class="control__note">{ format!("{name} goes on sending by itself; what you send comes in addition.") }</p>
        </form>
    }
}
