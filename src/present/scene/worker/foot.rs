//! The foot of a card: what is buffered, and the break buttons.

use super::*;

const BUFFER_RADIUS: f64 = 12.0;

impl Filling<'_> {
    /// What is received and not started, with its visibility as rings.
    pub(super) fn buffer(&mut self, y: f64) {
        let slots = slots(&self.consumer.setup);
        let count = self.consumer.buffered.len();
        let unacked = self.unacked();
        let (word, count, all) = match unacked {
            Some((taken, all)) => ("unacked", taken as usize, all),
            None => ("buffered", count, slots),
        };
        let held = self.consumer.buffered.len();
        let label = |n: &str| vec![format!("{word} {n} of {all}"), format!("{n} of {all}")];
        let widest = label(&all.to_string());
        let reserved = measure::first_that_fits(&widest, self.card.inner() * 0.5, SMALL, false);
        let width = measure::width(&reserved, SMALL, false) + 2.0;
        let rect = Rect::new(PAD, y + 10.0, width, 18.0);
        self.card.text(
            rect,
            &label(&count.to_string()),
            TextRole::Muted,
            Align::Start,
        );
        if let Some((taken, all)) = unacked {
            self.card
                .slots(Rect::new(PAD, y + 28.5, width, 4.0), all, taken);
        }
        let count = held;
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
            let said = if held.hidden_until == Micros::MAX {
                "buffered, unacked".to_owned()
            } else if unacked.is_some() {
                format!("buffered, unacked, ack due by {until}")
            } else if held.lease {
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

    /// The break buttons, as many as there is room for.
    pub(super) fn buttons(&mut self) {
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
