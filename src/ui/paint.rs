//! Paints what moves: wires, work bars, twins and tokens of a [`Scene`], on one canvas above the cards.

use web_sys::CanvasRenderingContext2d;

use super::theme::Theme;
use crate::engine::MessageNumber;
use crate::present::geometry::{Cubic, Point, Rect};
use crate::present::scene::{About, Border, RaceBar, Scene, TokenMark, Wire};

pub(super) const TURN: f64 = std::f64::consts::TAU;
/// Length of a dash and its gap on a wire that is drawn as flow.
const DASH: f64 = 14.0;

/// What is marked on the stage.
#[derive(Clone, Copy)]
pub struct Marked {
    /// What is pointed at.
    pub lit: Option<About>,
    /// The message whose story is told.
    pub selected: Option<MessageNumber>,
}

/// Clears the canvas and paints the scene, with what is marked. `scale` is device pixels for one CSS pixel.
pub fn paint(
    context: &CanvasRenderingContext2d,
    scene: &Scene,
    theme: &Theme,
    marked: Marked,
    scale: f64,
) {
    let brush = Brush { context, theme };
    // Refused only for values that are not finite, which a scene does not hold.
    let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, scene.width, scene.height);
    scene.wires.iter().for_each(|wire| brush.wire(wire));
    for station in &scene.stations {
        if station.border == Border::Crashed {
            station.cracks().iter().for_each(|crack| brush.crack(crack));
        }
    }
    scene.bars.iter().for_each(|bar| brush.bar(bar));
    scene.twins.iter().for_each(|twin| brush.twin(twin));
    let lit = |token: &TokenMark| {
        let about = marked.lit;
        about.is_some_and(|about| about.lights(scene, token))
    };
    for token in &scene.tokens {
        if lit(token) {
            brush.halo(token);
        }
        if marked.selected == Some(token.message) {
            brush.selected(token);
        }
        brush.token(token);
    }
}

/// A canvas and the colours to paint with.
pub(super) struct Brush<'a> {
    pub(super) context: &'a CanvasRenderingContext2d,
    pub(super) theme: &'a Theme,
}

impl Brush<'_> {
    pub(super) fn stroke(&self, colour: &str, width: f64) {
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(width);
        self.context.stroke();
    }

    pub(super) fn fill(&self, colour: &str) {
        self.context.set_fill_style_str(colour);
        self.context.fill();
    }

    pub(super) fn dashes(&self, lengths: &[f64], offset: f64) {
        let list: js_sys::Array = lengths
            .iter()
            .map(|&length| js_sys::Number::from(length))
            .collect();
        let _ = self.context.set_line_dash(&list);
        self.context.set_line_dash_offset(offset);
    }

    pub(super) fn solid(&self) {
        self.dashes(&[], 0.0);
    }

    fn course(&self, curves: &[Cubic]) {
        self.context.begin_path();
        if let Some(first) = curves.first() {
            self.context.move_to(first.from.x, first.from.y);
        }
        for Cubic { out, into, to, .. } in curves {
            self.context
                .bezier_curve_to(out.x, out.y, into.x, into.y, to.x, to.y);
        }
    }

    pub(super) fn box_path(&self, rect: &Rect, radius: f64) {
        self.context.begin_path();
        let radius = radius.min(rect.w / 2.0).min(rect.h / 2.0).max(0.0);
        let _ = self.context.round_rect_with_f64(
            rect.x,
            rect.y,
            rect.w.max(0.0),
            rect.h.max(0.0),
            radius,
        );
    }

    pub(super) fn disc_path(&self, centre: Point, radius: f64) {
        self.context.begin_path();
        let _ = self
            .context
            .arc(centre.x, centre.y, radius.max(0.0), 0.0, TURN);
    }

    fn wire(&self, wire: &Wire) {
        self.course(&wire.path.0);
        if wire.broken {
            self.dashes(&[2.0, 7.0], 0.0);
            self.stroke(&self.theme.bad, 2.5);
            return self.solid();
        }
        self.stroke(&self.theme.line, 2.5);
        if let Some(flow) = wire.flow {
            self.course(&wire.path.0);
            self.dashes(&[DASH * 0.5, DASH * 0.5], -flow.phase * DASH);
            self.stroke(&self.theme.token, 3.0);
            self.solid();
        }
    }

    fn crack(&self, crack: &[Point]) {
        self.context.begin_path();
        if let Some((first, rest)) = crack.split_first() {
            self.context.move_to(first.x, first.y);
            rest.iter()
                .for_each(|point| self.context.line_to(point.x, point.y));
        }
        self.stroke(&self.theme.bad, 1.5);
    }

    fn twin(&self, twin: &Cubic) {
        self.course(std::slice::from_ref(twin));
        self.dashes(&[3.0, 4.0], 0.0);
        self.stroke(&self.theme.bad, 1.6);
        self.solid();
    }

    fn bar(&self, bar: &RaceBar) {
        let radius = 4.0;
        self.box_path(&bar.track, radius);
        self.fill(&self.theme.line);
        if let Some(overrun) = &bar.overrun {
            self.hatch(overrun);
        }
        self.box_path(&bar.done, radius);
        self.fill(if bar.frozen {
            &self.theme.muted
        } else {
            &self.theme.accent
        });
        if let Some(late) = &bar.late {
            self.box_path(late, 0.0);
            self.fill(&self.theme.bad);
        }
        if let Some(flag) = &bar.flag {
            self.flag(&flag.pole, flag.beyond);
        }
    }

    fn flag(&self, pole: &Rect, beyond: bool) {
        let context = self.context;
        let x = pole.x + pole.w / 2.0;
        context.begin_path();
        context.move_to(x, pole.y);
        context.line_to(x, pole.bottom());
        if beyond {
            self.dashes(&[2.0, 2.0], 0.0);
        }
        self.stroke(&self.theme.foreground, 1.8);
        self.solid();
        context.begin_path();
        context.move_to(x, pole.y);
        context.line_to(x + 9.0, pole.y + 4.0);
        context.line_to(x, pole.y + 8.0);
        context.close_path();
        self.fill(&self.theme.foreground);
    }

    fn hatch(&self, rect: &Rect) {
        let context = self.context;
        context.save();
        self.box_path(rect, 0.0);
        context.clip();
        context.begin_path();
        let mut x = rect.x - rect.h;
        while x < rect.right() {
            context.move_to(x, rect.bottom());
            context.line_to(x + rect.h, rect.y);
            x += 6.0;
        }
        self.stroke(&self.theme.bad, 2.4);
        context.restore();
    }
}
