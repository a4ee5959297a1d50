//! The stage as one standalone SVG text: for `queue-sim render`, an exported frame, a static figure.

mod marks;
mod write;

pub use write::{escape, path};

use std::fmt::Write as _;

use crate::present::geometry::Rect;

use crate::present::palette::{Palette, Theme};
use crate::present::scene::{Align, Border, Button, Lane, Scene, Station, Text, TextRole, Wire};

/// Writes the stage. All texts are escaped; the picture refers to nothing outside itself.
pub fn render(scene: &Scene, theme: Theme) -> String {
    let mut svg = Svg {
        out: String::new(),
        palette: theme.palette(),
    };
    svg.open(scene);
    for wire in &scene.wires {
        svg.wire(wire);
    }
    for station in &scene.stations {
        svg.station(station);
    }
    for bar in &scene.bars {
        svg.bar(bar);
    }
    for twin in &scene.twins {
        let colour = svg.palette.bad;
        let d = curve(twin);
        svg.put(format_args!(
            r#"<path d="{d}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="3 4"/>"#
        ));
    }
    for token in &scene.tokens {
        svg.token(token);
    }
    svg.out.push_str("</svg>\n");
    svg.out
}

use write::{attributes, curve, number, point};

struct Svg {
    out: String,
    palette: &'static Palette,
}

impl Svg {
    fn put(&mut self, args: std::fmt::Arguments) {
        let _ = self.out.write_fmt(args);
        self.out.push('\n');
    }

    fn open(&mut self, scene: &Scene) {
        let (w, h) = (number(scene.width), number(scene.height));
        let spoken: Vec<String> = scene
            .stations
            .iter()
            .map(|station| format!("{}: {}", station.name, station.description))
            .collect();
        let (bad, line) = (self.palette.bad, self.palette.line);
        self.put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" font-family="system-ui, Inter, 'DejaVu Sans', sans-serif">"#
        ));
        let title = escape(&format!(
            "The queue at {}",
            crate::present::format::clock(scene.at)
        ));
        self.put(format_args!("<title>{title}</title>"));
        let spoken = escape(&spoken.join("\n"));
        self.put(format_args!("<desc>{spoken}</desc>"));
        self.put(format_args!(
            r#"<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="{line}"/><rect width="3" height="6" fill="{bad}" opacity="0.6"/></pattern></defs>"#
        ));
        let panel = self.palette.panel;
        self.put(format_args!(
            r#"<rect width="{w}" height="{h}" fill="{panel}"/>"#
        ));
    }

    fn wire(&mut self, wire: &Wire) {
        let d = path(&wire.path);
        let (line, dashes) = if wire.broken {
            (self.palette.bad, "2 7")
        } else {
            (self.palette.line, "none")
        };
        self.put(format_args!(
            r#"<path d="{d}" fill="none" stroke="{line}" stroke-width="2.5" stroke-dasharray="{dashes}"/>"#
        ));
        if let Some(flow) = wire.flow {
            let (colour, offset) = (self.palette.token, number(-20.0 * flow.phase));
            self.put(format_args!(
                r#"<path d="{d}" fill="none" stroke="{colour}" stroke-width="4" stroke-linecap="round" stroke-dasharray="1 19" stroke-dashoffset="{offset}"/>"#
            ));
        }
    }

    fn station(&mut self, station: &Station) {
        let p = self.palette;
        let fill = if station.soft { p.soft } else { p.panel };
        let (stroke, width) = match station.border {
            Border::Normal => (p.line, "1.3"),
            Border::Harm | Border::Crashed => (p.bad, "2"),
        };
        let rect = attributes(&station.rect);
        self.put(format_args!(
            r#"<rect {rect} rx="11" fill="{fill}" stroke="{stroke}" stroke-width="{width}"/>"#
        ));
        for crack in station.cracks() {
            let points: Vec<String> = crack.iter().map(point).collect();
            let points = points.join(" ");
            self.put(format_args!(
                r#"<polyline points="{points}" fill="none" stroke="{stroke}" stroke-width="1.4" stroke-linejoin="bevel"/>"#
            ));
        }
        for lane in &station.lanes {
            self.lane(lane);
        }
        for (from, to) in &station.rules {
            let d = format!("M{} L{}", point(from), point(to));
            let line = p.line;
            self.put(format_args!(r#"<path d="{d}" stroke="{line}"/>"#));
        }
        for (rect, taken) in &station.slots {
            let fill = if *taken { p.accent } else { p.line };
            let rect = attributes(rect);
            self.put(format_args!(r#"<rect {rect} rx="1.5" fill="{fill}"/>"#));
        }
        for text in &station.texts {
            self.text(text);
        }
        for button in &station.buttons {
            self.button(button);
        }
    }

    fn lane(&mut self, lane: &Lane) {
        let p = self.palette;
        let rect = attributes(&lane.rect);
        let panel = p.panel;
        self.put(format_args!(r#"<rect {rect} rx="8" fill="{panel}"/>"#));
        if let Some((_, colour)) = lane.group {
            let bar = attributes(&Rect {
                w: 5.0,
                ..lane.rect
            });
            let colour = p.group(colour);
            self.put(format_args!(r#"<rect {bar} rx="2.5" fill="{colour}"/>"#));
        }
        if let Some(starvation) = lane.starvation {
            let whole = starvation.rect;
            let height = whole.h * starvation.filled;
            let filled = attributes(&Rect {
                y: whole.bottom() - height,
                h: height,
                ..whole
            });
            let fill = if starvation.starving {
                "url(#hatch)"
            } else {
                p.line
            };
            self.put(format_args!(r#"<rect {filled} rx="2" fill="{fill}"/>"#));
        }
        for text in &lane.texts {
            self.text(text);
        }
    }

    fn button(&mut self, button: &Button) {
        let p = self.palette;
        let rect = attributes(&button.rect);
        let (fill, stroke) = if button.pressed {
            (p.panel, p.accent)
        } else {
            (p.soft, p.line)
        };
        self.put(format_args!(
            r#"<rect {rect} rx="7" fill="{fill}" stroke="{stroke}"/>"#
        ));
        self.text(&Text {
            text: button.label.clone(),
            rect: button.rect,
            size: button.size,
            strong: false,
            role: if button.enabled {
                TextRole::Normal
            } else {
                TextRole::Muted
            },
            align: Align::Middle,
        });
    }

    fn text(&mut self, text: &Text) {
        let p = self.palette;
        let fill = match text.role {
            TextRole::Normal => p.fg,
            TextRole::Muted => p.muted,
            TextRole::Bad => p.bad,
            TextRole::Warn => p.warn,
        };
        let (x, anchor) = match text.align {
            Align::Start => (text.rect.x, "start"),
            Align::Middle => (text.rect.centre().x, "middle"),
            Align::End => (text.rect.right(), "end"),
        };
        let weight = if text.strong { 650 } else { 400 };
        let (x, y, size) = (number(x), number(text.baseline()), number(text.size));
        let words = escape(&text.text);
        self.put(format_args!(
            r#"<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{fill}">{words}</text>"#
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::fixtures;
    use crate::present::scene::{Density, SceneInput};

    fn drawn(fixture: &fixtures::Fixture, width: f64, height: f64, density: Density) -> Scene {
        Scene::compute(&SceneInput {
            snapshot: &fixture.snapshot,
            setup: &fixture.setup,
            recent: &[],
            width,
            height,
            root_font: 16.0,
            pace: 1.0,
            reduced_motion: false,
            density,
            vocabulary: crate::scenario::Profile::Free,
            effect_label: fixture.effect_label,
            unit: fixture.unit,
        })
    }

    #[test]
    fn names_are_text_and_never_markup() {
        let mut fixture = fixtures::charged_twice();
        fixture.setup.bodies[1] = "<b>&\u{0}".into();
        fixture.snapshot.queues[0].setup.name = "<script>alert(1)</script>".into();
        let svg = render(
            &drawn(&fixture, 1200.0, 480.0, Density::Simple),
            Theme::Light,
        );
        assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains('\0'));
        assert!(svg.contains("&lt;b&gt;&amp;"));
    }

    #[test]
    fn the_picture_stands_alone() {
        let svg = render(
            &drawn(&fixtures::fifo(), 900.0, 520.0, Density::Full),
            Theme::Dark,
        );
        assert!(svg.starts_with("<svg xmlns=") && svg.trim_end().ends_with("</svg>"));
        assert!(!svg.contains("href") && !svg.contains("var(--") && !svg.contains("NaN"));
    }

    /// Writes pictures to look at: `STAGE_PICTURES=folder cargo test --lib stage_pictures`.
    #[test]
    fn stage_pictures() {
        let sizes = [
            (1_320.0, 547.0, Density::Simple),
            (1_880.0, 800.0, Density::Full),
            (983.0, 625.0, Density::Full),
            (820.0, 440.0, Density::Full),
            (660.0, 300.0, Density::Full),
            (500.0, 300.0, Density::Full),
            (744.0, 560.0, Density::Simple),
            (390.0, 600.0, Density::Simple),
            (320.0, 600.0, Density::Full),
        ];
        for (name, fixture) in fixtures::all() {
            for (width, height, density) in sizes {
                let svg = render(&drawn(&fixture, width, height, density), Theme::Light);
                assert!(svg.len() > 1_000);
                if let Some(folder) = std::env::var_os("STAGE_PICTURES") {
                    let file = std::path::Path::new(&folder).join(format!("{name}-{width}.svg"));
                    std::fs::write(file, svg).unwrap();
                    let dark = render(&drawn(&fixture, width, height, density), Theme::Dark);
                    let file =
                        std::path::Path::new(&folder).join(format!("{name}-{width}-dark.svg"));
                    std::fs::write(file, dark).unwrap();
                }
            }
        }
    }
}
