//! What became of every message: built from the trace, outside the simulation's state.

use super::event::{DeadLetterReason, Event};
use super::id::{BodyId, ConsumerId, GroupId, MessageNumber, ProducerId, QueueId};
use super::time::Micros;

/// One delivery from hand-out to its end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeliveryRecord {
    /// The message.
    pub message: MessageNumber,
    /// From which queue.
    pub queue: QueueId,
    /// To whom.
    pub consumer: ConsumerId,
    /// The broker's delivery count, from 1.
    pub delivery: u32,
    /// When it was handed out.
    pub delivered_at: Micros,
    /// When its visibility timeout ends, extensions included.
    pub hidden_until: Micros,
    /// Worker slot, start and planned end of its handler, once started.
    pub work: Option<WorkRecord>,
    /// How it ended.
    pub outcome: DeliveryOutcome,
    /// When it ended.
    pub ended_at: Option<Micros>,
}

/// A handler's run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WorkRecord {
    /// Worker slot.
    pub worker: u16,
    /// When the handler began.
    pub started_at: Micros,
    /// When it ends or ended.
    pub ends_at: Micros,
}

/// How a delivery ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryOutcome {
    /// Not ended: in the buffer.
    Buffered,
    /// Not ended: its handler is running.
    Running,
    /// Its handler succeeded.
    Finished,
    /// Its handler succeeded after its lease was over: the ack was refused or ignored.
    FinishedLate,
    /// Its handler failed.
    Failed,
    /// Its consumer crashed.
    Crashed,
    /// The response never reached the consumer.
    ResponseLost,
    /// The consumer dropped it from its buffer because the lease was over.
    Skipped,
}

/// What became of one message.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MessageRecord {
    /// Its body, if the scenario gave one.
    pub body: Option<BodyId>,
    /// Its group.
    pub group: Option<GroupId>,
    /// The queue it was first sent to.
    pub queue: Option<QueueId>,
    /// Who sent it.
    pub producer: Option<ProducerId>,
    /// Times at which it left its producer, re-sends included.
    pub sent_at: Vec<Micros>,
    /// Times at which the broker stored it.
    pub accepted_at: Vec<Micros>,
    /// Times at which the broker recognised it as repeated.
    pub suppressed_at: Vec<Micros>,
    /// Its deliveries, in order: positions in [`Ledger::deliveries`].
    pub deliveries: Vec<u32>,
    /// Its effects: when and by whom.
    pub effects: Vec<(Micros, ConsumerId)>,
    /// Moves to dead-letter queues: when and why.
    pub dead_lettered: Vec<(Micros, DeadLetterReason)>,
    /// When retention removed it.
    pub expired_at: Option<Micros>,
    /// When an ack removed it.
    pub acked_at: Option<Micros>,
}

/// All messages of a run.
#[derive(Clone, Default, Debug)]
pub struct Ledger {
    deliveries: Vec<DeliveryRecord>,
    messages: Vec<MessageRecord>,
}

impl Ledger {
    /// Takes in the next event of the run.
    pub fn observe(&mut self, _event: &Event) {}

    /// All deliveries, in order of hand-out.
    pub fn deliveries(&self) -> &[DeliveryRecord] {
        &self.deliveries
    }

    /// One message; none if it was never sent.
    pub fn message(&self, number: MessageNumber) -> Option<&MessageRecord> {
        self.messages.get(number.index().checked_sub(1)?)
    }

    /// All messages by number.
    pub fn messages(&self) -> impl Iterator<Item = (MessageNumber, &MessageRecord)> {
        (1..).map(MessageNumber).zip(&self.messages)
    }
}
