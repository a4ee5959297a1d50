//! A whole scenario in a link: `#s=1.` and the file, deflated, as base64url.
//!
//! The number is the version of this encoding. Links of every version ever released keep opening.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use super::{Problem, Scenario};

/// Largest file in a link, in bytes, before it is deflated.
pub const LARGEST_LINKED: usize = 64 * 1024;
/// Longest link that is looked at, in characters: a file of [`LARGEST_LINKED`] bytes never takes more.
const LONGEST_LINK: usize = 96 * 1024;

/// Why a link does not open, or why a scenario makes none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkError {
    /// Made by a later version of this program.
    UnknownVersion(String),
    /// The end is missing.
    Truncated,
    /// The file in it is larger than [`LARGEST_LINKED`].
    TooLarge,
    /// It is damaged, or was never a link of this program.
    Damaged,
    /// It holds a file, and this is wrong with it.
    Invalid(Vec<Problem>),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVersion(version) => write!(
                f,
                "This link was made by a later version of the playground (link version {}). Reload the page, or ask for the file itself.",
                super::problem::shown(version)
            ),
            Self::Truncated => f.write_str(
                "The end of this link is missing: it was probably cut when it was copied. Copy it again, all of it.",
            ),
            Self::TooLarge => f.write_str(
                "The scenario is too large for a link (64 kB at most). Save it as a file and share that.",
            ),
            Self::Damaged => f.write_str(
                "This link is damaged: it holds no scenario. Copy it again, or open the file itself.",
            ),
            Self::Invalid(problems) => {
                f.write_str("The scenario in this link cannot be run: ")?;
                match problems.split_first() {
                    Some((first, [])) => write!(f, "{first}"),
                    Some((first, more)) => write!(f, "{first} (and {} more problems)", more.len()),
                    None => f.write_str("it is not valid"),
                }
            }
        }
    }
}

impl Scenario {
    /// The scenario for the fragment of a link: `s=1.…`, without the `#`.
    pub fn to_link(&self) -> Result<String, LinkError> {
        let json = self.to_compact_json();
        if json.len() > LARGEST_LINKED {
            return Err(LinkError::TooLarge);
        }
        let deflated = miniz_oxide::deflate::compress_to_vec(json.as_bytes(), 10);
        Ok(format!("s=1.{}", URL_SAFE_NO_PAD.encode(deflated)))
    }

    /// The scenario in the fragment of a link, with or without `#` and `s=`.
    pub fn from_link(fragment: &str) -> Result<Self, LinkError> {
        let text = fragment.trim().trim_start_matches('#');
        let text = text.strip_prefix("s=").unwrap_or(text);
        let (version, data) = text.split_once('.').ok_or(LinkError::Damaged)?;
        let is_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
        match version {
            "1" => {}
            _ if is_number && version.len() < 10 => {
                return Err(LinkError::UnknownVersion(version.into()));
            }
            _ => return Err(LinkError::Damaged),
        }
        if data.len() > LONGEST_LINK {
            return Err(LinkError::TooLarge);
        }
        let deflated = URL_SAFE_NO_PAD
            .decode(data.trim_end_matches('='))
            .map_err(|error| {
                match error {
                    // A cut in the middle of a group of four characters.
                    base64::DecodeError::InvalidLength(_)
                    | base64::DecodeError::InvalidLastSymbol { .. } => LinkError::Truncated,
                    _ => LinkError::Damaged,
                }
            })?;
        let json =
            decompress_to_vec_with_limit(&deflated, LARGEST_LINKED).map_err(|error| match error
                .status
            {
                TINFLStatus::HasMoreOutput => LinkError::TooLarge,
                TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => {
                    LinkError::Truncated
                }
                _ => LinkError::Damaged,
            })?;
        let json = String::from_utf8(json).map_err(|_| LinkError::Damaged)?;
        Self::from_json(&json).map_err(LinkError::Invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::catalogue::CATALOGUE;

    #[test]
    fn every_shipped_scenario_survives_a_link_of_less_than_2000_characters() {
        for shipped in CATALOGUE {
            let scenario = Scenario::from_json(shipped.json).unwrap();
            let link = scenario.to_link().unwrap();
            assert!(link.len() < 2_000, "{}: {}", shipped.slug, link.len());
            let opened = Scenario::from_link(&format!("#{link}")).unwrap();
            assert_eq!(opened.to_json(), scenario.to_json(), "{}", shipped.slug);
        }
    }

    #[test]
    fn each_way_to_break_a_link_has_its_own_message() {
        let link = Scenario::from_json(CATALOGUE[0].json)
            .unwrap()
            .to_link()
            .unwrap();
        let bomb = miniz_oxide::deflate::compress_to_vec(&vec![b' '; 20_000_000], 9);
        let invalid = miniz_oxide::deflate::compress_to_vec(br#"{"version":1,"queues":[]}"#, 9);
        let wrap = |bytes: &[u8]| format!("s=1.{}", URL_SAFE_NO_PAD.encode(bytes));
        let errors = [
            Scenario::from_link("s=2.abcd").unwrap_err(),
            Scenario::from_link(&link[..link.len() / 2]).unwrap_err(),
            Scenario::from_link(&wrap(&bomb)).unwrap_err(),
            Scenario::from_link("s=1.!!!!").unwrap_err(),
            Scenario::from_link(&wrap(&invalid)).unwrap_err(),
        ];
        assert_eq!(errors[0], LinkError::UnknownVersion("2".into()));
        assert_eq!(errors[1], LinkError::Truncated);
        assert_eq!(errors[2], LinkError::TooLarge);
        assert_eq!(errors[3], LinkError::Damaged);
        assert!(
            errors[4]
                .to_string()
                .ends_with("queues: there is none; give one or more")
        );
    }

    #[test]
    fn a_link_cut_anywhere_is_refused() {
        let link = Scenario::from_json(CATALOGUE[0].json)
            .unwrap()
            .to_link()
            .unwrap();
        for end in 0..link.len() {
            assert!(Scenario::from_link(&link[..end]).is_err(), "{end}");
        }
    }
}
