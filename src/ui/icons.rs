//! Icons. Each stands beside a word, so assistive technology never needs it.

use yew::prelude::*;

/// A shape of 16 by 16.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// To the beginning.
    Restart,
    /// Run.
    Play,
    /// Stand still.
    Pause,
    /// Back.
    Back,
    /// Forward.
    Forward,
    /// Show more.
    More,
    /// Show less.
    Less,
    /// Opens a menu.
    Down,
    /// A link.
    Link,
    /// A file.
    File,
    /// Chance.
    Dice,
    /// Close.
    Close,
    /// Cannot be changed.
    Lock,
}

impl Shape {
    const fn path(self) -> &'static str {
        match self {
            Self::Restart => "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3",
            Self::Play => "M4 2.5v11l9-5.5z",
            Self::Pause => "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z",
            Self::Back => "M10 3 5 8l5 5",
            Self::Forward => "m6 3 5 5-5 5",
            Self::More => "M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M10.2 2.7v3.6M5.8 9.7v3.6",
            Self::Down => "m4 6 4 4 4-4",
            Self::Less => "M3 8h10",
            Self::Link => {
                "M6.5 9.5a3 3 0 0 0 4.3 0l2-2a3 3 0 0 0-4.3-4.3l-.8.8M9.5 6.5a3 3 0 0 0-4.3 0l-2 2a3 3 0 0 0 4.3 4.3l.8-.8"
            }
            Self::File => "M2.5 12.5v-9h4l1.5 2h5.5v7z",
            Self::Dice => "M3 3h10v10H3zM5.8 5.8h.01M10.2 10.2h.01M10.2 5.8h.01M5.8 10.2h.01",
            Self::Close => "m4 4 8 8M12 4l-8 8",
            Self::Lock => "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
        }
    }
}

/// An icon: a shape in the colour of the text.
pub fn icon(shape: Shape) -> Html {
    let filled = matches!(shape, Shape::Play | Shape::Pause);
    html! {
        <svg class={classes!("icon", filled.then_some("icon--filled"))} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={shape.path()} />
        </svg>
    }
}

/// The mark of the playground.
pub fn logo() -> Html {
    html! {
        <svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <circle cx="5" cy="12" r="3.2" />
            <circle cx="12" cy="12" r="3.2" />
            <path d="M17 12h5m-2.4-2.8 2.8 2.8-2.8 2.8" />
        </svg>
    }
}
