//! The program that is compiled both natively and as the page is, so that one can be compared with the other:
//! `program.mjs` calls the wasm one in a browser and runs the native one beside it.
//!
//!     program MESSAGES        takes so many messages through two queues and prints the number of events
//!     program calls           prints the nanoseconds of a broker call, case by case
//!     program clone           prints the microseconds of a clone of a run of a million events

mod calls;
mod load;

use std::cell::RefCell;
use std::sync::Arc;

use calls::{CASES, Load};
use queue_playground::engine::Micros;
use queue_playground::session::Session;

thread_local! {
    static LOAD: RefCell<Option<Load>> = const { RefCell::new(None) };
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

/// Puts the queue of a case under load; says how many cases there are.
#[allow(
    unsafe_code,
    reason = "the name is how the browser calls it; there is no other one"
)]
#[unsafe(no_mangle)]
pub extern "C" fn prepare_calls(case: u32) -> u32 {
    let chosen = CASES.get(case as usize).copied();
    LOAD.set(chosen.map(Load::new));
    CASES.len() as u32
}

/// Makes so many sends, as many receives and as many acks.
#[allow(
    unsafe_code,
    reason = "the name is how the browser calls it; there is no other one"
)]
#[unsafe(no_mangle)]
pub extern "C" fn make_calls(rounds: u32) {
    LOAD.with_borrow_mut(|load| {
        if let Some(load) = load {
            (0..rounds).for_each(|_| load.three_calls());
        }
    });
}

/// Clones the run of [`load::million`] so many times; gives the messages that wait in it.
#[allow(
    unsafe_code,
    reason = "the name is how the browser calls it; there is no other one"
)]
#[unsafe(no_mangle)]
pub extern "C" fn clone_run(times: u32) -> u32 {
    SESSION.with_borrow(|session| {
        session.as_ref().map_or(0, |session| {
            for _ in 0..times {
                std::hint::black_box(session.simulation().clone());
            }
            let snapshot = session.snapshot();
            let waiting = snapshot.queues.iter().map(|queue| queue.counts.ready);
            waiting.sum::<u64>() as u32
        })
    })
}

/// Nanoseconds of one pass of `work`, the least of several.
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench measures"
)]
fn least(work: impl Fn()) -> u128 {
    let passes = (0..7).map(|_| {
        let begun = std::time::Instant::now();
        work();
        begun.elapsed().as_nanos()
    });
    passes.min().unwrap_or(0)
}

/// What a browser's measurement of the same is compared with.
fn print_calls() {
    const ROUNDS: u32 = 100_000;
    for (index, case) in CASES.iter().enumerate() {
        prepare_calls(index as u32);
        make_calls(ROUNDS);
        let each = least(|| make_calls(ROUNDS)) as f64 / f64::from(3 * ROUNDS);
        println!("{} {each:.1}", case.name);
    }
}

fn print_clone() {
    play_a_million_events();
    let waiting = clone_run(3);
    let each = least(|| {
        clone_run(10);
    }) as f64
        / 10_000.0;
    println!("{each:.1} {waiting}");
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("calls") => return print_calls(),
        Some("clone") => return print_clone(),
        _ => {}
    }
    if let Some(messages) = std::env::args().nth(1).and_then(|word| word.parse().ok()) {
        println!("{}", load::work_through(messages));
    }
}
