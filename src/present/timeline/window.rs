//! Which part of a run the diagram shows: zooming, panning, and following the playhead.

use crate::engine::Micros;

/// What there is to show.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Extent {
    /// The playhead.
    pub now: Micros,
    /// Up to when anything is known, a future that was cut off included.
    pub known_until: Micros,
    /// Where the scenario's story stops by itself.
    pub story: Option<Micros>,
    /// When the run ends; none for an endless one.
    pub duration: Option<Micros>,
    /// The longest part that is shown unasked.
    pub longest: Micros,
    /// Whether the run is playing.
    pub playing: bool,
}

impl Extent {
    /// How far the whole of the run reaches.
    pub fn whole(&self) -> Micros {
        let known = self.now.max(self.known_until);
        let whole = match self.duration {
            Some(duration) => duration.max(known),
            None => known.scaled(5, 4).max(self.longest),
        };
        whole.max(Window::SHORTEST)
    }

    /// The length that is shown unasked, and whether it is all there is to show: the story with a margin, else the run,
    /// neither longer than can be followed.
    fn unasked(&self) -> (Micros, bool) {
        let known = self.now.max(self.known_until);
        let story = self
            .story
            .filter(|story| known <= *story && *story > Micros::ZERO);
        let story = story.map(|story| {
            let margin = story.scaled(21, 20);
            self.duration
                .map_or(margin, |duration| margin.min(duration.max(story)))
        });
        match story.or(self.duration) {
            Some(wanted) if wanted <= self.longest => (wanted.max(Window::SHORTEST), true),
            _ => (self.longest.max(Window::SHORTEST), false),
        }
    }
}

/// The part that is shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Window {
    from: Micros,
    length: Micros,
    /// Nobody has zoomed or panned.
    unasked: bool,
    /// Moves along with the playhead; not after somebody has panned away from it.
    follows: bool,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            from: Micros::ZERO,
            length: Self::SHORTEST,
            unasked: true,
            follows: true,
        }
    }
}

impl Window {
    /// The shortest part that can be shown.
    pub const SHORTEST: Micros = Micros::from_millis(10);
    /// What one step of zooming multiplies the length by.
    pub const STEP: f64 = 1.5;
    /// While playing, the playhead moves up to this share of the window, then the window moves.
    const AHEAD: f64 = 0.8;

    /// Start of the part.
    pub fn from(&self) -> Micros {
        self.from
    }

    /// End of the part.
    pub fn until(&self) -> Micros {
        self.from + self.length
    }

    /// Brings the window up to the run: it stands still while the playhead is inside, and moves along with one that
    /// plays on past four fifths of it.
    pub fn settle(&mut self, extent: &Extent) {
        let whole = extent.whole();
        if self.unasked {
            let (length, is_all) = extent.unasked();
            self.length = length;
            if is_all && extent.now <= length {
                self.from = Micros::ZERO;
                return;
            }
        }
        self.length = self.length.min(whole).max(Self::SHORTEST);
        let now = extent.now;
        let inside = now >= self.from && now <= self.until();
        self.follows |= inside;
        if self.follows {
            let ahead = scaled(self.length, Self::AHEAD);
            if now < self.from {
                self.from = now - scaled(self.length, 1.0 - Self::AHEAD);
            } else if !inside || (extent.playing && now > self.from + ahead) {
                self.from = now - ahead;
            }
        }
        self.clamp(whole);
    }

    /// Shows `factor` times as much, the time `at` staying where it is.
    pub fn zoom(&mut self, factor: f64, at: Micros, extent: &Extent) {
        let whole = extent.whole();
        let at = at.max(self.from).min(self.until());
        let share = (at - self.from).0 as f64 / self.length.0.max(1) as f64;
        self.length = scaled(self.length, factor).min(whole).max(Self::SHORTEST);
        self.from = at - scaled(self.length, share);
        self.unasked = false;
        self.clamp(whole);
        self.look(extent.now);
    }

    /// Moves by a share of the window, to later times if it is above 0.
    pub fn pan(&mut self, share: f64, extent: &Extent) {
        let by = scaled(self.length, share.abs());
        self.from = if share < 0.0 {
            self.from - by
        } else {
            self.from + by
        };
        self.unasked = false;
        self.clamp(extent.whole());
        self.look(extent.now);
    }

    /// Shows all of the run.
    pub fn fit(&mut self, extent: &Extent) {
        let whole = extent.whole();
        *self = Self {
            from: Micros::ZERO,
            length: whole,
            unasked: extent.unasked().0 >= whole,
            follows: true,
        };
    }

    /// Goes along with the playhead again.
    pub fn follow(&mut self) {
        self.follows = true;
    }

    /// Whether there is more to see than is shown.
    pub fn is_part(&self, extent: &Extent) -> bool {
        self.length < extent.whole()
    }

    fn clamp(&mut self, whole: Micros) {
        self.from = self.from.min(whole - self.length);
    }

    fn look(&mut self, now: Micros) {
        self.follows = now >= self.from && now <= self.until();
    }
}

fn scaled(length: Micros, factor: f64) -> Micros {
    Micros((length.0 as f64 * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures::ms;

    fn extent(now: u64) -> Extent {
        Extent {
            now: ms(now),
            known_until: ms(now),
            story: None,
            duration: Some(ms(60_000)),
            longest: ms(20_000),
            playing: true,
        }
    }

    fn settled(extent: &Extent) -> Window {
        let mut window = Window::default();
        window.settle(extent);
        window
    }

    fn shown(window: &Window) -> (u64, u64) {
        (window.from().0 / 1_000, window.until().0 / 1_000)
    }

    #[test]
    fn a_short_run_or_story_is_shown_whole() {
        let short = Extent {
            duration: Some(ms(8_000)),
            ..extent(0)
        };
        assert_eq!(shown(&settled(&short)), (0, 8_000));
        let story = Extent {
            story: Some(ms(6_000)),
            ..extent(0)
        };
        assert_eq!(shown(&settled(&story)), (0, 6_300));
        let mut window = settled(&story);
        for now in 0..60 {
            window.settle(&Extent {
                now: ms(now * 100),
                known_until: ms(now * 100),
                ..story
            });
            assert_eq!(shown(&window), (0, 6_300), "it stands still at {now}");
        }
        window.settle(&Extent {
            known_until: ms(7_000),
            ..story
        });
        assert_eq!(shown(&window), (0, 20_000), "the story is over");
    }

    #[test]
    fn the_window_stands_still_until_the_playhead_nears_its_end_and_then_moves_evenly() {
        let mut window = settled(&extent(0));
        window.settle(&extent(16_000));
        assert_eq!(shown(&window), (0, 20_000));
        let starts = (160..400).map(|tenths| {
            window.settle(&extent(tenths * 100));
            window.from()
        });
        let starts: Vec<Micros> = starts.collect();
        assert!(starts.windows(2).all(|pair| pair[1] - pair[0] == ms(100)));
        window.settle(&extent(59_900));
        assert_eq!(shown(&window), (40_000, 60_000), "never past the end");
    }

    #[test]
    fn while_paused_only_a_playhead_outside_moves_the_window() {
        let paused = |now| Extent {
            playing: false,
            ..extent(now)
        };
        let mut window = settled(&paused(0));
        window.settle(&paused(19_999));
        assert_eq!(shown(&window), (0, 20_000));
        window.settle(&paused(40_000));
        assert_eq!(shown(&window), (24_000, 44_000));
        window.settle(&paused(10_000));
        assert!(window.from() < ms(10_000) && window.until() > ms(10_000));
    }

    #[test]
    fn zooming_keeps_the_time_under_the_pointer_and_stays_within_the_run() {
        let now = extent(10_000);
        let mut window = settled(&now);
        let at = ms(5_000);
        for _ in 0..7 {
            window.zoom(0.5, at, &now);
            let share = (at - window.from()).0 as f64 / (window.until() - window.from()).0 as f64;
            assert!((share - 0.25).abs() < 0.001);
        }
        for _ in 0..40 {
            window.zoom(0.5, at, &now);
        }
        assert_eq!(window.until() - window.from(), Window::SHORTEST);
        for _ in 0..80 {
            window.zoom(1.5, at, &now);
        }
        assert_eq!(shown(&window), (0, 60_000));
        assert!(!window.is_part(&now));
    }

    #[test]
    fn who_pans_away_from_the_playhead_is_left_there() {
        let mut window = settled(&extent(10_000));
        window.pan(1.0, &extent(10_000));
        assert_eq!(shown(&window), (20_000, 40_000));
        window.settle(&extent(10_100));
        assert_eq!(shown(&window), (20_000, 40_000));
        window.pan(-9.0, &extent(10_200));
        assert_eq!(shown(&window), (0, 20_000));
        window.pan(9.0, &extent(10_200));
        window.follow();
        window.settle(&extent(10_300));
        assert!(window.from() <= ms(10_300) && window.until() >= ms(10_300));
    }

    #[test]
    fn fitting_shows_all_and_an_endless_run_has_room_ahead() {
        let now = extent(10_000);
        let mut window = settled(&now);
        window.fit(&now);
        assert_eq!(shown(&window), (0, 60_000));
        let endless = Extent {
            duration: None,
            ..extent(100_000)
        };
        window.fit(&endless);
        assert_eq!(shown(&window), (0, 125_000));
        assert_eq!(shown(&settled(&endless)), (84_000, 104_000));
    }
}
