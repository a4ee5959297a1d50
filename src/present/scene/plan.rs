//! How much room consumers' cards need and how it is used, the same for all of them.

use crate::engine::setup::ConsumerSetup;
use crate::present::measure;

use super::Density;
use super::card::{PAD, SMALL};
use super::tokens::STRETCH;

/// How much a consumer's card shows, roomiest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Form {
    /// All, with large marks and a label on its slots.
    #[default]
    Roomy,
    /// All.
    Card,
    /// All, with small marks and gaps.
    Tight,
    /// A line for its name, one for its work and one for the buttons that fit.
    Short,
    /// Without its buttons.
    Bare,
    /// A line for its name and one for its work.
    Two,
    /// One line.
    One,
}

/// Height of a card of [`Form::Two`].
pub const TWO: f64 = 56.0;
/// Height of a card of [`Form::One`].
pub const ONE: f64 = 28.0;

impl Form {
    /// Least width of a card, in units.
    pub const fn least_width(self) -> f64 {
        match self {
            Self::Roomy | Self::Card => 224.0,
            _ => super::crew::LEAST_WIDTH,
        }
    }

    /// How far a card of this least height grows where there is room.
    pub fn most_height(self, least: f64) -> f64 {
        match self {
            Self::One => least * 1.3,
            Self::Two | Self::Short => least * 1.25,
            Self::Bare => least * 1.35,
            _ => least * 1.5,
        }
    }
}

/// How the cards of consumers are filled, the same for all. Lengths in units.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Plan {
    /// How much they show.
    pub form: Form,
    /// Width of the longest name among them.
    pub name: f64,
    /// Radius of the token at work.
    pub radius: f64,
    /// The caption stands beside the token, under its bar; else below both.
    pub beside: bool,
    /// Height of the row of one worker slot.
    pub row: f64,
    /// Most worker slots drawn.
    pub most_rows: usize,
    /// Short labels on the buttons.
    pub short: bool,
    /// Rows that the buttons need.
    pub button_rows: usize,
    /// Cards say on one line what they can.
    pub compact: bool,
}

/// See [`Plan`].
pub const TITLE_ROW: f64 = 32.0;
const BUFFER_ROW: f64 = 38.0;
const TIGHT_BUFFER_ROW: f64 = 34.0;
/// See [`Plan`].
pub const BUTTON: f64 = 26.0;
/// See [`Plan`].
pub const BUTTON_GAP: f64 = 6.0;
/// Long and short labels of the break buttons.
pub const LABELS: [(&str, &str); 3] = [
    ("Crash", "Crash"),
    ("Slow down", "Slow"),
    ("Lose the ack", "Lose ack"),
];

impl Plan {
    /// The roomiest way to fill cards of this width.
    pub fn new(width: f64, density: Density, named: bool, form: Form) -> Self {
        let inner = width - 2.0 * PAD;
        let tight = form >= Form::Tight;
        let radius = match (tight, density, named) {
            (true, _, _) => 16.0,
            (false, Density::Simple, true) => 22.0,
            (false, Density::Simple, false) => 19.0,
            (false, Density::Full, _) => 17.0,
        };
        let least = match (tight, density) {
            (true, _) => 204.0,
            (false, Density::Simple) => 190.0,
            (false, Density::Full) => 236.0,
        };
        let beside = inner - 2.0 * radius - 2.0 * STRETCH >= least;
        let short = button_rows(inner, false) > 1;
        Self {
            form,
            name: 0.0,
            radius,
            beside,
            row: if beside {
                (2.0 * radius + 8.0).max(radius + 31.0)
            } else {
                2.0 * radius + 32.0
            },
            most_rows: if tight { 2 } else { 3 },
            short,
            button_rows: match form {
                Form::Short => 1,
                Form::Bare | Form::Two | Form::One => 0,
                _ => button_rows(inner, short),
            },
            compact: false,
        }
    }

    /// Height that a consumer's card needs: a function of its settings.
    pub fn height(&self, consumer: &ConsumerSetup) -> f64 {
        match self.form {
            Form::One => return ONE,
            Form::Two => return TWO,
            Form::Short => return TWO + self.buttons(),
            _ => {}
        }
        let workers = usize::from(consumer.workers.max(1));
        let rows = workers.min(self.most_rows) as f64 * self.row;
        let more = if workers > self.most_rows { 18.0 } else { 0.0 };
        let (buffer, end) = if self.form >= Form::Tight {
            (TIGHT_BUFFER_ROW, 6.0)
        } else {
            (BUFFER_ROW, 12.0)
        };
        let buffer = if slots(consumer) > 0 { buffer } else { 0.0 };
        TITLE_ROW + self.label() + rows + more + buffer + self.buttons() + end
    }

    /// Height of the label above the slots at work.
    pub fn label(&self) -> f64 {
        if self.form == Form::Roomy { 20.0 } else { 0.0 }
    }

    /// Height of the buttons.
    pub fn buttons(&self) -> f64 {
        self.button_rows as f64 * (BUTTON + BUTTON_GAP)
    }
}

/// Messages that can wait in a consumer beside those at work.
pub fn slots(consumer: &ConsumerSetup) -> u32 {
    // What a person holds is never at work.
    let most = if consumer.by_hand {
        consumer.prefetch.max(4)
    } else {
        consumer.prefetch
    };
    most.saturating_sub(consumer.workers.into())
}

fn label_width(label: &str) -> f64 {
    measure::width(label, SMALL, false) + 12.0
}

/// What the first two say while the consumer is crashed or slow: the way back.
pub const WAYS_BACK: [(&str, &str); 2] = [("Restart", "Restart"), ("Normal speed", "Normal")];

/// Width of a button's slot, which holds its way back as well.
pub fn button_width(index: usize, short: bool) -> f64 {
    let pick = |(long, brief): &(&str, &str)| label_width(if short { brief } else { long });
    let usual = LABELS.get(index).map_or(0.0, pick);
    usual.max(WAYS_BACK.get(index).map_or(0.0, pick))
}

fn button_rows(inner: f64, short: bool) -> usize {
    let (mut rows, mut x) = (1, 0.0);
    for i in 0..LABELS.len() {
        let width = button_width(i, short);
        if x > 0.0 && x + width > inner + 0.01 {
            rows += 1;
            x = 0.0;
        }
        x += width + BUTTON_GAP;
    }
    rows
}
