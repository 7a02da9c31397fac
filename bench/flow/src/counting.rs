//! An allocator that counts the bytes in use, while it is told to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static USED: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn add(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        let bytes = bytes as isize;
        let used = USED.fetch_add(bytes, Ordering::Relaxed) + bytes;
        PEAK.fetch_max(used, Ordering::Relaxed);
    }
}

fn take(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        USED.fetch_sub(bytes as isize, Ordering::Relaxed);
    }
}

// SAFETY: everything is passed on to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        take(layout.size());
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are there while what is in it is moved.
        add(size);
        let moved = unsafe { System.realloc(place, layout, size) };
        take(layout.size());
        moved
    }
}

/// The most bytes that some work has in use at once, beyond what was in use before.
pub(crate) fn peak(work: impl FnOnce()) -> f64 {
    USED.store(0, Ordering::SeqCst);
    PEAK.store(0, Ordering::SeqCst);
    COUNTS.store(true, Ordering::SeqCst);
    work();
    COUNTS.store(false, Ordering::SeqCst);
    PEAK.load(Ordering::SeqCst) as f64
}
