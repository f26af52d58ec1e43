//! Runs the searches of a bootstrap in parallel, one thread per search.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::resample::{data_sets, half_weights, row_weights};
use super::{Bootstrap, BootstrapError, BootstrapObserver, BootstrapProgress, By};
use crate::counts::{MemoryTally, Selection, Tally};
use crate::data::{Missing, RelatedData};
use crate::files::ResumeRecord;
use crate::graph::{Dag, modelstring};
use crate::missing::{LearnIncomplete, MissingError};
use crate::score::{Halt, ScoreError, Scorer};
use crate::search::{Search, Stop};

/// The data from which a structure is learned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootstrapSample {
    /// All rows.
    All,
    /// A bootstrap replicate, numbered from zero.
    Replicate(u64),
    /// All data sets except this one.
    Without(String),
}

/// A finished search, as stored in the resume file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinishedSearch {
    /// The data it was learned from.
    pub sample: BootstrapSample,
    /// The structure as a modelstring.
    pub structure: String,
}

/// The learned structures by sample.
pub(super) type StructuresBySample = BTreeMap<BootstrapSample, Dag>;

/// State shared by the worker threads.
struct SharedState<'a> {
    settings: &'a Bootstrap<'a>,
    data: &'a RelatedData,
    /// Counts of each data set separately, for resampling data sets.
    apart: MemoryTally<'a>,
    pending: Vec<BootstrapSample>,
    next: AtomicUsize,
    done: AtomicUsize,
    of: usize,
    observe: BootstrapObserver<'a>,
    found: Mutex<Result<StructuresBySample, BootstrapError>>,
    halt: Mutex<Option<Halt>>,
}

/// Learns a structure from every sample that is not done. Returns all structures, and the request that
/// stopped the work, if any.
pub(super) fn work(
    settings: &Bootstrap<'_>,
    data: &RelatedData,
    done: &[FinishedSearch],
    observe: BootstrapObserver<'_>,
) -> Result<(StructuresBySample, Option<Halt>), BootstrapError> {
    let samples = samples(settings, data);
    let names = data.schema().names();
    let mut found = StructuresBySample::new();
    for record in done.iter().filter(|record| samples.contains(&record.sample)) {
        let dag = modelstring::parse(&record.structure, &names)
            .map_err(|error| BootstrapError::Record(error.to_string()))?;
        found.insert(record.sample.clone(), dag);
    }
    let pending: Vec<BootstrapSample> =
        samples.iter().filter(|sample| !found.contains_key(sample)).cloned().collect();
    let shared = SharedState {
        settings,
        data,
        apart: limited(MemoryTally::new(data), settings),
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(found.len()),
        of: samples.len(),
        observe,
        found: Mutex::new(Ok(found)),
        halt: Mutex::new(None),
        pending,
    };
    let pools = single_threads(rayon::current_num_threads().min(shared.pending.len()))?;
    thread::scope(|scope| {
        for alone in &pools {
            // Where no further thread can be started, those that run do all the work.
            let started = thread::Builder::new().spawn_scoped(scope, || shared.worker(alone));
            if started.is_err() {
                shared.worker(alone);
                break;
            }
        }
    });
    let found = shared.found.into_inner().expect("no worker panics while it holds the lock")?;
    let halt = shared.halt.into_inner().expect("no worker panics while it holds the lock");
    let complete = found.len() == samples.len();
    Ok((found, halt.filter(|_| !complete)))
}

/// Up to `number` pools of one thread each: as many as the system starts.
fn single_threads(number: usize) -> Result<Vec<ThreadPool>, BootstrapError> {
    let mut pools = Vec::with_capacity(number);
    for _ in 0..number {
        match ThreadPoolBuilder::new().num_threads(1).build() {
            Ok(pool) => pools.push(pool),
            Err(error) if pools.is_empty() => return Err(BootstrapError::Threads(error.to_string())),
            Err(_) => break,
        }
    }
    Ok(pools)
}

/// All samples, in the order of processing.
fn samples(settings: &Bootstrap<'_>, data: &RelatedData) -> Vec<BootstrapSample> {
    let mut samples = vec![BootstrapSample::All];
    if settings.leaves_one_out(data) {
        samples.extend(data.schema().data_sets().iter().cloned().map(BootstrapSample::Without));
    }
    samples.extend((0..settings.replicates).map(BootstrapSample::Replicate));
    samples
}

fn limited<'a>(tally: MemoryTally<'a>, settings: &Bootstrap<'_>) -> MemoryTally<'a> {
    match settings.memory {
        Some(memory) => tally.with_memory(memory),
        None => tally,
    }
}

impl SharedState<'_> {
    /// Processes samples until none is left. Each search runs on this thread alone: samples outnumber cores,
    /// and one search per thread limits memory.
    fn worker(&self, alone: &ThreadPool) {
        while self.report(None).is_continue() {
            let Some(sample) = self.pending.get(self.next.fetch_add(1, Ordering::Relaxed)) else { break };
            match alone.install(|| self.learn(sample)) {
                Ok(Some(dag)) => self.keep(sample, dag),
                Ok(None) => break,
                Err(error) => {
                    let mut found = self.found.lock().expect("no worker panics while it holds the lock");
                    *found = Err(error);
                    drop(found);
                    self.stop(Halt::Interrupted);
                    break;
                }
            }
        }
    }

    fn keep(&self, sample: &BootstrapSample, dag: Dag) {
        let structure = modelstring::format(&dag, &self.data.schema().names());
        let record = FinishedSearch { sample: sample.clone(), structure };
        if let Ok(found) = self.found.lock().expect("no worker panics while it holds the lock").as_mut() {
            found.insert(sample.clone(), dag);
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        // The finished search is kept regardless of the answer; the next call reports the request again.
        let _ = self.report(Some(&record));
    }

    /// Reports progress; a request to stop applies to all workers.
    fn report(&self, finished: Option<&FinishedSearch>) -> ControlFlow<Halt> {
        let progress = BootstrapProgress { done: self.done.load(Ordering::Relaxed), of: self.of, finished };
        if let ControlFlow::Break(halt) = (self.observe)(progress) {
            self.stop(halt);
        }
        let halt = *self.halt.lock().expect("no worker panics while it holds the lock");
        halt.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    fn stop(&self, halt: Halt) {
        self.halt.lock().expect("no worker panics while it holds the lock").get_or_insert(halt);
    }

    /// Learns the structure of one sample; `None` if the search was stopped.
    fn learn(&self, sample: &BootstrapSample) -> Result<Option<Dag>, BootstrapError> {
        let (settings, data) = (self.settings, self.data);
        let count = data.schema().data_sets().len();
        if !data.is_complete() {
            let everything: Vec<usize> = (0..count).collect();
            return match sample {
                BootstrapSample::All => self.learn_incomplete(data),
                BootstrapSample::Without(name) => {
                    let others =
                        everything.into_iter().filter(|&index| data.schema().data_sets()[index] != *name);
                    self.learn_incomplete(&data.of_data_sets(&others.collect::<Vec<_>>()))
                }
                &BootstrapSample::Replicate(number) if settings.by == By::DataSets => {
                    self.learn_incomplete(&data.of_data_sets(&data_sets(count, settings.seed, number)))
                }
                &BootstrapSample::Replicate(number) => {
                    let draw = if settings.by == By::HalfRows { half_weights } else { row_weights };
                    self.learn_incomplete(&data.reweighted(&draw(data, settings.seed, number)))
                }
            };
        }
        match sample {
            BootstrapSample::All => self.climb(&self.apart),
            BootstrapSample::Without(name) => {
                let others = (0..count).filter(|&index| data.schema().data_sets()[index] != *name);
                self.climb(&Selection::new(&self.apart, others.collect()).map_err(ScoreError::from)?)
            }
            &BootstrapSample::Replicate(number) if settings.by == By::DataSets => {
                let drawn = data_sets(count, settings.seed, number);
                self.climb(&Selection::new(&self.apart, drawn).map_err(ScoreError::from)?)
            }
            &BootstrapSample::Replicate(number) => {
                let draw = if settings.by == By::HalfRows { half_weights } else { row_weights };
                let resampled = data.with_weights(draw(data, settings.seed, number));
                let pooled = settings.score.is_pooled();
                let tally =
                    if pooled { MemoryTally::pooled(&resampled) } else { MemoryTally::new(&resampled) };
                self.climb(&limited(tally, settings))
            }
        }
    }

    /// Learns from incomplete data by structural EM: every sample is filled in anew.
    fn learn_incomplete(&self, data: &RelatedData) -> Result<Option<Dag>, BootstrapError> {
        // Without the only data set that has a column, or the only rows, nothing is known of its arcs.
        let data = &data.clone().with_constants_for_empty_columns();
        if data.is_complete() {
            let pooled = self.settings.score.is_pooled();
            let tally = if pooled { MemoryTally::pooled(data) } else { MemoryTally::new(data) };
            return self.climb(&limited(tally, self.settings));
        }
        let mut climb = self.settings.climb.for_many_searches();
        climb.constraints = climb.constraints.for_rows_of(data.schema());
        let search = Search {
            keep_scores: self.settings.keep_scores,
            ..Search::plain(climb.constraints.clone(), self.settings.start.clone())
        };
        let learn = LearnIncomplete {
            score: self.settings.score,
            tables: self.settings.tables.clone(),
            search: &Search { climb, ..search },
            treatment: Missing::Impute,
            seed: self.settings.seed,
            memory: self.settings.memory,
        };
        let found = match learn.run(data, Map::new(), &mut |_| self.report(None)) {
            Err(MissingError::Score(ScoreError::Halted(_))) => return Ok(None),
            found => found?.learned,
        };
        Ok(matches!(found.stop, Stop::Optimum | Stop::MaxSteps).then_some(found.dag))
    }

    fn climb(&self, tally: &dyn Tally) -> Result<Option<Dag>, BootstrapError> {
        let mut climb = self.settings.climb.for_many_searches();
        climb.constraints = climb.constraints.for_rows_of(tally.schema());
        let mut scorer = Scorer::new(tally, self.settings.score);
        if let Some(most) = self.settings.keep_scores {
            scorer = scorer.keep_at_most(most);
        }
        let found = climb.run(&mut scorer, self.settings.start.clone(), &mut |_| self.report(None))?;
        // An interrupted search yields no valid structure for the sample.
        Ok(matches!(found.stop, Stop::Optimum | Stop::MaxSteps).then_some(found.dag))
    }
}

impl ResumeRecord for FinishedSearch {
    const KIND: &'static str = "kinfolk_bootstrap";
    const WORK: &'static str = "bootstrap";
    const PIECE: &'static str = "finished search";
    const PIECES: &'static str = "finished searches";
    const WITHOUT_EFFECT: &'static [&'static str] = &["keep_scores"];
}
