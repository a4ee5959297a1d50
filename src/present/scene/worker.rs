//! A consumer's card: its work, what it buffers, why it is idle, and the three break buttons.

use crate::engine::command::Command;
use crate::engine::snapshot::{ConsumerStatus, ConsumerView, HeldView, JobView};
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

const BUFFER_RADIUS: f64 = 12.0;
const LINE_RADIUS: f64 = 12.0;

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
        let more = format!(
            "{} more workers, {} busy",
            workers - plan.most_rows,
            format::count(busy)
        );
        let short = format!(
            "+{}, {} busy",
            workers - plan.most_rows,
            format::count(busy)
        );
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
            ConsumerStatus::Paused => (wordings(["paused"]), TextRole::Warn, Border::Normal),
            ConsumerStatus::NotStarted => {
                let at = format::instant(self.consumer.setup.start);
                (
                    vec![format!("starts at {at}"), "not started".to_owned()],
                    TextRole::Muted,
                    Border::Normal,
                )
            }
            ConsumerStatus::Running => {
                let border = if late { Border::Harm } else { Border::Normal };
                (needs(self.consumer), TextRole::Muted, border)
            }
        };
        Status {
            corner,
            role,
            border,
        }
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
            Rect::new(PAD, middle + radius + 1.0, width, 18.0)
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

    /// A card of one or two lines: the name, the first message at work, its bar, and a few words.
    fn lines(&mut self) {
        let two = self.plan.form != Form::One;
        let (inner, height) = (self.card.inner(), self.card.height() - self.plan.buttons());
        let border_says = self.status();
        self.card.border(border_says.border);
        let (x, middle) = if two {
            let spare = (height - TWO) / 3.0;
            let corner = self.corner();
            self.card.title_at(4.0 + spare, &corner, border_says.role);
            let below = if self.plan.button_rows > 0 {
                18.0
            } else {
                15.0
            };
            (PAD, height - below - spare)
        } else {
            let name = self.card.name_in_row(self.plan.name.min(inner * 0.34));
            (PAD + name + 8.0, height / 2.0)
        };
        let width = PAD + inner - x;
        let crashed = self.consumer.status == ConsumerStatus::Crashed;
        let jobs = || self.consumer.workers.iter().flatten();
        let Some(job) = jobs().next().copied() else {
            let rect = Rect::new(x, middle - 9.0, width, 18.0);
            let mut texts = self.resting();
            let buffered = self.consumer.buffered.len();
            if two && self.consumer.status != ConsumerStatus::Running {
                // The corner says why.
                texts = match buffered {
                    0 => wordings(["holds nothing"]),
                    n => vec![format!("holds {n} not started"), format!("holds {n}")],
                };
            }
            self.card.text(rect, &texts, border_says.role, Align::Start);
            return;
        };
        let others = jobs().count() - 1;
        let half = self.marker.slot_half(LINE_RADIUS);
        let badge = self.marker.badge_room();
        let (mut captions, role) = self.caption(&job, crashed);
        let said = captions.first().cloned().unwrap_or_default();
        captions.extend(self.brief(&job, crashed));
        if others > 0 {
            captions.insert(0, format!("+{others} · {said}"));
        }
        let centre = self.card.at(x + 4.0 + badge + half, middle);
        self.token(&job, centre, LINE_RADIUS, &said);
        for job in jobs().skip(1) {
            let said = self.caption(job, crashed).0.first().cloned();
            self.card.say(&said.unwrap_or_default());
        }
        let times = if job.held.token.deliveries > 1 {
            14.0
        } else {
            8.0
        };
        let slot = 2.0 * half + badge + 4.0 + times;
        let room = width - slot;
        let progress = measure::width("00.0 of 00.0 s", SMALL, false);
        let most = if two { 220.0 } else { 150.0 };
        let words = if room >= progress + 60.0 {
            (room * 0.56).within(progress, most)
        } else if room >= 110.0 {
            measure::width("crashed", SMALL, false) + 2.0
        } else {
            measure::width("100 %", SMALL, false) + 1.0
        };
        let bar = room - words - 8.0;
        // A crashed worker's bar stands still: where it is short the words are worth more.
        let (bar, words) = if bar < if crashed { 40.0 } else { 18.0 } {
            (0.0, room)
        } else {
            (bar, words)
        };
        let left = x + slot;
        if bar > 0.0 {
            let track = self.card.boxed(Rect::new(left, middle - 5.0, bar, 10.0));
            self.bars
                .push(race::bar(self.id, &job, track, self.now(), crashed));
        }
        let rect = Rect::new(PAD + inner - words, middle - 9.0, words, 18.0);
        let text = measure::first_that_fits(&captions, rect.w, SMALL, false);
        self.card
            .sized(rect, &text, SMALL, false, role, Align::Start);
    }

    /// The shortest words about a job.
    fn brief(&self, job: &JobView, crashed: bool) -> Option<String> {
        let words = match (crashed, self.now() >= job.held.hidden_until) {
            (true, _) => "crashed",
            (false, true) if !job.held.acked => "late",
            _ => {
                let whole = (job.ends - job.started).as_secs_f64().max(1e-6);
                let done = (self.now() - job.started).as_secs_f64() / whole;
                return Some(format!(
                    "{} %",
                    format::fixed(done.within(0.0, 1.0) * 100.0, 0)
                ));
            }
        };
        Some(words.to_owned())
    }

    /// What a consumer without work does, longest wording first.
    fn resting(&self) -> Vec<String> {
        match self.consumer.status {
            ConsumerStatus::Crashed => wordings(["crashed, holds nothing", "crashed"]),
            ConsumerStatus::Paused => wordings(["paused"]),
            ConsumerStatus::NotStarted => wordings(["not started"]),
            ConsumerStatus::Running => {
                let Some((since, reason)) = self.consumer.idle else {
                    return wordings(["idle"]);
                };
                let idle = format!("idle {}", format::elapsed(self.now() - since));
                let why = idle_reason(self.marker.input.setup, reason);
                vec![format!("{idle}: {why}"), idle]
            }
        }
    }

    /// What the corner of a card of two lines says, longest wording first.
    fn corner(&self) -> Vec<String> {
        if self.consumer.status != ConsumerStatus::Running {
            return self.status().corner;
        }
        let slots = slots(&self.consumer.setup);
        if slots == 0 {
            return self.status().corner;
        }
        let count = self.consumer.buffered.len();
        vec![
            format!("buffered {count} of {slots}"),
            format!("{count} of {slots}"),
        ]
    }

    fn caption(&self, job: &JobView, crashed: bool) -> (Vec<String>, TextRole) {
        let now = self.now();
        let done = format::progress(now - job.started, job.ends - job.started);
        let until = format::instant(job.held.hidden_until);
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
                format!("timeout ended {until}"),
                "timeout ended".to_owned(),
            ];
            return (texts.to_vec(), TextRole::Bad);
        }
        let mut texts = Vec::new();
        if let Some(earlier) = self.earlier_waiting(&job.held) {
            texts.push(format!("{done} · ↕ before {earlier}"));
            texts.push(format!("↕ before {earlier}"));
            return (texts, TextRole::Bad);
        }
        if job.held.token.deliveries > 1 && self.marker.input.density == Density::Full {
            let nth = format::ordinal(job.held.token.deliveries);
            texts.push(format!("{done} · {nth} delivery · hidden until {until}"));
        }
        texts.push(format!("{done} · hidden until {until}"));
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
        let sentence = format!("idle {}: {why}", format::elapsed(self.now() - since));
        self.card.say(&sentence);
        let lines = measure::wrap(&sentence, self.card.inner(), SMALL, false, 2);
        let top = y + (self.plan.row - 18.0 * lines.len() as f64) / 2.0;
        for (i, line) in lines.iter().enumerate() {
            let rect = Rect::new(PAD, top + 18.0 * i as f64, self.card.inner(), 18.0);
            self.card
                .sized(rect, line, SMALL, false, TextRole::Muted, Align::Start);
        }
    }

    fn buffer(&mut self, y: f64) {
        let slots = slots(&self.consumer.setup);
        let count = self.consumer.buffered.len();
        let label = |n: &str| {
            vec![
                format!("buffered {n} of {slots}"),
                format!("{n} of {slots}"),
            ]
        };
        let widest = label(&slots.to_string());
        let reserved = measure::first_that_fits(&widest, self.card.inner() * 0.5, SMALL, false);
        let width = measure::width(&reserved, SMALL, false) + 2.0;
        let rect = Rect::new(PAD, y + 10.0, width, 18.0);
        self.card.text(
            rect,
            &label(&count.to_string()),
            TextRole::Muted,
            Align::Start,
        );
        let badge = self.marker.badge_room();
        let pitch = 2.0 * self.marker.slot_half(BUFFER_RADIUS) + 14.0 + badge;
        let room = self.card.inner() - width - 8.0;
        let all = (room / pitch).floor().max(0.0) as usize;
        let shown = if count <= all {
            count
        } else {
            ((room - 34.0) / pitch).floor().max(0.0) as usize
        };
        let queue = self.consumer.setup.from;
        for (i, held) in self.consumer.buffered.iter().take(shown).enumerate() {
            let x = PAD + width + 8.0 + pitch * (i as f64 + 0.5) + badge / 2.0;
            let centre: Point = self.card.at(x, y + 19.0);
            let until = format::instant(held.hidden_until);
            let said = if held.lease {
                format!("buffered, hidden until {until}")
            } else {
                "buffered, timeout ended".to_owned()
            };
            let place = Place::At(StationId::Consumer(self.id));
            let mut token =
                self.marker
                    .mark(&held.token, queue, place, centre, BUFFER_RADIUS, &said);
            token.ring = Some(used(held, self.now()));
            self.tokens.push(token);
        }
        if shown < count {
            let x = PAD + width + 8.0 + pitch * shown as f64;
            let rect = Rect::new(x, y + 10.0, PAD + self.card.inner() - x, 18.0);
            self.card.sized(
                rect,
                &format!("+{}", count - shown),
                SMALL,
                false,
                TextRole::Muted,
                Align::Start,
            );
        }
    }

    fn buttons(&mut self) {
        let name = clean(&self.consumer.setup.name).into_owned();
        let crashed = self.consumer.status == ConsumerStatus::Crashed;
        let snapshot = self.marker.input.snapshot;
        let waits = self.consumer.status == ConsumerStatus::NotStarted
            && !starts_now(snapshot, self.consumer);
        let runs = !crashed && !waits;
        let slowed = self.consumer.slow_percent != 100;
        let percent = if slowed { 100 } else { 1_000 };
        let commands = [
            (
                if crashed {
                    Command::Restart(self.id)
                } else {
                    Command::Crash(self.id)
                },
                crashed,
                crashed || runs,
            ),
            (
                Command::SlowDown {
                    consumer: self.id,
                    percent,
                },
                slowed,
                runs,
            ),
            (
                Command::LoseNextAck(self.id),
                false,
                runs && !self.consumer.loses_next_ack,
            ),
        ];
        let mut x = PAD;
        let mut y = self.card.height() - self.plan.buttons() - 4.0;
        for (i, ((command, back, enabled), usual)) in commands.into_iter().zip(LABELS).enumerate() {
            let way_back = WAYS_BACK.get(i).copied().filter(|_| back);
            let (long, brief) = way_back.unwrap_or(usual);
            let label = if self.plan.short { brief } else { long };
            let width = button_width(i, self.plan.short);
            if x > PAD && x + width > PAD + self.card.inner() + 0.01 {
                if self.plan.form == Form::Short {
                    break;
                }
                x = PAD;
                y += BUTTON + BUTTON_GAP;
            }
            let name = match (i, back) {
                (1, true) => format!("{long} of {name}"),
                (2, _) => format!("Lose the next ack of {name}"),
                _ => format!("{long} {name}"),
            };
            let pressed = i == 2 && self.consumer.loses_next_ack;
            let rect = Rect::new(x, y, width, BUTTON);
            let label = label.to_owned();
            self.card.button(Button {
                rect,
                label,
                name,
                size: 0.0,
                command,
                pressed,
                enabled,
            });
            x += width + BUTTON_GAP;
        }
    }
}

/// Share of a buffered message's visibility that has run.
fn used(held: &HeldView, now: Micros) -> f64 {
    let whole = held.hidden_until - held.delivered_at;
    if !held.lease || whole == Micros::ZERO {
        return 1.0;
    }
    ((now - held.delivered_at).as_secs_f64() / whole.as_secs_f64()).within(0.0, 1.0)
}
