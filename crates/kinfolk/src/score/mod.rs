//! Scores: how well a family explains its counts. Pure functions of the counts; they never see rows.

mod bhd;
mod ceiling;
mod dirichlet_scores;
mod grid;
mod joint_ceiling;
mod kin;
mod likelihood_scores;
mod ln_gammas;
mod places;
mod scorer;
mod separate;
mod slots;
mod structure_prior;
mod tangents;

use serde::Serialize;
use thiserror::Error;

pub use bhd::Bhd;
pub use dirichlet_scores::{Bdeu, Bdj, Bds, K2};
pub use grid::{Grid, GridError};
pub use kin::{CentreRow, Kin, KinFit, Kinship};
pub use likelihood_scores::{Aic, Bic, LogLikelihood};
pub use scorer::{Bound, Halt, Known, Progress, ScoreError, Scorer, Work};
pub use separate::BdeuSeparate;
pub use structure_prior::{StructurePrior, WithStructurePrior};

use crate::counts::Counts;
use crate::remedy::{Actionable, Neutral, Setting, Wording};
use crate::variational::WEIGHTS;

/// A positive imaginary sample size, checked once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ImaginarySampleSize(f64);

/// An imaginary sample size that no prior can have.
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
    /// A checked imaginary sample size.
    pub fn new(size: f64) -> Result<Self, SampleSizeError> {
        if WEIGHTS.contains(&size) { Ok(Self(size)) } else { Err(SampleSizeError(size)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Default for ImaginarySampleSize {
    /// One row, the field's default.
    fn default() -> Self {
        Self(1.0)
    }
}

/// What a hierarchical fit inside a score has to say.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
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
    /// Its terms by data set, for scores that are sums over data sets.
    pub by_data_set: Option<Vec<f64>>,
    /// The fit behind it, for scores that need one.
    pub fit: Option<FitSummary>,
    /// How related the data sets are in the family, for `kin` when it was asked to [`Score::explain`].
    pub kin: Option<Box<KinFit>>,
    /// The share of the prior on structures in the score, if it is not uniform; it belongs to no data set.
    pub structure_prior: Option<f64>,
}

impl FamilyScore {
    /// A score in closed form on the pooled rows.
    fn pooled(total: f64) -> Self {
        Self { total, by_data_set: None, fit: None, kin: None, structure_prior: None }
    }

    /// Whether the number can be relied on: it is one, and the fit behind it, if any, reached its maximum.
    pub fn converged(&self) -> bool {
        self.total.is_finite()
            && self.fit.is_none_or(|fit| fit.converged)
            && self.kin.as_ref().is_none_or(|kin| kin.converged)
    }
}

/// What came of scoring a family that is of no use below some number.
#[derive(Debug, Clone, PartialEq)]
pub enum Judged {
    /// Its score.
    Scored(FamilyScore),
    /// What its score is at most, which is too little.
    AtMost(f64),
}

/// A decomposable score: the score of a network is the sum over its families.
///
/// Pure: with valid counts and a checked prior it cannot fail.
pub trait Score: Sync + Send {
    /// The name users know it by.
    fn name(&self) -> &'static str;

    /// The score of one family.
    fn family_score(&self, counts: &Counts) -> FamilyScore;

    /// The same with everything that is known behind it, which may cost more.
    fn explain(&self, counts: &Counts) -> FamilyScore {
        self.family_score(counts)
    }

    /// The score, unless it is below some number and that can be told for less work; like the number, without the prior on structures.
    fn score_unless_below(&self, counts: &Counts, least: f64) -> Judged {
        let _ = least;
        Judged::Scored(self.family_score(counts))
    }

    /// What the score of these counts cannot exceed, told for much less work than the score itself takes; like the score without the
    /// prior on structures. Infinity says nothing.
    fn ceiling(&self, counts: &Counts) -> f64 {
        let _ = counts;
        f64::INFINITY
    }

    /// Whether [`Score::ceiling`] says anything, so that it is worth while to count for it alone.
    fn has_ceiling(&self) -> bool {
        false
    }

    /// What it believes of structures before any data are seen; a [`Scorer`] adds it to every family.
    fn structure_prior(&self) -> StructurePrior {
        StructurePrior::Uniform
    }

    /// Whether it is the logarithm of a probability of the data given the structure, or approximates one, so that it gives structures
    /// posterior probabilities.
    fn is_log_evidence(&self) -> bool {
        true
    }

    /// Whether Markov-equivalent networks have the same score.
    fn is_score_equivalent(&self) -> bool;

    /// Whether it takes all rows as one data set, so that a tally need not keep them apart.
    fn is_pooled(&self) -> bool;
}
