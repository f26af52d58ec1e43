//! Timed searches of data in memory, including the time to set up the tally.

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use kinfolk::counts::MemoryTally;
use kinfolk::data::RelatedData;
use kinfolk::graph::Dag;
use kinfolk::score::{Score, Scorer};
use kinfolk::search::{Climb, Constraints, HillClimb};
use rayon::ThreadPool;
use rustix::time::{ClockId, clock_gettime};

/// The result and the time of one search.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// CPU seconds of all threads.
    pub(crate) cpu: f64,
    /// Elapsed seconds.
    pub(crate) wall: f64,
    pub(crate) score: f64,
    pub(crate) arcs: usize,
    /// Families whose scores were requested.
    pub(crate) families: usize,
}

/// CPU seconds of this process so far, over all threads.
pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A thread pool.
pub(crate) fn threads(number: usize) -> Result<ThreadPool, Box<dyn Error>> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(number).build()?)
}

/// A tally as the score needs it.
pub(crate) fn tally<'a>(data: &'a RelatedData, score: &dyn Score) -> MemoryTally<'a> {
    if score.is_pooled() { MemoryTally::pooled(data) } else { MemoryTally::new(data) }
}

/// Hill-climbing from the empty graph without constraints and with a number of `escapes`; returns the result and the number of families
/// requested.
pub(crate) fn climb(
    data: &RelatedData,
    score: &dyn Score,
    pool: &ThreadPool,
    escapes: usize,
) -> Result<(Climb, usize), Box<dyn Error>> {
    Ok(pool.install(|| {
        let tally = tally(data, score);
        let mut scorer = Scorer::new(&tally, score);
        let search = HillClimb { escapes, ..HillClimb::new(Constraints::none(data.schema())) };
        let start = Dag::empty(data.schema().variables().len());
        let climb = search.run(&mut scorer, start, &mut |_| ControlFlow::Continue(()));
        climb.map(|climb| (climb, scorer.families_requested()))
    })?)
}

/// A timed search up to the first local optimum.
pub(crate) fn search(
    data: &RelatedData,
    score: &dyn Score,
    pool: &ThreadPool,
) -> Result<Run, Box<dyn Error>> {
    search_out_of_optima(data, score, pool, 0)
}

/// A timed search that tries to escape from local optima.
pub(crate) fn search_out_of_optima(
    data: &RelatedData,
    score: &dyn Score,
    pool: &ThreadPool,
    escapes: usize,
) -> Result<Run, Box<dyn Error>> {
    let (begun, started) = (cpu_seconds(), Instant::now());
    let (climb, families) = climb(data, score, pool, escapes)?;
    Ok(Run {
        cpu: cpu_seconds() - begun,
        wall: started.elapsed().as_secs_f64(),
        score: climb.score,
        arcs: climb.dag.arc_count(),
        families,
    })
}
