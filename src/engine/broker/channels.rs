//! Who is subscribed to a queue that pushes, on which channels, and what was handed to whom and is not settled.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::engine::id::ConsumerId;
use crate::engine::order::positions_in_order;

/// A consumer's wish to be handed messages. RabbitMQ: basic.qos and basic.consume.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subscription {
    /// Who.
    pub consumer: ConsumerId,
    /// Most deliveries that it holds unsettled; 0 is no limit.
    pub prefetch: u32,
    /// Higher ones are served first while their prefetch leaves room. RabbitMQ: x-priority.
    pub priority: u16,
    /// Consumers of a queue with the same number share a channel; none has one of its own.
    pub channel: Option<u16>,
    /// Most deliveries that all consumers of the channel hold unsettled; 0 is no limit. RabbitMQ: basic.qos with
    /// global = true.
    pub channel_prefetch: u32,
    /// What is handed out counts as done at once; no limit applies.
    pub automatic: bool,
}

/// A subscriber as pictures show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subscriber {
    /// What it asked for.
    pub subscription: Subscription,
    /// Whether the broker may hand it messages: with a single active consumer only one is.
    pub active: bool,
    /// Whether its prefetch, and its channel's, leave room for one more delivery.
    pub has_room: bool,
}

/// A channel of a queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum ChannelId {
    Own(ConsumerId),
    Shared(u16),
}

/// An unsettled delivery.
#[derive(Clone, Copy, Debug)]
struct Hold {
    consumer: ConsumerId,
    channel: ChannelId,
    /// Order of the delivery. RabbitMQ: the delivery tag, counted by channel there.
    tag: u64,
    /// Counts for the prefetch.
    pushed: bool,
}

#[derive(Clone, Default, Debug)]
struct Channel {
    /// Slots by tag.
    unsettled: BTreeMap<u64, u32>,
    /// Those of them that count for the prefetch.
    pushed: u32,
    limit: u32,
}

/// A consumer that has an open channel.
#[derive(Clone, Debug)]
struct Party {
    channel: ChannelId,
    subscription: Option<Subscription>,
    /// Order of subscribing.
    joined: u64,
    unsettled: u32,
    pushed: u32,
    /// Its place in line, while there is room for it.
    turn: Option<u64>,
}

/// The channels of one queue. Empty, and of no cost, on queues that do not push.
#[derive(Clone, Default, Debug)]
pub(super) struct Channels {
    parties: BTreeMap<ConsumerId, Party>,
    channels: BTreeMap<ChannelId, Channel>,
    /// By slot.
    holds: BTreeMap<u32, Hold>,
    /// Who may be handed a message: the highest priority first, then in turn.
    line: BTreeSet<(Reverse<u16>, u64, ConsumerId)>,
    next: u64,
    single_active: bool,
}

/// What a closed channel leaves.
#[derive(Debug)]
pub(super) struct Closed {
    /// Its consumers, in order of their ids.
    pub consumers: Vec<ConsumerId>,
    /// What was unsettled and whose it was, in order of delivery.
    pub unsettled: Vec<(u32, ConsumerId)>,
}

impl Channels {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Whose turn it is.
    pub(super) fn first(&self) -> Option<Subscription> {
        let (.., consumer) = self.line.first()?;
        self.parties.get(consumer)?.subscription
    }

    /// How many messages may be handed out before everybody's prefetch is used up.
    pub(super) fn room(&self) -> u64 {
        let left = |held: u32, limit: u32| match limit {
            0 => u64::from(u32::MAX),
            limit => u64::from(limit.saturating_sub(held)),
        };
        let mut rooms: BTreeMap<ChannelId, u64> = BTreeMap::new();
        for (.., consumer) in &self.line {
            let Some(party) = self.parties.get(consumer) else {
                continue;
            };
            let room = match party.subscription {
                Some(it) if !it.automatic => left(party.pushed, it.prefetch),
                _ => u64::from(u32::MAX),
            };
            *rooms.entry(party.channel).or_default() += room;
        }
        let bounded = rooms.into_iter().map(|(id, room)| {
            let channel = self.channels.get(&id);
            channel.map_or(room, |it| room.min(left(it.pushed, it.limit)))
        });
        bounded.sum()
    }

    /// Adds a subscription, in place of the consumer's former one. It keeps what it holds, its place among the
    /// subscribers and its channel, which closes only by a close.
    pub(super) fn subscribe(&mut self, subscription: Subscription) {
        let consumer = subscription.consumer;
        self.leave_line(consumer);
        let joined = self.number();
        let asked = subscription.channel;
        let asked = asked.map_or(ChannelId::Own(consumer), ChannelId::Shared);
        let party = self.party(consumer, asked);
        if party.subscription.is_none() {
            party.joined = joined;
            // A receive in its place opened a channel that nothing holds any more.
            if party.unsettled == 0 {
                party.channel = asked;
            }
        }
        party.subscription = Some(subscription);
        let channel = party.channel;
        self.channels.entry(channel).or_default().limit = subscription.channel_prefetch;
        self.relist_channel(channel);
        self.relist_all_if_single();
    }

    fn party(&mut self, consumer: ConsumerId, channel: ChannelId) -> &mut Party {
        self.channels.entry(channel).or_default();
        self.parties.entry(consumer).or_insert_with(|| Party {
            channel,
            subscription: None,
            joined: 0,
            unsettled: 0,
            pushed: 0,
            turn: None,
        })
    }

    /// Ends a subscription; what is held stays held. Says whether there was one.
    pub(super) fn cancel(&mut self, consumer: ConsumerId) -> bool {
        self.leave_line(consumer);
        let party = self.parties.get_mut(&consumer);
        let ended = party.and_then(|party| party.subscription.take()).is_some();
        self.relist_all_if_single();
        ended
    }

    /// Ends all subscriptions.
    pub(super) fn cancel_all(&mut self) {
        self.line.clear();
        for party in self.parties.values_mut() {
            party.subscription = None;
            party.turn = None;
        }
    }

    /// With `single_active`, only the consumer that subscribed first is served.
    pub(super) fn set_single_active(&mut self, single_active: bool) {
        if self.single_active != single_active {
            self.single_active = single_active;
            self.relist_all();
        }
    }

    /// Notes a delivery: by the queue's own accord, or as an answer to a receive, which counts for no prefetch
    /// (RabbitMQ: basic.get).
    pub(super) fn hold(&mut self, slot: u32, consumer: ConsumerId, pushed: bool) {
        let tag = self.number();
        let party = self.party(consumer, ChannelId::Own(consumer));
        party.unsettled += 1;
        party.pushed += u32::from(pushed);
        let id = party.channel;
        let channel = self.channels.entry(id).or_default();
        channel.unsettled.insert(tag, slot);
        channel.pushed += u32::from(pushed);
        let hold = Hold {
            consumer,
            channel: id,
            tag,
            pushed,
        };
        self.holds.insert(slot, hold);
        self.relist_after(consumer, id);
    }

    /// Puts a consumer that was served behind its equals.
    pub(super) fn served(&mut self, consumer: ConsumerId) {
        self.leave_line(consumer);
        self.relist(consumer);
    }

    /// Notes that the copy in this slot is held by nobody any more.
    #[inline]
    pub(super) fn release(&mut self, slot: u32) {
        if !self.holds.is_empty() {
            self.release_held(slot);
        }
    }

    fn release_held(&mut self, slot: u32) {
        let Some(hold) = self.holds.remove(&slot) else {
            return;
        };
        if let Some(party) = self.parties.get_mut(&hold.consumer) {
            party.unsettled -= 1;
            party.pushed -= u32::from(hold.pushed);
        }
        if let Some(channel) = self.channels.get_mut(&hold.channel) {
            channel.unsettled.remove(&hold.tag);
            channel.pushed -= u32::from(hold.pushed);
        }
        self.relist_after(hold.consumer, hold.channel);
    }

    /// Who holds the copy in this slot.
    #[inline]
    pub(super) fn holder(&self, slot: u32) -> Option<ConsumerId> {
        if self.holds.is_empty() {
            return None;
        }
        self.holds.get(&slot).map(|hold| hold.consumer)
    }

    /// Whether anybody is subscribed.
    pub(super) fn has_subscribers(&self) -> bool {
        self.parties.values().any(|it| it.subscription.is_some())
    }

    /// Notes that nothing is held by anybody any more.
    pub(super) fn release_all(&mut self) {
        let slots: Vec<u32> = self.holds.keys().copied().collect();
        for slot in slots {
            self.release(slot);
        }
    }

    /// Whether anything is held.
    pub(super) fn hold_any(&self) -> bool {
        !self.holds.is_empty()
    }

    /// What the channel of this delivery holds up to it, in order of delivery.
    pub(super) fn up_to(&self, slot: u32) -> Vec<(u32, ConsumerId)> {
        let Some(hold) = self.holds.get(&slot) else {
            return Vec::new();
        };
        let channel = self.channels.get(&hold.channel);
        let slots = channel.into_iter().flat_map(|it| {
            let upto = it.unsettled.range(..=hold.tag);
            upto.map(|(_, &slot)| slot)
        });
        slots
            .filter_map(|slot| self.holder(slot).map(|consumer| (slot, consumer)))
            .collect()
    }

    /// What a consumer holds, in order of delivery.
    pub(super) fn held_by(&self, consumer: ConsumerId) -> Vec<(u32, ConsumerId)> {
        let party = self.parties.get(&consumer);
        let channel = party.and_then(|party| self.channels.get(&party.channel));
        let slots = channel.into_iter().flat_map(|it| it.unsettled.values());
        slots
            .filter(|&&slot| self.holder(slot) == Some(consumer))
            .map(|&slot| (slot, consumer))
            .collect()
    }

    /// Whether a consumer has a channel open here.
    pub(super) fn has_channel(&self, consumer: ConsumerId) -> bool {
        self.parties.contains_key(&consumer)
    }

    /// Every consumer that has a channel open here.
    pub(super) fn consumers(&self) -> Vec<ConsumerId> {
        self.parties.keys().copied().collect()
    }

    /// Ends the channel of a consumer and the subscriptions of all that share it. What was unsettled is still noted as
    /// held: the caller returns it, which releases it. None when it has no channel open.
    pub(super) fn close(&mut self, consumer: ConsumerId) -> Option<Closed> {
        let id = self.parties.get(&consumer)?.channel;
        let sharing = self.parties.iter().filter(|(_, party)| party.channel == id);
        let consumers: Vec<ConsumerId> = sharing.map(|(&consumer, _)| consumer).collect();
        for consumer in &consumers {
            self.leave_line(*consumer);
            self.parties.remove(consumer);
        }
        let slots = self.channels.remove(&id).unwrap_or_default().unsettled;
        let unsettled = slots.into_values().filter_map(|slot| {
            let consumer = self.holder(slot)?;
            Some((slot, consumer))
        });
        let unsettled = unsettled.collect();
        self.relist_all_if_single();
        Some(Closed {
            consumers,
            unsettled,
        })
    }

    /// The consumer that is served when only one is: the one that subscribed first.
    fn single(&self) -> Option<ConsumerId> {
        let subscribed = self.parties.iter();
        let subscribed = subscribed.filter(|(_, party)| party.subscription.is_some());
        let first = subscribed.min_by_key(|(_, party)| party.joined);
        first.map(|(&consumer, _)| consumer)
    }

    fn is_active(&self, consumer: ConsumerId) -> bool {
        !self.single_active || self.single() == Some(consumer)
    }

    fn has_room(&self, party: &Party) -> bool {
        let Some(subscription) = party.subscription else {
            return false;
        };
        let below = |held: u32, limit: u32| limit == 0 || held < limit;
        let channel = self.channels.get(&party.channel);
        subscription.automatic
            || below(party.pushed, subscription.prefetch)
                && channel.is_none_or(|channel| below(channel.pushed, channel.limit))
    }

    fn leave_line(&mut self, consumer: ConsumerId) {
        let Some(party) = self.parties.get_mut(&consumer) else {
            return;
        };
        if let (Some(turn), Some(subscription)) = (party.turn.take(), party.subscription) {
            self.line
                .remove(&(Reverse(subscription.priority), turn, consumer));
        }
    }

    /// Brings a consumer's place in line up to date: it leaves when there is no room for it, and joins behind its
    /// equals when there is again.
    fn relist(&mut self, consumer: ConsumerId) {
        let Some(party) = self.parties.get(&consumer) else {
            return;
        };
        match (
            self.has_room(party) && self.is_active(consumer),
            party.turn,
            party.subscription,
        ) {
            (false, Some(_), _) => self.leave_line(consumer),
            (true, None, Some(subscription)) => {
                let turn = self.number();
                if let Some(party) = self.parties.get_mut(&consumer) {
                    party.turn = Some(turn);
                }
                self.line
                    .insert((Reverse(subscription.priority), turn, consumer));
            }
            _ => {}
        }
    }

    fn relist_after(&mut self, consumer: ConsumerId, channel: ChannelId) {
        let limited = self.channels.get(&channel).is_some_and(|it| it.limit > 0);
        if limited {
            self.relist_channel(channel);
        } else {
            self.relist(consumer);
        }
    }

    fn relist_channel(&mut self, channel: ChannelId) {
        for consumer in self.consumers() {
            if self
                .parties
                .get(&consumer)
                .is_some_and(|it| it.channel == channel)
            {
                self.relist(consumer);
            }
        }
    }

    fn relist_all_if_single(&mut self) {
        if self.single_active {
            self.relist_all();
        }
    }

    fn relist_all(&mut self) {
        for consumer in self.consumers() {
            self.relist(consumer);
        }
    }

    /// Unsettled deliveries of a consumer.
    pub(super) fn unsettled(&self, consumer: ConsumerId) -> u32 {
        self.parties.get(&consumer).map_or(0, |it| it.unsettled)
    }

    /// All subscribers: those in line as they will be served, then the others in order of subscribing.
    pub(super) fn subscribers(&self) -> Vec<Subscriber> {
        let in_line = self.line.iter().map(|&(.., consumer)| consumer);
        let mut order: Vec<ConsumerId> = in_line.collect();
        let waiting = self
            .parties
            .iter()
            .filter(|(_, it)| it.subscription.is_some() && it.turn.is_none());
        let waiting: Vec<(u64, ConsumerId)> = waiting.map(|(&id, it)| (it.joined, id)).collect();
        let by_joining = positions_in_order(waiting.iter().map(|&(joined, _)| (joined, 0)));
        order.extend(by_joining.into_iter().map(|at| waiting[at].1));
        let single = self.single();
        let views = order.into_iter().filter_map(|consumer| {
            let party = self.parties.get(&consumer)?;
            Some(Subscriber {
                subscription: party.subscription?,
                active: !self.single_active || single == Some(consumer),
                has_room: self.has_room(party),
            })
        });
        views.collect()
    }
}
