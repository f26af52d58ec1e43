//! Runs long work on other threads, while the caller's thread handles Ctrl-C and shows progress.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kinfolk::counts::thread_pool;
use kinfolk::score::Halt;
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::error;

/// The interval at which the caller's thread checks for signals: several times within the second that Ctrl-C may take.
const TICK: Duration = Duration::from_millis(50);

/// The time to wait for work to stop: together with one interval, well within the second that Ctrl-C may take.
const GRACE_PERIOD: Duration = Duration::from_millis(500);

/// The progress of some work.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WorkProgress {
    /// Moves of a search made so far.
    pub(crate) moves: usize,
    /// The score after the last of them.
    pub(crate) score: Option<f64>,
    /// Finished parts of the current phase.
    pub(crate) done: usize,
    /// The number of parts.
    pub(crate) of: usize,
}

/// The state shared by the work and the caller's thread.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    stop: AtomicBool,
    progress: Mutex<WorkProgress>,
    deadline: Option<Instant>,
}

impl Watch {
    /// Records progress; returns whether to continue.
    pub(crate) fn note(&self, tell: impl FnOnce(&mut WorkProgress)) -> ControlFlow<Halt> {
        tell(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner));
        if self.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(Halt::Interrupted)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            ControlFlow::Break(Halt::TimeLimit)
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// How work is done.
#[derive(Debug, Default)]
pub(crate) struct WorkSettings<'py> {
    /// How many threads; 0 takes all cores.
    pub(crate) threads: usize,
    /// The time limit in seconds.
    pub(crate) time_limit: Option<Duration>,
    /// Called now and then with moves, score, parts done and parts.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

/// Runs work without holding the interpreter. An exception of a signal handler or of the progress callback stops the work and is raised. If
/// the work does not stop in time, the exception is raised anyway, and the work ends later on its own threads.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    terms: &WorkSettings<'_>,
    work: impl FnOnce(&Watch) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let deadline = terms.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let watch = Arc::new(Watch { deadline, ..Watch::default() });
    let (sender, receiver) = channel();
    let at_work = Arc::clone(&watch);
    pool(terms.threads)?.spawn(move || {
        // If the caller has returned, there is no receiver.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(&at_work))));
    });
    let receiver = Mutex::new(receiver);
    let mut raised: Option<(PyErr, Instant)> = None;
    loop {
        let heard = py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        match (heard, &raised) {
            (Ok(Err(panicked)), _) => resume_unwind(panicked),
            (Ok(Ok(result)), None) => return result,
            (Err(RecvTimeoutError::Timeout), None) => {
                raised = look_up(py, terms, &watch).err().map(|error| (error, Instant::now()));
                watch.stop.store(raised.is_some(), Ordering::Relaxed);
            }
            (Err(RecvTimeoutError::Timeout), Some((_, when))) if when.elapsed() < GRACE_PERIOD => {}
            (Err(RecvTimeoutError::Timeout), Some(_)) => {
                POOLS.lock().unwrap_or_else(PoisonError::into_inner).clear();
                break;
            }
            (Ok(Ok(_)), Some(_)) => break,
            (Err(RecvTimeoutError::Disconnected), _) => {
                unreachable!("the work sends its result before it ends")
            }
        }
    }
    let (error, _) = raised.expect("the loop is left when something was raised");
    Err(error)
}

fn look_up(py: Python<'_>, terms: &WorkSettings<'_>, watch: &Watch) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = &terms.progress {
        let WorkProgress { moves, score, done, of } =
            *watch.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.call1((moves, score, done, of))?;
    }
    Ok(())
}

/// A thread pool.
struct Pool {
    /// The process whose threads they are.
    process: u32,
    /// The requested number.
    threads: usize,
    workers: Arc<ThreadPool>,
}

/// The thread pools of this process: that of the last call, and the last one with another number of threads.
static POOLS: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// The number of pools kept: reading uses all cores, and the following call may use one.
const MOST_POOLS: usize = 2;

/// A thread pool. A forked process cannot use its parent's, so it gets its own.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    // Dropping the parent's pools would wait for threads that do not exist in this process.
    let (others, mut own): (Vec<Pool>, Vec<Pool>) = pools.drain(..).partition(|pool| pool.process != process);
    others.into_iter().for_each(std::mem::forget);
    let ready = if let Some(place) = own.iter().position(|pool| pool.threads == threads) {
        own.remove(place)
    } else {
        let built = thread_pool(threads).build();
        let failed = |error| error::settings(format!("cannot start {threads} threads: {error}"));
        Pool { process, threads, workers: Arc::new(built.map_err(failed)?) }
    };
    own.truncate(MOST_POOLS - 1);
    let workers = Arc::clone(&ready.workers);
    own.insert(0, ready);
    *pools = own;
    Ok(workers)
}
