//! What handlers call: places that they wait for, calls that are refused, times in which it is down.

use std::collections::VecDeque;

use super::Simulation;
use super::consumer::{Held, Job, Place};
use crate::engine::event::{EventKind, FailureReason};
use crate::engine::id::ConsumerId;
use crate::engine::setup::WhenFull;
use crate::engine::snapshot::DownstreamView;
use crate::engine::time::Micros;

/// The state of one thing that handlers call.
#[derive(Clone, Default, Debug)]
pub(super) struct Downstream {
    /// Handlers that have a place.
    busy: u32,
    /// Handlers that wait for one, in order of coming.
    waiting: VecDeque<Waiting>,
    /// The whole second of the newest call, and the calls accepted in it.
    second: u64,
    calls: u32,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    consumer: ConsumerId,
    worker: u16,
    stamp: u32,
}

impl Simulation {
    fn downstream_of(&self, consumer: ConsumerId) -> Option<usize> {
        let index = usize::from(self.consumers[consumer.index()].setup.downstream?);
        (index < self.downstreams.len()).then_some(index)
    }

    /// The place that a handler of this consumer gets now.
    pub(super) fn place_for(&mut self, consumer: ConsumerId) -> Place {
        let Some(index) = self.downstream_of(consumer) else {
            return Place::None;
        };
        let setup = &self.setup.downstreams[index];
        let Some(at_once) = setup.at_once else {
            return Place::None;
        };
        let state = &mut self.downstreams[index];
        if state.busy < at_once && state.waiting.is_empty() {
            state.busy += 1;
            return Place::Held;
        }
        match setup.when_full {
            WhenFull::Waits => Place::Waiting,
            WhenFull::Fails => Place::Refused,
        }
    }

    /// A worker waits with a message for a place.
    pub(super) fn wait_for_place(&mut self, consumer: ConsumerId, worker: u16, held: Held) {
        let Some(index) = self.downstream_of(consumer) else {
            return;
        };
        let now = self.now();
        let waits = EventKind::WaitsForPlace {
            message: self.messages.get(held.message).number,
            consumer,
            worker,
            downstream: index as u16,
        };
        let waits = self.emit(waits, Some(held.delivered_event));
        let state = &mut self.consumers[consumer.index()];
        let stamp = state.next_stamp();
        let job = Job {
            held,
            started: now,
            ends: Micros::MAX,
            stamp,
            started_event: waits,
            skips: None,
            claimed: false,
            settling: false,
            place: Place::Waiting,
        };
        if let Some(slot) = state.workers.get_mut(usize::from(worker)) {
            *slot = Some(job);
        }
        let heartbeat = state.setup.heartbeat;
        self.downstreams[index].waiting.push_back(Waiting {
            consumer,
            worker,
            stamp,
        });
        if let Some(heartbeat) = heartbeat {
            let since = self.batch_since(consumer, worker).unwrap_or(now);
            self.plan_heartbeat(consumer, worker, &job, heartbeat, since);
        }
    }

    /// A handler gives its place up, if it has one, and the next one that waits begins.
    pub(super) fn leave(&mut self, consumer: ConsumerId, worker: u16) {
        let state = &mut self.consumers[consumer.index()];
        let slot = state.workers.get_mut(usize::from(worker));
        let Some(job) = slot.and_then(Option::as_mut) else {
            return;
        };
        if std::mem::replace(&mut job.place, Place::None) != Place::Held {
            return;
        }
        if let Some(index) = self.downstream_of(consumer) {
            self.downstreams[index].busy -= 1;
            self.fill_places(index);
        }
    }

    /// A crashed consumer gives up all its places, and waits for none.
    pub(super) fn leave_all(&mut self, consumer: ConsumerId) {
        let Some(index) = self.downstream_of(consumer) else {
            return;
        };
        let wreck = &mut self.consumers[consumer.index()].wreck;
        let places = wreck
            .iter_mut()
            .flatten()
            .map(|job| std::mem::replace(&mut job.place, Place::None));
        let left = places.filter(|place| *place == Place::Held).count() as u32;
        let state = &mut self.downstreams[index];
        state.busy -= left;
        state.waiting.retain(|it| it.consumer != consumer);
        self.fill_places(index);
    }

    fn fill_places(&mut self, index: usize) {
        let most = self.setup.downstreams[index].at_once.unwrap_or(u32::MAX);
        while self.downstreams[index].busy < most {
            let Some(next) = self.downstreams[index].waiting.pop_front() else {
                return;
            };
            let Waiting {
                consumer,
                worker,
                stamp,
            } = next;
            let Some(job) = self.job(consumer, worker, stamp) else {
                continue;
            };
            self.downstreams[index].busy += 1;
            let waited = self.now() - job.started;
            self.consumers[consumer.index()].busy += waited;
            self.begin_handler(consumer, worker, job.held, Place::Held);
        }
    }

    /// Whether the call of a handler that would succeed otherwise fails; one that is accepted is counted.
    pub(super) fn call_fails(&mut self, consumer: ConsumerId, job: &Job) -> Option<FailureReason> {
        let index = self.downstream_of(consumer)?;
        let now = self.now();
        let setup = &self.setup.downstreams[index];
        if job.place == Place::Refused || is_down(&setup.down, now) {
            return Some(FailureReason::Downstream);
        }
        let most = setup.per_second?;
        let second = second_of(now);
        let state = &mut self.downstreams[index];
        if state.second != second {
            state.second = second;
            state.calls = 0;
        }
        if state.calls >= most {
            return Some(FailureReason::Downstream);
        }
        state.calls += 1;
        None
    }

    pub(super) fn downstream_view(&self, index: usize) -> DownstreamView {
        let now = self.now();
        let setup = self.setup.downstreams[index].clone();
        let state = &self.downstreams[index];
        DownstreamView {
            busy: state.busy,
            waiting: state.waiting.len() as u32,
            calls: if state.second == second_of(now) {
                state.calls
            } else {
                0
            },
            down: is_down(&setup.down, now),
            setup,
        }
    }
}

fn second_of(at: Micros) -> u64 {
    at.0 / Micros::from_secs(1).0
}

fn is_down(down: &[(Micros, Micros)], now: Micros) -> bool {
    down.iter().any(|&(from, until)| from <= now && now < until)
}
