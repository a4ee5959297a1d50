//! The state that Yew renders from. The run itself is in the player; what panels read of it comes in as facts.

use std::rc::Rc;

use yew::prelude::*;

use super::action::{Colours, Layout};
use super::panel::Panel;

/// Something to tell the person, until dismissed or replaced.
#[derive(Clone, PartialEq, Debug)]
pub struct Notice {
    /// What it is about.
    pub text: AttrValue,
    /// One entry a problem, or a change.
    pub list: Rc<[AttrValue]>,
    /// Whether the list is there for who asks for it.
    pub folded: bool,
}

/// The state of the page.
#[derive(Clone)]
pub struct State {
    /// Which view.
    pub layout: Layout,
    /// Which colours.
    pub colours: Colours,
    /// The run, as of the last update.
    pub panel: Rc<Panel>,
    /// What there is to tell.
    pub notice: Option<Rc<Notice>>,
    /// Whether the newest link was copied.
    pub copied: bool,
}

impl State {
    /// The page as it opens.
    pub fn new(panel: Panel, layout: Layout, colours: Colours, notice: Option<Notice>) -> Self {
        Self {
            layout,
            colours,
            panel: Rc::new(panel),
            notice: notice.map(Rc::new),
            copied: false,
        }
    }
}

/// What has changed.
pub enum Fact {
    /// The run.
    Panel(Box<Panel>),
    /// The view.
    Layout(Layout),
    /// The colours.
    Colours(Colours),
    /// What there is to tell.
    Notice(Option<Notice>),
    /// The link of this run was copied, or there is another run since.
    Copied(bool),
}

impl Reducible for State {
    type Action = Fact;

    fn reduce(self: Rc<Self>, fact: Fact) -> Rc<Self> {
        let same = match &fact {
            Fact::Panel(_) => false,
            Fact::Layout(layout) => *layout == self.layout,
            Fact::Colours(colours) => *colours == self.colours,
            Fact::Notice(notice) => notice.as_ref() == self.notice.as_deref(),
            Fact::Copied(copied) => *copied == self.copied,
        };
        if same {
            return self;
        }
        let mut next = (*self).clone();
        match fact {
            Fact::Panel(panel) => next.panel = Rc::new(*panel),
            Fact::Layout(layout) => next.layout = layout,
            Fact::Colours(colours) => next.colours = colours,
            Fact::Notice(notice) => next.notice = notice.map(Rc::new),
            Fact::Copied(copied) => next.copied = copied,
        }
        Rc::new(next)
    }
}
