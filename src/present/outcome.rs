//! How a run ended, or what it has come to so far, in one sentence.

use crate::engine::snapshot::Totals;
use crate::present::format;

/// What became of everything in a run that somebody acted upon: what was done, then every harm that is there. `label`
/// is what effects are called, `unit` what their amounts are in. `over` when nothing waits or is under way any more.
pub fn ending(totals: &Totals, over: bool, label: &str, unit: &str) -> String {
    let done = if unit.is_empty() {
        let once = totals.effects.saturating_sub(totals.duplicate_effects);
        format!("{label} {}", format::count(once))
    } else {
        format!(
            "{label} {} of {}",
            format::amount(totals.amount, unit),
            format::amount(totals.amount_due, unit)
        )
    };
    let harm = [
        (
            totals.duplicate_effects,
            "duplicate effect",
            "duplicate effects",
        ),
        (totals.out_of_order, "out of order", "out of order"),
        (totals.dead_lettered, "dead-lettered", "dead-lettered"),
        (totals.lost, "lost", "lost"),
    ];
    let mut harm = harm
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| format::counted(n, one, many))
        .peekable();
    let harm: Vec<String> = if harm.peek().is_some() {
        harm.collect()
    } else {
        vec!["nothing twice, nothing lost".to_owned()]
    };
    let so_far = if over { "How it ended" } else { "So far" };
    format!("{so_far} with what you did: {done}, {}.", harm.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_in_which_nothing_went_wrong_says_so() {
        let totals = Totals {
            effects: 3,
            amount: 60,
            amount_due: 60,
            ..Totals::default()
        };
        assert_eq!(
            ending(&totals, true, "cards charged", "€"),
            "How it ended with what you did: cards charged €60 of €60, nothing twice, nothing lost."
        );
    }

    #[test]
    fn every_harm_that_is_there_is_counted_and_no_other() {
        let totals = Totals {
            effects: 9,
            duplicate_effects: 1,
            dead_lettered: 2,
            discarded: 1,
            ..Totals::default()
        };
        assert_eq!(
            ending(&totals, false, "orders done", ""),
            "So far with what you did: orders done 8, 1\u{a0}duplicate effect, 2\u{a0}dead-lettered."
        );
    }
}
