//! The address of the page: which scenario, seed and moment it opens on, and how much it shows.

use super::problem::{Problem, shown};
use crate::engine::Micros;

/// What an address asks for. A shipped scenario is named in the query, for people to read and change:
/// `?scenario=charged-twice&seed=7&t=12.5&view=full`. Any other is in the fragment: `#s=1.…`.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct PageAddress {
    /// Name of a shipped scenario.
    pub scenario: Option<String>,
    /// Seed in place of the scenario's.
    pub seed: Option<u64>,
    /// The moment to open on.
    pub at: Option<Micros>,
    /// How much to show.
    pub view: Option<PageView>,
    /// A scenario as data, for [`Scenario::from_link`](super::Scenario::from_link).
    pub link: Option<String>,
}

/// How much the page shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageView {
    /// Stage, transport, one caption, headline controls, three numbers.
    Simple,
    /// Everything.
    Full,
}

impl PageAddress {
    /// Reads an address's query and fragment, each with or without its sign. What is not understood is left out and
    /// told; names that are not ours are left to others.
    pub fn parse(query: &str, fragment: &str) -> (Self, Vec<Problem>) {
        let mut address = Self::default();
        let mut problems = Vec::new();
        let pairs = query.trim_start_matches('?').split('&').take(100);
        for (name, value) in pairs.filter_map(|pair| pair.split_once('=')) {
            let hint = match name {
                "scenario" => {
                    address.scenario = Some(value.into()).filter(|_| is_slug(value));
                    (
                        address.scenario.is_none(),
                        "use the name of a shipped scenario",
                    )
                }
                "seed" => {
                    address.seed = value.parse().ok();
                    (address.seed.is_none(), "use a whole number, 0 or more")
                }
                "t" => {
                    address.at = super::parse_duration(&format!("{value}s"));
                    (address.at.is_none(), "use seconds, such as 12.5")
                }
                "view" => {
                    address.view = match value {
                        "simple" => Some(PageView::Simple),
                        "full" => Some(PageView::Full),
                        _ => None,
                    };
                    (address.view.is_none(), "use simple or full")
                }
                _ => continue,
            };
            if let (true, hint) = hint {
                problems.push(Problem {
                    path: name.into(),
                    message: format!("\"{}\" is not understood", shown(value)),
                    hint: hint.into(),
                });
            }
        }
        let fragment = fragment.trim_start_matches('#');
        if fragment.starts_with("s=") {
            address.link = Some(fragment.into());
        }
        (address, problems)
    }

    /// Writes the query and the fragment with their signs; empty for the page as it opens.
    pub fn format(&self) -> String {
        let mut pairs = Vec::new();
        if let (Some(scenario), None) = (&self.scenario, &self.link) {
            pairs.push(format!("scenario={scenario}"));
        }
        if let Some(seed) = self.seed {
            pairs.push(format!("seed={seed}"));
        }
        if let Some(at) = self.at {
            pairs.push(format!("t={at}"));
        }
        match self.view {
            Some(PageView::Simple) => pairs.push("view=simple".into()),
            Some(PageView::Full) => pairs.push("view=full".into()),
            None => {}
        }
        let mut address = String::new();
        if !pairs.is_empty() {
            address = format!("?{}", pairs.join("&"));
        }
        if let Some(link) = &self.link {
            address.push('#');
            address.push_str(link);
        }
        address
    }
}

fn is_slug(text: &str) -> bool {
    (1..=60).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_as_it_was_written() {
        for text in [
            "",
            "?scenario=charged-twice&seed=7&t=12.5&view=simple",
            "?seed=7&t=0&view=full#s=1.abc",
            "?view=full",
        ] {
            let (query, fragment) = text.split_once('#').unwrap_or((text, ""));
            let (address, problems) = PageAddress::parse(query, fragment);
            assert_eq!(problems, []);
            assert_eq!(address.format(), text);
        }
    }

    #[test]
    fn what_is_not_understood_is_told_and_the_rest_is_used() {
        let (address, problems) =
            PageAddress::parse("?scenario=../x&seed=-1&t=1e9&view=full&utm=1&seed", "#top");
        assert_eq!(
            address,
            PageAddress {
                view: Some(PageView::Full),
                ..PageAddress::default()
            }
        );
        let told: Vec<&str> = problems
            .iter()
            .map(|problem| problem.path.as_str())
            .collect();
        assert_eq!(told, ["scenario", "seed", "t"]);
    }
}
