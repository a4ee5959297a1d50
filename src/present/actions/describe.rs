//! Commands in words.

use std::fmt::Display;

use crate::engine::command::{ConsumerChange, DiscardReason, HandCall};
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
        Command::CloseChannel(id) => format!("the channel of {} is closed", names.consumer(*id)),
        Command::Purge(id) => format!("{} is purged", names.queue(*id)),
        Command::TakeSession(id, Some(group)) => {
            let session = names.group(*group);
            format!(
                "the session {session} of {} is taken away",
                names.queue(*id)
            )
        }
        Command::TakeSession(id, None) => {
            format!("a session of {} is taken away", names.queue(*id))
        }
        Command::RestartBroker => "the broker restarts".to_owned(),
        Command::Receive { consumer, max, .. } => {
            let count = format::counted(u64::from(*max), "message", "messages");
            format!("{} asks for {count} by hand", names.consumer(*consumer))
        }
        Command::Settle {
            consumer,
            message,
            call,
        } => settled(names.consumer(*consumer), names.message(*message), *call),
        Command::SetQueue(id, _) => format!("a setting of {} changes", names.queue(*id)),
        Command::SetConsumer(Some(id), ConsumerChange::ByHand(true)) => {
            format!("you are {} now", names.consumer(*id))
        }
        Command::SetConsumer(Some(id), ConsumerChange::ByHand(false)) => {
            format!("{} works by itself again", names.consumer(*id))
        }
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
        Command::Receive { consumer, .. } | Command::Settle { consumer, .. } => {
            return void_by_hand(command, void, &names.consumer(*consumer), names);
        }
        Command::Purge(id) => {
            let name = names.queue(*id);
            return format!("{name} is not purged: the last purge was not long ago");
        }
        Command::TakeSession(id, _) => {
            let name = names.queue(*id);
            return format!("no session is taken away: nobody holds it at {name}");
        }
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
        (Void::NoTimeout, _) => format!("{what}: {name} was handed out without one"),
        (Void::NotDeadLettered, _) => format!("{what}: {name} is in no dead-letter queue"),
        (Void::AlreadySo, Command::SetPoison { poison: true, .. }) => {
            format!("{what}: {name} is a poison message already")
        }
        (Void::AlreadySo, _) => format!("{what}: {name} is no poison message"),
        _ => format!("{what}: nothing to act on"),
    }
}

/// What a person does with a message in the place of a consumer.
fn settled(who: impl Display, message: impl Display, call: HandCall) -> String {
    match call {
        HandCall::Ack => format!("{message} is done and acknowledged by hand at {who}"),
        HandCall::Nack { .. } => format!("{message} is returned by hand by {who}"),
        HandCall::Fail => format!("{message} is returned as failed by hand by {who}"),
        HandCall::Reject => format!("{message} is given up by hand by {who}"),
        HandCall::Extend { to } => {
            let to = format::span(to);
            format!("{who} extends the timeout of {message} to {to} by hand")
        }
    }
}

fn void_by_hand(command: &Command, void: Void, who: &impl Display, names: &Names) -> String {
    let (what, message) = match command {
        Command::Settle { message, .. } => (
            "nothing is settled by hand",
            names.message(*message).to_string(),
        ),
        _ => ("nothing is received by hand", String::new()),
    };
    match void {
        Void::NotByHand => format!("{what}: {who} works by itself"),
        Void::NotRunning => format!("{what}: {who} is not running"),
        Void::CutOff => format!("{what}: {who} cannot reach the broker"),
        Void::AlreadySo => format!("{what}: a receive of {who} is waiting already"),
        _ => format!("{what}: {who} does not hold {message}"),
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
