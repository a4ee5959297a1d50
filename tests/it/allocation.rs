//! An allocator that counts, so that memory can be asserted and measured.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, counting what each thread holds.
pub struct Counting;

fn count(bytes: isize) {
    // A thread that is ending has no counter any more, and nobody asks for it.
    let _ = HELD.try_with(|held| held.set(held.get() + bytes));
}

#[allow(
    unsafe_code,
    reason = "every call goes to the system's allocator unchanged"
)]
// SAFETY: allocation is the system's; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that `make` allocated on this thread and that what it made still holds.
pub fn held_by<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    let made = make();
    let held = HELD.get() - before;
    (made, usize::try_from(held).unwrap_or(0))
}
