//! Scores of families: pure functions of the counts, without access to rows.
//!
//! - `bhd`, `kin`: the hierarchical scores, with `bd_terms` (Eq. bd summed over data sets) and `grid` (kin's values of s).
//! - `dirichlet_scores`, `likelihood_scores`, `separate`: closed forms; `ln_gammas`: their sums of lnΓ.
//! - `upper_bound`: cheap upper bounds of BHD and kin; `structure_prior`: priors on the parent sets.
//! - `relatedness`: whether data sets are identical, related or unrelated.
//! - `spec`: scores by name, with `options` that they and tables share.
//! - `scorer`: counts, scores and bounds batches of families; `cache`: its results.

mod bd_terms;
mod bhd;
mod cache;
mod dirichlet_scores;
mod grid;
mod kin;
mod likelihood_scores;
mod ln_gammas;
mod options;
mod relatedness;
mod scorer;
mod separate;
mod spec;
mod structure_prior;
mod upper_bound;

use serde::Serialize;
use thiserror::Error;

pub use bhd::Bhd;
pub use dirichlet_scores::{Bdeu, Bdj, Bds, K2};
pub use grid::{Grid, GridError};
pub use kin::{CentreRow, Kin, KinFit, Kinship};
pub use likelihood_scores::{Aic, Bic, LogLikelihood};
pub use options::{KinSpec, NamedPrior, OptionError, PriorSpec};
pub use relatedness::{Choice, Evidences, p_identical};
pub(crate) use relatedness::{UNDECIDED, alone, one_table};
pub use scorer::{CachedScore, Halt, Progress, ScoreBound, ScoreError, Scorer, Work};
pub use separate::BdeuSeparate;
pub(crate) use spec::sample_size_settings;
pub use spec::{BuiltScore, ScoreName, ScoreSpec};
pub use structure_prior::{StructurePrior, WithStructurePrior};

pub use crate::choice::NamedChoice;
use crate::counts::Counts;
pub use crate::laplace::Cells;
use crate::remedy::{Actionable, Neutral, Setting, Wording};
use crate::variational::WEIGHTS;
pub use crate::variational::{Centre, Prior, PriorError};

/// A positive imaginary sample size, validated on construction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ImaginarySampleSize(f64);

/// An invalid imaginary sample size.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("{}", self.problem(&Neutral))]
pub struct SampleSizeError(f64);

impl Actionable for SampleSizeError {
    fn problem(&self, words: &dyn Wording) -> String {
        format!(
            "the imaginary sample size ({}) must be a number from 1e-9 to 1e9, not {:?}; 1 is the default",
            words.setting(Setting::ImaginarySampleSize),
            self.0
        )
    }
}

impl ImaginarySampleSize {
    /// A validated imaginary sample size.
    pub fn new(size: f64) -> Result<Self, SampleSizeError> {
        if WEIGHTS.contains(&size) { Ok(Self(size)) } else { Err(SampleSizeError(size)) }
    }

    /// The size.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Default for ImaginarySampleSize {
    /// One row, the usual default.
    fn default() -> Self {
        Self(1.0)
    }
}

/// Summary of the hierarchical fit of a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FitSummary {
    /// The concentration of the centre's posterior.
    pub tau: f64,
    /// Newton steps taken.
    pub iterations: usize,
    /// Whether the maximum was reached.
    pub converged: bool,
}

/// The score of one family, a natural logarithm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyScore {
    /// The score.
    pub total: f64,
    /// Its terms by data set, if it is a sum over data sets.
    pub by_data_set: Option<Vec<f64>>,
    /// The fit, if the score has one.
    pub fit: Option<FitSummary>,
    /// The relatedness of the data sets in the family; set by [`Score::explain`] of `kin`.
    pub kin: Option<Box<KinFit>>,
    /// The log prior on structures included in the score, if it is not uniform; it is not part of any data set's term.
    pub structure_prior: Option<f64>,
}

impl FamilyScore {
    /// A score in closed form on the pooled rows.
    fn pooled(total: f64) -> Self {
        Self { total, by_data_set: None, fit: None, kin: None, structure_prior: None }
    }

    /// Whether the score is finite and its fit, if any, converged.
    pub fn converged(&self) -> bool {
        self.total.is_finite()
            && self.fit.is_none_or(|fit| fit.converged)
            && self.kin.as_ref().is_none_or(|kin| kin.converged)
    }
}

/// A score, or an upper bound that is below the requested threshold.
#[derive(Debug, Clone, PartialEq)]
pub enum ScoreOrBound {
    /// The score.
    Score(FamilyScore),
    /// An upper bound of the score, below the threshold.
    AtMost(f64),
}

/// A decomposable score: the score of a network is the sum over its families.
///
/// Pure: it cannot fail with valid counts and a validated prior.
pub trait Score: Sync + Send {
    /// The name by which users select it.
    fn name(&self) -> &'static str;

    /// The score of one family.
    fn family_score(&self, counts: &Counts) -> FamilyScore;

    /// The score with all details, which may cost more.
    fn explain(&self, counts: &Counts) -> FamilyScore {
        self.family_score(counts)
    }

    /// Cheap upper bounds of the score, if it has any. A search then scores only families whose bound does not rule them out.
    fn upper_bounds(&self) -> Option<&dyn UpperBounds> {
        None
    }

    /// The score's prior on structures; a [`Scorer`] adds it to every family.
    fn structure_prior(&self) -> StructurePrior {
        StructurePrior::Uniform
    }

    /// Whether it is the log probability of the data given the structure, or an approximation of it, so that it defines
    /// posterior probabilities of structures.
    fn is_log_evidence(&self) -> bool {
        true
    }

    /// Whether Markov-equivalent networks have the same score.
    fn is_score_equivalent(&self) -> bool;

    /// Whether it pools the rows of all data sets, so that a tally need not count them separately.
    fn is_pooled(&self) -> bool;
}

/// A score with upper bounds that cost much less than the score itself. Like the score, they exclude the prior on structures.
///
/// The bounds are valid, except that kin's [`Self::score_unless_below`] also skips families by an estimate with a heuristic margin
/// (docs/THEORY.md, E54), which states how often it was wrong.
pub trait UpperBounds: Score {
    /// An upper bound of the score of these counts. NaN and infinity are valid and uninformative.
    fn upper_bound(&self, counts: &Counts) -> f64;

    /// The score, or an upper bound if the score is below `least` and the bound costs less.
    fn score_unless_below(&self, counts: &Counts, least: f64) -> ScoreOrBound {
        let _ = least;
        ScoreOrBound::Score(self.family_score(counts))
    }
}
