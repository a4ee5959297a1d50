//! Events in words: the log, the caption of a run without a script, and what screen readers hear.

use yew::AttrValue;

use super::player::Player;
use crate::engine::{Event, EventKind, Micros};
use crate::present::sentence::{Sentence, Severity, Teller};
use crate::present::{format, spoken};

/// Events that are looked through for the log and the caption.
const LOOKED_AT: usize = 400;
/// How long harm stays in the caption although something harmless has happened since, in real seconds.
const HARM_STAYS: f64 = 1.5;
/// Fastest pace, in thousandths of real time, at which a playing run is spoken about.
const SPOKEN_UP_TO: u32 = 2_000;
/// Least time between two announcements of a playing run, in milliseconds.
const SPOKEN_EVERY: f64 = 3_000.0;

impl Player {
    pub(super) fn teller(&self) -> Teller<'_> {
        let outside = self.situation.scenario.view.outside.as_ref();
        Teller {
            setup: self.session.simulation().setup(),
            bodies: &self.bodies,
            ledger: Some(self.session.ledger()),
            effect_label: outside.map_or("effects", |outside| &outside.label),
            own_from: self.session.base().commands.len(),
            vocabulary: self.situation.scenario.vocabulary(),
            unit: outside.map_or("", |outside| &outside.unit),
        }
    }

    pub(super) fn newest(&self) -> impl Iterator<Item = &Event> {
        self.session
            .events_before(self.session.playhead().ordinal, LOOKED_AT)
    }

    /// Learns the names of the messages that the newest events are about.
    pub fn learn_names(&mut self) {
        let mut bodies = std::mem::take(&mut self.bodies);
        for event in self.newest() {
            bodies.observe(event);
        }
        bodies.learn(&self.session.snapshot());
        self.bodies = bodies;
    }

    /// This much real time as simulated time at the present pace.
    pub fn at_pace(&self, seconds: f64) -> Micros {
        Micros((seconds * f64::from(self.speed) * 1_000.0) as u64)
    }

    /// What happened last that matters: when, and in words.
    pub fn happening(&self) -> Option<(AttrValue, AttrValue)> {
        let teller = self.teller();
        let since = self.session.playhead().at - self.at_pace(HARM_STAYS);
        let is_told = |event: &&Event| {
            !matches!(
                event.kind,
                EventKind::Sent { .. }
                    | EventKind::Accepted { .. }
                    | EventKind::EmptyReceive { .. }
            )
        };
        let mut best: Option<(Severity, &Event, Sentence)> = None;
        for event in self.newest().filter(is_told) {
            if best.is_some() && event.at < since {
                break;
            }
            let sentence = teller.tell(event);
            if best
                .as_ref()
                .is_none_or(|(severity, ..)| sentence.severity > *severity)
            {
                best = Some((sentence.severity, event, sentence));
            }
        }
        let best = best.or_else(|| {
            let newest = self.newest().next()?;
            Some((Severity::Normal, newest, teller.tell(newest)))
        });
        let (_, event, sentence) = best?;
        Some((format::instant(event.at).into(), sentence.joined().into()))
    }

    /// What the caption says next is spoken at once: a person asked for it, or nothing follows.
    pub fn speak_soon(&mut self) {
        self.spoken.1 = f64::NEG_INFINITY;
    }

    /// What screen readers hear: all of the stage after a step, a caption now and then while a run plays slowly,
    /// nothing while it plays fast.
    pub fn announcement(&mut self, now: f64) -> AttrValue {
        let (text, spoken_at, steps) = &self.spoken;
        if self.steps_taken != *steps {
            let teller = self.teller();
            let event = self.newest().next().map(|event| teller.announce(event));
            let snapshot = self.session.snapshot();
            let stage = spoken::stage(&snapshot, teller.setup, teller.effect_label, teller.unit);
            let lines: Vec<String> = event.into_iter().chain(stage.into_iter().skip(1)).collect();
            self.spoken = (lines.join(" ").into(), now, self.steps_taken);
        } else if now - spoken_at >= SPOKEN_EVERY
            && (self.speed <= SPOKEN_UP_TO || spoken_at.is_infinite())
        {
            let words = self.words();
            let caption = format!(
                "{} {} {}",
                words.time.unwrap_or_default(),
                words.text,
                words.invitation.unwrap_or_default()
            );
            if *text != caption {
                self.spoken = (caption.into(), now, self.steps_taken);
            } else if spoken_at.is_infinite() {
                self.spoken.1 = now;
            }
        }
        self.spoken.0.clone()
    }
}
