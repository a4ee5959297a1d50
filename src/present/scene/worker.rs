//! A consumer's card: its work, what it buffers, why it is idle, and the three break buttons.

use crate::engine::command::Command;
use crate::engine::snapshot::{BreakerState, ConsumerStatus, ConsumerView, HeldView, JobView};
use crate::engine::{ConsumerId, Micros};
use crate::present::actions::starts_now;
use crate::present::format;
use crate::present::geometry::{Point, Rect, Within};
use crate::present::measure;
use crate::present::names::clean;

use super::card::{Card, PAD, SMALL, wordings};
use super::plan::{
    BUTTON, BUTTON_GAP, Form, LABELS, Plan, TITLE_ROW, TWO, WAYS_BACK, button_width, slots,
};
use super::race;
use super::tokens::{Marker, STRETCH};
use super::words::{idle_reason, needs};
use super::{
    Align, Border, Button, Density, Place, RaceBar, Station, StationId, TextRole, TokenMark,
};

mod foot;
mod lines;

/// What a consumer's card adds to the stage.
pub struct Filled {
    /// The card.
    pub station: Station,
    /// Its messages.
    pub tokens: Vec<TokenMark>,
    /// Its bars.
    pub bars: Vec<RaceBar>,
}

/// Fills the card.
pub fn fill(
    marker: &Marker,
    id: ConsumerId,
    consumer: &ConsumerView,
    rect: Rect,
    plan: &Plan,
) -> Filled {
    let name = clean(&consumer.setup.name);
    let card = Card::new(StationId::Consumer(id), rect, &name, marker.unit);
    let mut filling = Filling {
        marker,
        id,
        consumer,
        plan,
        card,
        tokens: Vec::new(),
        bars: Vec::new(),
    };
    if matches!(plan.form, Form::Short | Form::Two | Form::One) {
        filling.lines();
        if plan.button_rows > 0 {
            filling.buttons();
        }
        return filling.finish();
    }
    filling.title();
    let free = filling.card.height() - plan.height(&consumer.setup);
    let mut y = TITLE_ROW + (free / 2.0).max(0.0);
    let workers = usize::from(consumer.setup.workers.max(1)).max(consumer.workers.len());
    if plan.form == Form::Roomy {
        filling.label(y, workers);
        y += plan.label();
    }
    let mut told = false;
    for slot in 0..workers.min(plan.most_rows) {
        match consumer.workers.get(slot).and_then(Option::as_ref) {
            Some(job) => filling.job(job, y),
            None if !told => {
                told = true;
                filling.idle(y);
            }
            None => {}
        }
        y += plan.row;
    }
    if workers > plan.most_rows {
        let hidden = consumer.workers.iter().skip(plan.most_rows);
        let busy = hidden.flatten().count() as u64;
        let (more, free) = (workers - plan.most_rows, busy == 0);
        let busy = match free {
            true => "free".to_owned(),
            false => format!("{} busy", format::count(busy)),
        };
        let short = format!("+{more}, {busy}");
        let more = format!("{more} more workers, {busy}");
        filling.card.line(y, &[more, short], TextRole::Muted);
        y += 18.0;
    }
    if slots(&consumer.setup) > 0 {
        filling.buffer(y);
    }
    if plan.button_rows > 0 {
        filling.buttons();
    }
    filling.finish()
}

/// What the card says of the consumer as a whole.
struct Status {
    corner: Vec<String>,
    role: TextRole,
    border: Border,
}

struct Filling<'a> {
    marker: &'a Marker<'a>,
    id: ConsumerId,
    consumer: &'a ConsumerView,
    plan: &'a Plan,
    card: Card,
    tokens: Vec<TokenMark>,
    bars: Vec<RaceBar>,
}

impl Filling<'_> {
    fn finish(self) -> Filled {
        Filled {
            station: self.card.finish(),
            tokens: self.tokens,
            bars: self.bars,
        }
    }

    fn now(&self) -> Micros {
        self.marker.input.snapshot.at
    }

    fn title(&mut self) {
        let Status {
            corner,
            role,
            border,
        } = self.status();
        self.card.title(&corner, role);
        self.card.border(border);
    }

    fn status(&self) -> Status {
        let jobs = self.consumer.workers.iter().flatten();
        let late = jobs
            .clone()
            .any(|job| !job.held.acked && self.now() >= job.held.hidden_until);
        let (corner, role, border) = match self.consumer.status {
            ConsumerStatus::Crashed => (wordings(["crashed"]), TextRole::Bad, Border::Crashed),
            ConsumerStatus::Running | ConsumerStatus::Paused if self.consumer.cut_off => {
                let border = if late { Border::Harm } else { Border::Normal };
                let words = wordings(["cut off from the broker", "cut off"]);
                (words, TextRole::Bad, border)
            }
            ConsumerStatus::Running | ConsumerStatus::Paused
                if (self.consumer.channel).is_some_and(|it| it.closed_since.is_some()) =>
            {
                let words = wordings(["channel closed"]);
                (words, TextRole::Bad, Border::Harm)
            }
            ConsumerStatus::Paused => (wordings(["paused"]), TextRole::Warn, Border::Normal),
            ConsumerStatus::NotStarted => {
                let at = format::instant(self.consumer.setup.start);
                (
                    vec![format!("starts at {at}"), "not started".to_owned()],
                    TextRole::Muted,
                    Border::Normal,
                )
            }
            ConsumerStatus::Running if self.special().is_some() => {
                let (words, role) = self.special().unwrap_or_default();
                (words, role, Border::Normal)
            }
            ConsumerStatus::Running => {
                let border = if late { Border::Harm } else { Border::Normal };
                let mut words = needs(self.consumer);
                if let (1.., Some(longest)) = (self.consumer.setup.priority, words.first()) {
                    let priority = format!("priority {}", self.consumer.setup.priority);
                    words.splice(0..0, [format!("{priority} · {longest}"), priority]);
                }
                (words, TextRole::Muted, border)
            }
        };
        Status {
            corner,
            role,
            border,
        }
    }

    /// Where the broker pushes: how many messages it holds unacknowledged, and how many it may.
    fn unacked(&self) -> Option<(u32, u32)> {
        let unacked = self.consumer.channel?.unacked;
        Some((unacked, self.consumer.setup.prefetch.max(1)))
    }

    /// Where the broker pushes, whether another consumer receives in its place.
    fn stands_by(&self) -> bool {
        let queue = self
            .marker
            .input
            .snapshot
            .queues
            .get(self.consumer.setup.from.index());
        let mut subscribers = queue.into_iter().flat_map(|queue| &queue.subscribers);
        subscribers.any(|it| it.consumer == self.id && !it.active)
    }

    /// What a running consumer is besides running: operated by hand, or held back by its breaker.
    fn special(&self) -> Option<(Vec<String>, TextRole)> {
        match self.consumer.breaker {
            BreakerState::Open(until) => {
                let until = format::instant(until);
                let words = vec![
                    format!("breaker open until {until}"),
                    "breaker open".to_owned(),
                ];
                return Some((words, TextRole::Warn));
            }
            BreakerState::HalfOpen => {
                let words = wordings(["breaker: tries one message", "breaker: tries one"]);
                return Some((words, TextRole::Warn));
            }
            BreakerState::Closed => {}
        }
        if self.stands_by() {
            let words = wordings(["standby: another one is active", "standby"]);
            return Some((words, TextRole::Muted));
        }
        let by_hand = self.consumer.setup.by_hand;
        by_hand.then(|| (wordings(["by hand: you"]), TextRole::Normal))
    }

    fn job(&mut self, job: &JobView, y: f64) {
        let (radius, width) = (self.plan.radius, self.card.inner());
        let half = self.marker.slot_half(radius);
        let badge = self.marker.badge_room();
        let slot = (2.0 * (radius + STRETCH) + 8.0).max(2.0 * half + 10.0) + badge;
        let middle = y + radius + 8.0;
        let crashed = self.consumer.status == ConsumerStatus::Crashed;
        let (captions, role) = self.caption(job, crashed);
        let centre = self.card.at(PAD + badge + half.max(radius + 3.0), middle);
        let said = captions.first().cloned().unwrap_or_default();
        self.token(job, centre, radius, &said);
        let x = PAD + slot;
        let top = if self.plan.beside {
            middle - 14.0
        } else {
            middle - 6.0
        };
        let track = self
            .card
            .boxed(Rect::new(x, top, PAD + width - x - 4.0, 11.0));
        self.bars
            .push(race::bar(self.id, job, track, self.now(), crashed));
        let rect = if self.plan.beside {
            Rect::new(x, middle + 4.0, PAD + width - x, 18.0)
        } else {
            // Clear of the ring around a chosen message; to the end of the card, not of its padding.
            Rect::new(PAD, middle + radius + 5.0, width + 7.0, 18.0)
        };
        let text = measure::first_that_fits(&captions, rect.w, SMALL, false);
        self.card
            .sized(rect, &text, SMALL, false, role, Align::Start);
    }

    fn token(&mut self, job: &JobView, centre: Point, radius: f64, said: &str) {
        let place = Place::At(StationId::Consumer(self.id));
        let queue = self.consumer.setup.from;
        let mut token = self
            .marker
            .mark(&job.held.token, queue, place, centre, radius, said);
        token.early = self.earlier_waiting(&job.held).is_some();
        self.card.say(&token.description);
        self.tokens.push(token);
    }

    /// What its slots are for.
    fn label(&mut self, y: f64, workers: usize) {
        let busy = self.consumer.workers.iter().flatten().count() as u64;
        let text = match workers {
            _ if self.consumer.status != ConsumerStatus::Running => {
                if busy == 0 {
                    return;
                }
                "held".to_owned()
            }
            1 if busy == 0 => return,
            1 => "working".to_owned(),
            all => format!(
                "working {} of {}",
                format::count(busy),
                format::count(all as u64)
            ),
        };
        self.card.line(y, &[text], TextRole::Muted);
    }

    fn caption(&self, job: &JobView, crashed: bool) -> (Vec<String>, TextRole) {
        let now = self.now();
        if job.waits && !crashed {
            let waited = format::elapsed(now - job.started);
            let called = self.consumer.setup.downstream;
            let called =
                called.and_then(|it| self.marker.input.setup.downstreams.get(usize::from(it)));
            let mut texts = vec![format!("waits {waited}"), "waits".to_owned()];
            if let Some(called) = called {
                texts.insert(
                    0,
                    format!("waits for {} since {waited}", clean(&called.name)),
                );
            }
            return (texts, TextRole::Warn);
        }
        let mut done = format::progress(now - job.started, job.ends - job.started);
        if job.held.worked && !crashed {
            done = "done, waits for its batch".to_owned();
        }
        let until = format::instant(job.held.hidden_until);
        if job.held.hidden_until == Micros::MAX {
            let words = if crashed {
                "held until its channel closes"
            } else {
                "unacked"
            };
            let role = if crashed {
                TextRole::Normal
            } else {
                TextRole::Muted
            };
            let mut texts = vec![format!("{done} · {words}"), done];
            if crashed || job.held.acked {
                texts.remove(0);
            }
            return (texts, role);
        }
        if crashed && now < job.held.hidden_until {
            return (
                vec![format!("hidden until {until}"), format!("until {until}")],
                TextRole::Normal,
            );
        }
        if crashed {
            return (
                vec![
                    format!("hidden until {until}, now over"),
                    format!("over at {until}"),
                ],
                TextRole::Muted,
            );
        }
        if job.held.acked {
            return (
                vec![
                    format!("{done} · acked already"),
                    format!("{done} · acked"),
                    done,
                ],
                TextRole::Muted,
            );
        }
        if now >= job.held.hidden_until {
            let texts = [
                format!("{done} · timeout ended at {until}"),
                format!("{done} · timeout ended {until}"),
                format!("{done} · late since {until}"),
                format!("timeout ended {until}"),
                "timeout ended".to_owned(),
            ];
            return (texts.to_vec(), TextRole::Bad);
        }
        let hidden = match self.consumer.channel {
            Some(_) => "ack due by",
            None => "hidden until",
        };
        let mut texts = Vec::new();
        if let Some(earlier) = self.earlier_waiting(&job.held) {
            texts.push(format!("{done} · ↕ before {earlier}"));
            texts.push(format!("↕ before {earlier}"));
            return (texts, TextRole::Bad);
        }
        if job.held.token.deliveries > 1 && self.marker.input.density == Density::Full {
            let nth = format::ordinal(job.held.token.deliveries);
            texts.push(format!("{done} · {nth} delivery · {hidden} {until}"));
        }
        texts.push(format!("{done} · {hidden} {until}"));
        texts.push(format!("{done} · until {until}"));
        texts.push(done);
        (texts, TextRole::Muted)
    }

    /// An earlier message of the same group that waits while this one is at work.
    fn earlier_waiting(&self, held: &HeldView) -> Option<String> {
        let group = held.token.group?;
        let queue = self
            .marker
            .input
            .snapshot
            .queues
            .get(self.consumer.setup.from.index())?;
        let waiting = queue.lanes.iter().flat_map(|lane| &lane.waiting);
        let earlier = waiting
            .filter(|token| token.group == Some(group) && token.message < held.token.message)
            .min_by_key(|token| token.message)?;
        Some(crate::present::names::token_name(
            self.marker.input.setup,
            earlier,
        ))
    }

    fn idle(&mut self, y: f64) {
        let Some((since, reason)) = self.consumer.idle else {
            return;
        };
        let why = idle_reason(self.marker.input.setup, reason);
        if self.consumer.status != ConsumerStatus::Running || why.is_empty() {
            return;
        }
        let mine = self.consumer.setup.by_hand && !self.consumer.buffered.is_empty();
        let sentence = if mine {
            "yours to settle".to_owned()
        } else {
            format!("idle {}: {why}", format::elapsed(self.now() - since))
        };
        self.card.say(&sentence);
        let lines = measure::wrap(&sentence, self.card.inner(), SMALL, false, 2);
        let top = y + (self.plan.row - 18.0 * lines.len() as f64) / 2.0;
        for (i, line) in lines.iter().enumerate() {
            let rect = Rect::new(PAD, top + 18.0 * i as f64, self.card.inner(), 18.0);
            self.card
                .sized(rect, line, SMALL, false, TextRole::Muted, Align::Start);
        }
    }
}
