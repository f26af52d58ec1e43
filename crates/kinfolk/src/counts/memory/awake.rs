//! Threads that stay awake between two batches.
//!
//! A search asks for a batch, chooses a move for some tens of microseconds and asks for the next batch. A thread that went to sleep meanwhile
//! comes as late as that again, and whoever wakes it loses time, too.

use std::thread;

use rayon::Yield;

/// How often a thread looks for work before it may sleep: a few tenths of a millisecond in all.
const LOOKS: usize = 1000;

/// Keeps this thread awake for a moment once its share of a batch is done, unless it is the one that asked for the batch and goes on anyway.
pub(super) fn stay_awake_unless(asking: Option<usize>) {
    let here = rayon::current_thread_index();
    if here == asking {
        return;
    }
    rayon::spawn(move || {
        // Another thread that takes this up has something else to wait for.
        if rayon::current_thread_index() == here {
            look_for_work();
        }
    });
}

fn look_for_work() {
    for _ in 0..LOOKS {
        if rayon::yield_now() == Some(Yield::Executed) {
            return;
        }
        // Whoever has work and no processor takes this one.
        thread::yield_now();
    }
}
