//! Settings as they were at a time: those of the start, and every change by a command up to then.

use crate::engine::setup::{ConsumerSetup, NetworkSetup, Poison, QueueSetup};
use crate::engine::{
    Command, ConsumerId, Micros, ProducerChange, ProducerId, QueueId, Setup, TimedCommand,
};

use super::Inquiry;

impl Inquiry<'_> {
    fn setup(&self) -> &Setup {
        self.teller.setup
    }

    /// The commands that had acted at a time, with their positions, oldest first. Those of one instant are in the
    /// order of the list.
    pub(super) fn commands_until(&self, at: Micros) -> Vec<(usize, &TimedCommand)> {
        let acted = self.setup().commands.iter().enumerate();
        let mut commands: Vec<(usize, &TimedCommand)> =
            acted.filter(|(_, timed)| timed.at <= at).collect();
        // The scenario's and the learner's are each in order: few are ever moved.
        for place in 1..commands.len() {
            let mut place = place;
            while place > 0 && commands[place - 1].1.at > commands[place].1.at {
                commands.swap(place - 1, place);
                place -= 1;
            }
        }
        commands
    }

    /// The newest command up to a time that is like this.
    pub(super) fn last_command(
        &self,
        at: Micros,
        is: impl Fn(&Command) -> bool,
    ) -> Option<(usize, &TimedCommand)> {
        let commands = self.commands_until(at);
        commands
            .into_iter()
            .rev()
            .find(|(_, timed)| is(&timed.command))
    }

    pub(super) fn queue_at(&self, id: QueueId, at: Micros) -> Option<QueueSetup> {
        let mut queue = self.setup().queues.get(id.index())?.clone();
        for (_, timed) in self.commands_until(at) {
            match &timed.command {
                Command::SetQueue(which, change) if *which == id => queue.apply(change),
                _ => {}
            }
        }
        Some(queue)
    }

    pub(super) fn consumer_at(&self, id: ConsumerId, at: Micros) -> Option<ConsumerSetup> {
        let mut consumer = self.setup().consumers.get(id.index())?.clone();
        for (_, timed) in self.commands_until(at) {
            match &timed.command {
                Command::SetConsumer(which, change) if which.is_none_or(|which| which == id) => {
                    consumer.apply(change);
                }
                _ => {}
            }
        }
        Some(consumer)
    }

    pub(super) fn network_at(&self, at: Micros) -> NetworkSetup {
        let newest = self.last_command(at, |command| matches!(command, Command::SetNetwork(_)));
        match newest.map(|(_, timed)| &timed.command) {
            Some(Command::SetNetwork(network)) => *network,
            _ => self.setup().network,
        }
    }

    pub(super) fn poison_at(&self, id: ProducerId, at: Micros) -> Poison {
        let newest = self.last_command(at, |command| {
            matches!(command, Command::SetProducer(which, ProducerChange::Poison(_)) if *which == id)
        });
        match newest.map(|(_, timed)| &timed.command) {
            Some(Command::SetProducer(_, ProducerChange::Poison(poison))) => *poison,
            _ => {
                let producer = self.setup().producers.get(id.index());
                producer.map_or(Poison::Never, |producer| producer.poison)
            }
        }
    }

    /// How a consumer's speed was changed, if it was not normal: the command's position and the percentage of time.
    pub(super) fn slowed(&self, id: ConsumerId, at: Micros) -> Option<(usize, u32)> {
        let (index, timed) = self.last_command(
            at,
            |command| matches!(command, Command::SlowDown { consumer, .. } if *consumer == id),
        )?;
        match timed.command {
            Command::SlowDown { percent, .. } if percent > 100 => Some((index, percent)),
            _ => None,
        }
    }

    /// The command that has paused a consumer, if it is paused.
    pub(super) fn paused(&self, id: ConsumerId, at: Micros) -> Option<usize> {
        let (index, timed) = self.last_command(at, |command| {
            matches!(command, Command::Pause(which) | Command::Resume(which) | Command::Crash(which) if *which == id)
        })?;
        matches!(timed.command, Command::Pause(_)).then_some(index)
    }
}
