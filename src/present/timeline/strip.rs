//! Puts the diagram together.

use crate::engine::{ConsumerId, Micros};
use crate::present::geometry::{Point, Rect, Within};
use crate::present::measure;
use crate::present::scene::{Align, Text, TextRole};

use super::bars::{bars, ghosts};
use super::{MOST_ROWS, Mark, MarkKind, Timeline, TimelineInput, text, ticks};

const AXIS: f64 = 22.0;
/// Room for all rows together; few rows take no more than they need.
const ROOM: f64 = 172.0;
const HIGHEST_ROW: f64 = 32.0;
const LOWEST_ROW: f64 = 19.0;

/// Where things stand.
pub(super) struct Strip<'a> {
    pub(super) input: &'a TimelineInput<'a>,
    /// One CSS pixel at the usual font size.
    pub(super) unit: f64,
    pub(super) area: Rect,
    /// Rows of consumers; the dead-letter queue has one more.
    pub(super) rows: usize,
    /// Height of a row.
    pub(super) row: f64,
}

impl Strip<'_> {
    /// The place of a time within the window, at its edges for what is outside.
    pub(super) fn x(&self, at: Micros) -> f64 {
        let length = (self.input.until - self.input.from).as_secs_f64().max(1e-9);
        let since = (at.max(self.input.from).min(self.input.until) - self.input.from).as_secs_f64();
        self.area.x + self.area.w * since / length
    }

    /// The middle of a row.
    pub(super) fn y(&self, row: usize) -> f64 {
        self.area.y + self.row * (row as f64 + 0.5)
    }

    /// Height of a bar.
    pub(super) fn bar_height(&self) -> f64 {
        self.row * 0.7
    }

    pub(super) fn is_visible(&self, at: Micros) -> bool {
        at >= self.input.from && at <= self.input.until
    }

    /// Muted words, cut where there is no room.
    pub(super) fn muted(&self, rect: Rect, words: &str) -> Option<Text> {
        let size = 13.0 * self.unit;
        text(rect, words, size, false, TextRole::Muted, Align::Start)
    }
}

impl Strip<'_> {
    /// The word at the start of the future that was cut off, in the lowest row that is free there.
    fn before(&self, timeline: &Timeline) -> Option<Text> {
        let fork = self.input.forked_at.filter(|at| self.is_visible(*at))?;
        let wide = measure::width("before", 13.0 * self.unit, false) + 2.0;
        let at = self.x(fork) + 4.0 * self.unit;
        let rows = (self.area.h / self.row).round() as usize;
        let mut places = (0..rows).rev().map(|row| {
            let y = self.y(row);
            Rect::new(at, y - 9.0 * self.unit, wide, 18.0 * self.unit)
        });
        let place = places.find(|place| {
            let meets = |left: f64, right: f64, top: f64, bottom: f64| {
                left < place.right() && right > place.x && top < place.bottom() && bottom > place.y
            };
            let bar = |rect: &Rect| meets(rect.x, rect.right(), rect.y, rect.bottom());
            let mark = |mark: &super::PlacedMark| {
                let label = mark.label.as_ref().map(|label| &label.rect);
                let (x, y) = (mark.at.x, mark.at.y);
                let half = 9.0 * self.unit;
                meets(x - half, x + half, y - half, y + half) || label.is_some_and(bar)
            };
            place.right() <= self.area.right()
                && !timeline.bars.iter().any(|it| bar(&it.rect))
                && !timeline.marks.iter().any(mark)
        })?;
        self.muted(place, "before")
    }
}

fn has_dead_letters(input: &TimelineInput) -> bool {
    let moved = |mark: &Mark| matches!(mark.kind, MarkKind::DeadLetter(_));
    let mut queues = input.names.setup.queues.iter();
    queues.any(|queue| queue.dead_letter_queue.is_some()) || input.marks.iter().any(moved)
}

/// Computes the diagram.
pub(super) fn compute(input: &TimelineInput) -> Timeline {
    let unit = (input.root_font / 16.0).max(1.0);
    let consumers = input.names.setup.consumers.len().min(MOST_ROWS);
    let mut names: Vec<String> = (0..consumers as u16)
        .map(|i| input.names.consumer(ConsumerId(i)).into_owned())
        .collect();
    if has_dead_letters(input) {
        names.push("DLQ".to_owned());
    }
    let widest = names
        .iter()
        .map(|name| measure::width(name, 13.0 * unit, false))
        .fold(0.0, f64::max);
    let left = (widest + 14.0 * unit).min(input.width * 0.24);
    let row = (ROOM / names.len().max(1) as f64).within(LOWEST_ROW, HIGHEST_ROW) * unit;
    let area = Rect::new(
        left,
        AXIS * unit,
        (input.width - left - 10.0 * unit).max(1.0),
        row * names.len() as f64,
    );
    let strip = Strip {
        input,
        unit,
        area,
        rows: consumers,
        row,
    };
    let mut timeline = Timeline {
        width: input.width,
        height: area.bottom() + 4.0 * unit,
        area,
        consumers,
        ticks: ticks(input, &area, unit),
        ghosts: ghosts(&strip),
        bars: bars(&strip),
        marks: strip.marks(),
        ..Timeline::default()
    };
    timeline.before = strip.before(&timeline);
    for (row, name) in names.iter().enumerate() {
        let y = strip.y(row);
        let rect = Rect::new(0.0, y - 9.0 * unit, left - 8.0 * unit, 18.0 * unit);
        timeline.labels.extend(strip.muted(rect, name));
        let rail = (Point::new(area.x, y), Point::new(area.right(), y));
        timeline.rails.push(rail);
    }
    let more = input.names.setup.consumers.len() - consumers;
    if more > 0 {
        let rect = Rect::new(0.0, 0.0, left - 26.0 * unit, 18.0 * unit);
        let words = format!("+{more} more");
        timeline.labels.extend(strip.muted(rect, &words));
    }
    let now = input.now.max(input.from).min(input.until);
    let x = strip.x(now);
    timeline.playhead = (now == input.now).then_some(x);
    timeline.future = Rect::new(x, area.y, area.right() - x, area.h);
    timeline
}
