//! What is wrong with a file, where, and what would be right.

use std::fmt;

/// One thing wrong with an input. A file is judged whole: all its problems are reported together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where: `consumers[0].prefetch`. Empty for the file as a whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would be right; may be empty.
    pub hint: String,
}

/// `consumers[0].prefetch: 0 is not allowed; use 1 or more`
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if !self.hint.is_empty() {
            write!(f, "; {}", self.hint)?;
        }
        Ok(())
    }
}

/// The problems found so far. Only the first [`Problems::MOST`] are kept: a broken file may have one a byte.
#[derive(Default, Debug)]
pub struct Problems {
    found: Vec<Problem>,
    more: usize,
}

impl Problems {
    /// Problems kept.
    pub const MOST: usize = 100;

    /// Notes a problem.
    pub fn push(&mut self, at: At<'_>, message: impl AsRef<str>, hint: impl AsRef<str>) {
        self.note(at, message.as_ref(), hint.as_ref());
    }

    #[inline(never)]
    fn note(&mut self, at: At<'_>, message: &str, hint: &str) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        self.found.push(Problem {
            path: at.to_string(),
            message: message.into(),
            hint: hint.into(),
        });
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.found.len() + self.more
    }

    /// Whether further ones are only counted, so that their wording is not worth any work.
    pub fn is_full(&self) -> bool {
        self.found.len() >= Self::MOST
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All of them, the last one telling how many more there were.
    pub fn into_list(mut self) -> Vec<Problem> {
        if self.more > 0 {
            self.found.push(Problem {
                path: String::new(),
                message: format!("{} more problems", self.more),
                hint: String::new(),
            });
        }
        self.found
    }

    /// The value if nothing is wrong.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Vec<Problem>> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            _ => Err(self.into_list()),
        }
    }
}

/// A place in a file, on the way down to it.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    /// The file itself.
    Root,
    /// A place described in words, such as another file merged into this one.
    Named(&'a str),
    /// A field of an object.
    Field(&'a At<'a>, &'a str),
    /// An item of a list.
    Item(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    /// The field `name` of this place.
    pub const fn field(&'a self, name: &'a str) -> At<'a> {
        At::Field(self, name)
    }

    /// The item `index` of this place.
    pub const fn item(&'a self, index: usize) -> At<'a> {
        At::Item(self, index)
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Root => Ok(()),
            At::Named(name) => f.write_str(name),
            At::Field(parent, name) => {
                if !matches!(parent, At::Root) {
                    write!(f, "{parent}.")?;
                }
                f.write_str(&shown(name))
            }
            At::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// Foreign text made fit for a message: invisible characters escaped, cut at 60 characters.
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == 60 {
            shown.push('…');
            break;
        }
        if is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Control characters, and those that reorder or hide the text around them. The joiners U+200C and U+200D, which
/// some scripts and emoji need, are not among them.
pub fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// "did you mean …?" for the word of `known` that is closest to `word`, if one is close.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if word.chars().count() > 60 {
        return None;
    }
    let allowed = 1 + word.chars().count() / 4;
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| format!("did you mean \"{candidate}\"?"))
}

/// Levenshtein distance: insertions, deletions and replacements of characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&b) {
            let value = (diagonal + usize::from(from != *to))
                .min(left + 1)
                .min(*cell + 1);
            diagonal = std::mem::replace(cell, value);
            left = value;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_place_fault_and_remedy() {
        let mut problems = Problems::default();
        problems.push(
            At::Root.field("consumers").item(0).field("prefetch"),
            "0 is not allowed",
            "use 1 or more",
        );
        assert_eq!(
            problems.into_list()[0].to_string(),
            "consumers[0].prefetch: 0 is not allowed; use 1 or more"
        );
    }

    #[test]
    fn a_flood_of_problems_is_counted_and_not_kept() {
        let mut problems = Problems::default();
        for _ in 0..1000 {
            problems.push(At::Root, "wrong", "");
        }
        let list = problems.into_list();
        assert_eq!(list.len(), Problems::MOST + 1);
        assert_eq!(list[Problems::MOST].message, "900 more problems");
    }

    #[test]
    fn a_slip_of_the_pen_finds_the_word_meant() {
        let known = ["prefetch", "processing", "workers"];
        assert_eq!(
            did_you_mean("prefetsh", known),
            Some("did you mean \"prefetch\"?".into())
        );
        assert_eq!(did_you_mean("colour", known), None);
    }

    #[test]
    fn text_that_would_disturb_a_message_is_escaped() {
        assert_eq!(shown("a\u{202e}b\0"), "a\\u{202e}b\\u{0}");
    }
}
