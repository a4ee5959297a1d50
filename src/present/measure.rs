//! Widths of texts by estimate, so that the stage can cut them before anything is painted.
//!
//! The table holds the advances of DejaVu Sans, one of the widest interface fonts in use; where a narrower one is
//! installed, texts end a little earlier than they could.

/// Smallest font size on the stage, at the usual root font size of 16.
pub const SMALLEST: f64 = 13.0;

/// Advances of U+0020 to U+007E in hundredths of the font size.
#[rustfmt::skip]
const REGULAR: [u8; 95] = [
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34,
    84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99,
    69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53,
    40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
];

/// The same, bold.
#[rustfmt::skip]
const BOLD: [u8; 95] = [
    35, 46, 53, 84, 70, 101, 88, 31, 46, 46, 53, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40,
    84, 84, 84, 59, 100, 78, 77, 74, 84, 69, 69, 83, 84, 38, 38, 78, 64, 100, 84, 86, 74, 86, 78, 73, 69, 82, 78, 111,
    78, 73, 73, 46, 37, 46, 84, 50, 50, 68, 72, 60, 72, 68, 44, 72, 72, 35, 35, 67, 35, 105, 72, 69, 72, 72, 50, 60,
    48, 72, 66, 93, 65, 66, 59, 72, 37, 72, 84,
];

/// Estimated width of a text in CSS pixels.
pub fn width(text: &str, size: f64, strong: bool) -> f64 {
    text.chars().map(|c| advance(c, strong)).sum::<f64>() * size
}

fn advance(c: char, strong: bool) -> f64 {
    let table = if strong { &BOLD } else { &REGULAR };
    let ascii = (c as u32)
        .checked_sub(0x20)
        .and_then(|i| table.get(i as usize));
    let hundredths = match (ascii, c) {
        (Some(&advance), _) => advance,
        (None, '\u{a0}' | '·') => 38,
        (None, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}') => 0,
        (None, '…' | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{ffff}' | '\u{10000}'..) => 105,
        (None, '\u{2000}'..='\u{2dff}') => 90,
        (None, _) => 76,
    };
    f64::from(hundredths) / 100.0
}

/// Whether a text is no wider than `max`; looks no further than needed.
pub fn fits(text: &str, max: f64, size: f64, strong: bool) -> bool {
    let mut left = max;
    text.chars().all(|c| {
        left -= advance(c, strong) * size;
        left >= 0.0
    })
}

/// The text, or as much of its beginning as fits in `max` with an ellipsis; empty when not even that fits.
pub fn cut(text: &str, max: f64, size: f64, strong: bool) -> String {
    let (mut used, mut short_end) = (0.0, None);
    let ellipsis = width("…", size, strong);
    for (at, c) in text.char_indices() {
        used += advance(c, strong) * size;
        if used + ellipsis <= max {
            short_end = Some(at + c.len_utf8());
        }
        if used > max {
            let short = text.get(..short_end.unwrap_or(0)).unwrap_or("").trim_end();
            return if ellipsis <= max {
                format!("{short}…")
            } else {
                String::new()
            };
        }
    }
    text.to_owned()
}

/// A name that does not fit without its middle, so that its number stays: "con…-12".
pub fn cut_name(name: &str, max: f64, size: f64, strong: bool) -> String {
    if fits(name, max, size, strong) {
        return name.to_owned();
    }
    let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let end = name.get(start.len()..).unwrap_or("");
    if end.is_empty() || end.len() > 3 {
        return cut(name, max, size, strong);
    }
    let left = max - width(end, size, strong);
    let short = cut(start, left, size, strong);
    if short.chars().count() < 2 {
        return cut(name, max, size, strong);
    }
    short + end
}

/// The first of several wordings, longest first, that fits; the last one cut when none does.
pub fn first_that_fits<S: AsRef<str>>(wordings: &[S], max: f64, size: f64, strong: bool) -> String {
    let mut last = "";
    for wording in wordings {
        last = wording.as_ref();
        if fits(last, max, size, strong) {
            return last.to_owned();
        }
    }
    cut(last, max, size, strong)
}

/// The text in at most `lines` lines that fit, broken at spaces; the last one cut.
pub fn wrap(text: &str, max: f64, size: f64, strong: bool, lines: usize) -> Vec<String> {
    let mut wrapped: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let full = wrapped.len() >= lines;
        match wrapped.last_mut() {
            Some(line)
                if full
                    || width(line, size, strong)
                        + width(" ", size, strong)
                        + width(word, size, strong)
                        <= max =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => wrapped.push(word.to_owned()),
        }
    }
    wrapped
        .iter()
        .map(|line| cut(line, max, size, strong))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_left_alone_and_the_rest_is_cut_to_fit() {
        assert_eq!(cut("worker-1", 100.0, 15.0, true), "worker-1");
        for max in [0.0, 14.0, 20.0, 50.0] {
            let short = cut("a very long name 中文", max, 15.0, true);
            assert!(width(&short, 15.0, true) <= max);
        }
        assert_eq!(cut("abc def", 33.0, 10.0, false), "abc…");
    }

    #[test]
    fn a_cut_name_keeps_its_number() {
        assert_eq!(cut_name("consumer-12", 500.0, 15.0, true), "consumer-12");
        for max in [0.0, 14.0, 40.0, 60.0, 80.0] {
            let short = cut_name("consumer-12", max, 15.0, true);
            assert!(width(&short, 15.0, true) <= max);
        }
        assert!(cut_name("consumer-12", 70.0, 15.0, true).ends_with("…12"));
        assert!(cut_name("consumers", 70.0, 15.0, true).ends_with("…"));
    }

    #[test]
    fn a_sentence_is_broken_at_spaces_and_cut_at_the_last_line() {
        let text = "idle: group A is locked";
        assert_eq!(
            wrap(text, 60.0, 10.0, false, 3),
            ["idle: group", "A is locked"]
        );
        assert_eq!(wrap(text, 60.0, 10.0, false, 1).len(), 1);
        assert!(wrap(text, 60.0, 10.0, false, 1)[0].ends_with('…'));
    }

    #[test]
    fn a_shorter_wording_is_taken_before_a_cut_one() {
        let wordings = ["locked: 11 in flight", "locked by 11", "locked"];
        assert_eq!(
            first_that_fits(&wordings, 90.0, 13.0, false),
            "locked by 11"
        );
        assert_eq!(first_that_fits(&wordings, 40.0, 13.0, false), "loc…");
    }
}
