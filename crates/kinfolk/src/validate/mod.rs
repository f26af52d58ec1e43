//! How good networks are on rows they have not seen, and whether treating the data sets as relatives pays.
//!
//! Rows are held out, a structure is learned from the others (or given), tables are estimated from the others, and every row that was
//! held out is asked for its log-likelihood. Each row is held out exactly once. Two schemes:
//!
//! - [`Scheme::Folds`]: the rows of every data set are dealt at random to k folds, evenly; a row is judged by the tables of its
//!   own data set, estimated from the other folds.
//! - [`Scheme::DataSets`]: one data set after the other is left out whole, and judged by the tables for a data set never seen.
//!
//! Three methods answer for every row, so that their differences are paired:
//!
//! | method | tables | prior | a new data set |
//! |---|---|---|---|
//! | hierarchical | one per data set, drawn to the centre | that of the settings | the centre κ |
//! | pooled | one, from all rows | imaginary sample size | the same table |
//! | separate | one per data set, from its rows alone | imaginary sample size | none: it says nothing |
//!
//! The imaginary sample is one row per table by default, the field's usual choice; s = 1 gives the hierarchical tables as much. With
//! [`Validate::tune`] each method's weight is chosen by folds within the rows that are not held out, from the same grid for all.
//! Maximum likelihood does not take part: one cell that was never seen makes a held-out row impossible.
//!
//! A difference comes with two standard errors: over rows, taken as independent, and over data sets, where each data set is one
//! draw. The first answers "on further rows of these data sets", the second "on further data sets", roughly if they are few. Both
//! treat the tables as given, although those of different folds share most of their rows: they are somewhat too small, as any
//! standard error of cross-validation is (Bengio and Grandvalet 2004). What was fixed before the split, such as states and the
//! bins of numbers, has seen the held-out rows, for all methods alike.
//!
//! Cost: one search and three estimates per fold (three searches with [`Structures::Own`]), then linear in rows and variables; with
//! tuning some forty times the estimates, and no more searches.

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

pub use result::{
    Difference, Held, HeldOutRows, MethodResult, Named, Paired, Prediction, PredictionDifference, Stop,
    Validation, Verdict,
};
pub use tune::Weights;

use crate::data::{RelatedData, VariableId};
use crate::estimate::EstimateError;
use crate::graph::Dag;
use crate::remedy::{Actionable, Remedy};
use crate::score::{Halt, ImaginarySampleSize, Kin, Score, ScoreError};
use crate::search::Search;
use crate::variational::Prior;
use split::splits;
use work::{Finished, Halted};

/// What is held out at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// One of so many random parts of every data set.
    Folds(usize),
    /// One whole data set.
    DataSets,
}

impl Serialize for Scheme {
    /// Its name; the number of folds stands beside it in a result.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::Folds(_) => "folds",
            Self::DataSets => "data-sets",
        })
    }
}

/// How the data sets' tables are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Drawn to a common centre.
    Hierarchical,
    /// One table for all.
    Pooled,
    /// Each from its own rows.
    Separate,
}

impl Method {
    /// All of them, in the order of every result.
    pub const ALL: [Self; 3] = [Self::Hierarchical, Self::Pooled, Self::Separate];

    /// The name users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hierarchical => "hierarchical",
            Self::Pooled => "pooled",
            Self::Separate => "separate",
        }
    }
}

/// Which structure the tables belong to.
#[derive(Clone, Copy)]
pub enum Structures<'a> {
    /// This one, for all methods and folds.
    Given(&'a Dag),
    /// One per fold, found with this score, for all methods: tables are compared alone.
    Shared(&'a dyn Score, &'a Search),
    /// One per fold and method, found with the method's own score: BHD, BDeu on the pooled rows, BDeu of each data set.
    Own(&'a Search),
}

/// Settings of a validation.
#[derive(Clone, Copy)]
pub struct Validate<'a> {
    /// What is held out.
    pub scheme: Scheme,
    /// Where the structure comes from.
    pub structures: Structures<'a>,
    /// The prior of the hierarchical tables, and of BHD with [`Structures::Own`].
    pub prior: Prior,
    /// If given, hierarchical tables are estimated under this model, which finds out from the training rows how closely each family's
    /// data sets hold together; it is also the hierarchical score with [`Structures::Own`]. The prior is not used then.
    pub kin: Option<&'a Kin>,
    /// The imaginary sample size of the other tables, and of BDeu with [`Structures::Own`].
    pub iss: ImaginarySampleSize,
    /// Whether s and the imaginary sample sizes of the tables are chosen from the rows that are not held out. Scores keep theirs.
    pub tune: bool,
    /// A variable to be predicted from all others.
    pub target: Option<VariableId>,
    /// The seed by which rows are dealt to folds.
    pub seed: u64,
    /// The most bytes that counting one family may take, if not the tally's own default.
    pub memory: Option<usize>,
}

/// How far a validation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Folds, or data sets left out, that are done.
    pub done: usize,
    /// How many there are.
    pub of: usize,
}

/// Who hears of progress, from any thread, and may answer with a request to stop.
pub type Observe<'a> = &'a (dyn Fn(Progress) -> ControlFlow<Halt> + Sync);

/// Why there is nothing to validate.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ValidateError {
    /// Counting or scoring was refused.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Tables could not be estimated.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// A number of folds that cannot be made.
    #[error("{rows} rows cannot be dealt to {folds} folds")]
    Folds {
        /// What was asked for.
        folds: usize,
        /// How many rows there are.
        rows: u64,
    },
    /// Too many rows to be dealt one by one.
    #[error("{rows} rows are too many to be dealt to folds one by one")]
    TooManyRows {
        /// How many rows there are.
        rows: u64,
    },
    /// Nothing would be left.
    #[error("there is only one data set, and leaving it out leaves nothing to learn from")]
    OneDataSet,
}

impl Actionable for ValidateError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Score(error) => error.remedies(),
            Self::Estimate(error) => error.remedies(),
            Self::Folds { .. } => vec![Remedy::ChooseFolds],
            Self::TooManyRows { .. } => {
                vec![Remedy::Advice("validate on a sample"), Remedy::HoldOutDataSets]
            }
            Self::OneDataSet => vec![Remedy::HoldOutRows, Remedy::Advice("give more data sets")],
        }
    }
}

impl Validate<'_> {
    /// Holds out, learns, estimates and judges. Splits are worked on in parallel; the result does not depend on the number of
    /// threads. On a request to stop it contains the splits that were done by then, and says so.
    pub fn run(&self, data: &RelatedData, observe: Observe<'_>) -> Result<Validation, ValidateError> {
        let splits = splits(data, self.scheme, self.seed)?;
        let done = AtomicUsize::new(0);
        let ask = || observe(Progress { done: done.load(Ordering::Relaxed), of: splits.len() });
        let finished: Vec<Result<Finished, Halted>> = splits
            .par_iter()
            .enumerate()
            .map(|(number, split)| {
                let finished = work::work(self, data, number, split, &ask)?;
                done.fetch_add(1, Ordering::Relaxed);
                // The work is done whatever the answer is; the next one asks again.
                let _ = ask();
                Ok(finished)
            })
            .collect();
        let (mut stop, mut kept) = (Stop::Complete, Vec::new());
        for finished in finished {
            match finished {
                Ok(finished) => kept.push(finished),
                Err(Halted::Request(halt)) => stop = halt.into(),
                Err(Halted::Error(error)) => return Err(error),
            }
        }
        Ok(result::assemble(self, data.schema(), splits.len(), kept, stop))
    }
}
