//! What is marked at one instant.

use crate::present::format;
use crate::present::geometry::{Point, Rect};
use crate::present::measure;

use super::strip::Strip;
use super::{Mark, MarkKind, PlacedMark};

/// Half the width of a mark.
const MARK: f64 = 8.0;

/// The line that a mark stands on.
enum Line {
    Consumer(usize),
    DeadLetters,
    /// Above all rows.
    Axis,
}

impl Strip<'_> {
    /// All marks in the window: those of the future that was cut off first, and below the others.
    pub(super) fn marks(&self) -> Vec<PlacedMark> {
        let ghosts = self.input.ghost_marks.iter();
        let ghosts = ghosts
            .filter_map(|mark| self.mark(mark))
            .map(|mark| PlacedMark {
                label: None,
                ghost: true,
                description: format!("would have been: {}", mark.description),
                ..mark
            });
        let mut marks: Vec<PlacedMark> = ghosts.collect();
        let first = marks.len();
        marks.extend(self.input.marks.iter().filter_map(|mark| self.mark(mark)));
        // A name gives way to the next mark of its line.
        let mut next = None;
        for mark in marks.iter_mut().skip(first).rev() {
            if matches!(mark.kind, MarkKind::DeadLetter(_)) {
                let room = next.unwrap_or(f64::MAX) - MARK * self.unit;
                mark.label = mark.label.take().filter(|label| label.rect.right() <= room);
                next = Some(mark.at.x);
            }
        }
        marks
    }

    /// The mark at its place; none outside the window or the rows.
    fn mark(&self, mark: &Mark) -> Option<PlacedMark> {
        if !self.is_visible(mark.at) {
            return None;
        }
        let names = &self.input.names;
        let (line, short, what) = match &mark.kind {
            MarkKind::DeadLetter(message) => {
                let name = names.message(*message);
                let what = format!("{name} moved to the dead-letter queue");
                (Line::DeadLetters, name, what)
            }
            MarkKind::Crash(id) => {
                let what = format!("{} crashed", names.consumer(*id));
                (Line::Consumer(id.index()), String::new(), what)
            }
            MarkKind::Restart(id) => {
                let what = format!("{} started again", names.consumer(*id));
                (Line::Consumer(id.index()), String::new(), what)
            }
            MarkKind::AckLost(id) => {
                let what = format!("an ack of {} was lost", names.consumer(*id));
                (Line::Consumer(id.index()), String::new(), what)
            }
            MarkKind::Command(words) => (Line::Axis, String::new(), words.clone()),
            MarkKind::OwnCommand(words) => (Line::Axis, String::new(), format!("you: {words}")),
        };
        let x = self.x(mark.at);
        let y = match line {
            Line::Consumer(row) if row >= self.rows => return None,
            Line::Consumer(row) => self.y(row),
            Line::DeadLetters => self.y(self.rows),
            Line::Axis => self.area.y,
        };
        let wide = measure::width(&short, 13.0 * self.unit, false) + 1.0;
        let rect = Rect::new(
            x + 12.0 * self.unit,
            y - 9.0 * self.unit,
            wide,
            18.0 * self.unit,
        );
        let fits = rect.right() <= self.input.width;
        Some(PlacedMark {
            at: Point::new(x, y),
            kind: mark.kind.clone(),
            label: fits.then(|| self.muted(rect, &short)).flatten(),
            description: format!("{}: {what}", format::instant(mark.at)).replace(format::NBSP, " "),
            ghost: false,
        })
    }
}
