//! A slow queue that is right at sight: one list of messages, looked through for every question. Written from the
//! brokers' rules (tests/conformance/rules.jsonl; the numbers in brackets), not from the engine.

use queue_playground::engine::broker::*;
use queue_playground::engine::event::{
    CloseReason, DeadLetterReason, ExhaustedReason, RefusalReason,
};
use queue_playground::engine::id::ConsumerId;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::{QueueSetup, StaleAck};
use queue_playground::engine::snapshot::Counts;
use queue_playground::engine::time::Micros;

/// Where a message is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Place {
    Ready,
    /// Sent or returned with a delay; it holds no place in flight.
    Delayed(Micros),
    /// In flight until then, with this consumer.
    Out(ConsumerId, Micros),
    /// Returned with a delay that the queue knows only as hidden: counts as in flight.
    Hidden(ConsumerId, Micros),
    /// Kept, and handed out no more.
    Kept,
}

/// A message: when it was sent, and when it expires, if ever. The order in which messages are handed out is that of their turns.
#[derive(Clone, Debug)]
pub(super) struct Message {
    key: MessageKey,
    /// Number of the send.
    pub(super) sent: u64,
    sent_at: Micros,
    /// End of its own time to live.
    own_end: Micros,
    /// Higher goes first.
    level: std::cmp::Reverse<u8>,
    turn: Turn,
    pub(super) place: Place,
    was_out: bool,
    deliveries: u32,
    returns: u32,
    pub(super) newest: usize,
    pub(super) pushed: bool,
    pub(super) transient: bool,
}

/// Sorts as messages are handed out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Turn {
    /// Returned to the head: the later returned goes first; of one instant, the one sent first.
    Head(std::cmp::Reverse<Micros>, u64),
    /// In the queue of returns, by order of return.
    Returned(u64),
    /// The highest level first, then by order of sending, or of going to the tail.
    At(std::cmp::Reverse<u8>, u64),
}

pub struct Reference {
    pub setup: QueueSetup,
    pub told: Vec<String>,
    pub(super) messages: Vec<Message>,
    /// The send whose message each delivery handed out, and to whom.
    deliveries: Vec<(u64, ConsumerId)>,
    clock: u64,
    pub(super) now: Micros,
    pub(super) gone: Counts,
    pub(super) parties: Vec<super::push::Party>,
    /// Consumers with an open channel.
    pub(super) channels: std::collections::BTreeSet<ConsumerId>,
    pub exists: bool,
}

/// A happening in words that do not depend on how a broker identifies deliveries; none for what is not compared.
pub fn told(message: Option<MessageKey>, kind: &HappeningKind) -> Option<String> {
    Some(match kind {
        HappeningKind::Delivered {
            consumer,
            delivery,
            hidden_until,
            ..
        } => {
            format!("{message:?} to {consumer:?}, delivery {delivery}, until {hidden_until}")
        }
        HappeningKind::DeadLettered {
            reason, deliveries, ..
        } => {
            format!("{message:?} dead-lettered: {reason:?} {deliveries}")
        }
        HappeningKind::Requeued { reason, .. } => format!("{message:?} requeued: {reason:?}"),
        kind => format!("{message:?} {kind:?}"),
    })
}

impl Reference {
    pub fn new(setup: &QueueSetup) -> Self {
        Self {
            setup: setup.clone(),
            told: Vec::new(),
            messages: Vec::new(),
            deliveries: Vec::new(),
            clock: 0,
            now: Micros::ZERO,
            gone: Counts::default(),
            parties: Vec::new(),
            channels: Default::default(),
            exists: true,
        }
    }

    pub(super) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    pub(super) fn tell(&mut self, at: usize, kind: &HappeningKind) {
        self.told.extend(told(Some(self.messages[at].key), kind));
    }

    pub fn counts(&self) -> Counts {
        let count =
            |is: fn(&Place) -> bool| self.messages.iter().filter(|it| is(&it.place)).count() as u64;
        Counts {
            ready: count(|place| *place == Place::Ready),
            delayed: count(|place| matches!(place, Place::Delayed(_))),
            in_flight: count(|place| matches!(place, Place::Out(..) | Place::Hidden(..))),
            undeliverable: count(|place| *place == Place::Kept),
            ..self.gone
        }
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.messages.remove(at);
        self.line_up();
    }

    pub fn send(&mut self, now: Micros, incoming: &Incoming) -> SendOutcome {
        self.now = now;
        if !self.exists {
            return SendOutcome::Refused(RefusalReason::NoQueue);
        }
        let rules = self.setup.rules.clone();
        let most = rules
            .capacity
            .map(|capacity| u64::from(capacity + rules.overshoot));
        let sent = self.tick();
        let level = std::cmp::Reverse(match rules.priority {
            Priority::Strict { max, default, .. } => incoming.priority.unwrap_or(default).min(max),
            _ => 0,
        });
        let delay = incoming.delay.unwrap_or(self.setup.delay);
        let message = Message {
            key: incoming.message,
            sent,
            sent_at: now,
            own_end: incoming.ttl.map_or(Micros::MAX, |ttl| now + ttl),
            level,
            turn: Turn::At(level, sent),
            place: if delay > Micros::ZERO {
                Place::Delayed(now + delay)
            } else {
                Place::Ready
            },
            was_out: false,
            deliveries: 0,
            returns: 0,
            newest: usize::MAX,
            pushed: false,
            transient: !incoming.persistent,
        };
        // A full queue refuses the newest (R11, N11).
        if rules.overflow != Overflow::DropHead && most.is_some_and(|most| self.filling() >= most) {
            if rules.overflow == Overflow::RefuseAndDeadLetter
                && self.setup.dead_letter_queue.is_some()
            {
                self.gone.stored += 1;
                self.messages.push(message);
                self.dead_letter(self.messages.len() - 1, DeadLetterReason::Overflow);
            }
            return SendOutcome::Refused(RefusalReason::Full);
        }
        self.gone.stored += 1;
        self.messages.push(message);
        // What is handed out first makes room, too.
        if !self.can_push() {
            self.make_room();
        }
        SendOutcome::Accepted
    }

    /// What waits fills a queue, or all that is there (R11, N11).
    fn filling(&self) -> u64 {
        let counts = self.counts();
        let waiting = counts.ready + counts.delayed + counts.undeliverable;
        match self.setup.rules.capacity_counts {
            CapacityCounts::Ready => waiting,
            CapacityCounts::All => waiting + counts.in_flight,
        }
    }

    /// Too many: the head goes, or the oldest where all that is there counts (R11, N11).
    fn make_room(&mut self) {
        let rules = self.setup.rules.clone();
        let Some(capacity) = rules
            .capacity
            .filter(|_| rules.overflow == Overflow::DropHead)
        else {
            return;
        };
        while self.filling() > u64::from(capacity) {
            let oldest = (0..self.messages.len()).min_by_key(|&at| self.messages[at].sent);
            let delayed = (0..self.messages.len())
                .filter(|&at| matches!(self.messages[at].place, Place::Delayed(_)));
            let soonest =
                delayed.min_by_key(|&at| (Self::due(&self.messages[at]), self.messages[at].sent));
            let first = match rules.capacity_counts {
                CapacityCounts::Ready => self.next_ready().or(soonest),
                CapacityCounts::All => oldest,
            };
            let Some(first) = first else { return };
            self.dead_letter(first, DeadLetterReason::Overflow);
        }
    }

    /// The lower of the queue's time to live and the message's own counts (R9, B4).
    fn end_of_life(&self, at: usize) -> Micros {
        let message = &self.messages[at];
        let by_queue = self
            .setup
            .rules
            .ttl
            .map_or(Micros::MAX, |ttl| message.sent_at + ttl);
        by_queue.min(message.own_end)
    }

    /// Whether it may not be handed out any more; with a time to live of zero, it may in the instant of its arrival (R9).
    fn is_over(&self, at: usize) -> bool {
        let end = self.end_of_life(at);
        end < self.now || end == self.now && self.messages[at].sent_at < self.now
    }

    fn expire(&mut self, at: usize) {
        if self.setup.rules.expired_to == ExpiredTo::DeadLetter
            && self.setup.dead_letter_queue.is_some()
        {
            return self.dead_letter(at, DeadLetterReason::Expired);
        }
        self.tell(at, &HappeningKind::Expired);
        self.remove(at);
        self.gone.expired += 1;
    }

    /// The message whose end of life is noticed next: of those that wait, or only the head (R9).
    fn next_end(&self) -> Option<(Micros, u64, usize)> {
        let ends = |at: usize| (self.end_of_life(at), self.messages[at].sent, at);
        let end = match self.setup.rules.expiry_noticed {
            ExpiryNoticed::AtHead => self.next_ready().map(ends),
            ExpiryNoticed::Anywhere => {
                let waits = |at: &usize| {
                    matches!(self.messages[*at].place, Place::Ready | Place::Delayed(_))
                };
                (0..self.messages.len()).filter(waits).map(ends).min()
            }
        };
        end.filter(|end| end.0 < Micros::MAX)
    }

    /// What comes of another head, or of a message that came back.
    pub(super) fn notice(&mut self) {
        while let Some((.., at)) = self.next_end().filter(|&(.., at)| self.is_over(at)) {
            self.expire(at);
        }
        self.make_room();
    }

    /// Nothing more is handed out at the limit, except what was before, where that is exempt (S21, N4).
    fn is_at_limit(&self) -> bool {
        let rules = &self.setup.rules;
        // What was returned with a delay is pending all the while (N4).
        let returned = self
            .messages
            .iter()
            .filter(|it| it.was_out && matches!(it.place, Place::Delayed(_)));
        let held = self.counts().in_flight
            + if rules.redeliveries_exempt {
                returned.count() as u64
            } else {
                0
            };
        let is_again = self
            .next_ready()
            .is_some_and(|at| self.messages[at].was_out);
        rules
            .in_flight_limit
            .is_some_and(|limit| held >= u64::from(limit))
            && !(rules.redeliveries_exempt && is_again)
    }

    /// What counts as its delivery count (R3, R5, S5, N3).
    fn count(&self, at: usize) -> u32 {
        match self.setup.rules.count {
            CountRule::OnReceive => self.messages[at].deliveries,
            CountRule::OnReturn => self.messages[at].returns,
            CountRule::Never => 0,
        }
    }

    /// The delivery number that a consumer is told.
    fn delivery(&self, at: usize) -> u32 {
        match self.setup.rules.count {
            CountRule::OnReceive => self.messages[at].deliveries,
            CountRule::OnReturn => self.messages[at].returns + 1,
            CountRule::Never => self.messages[at].deliveries.min(2),
        }
    }

    pub(super) fn next_ready(&self) -> Option<usize> {
        let ready = (0..self.messages.len()).filter(|&at| self.messages[at].place == Place::Ready);
        ready.min_by_key(|&at| self.messages[at].turn)
    }

    pub fn receive(&mut self, now: Micros, demand: &Demand) {
        self.now = now;
        let Demand {
            consumer,
            max,
            visibility_timeout,
            automatic,
            ..
        } = *demand;
        if self.take(now, consumer, max, visibility_timeout, automatic, false) == 0 {
            let is_refused =
                self.is_at_limit() && self.setup.rules.at_in_flight_limit == AtInFlightLimit::Error;
            let empty = HappeningKind::EmptyReceive { consumer };
            let refused = HappeningKind::ReceiveRefused { consumer };
            self.told
                .extend(told(None, if is_refused { &refused } else { &empty }));
        }
        self.notice();
    }

    /// Hands out up to `max` messages; says how many those were.
    pub(super) fn take(
        &mut self,
        now: Micros,
        consumer: ConsumerId,
        max: u32,
        timeout: Option<Micros>,
        automatic: bool,
        pushed: bool,
    ) -> u32 {
        let mut taken = 0;
        while taken < max
            && !self.is_at_limit()
            && let Some(at) = self.next_ready()
        {
            if self.is_over(at) {
                self.expire(at);
                continue;
            }
            // The receive that would exceed the budget moves the message and goes on (S11).
            if self.setup.rules.budget == BudgetRule::OnReceive
                && self
                    .setup
                    .max_deliveries
                    .is_some_and(|max| self.count(at) >= max)
            {
                self.exhaust(at);
                continue;
            }
            let steps = &self.setup.rules.lease_steps;
            let nth = self.messages[at].deliveries as usize;
            let step = steps.get(nth).or(steps.last()).copied();
            let own = timeout.or(step).unwrap_or(self.setup.visibility_timeout);
            let until = match (self.pushes(), self.setup.rules.consumer_timeout) {
                (false, _) => now + own,
                (true, Some(patience)) => now + patience,
                (true, None) => Micros::MAX,
            };
            let newest = self.deliveries.len();
            let message = &mut self.messages[at];
            message.deliveries += 1;
            message.newest = newest;
            message.was_out = true;
            message.pushed = pushed;
            message.place = Place::Out(consumer, until);
            let (key, sent) = (message.key, message.sent);
            self.deliveries.push((sent, consumer));
            let delivery = self.delivery(at);
            self.told.push(format!(
                "{:?} to {consumer:?}, delivery {delivery}, until {until}",
                Some(key)
            ));
            taken += 1;
            if automatic {
                self.tell(at, &HappeningKind::Acked { consumer });
                self.remove(at);
                self.gone.acked += 1;
            } else if self.pushes() {
                self.channels.insert(consumer);
                self.line_up();
            }
        }
        taken
    }

    fn exhaust(&mut self, at: usize) {
        let deliveries = self.messages[at].deliveries;
        let archived = self.setup.rules.exhausted == Exhausted::Archive;
        let reason = DeadLetterReason::BudgetUsedUp;
        match self.setup.rules.exhausted {
            Exhausted::DeadLetter => self.dead_letter(at, reason),
            Exhausted::Drop => {
                self.tell(at, &HappeningKind::Dropped { reason, deliveries });
                self.remove(at);
                self.gone.dropped += 1;
            }
            Exhausted::Archive => {
                self.tell(
                    at,
                    &HappeningKind::Exhausted {
                        deliveries,
                        archived,
                        reason: ExhaustedReason::BudgetUsedUp,
                    },
                );
                self.remove(at);
                self.gone.archived += 1;
            }
            Exhausted::Stays => {
                self.tell(
                    at,
                    &HappeningKind::Exhausted {
                        deliveries,
                        archived,
                        reason: ExhaustedReason::BudgetUsedUp,
                    },
                );
                self.messages[at].place = Place::Kept;
                self.line_up();
            }
        }
    }

    fn dead_letter(&mut self, at: usize, reason: DeadLetterReason) {
        let deliveries = self.messages[at].deliveries;
        if let Some(to) = self.setup.dead_letter_queue {
            self.tell(
                at,
                &HappeningKind::DeadLettered {
                    to,
                    reason,
                    deliveries,
                },
            );
            self.gone.moved_out += 1;
        } else {
            self.tell(at, &HappeningKind::Dropped { reason, deliveries });
            self.gone.dropped += 1;
        }
        self.remove(at);
    }

    /// The message of a delivery, if it is there.
    fn of(&self, nth: usize) -> Option<usize> {
        let (sent, _) = self.deliveries[nth];
        self.messages
            .iter()
            .position(|message| message.sent == sent)
    }

    /// Whether the lock of a delivery is lost, and its queue minds (B1, P6).
    fn is_refused(&self, nth: usize) -> bool {
        let is_out = |at: usize| matches!(self.messages[at].place, Place::Out(..));
        let refuses = matches!(
            self.setup.stale_ack,
            StaleAck::Refused | StaleAck::ClosesChannel
        );
        refuses && !self.held(nth).is_some_and(is_out)
    }

    /// A channel that knows no such delivery is closed, if it is open (R8).
    fn closes(&mut self, now: Micros, nth: usize) -> bool {
        let (_, consumer) = self.deliveries[nth];
        self.setup.stale_ack == StaleAck::ClosesChannel
            && self.is_refused(nth)
            && self.close(now, consumer, CloseReason::UnknownDelivery)
    }

    /// The message of a delivery that is its newest and has not ended.
    pub(super) fn held(&self, nth: usize) -> Option<usize> {
        let at = self.of(nth)?;
        let message = &self.messages[at];
        let is_out = matches!(message.place, Place::Out(..) | Place::Hidden(..));
        (message.newest == nth && is_out).then_some(at)
    }

    pub fn ack(&mut self, now: Micros, nth: usize) -> AckOutcome {
        self.now = now;
        if self.closes(now, nth) {
            return AckOutcome::ChannelClosed;
        }
        if self.is_refused(nth) {
            return AckOutcome::Refused;
        }
        let Some(at) = self.of(nth) else {
            return AckOutcome::Ignored;
        };
        // An older handle deletes nothing (S9).
        if self.setup.stale_ack == StaleAck::Ignored && self.messages[at].newest != nth {
            return AckOutcome::Ignored;
        }
        self.remove(at);
        self.gone.acked += 1;
        AckOutcome::Removed
    }

    pub fn reject(&mut self, now: Micros, nth: usize) -> AckOutcome {
        self.now = now;
        if self.closes(now, nth) {
            return AckOutcome::ChannelClosed;
        }
        if self.is_refused(nth) {
            return AckOutcome::Refused;
        }
        let Some(at) = self.of(nth) else {
            return AckOutcome::Ignored;
        };
        if self.messages[at].newest != nth && self.setup.stale_ack == StaleAck::Ignored {
            return AckOutcome::Ignored;
        }
        // Where used-up messages are archived, a rejected one is too (K6).
        if self.setup.rules.exhausted == Exhausted::Archive {
            let kind = HappeningKind::Exhausted {
                deliveries: self.messages[at].deliveries,
                archived: true,
                reason: ExhaustedReason::Rejected,
            };
            self.tell(at, &kind);
            self.remove(at);
            self.gone.archived += 1;
        } else {
            self.dead_letter(at, DeadLetterReason::Rejected);
        }
        AckOutcome::Removed
    }

    /// A consumer returns what it holds.
    pub fn give_back(
        &mut self,
        now: Micros,
        nth: usize,
        cause: ReturnCause,
        delay: Micros,
    ) -> ChangeOutcome {
        self.now = now;
        if self.closes(now, nth) {
            return ChangeOutcome::Stale;
        }
        let Some(at) = self.held(nth) else {
            return ChangeOutcome::Stale;
        };
        if matches!(self.messages[at].place, Place::Hidden(..)) {
            // Returned already: only the delay is another one.
            self.show(at, now, now + delay);
            return ChangeOutcome::HiddenUntil(now + delay);
        }
        ChangeOutcome::HiddenUntil(self.end(now, at, cause, delay))
    }

    /// A delivery ends without an ack; when the message is visible again.
    pub(super) fn end(
        &mut self,
        now: Micros,
        at: usize,
        cause: ReturnCause,
        delay: Micros,
    ) -> Micros {
        let rules = self.setup.rules.clone();
        if rules.count == CountRule::OnReturn && rules.counted_returns.has(cause) {
            self.messages[at].returns += 1;
        }
        let count = self.count(at);
        let is_over = |max| match rules.budget {
            BudgetRule::OnReceive => false,
            // At the return that exceeds it (R5).
            BudgetRule::OnReturn => count > max,
            // When an attempt ends at the limit (K6, N3).
            BudgetRule::OnEnd => count >= max,
        };
        if self.setup.max_deliveries.is_some_and(is_over) {
            self.exhaust(at);
            return now;
        }
        let pause = match rules.retry_delay {
            Some(pause) if pause.after.has(cause) => {
                let nth = u64::from(count.max(1));
                let times = match pause.growth {
                    Growth::Linear => nth,
                    Growth::Exponential => 1 << (nth - 1),
                };
                Micros(pause.min.0 * times).min(pause.max)
            }
            _ => Micros::ZERO,
        };
        let until = now + delay + pause;
        self.show(at, now, until);
        until
    }

    fn show(&mut self, at: usize, now: Micros, until: Micros) {
        let rules = &self.setup.rules;
        let apart = rules.retry_delay.is_some() || rules.returns_to != ReturnPlace::Place;
        if until <= now {
            self.make_ready(at, now);
        } else if apart && !matches!(self.messages[at].place, Place::Hidden(..)) {
            self.messages[at].place = Place::Delayed(until);
            self.line_up();
            if self.end_of_life(at) <= now {
                self.expire(at);
            }
            self.notice();
        } else {
            self.messages[at].place = Place::Hidden(self.holder(at), until);
            self.line_up();
        }
    }

    pub(super) fn make_ready(&mut self, at: usize, now: Micros) {
        self.ready(at, now);
        self.notice();
    }

    /// Whatever becomes visible after the end of its life expires instead: the original one applies (R9, B4).
    fn ready(&mut self, at: usize, now: Micros) {
        let clock = self.tick();
        let message = &mut self.messages[at];
        message.place = Place::Ready;
        if message.was_out {
            message.turn = match self.setup.rules.returns_to {
                ReturnPlace::Place => Turn::At(message.level, message.sent),
                ReturnPlace::Head => Turn::Head(std::cmp::Reverse(now), message.sent),
                ReturnPlace::Tail => Turn::At(message.level, clock),
                ReturnPlace::ReturnsQueue => Turn::Returned(clock),
            };
        }
        self.line_up();
        if self.end_of_life(at) <= now {
            self.expire(at);
        }
    }

    pub fn extend(&mut self, now: Micros, nth: usize, time: Micros) -> ChangeOutcome {
        // What was pushed has no timeout that could be extended.
        let is_out =
            |at: usize| matches!(self.messages[at].place, Place::Out(..) | Place::Hidden(..));
        if self.pushes() && self.of(nth).is_some_and(is_out) {
            return ChangeOutcome::Stale;
        }
        let Some(at) = self.held(nth) else {
            // While the message is there, answered as a success; not where the lock is lost (S8, B1).
            let refuses = matches!(
                self.setup.stale_ack,
                StaleAck::Refused | StaleAck::ClosesChannel
            );
            let accepts = !refuses && self.of(nth).is_some();
            return if accepts {
                ChangeOutcome::Ignored
            } else {
                ChangeOutcome::Stale
            };
        };
        if time == Micros::ZERO {
            return self.give_back(now, nth, ReturnCause::Nack, time);
        }
        self.messages[at].place = Place::Out(self.holder(at), now + time);
        ChangeOutcome::HiddenUntil(now + time)
    }

    pub(super) fn holder(&self, at: usize) -> ConsumerId {
        match self.messages[at].place {
            Place::Out(consumer, _) | Place::Hidden(consumer, _) => consumer,
            _ => ConsumerId(u16::MAX),
        }
    }

    fn due(message: &Message) -> Option<Micros> {
        match message.place {
            Place::Delayed(at) | Place::Out(_, at) | Place::Hidden(_, at) => Some(at),
            Place::Ready | Place::Kept => None,
        }
    }

    pub fn next_timer(&self) -> Option<Micros> {
        let dues = self.messages.iter().filter_map(Self::due);
        let dues = dues.chain(self.next_end().map(|end| end.0)).min();
        dues.filter(|&due| due < Micros::MAX)
    }

    /// What is due happens by time, then by order of sending.
    pub fn advance(&mut self, now: Micros) {
        loop {
            let all = 0..self.messages.len();
            let due = all.filter_map(|at| {
                Some((Self::due(&self.messages[at])?, self.messages[at].sent, at))
            });
            let due = due.min();
            if let Some(end) = self.next_end()
                && end.0 <= now
                && due.is_none_or(|due| (end.0, end.1) <= (due.0, due.1))
            {
                self.now = end.0;
                self.expire(end.2);
                continue;
            }
            let Some((due, _, at)) = due.filter(|first| first.0 <= now && first.0 < Micros::MAX)
            else {
                return;
            };
            self.now = due;
            match self.messages[at].place {
                Place::Out(consumer, _) if self.pushes() => self.end_patience(due, consumer),
                Place::Out(consumer, _) => {
                    let delivery = self.delivery(at);
                    self.tell(at, &HappeningKind::TimeoutEnded { consumer, delivery });
                    self.end(due, at, ReturnCause::Timeout, Micros::ZERO);
                }
                _ => {
                    let was_out = self.messages[at].was_out;
                    let kind = if was_out {
                        HappeningKind::Returned
                    } else {
                        HappeningKind::BecameVisible
                    };
                    self.tell(at, &kind);
                    self.make_ready(at, due);
                }
            }
        }
    }
}
