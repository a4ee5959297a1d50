//! Commands in words.

use crate::engine::command::DiscardReason;
use crate::engine::{Command, Void};
use crate::present::format;
use crate::present::names::Names;

/// What a command does, as one short sentence without a full stop: for the log, marks and announcements.
pub fn describe(command: &Command, names: &Names) -> String {
    match command {
        Command::Crash(id) => format!("{} is made to crash", names.consumer(*id)),
        Command::Restart(id) => format!("{} is started again", names.consumer(*id)),
        Command::Pause(id) => format!("{} is paused", names.consumer(*id)),
        Command::Resume(id) => format!("{} goes on", names.consumer(*id)),
        Command::SlowDown {
            consumer,
            percent: 100,
        } => {
            format!(
                "{} works at its normal speed again",
                names.consumer(*consumer)
            )
        }
        Command::SlowDown { consumer, percent } => {
            let times = format::hundredths(*percent);
            format!(
                "{}'s work now takes {times} times as long",
                names.consumer(*consumer)
            )
        }
        Command::LoseNextAck(id) => format!("the next ack of {} will be lost", names.consumer(*id)),
        Command::PauseProducer(id) => format!("{} is paused", names.producer(*id)),
        Command::ResumeProducer(id) => format!("{} sends again", names.producer(*id)),
        Command::Send(send) => {
            let what = if send.poison {
                "poison message"
            } else {
                "message"
            };
            let many = format!("{what}s");
            let verb = if send.count == 1 { "is" } else { "are" };
            let count = format::counted(send.count.into(), what, &many);
            format!("{count} {verb} sent to {} by hand", names.queue(send.to))
        }
        Command::Redrive { from, limit, rate } => {
            let which = match limit {
                None => "all messages".to_owned(),
                Some(n) => format::counted(u64::from(*n), "message", "messages"),
            };
            let pace = match rate {
                None => String::new(),
                Some(n) => format!(", {} a second", format::count(u64::from(*n))),
            };
            format!(
                "{which} of {} move back to where they came from{pace}",
                names.queue(*from)
            )
        }
        Command::CancelRedrive(id) => format!("the redrive of {} is stopped", names.queue(*id)),
        Command::RedriveMessage { message, fix } => {
            let mended = if *fix { "mended and " } else { "" };
            let message = names.message(*message);
            format!("{message} is {mended}moved back to where it came from")
        }
        Command::Discard { message, reason } => {
            format!(
                "{} is discarded: {}",
                names.message(*message),
                discard_reason(*reason)
            )
        }
        Command::SetPoison { message, poison } => {
            let message = names.message(*message);
            if *poison {
                format!("{message} is made a poison message")
            } else {
                format!("{message} is mended: it is no poison message any more")
            }
        }
        Command::ExpireNow(message) => {
            format!(
                "the visibility timeout of {} ends now",
                names.message(*message)
            )
        }
        Command::Partition(id) => format!("{} is cut off from the broker", names.consumer(*id)),
        Command::Heal(id) => format!("{} reaches the broker again", names.consumer(*id)),
        Command::Purge(id) => format!("{} is purged", names.queue(*id)),
        Command::SetQueue(id, _) => format!("a setting of {} changes", names.queue(*id)),
        Command::SetConsumer(Some(id), _) => {
            format!("a setting of {} changes", names.consumer(*id))
        }
        Command::SetConsumer(None, _) => "a setting of all consumers changes".to_owned(),
        Command::SetProducer(id, _) => format!("a setting of {} changes", names.producer(*id)),
        Command::SetNetwork(_) => "the network changes".to_owned(),
    }
}

/// Why a command came to nothing, as one short sentence without a full stop.
pub fn describe_void(command: &Command, void: Void, names: &Names) -> String {
    let (message, what) = match command {
        Command::ExpireNow(message) => (*message, "no timeout ends"),
        Command::SetPoison { message, poison } => {
            let what = if *poison {
                "no message is poisoned"
            } else {
                "no message is mended"
            };
            (*message, what)
        }
        Command::RedriveMessage { message, .. } => (*message, "no message is redriven"),
        Command::Discard { message, .. } => (*message, "no message is discarded"),
        Command::CancelRedrive(id) => {
            return format!(
                "no redrive is stopped: none of {} is under way",
                names.queue(*id)
            );
        }
        _ => return describe(command, names),
    };
    let name = names.message(message);
    match (void, command) {
        (Void::NoMessage, _) => format!("{what}: there is no message {name} now"),
        (Void::NotInFlight, _) => format!("{what}: {name} is not in flight"),
        (Void::NotDeadLettered, _) => format!("{what}: {name} is in no dead-letter queue"),
        (Void::AlreadySo, Command::SetPoison { poison: true, .. }) => {
            format!("{what}: {name} is a poison message already")
        }
        (Void::AlreadySo, _) => format!("{what}: {name} is no poison message"),
    }
}

/// Why a dead letter is discarded, to be read after "discarded: ".
pub const fn discard_reason(reason: DiscardReason) -> &'static str {
    match reason {
        DiscardReason::Unprocessable => "it can never be processed",
        DiscardReason::Handled => "its work was done by hand",
        DiscardReason::Duplicate => "its work had been done before",
        DiscardReason::Obsolete => "nobody needs it any more",
    }
}
