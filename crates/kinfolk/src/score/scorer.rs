//! A tally, a score and a memory of what they said: what searches ask.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use thiserror::Error;

use super::{FamilyScore, Score};
use crate::counts::{Family, Tally, TallyError};
use crate::data::Schema;

/// Families counted and scored between two calls of an observer.
const BATCH: usize = 256;

/// Why families could not be scored.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ScoreError {
    /// They could not be counted.
    #[error(transparent)]
    Tally(#[from] TallyError),
    /// The observer asked to stop.
    #[error("stopped on request")]
    Halted(Halt),
}

/// Why an observer asks to stop. The library has no clock and no keyboard; its callers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Halt {
    /// The time is up.
    TimeLimit,
    /// Somebody asked for it.
    Interrupted,
}

/// What the scorer remembers of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The score.
    pub total: f64,
    /// Whether the fit behind it reached its maximum.
    pub converged: bool,
}

/// How far a batch of families has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Families scored so far in this batch.
    pub done: usize,
    /// Families in this batch.
    pub of: usize,
}

/// Scores families, each only once.
pub struct Scorer<'a> {
    tally: &'a dyn Tally,
    score: &'a dyn Score,
    known: FxHashMap<Family, Known>,
    not_converged: usize,
}

impl<'a> Scorer<'a> {
    /// A scorer that knows nothing yet.
    pub fn new(tally: &'a dyn Tally, score: &'a dyn Score) -> Self {
        Self { tally, score, known: FxHashMap::default(), not_converged: 0 }
    }

    /// The variables and data sets behind it.
    pub fn schema(&self) -> &'a Schema {
        self.tally.schema()
    }

    /// The score it computes.
    pub fn score(&self) -> &'a dyn Score {
        self.score
    }

    /// The number of families scored so far.
    pub fn scored(&self) -> usize {
        self.known.len()
    }

    /// How many of them had a fit that did not reach its maximum.
    pub fn not_converged(&self) -> usize {
        self.not_converged
    }

    /// Makes sure that all these families are known. Missing ones are counted and scored in parallel; the result does not
    /// depend on the number of threads, because each family is computed by itself.
    pub fn prepare(
        &mut self,
        families: impl IntoIterator<Item = Family>,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<(), ScoreError> {
        let mut asked = FxHashSet::default();
        let missing: Vec<Family> = families
            .into_iter()
            .filter(|family| !self.known.contains_key(family) && asked.insert(family.clone()))
            .collect();
        let (mut done, of) = (0, missing.len());
        for batch in missing.chunks(BATCH) {
            if let ControlFlow::Break(halt) = observe(Progress { done, of }) {
                return Err(ScoreError::Halted(halt));
            }
            let scores =
                self.score_batch(batch, |score| Known { total: score.total, converged: score.converged() })?;
            self.not_converged += scores.iter().filter(|known| !known.converged).count();
            self.known.extend(batch.iter().cloned().zip(scores));
            done += batch.len();
        }
        Ok(())
    }

    /// What is known of a family.
    ///
    /// # Panics
    /// If it was never prepared.
    pub fn known(&self, family: &Family) -> Known {
        self.known[family]
    }

    /// The full scores of some families, with their terms by data set.
    pub fn explain(&self, families: &[Family]) -> Result<Vec<FamilyScore>, ScoreError> {
        Ok(self.score_batch(families, |score| score)?)
    }

    /// Counts and scores some families; what is kept of each score comes in the order asked.
    fn score_batch<T: Send + Sync>(
        &self,
        families: &[Family],
        keep: impl Fn(FamilyScore) -> T + Sync,
    ) -> Result<Vec<T>, TallyError> {
        let slots: Vec<OnceLock<T>> = families.iter().map(|_| OnceLock::new()).collect();
        self.tally.visit_many(families, &|index, counts| {
            let fresh = slots[index].set(keep(self.score.family_score(counts))).is_ok();
            assert!(fresh, "a tally shows every table once");
        })?;
        Ok(slots.into_iter().map(|slot| slot.into_inner().expect("a tally shows every table")).collect())
    }
}
