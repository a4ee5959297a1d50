//! Calls of the broker under a steady load: sends, receives and acks in turn. The same natively and in a browser.

use queue_playground::engine::Micros;
use queue_playground::engine::broker::*;
use queue_playground::engine::id::{ConsumerId, GroupId, MessageNumber, QueueId};
use queue_playground::engine::rules::*;
use queue_playground::engine::setup::*;
use std::collections::VecDeque;
use std::hint::black_box;

const QUEUE: QueueId = QueueId(0);

/// A queue and what is done to it.
#[derive(Clone, Copy)]
pub struct Case {
    /// Name in results.
    pub name: &'static str,
    /// Its kind.
    pub kind: QueueKind,
    /// Messages that wait.
    pub backlog: u32,
    /// Message groups; 0 sends without.
    pub groups: u32,
    /// Messages in flight, and in one receive.
    pub prefetch: u32,
    /// What is special about its rules.
    pub special: Special,
}

/// Rules of brokers that cost something in the hot path.
#[derive(Clone, Copy, PartialEq)]
pub enum Special {
    None,
    Priorities,
    TimeToLive,
    ReturnsQueue,
    RoundRobin,
}

const fn case(name: &'static str, backlog: u32, groups: u32, prefetch: u32) -> Case {
    Case {
        name,
        kind: if groups == 0 {
            QueueKind::Standard
        } else {
            QueueKind::Fifo
        },
        backlog,
        groups,
        prefetch,
        special: Special::None,
    }
}

const fn special(name: &'static str, groups: u32, special: Special) -> Case {
    Case {
        kind: QueueKind::Standard,
        special,
        ..case(name, 100_000, groups, 8)
    }
}

/// What is measured.
pub const CASES: [Case; 12] = [
    case("standard_1000", 1_000, 0, 8),
    case("standard_100000", 100_000, 0, 8),
    case("standard_1000000", 1_000_000, 0, 8),
    case("fifo_groups_1", 200_000, 1, 8),
    case("fifo_groups_100", 200_000, 100, 8),
    case("fifo_groups_100000", 200_000, 100_000, 8),
    case("prefetch_1", 100_000, 0, 1),
    case("prefetch_1000", 100_000, 0, 1_000),
    special("priorities_10", 0, Special::Priorities),
    special("time_to_live", 0, Special::TimeToLive),
    special("returns_queue", 0, Special::ReturnsQueue),
    special("round_robin_100", 100, Special::RoundRobin),
];

/// A broker under steady load.
pub struct Load {
    case: Case,
    pub broker: Broker,
    now: Micros,
    sent: u32,
    held: VecDeque<Receipt>,
    out: Vec<Happening>,
}

impl Load {
    pub fn new(case: Case) -> Self {
        let mut setup = QueueSetup {
            max_deliveries: Some(5),
            ..QueueSetup::new("orders", case.kind)
        };
        match case.special {
            Special::None => {}
            Special::Priorities => {
                setup.rules.priority = Priority::Strict {
                    max: 9,
                    default: 0,
                    lost_on_return: false,
                };
            }
            Special::TimeToLive => {
                setup.rules.ttl = Some(Micros::from_secs(3_600));
                setup.rules.expiry_noticed = ExpiryNoticed::AtHead;
            }
            Special::ReturnsQueue => {
                setup.rules.returns_to = ReturnPlace::ReturnsQueue;
                setup.rules.budget = BudgetRule::OnReturn;
                setup.max_deliveries = None;
            }
            Special::RoundRobin => setup.rules.fair_share = FairShare::RoundRobin,
        }
        let mut load = Self {
            case,
            broker: Broker::new(1, &[setup]),
            now: Micros::ZERO,
            sent: 0,
            held: VecDeque::new(),
            out: Vec::new(),
        };
        (0..case.backlog).for_each(|_| load.send());
        while (load.held.len() as u32) < case.prefetch {
            load.receive(case.prefetch);
        }
        load
    }

    fn send(&mut self) {
        self.now += Micros(1);
        self.sent += 1;
        let priorities = self.case.special == Special::Priorities;
        let incoming = Incoming {
            message: MessageKey(self.sent),
            number: MessageNumber(self.sent),
            group: self.sent.checked_rem(self.case.groups).map(GroupId),
            deduplication_id: None,
            content: DeduplicationKey(u64::from(self.sent)),
            delay: None,
            priority: priorities.then_some((self.sent % 10) as u8),
            ttl: None,
            persistent: true,
        };
        self.broker.send(self.now, QUEUE, incoming, &mut self.out);
        self.out.clear();
    }

    fn receive(&mut self, max: u32) {
        let demand = Demand {
            consumer: ConsumerId(0),
            max,
            visibility_timeout: None,
            until: self.now + Micros::from_secs(20),
            call: u64::from(self.sent),
            automatic: false,
        };
        self.broker.register(self.now, QUEUE, demand, &mut self.out);
        self.broker.deliver(self.now, QUEUE, &mut self.out);
        for happening in self.out.drain(..) {
            if let HappeningKind::Delivered { receipt, .. } = happening.kind {
                self.held.push_back(receipt);
            }
        }
    }

    fn settle(&mut self) {
        let Some(receipt) = self.held.pop_front() else {
            return;
        };
        // Every second message comes back once where returns are what is measured.
        let returns = self.case.special == Special::ReturnsQueue && self.sent.is_multiple_of(2);
        if returns {
            let now = self.now;
            black_box(self.broker.nack(now, receipt, Micros::ZERO, &mut self.out));
        } else {
            black_box(self.broker.ack(self.now, receipt, &mut self.out));
        }
        if self
            .broker
            .next_timer(QUEUE)
            .is_some_and(|due| due <= self.now)
        {
            self.broker.advance(self.now, QUEUE, &mut self.out);
        }
        self.out.clear();
    }

    /// A send, a receive and an ack.
    pub fn three_calls(&mut self) {
        self.send();
        self.receive(1);
        self.settle();
    }
}
