//! Paints one message.

use super::paint::{Brush, TURN};
use crate::present::format::fixed;
use crate::present::geometry::{Point, Rect, Within};
use crate::present::scene::TokenMark;

impl Brush<'_> {
    pub(super) fn token(&self, token: &TokenMark) {
        let context = self.context;
        context.set_global_alpha(if token.faded { 0.55 } else { 1.0 });
        if let Some(share) = token.ring {
            self.ring(token, share);
        }
        self.outline(token);
        let colour = token
            .group
            .as_ref()
            .map_or(self.theme.token.as_str(), |group| {
                self.theme.group(group.colour.0)
            });
        if token.ghost {
            self.dashes(&[3.0, 3.0], 0.0);
        }
        self.fill(&self.theme.panel);
        self.stroke(colour, 2.6);
        self.solid();
        let lower = if token.poison {
            token.radius * 0.16
        } else {
            0.0
        };
        let middle = Point::new(token.centre.x, token.centre.y + lower);
        self.word(
            &token.label,
            middle,
            token.label_size,
            &self.theme.foreground,
        );
        if let Some(group) = token
            .group
            .as_ref()
            .filter(|group| !group.letter.is_empty())
        {
            self.box_path(&group.badge(), group.radius);
            self.fill(colour);
            self.word(&group.letter, group.centre, group.size, &self.theme.panel);
        }
        if let (Some(times), Some(badge)) = (token.times, token.badge()) {
            self.box_path(&badge, badge.h / 2.0);
            self.fill(&self.theme.foreground);
            self.word(
                &format!("×{times}"),
                badge.centre(),
                13.0 * self.theme.text_scale,
                &self.theme.panel,
            );
        }
        context.set_global_alpha(1.0);
    }

    /// An edge around a message, outside all that it shows itself.
    fn around(&self, token: &TokenMark, distance: f64) {
        let ring = if token.ring.is_some() { 6.0 } else { 0.0 };
        let corner = if token.poison { 1.5 } else { 0.0 };
        let by = ring + corner + distance;
        let (half, radius) = (token.half_width + by, token.radius + by);
        let Point { x, y } = token.centre;
        self.box_path(
            &Rect::new(x - half, y - radius, 2.0 * half, 2.0 * radius),
            radius,
        );
    }

    /// A double ring around the message whose story is told.
    pub(super) fn selected(&self, token: &TokenMark) {
        self.around(token, 4.5);
        self.stroke(&self.theme.panel, 5.0);
        self.around(token, 4.5);
        self.stroke(&self.theme.foreground, 2.5);
    }

    /// Lights a message from behind.
    pub(super) fn halo(&self, token: &TokenMark) {
        self.around(token, 7.0);
        self.context.set_global_alpha(0.25);
        self.fill(&self.theme.accent);
        self.context.set_global_alpha(1.0);
        self.stroke(&self.theme.accent, 2.0);
    }

    fn outline(&self, token: &TokenMark) {
        let Point { x, y } = token.centre;
        let (half, radius) = (token.half_width, token.radius);
        if token.poison {
            let context = self.context;
            context.begin_path();
            context.move_to(x, y - radius - 3.0);
            context.line_to(x + half + 3.0, y + radius - 3.0);
            context.line_to(x - half - 3.0, y + radius - 3.0);
            context.close_path();
        } else if half > radius + 0.5 {
            self.box_path(
                &Rect::new(x - half, y - radius, 2.0 * half, 2.0 * radius),
                radius,
            );
        } else {
            self.disc_path(token.centre, radius);
        }
    }

    fn ring(&self, token: &TokenMark, share: f64) {
        let radius = token.half_width.max(token.radius) + 5.0;
        self.disc_path(token.centre, radius);
        self.stroke(&self.theme.line, 3.0);
        let top = -TURN / 4.0;
        self.context.begin_path();
        let _ = self.context.arc(
            token.centre.x,
            token.centre.y,
            radius,
            top,
            top + TURN * share.within(0.0, 1.0),
        );
        self.stroke(&self.theme.accent, 3.0);
    }

    fn word(&self, word: &str, middle: Point, size: f64, colour: &str) {
        self.context
            .set_font(&format!("700 {}px {}", fixed(size, 1), self.theme.font));
        self.context.set_text_align("center");
        self.context.set_text_baseline("alphabetic");
        self.context.set_fill_style_str(colour);
        let _ = self
            .context
            .fill_text(word, middle.x, middle.y + size * 0.36);
    }
}
