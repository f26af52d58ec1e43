//! Cross-validation of networks on held-out rows: does treating the data sets as related improve prediction?
//!
//! For each split, a structure is learned from the training rows (or given), tables are estimated from them,
//! and the log-likelihood of every held-out row is computed. Each row is held out exactly once. Two schemes:
//!
//! - [`Scheme::Folds`]: the rows of every data set are assigned at random to k balanced folds. A row is
//!   scored with the tables of its own data set, estimated from the other folds.
//! - [`Scheme::DataSets`]: each data set in turn is left out and scored with the tables for a new data set.
//!
//! Three methods score every row, so that their differences are paired. All of them use one model (kin, or the
//! hierarchical model with a fixed s) and therefore the same prior for the table of a single data set; they
//! differ only in what the data sets share:
//!
//! | method | tables | a new data set |
//! |---|---|---|
//! | hierarchical | the model of the related data sets | the centre |
//! | pooled | the same model of all rows as one data set | the same table |
//! | separate | the same model of each data set alone | not applicable |
//!
//! With one data set all three are the same. [`Validate::iss`] adds two rivals with the usual prior, an
//! imaginary sample distributed evenly over the cells of a table: pooled-iss and separate-iss. Their
//! differences from hierarchical tables include the effect of another prior. With [`Validate::tune`], each
//! method's weight (s or imaginary sample size) is chosen by inner cross-validation on the training rows, from
//! one grid for all, which is extended while the best weight is at its end. Maximum likelihood is not
//! compared: a single unobserved cell gives a held-out row probability zero.
//!
//! Values may be missing. Every method then fills in the training rows by its own tables, and structures are learned by structural EM
//! ([`crate::missing`]). A held-out row counts with the log-likelihood of its observed values; the target is predicted from the other
//! observed values, in rows that have it.
//!
//! Every difference has two standard errors: one with rows as independent draws, which applies to new rows of
//! these data sets, and one with data sets as independent draws, which applies to new data sets and is rough
//! if they are few. Both treat the tables as fixed although the training rows of different folds overlap.
//! They are therefore somewhat too small, like every standard error of cross-validation (Bengio and
//! Grandvalet 2004). Preprocessing before the split, such as the sets of states and the bins of numeric
//! columns, has used the held-out rows, for all methods alike.
//!
//! Cost: one search and three estimates per fold (a search per method with [`Structures::Own`]), then linear
//! in rows and variables. Tuning multiplies the number of estimates by about forty and adds no searches.

mod agreement;
mod alone;
mod estimators;
mod held_out;
mod moments;
mod result;
mod split;
mod tune;
mod work;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Serialize, Serializer};
use thiserror::Error;

pub use crate::infer::Named;
pub use agreement::Agreement;
pub use estimators::{Estimators, RelatedMethod};
pub use result::{
    Difference, FinishedSplit, HeldOutRows, MethodResult, Paired, PredictionDifference, PredictionQuality,
    Validation, ValidationStop, Verdict,
};
pub use tune::Weights;

use crate::data::{RelatedData, VariableId};
use crate::estimate::EstimateError;
use crate::graph::Dag;
use crate::infer::InferError;
use crate::missing::MissingError;
use crate::remedy::{Actionable, Remedy};
use crate::score::{Halt, ImaginarySampleSize, Kin, Score, ScoreError};
use crate::search::Search;
use crate::variational::Prior;
use split::splits;
use work::{SplitFailure, SplitResult};

/// The cross-validation scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// This many random folds of every data set.
    Folds(usize),
    /// Leave one data set out.
    DataSets,
}

impl Serialize for Scheme {
    /// Serializes the name only; results give the number of folds in a field of its own.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::Folds(_) => "folds",
            Self::DataSets => "data-sets",
        })
    }
}

/// The table estimates that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedMethod {
    /// One table per data set, shrunk to a common centre.
    Hierarchical,
    /// One table for all data sets, with the prior of the hierarchical model.
    Pooled,
    /// One table per data set, from its own rows, with the prior of the hierarchical model.
    Separate,
    /// One table for all data sets, with an imaginary sample size.
    PooledIss,
    /// One table per data set, from its own rows, with an imaginary sample size.
    SeparateIss,
}

impl ComparedMethod {
    /// All methods, in the order of every result.
    pub const ALL: [Self; METHODS] =
        [Self::Hierarchical, Self::Pooled, Self::Separate, Self::PooledIss, Self::SeparateIss];

    /// The name in user interfaces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hierarchical => "hierarchical",
            Self::Pooled => "pooled",
            Self::Separate => "separate",
            Self::PooledIss => "pooled-iss",
            Self::SeparateIss => "separate-iss",
        }
    }

    /// Whether the prior is an imaginary sample size instead of that of the hierarchical model.
    pub fn has_iss(self) -> bool {
        matches!(self, Self::PooledIss | Self::SeparateIss)
    }

    /// Whether every data set has a table from its own rows alone.
    pub fn is_separate(self) -> bool {
        matches!(self, Self::Separate | Self::SeparateIss)
    }
}

/// The number of methods.
pub(crate) const METHODS: usize = 5;

/// The source of the structures.
#[derive(Clone, Copy)]
pub enum Structures<'a> {
    /// This structure, for all methods and folds.
    Given(&'a Dag),
    /// One structure per fold, learned with this score and shared by all methods: only the tables are
    /// compared.
    Shared(&'a dyn Score, &'a Search),
    /// One structure per fold and method, learned with the method's own score: that of the hierarchical model
    /// for the related data sets, for all rows as one data set, and summed over each data set alone; BDeu and
    /// the sum of separate BDeu scores for the methods with an imaginary sample size.
    Own(&'a Search),
}

/// Settings of a validation.
#[derive(Clone, Copy)]
pub struct Validate<'a> {
    /// The cross-validation scheme.
    pub scheme: Scheme,
    /// The source of the structures.
    pub structures: Structures<'a>,
    /// The prior of the hierarchical tables, and of BHD with [`Structures::Own`].
    pub prior: Prior,
    /// If set, hierarchical tables are estimated under this model, which infers the closeness of each
    /// family's tables from the training rows. It is also the hierarchical score with [`Structures::Own`],
    /// and `prior` is unused.
    pub kin: Option<&'a Kin>,
    /// If set, pooled and separate tables with this imaginary sample size are compared too; it is also that of
    /// BDeu with [`Structures::Own`].
    pub iss: Option<ImaginarySampleSize>,
    /// Whether to choose s and the tables' imaginary sample sizes from the training rows. kin has no such
    /// weight, and the scores' parameters are not tuned.
    pub tune: bool,
    /// A variable to predict from all others.
    pub target: Option<VariableId>,
    /// The seed of the assignment of rows to folds.
    pub seed: u64,
    /// The memory limit for counting one family, in bytes; `None` uses the tally's default.
    pub memory: Option<usize>,
}

/// ValidationProgress of a validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidationProgress {
    /// The number of finished splits.
    pub done: usize,
    /// The total number of splits.
    pub of: usize,
}

/// Receives progress from any thread; returns `Break` to stop the validation.
pub type ValidationObserver<'a> = &'a (dyn Fn(ValidationProgress) -> ControlFlow<Halt> + Sync);

/// Why a validation cannot run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ValidateError {
    /// Counting or scoring failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Estimating tables failed.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// Training rows could not be filled in.
    #[error("without the held-out rows: {0}")]
    Missing(#[from] MissingError),
    /// The observed values of a held-out row have no probability that can be computed.
    #[error(transparent)]
    Infer(#[from] InferError),
    /// The number of folds is invalid for these data.
    #[error("{rows} rows cannot be dealt to {folds} folds")]
    Folds {
        /// The requested number of folds.
        folds: usize,
        /// The number of rows.
        rows: u64,
    },
    /// There are too many rows to assign one by one.
    #[error("{rows} rows are too many to be dealt to folds one by one")]
    TooManyRows {
        /// The number of rows.
        rows: u64,
    },
    /// There is only one data set.
    #[error("there is only one data set, and leaving it out leaves nothing to learn from")]
    OneDataSet,
}

impl Actionable for ValidateError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Score(error) => error.remedies(),
            Self::Estimate(error) => error.remedies(),
            Self::Missing(error) => error.remedies(),
            Self::Infer(error) => error.remedies(),
            Self::Folds { .. } => vec![Remedy::ChooseFolds],
            Self::TooManyRows { .. } => {
                vec![Remedy::Advice("validate on a sample"), Remedy::HoldOutDataSets]
            }
            Self::OneDataSet => vec![Remedy::HoldOutRows, Remedy::Advice("give more data sets")],
        }
    }
}

impl Validate<'_> {
    /// The compared methods.
    pub(crate) fn compares(&self, method: ComparedMethod) -> bool {
        !method.has_iss() || self.iss.is_some()
    }

    /// Runs the cross-validation, with splits in parallel. The result does not depend on the number of
    /// threads. After a request to stop, it contains the finished splits, and [`Validation::stop`] gives the
    /// reason.
    pub fn run(
        &self,
        data: &RelatedData,
        observe: ValidationObserver<'_>,
    ) -> Result<Validation, ValidateError> {
        let splits = splits(data, self.scheme, self.seed)?;
        let done = AtomicUsize::new(0);
        let ask = || observe(ValidationProgress { done: done.load(Ordering::Relaxed), of: splits.len() });
        let finished: Vec<Result<SplitResult, SplitFailure>> = splits
            .par_iter()
            .enumerate()
            .map(|(number, split)| {
                let finished = work::work(self, data, number, split, &ask)?;
                done.fetch_add(1, Ordering::Relaxed);
                // The finished split is kept regardless of the answer; the next call reports the request
                // again.
                let _ = ask();
                Ok(finished)
            })
            .collect();
        let (mut stop, mut kept) = (ValidationStop::Complete, Vec::new());
        for finished in finished {
            match finished {
                Ok(finished) => kept.push(finished),
                Err(SplitFailure::Request(halt)) => stop = halt.into(),
                Err(SplitFailure::Error(error)) => return Err(error),
            }
        }
        Ok(result::assemble(self, data, splits.len(), kept, stop))
    }
}
