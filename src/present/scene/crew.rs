//! The consumers' cards: in how many columns they stand, how much each shows, and how many are drawn.

use crate::engine::snapshot::ConsumerView;
use crate::present::geometry::Rect;
use crate::present::measure;
use crate::present::names::clean;

use super::across::{Columns, GAP, MORE, TIGHT_GAP, columns};
use super::card::TITLE;
use super::layout::Cast;
use super::plan::{Form, Plan};
use super::stack::{Range, fixed, least, range};
use super::{SceneInput, StationId};

/// Least width of a card in any form, in units.
pub const LEAST_WIDTH: f64 = 180.0;

/// How the consumers stand.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Crew {
    /// Cards in a row.
    pub across: usize,
    /// Cards drawn; a card sums up the others.
    pub shown: usize,
    /// How each is filled.
    pub plan: Plan,
    /// The columns of the stage that go with it.
    pub columns: Option<Columns>,
    /// How far from the roomiest form it is, for comparing sizes.
    pub cost: u32,
}

/// In which order forms and numbers of columns are tried. A few consumers stand below each other as long as they can.
fn options(count: usize) -> Vec<(Form, usize)> {
    use Form::{Bare, Card, One, Roomy, Short, Tight, Two};
    let mut options: Vec<(Form, usize)> = match count {
        ..=3 => vec![
            (Roomy, 1),
            (Card, 1),
            (Tight, 1),
            (Bare, 1),
            (Short, 1),
            (Roomy, 2),
            (Card, 2),
            (Tight, 2),
        ],
        _ => vec![
            (Roomy, 1),
            (Card, 1),
            (Roomy, 2),
            (Card, 2),
            (Tight, 1),
            (Tight, 2),
        ],
    };
    options.extend([(Card, 3), (Tight, 3)]);
    options.extend(
        [Bare, Short, Two, One]
            .iter()
            .flat_map(|form| [1, 2, 3].map(|n| (*form, n))),
    );
    options.retain(|(_, across)| *across <= count.max(1));
    options
}

impl Crew {
    /// The roomiest way that fits an area of this height.
    pub fn choose(input: &SceneInput, cast: &Cast, width: f64, area: f64, stacked: bool) -> Self {
        let count = cast.consumers.0.len();
        let options = options(count);
        let at = |form: Form, across: usize, shown: usize| {
            let columns = columns(cast, width, (across, form.least_width()), stacked)?;
            let card = (columns.workers.1 - GAP * (across - 1) as f64) / across as f64;
            Some(Self {
                across,
                shown,
                plan: plan(input, cast, card, form),
                columns: Some(columns),
                cost: 0,
            })
        };
        for (cost, (form, across)) in (0..).zip(&options) {
            if let Some(crew) = at(*form, *across, count)
                && least(&crew.rows(input, cast), crew.least_gap()) <= area
            {
                return Self { cost, ..crew };
            }
        }
        let mut best: Option<Self> = None;
        for (form, across) in options.iter().filter(|(form, _)| *form >= Form::Two) {
            for shown in (0..count).rev() {
                let Some(crew) = at(*form, *across, shown) else {
                    break;
                };
                if least(&crew.rows(input, cast), crew.least_gap()) > area && shown > 0 {
                    continue;
                }
                if best.as_ref().is_none_or(|best| best.shown < shown) {
                    let cost = 100 + (count - shown) as u32;
                    best = Some(Self { cost, ..crew });
                }
                break;
            }
        }
        best.or_else(|| at(Form::Tight, 1, count))
            .unwrap_or_default()
    }

    /// Least gap between rows: no wires run between lines in one column.
    pub fn least_gap(&self) -> f64 {
        if self.across == 1 && self.plan.form == Form::One {
            TIGHT_GAP / 2.0
        } else {
            TIGHT_GAP
        }
    }

    /// The heights of the rows of cards, and of the card that sums up the rest.
    pub fn rows(&self, input: &SceneInput, cast: &Cast) -> Vec<Range> {
        let mut rows: Vec<Range> = consumers(input, cast)
            .take(self.shown)
            .collect::<Vec<_>>()
            .chunks(self.across.max(1))
            .map(|row| {
                let heights = row.iter().map(|consumer| self.plan.height(&consumer.setup));
                let tallest = heights.fold(0.0, f64::max);
                range(tallest, self.plan.form.most_height(tallest))
            })
            .collect();
        if self.sums_up(cast) {
            rows.push(fixed(MORE));
        }
        rows
    }

    fn sums_up(&self, cast: &Cast) -> bool {
        cast.consumers.0.len() + cast.consumers.1 > self.shown
    }

    /// The cards at their places.
    pub fn place(
        &self,
        cast: &Cast,
        (x, width): (f64, f64),
        rows: &[(f64, f64)],
    ) -> Vec<(StationId, Rect)> {
        let across = self.across.max(1);
        let card = (width - GAP * (across - 1) as f64) / across as f64;
        let mut places = Vec::new();
        for (i, id) in cast.consumers.0.iter().take(self.shown).enumerate() {
            if let Some((y, h)) = rows.get(i / across) {
                let left = x + (i % across) as f64 * (card + GAP);
                places.push((StationId::Consumer(*id), Rect::new(left, *y, card, *h)));
            }
        }
        if self.sums_up(cast)
            && let Some((y, h)) = rows.last()
        {
            places.push((StationId::MoreConsumers, Rect::new(x, *y, width, *h)));
        }
        places
    }
}

fn consumers<'a>(input: &'a SceneInput, cast: &'a Cast) -> impl Iterator<Item = &'a ConsumerView> {
    let ids = cast.consumers.0.iter();
    ids.filter_map(|id| input.snapshot.consumers.get(id.index()))
}

/// How cards of this width are filled.
pub fn plan(input: &SceneInput, cast: &Cast, card: f64, form: Form) -> Plan {
    let names = consumers(input, cast).map(|consumer| clean(&consumer.setup.name));
    let widths = names.map(|name| measure::width(&name, TITLE, true));
    Plan {
        name: if form == Form::One {
            widths.fold(0.0, f64::max) + 1.0
        } else {
            0.0
        },
        ..Plan::new(card, input.density, cast.named, form)
    }
}
