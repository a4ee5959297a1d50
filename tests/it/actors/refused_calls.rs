//! Calls that the broker refuses, and what a consumer makes of it.

use queue_playground::engine::event::ExhaustedReason;
use queue_playground::engine::rules::{Exhausted, Rules};
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

use super::runs::*;

const HOUR: f64 = 3600.0;

#[test]
fn a_heartbeat_beyond_twelve_hours_is_refused_once_and_the_consumer_asks_no_more() {
    let mut consumer = worker("slow", 13.0 * HOUR);
    consumer.heartbeat = Some(Heartbeat {
        every: secs(HOUR),
        extend_to: secs(3.0 * HOUR),
    });
    let mut setup = setup(QueueKind::Standard, 1, vec![consumer]);
    setup.queues[0].visibility_timeout = secs(2.0 * HOUR);
    let ran = run(&setup, 12.5 * HOUR);
    let beats = ran.trace.iter().filter_map(|event| match event.kind {
        EventKind::Extended {
            hidden_until,
            refused,
            stale,
            ..
        } => Some((event.at, hidden_until, refused, stale)),
        _ => None,
    });
    let beats: Vec<_> = beats.collect();
    assert_eq!(beats.len(), 10, "{beats:?}");
    let hours = |hours: f64| secs(hours * HOUR);
    assert_eq!(beats[8], (hours(9.0), hours(12.0), false, false));
    assert_eq!(beats[9], (hours(10.0), hours(12.0), true, false));
    let ended = |kind: &EventKind| matches!(kind, EventKind::TimeoutEnded { .. });
    let ended = ran.trace.iter().find(|event| ended(&event.kind));
    assert_eq!(ended.map(|event| event.at), Some(hours(12.0)));
}

#[test]
fn a_share_group_archives_what_is_rejected_and_does_not_speak_of_its_budget() {
    let mut setup = setup(QueueKind::Standard, 1, vec![worker("one", 1.0)]);
    setup.queues[0].rules = Rules {
        exhausted: Exhausted::Archive,
        ..Rules::default()
    };
    setup.consumers[0].failure = Failure {
        first_deliveries: 9,
        permanent: true,
        ..Failure::default()
    };
    let ran = run(&setup, 5.0);
    let told = ran.trace.iter().find_map(|event| match event.kind {
        EventKind::Exhausted {
            archived, reason, ..
        } => Some((archived, reason)),
        _ => None,
    });
    assert_eq!(told, Some((true, ExhaustedReason::Rejected)));
    let counts = ran.simulation.snapshot().queues[0].counts;
    assert_eq!((counts.archived, counts.moved_out), (1, 0));
}

/// RabbitMQ: guide "confirms", when publishes are confirmed: what is unroutable is confirmed too.
#[test]
fn what_is_sent_to_a_queue_that_is_gone_is_confirmed_and_lost() {
    let mut setup = setup(QueueKind::Standard, 0, Vec::new());
    setup.queues[0].rules.unused_for = Some(secs(1.0));
    setup.producers[0].pattern = Pattern::List(vec![PlannedSend::at(secs(5.0))]);
    setup.producers[0].confirm_timeout = Some(secs(1.0));
    setup.producers[0].max_resends = 5;
    let ran = run(&setup, 30.0);
    let refused = |event: &&Event| matches!(event.kind, EventKind::Refused { .. });
    assert_eq!(
        ran.trace.iter().filter(refused).count(),
        1,
        "not sent again"
    );
    assert_eq!(ran.simulation.totals().lost, 1);
}
