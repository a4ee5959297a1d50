//! What a changed setting does to what is there already, as a caption.

use crate::engine::command::{ConsumerChange, QueueChange};
use crate::engine::setup::QueueKind;
use crate::engine::snapshot::Counts;
use crate::engine::{Command, ConsumerId, Micros, QueueId, Snapshot};
use crate::present::controls::{Control, Target};
use crate::present::format;
use crate::present::names::Names;

use super::actions::describe;
use super::controls::Group;

/// A changed setting in words: "visibility timeout 3 s → 6 s from 12.4 s; 2 messages in flight keep theirs". `before`
/// is the moment before the change. Other commands are described as they are.
pub fn caption(command: &Command, before: &Snapshot, at: Micros, names: &Names) -> String {
    if let Some(refused) = refusal(command, before, names) {
        return refused;
    }
    // Who acts in a consumer's place is told as that, not as a setting.
    let by_hand = matches!(
        command,
        Command::SetConsumer(Some(_), ConsumerChange::ByHand(_))
    );
    let setting = changed(command, before).filter(|_| !by_hand);
    let Some((control, target, old, new)) = setting else {
        return match loser(command, before) {
            Some(loser) => format!(
                "{} from {}",
                describe(command, names),
                names.consumer(loser)
            ),
            None => describe(command, names),
        };
    };
    let whose = owner(command, before, names);
    let label = format::lower_first(control.label);
    let change = format!("{whose}{label} {old} → {new} from {}", format::instant(at));
    match consequence(command, before, &target) {
        Some(rest) => format!("{change}; {rest}"),
        None => change,
    }
}

/// Who loses the session that a command takes away.
fn loser(command: &Command, before: &Snapshot) -> Option<ConsumerId> {
    let Command::TakeSession(queue, Some(group)) = command else {
        return None;
    };
    let mut sessions = before.queues.get(queue.index())?.sessions.iter();
    let session = sessions.find(|session| session.group == Some(*group))?;
    Some(session.consumer)
}

/// Why a command would be refused, in words; none when it would not.
pub fn refusal(command: &Command, before: &Snapshot, names: &Names) -> Option<String> {
    let Command::Redrive { from, .. } = command else {
        return None;
    };
    let under_way = before.queues.get(from.index())?.redrive.is_some();
    under_way.then(|| {
        format!(
            "redrive refused: another one of {} is under way",
            names.queue(*from)
        )
    })
}

/// The setting that a command changes, with its value before and after, as they read.
pub fn changed(
    command: &Command,
    before: &Snapshot,
) -> Option<(&'static Control, Target, String, String)> {
    let (groups, target) = match command {
        Command::SetQueue(queue, _) => (
            Group::Queue,
            Target {
                queue: *queue,
                ..Target::default()
            },
        ),
        Command::SetConsumer(consumer, _) => {
            let consumer = consumer.or((!before.consumers.is_empty()).then_some(ConsumerId(0)));
            (
                Group::Consumers,
                Target {
                    consumer,
                    ..Target::default()
                },
            )
        }
        Command::SetProducer(producer, _) => (
            Group::Producers,
            Target {
                producer: *producer,
                ..Target::default()
            },
        ),
        Command::SetNetwork(_) => (Group::Network, Target::default()),
        _ => return None,
    };
    // Consumers that are set together may have differed, so the reading before names them all.
    let shown = match command {
        Command::SetConsumer(None, _) => Target {
            consumer: None,
            ..target
        },
        _ => target,
    };
    groups.controls().find_map(|control| {
        let new = control.value_set_by(command, before, &target).or_else(|| {
            let ids = (0..before.consumers.len() as u16).map(ConsumerId);
            let others = ids.map(|id| Target {
                consumer: Some(id),
                ..target
            });
            let all = matches!(command, Command::SetConsumer(None, _));
            others
                .filter(|_| all)
                .find_map(|one| control.value_set_by(command, before, &one))
        })?;
        let old = control.reading(before, &shown)?.text;
        Some((control, target, old, new))
    })
}

/// Whose setting it is, where that is not plain.
fn owner(command: &Command, before: &Snapshot, names: &Names) -> String {
    match command {
        Command::SetConsumer(Some(id), _) if before.consumers.len() > 1 => {
            format!("{}: ", names.consumer(*id))
        }
        Command::SetProducer(id, _) if before.producers.len() > 1 => {
            format!("{}: ", names.producer(*id))
        }
        Command::SetQueue(id, _) if main_queues(before) > 1 => format!("{}: ", names.queue(*id)),
        _ => String::new(),
    }
}

fn main_queues(snapshot: &Snapshot) -> usize {
    let main = snapshot
        .queues
        .iter()
        .filter(|queue| !queue.is_dead_letter_queue);
    main.count()
}

fn counts(before: &Snapshot, id: QueueId) -> Counts {
    before
        .queues
        .get(id.index())
        .map(|queue| queue.counts)
        .unwrap_or_default()
}

fn keep(n: u64, what: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(format!("1 message {what} keeps its own")),
        n => Some(format!("{} messages {what} keep theirs", format::count(n))),
    }
}

/// What the change does to what is in the queue, in flight or at work.
fn consequence(command: &Command, before: &Snapshot, target: &Target) -> Option<String> {
    match command {
        Command::SetQueue(id, change) => queue_consequence(change, before, *id),
        Command::SetConsumer(which, change) => {
            let chosen = |id: usize| which.is_none_or(|which| which.index() == id);
            let consumers = before
                .consumers
                .iter()
                .enumerate()
                .filter(|(id, _)| chosen(*id));
            match change {
                ConsumerChange::Prefetch(prefetch) => {
                    let raised = before
                        .consumers
                        .iter()
                        .enumerate()
                        .any(|(id, one)| chosen(id) && one.setup.prefetch < *prefetch);
                    if raised {
                        let who = if which.is_none() && before.consumers.len() > 1 {
                            "each consumer"
                        } else {
                            "the consumer"
                        };
                        return Some(format!(
                            "{who} may now hold {}: what is there goes to whoever asks first, and waits in its buffer \
                             with the timeout running",
                            format::count((*prefetch).into())
                        ));
                    }
                    let held = |workers: usize, buffered: usize| (workers + buffered) as u64;
                    let over = consumers.filter(|(_, consumer)| {
                        let running = consumer.workers.iter().flatten().count();
                        held(running, consumer.buffered.len()) > u64::from(*prefetch)
                    });
                    Some(if over.count() > 0 {
                        "what is buffered stays; nothing new until there is less".to_owned()
                    } else {
                        "what is over it stays in the queue, for whoever asks next".to_owned()
                    })
                }
                ConsumerChange::Processing(_) => {
                    let running: usize = consumers
                        .map(|(_, one)| one.workers.iter().flatten().count())
                        .sum();
                    keep(running as u64, "at work")
                }
                ConsumerChange::VisibilityTimeout(_) => {
                    let queue = before
                        .consumers
                        .get(target.consumer.map_or(0, ConsumerId::index))?
                        .setup
                        .from;
                    keep(counts(before, queue).in_flight, "in flight")
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn queue_consequence(change: &QueueChange, before: &Snapshot, id: QueueId) -> Option<String> {
    let counts = counts(before, id);
    let fifo = before.queues.get(id.index())?.setup.kind == QueueKind::Fifo;
    match change {
        QueueChange::VisibilityTimeout(_) => keep(counts.in_flight, "in flight")
            .or_else(|| Some("it holds for what is delivered from now on".to_owned())),
        QueueChange::Delay(_) if !fifo => keep(counts.delayed, "delayed"),
        QueueChange::Delay(_) | QueueChange::Retention(_) => {
            Some("it acts on what is there as well".to_owned())
        }
        QueueChange::MaxDeliveries(_) => Some("deliveries so far count".to_owned()),
        QueueChange::Kind(QueueKind::Fifo) => {
            Some("groups form from the sends, and each waits for its first message; a real queue cannot be converted".to_owned())
        }
        QueueChange::Kind(QueueKind::Standard) => {
            Some("the locks of groups vanish, counts and timeouts stay; a real queue cannot be converted".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures::{self, ms};
    use crate::present::names::Bodies;

    fn told(fixture: &fixtures::Fixture, command: &Command) -> String {
        let bodies = Bodies::default();
        let names = Names {
            setup: &fixture.setup,
            bodies: &bodies,
        };
        caption(command, &fixture.snapshot, ms(12_400), &names).replace('\u{a0}', " ")
    }

    #[test]
    fn a_changed_timeout_says_what_keeps_the_old_one() {
        let mut fixture = fixtures::charged_twice();
        fixture.snapshot.queues[0].counts.in_flight = 2;
        let command = Command::SetQueue(QueueId(0), QueueChange::VisibilityTimeout(ms(6_000)));
        assert_eq!(
            told(&fixture, &command),
            "visibility timeout 3 s → 6 s from 12.4 s; 2 messages in flight keep theirs"
        );
    }

    #[test]
    fn a_session_that_is_taken_away_is_named_with_who_loses_it() {
        use crate::engine::GroupId;
        use crate::engine::snapshot::SessionView;

        let mut fixture = fixtures::charged_twice();
        fixture.setup.groups = vec!["cart".into()];
        fixture.snapshot.queues[0].sessions = vec![SessionView {
            group: Some(GroupId(0)),
            consumer: ConsumerId(1),
            since: ms(0),
            until: ms(30_000),
            is_orphaned: false,
        }];
        let taken = Command::TakeSession(QueueId(0), Some(GroupId(0)));
        assert_eq!(
            told(&fixture, &taken),
            "the session cart of orders is taken away from worker-2"
        );
    }

    #[test]
    fn a_lowered_prefetch_drops_nothing() {
        let command = Command::SetConsumer(None, ConsumerChange::Prefetch(1));
        let text = told(&fixtures::backlog(), &command);
        assert!(
            text.starts_with("prefetch 9 → 1 from 12.4 s; what is buffered stays"),
            "{text}"
        );
    }

    #[test]
    fn a_raised_prefetch_says_where_messages_will_wait() {
        let command = Command::SetConsumer(None, ConsumerChange::Prefetch(10));
        let text = told(&fixtures::charged_twice(), &command);
        assert!(
            text.ends_with(
                "goes to whoever asks first, and waits in its buffer with the timeout running"
            ),
            "{text}"
        );
    }

    #[test]
    fn consumers_that_differed_are_named_before_the_change() {
        let command = Control::find("work").unwrap().1.command(
            &fixtures::charged_twice().snapshot,
            &Target::default(),
            5,
        );
        let text = told(&fixtures::charged_twice(), &command.unwrap());
        assert!(
            text.starts_with("work per message 1 s / 4.5 s → 1 s from"),
            "{text}"
        );
    }

    #[test]
    fn a_converted_queue_says_that_real_ones_cannot_be() {
        let command = Command::SetQueue(QueueId(0), QueueChange::Kind(QueueKind::Fifo));
        assert!(
            told(&fixtures::charged_twice(), &command)
                .ends_with("a real queue cannot be converted")
        );
    }

    #[test]
    fn a_redrive_beside_another_is_refused() {
        let mut fixture = fixtures::charged_twice();
        let command = Command::Redrive {
            from: QueueId(0),
            limit: None,
            rate: None,
        };
        assert!(!told(&fixture, &command).contains("refused"));
        fixture.snapshot.queues[0].redrive = Some(crate::engine::snapshot::RedriveView {
            left: 3,
            moved: 1,
            rate: 1,
        });
        assert!(told(&fixture, &command).starts_with("redrive refused: another one of "));
    }

    #[test]
    fn a_command_that_sets_nothing_is_described() {
        let text = told(&fixtures::charged_twice(), &Command::Crash(ConsumerId(1)));
        assert_eq!(text, "worker-2 is made to crash");
    }
}
