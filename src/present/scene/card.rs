//! Filling a card with text that fits.

use crate::present::geometry::{Point, Rect};
use crate::present::measure;

use super::{About, Align, Border, Button, Lane, Station, StationId, Text, TextRole};

/// Inner distance of text from a card's edge, in units.
pub const PAD: f64 = 12.0;
/// Font sizes in units.
pub const SMALL: f64 = 13.0;
/// Font size of titles.
pub const TITLE: f64 = 15.0;
/// Font size of large numbers.
pub const BIG: f64 = 26.0;
/// Side of the button for what else can be done, at the top right, in units.
const MORE: f64 = 24.0;
/// Its distance from the card's right edge, in units.
const MORE_OFF: f64 = 3.0;

/// A card being filled. Offsets are in units from the card's top left corner.
pub struct Card {
    station: Station,
    said: Vec<String>,
    unit: f64,
}

impl Card {
    /// An empty card.
    pub fn new(id: StationId, rect: Rect, name: &str, unit: f64) -> Self {
        let top = (rect.h / unit / 2.0 - MORE / 2.0).min(7.0);
        let more = About::station(id).map(|_| {
            let left = rect.right() - (MORE + MORE_OFF) * unit;
            Rect::new(left, rect.y + top * unit, MORE * unit, MORE * unit)
        });
        Self {
            station: Station {
                id,
                rect,
                more,
                soft: false,
                border: Border::Normal,
                texts: Vec::new(),
                rules: Vec::new(),
                buttons: Vec::new(),
                slots: Vec::new(),
                lanes: Vec::new(),
                name: name.to_owned(),
                description: String::new(),
            },
            said: Vec::new(),
            unit,
        }
    }

    /// Width in units.
    pub fn width(&self) -> f64 {
        self.station.rect.w / self.unit
    }

    /// Height in units.
    pub fn height(&self) -> f64 {
        self.station.rect.h / self.unit
    }

    /// Width between the paddings, in units.
    pub fn inner(&self) -> f64 {
        self.width() - 2.0 * PAD
    }

    /// What the button for what else can be done takes of the inner width where it stands, in units.
    pub fn more_room(&self) -> f64 {
        match self.station.more {
            Some(_) => MORE + MORE_OFF + 3.0 - PAD,
            None => 0.0,
        }
    }

    /// Soft background.
    pub fn soft(&mut self) {
        self.station.soft = true;
    }

    /// The edge.
    pub fn border(&mut self, border: Border) {
        self.station.border = border;
    }

    /// Title on the left, corner on the right of the first line. The title has precedence.
    pub fn title(&mut self, corner: &[String], role: TextRole) {
        self.title_at(8.0, corner, role);
    }

    /// The same at another height.
    pub fn title_at(&mut self, y: f64, corner: &[String], role: TextRole) {
        let name = self.station.name.clone();
        let inner = self.inner() - self.more_room();
        let wanted = measure::width(&name, TITLE, true).min(inner);
        let left = inner - wanted - 8.0;
        let corner_width = left.max(inner * 0.35);
        let said = corner.first().cloned().unwrap_or_default();
        let fitting = measure::first_that_fits(corner, corner_width, SMALL, false);
        let taken = measure::width(&fitting, SMALL, false);
        let room = inner - if fitting.is_empty() { 0.0 } else { taken + 8.0 };
        let title = measure::cut_name(&name, room, TITLE, true);
        self.push(
            Rect::new(PAD, y, room, 22.0),
            title,
            TITLE,
            true,
            TextRole::Normal,
            Align::Start,
        );
        let rect = Rect::new(PAD + inner - taken - 0.5, y, taken + 0.5, 22.0);
        self.push(rect, fitting, SMALL, false, role, Align::End);
        self.say(&said);
    }

    /// Title cut to a width in the middle of a card of one row; the width it takes.
    pub fn title_in_row(&mut self, most: f64) -> f64 {
        let title = measure::cut(&self.station.name, most, TITLE, true);
        let taken = measure::width(&title, TITLE, true) + 0.5;
        let rect = Rect::new(PAD, self.height() / 2.0 - 11.0, taken, 22.0);
        self.push(rect, title, TITLE, true, TextRole::Normal, Align::Start);
        taken
    }

    /// Name cut to a width in the middle of a card of one row, its number kept.
    pub fn name_in_row(&mut self, most: f64) -> f64 {
        let name = measure::cut_name(&self.station.name, most, TITLE, true);
        let rect = Rect::new(PAD, self.height() / 2.0 - 11.0, most + 0.5, 22.0);
        self.push(rect, name, TITLE, true, TextRole::Normal, Align::Start);
        most + 0.5
    }

    /// A line of small text over the card's inner width: the first wording that fits.
    pub fn line(&mut self, y: f64, wordings: &[String], role: TextRole) {
        let rect = Rect::new(PAD, y, self.inner(), 18.0);
        self.text(rect, wordings, role, Align::Start);
    }

    /// Small text in a box: the first wording that fits. The longest is what is said.
    pub fn text(&mut self, rect: Rect, wordings: &[String], role: TextRole, align: Align) {
        if let Some(longest) = wordings.first() {
            self.say(&longest.clone());
        }
        let text = measure::first_that_fits(wordings, rect.w, SMALL, false);
        self.push(rect, text, SMALL, false, role, align);
    }

    /// Text of any size, cut to its box; not said.
    pub fn sized(
        &mut self,
        rect: Rect,
        text: &str,
        size: f64,
        strong: bool,
        role: TextRole,
        align: Align,
    ) {
        let text = measure::cut(text, rect.w, size, strong);
        self.push(rect, text, size, strong, role, align);
    }

    /// Adds to what the card says to assistive technology.
    pub fn say(&mut self, sentence: &str) {
        if !sentence.is_empty() {
            self.said.push(sentence.replace('\u{a0}', " "));
        }
    }

    /// A rule over the inner width.
    pub fn rule(&mut self, y: f64) {
        let (from, to) = (self.at(PAD, y), self.at(PAD + self.inner(), y));
        self.station.rules.push((from, to));
    }

    /// A line between two points of the stage.
    pub fn divide(&mut self, from: Point, to: Point) {
        self.station.rules.push((from, to));
    }

    /// A point of the card on the stage.
    pub fn at(&self, x: f64, y: f64) -> Point {
        let rect = &self.station.rect;
        Point::new(rect.x + x * self.unit, rect.y + y * self.unit)
    }

    /// A box of the card on the stage.
    pub fn boxed(&self, rect: Rect) -> Rect {
        let corner = self.at(rect.x, rect.y);
        Rect::new(corner.x, corner.y, rect.w * self.unit, rect.h * self.unit)
    }

    /// A button; its rectangle in units of the card.
    pub fn button(&mut self, button: Button) {
        let rect = self.boxed(button.rect);
        let size = SMALL * self.unit;
        self.station.buttons.push(Button {
            rect,
            size,
            ..button
        });
    }

    /// Places in a row, of which some are taken. More than fit side by side stand for several each.
    pub fn slots(&mut self, row: Rect, all: u32, taken: u32) {
        const MOST: u32 = 12;
        let drawn = all.clamp(1, MOST);
        let filled = (taken * drawn).div_ceil(all.max(1));
        let pitch = row.w / f64::from(drawn);
        for slot in 0..drawn {
            let x = row.x + pitch * f64::from(slot);
            let rect = self.boxed(Rect::new(x, row.y, pitch - 1.5, row.h));
            self.station.slots.push((rect, slot < filled));
        }
    }

    /// A lane.
    pub fn lane(&mut self, lane: Lane) {
        self.station.lanes.push(lane);
    }

    /// The card, filled.
    pub fn finish(mut self) -> Station {
        self.station.description = self.said.join(". ");
        self.station
    }

    fn push(
        &mut self,
        rect: Rect,
        text: String,
        size: f64,
        strong: bool,
        role: TextRole,
        align: Align,
    ) {
        if let Some(text) = fitted(
            self.boxed(rect),
            text,
            size * self.unit,
            strong,
            role,
            align,
        ) {
            self.station.texts.push(text);
        }
    }
}

/// A text in a box on the stage; none if there is nothing to show.
pub fn fitted(
    rect: Rect,
    text: String,
    size: f64,
    strong: bool,
    role: TextRole,
    align: Align,
) -> Option<Text> {
    (!text.is_empty()).then_some(Text {
        text,
        rect,
        size,
        strong,
        role,
        align,
    })
}

/// Wordings from longest to shortest.
pub fn wordings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
