//! A slow queue that is right at sight: one list of messages, looked through for every question. Written from the
//! brokers' rules (tests/conformance/rules.jsonl; the numbers in brackets), not from the engine.

use queue_playground::engine::broker::*;
use queue_playground::engine::event::DeadLetterReason;
use queue_playground::engine::id::ConsumerId;
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::{QueueSetup, StaleAck};
use queue_playground::engine::snapshot::Counts;
use queue_playground::engine::time::Micros;

/// Where a message is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
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

/// A message. The order in which messages are handed out is that of their turns.
#[derive(Clone, Debug)]
struct Message {
    key: MessageKey,
    /// Number of the send.
    sent: u64,
    turn: Turn,
    place: Place,
    was_out: bool,
    deliveries: u32,
    returns: u32,
    newest: usize,
}

/// Sorts as messages are handed out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Turn {
    /// Returned to the head: the later returned goes first; of one instant, the one sent first.
    Head(std::cmp::Reverse<Micros>, u64),
    /// In the queue of returns, by order of return.
    Returned(u64),
    /// By order of sending, or of going to the tail.
    At(u64),
}

pub struct Reference {
    pub setup: QueueSetup,
    pub told: Vec<String>,
    messages: Vec<Message>,
    /// The send whose message each delivery handed out.
    deliveries: Vec<u64>,
    clock: u64,
    gone: Counts,
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
            gone: Counts::default(),
        }
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn tell(&mut self, at: usize, kind: &HappeningKind) {
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

    pub fn send(&mut self, now: Micros, incoming: &Incoming) -> SendOutcome {
        let sent = self.tick();
        let delay = incoming.delay.unwrap_or(self.setup.delay);
        self.gone.stored += 1;
        self.messages.push(Message {
            key: incoming.message,
            sent,
            turn: Turn::At(sent),
            place: if delay > Micros::ZERO {
                Place::Delayed(now + delay)
            } else {
                Place::Ready
            },
            was_out: false,
            deliveries: 0,
            returns: 0,
            newest: usize::MAX,
        });
        SendOutcome::Accepted
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

    fn next_ready(&self) -> Option<usize> {
        let ready = (0..self.messages.len()).filter(|&at| self.messages[at].place == Place::Ready);
        ready.min_by_key(|&at| self.messages[at].turn)
    }

    pub fn receive(&mut self, now: Micros, demand: &Demand) {
        let mut taken = 0;
        while taken < demand.max
            && let Some(at) = self.next_ready()
        {
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
            let own = demand.visibility_timeout.or(step);
            let until = now + own.unwrap_or(self.setup.visibility_timeout);
            let newest = self.deliveries.len();
            let message = &mut self.messages[at];
            message.deliveries += 1;
            message.newest = newest;
            message.was_out = true;
            message.place = Place::Out(demand.consumer, until);
            let (key, sent) = (message.key, message.sent);
            self.deliveries.push(sent);
            let (consumer, delivery) = (demand.consumer, self.delivery(at));
            self.told.push(format!(
                "{:?} to {consumer:?}, delivery {delivery}, until {until}",
                Some(key)
            ));
            taken += 1;
        }
        if taken == 0 {
            let consumer = demand.consumer;
            self.told
                .extend(told(None, &HappeningKind::EmptyReceive { consumer }));
        }
    }

    fn exhaust(&mut self, at: usize) {
        let deliveries = self.messages[at].deliveries;
        let archived = self.setup.rules.exhausted == Exhausted::Archive;
        let reason = DeadLetterReason::BudgetUsedUp;
        match self.setup.rules.exhausted {
            Exhausted::DeadLetter => self.dead_letter(at, reason),
            Exhausted::Drop => {
                self.tell(at, &HappeningKind::Dropped { reason, deliveries });
                self.messages.remove(at);
                self.gone.dropped += 1;
            }
            Exhausted::Archive => {
                self.tell(
                    at,
                    &HappeningKind::Exhausted {
                        deliveries,
                        archived,
                    },
                );
                self.messages.remove(at);
                self.gone.archived += 1;
            }
            Exhausted::Stays => {
                self.tell(
                    at,
                    &HappeningKind::Exhausted {
                        deliveries,
                        archived,
                    },
                );
                self.messages[at].place = Place::Kept;
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
        self.messages.remove(at);
    }

    /// The message of a delivery, if it is there.
    fn of(&self, nth: usize) -> Option<usize> {
        let sent = self.deliveries[nth];
        self.messages
            .iter()
            .position(|message| message.sent == sent)
    }

    /// The message of a delivery that is its newest and has not ended.
    fn held(&self, nth: usize) -> Option<usize> {
        let at = self.of(nth)?;
        let message = &self.messages[at];
        let is_out = matches!(message.place, Place::Out(..) | Place::Hidden(..));
        (message.newest == nth && is_out).then_some(at)
    }

    pub fn ack(&mut self, nth: usize) -> AckOutcome {
        let Some(at) = self.of(nth) else {
            return AckOutcome::Ignored;
        };
        let is_older = self.messages[at].newest != nth;
        match self.setup.stale_ack {
            // An older handle deletes nothing (S9).
            StaleAck::Ignored if is_older => return AckOutcome::Ignored,
            // The lock is lost (B1, P6).
            StaleAck::Refused if self.held(nth).is_none() => return AckOutcome::Refused,
            _ => {}
        }
        self.messages.remove(at);
        self.gone.acked += 1;
        AckOutcome::Removed
    }

    pub fn reject(&mut self, nth: usize) -> AckOutcome {
        let Some(at) = self.of(nth) else {
            return AckOutcome::Ignored;
        };
        if self.held(nth).is_none() && self.setup.stale_ack == StaleAck::Refused {
            return AckOutcome::Refused;
        }
        if self.messages[at].newest != nth {
            return AckOutcome::Ignored;
        }
        self.dead_letter(at, DeadLetterReason::Rejected);
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
    fn end(&mut self, now: Micros, at: usize, cause: ReturnCause, delay: Micros) -> Micros {
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
        } else {
            self.messages[at].place = Place::Hidden(self.holder(at), until);
        }
    }

    fn make_ready(&mut self, at: usize, now: Micros) {
        let clock = self.tick();
        let message = &mut self.messages[at];
        message.place = Place::Ready;
        if !message.was_out {
            return;
        }
        message.turn = match self.setup.rules.returns_to {
            ReturnPlace::Place => Turn::At(message.sent),
            ReturnPlace::Head => Turn::Head(std::cmp::Reverse(now), message.sent),
            ReturnPlace::Tail => Turn::At(clock),
            ReturnPlace::ReturnsQueue => Turn::Returned(clock),
        };
    }

    pub fn extend(&mut self, now: Micros, nth: usize, time: Micros) -> ChangeOutcome {
        let Some(at) = self.held(nth) else {
            return ChangeOutcome::Stale;
        };
        if time == Micros::ZERO {
            return self.give_back(now, nth, ReturnCause::Nack, time);
        }
        self.messages[at].place = Place::Out(self.holder(at), now + time);
        ChangeOutcome::HiddenUntil(now + time)
    }

    fn holder(&self, at: usize) -> ConsumerId {
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
        self.messages.iter().filter_map(Self::due).min()
    }

    /// What is due happens by time, then by order of sending.
    pub fn advance(&mut self, now: Micros) {
        loop {
            let all = 0..self.messages.len();
            let due = all.filter_map(|at| {
                Some((Self::due(&self.messages[at])?, self.messages[at].sent, at))
            });
            let Some((due, _, at)) = due.min().filter(|first| first.0 <= now) else {
                return;
            };
            match self.messages[at].place {
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
