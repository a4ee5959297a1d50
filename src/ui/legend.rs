//! What the marks on the stage and the timeline stand for.

use yew::prelude::*;

/// The colour of a mark, its shape in a box of 32 by 16, or the mark itself where it is a text, and what it says.
const MARKS: [(&str, &str, &str); 10] = [
    (
        "work",
        "M1 5h30v7h-30zM15 5h16v7h-16z",
        "work on a message: all of it, and what is done",
    ),
    (
        "flag",
        "M12 15V2l9 3.5L12 9",
        "the visibility timeout ends here; with a dashed pole it ends later than the bar shows",
    ),
    (
        "over",
        "M1 14 9 4M8 14 16 4M15 14 23 4M22 14 30 4",
        "work that goes on after the timeout ended; solid once it is done",
    ),
    (
        "wait",
        "M12 1h8v14h-8zM12 1h8v7h-8z",
        "at the edge of a lane: how long its oldest message has waited; hatched in red: it starves",
    ),
    (
        "twin",
        "M2 13C10 2 22 2 30 13",
        "the same message in two places",
    ),
    (
        "token",
        "M16 1 29 15H3z",
        "a poison message: it can never be processed",
    ),
    (
        "pale",
        "M22 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0z",
        "pale: not to be received now, or counted elsewhere",
    ),
    ("", "A", "on a message: its group"),
    ("", "×2", "on a message: its second delivery"),
    (
        "",
        "↕",
        "at work before an earlier message of its group, or took effect after a later one",
    ),
];

/// The list of marks.
pub fn marks() -> Html {
    html! {
        <dl class="marks">
            for (colour, mark, what) in MARKS {
                <dt>
                    if colour.is_empty() {
                        <b>{ mark }</b>
                    } else {
                        <svg class={format!("mark mark--{colour}")} viewBox="0 0 32 16" aria-hidden="true"><path d={mark} /></svg>
                    }
                </dt>
                <dd>{ what }</dd>
            }
        </dl>
    }
}
