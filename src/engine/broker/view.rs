//! What pictures and statistics read of a queue; the work is bounded by the limits given.

use super::call::MessageKey;
use super::lanes::Lanes;
use super::order::Order;
use super::queue::Queue;
use crate::engine::id::{ConsumerId, GroupId};
use crate::engine::time::Micros;

/// The waiting messages of one group, or of a standard queue.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    /// The group; none on standard queues and for messages without one.
    pub group: Option<GroupId>,
    /// Visible and locked messages in all.
    pub ready: u32,
    /// The first of them with their delivery counts, next to be handed out first.
    pub waiting: Vec<(MessageKey, u32)>,
    /// When the time to live of each of these is over.
    pub lapses: Vec<Micros>,
    /// FIFO: the message in flight at the head, which keeps the rest from being received.
    pub locked_by: Option<MessageKey>,
    /// See [`WaitingLane::since`].
    pub oldest_ready_since: Option<Micros>,
}

/// A group, or a standard queue, in which messages wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitingLane {
    /// The group; none on standard queues and for messages without one.
    pub group: Option<GroupId>,
    /// The message that has been ready longest.
    pub oldest: MessageKey,
    /// Since when. Messages wait longest at the front; of those received and returned, which may be ready for a
    /// shorter time than their successors, the first [`WaitingLane::LOOK`] are looked at.
    pub since: Micros,
    /// FIFO: the message in flight at the head, which keeps the rest from being received.
    pub locked_by: Option<MessageKey>,
}

impl WaitingLane {
    /// How many messages are looked at.
    pub const LOOK: usize = 16;
}

/// A message in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InFlight {
    /// The message.
    pub message: MessageKey,
    /// Its delivery count.
    pub deliveries: u32,
    /// Who received it.
    pub consumer: ConsumerId,
    /// When it becomes visible again.
    pub hidden_until: Micros,
}

/// Messages with their delivery counts, and when the time to live of each is over.
type Tokens = (Vec<(MessageKey, u32)>, Vec<Micros>);

impl Queue {
    /// Lanes with messages, then empty ones, both in order of first appearance; and how many more there are.
    pub(super) fn lanes(&self, limit_lanes: usize, limit_messages: usize) -> (Vec<Lane>, usize) {
        let lanes = match &self.order {
            Order::Standard(shards) => {
                let waiting = self.tokens(shards.iter(&self.store).take(limit_messages));
                return (vec![self.only_lane(waiting)], 0);
            }
            Order::Ranked(ranked) => {
                let waiting = self.tokens(ranked.upcoming(limit_messages).into_iter());
                return (vec![self.only_lane(waiting)], 0);
            }
            Order::Fifo(lanes) => lanes,
        };
        let occupied = lanes.occupied().take(limit_lanes);
        let mut listed: Vec<Lane> = occupied
            .map(|lane| self.lane(lanes, lane, limit_messages))
            .collect();
        let empty =
            (0..lanes.all().len() as u32).filter(|&lane| lanes.all()[lane as usize].stored == 0);
        let room = limit_lanes - listed.len();
        listed.extend(
            empty
                .take(room)
                .map(|lane| self.lane(lanes, lane, limit_messages)),
        );
        let more = lanes.all().len() - listed.len();
        (listed, more)
    }

    /// The lane of a standard queue.
    fn only_lane(&self, (waiting, lapses): Tokens) -> Lane {
        Lane {
            group: None,
            ready: u32::try_from(self.counts.ready).unwrap_or(u32::MAX),
            waiting,
            lapses,
            locked_by: None,
            oldest_ready_since: self.oldest_ready_since(),
        }
    }

    fn locked_by(&self, lanes: &Lanes, lane: u32) -> Option<MessageKey> {
        let slot = lanes.locker(lane, &self.store)?;
        Some(self.store[slot].message)
    }

    fn lane(&self, lanes: &Lanes, lane: u32, limit_messages: usize) -> Lane {
        let this = &lanes.all()[lane as usize];
        let (waiting, lapses) = self.tokens(lanes.ready(lane, &self.store).take(limit_messages));
        Lane {
            group: this.group,
            ready: this.ready,
            waiting,
            lapses,
            locked_by: self.locked_by(lanes, lane),
            oldest_ready_since: self.waiting_lane(lanes, lane).map(|waiting| waiting.since),
        }
    }

    fn tokens(&self, slots: impl Iterator<Item = u32>) -> Tokens {
        slots
            .map(|slot| {
                let copy = &self.store[slot];
                ((copy.message, copy.deliveries()), self.lapses_at(slot))
            })
            .unzip()
    }

    fn waiting_lane(&self, lanes: &Lanes, lane: u32) -> Option<WaitingLane> {
        let ready = lanes.ready(lane, &self.store).take(WaitingLane::LOOK);
        let waiting = self.longest_ready(lanes.all()[lane as usize].group, ready)?;
        Some(WaitingLane {
            locked_by: self.locked_by(lanes, lane),
            ..waiting
        })
    }

    fn longest_ready(
        &self,
        group: Option<GroupId>,
        slots: impl Iterator<Item = u32>,
    ) -> Option<WaitingLane> {
        let oldest = slots
            .map(|slot| &self.store[slot])
            .min_by_key(|copy| copy.moment)?;
        Some(WaitingLane {
            group,
            oldest: oldest.message,
            since: oldest.moment,
            locked_by: None,
        })
    }

    /// Every group in which messages wait, or the standard queue itself; the work grows with their number.
    pub(super) fn waiting_lanes(&self) -> impl Iterator<Item = WaitingLane> + '_ {
        let (standard, fifo) = match &self.order {
            Order::Standard(shards) => {
                let slots = shards.longest_waiting(WaitingLane::LOOK);
                (self.longest_ready(None, slots), None)
            }
            Order::Ranked(ranked) => {
                let slots = ranked.by_age().take(WaitingLane::LOOK);
                (self.longest_ready(None, slots), None)
            }
            Order::Fifo(lanes) => (None, Some(lanes)),
        };
        let fifo = fifo.into_iter().flat_map(move |lanes| {
            lanes
                .occupied()
                .filter_map(move |lane| self.waiting_lane(lanes, lane))
        });
        standard.into_iter().chain(fifo)
    }

    pub(super) fn oldest_ready_since(&self) -> Option<Micros> {
        self.waiting_lanes().map(|lane| lane.since).min()
    }

    pub(super) fn in_flight(&self, limit: usize) -> Vec<InFlight> {
        let timers = self.leases.iter().take(limit);
        timers
            .map(|timer| {
                let copy = &self.store[timer.slot];
                InFlight {
                    message: copy.message,
                    deliveries: copy.deliveries(),
                    consumer: timer.consumer,
                    hidden_until: self.visible_again(timer.slot),
                }
            })
            .collect()
    }

    pub(super) fn undeliverable(&self, limit: usize) -> Vec<(MessageKey, u32)> {
        self.tokens(self.withheld.iter().take(limit).map(|timer| timer.slot))
            .0
    }

    pub(super) fn delayed(&self, limit: usize) -> Vec<(MessageKey, Micros)> {
        let timers = self.delays.iter().take(limit);
        timers
            .map(|timer| {
                (
                    self.store[timer.slot].message,
                    self.store[timer.slot].moment,
                )
            })
            .collect()
    }
}
