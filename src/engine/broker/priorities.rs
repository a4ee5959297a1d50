//! Priority: which of several ready messages goes first.

use super::store::{Listed, Position, Stored};
use crate::engine::rules::Priority;
use std::collections::BTreeSet;

/// Place of a ready message: its class, then its position. The lowest goes first. Never changes while it is ready.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rank {
    class: u16,
    position: Position,
}

/// Before everything: returned messages that lost their priority.
const FIRST: u16 = 0;
/// Weighted: what is above the border.
const HIGH: u16 = 1;
/// Weighted: the rest.
const LOW: u16 = 2;

impl Rank {
    /// Width of what an entry begins with.
    pub(super) const CLASS_BITS: u32 = u16::BITS;

    /// The rank of a copy with this priority.
    ///
    /// RabbitMQ classic: above the maximum counts as the maximum, none as 0, and a requeued message keeps its level
    /// and place (guide "priority"; observed, 3.10.8 and 4.0.5). Quorum 4.3: 0 to 31, none counts as 4, and returned
    /// messages precede everything (guide "quorum-queues", priorities); 4.0: above 4 is high, the rest low. Aging:
    /// what rises by one for each `every` of waiting overtakes exactly what was sent less than `every` for each
    /// level before it, so that an order once made stays right.
    pub(super) fn of(
        rule: Priority,
        copy: &Stored,
        priority: Option<u8>,
        is_returned: bool,
    ) -> Self {
        let mut position = copy.position();
        let class = match rule {
            Priority::Off => HIGH,
            Priority::Strict { lost_on_return, .. } if lost_on_return && is_returned => FIRST,
            Priority::Strict { max, default, .. } => {
                HIGH + u16::from(max.saturating_sub(priority.unwrap_or(default)))
            }
            Priority::Weighted { above, .. } => match priority {
                Some(priority) if priority > above => HIGH,
                _ => LOW,
            },
            Priority::Aging { max, every } => {
                let below = max.saturating_sub(priority.unwrap_or(0));
                for _ in 0..below {
                    position.0 += every;
                }
                HIGH
            }
        };
        Self { class, position }
    }

    /// Its entry in a list of ranks.
    pub(super) fn listed(self, slot: u32) -> Listed {
        (self.class.into(), self.position, slot)
    }

    /// The rank and the slot of an entry.
    pub(super) fn of_entry(&(class, position, slot): &Listed) -> (Self, u32) {
        let class = class as u16;
        (Self { class, position }, slot)
    }
}

/// Ready messages in the order of their ranks.
#[derive(Clone, Default, Debug)]
pub(super) struct Line {
    ready: BTreeSet<Listed>,
    /// Weighted: messages handed out so far, modulo a round.
    picks: u32,
}

impl Line {
    pub(super) fn insert(&mut self, rank: Rank, slot: u32) {
        self.ready.insert(rank.listed(slot));
    }

    pub(super) fn remove(&mut self, rank: Rank, slot: u32) {
        self.ready.remove(&rank.listed(slot));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// The next message.
    pub(super) fn first(&self, rule: Priority) -> Option<(Rank, u32)> {
        let first = self.first_from(rule, self.picks, [FRONT; 2])?;
        Some(Rank::of_entry(&first))
    }

    /// Notes that a message was handed out.
    ///
    /// Weighted: `high` turns prefer a high message and `low` turns a low one; a turn counts whatever it gives, so
    /// that a level which was empty does not save up turns. RabbitMQ quorum 4.0: high, high, low (observed).
    pub(super) fn pick(&mut self, rule: Priority) {
        self.picks = next_turn(rule, self.picks);
    }

    /// The message that is next in this turn, from these places among the high and the low ones on.
    fn first_from(&self, rule: Priority, turn: u32, from: [Listed; 2]) -> Option<Listed> {
        let Priority::Weighted { high, .. } = rule else {
            return self.ready.range(from[0]..).next().copied();
        };
        let mut upper = self.ready.range(from[0]..LOWS.max(from[0]));
        let lower = self.ready.range(from[1].max(LOWS)..).next();
        match (upper.next(), lower) {
            (Some(upper), _) if upper.0 == u64::from(FIRST) || turn < high => Some(*upper),
            (upper, lower) => lower.or(upper).copied(),
        }
    }

    /// All messages as they would be handed out if nothing else happened.
    pub(super) fn iter(&self, rule: Priority) -> impl Iterator<Item = (Rank, u32)> + '_ {
        let mut turn = self.picks;
        let mut from = [FRONT; 2];
        let is_weighted = matches!(rule, Priority::Weighted { .. });
        std::iter::from_fn(move || {
            let (class, position, slot) = self.first_from(rule, turn, from)?;
            turn = next_turn(rule, turn);
            from[usize::from(is_weighted && class == u64::from(LOW))] = (class, position, slot + 1);
            Some(Rank::of_entry(&(class, position, slot)))
        })
    }
}

/// Before all places.
const FRONT: Listed = (FIRST as u64, Position::FIRST, 0);

/// Before the places of low ones.
const LOWS: Listed = (LOW as u64, Position::FIRST, 0);

fn next_turn(rule: Priority, turn: u32) -> u32 {
    match rule {
        Priority::Weighted { high, low, .. } => (turn + 1) % high.saturating_add(low).max(1),
        _ => 0,
    }
}
