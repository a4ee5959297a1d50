//! Finished messages that are acknowledged together.

use queue_playground::engine::setup::*;
use queue_playground::engine::*;

use super::runs::*;

fn acked(ran: &Ran) -> Vec<f64> {
    ran.times(|it| matches!(it, EventKind::Acked { .. }))
}

fn acknowledging(together: AckTogether) -> ConsumerSetup {
    ConsumerSetup {
        ack_together: Some(together),
        ..worker("c1", 1.0)
    }
}

#[test]
fn every_third_finished_message_acknowledges_the_two_before_it_too() {
    let together = AckTogether {
        count: Some(3),
        every: None,
    };
    let ran = run(
        &setup(QueueKind::Standard, 7, vec![acknowledging(together)]),
        20.0,
    );
    assert_eq!(acked(&ran), [3.0, 3.0, 3.0, 6.0, 6.0, 6.0]);
}

#[test]
fn a_checkpoint_acknowledges_all_that_is_finished_at_every_multiple_of_its_time() {
    let together = AckTogether {
        count: None,
        every: Some(Micros::from_millis(2_500)),
    };
    let ran = run(
        &setup(QueueKind::Standard, 5, vec![acknowledging(together)]),
        20.0,
    );
    assert_eq!(acked(&ran), [2.5, 2.5, 5.0, 5.0, 7.5]);
}

#[test]
fn a_crash_before_the_checkpoint_repeats_what_was_finished() {
    let together = AckTogether {
        count: Some(3),
        every: None,
    };
    let first = ConsumerSetup {
        failure: Failure::default(),
        ..acknowledging(together)
    };
    let mut setup = setup(QueueKind::Standard, 5, vec![first, worker("c2", 1.0)]);
    setup.consumers[1].start = Micros::from_millis(4_600);
    setup.queues[0].visibility_timeout = Micros::from_secs(5);
    setup.commands.push(TimedCommand {
        at: Micros::from_millis(4_500),
        command: Command::Crash(ConsumerId(0)),
    });
    let ran = run(&setup, 30.0);
    let totals = ran.simulation.totals();
    // Three are acknowledged at 3 s. The fourth was finished at 4 s, and is done again.
    assert_eq!((totals.effects, totals.duplicate_effects), (6, 1));
    assert_eq!(acked(&ran)[..3], [3.0, 3.0, 3.0]);
    assert_eq!(totals.acked, 5);
}
