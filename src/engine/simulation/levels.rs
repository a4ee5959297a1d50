//! Run-wide levels and waits, in the form in which they are kept over time.

use super::Simulation;
use crate::engine::id::QueueId;
use crate::engine::time::Micros;

impl Simulation {
    /// Messages ready, in flight and delayed in all queues but dead-letter queues, and messages in these.
    pub fn levels(&self) -> [u64; 4] {
        let mut dead_letter_queues = 0_u128;
        for (queue, _) in self.all_counts() {
            if let Some(other) = self.broker.queue(queue).dead_letter_queue {
                dead_letter_queues |= 1_u128.checked_shl(other.0.into()).unwrap_or(0);
            }
        }
        let mut levels = [0; 4];
        for (queue, counts) in self.all_counts() {
            let bit = 1_u128.checked_shl(queue.0.into()).unwrap_or(0);
            let here = [counts.ready, counts.in_flight, counts.delayed];
            if dead_letter_queues & bit > 0 {
                levels[3] += here.iter().sum::<u64>();
            } else {
                for (level, count) in levels.iter_mut().zip(here) {
                    *level += count;
                }
            }
        }
        levels
    }

    /// Slots of [`Simulation::group_waits`]: twelve groups, and one for all others.
    pub const GROUP_WAITS: usize = 13;

    /// How long the messages of each group wait, dead-letter queues left out: the wait of its newest delivery, or the
    /// present one of its oldest ready message where that is longer. The first twelve groups in the scenario's order,
    /// and the longest of all others.
    pub fn group_waits(&self) -> [Micros; Self::GROUP_WAITS] {
        let mut longest = [Micros::ZERO; Self::GROUP_WAITS];
        let mut add = |group: usize, wait: Micros| {
            let slot = &mut longest[group.min(Self::GROUP_WAITS - 1)];
            *slot = wait.max(*slot);
        };
        for (index, state) in self.queues.iter().enumerate() {
            let queue = QueueId(index as u16);
            if self.is_dead_letter_queue(queue) {
                continue;
            }
            for (group, lane) in state.lanes.iter().skip(1).enumerate() {
                add(group, lane.last_wait);
            }
            for lane in self.broker.waiting_lanes(queue) {
                if let Some(group) = lane.group {
                    add(group.index(), self.now() - lane.since);
                }
            }
        }
        longest
    }
}
