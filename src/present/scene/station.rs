//! Cards and what is written on them.

use crate::engine::GroupId;
use crate::engine::command::Command;
use crate::present::geometry::{Point, Rect};

use super::StationId;

/// A card.
#[derive(Clone, PartialEq, Debug)]
pub struct Station {
    /// Which.
    pub id: StationId,
    /// Where it stands.
    pub rect: Rect,
    /// Its background is soft (queues) instead of the panel's.
    pub soft: bool,
    /// How its edge is drawn.
    pub border: Border,
    /// Title, subtitle, corner and lines.
    pub texts: Vec<Text>,
    /// Thin separating lines.
    pub rules: Vec<(Point, Point)>,
    /// Native buttons.
    pub buttons: Vec<Button>,
    /// Places for messages that its prefetch gives it, and which are taken.
    pub slots: Vec<(Rect, bool)>,
    /// Lanes of a queue.
    pub lanes: Vec<Lane>,
    /// Where the button for what else can be done stands; none where nothing can.
    pub more: Option<Rect>,
    /// Its full title, uncut.
    pub name: String,
    /// All it says, as one plain text for assistive technology.
    pub description: String,
}

/// How a card's edge is drawn.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Border {
    /// Thin and grey.
    #[default]
    Normal,
    /// Red: harm is being done here.
    Harm,
    /// Red and cracked: crashed. The cracks are [`Station::cracks`].
    Crashed,
}

/// A piece of text that fits its box: already cut with an ellipsis by estimate.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// Its box; one line, the baseline is at [`Text::baseline`].
    pub rect: Rect,
    /// Font size, 13 or more.
    pub size: f64,
    /// Semi-bold.
    pub strong: bool,
    /// Colour.
    pub role: TextRole,
    /// How it stands in its box.
    pub align: Align,
}

/// Colour of a text.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum TextRole {
    /// Foreground.
    #[default]
    Normal,
    /// Second to the rest.
    Muted,
    /// Harm.
    Bad,
    /// Advice.
    Warn,
}

/// How a text stands in its box.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Align {
    /// Left.
    #[default]
    Start,
    /// Middle.
    Middle,
    /// Right.
    End,
}

/// A button's slot.
#[derive(Clone, PartialEq, Debug)]
pub struct Button {
    /// Where.
    pub rect: Rect,
    /// What it says; fits.
    pub label: String,
    /// Full label for assistive technology: "Crash worker-1".
    pub name: String,
    /// Font size of the label.
    pub size: f64,
    /// What it does.
    pub command: Command,
    /// Already in effect: "Lose the ack" while an ack is still to be lost.
    pub pressed: bool,
    /// Whether it can be used now. A disabled button keeps its slot.
    pub enabled: bool,
}

/// A lane inside a queue.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    /// Where.
    pub rect: Rect,
    /// The group and its colour; none for a standard queue.
    pub group: Option<(GroupId, GroupColour)>,
    /// Name, wait, lock reason.
    pub texts: Vec<Text>,
    /// Grows at the left edge with the wait.
    pub starvation: Option<StarvationBar>,
}

/// How long the oldest message of a lane has waited, against the starvation threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StarvationBar {
    /// The whole bar at the lane's left edge; it is filled from the bottom.
    pub rect: Rect,
    /// Filled share, 0 to 1; 1 from the threshold on.
    pub filled: f64,
    /// Past the threshold: red and hatched.
    pub starving: bool,
}

impl StarvationBar {
    /// What it says, for who points at it.
    pub const fn hint(&self) -> &'static str {
        if self.starving {
            "This lane starves: its oldest message has waited longer than it should while others were served."
        } else {
            "How long the oldest message here has waited. Full: the lane starves."
        }
    }
}

/// Index into the palette's group colours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GroupColour(pub u8);

impl Text {
    /// Where the letters stand.
    pub fn baseline(&self) -> f64 {
        self.rect.y + self.rect.h / 2.0 + self.size * 0.35
    }
}

impl Station {
    /// The cracks of a crashed card, as lines across it; none on a card that is whole.
    pub fn cracks(&self) -> Vec<Vec<Point>> {
        if self.border != Border::Crashed {
            return Vec::new();
        }
        let (r, h) = (&self.rect, self.rect.h);
        let line = |x: f64, points: &[(f64, f64)]| {
            let at = |(dx, dy): &(f64, f64)| Point::new(x + dx * h, r.y + dy * h);
            points.iter().map(at).collect()
        };
        // On a low card they would run through its words.
        if r.w > r.h * 2.6 {
            let top = [(0.0, 0.0), (0.06, 0.14), (-0.04, 0.26)];
            return vec![line(r.x + r.w * 0.5, &top)];
        }
        vec![
            line(
                r.x + r.w * 0.62,
                &[(0.0, 0.0), (0.05, 0.12), (-0.03, 0.2), (0.06, 0.34)],
            ),
            line(
                r.x + r.w * 0.62,
                &[(-0.03, 0.2), (-0.14, 0.27), (-0.12, 0.36)],
            ),
            line(
                r.x + r.w * 0.95,
                &[(0.0, 1.0), (-0.06, 0.84), (0.04, 0.74), (-0.02, 0.62)],
            ),
        ]
    }
}
