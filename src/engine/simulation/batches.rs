//! What one receive gave, worked on as one by one worker: message by message, settled together at the end.
//!
//! AWS Lambda on SQS: one error makes the whole batch visible again (guide "Error handling for SQS", rule L3); with
//! ReportBatchItemFailures only what failed, and on FIFO queues all that follows it (L4). Effects happen as each handler
//! ends, so that a batch that fails has had those of its good messages.

use std::collections::VecDeque;

use super::Simulation;
use super::consumer::Held;
use super::travelling::SettleCall;
use crate::engine::event::{EventKind, FailureReason, Ordinal};
use crate::engine::id::ConsumerId;
use crate::engine::setup::{AckMoment, BatchWork, QueueKind};
use crate::engine::time::Micros;

/// A batch in the hands of a worker, without the message at work.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    worker: u16,
    /// The receive that gave it.
    call: u64,
    work: BatchWork,
    since: Micros,
    /// What has not been started, in order.
    rest: VecDeque<Held>,
    done: Vec<Done>,
    /// The first failure.
    failed: Option<Ordinal>,
}

/// A message of a batch that needs no more work, and the event that ended it: its failure is the error.
#[derive(Clone, Copy, Debug)]
struct Done {
    held: Held,
    /// None when it was not worked on.
    ended: Option<Result<Ordinal, Ordinal>>,
}

impl Batch {
    pub(super) fn len(&self) -> usize {
        self.rest.len() + self.done.len()
    }

    /// Its messages, and whether the work on each is over.
    pub(super) fn held(&self) -> impl Iterator<Item = (Held, bool)> {
        let rest = self.rest.iter().map(|held| (*held, false));
        rest.chain(self.done.iter().map(|done| (done.held, true)))
    }

    pub(super) fn into_held(self) -> impl Iterator<Item = Held> {
        let done = self.done.into_iter().map(|done| done.held);
        done.chain(self.rest)
    }
}

impl Simulation {
    fn batch(&self, consumer: ConsumerId, worker: u16) -> Option<&Batch> {
        let batches = &self.consumers[consumer.index()].batches;
        batches.iter().find(|batch| batch.worker == worker)
    }

    pub(super) fn is_batched(&self, consumer: ConsumerId, worker: u16) -> bool {
        self.batch(consumer, worker).is_some()
    }

    /// When the batch of a worker began.
    pub(super) fn batch_since(&self, consumer: ConsumerId, worker: u16) -> Option<Micros> {
        self.batch(consumer, worker).map(|batch| batch.since)
    }

    /// The messages of a worker's batch beside the one at work.
    pub(super) fn rest_of_batch(&self, consumer: ConsumerId, worker: u16) -> Vec<Held> {
        let batch = self.batch(consumer, worker);
        let held = batch.into_iter().flat_map(Batch::held);
        held.map(|(held, _)| held).collect()
    }

    /// A worker takes, beside a message that it is about to start, what came with it.
    pub(super) fn begin_batch(&mut self, consumer: ConsumerId, worker: u16, call: u64) {
        let since = self.now();
        let state = &mut self.consumers[consumer.index()];
        state.batches.push(Batch {
            worker,
            call,
            work: state.setup.batch_work,
            since,
            rest: VecDeque::new(),
            done: Vec::new(),
            failed: None,
        });
        self.join_batches(consumer);
    }

    /// What comes of one receive may come in several pieces: late ones join the batch that is at work.
    pub(super) fn join_batches(&mut self, consumer: ConsumerId) {
        let state = &mut self.consumers[consumer.index()];
        for batch in &mut state.batches {
            while let Some(held) = state.buffer.pop_front_if(|held| held.call == batch.call) {
                batch.rest.push_back(held);
            }
        }
    }

    /// The work on a message of a batch is over; the worker goes on with the next.
    pub(super) fn worked_in_batch(
        &mut self,
        consumer: ConsumerId,
        worker: u16,
        held: Held,
        ended: Result<Ordinal, Ordinal>,
    ) {
        let now = self.now();
        let state = &mut self.consumers[consumer.index()];
        // The worker stays taken: nothing else may start there before the next of the batch does.
        if let Some(Some(job)) = state.workers.get_mut(usize::from(worker)) {
            state.busy += now - job.started;
            job.started = now;
        }
        if let Some(batch) = state.batches.iter_mut().find(|it| it.worker == worker) {
            let ended = Some(ended);
            batch.done.push(Done { held, ended });
            if let Some(Err(failed)) = ended {
                batch.failed.get_or_insert(failed);
            }
        }
        let (Ok(cause) | Err(cause)) = ended;
        self.next_of_batch(consumer, worker, cause);
    }

    pub(super) fn next_of_batch(&mut self, consumer: ConsumerId, worker: u16, cause: Ordinal) {
        self.join_batches(consumer);
        let queue = self.consumers[consumer.index()].setup.from;
        let fifo = self.broker.queue(queue).kind == QueueKind::Fifo;
        loop {
            let batches = &mut self.consumers[consumer.index()].batches;
            let Some(place) = batches.iter().position(|batch| batch.worker == worker) else {
                return;
            };
            let batch = &mut batches[place];
            if fifo && batch.work == BatchWork::Partial && batch.failed.is_some() {
                let unworked = batch.rest.drain(..).map(|held| Done { held, ended: None });
                batch.done.extend(unworked);
            }
            let Some(held) = batch.rest.pop_front() else {
                let batch = batches.remove(place);
                return self.end_batch(consumer, batch, cause);
            };
            if self.start_handler(consumer, worker, held) {
                return;
            }
        }
    }

    /// Settles all messages of a batch.
    fn end_batch(&mut self, consumer: ConsumerId, batch: Batch, cause: Ordinal) {
        self.free(consumer, batch.worker);
        let setup = &self.consumers[consumer.index()].setup;
        let (acks, permanent) = (setup.ack == AckMoment::AfterWork, setup.failure.permanent);
        for Done { held, ended } in batch.done {
            match (ended, batch.failed) {
                (Some(Ok(finished)), None) => self.ack_of_batch(consumer, held, acks, finished),
                (Some(Ok(finished)), _) if batch.work == BatchWork::Partial => {
                    self.ack_of_batch(consumer, held, acks, finished);
                }
                (Some(Err(failed)), _) => self.return_failed(consumer, held, permanent, failed),
                (_, first) if !held.acked => {
                    let kind = EventKind::Failed {
                        message: self.messages.get(held.message).number,
                        consumer,
                        worker: batch.worker,
                        delivery: held.delivery,
                        reason: FailureReason::Batch,
                    };
                    let failed = self.emit(kind, first);
                    self.note_under_lease(&held, failed);
                    self.return_failed(consumer, held, false, failed);
                }
                _ => {}
            }
            self.release(held.message);
        }
        self.next_work(consumer, cause);
    }

    fn ack_of_batch(&mut self, consumer: ConsumerId, held: Held, acks: bool, cause: Ordinal) {
        if acks && !held.acked {
            self.settle(consumer, held, SettleCall::Ack, cause);
        }
    }
}
