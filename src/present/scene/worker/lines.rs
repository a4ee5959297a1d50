//! Cards of one or two lines, for stages with little room: the name, the first message at work, its bar, and a few
//! words.

use super::*;

const RADIUS: f64 = 12.0;

impl Filling<'_> {
    /// Fills the card.
    pub(super) fn lines(&mut self) {
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
        let inner = if two {
            inner
        } else {
            inner - self.card.more_room()
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
        let half = self.marker.slot_half(RADIUS);
        let badge = self.marker.badge_room();
        let (mut captions, role) = self.caption(&job, crashed);
        let said = captions.first().cloned().unwrap_or_default();
        captions.extend(self.brief(&job, crashed));
        if others > 0 {
            captions.insert(0, format!("+{others} · {said}"));
        }
        let centre = self.card.at(x + 4.0 + badge + half, middle);
        self.token(&job, centre, RADIUS, &said);
        for job in jobs().skip(1) {
            let said = self.caption(job, crashed).0.first().cloned();
            self.card.say(&said.unwrap_or_default());
        }
        let times = if job.held.token.deliveries > 1 {
            22.0
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
        // The flag at the bar's end flies to its right.
        let bar = room - words - 14.0;
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
        if let Some((taken, all)) = self.unacked() {
            return vec![format!("unacked {taken} of {all}"), String::new()];
        }
        let count = self.consumer.buffered.len();
        vec![format!("buffered {count} of {slots}"), String::new()]
    }
}
