//! Long work on other threads, while the caller's thread listens to Ctrl-C and shows progress.

use std::ops::ControlFlow;
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

/// How far some work has come.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Progress {
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
    progress: Mutex<Progress>,
    deadline: Option<Instant>,
}

impl Watch {
    /// Takes note of progress and says whether to go on.
    pub(crate) fn note(&self, tell: impl FnOnce(&mut Progress)) -> ControlFlow<Halt> {
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
pub(crate) struct Terms<'py> {
    /// How many threads; 0 takes all cores.
    pub(crate) threads: usize,
    /// Seconds after which the work is asked to stop.
    pub(crate) time_limit: Option<Duration>,
    /// Called now and then with moves, score, parts done and parts.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

/// Does work without holding the interpreter. Whatever a signal or the progress call raises stops it and is raised.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    terms: &Terms<'_>,
    work: impl FnOnce(&Watch) -> PyResult<T> + Send,
) -> PyResult<T> {
    let pool = pool(terms.threads)?;
    let deadline = terms.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let watch = Watch { deadline, ..Watch::default() };
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let mut raised = None;
    let result = pool.in_place_scope(|scope| {
        let watch = &watch;
        scope.spawn(move |_| {
            // Nobody is there to hear it only if the caller's thread panicked.
            let _ = sender.send(work(watch));
        });
        loop {
            let heard =
                py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
            match heard {
                Ok(result) => break Some(result),
                // The work panicked, which leaving the scope repeats here.
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                    raised = look_up(py, terms, watch).err();
                    watch.stop.store(raised.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    });
    match raised {
        Some(error) => Err(error),
        None => result.expect("work that panicked has done so here too"),
    }
}

fn look_up(py: Python<'_>, terms: &Terms<'_>, watch: &Watch) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = &terms.progress {
        let Progress { moves, score, done, of } =
            *watch.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.call1((moves, score, done, of))?;
    }
    Ok(())
}

/// The threads of this process, their number, and the threads themselves.
static POOL: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);

/// Threads to work on. A forked process has none of its parent's, so it gets its own.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match kept.take() {
        Some((owner, number, pool)) if owner == process && number == threads => {
            *kept = Some((owner, number, Arc::clone(&pool)));
            return Ok(pool);
        }
        // The threads it would wait for do not exist here.
        Some((owner, _, pool)) if owner != process => std::mem::forget(pool),
        _ => {}
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool =
        Arc::new(built.map_err(|error| error::settings(format!("cannot start {threads} threads: {error}")))?);
    *kept = Some((process, threads, Arc::clone(&pool)));
    Ok(pool)
}
