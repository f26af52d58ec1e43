//! Threads that stay awake between two batches.
//!
//! A search asks for a batch, chooses a move for some tens of microseconds and asks for the next batch. A thread that went to sleep meanwhile
//! comes as late as that again, and whoever wakes it loses time, too. Where there are more threads than processors, one that stays awake
//! only keeps another from its work.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
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

/// The batches that were asked for.
#[derive(Debug, Default)]
pub(super) struct Batches(Arc<AtomicUsize>);

/// A batch that a thread has asked for.
pub(super) struct Asked<'a>(&'a Batches);

impl Batches {
    /// Begins one. Who asks must be one of the threads that share the work, and does not stay awake for others until it is done.
    pub(super) fn begin(&self) -> Asked<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        ASKED.set(ASKED.get() + 1);
        Asked(self)
    }
}

impl Drop for Asked<'_> {
    /// Asks all other threads to stay awake until the next batch begins, or for a moment.
    fn drop(&mut self) {
        ASKED.set(ASKED.get() - 1);
        if rayon::current_num_threads() > processors() {
            return;
        }
        let (batches, asking) = (self.0.0.clone(), rayon::current_thread_index());
        let number = batches.load(Ordering::Relaxed);
        rayon::spawn_broadcast(move |context| {
            if Some(context.index()) != asking {
                look_for_work(context.num_threads(), || batches.load(Ordering::Relaxed) == number);
            }
        });
    }
}

/// How many threads can work at the same time; to find out takes as long as to count a small batch.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Looks for work while there is a reason to, unless this thread waits for a batch of its own.
fn look_for_work(threads: usize, goes_on: impl Fn() -> bool) {
    for _ in 0..LOOKS * FEW_THREADS / threads.max(FEW_THREADS) {
        if ASKED.get() > 0 || !goes_on() || rayon::yield_now() == Some(Yield::Executed) {
            return;
        }
        // Whoever has work and no processor takes this one.
        thread::yield_now();
    }
}
