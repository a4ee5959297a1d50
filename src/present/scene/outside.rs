//! The outside world: where effects land, and where a second one shows.

use crate::engine::command::Command;
use crate::engine::order::positions_in_order;
use crate::engine::setup::Pattern;
use crate::engine::snapshot::EffectView;
use crate::present::geometry::{Rect, Within};
use crate::present::names::{clean, token_name};
use crate::present::{format, measure};

use super::card::{BIG, Card, PAD, SMALL, wordings};
use super::tokens::Marker;
use super::{Align, SceneInput, Station, StationId, TextRole};

const HEADER: f64 = 52.0;
const ROW: f64 = 24.0;
const SUMS: f64 = 112.0;
const BIG_ROW: f64 = 38.0;
const LINE: f64 = 20.0;
const COMPACT_HEADER: f64 = 34.0;
const COMPACT_ROW: f64 = 22.0;
const COMPACT_COUNT: f64 = 52.0;
/// Least height of a card in a column without room for more than its sums, in units.
pub const LOW: f64 = 84.0;
const LOW_HEADER: f64 = 32.0;
const LOW_ROW: f64 = 22.0;

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
pub fn least_height(input: &SceneInput, compact: bool) -> f64 {
    if compact && has_amounts(input) {
        COMPACT_HEADER + 4.0 * COMPACT_ROW + 6.0
    } else if compact {
        COMPACT_HEADER + COMPACT_COUNT + LINE + 4.0
    } else if has_amounts(input) {
        HEADER + 4.0 * ROW + SUMS + 12.0
    } else {
        HEADER + 3.0 * BIG_ROW + 2.0 * LINE + 12.0
    }
}

/// Fills the card.
pub fn station(marker: &Marker, rect: Rect) -> Station {
    let (input, unit, compact) = (marker.input, marker.unit, marker.compact);
    let name = if rect.w / unit >= 150.0 {
        "Outside world"
    } else {
        "Outside"
    };
    let mut card = Card::new(StationId::Outside, rect, name, unit);
    let label = clean(input.effect_label);
    let label = if label.is_empty() { "effects" } else { &label };
    let effects = input.snapshot.totals.effects;
    let counted = format::counted_label(effects, label);
    let subtitle = if has_amounts(input) {
        vec![label.to_owned(), done_word(label)]
    } else {
        let noun = label.split_whitespace().next().unwrap_or_default();
        vec![counted, format::counted_label(effects, noun)]
    };
    if !compact && card.height() < least_height(input, false) - 0.5 {
        card.title(&[], TextRole::Muted);
        low(input, &mut card);
        return card.finish();
    }
    if compact {
        card.title(&subtitle, TextRole::Muted);
    } else {
        card.title(&[], TextRole::Muted);
        card.line(29.0, &subtitle, TextRole::Muted);
    }
    if has_amounts(input) {
        list(input, &mut card, compact);
    } else {
        counts(input, &mut card, compact);
    }
    card.finish()
}

/// Lines of a number each, as many as there is room for: what matters most first.
fn low(input: &SceneInput, card: &mut Card) {
    let totals = &input.snapshot.totals;
    let bad = |harm: bool| {
        if harm {
            TextRole::Bad
        } else {
            TextRole::Normal
        }
    };
    let mut lines: Vec<(String, TextRole, Vec<String>)> = if has_amounts(input) {
        let over = totals.amount > totals.amount_due || totals.duplicate_effects > 0;
        let done = done_word(input.effect_label);
        let sum = |amount| format::amount(amount, input.unit);
        vec![
            (
                sum(totals.amount),
                bad(over),
                vec![done, "so far".to_owned(), "is".to_owned()],
            ),
            (
                sum(totals.amount_due),
                TextRole::Normal,
                wordings(["should be", "due"]),
            ),
        ]
    } else {
        let once = totals.effects.saturating_sub(totals.duplicate_effects);
        vec![(format::count(once), TextRole::Normal, wordings(["done"]))]
    };
    let harm = [
        (totals.duplicate_effects, wordings(["again"])),
        (totals.lost, wordings(["lost for good", "lost"])),
        (totals.out_of_order, wordings(["out of order", "disorder"])),
    ];
    let listed = has_amounts(input);
    for (n, label) in harm.into_iter().filter(|(n, _)| *n > 0 || !listed) {
        lines.push((format::count(n), bad(n > 0), label));
    }
    let room = ((card.height() - LOW_HEADER - 4.0) / LOW_ROW)
        .floor()
        .max(1.0) as usize;
    if listed && room > lines.len() {
        for effect in entries(input, room - lines.len()) {
            let amount = format::amount(effect.amount.into(), input.unit);
            let name = repeated(
                &token_name(input.setup, &effect.token),
                effect.nth,
                1e3,
                SMALL,
            );
            lines.push((amount, bad(effect.nth > 1), vec![name]));
        }
    }
    for (i, (number, role, label)) in lines.iter().enumerate() {
        card.say(&format!(
            "{number} {}",
            label.first().map_or("", String::as_str)
        ));
        if i >= room {
            continue;
        }
        let y = LOW_HEADER + LOW_ROW * i as f64;
        let width = (measure::width(number, 15.0, true) + 1.0).min(card.inner());
        let rect = Rect::new(PAD, y, width, LOW_ROW);
        card.sized(rect, number, 15.0, true, *role, Align::Start);
        let x = PAD + width + 6.0;
        let rect = Rect::new(x, y, (PAD + card.inner() - x).max(0.0), LOW_ROW);
        let text = measure::first_that_fits(label, rect.w, SMALL, false);
        card.sized(rect, &text, SMALL, false, TextRole::Muted, Align::Start);
    }
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

/// The effects, and what they come to: below the list, or on its right in a card that says on one line what it can.
fn list(input: &SceneInput, card: &mut Card, compact: bool) {
    let totals = &input.snapshot.totals;
    let (top, row) = if compact {
        (COMPACT_HEADER, COMPACT_ROW)
    } else {
        (HEADER, ROW)
    };
    let inner = card.inner();
    let (foot, width, sums) = if compact {
        let sums = Rect::new(PAD + inner * 0.58, top - 2.0, inner * 0.42, 88.0);
        (card.height() - 6.0, inner * 0.52, sums)
    } else {
        let y = card.height() - SUMS - 6.0;
        card.rule(y);
        (y - 6.0, inner, Rect::new(PAD, y + 6.0, inner, SUMS - 6.0))
    };
    let room = ((foot - top) / row).floor().max(1.0) as usize;
    let all = totals.effects as usize;
    let entries = entries(input, listed(room, all));
    let unseen = all.saturating_sub(entries.len());
    for (i, effect) in entries.iter().enumerate() {
        let y = top + row * i as f64;
        let again = effect.nth > 1;
        let role = if again {
            TextRole::Bad
        } else {
            TextRole::Normal
        };
        let name = token_name(input.setup, &effect.token);
        let amount = format::amount(effect.amount.into(), input.unit);
        let wide = measure::width(&amount, 15.0, again) + 2.0;
        let rect = Rect::new(PAD + width - wide, y, wide, row);
        card.sized(rect, &amount, 15.0, again, role, Align::End);
        let rect = Rect::new(PAD, y, width - wide - 6.0, row);
        let said = repeated(&name, effect.nth, rect.w, 15.0);
        card.sized(rect, &said, 15.0, again, role, Align::Start);
        let said = if again { format!("{name} again") } else { name };
        card.say(&format!("{said}, {amount}"));
    }
    if unseen > 0 && entries.len() < room {
        earlier(card, top + row * entries.len() as f64, width, unseen);
    }
    let over = totals.amount > totals.amount_due || totals.duplicate_effects > 0;
    let done = done_word(input.effect_label);
    let role = if over {
        TextRole::Bad
    } else {
        TextRole::Normal
    };
    let amount = format::amount(totals.amount, input.unit);
    let due = format::amount(totals.amount_due, input.unit);
    let should = if over { "should be" } else { "should end at" };
    card.say(&format!("{done} so far {amount}, {should} {due}"));
    let step = sums.h / 2.0;
    let so_far = [format!("{done} so far"), "so far".to_owned()];
    let so_far = measure::first_that_fits(&so_far, sums.w, SMALL, false);
    let parts = [
        (so_far.as_str(), amount, role),
        (should, due, TextRole::Normal),
    ];
    for (i, (label, amount, role)) in parts.into_iter().enumerate() {
        let y = sums.y + step * i as f64;
        let rect = Rect::new(sums.x, y, sums.w, 18.0);
        card.sized(rect, label, SMALL, false, TextRole::Muted, Align::Start);
        let rect = Rect::new(sums.x, y + 16.0, sums.w, (step - 17.0).min(32.0));
        card.sized(rect, &amount, BIG, true, role, Align::Start);
    }
}

/// How many of all effects are listed: where not all of them fit the last line says how many are not.
fn listed(room: usize, all: usize) -> usize {
    if all > room && room > 1 {
        room - 1
    } else {
        room
    }
}

fn earlier(card: &mut Card, y: f64, width: f64, unseen: usize) {
    let text = format!("+{} earlier", format::count(unseen as u64));
    let rect = Rect::new(PAD, y, width, 18.0);
    card.text(rect, &[text], TextRole::Muted, Align::Start);
}

/// A message's name with the word for a repeated effect where that fits beside it: the name is what may not be cut.
fn repeated(name: &str, nth: u32, width: f64, size: f64) -> String {
    if nth < 2 {
        return name.to_owned();
    }
    let again = format!("{name} again");
    match measure::fits(&again, width, size, true) {
        true => again,
        false => measure::cut(name, width, size, true),
    }
}

/// What has been done, in one word: "charged" for "cards charged".
fn done_word(label: &str) -> String {
    let last = clean(label).split_whitespace().last().map(str::to_owned);
    last.filter(|word| word.ends_with("ed"))
        .unwrap_or_else(|| "done".to_owned())
}

fn counts(input: &SceneInput, card: &mut Card, compact: bool) {
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
        wordings(["again"])
    } else {
        let names = again.join(", ");
        vec![format!("again: {names}"), "again".to_owned()]
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
    let free = card.height() - least_height(input, compact);
    let row = BIG_ROW + (free / 4.0).within(0.0, 14.0);
    let third = card.inner() / 3.0;
    for (i, (n, role, label)) in rows.into_iter().enumerate() {
        let number = format::count(n);
        let (x, y) = if compact {
            (PAD + third * i as f64, COMPACT_HEADER - 4.0)
        } else {
            (PAD, HEADER + row * i as f64)
        };
        let most = if compact { third - 8.0 } else { card.inner() };
        let width = (measure::width(&number, BIG, true) + 2.0).min(most);
        let rect = Rect::new(x, y, width, if compact { 30.0 } else { 34.0 });
        card.sized(rect, &number, BIG, true, role, Align::Start);
        card.say(&number);
        let beside = PAD + width.max(24.0) + 6.0;
        let rect = if compact {
            Rect::new(x, y + 32.0, most, 18.0)
        } else {
            Rect::new(beside, y + 10.0, PAD + card.inner() - beside, 18.0)
        };
        if rect.w > 12.0 {
            card.text(rect, &label, TextRole::Muted, Align::Start);
        }
    }
    let y = if compact {
        COMPACT_HEADER + COMPACT_COUNT - 3.0
    } else {
        HEADER + row * 3.0 + 2.0
    };
    let order = (totals.out_of_order > 0).then(|| {
        let n = format::count(totals.out_of_order);
        [format!("↕ {n} out of order"), format!("{n} out of order")]
    });
    let gone = [
        (totals.expired, "expired"),
        (totals.dropped, "dropped"),
        (totals.refused, "refused"),
        (totals.sends_lost, "sends lost"),
        (totals.purged, "purged"),
        (totals.discarded, "discarded"),
    ];
    let gone: Vec<String> = gone
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", format::count(*n)))
        .collect();
    // One line has to do for both where there is only one.
    let (half, below) = match (compact, &order, gone.is_empty()) {
        (true, Some(_), false) => (card.inner() * 0.5, 0.0),
        (true, ..) => (0.0, 0.0),
        (false, ..) => (0.0, LINE),
    };
    if let Some(order) = &order {
        let width = card.inner() - half;
        let rect = Rect::new(PAD, y, width, 18.0);
        card.text(rect, order, TextRole::Bad, Align::Start);
    }
    if let Some(first) = gone.first() {
        let wordings = [gone.join(", "), format!("{first} …"), first.clone()];
        let rect = Rect::new(PAD + half, y + below, card.inner() - half, 18.0);
        card.text(rect, &wordings, TextRole::Warn, Align::Start);
    }
    newest(input, card, y + below + LINE + 8.0);
}

/// The newest effects and when they came, where there is room for them.
fn newest(input: &SceneInput, card: &mut Card, top: f64) {
    let room = ((card.height() - top - 10.0) / 20.0).floor();
    if room < 2.0 {
        return;
    }
    let (room, all) = (room as usize, input.snapshot.totals.effects as usize);
    let entries = entries(input, listed(room, all));
    if !entries.is_empty() {
        card.rule(top - 2.0);
    }
    let unseen = all.saturating_sub(entries.len());
    if unseen > 0 && entries.len() < room {
        let y = top + 4.0 + 20.0 * entries.len() as f64;
        earlier(card, y, card.inner(), unseen);
    }
    for (i, effect) in entries.iter().enumerate() {
        let y = top + 4.0 + 20.0 * i as f64;
        let again = effect.nth > 1;
        let role = if again {
            TextRole::Bad
        } else {
            TextRole::Muted
        };
        let at = format::instant(effect.at);
        let taken = measure::width(&token_name(input.setup, &effect.token), SMALL, false);
        let room = (card.inner() - taken - 16.0).max(0.0);
        let wordings = [format!("at {at}"), at];
        // Names have precedence: a time that does not fit is left out whole.
        let fits = |text: &String| measure::fits(text, room, SMALL, false);
        let at = wordings.into_iter().find(fits).unwrap_or_default();
        let wide = measure::width(&at, SMALL, false) + 2.0;
        let name = token_name(input.setup, &effect.token);
        let name = repeated(&name, effect.nth, card.inner() - wide - 6.0, SMALL);
        let rect = Rect::new(PAD + card.inner() - wide, y, wide, 18.0);
        card.sized(rect, &at, SMALL, false, role, Align::End);
        let rect = Rect::new(PAD, y, card.inner() - wide - 6.0, 18.0);
        card.sized(rect, &name, SMALL, false, role, Align::Start);
    }
}
