//! Finding messages by number or name, and going through them.

use crate::engine::{Ledger, MessageNumber, Setup};
use crate::present::names::clean;

/// The message that a text means: its number, else the first whose name is the text, else the first whose name begins
/// with it. Capitals make no difference. `newest` is the newest message of the run.
pub fn find(
    text: &str,
    setup: &Setup,
    ledger: &Ledger,
    newest: MessageNumber,
) -> Option<MessageNumber> {
    let wanted = text.trim().trim_start_matches('#');
    if wanted.is_empty() {
        return None;
    }
    if let Ok(number) = wanted.parse::<u32>()
        && (1..=newest.0).contains(&number)
    {
        return Some(MessageNumber(number));
    }
    let begins = |name: &str| {
        let start = name.get(..wanted.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(wanted))
    };
    let named = ledger.messages().filter_map(|(number, record)| {
        let body = setup.bodies.get(record.body?.index())?;
        let name = clean(body);
        let name = name.trim();
        (number <= newest && begins(name)).then_some((number, name.len() == wanted.len()))
    });
    let mut first = None;
    for (number, whole) in named {
        if whole {
            return Some(number);
        }
        first = first.or(Some(number));
    }
    first
}

/// The message before this one.
pub fn previous(message: MessageNumber) -> Option<MessageNumber> {
    (message.0 > 1).then(|| MessageNumber(message.0 - 1))
}

/// The message after this one.
pub fn next(message: MessageNumber, newest: MessageNumber) -> Option<MessageNumber> {
    (message < newest).then(|| MessageNumber(message.0 + 1))
}
