//! Which queue, consumers and producer the settings are for.

use std::rc::Rc;

use yew::AttrValue;

use super::action::{Layout, Tab};
use super::browser;
use super::player::Player;
use crate::engine::{ConsumerId, ProducerId, QueueId};
use crate::present::controls::Target;
use crate::present::why::{Reference, Whose};

/// What a group can be set for.
#[derive(Clone, PartialEq, Default)]
pub struct Targets {
    /// The queues.
    pub queues: Vec<(QueueId, AttrValue)>,
    /// The consumers.
    pub consumers: Vec<(ConsumerId, AttrValue)>,
    /// The producers.
    pub producers: Vec<(ProducerId, AttrValue)>,
}

impl Player {
    /// Points the settings at what the situation is about.
    pub fn aim(&mut self) {
        let setup = &self.situation.setup;
        let is_dead = |id: usize| {
            setup.queues.iter().any(|queue| {
                queue
                    .dead_letter_queue
                    .is_some_and(|dead| dead.index() == id)
            })
        };
        let queues = (0..)
            .map(QueueId)
            .zip(&setup.queues)
            .filter(|(id, _)| !is_dead(id.index()));
        let targets = Targets {
            queues: queues
                .map(|(id, queue)| (id, queue.name.clone().into()))
                .collect(),
            consumers: (0..)
                .map(ConsumerId)
                .zip(&setup.consumers)
                .map(|(id, consumer)| (id, consumer.name.clone().into()))
                .collect(),
            producers: (0..)
                .map(ProducerId)
                .zip(&setup.producers)
                .map(|(id, producer)| (id, producer.name.clone().into()))
                .collect(),
        };
        let focus = self.situation.scenario.view.focus.as_deref();
        let focused = targets
            .queues
            .iter()
            .find(|(_, name)| Some(name.as_str()) == focus);
        let queue = focused
            .or(targets.queues.first())
            .map_or(QueueId(0), |(id, _)| *id);
        self.target = Target {
            queue,
            ..Target::default()
        };
        self.targets = Rc::new(targets);
        self.last_set = None;
        self.renew_terms();
    }

    /// Points the settings at what a control belongs to, and shows the settings if it is not in the headline.
    pub fn make_room_for(&mut self, reference: Reference) {
        match reference.whose {
            Whose::Queue(queue) => self.target.queue = queue,
            // Where they all have the same, one is not singled out.
            Whose::Consumer(consumer) if self.target.consumer.is_some() => {
                self.target.consumer = Some(consumer);
            }
            Whose::Producer(producer) => self.target.producer = producer,
            Whose::Consumer(_) | Whose::Network => {}
        }
        self.last_set = None;
        if self
            .headline
            .iter()
            .all(|(_, control)| control.id != reference.control)
        {
            self.layout = Layout::Full;
        }
        self.show_column(Tab::Settings);
    }

    /// Chooses the tab of what has no column of its own on a narrow screen.
    pub fn show_column(&mut self, tab: Tab) {
        if browser::is_narrow() && self.layout == Layout::Full {
            self.tab = tab;
        }
    }
}
