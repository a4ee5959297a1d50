//! Bars and tokens.

use super::Svg;
use super::write::{attributes, escape, number, point};
use crate::present::geometry::{Point, Rect, Within};
use crate::present::scene::{RaceBar, TokenMark};

impl Svg {
    pub(super) fn bar(&mut self, bar: &RaceBar) {
        let p = self.palette;
        let track = attributes(&bar.track);
        let line = p.line;
        self.put(format_args!(r#"<rect {track} rx="4" fill="{line}"/>"#));
        if let Some(overrun) = &bar.overrun {
            let rect = attributes(overrun);
            self.put(format_args!(r#"<rect {rect} rx="2" fill="url(#hatch)"/>"#));
        }
        let done = attributes(&bar.done);
        let fill = if bar.frozen { p.muted } else { p.accent };
        self.put(format_args!(r#"<rect {done} rx="4" fill="{fill}"/>"#));
        if let Some(late) = &bar.late {
            let (rect, bad) = (attributes(late), p.bad);
            self.put(format_args!(r#"<rect {rect} fill="{bad}"/>"#));
        }
        if let Some(flag) = bar.flag {
            let (x, top, foot) = (flag.pole.x, flag.pole.y, flag.pole.bottom());
            let size = bar.track.h * 0.8;
            let pole = format!(
                "M{} L{}",
                point(&Point::new(x, top)),
                point(&Point::new(x, foot))
            );
            let cloth = [
                Point::new(x, top),
                Point::new(x + size, top + size * 0.45),
                Point::new(x, top + size * 0.9),
            ];
            let cloth: Vec<String> = cloth.iter().map(point).collect();
            let (cloth, fg) = (cloth.join(" "), p.fg);
            self.put(format_args!(
                r#"<path d="{pole}" stroke="{fg}" stroke-width="1.8"/><polygon points="{cloth}" fill="{fg}"/>"#
            ));
            if flag.beyond {
                let middle = bar.track.centre().y;
                let dots = format!(
                    "M{} L{}",
                    point(&Point::new(bar.track.right() + 6.0, middle)),
                    point(&Point::new((x - 6.0).max(bar.track.right() + 6.0), middle))
                );
                let muted = p.muted;
                self.put(format_args!(
                    r#"<path d="{dots}" stroke="{muted}" stroke-width="1.6" stroke-dasharray="1.6 4"/>"#
                ));
            }
        }
    }

    pub(super) fn token(&mut self, token: &TokenMark) {
        let p = self.palette;
        let (c, r, half) = (token.centre, token.radius, token.half_width);
        let colour = token
            .group
            .as_ref()
            .map_or(p.token, |group| p.group(group.colour));
        let opacity = if token.faded { "0.55" } else { "1" };
        self.put(format_args!(r#"<g opacity="{opacity}">"#));
        if let Some(used) = token.ring {
            self.ring(token, used);
        }
        let dash = if token.ghost {
            r#" stroke-dasharray="3 3""#
        } else {
            ""
        };
        let look = format!(
            r#"fill="{}" stroke="{colour}" stroke-width="2.6"{dash}"#,
            p.panel
        );
        if token.poison {
            let top = number(half * 0.18 + 1.0);
            let (x, y) = (number(c.x), number(c.y - r - 3.0));
            let (w, h) = (number(half + 4.0 - half * 0.18), number(2.0 * r));
            self.put(format_args!(
                r#"<path d="M{x},{y} l{w},{h} h-{two} Z" stroke-linejoin="round" {look}/>"#,
                two = number(2.0 * (half + 4.0 - half * 0.18)),
            ));
            let _ = top;
        } else {
            let rect = attributes(&Rect::new(c.x - half, c.y - r, 2.0 * half, 2.0 * r));
            let radius = number(r);
            self.put(format_args!(r#"<rect {rect} rx="{radius}" {look}/>"#));
        }
        let drop = if token.poison { 0.25 * r } else { 0.0 };
        let label = Point::new(c.x, c.y + drop);
        self.letter(label, &token.label, token.label_size, p.fg);
        if let Some(group) = token
            .group
            .as_ref()
            .filter(|group| !group.letter.is_empty())
        {
            let (rect, radius) = (attributes(&group.badge()), number(group.radius));
            self.put(format_args!(
                r#"<rect {rect} rx="{radius}" fill="{colour}"/>"#
            ));
            self.letter(group.centre, &group.letter, group.size, p.panel);
        }
        if let (Some(badge), Some(times)) = (token.badge(), token.times) {
            let rect = attributes(&badge);
            let (radius, fg) = (number(badge.h / 2.0), p.fg);
            self.put(format_args!(r#"<rect {rect} rx="{radius}" fill="{fg}"/>"#));
            self.letter(
                badge.centre(),
                &format!("×{times}"),
                token.label_size,
                p.panel,
            );
        }
        self.out.push_str("</g>\n");
    }

    fn ring(&mut self, token: &TokenMark, used: f64) {
        let (half, r) = (token.half_width + 4.0, token.radius + 4.0);
        let rect = attributes(&Rect::new(
            token.centre.x - half,
            token.centre.y - r,
            2.0 * half,
            2.0 * r,
        ));
        let (radius, line) = (number(r), self.palette.line);
        let accent = if used >= 1.0 {
            self.palette.bad
        } else {
            self.palette.accent
        };
        let share = number(used.within(0.0, 1.0) * 100.0);
        self.put(format_args!(
            r#"<rect {rect} rx="{radius}" fill="none" stroke="{line}" stroke-width="3"/><rect {rect} rx="{radius}" fill="none" stroke="{accent}" stroke-width="3" pathLength="100" stroke-dasharray="{share} 100"/>"#
        ));
    }

    fn letter(&mut self, at: Point, letters: &str, size: f64, fill: &str) {
        let (x, y, size) = (number(at.x), number(at.y + size * 0.36), number(size));
        let letters = escape(letters);
        self.put(format_args!(
            r#"<text x="{x}" y="{y}" font-size="{size}" font-weight="700" text-anchor="middle" fill="{fill}">{letters}</text>"#
        ));
    }
}
