//! How sure the arcs of a network are: structures learned again from resampled data, and without each data set.
//!
//! A replicate draws as many rows as there are, with replacement, within every data set ([`By::Rows`]: would further rows of these data
//! sets give the same arcs?), or as many data sets as there are ([`By::DataSets`]: would further data sets?), and learns a structure from
//! them. The *strength* of an edge is the share of replicates that have it, in either direction; its *direction* the share of those in
//! which it goes this way (Friedman, Goldszmidt, Wyner 1999, <https://arxiv.org/abs/1301.6695>). Scores that cannot tell
//! Markov-equivalent networks apart choose directions by column order; for them an edge that its class leaves open counts half each way.
//!
//! The *averaged* network has the edges above a threshold that is fitted to the strengths ([`threshold`]), the surest first, without
//! those that would close a cycle.
//!
//! Random numbers come from the seed and the number of the replicate alone: more replicates change nothing of those there are, and
//! neither does the number of threads. Each replicate is worked on by one thread. Whole data sets are drawn by dealing counts again,
//! rows by giving them weights, which takes time by stored rows and not by what they stand for; nothing is read, encoded or copied again.
//!
//! Cost: one search per replicate, one for all rows, and one per data set left out.

mod average;
mod resample;
mod result;
mod resume_file;
mod work;

use std::ops::ControlFlow;

use serde::Serialize;
use thiserror::Error;

pub use average::threshold;
pub use result::{ArcStrength, Bootstrapped, Directions, LeftOut, NamedArc, Stop};
pub use resume_file::{ResumeError, ResumeFile};
pub use work::{Record, Sample};

use crate::data::{DataSetId, RelatedData};
use crate::graph::Dag;
use crate::remedy::{Actionable, Remedy};
use crate::score::{Halt, Score, ScoreError};
use crate::search::HillClimb;

/// Up to here every number of rows has a floating-point number of its own, which the draws need: 2^53.
const MOST_ROWS: u64 = 1 << f64::MANTISSA_DIGITS;

/// More replicates than these tell nothing more, and keeping their structures takes memory.
const MOST_REPLICATES: u64 = 1_000_000;

/// What is drawn again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Rows within every data set.
    Rows,
    /// Whole data sets.
    DataSets,
}

/// Settings of a bootstrap.
#[derive(Clone)]
pub struct Bootstrap<'a> {
    /// The score.
    pub score: &'a dyn Score,
    /// The search.
    pub climb: HillClimb,
    /// Where every search starts.
    pub start: Dag,
    /// How many scores each search remembers, if not the scorer's own default.
    pub keep_scores: Option<usize>,
    /// What is drawn again.
    pub by: By,
    /// How many replicates.
    pub replicates: u64,
    /// Whether structures are also learned without each data set.
    pub leave_one_out: bool,
    /// The seed of all draws.
    pub seed: u64,
    /// The most bytes that counting one family may take, if not the tally's own default.
    pub memory: Option<usize>,
}

/// How far a bootstrap has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Searches that are finished, those of earlier runs included.
    pub done: usize,
    /// How many there are.
    pub of: usize,
    /// The one that has just been finished, to be kept.
    pub finished: Option<&'a Record>,
}

/// Who hears of progress, from any thread, and may answer with a request to stop.
pub type Observe<'a> = &'a (dyn Fn(Progress<'_>) -> ControlFlow<Halt> + Sync);

/// Why there is nothing to bootstrap.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BootstrapError {
    /// Counting or scoring was refused.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Nothing to draw from.
    #[error("there is only one data set, and {what} needs several")]
    OneDataSet {
        /// What was asked for.
        what: &'static str,
        /// What can be done with one.
        instead: Remedy,
    },
    /// No replicate.
    #[error("at least one replicate is needed")]
    NoReplicate,
    /// Too many replicates.
    #[error("{replicates} replicates are too many: at most {MOST_REPLICATES} are drawn")]
    TooManyReplicates {
        /// How many were asked for.
        replicates: u64,
    },
    /// Too many rows to be drawn.
    #[error("{rows} rows are too many to be drawn again")]
    TooManyRows {
        /// How many rows there are.
        rows: u64,
    },
    /// What an earlier run kept does not belong to these data.
    #[error("a finished search cannot be used again: {0}; begin a new file")]
    Record(String),
}

impl Actionable for BootstrapError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Score(error) => error.remedies(),
            Self::OneDataSet { instead, .. } => {
                vec![instead.clone(), Remedy::Advice("give more data sets")]
            }
            Self::NoReplicate => vec![Remedy::SetReplicates(200)],
            Self::TooManyReplicates { .. } => vec![Remedy::SetReplicates(1000)],
            Self::TooManyRows { .. } => {
                vec![Remedy::Advice("divide the weights"), Remedy::ResampleDataSets]
            }
            Self::Record(_) => Vec::new(),
        }
    }
}

impl Bootstrap<'_> {
    /// Resamples and learns. `done` are searches that earlier runs have finished; those and no others are left out. On a request to
    /// stop the result contains what was finished by then, and says so.
    pub fn run(
        &self,
        data: &RelatedData,
        done: &[Record],
        observe: Observe<'_>,
    ) -> Result<Bootstrapped, BootstrapError> {
        self.check(data)?;
        let (records, stop) = work::work(self, data, done, observe)?;
        Ok(result::assemble(self, data, &records, stop))
    }

    fn check(&self, data: &RelatedData) -> Result<(), BootstrapError> {
        let data_sets = data.schema().data_sets().len();
        if self.replicates == 0 {
            return Err(BootstrapError::NoReplicate);
        }
        if self.replicates > MOST_REPLICATES {
            return Err(BootstrapError::TooManyReplicates { replicates: self.replicates });
        }
        if data_sets < 2 && self.by == By::DataSets {
            return Err(BootstrapError::OneDataSet {
                what: "drawing data sets",
                instead: Remedy::ResampleRows,
            });
        }
        if data_sets < 2 && self.leave_one_out {
            return Err(BootstrapError::OneDataSet {
                what: "leaving one out",
                instead: Remedy::KeepAllDataSets,
            });
        }
        let rows = (0..data_sets).map(|index| data.rows(DataSetId::new(index))).sum();
        if self.by == By::Rows && rows > MOST_ROWS {
            return Err(BootstrapError::TooManyRows { rows });
        }
        Ok(())
    }
}
