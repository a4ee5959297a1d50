//! The outside world: where effects land, and where a second one shows.

use crate::engine::command::Command;
use crate::engine::order::positions_in_order;
use crate::engine::setup::Pattern;
use crate::engine::snapshot::EffectView;
use crate::present::geometry::{Rect, Within};
use crate::present::names::{clean, token_name};
use crate::present::{format, measure};

use super::card::{BIG, Card, PAD, SMALL, wordings};
use super::{Align, SceneInput, Station, StationId, TextRole};

const HEADER: f64 = 52.0;
const ROW: f64 = 24.0;
const SUMS: f64 = 112.0;
const BIG_ROW: f64 = 38.0;
const LINE: f64 = 20.0;

/// Whether effects have amounts: then they are listed with their sums, else counted.
fn has_amounts(input: &SceneInput) -> bool {
    let by_hand = input
        .setup
        .commands
        .iter()
        .any(|timed| match &timed.command {
            Command::Send(send) => send.amount > 0,
            _ => false,
        });
    by_hand
        || input.snapshot.producers.iter().any(|producer| {
            producer.setup.amount > 0
                || matches!(&producer.setup.pattern, Pattern::List(sends)
                    if sends.iter().any(|send| send.amount.is_some_and(|amount| amount > 0)))
        })
}

/// Height that the card needs, in units: a function of the setup.
pub fn least_height(input: &SceneInput) -> f64 {
    if has_amounts(input) {
        HEADER + 4.0 * ROW + SUMS + 12.0
    } else {
        HEADER + 3.0 * BIG_ROW + 2.0 * LINE + 12.0
    }
}

/// Fills the card.
pub fn station(input: &SceneInput, rect: Rect, unit: f64) -> Station {
    let name = if rect.w / unit >= 150.0 {
        "Outside world"
    } else {
        "Outside"
    };
    let mut card = Card::new(StationId::Outside, rect, name, unit);
    card.title(&[], TextRole::Muted);
    let label = clean(input.effect_label);
    let label = if label.is_empty() { "effects" } else { &label };
    let counted = format!("{} {label}", format::count(input.snapshot.totals.effects));
    let subtitle = if has_amounts(input) {
        vec![label.to_owned(), done_word(label)]
    } else {
        vec![
            counted,
            format::counted(input.snapshot.totals.effects, "effect", "effects"),
        ]
    };
    card.line(29.0, &subtitle, TextRole::Muted);
    if has_amounts(input) {
        list(input, &mut card);
    } else {
        counts(input, &mut card);
    }
    card.finish()
}

/// The newest effects with the duplicates kept, oldest first.
fn entries(input: &SceneInput, room: usize) -> Vec<EffectView> {
    let outside = &input.snapshot.outside;
    let kept = outside.duplicates.len().min(room.div_ceil(2));
    let duplicates = outside.duplicates.iter().rev().take(kept);
    let mut newest: Vec<EffectView> = duplicates.copied().collect();
    for effect in outside.recent.iter().rev() {
        if newest.len() >= room {
            break;
        }
        if !newest.contains(effect) {
            newest.push(*effect);
        }
    }
    let keys = newest.iter().map(|effect| (effect.at.0, effect.nth.into()));
    let order = positions_in_order(keys).into_iter();
    order.map(|position| newest[position]).collect()
}

fn list(input: &SceneInput, card: &mut Card) {
    let totals = &input.snapshot.totals;
    let sums = card.height() - SUMS - 6.0;
    let room = ((sums - HEADER - 6.0) / ROW).floor().max(1.0) as usize;
    let entries = entries(input, room);
    let all = totals.effects as usize;
    let unseen = all.saturating_sub(entries.len());
    for (i, effect) in entries.iter().enumerate() {
        let y = HEADER + ROW * i as f64;
        let again = effect.nth > 1;
        let role = if again {
            TextRole::Bad
        } else {
            TextRole::Normal
        };
        let name = token_name(input.setup, &effect.token);
        let amount = format::amount(effect.amount.into(), input.unit);
        let wide = measure::width(&amount, 15.0, again) + 2.0;
        let rect = Rect::new(PAD + card.inner() - wide, y, wide, ROW);
        card.sized(rect, &amount, 15.0, again, role, Align::End);
        let rect = Rect::new(PAD, y, card.inner() - wide - 6.0, ROW);
        let said = if again { format!("{name} again") } else { name };
        card.sized(rect, &said, 15.0, again, role, Align::Start);
        card.say(&format!("{said}, {amount}"));
    }
    if unseen > 0 && entries.len() < room {
        let text = format!("+{} earlier", format::count(unseen as u64));
        card.line(
            HEADER + ROW * entries.len() as f64,
            &[text],
            TextRole::Muted,
        );
    }
    card.rule(sums);
    let over = totals.amount > totals.amount_due || totals.duplicate_effects > 0;
    let done = done_word(input.effect_label);
    let role = if over {
        TextRole::Bad
    } else {
        TextRole::Normal
    };
    let big = |y: f64, inner: f64| Rect::new(PAD, y, inner, 32.0);
    let amount = format::amount(totals.amount, input.unit);
    let due = format::amount(totals.amount_due, input.unit);
    let should = if over { "should be" } else { "should end at" };
    card.say(&format!("{done} so far {amount}, {should} {due}"));
    let inner = card.inner();
    let label = |y: f64| Rect::new(PAD, y, inner, 18.0);
    let so_far = [format!("{done} so far"), "so far".to_owned()];
    let so_far = measure::first_that_fits(&so_far, inner, SMALL, false);
    card.sized(
        label(sums + 6.0),
        &so_far,
        SMALL,
        false,
        TextRole::Muted,
        Align::Start,
    );
    card.sized(
        big(sums + 23.0, inner),
        &amount,
        BIG,
        true,
        role,
        Align::Start,
    );
    card.sized(
        label(sums + 59.0),
        should,
        SMALL,
        false,
        TextRole::Muted,
        Align::Start,
    );
    card.sized(
        big(sums + 76.0, inner),
        &due,
        BIG,
        true,
        TextRole::Normal,
        Align::Start,
    );
}

/// What has been done, in one word: "charged" for "cards charged".
fn done_word(label: &str) -> String {
    let last = clean(label).split_whitespace().last().map(str::to_owned);
    last.filter(|word| word.ends_with("ed"))
        .unwrap_or_else(|| "done".to_owned())
}

fn counts(input: &SceneInput, card: &mut Card) {
    let totals = &input.snapshot.totals;
    let again: Vec<String> = {
        let mut names: Vec<String> = Vec::new();
        for effect in input.snapshot.outside.duplicates.iter().rev() {
            let name = token_name(input.setup, &effect.token);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.truncate(3);
        names.reverse();
        names
    };
    let twice = if again.is_empty() {
        wordings(["done again", "again"])
    } else {
        let names = again.join(", ");
        vec![
            format!("done again: {names}"),
            format!("again: {names}"),
            "again".to_owned(),
        ]
    };
    let bad = |n: u64| {
        if n > 0 {
            TextRole::Bad
        } else {
            TextRole::Normal
        }
    };
    let rows = [
        (
            totals.effects - totals.duplicate_effects.min(totals.effects),
            TextRole::Normal,
            wordings(["messages done", "done"]),
        ),
        (
            totals.duplicate_effects,
            bad(totals.duplicate_effects),
            twice,
        ),
        (
            totals.lost,
            bad(totals.lost),
            wordings(["lost for good", "lost"]),
        ),
    ];
    let free = card.height() - least_height(input);
    let row = BIG_ROW + (free / 4.0).within(0.0, 14.0);
    for (i, (n, role, label)) in rows.into_iter().enumerate() {
        let y = HEADER + row * i as f64;
        let number = format::count(n);
        let width = (measure::width(&number, BIG, true) + 2.0).min(card.inner());
        card.sized(
            Rect::new(PAD, y, width, 34.0),
            &number,
            BIG,
            true,
            role,
            Align::Start,
        );
        card.say(&number);
        let x = PAD + width.max(24.0) + 6.0;
        if PAD + card.inner() - x > 12.0 {
            card.text(
                Rect::new(x, y + 10.0, PAD + card.inner() - x, 18.0),
                &label,
                TextRole::Muted,
                Align::Start,
            );
        }
    }
    let y = HEADER + row * 3.0 + 2.0;
    if totals.out_of_order > 0 {
        let n = format::count(totals.out_of_order);
        card.line(
            y,
            &[format!("↕ {n} out of order"), format!("↕ {n}")],
            TextRole::Bad,
        );
    }
    let gone = [
        (totals.expired, "expired"),
        (totals.dropped, "dropped"),
        (totals.refused, "refused"),
        (totals.sends_lost, "sends lost"),
        (totals.purged, "purged"),
    ];
    let gone: Vec<String> = gone
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", format::count(*n)))
        .collect();
    if let Some(first) = gone.first() {
        card.line(
            y + LINE,
            &[gone.join(", "), format!("{first} …"), first.clone()],
            TextRole::Warn,
        );
    }
    newest(input, card, y + 2.0 * LINE + 8.0);
}

/// The newest effects and when they came, where there is room for them.
fn newest(input: &SceneInput, card: &mut Card, top: f64) {
    let room = ((card.height() - top - 10.0) / 20.0).floor();
    if room < 2.0 {
        return;
    }
    let entries = entries(input, room as usize);
    if !entries.is_empty() {
        card.rule(top - 2.0);
    }
    for (i, effect) in entries.iter().enumerate() {
        let y = top + 4.0 + 20.0 * i as f64;
        let again = effect.nth > 1;
        let role = if again {
            TextRole::Bad
        } else {
            TextRole::Muted
        };
        let at = format::instant_exact(effect.at);
        let wide = measure::width(&at, SMALL, false) + 2.0;
        let name = token_name(input.setup, &effect.token);
        let name = if again { format!("{name} again") } else { name };
        let rect = Rect::new(PAD + card.inner() - wide, y, wide, 18.0);
        card.sized(rect, &at, SMALL, false, role, Align::End);
        let rect = Rect::new(PAD, y, card.inner() - wide - 6.0, 18.0);
        card.sized(rect, &name, SMALL, false, role, Align::Start);
    }
}
