//! Runs long work on other threads, while the caller's thread handles Ctrl-C and shows progress.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kinfolk::score::Halt;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error;

/// How often the caller's thread looks up: several times within the second that Ctrl-C may take.
const TICK: Duration = Duration::from_millis(50);

/// How long work that was asked to stop is waited for: with a tick, well within the second that Ctrl-C may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// The stack of every thread, which is as large as that of a process usually is.
const STACK_BYTES: usize = 8 << 20;

/// How far some work has come.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WorkProgress {
    /// Moves of a search made so far.
    pub(crate) moves: usize,
    /// The score after the last of them.
    pub(crate) score: Option<f64>,
    /// Parts of the current stretch that are done.
    pub(crate) done: usize,
    /// How many there are.
    pub(crate) of: usize,
}

/// What the work and the caller's thread tell each other.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    stop: AtomicBool,
    progress: Mutex<WorkProgress>,
    deadline: Option<Instant>,
}

impl Watch {
    /// Takes note of progress and says whether to go on.
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
    /// Seconds after which the work is asked to stop.
    pub(crate) time_limit: Option<Duration>,
    /// Called now and then with moves, score, parts done and parts.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

/// Does work without holding the interpreter. What a signal or the progress call raises stops it and is raised, soon in any case: work that
/// has not heard of it by then goes on by itself until it does, on threads that nobody else waits for.
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
        // Nobody is there to hear it if the caller has left.
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
            (Err(RecvTimeoutError::Timeout), Some((_, when))) if when.elapsed() < PATIENCE => {}
            (Err(RecvTimeoutError::Timeout), Some(_)) => {
                POOLS.lock().unwrap_or_else(PoisonError::into_inner).clear();
                break;
            }
            (Ok(Ok(_)), Some(_)) => break,
            (Err(RecvTimeoutError::Disconnected), _) => unreachable!("work is over only when it is heard of"),
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

/// Threads that wait for work.
struct Pool {
    /// The process whose threads they are.
    process: u32,
    /// How many were asked for.
    threads: usize,
    workers: Arc<ThreadPool>,
}

/// The threads of this process: those of the last call, and those of the last that asked for another number.
static POOLS: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// How many numbers of threads are kept ready: reading takes all cores, what follows may take one.
const MOST_POOLS: usize = 2;

/// Threads to work on. A forked process has none of its parent's, so it gets its own.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    // The threads that others would wait for do not exist here.
    let (others, mut own): (Vec<Pool>, Vec<Pool>) = pools.drain(..).partition(|pool| pool.process != process);
    others.into_iter().for_each(std::mem::forget);
    let ready = if let Some(place) = own.iter().position(|pool| pool.threads == threads) {
        own.remove(place)
    } else {
        let built = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build();
        let failed = |error| error::settings(format!("cannot start {threads} threads: {error}"));
        Pool { process, threads, workers: Arc::new(built.map_err(failed)?) }
    };
    own.truncate(MOST_POOLS - 1);
    let workers = Arc::clone(&ready.workers);
    own.insert(0, ready);
    *pools = own;
    Ok(workers)
}
