//! Scores batches of families: counts them with a tally, scores or bounds them in parallel and caches the results.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use thiserror::Error;

use super::cache::{CacheEntry, ScoreCache};
use super::{FamilyScore, Score, ScoreOrBound, StructurePrior};
use crate::counts::{Batch, Counts, Family, Tally, TallyError};
use crate::data::Schema;
use crate::remedy::{Actionable, Remedy};

/// The maximal number of families between two calls of the observer.
const LARGEST_BATCH: usize = 4096;

/// Their maximal cost per thread, in nanoseconds: a tenth of a second.
const BATCH_COST: f64 = 1e8;

/// The default size of the cache in families, each of which takes 40 to 60 bytes.
const DEFAULT_MOST_KEPT: usize = 2_000_000;

/// Why families could not be scored.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ScoreError {
    /// They could not be counted.
    #[error(transparent)]
    Tally(#[from] TallyError),
    /// An exact search needs more memory than can be allocated.
    #[error("the exact search needs {megabytes} MB of memory, which cannot be allocated")]
    OutOfMemory {
        /// The size of its table.
        megabytes: u64,
    },
    /// The observer requested a stop.
    #[error("stopped on request")]
    Halted(Halt),
}

impl Actionable for ScoreError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Tally(error) => error.remedies(),
            Self::Halted(_) | Self::OutOfMemory { .. } => Vec::new(),
        }
    }
}

/// Why an observer requests a stop. The library reads no clock and no signals; its callers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Halt {
    /// The time limit was reached.
    TimeLimit,
    /// The user interrupted.
    Interrupted,
}

/// The part of a family's score that the scorer caches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CachedScore {
    /// The score.
    pub total: f64,
    /// Whether the fit behind it converged.
    pub converged: bool,
}

/// A family's score or an upper bound of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreBound {
    /// The score or its upper bound.
    pub total: f64,
    /// Whether it is the score.
    pub exact: bool,
}

/// The families of a batch that must be computed.
#[derive(Debug)]
struct Uncached<'a> {
    /// Their cache indices.
    indices: Cow<'a, [usize]>,
    batch: Cow<'a, Batch>,
    /// Their positions in the requested batch; `None` if all of it is missing.
    positions: Option<Vec<usize>>,
}

/// The progress of a batch of families.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Families scored or bounded so far in this batch.
    pub done: usize,
    /// Families in this batch.
    pub of: usize,
}

/// The amount of work so far, in numbers that do not depend on the machine's speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Families counted and scored, by the search and for the report of its result.
    pub families_scored: u64,
    /// Families counted for an upper bound. A family whose scoring ended early, below its threshold, counts again.
    pub families_bounded: u64,
    /// Requested families that were in the cache.
    pub cache_hits: u64,
    /// Fits of a common centre.
    pub fits: u64,
    /// Newton steps of all fits.
    pub newton_steps: u64,
    /// Rows that the tally read: once for a histogram, once for every pair of bitmaps, and for intermediate results that families share,
    /// which depends slightly on the number of threads.
    pub rows_scanned: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, more: Self) {
        self.families_scored += more.families_scored;
        self.families_bounded += more.families_bounded;
        self.cache_hits += more.cache_hits;
        self.fits += more.fits;
        self.newton_steps += more.newton_steps;
        self.rows_scanned += more.rows_scanned;
    }
}

/// Scores and bounds families, each only once while it is in the cache.
pub struct Scorer<'a> {
    tally: &'a dyn Tally,
    score: &'a dyn Score,
    /// The number of states of every variable.
    states: Vec<usize>,
    cache: ScoreCache,
    /// The maximal number of families in the cache.
    most_kept: usize,
    scored: usize,
    bounded: u64,
    families_requested: usize,
    not_converged: usize,
    cache_hits: u64,
    computed: AtomicU64,
    fits: AtomicU64,
    newton_steps: AtomicU64,
}

impl<'a> Scorer<'a> {
    /// A scorer with an empty cache.
    pub fn new(tally: &'a dyn Tally, score: &'a dyn Score) -> Self {
        Self {
            tally,
            score,
            states: tally.schema().ids().map(|variable| tally.schema().states(variable)).collect(),
            cache: ScoreCache::new(tally.schema().variables().len()),
            most_kept: DEFAULT_MOST_KEPT,
            scored: 0,
            bounded: 0,
            families_requested: 0,
            not_converged: 0,
            cache_hits: 0,
            computed: AtomicU64::new(0),
            fits: AtomicU64::new(0),
            newton_steps: AtomicU64::new(0),
        }
    }

    /// Limits the size of the cache. When a batch would exceed the limit, the cache is cleared and scores that are
    /// still needed are computed again: less memory, more time, the same result.
    #[must_use]
    pub fn keep_at_most(self, families: usize) -> Self {
        Self { most_kept: families.min(ScoreCache::CAPACITY), ..self }
    }

    /// The variables and data sets of the tally.
    pub fn schema(&self) -> &'a Schema {
        self.tally.schema()
    }

    /// The score it computes.
    pub fn score(&self) -> &'a dyn Score {
        self.score
    }

    /// The number of families scored so far; a family that left the cache and was scored again counts twice.
    pub fn scored(&self) -> usize {
        self.scored
    }

    /// The number of families requested so far, scored or bounded; a family that left the cache and was requested again
    /// counts twice.
    pub fn families_requested(&self) -> usize {
        self.families_requested
    }

    /// The amount of work so far.
    pub fn work(&self) -> Work {
        Work {
            families_scored: self.computed.load(Ordering::Relaxed),
            families_bounded: self.bounded,
            cache_hits: self.cache_hits,
            fits: self.fits.load(Ordering::Relaxed),
            newton_steps: self.newton_steps.load(Ordering::Relaxed),
            rows_scanned: self.tally.rows_scanned(),
        }
    }

    /// The number of scores whose fit did not converge.
    pub fn not_converged(&self) -> usize {
        self.not_converged
    }

    /// The scores of a batch's families, in its order. Those not in the cache are counted and scored in parallel. The result does not depend
    /// on the number of threads, because each family is computed by itself.
    pub fn scores(
        &mut self,
        batch: &Batch,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<CachedScore>, ScoreError> {
        let indices = self.indices(batch);
        let missing = self.missing(batch, &indices, |_, entry| matches!(entry, CacheEntry::Scored(_)));
        self.compute(&missing, observe, |scorer, parents, _, counts| {
            CacheEntry::Scored(scorer.finish(parents, scorer.score.family_score(counts)).to_cache())
        })?;
        let scores = indices.into_iter().map(|index| match self.cache.get(index) {
            CacheEntry::Scored(score) => score,
            _ => unreachable!("all of them were just scored"),
        });
        Ok(scores.collect())
    }

    /// The cached scores or upper bounds of a batch's families; for those not in the cache upper bounds, or scores if the score has no bounds.
    pub fn bounds(
        &mut self,
        batch: &Batch,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<ScoreBound>, ScoreError> {
        let Some(bounds) = self.score.upper_bounds() else { return self.exact_bounds(batch, observe) };
        let indices = self.indices(batch);
        let missing = self.missing(batch, &indices, |_, entry| !matches!(entry, CacheEntry::Empty));
        self.compute(&missing, observe, |scorer, parents, _, counts| {
            at_most(bounds.upper_bound(counts) + scorer.prior(parents))
        })?;
        Ok(self.cached_bounds(indices))
    }

    /// The scores of a batch's families, or upper bounds for those below their threshold in `least` if that costs less. A family must not
    /// occur twice in the batch, because both would get the answer to the first threshold.
    pub fn scores_unless_below(
        &mut self,
        batch: &Batch,
        least: &[f64],
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<ScoreBound>, ScoreError> {
        let Some(bounds) = self.score.upper_bounds() else { return self.exact_bounds(batch, observe) };
        let indices = self.indices(batch);
        let missing = self.missing(batch, &indices, |position, entry| match entry {
            CacheEntry::Scored(_) => true,
            CacheEntry::AtMost(most) => most < least[position],
            CacheEntry::Empty | CacheEntry::Requested => false,
        });
        self.compute(&missing, observe, |scorer, parents, position, counts| {
            let prior = scorer.prior(parents);
            match bounds.score_unless_below(counts, least[position] - prior) {
                ScoreOrBound::Score(score) => CacheEntry::Scored(scorer.finish(parents, score).to_cache()),
                ScoreOrBound::AtMost(most) => at_most(most + prior),
            }
        })?;
        Ok(self.cached_bounds(indices))
    }

    /// The scores of a batch's families as bounds.
    fn exact_bounds(
        &mut self,
        batch: &Batch,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<ScoreBound>, ScoreError> {
        let scores = self.scores(batch, observe)?;
        Ok(scores.into_iter().map(|score| ScoreBound { total: score.total, exact: true }).collect())
    }

    /// The cached scores or bounds at some indices.
    fn cached_bounds(&self, indices: Vec<usize>) -> Vec<ScoreBound> {
        let bounds = indices.into_iter().map(|index| match self.cache.get(index) {
            CacheEntry::Scored(score) => ScoreBound { total: score.total, exact: true },
            CacheEntry::AtMost(total) => ScoreBound { total, exact: false },
            CacheEntry::Empty | CacheEntry::Requested => unreachable!("all of them were just bounded"),
        });
        bounds.collect()
    }

    /// Caches the result of one family and counts it as work.
    fn store(&mut self, index: usize, entry: CacheEntry) {
        match entry {
            CacheEntry::Scored(score) => {
                self.scored += 1;
                *self.computed.get_mut() += 1;
                self.not_converged += usize::from(!score.converged);
            }
            CacheEntry::AtMost(_) => self.bounded += 1,
            CacheEntry::Empty | CacheEntry::Requested => unreachable!("a family is scored or bounded"),
        }
        self.cache.set(index, entry);
    }

    /// The cache indices of a batch's families; the cache is cleared first if they might exceed its limit.
    fn indices(&mut self, batch: &Batch) -> Vec<usize> {
        if self.cache.len() + batch.len() > self.most_kept {
            self.cache.clear();
        }
        let before = self.cache.len();
        let indices = self.cache.indices(batch);
        self.families_requested += self.cache.len() - before;
        indices
    }

    /// The families whose cache entries are not sufficient, each once; their entries become [`CacheEntry::Requested`].
    fn missing<'b>(
        &mut self,
        batch: &'b Batch,
        indices: &'b [usize],
        is_sufficient: impl Fn(usize, CacheEntry) -> bool,
    ) -> Uncached<'b> {
        let is_missing = |&position: &usize| {
            let entry = self.cache.get(indices[position]);
            let is_missing = !is_sufficient(position, entry) && entry != CacheEntry::Requested;
            if is_missing {
                self.cache.set(indices[position], CacheEntry::Requested);
            }
            is_missing
        };
        let positions: Vec<usize> = (0..batch.len()).filter(is_missing).collect();
        // Usually all are missing, and the batch need not be copied.
        if positions.len() == batch.len() {
            return Uncached {
                indices: Cow::Borrowed(indices),
                batch: Cow::Borrowed(batch),
                positions: None,
            };
        }
        self.cache_hits += (batch.len() - positions.len()) as u64;
        Uncached {
            indices: positions.iter().map(|&position| indices[position]).collect(),
            batch: Cow::Owned(batch.some(positions.iter().copied())),
            positions: Some(positions),
        }
    }

    /// Counts families in batches and caches the result of `work` on each, which receives the number of parents and the position in the
    /// requested batch. After an error or a stop the remaining entries are empty again.
    fn compute(
        &mut self,
        Uncached { indices, batch, positions }: &Uncached<'_>,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
        work: impl Fn(&Self, usize, usize, &Counts) -> CacheEntry + Sync,
    ) -> Result<(), ScoreError> {
        let mut results: Vec<OnceLock<CacheEntry>> = Vec::new();
        let mut done = 0;
        while done < batch.len() {
            let outcome = match observe(Progress { done, of: batch.len() }) {
                ControlFlow::Break(halt) => Err(ScoreError::Halted(halt)),
                ControlFlow::Continue(()) => {
                    let (scorer, first) = (&*self, done);
                    let end = first + scorer.batch_size(batch, first);
                    results.clear();
                    results.resize_with(end - first, OnceLock::new);
                    let next = if end - first == batch.len() {
                        Cow::Borrowed(&**batch)
                    } else {
                        Cow::Owned(batch.some(first..end))
                    };
                    let outcome = scorer.tally.visit_many(&next, &|index, counts| {
                        let own = first + index;
                        let position = positions.as_ref().map_or(own, |positions| positions[own]);
                        let entry = work(scorer, batch.parent_count(own), position, counts);
                        assert!(results[index].set(entry).is_ok(), "a tally shows every table once");
                    });
                    outcome.map(|()| end).map_err(ScoreError::from)
                }
            };
            match outcome {
                Ok(end) => {
                    for (&index, result) in indices[done..end].iter().zip(&mut results) {
                        self.store(index, result.take().expect("a tally shows every table"));
                    }
                    done = end;
                }
                Err(error) => {
                    indices[done..].iter().for_each(|&index| self.cache.set(index, CacheEntry::Empty));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The number of families, from `first` on, to compute before the next call of the observer: few enough not to take long, but at least
    /// one per thread.
    fn batch_size(&self, batch: &Batch, first: usize) -> usize {
        let threads = rayon::current_num_threads();
        let left = batch.len() - first;
        if left <= threads {
            return left;
        }
        let mut cost = 0.0;
        // Families of the same shape have the same cost.
        let mut last = (None, 0.0);
        let within = (first..batch.len()).take(LARGEST_BATCH).take_while(|&index| {
            let is_within = index - first < threads || cost < BATCH_COST * threads as f64;
            let kind = batch.kind(index, |variable| self.states[variable.index()]);
            if kind.is_none() || kind != last.0 {
                last = (kind, self.tally.cost(&batch.family(index)));
            }
            cost += last.1;
            is_within
        });
        within.count()
    }

    /// Approximate cost of scoring some families, in nanoseconds of one core.
    pub fn cost(&self, families: &[Family]) -> f64 {
        families.iter().map(|family| self.tally.cost(family)).sum()
    }

    /// The full scores of some families, with their terms by data set.
    pub fn explain(&self, families: &[Family]) -> Result<Vec<FamilyScore>, ScoreError> {
        let scores: Vec<OnceLock<FamilyScore>> = families.iter().map(|_| OnceLock::new()).collect();
        self.tally.visit_many(&Batch::of(families), &|index, counts| {
            let score = self.finish(families[index].parents().len(), self.score.explain(counts));
            assert!(scores[index].set(score).is_ok(), "a tally shows every table once");
        })?;
        self.computed.fetch_add(families.len() as u64, Ordering::Relaxed);
        Ok(scores.into_iter().map(|score| score.into_inner().expect("a tally shows every table")).collect())
    }

    /// What each data set adds to the score of some families, given the others: the score of all data sets less that without
    /// it. For a log evidence this is ln p(its rows | the rows of the others). The numbers do not add up to the score.
    ///
    /// Complexity: one score per family and data set.
    pub fn given_others(&self, families: &[Family]) -> Result<Vec<Vec<f64>>, ScoreError> {
        let data_sets = self.schema().data_sets().len();
        let found: Vec<OnceLock<Vec<f64>>> = families.iter().map(|_| OnceLock::new()).collect();
        self.tally.visit_many(&Batch::of(families), &|index, counts| {
            let all = self.score.family_score(counts).total;
            let without = |left_out: usize| {
                // Several versions of completed data follow each other.
                let kept = (0..counts.data_sets()).filter(|other| other % data_sets != left_out);
                self.score.family_score(&counts.of_data_sets(&kept.collect::<Vec<_>>())).total
            };
            let given = (0..data_sets).map(|data_set| all - without(data_set)).collect();
            assert!(found[index].set(given).is_ok(), "a tally shows every table once");
        })?;
        Ok(found.into_iter().map(|given| given.into_inner().expect("a tally shows every table")).collect())
    }

    /// Adds the prior on structures to the score of a family with that many parents and counts the fit behind it.
    fn finish(&self, parents: usize, mut score: FamilyScore) -> FamilyScore {
        if self.score.structure_prior() != StructurePrior::Uniform {
            let prior = self.prior(parents);
            score.total += prior;
            score.structure_prior = Some(prior);
        }
        if let Some(fit) = &score.fit {
            self.fits.fetch_add(1, Ordering::Relaxed);
            self.newton_steps.fetch_add(fit.iterations as u64, Ordering::Relaxed);
        }
        score
    }

    /// The log prior on structures of a family with that many parents.
    fn prior(&self, parents: usize) -> f64 {
        self.score.structure_prior().ln(self.schema().variables().len(), parents)
    }
}

/// An upper bound; NaN is treated as uninformative.
fn at_most(upper_bound: f64) -> CacheEntry {
    CacheEntry::AtMost(if upper_bound.is_nan() { f64::INFINITY } else { upper_bound })
}

impl FamilyScore {
    /// The part that a scorer caches.
    fn to_cache(&self) -> CachedScore {
        CachedScore { total: self.total, converged: self.converged() }
    }
}
