//! The state of a run at one instant, as plain data for pictures, panels and texts.
//!
//! Every number comes from the simulation's state, so all that is shown at one instant agrees.

use super::broker::Deaths;
use super::event::{DeadLetterReason, Ordinal};
use super::id::{BodyId, ConsumerId, GroupId, MessageNumber, QueueId};
use super::setup::{ConsumerSetup, DownstreamSetup, NetworkSetup, ProducerSetup, QueueSetup};
use super::time::Micros;

/// Everything at one instant.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// The instant; everything that happened at it is included.
    pub at: Micros,
    /// Ordinal of the next event: that many happened.
    pub ordinal: Ordinal,
    /// One entry a queue, by [`QueueId`].
    pub queues: Vec<QueueView>,
    /// One entry a producer.
    pub producers: Vec<ProducerView>,
    /// One entry a consumer.
    pub consumers: Vec<ConsumerView>,
    /// One entry for each thing that handlers call.
    pub downstreams: Vec<DownstreamView>,
    /// Effects.
    pub outside: OutsideView,
    /// Messages and acks on their way, when the network has delays.
    pub travelling: Vec<Hop>,
    /// The network's settings now.
    pub network: NetworkSetup,
    /// Run-wide numbers.
    pub totals: Totals,
    /// Whether the run has stopped by itself (`Stuck`).
    pub stuck: bool,
}

/// Run-wide counts.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Totals {
    /// Sends that left producers, re-sends included.
    pub sent: u64,
    /// Sends that were stored.
    pub accepted: u64,
    /// Sends recognised as repeated.
    pub suppressed: u64,
    /// Sends refused.
    pub refused: u64,
    /// Sends lost on their way.
    pub sends_lost: u64,
    /// Deliveries by the broker.
    pub deliveries: u64,
    /// Deliveries after the first of a message.
    pub duplicate_deliveries: u64,
    /// Handlers ended successfully.
    pub executions: u64,
    /// Handlers failed.
    pub failed: u64,
    /// Effects applied.
    pub effects: u64,
    /// Effects after the first of a message.
    pub duplicate_effects: u64,
    /// Sum of the amounts of all effects.
    pub amount: u64,
    /// What the effects should end at: the amounts of all sends that the scenario lists, and of all other messages
    /// accepted so far, each once.
    pub amount_due: u64,
    /// Receives that ended empty.
    pub empty_receives: u64,
    /// Messages removed by acks.
    pub acked: u64,
    /// Moves to dead-letter queues.
    pub dead_lettered: u64,
    /// Messages removed by retention.
    pub expired: u64,
    /// Messages dropped.
    pub dropped: u64,
    /// Messages purged.
    pub purged: u64,
    /// Dead letters discarded one by one, whatever the reason.
    pub discarded: u64,
    /// Messages accepted that are nowhere any more and never had their effect. A discarded one is not lost: a person
    /// looked at it and gave a reason.
    pub lost: u64,
    /// Messages that took effect after a later one of their group.
    pub out_of_order: u64,
    /// Deliveries made while an earlier message of the group waited.
    pub delivered_out_of_order: u64,
    /// The most messages that were ready at the end of an instant, over all queues but dead-letter queues.
    pub max_backlog: u64,
    /// Time in which consumers were running and had nothing to do, summed over them.
    pub idle: Micros,
    /// Latency from first send to first effect: 50th, 95th, 99th percentile.
    pub latency: [Option<Micros>; 3],
}

/// The counts of one queue that always add up:
/// `stored + moved_in = ready + delayed + in_flight + undeliverable + acked + moved_out + expired + dropped + purged +
/// discarded + archived + lost`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Sends stored.
    pub stored: u64,
    /// Messages moved in from another queue (dead-lettered or redriven).
    pub moved_in: u64,
    /// Visible, or locked behind their group.
    pub ready: u64,
    /// Not yet visible because of a delay, or of a pause before another try.
    pub delayed: u64,
    /// Received, their timeout running.
    pub in_flight: u64,
    /// Removed by acks.
    pub acked: u64,
    /// Moved to another queue.
    pub moved_out: u64,
    /// Removed by retention or at the end of their time to live.
    pub expired: u64,
    /// Removed without a DLQ to go to.
    pub dropped: u64,
    /// Removed by a purge.
    pub purged: u64,
    /// Removed one by one, with a reason.
    pub discarded: u64,
    /// There, and delivered no more: the budget is used up, or the dead-letter queue does not take it.
    pub undeliverable: u64,
    /// Out of the queue, kept by the broker.
    pub archived: u64,
    /// Lost in a restart of the broker.
    pub lost: u64,
}

/// One message as drawn on the stage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Token {
    /// Its number.
    pub message: MessageNumber,
    /// Its body, if the scenario gave one.
    pub body: Option<BodyId>,
    /// Its group.
    pub group: Option<GroupId>,
    /// The broker's delivery count so far.
    pub deliveries: u32,
    /// Can never be processed.
    pub poison: bool,
    /// Its priority, if it has one.
    pub priority: Option<u8>,
    /// It waits although its time to live is over: that is noticed at the head.
    pub expired: bool,
}

/// One queue.
#[derive(Clone, PartialEq, Debug)]
pub struct QueueView {
    /// Its settings now.
    pub setup: QueueSetup,
    /// Its counts.
    pub counts: Counts,
    /// Since when the oldest ready message has been waiting.
    pub oldest_since: Option<Micros>,
    /// Waiting messages: on FIFO queues one lane a group, those that producers name and those that messages brought,
    /// in the scenario's order, the lane without a group last; one lane in all on standard queues. At most
    /// [`Snapshot::LANES`].
    pub lanes: Vec<LaneView>,
    /// Lanes that did not fit.
    pub more_lanes: u32,
    /// Messages in flight, the earliest to time out first; at most [`Snapshot::TOKENS`].
    pub in_flight: Vec<InFlightView>,
    /// Messages delayed, earliest first; at most [`Snapshot::TOKENS`].
    pub delayed: Vec<(Token, Micros)>,
    /// Messages that are there and delivered no more, the earliest to expire first; at most [`Snapshot::TOKENS`].
    pub undeliverable: Vec<Token>,
    /// For dead-letter queues: what is there and why, newest last; at most [`Snapshot::TOKENS`], the newest kept.
    pub dead_letters: Vec<DeadLetterView>,
    /// How many of its messages were moved here as dead letters; the others were sent here.
    pub dead_lettered: u64,
    /// Queues that push: who is subscribed; those in line first, as they will be served, then those that have no room
    /// or wait for the single active consumer to go.
    pub subscribers: Vec<SubscriberView>,
    /// Whether another queue dead-letters into it.
    pub is_dead_letter_queue: bool,
    /// For dead-letter queues: the redrive under way.
    pub redrive: Option<RedriveView>,
    /// Sessions that are held, by group; at most [`Snapshot::LANES`].
    pub sessions: Vec<SessionView>,
}

/// A session that a consumer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionView {
    /// Its group.
    pub group: Option<GroupId>,
    /// Who holds it.
    pub consumer: ConsumerId,
    /// Since when.
    pub since: Micros,
    /// When its lock ends, unless the holder does something before.
    pub until: Micros,
    /// The holder crashed, and nobody gets the session before that.
    pub is_orphaned: bool,
}

/// A consumer that is subscribed to a queue which pushes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubscriberView {
    /// Who.
    pub consumer: ConsumerId,
    /// Higher ones are served first.
    pub priority: u16,
    /// Its prefetch; 0 is no limit.
    pub prefetch: u32,
    /// Messages that it holds unacknowledged, as the broker sees it.
    pub unacked: u32,
    /// Whether the broker may hand it messages: with a single active consumer only one is.
    pub active: bool,
    /// Whether its prefetch, and its channel's, leave room for one more.
    pub has_room: bool,
}

/// A redrive with a rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RedriveView {
    /// Messages it has yet to look at; those that are gone by then are passed over.
    pub left: u32,
    /// Messages that it has moved.
    pub moved: u32,
    /// Messages a second.
    pub rate: u32,
}

/// The waiting messages of one group, or of a standard queue.
#[derive(Clone, PartialEq, Debug)]
pub struct LaneView {
    /// The group; none on standard queues and for messages without one.
    pub group: Option<GroupId>,
    /// Ready messages in all.
    pub ready: u32,
    /// The first of them, next to be delivered first; at most [`Snapshot::TOKENS`].
    pub waiting: Vec<Token>,
    /// FIFO: the in-flight or delayed message at the head that keeps the rest from being received.
    pub locked_by: Option<MessageNumber>,
    /// Since when the oldest waiting message has been ready.
    pub oldest_since: Option<Micros>,
    /// Since when the lane has been starving.
    pub starving_since: Option<Micros>,
}

/// A message in flight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct InFlightView {
    /// The message.
    pub token: Token,
    /// Who received it; none when the consumer is not known any more.
    pub consumer: Option<ConsumerId>,
    /// When it becomes visible again unless settled.
    pub hidden_until: Micros,
}

/// A message in a dead-letter queue.
#[derive(Clone, PartialEq, Debug)]
pub struct DeadLetterView {
    /// The message; `deliveries` are those before the move.
    pub token: Token,
    /// Why it was moved.
    pub reason: DeadLetterReason,
    /// When it was moved.
    pub at: Micros,
    /// Where from.
    pub from: QueueId,
    /// Where and why it died, if it did more than once.
    pub deaths: Deaths,
}

/// One producer.
#[derive(Clone, PartialEq, Debug)]
pub struct ProducerView {
    /// Its settings now.
    pub setup: ProducerSetup,
    /// Messages sent so far, re-sends not counted.
    pub sent: u32,
    /// Messages it will send in all, if that is known.
    pub planned: Option<u32>,
    /// Re-sends so far.
    pub resent: u32,
    /// When it sends next.
    pub next_at: Option<Micros>,
    /// Paused by a command.
    pub paused: bool,
}

/// What a consumer is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConsumerStatus {
    /// Not started yet.
    NotStarted,
    /// Running.
    Running,
    /// Paused by a command.
    Paused,
    /// Crashed; nothing it holds will be completed.
    Crashed,
}

/// One consumer.
#[derive(Clone, PartialEq, Debug)]
pub struct ConsumerView {
    /// Its settings now.
    pub setup: ConsumerSetup,
    /// What it is doing.
    pub status: ConsumerStatus,
    /// Speed of its work: 100 is normal, 1000 ten times slower.
    pub slow_percent: u32,
    /// Its next ack will be lost.
    pub loses_next_ack: bool,
    /// The network between it and the broker is cut.
    pub cut_off: bool,
    /// Push: its channel.
    pub channel: Option<ChannelView>,
    /// One entry a worker slot. After a crash: what was running, frozen.
    pub workers: Vec<Option<JobView>>,
    /// Received and not started, in order.
    pub buffered: Vec<HeldView>,
    /// A receive of it waits for its answer.
    pub asks: bool,
    /// Since when it has had nothing to do, and why.
    pub idle: Option<(Micros, IdleReason)>,
    /// Its circuit breaker.
    pub breaker: BreakerState,
    /// Times that it crashed.
    pub crashes: u64,
    /// Handlers ended successfully.
    pub executions: u64,
    /// Worker time spent in handlers so far.
    pub busy: Micros,
    /// Idempotence keys remembered.
    pub stored_ids: u32,
}

/// What a circuit breaker lets through.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum BreakerState {
    /// Everything, or there is none.
    #[default]
    Closed,
    /// Nothing, until then.
    Open(Micros),
    /// One message, to try.
    HalfOpen,
}

/// Something that handlers call.
#[derive(Clone, PartialEq, Debug)]
pub struct DownstreamView {
    /// Its settings.
    pub setup: DownstreamSetup,
    /// Handlers that have a place at it. 0 when places are not counted.
    pub busy: u32,
    /// Handlers that wait for one.
    pub waiting: u32,
    /// Calls accepted in the present second. 0 when they are not counted.
    pub calls: u32,
    /// It is down now.
    pub down: bool,
}

/// The channel of a consumer, as the broker sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelView {
    /// Messages that the consumer holds unacknowledged.
    pub unacked: u32,
    /// Since when it is subscribed; none while it is not.
    pub open_since: Option<Micros>,
    /// When the channel was closed without the consumer's doing; none when it is open again.
    pub closed_since: Option<Micros>,
}

/// A handler at work.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct JobView {
    /// The message it works on.
    pub held: HeldView,
    /// When it began.
    pub started: Micros,
    /// When it will end, at the present speed; for a crashed consumer, when it died; while it waits, now.
    pub ends: Micros,
    /// It waits for a place at what it calls since `started`, and has not begun.
    pub waits: bool,
}

/// A message in a consumer's hands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeldView {
    /// The message; `deliveries` is the number of this delivery.
    pub token: Token,
    /// When it was delivered.
    pub delivered_at: Micros,
    /// When its visibility timeout ends, or ended.
    pub hidden_until: Micros,
    /// Whether this consumer still holds the newest lease: the timeout has not ended and nobody settled it.
    pub lease: bool,
    /// Already acknowledged by this consumer.
    pub acked: bool,
    /// The work on it is over; it waits for the rest of its batch to be settled.
    pub worked: bool,
}

/// Why a consumer has nothing to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdleReason {
    /// The queue has no message for anybody.
    QueueEmpty,
    /// All waiting messages are in groups locked by messages in flight; one such group.
    GroupsLocked(Option<GroupId>),
    /// It holds so many sessions, in which there is nothing now; others wait for a holder.
    HoldsSessions(u32),
    /// As many messages are in flight as may be.
    InFlightLimit,
    /// Nothing is ready, but another consumer buffers unstarted messages; how many, and who has most.
    OthersBuffer {
        /// Who buffers most.
        consumer: ConsumerId,
        /// How many it buffers.
        count: u32,
    },
    /// Messages are delayed.
    Delayed,
    /// Between two short polls.
    BetweenPolls,
    /// The response or receive is on its way.
    Network,
    /// It cannot reach the broker.
    CutOff,
    /// A person acts in its place.
    ByHand,
    /// Its circuit breaker is open.
    BreakerOpen,
    /// Push: its channel is closed, and it subscribes anew after a pause.
    ChannelClosed,
    /// Push: another consumer is the single active one.
    Standby,
    /// Push: it, or its channel, holds as much as its prefetch allows.
    PrefetchFull,
    /// Paused, crashed or not started.
    NotRunning,
}

/// The outside world: where effects land.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct OutsideView {
    /// The newest effects, oldest first; at most [`Snapshot::EFFECTS`].
    pub recent: Vec<EffectView>,
    /// The newest duplicate effects, oldest first; at most [`Snapshot::EFFECTS`].
    pub duplicates: Vec<EffectView>,
}

/// One effect.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EffectView {
    /// The message.
    pub token: Token,
    /// Who applied it.
    pub consumer: ConsumerId,
    /// When.
    pub at: Micros,
    /// Which time: 1 is the right one, more are duplicates.
    pub nth: u32,
    /// Its amount.
    pub amount: u32,
}

/// Something on its way through the network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hop {
    /// What travels.
    pub what: HopKind,
    /// The message.
    pub token: Token,
    /// When it left.
    pub sent: Micros,
    /// When it arrives; a lost one never does and is drawn up to here.
    pub arrives: Micros,
    /// Whether it will be lost.
    pub lost: bool,
}

/// What travels, from where to where.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum HopKind {
    /// A send.
    Send {
        /// From.
        producer: Option<super::id::ProducerId>,
        /// To.
        queue: QueueId,
    },
    /// A message in a receive response.
    Delivery {
        /// From.
        queue: QueueId,
        /// To.
        consumer: ConsumerId,
    },
    /// An ack or nack.
    Settle {
        /// From.
        consumer: ConsumerId,
        /// To.
        queue: QueueId,
        /// Ack, else nack.
        ack: bool,
    },
}

impl Snapshot {
    /// Most tokens listed in one place; counts tell the rest.
    pub const TOKENS: usize = 64;
    /// Most lanes listed a queue.
    pub const LANES: usize = 64;
    /// Most effects listed.
    pub const EFFECTS: usize = 64;
}
