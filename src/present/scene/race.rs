//! Work and visibility timeout on one bar.

use crate::engine::snapshot::JobView;
use crate::engine::{ConsumerId, Micros};
use crate::present::geometry::{Rect, Within};

use super::{Flag, RaceBar};

/// A timeout later than this many times the work is shown at the bar's end, marked as further away.
const FURTHEST: f64 = 3.0;

/// The bar of a job within `room`: as long as the room shows the longer of work and timeout.
pub fn bar(consumer: ConsumerId, job: &JobView, room: Rect, now: Micros, crashed: bool) -> RaceBar {
    let since = |at: Micros| at.as_secs_f64() - job.started.as_secs_f64();
    let work = since(job.ends).max(1e-6);
    let deadline = if job.held.acked || job.held.hidden_until == Micros::MAX {
        f64::INFINITY
    } else {
        since(job.held.hidden_until)
    };
    // A crashed worker's work is over; its bar runs to the end of the timeout instead.
    let length = if crashed && deadline.is_finite() {
        deadline.max(work)
    } else {
        work
    };
    let shown = if deadline.is_finite() {
        length.max(deadline.min(length * FURTHEST))
    } else {
        length
    };
    let scale = room.w / shown;
    let at = |seconds: f64| (seconds * scale).within(0.0, room.w);
    let span = |from: f64, to: f64| {
        Rect::new(
            room.x + at(from),
            room.y,
            (at(to) - at(from)).max(0.0),
            room.h,
        )
    };
    let reached = if crashed {
        work
    } else {
        since(now).within(0.0, work)
    };
    let limit = deadline.max(0.0);
    let flag = deadline.is_finite().then(|| Flag {
        pole: Rect::new(
            room.x + at(limit),
            room.y - room.h * 0.45,
            0.0,
            room.h * 1.9,
        ),
        beyond: deadline > shown + 1e-9,
    });
    RaceBar {
        consumer,
        message: job.held.token.message,
        track: span(0.0, length),
        done: span(0.0, reached.min(limit)),
        late: (!crashed && reached > limit).then(|| span(limit, reached)),
        overrun: (!crashed && work > limit).then(|| span(limit, work)),
        flag,
        frozen: crashed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures::{held, job, ms, token};

    const ROOM: Rect = Rect::new(100.0, 0.0, 90.0, 10.0);

    fn bar_of(until: u64, ends: u64, now: u64) -> RaceBar {
        let job = job(held(token(1, None, 1), 1_000, until, now), ends).unwrap();
        bar(ConsumerId(0), &job, ROOM, ms(now), false)
    }

    #[test]
    fn an_overrun_is_seen_before_it_happens() {
        let bar = bar_of(4_000, 5_500, 2_000);
        assert_eq!(bar.track, ROOM);
        assert_eq!(bar.overrun, Some(Rect::new(160.0, 0.0, 30.0, 10.0)));
        assert_eq!((bar.late, bar.done.w), (None, 20.0));
    }

    #[test]
    fn past_the_flag_the_work_is_red() {
        let bar = bar_of(4_000, 5_500, 4_600);
        let late = bar.late.unwrap();
        assert_eq!((bar.done.w, late.x), (60.0, 160.0));
        assert!((late.w - 12.0).abs() < 1e-9);
    }

    #[test]
    fn a_heartbeat_moves_the_flag() {
        let before = bar_of(4_000, 5_500, 2_000).flag.unwrap();
        let after = bar_of(5_000, 5_500, 2_000).flag.unwrap();
        assert!(after.pole.x > before.pole.x);
    }

    #[test]
    fn a_distant_timeout_leaves_the_work_readable() {
        let bar = bar_of(600_000, 2_000, 1_500);
        assert_eq!(bar.track.w, 30.0);
        assert!(bar.flag.unwrap().beyond);
    }

    #[test]
    fn a_lease_that_ended_in_the_buffer_makes_all_work_late() {
        let bar = bar_of(500, 3_000, 2_000);
        assert_eq!((bar.done.w, bar.late.unwrap().w), (0.0, 45.0));
    }
}
