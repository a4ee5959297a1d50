//! What happened to one message, however long ago, and what will happen to it next.

use crate::engine::snapshot::{ConsumerStatus, HopKind};
use crate::engine::{ConsumerId, Event, EventKind, MessageNumber, Micros, Ordinal};

use super::Session;
use super::course::Moved;
use super::run::Run;

/// The events of one message, as far as they have been found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Life<'a> {
    /// Oldest first, the known future included; the crash of a consumer that held the message is one of them.
    pub events: &'a [Event],
    /// How many are left out because there are more than [`Life::MOST`]: the oldest after the first.
    pub left_out: u64,
    /// Whether these are all that are known. If not, older ones are still being searched for: ask again.
    pub complete: bool,
}

impl Life<'_> {
    /// Most events listed.
    pub const MOST: usize = 1_000;
}

/// What comes next for one message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Foresight<'a> {
    /// Oldest first, all after the playhead.
    pub events: &'a [Event],
    /// Whether the message's end was found, or its future is too long. If not, ask again.
    pub complete: bool,
}

/// Who holds a message, from its events.
#[derive(Clone, Default)]
struct Holders(Vec<ConsumerId>);

impl Holders {
    /// Takes in the next event of the run; true if it is about the message.
    fn concerns(&mut self, message: MessageNumber, event: &Event) -> bool {
        if let EventKind::Crashed { consumer, .. } = event.kind {
            let held = self.0.contains(&consumer);
            self.0.retain(|holder| *holder != consumer);
            return held;
        }
        if event.kind.message() != Some(message) {
            return false;
        }
        match event.kind {
            EventKind::Delivered { consumer, .. } => self.0.push(consumer),
            EventKind::Finished { consumer, .. }
            | EventKind::Failed { consumer, .. }
            | EventKind::Skipped { consumer, .. }
            | EventKind::ResponseLost { consumer, .. } => {
                if let Some(place) = self.0.iter().position(|holder| *holder == consumer) {
                    self.0.remove(place);
                }
            }
            _ => {}
        }
        true
    }
}

/// A search for the events of one message.
pub(super) struct Biography {
    message: MessageNumber,
    events: Vec<Event>,
    left_out: u64,
    holders: Holders,
    /// Events before this ordinal have been looked through.
    looked_to: Ordinal,
    /// Making events again that are older than memory.
    older: Option<Box<Run>>,
}

impl Biography {
    fn take(&mut self, event: &Event) {
        if !self.holders.concerns(self.message, event) {
            return;
        }
        if self.events.len() == Life::MOST {
            self.events.remove(1);
            self.left_out += 1;
        }
        self.events.push(*event);
    }

    /// Forgets what was found from `ordinal` on.
    pub(super) fn cut(&mut self, ordinal: Ordinal) {
        if self.looked_to > ordinal {
            let kept = self.events.iter().filter(|event| event.ordinal < ordinal);
            let kept: Vec<Event> = kept.copied().collect();
            self.holders = Holders::default();
            for event in &kept {
                self.holders.concerns(self.message, event);
            }
            self.events = kept;
            self.looked_to = ordinal;
        }
    }
}

/// A look ahead of the playhead.
pub(super) struct Outlook {
    message: MessageNumber,
    /// Where it began.
    from: Ordinal,
    run: Box<Run>,
    steps: u64,
    holders: Holders,
    events: Vec<Event>,
    state: Outlooking,
}

/// How far a look ahead has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outlooking {
    Working,
    /// It has looked far enough.
    Far,
    /// It has found the end of the message.
    Ended,
}

impl Session {
    /// All events about a message, oldest first. Those no longer in memory are made again from the checkpoint before
    /// its send, within `budget` steps a call.
    pub fn life(&mut self, message: MessageNumber, budget: u64) -> Life<'_> {
        let first = Ordinal(self.history.first());
        let known = self.biography.take().filter(|known| {
            known.message == message && (known.older.is_some() || known.looked_to >= first)
        });
        let mut search = known.unwrap_or_else(|| self.begin_search(message));
        let mut left = budget;
        if let Some(mut run) = search.older.take() {
            let limit = self.history.known_until();
            let mut trace = Vec::new();
            let mut over = false;
            while !over && run.playhead().ordinal.0 < self.history.first() {
                if left == 0 {
                    search.older = Some(run);
                    break;
                }
                left -= 1;
                trace.clear();
                over = self.course.move_on(&mut run, limit, &mut trace) != Moved::Step;
                let found = search.events.len();
                trace.iter().for_each(|event| search.take(event));
                let gone = || run.simulation().token(message).is_none();
                if search.events.len() > found && gone() {
                    // It is nowhere any more: nothing later is about it.
                    search.looked_to = Ordinal(u64::MAX);
                    over = true;
                } else {
                    search.looked_to = run.playhead().ordinal;
                }
            }
        }
        if search.older.is_none() && search.looked_to < self.history.next() {
            for event in self.history.from(search.looked_to) {
                search.take(event);
            }
            search.looked_to = self.history.next();
        }
        let search = self.biography.insert(search);
        Life {
            events: &search.events,
            left_out: search.left_out,
            complete: search.older.is_none(),
        }
    }

    fn begin_search(&self, message: MessageNumber) -> Biography {
        let first = Ordinal(self.history.first());
        let is_sent = |event: &Event| {
            matches!(event.kind, EventKind::Sent { attempt: 1, .. })
                && event.kind.message() == Some(message)
        };
        let in_memory = first.0 == 0 || self.history.from(first).any(is_sent);
        let older = (!in_memory).then(|| {
            let before = |run: &Run| run.simulation().newest_message() < message;
            Box::new(self.course.run_before(before))
        });
        Biography {
            message,
            events: Vec::new(),
            left_out: 0,
            holders: Holders::default(),
            looked_to: first,
            older,
        }
    }

    /// What happens to a message after the playhead if nothing changes, up to its end or for a bounded number of
    /// steps. A copy of the run goes ahead within `budget` steps a call: nothing is recorded, the playhead stays.
    pub fn foresee(&mut self, message: MessageNumber, budget: u64) -> Foresight<'_> {
        let here = self.playhead().ordinal;
        if self.run.simulation().token(message).is_none() {
            return Foresight {
                events: &[],
                complete: true,
            };
        }
        let known = self.outlook.take();
        let known = known.filter(|known| known.message == message && known.holds_at(here));
        let mut outlook = known.unwrap_or_else(|| Outlook {
            message,
            from: here,
            run: Box::new(self.run.clone()),
            steps: 0,
            holders: self.holders(message),
            events: Vec::new(),
            state: Outlooking::Working,
        });
        outlook.events.retain(|event| event.ordinal >= here);
        self.look_ahead_of(&mut outlook, budget);
        let outlook = self.outlook.insert(outlook);
        Foresight {
            events: &outlook.events,
            complete: outlook.state != Outlooking::Working,
        }
    }

    fn look_ahead_of(&self, outlook: &mut Outlook, budget: u64) {
        let end = self.duration().unwrap_or(Micros::MAX);
        let mut trace = Vec::new();
        for _ in 0..budget {
            if outlook.state != Outlooking::Working {
                return;
            }
            trace.clear();
            let moved = self.course.move_on(&mut outlook.run, end, &mut trace);
            outlook.steps += 1;
            let mut found = false;
            for event in &trace {
                if outlook.holders.concerns(outlook.message, event) {
                    outlook.events.push(*event);
                    found = true;
                }
            }
            let gone = || outlook.run.simulation().token(outlook.message).is_none();
            if found && (outlook.is_settled() || gone()) {
                outlook.state = Outlooking::Ended;
            } else if moved != Moved::Step
                || outlook.steps >= Outlook::STEPS
                || outlook.events.len() >= Outlook::EVENTS
            {
                outlook.state = Outlooking::Far;
            }
        }
    }

    fn holders(&self, message: MessageNumber) -> Holders {
        let snapshot = self.snapshot();
        let mut holders = Holders::default();
        let consumers = (0..).map(ConsumerId).zip(&snapshot.consumers);
        for (id, consumer) in consumers.filter(|it| it.1.status != ConsumerStatus::Crashed) {
            let jobs = consumer.workers.iter().flatten().map(|job| &job.held);
            let held = jobs.chain(&consumer.buffered);
            let mine = held.filter(|held| held.token.message == message);
            holders.0.extend(mine.map(|_| id));
        }
        for hop in snapshot.travelling.iter().filter(|hop| !hop.lost) {
            if let HopKind::Delivery { consumer, .. } = hop.what
                && hop.token.message == message
            {
                holders.0.push(consumer);
            }
        }
        holders
    }

    /// Forgets what was found about the run after `ordinal`, which has changed.
    pub(super) fn forget_found(&mut self, ordinal: Ordinal) {
        self.chain = None;
        self.recall = Default::default();
        self.outlook = None;
        if let Some(biography) = &mut self.biography {
            biography.cut(ordinal);
        }
    }
}

impl Outlook {
    /// Steps that are looked ahead at most.
    const STEPS: u64 = 20_000;
    /// Events that are told at most.
    const EVENTS: usize = 12;

    /// Whether the last event settles the message as far as it can be foreseen.
    fn is_settled(&self) -> bool {
        self.events.last().is_some_and(|event| {
            matches!(
                event.kind,
                EventKind::DeadLettered { .. }
                    | EventKind::Dropped { .. }
                    | EventKind::Expired { .. }
                    | EventKind::Purged { .. }
                    | EventKind::LostInRestart { .. }
            )
        })
    }

    /// Whether it tells what comes after `here` as well: a message's next events stay what they are while the playhead
    /// moves towards them.
    fn holds_at(&self, here: Ordinal) -> bool {
        let seen = self.run.playhead().ordinal;
        self.from <= here
            && match self.state {
                Outlooking::Working => here <= seen,
                Outlooking::Far => here.0 - self.from.0 <= (seen.0 - self.from.0) / 2,
                Outlooking::Ended => {
                    here == self.from || self.events.last().is_some_and(|last| last.ordinal >= here)
                }
            }
    }
}
