//! A broker worked by hand, with messages named by letters and time in milliseconds.

use queue_playground::engine::broker::*;
use queue_playground::engine::command::QueueChange;
use queue_playground::engine::event::CloseReason;
use queue_playground::engine::id::*;
use queue_playground::engine::setup::*;
use queue_playground::engine::snapshot::Counts;
use queue_playground::engine::time::Micros;

pub const Q: QueueId = QueueId(0);
pub const D: QueueId = QueueId(1);

/// Twelve hours.
pub const LONGEST: Micros = Micros::from_secs(43_200);

pub const fn ms(milliseconds: u64) -> Micros {
    Micros::from_millis(milliseconds)
}

pub const fn secs(seconds: u64) -> Micros {
    Micros::from_secs(seconds)
}

/// A queue with a visibility timeout of 30 s, no retention and no budget.
pub fn queue(name: &str, kind: QueueKind) -> QueueSetup {
    QueueSetup {
        retention: None,
        ..QueueSetup::new(name, kind)
    }
}

pub fn standard() -> QueueSetup {
    queue("q", QueueKind::Standard)
}

pub fn fifo() -> QueueSetup {
    queue("q", QueueKind::Fifo)
}

/// What a receive gave: the messages as letters, and their receipts.
#[derive(Clone, Debug)]
pub struct Received {
    pub messages: String,
    pub receipts: Vec<Receipt>,
    pub deliveries: Vec<u32>,
}

/// A broker and its clock.
pub struct Desk {
    pub broker: Broker,
    pub now: Micros,
    pub log: Vec<(Micros, Happening)>,
    calls: u64,
    queues: usize,
}

impl Desk {
    /// One queue, Q.
    pub fn new(setup: QueueSetup) -> Self {
        Self::with(&[setup])
    }

    /// Q with the dead-letter queue D after `max_deliveries` deliveries.
    pub fn with_dlq(mut setup: QueueSetup, max_deliveries: u32) -> Self {
        let mut dead = queue("d", setup.kind);
        dead.retention = setup.retention;
        setup.max_deliveries = Some(max_deliveries);
        setup.dead_letter_queue = Some(D);
        Self::with(&[setup, dead])
    }

    pub fn with(setups: &[QueueSetup]) -> Self {
        Self {
            broker: Broker::new(7, setups),
            now: Micros::ZERO,
            log: Vec::new(),
            calls: 0,
            queues: setups.len(),
        }
    }

    /// Lets time pass up to `at`, answering waiting receives on the way.
    pub fn at(&mut self, at: Micros) -> &mut Self {
        loop {
            let queues = [Q, D].into_iter().take(self.queues);
            let next = queues
                .filter_map(|queue| self.broker.next_timer(queue))
                .min();
            let Some(next) = next.filter(|&next| next <= at) else {
                break;
            };
            self.now = self.now.max(next);
            self.step();
        }
        self.now = at;
        self.step();
        self
    }

    fn step(&mut self) {
        let now = self.now;
        for queue in [Q, D].into_iter().take(self.queues) {
            self.run(|broker, out| broker.advance(now, queue, out));
            self.run(|broker, out| broker.deliver(now, queue, out));
        }
    }

    pub fn run<T>(&mut self, call: impl FnOnce(&mut Broker, &mut Vec<Happening>) -> T) -> T {
        let mut out = Vec::new();
        let result = call(&mut self.broker, &mut out);
        self.log
            .extend(out.into_iter().map(|happening| (self.now, happening)));
        result
    }

    pub fn send(&mut self, letters: &str) {
        for letter in letters.chars() {
            self.send_as(letter, None, None, None);
        }
    }

    pub fn send_to_group(&mut self, letters: &str, group: u32) {
        for letter in letters.chars() {
            self.send_as(letter, Some(group), None, None);
        }
    }

    pub fn send_delayed(&mut self, letter: char, delay: Micros) -> SendOutcome {
        self.send_as(letter, None, None, Some(delay))
    }

    pub fn send_as(
        &mut self,
        letter: char,
        group: Option<u32>,
        id: Option<u64>,
        delay: Option<Micros>,
    ) -> SendOutcome {
        self.send_with(letter, |incoming| {
            incoming.group = group.map(GroupId);
            incoming.deduplication_id = id.map(DeduplicationKey);
            incoming.delay = delay;
        })
    }

    pub fn send_with_priority(&mut self, letters: &str, priority: u8) {
        for letter in letters.chars() {
            self.send_with(letter, |incoming| incoming.priority = Some(priority));
        }
    }

    pub fn send_with(&mut self, letter: char, change: impl FnOnce(&mut Incoming)) -> SendOutcome {
        let now = self.now;
        let mut incoming = Incoming {
            message: MessageKey(letter as u32),
            number: MessageNumber(letter as u32),
            group: None,
            deduplication_id: None,
            content: DeduplicationKey(u64::from(u32::from(letter)) << 32),
            delay: None,
            priority: None,
            ttl: None,
            persistent: true,
        };
        change(&mut incoming);
        self.run(|broker, out| broker.send(now, Q, incoming, out))
    }

    pub fn receive(&mut self, consumer: u16) -> Received {
        self.receive_from(Q, consumer, 1, None)
    }

    pub fn receive_up_to(&mut self, consumer: u16, max: u32) -> Received {
        self.receive_from(Q, consumer, max, None)
    }

    /// A short poll.
    pub fn receive_from(
        &mut self,
        queue: QueueId,
        consumer: u16,
        max: u32,
        visibility_timeout: Option<Micros>,
    ) -> Received {
        let before = self.log.len();
        self.poll(queue, consumer, max, visibility_timeout, Micros::ZERO);
        let now = self.now;
        self.run(|broker, out| broker.deliver(now, queue, out));
        self.received_since(before, consumer)
    }

    /// A short poll on Q that needs no acks.
    pub fn receive_automatically(&mut self, consumer: u16, max: u32) -> String {
        let before = self.log.len();
        let now = self.now;
        let demand = Demand {
            consumer: ConsumerId(consumer),
            max,
            visibility_timeout: None,
            until: now,
            call: 0,
            automatic: true,
        };
        self.run(|broker, out| broker.register(now, Q, demand, out));
        self.run(|broker, out| broker.deliver(now, Q, out));
        self.received_since(before, consumer).messages
    }

    pub fn subscribe(&mut self, subscription: Subscription) {
        let now = self.now;
        self.run(|broker, out| broker.subscribe(now, Q, subscription, out));
    }

    pub fn cancel(&mut self, consumer: u16) {
        let now = self.now;
        self.run(|broker, out| broker.cancel(now, Q, ConsumerId(consumer), out));
    }

    pub fn close(&mut self, consumer: u16, reason: CloseReason) {
        let now = self.now;
        let consumer = ConsumerId(consumer);
        self.run(|broker, out| broker.close_channel(now, Q, consumer, reason, out));
    }

    pub fn disconnect(&mut self, consumer: u16) {
        let now = self.now;
        self.run(|broker, out| broker.disconnect(now, Q, ConsumerId(consumer), out));
    }

    pub fn ack_up_to(&mut self, receipt: Receipt) -> AckOutcome {
        let now = self.now;
        self.run(|broker, out| broker.ack_up_to(now, receipt, out))
    }

    pub fn nack_up_to(&mut self, receipt: Receipt) -> ChangeOutcome {
        let now = self.now;
        self.run(|broker, out| broker.nack_up_to(now, receipt, out))
    }

    /// Starts a long poll on Q.
    pub fn wait(&mut self, consumer: u16, max: u32, wait: Micros) {
        self.poll(Q, consumer, max, None, wait);
        self.step();
    }

    fn poll(
        &mut self,
        queue: QueueId,
        consumer: u16,
        max: u32,
        visibility_timeout: Option<Micros>,
        wait: Micros,
    ) {
        self.calls += 1;
        let (now, call) = (self.now, self.calls);
        let consumer = ConsumerId(consumer);
        let until = now + wait;
        let demand = Demand {
            consumer,
            max,
            visibility_timeout,
            until,
            call,
            automatic: false,
        };
        self.run(|broker, out| broker.register(now, queue, demand, out));
    }

    /// What a consumer received since the log had this length.
    pub fn received_since(&self, since: usize, consumer: u16) -> Received {
        let mut received = Received {
            messages: String::new(),
            receipts: Vec::new(),
            deliveries: Vec::new(),
        };
        for (_, happening) in &self.log[since..] {
            if let HappeningKind::Delivered {
                consumer: to,
                receipt,
                delivery,
                ..
            } = happening.kind
                && to == ConsumerId(consumer)
            {
                received.messages.extend(happening.message.and_then(letter));
                received.receipts.push(receipt);
                received.deliveries.push(delivery);
            }
        }
        received
    }

    pub fn ack(&mut self, receipt: Receipt) -> AckOutcome {
        let now = self.now;
        self.run(|broker, out| broker.ack(now, receipt, out))
    }

    pub fn nack(&mut self, receipt: Receipt, delay: Micros) -> ChangeOutcome {
        let now = self.now;
        self.run(|broker, out| broker.nack(now, receipt, delay, out))
    }

    pub fn return_failed(&mut self, receipt: Receipt) -> ChangeOutcome {
        let now = self.now;
        self.run(|broker, out| broker.return_failed(now, receipt, out))
    }

    pub fn extend(&mut self, receipt: Receipt, timeout: Micros) -> ChangeOutcome {
        let now = self.now;
        self.run(|broker, out| broker.change_visibility(now, receipt, timeout, out))
    }

    pub fn reject(&mut self, receipt: Receipt) -> AckOutcome {
        let now = self.now;
        self.run(|broker, out| broker.reject(now, receipt, out))
    }

    pub fn change(&mut self, change: QueueChange) {
        let now = self.now;
        self.run(|broker, out| broker.change(now, Q, &change, out));
    }

    pub fn restart(&mut self) {
        let now = self.now;
        self.run(|broker, out| broker.restart(now, out));
    }

    pub fn purge(&mut self) {
        let now = self.now;
        self.run(|broker, out| broker.purge(now, Q, out));
    }

    pub fn redrive(&mut self, limit: Option<u32>, default_to: Option<QueueId>) -> u32 {
        let now = self.now;
        self.run(|broker, out| broker.redrive(now, D, limit, default_to, out))
    }

    /// The ready messages of a standard queue, next to be handed out first.
    pub fn waiting(&self) -> String {
        let (lanes, _) = self.broker.lanes(Q, usize::MAX, usize::MAX);
        let waiting = lanes.into_iter().flat_map(|lane| lane.waiting);
        waiting.filter_map(|(message, _)| letter(message)).collect()
    }

    /// Ready, delayed, in flight.
    pub fn depth(&self, queue: QueueId) -> [u64; 3] {
        let Counts {
            ready,
            delayed,
            in_flight,
            ..
        } = self.broker.counts(queue);
        [ready, delayed, in_flight]
    }

    /// When happenings of a kind were put out, with their letters.
    pub fn when(&self, of_kind: impl Fn(&HappeningKind) -> bool) -> Vec<(Micros, Option<char>)> {
        let log = self.log.iter();
        log.filter(|(_, happening)| of_kind(&happening.kind))
            .map(|&(at, happening)| (at, happening.message.and_then(letter)))
            .collect()
    }
}

fn letter(message: MessageKey) -> Option<char> {
    char::from_u32(message.0)
}
