//! Which message a standard queue hands out next.

use super::call::Demand;
use super::returns_queue::{Place, Returns};
use super::store::{Position, Store, Stored};
use crate::engine::chance::{self, Purpose};
use std::collections::{BTreeSet, VecDeque};

/// The ready messages of one server.
#[derive(Clone, Default, Debug)]
struct Shard {
    /// Never received, in send order and in the order in which they became ready.
    fresh: VecDeque<u32>,
    /// Received and returned, what became visible later than its successors, and what has a time to live of its own
    /// and may leave from anywhere, in send order.
    returned: BTreeSet<(Position, u32)>,
}

impl Shard {
    fn first(&self, store: &Store) -> Option<(Position, u32)> {
        let fresh = self.fresh.front();
        let Some(&returned) = self.returned.first() else {
            return fresh.map(|&slot| (store[slot].position(), slot));
        };
        match fresh.map(|&slot| (store[slot].position(), slot)) {
            Some(fresh) if fresh < returned => Some(fresh),
            _ => Some(returned),
        }
    }

    /// Only the first fresh one and those returned are removed at once: from the middle the rest moves up, which no
    /// call of a producer or a consumer needs.
    fn remove(&mut self, position: Position, slot: u32, store: &Store) {
        if self.fresh.front() == Some(&slot) {
            self.fresh.pop_front();
        } else if !self.returned.remove(&(position, slot)) {
            let fresh = |other: &u32| store[*other].position();
            if let Ok(at) = self.fresh.binary_search_by_key(&position, fresh) {
                self.fresh.remove(at);
            }
        }
    }
}

/// The ready messages of a standard queue, on one or more servers. Over all servers they are kept in send order:
/// a returned message goes back to its place, unless the queue's rules say otherwise.
///
/// SQS: a short poll asks a weighted random subset of the servers and can be falsely empty; a long poll asks all
/// (Developer Guide, "Amazon SQS short and long polling"). Here the subset is drawn with equal weights.
#[derive(Clone, Debug)]
pub(super) struct Shards {
    shards: Vec<Shard>,
    /// What returned elsewhere than to its place.
    returns: Returns,
    seed: u64,
    stream: u64,
}

/// A set of servers, by bit.
pub(super) type Asked = u64;

impl Shards {
    /// More servers than this count as this many.
    pub(super) const MOST: u16 = 64;

    pub(super) fn new(seed: u64, stream: u64, shards: u16) -> Self {
        let shards = usize::from(shards.clamp(1, Self::MOST));
        Self {
            shards: vec![Shard::default(); shards],
            returns: Returns::default(),
            seed,
            stream,
        }
    }

    fn shard(&self, copy: &Stored) -> usize {
        let shards = self.shards.len() as u64;
        if shards == 1 {
            return 0;
        }
        let index = copy.lease().sequence();
        let draw = chance::draw(self.seed, self.stream, Purpose::Placement, index);
        chance::uniform_below(draw, shards) as usize
    }

    /// Adds a message that became ready for the first time.
    pub(super) fn enter(&mut self, slot: u32, store: &Store) {
        let copy = &store[slot];
        let position = copy.position();
        let since = copy.moment;
        let shard = self.shard(copy);
        let shard = &mut self.shards[shard];
        let is_next = |last: &Stored| last.position() < position && last.moment <= since;
        let stays = store
            .aside(slot)
            .is_none_or(|aside| aside.deadline.is_none());
        if stays && shard.fresh.back().is_none_or(|&last| is_next(&store[last])) {
            shard.fresh.push_back(slot);
        } else {
            shard.returned.insert((position, slot));
        }
    }

    /// Adds a message that was received before.
    pub(super) fn give_back(&mut self, slot: u32, store: &Store, place: Place) {
        let position = match place {
            Place::Own => store[slot].position(),
            Place::Tail(position) => position,
            Place::Returns | Place::Head => return self.returns.put_first(slot, store, place),
        };
        self.returns.note_tail(slot, store, place);
        let shard = self.shard(&store[slot]);
        self.shards[shard].returned.insert((position, slot));
    }

    /// Removes a message.
    pub(super) fn remove(&mut self, slot: u32, store: &Store) {
        let own = store[slot].position();
        if let Some(position) = self.returns.remove(slot, own) {
            let shard = self.shard(&store[slot]);
            self.shards[shard].remove(position, slot, store);
        }
    }

    /// The message that was sent first.
    pub(super) fn oldest(&self, store: &Store) -> Option<u32> {
        let placed = self.shards.iter().flat_map(|shard| {
            let fresh = shard.fresh.front().copied();
            let returned = shard.returned.first().map(|&(_, slot)| slot);
            fresh.into_iter().chain(returned)
        });
        let slots = placed.chain(self.returns.oldest());
        slots.min_by_key(|&slot| (store[slot].position(), slot))
    }

    /// The first message on the servers asked. What is served before all others is on every server.
    #[inline]
    pub(super) fn first(&self, asked: Asked, store: &Store) -> Option<u32> {
        if let Some(slot) = self.returns.first() {
            return Some(slot);
        }
        if let [only] = self.shards.as_slice() {
            return only.first(store).map(|(_, slot)| slot);
        }
        let shards = self.shards.iter().enumerate();
        shards
            .filter(|(shard, _)| asked >> shard & 1 == 1)
            .filter_map(|(_, shard)| shard.first(store))
            .min()
            .map(|(_, slot)| slot)
    }

    /// All servers.
    pub(super) const ALL: Asked = u64::MAX;

    /// The servers that this short poll asks.
    pub(super) fn sample(&self, demand: &Demand, sampled: u16) -> Asked {
        let shards = self.shards.len() as u64;
        let sampled = u64::from(sampled.max(1));
        if sampled >= shards {
            return Self::ALL;
        }
        let call = u64::from(demand.consumer.0) << 48 | demand.call & ((1 << 48) - 1);
        let draw = chance::draw(self.seed, self.stream, Purpose::Shard, call);
        let mut asked = 0;
        for pick in 0..sampled {
            let draw = chance::draw(draw, self.stream, Purpose::Shard, pick);
            let nth = chance::uniform_below(draw, shards - pick) as usize;
            let free = (0..shards).filter(|shard| asked >> shard & 1 == 0).nth(nth);
            asked |= free.map_or(0, |shard| 1 << shard);
        }
        asked
    }

    /// Ready messages as they would be handed out.
    pub(super) fn iter<'a>(&'a self, store: &'a Store) -> impl Iterator<Item = u32> + 'a {
        let mut sources: Vec<_> = self
            .shards
            .iter()
            .map(|shard| {
                let fresh = shard
                    .fresh
                    .iter()
                    .map(|&slot| (store[slot].position(), slot));
                (fresh.peekable(), shard.returned.iter().copied().peekable())
            })
            .collect();
        let placed = std::iter::from_fn(move || {
            let heads = sources
                .iter_mut()
                .enumerate()
                .flat_map(|(at, (fresh, returned))| {
                    let fresh = fresh.peek().map(|&head| (head, at, true));
                    fresh
                        .into_iter()
                        .chain(returned.peek().map(|&head| (head, at, false)))
                });
            let ((_, slot), at, is_fresh) = heads.min()?;
            let (fresh, returned) = sources.get_mut(at)?;
            if is_fresh {
                fresh.next();
            } else {
                returned.next();
            }
            Some(slot)
        });
        self.returns.iter().chain(placed)
    }

    /// The fresh message that waits longest, and a few of those that were returned.
    pub(super) fn longest_waiting<'a>(&'a self, few: usize) -> impl Iterator<Item = u32> + 'a {
        let placed = self.shards.iter().flat_map(move |shard| {
            let returned = shard.returned.iter().take(few).map(|&(_, slot)| slot);
            shard.fresh.front().copied().into_iter().chain(returned)
        });
        self.returns.iter().take(few).chain(placed)
    }
}
