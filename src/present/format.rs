//! Numbers and spans of time as they are read, everywhere the same.
//!
//! A number and its unit are joined by a space that does not break.

use crate::engine::Micros;
use crate::engine::setup::Chance;

/// The space between a number and its unit.
pub const NBSP: char = '\u{a0}';

const SECOND: u64 = 1_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A span exactly as it was set: `3 s`, `0.6 s`, `250 ms`, `5 min`, `1 min 30 s`, `12 h`, `4 d`.
pub fn span(span: Micros) -> String {
    let us = span.0;
    if us == u64::MAX {
        return "for ever".to_owned();
    }
    if (1_000..SECOND).contains(&us) && !us.is_multiple_of(100_000) {
        return decimals(us, 1_000, "ms");
    }
    if us > 0 && us < 1_000 {
        return format!("{us}{NBSP}µs");
    }
    if us < 2 * MINUTE && !us.is_multiple_of(MINUTE) || us == 0 {
        return decimals(us, SECOND, "s");
    }
    let units = [(DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s")];
    let mut left = us - us % SECOND;
    let mut parts = Vec::new();
    for (unit, name) in units {
        if left >= unit && parts.len() < 2 {
            parts.push(format!("{}{NBSP}{name}", left / unit));
            left %= unit;
        }
    }
    parts.join(&NBSP.to_string())
}

/// A span that grows while one looks: one decimal below 10 s, then whole seconds, minutes, hours, days:
/// `2.7 s`, `42 s`, `12 min`. Cut, never rounded up, so that it reaches a limit when the limit is reached.
pub fn elapsed(span: Micros) -> String {
    let us = span.0;
    match us {
        _ if us < 10 * SECOND => tenths(us),
        _ if us < 10 * MINUTE => format!("{}{NBSP}s", us / SECOND),
        _ if us < 10 * HOUR => format!("{}{NBSP}min", us / MINUTE),
        _ if us < 10 * DAY => format!("{}{NBSP}h", us / HOUR),
        _ => format!("{}{NBSP}d", grouped(us / DAY)),
    }
}

/// A span to the nearest tenth of a second; one under a tenth stays as it is.
pub const fn to_tenths(span: Micros) -> Micros {
    const TENTH: u64 = SECOND / 10;
    if span.0 < TENTH {
        return span;
    }
    Micros(span.0.saturating_add(TENTH / 2) / TENTH * TENTH)
}

/// A span of work: one decimal where that is exact, so that it stands well beside a growing one: `1.0 s`, `0.9 s`,
/// `2.75 s`, `12 s`.
pub fn work(time: Micros) -> String {
    if time.0 < 10 * SECOND && time.0.is_multiple_of(100_000) && time.0 > 0 {
        tenths(time.0)
    } else {
        span(time)
    }
}

/// How far something has got: `0.6 of 1.0 s`; cut, so that it says the end only at the end.
pub fn progress(done: Micros, all: Micros) -> String {
    let done = Micros(done.0.min(all.0));
    let tenths_tell = all.0 >= SECOND || all.0 >= SECOND / 5 && all.0.is_multiple_of(SECOND / 10);
    if tenths_tell && all.0 < 10 * MINUTE {
        let done = format!("{}.{}", done.0 / SECOND, done.0 % SECOND / 100_000);
        format!(
            "{done} of{NBSP}{}",
            if all.0 < 100 * SECOND {
                work(all)
            } else {
                span(all)
            }
        )
    } else if all.0 < SECOND {
        format!(
            "{} of{NBSP}{}",
            done.0 / 1_000,
            decimals(all.0, 1_000, "ms")
        )
    } else {
        format!("{} of{NBSP}{}", elapsed(done), elapsed(all))
    }
}

/// An instant of the run, the same everywhere: cut to hundredths as the clock is, so that it is never ahead of that,
/// and with one decimal where that says as much: `12.4 s`, `10.75 s`, from ten minutes on `10:12.4`, from an hour on
/// `8:20:10`.
pub fn instant(at: Micros) -> String {
    let is_tenth = (at.0 / 10_000).is_multiple_of(10);
    instant_with(at, if is_tenth { 1 } else { 2 })
}

/// An instant with two decimals, for the clock: `4.60 s`.
pub fn clock(at: Micros) -> String {
    instant_with(at, 2)
}

fn instant_with(at: Micros, digits: u32) -> String {
    let step = SECOND / 10_u64.pow(digits);
    match at.0 {
        us if us < 10 * MINUTE => {
            let width = digits as usize;
            format!("{}.{:0width$}{NBSP}s", us / SECOND, us % SECOND / step)
        }
        us if us < HOUR => {
            let (width, rest) = (digits as usize, us % MINUTE);
            let part = rest % SECOND / step;
            format!("{}:{:02}.{part:0width$}", us / MINUTE, rest / SECOND)
        }
        us => {
            let (hours, rest) = (us / HOUR, us % HOUR);
            let (minutes, seconds) = (rest / MINUTE, rest % MINUTE / SECOND);
            format!("{}:{minutes:02}:{seconds:02}", grouped(hours))
        }
    }
}

/// A count: `7`, `1,000`, from a million on `1.2 M`, `3.4 G`.
pub fn count(n: u64) -> String {
    match n {
        0..1_000_000 => grouped(n),
        1_000_000..1_000_000_000 => decimals(n - n % 100_000, 1_000_000, "M"),
        _ => decimals(n - n % 100_000_000, 1_000_000_000, "G"),
    }
}

/// A count and its noun: `1 message`, `2 messages`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{}{NBSP}{}", count(n), if n == 1 { one } else { many })
}

/// A number of effects by their label: "2 orders done", "1 order done".
pub fn counted_label(n: u64, label: &str) -> String {
    if n != 1 {
        return format!("{} {label}", count(n));
    }
    let (first, rest) = label.split_once(' ').unwrap_or((label, ""));
    let first = match first.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None if first.ends_with("ss") => first.to_owned(),
        None => first.strip_suffix('s').unwrap_or(first).to_owned(),
    };
    format!("1 {first} {rest}").trim_end().to_owned()
}

/// An amount in the scenario's unit: `€20`, `3 kg`. Signs stand before the number, words after it.
pub fn amount(n: u64, unit: &str) -> String {
    if unit.is_empty() {
        count(n)
    } else if unit.chars().all(is_sign) {
        format!("{unit}{}", count(n))
    } else {
        format!("{}{NBSP}{unit}", count(n))
    }
}

/// A currency's sign or another that is no letter; without the tables of Unicode, which the page has no other use for.
fn is_sign(c: char) -> bool {
    let is_currency = matches!(c, '¢'..='¥' | '\u{20a0}'..='\u{20cf}');
    is_currency || (c.is_ascii() && !c.is_ascii_alphanumeric())
}

/// The text with a capital, if it begins with a letter of English.
pub fn capitalised(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The text without its capital, if it begins with a letter of English.
pub fn lower_first(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

/// A probability: `0 %`, `2.5 %`, `0.01 %`.
pub fn chance(chance: Chance) -> String {
    decimals(u64::from(chance.0), 10_000, "%")
}

/// A number with so many decimals: `12.50`. By way of a whole number: what the standard library needs to write floats
/// weighs more on the page than all of this module.
pub fn fixed(value: f64, decimals: u32) -> String {
    let scale = 10_u64.pow(decimals);
    let scaled = (value * scale as f64).round_ties_even() as i64;
    let sign = if scaled < 0 { "-" } else { "" };
    let (whole, part) = (scaled.unsigned_abs() / scale, scaled.unsigned_abs() % scale);
    match decimals {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{part:0>width$}", width = decimals as usize),
    }
}

/// A number of hundredths: `1.5`.
pub fn hundredths(number: u32) -> String {
    trimmed(fixed(f64::from(number) / 100.0, 2))
}

/// A rate a second: `2 / s`, `0.5 / s`.
pub fn rate(per_second: f64) -> String {
    let number = match per_second {
        r if !r.is_finite() || r <= 0.0 => "0".to_owned(),
        r if r < 0.01 => "under 0.01".to_owned(),
        r if r < 10.0 => trimmed(fixed(r, 2)),
        r if r < 100.0 => trimmed(fixed(r, 1)),
        r => count(r as u64),
    };
    format!("{number}{NBSP}/{NBSP}s")
}

/// The retry budget for a number of deliveries in all: `2 (3 deliveries in all)`, `none (1 delivery)`, `unlimited`.
pub fn retry_budget(max_deliveries: Option<u32>) -> String {
    match max_deliveries {
        None => "unlimited".to_owned(),
        Some(0 | 1) => "none (1 delivery)".to_owned(),
        Some(n) => format!("{} ({} deliveries in all)", n - 1, count(n.into())),
    }
}

/// The retry budget in one word: `2`, `none`, `unlimited`.
pub fn retry_budget_short(max_deliveries: Option<u32>) -> String {
    match max_deliveries {
        None => "unlimited".to_owned(),
        Some(0 | 1) => "none".to_owned(),
        Some(n) => count(u64::from(n) - 1),
    }
}

/// `first`, `second`, … `tenth`, then `11th`.
pub fn ordinal(n: u32) -> String {
    const WORDS: [&str; 10] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    if let Some(word) = n.checked_sub(1).and_then(|i| WORDS.get(i as usize)) {
        return (*word).to_owned();
    }
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// `value / unit` with at most three decimals and no trailing zeros, cut.
fn decimals(value: u64, unit: u64, name: &str) -> String {
    let thousandths = (u128::from(value) * 1_000 / u128::from(unit)) as u64;
    let whole = grouped(thousandths / 1_000);
    let number = trimmed(format!("{whole}.{:03}", thousandths % 1_000));
    format!("{number}{NBSP}{name}")
}

fn tenths(us: u64) -> String {
    format!("{}.{}{NBSP}s", us / SECOND, us % SECOND / 100_000)
}

fn trimmed(number: String) -> String {
    number
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: String) -> String {
        text.replace(NBSP, " ")
    }

    #[test]
    fn spans_read_as_they_were_set() {
        let cases = [
            (0, "0 s"),
            (250, "250 µs"),
            (12_000, "12 ms"),
            (250_000, "250 ms"),
            (600_000, "0.6 s"),
            (3 * SECOND, "3 s"),
            (2_500_000, "2.5 s"),
            (MINUTE, "1 min"),
            (90 * SECOND, "90 s"),
            (5 * MINUTE, "5 min"),
            (12 * HOUR, "12 h"),
            (4 * DAY, "4 d"),
            (HOUR + 30 * MINUTE, "1 h 30 min"),
        ];
        for (us, text) in cases {
            assert_eq!(plain(span(Micros(us))), text);
        }
    }

    #[test]
    fn a_growing_span_is_cut_and_loses_decimals() {
        assert_eq!(plain(elapsed(Micros(2_799_999))), "2.7 s");
        assert_eq!(plain(elapsed(Micros(42_900_000))), "42 s");
        assert_eq!(plain(elapsed(Micros(12 * MINUTE))), "12 min");
        assert_eq!(plain(elapsed(Micros(30 * HOUR))), "30 h");
    }

    #[test]
    fn progress_has_one_unit() {
        assert_eq!(
            plain(progress(Micros(600_000), Micros(SECOND))),
            "0.6 of 1.0 s"
        );
        assert_eq!(
            plain(progress(Micros(60_000), Micros(150_000))),
            "60 of 150 ms"
        );
        assert_eq!(
            plain(progress(Micros(5 * SECOND), Micros(4 * SECOND))),
            "4.0 of 4.0 s"
        );
        assert_eq!(plain(work(Micros(2_750_000))), "2.75 s");
    }

    #[test]
    fn instants_keep_their_decimals() {
        assert_eq!(plain(instant(Micros(4 * SECOND))), "4.0 s");
        assert_eq!(plain(clock(Micros(4_600_000))), "4.60 s");
        assert_eq!(plain(instant(Micros(10_759_999))), "10.75 s");
        assert_eq!(instant(Micros(10 * MINUTE + 2_400_000)), "10:02.4");
        assert_eq!(instant(Micros(HOUR + 62 * SECOND)), "1:01:02");
    }

    #[test]
    fn counts_are_grouped_then_shortened() {
        assert_eq!(count(999), "999");
        assert_eq!(count(12_345), "12,345");
        assert_eq!(plain(count(1_250_000)), "1.2 M");
        assert_eq!(plain(counted(1, "message", "messages")), "1 message");
    }

    #[test]
    fn one_effect_is_counted_in_the_singular() {
        assert_eq!(counted_label(2, "orders done"), "2 orders done");
        assert_eq!(counted_label(1, "orders done"), "1 order done");
        assert_eq!(counted_label(1, "entries written"), "1 entry written");
    }

    #[test]
    fn the_retry_budget_is_one_less_than_the_deliveries() {
        assert_eq!(retry_budget(Some(3)), "2 (3 deliveries in all)");
        assert_eq!(retry_budget(Some(1)), "none (1 delivery)");
        assert_eq!(retry_budget(None), "unlimited");
    }

    #[test]
    fn amounts_chances_and_ordinals() {
        assert_eq!(amount(20, "€"), "€20");
        assert_eq!(plain(amount(20, "seats")), "20 seats");
        assert_eq!(plain(chance(Chance(25_000))), "2.5 %");
        assert_eq!(plain(rate(0.5)), "0.5 / s");
        assert_eq!((ordinal(3), ordinal(112)), ("third".into(), "112th".into()));
    }
}
