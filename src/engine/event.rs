//! The trace: typed events with ordinals, each naming its cause.

use super::command::DiscardReason;
use super::id::{BodyId, ConsumerId, GroupId, MessageNumber, ProducerId, QueueId};
use super::time::Micros;

/// The position of an event in its run, from 0. The same run has the same ordinals, however it is reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ordinal(pub u64);

/// One thing that happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Event {
    /// Its position in the run.
    pub ordinal: Ordinal,
    /// When it happened.
    pub at: Micros,
    /// The event that made it happen; none for what follows from the scenario's plan alone.
    pub cause: Option<Ordinal>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened. `delivery` is the broker's delivery count (SQS: ApproximateReceiveCount) from 1.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "the fields repeat the words of the variant")]
pub enum EventKind {
    /// A message left its producer; `attempt` counts from 1, more are re-sends. `producer` is none for a send by hand.
    Sent {
        message: MessageNumber,
        producer: Option<ProducerId>,
        queue: QueueId,
        attempt: u32,
        body: Option<BodyId>,
        group: Option<GroupId>,
    },
    /// A send never reached the broker.
    SendLost {
        message: MessageNumber,
        queue: QueueId,
    },
    /// The broker stored the message; it becomes visible at `visible_at`.
    Accepted {
        message: MessageNumber,
        queue: QueueId,
        group: Option<GroupId>,
        visible_at: Micros,
    },
    /// The broker recognised a repeated send and answered as if it had stored it. `first` is the accepted message.
    Suppressed {
        message: MessageNumber,
        queue: QueueId,
        first: MessageNumber,
    },
    /// The broker refused the send. A producer that waits for confirms learns it, unless there is no queue.
    Refused {
        message: MessageNumber,
        queue: QueueId,
        reason: RefusalReason,
    },
    /// A confirm never reached the producer.
    ConfirmLost {
        message: MessageNumber,
        producer: ProducerId,
    },
    /// The delay of a stored message is over.
    BecameVisible {
        message: MessageNumber,
        queue: QueueId,
    },
    /// The broker handed the message out.
    Delivered {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
        delivery: u32,
        hidden_until: Micros,
    },
    /// A receive ended without a message.
    EmptyReceive {
        queue: QueueId,
        consumer: ConsumerId,
    },
    /// A receive was refused: too many messages are in flight. SQS: OverLimit.
    ReceiveRefused {
        queue: QueueId,
        consumer: ConsumerId,
    },
    /// A consumer took over what another one held for too long; a delivery follows.
    Claimed {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
        from: ConsumerId,
    },
    /// A consumer holds a session now.
    SessionAccepted {
        queue: QueueId,
        group: Option<GroupId>,
        consumer: ConsumerId,
    },
    /// It holds it no more; `lost` when it did not give it up by itself.
    SessionClosed {
        queue: QueueId,
        group: Option<GroupId>,
        consumer: ConsumerId,
        lost: bool,
    },
    /// A receive response never reached the consumer; the receive counts all the same.
    ResponseLost {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
    },
    /// The message was delivered for the first time after a later one of its group had been. `before` is that later
    /// message.
    DeliveredOutOfOrder {
        message: MessageNumber,
        queue: QueueId,
        before: MessageNumber,
    },
    /// A worker began its handler; it will take `work`. `lease_over` when the timeout had ended in the buffer.
    Started {
        message: MessageNumber,
        consumer: ConsumerId,
        worker: u16,
        delivery: u32,
        work: Micros,
        lease_over: bool,
    },
    /// A handler waits for a place at what it calls, a position in [`Setup::downstreams`](super::Setup::downstreams); it
    /// has not started.
    WaitsForPlace {
        message: MessageNumber,
        consumer: ConsumerId,
        worker: u16,
        downstream: u16,
    },
    /// A handler succeeded.
    Finished {
        message: MessageNumber,
        consumer: ConsumerId,
        worker: u16,
        delivery: u32,
    },
    /// A handler failed at the end of its work, or for another's sake ([`FailureReason::Batch`]): that one had finished,
    /// or never began.
    Failed {
        message: MessageNumber,
        consumer: ConsumerId,
        worker: u16,
        delivery: u32,
        reason: FailureReason,
    },
    /// A buffered message was dropped by its consumer because its lease had run out.
    Skipped {
        message: MessageNumber,
        consumer: ConsumerId,
    },
    /// The effect of a message was applied to the outside world, for the `nth` time.
    Effect {
        message: MessageNumber,
        consumer: ConsumerId,
        nth: u32,
        amount: u32,
    },
    /// Idempotence kept an effect from being applied. `wrongly` when the message had had no effect before.
    EffectSkipped {
        message: MessageNumber,
        consumer: ConsumerId,
        wrongly: bool,
    },
    /// A later message of the same group took effect before this one. `before` is that later message.
    FinishedOutOfOrder {
        message: MessageNumber,
        group: Option<GroupId>,
        before: MessageNumber,
    },
    /// An ack reached the broker and removed the message.
    Acked {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
    },
    /// An ack reached the broker too late to remove the message: `refused` (SQS FIFO: the handle has expired), or
    /// answered as a success all the same (SQS standard).
    AckStale {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
        refused: bool,
    },
    /// An ack never reached the broker.
    AckLost {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
    },
    /// A call other than an ack never reached the broker.
    CallLost {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
        call: LostCall,
    },
    /// The consumer returned the message; it is visible again at `visible_at`. `stale` when its lease was over and
    /// the call changed nothing.
    Nacked {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
        visible_at: Micros,
        stale: bool,
    },
    /// The consumer gave the message up for good.
    Rejected {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
    },
    /// The consumer extended the visibility timeout. `stale` when its lease was over, and `refused` when it asked for
    /// more than twelve hours from the receive: the call changed nothing then.
    Extended {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
        hidden_until: Micros,
        stale: bool,
        refused: bool,
    },
    /// The visibility timeout ended before an ack: the message is visible again.
    TimeoutEnded {
        message: MessageNumber,
        queue: QueueId,
        consumer: Option<ConsumerId>,
        delivery: u32,
    },
    /// The delay of a returned message is over: it is visible again.
    Returned {
        message: MessageNumber,
        queue: QueueId,
    },
    /// The message came back because whoever held it went away, or because an earlier message of its key came back.
    Requeued {
        message: MessageNumber,
        queue: QueueId,
        consumer: ConsumerId,
        reason: RequeueReason,
    },
    /// The message is delivered no more. `archived` when it left the queue for the archive, else it stays.
    Exhausted {
        message: MessageNumber,
        queue: QueueId,
        deliveries: u32,
        archived: bool,
        reason: ExhaustedReason,
    },
    /// A copy survived its ack and is visible again.
    SurvivedAck {
        message: MessageNumber,
        queue: QueueId,
    },
    /// The broker moved the message to the dead-letter queue.
    DeadLettered {
        message: MessageNumber,
        from: QueueId,
        to: QueueId,
        reason: DeadLetterReason,
        deliveries: u32,
    },
    /// A dead letter stays where it died and is delivered no more, because its dead-letter queue is not there. It is
    /// tried again.
    DeadLetterKept {
        message: MessageNumber,
        queue: QueueId,
        reason: DeadLetterReason,
    },
    /// The message was removed because its budget was used up and there is no dead-letter queue, or because it was
    /// rejected without one.
    Dropped {
        message: MessageNumber,
        queue: QueueId,
        reason: DeadLetterReason,
    },
    /// Retention ended: the message was removed.
    Expired {
        message: MessageNumber,
        queue: QueueId,
    },
    /// The message was removed by a purge.
    Purged {
        message: MessageNumber,
        queue: QueueId,
    },
    /// The message was removed from a dead-letter queue by hand.
    Discarded {
        message: MessageNumber,
        queue: QueueId,
        reason: DiscardReason,
    },
    /// The message became one that can never be processed, or was mended.
    PoisonSet {
        message: MessageNumber,
        poison: bool,
    },
    /// A redrive with a rate began; it will move `count` messages.
    RedriveBegan { from: QueueId, count: u32 },
    /// It is over, after so many moves.
    RedriveEnded { from: QueueId, moved: u32 },
    /// A changed setting of a queue takes its time to act.
    SettingDelayed { queue: QueueId, acts_at: Micros },
    /// A redrive was refused, because another is under way.
    RedriveRefused { from: QueueId },
    /// The message was moved out of a dead-letter queue, as a new one for its delivery count and age.
    Redriven {
        message: MessageNumber,
        from: QueueId,
        to: QueueId,
    },
    /// The channel of a consumer was closed; what it held is returned.
    ChannelClosed {
        queue: QueueId,
        consumer: ConsumerId,
        reason: CloseReason,
    },
    /// The channel was opened anew.
    ChannelOpened {
        queue: QueueId,
        consumer: ConsumerId,
    },
    /// The broker was restarted.
    BrokerRestarted,
    /// The message was lost in a restart of the broker.
    LostInRestart {
        message: MessageNumber,
        queue: QueueId,
    },
    /// The queue is there no more: sends to it are lost. It was volatile, or unused for too long.
    QueueDeleted { queue: QueueId },
    /// A consumer stopped receiving after failures in a row.
    BreakerOpened { consumer: ConsumerId },
    /// It receives again.
    BreakerClosed { consumer: ConsumerId },
    /// A consumer started.
    ConsumerStarted { consumer: ConsumerId },
    /// A consumer died with `held` messages, which stay hidden until their timeout ends.
    Crashed { consumer: ConsumerId, held: u32 },
    /// A command acted; `index` is its position in the run's list of commands.
    CommandApplied { index: u32 },
    /// A command had nothing to act on: nothing follows from it.
    CommandIgnored { index: u32, void: Void },
    /// A group (or a standard queue, without one) began to starve; `oldest` waits since `since`.
    StarvationBegan {
        queue: QueueId,
        group: Option<GroupId>,
        oldest: MessageNumber,
        since: Micros,
    },
    /// It is starving no more.
    StarvationEnded {
        queue: QueueId,
        group: Option<GroupId>,
    },
    /// Too much happened at one instant, or too many messages are live: the run stops here.
    Stuck {
        reason: StuckReason,
        message: Option<MessageNumber>,
    },
}

impl EventKind {
    /// The message that it is about, if it is about one.
    pub fn message(&self) -> Option<MessageNumber> {
        match *self {
            Self::Sent { message, .. }
            | Self::SendLost { message, .. }
            | Self::Accepted { message, .. }
            | Self::Suppressed { message, .. }
            | Self::Refused { message, .. }
            | Self::ConfirmLost { message, .. }
            | Self::BecameVisible { message, .. }
            | Self::Delivered { message, .. }
            | Self::ResponseLost { message, .. }
            | Self::DeliveredOutOfOrder { message, .. }
            | Self::Started { message, .. }
            | Self::WaitsForPlace { message, .. }
            | Self::Finished { message, .. }
            | Self::Failed { message, .. }
            | Self::Skipped { message, .. }
            | Self::Effect { message, .. }
            | Self::EffectSkipped { message, .. }
            | Self::FinishedOutOfOrder { message, .. }
            | Self::Acked { message, .. }
            | Self::AckStale { message, .. }
            | Self::AckLost { message, .. }
            | Self::Nacked { message, .. }
            | Self::Rejected { message, .. }
            | Self::Extended { message, .. }
            | Self::TimeoutEnded { message, .. }
            | Self::Returned { message, .. }
            | Self::SurvivedAck { message, .. }
            | Self::DeadLettered { message, .. }
            | Self::Dropped { message, .. }
            | Self::Expired { message, .. }
            | Self::Purged { message, .. }
            | Self::CallLost { message, .. }
            | Self::Discarded { message, .. }
            | Self::PoisonSet { message, .. }
            | Self::Claimed { message, .. }
            | Self::Requeued { message, .. }
            | Self::Exhausted { message, .. }
            | Self::LostInRestart { message, .. }
            | Self::DeadLetterKept { message, .. }
            | Self::Redriven { message, .. } => Some(message),
            Self::StarvationBegan { oldest, .. } => Some(oldest),
            Self::Stuck { message, .. } => message,
            Self::EmptyReceive { .. }
            | Self::ReceiveRefused { .. }
            | Self::SessionAccepted { .. }
            | Self::SessionClosed { .. }
            | Self::ChannelClosed { .. }
            | Self::ChannelOpened { .. }
            | Self::BrokerRestarted
            | Self::QueueDeleted { .. }
            | Self::BreakerOpened { .. }
            | Self::BreakerClosed { .. }
            | Self::ConsumerStarted { .. }
            | Self::Crashed { .. }
            | Self::CommandApplied { .. }
            | Self::CommandIgnored { .. }
            | Self::RedriveBegan { .. }
            | Self::RedriveEnded { .. }
            | Self::SettingDelayed { .. }
            | Self::RedriveRefused { .. }
            | Self::StarvationEnded { .. } => None,
        }
    }

    /// The consumer that it is about, if it is about one.
    pub fn consumer(&self) -> Option<ConsumerId> {
        match *self {
            Self::Delivered { consumer, .. }
            | Self::EmptyReceive { consumer, .. }
            | Self::ResponseLost { consumer, .. }
            | Self::Started { consumer, .. }
            | Self::WaitsForPlace { consumer, .. }
            | Self::Finished { consumer, .. }
            | Self::Failed { consumer, .. }
            | Self::Skipped { consumer, .. }
            | Self::Effect { consumer, .. }
            | Self::EffectSkipped { consumer, .. }
            | Self::Acked { consumer, .. }
            | Self::AckStale { consumer, .. }
            | Self::AckLost { consumer, .. }
            | Self::CallLost { consumer, .. }
            | Self::Nacked { consumer, .. }
            | Self::Rejected { consumer, .. }
            | Self::Extended { consumer, .. }
            | Self::ReceiveRefused { consumer, .. }
            | Self::Claimed { consumer, .. }
            | Self::SessionAccepted { consumer, .. }
            | Self::SessionClosed { consumer, .. }
            | Self::Requeued { consumer, .. }
            | Self::ChannelClosed { consumer, .. }
            | Self::ChannelOpened { consumer, .. }
            | Self::BreakerOpened { consumer }
            | Self::BreakerClosed { consumer }
            | Self::ConsumerStarted { consumer }
            | Self::Crashed { consumer, .. } => Some(consumer),
            Self::TimeoutEnded { consumer, .. } => consumer,
            _ => None,
        }
    }
}

/// Why a send was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalReason {
    /// The queue is full.
    Full,
    /// Too many calls in this second.
    Quota,
    /// The queue is there no more. The send is confirmed all the same, and the message lost. RabbitMQ: unroutable.
    NoQueue,
    /// A FIFO queue takes no delay of a single message. SQS.
    OwnDelay,
    /// A session queue takes no message without a session. Azure Service Bus.
    NoSession,
}

/// Why a message is delivered no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExhaustedReason {
    /// Its retry budget is used up.
    BudgetUsedUp,
    /// Its consumer gave it up.
    Rejected,
    /// The consumer that held it was forgotten.
    ConsumerForgotten,
}

/// Why a message came back without its consumer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequeueReason {
    /// Its channel closed.
    ChannelClosed,
    /// Its consumer crashed.
    Crashed,
    /// Its session was closed or taken away.
    SessionClosed,
    /// An earlier message of its key came back.
    KeyReplayed,
    /// The broker was restarted.
    BrokerRestarted,
    /// It was returned together with a later delivery.
    NackedUpTo,
}

/// Why a channel was closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CloseReason {
    /// A delivery was not acknowledged in time.
    Timeout,
    /// An ack named a delivery that the channel does not know.
    UnknownDelivery,
    /// A command.
    Command,
    /// The broker was restarted.
    BrokerRestarted,
    /// Another consumer of the same channel closed it.
    Shared,
    /// A delivery was not acknowledged in time, and only the consumer was cancelled; the channel stays open.
    Cancelled,
    /// The connection was lost.
    ConnectionLost,
}

/// Why a command has nothing to act on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Void {
    /// There is no such message, not yet or not any more.
    NoMessage,
    /// The message is not in flight.
    NotInFlight,
    /// The message was handed out without a timeout: pushed, or pending.
    NoTimeout,
    /// The message is in no dead-letter queue.
    NotDeadLettered,
    /// It is so already.
    AlreadySo,
    /// The broker refuses to do it again so soon.
    TooSoon,
    /// The consumer is not worked by hand.
    NotByHand,
    /// The consumer is not running.
    NotRunning,
    /// The consumer cannot reach the broker.
    CutOff,
    /// The consumer does not hold the message.
    NotHeld,
}

/// Why a handler failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureReason {
    /// A poison message: fails every time.
    Poison,
    /// The consumer's chance of failure.
    Chance,
    /// The consumer fails on first deliveries.
    FirstDeliveries,
    /// What it called was down or refused the call.
    Downstream,
    /// Another message of its batch failed.
    Batch,
}

/// A call that was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LostCall {
    /// A nack.
    Nack,
    /// A reject.
    Reject,
    /// An extension of the visibility timeout.
    Extension,
}

/// Why a message went to the dead-letter queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadLetterReason {
    /// One more receive would have exceeded the retry budget.
    BudgetUsedUp,
    /// The consumer rejected it.
    Rejected,
    /// Its time to live was over.
    Expired,
    /// The queue was full.
    Overflow,
    /// It had been there before and no consumer rejected it since: only as a reason to drop.
    Cycle,
    /// Its dead-letter queue is not there: only as a reason to drop.
    NoTarget,
}

/// Why a run stopped by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StuckReason {
    /// Something starts over and over at one instant, so that time cannot go on.
    Cycle,
    /// More live messages than the setup allows.
    TooManyMessages,
}
