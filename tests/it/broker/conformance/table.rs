//! The table of rules: which are held, by which cases, and which are not modelled and why.

use super::book::{Case, FILES, cases, rules};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Rules by letter and how many there are of it.
const NUMBERED: [(&str, u32); 9] = [
    ("S", 24),
    ("L", 5),
    ("F", 13),
    ("R", 19),
    ("X", 7),
    ("N", 12),
    ("P", 7),
    ("K", 6),
    ("B", 6),
];

/// Whether `path::name` is a test: what no case can say, since it is about consumers, is held by one.
fn is_test(test: &str) -> bool {
    let Some((path, name)) = test.split_once("::") else {
        return false;
    };
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.contains(&format!("#[test]\nfn {name}("))
}

/// The table as text, and what is wrong with it.
pub fn print(holds: impl Fn(&Case) -> bool) -> (String, Vec<String>) {
    let mut by_rule: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
    for case in FILES
        .iter()
        .flat_map(|file| cases(file))
        .filter(Case::is_run)
    {
        let held = holds(&case);
        let entry = (case.id().to_owned(), held);
        by_rule
            .entry(case.rule().to_owned())
            .or_default()
            .push(entry);
    }
    let mut problems = Vec::new();
    let mut table = String::new();
    let mut totals: Vec<(String, [u32; 3])> = Vec::new();
    let mut listed = Vec::new();
    for rule in rules() {
        let text = |field: &str| rule[field].as_str().unwrap_or_default().to_owned();
        let (name, broker) = (text("rule"), text("broker"));
        if totals.last().is_none_or(|(last, _)| *last != broker) {
            let _ = writeln!(table, "\n{broker}");
            totals.push((broker.clone(), [0; 3]));
        }
        let tried = by_rule.remove(&name).unwrap_or_default();
        let reason = text("not_modelled");
        let failed: Vec<&str> = tried
            .iter()
            .filter(|it| !it.1)
            .map(|it| it.0.as_str())
            .collect();
        let ids: Vec<&str> = tried.iter().map(|it| it.0.as_str()).collect();
        let (which, verdict) = if !reason.is_empty() {
            if !tried.is_empty() {
                problems.push(format!("{name} is not modelled but has cases"));
            }
            (2, format!("not modelled: {reason}"))
        } else if tried.is_empty() && !text("test").is_empty() {
            if !is_test(&text("test")) {
                problems.push(format!("{name}: there is no test {}", text("test")));
            }
            (0, format!("held: {}", text("test")))
        } else if tried.is_empty() && !text("waits_for").is_empty() {
            (1, format!("waits for {}", text("waits_for")))
        } else if tried.is_empty() {
            problems.push(format!("{name} has no case and no reason"));
            (1, "not held: no case".to_owned())
        } else if failed.is_empty() {
            (0, format!("held: {}", ids.join(" ")))
        } else {
            (1, format!("not held: {}", failed.join(" ")))
        };
        if let Some((_, total)) = totals.last_mut() {
            total[which] += 1;
        }
        let _ = writeln!(table, "  {name:<4}{:<60} {verdict}", text("says"));
        for (field, word) in [("setting", "open at the vendor"), ("differs", "differs")] {
            if !text(field).is_empty() {
                let _ = writeln!(table, "      {word}: {}", text(field));
            }
        }
        for field in ["says", "source", "broker"] {
            if text(field).is_empty() {
                problems.push(format!("{name} has no {field}"));
            }
        }
        listed.push(name);
    }
    for (rule, cases) in by_rule {
        problems.push(format!("{rule} is no rule, but {} name it", cases.len()));
    }
    let numbers =
        |&(letter, count): &(&'static str, u32)| (1..=count).map(move |n| format!("{letter}{n}"));
    let expected: Vec<String> = NUMBERED.iter().flat_map(numbers).collect();
    if listed != expected {
        problems.push("the rules are not those that there are, in their order".to_owned());
    }
    let _ = writeln!(
        table,
        "\nRules                      held  not held  not modelled"
    );
    for (broker, [held, not, left]) in totals {
        let _ = writeln!(table, "{broker:<26} {held:>4}  {not:>8}  {left:>12}");
    }
    (table, problems)
}
