//! A frame: a bounded amount of engine work, then drawing, then at times new values for the panels.

use super::browser;
use super::panel::Panel;
use super::player::{Player, STEPS};
use crate::engine::Micros;
use crate::session::Progress;

/// Engine work of one frame, in milliseconds; drawing comes after it.
const WORK_OF_A_FRAME: f64 = 6.0;
/// Time between two updates of the panels, in milliseconds.
const PANEL_INTERVAL: f64 = 100.0;
/// Longest time that one frame makes up for, in milliseconds.
const LONGEST_FRAME: f64 = 100.0;
/// Quiet time is run through down to so many real seconds.
const QUIET_STAYS: f64 = 0.5;
/// It takes about so many milliseconds to run through most of it.
const QUIET_TAKES: f64 = 250.0;
/// Steps looked ahead for the end of the quiet.
const QUIET_STEPS: u64 = 2_000;
/// A gap of this many milliseconds was no playing at all: nothing is made up for.
const GAP: f64 = 500.0;

/// How a run keeps up with real time.
#[derive(Default)]
pub struct Pace {
    /// Speed reached, in thousandths of real time, when that is clearly less than what is asked for.
    pub reached: Option<u32>,
    carry: f64,
    last_frame: Option<f64>,
    last_panel: f64,
    measured: (f64, u64),
}

impl Player {
    /// Whether the frame loop has something to do.
    pub fn wants_frames(&self) -> bool {
        self.moves() || self.reading.searching || self.is_sweeping()
    }

    /// Whether a run is on its way.
    fn moves(&self) -> bool {
        self.playing || self.session.is_working() || self.other_lags()
    }

    /// One frame: work, then drawing, then at times new values for the panels.
    pub fn frame(&mut self, now: f64) -> Option<Panel> {
        if self.pace.last_frame.is_none() {
            self.pace.measured = (now, self.session.playhead().at.0);
            self.pace.reached = None;
        }
        let gap = self.pace.last_frame.map_or(0.0, |last| now - last);
        self.pace.last_frame = Some(now);
        let started = browser::now();
        let moves = self.moves();
        // Two runs share the time of one.
        let share = if self.other.is_some() { 2.0 } else { 1.0 };
        let in_time = || browser::now() - started < WORK_OF_A_FRAME / share;
        if self.session.is_working() {
            self.work(in_time);
        } else if self.playing && gap < GAP && !self.other_lags() {
            self.play(gap.min(LONGEST_FRAME), in_time);
        }
        self.follow(|| browser::now() - started < WORK_OF_A_FRAME);
        if moves {
            self.paint();
        }
        self.go_on_sweeping();
        if !self.wants_frames() {
            self.pace.last_frame = None;
        }
        let due = now - self.pace.last_panel >= PANEL_INTERVAL || !self.wants_frames();
        due.then(|| {
            self.pace.last_panel = now;
            self.measure(now);
            self.panel()
        })
    }

    fn work(&mut self, in_time: impl Fn() -> bool) {
        self.seeking = None;
        loop {
            match self.session.work(STEPS) {
                Progress::Working { done } if !in_time() => {
                    self.seeking = Some((done * 100.0) as u8);
                    return;
                }
                Progress::Working { .. } => {}
                progress => return self.jumped(progress),
            }
        }
    }

    fn play(&mut self, milliseconds: f64, in_time: impl Fn() -> bool) {
        // A millisecond at a thousandth of real time is a microsecond.
        let speed = f64::from(self.speed).max(self.through_quiet());
        let wanted = self.pace.carry + milliseconds * speed;
        self.pace.carry = wanted.fract();
        let now = self.session.playhead().at;
        let until = now + Micros(wanted as u64);
        // Played again, it is seen to move again.
        self.rests = self.rests.filter(|rests| rests.at <= now);
        loop {
            match self.session.advance_to(until, STEPS) {
                Progress::Working { .. } if in_time() => continue,
                Progress::Working { .. } | Progress::Reached | Progress::NotFound => {}
                Progress::Stopped(reason) => {
                    self.stopped = Some(reason);
                    self.come_to_rest();
                }
                Progress::Ended => self.come_to_rest(),
                Progress::Stuck => {
                    self.stuck = true;
                    self.come_to_rest();
                }
            }
            break;
        }
    }

    /// The speed at which quiet time is run through, in thousandths of real time: the faster, the more of it is left.
    fn through_quiet(&mut self) -> f64 {
        if !self.travel.skips_quiet {
            return 0.0;
        }
        let now = self.session.playhead().at;
        let until = self.session.quiet_until(QUIET_STEPS).unwrap_or(now);
        let left = until - now;
        if left <= self.at_pace(QUIET_STAYS) {
            return 0.0;
        }
        left.0 as f64 / QUIET_TAKES
    }

    fn come_to_rest(&mut self) {
        self.playing = false;
        self.rests = Some(self.session.playhead());
        self.speak_soon();
    }

    fn measure(&mut self, now: f64) {
        let at = self.session.playhead().at.0;
        let (since, from) = self.pace.measured;
        if !self.playing || at < from || now - since > 2_000.0 {
            self.pace.measured = (now, at);
            self.pace.reached = self.pace.reached.filter(|_| self.playing);
        } else if now - since >= 500.0 {
            let speed = ((at - from) as f64 / (now - since)) as u32;
            self.pace.reached = (f64::from(speed) < f64::from(self.speed) * 0.8).then_some(speed);
            self.pace.measured = (now, at);
        }
    }
}
