//! What is on its way through the network, when the network has delays.

use super::Simulation;
use super::by_slot::BySlot;
use super::consumer::Held;
use super::event_list::{Item, Phase};
use crate::engine::broker::MessageKey;
use crate::engine::event::Ordinal;
use crate::engine::id::{ConsumerId, QueueId};
use crate::engine::time::Micros;

/// Something on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parcel {
    /// The message it concerns; receives concern none and use the key of no message.
    pub message: MessageKey,
    pub kind: ParcelKind,
}

/// What travels.
#[derive(Clone, Copy, Debug)]
pub(super) enum ParcelKind {
    Send {
        queue: QueueId,
        attempt: u32,
    },
    Confirm,
    Receive {
        consumer: ConsumerId,
        generation: u32,
    },
    Claim {
        consumer: ConsumerId,
        generation: u32,
    },
    Delivery {
        consumer: ConsumerId,
        generation: u32,
        held: Held,
    },
    Settle {
        consumer: ConsumerId,
        held: Held,
        call: SettleCall,
    },
}

/// A call about one delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SettleCall {
    Ack,
    Nack { delay: Micros },
    Fail,
    Reject,
    Extend { to: Micros },
}

/// The key of no message.
pub(super) const NO_MESSAGE: MessageKey = MessageKey(u32::MAX);

#[derive(Clone, Copy, Debug)]
pub(super) struct Travelling {
    pub parcel: Parcel,
    pub sent: Micros,
    pub arrives: Micros,
    pub lost: bool,
}

/// All that is on its way, by number.
#[derive(Clone, Default, Debug)]
pub(super) struct Transit {
    pub parcels: BySlot<Travelling>,
    free: Vec<u32>,
}

impl Simulation {
    /// Sends a parcel that arrives after `delay` in `phase`. A message's parcel owns a reference to it.
    pub(super) fn dispatch(&mut self, parcel: Parcel, delay: Micros, phase: Phase, cause: Ordinal) {
        let number = self.put(parcel, delay, false);
        let arrives = self.now() + delay;
        self.list
            .plan(arrives, phase, number, Item::Arrives(number), Some(cause));
    }

    /// Shows a lost parcel on its way until it would have arrived.
    pub(super) fn show_lost(&mut self, message: MessageKey, kind: ParcelKind, delay: Micros) {
        if delay > Micros::ZERO {
            self.messages.add_reference(message);
            let number = self.put(Parcel { message, kind }, delay, true);
            let arrives = self.now() + delay;
            self.list
                .plan(arrives, Phase::Endings, number, Item::Arrives(number), None);
        }
    }

    fn put(&mut self, parcel: Parcel, delay: Micros, lost: bool) -> u32 {
        let parcels = self.transit.parcels.len() as u32;
        let number = self.transit.free.pop().unwrap_or(parcels);
        let sent = self.now();
        let travelling = Travelling {
            parcel,
            sent,
            arrives: sent + delay,
            lost,
        };
        self.transit.parcels.insert(number, travelling);
        number
    }

    pub(super) fn arrives(&mut self, number: u32, cause: Option<Ordinal>) {
        let Some(travelling) = self.transit.parcels.remove(number) else {
            return;
        };
        self.transit.free.push(number);
        let Parcel { message, kind } = travelling.parcel;
        if travelling.lost {
            return self.release(message);
        }
        match kind {
            ParcelKind::Send { queue, attempt } => {
                self.send_arrives(message, queue, attempt, cause)
            }
            ParcelKind::Confirm => {
                self.messages.get_mut(message).set_confirmed();
                self.release(message);
            }
            ParcelKind::Receive {
                consumer,
                generation,
            } => {
                if self.consumers[consumer.index()].generation == generation {
                    self.register(consumer, cause);
                }
            }
            ParcelKind::Claim {
                consumer,
                generation,
            } => {
                if self.consumers[consumer.index()].generation == generation {
                    self.claim_arrives(consumer);
                }
            }
            ParcelKind::Delivery {
                consumer,
                generation,
                held,
            } => {
                self.delivery_arrives(consumer, generation, held, cause);
            }
            ParcelKind::Settle {
                consumer,
                held,
                call,
            } => {
                match self.consumers[consumer.index()].cut_off_by {
                    Some(partition) => self.call_lost(consumer, held, call, partition),
                    None => self.settle_arrives(consumer, held, call, cause),
                }
                self.release(message);
            }
        }
    }
}
