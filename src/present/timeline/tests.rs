use super::*;
use crate::engine::QueueId;
use crate::engine::ledger::{DeliveryOutcome, WorkRecord};
use crate::present::fixtures::{self, ms};
use crate::present::names::Bodies;

fn record(
    message: u32,
    consumer: u16,
    start: u64,
    end: u64,
    until: u64,
    outcome: DeliveryOutcome,
) -> DeliveryRecord {
    DeliveryRecord {
        message: MessageNumber(message),
        queue: QueueId(0),
        consumer: ConsumerId(consumer),
        delivery: 1,
        delivered_at: ms(start),
        cut_short: false,
        hidden_until: ms(until),
        work: Some(WorkRecord {
            worker: 0,
            started_at: ms(start),
            ends_at: ms(end),
        }),
        outcome,
        ended_at: (outcome != DeliveryOutcome::Running).then(|| ms(end)),
    }
}

fn with<T>(
    deliveries: &[DeliveryRecord],
    marks: &[Mark],
    now: u64,
    look: impl Fn(&TimelineInput, Timeline) -> T,
) -> T {
    let fixture = fixtures::fifo();
    let bodies = Bodies::default();
    let input = TimelineInput {
        names: Names {
            setup: &fixture.setup,
            bodies: &bodies,
        },
        deliveries,
        group: &|message| Some(GroupId(message.0 % 3)),
        marks,
        from: Micros::ZERO,
        until: Micros::from_secs(16),
        now: ms(now),
        known_until: ms(now),
        width: 1_100.0,
        root_font: 16.0,
    };
    look(&input, Timeline::compute(&input))
}

#[test]
fn a_bar_runs_to_the_end_of_its_work_and_is_hatched_past_its_timeout() {
    let running = record(11, 1, 8_200, 11_100, 10_700, DeliveryOutcome::Running);
    with(&[running], &[], 10_900, |input, strip| {
        let bar = &strip.bars[0];
        let overrun = bar.overrun.unwrap();
        assert_eq!(bar.style, BarStyle::Running);
        assert_eq!(
            strip.time_at(input, bar.rect.right() + 1.0).0 / 10_000,
            1_110
        );
        assert_eq!(
            (bar.flag, overrun.right()),
            (Some(overrun.x), bar.rect.right())
        );
        assert_eq!(bar.label.as_ref().unwrap().text, "11");
    });
}

#[test]
fn what_was_acked_before_its_work_overruns_nothing() {
    let done = record(11, 1, 8_200, 11_100, 10_700, DeliveryOutcome::Finished);
    let late = record(12, 1, 8_200, 11_100, 10_700, DeliveryOutcome::FinishedLate);
    with(&[done, late], &[], 12_000, |_, strip| {
        let overrun: Vec<bool> = strip.bars.iter().map(|bar| bar.overrun.is_some()).collect();
        assert_eq!(overrun, [false, true]);
    });
}

#[test]
fn what_comes_after_the_playhead_is_shaded() {
    with(&[], &[], 8_000, |input, strip| {
        let x = strip.playhead.unwrap();
        assert_eq!(strip.time_at(input, x), ms(8_000));
        assert_eq!(
            (strip.future.x, strip.future.right()),
            (x, strip.area.right())
        );
    });
}

#[test]
fn bars_and_marks_lie_in_their_rows_inside_the_strip() {
    let deliveries = [
        record(1, 0, 200, 1_100, 2_700, DeliveryOutcome::Finished),
        record(5, 2, 4_400, 6_100, 6_900, DeliveryOutcome::Failed),
        record(9, 0, 15_000, 40_000, 60_000, DeliveryOutcome::Running),
        record(9, 0, 20_000, 40_000, 60_000, DeliveryOutcome::Running),
    ];
    let marks = [
        Mark {
            at: ms(8_700),
            kind: MarkKind::DeadLetter(MessageNumber(5)),
        },
        Mark {
            at: ms(99_000),
            kind: MarkKind::Crash(ConsumerId(0)),
        },
    ];
    with(&deliveries, &marks, 10_900, |_, strip| {
        let stage = Rect::new(0.0, 0.0, strip.width, strip.height);
        assert_eq!(
            (strip.bars.len(), strip.marks.len()),
            (3, 1),
            "what is outside the window is left out"
        );
        assert!(strip.bars.iter().all(|bar| stage.encloses(&bar.rect)));
        assert_eq!(
            strip.rails.len(),
            4,
            "three consumers and the dead-letter queue"
        );
        assert!(strip.marks[0].at.y > strip.bars[1].rect.bottom());
        assert_eq!(
            strip.bars[1].description,
            "5 at worker-3: failed, 4.4 s to 6.1 s"
        );
    });
}

#[test]
fn ticks_do_not_touch_each_other() {
    with(&[], &[], 0, |_, strip| {
        for pair in strip.ticks.windows(2) {
            assert!(!pair[0].label.rect.overlaps(&pair[1].label.rect));
        }
    });
}

#[test]
fn the_window_of_an_endless_run_moves_in_steps() {
    let longest = Micros::from_secs(40);
    assert_eq!(
        window(ms(0), ms(0), Some(Micros::from_secs(30)), longest),
        (Micros::ZERO, Micros::from_secs(30))
    );
    assert_eq!(
        window(ms(0), ms(0), None, longest),
        (Micros::ZERO, Micros::from_secs(16))
    );
    let (from, until) = window(Micros::from_secs(95), Micros::from_secs(95), None, longest);
    assert_eq!(
        (from, until),
        (Micros::from_secs(70), Micros::from_secs(110))
    );
    assert_eq!(
        window(Micros::from_secs(99), Micros::from_secs(99), None, longest).1,
        until
    );
}

#[test]
fn a_window_that_is_empty_or_upside_down_is_drawn_without_bars_of_no_size() {
    let deliveries = [record(1, 0, 200, 1_100, 2_700, DeliveryOutcome::Finished)];
    with(&deliveries, &[], 5_000, |input, _| {
        for (from, until) in [(ms(900), ms(900)), (ms(9_000), ms(100))] {
            let strip = Timeline::compute(&TimelineInput {
                from,
                until,
                ..*input
            });
            assert!(
                strip
                    .bars
                    .iter()
                    .all(|bar| bar.rect.w >= 1.0 && bar.rect.x.is_finite())
            );
        }
    });
}
