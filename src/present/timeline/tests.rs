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
        ghosts: &[],
        ghost_marks: &[],
        forked_at: None,
        selected: None,
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
            "5 at worker-3: failed, 4.4 s to 6.1 s, timeout at 6.9 s"
        );
    });
}

#[test]
fn ticks_do_not_touch_each_other() {
    with(&[], &[], 0, |input, _| {
        for (from, until, width) in [
            (0, 16_000, 1_100.0),
            (0, 20_000, 700.0),
            (3_590_000, 3_900_000, 330.0),
            (1_234_100, 1_234_150, 700.0),
            (0, 90_000_000, 330.0),
        ] {
            let strip = Timeline::compute(&TimelineInput {
                from: ms(from),
                until: ms(until),
                width,
                ..*input
            });
            assert!(!strip.ticks.is_empty());
            for pair in strip.ticks.windows(2) {
                assert!(!pair[0].label.rect.overlaps(&pair[1].label.rect));
            }
        }
    });
}

#[test]
fn eight_consumers_and_a_dead_letter_queue_fit_in_a_low_panel() {
    let mut fixture = fixtures::fifo();
    let one = fixture.setup.consumers[0].clone();
    fixture.setup.consumers = vec![one; 12];
    with(&[], &[], 0, |input, few| {
        let names = Names {
            setup: &fixture.setup,
            ..input.names
        };
        let many = Timeline::compute(&TimelineInput { names, ..*input });
        assert_eq!(many.rails.len(), 9);
        assert!(many.height <= 200.0 && few.height <= 160.0);
        let labels = &many.labels;
        let apart = |(i, label): (usize, &Text)| {
            let mut others = labels[i + 1..].iter();
            others.all(|other| !label.rect.overlaps(&other.rect))
        };
        assert!(labels.iter().enumerate().all(apart));
    });
}

#[test]
fn a_message_hidden_by_a_crash_shows_when_its_timeout_ends_and_one_that_is_done_only_hints_at_it() {
    let crashed = record(1, 0, 1_000, 2_000, 7_000, DeliveryOutcome::Crashed);
    let done = record(2, 1, 1_000, 2_000, 7_000, DeliveryOutcome::Finished);
    with(&[crashed, done], &[], 12_000, |input, strip| {
        let at = |x: Option<f64>| x.map(|x| strip.time_at(input, x).0 / 10_000);
        let [crashed, done] = &strip.bars[..] else {
            panic!("two bars")
        };
        assert_eq!((at(crashed.flag), at(crashed.deadline)), (Some(700), None));
        assert_eq!((at(done.flag), at(done.deadline)), (None, Some(700)));
        assert!(done.description.ends_with("timeout at 7.0 s"));
    });
}

#[test]
fn what_would_have_been_is_drawn_from_the_fork_on() {
    let before = record(1, 0, 1_000, 2_000, 7_000, DeliveryOutcome::Finished);
    let across = record(2, 1, 1_000, 6_000, 7_000, DeliveryOutcome::Finished);
    let after = record(3, 0, 5_000, 6_000, 9_000, DeliveryOutcome::Failed);
    with(&[], &[], 4_000, |input, _| {
        let strip = Timeline::compute(&TimelineInput {
            ghosts: &[before, across, after],
            forked_at: Some(ms(4_000)),
            ..*input
        });
        let starts: Vec<u64> = strip
            .ghosts
            .iter()
            .map(|bar| strip.time_at(input, bar.rect.x).0 / 100_000)
            .collect();
        assert_eq!(starts, [40, 50]);
        assert!(strip.bars.is_empty());
        let before = strip.before.as_ref().expect("there is room");
        assert_eq!(before.text, "before");
        assert!(before.rect.x >= strip.ghosts[0].rect.x);
        assert!(
            strip.ghosts[1]
                .description
                .starts_with("would have been: 3")
        );
    });
}

#[test]
fn what_would_have_been_lies_below_what_is_and_its_word_over_nothing() {
    let deliveries: Vec<DeliveryRecord> = (0..24)
        .map(|n| {
            let from = 1_000 * u64::from(n / 3);
            record(
                n + 1,
                (n % 3) as u16,
                from,
                from + 900,
                from + 3_000,
                DeliveryOutcome::Finished,
            )
        })
        .collect();
    let marks = [Mark {
        at: ms(4_100),
        kind: MarkKind::DeadLetter(MessageNumber(3)),
    }];
    with(&deliveries, &marks, 8_000, |input, _| {
        let strip = Timeline::compute(&TimelineInput {
            ghosts: &deliveries,
            forked_at: Some(ms(4_000)),
            ..*input
        });
        let apart = |one: &Rect, other: &Rect| {
            one.right() <= other.x
                || other.right() <= one.x
                || one.bottom() <= other.y
                || other.bottom() <= one.y
        };
        assert!(!strip.ghosts.is_empty());
        for ghost in &strip.ghosts {
            assert!(strip.bars.iter().all(|bar| apart(&bar.rect, &ghost.rect)));
            assert!(ghost.rect.bottom() <= strip.height && ghost.label.is_none());
            assert!(strip.bars.iter().all(|bar| ghost.rect.h < bar.rect.h / 2.0));
        }
        // Every row is taken at the fork.
        assert_eq!(strip.before, None);
    });
}

#[test]
fn names_of_dead_letters_do_not_run_into_each_other_and_ghosts_have_none() {
    let marks: Vec<Mark> = (0..30)
        .map(|n| Mark {
            at: ms(1_000 + u64::from(n * n) * 16),
            kind: MarkKind::DeadLetter(MessageNumber(100 + n)),
        })
        .collect();
    with(&[], &marks, 15_000, |input, _| {
        let strip = Timeline::compute(&TimelineInput {
            ghost_marks: &marks[..3],
            ..*input
        });
        assert_eq!(strip.marks.len(), 33);
        let named: Vec<&PlacedMark> = strip
            .marks
            .iter()
            .filter(|mark| mark.label.is_some())
            .collect();
        assert!((5..30).contains(&named.len()));
        for pair in strip.marks[3..].windows(2) {
            let right = pair[0].label.as_ref().map_or(0.0, |it| it.rect.right());
            assert!(right <= pair[1].at.x);
        }
        assert!(named.iter().all(|mark| !mark.ghost));
        assert_eq!(strip.marks.iter().filter(|mark| mark.ghost).count(), 3);
    });
}

#[test]
fn very_many_deliveries_are_drawn_together_and_none_is_forgotten() {
    let one = |n: u32| {
        let start = u64::from(n) * 5;
        let outcome = if n == 1_500 {
            DeliveryOutcome::FinishedLate
        } else {
            DeliveryOutcome::Finished
        };
        record(n + 1, (n % 3) as u16, start, start + 4, 60_000, outcome)
    };
    let deliveries: Vec<DeliveryRecord> = (0..3_000).map(one).collect();
    with(&deliveries, &[], 15_000, |_, strip| {
        assert!(strip.bars.len() <= 260, "{}", strip.bars.len());
        assert_eq!(strip.bars.iter().map(|bar| bar.count).sum::<u32>(), 3_000);
        let late = strip.bars.iter().filter(|bar| bar.style == BarStyle::Late);
        let late: Vec<&Bar> = late.collect();
        assert_eq!(late.len(), 1);
        assert!(late[0].description.contains("1 of them late"));
    });
}

#[test]
fn the_colour_of_a_group_and_the_outcome_are_both_seen_on_a_narrow_bar() {
    let narrow = record(1, 0, 1_000, 1_030, 7_000, DeliveryOutcome::Failed);
    let wide = record(2, 0, 2_000, 4_000, 7_000, DeliveryOutcome::Finished);
    with(&[narrow, wide], &[], 12_000, |_, strip| {
        for bar in &strip.bars {
            let (_, stripe) = bar.group.expect("it has a group");
            assert!(bar.rect.encloses(&stripe) && stripe.w >= 2.0);
            assert!(stripe.w * stripe.h < bar.rect.w * bar.rect.h / 2.0);
        }
    });
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
