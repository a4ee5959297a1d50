//! Small runs and what their traces say.

use std::sync::Arc;

use queue_playground::engine::ledger::DeliveryOutcome;
use queue_playground::engine::setup::*;
use queue_playground::engine::*;

pub const QUEUE: QueueId = QueueId(0);
pub const DLQ: QueueId = QueueId(1);

pub fn secs(seconds: f64) -> Micros {
    Micros((seconds * 1e6).round() as u64)
}

pub fn worker(name: &str, seconds: f64) -> ConsumerSetup {
    ConsumerSetup::new(name, QUEUE, Processing::Constant(secs(seconds)))
}

/// A queue with a timeout of 30 seconds and a dead-letter queue, so many sends at 0, and these consumers.
pub fn setup(kind: QueueKind, sends: u32, consumers: Vec<ConsumerSetup>) -> Setup {
    let mut queue = QueueSetup::new("queue", kind);
    queue.dead_letter_queue = Some(DLQ);
    let sends = (0..sends).map(|_| PlannedSend::at(Micros::ZERO));
    Setup {
        groups: vec!["A".into(), "B".into()],
        queues: vec![queue, QueueSetup::new("dlq", kind)],
        producers: vec![ProducerSetup::new(
            "producer",
            QUEUE,
            Pattern::List(sends.collect()),
        )],
        consumers,
        ..Setup::empty()
    }
}

/// Makes sends of [`setup`], by number, poison.
pub fn poison(setup: &mut Setup, numbers: &[usize]) {
    if let Pattern::List(sends) = &mut setup.producers[0].pattern {
        for number in numbers {
            sends[number - 1].poison = true;
        }
    }
}

pub fn command(setup: &mut Setup, at: f64, command: Command) {
    let at = secs(at);
    setup.commands.push(TimedCommand { at, command });
}

/// A run with its ledger and its trace.
pub struct Ran {
    pub simulation: Simulation,
    pub ledger: Ledger,
    pub trace: Vec<Event>,
}

pub fn run(setup: &Setup, until: f64) -> Ran {
    let mut simulation = Simulation::new(Arc::new(setup.clone()));
    let mut trace = Vec::new();
    simulation.run_until(secs(until), u64::MAX, &mut trace);
    let mut ledger = Ledger::default();
    trace.iter().for_each(|event| ledger.observe(event));
    Ran {
        simulation,
        ledger,
        trace,
    }
}

impl Ran {
    /// When such events happened.
    pub fn times(&self, wanted: impl Fn(&EventKind) -> bool) -> Vec<f64> {
        let found = self.trace.iter().filter(|event| wanted(&event.kind));
        found.map(|event| event.at.as_secs_f64()).collect()
    }

    /// How many such events happened.
    pub fn count(&self, wanted: impl Fn(&EventKind) -> bool) -> usize {
        self.times(wanted).len()
    }

    /// How a delivery of a message ended, from 0.
    pub fn outcome(&self, number: u32, nth: usize) -> DeliveryOutcome {
        let record = self.ledger.message(MessageNumber(number)).unwrap();
        let mut deliveries = self.ledger.deliveries_of(record);
        deliveries.nth(nth).unwrap().outcome
    }

    /// What the engine counts as a metric.
    pub fn measure(&self, metric: Metric, subject: Subject) -> Value {
        let claim = Claim {
            metric,
            subject,
            at: None,
            comparison: Comparison::Is(Value::None),
            within: 0.0,
        };
        claim.value(&self.simulation, &self.ledger)
    }
}
