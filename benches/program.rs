//! The program that is compiled both natively and as the page is, so that one can be compared with the other:
//! `program.mjs` calls the wasm one in a browser and runs the native one beside it.
//!
//!     program MESSAGES        takes so many messages through two queues and prints the number of events

mod load;

use std::cell::RefCell;
use std::sync::Arc;

use queue_playground::engine::Micros;
use queue_playground::session::Session;

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// See [`load::work_through`].
#[allow(
    unsafe_code,
    reason = "the name is how the browser calls it; there is no other one"
)]
#[unsafe(no_mangle)]
pub extern "C" fn work_through(messages: u32) -> u32 {
    load::work_through(messages) as u32
}

/// Makes the run of [`load::million`]; gives its length in milliseconds.
#[allow(
    unsafe_code,
    reason = "the name is how the browser calls it; there is no other one"
)]
#[unsafe(no_mangle)]
pub extern "C" fn play_a_million_events() -> u32 {
    let session = load::million();
    let end = session.playhead().at.0 / 1_000;
    SESSION.set(Some(session));
    end as u32
}

/// Goes to a time of that run, in milliseconds, and looks at it; gives the number of events before it.
#[allow(
    unsafe_code,
    reason = "the name is how the browser calls it; there is no other one"
)]
#[unsafe(no_mangle)]
pub extern "C" fn seek(milliseconds: u32) -> u32 {
    SESSION.with_borrow_mut(|session| {
        session.as_mut().map_or(0, |session| {
            session.seek(Micros::from_millis(milliseconds.into()), load::UNLIMITED);
            session.snapshot().ordinal.0 as u32
        })
    })
}

/// Begins the run of [`load::all_day`].
#[allow(
    unsafe_code,
    reason = "the name is how the browser calls it; there is no other one"
)]
#[unsafe(no_mangle)]
pub extern "C" fn begin_the_day() {
    SESSION.set(Some(Session::new(Arc::new(load::all_day()))));
}

/// Plays that run on to this hour; gives the number of events.
#[allow(
    unsafe_code,
    reason = "the name is how the browser calls it; there is no other one"
)]
#[unsafe(no_mangle)]
pub extern "C" fn play_to(hour: u32) -> u32 {
    SESSION.with_borrow_mut(|session| {
        session.as_mut().map_or(0, |session| {
            load::play_to(session, hour);
            session.known_events().0 as u32
        })
    })
}

fn main() {
    if let Some(messages) = std::env::args().nth(1).and_then(|word| word.parse().ok()) {
        println!("{}", load::work_through(messages));
    }
}
