//! Threads that stay awake between two batches.
//!
//! A search asks for a batch, chooses a move for some tens of microseconds and asks for the next batch. A thread that went to sleep meanwhile
//! comes as late as that again, and whoever wakes it loses time, too.

use std::cell::Cell;
use std::thread;

use rayon::Yield;

/// How often a thread looks for work before it may sleep, a few tenths of a millisecond in all; where there are more than so many threads the
/// less often, because it looks at what each of them has.
const LOOKS: usize = 1000;
const FEW_THREADS: usize = 8;

thread_local! {
    /// How many batches this thread has asked for and waits for, one within the other.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// A batch that this thread has asked for.
pub(super) struct Asked;

impl Asked {
    /// From now on, until it is dropped, which may happen on this thread only.
    pub(super) fn new() -> Self {
        ASKED.set(ASKED.get() + 1);
        Self
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        ASKED.set(ASKED.get() - 1);
    }
}

/// Keeps this thread awake for a moment once its share of a batch is done, unless it waits for one that it asked for, and goes on after that.
pub(super) fn stay_awake() {
    if ASKED.get() == 0 {
        rayon::spawn(look_for_work);
    }
}

fn look_for_work() {
    for _ in 0..LOOKS * FEW_THREADS / rayon::current_num_threads().max(FEW_THREADS) {
        // Another thread, which waits for something else, may have taken this up.
        if ASKED.get() > 0 || rayon::yield_now() == Some(Yield::Executed) {
            return;
        }
        // Whoever has work and no processor takes this one.
        thread::yield_now();
    }
}
