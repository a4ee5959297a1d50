//! What waits in a queue: one grid, or a lane a group.

use crate::engine::rules::ReturnPlace;
use crate::engine::snapshot::{LaneView, QueueView, SessionView, Token};
use crate::engine::{GroupId, MessageNumber, Micros, QueueId, Setup};
use crate::present::geometry::{Point, Rect, Within};
use crate::present::names::{
    clean, group_colour, group_letter, group_name, initials_differ, token_name,
};
use crate::present::{format, measure};

use super::card::{Card, SMALL, TITLE, fitted};
use super::tokens::Marker;
use super::{Align, Lane, Place, StarvationBar, StationId, Text, TextRole, TokenMark};

/// Fills the lanes of one queue.
pub struct Lanes<'a> {
    /// Makes marks.
    pub marker: &'a Marker<'a>,
    /// The queue.
    pub queue: &'a QueueView,
    /// Which it is.
    pub id: QueueId,
    /// Marks made so far.
    pub tokens: Vec<TokenMark>,
    /// Units to CSS pixels.
    pub unit: f64,
    /// Width of the longest name of a lane, in units, so that what follows names stands in one column.
    pub names: f64,
}

impl<'a> Lanes<'a> {
    /// The one lane of a standard queue: a grid, the next message at its top right.
    pub fn standard(&mut self, rect: Rect, card: &mut Card) -> Lane {
        let u = self.unit;
        let view = self.queue.lanes.first();
        let lines: Vec<&LaneView> = self.queue.lanes.iter().collect();
        let waiting: Vec<&Token> = lines.iter().flat_map(|lane| &lane.waiting).collect();
        let ready = self.queue.counts.ready as usize;
        let delayed: Vec<&Token> = self.queue.delayed.iter().map(|(token, _)| token).collect();
        let hidden = self.held_by_nobody();
        let mut texts = Vec::new();
        let gone = self.queue.counts.undeliverable as usize;
        if ready == 0 && delayed.is_empty() && hidden.is_empty() && gone == 0 {
            let middle = Rect::new(rect.x, rect.centre().y - 9.0 * u, rect.w, 18.0 * u);
            texts.extend(small(
                middle,
                "nothing waiting".into(),
                TextRole::Muted,
                Align::Middle,
                u,
            ));
            card.say("nothing waiting");
            return Lane {
                rect,
                group: None,
                texts,
                starvation: None,
            };
        }
        let (radius, pitch) = (15.0, self.pitch(15.0));
        let line = 34.0 + 4.0;
        // A low lane has no line of text below its one row: what it says stands beside the row.
        let low = rect.h / u < 70.0;
        let all: Vec<(&Token, String)> = waiting
            .into_iter()
            .map(|token| (token, behind(token)))
            .chain(
                delayed
                    .into_iter()
                    .map(|token| (token, "delayed".to_owned())),
            )
            .chain(hidden)
            .chain(self.undeliverable())
            .collect();
        let total = ready + self.queue.counts.delayed as usize + gone;
        let total = all.len().max(total);
        let whole = ((rect.w / u - 18.0) / pitch).floor().max(1.0) as usize;
        let columns = if low && total > whole {
            ((rect.w / u - 90.0) / pitch).floor().max(1.0) as usize
        } else {
            whole
        };
        let rows = if low {
            1
        } else {
            ((rect.h / u - 26.0) / line).floor().max(1.0) as usize
        };
        let top = if low { (rect.h / u - line) / 2.0 } else { 8.0 };
        let shown = all.len().min(columns * rows);
        for (i, (token, why)) in all.iter().take(shown).enumerate() {
            let x = rect.right() - (8.0 + pitch * ((i % columns) as f64 + 0.5)) * u;
            let y = rect.y + (top + line * ((i / columns) as f64 + 0.5)) * u;
            self.push(token, x, y, radius, why);
        }
        let returned = view.map_or(0, |view| self.returned(view)).min(shown);
        // A line behind the last of the returned ones, which are a queue before the queue.
        if (1..columns).contains(&returned) && returned < shown {
            let x = rect.right() - (8.0 + pitch * returned as f64) * u;
            let y = rect.y + top * u;
            card.divide(Point::new(x, y), Point::new(x, y + line * u));
        }
        let hidden = total.saturating_sub(shown);
        if low {
            if hidden > 0 {
                let room = rect.w - (26.0 + pitch * columns as f64) * u;
                let place = Rect::new(rect.x + 14.0 * u, rect.centre().y - 9.0 * u, room, 18.0 * u);
                let count = format::count(hidden as u64);
                let wordings = [format!("+{count} more"), format!("+{count}")];
                let text = measure::first_that_fits(&wordings, room, SMALL * u, false);
                texts.extend(small(place, text, TextRole::Muted, Align::Start, u));
            }
            if let Some(view) = view {
                card.say(self.wait(view).0.first().map_or("", String::as_str));
            }
            return Lane {
                rect,
                group: None,
                texts,
                starvation: view.and_then(|view| self.starvation(view, &rect, 0.0)),
            };
        }
        let foot = Rect::new(
            rect.x + 16.0 * u,
            rect.bottom() - 21.0 * u,
            rect.w - 24.0 * u,
            18.0 * u,
        );
        let mut right = 0.0;
        if hidden > 0 {
            let text = format!("+{} more", format::count(hidden as u64));
            right = measure::width(&text, SMALL, false) * u + 8.0 * u;
            texts.extend(small(foot, text, TextRole::Muted, Align::End, u));
        }
        if let Some(view) = view {
            let (wordings, role) = self.wait(view);
            let room = Rect {
                w: foot.w - right,
                ..foot
            };
            let text = measure::first_that_fits(&wordings, room.w, SMALL * u, false);
            texts.extend(small(room, text, role, Align::Start, u));
            card.say(wordings.first().map_or("", String::as_str));
        }
        let starvation = view.and_then(|view| self.starvation(view, &rect, 0.0));
        Lane {
            rect,
            group: None,
            texts,
            starvation,
        }
    }

    /// One group of a FIFO queue: the next message at the right.
    pub fn group(&mut self, group: Option<GroupId>, rect: Rect, card: &mut Card) -> Lane {
        let u = self.unit;
        let setup = self.marker.input.setup;
        let view = self.queue.lanes.iter().find(|lane| lane.group == group);
        let names = lane_names(setup, group);
        let name = names.first().cloned().unwrap_or_default();
        let height = rect.h / u;
        let (tall, medium) = (height >= 88.0, height >= 58.0);
        let radius = if tall {
            16.0
        } else if medium {
            14.0
        } else {
            (height / 2.0 - 2.0).within(10.0, 13.0)
        };
        let delayed: Vec<&Token> = self
            .queue
            .delayed
            .iter()
            .map(|(token, _)| token)
            .filter(|token| token.group == group)
            .collect();
        let hidden = self.held_by_nobody().into_iter();
        let hidden: Vec<(&Token, String)> =
            hidden.filter(|(token, _)| token.group == group).collect();
        let gone = self.undeliverable();
        let gone: Vec<(&Token, String)> = gone.filter(|(token, _)| token.group == group).collect();
        let waiting: Vec<&Token> = view
            .map(|view| view.waiting.iter().collect())
            .unwrap_or_default();
        let ready = view.map_or(0, |view| view.ready as usize);

        let left = 18.0 * u;
        let inner = rect.w - left - 8.0 * u;
        let roomy = tall || medium;
        let pitch = if roomy {
            self.pitch(radius)
        } else {
            2.0 * self.marker.slot_half(radius) + 8.0
        };
        let pitch = pitch * u;
        let tokens_width = (inner * if roomy { 0.6 } else { 0.42 }).max(pitch + 36.0 * u);
        // A low lane's name has precedence over its messages.
        let letters = 2.0 * self.marker.badge + 2.0;
        let tokens_width = if roomy {
            tokens_width
        } else {
            tokens_width.min(inner - (letters + 4.0) * u).max(pitch)
        };
        let total = ready + delayed.len() + hidden.len() + gone.len();
        let tokens_width = if total == 0 { 0.0 } else { tokens_width };
        let rest = (inner - tokens_width - 4.0 * u).max(0.0);
        let name_width = if roomy {
            rest
        } else {
            let names = Some(self.names).filter(|names| names * u <= inner * 0.4);
            rest.min(names.unwrap_or(letters) * u)
        };
        let middle = match (tall, medium) {
            (true, _) => rect.y + (12.0 + radius) * u,
            (_, true) => rect.y + (8.0 + radius) * u,
            _ => rect.centre().y,
        };
        let room = ((tokens_width - 34.0 * u) / pitch).floor().max(1.0) as usize;
        // What was handed out is before the rest of its group, which waits for it.
        let all = hidden
            .iter()
            .cloned()
            .chain(waiting.into_iter().map(|token| (token, behind(token))))
            .chain(delayed.iter().map(|token| (*token, "delayed".to_owned())))
            .chain(gone.iter().cloned());
        let fits = if total as f64 * pitch <= tokens_width {
            total
        } else {
            room
        };
        let shown: Vec<(&Token, String)> = all.take(fits).collect();
        for (i, (token, why)) in shown.iter().enumerate() {
            let x = rect.right() - 6.0 * u - pitch * (i as f64 + 0.5);
            self.push(token, x, middle, radius, why);
            // The lane says which group it is.
            let group = self.tokens.last_mut().and_then(|mark| mark.group.as_mut());
            if let Some(group) = group.filter(|_| !roomy) {
                group.letter.clear();
            }
        }
        let mut texts = Vec::new();
        let line = |y: f64, x: f64, w: f64| Rect::new(x, y, w, 18.0 * u);
        let short = measure::first_that_fits(&names, name_width, TITLE * u, true);
        let named = measure::width(&short, TITLE, true) * u;
        let free = inner - pitch * shown.len() as f64 - named - 4.0 * u;
        let more = format!("+{}", total - shown.len());
        let wide = measure::width(&more, SMALL, false) * u + 2.0;
        // Without room for the word, red.
        let starves = view.is_some_and(|view| view.starving_since.is_some());
        let starving = match starves && !roomy {
            true => TextRole::Bad,
            false => TextRole::Muted,
        };
        if shown.len() < total && (roomy || free >= wide) {
            let end = rect.right() - 8.0 * u - pitch * shown.len() as f64;
            let place = line(middle - 9.0 * u, end - 2.0 * u - wide, wide);
            texts.extend(small(place, more, starving, Align::End, u));
        }
        let name_y = if roomy {
            rect.y + 6.0 * u
        } else {
            middle - 11.0 * u
        };
        let name_box = Rect::new(rect.x + left, name_y, name_width, 22.0 * u);
        texts.extend(fitted(
            name_box,
            short,
            TITLE * u,
            true,
            TextRole::Normal,
            Align::Start,
        ));

        let (wait, wait_role) = match view {
            Some(view) if view.ready > 0 => self.wait(view),
            _ if !hidden.is_empty() => (vec![format!("{} hidden", hidden.len())], TextRole::Muted),
            _ if delayed.is_empty() && !gone.is_empty() => (
                vec![
                    format!("{} delivered no more", gone.len()),
                    "no more".to_owned(),
                ],
                TextRole::Muted,
            ),
            _ if delayed.is_empty() => (
                vec!["nothing waiting".to_owned(), "empty".to_owned()],
                TextRole::Muted,
            ),
            _ => (vec![format!("{} delayed", delayed.len())], TextRole::Muted),
        };
        let mut sessions = self.queue.sessions.iter();
        let session = sessions.find(|session| session.group == group).copied();
        let lock = match (session, view.and_then(|view| view.locked_by)) {
            (Some(session), _) => self.session(session),
            (None, Some(by)) => self.lock(by),
            (None, None) => Vec::new(),
        };
        card.say(&format!(
            "group {name}: {} {}",
            wait.first().map_or("", String::as_str),
            lock.first().map_or("", String::as_str)
        ));
        let fits_in = |text: &str, width: f64| measure::width(text, SMALL * u, false) <= width;
        let fit = |wordings: &[String], width: f64| {
            measure::first_that_fits(wordings, width, SMALL * u, false)
        };
        if tall {
            let second = line(rect.bottom() - 24.0 * u, rect.x + left, inner);
            let first = line(rect.bottom() - 44.0 * u, rect.x + left, inner);
            let (upper, lower) = if lock.is_empty() {
                (&lock, &wait)
            } else {
                (&wait, &lock)
            };
            let roles = if lock.is_empty() {
                (TextRole::Muted, wait_role)
            } else {
                (wait_role, TextRole::Muted)
            };
            texts.extend(small(first, fit(upper, inner), roles.0, Align::Start, u));
            texts.extend(small(second, fit(lower, inner), roles.1, Align::Start, u));
        } else {
            let both: Vec<String> = match (lock.first(), lock.last(), wait.first()) {
                (Some(long), Some(brief), Some(wait))
                    if view.is_some_and(|view| view.ready > 0) =>
                {
                    vec![
                        format!("{wait} · {long}"),
                        format!("{wait} · {brief}"),
                        brief.clone(),
                    ]
                }
                (Some(_), _, _) => lock.clone(),
                _ => wait,
            };
            let (x, y, width) = if medium {
                (rect.x + left, rect.bottom() - 21.0 * u, inner)
            } else {
                (
                    rect.x + left + name_width + 4.0 * u,
                    middle - 9.0 * u,
                    rest - name_width - 6.0 * u,
                )
            };
            texts.extend(small(
                line(y, x, width),
                if roomy || both.last().is_some_and(|text| fits_in(text, width)) {
                    fit(&both, width)
                } else {
                    String::new()
                },
                wait_role,
                Align::Start,
                u,
            ));
        }
        Lane {
            rect,
            group: group.map(|group| (group, group_colour(group))),
            texts,
            starvation: view.and_then(|view| self.starvation(view, &rect, 6.0)),
        }
    }

    /// Room for one token, in units.
    fn pitch(&self, radius: f64) -> f64 {
        2.0 * self.marker.slot_half(radius) + 12.0 + self.marker.badge_room()
    }

    /// Messages in flight that no consumer has any more, because its handler failed, its response was lost or it was
    /// started again: they come back when their visibility timeout ends. What is on its way is drawn there.
    fn held_by_nobody(&self) -> Vec<(&'a Token, String)> {
        let snapshot = self.marker.input.snapshot;
        let held = |message: MessageNumber| {
            let consumers = snapshot.consumers.iter();
            let consumers = consumers.filter(|consumer| consumer.setup.from == self.id);
            consumers
                .flat_map(|consumer| {
                    let running = consumer.workers.iter().flatten().map(|job| &job.held);
                    running.chain(&consumer.buffered)
                })
                .any(|held| held.token.message == message)
        };
        let moving = |message: MessageNumber| {
            let mut hops = snapshot.travelling.iter();
            hops.any(|hop| hop.token.message == message && !hop.lost)
        };
        let flying = self.queue.in_flight.iter();
        flying
            .filter(|flight| {
                let message = flight.token.message;
                !held(message) && !moving(message)
            })
            .map(|flight| {
                let why = if flight.hidden_until == Micros::MAX {
                    "pending, with nobody at work on it".to_owned()
                } else {
                    let until = format::instant(flight.hidden_until);
                    format!("waits for its retry until {until}")
                };
                (&flight.token, why)
            })
            .collect()
    }

    /// Messages that are there and that nobody will receive.
    fn undeliverable(&self) -> impl Iterator<Item = (&'a Token, String)> + use<'a> {
        let tokens = self.queue.undeliverable.iter();
        tokens.map(|token| (token, NO_MORE.to_owned()))
    }

    /// A message in its lane: waiting, or not to be received yet for the reason given.
    fn push(&mut self, token: &Token, x: f64, y: f64, radius: f64, why: &str) {
        let place = Place::At(StationId::Queue(self.id));
        let said = if why.is_empty() { "waiting" } else { why };
        let centre = crate::present::geometry::Point::new(x, y);
        let mut mark = self
            .marker
            .mark(token, self.id, place, centre, radius, said);
        mark.faded = !why.is_empty();
        self.tokens.push(mark);
    }

    /// How many returned messages wait in a queue of their own that is served first: they lead the lane.
    fn returned(&self, view: &LaneView) -> usize {
        if self.queue.setup.rules.returns_to != ReturnPlace::ReturnsQueue {
            return 0;
        }
        let again = |token: &&Token| token.deliveries > 0;
        view.waiting.iter().take_while(again).count()
    }

    fn wait(&self, view: &LaneView) -> (Vec<String>, TextRole) {
        let (mut wordings, role) = self.waited(view);
        let expired = view.waiting.iter().filter(|token| token.expired).count();
        if let Some(longest) = wordings.first().filter(|_| expired > 0) {
            let more = [
                format!("{longest} · {expired} expired behind the head"),
                format!("{longest} · {expired} expired"),
            ];
            wordings.splice(0..0, more);
        }
        let returned = self.returned(view);
        if let Some(longest) = wordings.first().filter(|_| returned > 0) {
            let more = [
                format!("{longest} · {returned} returned, served first"),
                format!("{longest} · {returned} returned"),
            ];
            wordings.splice(0..0, more);
        }
        (wordings, role)
    }

    fn waited(&self, view: &LaneView) -> (Vec<String>, TextRole) {
        let now = self.marker.input.snapshot.at;
        let Some(since) = view.oldest_since else {
            return (Vec::new(), TextRole::Muted);
        };
        let wait = format::elapsed(now - since);
        match view.starving_since {
            Some(_) => (
                vec![
                    format!("starving: waited {wait}"),
                    format!("starving {wait}"),
                    wait,
                ],
                TextRole::Bad,
            ),
            None => (vec![format!("waited {wait}"), wait], TextRole::Muted),
        }
    }

    fn lock(&self, by: MessageNumber) -> Vec<String> {
        let delayed = self
            .queue
            .delayed
            .iter()
            .map(|(token, _)| token)
            .find(|token| token.message == by);
        let flight = self
            .queue
            .in_flight
            .iter()
            .map(|held| &held.token)
            .find(|token| token.message == by);
        let name = |token: Option<&Token>| {
            token.map_or_else(
                || by.0.to_string(),
                |token| token_name(self.marker.input.setup, token),
            )
        };
        match delayed {
            Some(token) => vec![
                format!("locked: {} delayed", name(Some(token))),
                "locked".to_owned(),
            ],
            None => {
                let mut nobody = self.held_by_nobody().into_iter();
                let until = nobody.find(|(token, _)| token.message == by);
                match until {
                    Some((token, waits)) => vec![
                        format!("locked: {} {waits}", name(Some(token))),
                        format!("locked: {} waits", name(Some(token))),
                        "locked".to_owned(),
                    ],
                    None => vec![
                        format!("locked: {} in flight", name(flight)),
                        format!("locked: {}", name(flight)),
                        "locked".to_owned(),
                    ],
                }
            }
        }
    }

    /// Who holds the group as a session, and for how long.
    fn session(&self, session: SessionView) -> Vec<String> {
        let setup = self
            .marker
            .input
            .setup
            .consumers
            .get(session.consumer.index());
        let name = setup.map_or_else(String::new, |setup| clean(&setup.name).into_owned());
        let until = format::instant(session.until);
        let of = if session.is_orphaned {
            format!("session of {name}, which is gone")
        } else {
            format!("session of {name}")
        };
        vec![format!("{of}, until {until}"), of, name]
    }

    fn starvation(&self, view: &LaneView, rect: &Rect, offset: f64) -> Option<StarvationBar> {
        let now = self.marker.input.snapshot.at;
        let wait = now - view.oldest_since.filter(|_| view.ready > 0)?;
        let limit = self.marker.input.setup.starvation.min_wait.max(Micros(1));
        let filled = (wait.as_secs_f64() / limit.as_secs_f64()).min(1.0);
        let starving = view.starving_since.is_some();
        Some(StarvationBar {
            rect: Rect::new(rect.x + offset * self.unit, rect.y, 7.0 * self.unit, rect.h),
            filled: if starving { 1.0 } else { filled },
            starving,
        })
    }
}

/// Why a waiting message is not what it seems: its time is over, and nobody has noticed.
fn behind(token: &Token) -> String {
    let expired = token
        .expired
        .then_some("expired, which is noticed at the head only");
    expired.unwrap_or_default().to_owned()
}

/// What a lane is called, longest wording first.
pub fn lane_names(setup: &Setup, group: Option<GroupId>) -> Vec<String> {
    match group {
        Some(group) => {
            let (letter, name) = (group_letter(setup, group), group_name(setup, group));
            if initials_differ(setup) || name == letter {
                vec![name.into_owned(), letter]
            } else {
                vec![format!("{letter} · {name}"), letter]
            }
        }
        None => vec!["no group".to_owned(), "–".to_owned()],
    }
}

/// What is said of a message that nobody will receive.
const NO_MORE: &str = "stays, delivered no more";

fn small(rect: Rect, text: String, role: TextRole, align: Align, unit: f64) -> Option<Text> {
    fitted(rect, text, SMALL * unit, false, role, align)
}

#[cfg(test)]
mod tests;
