//! The situations that are shipped: by what somebody notices first, by broker, and by words.

use serde_json::Value;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::action::{Action, press};
use super::files::open_file;
use super::icons::{Shape, icon};
use crate::present::controls::setting_label;
use crate::scenario::catalogue::{CATALOGUE, Shipped};
use crate::scenario::{Profile, Symptom};

/// Identifies the list in the document.
const LIST: &str = "situations";

/// What the list can be narrowed to: words of what the entries name.
const BROKERS: [&str; 8] = [
    "SQS",
    "RabbitMQ",
    "JetStream",
    "Redis",
    "Pub/Sub",
    "Service Bus",
    "Kafka",
    "Celery",
];
const OTHERS: &str = "Other queues";

/// What an entry says beside its question.
#[derive(PartialEq)]
struct Told {
    shipped: &'static Shipped,
    broker: String,
    saw: String,
    setting: String,
    fixed: bool,
}

impl Told {
    /// Read from the file, without checking what else is in it.
    fn of(shipped: &'static Shipped) -> Self {
        let file: Value = serde_json::from_str(shipped.json).unwrap_or_default();
        let incident = &file["incident"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut broker = text(&incident["broker"]);
        if broker.is_empty() {
            let profile = Profile::of_word(&text(&file["behaves_like"]));
            broker = profile.map_or_else(String::new, |profile| profile.title().to_owned());
        }
        Self {
            shipped,
            broker,
            saw: text(&incident["saw"]),
            setting: match incident["setting"].as_str() {
                Some(field) => {
                    let word = text(&file["behaves_like"]);
                    let profile = Profile::of_word(&word).unwrap_or(Profile::Free);
                    setting_label(field, profile)
                }
                None => String::new(),
            },
            fixed: file["variants"]
                .as_array()
                .is_some_and(|all| !all.is_empty()),
        }
    }

    fn has(&self, words: &str) -> bool {
        let Self {
            shipped,
            broker,
            saw,
            setting,
            ..
        } = self;
        let symptom = shipped.symptom.label();
        let other_words = match shipped.symptom {
            Symptom::ProcessedTwice => {
                "duplicate duplicates exactly once at least once idempotence"
            }
            Symptom::StuckOrStarving => "blocked hang hangs starvation",
            Symptom::DeadLetters => "dead-letter queue dead letter poison",
            Symptom::Lost => "loss gone missing at most once",
            Symptom::OutOfOrder => "ordering sequence",
            Symptom::Slow => "latency lag backlog delay",
        };
        let all = [
            shipped.question,
            symptom,
            shipped.slug,
            broker,
            saw,
            setting,
            other_words,
        ];
        let all = all.join(" ").to_ascii_lowercase();
        words
            .to_ascii_lowercase()
            .split(' ')
            .all(|word| all.contains(word))
    }
}

/// The properties of the list.
#[derive(Properties, PartialEq)]
pub struct SituationsProps {
    /// Which is open.
    pub slug: Option<&'static str>,
    /// What it is called.
    pub title: AttrValue,
    /// Opens what is chosen.
    pub act: Callback<Action>,
}

/// The button that says what runs, and the list that it opens.
#[component]
pub fn Situations(props: &SituationsProps) -> Html {
    let opened = use_state_eq(|| false);
    let words = use_state_eq(String::new);
    let broker = use_state_eq(String::new);
    // Nothing is read before it is asked for.
    let all = use_memo(*opened, |opened| {
        let shipped = CATALOGUE.iter().filter(|_| *opened);
        shipped.map(Told::of).collect::<Vec<_>>()
    });
    let found = |told: &&Told| {
        let fits = match broker.as_str() {
            "" => true,
            OTHERS => BROKERS.iter().all(|known| !told.broker.contains(known)),
            chosen => told.broker.contains(chosen),
        };
        fits && told.has(words.trim())
    };
    let onclick = {
        let opened = opened.setter();
        move |_| opened.set(true)
    };
    let oninput = {
        let words = words.setter();
        move |event: InputEvent| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            words.set(input.map(|input| input.value()).unwrap_or_default());
        }
    };
    let onchange = {
        let broker = broker.setter();
        move |event: Event| {
            let select = event.target_dyn_into::<HtmlSelectElement>();
            broker.set(select.map(|select| select.value()).unwrap_or_default());
        }
    };
    let count = all.iter().filter(found).count();
    html! {
        <div class="top__picker">
            <button type="button" class="button top__situation" popovertarget={LIST} {onclick} aria-label={format!("Situation: {}", props.title)}>
                <span>{ &props.title }</span>{ icon(Shape::Down) }
            </button>
            <div id={LIST} class="menu menu--situations panel" popover="auto" role="dialog" aria-label="Situations">
                <div class="situations__head">
                    <input type="search" class="field" placeholder="Search" aria-label="Search situations" autocomplete="off" autofocus=true {oninput} />
                    <select class="select" data-own="true" aria-label="Broker" {onchange}>
                        <option value="" selected={broker.is_empty()}>{ "All brokers" }</option>
                        for name in BROKERS.into_iter().chain([OTHERS]) {
                            <option key={name} value={name}>{ name }</option>
                        }
                    </select>
                    { open_file(&props.act) }
                </div>
                <p class="visually-hidden" role="status">{ format!("{count} found") }</p>
                <div class="situations__list" tabindex="0" role="group" aria-label="Found">
                    for symptom in Symptom::ALL {
                        { group(symptom, all.iter().filter(found), props) }
                    }
                    if count == 0 && *opened {
                        <p class="control__note">{ "Nothing fits. Fewer words find more." }</p>
                    }
                </div>
            </div>
        </div>
    }
}

fn group<'a>(
    symptom: Symptom,
    found: impl Iterator<Item = &'a Told>,
    props: &SituationsProps,
) -> Html {
    let mut found = found
        .filter(|told| told.shipped.symptom == symptom)
        .peekable();
    if found.peek().is_none() {
        return Html::default();
    }
    html! {
        <section key={symptom.label()}>
            <h2 class="panel__title">{ symptom.label() }</h2>
            <ul class="situations__group">
                for told in found {
                    { entry(told, props) }
                }
            </ul>
        </section>
    }
}

fn entry(told: &Told, props: &SituationsProps) -> Html {
    let slug = told.shipped.slug;
    let open = press(&props.act, Action::Open(slug.to_owned()));
    let beside = press(&props.act, Action::OpenWithFix(slug.to_owned()));
    let is_incident = !told.saw.is_empty();
    html! {
        <li key={slug} class="situation">
            <button type="button" class="menu__entry situation__run" popovertarget={LIST} popovertargetaction="hide" onclick={open}
                aria-current={(props.slug == Some(slug)).then_some("true")}>
                <span>{ told.shipped.question }</span>
            </button>
            if is_incident {
                <p class="situation__saw"><b>{ format!("{}: ", told.broker) }</b>{ &told.saw }</p>
            }
            if told.fixed || is_incident {
                <p class="situation__foot">
                    if !told.setting.is_empty() {
                        <span>{ format!("The setting that was wrong: {}", told.setting) }</span>
                    }
                    if told.fixed {
                        <button type="button" class="link" popovertarget={LIST} popovertargetaction="hide" onclick={beside}
                            aria-label={format!("Run the fix beside it: {}", told.shipped.question)}>{ "Run the fix beside it" }</button>
                    }
                </p>
            }
        </li>
    }
}
