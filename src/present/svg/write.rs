//! Numbers, paths and texts as XML.

use std::fmt::Write as _;

use crate::present::format::fixed;
use crate::present::geometry::{Cubic, Path, Point, Rect};

pub(super) fn attributes(rect: &Rect) -> String {
    format!(
        r#"x="{}" y="{}" width="{}" height="{}""#,
        number(rect.x),
        number(rect.y),
        number(rect.w.max(0.0)),
        number(rect.h.max(0.0))
    )
}

/// The `d` of a path.
pub fn path(path: &Path) -> String {
    let mut d = String::new();
    for (i, part) in path.0.iter().enumerate() {
        let whole = curve(part);
        let rest = whole.split_once('C').map_or("", |(_, rest)| rest);
        if i == 0 {
            d.push_str(&whole);
        } else {
            let _ = write!(d, " C{rest}");
        }
    }
    d
}

pub(super) fn curve(part: &Cubic) -> String {
    format!(
        "M{} C{} {} {}",
        point(&part.from),
        point(&part.out),
        point(&part.into),
        point(&part.to)
    )
}

pub(super) fn point(point: &Point) -> String {
    format!("{},{}", number(point.x), number(point.y))
}

/// A coordinate with at most two decimals; what is not a number is 0.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = fixed(value, 2);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// A text as XML content: markup escaped, characters that XML does not allow left out.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
