//! Runs all replicates of a study in parallel and writes each as it finishes.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use kinfolk::remedy::{Actionable, Remedy};
use rayon::{ThreadPool, ThreadPoolBuilder};
use thiserror::Error;

use crate::replicate::{Replicate, ReplicateError};
use crate::rows::ReplicateRow;
use crate::store::{Record, Store, StoreError};

/// A simulated problem of a study, which is solved on one thread.
pub trait Problem: Sync {
    /// What is recorded of it, one row per method.
    type Row: Record + Send;

    /// Its number in the study.
    fn number(&self) -> u64;

    /// Its number among the problems with the same settings.
    fn parameter_set(&self) -> u64;

    /// About how much work it is, in no particular unit.
    fn work(&self) -> f64;

    /// Simulates it and learns it with every method.
    fn solve(&self, seed: u64) -> Result<Vec<Self::Row>, ReplicateError>;
}

impl Problem for Replicate {
    type Row = ReplicateRow;

    fn number(&self) -> u64 {
        self.number
    }

    fn parameter_set(&self) -> u64 {
        self.parameter_set
    }

    fn work(&self) -> f64 {
        let design = &self.design;
        let rows: usize = design.rows.iter().sum();
        (design.nodes * design.nodes) as f64 * (rows as f64 + 2_000.0 * design.data_sets() as f64)
    }

    fn solve(&self, seed: u64) -> Result<Vec<ReplicateRow>, ReplicateError> {
        Replicate::solve(self, seed)
    }
}

/// How far a study has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudyProgress {
    /// Replicates finished, those of earlier runs included.
    pub done: usize,
    /// Replicates in all.
    pub of: usize,
    /// The share of the work that is done, where a replicate counts by its rows and variables.
    pub share: f64,
}

/// Why a study ended before its end.
#[derive(Debug, Error)]
pub enum RunError {
    /// A replicate failed.
    #[error("replicate {number}: {error}")]
    Replicate {
        /// Which.
        number: u64,
        /// Why.
        error: ReplicateError,
    },
    /// Results could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
}

impl Actionable for RunError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Replicate { error, .. } => error.remedies(),
            Self::Threads(_) => vec![Remedy::Advice("use fewer threads")],
            Self::Store(_) => Vec::new(),
        }
    }
}

/// Solves what is not in the store yet, each replicate on one of `threads` threads, and returns whether all are done:
/// the observer, who hears of every replicate, may ask to stop, and then those begun are finished first.
pub fn run<P: Problem>(
    replicates: &[P],
    store: &mut Store<P::Row>,
    seed: u64,
    threads: usize,
    observe: &mut dyn FnMut(StudyProgress) -> ControlFlow<()>,
) -> Result<bool, RunError> {
    let total: f64 = replicates.iter().map(Problem::work).sum();
    let mut pending: Vec<&P> =
        replicates.iter().filter(|replicate| !store.done().contains(&replicate.number())).collect();
    // One replicate of every setting, then a second: a study that is stopped has about as many of each.
    pending.sort_by_key(|replicate| (replicate.parameter_set(), replicate.number()));
    let mut progress = StudyProgress {
        done: replicates.len() - pending.len(),
        of: replicates.len(),
        share: 1.0 - pending.iter().map(|replicate| replicate.work()).sum::<f64>() / total.max(1.0),
    };
    if observe(progress).is_break() {
        return Ok(pending.is_empty());
    }
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel::<Solved<P>>();
    let mut outcome = Ok(());
    thread::scope(|scope| {
        for started in 0..threads.max(1) {
            let (pending, next, stop, sender) = (&pending, &next, &stop, sender.clone());
            let thread = ThreadPoolBuilder::new().num_threads(1).build().map_err(io::Error::other);
            let thread = thread.and_then(|alone| {
                let work = move || worker(&alone, pending, seed, next, stop, &sender);
                thread::Builder::new().spawn_scoped(scope, work)
            });
            // Where no further thread can be started, those that run do all the work.
            if let Err(error) = thread {
                if started == 0 {
                    outcome = Err(RunError::Threads(error.to_string()));
                }
                break;
            }
        }
        drop(sender);
        for (index, solved) in receiver {
            let kept = match solved {
                Ok(rows) => store.append(&rows).map_err(RunError::from),
                Err(error) => Err(RunError::Replicate { number: pending[index].number(), error }),
            };
            progress.done += usize::from(kept.is_ok());
            progress.share += pending[index].work() / total.max(1.0);
            if kept.is_err() || observe(progress).is_break() {
                stop.store(true, Ordering::Relaxed);
            }
            // The first failure is the one to tell.
            if outcome.is_ok() {
                outcome = kept;
            }
        }
    });
    outcome.map(|()| progress.done == progress.of)
}

/// The place of a problem among those pending, and what became of it.
type Solved<P> = (usize, Result<Vec<<P as Problem>::Row>, ReplicateError>);

/// Solves one replicate after the other. Its searches stay on this thread, so that their times are those of one core.
fn worker<P: Problem>(
    alone: &ThreadPool,
    pending: &[&P],
    seed: u64,
    next: &AtomicUsize,
    stop: &AtomicBool,
    sender: &mpsc::Sender<Solved<P>>,
) {
    while !stop.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(replicate) = pending.get(index) else { break };
        let solved = alone.install(|| replicate.solve(seed));
        if sender.send((index, solved)).is_err() {
            break;
        }
    }
}
